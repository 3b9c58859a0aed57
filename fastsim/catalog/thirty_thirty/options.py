"""Options of 30-30."""

from typing import Literal

from fastsim.options import option
from fastsim.rummy.options import CONTRACTS_ACCEPTED, POINTS_ACCEPTED, Contracts, Points, RummyOptions
from kernels.rummy.layout import MAX_CONTRACTS, MAX_PACKS, MAX_PLAYERS

CONTRACTS = [
    ["set 3", "set 3"],
    ["set 4"],
    ["set 4", "set 4"],
    ["set 5"],
    ["set 5", "set 5"],
    ["set 6"],
]
POINTS = (
    {"Joker": 50, "2": 20}
    | {str(rank): 5 for rank in range(3, 10)}
    | dict.fromkeys(("10", "J", "Q", "K"), 10)
) | {"A": 20}


class ThirtyThirtyOptions(RummyOptions):
    """The rules of 30-30 that can be changed; rule ids T1-T12 and R1-R14."""

    keep = 1
    rule_of_size = "T4"

    players: int = option(4, "how many play", "T1", unit="players", ge=2, le=MAX_PLAYERS)
    hand: int = option(1, "which contract a single hand plays", "T5", ge=1, le=MAX_CONTRACTS)
    packs: int | None = option(
        None,
        "packs of 52 cards and two Jokers",
        "T1, R1",
        "ruling",
        "packs",
        default_text="half the players, rounded up",
        ge=1,
        le=MAX_PACKS,
    )
    nickels: int = option(6, "nickels of each player to buy cards with", "T2", unit="nickels", ge=0, le=100)
    nickels_per_hand: bool = option(False, "true: so many for every hand anew", "T2", "ruling")
    ante: int = option(30, "what each player pays into the pot", "T2", unit="cents", ge=0, le=1000)
    price: int = option(5, "what a bought card adds to the pot", "T6", unit="cents", ge=0, le=100)
    hand_size: int = option(11, "cards dealt to each player", "T4", unit="cards", ge=3, le=13)
    buy_extra: int = option(
        1, "cards of the stock that come with a card bought in turn", "T6", unit="cards", ge=0, le=5
    )
    buy_extra_out: int = option(
        2, "cards of the stock that come with a card bought out of turn", "T7", unit="cards", ge=0, le=5
    )
    contracts: Contracts = option(
        CONTRACTS,
        "what must be laid first, hand by hand",
        "T5",
        default_text=str(CONTRACTS).replace("'", '"'),
        accepted=CONTRACTS_ACCEPTED,
    )
    contract_only: bool = option(
        True, "nothing but the contract is laid on the turn of going down; false: other melds too", "T9"
    )
    min_run: int = option(4, "least cards of a run", "R4, T9", unit="cards", ge=3, le=13)
    wild_rule: Literal["half", "one_natural"] = option(
        "half", "wilds in a meld: at most a fraction of its cards, or all but one", "R5, T10"
    )
    wild_fraction: float = option(0.5, "that fraction, the number rounded down", "R5, T10", ge=0.0, le=1.0)
    natural_twos: bool = option(False, "whether a 2 may stand as itself at the foot of a run", "R2", "ruling")
    swap_same_meld: bool = option(
        False, "whether a wild swapped out may go back onto the same meld", "R7", "ruling"
    )
    points: Points = option(
        POINTS,
        "points of each card left in hand",
        "T3",
        default_text="Joker 50, 2 and A 20, 10 to K 10, 3 to 9 5",
        accepted=POINTS_ACCEPTED,
    )
    layoff: Literal["any", "own", "none"] = option(
        "any", "which melds may be laid off on, and swapped from, after going down", "R6", "ruling"
    )
    stock_out: Literal["reshuffle", "end"] = option(
        "reshuffle",
        "an empty stock: the discards are shuffled into a new one, or the hand ends",
        "R12",
        "ruling",
    )
    max_reshuffles: int = option(
        2, "times a hand that the discards are shuffled", "R12", "ruling", ge=0, le=100
    )
    max_turns: int = option(
        1000, "turns after which a hand ends (truncated)", "R13", "ruling", "turns", ge=1, le=10_000
    )

    def most_held(self) -> int:
        """Return how many cards a hand can have when its seat goes down, at the very most."""
        return self.hand_size + 1 + self.nickels * max(self.buy_extra, 1 + self.buy_extra_out)

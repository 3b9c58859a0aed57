"""Options of Cap-It."""

import math
from fractions import Fraction
from typing import Literal, Self

from pydantic import model_validator

from fastsim.options import option
from fastsim.rummy.options import CONTRACTS_ACCEPTED, POINTS_ACCEPTED, Contracts, Points, RummyOptions
from kernels.rummy.layout import MAX_CONTRACTS, MAX_PACKS, MAX_PLAYERS

CONTRACTS = [
    ["set 3", "set 3"],
    ["set 3", "run 4"],
    ["run 4", "run 4"],
    ["set 3", "set 3", "set 3"],
    ["run 3", "run 7"],
]
POINTS = (
    {"Joker": 20, "2": 15}
    | {str(rank): 5 for rank in range(3, 10)}
    | dict.fromkeys(("10", "J", "Q", "K"), 10)
) | {"A": 15}


class CapItOptions(RummyOptions):
    """The rules of Cap-It that can be changed; rule ids P1-P11 and R1-R14."""

    keep = 0
    rule_of_size = "P2"

    players: int = option(4, "how many play", "P1", unit="players", ge=2, le=MAX_PLAYERS)
    hand: int = option(1, "which contract a single hand plays", "P4", ge=1, le=MAX_CONTRACTS)
    packs: int | None = option(
        None,
        "packs of 52 cards and two Jokers",
        "P1, R1",
        unit="packs",
        default_text="half the players, rounded up",
        ge=1,
        le=MAX_PACKS,
    )
    hand_size: int = option(10, "cards dealt to each player", "P2", unit="cards", ge=3, le=13)
    upcard: bool = option(True, "one card is turned up to start the discard pile", "P2", "ruling")
    push: bool = option(True, "the top discard not taken is pushed; false: it stays, and one is drawn", "P5")
    contracts: Contracts = option(
        CONTRACTS,
        "what must be laid first, round by round",
        "P4",
        "ruling",
        default_text=str(CONTRACTS).replace("'", '"'),
        accepted=CONTRACTS_ACCEPTED,
    )
    min_run: int = option(3, "least cards of a run", "R4, P7", unit="cards", ge=3, le=13)
    wild_rule: Literal["half", "one_natural"] = option(
        "one_natural", "wilds in a meld: at most a fraction of its cards, or all but one", "R5, P7"
    )
    wild_fraction: float = option(
        0.5,
        "that fraction, the number rounded down; only with wild_rule half",
        "R5",
        "ruling",
        ge=0.0,
        le=1.0,
    )
    natural_twos: bool = option(True, "whether a 2 may stand as itself at the foot of a run", "R2, P7")
    swap_same_meld: bool = option(False, "whether a wild swapped out may go back onto the same meld", "R7")
    points: Points = option(
        POINTS,
        "points of each card left in hand (the source names none for the Ace)",
        "P10",
        "assumed",
        default_text="Joker 20, 2 and A 15, 10 to K 10, 3 to 9 5",
        accepted=POINTS_ACCEPTED,
    )
    layoff: Literal["any", "own", "none"] = option(
        "any", "which melds may be laid off on, and swapped from, after going down", "R6", "ruling"
    )
    stock_out: Literal["reshuffle", "end"] = option(
        "end", "an empty stock: the hand ends, or (without the push) the discards are shuffled", "R12, P9"
    )
    max_reshuffles: int = option(
        2, "times a hand that the discards are shuffled", "R12", "ruling", ge=0, le=100
    )
    ante: int = option(100, "what each player pays into the pot", "P11", "assumed", "cents", ge=0, le=1000)
    round_share: float = option(
        0.1, "part of the first pot that the lowest of each round win", "P11", "assumed", ge=0.0, le=1.0
    )
    max_turns: int = option(
        1000, "turns after which a hand ends (truncated)", "R13", "ruling", "turns", ge=1, le=10_000
    )

    def turned_up(self) -> int:
        """Return how many cards are turned up to start the discard pile."""
        return int(self.upcard)

    def most_held(self) -> int:
        """Return how many cards a hand can have when its seat goes down, at the very most."""
        return 54 * (self.packs or 1) if self.push else self.hand_size + 1

    def prize(self) -> int:
        """Return the prize of a round in cents (P11), halves rounded up."""
        return math.floor(Fraction(str(self.round_share)) * self.ante * self.players + Fraction(1, 2))

    @model_validator(mode="after")
    def _check_prizes(self) -> Self:
        rounds = len(self.contracts)
        if self.prize() * rounds > self.ante * self.players:
            raise ValueError(
                f"{rounds} rounds with round_share {self.round_share:g} each win more than the whole pot; "
                f"accepted: up to {1 / rounds:g} (rule P11)"
            )
        return self

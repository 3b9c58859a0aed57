"""Options of Kapaga."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from fastsim.errors import unknown
from fastsim.options import Options, option
from kernels.kapaga.layout import JOKER, MAX_PACKS, MAX_PLAYERS, POINT_NAMES, RANK_NAMES

MOST_POINTS = 1000
_BY_NAME = {"five of spades": 50, "five of clubs": 25, "Joker": 50}
_BY_NAME |= {"8": 50, "9": 25, "2": 20, "7": 20, "A": 15, "10": 10, "J": 10, "Q": 10, "K": 10}
POINTS = {name: _BY_NAME.get(name) or int(name) for name in (*RANK_NAMES, "five of spades", "five of clubs")}
"""Points for each card left in hand (K20)."""


class KapagaOptions(Options):
    """The rules of Kapaga that can be changed; rule ids K1-K25."""

    players: int = option(4, "how many play", "K2", unit="players", ge=2, le=MAX_PLAYERS)
    hand_size: int = option(
        5, "cards dealt to each of three players or more", "K2", unit="cards", ge=1, le=10
    )
    hand_size_two: int = option(
        7, "cards dealt to each when two are in the hand", "K2", unit="cards", ge=1, le=10
    )
    packs: int = option(1, "packs of 52 cards, each with a Joker", "K1", unit="packs", ge=1, le=MAX_PACKS)
    multi_play: bool = option(True, "cards of the same rank may be added to a card put down", "K6")
    call_ranks: bool = option(True, "an 8 calls a suit or a rank; false: a suit only", "K16")
    draw_count: int = option(1, "cards drawn instead of putting one", "K4", unit="cards", ge=0, le=10)
    five_count: int = option(5, "cards of an attack by the five of spades", "K13", unit="cards", ge=0, le=10)
    two_count: int = option(2, "cards that each 2 adds to an attack", "K12", unit="cards", ge=0, le=10)
    ace_alone_draws: bool = option(True, "an Ace played alone makes its player draw a card", "K11")
    turnover_penalty: int = option(
        10, "charge for needing a card when the stock is empty", "K7", "assumed", "points", ge=0, le=500
    )
    penalty_points: int = option(
        50, "charge for a misdeal, or for looking too early", "K24", "assumed", "points", ge=0, le=500
    )
    forget_rate: float = option(
        0, "how often a player left with one card forgets to call Kapaga", "K8", "ruling", ge=0, le=1
    )
    catch_rate: float = option(
        1, "how often that is noticed; the player then draws a card", "K8", "ruling", ge=0, le=1
    )
    misdeal_rate: float = option(0, "how often a dealer misdeals", "K24", "assumed", ge=0, le=1)
    peek_rate: float = option(0, "how often a player looks too early", "K24", "assumed", ge=0, le=1)
    points: dict[str, Annotated[int, Field(ge=0, le=MOST_POINTS)]] = option(
        POINTS,
        "what each card left in hand costs (5: the fives of hearts and diamonds)",
        "K20",
        "assumed",
        default_text=", ".join(f"{name} {points}" for name, points in POINTS.items()),
        accepted=f"a table of 0 to {MOST_POINTS} for each rank from A to K, Joker, five of spades and "
        "five of clubs",
    )
    limit: int = option(
        2000, "score above which a player is eliminated", "K21", unit="points", ge=50, le=100_000
    )
    exact_reset: bool = option(True, "a score of exactly the limit becomes 0", "K21")
    max_turns: int = option(
        2000, "turns after which a hand is truncated", "K25", "ruling", "turns", ge=1, le=10_000
    )
    max_hands: int = option(
        2000, "hands after which the lowest score wins the game", "K25", "ruling", "hands", ge=1, le=10_000
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Refuse what is impossible together."""
        for name in self.points:
            if name not in POINT_NAMES:
                raise unknown("card in option points:", name, POINTS)
        missing = [name for name in POINTS if name not in self.points]
        if missing:
            raise ValueError(
                f"option points was given nothing for {', '.join(missing)}; accepted: "
                f"{self.describe()['points'].accepted} (rule K20)"
            )
        size = self.hand_size_two if self.players == 2 else self.hand_size
        cards = (JOKER + 1) * self.packs
        dealt = self.players * size + 1
        if dealt > cards:
            have = "1 pack with Joker has" if self.packs == 1 else f"{self.packs} packs with Joker have"
            raise ValueError(
                f"{self.players} hands of {size} and the card turned up are {dealt} cards, and {have} "
                f"{cards}: all must fit in the pack (rule K2)"
            )
        return self

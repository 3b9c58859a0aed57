"""Options of Cap Zap, and its deck (Z1)."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from fastsim.errors import unknown
from fastsim.options import Options, option
from kernels.cap_zap.layout import KIND_NAMES, MAX_DECK, MAX_HAND, MAX_PLAYERS, MIN_PLAYERS

DECKS: dict[str, dict[str, int]] = {
    "capitals": {
        "A": 5, "B": 4, "C": 6, "D": 3, "F": 1, "H": 4, "I": 1, "J": 3,
        "L": 3, "M": 3, "N": 1, "O": 2, "P": 3, "R": 2, "S": 6, "T": 3,
    },
}  # fmt: skip
"""Cards of each letter: the capitals of the fifty states by first letter (Z1)."""

TEAMS = ((2, 4), (2, 6), (3, 6))
"""Teams and players that go together (Z13)."""


class CapZapOptions(Options):
    """The rules of Cap Zap that can be changed; rule ids Z1-Z14."""

    players: int = option(2, "how many play", "Z3", unit="players", ge=MIN_PLAYERS, le=MAX_PLAYERS)
    teams: int = option(
        0,
        "teams, the seats dealt out to them in turn; 0: each for themselves; else 2 teams of 4 or 6 players, "
        "or 3 of 6",
        "Z13",
        "ruling",
        ge=0,
        le=3,
    )
    hand_size: int = option(
        8, "cards dealt to each player, and so tricks in a round", "Z3", unit="cards", ge=1, le=MAX_HAND
    )
    reach: int = option(
        1, "how far apart in the alphabet two letters may be for one card to zap the other", "Z2",
        unit="letters", ge=0, le=5,
    )  # fmt: skip
    wrap: bool = option(False, "whether A and Z are neighbours", "Z2", "ruling")
    win_points: int = option(
        10, "for the side that alone has the most tricks", "Z8", unit="points", ge=0, le=100
    )
    tie_points: int = option(
        5, "for each side that shares the most tricks", "Z8", unit="points", ge=0, le=100
    )
    bonus_tricks: int = option(6, "tricks that earn a bonus", "Z9", unit="tricks", ge=1, le=MAX_HAND)
    bonus_points: int = option(10, "bonus for so many tricks", "Z9", unit="points", ge=0, le=100)
    sweep_points: int = option(20, "bonus for every trick, a sweep", "Z9", unit="points", ge=0, le=100)
    bonus_stacks: bool = option(
        False, "whether a sweep earns the bonus for many tricks beside its own", "Z9", "ruling"
    )
    target: int = option(50, "points that win the game", "Z11", unit="points", ge=1, le=1000)
    shared_win: bool = option(
        False,
        "whether sides that are highest together, with the target, share the win; if not, rounds go on",
        "Z11",
        "ruling",
    )
    max_rounds: int = option(
        500, "rounds after which a game is truncated: the highest sides share the win", "Z14", "ruling",
        "rounds", ge=1, le=10_000,
    )  # fmt: skip
    deck: str | dict[str, Annotated[int, Field(ge=0, le=MAX_DECK)]] = option(
        "capitals", "the cards: capitals, or a table of counts by letter", "Z1"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Refuse what is impossible together."""
        if isinstance(self.deck, str):
            if self.deck not in DECKS:
                raise unknown("deck", self.deck, [*DECKS, "or a table of counts by letter"])
        else:
            for letter in self.deck:
                if letter not in KIND_NAMES:
                    raise ValueError(
                        f"option deck has a count for {letter!r}; accepted: letters from A to Z (rule Z1)"
                    )
        if self.teams and (self.teams, self.players) not in TEAMS:
            raise ValueError(
                f"teams is {self.teams} with {self.players} players; accepted: 0 (no teams), 2 for 4 or 6 "
                "players, 3 for 6 players (rule Z13)"
            )
        cards = len(self.cards())
        if cards > MAX_DECK:
            raise ValueError(f"the deck has {cards} cards; accepted: up to {MAX_DECK} (rule Z1)")
        most = cards // self.players
        if self.hand_size > most:
            accepted = f"a hand_size of 1 to {most}" if most else f"a deck of at least {self.players} cards"
            raise ValueError(
                f"{self.players} hands of {self.hand_size} are {self.players * self.hand_size} cards, and "
                f"the deck has {cards}; accepted: {accepted} (rule Z3)"
            )
        return self

    @property
    def sides(self) -> int:
        """How many sides play: the teams, or without teams the players (Z13)."""
        return self.teams or self.players

    def counts(self) -> dict[str, int]:
        """Return how many cards of each letter there are; letters without a card are left out."""
        deck = DECKS[self.deck] if isinstance(self.deck, str) else self.deck
        return {letter: deck[letter] for letter in KIND_NAMES if deck.get(letter, 0)}

    def cards(self) -> list[int]:
        """Return the letter of every card, 0 for A, in alphabetical order."""
        return [KIND_NAMES.index(letter) for letter, copies in self.counts().items() for _ in range(copies)]

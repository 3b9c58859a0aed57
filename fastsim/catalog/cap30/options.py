"""Options of Cap30, and its decks (C1)."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fastsim.errors import unknown
from fastsim.options import Options, option
from kernels.cap30.layout import (
    KIND_NAMES,
    MAX_CAP,
    MAX_CHAIN,
    MAX_COPIES,
    MAX_DECK,
    MAX_PLAYERS,
)

_FROM_DECK = "as the deck says"


def _numbers(copies: dict[int, int]) -> dict[str, int]:
    return {f"{sign}{value}": n for value, n in copies.items() for sign in "+-"}


_CAP30_NUMBERS = {value: 1 if value <= 4 else 2 for value in range(1, 11)}
_CAP50_NUMBERS = _CAP30_NUMBERS | dict.fromkeys(range(11, 16), 1)
_CAP100_NUMBERS = _CAP50_NUMBERS | dict.fromkeys(range(16, 26), 1)
_PLAYING_CARDS = _numbers(dict.fromkeys(range(1, 11), 2))
_PLAYING_CARDS |= {"TakeTwo": 4, "Double": 2, "Halve": 2, "Reset": 2, "Skip": 2}
_SPECIALS = ("TakeTwo", "Double", "Halve", "Undo", "Reset", "Skip", "Switch")


def _specials(*copies: int) -> dict[str, int]:
    return dict(zip(_SPECIALS, copies, strict=True))


DECKS: dict[str, tuple[int, int, dict[str, int]]] = {
    "cap30": (30, 15, _numbers(_CAP30_NUMBERS) | _specials(6, 3, 3, 2, 2, 2, 2)),
    "cap50": (50, 25, _numbers(_CAP50_NUMBERS) | _specials(8, 4, 4, 2, 2, 3, 3)),
    "cap100": (100, 50, _numbers(_CAP100_NUMBERS) | _specials(10, 5, 5, 3, 3, 3, 3)),
    "standard": (30, 15, _PLAYING_CARDS),
    "standard-1j": (30, 15, _PLAYING_CARDS | {"Undo": 1}),
    "standard-2j": (30, 15, _PLAYING_CARDS | {"Undo": 2}),
}
"""Cap, opening total and cards of each deck (C1)."""

PLAYABLE_KINDS = KIND_NAMES[: KIND_NAMES.index("Drain")]


class Cap30Options(Options):
    """The rules of Cap30 that can be changed; rule ids C1-C25."""

    players: int = option(2, "how many play", "C3", unit="players", ge=2, le=MAX_PLAYERS)
    deck: str | dict[str, Annotated[int, Field(ge=0, le=MAX_COPIES)]] = option(
        "cap30", f"the cards: {', '.join(DECKS)}, or a table of counts by kind", "C1", default_text="cap30"
    )
    cap: int | None = option(None, "top of the range", "C1", default_text=_FROM_DECK, ge=10, le=MAX_CAP)
    start: int | None = option(None, "opening total", "C1", default_text=_FROM_DECK, ge=0, le=MAX_CAP)
    reset_to: int | None = option(
        None, "total that Reset sets", "C1", default_text="as start", ge=0, le=MAX_CAP
    )
    ten_step: int = option(10, "step between the tens, the totals that chain", "C2", ge=2, le=50)
    hand_size: int = option(7, "cards dealt to each player", "C3", unit="cards", ge=1, le=15)
    starter_extra: int | None = option(
        None,
        "cards more for whoever starts",
        "C3",
        unit="cards",
        default_text="1 with two players, else 0",
        ge=-3,
        le=5,
    )
    chain_limit: int = option(
        3, "moves in one turn, when each lands on a ten; 1: no chains", "C9", unit="moves", ge=1, le=MAX_CHAIN
    )
    max_multiple: int = option(
        3, "identical number cards put down together; 1: no doubles", "C5", unit="cards", ge=1, le=3
    )
    must_play: bool = option(True, "who can play must; false: drawing instead is allowed", "C6")
    take_count: int = option(
        2, "cards that a TakeTwo makes its target pick up", "C11", unit="cards", ge=0, le=5
    )
    take_target: Literal["fewest", "next", "most"] = option(
        "fewest", "whom a TakeTwo hits: the opponent with fewest or most cards, or the next", "C11"
    )
    undo_chains: bool = option(True, "an Undo that brings the total back onto a ten chains", "C9", "ruling")
    next_starter: Literal["last", "winner", "rotate"] = option(
        "last", "who starts the next hand: the one with most cards left, the winner, or the next seat", "C16"
    )
    hands_to_win: int = option(2, "hands that win the game", "C15", unit="hands", ge=1, le=10)
    max_turns: int = option(
        1000, "turns after which a hand is void (truncated)", "C14", "ruling", "turns", ge=1, le=10_000
    )
    max_hands: int = option(
        100, "hands after which a game is a draw, shared by all", "C14", "ruling", "hands", ge=1, le=1000
    )
    powers: bool = option(False, "Power Up: tens fill meters, full meters give powers", "C20-C25")
    meter_size: int = option(
        4, "with powers: notches of a full meter", "C20", "assumed", "notches", ge=1, le=10
    )
    meter_carry: bool = option(
        True, "with powers: meters carry over from hand to hand of a game", "C20", "assumed"
    )
    drain_cards: int = option(
        2, "with powers: Drain cards added to the deck", "C25", "assumed", "cards", ge=0, le=6
    )
    power_reaction: bool = option(
        True,
        "with powers and three or more players: also as a reaction, when somebody is down to one card",
        "C21",
        "assumed",
    )

    @model_validator(mode="after")
    def _resolve(self) -> Self:
        """Fill in what depends on other options, and refuse what is impossible together."""
        if isinstance(self.deck, str):
            if self.deck not in DECKS:
                raise unknown("deck", self.deck, [*DECKS, "or a table of counts"])
            cap, start, _ = DECKS[self.deck]
            self.cap = cap if self.cap is None else self.cap
            self.start = (
                (min(start, self.cap) if self.cap < start else start) if self.start is None else self.start
            )
        else:
            for kind in self.deck:
                if kind not in PLAYABLE_KINDS:
                    raise unknown("kind of card in option deck:", kind, PLAYABLE_KINDS)
            if self.cap is None or self.start is None:
                raise ValueError(
                    "a deck given as a table of counts needs the options cap and start too (rule C1)"
                )
        if self.powers:
            self._refuse_what_powers_replace()
        if self.reset_to is None:
            self.reset_to = self.start
        if self.starter_extra is None:
            self.starter_extra = 1 if self.players == 2 else 0
        for name in ("start", "reset_to"):
            if getattr(self, name) > self.cap:
                raise ValueError(
                    f"option {name} is {getattr(self, name)}, above the cap of {self.cap} (rule C1); "
                    f"accepted: 0 to {self.cap}"
                )
        cards = len(self.cards())
        if cards > MAX_DECK:
            raise ValueError(f"the deck has {cards} cards; accepted: up to {MAX_DECK} (rule C1)")
        if self.hand_size + self.starter_extra < 1:
            raise ValueError(
                f"hand_size {self.hand_size} with starter_extra {self.starter_extra} leaves whoever starts "
                "without a card; at least one must be left (rule C3)"
            )
        dealt = self.players * self.hand_size + self.starter_extra
        if dealt > cards:
            raise ValueError(
                f"{self.players} hands of {self.hand_size} with starter_extra {self.starter_extra} are "
                f"{dealt} cards, and the deck has {cards}: all hands must fit in the deck (rule C3)"
            )
        return self

    def _refuse_what_powers_replace(self) -> None:
        if self.take_target != "fewest":
            raise ValueError(
                f"option take_target is {self.take_target}, but with powers the player of a TakeTwo chooses "
                "whom it hits (rule C22); leave it out"
            )
        if self.next_starter != "last":
            raise ValueError(
                f"option next_starter is {self.next_starter}, but with powers whoever is left with the most "
                "cards starts the next hand, with a Bullseye (rule C24); leave it out"
            )

    def idle(self) -> tuple[str, ...]:
        """Return the names of the options of Power Up, if it is not played."""
        if not self.powers:
            return ("meter_size", "meter_carry", "drain_cards", "power_reaction")
        return ("power_reaction",) if self.players == 2 else ()

    def counts(self) -> dict[str, int]:
        """Return how many cards of each kind there are; kinds without a card are left out."""
        deck = DECKS[self.deck][2] if isinstance(self.deck, str) else self.deck
        if self.powers:
            deck = deck | {"Drain": self.drain_cards}
        return {kind: deck[kind] for kind in KIND_NAMES if deck.get(kind, 0)}

    def cards(self) -> list[int]:
        """Return the kind of every card, in the order of kinds."""
        return [KIND_NAMES.index(kind) for kind, copies in self.counts().items() for _ in range(copies)]

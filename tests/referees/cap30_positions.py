"""Hands of Cap30 in mid-play, and tables that write what happens: shared by the tests of its referee."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from kernels.cap30 import layout
from tests.referees.cap30 import RandomTable, new_hand, resolve
from tests.referees.cap30_hand import KIND_NUMBERS, Choice, Hand
from tests.referees.trace import EVENT_FIELDS, Event


class RecordingTable(RandomTable):
    """A random table that writes the trace of what it plays."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.events: list[Event] = []

    def draw(self, rule: str, code: int, seat: int) -> str:
        kind = super().draw(rule, code, seat)
        self.tell(rule, code, seat, KIND_NUMBERS[kind])
        return kind

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        self.tell("", layout.DECISION, seat, decision, len(choices), about)
        return super().choose(decision, seat, choices, about)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        self.events.append(event(code, seat, *fields))


class ScriptedTable(RecordingTable):
    """A table that makes the given choices, one after the other; with none left, it is an error."""

    def __init__(self, choices: Iterable[Choice] = ()) -> None:
        super().__init__(random.Random(0))
        self.script = list(choices)
        self.offered: list[list[Choice]] = []

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        self.tell("", layout.DECISION, seat, decision, len(choices), about)
        self.offered.append(list(choices))
        choice = self.script.pop(0)
        assert choice in choices
        return choice


def event(code: int, seat: int, *fields: int | str) -> Event:
    """Return an event's row; a kind may be given by its name."""
    row = (code, seat, *(KIND_NUMBERS[field] if isinstance(field, str) else field for field in fields))
    return row + (0,) * (EVENT_FIELDS - len(row))


def position(
    *cards: Sequence[str],
    total: int = 15,
    pile: Sequence[str] = ("+1",) * 9,
    script: Iterable[Choice] = (),
    **changes: Any,
) -> Hand:
    """Return a hand in mid-play: the cards of each seat, and a draw pile whose top comes last."""
    table = ScriptedTable(script)
    table.pile = list(pile)
    hand = new_hand(resolve(players=len(cards), **changes), table)
    hand.cards = [list(held) for held in cards]
    hand.total = total
    return hand


def told(hand: Hand, *codes: int) -> list[Event]:
    """Return the events of the given codes that a scripted hand has told of."""
    return [row for row in hand.table.events if row[0] in codes]


def words(text: str) -> list[str]:
    """Return the kinds named in a text."""
    return text.split()

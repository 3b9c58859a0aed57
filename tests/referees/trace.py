"""Walking a trace: what the referees of all games do when they check one.

A referee plays by its rules at a table that follows the trace: a :class:`Trace` which is its
game's table too. Whatever the rules make happen must be the event that comes next.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

Event = tuple[int, ...]

EVENT_FIELDS = 8
"""Numbers in a row of a trace: code, seat (or side), and six whose meaning depends on the code."""


class RefereeError(Exception):
    """A trace breaks a rule.

    Parameters
    ----------
    rule : str
        The rule's id.
    index : int
        Which event of the trace breaks it.
    sentence : str
        What is wrong.
    """

    def __init__(self, rule: str, index: int, sentence: str) -> None:
        super().__init__(f"event {index} breaks {rule}: {sentence}")
        self.rule = rule
        self.index = index


class Trace:
    """A trace of a game, and how far it has been followed. Subclasses say what its numbers mean.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace, in rows of ``EVENT_FIELDS``.

    Attributes
    ----------
    event_names : mapping
        By the code of an event its name and those of its fields after the first two.
    number_names : mapping
        By the first word of a field's name what each of its numbers is called; "" if it is not one.
    events_of_sides : collection of int
        The codes of events that happen to a side and not to a seat.
    index : int
        The event that comes next.
    """

    event_names: ClassVar[Mapping[int, tuple[str, ...]]]
    number_names: ClassVar[Mapping[str, Sequence[str]]]
    events_of_sides: ClassVar[Sequence[int]] = ()

    def __init__(self, events: Iterable[Sequence[int]]) -> None:
        self.events: list[Event] = [tuple(int(field) for field in event) for event in events]
        if any(len(event) != EVENT_FIELDS for event in self.events):
            raise ValueError(f"each event of a trace must have {EVENT_FIELDS} fields")
        self.index = 0

    # In words

    def name_of(self, field: str, value: int) -> str | None:
        """Return what a number in a field of this name is called, if it has a name."""
        names = self.number_names.get(field.split(maxsplit=1)[0], ())
        return (names[value] or None) if 0 <= value < len(names) else None

    def describe(self, event: Event) -> str:
        """Return an event in words."""
        name, *fields = self.event_names.get(event[0], (f"unknown event {event[0]}",))
        said = [f"{'side' if event[0] in self.events_of_sides else 'seat'} {event[1]}"]
        for field, value in zip(fields, event[2:], strict=False):
            said.append(f"{field} {self.name_of(field, value) or value}")
        said += [f"a further field {value}" for value in event[2 + len(fields) :] if value]
        return f"{name} ({', '.join(said)})"

    def describe_choice(self, choice: Any) -> str:
        """Return a choice in words."""
        return str(choice)

    # Following it

    def tell(self, rule: str, code: int, seat: int, *fields: int, choices: Sequence[Any] = ()) -> None:
        """Make sure that the event that comes next is this one; of a decision, with these choices."""
        expected = (code, seat, *fields)
        expected += (0,) * (EVENT_FIELDS - len(expected))
        found = self.look(rule, expected)
        if found != expected:
            among = f" among {', '.join(map(self.describe_choice, choices))}" if choices else ""
            self.refuse(
                self.rule_broken(rule, expected, found),
                f"expected {self.describe(expected)}{among}, found {self.describe(found)}",
            )
        self.index += 1

    def rule_broken(self, rule: str, expected: Event, found: Event) -> str:
        """Return the rule that is broken where another event is found than ``rule`` makes happen."""
        return rule

    def look(self, rule: str, expected: Event) -> Event:
        """Return the event that comes next; there must be one."""
        if self.index == len(self.events):
            self.refuse(rule, f"the trace stops where {self.describe(expected)} should come")
        return self.events[self.index]

    def read_name(self, rule: str, code: int, seat: int, rule_of_names: str = "") -> str:
        """Return the name in the third field of the event that comes next, which has this code and seat.

        If the number there has no name, ``rule_of_names`` is broken, by default ``rule`` too.
        """
        event = self.look(rule, (code, seat))
        title, field, *_ = self.event_names[code]
        if event[:2] != (code, seat):
            self.refuse(rule, f"expected {title} (seat {seat}), found {self.describe(event)}")
        name = self.name_of(field, event[2])
        if name is None:
            self.refuse(rule_of_names or rule, f"there is no {field} {event[2]}")
        return name

    def take(self, rule: str, name: str, seat: int, cards: Counter[str], place: str) -> None:
        """Take a card from those known to be at a place; it must be one of them."""
        if not cards[name]:
            self.refuse(rule, f"the {place} holds no {name} that seat {seat} could get")
        cards[name] -= 1

    def refuse_choice(self, rule: str, event: Event, choices: Sequence[Any]) -> NoReturn:
        """Raise an error about an event that carries out none of the choices."""
        among = ", ".join(map(self.describe_choice, choices))
        self.refuse(rule, f"{self.describe(event)} is not among the choices: {among}")

    def refuse(self, rule: str, sentence: str) -> NoReturn:
        """Raise an error about the event that comes next."""
        raise RefereeError(rule, self.index, sentence)

    def close(self, rule: str) -> None:
        """Make sure that nothing is left of the trace."""
        if self.index < len(self.events):
            self.refuse(rule, f"all is over, found {self.describe(self.events[self.index])}")

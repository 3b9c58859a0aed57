"""How the events of a trace change what a reader of a game follows: tables that each game fills in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """What an event of one code does to the seat (or side) that it happens to.

    Attributes
    ----------
    code : int
    by : int
        How much is added; with ``field`` so many times that field of the event.
    field : int, optional
        From 0, so that 2 is the first one after code and seat.
    only : (int, int), optional
        A field and a value: what other values it has counts for nothing.
    kind : int
        Field with the kind of card, for a change of a hand.
    """

    code: int
    by: int = 1
    field: int | None = None
    only: tuple[int, int] | None = None
    kind: int = 2


@dataclass(frozen=True)
class Story:
    """What happens to hands.

    Attributes
    ----------
    begins : int
        Code of the event with which a hand begins.
    dealt : int
        Code of a card dealt to a starting hand.
    cards : tuple of Change
        Cards that come into hands and leave them.
    passes : tuple of Change
        All pass their hands to the left, so many places (to the right, if it is negative).
    """

    begins: int
    dealt: int
    cards: tuple[Change, ...]
    passes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Standing:
    """Who is ahead: a number for each seat (or side) after every step of a hand or game.

    Attributes
    ----------
    counted : str
        What the number counts, in the plural: "cards".
    fewest_lead : bool
        Whether who has fewest is ahead, or who has most.
    step : int
        Code of the event with which a step begins.
    step_name : str
        "turn".
    changes : tuple of Change
        From 0 on.
    passes : tuple of Change
        As of the :class:`Story`, if the numbers go round with the hands.
    """

    counted: str
    fewest_lead: bool
    step: int
    step_name: str
    changes: tuple[Change, ...]
    passes: tuple[Change, ...] = ()

    @property
    def leader(self) -> str:
        """What makes a leader, in words."""
        return f"{'fewest' if self.fewest_lead else 'most'} {self.counted}"

    @property
    def behind(self) -> str:
        """What makes a follower, in words."""
        return f"{'fewer' if self.fewest_lead else 'more'} {self.counted}"

"""Read traces: who held and who led when, for all hands of a block at once.

A reading goes by the tables of :mod:`fastsim.catalog.story`, and works on whole arrays of events.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fastsim.catalog.story import Change, Standing, Story


class Running:
    """A sum that grows from event to event.

    Parameters
    ----------
    places : int array
        Indices of events, ascending.
    amounts : int array
        What each adds.
    """

    def __init__(self, places: np.ndarray, amounts: np.ndarray) -> None:
        self._places = places
        self._sums = np.concatenate([[0], np.cumsum(amounts, dtype=np.int64)])

    def before(self, events: np.ndarray) -> np.ndarray:
        """Return the sum of all that comes before each of these events."""
        return self._sums[np.searchsorted(self._places, events)]


def changes_of(events: np.ndarray, change: Change) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the events of a change, and how much each adds."""
    places = np.flatnonzero(events[:, 0] == change.code)
    if change.only is not None:
        field, value = change.only
        places = places[events[places, field] == value]
    if change.field is None:
        return places, np.full(len(places), change.by, dtype=np.int64)
    return places, change.by * events[places, change.field].astype(np.int64)


def _total(events: np.ndarray, changes: Iterable[Change]) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of all events that change something, ascending, and how much."""
    total = np.zeros(len(events), dtype=np.int64)
    for change in changes:
        places, amounts = changes_of(events, change)
        total[places] += amounts
    places = np.flatnonzero(total)
    return places, total[places]


class _Rounds:
    """Hands that go round the table: which *holding*, by the seat that it began with, is where."""

    def __init__(
        self, events: np.ndarray, passes: Sequence[Change], starts: np.ndarray, players: int
    ) -> None:
        self._steps = Running(*_total(events, passes)) if passes else None
        self._at_start = None if self._steps is None else self._steps.before(starts)
        self._starts = starts
        self._players = players

    def holding(self, events: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return the holding that a seat has right before an event."""
        if self._steps is None or self._at_start is None:
            return seats
        number = np.searchsorted(self._starts, events, side="right") - 1
        # What begins at an event is after the end of what was before it.
        ended = events == self._starts[number]
        number = np.where(ended & (number > 0), number - 1, number)
        found: np.ndarray = (seats - self._steps.before(events) + self._at_start[number]) % self._players
        return found


class Course(NamedTuple):
    """How hands (or games) went, step by step.

    Attributes
    ----------
    standing : int array (steps, sides)
        The number of each side after the step.
    of : int array (steps,)
        Which hand or game of the block each step belongs to.
    """

    standing: np.ndarray
    of: np.ndarray


def course(events: np.ndarray, starts: np.ndarray, table: Standing, sides: int) -> Course:
    """Return who stood where after every step.

    Parameters
    ----------
    events : int32 array (events, 8)
    starts : int array
        Index of the first event of each hand or game.
    table : Standing
    sides : int
        Seats, or sides of several seats: seat i is on side ``i % sides``.
    """
    steps = np.flatnonzero(events[:, 0] == table.step)
    marks = np.union1d(steps, np.append(starts, len(events)))
    ends = marks[np.searchsorted(marks, steps, side="right")]
    of = np.searchsorted(starts, steps, side="right") - 1
    rounds = _Rounds(events, table.passes, starts, sides)
    places, amounts = _total(events, table.changes)
    holdings = rounds.holding(places, events[places, 1] % sides)
    standing = np.empty((len(steps), sides), dtype=np.int64)
    for holding in range(sides):
        mine = holdings == holding
        running = Running(places[mine], amounts[mine])
        standing[:, holding] = running.before(ends) - running.before(starts)[of]
    if table.passes:
        seats = np.broadcast_to(np.arange(sides), standing.shape)
        where = rounds.holding(np.repeat(ends, sides), seats.ravel()).reshape(standing.shape)
        standing = np.take_along_axis(standing, where, axis=1)
    return Course(standing, of)


class Progress(NamedTuple):
    """What the courses of hands (or games) amount to; arrays with an entry for each.

    Attributes
    ----------
    steps : int array
    lead_changes : int array
        Times that another side was alone in the lead than the last that was.
    decided : bool array
        Whether one side won; what follows is 0 if not.
    behind_half_way : bool array
        Whether the winner was behind after half of the steps (rounded down; before the first: no).
    deficit : int array
        By how much the winner was behind, at most.
    drama : float array
        Mean, over the steps after which the winner was behind, of the square root of the gap as a part of
        the larger number; 0 if it never was.
    last_behind : float array
        Part of the steps after which the winner was behind for the last time.
    """

    steps: np.ndarray
    lead_changes: np.ndarray
    decided: np.ndarray
    behind_half_way: np.ndarray
    deficit: np.ndarray
    drama: np.ndarray
    last_behind: np.ndarray


def progress(course: Course, winners: np.ndarray, fewest_lead: bool) -> Progress:
    """Return what courses amount to.

    Parameters
    ----------
    course : Course
    winners : int array
        Side that won each hand or game alone, or -1.
    fewest_lead : bool
    """
    n = len(winners)
    standing, of = course
    if fewest_lead:
        standing = -standing  # from here on more is better
    rows = np.arange(len(of))
    steps = np.bincount(of, minlength=n)
    number = rows - (np.cumsum(steps) - steps)[of] + 1

    alone = np.flatnonzero((standing == standing.max(axis=1, keepdims=True)).sum(axis=1) == 1)
    leader = standing.argmax(axis=1)[alone]
    changed = (leader[1:] != leader[:-1]) & (of[alone][1:] == of[alone][:-1])
    lead_changes = np.bincount(of[alone][1:][changed], minlength=n)

    decided = winners >= 0
    winner = winners[of]
    mine = standing[rows, winner]
    rivals = standing.copy()
    rivals[rows, winner] = np.iinfo(np.int64).min
    best = rivals.max(axis=1)
    behind = np.flatnonzero((winner >= 0) & (best > mine))
    gap = (best - mine)[behind]
    hand = of[behind]
    largest = np.maximum(np.abs(best), np.abs(mine))[behind]
    # Added up in the order of the steps, so the same wherever a block begins.
    severity = np.bincount(hand, weights=np.sqrt(gap / largest), minlength=n)
    times = np.bincount(hand, minlength=n)
    deficit = np.zeros(n, dtype=np.int64)
    np.maximum.at(deficit, hand, gap)
    last = np.zeros(n, dtype=np.int64)
    np.maximum.at(last, hand, number[behind])
    half_way = np.zeros(n, dtype=bool)
    half_way[hand[number[behind] == steps[hand] // 2]] = True
    return Progress(
        steps, lead_changes, decided, half_way, deficit,
        severity / np.maximum(times, 1), last / np.maximum(steps, 1),
    )  # fmt: skip


class Held(NamedTuple):
    """Which groups of cards each seat had in each hand.

    Attributes
    ----------
    dealt : bool array (hands, seats, groups)
        In its starting hand.
    ever : bool array (hands, seats, groups)
        At any time.
    """

    dealt: np.ndarray
    ever: np.ndarray


def held(events: np.ndarray, story: Story, players: int, groups: np.ndarray, count: int) -> Held:
    """Return which cards seats had in single hands, of which each begins a game.

    Parameters
    ----------
    events : int32 array (events, 8)
    story : Story
    players : int
    groups : int array (kinds,)
        Group of each kind.
    count : int
        Of groups.
    """
    starts = np.flatnonzero(events[:, 0] == story.begins)
    dealt = np.zeros((len(starts), players, count), dtype=bool)
    places = np.flatnonzero(events[:, 0] == story.dealt)
    hand = np.searchsorted(starts, places, side="right") - 1
    dealt[hand, events[places, 1], groups[events[places, 2]]] = True
    ever = dealt.copy()
    gained = [change for change in story.cards if change.by > 0 and change.code != story.dealt]
    for change in gained:
        places, _ = changes_of(events, change)
        hand = np.searchsorted(starts, places, side="right") - 1
        ever[hand, events[places, 1], groups[events[places, change.kind]]] = True
    if story.passes:
        _receive(events, story, starts, groups, ever)
    return Held(dealt, ever)


def _receive(
    events: np.ndarray, story: Story, starts: np.ndarray, groups: np.ndarray, ever: np.ndarray
) -> None:
    """Add what seats were passed to what they ever held."""
    _, players, count = ever.shape
    rounds = _Rounds(events, story.passes, starts, players)
    found = []
    for change in story.cards:
        places, amounts = changes_of(events, change)
        hand = np.searchsorted(starts, places, side="right") - 1
        holding = rounds.holding(places, events[places, 1])
        group = groups[events[places, change.kind]]
        found.append((places, (hand * players + holding) * count + group, amounts))
    places, cell, amounts = (np.concatenate(parts) for parts in zip(*found, strict=True))
    # How many cards of a group a holding has: a running sum along the events of each cell.
    along = cell * (len(events) + 1) + places
    order = np.argsort(along)
    running = Running(along[order], amounts[order])
    passed = _total(events, story.passes)[0]
    hand = np.searchsorted(starts, passed, side="right") - 1
    for seat in range(players):
        holding = rounds.holding(passed + 1, np.full(len(passed), seat))
        for group in range(count):
            base = ((hand * players + holding) * count + group) * (len(events) + 1)
            has = running.before(base + passed) > running.before(base)
            ever[hand[has], seat, group] = True


def grouped(names: Mapping[int, str], deck: np.ndarray, kinds: int) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names of groups of cards that a deck has, and the group of each kind (int array)."""
    in_deck = set(deck.tolist())
    found = tuple(dict.fromkeys(name for kind, name in names.items() if kind in in_deck))
    groups = np.zeros(kinds, dtype=np.int64)
    for kind, name in names.items():
        if name in found:
            groups[kind] = found.index(name)
    return found, groups

"""How hands and games go: who was ahead when, and whether who was behind still won."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fastsim.experiment import Experiment
from fastsim.following import course, progress
from fastsim.pairing import Quantities
from fastsim.tracing import traced_blocks
from reports import intervals
from reports.balance import BROWNE, Measure, share
from reports.intervals import Estimate

PARTS = 1_000_000
"""Fractions are counted in so many parts, so that sums are whole numbers and exact."""

_HANDS, _DECIDED, _HALF_WAY = range(3)
_DEFICIT, _DRAMA, _LAST = 3, 5, 7
_CHANGES = 9
_LENGTH = 14


@dataclass(frozen=True)
class StoryPlay:
    """Plays hands or games, follows them, and adds up what became of them.

    Attributes
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    def __call__(self, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> np.ndarray:
        """Return sums over games ``first`` to ``stop - 1``: Python integers, in the order of ``measures``."""
        experiment = self.experiment
        game = experiment.game
        quantities = Quantities(experiment)
        table = game.standing(experiment.options, experiment.unit)
        sole = np.full(1 << quantities.sides, -1)
        sole[1 << np.arange(quantities.sides)] = np.arange(quantities.sides)
        sums = np.zeros(_LENGTH, dtype=object)
        for block, events in traced_blocks(experiment, first, stop, cancelled):
            starts = np.flatnonzero(events[:, 0] == game.story.begins)
            if experiment.unit == "game":
                hands = quantities.hands(block)
                starts = starts[np.cumsum(hands) - hands]
            winners = sole[quantities.winners(block)]
            found = progress(course(events, starts, table, quantities.sides), winners, table.fewest_lead)
            won = found.decided
            drama, last = (
                np.rint(PARTS * part[won]).astype(np.int64) for part in (found.drama, found.last_behind)
            )
            changes, steps = found.lead_changes.astype(np.int64), found.steps.astype(np.int64)
            deficit = found.deficit[won]
            sums += np.array(
                [
                    len(winners), won.sum(), found.behind_half_way[won].sum(),
                    deficit.sum(), deficit @ deficit,
                    drama.sum(), drama @ drama,
                    last.sum(), last @ last,
                    changes.sum(), changes @ changes, steps.sum(), steps @ steps, changes @ steps,
                ]
            ).astype(object)  # fmt: skip
        return sums


def measures(experiment: Experiment, sums: np.ndarray, confidence: float) -> list[Measure]:
    """Return what sums of :class:`StoryPlay` say, all but the changes of the lead."""
    unit = experiment.unit
    table = experiment.game.standing(experiment.options, unit)
    side = experiment.game.side(experiment.options)
    decided = int(sums[_DECIDED])

    def mean(place: int, scale: int) -> Estimate:
        total, squares = (int(each) for each in sums[place : place + 2])
        return intervals.mean(decided, total, squares, confidence).scaled(1 / scale)

    comeback = share(int(sums[_HALF_WAY]), decided, confidence)
    return [
        Measure("drama", mean(_DRAMA, PARTS),
                f"how far behind winners were: square root of the gap, as part of the larger number of "
                f"{table.counted}, on average over the {table.step_name}s after which a rival had "
                f"{table.behind} (0 if none; only {unit}s that one {side} won, as below)",
                f"after {BROWNE}", decided),
        Measure("comeback", comeback,
                f"share of {unit}s whose winner was behind (a rival had {table.behind}) after half of the "
                f"{table.step_name}s", "", decided),
        Measure("deficit_overcome", mean(_DEFICIT, 1),
                f"by how many {table.counted} the winner was behind at most, on average", "", decided),
        Measure("decisiveness", mean(_LAST, PARTS),
                f"part of the {unit} at which the winner was behind for the last time (0 if never)",
                "", decided),
    ]  # fmt: skip


def lead_changes(experiment: Experiment, sums: np.ndarray, confidence: float) -> Measure:
    """Return how often the lead changes, of a game whose kernel does not count it."""
    table = experiment.game.standing(experiment.options, experiment.unit)
    n, x, xx, y, yy, xy = (int(each) for each in sums[[_HANDS, *range(_CHANGES, _LENGTH)]])
    text = f"changes of who alone has {table.leader}, for each {table.step_name}"
    return Measure("lead_changes_a_move", intervals.ratio(n, x, xx, y, yy, xy, confidence), text, BROWNE, n)

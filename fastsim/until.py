"""Play until something is known well enough."""

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial

from fastsim.comparing import ratios
from fastsim.engine import Outcome
from fastsim.errors import UsageError, unknown
from fastsim.experiment import Experiment, play
from fastsim.ordered import play_in_order
from reports.summary import summarise
from reports.tally import Tally, merge
from reports.wording import FIRST_PLAYER, until_reached


def read_until(given: Sequence[str]) -> dict[str, float]:
    """Return half-widths by statistic, as given ``METRIC=HALF_WIDTH``. Raises ``UsageError``."""
    found = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            found[""] = 0.0
        if "" in found:
            raise UsageError(f"until was given {text!r}; accepted: METRIC=HALF_WIDTH, such as turns=0.01")
    return found


def check_until(until: Mapping[str, float], experiment: Experiment) -> None:
    """Raise ``UsageError`` for a statistic that the experiment does not have, or a width that is none."""
    names = [FIRST_PLAYER, *ratios(experiment, experiment.describe(1))]
    names = [name for name in names if not name.startswith("win.policy")]
    for name, width in until.items():
        if name not in names:
            metrics = list(dict.fromkeys(known.partition(".")[0] for known in names))
            beginning = name.partition(".")[0]
            if beginning in metrics:
                raise unknown("statistic", name, [known for known in names if known.startswith(beginning)])
            raise unknown("statistic", name, metrics)
        if isinstance(width, bool) or not isinstance(width, int | float) or not 0 < width < math.inf:
            raise UsageError(f"until was given {width!r} for {name}; accepted: a half-width above 0")


def run_until(
    experiment: Experiment,
    n: int,
    until: Mapping[str, float],
    confidence: float,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Play until the intervals of these statistics are so narrow, or ``n`` were played.

    It looks after each chunk of a size that belongs to the game, at the games from 0 on, so the
    outcome is the same for any threads. Parameters as of :func:`fastsim.run`.
    """
    _ = experiment.setup  # made once, here, and not by every thread

    description = replace(experiment.describe(n), until=until)
    played = play_in_order(
        partial(play, experiment),
        lambda left, right: merge((left, right)),
        n,
        experiment.game.chunks[experiment.unit],
        threads,
        executor,
        progress,
        lambda tally, _: until_reached(summarise(tally, description, confidence)),
    )
    tally = Tally.empty() if played.part is None else played.part
    return Outcome(tally, played.chunks, played.seconds, played.interrupted)

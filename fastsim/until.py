"""Play until something is known well enough."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from fastsim.comparing import ratios
from fastsim.errors import UsageError, unknown
from fastsim.experiment import Experiment
from reports.summary import summarise
from reports.tally import Tally
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


def rule(
    experiment: Experiment, n: int, until: Mapping[str, float], confidence: float
) -> Callable[[Tally], bool]:
    """Return whether a tally knows these statistics well enough, as a function of it."""
    description = replace(experiment.describe(n), until=until)
    return lambda tally: until_reached(summarise(tally, description, confidence))

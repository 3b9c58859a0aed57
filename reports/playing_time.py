"""How long people sit at the table."""

from dataclasses import dataclass

from reports.summary import Summary, named_metrics
from reports.sums import SCALAR, Parts

TURNS = ("turns", "decisions")
"""What takes people time, the first that a game records."""


@dataclass(frozen=True)
class PlayingTime:
    """Minutes that a hand or a game takes, without shuffling, dealing and scoring.

    Attributes
    ----------
    seconds : float
        That people take for each of ``metric``.
    metric : str
        Turns; or decisions, where a game records no turns.
    mean : float
    p05, median, p95, max : float or None
        Quantiles and the longest; None in a run of games, where turns are kept by hand.
    """

    seconds: float
    metric: str
    mean: float
    p05: float | None
    median: float | None
    p95: float | None
    max: float | None


def playing_time(summary: Summary, seconds: float) -> PlayingTime | None:
    """Return how long a hand or a game of a run takes; None if nothing was played, or no turns counted."""
    metrics = named_metrics(summary.description)
    metric = next((name for name in TURNS if name in metrics), None)
    if metric is None or not summary.n:
        return None
    scale = seconds / 60
    unit = summary.description.unit
    parts = Parts(summary.tally)
    if unit == "game":
        total, _, _ = parts.sums(unit, metric, SCALAR)
        return PlayingTime(seconds, metric, scale * total / summary.n, None, None, None, None)
    total = parts.histogram(unit, metric).total
    spread = summary.spreads[metric]
    p05, median, p95, longest = (
        None if value is None else scale * value
        for value in (spread.p05, spread.median, spread.p95, spread.max)
    )
    return PlayingTime(seconds, metric, scale * total / summary.n, p05, median, p95, longest)

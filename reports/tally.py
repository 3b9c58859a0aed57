"""The tally: everything that a run counts, in one long frame of integers.

A row says how often a value was seen: ``n`` hands (or games) in which part ``key`` of ``metric``
was ``value``. Means, quantiles, intervals and histograms all follow from such counts, and merging
two tallies is adding them, so the size of a tally does not grow with the number of games.

A metric that only matters as a share of another (moves that left the total at 12, as a share of
all moves) is kept as three sums instead, in rows whose ``value`` is 0 and whose metric has a
suffix: ``:sum`` (of x over the hands), ``:square`` (of x squared) and ``:product`` (of x times
the other metric). In a run of whole games the same three sums, with unit ``game``, are kept of
every metric of a hand: there x is the total over the hands of one game, and the other metric is
the number of hands (or the total of the other metric), because hands of one game are not
independent of each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

SCHEMA = {
    "unit": pl.String,
    "metric": pl.String,
    "key": pl.Int64,
    "value": pl.Int64,
    "n": pl.Int64,
}
KEYS = ["unit", "metric", "key", "value"]

SUM = ":sum"
SQUARE = ":square"
PRODUCT = ":product"


@dataclass(frozen=True, eq=False)
class Tally:  # noqa: PLW1641 (a frame has no hash)
    """Counts of a run.

    Attributes
    ----------
    frame : polars.DataFrame
        Columns ``unit`` ("hand" or "game"), ``metric``, ``key`` (-1 for a metric that is one
        number), ``value`` and ``n``, all integers but the first two; sorted by the first four,
        which are unique, and ``n`` is never 0. Equal tallies therefore have equal frames.
    """

    frame: pl.DataFrame

    @classmethod
    def empty(cls) -> "Tally":
        """Return the tally of no games."""
        return cls(pl.DataFrame(schema=SCHEMA))

    @classmethod
    def from_columns(
        cls,
        unit: np.ndarray,
        metric: np.ndarray,
        key: np.ndarray,
        value: np.ndarray,
        n: np.ndarray,
    ) -> "Tally":
        """Return the tally of counts in any order, equal rows added up."""
        frame = pl.DataFrame(
            {"unit": unit, "metric": metric, "key": key, "value": value, "n": n}, schema=SCHEMA
        )
        return cls(_in_order(frame))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.frame.equals(other.frame)

    def units(self, unit: str) -> int:
        """Return how many hands or games were counted."""
        return int(self.counts(unit, "winners")["n"].sum())

    def counts(self, unit: str, metric: str, key: int = -1) -> pl.DataFrame:
        """Return the counts of one part of one metric: columns ``value`` (ascending) and ``n``."""
        return self.frame.filter(
            (pl.col("unit") == unit) & (pl.col("metric") == metric) & (pl.col("key") == key)
        ).select("value", "n")


def merge(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies; the order does not matter."""
    frames = [tally.frame for tally in tallies]
    if not frames:
        return Tally.empty()
    return Tally(_in_order(pl.concat(frames)))


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    added = frame.group_by(KEYS).agg(pl.col("n").sum())
    return added.filter(pl.col("n") != 0).sort(KEYS).select(list(SCHEMA))

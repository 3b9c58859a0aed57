"""A tally, added up: for each part of each metric the exact sums that estimates are made of."""

from typing import NamedTuple

import polars as pl

from reports.tally import PRODUCT, SQUARE, SUM, Tally

SCALAR = -1
"""Key of a metric that is one number."""


class Part(NamedTuple):
    """One part of one metric: how many were counted, the sums of their values and of the squares,
    and the histogram: values, ascending, and how often each occurred.
    """

    n: int = 0
    total: int = 0
    squares: int = 0
    values: list[int] = []
    counts: list[int] = []


class Parts:
    """All parts of a tally, added up in one pass over it."""

    def __init__(self, tally: Tally) -> None:
        # 128 bits hold the squares of 31-bit values of any number of hands.
        value, count = pl.col("value").cast(pl.Int128), pl.col("n").cast(pl.Int128)
        added = tally.frame.group_by("unit", "metric", "key", maintain_order=True).agg(
            pl.col("n").sum().alias("count"),
            (value * count).sum().alias("total"),
            (value * value * count).sum().alias("squares"),
            pl.col("value"),
            pl.col("n"),
        )
        self._parts = {row[:3]: Part(*row[3:]) for row in added.iter_rows()}

    def histogram(self, unit: str, metric: str, key: int = SCALAR) -> Part:
        """Return one part that is kept value by value; an empty one if nothing was recorded."""
        return self._parts.get((unit, metric, key), Part())

    def sums(self, unit: str, metric: str, key: int) -> tuple[int, int, int]:
        """Return the sums of x, of x squared, and of x times the other metric."""
        x, xx, xy = (self.histogram(unit, metric + suffix, key).n for suffix in (SUM, SQUARE, PRODUCT))
        return x, xx, xy  # a sum of 0 has no row

    def sums_of_other(self, unit: str, metric: str, key: int) -> tuple[int, int]:
        """Return the sums of y and of y squared, where y is the metric that another is a share of.

        That is the part with the same key (of the same seat) if there is one, else the one number.
        """
        for part_key in (key, SCALAR):
            y, yy, _ = self.sums(unit, metric, part_key)
            if y:
                return y, yy
            part = self.histogram(unit, metric, part_key)
            if part.n:
                return part.total, part.squares
        return 0, 0

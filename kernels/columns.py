"""The columns that kernels write, by name.

Every kernel names its columns once, in its ``layout`` module, as a tuple of :class:`Column`.
"""

from typing import NamedTuple

SCALAR = -1
"""Key of a metric that is one number a hand, not one for each seat, card kind, ..."""


class Column(NamedTuple):
    """One column of a block.

    Attributes
    ----------
    metric : str
        Name of the metric, as on the rules page, in snake_case.
    key : int
        Which one of the metric's parts this is (a seat, a card kind, a total, ...), or ``SCALAR``.
    per : str or None
        Name of a metric of the same block. If given, the column is only of interest as a share of
        that metric's column with the same key, or of the one number that it is (sum over sum), so
        sums are kept of it and not every value.
    """

    metric: str
    key: int = SCALAR
    per: str | None = None


def keyed(metric: str, keys: int, per: str | None = None) -> tuple[Column, ...]:
    """Return the columns of a metric with one part for each of ``0 .. keys - 1``."""
    return tuple(Column(metric, key, per) for key in range(keys))

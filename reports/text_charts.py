"""Small charts made of characters."""

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_LEFT = " ▏▎▍▌▋▊▉█"
_LOWER = " ▁▂▃▄▅▆▇█"

ASCII = str.maketrans(
    {**dict.fromkeys("▏▎▍▁▂▃", "."), **dict.fromkeys("▌▋▊▉▄▅▆", "="), "▇": "#", "█": "#"}
    | {"─": "-", "├": "[", "┤": "]", "●": "o", "┊": ":", "┼": "+", "±": "~", "\N{REPLACEMENT CHARACTER}": "?"}
)
"""What stands for a character where only ASCII can be shown."""


def bar(share: float, width: int) -> str:
    """Return a bar of `share` of `width` characters; what is not 0 is never drawn as nothing."""
    eighths = round(share * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    return "█" * (eighths // 8) + _LEFT[eighths % 8].strip()


def columns(heights: Sequence[float], labels: Sequence[str], height: int, column: int) -> list[str]:
    """Return a chart of columns and, as its last line, the labels that there is room for.

    Parameters
    ----------
    heights : sequence of float
        Between 0 and 1, which is the height of the chart.
    labels : sequence of str
        One a column; if all would run into each other, every second, fifth, tenth, ... is shown,
        at round numbers where they are numbers.
    height : int
        Lines, without the labels.
    column : int
        Characters a column takes, the gap after it included.
    """
    eighths = [max(round(each * height * 8), 1) if each > 0 else 0 for each in heights]
    blank = " " * (column // 2)
    lines = []
    for level in reversed(range(height)):
        cells = (
            _LOWER[min(max(each - 8 * level, 0), 8)] * (column - column // 2) + blank for each in eighths
        )
        lines.append("".join(cells).rstrip())
    widest = max((len(label) for label in labels), default=0) + 1
    step = next((each for each in (1, 2, 5, 10, 20, 25, 50, 100) if each * column >= widest), len(labels))
    # The tail's label counts most: the one before it gives way.
    end = (len(labels) - 1) * column if labels and labels[-1].endswith("+") else len(labels) * column + widest
    round_ones = (at for at, label in enumerate(labels[:step]) if label.isdigit() and int(label) % step == 0)
    offset = next(round_ones, 0)
    axis = ""
    for position, label in enumerate(labels):
        start = position * column
        if start == end or (position % step == offset and start + len(label) < end):
            axis = axis.ljust(start) + label
    return [*lines, axis]


def interval_sketch(
    low: float, value: float, high: float, mark: float, scale: tuple[float, float], width: int
) -> str:
    """Return an interval drawn to scale, ``├──●──┤``, with ``┊`` at `mark`."""

    def cell(at: float) -> int:
        return round((at - scale[0]) / (scale[1] - scale[0]) * (width - 1))

    cells = [" "] * width
    cells[cell(mark)] = "┊"
    first, middle, last = cell(low), cell(value), cell(high)
    cells[first : last + 1] = "─" * (last + 1 - first)
    cells[first], cells[last], cells[middle] = "├", "┤", "●"
    if first < cell(mark) < last and cell(mark) != middle:
        cells[cell(mark)] = "┼"
    return "".join(cells)


def bins(
    values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], most: int
) -> tuple[list[str], list[int]]:
    """Return a histogram of at most `most` bins of equal width, the last one gathering a long tail.

    Parameters
    ----------
    values, counts : array of int
        Values that occurred, ascending, and how often.
    most : int
        At least 3.

    Returns
    -------
    list of str, list of int
        Each bin's label (its only or its smallest value; ``"40+"`` for a tail), and its count.
    """
    low, high = int(values[0]), int(values[-1])
    body = high
    if high - low >= most:
        # The last hundredth is gathered where it would take up more than a fifth of the chart.
        reached = int(values[np.searchsorted(np.cumsum(counts), 0.99 * counts.sum())])
        if 4 * (high - reached) > reached - low:
            body = reached
    room = most if body == high else most - 1
    for width in (factor * 10**power for power in itertools.count() for factor in (1, 2, 5)):
        start = low // width * width
        number = (body - start) // width + 1
        if number <= room:
            break
    where = np.minimum((values - start) // width, number)
    totals = np.bincount(where, weights=counts, minlength=number + 1).astype(np.int64)
    labels = [str(start + index * width) for index in range(number)]
    if totals[number] > 0:
        return [*labels, f"{start + number * width}+"], totals.tolist()
    return labels, totals[:number].tolist()

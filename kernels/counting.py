"""Count the rows of blocks, whatever the game.

A column is first copied out of its tiles, so that the passes over it run over contiguous memory.
Values of a narrow column are counted one after the other, each with one vectorised pass; those of
a wide column row by row.
"""

from collections.abc import Sequence

import numpy as np

from kernels.blocks import gather
from kernels.columns import SCALAR, Column
from kernels.jit import kernel

_NARROW = 16
"""Columns whose largest value is less than this are counted value by value."""
_FIRST_WIDTH = 64


@kernel
def _count_values(block, columns, rows, chosen, first, starts, widths, counts, buffer):
    """Add the values of the chosen columns, from number ``first`` of them, to ``counts``.

    ``counts[starts[i] + 1 + v]`` is how often chosen column i was v, up to ``widths[i] - 2``.
    Returns the number of a column that needs more width, before it is counted, or ``len(chosen)``.
    """
    for number in range(first, len(chosen)):
        gather(block, columns, chosen[number], rows, buffer)
        low = buffer[0]
        high = buffer[0]
        for row in range(rows):
            low = min(low, buffer[row])
            high = max(high, buffer[row])
        if high + 2 > widths[number]:
            return number
        start = starts[number] + 1
        if high < _NARROW:
            for value in range(low, high + 1):
                seen = 0
                for row in range(rows):
                    seen += buffer[row] == value
                counts[start + value] += seen
        else:
            for row in range(rows):
                counts[start + buffer[row]] += 1
    return len(chosen)


@kernel
def _add_products(block, columns, rows, chosen, per, sums, buffer, per_buffer):
    """Add to ``sums[i]`` the sum of x, of x squared and of x times y over the rows.

    x is chosen column i, and y is column ``per[i]``.
    """
    gathered = -1
    for number in range(len(chosen)):
        if per[number] != gathered:
            gathered = per[number]
            gather(block, columns, gathered, rows, per_buffer)
        gather(block, columns, chosen[number], rows, buffer)
        total = np.int64(0)
        squares = np.int64(0)
        products = np.int64(0)
        for row in range(rows):
            x = np.int64(buffer[row])
            total += x
            squares += x * x
            products += x * np.int64(per_buffer[row])
        sums[number, 0] += total
        sums[number, 1] += squares
        sums[number, 2] += products


@kernel
def _add_products_of_games(block, columns, chosen, per, hands, games, sums, buffer, per_buffer):
    """Add to ``sums[i]`` the sum of x, of x squared and of x times y over games.

    x is the total of chosen column i over the hands of a game; y is the total of column ``per[i]``,
    or the number of hands where ``per[i]`` is -1. ``hands`` holds the hands of each game.
    """
    rows = 0
    for game in range(games):
        rows += hands[game]
    for number in range(len(chosen)):
        gather(block, columns, chosen[number], rows, buffer)
        if per[number] >= 0:
            gather(block, columns, per[number], rows, per_buffer)
        row = 0
        for game in range(games):
            x = np.int64(0)
            y = np.int64(hands[game])
            for hand in range(hands[game]):
                x += np.int64(buffer[row + hand])
            if per[number] >= 0:
                y = np.int64(0)
                for hand in range(hands[game]):
                    y += np.int64(per_buffer[row + hand])
            row += hands[game]
            sums[number, 0] += x
            sums[number, 1] += x * x
            sums[number, 2] += x * y


class BlockCounter:
    """Counts of the rows of many blocks with the same columns.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the blocks.
    wanted : sequence of int
        Which of them to count. The others are taken to be constant.
    clustered : bool
        Also keep sums over games of every wanted column, for blocks of hands that are given with
        the number of hands of each game.
    """

    def __init__(self, columns: Sequence[Column], wanted: Sequence[int], clustered: bool = False):
        self._columns = columns
        shares = [i for i in wanted if columns[i].per is not None]
        self._values = np.array([i for i in wanted if columns[i].per is None], dtype=np.int64)
        self._widths = np.full(len(self._values), _FIRST_WIDTH, dtype=np.int64)
        self._starts = np.arange(len(self._values), dtype=np.int64) * _FIRST_WIDTH
        self._counts = np.zeros(len(self._values) * _FIRST_WIDTH, dtype=np.int64)
        self._shares = np.array(shares, dtype=np.int64)
        self._per = np.array([self._other(i) for i in shares], dtype=np.int64)
        self._sums = np.zeros((len(shares), 3), dtype=np.int64)
        in_games = list(wanted) if clustered else []
        self._in_games = np.array(in_games, dtype=np.int64)
        self._per_in_games = np.array(
            [-1 if columns[i].per is None else self._other(i) for i in in_games], dtype=np.int64
        )
        self._sums_of_games = np.zeros((len(in_games), 3), dtype=np.int64)
        self._buffers = np.zeros((2, 0), dtype=np.int32)

    def _other(self, index: int) -> int:
        """Return which column another is a share of: the one with its key, or the one number."""
        metric, key = self._columns[index].per, self._columns[index].key
        where = {column.key: i for i, column in enumerate(self._columns) if column.metric == metric}
        return where[key] if key in where else where[SCALAR]

    def add(self, block: np.ndarray, rows: int, hands_of_games: np.ndarray | None = None) -> None:
        """Count the first rows of a block.

        ``hands_of_games`` is needed if clustered: an int32 array with the number of hands of each
        game, which add up to ``rows``.
        """
        if rows == 0:
            return
        if self._buffers.shape[1] < rows:
            self._buffers = np.zeros((2, rows), dtype=np.int32)
        buffer, per_buffer = self._buffers
        width = len(self._columns)
        counted = 0
        while True:
            counted = _count_values(
                block, width, rows, self._values, counted, self._starts, self._widths, self._counts, buffer
            )
            if counted == len(self._values):
                break
            self._widen(counted)
        if len(self._shares):
            _add_products(block, width, rows, self._shares, self._per, self._sums, buffer, per_buffer)
        if len(self._in_games) and hands_of_games is not None:
            _add_products_of_games(
                block,
                width,
                self._in_games,
                self._per_in_games,
                hands_of_games,
                len(hands_of_games),
                self._sums_of_games,
                buffer,
                per_buffer,
            )

    def _widen(self, number: int) -> None:
        """Give a column four times the width."""
        old = [self._counts[s : s + w] for s, w in zip(self._starts, self._widths, strict=True)]
        self._widths[number] *= 4
        self._starts = np.concatenate(([0], np.cumsum(self._widths)[:-1])).astype(np.int64)
        self._counts = np.zeros(self._widths.sum(), dtype=np.int64)
        for start, counts in zip(self._starts, old, strict=True):
            self._counts[start : start + len(counts)] = counts

    def values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the counts of values that were seen: index of the column, value and count."""
        place = np.flatnonzero(self._counts)
        number = np.searchsorted(self._starts, place, side="right") - 1
        return self._values[number], place - self._starts[number] - 1, self._counts[place]

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the columns that are shares, and their sums: x, x squared, x times y, (n, 3)."""
        return self._shares, self._sums

    def sums_of_games(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the same over games, for all counted columns."""
        return self._in_games, self._sums_of_games

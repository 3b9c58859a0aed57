"""Blocks: what a kernel fills, one row a hand or one row a game.

A block is a flat int32 array of tiles; a tile holds ``LANES`` consecutive rows, column by column,
so that one column of one tile is a cache line. A row is written while its tile stays in the
fastest cache, and a column is read a whole line at a time. All values are at least -1 (-1 says
"nobody" or "none").
"""

import numpy as np

from kernels.jit import helper, kernel

LANES = 16
"""Rows of a tile."""
LANE_BITS = np.uint64(4)
LANE_MASK = np.uint64(15)


def new_block(columns: int, rows: int) -> np.ndarray:
    """Return a zeroed block with room for at least so many rows."""
    tiles = -(-rows // LANES)
    return np.zeros(tiles * columns * LANES, dtype=np.int32)


def as_table(block: np.ndarray, columns: int, rows: int) -> np.ndarray:
    """Return the first rows of a block as a new int32 array of shape ``(columns, rows)``."""
    tiles = block.reshape(-1, columns, LANES)
    return tiles.transpose(1, 0, 2).reshape(columns, -1)[:, :rows]


@helper
def row_start(row, columns):
    """Return the place of a row's first column in a block (all uint64)."""
    return ((row >> LANE_BITS) * columns << LANE_BITS) + (row & LANE_MASK)


@helper
def cell(start, column):
    """Return the place of a column in the row that starts at ``start``."""
    return start + (np.uint64(column) << LANE_BITS)


@helper
def offset(column):
    """Return the place of a column in a view of a block that begins with a row's first column."""
    return np.uint64(column) << LANE_BITS


@helper
def clear(block, start, first, count):
    """Zero ``count`` columns from ``first`` on, in the tile of the row that starts at ``start``."""
    begin = (start & ~LANE_MASK) + (np.uint64(first) << LANE_BITS)
    for place in range(begin, begin + (np.uint64(count) << LANE_BITS)):
        block[place] = 0


@kernel
def gather(block, columns, column, rows, out):
    """Copy the first rows of a column out of its tiles, to ``out`` (int32)."""
    place = column * LANES
    full = rows // LANES
    for tile in range(full):
        for lane in range(LANES):
            out[tile * LANES + lane] = block[place + lane]
        place += columns * LANES
    for lane in range(rows - full * LANES):
        out[full * LANES + lane] = block[place + lane]

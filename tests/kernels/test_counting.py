"""Counting blocks agrees with numpy, whatever the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.blocks import LANES, as_table, new_block
from kernels.columns import Column, keyed
from kernels.counting import BlockCounter

pytestmark = pytest.mark.kernel

COLUMNS = (
    Column("turns"),
    Column("points"),
    *keyed("cards_left", 2),
    Column("moves"),
    *keyed("share", 3, per="moves"),
    Column("not_counted"),
)
WANTED = range(len(COLUMNS) - 1)


def fill(table: np.ndarray) -> np.ndarray:
    """Return a block with these rows; what is beyond them is garbage."""
    columns, rows = table.shape
    block = new_block(columns, rows + 5)
    block[:] = 77
    tiles = block.reshape(-1, columns, LANES)
    for row in range(rows):
        tiles[row // LANES, :, row % LANES] = table[:, row]
    return block


def random_table(rng: np.random.Generator, rows: int) -> np.ndarray:
    table = rng.integers(-1, 9, (len(COLUMNS), rows)).astype(np.int32)
    table[1] = rng.integers(0, 3000, rows)
    table[4] = rng.integers(1, 40, rows)
    return table


@given(st.integers(0, 2**32), st.lists(st.integers(1, 70), min_size=1, max_size=4))
def test_values_and_shares(seed: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    tables = [random_table(rng, rows) for rows in sizes]
    counter = BlockCounter(COLUMNS, WANTED)
    for table in tables:
        assert np.array_equal(as_table(fill(table), len(COLUMNS), table.shape[1]), table)
        counter.add(fill(table), table.shape[1])
    rows = np.concatenate(tables, axis=1).astype(np.int64)
    index, value, n = counter.values()
    assert set(index) == {0, 1, 2, 3, 4}
    for column in (0, 1, 2, 3, 4):
        values, counts = np.unique(rows[column], return_counts=True)
        assert np.array_equal(value[index == column], values)
        assert np.array_equal(n[index == column], counts)
    shares, sums = counter.sums()
    assert list(shares) == [5, 6, 7]
    for column, got in zip(shares, sums, strict=True):
        x, y = rows[column], rows[4]
        assert got.tolist() == [x.sum(), (x * x).sum(), (x * y).sum()]


@given(st.integers(0, 2**32), st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_sums_over_games(seed: int, hands: list[int]) -> None:
    table = random_table(np.random.default_rng(seed), sum(hands))
    counter = BlockCounter(COLUMNS, WANTED, clustered=True)
    for _ in range(2):
        counter.add(fill(table), sum(hands), np.array(hands, dtype=np.int32))
    edges = np.cumsum([0, *hands])[:-1]
    totals = np.add.reduceat(table.astype(np.int64), edges, axis=1)
    columns, sums = counter.sums_of_games()
    assert list(columns) == list(WANTED)
    for column, got in zip(columns, sums, strict=True):
        x = totals[column]
        y = totals[4] if COLUMNS[column].per else np.array(hands)
        assert got.tolist() == [2 * x.sum(), 2 * (x * x).sum(), 2 * (x * y).sum()]


def test_a_metric_in_parts_may_be_a_share_of_another_in_parts() -> None:
    columns = (*keyed("down", 2), Column("turns"), *keyed("turn_down", 2, per="down"))
    table = np.random.default_rng(1).integers(0, 5, (5, 40)).astype(np.int32)
    counter = BlockCounter(columns, range(5), clustered=True)
    counter.add(fill(table), 40, np.full(8, 5, dtype=np.int32))
    shares, sums = counter.sums()
    assert list(shares) == [3, 4]
    rows = table.astype(np.int64)
    for column, other, got in zip((3, 4), (0, 1), sums, strict=True):
        x, y = rows[column], rows[other]
        assert got.tolist() == [x.sum(), (x * x).sum(), (x * y).sum()]
    totals = rows.reshape(5, 8, 5).sum(axis=2)
    of_games = dict(zip(*(each.tolist() for each in counter.sums_of_games()), strict=True))
    for column, other in ((3, 0), (4, 1)):
        x, y = totals[column], totals[other]
        assert of_games[column] == [x.sum(), (x * x).sum(), (x * y).sum()]


def test_no_rows_count_nothing() -> None:
    counter = BlockCounter(COLUMNS, WANTED)
    counter.add(new_block(len(COLUMNS), 3), 0)
    assert len(counter.values()[0]) == 0

"""Adding counts up, in any order."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from reports.tally import KEYS, SCHEMA, Tally, merge
from tests.reports.rows import played

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["hand", "game"]),
        st.sampled_from(["turns", "winners"]),
        st.integers(-1, 2),
        st.integers(-1, 3),
        st.integers(-3, 10**12),
    ),
    max_size=12,
)


def tally_of(rows: list[tuple[str, str, int, int, int]]) -> Tally:
    columns = zip(*rows, strict=True) if rows else [()] * 5
    return Tally.from_columns(*(np.array(list(column)) for column in columns)) if rows else Tally.empty()


@given(ROWS, ROWS, ROWS)
def test_merging_is_associative_and_order_free(
    first: list[tuple[str, str, int, int, int]],
    second: list[tuple[str, str, int, int, int]],
    third: list[tuple[str, str, int, int, int]],
) -> None:
    a, b, c = tally_of(first), tally_of(second), tally_of(third)
    together = tally_of(first + second + third)
    assert merge([a, b, c]) == together
    assert merge([c, a, b]) == together
    assert merge([a, merge([b, c])]) == merge([merge([a, b]), c]) == together
    assert merge([a, Tally.empty()]) == a


@given(ROWS)
def test_a_tally_is_sorted_unique_and_without_zeros(rows: list[tuple[str, str, int, int, int]]) -> None:
    frame = tally_of(rows).frame
    assert dict(frame.schema) == SCHEMA
    assert frame.select(KEYS).is_unique().all()
    assert frame.equals(frame.sort(KEYS))
    assert not (frame["n"] == 0).any()
    assert frame["n"].sum() == sum(row[-1] for row in rows)


def test_counts_and_units_are_those_of_the_rows() -> None:
    rows = played(500)
    tally = rows.tally()
    values, counts = np.unique(rows.hands["turns", -1], return_counts=True)
    assert tally.counts("hand", "turns").equals(pl.DataFrame({"value": values, "n": counts}))
    assert tally.units("hand") == 500
    assert tally.units("game") == 0


def test_nothing_merges_to_the_empty_tally() -> None:
    assert merge([]) == Tally.empty()
    assert merge([]) != "nothing"

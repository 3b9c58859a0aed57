"""Charts made of characters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import text_charts


@given(st.floats(0, 1), st.integers(1, 40))
def test_a_bar_is_as_long_as_its_share_and_never_nothing_for_something(share: float, width: int) -> None:
    bar = text_charts.bar(share, width)
    assert len(bar) <= width
    assert (bar == "") == (share == 0)
    assert abs(bar.count("█") - share * width) <= 1


def test_columns_stand_on_their_labels() -> None:
    chart = text_charts.columns([0.0, 0.5, 1.0, 0.001], ["0", "1", "2", "3"], height=2, column=2)
    assert chart == ["    █", "  █ █ ▁", "0 1 2 3"]


def test_labels_leave_each_other_room() -> None:
    labels = [str(number) for number in range(95, 107)]
    chart = text_charts.columns([1.0] * 12, labels, height=1, column=2)
    assert chart[-1] == "  96  98  100 102 104 106"
    assert text_charts.columns([1.0] * 3, ["8", "9", "10+"], 1, 2)[-1] == "8   10+"
    assert text_charts.columns([1.0] * 4, ["7", "8", "9", "10+"], 1, 1)[-1] == "7  10+"


def test_an_interval_is_drawn_to_scale() -> None:
    sketch = text_charts.interval_sketch
    assert sketch(0.2, 0.3, 0.4, 0.5, (0.0, 1.0), 11) == "  ├●┤┊     "
    assert sketch(0.2, 0.3, 0.8, 0.5, (0.0, 1.0), 11) == "  ├●─┼──┤  "
    assert sketch(0.5, 0.5, 0.5, 0.5, (0.0, 1.0), 11) == "     ●     "


@given(
    st.dictionaries(st.integers(-5, 300), st.integers(1, 1000), min_size=1, max_size=60),
    st.integers(3, 40),
)
def test_bins_hold_every_count_in_its_place(counts: dict[int, int], most: int) -> None:
    values = np.array(sorted(counts))
    labels, totals = text_charts.bins(values, np.array([counts[value] for value in sorted(counts)]), most)
    assert len(labels) == len(totals) <= most
    assert sum(totals) == sum(counts.values())
    starts = [int(label.rstrip("+")) for label in labels]
    ends = [*starts[1:], 10**9]
    for start, end, total in zip(starts, ends, totals, strict=True):
        assert total == sum(n for value, n in counts.items() if start <= value < end)


def test_a_long_tail_is_gathered() -> None:
    values = np.array([*range(1, 11), 500])
    labels, totals = text_charts.bins(values, np.array([100] * 10 + [3]), 20)
    assert labels == [*map(str, range(1, 11)), "11+"]
    assert totals[-1] == 3


@pytest.mark.parametrize("most", [3, 10, 30])
def test_few_values_have_a_bin_each(most: int) -> None:
    labels, totals = text_charts.bins(np.array([4, 6]), np.array([1, 2]), most)
    assert (labels, totals) == (["4", "5", "6"], [1, 0, 2])

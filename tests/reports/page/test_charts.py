"""Kinds of charts: what is drawn, what is said, what is in the table."""

import numpy as np
import pytest

from reports.intervals import UNKNOWN, Estimate, quantile
from reports.page import charts, vega
from reports.page.charts import labels_that_fit
from reports.page.look import NARROW, PAPER, SCREEN, WIDE
from reports.page.model import Chart
from tests.reports.page.documents import data_marks

HALF = Estimate(0.5, 0.01, 0.48, 0.52)
ROWS = [("first", HALF), ("none", UNKNOWN), ("sure", Estimate(0.25, None, None, None))]


def drawn(chart: Chart, width: int = NARROW) -> str:
    return vega.svg(chart.draw(PAPER, width).to_dict(), chart.name).result()


@pytest.mark.parametrize("kind", [charts.intervals, charts.bars, charts.columns])
def test_what_is_not_known_is_in_the_table_and_not_drawn(kind) -> None:
    chart = kind("name", "Title", ROWS, shares=True)
    assert chart.marks == 2
    assert [row[0] for row in chart.table.rows] == ["first", "none", "sure"]
    assert chart.table.rows[0] == ("first", "50.0%", "± 2.0")
    assert chart.table.rows[1] == ("none", "?", "± ?")
    assert data_marks(drawn(chart)) == ["first: 50.0% ± 2.0", "sure: 25.0% ± ?"]


@pytest.mark.parametrize("kind", [charts.intervals, charts.bars, charts.columns])
@pytest.mark.parametrize("rows", [[], [("a", UNKNOWN)], [("a", Estimate(0.0, 0.0, 0.0, 0.0))] * 1])
def test_nothing_to_draw_is_drawn_all_the_same(kind, rows) -> None:
    chart = kind("name", "Title", rows)
    assert len(data_marks(drawn(chart))) == chart.marks
    assert chart.says


@pytest.mark.parametrize("kind", [charts.intervals, charts.bars, charts.columns])
def test_labels_are_shown_as_they_are(kind) -> None:
    odd = "<b>&\u202e\n"
    chart = kind("name", "Title", [(odd, HALF)])
    (said,) = data_marks(drawn(chart))
    assert said == "<b>&\N{REPLACEMENT CHARACTER} : 0.500 ± 0.020"


def test_a_chart_is_as_wide_as_asked_and_takes_the_colours_of_the_page() -> None:
    chart = charts.columns("name", "Title", [(str(total), HALF) for total in range(101)], accent=["0", "10"])
    assert chart.wide
    for width in (NARROW, WIDE):
        assert f'viewBox="0 0 {width} ' in drawn(chart, width)
    on_screen = vega.svg(chart.draw(SCREEN, NARROW).to_dict(), "name").result()
    assert on_screen.count('fill="var(--accent)"') == 2
    assert on_screen.count('fill="var(--main)"') == 99
    assert "#" not in on_screen.replace("url(#", "")  # colours are those of the style sheet


def test_a_reference_is_drawn_and_said() -> None:
    chart = charts.intervals("name", "Title", ROWS, shares=True, reference=("a fair 50%", 0.5))
    assert chart.says.endswith(" The line is at a fair 50%.")
    assert "a fair 50%" in drawn(chart)


def test_a_histogram_counts_everything_and_marks_the_median() -> None:
    values = np.random.default_rng(1).geometric(0.02, 5000)
    seen, counts = np.unique(values, return_counts=True)
    chart = charts.histogram("name", "Title", seen, counts, of="hands", axis="turns")
    assert chart.marks == len(chart.table.rows) <= charts.MOST_BINS
    assert sum(int(row[1].replace(",", "")) for row in chart.table.rows) == 5000
    for row in chart.table.rows:
        low, _, high = row[0].partition(" to ")
        bounds = (int(low.rstrip("+")), int(high) if high else 10**9 if low.endswith("+") else int(low))
        assert int(row[1].replace(",", "")) == np.sum((values >= bounds[0]) & (values <= bounds[1]))
    median = quantile(seen, counts, 0.5)
    assert f"half of the hands have at most {median}, " in chart.says
    svg = drawn(chart)
    said = data_marks(svg)
    assert svg.count(f'fill="{PAPER.accent}"') == 1
    (stressed,) = [
        said[index]
        for index, part in enumerate(svg.split("data_marks")[1].split("<path ")[1:])
        if PAPER.accent in part
    ]
    low, _, high = stressed.split(" turns")[0].partition(" to ")
    assert median is not None
    assert int(low) <= median <= int(high or low)


@pytest.mark.parametrize("values", [[3], [3, 4], [0, 1000]])
def test_a_histogram_of_few_values(values: list[int]) -> None:
    chart = charts.histogram(
        "n", "T", np.array(values), np.ones(len(values), np.int64), of="hands", axis="turns"
    )
    assert len(data_marks(drawn(chart))) == chart.marks


def test_labels_are_shown_where_there_is_room() -> None:
    numbers = [str(number) for number in range(3, 44)]
    assert labels_that_fit(["a", "b"], 300) == ["a", "b"]
    assert labels_that_fit(numbers, 2000) == numbers
    assert labels_that_fit(numbers, 340) == ["5", "10", "15", "20", "25", "30", "35", "40"]
    assert labels_that_fit([*numbers[:-2], "42+"], 340) == ["5", "10", "15", "20", "25", "30", "35", "42+"]
    assert labels_that_fit([f"word {index}" for index in range(40)], 340)[:2] == ["word 0", "word 10"]

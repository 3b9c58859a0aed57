"""Forest plots, curves and grids: which marks are drawn, where, and what they say."""

import itertools
import re
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest

from reports.comparison import Verdict
from reports.intervals import Estimate
from reports.page import curves, render
from reports.page.forest import BEYOND, Difference, forest
from reports.page.grids import STRONGEST, Cell, grid
from reports.page.model import Chart, Page, Section, Table
from tests.reports.page.documents import SVG, data_marks

EVIL = '<b>\'\\ "alert(1)"</b>'
NO_TABLE = Table("", ("",), ())


def svg_of(chart: Chart) -> str:
    """Return the drawing of a chart as a file."""
    page = Page("", "", sections=(Section("only", "", (chart,)),))
    return dict(render.files(page))[f"{chart.name}.svg"].decode()


def marks(svg: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    groups = [each for each in root.iter(f"{SVG}g") if "data_marks" in (each.get("class") or "").split()]
    return [mark for group in groups for mark in group]


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def across(mark: ElementTree.Element) -> float:
    """Return how far to the right a mark is."""
    found = re.search(r"translate\(([-\d.]+)", mark.get("transform") or "")
    assert found is not None
    return float(found[1])


def difference(label: str, value: float, verdict: Verdict = "higher", reach: float = 0.01) -> Difference:
    return Difference(
        label, Estimate(value, reach / 2, value - reach, value + reach), 0.02, "+1", label, verdict
    )


def plot(rows: Sequence[Difference]) -> Chart:
    return forest("forest", "Forest", rows, NO_TABLE, axis="percent", says="")


def test_differences_stand_in_order_of_their_size_on_one_axis() -> None:
    values = (-0.08, 0.03, 0.0, 0.05)
    svg = svg_of(plot([difference(f"row {value}", value) for value in values]))
    found = [across(mark) for mark in marks(svg)]
    assert len(found) == 4
    middle = found[2]
    scale = (found[1] - middle) / 0.03
    for at, value in zip(found, values, strict=True):
        assert at - middle == pytest.approx(scale * value, abs=0.01)


def test_a_difference_far_beyond_the_others_is_cut_and_points_outwards() -> None:
    rows = [difference(f"row {number}", 0.01 * number) for number in range(1, 10)]
    chart = plot([*rows, difference("far", 7.0), difference("as far", -7.0)])
    said = dict(zip(data_marks(svg_of(chart)), marks(svg_of(chart)), strict=True))
    assert chart.marks == len(said) == 11
    assert "A triangle points at what lies beyond the axis" in chart.note
    rightmost = max(said, key=lambda label: across(said[label]))
    leftmost = min(said, key=lambda label: across(said[label]))
    assert (rightmost, leftmost) == ("far: far", "as far: as far")
    # Where it is drawn is no farther than a few times the others.
    zero = (across(said[rightmost]) + across(said[leftmost])) / 2
    usual = across(said["row 9: row 9"]) - zero
    assert (across(said[rightmost]) - zero) / usual < BEYOND + 0.5
    assert "triangle" not in plot(rows).note


def test_what_is_undecided_or_equivalent_looks_different() -> None:
    rows = [
        difference(verdict, 0.01, verdict)
        for verdict in ("higher", "lower", "equivalent", "same", "undecided")
    ]
    fills = [mark.get("fill") for mark in marks(svg_of(plot(rows)))]
    assert fills[0] == fills[1]
    assert fills[2] == fills[3]
    assert len(set(fills)) == 3


def test_unknown_differences_have_no_mark() -> None:
    unknown = Difference("unknown", Estimate(None, None, None, None), 0.0, "", "", "undecided")
    chart = plot([unknown, difference("known", 0.01)])
    assert chart.marks == 1
    assert data_marks(svg_of(chart)) == ["known: known"]
    assert not marks(svg_of(plot([])))


def test_two_distributions_share_their_bins_and_add_up() -> None:
    first = np.array([2, 3, 9]), np.array([10, 20, 70])
    second = np.array([3, 4, 40]), np.array([1, 1, 2])
    chart = curves.overlay("both", "Both", (("A", *first), ("B", *second)), of="hands", axis="turns", says="")
    rows = chart.table.rows
    assert sum(int(row[1]) for row in rows) == 100
    assert sum(int(row[2]) for row in rows) == 4
    said = data_marks(svg_of(chart))
    assert len(said) == chart.marks == 2 * len(rows)
    assert f"{rows[0][0]} turns, A: {rows[0][3]} of hands" == said[0]
    assert f"{rows[-1][0]} turns, B: {rows[-1][4]} of hands" == said[-1]
    low, high = (int(rows[index][0].split()[0].rstrip("+")) for index in (0, -1))
    assert low <= 2
    assert high <= 40
    shares = [float(row[3].rstrip("%")) for row in rows]
    assert sum(shares) == pytest.approx(100, abs=0.05)


@pytest.mark.parametrize("values", [[5], [5, 6], list(range(1000))])
def test_distributions_of_one_value_and_of_many(values: list[int]) -> None:
    counts = np.ones(len(values), dtype=np.int64)
    chart = curves.overlay(
        "both", "Both", (("A", np.array(values), counts), ("B", np.array([5]), np.array([3]))),
        of="hands", axis="turns", says="",
    )  # fmt: skip
    assert len(data_marks(svg_of(chart))) == chart.marks <= 2 * curves.MOST_BINS
    assert sum(int(row[2].replace(",", "")) for row in chart.table.rows) == 3


def curve(labels: Sequence[str], **more: object) -> Chart:
    points = [
        (label, Estimate(0.1 * at, 0.01, 0.1 * at - 0.02, 0.1 * at + 0.02)) for at, label in enumerate(labels)
    ]
    given = {"option": "width", "shares": False, "axis": "turns", "says": "", "table": NO_TABLE}
    return curves.curve("curve", "Curve", points, **(given | more))  # type: ignore[arg-type]


def test_numbers_have_their_place_on_the_axis_and_words_stand_side_by_side() -> None:
    one, two, ten = (across(mark) for mark in marks(svg_of(curve(["1", "2", "10"]))))
    assert (ten - one) / (two - one) == pytest.approx(9)
    first, second, third = (across(mark) for mark in marks(svg_of(curve(["1", "2", "none"]))))
    assert third - second == pytest.approx(second - first)


def test_the_chosen_point_is_larger_and_its_confirmation_stands_beside_it() -> None:
    again = Estimate(0.3, 0.01, 0.28, 0.32)
    chart = curve(["1", "2", "3"], chosen=1, again=again, goal=("goal", 0.1))
    svg = svg_of(chart)
    said = data_marks(svg)
    assert [", the chosen one" in each for each in said] == [False, True, False]
    sizes = [
        len(mark.get("d") or "") and float(re.findall(r"[\d.]+", mark.get("d") or "")[0])
        for mark in marks(svg)
    ]
    assert sizes[1] > sizes[0] == sizes[2]
    assert svg.count("again with a fresh seed: 0.300") == 1
    assert "goal" in texts(svg)
    assert "again" not in svg_of(curve(["1", "2", "3"], chosen=1))


def table_of(rows: int, columns: int, **more: object) -> Chart:
    cells = {
        (row, column): Cell(row - column, (f"{row - column}.00", f"{row - column}"), f"{row}, {column}")
        for row, column in itertools.product(range(rows), range(columns))
        if (row, column) != (0, 0)
    }
    given: dict[str, object] = {"titles": ("down", "across"), "middle": 0.0, "says": "", "table": NO_TABLE}
    given |= {"scale": (1 - columns, rows - 1)}
    names = [f"{number}" for number in range(max(rows, columns))]
    return grid("grid", "Grid", names[:rows], names[:columns], cells, **(given | more))  # type: ignore[arg-type]


def test_a_cell_is_the_stronger_coloured_the_farther_it_is_from_the_middle() -> None:
    svg = svg_of(table_of(3, 3))
    found = dict(zip(data_marks(svg), marks(svg), strict=True))
    assert set(found) == {f"{row}, {column}" for row in range(3) for column in range(3)} - {"0, 0"}
    strength = {said: float(mark.get("fill-opacity") or 1) for said, mark in found.items()}
    assert strength["1, 1"] == strength["2, 2"] == 0
    assert 0 < strength["1, 2"] == strength["2, 1"] < strength["0, 2"] == strength["2, 0"] == STRONGEST
    assert found["2, 0"].get("fill") == found["1, 0"].get("fill") != found["0, 2"].get("fill")


def test_a_cell_prints_its_number_with_the_digits_that_fit_into_all() -> None:
    assert {"1.00", "-2.00"} <= set(texts(svg_of(table_of(3, 3))))
    many = texts(svg_of(table_of(3, 25)))
    assert "-9" in many
    assert "-9.00" not in many
    none = texts(svg_of(table_of(2, 90)))
    assert "-9" not in none


def test_the_chosen_cell_has_a_frame() -> None:
    plain, framed = (svg_of(table_of(3, 3, chosen=chosen)) for chosen in ([], [(1, 2)]))
    assert framed.count('stroke-width="2.5"') == 1
    assert 'stroke-width="2.5"' not in plain


def test_labels_that_hold_markup_and_quotes_are_shown_as_they_are() -> None:
    cell = {(0, 0): Cell(1.0, (EVIL,), EVIL)}
    drawn = grid("grid", EVIL, [EVIL], [EVIL], cell, titles=(EVIL, EVIL), middle=None, scale=(0, 1),
                 says=EVIL, table=NO_TABLE)  # fmt: skip
    svg = svg_of(drawn)
    assert texts(svg).count(EVIL) >= 4  # both labels and both titles; and no element of its own
    assert not list(ElementTree.fromstring(svg).iter(f"{SVG}b"))

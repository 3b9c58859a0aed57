"""Forest plots: differences below each other, each on its interval, beside the band that counts as none."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
from altair import LayerChart

from reports.comparison import Verdict
from reports.intervals import Estimate
from reports.page.charts import DATA, reading
from reports.page.look import SIZE, Look, layered
from reports.page.model import Chart, Table
from reports.wording import visible

ROW = 42
"""Pixels a row."""
MOST_CUT = 0.2
"""Part of the rows that may reach beyond the axis, so that the others can be told from each other."""
BEYOND = 2.5
"""How many times farther than the others a row may reach before it is cut."""
CHARACTER = 0.56
"""Width of a character, in its size."""

HOW = "Dots are differences, bars their intervals; blue: certain, green: equivalent, hollow: undecided."
BAND = "The band is what counts as no difference."
CUT = "A triangle points at what lies beyond the axis."


@dataclass(frozen=True)
class Difference:
    """A row of a forest plot.

    Attributes
    ----------
    label : str
    scaled : Estimate
        The difference, as a share of 1 of what it is measured by.
    margin : float
        Below which it counts as none, on the same scale.
    text : str
        The difference as it is written beside its mark.
    says : str
        The whole row in words.
    verdict : Verdict
    """

    label: str
    scaled: Estimate
    margin: float
    text: str
    says: str
    verdict: Verdict


def forest(
    name: str,
    title: str,
    rows: Sequence[Difference],
    table: Table,
    *,
    axis: str,
    says: str,
    note: str = "",
    ends: tuple[str, str] = ("less", "more"),
) -> Chart:
    """Return differences below each other, with no difference in the middle.

    Parameters
    ----------
    name, title : str
    rows : sequence of Difference
        Those whose value is not known are left out.
    table : Table
        All numbers; may have more rows.
    axis : str
        What the differences are measured by.
    says : str
        What the chart shows.
    note : str
        Below the chart, before how to read it.
    ends : tuple of str
        What lies to the left and to the right of no difference.
    """
    known = [row for row in rows if row.scaled.value is not None]
    limit = _limit(known)
    values = [_row(row, limit) for row in known]
    band = BAND if any(row.margin for row in known) else ""
    cut = CUT if any(row["shape"] != "circle" for row in values) else ""

    def draw(look: Look, width: int) -> LayerChart:
        letters = int(width / 4 / SIZE / CHARACTER)
        data = alt.InlineData(
            values=[{**row, "label": "\n".join(textwrap.wrap(str(row["label"]), letters))} for row in values]
        )
        base = alt.Chart(data)
        reach = 1.15 * limit
        scale = alt.Scale(domain=[-reach, reach], nice=False)
        percents = "datum.value == 0 ? '0' : format(datum.value, '+.3~%')"
        x_axis = alt.Axis(
            labelExpr=percents, tickCount=5, labelOverlap=True, domain=False, ticks=False, title=axis
        )
        y_axis = alt.Axis(
            domain=False, ticks=False, labelPadding=8, title=None, labelExpr="split(datum.label, '\\n')"
        )
        y = alt.Y("label", type="nominal", sort=None, axis=y_axis, scale=alt.Scale(padding=0))
        colours = alt.Scale(
            domain=["certain", "equivalent", "undecided"], range=[look.main, look.series[2], look.soft]
        )
        fills = alt.Scale(domain=colours.domain, range=[look.main, look.series[2], look.surface])
        stroke = alt.Stroke("sure", type="nominal", legend=None, scale=colours)
        shapes = alt.Scale(
            domain=["circle", "left", "right"], range=["circle", "triangle-left", "triangle-right"]
        )
        middle = alt.Chart(alt.InlineData(values=[{"at": 0, "less": f"← {ends[0]}", "more": f"{ends[1]} →"}]))
        at = alt.X("at", type="quantitative")
        beside = alt.value(0)
        layers = [
            base.mark_bar(height={"band": 1}, opacity=0.55, fill=look.pale).encode(
                x=alt.X("least", type="quantitative", scale=scale, axis=x_axis), x2=alt.X2("most"), y=y
            ),
            middle.mark_rule(stroke=look.ink, strokeDash=[4, 3]).encode(x=at),
            middle.mark_text(baseline="bottom", align="right", dx=-8, dy=-6, fill=look.soft).encode(
                x=at, y=beside, text=alt.Text("less", type="nominal")
            ),
            middle.mark_text(baseline="bottom", align="left", dx=8, dy=-6, fill=look.soft).encode(
                x=at, y=beside, text=alt.Text("more", type="nominal")
            ),
            base.mark_rule(strokeWidth=6, strokeCap="round", opacity=0.4).encode(
                x=alt.X("low", type="quantitative"), x2=alt.X2("high"), y=y, stroke=stroke
            ),
            base.mark_point(size=100, opacity=1, strokeWidth=1.8)
            .encode(
                x=alt.X("value", type="quantitative"),
                y=y,
                stroke=stroke,
                fill=alt.Fill("sure", type="nominal", legend=None, scale=fills),
                shape=alt.Shape("shape", type="nominal", legend=None, scale=shapes),
                **reading(),
            )
            .properties(name=DATA),
            base.mark_text(baseline="bottom", dy=-8, align=alt.ExprRef(expr="datum.align")).encode(
                x=alt.X("value", type="quantitative"), y=y, text=alt.Text("text", type="nominal")
            ),
        ]
        return layered(layers, ROW * max(len(values), 1), look, width)

    return Chart(
        name,
        title,
        says,
        table,
        len(values),
        draw,
        wide=True,
        note=" ".join(filter(None, (note, HOW, band, cut))),
    )


def _limit(rows: Sequence[Difference]) -> float:
    """Return how far the axis reaches: to the farthest end, unless a few lie far beyond the others."""
    ends = sorted(max(abs(end) for end in _ends(row.scaled)) for row in rows)
    margin = max((row.margin for row in rows), default=0.0)
    if not ends:
        return 0.01
    usual = ends[int((1 - MOST_CUT) * (len(ends) - 1))]
    return max(min(ends[-1], BEYOND * usual), 2 * margin) or 0.01


def _ends(estimate: Estimate) -> tuple[float, float, float]:
    value = estimate.value or 0.0
    low, high = estimate.low, estimate.high
    return value if low is None else low, value, value if high is None else high


def _row(row: Difference, limit: float) -> dict[str, object]:
    low, value, high = _ends(row.scaled)
    shape = "right" if value > limit else "left" if value < -limit else "circle"
    sure = "certain" if row.verdict in ("higher", "lower") else row.verdict
    shown = max(-limit, min(limit, value))
    edge = 1.15 * limit
    if shown != value:
        low = high = shown
    return {
        "label": visible(row.label),
        "value": shown,
        "low": max(-edge, min(edge, low)),
        "high": max(-edge, min(edge, high)),
        "least": -min(row.margin, edge),
        "most": min(row.margin, edge),
        "sure": "equivalent" if sure == "same" else sure,
        "shape": shape,
        "text": row.text,
        "says": f"{visible(row.label)}: {row.says}",
        "align": "right" if shown > 0.6 * limit else "left" if shown < -0.6 * limit else "center",
    }

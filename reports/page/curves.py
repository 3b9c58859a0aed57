"""Charts of values along an axis: two distributions over each other, and what follows from an option."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
from altair import LayerChart

from reports.intervals import Estimate
from reports.page.charts import DATA, SHOWN, labels_that_fit, number_format, reading, said, value_text
from reports.page.look import Look, layered
from reports.page.model import Chart, Table
from reports.rounding import count, percent
from reports.text_charts import bins
from reports.wording import visible

HEIGHT = 230
"""Pixels."""
MOST_BINS = 30

Counts = tuple[str, npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""A label, values that occurred, ascending, and how often each did."""
Point = tuple[str, Estimate]
"""A value of an option, and what it leads to."""


def overlay(
    name: str, title: str, both: tuple[Counts, Counts], *, of: str, axis: str, says: str, note: str = ""
) -> Chart:
    """Return two distributions over each other, in the same bins.

    Parameters
    ----------
    name, title : str
    both : tuple
        Labels, values and counts of the two; each has at least one.
    of : str
        What was counted, in the plural: "hands".
    axis : str
        What the values are: "turns".
    says : str
    note : str
    """
    values = np.unique(np.concatenate([each[1] for each in both]))
    # Each weighs the same in choosing the bins, however often it was played.
    weights = np.zeros(len(values))
    for _, seen, counts in both:
        weights[np.searchsorted(values, seen)] += counts / counts.sum()
    labels, _ = bins(values, np.maximum(np.rint(1e6 * weights), 1).astype(np.int64), MOST_BINS)
    edges = np.array([int(label.rstrip("+")) for label in labels])
    step = int(edges[1] - edges[0]) if len(edges) > 1 else 1
    ranges = [
        label if step == 1 or label.endswith("+") else f"{label} to {int(label) + step - 1}"
        for label in labels
    ]
    shares, totals = [], []
    for _, seen, counts in both:
        where = np.searchsorted(edges, seen, side="right") - 1
        total = np.bincount(where, weights=counts, minlength=len(edges)).astype(np.int64)
        totals.append(total)
        shares.append(total / total.sum())
    names = [visible(each[0]) for each in both]
    rows = [
        {
            "label": label,
            "value": float(shares[which][index]),
            "which": names[which],
            "says": f"{ranges[index]} {axis}, {names[which]}: "
            f"{percent(float(shares[which][index]), SHOWN)} of {of}",
        }
        for which in (0, 1)
        for index, label in enumerate(labels)
    ]
    cells = tuple(
        (
            shown,
            *(count(total[index]) for total in totals),
            *(percent(float(share[index]), SHOWN) for share in shares),
        )
        for index, shown in enumerate(ranges)
    )
    header = (axis, *(f"{of}, {each}" for each in names), *(f"share, {each}" for each in names))

    def draw(look: Look, width: int) -> LayerChart:
        x = alt.X("label", type="nominal", sort=None, axis=_labels(labels, axis, width), scale=_points())
        y = alt.Y("value", type="quantitative", axis=_shares(), stack=None)
        colours = alt.Scale(domain=names, range=[look.series[0], look.series[1]])
        dashes = alt.Scale(domain=names, range=[[1, 0], [6, 3]])
        legend = alt.Legend(labelLimit=width - 60, columns=1)
        base = alt.Chart(alt.InlineData(values=rows))
        layers = [
            base.mark_area(opacity=0.16, interpolate="monotone").encode(
                x=x, y=y, fill=alt.Fill("which", type="nominal", legend=legend, scale=colours)
            ),
            base.mark_line(strokeWidth=2.2, interpolate="monotone").encode(
                x=x,
                y=y,
                stroke=alt.Stroke("which", type="nominal", legend=legend, scale=colours),
                strokeDash=alt.StrokeDash("which", type="nominal", legend=legend, scale=dashes),
            ),
            base.mark_point(size=42, opacity=1, strokeWidth=0)
            .encode(
                x=x,
                y=y,
                fill=alt.Fill("which", type="nominal", legend=legend, scale=colours),
                shape=alt.Shape(
                    "which", type="nominal", legend=legend,
                    scale=alt.Scale(domain=names, range=["circle", "square"]),
                ),
                **reading(),
            )
            .properties(name=DATA),
        ]  # fmt: skip
        return layered(layers, HEIGHT, look, width)

    table = Table(title, header, cells)
    tail = "The last point gathers the tail." if labels[-1].endswith("+") else ""
    return Chart(name, title, says, table, len(rows), draw, wide=True, note=f"{note} {tail}".strip())


def curve(
    name: str,
    title: str,
    points: Sequence[Point],
    *,
    option: str,
    shares: bool,
    axis: str,
    says: str,
    table: Table,
    note: str = "",
    goal: tuple[str, float] | None = None,
    chosen: int | None = None,
    again: Estimate | None = None,
) -> Chart:
    """Return what a statistic is for each value of an option, with the band of its intervals.

    Values that are numbers have their place on the axis; others stand beside each other, unconnected.

    Parameters
    ----------
    name, title : str
    points : sequence of (str, Estimate)
    option : str
        Its name, below the axis.
    shares : bool
        Whether the values are shares of 1.
    axis : str
        What is shown, beside the axis.
    says : str
    table : Table
    note : str
    goal : (str, float), optional
        A value to come near to, drawn as a line, and its name.
    chosen : int, optional
        Position of the point that was chosen.
    again : Estimate, optional
        What that point has with a fresh seed.
    """
    known = [(index, label, each) for index, (label, each) in enumerate(points) if each.value is not None]
    numbers = [_number(label) for label, _ in points]
    numeric = len(points) > 2 and None not in numbers
    rows: list[dict[str, Any]] = [
        {
            "at": numbers[index] if numeric else visible(label),
            "value": each.value,
            "low": each.value if each.low is None else each.low,
            "high": each.value if each.high is None else each.high,
            "stressed": index == chosen,
            "says": said(f"{option} = {label}", each, shares) + (", the chosen one" * (index == chosen)),
            "text": value_text(each, shares),
        }
        for index, label, each in known
    ]
    fresh: list[dict[str, Any]] = []
    if again is not None and again.value is not None and chosen is not None:
        low, high = again.low, again.high
        fresh = [
            {
                "at": numbers[chosen] if numeric else visible(points[chosen][0]),
                "value": again.value,
                "low": again.value if low is None else low,
                "high": again.value if high is None else high,
                "says": said(f"{option} = {points[chosen][0]}, again with a fresh seed", again, shares),
            }
        ]

    def draw(look: Look, width: int) -> LayerChart:
        if numeric:
            shown = labels_that_fit([label for label, _ in points], width - 80)
            x_axis = alt.Axis(
                values=[float(each) for each in shown], title=visible(option), grid=False, labelOverlap=True
            )
            x = alt.X(
                "at", type="quantitative", axis=x_axis, scale=alt.Scale(zero=False, nice=False, padding=18)
            )
        else:
            x_axis = alt.Axis(
                title=visible(option), labelAngle=0, labelLimit=max(40, (width - 80) // len(points))
            )
            x = alt.X("at", type="nominal", sort=None, axis=x_axis, scale=_points())
        y_axis = alt.Axis(
            format=number_format(shares), tickCount=5, title=axis or None, domain=False, ticks=False
        )
        y = alt.Y("value", type="quantitative", axis=y_axis, scale=alt.Scale(zero=False, padding=12))
        low, high = alt.Y("low", type="quantitative"), alt.Y2("high")
        base = alt.Chart(alt.InlineData(values=rows))
        layers = []
        if goal is not None:
            line = alt.Chart(alt.InlineData(values=[{"at": goal[1], "name": visible(goal[0])}]))
            at = alt.Y("at", type="quantitative")
            layers += [
                line.mark_rule(stroke=look.ink, strokeDash=[4, 3]).encode(y=at),
                line.mark_text(align="right", baseline="bottom", dy=-4, fill=look.soft).encode(
                    x=alt.value("width"), y=at, text=alt.Text("name", type="nominal")
                ),
            ]
        if numeric:
            layers += [
                base.mark_area(opacity=0.22, fill=look.main).encode(x=x, y=low, y2=high),
                base.mark_line(stroke=look.main, strokeWidth=2).encode(x=x, y=y),
            ]
        else:
            bar = base.mark_rule(strokeWidth=5, strokeCap="round", opacity=0.4, stroke=look.main)
            layers.append(bar.encode(x=x, y=low, y2=high))
        colour = alt.Fill(
            "stressed",
            type="nominal",
            legend=None,
            scale=alt.Scale(domain=[False, True], range=[look.main, look.accent]),
        )
        size = alt.Size(
            "stressed", type="nominal", legend=None, scale=alt.Scale(domain=[False, True], range=[60, 190])
        )
        layers.append(
            base.mark_circle(opacity=1)
            .encode(x=x, y=y, fill=colour, size=size, **reading())
            .properties(name=DATA)
        )
        if fresh:
            beside = alt.Chart(alt.InlineData(values=fresh))
            layers += [
                beside.mark_rule(stroke=look.accent, strokeWidth=2, xOffset=14).encode(x=x, y=low, y2=high),
                beside.mark_point(
                    shape="diamond", size=110, stroke=look.accent, strokeWidth=2, opacity=1, xOffset=14,
                    fill=look.surface,
                ).encode(x=x, y=y, **reading()),
            ]  # fmt: skip
        return layered(layers, HEIGHT, look, width)

    return Chart(name, title, says, table, len(rows), draw, wide=len(points) > 4, note=note)


def _number(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None


def _labels(labels: Sequence[str], axis: str, width: int) -> alt.Axis:
    return alt.Axis(
        values=labels_that_fit(labels, width - 60),
        labelAngle=0,
        labelOverlap=True,
        labelPadding=6,
        ticks=False,
        title=axis or None,
    )


def _points() -> alt.Scale:
    return alt.Scale(type="point", padding=0.5)


def _shares() -> alt.Axis:
    return alt.Axis(format=number_format(shares=True), tickCount=4, title=None, domain=False, ticks=False)

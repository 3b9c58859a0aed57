"""Kinds of charts: functions from estimates or counts to a chart.

Each returns a :class:`~reports.page.model.Chart`: a drawing, the same in words, and its numbers as a
table. Nothing is drawn before it is asked for.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
from altair import LayerChart

from reports.intervals import Estimate, quantile
from reports.page.look import SIZE, Look, layered
from reports.page.model import Chart, Table
from reports.rounding import count, error, percent, rounded
from reports.text_charts import bins
from reports.wording import visible

DATA = "data"
"""Name of the layer whose marks stand for data; their group in an SVG has the class ``data_marks``."""

MOST_BINS = 40
COLUMN_HEIGHT = 190
"""Pixels."""

MANY = 24
"""More columns than this are drawn once more for wide screens."""

SHOWN = 0.0005
"""Counts as shares are shown as if so uncertain: to a hundredth of a percent."""

HEADER = ("", "value", "error")

Named = tuple[str, Estimate]
"""A label and a value."""
Row = dict[str, Any]


def value_text(estimate: Estimate, shares: bool) -> str:
    """Return a value as it is written beside its mark."""
    shown = percent if shares else rounded
    return shown(estimate.value, estimate.half_width)


def error_text(estimate: Estimate, shares: bool) -> str:
    """Return how far a value may be off, in its own unit: points of a percentage for shares."""
    if shares:
        value, se, low, high = (
            None if each is None else 100 * each
            for each in (estimate.value, estimate.se, estimate.low, estimate.high)
        )
        estimate = Estimate(value, se, low, high)
    return error(estimate)


def said(label: str, estimate: Estimate, shares: bool) -> str:
    """Return what a mark says: label, value, and how sure it is."""
    return f"{visible(label)}: {value_text(estimate, shares)} {error_text(estimate, shares)}"


def intervals(
    name: str,
    title: str,
    rows: Sequence[Named],
    *,
    shares: bool = False,
    axis: str = "",
    says: str = "",
    accent: Collection[str] = (),
    header: tuple[str, str, str] = HEADER,
    note: str = "",
    reference: tuple[str, float] | None = None,
    domain: tuple[float, float] | None = None,
) -> Chart:
    """Return estimates below each other, each as a dot on its interval.

    Parameters
    ----------
    name, title : str
    rows : sequence of (str, Estimate)
        Labels and values; unknown values are in the table only.
    shares : bool
        Whether the values are shares of 1, which are shown in percent.
    axis : str
        Title of the axis of values.
    says : str
        What the chart shows; by default its rows.
    accent : collection of str
        Labels of the rows to look at first, which have another colour.
    header : tuple of str
        Of the table.
    note : str
        Below the chart.
    reference : (str, float), optional
        A value to compare with (a fair share, no difference), drawn as a line, and its name.
    domain : (float, float), optional
        Where the axis of values starts and ends; by default it holds what there is.
    """
    values = _values(rows, shares, accent)

    def draw(look: Look, width: int) -> LayerChart:
        x = alt.X(
            "value",
            type="quantitative",
            scale=alt.Scale(zero=False, padding=24)
            if domain is None
            else alt.Scale(domain=list(domain), nice=False, padding=24),
            axis=value_axis(axis, shares),
        )
        y = alt.Y("label", type="nominal", sort=None, title=None, axis=label_axis())
        stroke = alt.Stroke("stressed", type="nominal", legend=None, scale=two_colours(look))
        layers = []
        if reference is not None:
            line = alt.Chart(alt.InlineData(values=[{"at": reference[1], "name": visible(reference[0])}]))
            at = alt.X("at", type="quantitative")
            layers += [
                line.mark_rule(stroke=look.ink, strokeDash=[4, 3]).encode(x=at),
                line.mark_text(baseline="bottom", dy=-6, fill=look.soft).encode(
                    x=at, y=alt.value(0), text=alt.Text("name", type="nominal")
                ),
            ]
        base = alt.Chart(alt.InlineData(values=values))
        layers += [
            base.mark_rule(strokeWidth=6, strokeCap="round", opacity=0.35).encode(
                x=alt.X("low", type="quantitative"), x2=alt.X2("high"), y=y, stroke=stroke
            ),
            base.mark_circle(size=110, opacity=1)
            .encode(
                x=x,
                y=y,
                fill=fill(look),
                **reading(),
            )
            .properties(name=DATA),
            base.mark_text(baseline="bottom", dy=-9).encode(x=x, y=y, text=alt.Text("text", type="nominal")),
        ]
        return layered(layers, 44 * max(len(values), 1), look, width)

    sentences = says or "; ".join(row["says"] for row in values) + "."
    compared = f" The line is at {visible(reference[0])}." if reference is not None else ""
    table = Table(title, header, _cells(rows, shares))
    return Chart(name, title, sentences + compared, table, len(values), draw, note=note)


def bars(
    name: str,
    title: str,
    rows: Sequence[Named],
    *,
    shares: bool = False,
    axis: str = "",
    says: str = "",
    accent: Collection[str] = (),
    header: tuple[str, str, str] = HEADER,
    note: str = "",
) -> Chart:
    """Return estimates below each other as bars from 0, each with its interval.

    Parameters as of :func:`intervals`.
    """
    values = _values(rows, shares, accent)

    def draw(look: Look, width: int) -> LayerChart:
        top = max((max(row["value"], row["high"]) for row in values), default=0.0) or 1.0
        bottom = min((min(row["value"], row["low"]) for row in values), default=0.0)
        # With room for the value after the longest bar.
        scale = alt.Scale(domain=[min(0.0, bottom), 1.22 * top], nice=False)
        x = alt.X("value", type="quantitative", scale=scale, axis=value_axis(axis, shares))
        y = alt.Y("label", type="nominal", sort=None, title=None, axis=label_axis())
        base = alt.Chart(alt.InlineData(values=values))
        layers = [
            base.mark_bar(height={"band": 0.66}, cornerRadiusEnd=2)
            .encode(
                x=x,
                y=y,
                fill=fill(look),
                **reading(),
            )
            .properties(name=DATA),
            base.mark_rule(stroke=look.ink, strokeWidth=1.5).encode(
                x=alt.X("low", type="quantitative"), x2=alt.X2("high"), y=y
            ),
            base.mark_text(align="left", dx=7).encode(
                x=alt.X("high", type="quantitative"), y=y, text=alt.Text("text", type="nominal")
            ),
        ]
        return layered(layers, 22 * max(len(values), 1), look, width)

    table = Table(title, header, _cells(rows, shares))
    return Chart(name, title, says or _extremes(rows, shares), table, len(values), draw, note=note)


def columns(
    name: str,
    title: str,
    rows: Sequence[Named],
    *,
    shares: bool = False,
    axis: str = "",
    says: str = "",
    accent: Collection[str] = (),
    header: tuple[str, str, str] = HEADER,
    note: str = "",
) -> Chart:
    """Return estimates beside each other, in an order that means something: totals, turns, positions.

    Parameters as of :func:`intervals`; ``axis`` is the title of the axis of labels.
    """
    values = _values(rows, shares, accent)
    table = Table(title, header, _cells(rows, shares))
    sentence = says or _extremes(rows, shares)
    draw = _columns(values, shares, axis, whiskers=True)
    return Chart(name, title, sentence, table, len(values), draw, wide=len(values) > MANY, note=note)


def histogram(
    name: str,
    title: str,
    values: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    *,
    of: str,
    axis: str,
    note: str = "",
) -> Chart:
    """Return how often each value occurred, in bins if there are many.

    Parameters
    ----------
    name, title : str
    values, counts : array of int
        Values that occurred, ascending, and how often; at least one.
    of : str
        What was counted, in the plural: "hands".
    axis : str
        What the values are: "turns".
    note : str
        Below the chart.
    """
    labels, totals = bins(values, counts, MOST_BINS)
    step = int(labels[1]) - int(labels[0]) if len(labels) > 2 else 1
    ranges = [
        label if step == 1 or label.endswith("+") else f"{label} to {int(label) + step - 1}"
        for label in labels
    ]
    shares = [total / sum(totals) for total in totals]
    p05, median, p95 = (quantile(values, counts, share) or 0 for share in (0.05, 0.5, 0.95))
    middle = max(index for index, label in enumerate(labels) if int(label.rstrip("+")) <= median)
    rows = [
        {
            "label": label,
            "value": share,
            "says": f"{shown} {axis}: {percent(share, SHOWN)} of {of}",
            "stressed": index == middle,
        }
        for index, (label, shown, share) in enumerate(zip(labels, ranges, shares, strict=True))
    ]
    says = (
        f"Distribution of {axis}: half of the {of} have at most {count(median)}, "
        f"nine in ten from {count(p05)} to {count(p95)}."
    )
    cells = tuple(
        (shown, count(total), percent(share, SHOWN))
        for shown, total, share in zip(ranges, totals, shares, strict=True)
    )
    return Chart(
        name,
        title,
        says,
        Table(title, (axis, of, "share"), cells),
        len(rows),
        _columns(rows, True, axis, whiskers=False),
        note=f"{note} The column of the other colour holds the median, {count(median)}.".strip(),
    )


def _values(rows: Sequence[Named], shares: bool, accent: Collection[str]) -> list[Row]:
    """Return what is known as rows of data to draw."""
    return [
        {
            "label": visible(label),
            "value": each.value,
            "low": each.value if each.low is None else each.low,
            "high": each.value if each.high is None else each.high,
            "text": value_text(each, shares),
            "says": said(label, each, shares),
            "stressed": label in accent,
        }
        for label, each in rows
        if each.value is not None
    ]


def _cells(rows: Sequence[Named], shares: bool) -> tuple[tuple[str, ...], ...]:
    return tuple((label, value_text(each, shares), error_text(each, shares)) for label, each in rows)


def _columns(
    values: Sequence[Row], shares: bool, axis: str, whiskers: bool
) -> Callable[[Look, int], LayerChart]:
    def draw(look: Look, width: int) -> LayerChart:
        shown = labels_that_fit([row["label"] for row in values], width - 60)
        x_axis = alt.Axis(
            values=shown, labelAngle=0, labelOverlap=True, labelPadding=6, ticks=False, title=axis or None
        )
        x = alt.X(
            "label",
            type="nominal",
            sort=None,
            axis=x_axis,
            scale=alt.Scale(paddingInner=0.12, paddingOuter=0.1),
        )
        y_axis = alt.Axis(format=number_format(shares), tickCount=4, title=None, domain=False, ticks=False)
        y = alt.Y("value", type="quantitative", axis=y_axis, scale=alt.Scale(zero=True))
        base = alt.Chart(alt.InlineData(values=list(values)))
        layers = [
            base.mark_bar()
            .encode(
                x=x,
                y=y,
                fill=fill(look),
                **reading(),
            )
            .properties(name=DATA)
        ]
        if whiskers:
            rule = base.mark_rule(stroke=look.ink, strokeWidth=1.2)
            layers.append(rule.encode(x=x, y=alt.Y("low", type="quantitative"), y2=alt.Y2("high")))
        return layered(layers, COLUMN_HEIGHT, look, width)

    return draw


def value_axis(title: str, shares: bool) -> alt.Axis:
    return alt.Axis(
        format=number_format(shares),
        tickCount=5,
        labelFlush=False,
        title=title or None,
        domain=False,
        ticks=False,
    )


def label_axis() -> alt.Axis:
    return alt.Axis(domain=False, ticks=False, labelPadding=8)


def number_format(shares: bool) -> str:
    return ".3~%" if shares else ",.4~g"


def reading() -> dict[str, Any]:
    """Return the channels that say what a mark stands for: in a page, and in a notebook."""
    return {
        "description": alt.Description("says", type="nominal"),
        "tooltip": alt.Tooltip("says", type="nominal"),
    }


def fill(look: Look) -> alt.Fill:
    """Return the colour of a mark, another one for what is to be looked at first."""
    return alt.Fill("stressed", type="nominal", legend=None, scale=two_colours(look))


def two_colours(look: Look) -> alt.Scale:
    return alt.Scale(domain=[False, True], range=[look.main, look.accent])


def labels_that_fit(labels: Sequence[str], room: int) -> list[str]:
    """Return the labels to show below columns: all, or every second, fifth, ... at round numbers.

    That of a last column which gathers a tail (``"40+"``) is always shown.
    """
    widest = max((len(label) for label in labels), default=1) * SIZE * 0.6 + 6
    column = room / max(len(labels), 1)
    steps = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500)
    step = next((each for each in steps if each * column >= widest), len(labels))
    numbers = [int(label) if label.isdigit() else None for label in (each.rstrip("+") for each in labels)]
    if step == 1 or None in numbers or numbers[0] is None or numbers[1] is None:
        return list(labels[::step])
    unit = step * (numbers[1] - numbers[0])
    shown = [label for label, number in zip(labels, numbers, strict=True) if (number or 0) % unit == 0]
    if labels[-1].endswith("+"):
        near = set(labels[-int(-(-widest // column)) :])
        shown = [label for label in shown if label not in near] + [labels[-1]]
    return shown


def _extremes(rows: Sequence[Named], shares: bool) -> str:
    """Return the largest and the smallest value in words."""
    known = sorted((row for row in rows if row[1].value is not None), key=lambda row: row[1].value or 0.0)
    if not known:
        return "No values."
    (least, low), (most, high) = known[0], known[-1]
    if len(known) == 1:
        return said(most, high, shares) + "."
    return (
        f"Most for {visible(most)} with {value_text(high, shares)}, "
        f"least for {visible(least)} with {value_text(low, shares)}; {len(known)} values."
    )

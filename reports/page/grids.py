"""Cross tables and heat maps: a number for each pair of a row and a column, coloured by its size."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import altair as alt
from altair import LayerChart

from reports.page.charts import DATA, reading
from reports.page.look import SIZE, Look, layered
from reports.page.model import Chart, Table
from reports.wording import visible

STRONGEST = 0.5
"""Opacity of the strongest colour: text in the page's own ink is still read on it, in light and in dark."""
TALLEST, LOWEST = 44, 26
"""Pixels of a row: of a few, of many."""
FEW = 8
CHARACTER = 0.58
"""Width of a digit, in its size."""


@dataclass(frozen=True)
class Cell:
    """One number.

    Attributes
    ----------
    value : float
        That the colour shows.
    texts : tuple of str
        The number as it is written, with ever fewer digits, as many of them in each cell: all cells
        print the first that fits into all.
    says : str
        The same in words.
    under : str
        Printed below the number where it fits: how far it may be off.
    """

    value: float
    texts: tuple[str, ...]
    says: str
    under: str = ""


def grid(
    name: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[int, int], Cell],
    *,
    titles: tuple[str, str],
    middle: float | None,
    scale: tuple[float, float],
    says: str,
    table: Table,
    note: str = "",
    chosen: Collection[tuple[int, int]] = (),
) -> Chart:
    """Return numbers by row and column, on colours that show how large they are.

    Parameters
    ----------
    name, title : str
    rows, columns : sequence of str
        Labels, from top to bottom and from left to right.
    cells : mapping of (int, int) to Cell
        By position of the row and of the column; what is missing is left open.
    titles : tuple of str
        What the rows are, and what the columns.
    middle : float or None
        The value without colour; values below and above have different ones. None: the smallest has
        none, and there is one colour.
    scale : tuple of float
        Smallest and largest value, of this chart or of all that are to be compared.
    says : str
    table : Table
    note : str
    chosen : collection of (int, int)
        Cells to look at first, which have a frame.
    """
    low, high = scale
    centre = low if middle is None else middle
    reach = max(abs(low - centre), abs(high - centre)) or 1.0
    labels = [[visible(each) for each in side] for side in (rows, columns)]

    def draw(look: Look, width: int) -> LayerChart:
        room = width - 70 - min(width // 3, int(max(map(len, labels[0])) * SIZE * CHARACTER))
        letters = int((room / max(len(columns), 1) - 4) / SIZE / CHARACTER)
        tall = len(rows) <= FEW
        levels = zip(*(cell.texts for cell in cells.values()), strict=True)
        level = next((index for index, texts in enumerate(levels) if max(map(len, texts)) <= letters), None)
        values = [
            {
                "row": row,
                "column": column,
                "strength": round(STRONGEST * min(1.0, abs(cell.value - centre) / reach), 3),
                "stressed": cell.value > centre and middle is not None,
                "chosen": (row, column) in chosen,
                "text": "" if level is None else cell.texts[level],
                "under": cell.under if len(cell.under) <= letters and tall else "",
                "says": cell.says,
            }
            for (row, column), cell in sorted(cells.items())
        ]
        across = letters >= max(map(len, labels[1]), default=1)
        x = alt.X(
            "column", type="ordinal", scale=_places(len(columns)), axis=_axis(labels[1], titles[1], across)
        )
        y = alt.Y("row", type="ordinal", scale=_places(len(rows)), axis=_axis(labels[0], titles[0], True))
        base = alt.Chart(alt.InlineData(values=values))
        colours = alt.Scale(domain=[False, True], range=[look.series[0], look.series[1]])
        strength = alt.FillOpacity("strength", type="quantitative", scale=None, legend=None)
        layers = [
            base.mark_rect(stroke=look.line, strokeWidth=1)
            .encode(
                x=x,
                y=y,
                fill=alt.Fill("stressed", type="nominal", legend=None, scale=colours),
                fillOpacity=strength,
                **reading(),
            )
            .properties(name=DATA),
            base.mark_rect(stroke=look.ink, strokeWidth=2.5, fillOpacity=0)
            .encode(x=x, y=y)
            .transform_filter("datum.chosen"),
        ]
        two_lines = any(value["under"] for value in values)
        if any(value["text"] for value in values):
            text = alt.Text("text", type="nominal")
            layers.append(base.mark_text(dy=-7 if two_lines else 0).encode(x=x, y=y, text=text))
        if two_lines:
            text = alt.Text("under", type="nominal")
            layers.append(base.mark_text(dy=10, fontSize=SIZE - 2).encode(x=x, y=y, text=text))
        height = TALLEST if tall else LOWEST
        return layered(layers, height * len(rows), look, width)

    crowded = len(columns) > 4 or max(map(len, labels[1]), default=0) > 10
    return Chart(name, title, says, table, len(cells), draw, wide=crowded, note=note)


def _places(number: int) -> alt.Scale:
    return alt.Scale(domain=list(range(number)), padding=0.04)


def _axis(labels: Sequence[str], title: str, across: bool) -> alt.Axis:
    # By position, as two values may look alike once they are made visible.
    listed = (
        "[" + ",".join("'" + label.replace("\\", "\\\\").replace("'", "\\'") + "'" for label in labels) + "]"
    )
    return alt.Axis(
        labelExpr=f"{listed}[datum.value]",
        labelAngle=0 if across else -45,
        labelOverlap=not across,
        domain=False,
        ticks=False,
        grid=False,
        labelPadding=6,
        title=visible(title) or None,
    )

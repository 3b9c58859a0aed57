"""How charts look: widths, colours, type.

Colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008), which people with any
colour vision tell apart; on white the light ones are darkened, so that all have a contrast of at
least 3 to 1 with the background, and texts of 4.5 to 1 (WCAG 2.2, AA). ``main`` and ``accent``
differ in lightness too, for who prints without colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

NARROW, WIDE = 400, 860
"""Pixels: of every chart, and of those that are drawn once more for wide screens. The narrow one is
to be read on a phone, where it is scaled by a fifth."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SIZE = 13


@dataclass(frozen=True)
class Look:
    """Colours of a chart, as CSS takes them.

    Attributes
    ----------
    ink, soft, line : str
        Of texts, of texts that matter less, of axes and grids.
    main, accent, pale : str
        Of the marks, of those to look at first, and of what is behind them.
    series : tuple of str
        To tell several things apart.
    background : str
    surface : str
        What is behind the drawing, for marks to hide what lies below them.
    """

    ink: str
    soft: str
    line: str
    main: str
    accent: str
    pale: str
    series: tuple[str, ...]
    background: str
    surface: str


PAPER = Look(
    ink="#1b1b1f",
    soft="#55555c",
    line="#d5d5da",
    main="#3a8fc8",
    accent="#8f3a00",
    pale="#b3d4e8",
    series=("#0072b2", "#b84e00", "#00795a", "#a1527c", "#6b6b00", "#1b1b1f"),
    background="#ffffff",
    surface="#ffffff",
)
"""For files and notebooks."""

SCREEN = Look(
    ink="var(--ink)",
    soft="var(--soft)",
    line="var(--line)",
    main="var(--main)",
    accent="var(--accent)",
    pale="var(--pale)",
    series=tuple(f"var(--series-{number})" for number in range(1, 7)),
    background="transparent",
    surface="var(--card)",
)
"""For pages, whose style sheet says what the colours are, in light and in dark."""


def layered(layers: Sequence[alt.Chart], height: int, look: Look, width: int) -> alt.LayerChart:
    """Return layers as one chart, with the type, the axes and the width that all charts share.

    Parameters
    ----------
    layers : sequence of altair.Chart
    height : int
        Pixels of the drawing, without its axes.
    look : Look
    width : int
        Pixels of the whole chart.
    """
    # In one call, as each of altair's methods copies the whole chart with its data.
    return alt.LayerChart(
        layer=list(layers),
        height=height,
        width=width,
        background=look.background,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding={"left": 8, "top": 2, "right": 14, "bottom": 2},
        config=alt.Config(
            font=FONT,
            view=alt.ViewConfig(stroke=None),
            axis=alt.AxisConfig(
                labelFontSize=SIZE,
                titleFontSize=SIZE,
                titleFontWeight="normal",
                labelColor=look.ink,
                titleColor=look.soft,
                gridColor=look.line,
                domainColor=look.line,
                tickColor=look.line,
                labelLimit=width // 3,
                titlePadding=8,
            ),
            legend=alt.LegendConfig(
                labelFontSize=SIZE,
                labelColor=look.ink,
                title=None,
                orient="top",
                symbolOpacity=1,
            ),
            text=alt.MarkConfig(fontSize=SIZE, fill=look.ink),
        ),
    )

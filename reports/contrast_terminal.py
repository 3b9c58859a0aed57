"""A comparison as a page for a terminal of 80 columns."""

import io
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from reports import contrasts, wording
from reports.contrasts import Comparison, Contrast
from reports.terminal import NARROWEST, WIDEST

STYLES = {"higher": "cyan", "lower": "cyan", "equivalent": "green", "undecided": "yellow", "same": "dim"}
MOST_PARTS = 12
"""Parts of metrics that are shown; the rest are in JSON and CSV."""


def page(comparison: Comparison) -> RenderableType:
    """Return a comparison to print."""
    lines: list[RenderableType] = [Text(wording.visible(contrasts.headline(comparison)), style="bold")]
    lines += [Text(wording.visible(line), style="dim") for line in contrasts.opening(comparison)]
    lines.append(Text())
    lines += [Text(wording.visible(line), style="bold cyan") for line in contrasts.conclusions(comparison)]
    for title, chosen in (
        ("What changes", contrasts.main(comparison)),
        ("In parts, the surest first", contrasts.parts(comparison)[:MOST_PARTS]),
    ):
        if chosen:
            lines += [Text(), Rule(Text(title, style="bold"), align="left", style="dim"), _table(chosen)]
    lines.append(Text())
    lines += [Text(wording.visible(line), style="dim") for line in contrasts.notes(comparison)]
    return Group(*lines)


def _table(chosen: Sequence[Contrast]) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("", overflow="fold")
    for title in ("A", "B", "B − A"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for title in ("p", "saved"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for each in chosen:
        cells = [Text(wording.visible(cell)) for cell in contrasts.cells(each)]
        cells[-1].stylize(STYLES[each.verdict])
        table.add_row(*cells)
    return table


def text_of(report: RenderableType, width: int) -> str:
    """Return a page as plain text of a width from 72 to 100 columns."""
    file = io.StringIO()
    Console(
        file=file, width=min(max(width, NARROWEST), WIDEST), color_system=None, force_terminal=False
    ).print(report)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"

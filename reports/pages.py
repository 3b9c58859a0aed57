"""Pages of experiments for a terminal: a headline, sentences, tables and notes."""

import io
from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from reports import wording
from reports.terminal import NARROWEST, WIDEST

STYLES = {
    **dict.fromkeys(("better", "worse", "higher", "lower"), "cyan"),
    "equivalent": "green",
    "undecided": "yellow",
    "same": "dim",
}

LEFT = ("", "verdict", "policy", "what it is")
"""Titles of columns of text."""

LONG = 11
"""Longer titles of columns are broken."""


def page(
    headline: str,
    opening: Iterable[str],
    conclusions: Iterable[str],
    tables: Iterable[tuple[str, Sequence[str], Iterable[Sequence[str]]]],
    notes: Iterable[str],
    names: int = 1,
    gap: int = 2,
) -> RenderableType:
    """Return a page to print; a table has a title, titles of its columns and rows of texts.

    The first ``names`` columns of a table are to the left, and numbers to the right. A column
    without a title belongs to the one before it. Between columns is a gap of so many spaces.
    """
    lines: list[RenderableType] = [_text(headline, "bold"), *(_text(line, "dim") for line in opening)]
    said = [_text(line, "bold cyan") for line in conclusions]
    lines += [Text(), *said] if said else []
    for title, header, rows in tables:
        cells = list(rows)
        if cells:
            rule = Rule(_text(title, "bold"), align="left", style="dim")
            lines += [Text(), rule, _table(header, cells, names, gap)]
    return Group(*lines, Text(), *(_text(line, "dim") for line in notes))


def text_of(report: RenderableType, width: int) -> str:
    """Return a page as plain text of a width from 72 to 100 columns."""
    file = io.StringIO()
    Console(
        file=file, width=min(max(width, NARROWEST), WIDEST), color_system=None, force_terminal=False
    ).print(report)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], names: int, gap: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for index, title in enumerate(header):
        left = index < names or title in LEFT
        table.add_column(_heading(title), justify="left" if left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(_text(cell, STYLES.get(cell, "")) for cell in row))
    return table


def _heading(title: str) -> Text:
    """Return a column's title, a long name in lines that end where its words do."""
    name = wording.visible(title)
    return Text(name.replace("_", "_\n") if len(name) > LONG else name)


def _text(text: str, style: str) -> Text:
    return Text(wording.visible(text), style=style)

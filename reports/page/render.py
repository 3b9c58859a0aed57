"""A page as one HTML file that needs nothing else, and its charts as files.

Charts are drawn when the page is made, not when it is opened: the page needs no script to be read,
prints as it is shown, and is a tenth of the size that a charting library would give it. A small
script shows what a mark stands for to who points at it, or walks through them with the arrow keys.
"""

import base64
import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import altair as alt
import jinja2
import vl_convert
from altair.utils.schemapi import debug_mode
from markupsafe import Markup

from reports.page import tables, vega
from reports.page.look import NARROW, PAPER, SCREEN, WIDE
from reports.page.model import Chart, Item, Page, Table, Text
from reports.wording import visible

TEMPLATES = Path(__file__).parent / "templates"

PIXELS = 3
"""Of a PNG for each of the chart's own."""


def to_html(page: Page) -> str:
    """Return the page as one HTML document; equal pages give equal text."""
    template = _environment().get_template("page.html")
    return template.render(page=page, drawing=_Drawings(page), numbers=_Numbers())


def altair_chart(chart: Chart) -> alt.LayerChart:
    """Return a chart by itself, with its title, on white."""
    with debug_mode(False):
        drawn = chart.draw(PAPER, WIDE if chart.wide else NARROW)
    title = alt.TitleParams(
        visible(chart.title), anchor="start", frame="bounds", fontSize=16, color=PAPER.ink
    )
    return drawn.properties(title=title, description=visible(chart.says))


def files(page: Page) -> Iterator[tuple[str, bytes]]:
    """Yield the charts of a page as names and contents of files: an SVG and a PNG of each."""
    for name, chart in page.charts().items():
        svg = vega.svg(_specification(altair_chart(chart)), name).result()
        said = Markup("<title>{}</title><desc>{}</desc>").format(visible(chart.title), visible(chart.says))
        svg = svg.replace("<svg ", '<svg role="img" ', 1).replace(">", f">{said}", 1)
        yield f"{name}.svg", svg.encode()
        yield f"{name}.png", vl_convert.svg_to_png(svg, scale=PIXELS)


FEW = 3
"""Columns of a table that is set beside another one, or a chart, if they are not all words."""


def placed(items: Sequence[Item]) -> Iterator[tuple[Item, bool]]:
    """Yield the items of a section, and whether each has the whole width.

    Charts and tables that need no more than half of it are set in pairs; a chart that is left alone
    is drawn wide.
    """
    for whole, group in itertools.groupby(items, _needs_whole_width):
        members = list(group)
        for index, item in enumerate(members):
            alone = len(members) % 2 == 1 and index == len(members) - 1
            yield item, whole or (alone and isinstance(item, Chart))


def _needs_whole_width(item: Item) -> bool:
    if isinstance(item, Chart):
        return item.wide
    return not isinstance(item, Table) or len(item.header) > FEW or len(item.texts) == FEW


class _Numbers:
    """Counts what needs a name that is unique in the page."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> str:
        self._last += 1
        return f"t{self._last}"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    style, script = ((TEMPLATES / name).read_text("utf-8") for name in ("page.css", "page.js"))
    environment.globals |= {"style": Markup(style), "script": Markup(script)}
    # A browser runs this script and no other, whatever a name or a text may hold.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals["script_hash"] = Markup(f"sha256-{digest}")
    environment.globals["placed"] = placed
    environment.globals["table"] = tables.to_html
    environment.globals |= {"narrow": NARROW, "wide": WIDE}
    environment.tests["chart"] = lambda item: isinstance(item, Chart)
    environment.tests["table"] = lambda item: isinstance(item, Table)
    environment.tests["paragraph"] = lambda item: isinstance(item, Text)
    return environment


class _Drawings:
    """The charts of a page as SVG to put into it: as wide as there is room, in the page's colours."""

    def __init__(self, page: Page) -> None:
        # Looking at each part of a chart as it is made would take half of the time; tests do that.
        with debug_mode(False):
            self._drawn = {
                (item.name, width): vega.svg(_specification(item.draw(SCREEN, width)), f"{item.name}-{width}")
                for section in page.sections
                for item, whole in placed(section.items)
                if isinstance(item, Chart)
                for width in ((NARROW, WIDE) if whole else (NARROW,))
            }

    def __call__(self, chart: Chart, width: int) -> Markup:
        """Return a chart as it is drawn for a width."""
        head, rest = self._drawn[chart.name, width].result().split(">", 1)
        size = re.search(r'viewBox="0 0 [\d.]+ [\d.]+"', head)
        assert size is not None
        # Labels that do not fit are drawn invisibly, and every group has an empty front.
        rest = re.sub(r'<text [^>]*opacity="0">[^<]*</text>', "", rest)
        rest = rest.replace(_EMPTY, "")
        # A hundredth of a pixel is enough, and the type is the page's own.
        rest = re.sub(r' (?:d|transform)="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), rest)
        rest = re.sub(r' font-family="[^"]*"', "", rest)
        said = Markup.escape(visible(f"{chart.title}. {chart.says}"))
        return Markup(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size[0]} '
            f'role="img" tabindex="0" aria-label="{said}">{rest}'
        )


_EMPTY = '<path class="foreground" aria-hidden="true" d="" pointer-events="none" display="none"/>'


def _specification(chart: alt.LayerChart) -> dict[str, Any]:
    return dict(chart.to_dict(validate=False))

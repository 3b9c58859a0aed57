"""Tables as HTML, by great-tables; the style sheet of the page replaces its own."""

import re

import polars as pl
from great_tables import GT
from markupsafe import Markup, escape

from reports.page.model import Table
from reports.wording import visible


def to_html(table: Table, name: str) -> Markup:
    """Return a table as HTML, all texts escaped; ``name`` must be unique in the page."""
    columns = [f"c{index}" for index in range(len(table.header))]
    frame = pl.DataFrame(
        {column: [visible(row[index]) for row in table.rows] for index, column in enumerate(columns)},
        schema=dict.fromkeys(columns, pl.String),
    )
    left = [column for index, column in enumerate(columns) if index in table.texts and index]
    right = [column for index, column in enumerate(columns) if index not in table.texts]
    great = GT(frame, rowname_col=columns[0], id=name).cols_label(
        {column: visible(title) for column, title in zip(columns[1:], table.header[1:], strict=True)}
    )
    great = great.tab_stubhead(visible(table.header[0])) if table.header[0] else great
    great = great.cols_align("left", left) if left else great
    great = great.cols_align("right", right) if right else great
    found = re.search(r"<table.*</table>", great.as_raw_html(), re.DOTALL)
    assert found is not None
    html = found[0].replace(' id=""', "")  # of a first column without a title
    start = html.index(">") + 1
    caption = Markup("<caption>{}</caption>").format(visible(table.caption)) if table.caption else ""
    return Markup(f"{html[:start]}\n{escape(caption)}{html[start:]}")

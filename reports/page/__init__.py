"""Pages to look at: one self-contained HTML file, and its charts as files.

===================== ===================================================================
``model``             what a page is made of: :class:`~reports.page.model.Page`, sections,
                      charts, tables; needs nothing that is slow to load
``look``              widths, colours and type of charts
``charts``            kinds of charts, each a function from estimates or counts to a chart
``tables``            tables as HTML
``vega``              charts as SVG
``render``            a page as HTML, charts as files
``forest``            forest plots of differences
``curves``            distributions over each other, lines with bands
``grids``             cross tables and heat maps
``sections``          what the pages of all experiments share
``run``, ``compare``, ``sweep``, ``duel``, ``balance``, ``cards``
                      the page of each kind of result
``templates``         the HTML, CSS and script that all pages share
===================== ===================================================================

Every kind of page is a function that returns a ``Page``; ``render.to_html`` does the rest. A result
with a page derives from ``fastsim.page.HasPage`` and has such a function called in ``html_page``; its
command has ``page_options``, calls ``fastsim.page.check`` before it plays and ``save_page`` after. Of
results that derive from ``fastsim.findings.Findings``, ``laid_out`` calls it, and the command's
``show_findings`` saves it.

What these modules need beyond the package's own dependencies is its extra ``page``; only ``model``
and this module are imported without it.
"""

from importlib.util import find_spec

NEEDED = {
    "altair": "altair",
    "vl_convert": "vl-convert-python",
    "great_tables": "great-tables",
    "jinja2": "jinja2",
}
"""Modules that pages need beyond the package's own dependencies, and what installs them."""


def missing() -> list[str]:
    """Return the names of the distributions that pages need and that are not installed."""
    return [name for module, name in NEEDED.items() if find_spec(module) is None]

"""Draw the pictures of the README: the beginnings of a report in a terminal and of its page.

Run it from the project's root, where the extra ``test`` is installed and a Chromium is found:
``python docs/make_pictures.py``.
"""

import io
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

import fastsim

LINES = 26
_PAGE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}"
xmlns="http://www.w3.org/2000/svg" xml:space="preserve">
<title>The beginning of a report</title>
<style>
.{unique_id}-matrix {{
font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
white-space: pre; font-size: {char_height}px;
line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def main() -> None:
    """Play a million hands, and draw the beginnings."""
    result = fastsim.run("cap30", 1_000_000)
    draw_report(result.to_text())
    draw_page(result.to_html())


def draw_page(html: str) -> None:
    """Draw what a browser shows first of a page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1040, "height": 1120})
        page.goto(file.as_uri())
        page.screenshot(path=Path(__file__).with_name("page.png"))
        browser.close()


def draw_report(report: str) -> None:
    """Draw the beginning of a report."""
    console = Console(record=True, width=82, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ fastsim run cap30", style="bold"))
    for line in report.splitlines()[:LINES]:
        console.print(Text(line, style="bold" if "──" in line else ""))
    svg = console.export_svg(title="fastsim", theme=DIMMED_MONOKAI, code_format=_PAGE, unique_id="fastsim")
    Path(__file__).with_name("report.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()

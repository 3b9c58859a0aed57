"""Draw the picture at the top of the README: the beginning of a report as a terminal shows it.

Run it from the project's root: ``python docs/make_picture.py``.
"""

import io
from pathlib import Path

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
    """Play a million hands and draw the beginning of the report."""
    report = fastsim.run("cap30", 1_000_000).to_text()
    console = Console(record=True, width=82, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ fastsim run cap30", style="bold"))
    for line in report.splitlines()[:LINES]:
        console.print(Text(line, style="bold" if "──" in line else ""))
    svg = console.export_svg(title="fastsim", theme=DIMMED_MONOKAI, code_format=_PAGE, unique_id="fastsim")
    Path(__file__).with_name("report.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()

"""``fastsim report``."""

import sys
from pathlib import Path

import click

from fastsim.cli.common import WRITING_FAILED, run_page_options, say
from fastsim.cli.run import Pages, check_histograms, check_pages, format_options, save_pages, show


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--confidence", type=float, help="Of the intervals.  [default: as in the run]")
@format_options
@run_page_options
def report(
    folder: Path,
    confidence: float | None,
    histograms: tuple[str, ...],
    form: str,
    html: Path | None,
    charts: Path | None,
    seconds_a_turn: float | None,
    impact: int | None,
) -> None:  # fmt: skip
    """Show what the run in DIR found, whether it ended, was stopped or still goes on."""
    from fastsim import api

    pages = Pages(html, charts, seconds_a_turn, impact or 0)
    check_pages(pages)
    result = api.report(folder, confidence=confidence, say=say)
    check_histograms(histograms, result.description)
    try:
        show(result, form, histograms)
    finally:
        unsaved = save_pages(result, pages)
    if not result.chunks:
        say(f"nothing was finished yet; go on with: fastsim resume {folder}")
    if unsaved is not None:
        say(str(unsaved))
        sys.exit(WRITING_FAILED)

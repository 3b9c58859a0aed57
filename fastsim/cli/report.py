"""``fastsim report``."""

from pathlib import Path

import click

from fastsim.cli.common import say
from fastsim.cli.run import check_histograms, format_options, show


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--confidence", type=float, help="Of the intervals.  [default: as in the run]")
@format_options
def report(folder: Path, confidence: float | None, histograms: tuple[str, ...], form: str) -> None:
    """Show what the run in DIR found, whether it ended, was stopped or still goes on."""
    from fastsim import api

    result = api.report(folder, confidence=confidence, say=say)
    check_histograms(histograms, result.description)
    show(result, form, histograms)
    if not result.chunks:
        say(f"nothing was finished yet; go on with: fastsim resume {folder}")

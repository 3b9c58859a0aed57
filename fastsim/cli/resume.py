"""``fastsim resume``."""

from pathlib import Path

import click

from fastsim.cli.common import Number, executor_options, run_page_options, say
from fastsim.cli.run import Pages, format_options, play_and_show


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-n", "n", type=Number(), help="How many hands or games in all, to extend the run.  [default: as before]"
)
@click.option("--confidence", type=float, help="Of the intervals.  [default: as before]")
@executor_options
@format_options
@run_page_options
def resume(
    folder: Path,
    n: int | None,
    confidence: float | None,
    threads: int | None,
    executor: str,
    scheduler: str | None,
    histograms: tuple[str, ...],
    form: str,
    html: Path | None,
    charts: Path | None,
    seconds_a_turn: float | None,
    impact: int | None,
) -> None:  # fmt: skip
    """Go on with the run in DIR after whatever stopped it.

    Only what is missing is played. The result is, byte for byte, that of a run that was never stopped.
    """
    from fastsim import api

    before = api.report(folder, say=lambda _: None)  # the damage is said when it is mended
    play_and_show(
        before.experiment,
        before.requested if n is None else n,
        (threads, executor, scheduler),
        (form, histograms),
        Pages(html, charts, seconds_a_turn, impact),
        lambda places, players, progress: api.resume(
            folder, n, confidence=confidence, threads=places, executor=players, progress=progress, say=say
        ),
        folder,
    )

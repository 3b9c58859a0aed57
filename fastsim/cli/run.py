"""``fastsim run``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastsim.cli.common import (
    INTERRUPTED,
    Number,
    compiling,
    console,
    experiment_options,
    progress_bar,
    rules_given,
    say,
)
from fastsim.errors import OutputError

if TYPE_CHECKING:
    from fastsim.result import Result


@click.command()
@click.argument("game")
@click.option("-n", "n", type=Number(), default=1_000_000, show_default=True, help="How many hands or games.")
@experiment_options
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--threads", type=Number(), help="Threads to play in.  [default: one for each processor]")
@click.option(
    "--histogram",
    "histograms",
    metavar="METRIC",
    multiple=True,
    help="Which distributions to draw; may be repeated.  [default: turns]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
    help="How to show the result.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the run to a new folder: manifest, tally and summary.",
)
@click.option(
    "--until",
    "until",
    metavar="METRIC=HALF_WIDTH",
    multiple=True,
    help="Stop when its interval is so narrow, or after -n; may be repeated.",
)
@click.option("--rows", is_flag=True, help="Also write a row for each hand and game to Parquet, in --out.")
def run(
    game: str,
    n: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    policies: tuple[str, ...],
    fixed_seats: bool,
    seed: int,
    confidence: float,
    threads: int | None,
    histograms: tuple[str, ...],
    form: str,
    out: Path | None,
    until: tuple[str, ...],
    rows: bool,
) -> None:  # fmt: skip
    """Play many hands or games of GAME and report what they show."""
    from fastsim import api
    from fastsim.experiment import design

    options = rules_given(settings, options_file)
    experiment = design(game, options, policies or None, fixed_seats, seed, unit)
    check_histograms(histograms, experiment.describe(n))
    targets = {}
    if until:
        from fastsim.until import read_until

        targets = read_until(until)
    with compiling(experiment), progress_bar(unit) as progress:
        failure = None
        try:
            result = api.run_experiment(
                experiment, n, confidence, threads, progress=progress, out=out, rows=rows, until=targets
            )
        except OutputError as error:
            if error.result is None:
                raise
            failure = error
            result = error.result
    show(result, form, histograms)
    if failure is not None:
        raise failure
    if result.interrupted:
        done = sum(stop - first for first, stop in result.chunks)
        say(f"interrupted: {done:,} of {n:,} {unit}s were played, and are shown")
        sys.exit(INTERRUPTED)


def check_histograms(histograms: tuple[str, ...], description: Any) -> None:
    from fastsim.errors import unknown

    drawable = [m.name for m in description.metrics if not m.labels and m.per is None]
    if description.unit == "hand":
        drawable = [m.name for m in description.metrics if m.name in drawable and m.unit == "hand"]
    for name in histograms:
        if name not in drawable:
            raise unknown("metric", name, drawable)


def show(result: "Result", form: str, histograms: tuple[str, ...]) -> None:
    if not result.chunks:
        return
    if form == "table":
        from reports.terminal import render

        render(result.summary, console(), histograms or None)
    else:
        text = {"json": result.to_json, "csv": result.to_csv, "markdown": result.to_markdown}[form]()
        click.echo(text, nl=not text.endswith("\n"))

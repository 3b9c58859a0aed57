"""``fastsim sweep``."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fastsim.cli.common import (
    Number,
    check_page,
    compiling,
    experiment_options,
    findings_options,
    progress_bar,
    rules_given,
    show_findings,
)
from fastsim.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reports.sweeps import Point, Where


@click.command()
@click.argument("game")
@click.option(
    "--vary",
    "vary",
    metavar="OPTION=VALUES",
    multiple=True,
    help="Values to try: 1,2,3 or 1..4 or 10..50:10; may be repeated, for a grid.",
)
@click.option(
    "-n",
    "n",
    type=Number(),
    default=100_000,
    show_default=True,
    help="How many hands or games of each rule set.",
)
@experiment_options
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="What to show; may be repeated.  [default: what starting is worth, and lengths]",
)
@click.option("--goal", metavar="METRIC=VALUE|min|max", help="What the best rule set has.")
@click.option(
    "--where",
    "where",
    metavar="METRIC<VALUE",
    multiple=True,
    help="What the best must satisfy (<, <=, > or >=); may be repeated.",
)
@findings_options
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep a run for each point there; those that are there are not played again.",
)
@click.option("--yes", is_flag=True, help="Play even a very large grid.")
def sweep(
    game: str,
    vary: tuple[str, ...],
    n: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    policies: tuple[str, ...],
    fixed_seats: bool,
    seed: int,
    metrics: tuple[str, ...],
    goal: str | None,
    where: tuple[str, ...],
    confidence: float,
    threads: int | None,
    form: str,
    html: Path | None,
    charts: Path | None,
    out: Path | None,
    yes: bool,
) -> None:  # fmt: skip
    """Play a grid of rule sets of GAME on the same deals, and find the best for a goal.

    With `--format csv` each rule set is printed as soon as it is played.
    For example: `fastsim sweep cap30 --vary starter_extra=0..3 --goal first_player_advantage=0`.
    """
    from fastsim.sweeping import design_grid, sweep_grid
    from reports.sweeps import csv_header, csv_row

    values: dict[str, str] = {}
    for text in vary:
        name, separator, given = (part.strip() for part in text.partition("="))
        if not separator or not name:
            raise UsageError(f"vary was given {text!r}; accepted: OPTION=1,2,3 or OPTION=1..4")
        if name in values:
            raise UsageError(f"option {name} is varied twice; give all its values in one --vary")
        values[name] = given
    common = rules_given(settings, options_file)
    grid = design_grid(game, values, common, policies or None, fixed_seats, seed, unit)
    check_page(html, charts, out)
    kept: tuple[str, ...] = ()

    def start(names: tuple[str, ...]) -> None:
        nonlocal kept
        kept = names
        if form == "csv":
            click.echo(csv_header(tuple(values), names), nl=False)

    def row(point: "Point", limits: "Sequence[Where]") -> None:
        if form == "csv":
            click.echo(csv_row(point, kept, limits), nl=False)
            sys.stdout.flush()

    with compiling(grid.experiment(next(grid.points()))), progress_bar(unit) as progress:
        failure = None
        try:
            result = sweep_grid(
                grid, n, confidence, metrics or None, goal, where, yes, threads, progress, out, start, row
            )
        except OutputError as error:
            if error.result is None:
                raise
            failure, result = error, error.result
    shown = None if form == "csv" else form
    pages = (html, charts)
    show_findings(result, shown, pages, len(result.sweep.points), f"{grid.size:,} rule sets", failure)

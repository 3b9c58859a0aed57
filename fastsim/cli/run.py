"""``fastsim run``."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fastsim.cli.common import (
    DEALS_FOR_CARDS,
    EXCHANGED,
    INTERRUPTED,
    WRITING_FAILED,
    Number,
    adding,
    check_page,
    compiling,
    console,
    executor_options,
    experiment_options,
    form_option,
    progress_bar,
    rules_given,
    run_page_options,
    save_page,
    say,
)
from fastsim.errors import OutputError, WorkerError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fastsim.experiment import Experiment
    from fastsim.impact import ImpactResult
    from fastsim.result import Result


format_options = adding(
    click.option("--histogram", "histograms", metavar="METRIC", multiple=True,
                 help="Which distributions to draw; may be repeated.  [default: turns]"),
    form_option,
)  # fmt: skip
"""How the result of a run is shown."""


@click.command()
@click.argument("game")
@click.option("-n", "n", type=Number(), default=1_000_000, show_default=True, help="How many hands or games.")
@experiment_options
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@executor_options
@format_options
@run_page_options
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the run to a new folder; `fastsim resume DIR` goes on after whatever stops it.",
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
    executor: str,
    scheduler: str | None,
    histograms: tuple[str, ...],
    form: str,
    html: Path | None,
    charts: Path | None,
    seconds_a_turn: float | None,
    impact: int | None,
    out: Path | None,
    until: tuple[str, ...],
    rows: bool,
) -> None:  # fmt: skip
    """Play many hands or games of GAME and report what they show."""
    from fastsim import api
    from fastsim.experiment import design

    options = rules_given(settings, options_file)
    experiment = design(game, options, policies or None, fixed_seats, seed, unit)
    targets = {}
    if until:
        from fastsim.until import read_until

        targets = read_until(until)
    play_and_show(
        experiment,
        n,
        (threads, executor, scheduler),
        (form, histograms),
        Pages(html, charts, seconds_a_turn, impact),
        lambda places, players, progress: api.run_experiment(
            experiment, n, confidence, places, players, progress, out, rows, targets
        ),
        out,
    )


class Pages(NamedTuple):
    """Values of ``run_page_options``."""

    html: Path | None
    charts: Path | None
    seconds_a_turn: float | None
    impact: int | None

    @property
    def deals(self) -> int:
        """How many deals to exchange cards of."""
        return DEALS_FOR_CARDS if self.impact is None else self.impact


def play_and_show(
    experiment: "Experiment",
    n: int,
    who: tuple[int | None, str, str | None],
    how: tuple[str, tuple[str, ...]],
    pages: Pages,
    play: "Callable[[int | None, Executor | None, Callable[[int, int], None] | None], Result]",
    folder: Path | None,
) -> None:
    """Play, show the result, and say what went wrong.

    Parameters
    ----------
    experiment : Experiment
    n : int
    who : tuple
        Values of ``executor_options``.
    how : tuple
        Values of ``format_options``.
    pages : tuple
    play : callable
        Takes how many pieces are played at a time, the executor and the progress to call.
    folder : Path or None
        Where the run is written to.
    """
    from fastsim.executors import players

    threads, executor, scheduler = who
    form, histograms = how
    check_histograms(histograms, experiment.describe(n))
    check_pages(pages, folder)
    failure: OutputError | WorkerError | None = None
    with compiling(experiment), players(executor, experiment, threads, scheduler) as who_plays:
        try:
            with progress_bar(experiment.unit) as progress:
                result = play(who_plays.places, who_plays.executor, progress)
        except (OutputError, WorkerError) as error:
            if error.result is None:
                raise
            failure = error
            result = error.result
    try:
        show(result, form, histograms)
    finally:  # also where who reads standard output has had enough
        unsaved = save_pages(result, pages, threads)
    go_on = f"; go on with: fastsim resume {shlex.quote(str(folder))}" if folder is not None else ""
    if unsaved is not None:
        say(str(unsaved))
    if failure is not None:
        say(f"{failure}{go_on}")
    if failure is not None or unsaved is not None:
        sys.exit(WRITING_FAILED)
    if result.interrupted:
        done = sum(stop - first for first, stop in result.chunks)
        say(f"interrupted: {done:,} of {n:,} {experiment.unit}s were played, and are shown{go_on}")
        sys.exit(INTERRUPTED)


def check_pages(pages: Pages, out: Path | None = None) -> None:
    """Raise ``UsageError`` if a page or charts are asked for that could not be made or written."""
    from fastsim.errors import UsageError, whole_number
    from fastsim.experiment import MOST_GAMES

    for option, given in (("--seconds-a-turn", pages.seconds_a_turn), ("--impact", pages.impact)):
        if given and pages.html is None and pages.charts is None:
            raise UsageError(f"{option} is for the page: give --html FILE or --charts DIR too")
    whole_number("impact", pages.deals, 0, MOST_GAMES)
    if pages.seconds_a_turn is not None:
        from fastsim.page import check_seconds

        check_seconds(pages.seconds_a_turn)
    check_page(pages.html, pages.charts, out)


def save_pages(result: "Result", pages: Pages, threads: int | None = None) -> OutputError | None:
    """Write the page of a run and its charts, if they were asked for; return what went wrong."""
    return save_page(
        lambda: result.html_page(pages.seconds_a_turn, _impact(result, pages, threads)),
        pages.html, pages.charts,
    )  # fmt: skip


def _impact(result: "Result", pages: Pages, threads: int | None) -> "ImpactResult | None":
    """Measure what each card does in the hands of a run, unless it is interrupted."""
    if pages.deals == 0 or result.interrupted or not result.chunks:
        return None
    from fastsim.impact import impact_of

    experiment = replace(result.experiment, unit="hand")
    with compiling(experiment, EXCHANGED), progress_bar("deal") as progress:
        return impact_of(
            experiment, pages.deals, observed=False, confidence=result.confidence, threads=threads,
            progress=progress,
        )  # fmt: skip


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

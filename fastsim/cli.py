"""The command ``fastsim``.

Data goes to standard output; progress and messages to standard error. The exit code is 0 when all
is done, 1 when results could not be written, 2 for wrong usage and 130 after an interrupt (what
was finished is shown all the same).
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastsim.errors import OutputError, UsageError
from fastsim.version import VERSION

if TYPE_CHECKING:
    from fastsim.result import Result

WRITING_FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
_WIDTH_WHEN_PIPED = 80


class Number(click.ParamType[int]):
    """A whole number that may be written as 1e6 or 1_000_000."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; fail with a sentence if it is none."""
        if isinstance(value, int):
            return value
        with contextlib.suppress(ValueError):
            return int(value)
        with contextlib.suppress(ValueError, OverflowError):
            number = float(value)
            if number == int(number):
                return int(number)
        self.fail(f"{value!r} is no whole number; accepted: such as 1000000, 1_000_000 or 1e6", param, ctx)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="fastsim")
def cli() -> None:
    """Play card games by the million, and see how fair, how long and how varied they are.

    Start with `fastsim run cap30`, `fastsim rules cap30` and `fastsim replay cap30`.
    """


def _experiment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what to play."""
    for add in reversed(
        (
            click.option("--unit", type=click.Choice(["hand", "game"]), default="hand", show_default=True,
                         help="Play single hands, or whole games."),
            click.option("--set", "settings", metavar="OPTION=VALUE", multiple=True,
                         help="Change a rule (see `fastsim rules GAME`); may be repeated."),
            click.option("--options", "options_file", metavar="FILE.toml", type=click.Path(path_type=Path),
                         help="Change rules as a TOML file says; --set wins over it."),
            click.option("--policy", "policies", metavar="NAME|FILE.toml", multiple=True,
                         help="How seats choose: one for all, or repeated, one a seat.  [default: balanced]"),
            click.option("--fixed-seats", is_flag=True,
                         help="Keep each policy on its seat, instead of moving them on from game to game."),
            click.option("--seed", type=Number(), default=0, show_default=True,
                         help="The same seed gives the same games."),
        )
    ):  # fmt: skip
        command = add(command)
    return command


def _rules(settings: tuple[str, ...], options_file: Path | None) -> dict[str, object]:
    from fastsim.options import read_assignment, read_toml

    given = read_toml(options_file, "options") if options_file else {}
    return given | dict(read_assignment(text) for text in settings)


@cli.command()
@click.argument("game")
@click.option("-n", "n", type=Number(), default=1_000_000, show_default=True, help="How many hands or games.")
@_experiment_options
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
    rows: bool,
) -> None:  # fmt: skip
    """Play many hands or games of GAME and report what they show."""
    from fastsim import api
    from fastsim.experiment import design

    options = _rules(settings, options_file)
    # Checked before the play as well, so that a wrong metric costs no waiting.
    experiment = design(game, options, policies or None, fixed_seats, seed, unit)
    _check_histograms(histograms, experiment.describe(max(n, 1)))
    with _compiling(game, ""), _progress_bar(unit) as progress:
        failure = None
        try:
            result = api.run(
                game,
                n,
                options=options,
                policy=policies or None,
                fixed_seats=fixed_seats,
                seed=seed,
                unit=unit,
                confidence=confidence,
                threads=threads,
                progress=progress,
                out=out,
                rows=rows,
            )
        except OutputError as error:
            if error.result is None:
                raise
            failure = error
            result = error.result
    _show(result, form, histograms)
    if failure is not None:
        raise failure
    if result.interrupted:
        done = sum(stop - first for first, stop in result.chunks)
        _say(f"interrupted: {done:,} of {n:,} {unit}s were played, and are shown")
        sys.exit(INTERRUPTED)


def _check_histograms(histograms: tuple[str, ...], description: Any) -> None:
    from fastsim.errors import unknown

    drawable = [m.name for m in description.metrics if not m.labels and m.per is None]
    if description.unit == "hand":
        drawable = [m.name for m in description.metrics if m.name in drawable and m.unit == "hand"]
    for name in histograms:
        if name not in drawable:
            raise unknown("metric", name, drawable)


def _show(result: "Result", form: str, histograms: tuple[str, ...]) -> None:
    if not result.chunks:
        return
    if form == "table":
        from rich.console import Console

        from reports.terminal import render

        console = Console(width=None if sys.stdout.isatty() else _WIDTH_WHEN_PIPED, highlight=False)
        render(result.summary, console, histograms or None)
    else:
        text = {"json": result.to_json, "csv": result.to_csv, "markdown": result.to_markdown}[form]()
        click.echo(text, nl=not text.endswith("\n"))


@cli.command()
@click.argument("game")
@click.option(
    "--game",
    "number",
    type=Number(),
    default=0,
    show_default=True,
    help="Which game of the run to play again.",
)
@_experiment_options
def replay(
    game: str,
    number: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    policies: tuple[str, ...],
    fixed_seats: bool,
    seed: int,
) -> None:  # fmt: skip
    """Tell one hand or game of GAME as it was played in a run with the same options and seed."""
    from fastsim import api
    from fastsim.experiment import design

    options = _rules(settings, options_file)
    design(game, options, policies or None, fixed_seats, seed, unit)  # what is wrong is said at once
    with _compiling(game, "-trace"):
        transcript = api.replay(
            game,
            number,
            options=options,
            policy=policies or None,
            fixed_seats=fixed_seats,
            seed=seed,
            unit=unit,
        )
    click.echo(str(transcript))


@cli.command()
def games() -> None:
    """List the games."""
    from fastsim import api

    _table(["game", "what it is"], [[name, summary] for name, summary in api.games().items()])


@cli.command()
@click.argument("game")
def rules(game: str) -> None:
    """List the options of GAME: defaults, what is accepted, and which rules are assumed."""
    from fastsim import api, catalog

    options = api.rules(game)
    _table(
        ["option", "default", "accepted", "rule", "source", "what it sets"],
        [
            [o.name, o.default, f"{o.accepted} {o.unit}".strip(), o.rule, o.status, o.meaning]
            for o in options.values()
        ],
    )
    rulings = catalog.find(game).rulings
    if rulings:
        click.echo("\nReadings of the rules where their source is silent:\n")
        _table(["rule", "source", "what is played"], [[r.rule, r.status, r.text] for r in rulings])


@cli.command()
@click.argument("game")
def policies(game: str) -> None:
    """List the ready-made policies of GAME, with their weights."""
    from fastsim import api

    rows = []
    for policy in api.policies(game).values():
        weights = ", ".join(f"{f} {w:g}" for f, w in (policy.weights or {}).items())
        rows.append([policy.name, policy.summary, weights])
    _table(["policy", "what it does", "weights"], rows)


@cli.command()
@click.argument("game")
def features(game: str) -> None:
    """List what a policy of GAME may weigh."""
    from fastsim import api

    _table(["feature", "what it is"], [[name, text] for name, text in api.features(game).items()])


def _table(titles: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for title in titles:
        table.add_column(title, no_wrap=title == titles[0])
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    Console(width=None if sys.stdout.isatty() else _WIDTH_WHEN_PIPED, highlight=False).print(table)


def _say(message: str) -> None:
    click.echo(f"fastsim: {message}", err=True)


@contextlib.contextmanager
def _compiling(game: str, variant: str) -> Iterator[None]:
    """Say so if kernels will be compiled, or cannot be kept, and remember that they were."""
    from fastsim import catalog

    known = catalog.find(game)  # a wrong name is found out before numba is loaded
    from kernels import cache, jit

    name = known.name + variant
    if jit.note:
        _say(jit.note)
    first = not cache.is_compiled(name)
    if first:
        _say(f"compiling the kernels of {game} (at first use only; some seconds)")
    yield
    if first:
        cache.mark_compiled(name)


@contextlib.contextmanager
def _progress_bar(unit: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show progress, rate and time left on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.fields[done]} " + unit + "s"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, done="0", rate="")

        def update(done: int, total: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f}/s" if speed else ""
            bar.update(task, completed=done, total=total, done=f"{done:,}", rate=rate)

        yield update


def main(arguments: list[str] | None = None) -> None:
    """Run the command: errors in one sentence, and no traceback."""
    try:
        cli.main(args=arguments, prog_name="fastsim", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(WRONG_USAGE)
    except click.ClickException as error:
        _say(_one_line(error.format_message()))
        sys.exit(WRONG_USAGE)
    except UsageError as error:
        _say(_one_line(str(error)))
        sys.exit(WRONG_USAGE)
    except OutputError as error:
        _say(_one_line(str(error)))
        sys.exit(WRITING_FAILED)
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): not an error, and nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _one_line(message: str) -> str:
    return " ".join(message.split())

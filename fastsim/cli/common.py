"""What the commands share: their options, how results and messages are shown."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from fastsim.experiment import Experiment

WRITING_FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
"""Exit codes."""
WIDTH_WHEN_PIPED = 80


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


def experiment_options(command: Callable[..., None]) -> Callable[..., None]:
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


def rules_given(settings: tuple[str, ...], options_file: Path | None) -> dict[str, object]:
    """Return the changes of rules that a command was given."""
    from fastsim.options import read_assignment, read_toml

    given = read_toml(options_file, "options") if options_file else {}
    return given | dict(read_assignment(text) for text in settings)


def console() -> "Console":
    """Return a console for standard output: as wide as the terminal, or 80 columns if it is none."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH_WHEN_PIPED, highlight=False)


def table_of(titles: list[str], rows: list[list[str]]) -> None:
    """Print a table."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for title in titles:
        table.add_column(title, no_wrap=title == titles[0])
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    console().print(table)


def say(message: str) -> None:
    """Print a message to standard error."""
    click.echo(f"fastsim: {message}", err=True)


@contextlib.contextmanager
def compiling(experiment: "Experiment", traced: bool = False) -> Iterator[None]:
    """Say so if kernels will be compiled, or cannot be kept, and remember that they were."""
    from kernels import cache, jit

    # Kernels are compiled apart with and without a trace, and with and without weights.
    weighed = any(policy.weights is not None for policy in experiment.policies)
    name = "-".join([experiment.game_name, "weighed" if weighed else "random", *(["traced"] * traced)])
    if jit.note:
        say(jit.note)
    first = not cache.is_compiled(name)
    if first:
        say(f"compiling the kernel of {experiment.game_name} (at first use only; some seconds)")
    yield
    if first:
        cache.mark_compiled(name)


@contextlib.contextmanager
def progress_bar(unit: str) -> Iterator[Callable[[int, int], None] | None]:
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


def show_page(result: Any, form: str) -> None:
    """Print what an experiment found: as a page, or as the text of another form."""
    if form == "table":
        out = console()
        if out.is_terminal and not out.options.ascii_only:
            out.print(result.page())
        else:
            click.echo(result.to_text(out.width), nl=False)
        return
    text = {"json": result.to_json, "csv": result.to_csv, "markdown": result.to_markdown}[form]()
    click.echo(text, nl=not text.endswith("\n"))

"""What the commands share: their options, how results and messages are shown."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from fastsim.errors import OutputError
    from fastsim.experiment import Experiment
    from fastsim.findings import Findings
    from reports.page.model import Page

WRITING_FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
"""Exit codes."""
PLAIN, TRACED, EXCHANGED = "", "traced", "exchanged"
"""Variants of a kernel: playing alone, telling what happens, exchanging cards after the deal."""
WIDTH_WHEN_PIPED = 80
WIDEST = 100
_TOO_LARGE = Decimal(10) ** 30


Command = TypeVar("Command", bound=Callable[..., Any])


class Written(int):
    """A number that an error repeats as it was written."""

    written: str

    def __repr__(self) -> str:
        return self.written


class Number(click.ParamType[int]):
    """A whole number that may be written as 1e6 or 1_000_000."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; fail with a sentence if it is none."""
        if isinstance(value, int):
            return value
        with contextlib.suppress(ArithmeticError, ValueError):
            exact = Decimal(value)
            if exact == exact.to_integral_value():
                # What is too large for every option need not be written out in digits.
                number = Written(exact if abs(exact) < _TOO_LARGE else _TOO_LARGE.copy_sign(exact))
                number.written = value
                return number
        from fastsim.errors import UsageError, quoted

        name = param.opts[0] if param else "a number"
        raise UsageError(
            f"{name} was given {quoted(value)}; accepted: a whole number, such as 1000000, 1_000_000 or 1e6"
        )


def adding(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


rule_options = adding(
    click.option("--unit", type=click.Choice(["hand", "game"]), default="hand", show_default=True,
                 help="Play single hands, or whole games."),
    click.option("--set", "settings", metavar="OPTION=VALUE", multiple=True,
                 help="Change a rule (see `fastsim rules GAME`); may be repeated."),
    click.option("--options", "options_file", metavar="FILE.toml", type=click.Path(path_type=Path),
                 help="Change rules as a TOML file says; --set wins over it."),
    click.option("--seed", type=Number(), default=0, show_default=True,
                 help="The same seed gives the same games."),
)  # fmt: skip
"""By which rules to play."""

experiment_options = adding(
    rule_options,
    click.option("--policy", "policies", metavar="NAME|FILE.toml", multiple=True,
                 help="How seats choose: one for all, or repeated, one a seat.  [default: balanced]"),
    click.option("--fixed-seats", is_flag=True,
                 help="Keep each policy on its seat, instead of moving them on from game to game."),
)  # fmt: skip
"""What to play: rules, and who plays."""

executor_options = adding(
    click.option("--threads", type=Number(),
                 help="Threads or processes to play in.  [default: one for each processor]"),
    click.option("--executor", type=click.Choice(["threads", "processes", "dask"]), default="threads",
                 show_default=True, help="Who plays: this process, others here, or a Dask cluster."),
    click.option("--scheduler", metavar="ADDRESS", help="Of the Dask cluster, as tcp://10.0.0.1:8786."),
)  # fmt: skip
"""Who plays the pieces of a run."""

form_option = click.option("--format", "form", type=click.Choice(["table", "json", "csv", "markdown"]),
                           default="table", show_default=True, help="How to show the result.")  # fmt: skip

page_options = adding(
    click.option("--html", metavar="FILE", type=click.Path(path_type=Path),
                 help="Also write a page to look at: one file that needs nothing else."),
    click.option("--charts", metavar="DIR", type=click.Path(path_type=Path),
                 help="Also write the page's charts to a folder, as SVG and PNG."),
)  # fmt: skip
"""Where a page and its charts go."""

findings_options = adding(
    click.option("--confidence", type=float, default=0.95, show_default=True,
                 help="Of intervals and verdicts."),
    click.option("--threads", type=Number(), help="Threads to play in.  [default: one for each processor]"),
    form_option,
    page_options,
)  # fmt: skip
"""How sure an experiment is to be, and how what it found is shown."""

seconds_a_turn = click.option(
    "--seconds-a-turn", type=float, help="How long people take for a turn: gives the time at the table."
)

DEALS_FOR_CARDS = 10_000
run_page_options = adding(
    page_options,
    seconds_a_turn,
    click.option("--impact", type=Number(), metavar="NUMBER",
                 help="Deals to exchange cards of, for what each card does; 0 for none.  "
                      f"[default: {DEALS_FOR_CARDS}, and 0 in `fastsim report`]"),
)  # fmt: skip
"""Where the page of a run goes, and what it tells beyond the run."""


def check_page(html: Path | None, charts: Path | None, out: Path | None = None) -> None:
    """Raise ``UsageError`` if a page or charts are asked for that could not be made or written."""
    if html is not None or charts is not None:
        from fastsim.page import check

        check(html, charts, out)


def save_page(make: Callable[[], "Page"], html: Path | None, charts: Path | None) -> "OutputError | None":
    """Write a page and its charts, if they were asked for; return what went wrong.

    ``fastsim.page.check`` has looked before the play whether they can be written.
    """
    if html is None and charts is None:
        return None
    from fastsim.errors import OutputError
    from fastsim.page import save

    try:
        save(make(), html, charts)
    except OutputError as error:
        return error
    return None


def rules_given(settings: tuple[str, ...], options_file: Path | None) -> dict[str, object]:
    """Return the changes of rules that a command was given."""
    from fastsim.errors import UsageError, quoted
    from fastsim.options import read_assignment, read_toml

    given = read_toml(options_file, "options") if options_file else {}
    changes: dict[str, object] = {}
    for name, value in (read_assignment(text) for text in settings):
        if changes.setdefault(name, value) != value:
            raise UsageError(f"option {name} is set twice, to {quoted(changes[name])} and to {quoted(value)}")
    return given | changes


def console() -> "Console":
    """Return a console for standard output: as wide as the terminal, or 80 columns if it is none."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # which is no failure of the command; rich would exit with 1

    return Output(width=None if sys.stdout.isatty() else WIDTH_WHEN_PIPED, highlight=False)


def entries(title: str, rows: Iterable[tuple[str, str, str]]) -> None:
    """Print a list under a title: names, and beside each what it is, above the details."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, meaning, detail in rows:
        table.add_row(Text(name), Text(meaning))
        if detail:
            table.add_row(Text(), Text(detail, style="dim"))
    out = console()
    with out.capture() as captured:
        out.print(Text(title), "", table, sep="\n", width=min(out.width, WIDEST))
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def say(message: str) -> None:
    """Print a message to standard error."""
    click.echo(f"fastsim: {message}", err=True)


@contextlib.contextmanager
def compiling(experiment: "Experiment", *variants: str) -> Iterator[None]:
    """Say so if kernels will be compiled, or cannot be kept, and remember that they were.

    Kernels are compiled apart for each variant (PLAIN, the default; TRACED; EXCHANGED), with and
    without weights, and for each variant of the game's own rules.
    """
    from kernels import cache, jit

    weighed = any(policy.weights is not None for policy in experiment.policies)
    of_rules = experiment.game.variant(experiment.options)
    stem = "-".join(
        part for part in (experiment.game_name, of_rules, "weighed" if weighed else "random") if part
    )
    names = [f"{stem}-{variant}" if variant else stem for variant in variants or (PLAIN,)]
    if jit.note:
        say(jit.note)
    missing = [name for name in names if not cache.is_compiled(name)]
    if missing:
        say(f"compiling the kernel of {experiment.game_name} (at first use only; some seconds)")
    yield
    for name in missing:
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


def show_findings(
    result: "Findings",
    form: str | None,
    pages: tuple[Path | None, Path | None],
    done: int,
    asked: str,
    failure: Exception | None = None,
    without: Sequence[str] = (),
) -> None:
    """Show what an experiment found, write its page, say if it was interrupted, or raise why it failed.

    Parameters
    ----------
    result : Findings
    form : str or None
        Value of ``form_option``; None if it was shown while it was played.
    pages : tuple
        Values of ``page_options``.
    done : int
        How much was played.
    asked : str
        How much was to be played, and what it is: ``"1,000 hands"``.
    failure : Exception, optional
    without : sequence of str
        What an interrupt left out.
    """
    try:
        if done and form is not None:
            show_page(result, form)
    finally:  # also where who reads standard output has had enough
        unsaved = save_page(result.html_page, *pages)
    if unsaved is not None:
        say(str(unsaved))
    if failure is not None:
        raise failure
    if unsaved is not None:
        sys.exit(WRITING_FAILED)
    if result.interrupted:
        left_out = f"; not measured: {', '.join(without)}" if without else ""
        say(f"interrupted: {done:,} of {asked} were played" + ", and are shown" * bool(done) + left_out)
        sys.exit(INTERRUPTED)


def show_page(result: "Findings", form: str) -> None:
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

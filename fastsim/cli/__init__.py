"""The command ``fastsim``: one module for each subcommand.

Data goes to standard output; progress and messages to standard error. The exit code is 0 when all
is done, 1 when results could not be written, 2 for wrong usage and 130 after an interrupt (what
was finished is shown all the same).
"""

import atexit
import gc
import io
import os
import re
import sys
from pathlib import Path

import click

from fastsim.cli import balance, cards, compare, duel, lists, replay, report, resume, run, sweep
from fastsim.cli.common import INTERRUPTED, WRITING_FAILED, WRONG_USAGE, say
from fastsim.errors import OutputError, UsageError, WorkerError, quoted
from fastsim.version import VERSION


class Commands(click.Group):
    """The subcommands, none of which fails because its reader had enough (`| head`)."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _drop_output()
            return ctx.exit(0)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="fastsim", message="%(prog)s %(version)s")
def cli() -> None:
    """Play card games by the million, and see how fair, how long and how varied they are.

    Start with `fastsim run cap30`, `fastsim rules cap30` and `fastsim replay cap30`.
    """


for _command in (
    run.run,
    compare.compare,
    sweep.sweep,
    duel.duel,
    balance.balance,
    cards.cards,
    resume.resume,
    report.report,
    replay.replay,
    lists.games,
    lists.rules,
    lists.policies,
    lists.features,
):
    cli.add_command(_command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command: errors in one sentence, and no traceback."""
    # Collecting all objects of numba once more on the way out takes a third of a second.
    atexit.register(gc.freeze)
    if sys.stdout is None:  # closed by whoever started us (`>&-`); Python then prints to nowhere
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (open for as long as the process lives)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # what the terminal has no sign for
    try:
        _refuse_empty(sys.argv[1:] if arguments is None else arguments)
        cli.main(args=arguments, prog_name="fastsim", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(WRONG_USAGE)
    except click.ClickException as error:
        say(_one_line(error.format_message()))
        sys.exit(WRONG_USAGE)
    except UsageError as error:
        say(_one_line(str(error)))
        sys.exit(WRONG_USAGE)
    except (OutputError, WorkerError) as error:
        say(_one_line(str(error)))
        sys.exit(WRITING_FAILED)
    except (KeyboardInterrupt, click.Abort):
        say("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _drop_output()
        sys.exit(0)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.filename is not None:
            say(f"cannot use {quoted(Path(str(error.filename)))}: {reason}")
            sys.exit(WRONG_USAGE)
        say(f"cannot write to standard output: {reason}")
        _drop_output()
        sys.exit(WRITING_FAILED)


def _refuse_empty(arguments: list[str]) -> None:
    for before, argument in zip(["", *arguments], arguments, strict=False):
        name = argument.removesuffix("=") if re.fullmatch("--[a-z-]+=", argument) else before
        if not argument or name != before:
            raise UsageError(f"the value after {name!r} is empty" if name else "the first argument is empty")


def _drop_output() -> None:
    """Let what is still to be printed go nowhere, so that printing it does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(message: str) -> str:
    return " ".join(message.replace("a valid float", "a number").split())

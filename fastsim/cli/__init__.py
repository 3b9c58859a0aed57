"""The command ``fastsim``: one module for each subcommand.

Data goes to standard output; progress and messages to standard error. The exit code is 0 when all
is done, 1 when results could not be written, 2 for wrong usage and 130 after an interrupt (what
was finished is shown all the same).
"""

import os
import sys

import click

from fastsim.cli import balance, compare, duel, lists, replay, run, sweep
from fastsim.cli.common import INTERRUPTED, WRITING_FAILED, WRONG_USAGE, say
from fastsim.errors import OutputError, UsageError
from fastsim.version import VERSION


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="fastsim")
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
    replay.replay,
    lists.games,
    lists.rules,
    lists.policies,
    lists.features,
):
    cli.add_command(_command)


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
        say(_one_line(error.format_message()))
        sys.exit(WRONG_USAGE)
    except UsageError as error:
        say(_one_line(str(error)))
        sys.exit(WRONG_USAGE)
    except OutputError as error:
        say(_one_line(str(error)))
        sys.exit(WRITING_FAILED)
    except (KeyboardInterrupt, click.Abort):
        say("interrupted")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): not an error, and nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _one_line(message: str) -> str:
    return " ".join(message.split())

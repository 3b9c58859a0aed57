"""``fastsim duel``."""

import sys
from pathlib import Path

import click

from fastsim.cli.common import INTERRUPTED, Number, compiling, progress_bar, rules_given, say, show_page


@click.command()
@click.argument("game")
@click.option(
    "--policy",
    "policies",
    metavar="NAME|FILE.toml",
    multiple=True,
    help="Who plays; give at least two, and at least one a seat.",
)
@click.option(
    "-n",
    "n",
    type=Number(),
    default=100_000,
    show_default=True,
    help="Deals of each table; each is played once from every seat.",
)
@click.option(
    "--unit",
    type=click.Choice(["hand", "game"]),
    default="hand",
    show_default=True,
    help="Play single hands, or whole games.",
)
@click.option(
    "--set",
    "settings",
    metavar="OPTION=VALUE",
    multiple=True,
    help="Change a rule (see `fastsim rules GAME`); may be repeated.",
)
@click.option(
    "--options",
    "options_file",
    metavar="FILE.toml",
    type=click.Path(path_type=Path),
    help="Change rules as a TOML file says; --set wins over it.",
)
@click.option(
    "--seed", type=Number(), default=0, show_default=True, help="The same seed gives the same games."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of intervals and verdicts.")
@click.option("--threads", type=Number(), help="Threads to play in.  [default: one for each processor]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "markdown"]),
    default="table",
    show_default=True,
    help="How to show the result.",
)
def duel(
    game: str,
    policies: tuple[str, ...],
    n: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    seed: int,
    confidence: float,
    threads: int | None,
    form: str,
) -> None:  # fmt: skip
    """Let policies of GAME play each other, every deal from every seat, and say who is better.

    For example: `fastsim duel cap30 --policy balanced --policy greedy`.
    """
    from fastsim.dueling import design_duel, duel_of

    tables = design_duel(game, policies, rules_given(settings, options_file), seed, unit)
    with compiling(tables.seatings[0]), progress_bar("deal") as progress:
        result = duel_of(tables, n, confidence, threads, progress=progress)
    done = result.duel.deals
    if done:
        show_page(result, form)
    if result.interrupted:
        say(f"interrupted: {done:,} of {n:,} deals were played" + ", and are shown" * bool(done))
        sys.exit(INTERRUPTED)

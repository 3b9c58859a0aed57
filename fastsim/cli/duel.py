"""``fastsim duel``."""

from pathlib import Path

import click

from fastsim.cli.common import (
    Number,
    check_page,
    compiling,
    findings_options,
    progress_bar,
    rule_options,
    rules_given,
    show_findings,
)


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
@rule_options
@findings_options
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
    html: Path | None,
    charts: Path | None,
) -> None:  # fmt: skip
    """Let policies of GAME play each other, every deal from every seat, and say who is better.

    For example: `fastsim duel cap30 --policy balanced --policy greedy`.
    """
    from fastsim.dueling import design_duel, duel_of

    tables = design_duel(game, policies, rules_given(settings, options_file), seed, unit)
    check_page(html, charts)
    with compiling(tables.seatings[0]), progress_bar("deal") as progress:
        result = duel_of(tables, n, confidence, threads, progress=progress)
    show_findings(result, form, (html, charts), result.duel.deals, f"{n:,} deals")

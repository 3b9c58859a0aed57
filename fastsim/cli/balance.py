"""``fastsim balance``."""

from pathlib import Path

import click

from fastsim.cli.common import (
    PLAIN,
    TRACED,
    Number,
    check_page,
    compiling,
    experiment_options,
    findings_options,
    progress_bar,
    rules_given,
    seconds_a_turn,
    show_findings,
)


@click.command()
@click.argument("game")
@click.option("-n", "n", type=Number(), default=100_000, show_default=True, help="How many hands or games.")
@experiment_options
@seconds_a_turn
@findings_options
def balance(
    game: str,
    n: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    policies: tuple[str, ...],
    fixed_seats: bool,
    seed: int,
    seconds_a_turn: float | None,
    confidence: float,
    threads: int | None,
    form: str,
    html: Path | None,
    charts: Path | None,
) -> None:  # fmt: skip
    """Measure how balanced, varied and skilful GAME is, each measure with its definition."""
    from fastsim.balancing import balance_of
    from fastsim.experiment import design

    options = rules_given(settings, options_file)
    experiment = design(game, options, policies or None, fixed_seats, seed, unit)
    check_page(html, charts)
    with compiling(experiment, PLAIN, TRACED), progress_bar(unit) as progress:
        result = balance_of(experiment, options, n, confidence, seconds_a_turn, threads, progress)
    show_findings(
        result, form, (html, charts), result.balance.n, f"{n:,} {unit}s", without=result.balance.missing
    )

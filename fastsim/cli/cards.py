"""``fastsim cards``."""

from pathlib import Path

import click

from fastsim.cli.common import (
    EXCHANGED,
    TRACED,
    Number,
    check_page,
    compiling,
    experiment_options,
    findings_options,
    progress_bar,
    rules_given,
    show_findings,
)


@click.command()
@click.argument("game")
@click.option(
    "-n",
    "n",
    type=Number(),
    default=100_000,
    show_default=True,
    help="Hands to follow, and deals to play once as they are and once for each card.",
)
@experiment_options
@click.option("--observed", is_flag=True, help="Only win rates of who was dealt a card or held it.")
@click.option("--causal", is_flag=True, help="Only what exchanging a card of a starting hand changes.")
@findings_options
def cards(
    game: str,
    n: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    policies: tuple[str, ...],
    fixed_seats: bool,
    seed: int,
    observed: bool,
    causal: bool,
    confidence: float,
    threads: int | None,
    form: str,
    html: Path | None,
    charts: Path | None,
) -> None:  # fmt: skip
    """Measure what each card of GAME does for who holds it: observed, and by exchanging cards."""
    from fastsim.experiment import design
    from fastsim.impact import impact_of

    options = rules_given(settings, options_file)
    experiment = design(game, options, policies or None, fixed_seats, seed, unit)
    check_page(html, charts)
    both = observed == causal
    variants = [TRACED] * (observed or both) + [EXCHANGED] * (causal or both)
    with compiling(experiment, *variants), progress_bar("hand") as progress:
        result = impact_of(experiment, n, observed or both, causal or both, confidence, threads, progress)
    found = result.impact
    asked = f"{n * len(variants):,} hands and deals with exchanges"
    show_findings(result, form, (html, charts), found.observed + found.exchanged, asked)

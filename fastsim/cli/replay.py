"""``fastsim replay``."""

from pathlib import Path

import click

from fastsim.cli.common import TRACED, Number, compiling, experiment_options, rules_given


@click.command(short_help="Tell one hand or game of GAME as it was played.")
@click.argument("game")
@click.option(
    "--game",
    "number",
    type=Number(),
    default=0,
    show_default=True,
    help="Which game of the run to play again.",
)
@experiment_options
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
    from fastsim.experiment import design
    from fastsim.transcript import trace

    options = rules_given(settings, options_file)
    experiment = design(game, options, policies or None, fixed_seats, seed, unit)
    with compiling(experiment, TRACED):
        transcript = trace(experiment, number)
    click.echo(str(transcript))

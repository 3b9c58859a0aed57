"""``fastsim compare``."""

from pathlib import Path

import click

from fastsim.cli.common import (
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
    "--a",
    "a",
    metavar='"OPTION=VALUE ..."',
    multiple=True,
    help="What makes rule set A; nothing: the rules as they are.",
)
@click.option("--b", "b", metavar='"OPTION=VALUE ..."', multiple=True, help="What makes rule set B.")
@click.option(
    "-n",
    "n",
    type=Number(),
    default=1_000_000,
    show_default=True,
    help="How many hands or games of each; with --until the most.",
)
@experiment_options
@click.option(
    "--margin",
    "margins",
    metavar="NUMBER%|METRIC=NUMBER",
    multiple=True,
    help="Smaller differences count as none; may be repeated.  [default: 1% of A's value]",
)
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="What to compare; may be repeated.  [default: everything]",
)
@click.option(
    "--until", metavar="decided", help="Stop once win rates and lengths, or each --metric, are decided."
)
@findings_options
def compare(
    game: str,
    a: tuple[str, ...],
    b: tuple[str, ...],
    n: int,
    unit: str,
    settings: tuple[str, ...],
    options_file: Path | None,
    policies: tuple[str, ...],
    fixed_seats: bool,
    seed: int,
    margins: tuple[str, ...],
    metrics: tuple[str, ...],
    until: str | None,
    confidence: float,
    threads: int | None,
    form: str,
    html: Path | None,
    charts: Path | None,
) -> None:  # fmt: skip
    """Play two rule sets of GAME on the same deals, and say what differs and how sure that is.

    For example: `fastsim compare cap30 --a "starter_extra=0" --b "starter_extra=1"`.
    """
    from fastsim.comparing import DEFAULT_MARGIN, compare_pair, design_pair

    common = rules_given(settings, options_file)
    pair = design_pair(game, _changes(a), _changes(b), common, policies or None, fixed_seats, seed, unit)
    check_page(html, charts)
    with compiling(pair.a), progress_bar(unit) as progress:
        result = compare_pair(
            pair, n, confidence, margins or DEFAULT_MARGIN, metrics or None, until, threads, progress=progress
        )
    show_findings(result, form, (html, charts), result.comparison.a.n, f"{n:,} {unit}s of each rule set")


def _changes(given: tuple[str, ...]) -> dict[str, object]:
    from fastsim.comparing import split_assignments
    from fastsim.options import read_assignment

    return dict(read_assignment(part) for text in given for part in split_assignments(text))

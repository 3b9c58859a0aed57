"""``python -m benchmarks``: print the table; ``--quick`` for a short look that everything runs."""

import click

from benchmarks import cap30, command, games, honesty
from benchmarks.measure import Line, table


@click.command()
@click.option("--quick", is_flag=True, help="Small samples: the figures mean little.")
def main(quick: bool) -> None:
    """Measure fastsim beside its peers and print a Markdown table."""
    hands, repeats = (20_000, 1) if quick else (1_000_000, 5)
    long_run, longest_run = (100_000, 500_000) if quick else (20_000_000, 50_000_000)
    lines: list[Line] = []
    for measured in (
        lambda: cap30.beside_c(hands, repeats),
        lambda: cap30.beside_the_referee(hands, repeats),
        lambda: cap30.policies(hands, repeats),
        lambda: cap30.power_up(hands, repeats),
        lambda: cap30.threads(4 * hands, repeats),
        lambda: cap30.counting(hands, repeats),
        lambda: command.whole(long_run, min(repeats, 2)),
        lambda: command.memory(longest_run, 1),
        lambda: command.start(repeats),
        lambda: command.loading(repeats),
        lambda: command.page(repeats),
        lambda: games.beside_their_referees(hands, repeats),
        lambda: games.beside_open_spiel(hands // 10),
        games.compiling,
        lambda: honesty.lines(*((60, 5) if quick else (2000, 20))),
    ):
        lines += measured()
        click.echo(f"{lines[-1].what}: {lines[-1].figures}", err=True)
    click.echo(table(lines))


main()

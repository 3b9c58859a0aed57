"""``fastsim games``, ``rules``, ``policies`` and ``features``: what there is."""

import click

from fastsim.cli.common import table_of


@click.command()
def games() -> None:
    """List the games."""
    from fastsim import api

    table_of(["game", "what it is"], [[name, summary] for name, summary in api.games().items()])


@click.command()
@click.argument("game")
def rules(game: str) -> None:
    """List the options of GAME: defaults, what is accepted, and which rules are assumed."""
    from fastsim import api, catalog

    options = api.rules(game)
    table_of(
        ["option", "default", "accepted", "rule", "source", "what it sets"],
        [
            [o.name, o.default, f"{o.accepted} {o.unit}".strip(), o.rule, o.status, o.meaning]
            for o in options.values()
        ],
    )
    rulings = catalog.find(game).rulings
    if rulings:
        click.echo("\nReadings of the rules where their source is silent:\n")
        table_of(["rule", "source", "what is played"], [[r.rule, r.status, r.text] for r in rulings])


@click.command()
@click.argument("game")
def policies(game: str) -> None:
    """List the ready-made policies of GAME, with their weights."""
    from fastsim import api

    rows = []
    for policy in api.policies(game).values():
        weights = ", ".join(f"{f} {w:g}" for f, w in (policy.weights or {}).items())
        rows.append([policy.name, policy.summary, weights])
    table_of(["policy", "what it does", "weights"], rows)


@click.command()
@click.argument("game")
def features(game: str) -> None:
    """List what a policy of GAME may weigh."""
    from fastsim import api

    table_of(["feature", "what it is"], [[name, text] for name, text in api.features(game).items()])

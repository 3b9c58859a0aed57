"""``fastsim games``, ``rules``, ``policies`` and ``features``: what there is."""

import click

from fastsim.cli.common import console, entries

_STATUS = {"stated": "", "ruling": ", a ruling", "assumed": ", assumed"}


@click.command()
def games() -> None:
    """List the games."""
    from fastsim import api

    entries("Games:", ((name, summary, "") for name, summary in api.games().items()))


@click.command(short_help="List the options of GAME, and what its rules assume.")
@click.argument("game")
def rules(game: str) -> None:
    """List the options of GAME: defaults, what is accepted, and which rules are assumed.

    Change one with `--set OPTION=VALUE`, or several with a TOML file and `--options`.
    """
    from fastsim import api, catalog

    options = api.rules(game).values()
    found = catalog.find(game)
    entries(
        f"{found.title}: what can be changed with --set OPTION=VALUE",
        (
            (
                o.name,
                o.meaning,
                f"default {o.default}; accepted: {f'{o.accepted} {o.unit}'.strip()}; "
                f"rule {o.rule}{_STATUS[o.status]}",
            )
            for o in options
        ),
    )
    if found.rulings:
        click.echo()
        entries(
            "What is played where the source of the rules is silent:",
            ((f"{r.rule}{_STATUS[r.status]}", r.text, "") for r in found.rulings),
        )
    notes = {
        "ruling": "A ruling: the source is silent or ambiguous, and this is how it is read.",
        "assumed": "Assumed: the source needs a number or a list that it does not give.",
    }
    used = {o.status for o in options} | {r.status for r in found.rulings}
    if shown := [note for status, note in notes.items() if status in used]:
        click.echo()
        for note in shown:
            click.echo(click.wrap_text(note, console().width))


@click.command()
@click.argument("game")
def policies(game: str) -> None:
    """List the ready-made policies of GAME, with their weights."""
    from fastsim import api, catalog

    rows = []
    for policy in api.policies(game).values():
        weights = ", ".join(f"{f}={w:g}" for f, w in (policy.weights or {}).items())
        noise = f"; temperature {policy.temperature:g}" if policy.temperature else ""
        rows.append((policy.name, policy.summary, weights + noise))
    entries(f"{catalog.find(game).title}: policies for --policy, with the weights of their features", rows)


@click.command()
@click.argument("game")
def features(game: str) -> None:
    """List what a policy of GAME may weigh."""
    from fastsim import api, catalog

    title = f"{catalog.find(game).title}: features of a move, for the [weights] of a policy file"
    entries(title, ((name, text, "") for name, text in api.features(game).items()))

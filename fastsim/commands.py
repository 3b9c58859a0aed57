"""The command lines that play comparisons, sweeps, duels and measures again.

Each is a tuple of the parts of the line, quoted for a shell. Policies that were made in Python, and not
read from a file, are named and cannot be read back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fastsim.experiment import Experiment
from fastsim.options import shown
from reports import wording

if TYPE_CHECKING:
    from fastsim.comparing import Pair
    from fastsim.dueling import Tables
    from fastsim.sweeping import Grid

CONFIDENCE = 0.95
"""Which every command has by default."""

Command = tuple[str, ...]


def compare_command(
    pair: "Pair",
    n: int,
    confidence: float,
    margin: str | Sequence[str],
    metrics: Sequence[str] | None,
    until: str | None,
) -> Command:
    """Return the command line of a comparison: what A and B share is set, the rest is of A or B."""
    a, b = pair.a.describe(n), pair.b.describe(n)
    sides = [{name: wording.assignment(side, name) for name in side.changed} for side in (a, b)]
    shared = [name for name in sides[0] if sides[0][name] == sides[1].get(name)]
    special = [
        [f"--{side}", text]
        for side, given in zip("ab", sides, strict=True)
        for name, text in given.items()
        if name not in shared
    ]
    special += [["--margin", each] for each in ([margin] if isinstance(margin, str) else margin)]
    special += [["--metric", each] for each in metrics or ()]
    special += [["--until", until]] if until else []
    return tuple(wording.command_of("compare", a, special + _sure(confidence), shared))


def sweep_command(
    grid: "Grid",
    n: int,
    confidence: float,
    metrics: Sequence[str] | None,
    goal: str | None,
    where: Sequence[str],
    yes: bool,
) -> Command:
    """Return the command line of a sweep."""
    special = [["--vary", f"{name}={_values(values)}"] for name, values in grid.vary.items()]
    special += [["--metric", each] for each in metrics or ()]
    special += [["--goal", goal]] if goal else []
    special += [["--where", each] for each in where]
    special += [["--yes"]] if yes else []
    first = grid.experiment(next(grid.points())).describe(n)
    return tuple(wording.command_of("sweep", first, special + _sure(confidence), list(grid.given)))


def duel_command(tables: "Tables", n: int, confidence: float) -> Command:
    """Return the command line of a duel."""
    # Whose seats are fixed seating by seating, which the verb knows.
    description = replace(tables.seatings[0].describe(n), fixed_seats=False)
    policies = [policy.name for policy in tables.policies]
    return tuple(wording.command_of("duel", description, _sure(confidence), policies=policies))


def balance_command(
    experiment: Experiment, n: int, confidence: float, seconds_a_turn: float | None
) -> Command:
    """Return the command line of measures of balance."""
    special = [] if seconds_a_turn is None else [["--seconds-a-turn", repr(float(seconds_a_turn))]]
    return tuple(wording.command_of("balance", experiment.describe(n), special + _sure(confidence)))


def cards_command(experiment: Experiment, n: int, observed: bool, causal: bool, confidence: float) -> Command:
    """Return the command line of what each card does."""
    special = [] if observed == causal else [["--observed" if observed else "--causal"]]
    return tuple(wording.command_of("cards", experiment.describe(n), special + _sure(confidence)))


def _sure(confidence: float) -> list[list[str]]:
    return [] if confidence == CONFIDENCE else [["--confidence", repr(float(confidence))]]


def _values(values: Sequence[object]) -> str:
    """Return values to vary as the command line takes them: ``1..4`` if they only count up."""
    texts = [json.dumps(each) if isinstance(each, Mapping | list) else shown(each) for each in values]
    if len(texts) > 2 and all(text.isascii() and text.isdigit() for text in texts):
        first = int(texts[0])
        if texts == [str(first + index) for index in range(len(texts))]:
            return f"{texts[0]}..{texts[-1]}"
    return ",".join(texts)

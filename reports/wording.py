"""The sentences that every readable report shares: what was played, how it ended, how to run it again."""

import json
import math
import shlex
from collections.abc import Iterable, Sequence

from reports.description import RunDescription
from reports.intervals import wilson
from reports.rounding import UNKNOWN, count, interval, percent
from reports.summary import Spread, Summary

RARE = 0.1
"""Below this, a share is said as one in so many."""

FIRST_PLAYER = "first_player_advantage"
"""Name of what starting is worth, where a statistic is asked for."""

_MARKUP = frozenset("\\`*_[]<>|~&$")


def visible(text: str) -> str:
    """Return a name or text from outside on one line, with characters that cannot be seen replaced."""
    return "".join(
        character if character.isprintable() else " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def markdown(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return "".join(f"\\{each}" if each in _MARKUP else each for each in visible(text))


def option_value(value: object) -> str:
    """Return an option's value as the command line takes it."""
    return value if isinstance(value, str) else json.dumps(value)


def headline(summary: Summary) -> str:
    """Return what was played, how often and by how many: ``"Cap30: 200,000 hands, 2 players"``."""
    description = summary.description
    played = number_of(summary.n, description.unit)
    if description.unit == "game":
        played += f" ({count(summary.hands)} hands)"
    players = description.options.get("players", description.sides)
    who = f"{players} players" + ("" if description.side == "seat" else f" on {description.sides} sides")
    return f"{visible(description.title)}: {played}, {who}"


def number_of(n: int, what: str) -> str:
    """Return a number and what is counted, in the plural unless it is one."""
    return f"{count(n)} {what}{'' if n == 1 else 's'}"


def stopped_early(summary: Summary) -> str | None:
    """Return a sentence if the run counted fewer than were asked for."""
    description = summary.description
    if description.until:
        wanted = ", ".join(f"{name} to ± {width:g}" for name, width in description.until.items())
        if until_reached(summary):
            return f"Stopped after {number_of(summary.n, description.unit)}, as soon as it knew {wanted}."
        return f"Played {number_of(summary.n, description.unit)}, which was not enough to know {wanted}."
    if summary.n >= description.requested:
        return None
    asked = f"{number_of(description.requested, description.unit)} asked for"
    intervals = " The intervals below are those of what was played." if summary.n else ""
    return f"Stopped early: {count(summary.n)} of the {asked}.{intervals}"


def until_reached(summary: Summary) -> bool:
    """Return whether all intervals that a run was to narrow are as narrow as was asked."""
    for name, width in summary.description.until.items():
        estimate = (
            summary.first_player.advantage if name == FIRST_PLAYER else summary.statistics[name].estimate
        )
        if estimate.half_width is None or estimate.half_width > width:
            return False
    return True


def confidence(summary: Summary) -> str:
    """Return how sure the intervals are, and of what kind where that matters."""
    sure = f"at {100 * summary.confidence:g}% confidence"
    if summary.description.until:
        sure += ", and valid at every look (confidence sequences)"
    return sure


def who_played(description: RunDescription) -> str:
    """Return who held which seat."""
    names = [visible(name) for name in description.policies]
    if len(names) == 1:
        return f"{names[0]} at every seat"
    if description.fixed_seats:
        return ", ".join(f"{name} at seat {seat}" for seat, name in enumerate(names))
    return ", ".join(names) + ", taking turns at every seat"


def changed_options(description: RunDescription) -> str:
    """Return the options that differ from their defaults, or that none does."""
    changed = [f"{name} = {option_value(description.options[name])}" for name in description.changed]
    return visible(", ".join(changed)) or "all at their defaults"


def command(description: RunDescription) -> list[str]:
    """Return the parts of the command line that plays the same again, quoted for a shell."""
    until = [["--until", f"{name}={width!r}"] for name, width in description.until.items()]
    return command_of("run", description, until)


def command_of(
    verb: str,
    description: RunDescription,
    special: Iterable[Sequence[str]] = (),
    settings: Sequence[str] | None = None,
    policies: Sequence[str] | None = None,
) -> list[str]:
    """Return the parts of the command line of any experiment, quoted for a shell.

    Parameters
    ----------
    verb : str
        ``"run"``, ``"compare"``, ...
    description : RunDescription
    special : iterable of sequences of str
        Options of this verb alone, each with its value.
    settings : sequence of str, optional
        Rules to set; by default those that differ from the defaults.
    policies : sequence of str, optional
        By default those of the description.
    """
    parts = [
        ["fastsim", verb, description.game],
        ["-n", str(description.requested)],
        ["--unit", description.unit],
    ]
    names = description.changed if settings is None else settings
    parts += [["--set", assignment(description, name)] for name in names]
    parts += [["--policy", name] for name in (description.policies if policies is None else policies)]
    parts += [["--fixed-seats"]] if description.fixed_seats else []
    return [visible(shlex.join(part)) for part in [*parts, *special, ["--seed", str(description.seed)]]]


def assignment(description: RunDescription, name: str) -> str:
    """Return an option with its value, as the command line takes them."""
    return f"{name}={option_value(description.options[name])}"


def endings(summary: Summary) -> list[tuple[str, int, str, str]]:
    """Return how hands (and games) ended: words, count, percentage, and its interval.

    Ways that never occurred are among them, with how rare they must be.
    """
    side = summary.description.side
    words = {
        "won": f"won by one {side}",
        "shared": f"shared by several {side}s",
        "nobody": "won by nobody",
        **summary.description.endings,
        "games_won": f"games won by one {side}",
        "games_shared": f"games shared by several {side}s",
        "games_nobody": "games won by nobody",
    }
    rows = []
    for name, number in summary.ended.items():
        of = summary.n if name.startswith("games_") else summary.hands
        share = number / of if of else 0.0
        # Hands of one game may be alike; counting games and not hands as trials allows for the worst.
        low, high = wilson(share * summary.n, summary.n, summary.confidence) or (0.0, 1.0)
        half_width = (high - low) / 2
        if number == 0 and high < RARE:
            between = f"at most 1 in {count(math.floor(1 / high))}"
        elif number == 0:
            between = f"at most {percent(high, half_width)}"
        elif number == of:
            between = f"at least {percent(low, half_width)}"
        else:
            between = interval(low, high)
        exact = number in (0, of)
        rows.append((visible(words[name]), number, percent(share, 0 if exact else half_width), between))
    return rows


def quantiles(spread: Spread | None) -> tuple[str, str, str, str]:
    """Return the 5%, 50% and 95% quantiles and the maximum; blanks for a metric without a histogram."""
    if spread is None:
        return "", "", "", ""
    p05, median, p95, largest = (
        UNKNOWN if value is None else count(value)
        for value in (spread.p05, spread.median, spread.p95, spread.max)
    )
    return p05, median, p95, largest

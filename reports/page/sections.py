"""Items that the pages of all experiments share: what was assumed, and how to play it again."""

from collections.abc import Iterator, Mapping, Sequence

from reports import wording
from reports.description import RunDescription
from reports.page.model import Item, Table, Text

ASSUMED = (
    ("ruling", "Rulings, where the rules can be read in more than one way"),
    ("assumed", "Assumptions, where the rules give no number"),
)

Cells = tuple[str, ...]


def assumed(
    description: RunDescription, more: Sequence[Cells] = (), leave_out: Sequence[str] = ()
) -> Iterator[Table]:
    """Yield tables of the rules whose sources do not say what was played.

    Parameters
    ----------
    description : RunDescription
    more : sequence of (str, str, str)
        Rule, option and text of further assumptions.
    leave_out : sequence of str
        Options that had more than one value.
    """

    def named(option: str) -> str:
        if option not in description.options or option in leave_out:
            return option
        return f"{option} = {wording.option_value(description.options[option])}"

    for status, title in ASSUMED:
        rows: list[Cells] = [
            (each.rule, named(each.option), each.text)
            for each in description.assumptions
            if each.status == status
        ]
        rows += more if status == "assumed" else []
        if rows:
            yield Table(title, ("rule", "option", "what was played"), tuple(rows), texts=(0, 1, 2))


def again(
    command: Sequence[str],
    description: RunDescription,
    played: Sequence[tuple[str, str]],
    made_with: Mapping[str, str],
    leave_out: Sequence[str] = (),
) -> Iterator[Item]:
    """Yield the command line, the options that were set, the seed and the versions.

    Parameters
    ----------
    command : sequence of str
        Parts of the line; none if there is no such line.
    description : RunDescription
    played : sequence of (str, str)
        What was played how often.
    made_with : mapping of str to str
        Versions by name.
    leave_out : sequence of str
        Options that the page tells of elsewhere.
    """
    if command:
        yield Text(" ".join(command), "command")
    yield Text(f"The same seed and version (fastsim {description.version}) play the same games.")
    changed = [options_row(description, name) for name in description.changed if name not in leave_out]
    if changed:
        header = ("option", "here", "default", "what it sets")
        yield Table("Options that differ from the default", header, tuple(changed), texts=(0, 1, 2, 3))
    rows = [
        ("seed", str(description.seed)),
        *played,
        ("fastsim", description.version),
        *made_with.items(),
    ]
    yield Table("Seed and versions", ("", ""), tuple(rows), note="The page was made with these versions.")


def policies(description: RunDescription) -> Iterator[Table]:
    """Yield a table of what each policy weighs, so that policies of files can be made again."""
    distinct = {(each.name, str(each.weights), each.temperature): each for each in description.policy_texts}
    told = list(distinct.values())
    features = dict.fromkeys(feature for each in told for feature in each.weights or {})
    if not features:
        return
    rows = [
        (feature, *(_weight(each.weights.get(feature)) if each.weights is not None else "" for each in told))
        for feature in features
    ]
    rows.append(("temperature", *(_weight(each.temperature) if each.weights else "" for each in told)))
    note = "A policy plays the move whose features have the largest weighted sum; random weighs nothing."
    yield Table("What the policies weigh", ("feature", *(each.name for each in told)), tuple(rows), note=note)


def _weight(weight: float | None) -> str:
    return "" if weight is None else f"{weight:.12g}"


def options_row(description: RunDescription, name: str) -> Cells:
    """Return name, value, default and meaning of an option."""
    told = description.option_texts.get(name)
    return (
        name,
        wording.option_value(description.options[name]),
        told.default if told else "",
        f"{told.meaning} ({told.rule})" if told else "",
    )


def footer(description: RunDescription) -> str:
    """Return by what a page was made."""
    return f"Made by fastsim {description.version}, which plays card games by the million."

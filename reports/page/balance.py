"""The page of measures of balance."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reports import balance as measures
from reports.balance import Balance, Measure
from reports.page import charts, sections
from reports.page.model import Chart, Fact, Item, Page, Section, Table
from reports.rounding import UNKNOWN, count, error, rounded
from reports.wording import visible

MOST_FACTS = 5


def balance_page(
    balance: Balance, interrupted: bool = False, made_with: Mapping[str, str] | None = None
) -> Page:
    """Return the page of measures; ``made_with`` are versions by name."""
    description = balance.description
    played: tuple[Section, ...] = ()
    if balance.n:
        played = (
            Section("measures", "Measures", tuple(_measures(balance))),
            Section("sources", "Where the definitions come from", tuple(_sources(balance))),
        )
    sizes = [(f"{description.unit}s", count(balance.n))]
    return Page(
        title=measures.headline(balance),
        verdict=balance.verdict if balance.n else "Nothing was finished yet.",
        # What was stopped is said above.
        opening=tuple(f"{line}." for line in measures.opening(balance) if not line.startswith("Stopped")),
        warning=_warning(balance, interrupted),
        facts=tuple(_facts(balance)) if balance.n else (),
        sections=(
            *played,
            Section("assumed", "What is assumed", tuple(sections.assumed(description))),
            Section(
                "again",
                "How to run it again",
                tuple(sections.again(balance.command, description, sizes, made_with or {})),
            ),
        ),
        footer=sections.footer(description),
    )


def _warning(balance: Balance, interrupted: bool) -> str:
    requested, unit = balance.description.requested, balance.description.unit
    if balance.n < requested:
        return f"Stopped early: {count(balance.n)} of the {count(requested)} {unit}s asked for."
    return f"Stopped early: without {', '.join(balance.missing)}." if interrupted else ""


def _label(each: Measure) -> str:
    text = visible(each.name.replace("_", " "))
    return text[:1].upper() + text[1:]


def _facts(balance: Balance) -> Iterator[Fact]:
    known = [each for each in balance.measures if each.estimate.value is not None]
    for each in known[:MOST_FACTS]:
        value = rounded(each.estimate.value, each.estimate.half_width)
        yield Fact(_label(each), value, error(each.estimate))


def _measures(balance: Balance) -> Iterator[Item]:
    within = [each for each in balance.measures if _is_within(each)]
    if within:
        yield _chart("within", "Measures that lie between 0 and 1", within)
    rows = tuple(
        (
            _label(each),
            rounded(each.estimate.value, each.estimate.half_width),
            error(each.estimate) if each.estimate.value is not None else "",
            count(balance.n if each.n is None else each.n),
            each.definition,
        )
        for each in balance.measures
    )
    note = f"from: how many {balance.description.unit}s, or deals, it comes from."
    if any(each.estimate.value is None for each in balance.measures):
        note += f" {UNKNOWN}: not measured."
    header = ("", "value", "error", "from", "what it is")
    yield Table("All measures", header, rows, texts=(0, 4), note=note)


def _is_within(each: Measure) -> bool:
    ends = (each.estimate.low, each.estimate.value, each.estimate.high)
    return all(end is not None and 0 <= end <= 1 for end in ends)


def _chart(name: str, title: str, shown: list[Measure]) -> Chart:
    chart = charts.intervals(
        name,
        title,
        [(_label(each), each.estimate) for each in shown],
        header=("", "value", "error"),
        note="Dots are estimates, and bands their intervals. What 0 and 1 mean is in the table below.",
        domain=(0.0, 1.0),
    )
    return replace(chart, wide=True)


def _sources(balance: Balance) -> Iterator[Item]:
    by_source: dict[str, list[str]] = {}
    for each in balance.measures:
        if each.source:
            by_source.setdefault(each.source, []).append(_label(each))
    rows = tuple((", ".join(names), source) for source, names in by_source.items())
    if rows:
        yield Table("Sources", ("measure", "source"), rows, texts=(0, 1))

"""The page of a duel of policies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reports import duels
from reports.duels import Duel, Matchup, Standing
from reports.page import charts, sections
from reports.page.charts import error_text, value_text
from reports.page.grids import Cell, grid
from reports.page.model import Chart, Fact, Item, Page, Section, Table
from reports.rounding import count, error, interval, percent, rounded
from reports.wording import visible

BLUE_AND_ORANGE = "Orange is more than an even share, blue less; the stronger the colour, the more."


def duel_page(duel: Duel, interrupted: bool = False, made_with: Mapping[str, str] | None = None) -> Page:
    """Return the page of a duel; ``made_with`` are versions by name."""
    description = duel.description
    played: tuple[Section, ...] = ()
    if duel.deals:
        played = (
            Section("wins", "Who wins", tuple(_who_wins(duel))),
            Section("ratings", "Ratings", tuple(_ratings(duel))),
            Section("standings", "Table by table", tuple(_standings(duel))),
            Section("policies", "What each policy does", tuple(_numbers(duel))),
        )
    sizes = [("deals of each table", count(duel.deals)), (f"{description.unit}s in all", count(duel.games))]
    return Page(
        title=duels.headline(duel),
        verdict=_verdict(duel) if duel.deals else "Nothing was finished yet.",
        # What was stopped is said above.
        opening=tuple(f"{line}." for line in duels.opening(duel) if not line.startswith("Stopped")),
        warning=f"Stopped early: {count(duel.deals)} of the {count(duel.requested)} deals asked for."
        if interrupted
        else "",
        facts=tuple(_facts(duel)) if duel.deals else (),
        sections=(
            *played,
            Section("assumed", "What is assumed", tuple(sections.assumed(description))),
            Section(
                "again",
                "How to run it again",
                tuple(sections.again(duel.command, description, sizes, made_with or {})),
            ),
        ),
        footer=sections.footer(description),
    )


def _verdict(duel: Duel) -> str:
    """Return who is the best, whom it beats, and with which share."""
    if len(duel.matchups) == 1:
        return next(duels.conclusions(duel))
    best = _order(duel)[0]
    found = _standings_of(duel, best)
    beaten, lost, open_ = (
        [_others(table, best) for table, one in found if one.verdict == verdict]
        for verdict in ("better", "worse", "undecided")
    )
    share = percent(_average(duel, best), 0.005)
    name = visible(best)
    if len(beaten) == len(found):
        against = f"wins more than its share at every one of {len(found)} tables"
        if _pairs(duel):
            against = f"beats every one of the {len(found)} others"
        return f"{name} is the best: it {against}, with {share} of the wins on average."
    rest = [
        f"undecided against {'; '.join(open_)}" if open_ else "",
        f"worse against {'; '.join(lost)}" if lost else "",
    ]
    told = ", ".join(filter(None, rest))
    better = f"better against {'; '.join(beaten)}, " if beaten else ""
    return f"{name} does best, with {share} of the wins on average: {better}{told}."


def _pairs(duel: Duel) -> bool:
    """Whether two meet at a table."""
    return len(duel.matchups[0].standings) == 2


def _standings_of(duel: Duel, policy: str) -> list[tuple[Matchup, Standing]]:
    return [(table, one) for table in duel.matchups for one in table.standings if one.policy == policy]


def _others(table: Matchup, policy: str) -> str:
    return " and ".join(visible(one.policy) for one in table.standings if one.policy != policy)


def _average(duel: Duel, policy: str) -> float:
    shares = [one.share.value or 0.0 for _, one in _standings_of(duel, policy)]
    return sum(shares) / len(shares)


def _order(duel: Duel) -> list[str]:
    """Return the policies, those that win most first."""
    return sorted(duel.policies, key=lambda policy: -_average(duel, policy))


def _facts(duel: Duel) -> Iterator[Fact]:
    ratings = {each.policy: each.rating for each in duel.ratings}
    order = _order(duel)
    for policy in order[:4]:
        found = _standings_of(duel, policy)
        if len(found) == 1:
            share = found[0][1].share
            detail = f"{interval(share.low, share.high)}; {100 * found[0][0].fair:.3g}% is even"
            yield Fact(policy, percent(share.value, share.half_width), detail)
        else:
            detail = "of the wins, on average"
            if policy in ratings:
                rating = ratings[policy]
                detail += f"; rated {_signed(rounded(rating.value, rating.half_width))} {error(rating)}"
            yield Fact(policy, percent(_average(duel, policy), 0.005), detail)
    saved = [each.saved for each in duel.matchups if each.saved]
    if saved:
        yield Fact("Games saved by sharing deals", f"{min(saved):.1f}x", "as many fresh deals, or more")


def _signed(text: str) -> str:
    return text.replace("-", "−") if text.startswith(("-", "0")) else f"+{text}"


def _who_wins(duel: Duel) -> Iterator[Item]:
    if len(duel.matchups) == 1:
        yield _one_table(duel)
    elif _pairs(duel):
        yield replace(_cross_table(duel), wide=True)
    else:
        yield replace(_by_table(duel), wide=True)


def _one_table(duel: Duel) -> Chart:
    (table,) = duel.matchups
    best = max(table.standings, key=lambda one: one.share.value or 0.0)
    chart = charts.intervals(
        "wins",
        f"Share of the {duel.description.unit}s won",
        [
            (one.policy, one.share)
            for one in sorted(table.standings, key=lambda one: -(one.share.value or 0.0))
        ],
        shares=True,
        axis=f"share of the {duel.description.unit}s that somebody won",
        accent=[best.policy] if best.verdict == "better" else [],
        header=("policy", "share", "error"),
        note="Dots are estimates, and bands their intervals. Every deal is played once from every seat.",
        reference=(f"an even {100 * table.fair:.3g}%", table.fair),
    )
    return replace(chart, wide=True)


def _cell(one: Standing, against: str) -> Cell:
    share = one.share.value or 0.0
    texts = (
        percent(share, one.share.half_width),
        f"{100 * share:.1f}%",
        f"{100 * share:.0f}%",
        f"{100 * share:.0f}",
    )
    off = error_text(one.share, shares=True)
    return Cell(
        share,
        texts,
        f"{visible(one.policy)} {against}: {texts[0]} {off}, {one.verdict}",
        off,
    )


def _cell_text(one: Standing | None) -> str:
    if one is None:
        return ""
    return f"{value_text(one.share, shares=True)} {error_text(one.share, shares=True)}"


def _cross_table(duel: Duel) -> Chart:
    """Return what each policy wins against each other one."""
    order = _order(duel)
    found: dict[tuple[int, int], Standing] = {}
    for table in duel.matchups:
        for one, other in (table.standings, tuple(reversed(table.standings))):
            found[order.index(one.policy), order.index(other.policy)] = one
    cells = {at: _cell(one, f"against {visible(order[at[1]])}") for at, one in found.items()}
    rows = tuple(
        (row, *(_cell_text(found.get((index, at))) for at in range(len(order))))
        for index, row in enumerate(order)
    )
    title = "What the row wins against the column"
    return grid(
        "wins",
        title,
        order,
        order,
        cells,
        titles=("", ""),
        middle=0.5,
        scale=_scale(duel),
        says=f"{_verdict(duel)} {'; '.join(cell.says for cell in cells.values())}.",
        table=Table(title, ("", *order), rows),
        note=f"Read along a row: its share of what somebody won. {BLUE_AND_ORANGE}",
    )


def _by_table(duel: Duel) -> Chart:
    """Return what each policy wins at each table, for tables of more than two."""
    order = _order(duel)
    names = [_table_name(duel, number) for number in range(len(duel.matchups))]
    found = {
        (order.index(one.policy), number): one
        for number, table in enumerate(duel.matchups)
        for one in table.standings
    }
    cells = {at: _cell(one, f"at {names[at[1]]}") for at, one in found.items()}
    rows = tuple(
        (row, *(_cell_text(found.get((index, at))) for at in range(len(names))))
        for index, row in enumerate(order)
    )
    title = "What each policy wins at each table"
    return grid(
        "wins",
        title,
        order,
        names,
        cells,
        titles=("", ""),
        middle=duel.matchups[0].fair,
        scale=_scale(duel),
        says=f"{_verdict(duel)} {'; '.join(cell.says for cell in cells.values())}.",
        table=Table(title, ("", *names), rows),
        note=f"Shares of what somebody won. {BLUE_AND_ORANGE}",
    )


def _table_name(duel: Duel, number: int) -> str:
    """Return who is missing at a table, or its number if several are."""
    there = {one.policy for one in duel.matchups[number].standings}
    missing = [policy for policy in duel.policies if policy not in there]
    return f"without {missing[0]}" if len(missing) == 1 else f"table {number + 1}"


def _scale(duel: Duel) -> tuple[float, float]:
    shares = [one.share.value or 0.0 for table in duel.matchups for one in table.standings]
    return min(shares), max(shares)


def _ratings(duel: Duel) -> Iterator[Item]:
    if not duel.ratings:
        return
    rows = sorted(
        ((each.policy, each.rating) for each in duel.ratings), key=lambda row: -(row[1].value or 0.0)
    )
    chart = charts.intervals(
        "ratings",
        "Strength on one scale",
        rows,
        axis="rating",
        header=("policy", "rating", "error"),
        note="Bradley-Terry ratings: the average is 0, and 400 points are tenfold odds. They suppose that "
        "strength is one number; where A beats B beats C beats A they mislead.",
        reference=("average", 0.0),
    )
    yield replace(chart, wide=True)


def _standings(duel: Duel) -> Iterator[Table]:
    _, header, rows = duels.TABLES[0]
    title = ("table", "policy", "share", "error", "p", "verdict")
    assert len(title) == len(header)
    note = " ".join(line for line in duels.notes(duel) if not line.startswith("Ratings suppose"))
    yield Table("", title, tuple(rows(duel)), texts=(0, 1, 5), note=note)


def _numbers(duel: Duel) -> Iterator[Table]:
    if not duel.numbers:
        return
    meanings = {metric.name: metric.meaning for metric in duel.description.metrics}
    order: Sequence[str] = _order(duel)
    rows = []
    for metric, by_policy in duel.numbers.items():
        cells = [
            f"{rounded(by_policy[policy].value, by_policy[policy].half_width)} {error(by_policy[policy])}"
            if policy in by_policy
            else ""
            for policy in order
        ]
        rows.append((meanings.get(metric, metric), *cells))
    yield Table(f"Means a {duel.description.unit}", ("", *order), tuple(rows))

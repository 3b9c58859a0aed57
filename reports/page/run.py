"""The page of a run."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reports import wording
from reports.description import Metric, Picture
from reports.impact import CardImpact
from reports.intervals import Estimate, ratio_of_means
from reports.page import charts, sections
from reports.page.cards import effects
from reports.page.model import Chart, Fact, Item, Page, Section, Table
from reports.playing_time import PlayingTime, playing_time
from reports.rounding import UNKNOWN, count, error, interval, percent, rounded
from reports.sequences import plain_confidence
from reports.summary import Statistic, Summary, WinRate, named_metrics

SECONDS_A_TURN = 15.0
"""Assumed, where nobody says how long people take for a turn."""

KINDS: Mapping[str, Callable[..., Chart]] = {
    "columns": charts.columns,
    "bars": charts.bars,
    "intervals": charts.intervals,
}

LONG = 120
"""Minutes from which on hours are said too."""

NUMBERS = ("", "mean", "median", "9 in 10", "most")


def run_page(
    summary: Summary,
    seconds_a_turn: float | None = None,
    made_with: Mapping[str, str] | None = None,
    impact: CardImpact | None = None,
) -> Page:
    """Return the page of a run.

    Parameters
    ----------
    summary : Summary
    seconds_a_turn : float, optional
        How long people take for a turn; assumed if it is not given.
    made_with : mapping of str to str, optional
        Versions of what the page was made with, by name.
    impact : CardImpact, optional
        What each card is worth, shown with what the cards do.
    """
    description = summary.description
    time = playing_time(summary, SECONDS_A_TURN if seconds_a_turn is None else seconds_a_turn)
    assumed_time = seconds_a_turn is None
    sizes = [(f"{description.unit}s", count(summary.n))]
    people = ("", "--seconds-a-turn", f"people take {SECONDS_A_TURN:g} seconds a turn")
    assumed = sections.assumed(description, [people] if assumed_time and time is not None else [])
    again = sections.again(wording.command(description), description, sizes, made_with or {})
    stopped = wording.stopped_early(summary)
    as_wanted = bool(description.until) and wording.until_reached(summary)
    effect = tuple(effects(impact)) if impact is not None else ()
    found: tuple[Section, ...] = ()
    if summary.n:
        found = (
            Section("seats", "Who wins", tuple(_who_wins(summary))),
            Section("length", "How long it lasts", tuple(_length(summary, time, assumed_time))),
            Section("endings", _how_it_ends(description.unit), tuple(_endings(summary))),
            Section(
                "cards",
                "What each card does",
                (*_parts(summary, "cards"), *effect),
            ),
            Section("game", f"What is special in {description.title}", tuple(_pictures(summary))),
            Section("pace", "Choices and pace", tuple(_pace(summary))),
            Section("by-seat", f"By {description.side}", tuple(_by_seat(summary))),
        )
    return Page(
        title=wording.headline(summary),
        verdict=summary.first_player.verdict if summary.n else "Nothing was finished yet.",
        opening=(
            f"Policies: {wording.who_played(description)}.",
            f"Options: {wording.changed_options(description)}.",
            f"All intervals, ± or from-to, are {wording.confidence(summary)}."
            + " Where it says 9 in 10, the lowest and the highest 5% are left out." * bool(summary.n),
            *([stopped] if as_wanted and stopped else []),
        ),
        warning="" if as_wanted else stopped or "",
        facts=tuple(_facts(summary, time, assumed_time)) if summary.n else (),
        sections=(
            *found,
            Section("assumed", "What is assumed", tuple(assumed)),
            Section("again", "How to run it again", (*again, *sections.policies(description))),
        ),
        footer=sections.footer(description),
    )


def _how_it_ends(unit: str) -> str:
    return "How hands end" if unit == "hand" else "How hands and games end"


def _facts(summary: Summary, time: PlayingTime | None, assumed_time: bool) -> Iterator[Fact]:
    description = summary.description
    first = summary.seats[0].rate
    yield Fact(
        f"Wins of the {description.side} that starts",
        percent(first.value, first.half_width),
        f"{interval(first.low, first.high)}; {_fair(len(summary.seats))} is fair",
    )
    metrics = named_metrics(description)
    for name in _lengths(summary)[:1]:
        spread = summary.spreads[name]
        middle = UNKNOWN if spread.median is None else count(spread.median)
        yield Fact(
            f"Length of a {metrics[name].unit}, median",
            f"{middle} {name}",
            f"9 in 10: {_nine_in_ten(spread)}",
        )
    if time is not None:
        assumed = ", assumed" if assumed_time else ""
        seconds = f"at {time.seconds:g} seconds a {time.metric.removesuffix('s')}{assumed}"
        between = f"9 in 10: {_minutes(time.p05)}–{_minutes(time.p95)}, " if time.p95 is not None else ""
        hours = f"{time.mean / 60:.1f} hours, " if time.mean >= LONG else ""
        yield Fact(
            f"At the table, a {description.unit}",
            f"{_minutes(time.mean)} minutes",
            hours + between + seconds,
        )
    if "branching" in summary.statistics:
        branching = summary.statistics["branching"].estimate
        forced = summary.statistics["forced_share"].estimate
        yield Fact(
            "Choices at a decision",
            rounded(branching.value, branching.half_width),
            f"{percent(forced.value, forced.half_width)} of decisions offer one only",
        )
    ended = {words: (share, between) for words, _, share, between in wording.endings(summary)}
    share, between = ended["won by nobody"]
    yield Fact("Hands won by nobody", share, between)


def _who_wins(summary: Summary) -> Iterator[Item]:
    description = summary.description
    side, unit = description.side, description.unit
    yield _win_chart("seats", f"Wins by {side}", summary.seats, side, unit)
    if summary.policies:
        yield _win_chart("policies", "Wins by policy", summary.policies, "policy", unit)


def _win_chart(name: str, title: str, rates: Sequence[WinRate], what: str, unit: str) -> Chart:
    fair = 1 / len(rates)
    chart = charts.intervals(
        name,
        title,
        [(each.name, each.rate) for each in rates],
        shares=True,
        reference=(f"a fair {_fair(len(rates))}", fair),
        axis=f"share of {unit}s won",
        note="Dots are estimates, and bands their intervals. Who shares a win gets a part of it.",
    )
    rows = tuple(
        (
            each.name,
            count(float(each.wins)),
            percent(each.rate.value, each.rate.half_width),
            interval(each.rate.low, each.rate.high),
        )
        for each in rates
    )
    return replace(chart, table=Table(title, (what, "wins", "share", "interval"), rows))


def _fair(sides: int) -> str:
    return f"{100 / sides:.3g}%"


def _lengths(summary: Summary) -> list[str]:
    """Return the metrics that say how long it lasts and that vary, those of the run's unit first."""
    metrics = named_metrics(summary.description)
    names = [
        name
        for name, spread in summary.spreads.items()
        if metrics[name].role == "length" and spread.max is not None
    ]
    return sorted(names, key=lambda name: metrics[name].unit != summary.description.unit)


def _length(summary: Summary, time: PlayingTime | None, assumed_time: bool) -> Iterator[Item]:
    metrics = named_metrics(summary.description)
    names = [name for name in _lengths(summary) if summary.spreads[name].min != summary.spreads[name].max]
    for name in names:
        title = f"{_title(name)} a {metrics[name].unit}"
        yield _histogram(summary, name, metrics[name], title)
    rows = _numbers(summary, _lengths(summary))
    note = ""
    if time is not None:
        median = "" if time.median is None else _minutes(time.median)
        between = "" if time.p05 is None else f"{_minutes(time.p05)}–{_minutes(time.p95)}"
        what = f"minutes at the table, a {summary.description.unit}"
        longest = "" if time.max is None else _minutes(time.max)
        rows.append((what, _minutes(time.mean), median, between, longest))
        note = f"Minutes are those of play, at {time.seconds:g} seconds for each of the {time.metric}" + (
            ", which is assumed." if assumed_time else "."
        )
    if rows:
        yield Table("In numbers", NUMBERS, tuple(rows), note=note)


def _minutes(minutes: float | None) -> str:
    """Return minutes as people say them: tenths below ten, whole ones above."""
    if minutes is None:
        return UNKNOWN
    return f"{minutes:,.1f}" if minutes < 10 else f"{minutes:,.0f}"


def _histogram(
    summary: Summary, name: str, metric: Metric, title: str, picture: Picture | None = None
) -> Chart:
    counts = summary.tally.counts(metric.unit, metric.name)
    return charts.histogram(
        _file(name),
        title,
        counts["value"].to_numpy(),
        counts["n"].to_numpy(),
        of=f"{metric.unit}s",
        axis=picture.axis if picture is not None and picture.axis else metric.meaning,
        note=picture.note if picture is not None else "",
    )


def _numbers(summary: Summary, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return rows of ``NUMBERS`` for metrics that are one number."""
    meanings = summary.numbers()
    rows: list[tuple[str, ...]] = []
    for name in names:
        estimate = summary.statistics[name].estimate
        spread = summary.spreads.get(name)
        known = spread is not None and spread.median is not None
        rows.append(
            (
                _meaning(name, meanings[name]),
                f"{rounded(estimate.value, estimate.half_width)} {error(estimate)}",
                count(spread.median) if spread is not None and spread.median is not None else "",
                _nine_in_ten(spread) if known else "",
                count(spread.max) if spread is not None and spread.max is not None else "",
            )
        )
    return rows


def _meaning(name: str, meaning: str) -> str:
    """Return what a metric counts, and its name where that says something else."""
    plain = name.replace("_", " ")
    return meaning if meaning.startswith(plain) else f"{meaning} ({name})"


def _nine_in_ten(spread: object) -> str:
    low, high = getattr(spread, "p05", None), getattr(spread, "p95", None)
    if low is None or high is None:
        return UNKNOWN
    return count(low) if low == high else f"{count(low)}{'–' if low >= 0 else ' to '}{count(high)}"


def _title(name: str) -> str:
    return name.replace("_", " ").replace("hand.", "").capitalize()


def _file(name: str) -> str:
    return name.replace(".", "_")


def _role(summary: Summary, role: str) -> list[str]:
    """Return the metrics of a role that are one number and vary or are worth saying."""
    description = summary.description
    metrics = named_metrics(description)
    names = [
        name
        for name, metric in metrics.items()
        if metric.role == role and not metric.labels and metric.name not in description.endings
    ]
    if role == "pace":
        names += [name for name in summary.numbers() if name not in metrics]
    return names


def _parts(summary: Summary, role: str) -> Iterator[Chart]:
    """Yield a chart of each metric of a role that has parts and no picture of its own."""
    for name, metric in named_metrics(summary.description).items():
        replaced = metric.picture is not None and metric.picture.by is None
        if metric.role == role and metric.labels and not replaced:
            yield charts.bars(
                _file(name),
                _sentence(metric.meaning),
                _estimates(summary.parts(name)),
                axis=f"mean a {metric.unit}",
                header=("", "mean", "error"),
            )


def _estimates(parts: Sequence[tuple[str, Statistic]]) -> list[tuple[str, Estimate]]:
    return [(_label(label), statistic.estimate) for label, statistic in parts]


def _label(label: str) -> str:
    """Return the label of a part as people write it: ``seat 0`` and not ``seat0``."""
    return re.sub(r"^(seat|side)(?=\d+$)", r"\1 ", label)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _endings(summary: Summary) -> Iterator[Item]:
    yield Table(
        "Endings",
        ("", "count", "share", "interval"),
        tuple(
            (words, count(number), share, between)
            for words, number, share, between in wording.endings(summary)
        ),
    )
    yield from _parts(summary, "ends")
    if rows := _numbers(summary, _role(summary, "ends")):
        yield Table("At the end", NUMBERS, tuple(rows))


def _pictures(summary: Summary) -> Iterator[Chart]:
    for name, metric in named_metrics(summary.description).items():
        if metric.picture is not None:
            yield from _picture(summary, name, metric, metric.picture)


def _picture(summary: Summary, name: str, metric: Metric, picture: Picture) -> Iterator[Chart]:
    if picture.kind == "histogram":
        parts = [summary.tally.counts(metric.unit, metric.name, key) for key in metric.labels or (-1,)]
        values, counts = _added([(each["value"].to_numpy(), each["n"].to_numpy()) for each in parts])
        if len(values):
            yield charts.histogram(
                _file(name),
                picture.title,
                values,
                counts,
                of=f"{metric.unit}s" + (f" and {summary.description.side}s" if metric.labels else ""),
                axis=picture.axis or metric.meaning,
                note=picture.note,
            )
        return
    rows = _estimates(summary.parts(name))
    if picture.by is not None:
        rows = _ratios(summary, rows, dict(_estimates(summary.parts(picture.by))))
        name = f"{name}_by_{picture.by}"
    shares = picture.share or picture.by is not None
    yield KINDS[picture.kind](
        _file(name),
        picture.title,
        rows,
        shares=shares,
        axis=picture.axis,
        note=picture.note,
        header=("", "share" if shares else "mean", "error"),
        accent=[metric.labels[key] for key in picture.accent if key in metric.labels],
    )


def _ratios(
    summary: Summary, rows: Sequence[tuple[str, Estimate]], of: Mapping[str, Estimate]
) -> list[tuple[str, Estimate]]:
    confidence = summary.confidence
    if summary.description.until:
        confidence = plain_confidence(summary.n, confidence)
    return [
        (label, ratio_of_means(estimate, of[label], confidence)) for label, estimate in rows if label in of
    ]


def _added(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of several parts, added up."""
    values = np.concatenate([values for values, _ in parts]).astype(np.int64)
    counts = np.concatenate([counts for _, counts in parts]).astype(np.int64)
    seen, where = np.unique(values, return_inverse=True)
    totals = np.zeros(len(seen), dtype=np.int64)
    np.add.at(totals, where, counts)
    return seen, totals


def _pace(summary: Summary) -> Iterator[Item]:
    if rows := _numbers(summary, _role(summary, "pace")):
        yield Table("What happens on the way", NUMBERS, tuple(rows))
    yield from _parts(summary, "pace")
    yield from _parts(summary, "share")


def _by_seat(summary: Summary) -> Iterator[Item]:
    metrics = {
        name: metric
        for name, metric in named_metrics(summary.description).items()
        if metric.role == "seats" and metric.labels
    }
    labels = list(dict.fromkeys(label for metric in metrics.values() for label in metric.labels.values()))
    rows = []
    for name, metric in metrics.items():
        parts = {label: statistic.estimate for label, statistic in summary.parts(name)}
        values = [
            rounded(parts[label].value, parts[label].half_width) if label in parts else "" for label in labels
        ]
        widths = [each.half_width for each in parts.values()]
        known = [width for width in widths if width is not None]
        off = rounded(max(known), max(known)) if known and len(known) == len(widths) else UNKNOWN
        rows.append((_meaning(name, metric.meaning), *values, off))
    if rows:
        header = ("", *map(_label, labels), "± at most")
        yield Table(f"Means by {summary.description.side}", header, tuple(rows))

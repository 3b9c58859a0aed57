"""The report for a terminal: to be read in 80 columns, in colour or without, on screen or in a file."""

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from reports import text_charts, wording
from reports.description import Metric
from reports.rounding import count, error, interval, percent, rounded
from reports.summary import Statistic, Summary, WinRate, named_metrics

NARROWEST, WIDEST = 72, 100
"""Columns: tables need as many as the first, and lines longer than the second are hard to read."""

CHART_HEIGHT = 6
CHART_COLUMNS = 62
BAR = 8

COMMAND_WIDTH = 74

SEATS = 5
"""Seats side by side in a table."""

MOST = 5
"""How many of the largest shares are named under their chart."""


@overload
def render(summary: Summary, to: Console, histograms: Sequence[str] | None = None) -> None: ...


@overload
def render(summary: Summary, to: int = 80, histograms: Sequence[str] | None = None) -> str: ...


def render(summary: Summary, to: Console | int = 80, histograms: Sequence[str] | None = None) -> str | None:
    """Print a report to a console, or return it as plain text.

    Parameters
    ----------
    summary : Summary
        What to report.
    to : rich.console.Console or int
        A console to print to: in colour on a terminal, plain anywhere else. Or the width in
        columns of the text to return, which then ends in a newline; it is taken as the nearest
        from 72 to 100. A command line that cannot be broken may be longer.
    histograms : sequence of str, optional
        Metrics to draw; by default ``turns``, or else the first that says how long it lasts.

    Raises
    ------
    ValueError
        If a metric of `histograms` has no histogram; the message says which have.
    """
    report = _report(summary, _chosen(summary, histograms))
    if isinstance(to, int):
        return _text(report, to)
    if to.is_terminal and not to.options.ascii_only:
        to.print(report, width=_page(to.width), crop=False)
    else:
        text = "".join(_encodable(each, to.encoding) for each in _text(report, to.width))
        to.out(text, end="", highlight=False)
    return None


def _text(report: RenderableType, width: int) -> str:
    page = Console(file=io.StringIO(), width=_page(width), color_system=None, force_terminal=False)
    with page.capture() as capture:
        page.print(report, crop=False)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _page(width: int) -> int:
    return min(max(width, NARROWEST), WIDEST)


def _chosen(summary: Summary, histograms: Sequence[str] | None) -> Sequence[str]:
    if histograms is None:
        metrics = named_metrics(summary.description)
        lengths = [name for name in summary.spreads if metrics[name].role == "length"]
        return ["turns"] if "turns" in lengths else lengths[:1]
    for name in histograms:
        if name not in summary.spreads:
            raise ValueError(f"no histogram of {name!r}; there is one of: {', '.join(summary.spreads)}")
    return histograms


def _report(summary: Summary, histograms: Sequence[str]) -> RenderableType:
    # Names and texts go in as Text, never as markup: a policy may be called "[red]".
    description = summary.description
    sections: list[RenderableType] = [*_opening(summary)]
    if summary.n == 0:
        return Group(*sections, *_section("How to run it again", _again(summary)))
    sections += _section("Who wins", _wins(summary.seats))
    if summary.policies:
        sections += _section("Policies", _wins(summary.policies))
    sections += _section("How long it lasts", *_role(summary, "length"), *_histograms(summary, histograms))
    sections += _section("What happens on the way", *_role(summary, "pace"))
    sections += _section("How hands end", _endings(summary), *_role(summary, "ends"))
    sections += _section(f"By {description.side}", *_by_seat(summary))
    sections += _section("What the cards do", *_role(summary, "cards"))
    sections += _section("Shares", *_role(summary, "share"))
    sections += _section("What was assumed", *_assumptions(summary))
    sections += _section("How to run it again", _again(summary))
    return Group(*sections)


def _section(title: str, *parts: RenderableType) -> Iterator[RenderableType]:
    if not parts:
        return
    yield Text()
    yield Rule(Text(title, style="bold"), align="left", style="dim")
    for index, part in enumerate(parts):
        if index:
            yield Text()
        yield part


def _opening(summary: Summary) -> Iterator[RenderableType]:
    description = summary.description
    yield Text(wording.headline(summary), style="bold")
    yield Text(f"Policies: {wording.who_played(description)}", style="dim")
    yield Text(f"Options: {wording.changed_options(description)}", style="dim")
    yield Text(f"All intervals, ± or from-to, are {wording.confidence(summary)}", style="dim")
    if (stopped := wording.stopped_early(summary)) is not None:
        yield Text(stopped, style="yellow")
    yield Text()
    yield Text(summary.first_player.verdict, style="bold cyan")


def _wins(rates: Sequence[WinRate]) -> RenderableType:
    fair = 1 / len(rates)
    ends = [end for each in rates for end in (each.rate.low, each.rate.high) if end is not None]
    low, high = min([*ends, fair]), max([*ends, fair])
    scale = (low, high) if high > low else (0.0, 1.0)
    width = 24
    table = _table("", "wins", "share", "interval")
    table.add_column(Text(f"┊ {100 * fair:.3g}% is fair"), style="cyan", no_wrap=True)
    for each in rates:
        rate = each.rate
        sketch = Text()
        if rate.value is not None and rate.low is not None and rate.high is not None:
            sketch.append(text_charts.interval_sketch(rate.low, rate.value, rate.high, fair, scale, width))
        _add(
            table,
            each.name,
            count(float(each.wins)),
            percent(rate.value, rate.half_width),
            interval(rate.low, rate.high),
            sketch,
        )
    return table


def _role(summary: Summary, role: str) -> Iterator[RenderableType]:
    metrics = named_metrics(summary.description)
    names = [name for name, metric in metrics.items() if metric.role == role]
    counted = summary.description.endings  # shown as counts
    numbers = [name for name in names if not metrics[name].labels and metrics[name].name not in counted]
    if role == "pace":
        numbers += [name for name in summary.numbers() if name not in metrics]
    if numbers:
        yield _numbers(summary, numbers)
    for name in names:
        if metrics[name].labels:
            chart = _share_chart if role == "share" else _part_bars
            yield chart(summary, name, metrics[name])


def _numbers(summary: Summary, names: Sequence[str]) -> RenderableType:
    table = _table("", "mean", "", "5%", "50%", "95%", "max", gap=1)
    table.columns[2].justify = "left"
    table.add_column("", style="dim")
    meanings = summary.numbers()
    for name in names:
        estimate = summary.statistics[name].estimate
        quantiles = wording.quantiles(summary.spreads.get(name))
        mean = rounded(estimate.value, estimate.half_width)
        meaning = meanings[name] if meanings[name] != name else ""
        _add(
            table,
            name,
            mean,
            error(estimate),
            *quantiles,
            Padding(Text(wording.visible(meaning)), (0, 0, 0, 1)),
        )
    return table


def _histograms(summary: Summary, names: Sequence[str]) -> Iterator[RenderableType]:
    metrics = named_metrics(summary.description)
    for name in names:
        metric = metrics[name]
        counts = summary.tally.counts(metric.unit, metric.name)
        if counts.is_empty():
            continue
        labels, totals = text_charts.bins(counts["value"].to_numpy(), counts["n"].to_numpy(), CHART_COLUMNS)
        shares = [total / sum(totals) for total in totals]
        step = int(labels[1]) - int(labels[0]) if len(shares) > 2 else 1
        title = f"{name}: share of {metric.unit}s" + (f", in bins of {step}" if step > 1 else "")
        yield _column_chart(title, shares, labels)


def _share_chart(summary: Summary, name: str, metric: Metric) -> RenderableType:
    parts = summary.parts(name)
    shares = [statistic.estimate.value or 0.0 for _, statistic in parts]
    chart = _column_chart(_named(name, metric), shares, [label for label, _ in parts])
    most = sorted(parts, key=lambda part: part[1].estimate.value or 0.0, reverse=True)[:MOST]
    named = [f"{label} {percent(each.estimate.value, each.estimate.half_width)}" for label, each in most]
    return Group(chart, Text(wording.visible(f"Most: {', '.join(named)}")))


def _column_chart(title: str, shares: Sequence[float], labels: Sequence[str]) -> RenderableType:
    lines = [Text(wording.visible(title))]
    top = max(shares)
    if top == 0:
        return Group(*lines, Text("never"))
    per_row = len(shares)
    if per_row > CHART_COLUMNS:
        # In rows of about the same length, each starting at a round number.
        rows = -(-per_row // CHART_COLUMNS)
        per_row = -(-per_row // rows // 10) * 10
    column = 2 if 2 * per_row <= CHART_COLUMNS else 1
    for first in range(0, len(shares), per_row):
        row = slice(first, first + per_row)
        chart = text_charts.columns(
            [share / top for share in shares[row]],
            [wording.visible(label) for label in labels[row]],
            CHART_HEIGHT,
            column,
        )
        for level, line in enumerate(chart):
            scale = f"{100 * top:.3g}%" if level == 0 else ""
            lines.append(Text.assemble(scale.rjust(7), " ", (line, "cyan")))
    return Group(*lines)


def _part_bars(summary: Summary, name: str, metric: Metric) -> RenderableType:
    parts = summary.parts(name)
    top = max((statistic.estimate.value or 0.0 for _, statistic in parts), default=0.0)
    groups = _side_by_side(parts)
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in groups:
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(style="cyan", no_wrap=True, width=BAR)
    for row in itertools.zip_longest(*groups):
        cells: list[str] = []
        for part in row:
            if part is None:
                cells += ["", "", ""]
                continue
            label, statistic = part
            value = statistic.estimate.value
            bar = text_charts.bar(value / top, BAR) if value is not None and value > 0 else ""
            cells += [label, rounded(value, statistic.estimate.half_width), bar]
        _add(table, *cells)
    return Group(Text(wording.visible(_named(name, metric) + _at_most(parts))), table)


def _named(name: str, metric: Metric) -> str:
    return name if name == metric.meaning else f"{name}: {metric.meaning}"


def _at_most(parts: Iterable[tuple[str, Statistic]]) -> str:
    """Return how far the values of parts may be off, at most."""
    widths = [part.estimate.half_width for _, part in parts]
    widest = max((width for width in widths if width is not None), default=0.0)
    return "" if None in widths else f" (± {rounded(widest, widest)} at most)"


def _side_by_side(parts: list[tuple[str, Statistic]]) -> list[list[tuple[str, Statistic]]]:
    """Return parts in columns: ``+7`` beside ``-7`` where there are such pairs, or evenly in three."""
    by_label = dict(parts)
    plus = [part for part in parts if part[0].startswith("+") and f"-{part[0][1:]}" in by_label]
    if len(plus) > 1:
        minus = [(f"-{label[1:]}", by_label[f"-{label[1:]}"]) for label, _ in plus]
        paired = {label for label, _ in plus + minus}
        return [plus, minus, [part for part in parts if part[0] not in paired]]
    rows = max(-(-len(parts) // 3), 4)
    return [parts[first : first + rows] for first in range(0, len(parts), rows)]


def _endings(summary: Summary) -> RenderableType:
    table = _table("", "count", "share", "interval")
    for words, number, share, between in wording.endings(summary):
        _add(table, words, count(number), share, between)
    return table


def _by_seat(summary: Summary) -> Iterator[RenderableType]:
    metrics = {
        name: metric
        for name, metric in named_metrics(summary.description).items()
        if metric.role == "seats" and metric.labels
    }
    labels = list(dict.fromkeys(label for metric in metrics.values() for label in metric.labels.values()))
    for first in range(0, len(labels), SEATS):
        shown = labels[first : first + SEATS]
        table = _table("", *shown)
        table.add_column("", style="dim")
        for name in metrics:
            parts = dict(summary.parts(name))
            if not any(label in parts for label in shown):
                continue
            values = [
                rounded(parts[label].estimate.value, parts[label].estimate.half_width)
                if label in parts
                else ""
                for label in shown
            ]
            _add(table, name, *values, _at_most(parts.items()).strip())
        yield table
    if metrics:
        meanings = (wording.visible(_named(name, metric)) for name, metric in metrics.items())
        yield Text("\n".join(meanings), style="dim")


def _assumptions(summary: Summary) -> Iterator[RenderableType]:
    for status, title in (
        ("ruling", "Rulings, where the rules can be read in more than one way:"),
        ("assumed", "Assumed, where the rules give no number:"),
    ):
        chosen = [each for each in summary.description.assumptions if each.status == status]
        if chosen:
            table = Table.grid(padding=(0, 2, 0, 0))
            for each in chosen:
                _add(table, each.rule, each.option, each.text)
            yield Group(Text(title), Padding(table, (0, 0, 0, 2)))


def _again(summary: Summary) -> RenderableType:
    version = wording.visible(summary.description.version)
    statistics = len(summary.statistics)
    lines = [""]
    for part in wording.command(summary.description):
        if lines[-1] and len(lines[-1]) + len(part) > COMMAND_WIDTH:
            lines[-1] += " \\"
            lines.append(" ")
        lines[-1] = f"{lines[-1]} {part}" if lines[-1] else part
    return Group(
        # Longer than the page rather than broken where a shell would not expect it.
        *(Text(line, no_wrap=True, overflow="ignore") for line in lines),
        Text(f"The same seed and version (fastsim {version}) play the same games.", style="dim"),
        Text(f"All {statistics} statistics with their errors: --format json, csv or markdown.", style="dim"),
    )


def _table(*titles: str, gap: int = 2) -> Table:
    """Return a table without lines: names to the left, numbers to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for index, title in enumerate(titles):
        table.add_column(
            Text(wording.visible(title)), justify="right" if index else "left", no_wrap=index > 0
        )
    return table


def _add(table: Table, *cells: RenderableType) -> None:
    """Add a row; a cell given as a string is shown as it is, whatever it contains."""
    table.add_row(*(Text(wording.visible(cell)) if isinstance(cell, str) else cell for cell in cells))


def _encodable(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        substitute = character.translate(text_charts.ASCII)
        return substitute if substitute.isascii() else "?"
    return character

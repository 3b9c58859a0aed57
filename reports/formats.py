"""The summary as CSV, for spreadsheets and data frames, and as Markdown, for notes and issues."""

import csv
import io
from collections.abc import Iterable, Sequence

from reports import wording
from reports.rounding import count, error, interval, percent, rounded
from reports.summary import Statistic, Summary, WinRate, named_metrics

_escaped = wording.markdown

CSV_HEADER = ("statistic", "unit", "mean", "se", "low", "high", "n", "interval")


def to_csv(summary: Summary) -> str:
    """Return one row a statistic, floats in full, nothing where a value is not known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for name, statistic in summary.statistics.items():
        estimate = statistic.estimate
        writer.writerow(
            (
                name,
                statistic.unit,
                estimate.value,
                estimate.se,
                estimate.low,
                estimate.high,
                statistic.n,
                statistic.kind,
            )
        )
    return text.getvalue()


def to_markdown(summary: Summary) -> str:
    """Return a report in sections and tables, numbers rounded as their intervals allow."""
    description = summary.description
    paragraphs = [f"# {_escaped(wording.headline(summary))}"]
    if (stopped := wording.stopped_early(summary)) is not None:
        paragraphs.append(f"**{_escaped(stopped)}**")
    paragraphs += [
        f"**{_escaped(summary.first_player.verdict)}**",
        f"Policies: {_escaped(wording.who_played(description))}.",
        f"Options: {_escaped(wording.changed_options(description))}.",
        f"All intervals are {wording.confidence(summary)}.",
        "## Who wins",
        _wins(description.side, summary.seats),
    ]
    if summary.policies:
        paragraphs += ["## Policies", _wins("policy", summary.policies)]
    paragraphs += [
        f"## How {description.unit}s go",
        _numbers(summary),
        "## How hands end",
        _table(
            ("ended", "count", "share", "interval"),
            (
                (words, count(number), share, between)
                for words, number, share, between in wording.endings(summary)
            ),
        ),
    ]
    for name, metric in named_metrics(description).items():
        if metric.labels:
            rows = ((label, *_mean(statistic)) for label, statistic in summary.parts(name))
            paragraphs += [
                f"## {_escaped(name)}",
                _escaped(metric.meaning),
                _table(("part", "mean", "error"), rows),
            ]
    if description.assumptions:
        assumed = ((each.rule, each.option, each.status, each.text) for each in description.assumptions)
        paragraphs += [
            "## What was assumed",
            _table(("rule", "option", "status", "what was played"), assumed),
        ]
    paragraphs += [
        "## How to run it again",
        f"With fastsim {_escaped(description.version)}:",
        f"```sh\n{' '.join(wording.command(description))}\n```",
    ]
    return "\n\n".join(paragraphs) + "\n"


def _wins(title: str, rates: Iterable[WinRate]) -> str:
    return _table(
        (title, "wins", "share", "interval"),
        (
            (
                each.name,
                count(float(each.wins)),
                percent(each.rate.value, each.rate.half_width),
                interval(each.rate.low, each.rate.high),
            )
            for each in rates
        ),
    )


def _numbers(summary: Summary) -> str:
    rows = []
    for name, meaning in summary.numbers().items():
        statistic = summary.statistics[name]
        quantiles = wording.quantiles(summary.spreads.get(name))
        rows.append((name, *_mean(statistic), *quantiles, meaning))
    return _table(("statistic", "mean", "error", "5%", "median", "95%", "max", "what it counts"), rows)


def _mean(statistic: Statistic) -> tuple[str, str]:
    estimate = statistic.estimate
    return rounded(estimate.value, estimate.half_width), error(estimate)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

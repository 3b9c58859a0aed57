"""The page of a comparison of two rule sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reports import contrasts, wording
from reports.contrasts import Comparison, Contrast
from reports.description import RunDescription
from reports.intervals import Estimate
from reports.page import charts, curves, sections
from reports.page.charts import error_text, value_text
from reports.page.forest import Difference, forest
from reports.page.model import Chart, Fact, Item, Page, Section, Table, Text
from reports.rounding import UNKNOWN, count, interval, percent, rounded
from reports.summary import Summary, named_metrics
from reports.wording import visible

MOST_ROWS = 14
"""Parts of a metric in a forest plot; the rest are in its table."""
LONGEST = 48
"""Characters of what a rule set is called in a legend."""
HEADER = ("", "A", "B", "B − A", "error", "p", "saved", "verdict")
MEASURED_BY = "difference in % of A's value"
ENDS = ("less in B", "more in B")


def compare_page(
    comparison: Comparison, interrupted: bool = False, made_with: Mapping[str, str] | None = None
) -> Page:
    """Return the page of a comparison; ``made_with`` are versions by name."""
    description = comparison.a.description
    played: tuple[Section, ...] = ()
    if comparison.a.n and comparison.contrasts:
        played = (
            Section("changes", "What changes", tuple(_changes(comparison))),
            Section("seats", "Who wins", tuple(_who_wins(comparison))),
            Section("length", "How long it lasts", tuple(_lengths(comparison))),
            Section("parts", "In parts", tuple(_parts(comparison))),
            Section("numbers", "All main numbers", tuple(_numbers(comparison))),
        )
    unit = description.unit
    sizes = [(f"{unit}s of A and of B", count(comparison.a.n))]
    if not comparison.paired:
        sizes.append(("seed of B", str(comparison.b.description.seed)))
    differing = _differing(comparison)
    return Page(
        title=contrasts.headline(comparison),
        verdict=_verdict(comparison),
        opening=tuple(_opening(comparison)),
        warning=_warning(comparison, interrupted),
        facts=tuple(_facts(comparison)) if played else (),
        sections=(
            *played,
            Section("rules", "What differs between A and B", tuple(_rules(comparison))),
            Section("assumed", "What is assumed", tuple(sections.assumed(description, leave_out=differing))),
            Section(
                "again",
                "How to run it again",
                tuple(sections.again(comparison.command, description, sizes, made_with or {}, differing)),
            ),
        ),
        footer=sections.footer(description),
    )


def _warning(comparison: Comparison, interrupted: bool) -> str:
    description = comparison.a.description
    if not interrupted:
        return ""
    asked = f"{count(description.requested)} {description.unit}s of each rule set"
    return f"Stopped early: {count(comparison.a.n)} of the {asked} that were asked for."


def _opening(comparison: Comparison) -> Iterator[str]:
    """Yield what A and B are, whether each is fair, and how to read the numbers."""
    for side, summary, name in _sides(comparison):
        verdict = f": {summary.first_player.verdict}" if summary.n else ""
        yield f"{side} ({name}){verdict}"
    description = comparison.a.description
    yield f"Policies: {wording.who_played(description)}."
    if not comparison.paired:
        yield (
            f"Not on the same deals: {comparison.why_unpaired}. So the two were played independently, and "
            "pairing saves no games."
        )
    sure = f"All intervals are at {100 * comparison.confidence:g}% confidence"
    if comparison.anytime:
        sure += ", and stay valid although the number was not fixed beforehand (confidence sequences)"
    yield f"{sure}."
    if comparison.until:
        waited = ", ".join(comparison.until)
        yield (
            f"Stopped as soon as these were decided: {waited}."
            if comparison.decided
            else f"Not all decided in the {description.unit}s played: {waited}."
        )


def _sides(comparison: Comparison) -> tuple[tuple[str, Summary, str], tuple[str, Summary, str]]:
    a, b = comparison.names
    return ("A", comparison.a, a), ("B", comparison.b, b)


def _verdict(comparison: Comparison) -> str:
    if not comparison.a.n:
        return "Nothing was finished yet."
    if not comparison.contrasts:
        return "A and B record nothing in common."
    lengths = _length_names(comparison)[:1]
    told = [each for each in comparison.contrasts if each.name in lengths]
    if not _same_fair_share(comparison):
        seats = [
            (side, summary.seats[0].rate, 100 / len(summary.seats)) for side, summary, _ in _sides(comparison)
        ]
        wins = " and ".join(
            f"{percent(rate.value, rate.half_width)} in {side}, where {fair:.3g}% is fair"
            for side, rate, fair in seats
        )
        who = _who(comparison.a.description, "0")
        return " ".join(
            [f"{who[:1].upper()}{who[1:]} wins {wins}.", *(_sentence(each, comparison) for each in told)]
        )
    main = comparison.contrasts[:1] if _is_win(comparison.contrasts[:1]) else ()
    return " ".join(_sentence(each, comparison) for each in [*main, *told] or comparison.contrasts[:1])


def _same_fair_share(comparison: Comparison) -> bool:
    """Whether the wins of a seat mean the same in both."""
    return comparison.a.description.sides == comparison.b.description.sides


def _is_win(found: Sequence[Contrast]) -> bool:
    return bool(found) and found[0].name.startswith("win.")


def _sentence(each: Contrast, comparison: Comparison) -> str:
    """Return a verdict in plain words: who wins how much more, what lasts how much less."""
    shares = _in_points(each)
    first, second = value_text(each.a, shares), value_text(each.b, shares)
    who = _label(each, comparison.a.description)
    who = who[:1].upper() + who[1:]
    if each.verdict in ("higher", "lower"):
        amount = _size(each, shares)
        more = "more" if each.verdict == "higher" else "fewer" if _counts(each) else "less"
        instead = f"{second} instead of {first}"
        if each.name.startswith("win."):
            return f"{who} wins {amount} {more} in B: {instead}."
        if each.name in _length_names(comparison):
            what = _label(each, comparison.a.description).removeprefix("hand.")
            return f"A {each.unit} has {amount} {what} {more} in B: {instead}."
        return f"{who}: {amount} {more} in B, {instead}."
    if each.verdict == "equivalent":
        return f"{who}: as good as the same, {first} in A and {second} in B."
    if each.verdict == "same":
        return f"{who}: the same in every {comparison.a.description.unit}."
    return f"{who}: undecided, {first} in A and {second} in B ({contrasts.needed(each, each.unit)})."


def _counts(each: Contrast) -> bool:
    return each.name.startswith("win.") or each.name.removeprefix("hand.").endswith("s")


def _size(each: Contrast, shares: bool) -> str:
    """Return how large a difference is, with its error, without its sign."""
    scale = 100.0 if shares else 1.0
    value, reach = each.difference.value, each.difference.half_width
    amount = rounded(None if value is None else scale * abs(value), None if reach is None else scale * reach)
    off = f" (± {rounded(scale * reach, scale * reach)})" if reach else ""
    return f"{amount}{' points' * shares}{off}"


def _in_points(each: Contrast) -> bool:
    """Whether a statistic is read in percent, and its differences in points."""
    return each.name.startswith("win.")


def _label(each: Contrast, description: RunDescription) -> str:
    """Return a statistic's name as people say it."""
    if each.name.startswith("win."):
        what = each.name.removeprefix("win.")
        if what.startswith("policy"):
            return description.policies[int(what.removeprefix("policy"))]
        return _who(description, what.removeprefix(description.side))
    return visible(each.name.replace("_", " "))


def _who(description: RunDescription, number: str) -> str:
    if number != "0":
        return f"{description.side} {number}"
    if description.unit == "game":
        return f"the {description.side} that starts the first hand"
    return "the starter" if description.side == "seat" else "the side that starts"


def _row_label(each: Contrast, description: RunDescription) -> str:
    label = _label(each, description)
    if each.name.startswith("win."):
        return f"wins of {description.side} {each.name.removeprefix('win.' + description.side)}"
    return label


def _facts(comparison: Comparison) -> Iterator[Fact]:
    description = comparison.a.description
    for side, summary, _ in _sides(comparison):
        rate = summary.seats[0].rate
        fair = f"{100 / len(summary.seats):.3g}% is fair"
        yield Fact(
            f"Wins of the {description.side} that starts, {side}",
            percent(rate.value, rate.half_width),
            f"{interval(rate.low, rate.high)}; {fair}",
        )
    by_name = comparison.by_name
    for name in _length_names(comparison)[:1]:
        if name in by_name:
            each = by_name[name]
            _, a, b, between, reach, *_ = contrasts.cells(each)
            yield Fact(f"{_title(name)} a {each.unit}, B − A", between, f"{reach}; {a} in A, {b} in B")
    saved = [each.saved for each in contrasts.main(comparison) if each.saved]
    if saved:
        middle = sorted(saved)[len(saved) // 2]
        yield Fact(
            "Games saved by the same deals", f"{middle:.1f}x", "fewer games than separate deals need; median"
        )
    counted = len([each for each in comparison.contrasts if each.verdict == "undecided"])
    yield Fact("Undecided differences", f"{counted} of {len(comparison.contrasts)}", "with all parts")


def _length_names(comparison: Comparison) -> list[str]:
    """Return the metrics of length that both record and that vary, those of the run's unit first."""
    unit = comparison.a.description.unit
    metrics = named_metrics(comparison.a.description)
    names = [
        name
        for name, spread in comparison.a.spreads.items()
        if metrics[name].role == "length" and spread.max is not None and name in comparison.b.spreads
    ]
    return sorted(names, key=lambda name: metrics[name].unit != unit)


def _changes(comparison: Comparison) -> Iterator[Item]:
    shown = [each for each in contrasts.main(comparison) if each.verdict != "same"]
    if not _same_fair_share(comparison):
        shown = [each for each in shown if not each.name.startswith("win.")]
    elif comparison.a.description.sides == 2:
        # What one side gains the other loses.
        shown = [each for each in shown if not each.name.startswith(f"win.{comparison.a.description.side}1")]
    if any(each.difference.value is not None and each.a.value for each in shown):
        yield _forest("changes", "B beside A", shown, shown, comparison)
    elif shown:
        yield Text("Too little was played to say how much differs.")
    same = [each for each in contrasts.main(comparison) if each.verdict == "same"]
    if same:
        names = ", ".join(_row_label(each, comparison.a.description) for each in same)
        yield Text(f"The same in every {comparison.a.description.unit} played: {names}.")


def _forest(
    name: str, title: str, shown: Sequence[Contrast], listed: Sequence[Contrast], comparison: Comparison
) -> Chart:
    rows = [_difference(each, comparison) for each in shown]
    table = Table(title, HEADER, tuple(_cells(each, comparison) for each in listed), texts=(0, 7))
    fair = " (wins: of a fair share)" if any(_in_points(each) for each in shown) else ""
    zero = [row.label for row in rows if row.scaled.value is None]
    left_out = f"Not to scale, as A has none: {', '.join(zero)}." if zero else ""
    rest = len(listed) - len(shown)
    more = f"{rest} more are in its table." if rest > 0 else ""
    return forest(
        name,
        title,
        rows,
        table,
        axis=f"{MEASURED_BY}{fair}",
        says="; ".join(f"{row.label}: {row.says}" for row in rows) + ".",
        note=" ".join(filter(None, ("Beside each dot, the difference in its own unit.", more, left_out))),
        ends=ENDS,
    )


def _difference(each: Contrast, comparison: Comparison) -> Difference:
    """Return a contrast on the scale of the plot: parts of A's value, or of a fair share of the wins."""
    description = comparison.a.description
    basis = abs(each.a.value or 0.0)
    if each.name.startswith("win."):
        sides = len(description.policies) if each.name.startswith("win.policy") else description.sides
        basis = 1 / sides
    d = each.difference
    scaled = Estimate(None, None, None, None)
    if basis and d.value is not None:
        parts = (None if part is None else part / basis for part in (d.value, d.se, d.low, d.high))
        scaled = Estimate(*parts)
    shares = _in_points(each)
    sign = "+" if (d.value or 0.0) > 0 else "−" if (d.value or 0.0) < 0 else ""
    size = _size(each, shares)
    word = "" if each.verdict in ("higher", "lower") else f", {each.verdict}"
    return Difference(
        _row_label(each, description),
        scaled,
        each.margin / basis if basis else 0.0,
        f"{sign}{size}{word}",
        f"{sign}{size} in B, {value_text(each.a, shares)} in A and {value_text(each.b, shares)} in B, "
        f"{each.verdict}",
        each.verdict,
    )


def _cells(each: Contrast, comparison: Comparison) -> tuple[str, ...]:
    return (_row_label(each, comparison.a.description), *contrasts.cells(each)[1:])


def _who_wins(comparison: Comparison) -> Iterator[Item]:
    sides = _sides(comparison)
    fair = {len(summary.seats) for _, summary, _ in sides}
    rows = [
        (f"{side}: {rate.name}", rate.rate) for side, summary, _ in sides for rate in summary.seats
    ]  # fmt: skip
    if len(fair) == 1:  # each seat beside its twin
        rows = [rows[part * len(rows) // 2 + index] for index in range(len(rows) // 2) for part in (0, 1)]
    (share, *others) = sorted(100 / each for each in fair)
    note = "Dots are estimates, and bands their intervals; B has the other colour."
    if others:
        note += f" A fair share is {100 / len(comparison.a.seats):.3g}% in A, "
        note += f"{100 / len(comparison.b.seats):.3g}% in B."
    chart = charts.intervals(
        "wins",
        f"Wins by {comparison.a.description.side}",
        rows,
        shares=True,
        axis=f"share of {comparison.a.description.unit}s won",
        accent=[label for label, _ in rows if label.startswith("B")],
        header=("", "share", "error"),
        note=note,
        reference=None if others else (f"a fair {share:.3g}%", share / 100),
    )
    yield replace(chart, wide=True)
    for side, summary, _ in sides:
        if summary.policies and not others:
            yield charts.intervals(
                f"policies-{side.lower()}",
                f"Wins by policy, {side}",
                [(each.name, each.rate) for each in summary.policies],
                shares=True,
                header=("", "share", "error"),
                reference=("an even share", 1 / len(summary.policies)),
            )


def _lengths(comparison: Comparison) -> Iterator[Item]:
    names = _length_names(comparison)
    metrics = named_metrics(comparison.a.description)
    sides = _sides(comparison)
    for name in names:
        metric = metrics[name]
        counts = [summary.tally.counts(metric.unit, metric.name) for _, summary, _ in sides]
        if not all(len(each) for each in counts) or all(len(each) == 1 for each in counts):
            continue
        legends = [_legend(side, told) for side, _, told in sides]
        first, second = (
            (legend, each["value"].to_numpy(), each["n"].to_numpy())
            for legend, each in zip(legends, counts, strict=True)
        )
        spreads = [summary.spreads[name] for _, summary, _ in sides]
        told = "; ".join(
            f"{side}: half have at most {count(spread.median)}, nine in ten from {count(spread.p05)} to "
            f"{count(spread.p95)}"
            for (side, _, _), spread in zip(sides, spreads, strict=True)
            if spread.median is not None and spread.p05 is not None and spread.p95 is not None
        )
        yield curves.overlay(
            f"lengths-{name.replace('.', '-')}",
            f"{_title(name)} a {metric.unit}",
            (first, second),
            of=f"{metric.unit}s",
            axis=metric.meaning,
            says=f"Distribution of {metric.meaning}. {told}.",
            note=f"{told}.",
        )
    rows = [
        (
            f"{_title(name)}, {side}",
            value_text(summary.statistics[name].estimate, False)
            + f" {error_text(summary.statistics[name].estimate, False)}",
            *wording.quantiles(summary.spreads[name]),
        )
        for name in names
        for side, summary, _ in sides
    ]
    if rows:
        yield Table("How long it lasts", ("", "mean", "5%", "median", "95%", "most"), tuple(rows))


def _legend(side: str, told: str) -> str:
    text = f"{side}: {visible(told)}"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _title(name: str) -> str:
    text = visible(name.replace("_", " "))
    return text[:1].upper() + text[1:]


def _parts(comparison: Comparison) -> Iterator[Item]:
    """Yield a forest plot of each metric in parts of which any part differs, the surest parts only."""
    metrics = named_metrics(comparison.a.description)
    quiet = []
    for name, metric in metrics.items():
        if not metric.labels:
            continue
        listed = [each for each in comparison.contrasts if each.name.startswith(f"{name}.")]
        listed = [replace(each, name=each.name.removeprefix(f"{name}.")) for each in listed]
        sure = [each for each in listed if each.verdict in ("higher", "lower")]
        if not sure:
            quiet += [name] if listed else []
            continue
        ranked = sorted(sure, key=lambda each: -abs((each.difference.value or 0) / (each.difference.se or 1)))
        shown = [each for each in listed if each in ranked[:MOST_ROWS]]
        title = metric.meaning[:1].upper() + metric.meaning[1:]
        chart = _forest(f"parts-{name.replace('.', '-')}", title, shown, listed, comparison)
        yield replace(chart, wide=False)
    if quiet:
        names = ", ".join(visible(name.replace("_", " ")) for name in quiet)
        yield Text(f"No certain difference in any part of: {names}.")


def _numbers(comparison: Comparison) -> Iterator[Item]:
    ends = ("verdict", "what it counts")
    same_deals = ("correlation", "saved") if comparison.paired else ()
    header = ("", "A", "B", "B − A", "error", "p", *same_deals, *ends)
    rows = []
    for each in contrasts.main(comparison):
        label, a, b, between, reach, p, saved, verdict = _cells(each, comparison)
        rho = "" if each.correlation is None else f"{each.correlation:.2f}"
        shared = (rho, saved) if comparison.paired else ()
        rows.append((label, a, b, between, reach, p, *shared, verdict, each.meaning))
    if rows:
        note = " ".join(contrasts.notes(comparison))
        yield Table(
            "Main numbers of A and B",
            header,
            tuple(rows),
            texts=(0, len(header) - 2, len(header) - 1),
            note=note,
        )


def _differing(comparison: Comparison) -> list[str]:
    a, b = (summary.description for _, summary, _ in _sides(comparison))
    return [name for name, value in a.options.items() if b.options.get(name) != value]


def _rules(comparison: Comparison) -> Iterator[Item]:
    a, b = (summary.description for _, summary, _ in _sides(comparison))
    rows = []
    for name in _differing(comparison):
        _, first, default, meaning = sections.options_row(a, name)
        second = wording.option_value(b.options[name]) if name in b.options else UNKNOWN
        rows.append((name, first, second, default, meaning))
    header = ("option", "A", "B", "default", "what it sets")
    yield Table("Options", header, tuple(rows), texts=(0, 1, 2, 3, 4))

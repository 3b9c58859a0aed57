"""What a comparison of two rule sets found, and how it is written down."""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.console import RenderableType

from reports import pages, wording
from reports.comparison import Verdict
from reports.document import SCHEMA
from reports.intervals import Estimate
from reports.rounding import UNKNOWN, count, error, rounded
from reports.summary import Summary

SMALLEST_P = 1e-4
MOST_GAMES = 1e15
MOST_PARTS = 12
"""Parts of metrics that people are shown; the rest are in JSON and CSV."""
TITLES = ("", "A", "B", "B − A", "", "p", "saved", "verdict")

CSV_HEADER = (
    "statistic", "unit", "a", "b", "difference", "se", "low", "high", "p", "p_adjusted", "correlation",
    "saved", "margin", "verdict", "games_to_decide",
)  # fmt: skip


@dataclass(frozen=True)
class Contrast:
    """One statistic in both rule sets.

    Attributes
    ----------
    name, meaning : str
    unit : {"hand", "game"}
    a, b : Estimate
    difference : Estimate
        B minus A.
    p, p_adjusted : float
        Of no difference: alone, and adjusted for all statistics compared (Holm).
    correlation : float or None
        Of the two values, reached by playing the same game numbers.
    saved : float or None
        How many times fewer games that needed than two independent samples.
    margin : float
        Below which a difference counts as none, in the statistic's unit.
    verdict : Verdict
    games_to_decide : float or None
        For an undecided one: about how many games would decide, if the difference is as estimated.
    main : bool
        Whether it is a win rate or one number, and not a part of a metric (a card kind, a seat, ...).
    """

    name: str
    meaning: str
    unit: str
    a: Estimate
    b: Estimate
    difference: Estimate
    p: float
    p_adjusted: float
    correlation: float | None
    saved: float | None
    margin: float
    verdict: Verdict
    games_to_decide: float | None
    main: bool


@dataclass(frozen=True)
class Comparison:
    """Two rule sets, A and B, compared.

    Attributes
    ----------
    a, b : Summary
        What each showed by itself.
    names : tuple of str
        How A and B differ from each other, in words.
    contrasts : tuple of Contrast
    only_a, only_b : tuple of str
        Statistics that the other one does not have.
    paired : bool
        Whether both got the same deals.
    why_unpaired : str
    margin : str
        Within which values count as equivalent, in words.
    confidence : float
    anytime : bool
        Whether intervals and p-values hold however often one looked: the number of games was not
        fixed beforehand.
    until : tuple of str
        Statistics that had to be decided before stopping.
    decided : bool
        Whether they were.
    command : tuple of str
        The command line that plays the same again, in parts; empty if there is none.
    """

    a: Summary
    b: Summary
    names: tuple[str, str]
    contrasts: tuple[Contrast, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    paired: bool
    why_unpaired: str
    margin: str
    confidence: float
    anytime: bool
    until: tuple[str, ...]
    decided: bool
    command: tuple[str, ...] = ()

    @property
    def by_name(self) -> dict[str, Contrast]:
        """The contrasts by name."""
        return {each.name: each for each in self.contrasts}


def to_dict(comparison: Comparison) -> dict[str, object]:
    """Return a comparison in plain JSON types, floats in full."""
    description = comparison.a.description
    return {
        "schema": SCHEMA,
        "kind": "comparison",
        "game": description.game,
        "title": description.title,
        "unit": description.unit,
        "n": comparison.a.n,
        "requested": description.requested,
        "version": description.version,
        "policies": list(description.policies),
        "fixed_seats": description.fixed_seats,
        "confidence": comparison.confidence,
        "paired": comparison.paired,
        "why_unpaired": comparison.why_unpaired,
        "interval": "anytime" if comparison.anytime else "fixed",
        "margin": comparison.margin,
        "until": list(comparison.until),
        "decided": comparison.decided,
        "a": _side(comparison.a, comparison.names[0]),
        "b": _side(comparison.b, comparison.names[1]),
        "statistics": {each.name: _numbers(each) for each in comparison.contrasts},
        "only_a": list(comparison.only_a),
        "only_b": list(comparison.only_b),
        "assumptions": [asdict(assumption) for assumption in description.assumptions],
    }


def _side(summary: Summary, name: str) -> dict[str, object]:
    description = summary.description
    return {
        "name": name,
        "seed": description.seed,
        "options": _plain(description.options),
        "changed": list(description.changed),
        "first_player_verdict": summary.first_player.verdict,
    }


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return value


def _numbers(each: Contrast) -> dict[str, object]:
    return {
        "unit": each.unit,
        "a": {"mean": each.a.value, "se": each.a.se, "low": each.a.low, "high": each.a.high},
        "b": {"mean": each.b.value, "se": each.b.se, "low": each.b.low, "high": each.b.high},
        "difference": {
            "mean": each.difference.value,
            "se": each.difference.se,
            "low": each.difference.low,
            "high": each.difference.high,
        },
        "p": each.p,
        "p_adjusted": each.p_adjusted,
        "correlation": each.correlation,
        "saved": each.saved,
        "margin": each.margin,
        "verdict": each.verdict,
        "games_to_decide": each.games_to_decide,
    }


def to_csv(comparison: Comparison) -> str:
    """Return one row a statistic, floats in full, nothing where a value is not known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for each in comparison.contrasts:
        d = each.difference
        writer.writerow(
            (each.name, each.unit, each.a.value, each.b.value, d.value, d.se, d.low, d.high, each.p,
             each.p_adjusted, each.correlation, each.saved, each.margin, each.verdict, each.games_to_decide)
        )  # fmt: skip
    return text.getvalue()


def to_markdown(comparison: Comparison) -> str:
    """Return the comparison as sections and tables, numbers rounded as their intervals allow."""
    escaped = wording.markdown
    paragraphs = [f"# {escaped(headline(comparison))}"]
    paragraphs += [escaped(line) for line in opening(comparison)]
    paragraphs += [f"**{escaped(line)}**" for line in conclusions(comparison)]
    header = ("statistic", "A", "B", "B − A", "error", "p", "p (Holm)", "correlation", "saved", "verdict")
    for title, chosen in (("What changes", main(comparison)), ("In parts", parts(comparison))):
        if chosen:
            lines = [header, ["---"] * len(header)]
            for each in chosen:
                name, a, b, between, reach, adjusted, times, verdict = cells(each)
                rho = UNKNOWN if each.correlation is None else f"{each.correlation:.2f}"
                cell = (name, a, b, between, reach, p_text(each.p), adjusted, rho, times, verdict)
                lines.append([escaped(text) for text in cell])
            paragraphs += [f"## {title}", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
    paragraphs += [escaped(line) for line in notes(comparison)]
    return "\n\n".join(paragraphs) + "\n"


def headline(comparison: Comparison) -> str:
    """Return what was compared, how often, and whether on the same deals."""
    description = comparison.a.description
    deals = "the same deals" if comparison.paired else "deals of their own"
    played = wording.number_of(comparison.a.n, description.unit)
    return f"{description.title}: {played} of each rule set, on {deals}"


def opening(comparison: Comparison) -> list[str]:
    """Return lines on what A and B are and how to read the numbers."""
    description = comparison.a.description
    lines = [
        f"A: {comparison.names[0]}",
        f"B: {comparison.names[1]}",
        f"Policies: {wording.who_played(description)}",
    ]
    if not comparison.paired:
        lines.append(f"Not paired: {comparison.why_unpaired}")
    how = f"All intervals are at {100 * comparison.confidence:g}% confidence"
    if comparison.anytime:
        how += ", and stay valid although the number was not fixed beforehand (confidence sequences)"
    lines.append(how)
    if comparison.a.n < description.requested and not comparison.anytime:
        lines.append(
            f"Stopped early: {count(comparison.a.n)} of the {count(description.requested)} "
            f"{description.unit}s asked for"
        )
    if comparison.until:
        waited = ", ".join(comparison.until)
        lines.append(
            f"Stopped as soon as these were decided: {waited}"
            if comparison.decided
            else f"Not all decided in the {description.unit}s played: {waited}"
        )
    return lines


def conclusions(comparison: Comparison) -> list[str]:
    """Return the verdicts in sentences: whether each rule set is fair, and what changed how."""
    lines = [f"A: {comparison.a.first_player.verdict}", f"B: {comparison.b.first_player.verdict}"]
    # A side's win rate comes first; with two sides the other says nothing new.
    first = comparison.contrasts[0] if comparison.contrasts else None
    if first is not None and first.name.startswith("win."):
        lines.append(sentence(first, comparison))
    return lines


def sentence(each: Contrast, comparison: Comparison) -> str:
    """Return one verdict in plain words."""
    unit = comparison.a.description.unit
    # Win rates are read in points; others in their own unit.
    win = each.name.startswith("win.")
    scale, suffix = (100.0, " points") if win else (1.0, "")
    reach = each.difference.half_width
    amount = _size(each.difference.value, reach, scale)
    off = f" (± {_size(reach, reach, scale)})" if reach else ""
    match each.verdict:
        case "higher" | "lower":
            more = "more" if each.verdict == "higher" else "less"
            return f"{each.name} is {each.verdict} in B: {amount}{suffix} {more}{off}."
        case "equivalent":
            within = _size(each.margin, each.margin, scale)
            return f"{each.name} is equivalent in A and B: it differs by less than {within}{suffix}."
        case "same":
            return f"{each.name} was the same in every {unit}."
    return f"{each.name} is undecided{off}: {needed(each, unit)}."


def needed(each: Contrast, unit: str) -> str:
    """Return how many games would decide an undecided one, in words."""
    if each.games_to_decide is None:
        return "too little was seen to say how much it would take"
    if each.games_to_decide > MOST_GAMES:
        return "no number that can be played would decide"
    return f"about {count(_two_digits(each.games_to_decide))} {unit}s would decide, if it is as it seems"


def _two_digits(number: float) -> int:
    """Return a number rounded up to two digits: no estimate of a sample size knows more."""
    unit = int(10 ** max(0, math.floor(math.log10(max(number, 1))) - 1))
    return math.ceil(number / unit) * unit


def _size(value: float | None, reach: float | None, scale: float) -> str:
    return rounded(None if value is None else scale * abs(value), None if reach is None else scale * reach)


def main(comparison: Comparison) -> list[Contrast]:
    """Return the win rates and the metrics that are one number."""
    return [each for each in comparison.contrasts if each.main]


def parts(comparison: Comparison) -> list[Contrast]:
    """Return the parts of metrics (card kinds, seats) that were found to differ, the surest first."""
    found = [each for each in comparison.contrasts if not each.main and each.verdict in ("higher", "lower")]
    return sorted(found, key=lambda each: -abs((each.difference.value or 0) / (each.difference.se or 1)))


def cells(each: Contrast) -> Sequence[str]:
    """Return name, A, B, difference, its error, adjusted p-value, games saved and verdict as texts."""
    reach = each.difference.half_width
    difference = each.difference.value
    sign = "+" if difference is not None and difference > 0 else ""
    between = sign + rounded(difference, reach).replace("-", "\N{MINUS SIGN}")
    off = error(Estimate(difference, each.difference.se, each.difference.low, each.difference.high))
    return (
        each.name,
        rounded(each.a.value, each.a.half_width),
        rounded(each.b.value, each.b.half_width),
        between,
        off.replace("± ", "±") if reach else "",
        p_text(each.p_adjusted),
        "" if each.saved is None else f"{each.saved:.{1 if each.saved < 10 else 0}f}x",
        each.verdict,
    )


def p_text(p: float) -> str:
    """Return a p-value as text; below a ten-thousandth its digits mean nothing."""
    return "<1e-4" if p < SMALLEST_P else f"{p:.0e}".replace("e-0", "e-") if p < 0.01 else f"{p:.2f}"


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield what the table leaves open."""
    unit = comparison.a.description.unit
    family = len(comparison.contrasts)
    yield (
        f"p is adjusted (Holm) for the {family} compared. Equivalent: the whole interval "
        f"of the difference lies within {comparison.margin}."
    )
    if comparison.paired:
        yield "saved: how many times fewer games the same deals needed than separate ones."
    undecided = [each for each in main(comparison) if each.verdict == "undecided"]
    if undecided:
        games = [each.games_to_decide or math.inf for each in undecided]
        words = [
            f"{each.name} {count(_two_digits(number))}" if number <= MOST_GAMES else f"{each.name} unknown"
            for each, number in zip(undecided, games, strict=True)
        ]
        about = f"about so many {unit}s would decide, if the difference is as it seems"
        yield f"Undecided: {about}: {', '.join(words)}."
    hidden = [each for each in comparison.contrasts if not each.main]
    if hidden:
        counted = {verdict: sum(each.verdict == verdict for each in hidden) for verdict in
                   ("higher", "lower", "equivalent", "undecided", "same")}  # fmt: skip
        seen = ", ".join(f"{number} {verdict}" for verdict, number in counted.items() if number)
        yield f"Parts of metrics (card kinds, seats, totals): {seen}. All of them: --format json or csv."
    for side, names in (("A", comparison.only_a), ("B", comparison.only_b)):
        if names:
            shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            yield f"In {side} alone: {shown}."


def page(comparison: Comparison) -> RenderableType:
    """Return a comparison to print."""
    tables = [
        ("What changes", TITLES, map(cells, main(comparison))),
        ("In parts, the surest first", TITLES, map(cells, parts(comparison)[:MOST_PARTS])),
    ]
    said = opening(comparison), conclusions(comparison)
    return pages.page(headline(comparison), *said, tables, notes(comparison), gap=1)

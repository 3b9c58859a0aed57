"""Measures of how balanced, varied and skilful a game is: pure functions, each with its source."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import RenderableType

from reports import intervals, pages, wording
from reports.description import RunDescription
from reports.document import SCHEMA
from reports.intervals import UNKNOWN, Estimate, normal_quantile
from reports.rounding import count, error, rounded

BROWNE = 'C. Browne, "Automatic Generation and Evaluation of Recombination Games", PhD thesis, QUT (2008)'
CARDSTOCK = 'M. Goadrich, "Heuristics Overview", The Shape of Card Games (CardStock blog, 11 December 2018)'
CLOUD_LABER = (
    'A. Cloud and E. Laber, "Variance decompositions for extensive-form games", arXiv 2009.04834 (2020)'
)
EFRON_STEIN = "jackknife (B. Efron and C. Stein, Annals of Statistics 9 (1981) 586-596)"

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes
    ----------
    name : str
    estimate : Estimate
    definition : str
    source : str
        Empty for what needs none.
    n : int or None
        Hands, games or deals that it comes from; None if they are those of the page.
    """

    name: str
    estimate: Estimate
    definition: str
    source: str = ""
    n: int | None = None


@dataclass(frozen=True)
class Balance:
    """Measures of a rule set.

    Attributes
    ----------
    description : RunDescription
    n : int
        Hands or games played, for all measures without a number of their own.
    confidence : float
    measures : tuple of Measure
    verdict : str
        In a sentence, whether whoever starts has an advantage.
    missing : tuple of str
        Measures that an interrupt left out.
    command : tuple of str
        The command line that plays the same again, in parts; empty if there is none.
    """

    description: RunDescription
    n: int
    confidence: float
    measures: tuple[Measure, ...]
    verdict: str = ""
    command: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def largest_gap(
    n: int, wins: Sequence[int], products: Sequence[Sequence[int]], scale: int, confidence: float
) -> Estimate:
    """Return the largest difference between the win rates of two seats.

    Every pair's difference gets an interval, of which all hold together (Bonferroni); the largest
    gap then lies between the largest of their lower and the largest of their upper ends.

    Parameters
    ----------
    n : int
        Hands or games.
    wins : sequence of int
        Of each seat, where a whole win counts ``scale``.
    products : sequence of sequences of int
        Sums over the hands or games of the products of two seats' wins.
    scale : int
    confidence : float
    """
    seats = len(wins)
    pairs = [(i, j) for i in range(seats) for j in range(i)]
    level = 1 - (1 - confidence) / max(len(pairs), 1)
    values, lows, highs = [], [], []
    for i, j in pairs:
        squares = products[i][i] + products[j][j] - 2 * products[i][j]
        gap = intervals.mean(n, wins[i] - wins[j], squares, level)
        if gap.value is None or gap.low is None or gap.high is None:
            return UNKNOWN
        # Where all were alike, what is not seen may still come up as often as Wilson's interval says.
        unseen = 0.0 if gap.se else normal_quantile(level) ** 2 / (n + normal_quantile(level) ** 2) * scale
        values.append(abs(gap.value) / scale)
        lows.append(max(0.0, gap.low - unseen, -gap.high - unseen) / scale)
        highs.append((max(gap.high, -gap.low) + unseen) / scale)
    if not pairs or not any(wins):
        return UNKNOWN
    return Estimate(max(values), None, max(lows), min(1.0, max(highs)))


def complement(estimate: Estimate) -> Estimate:
    """Return one minus an estimate."""
    value, low, high = (
        None if end is None else 1 - end for end in (estimate.value, estimate.high, estimate.low)
    )
    return Estimate(value, estimate.se, low, high)


def fairness(rate: Estimate, players: int) -> Estimate:
    """Return CardStock's fairness: 1 if the first player wins a fair share, 0 if always or never.

    Below the fair share it rises with the win rate in a straight line, and above it falls in one.
    """

    def scaled(share: float) -> float:
        return min(share * players, (1 - share) * players / (players - 1))

    if rate.value is None or rate.low is None or rate.high is None:
        return UNKNOWN
    ends = scaled(rate.low), scaled(rate.high)
    top = 1.0 if rate.low <= 1 / players <= rate.high else max(ends)
    return Estimate(scaled(rate.value), None, min(ends), top)


def variation(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], confidence: float) -> Estimate:
    """Return the standard deviation over the mean, with the error of large samples.

    That is, by the delta method, from the second to the fourth central moments.

    Parameters
    ----------
    values, counts : array of int
        Values that occurred and how often; all values positive or 0.
    confidence : float
    """
    n = int(counts.sum())
    if n < 2:
        return UNKNOWN
    weights = counts / n
    mean = float(values @ weights)
    if mean == 0:
        return UNKNOWN
    away = values - mean
    second, third, fourth = (float(away**power @ weights) for power in (2, 3, 4))
    if second == 0:
        return Estimate(0.0, 0.0, 0.0, 0.0)
    ratio = math.sqrt(second) / mean
    relative = (fourth - second**2) / (4 * second**2) + second / mean**2 - third / (mean * second)
    se = ratio * math.sqrt(max(0.0, relative) / n)
    reach = normal_quantile(confidence) * se
    return Estimate(ratio, se, ratio - reach, ratio + reach)


def share(successes: int, trials: int, confidence: float) -> Estimate:
    """Return a proportion with Wilson's interval; unknown without trials."""
    between = intervals.wilson(successes, trials, confidence)
    if between is None:
        return UNKNOWN
    proportion = successes / trials
    return Estimate(proportion, math.sqrt(proportion * (1 - proportion) / trials), *between)


class Components(NamedTuple):
    """Components of a variance: between groups, within them, and the part that is between."""

    share: Estimate
    between: Estimate
    within: Estimate


def components(
    totals: npt.NDArray[np.int64],
    squares: npt.NDArray[np.int64],
    replicates: int,
    scale: int,
    confidence: float,
) -> Components:
    """Return the components of variance of the wins of several sides, by a one-way analysis of variance.

    Deals are groups, and each is played as often. The mean squares of all sides are added up, so that
    the components are means over the sides; the share is the intraclass correlation. As wins are far
    from normal, intervals come from the jackknife over deals (Efron and Stein) and not from F.

    Parameters
    ----------
    totals : int array (deals, sides)
        Wins of each side over the replicates of a deal, of which a whole one counts ``scale``.
    squares : int array (deals,)
        Sums of the squares of the wins over replicates and sides.
    replicates : int
        At least 2.
    scale : int
    confidence : float
    """
    deals, sides = totals.shape
    if deals < 3:
        return Components(UNKNOWN, UNKNOWN, UNKNOWN)
    wins = totals / scale
    among = (wins**2).sum(axis=1) / replicates

    def found(
        n: int, squares: FloatArray, among: FloatArray, sums: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        within = (squares - among) / (n * (replicates - 1))
        between = (among - (sums**2).sum(axis=-1) / (n * replicates)) / (n - 1)
        between = (between - within) / replicates
        total = between + within
        with np.errstate(invalid="ignore"):
            return between / total, between / sides, within / sides

    each = squares / scale**2
    sums = wins.sum(axis=0)
    values = found(deals, each.sum(), among.sum(), sums)
    left_out = found(deals - 1, each.sum() - each, among.sum() - among, sums - wins)
    estimates = []
    for value, without in zip(values, left_out, strict=True):
        if not np.isfinite(value) or not np.isfinite(without).all():
            estimates.append(UNKNOWN)
            continue
        se = math.sqrt((deals - 1) / deals * float(((without - without.mean()) ** 2).sum()))
        reach = normal_quantile(confidence) * se
        estimates.append(Estimate(float(value), se, float(value) - reach, float(value) + reach))
    return Components(*estimates)


def advantage(share: Estimate, fair: float) -> Estimate:
    """Return how far a win share is from an even one (0) towards winning everything (1)."""
    value, low, high = (
        None if end is None else (end - fair) / (1 - fair) for end in (share.value, share.low, share.high)
    )
    return Estimate(value, None if share.se is None else share.se / (1 - fair), low, high)


def to_dict(balance: Balance) -> dict[str, object]:
    """Return the measures in plain JSON types, floats in full."""
    description = balance.description
    return {
        "schema": SCHEMA,
        "kind": "balance",
        "game": description.game,
        "title": description.title,
        "unit": description.unit,
        "n": balance.n,
        "requested": description.requested,
        "seed": description.seed,
        "options": dict(description.options),
        "changed": list(description.changed),
        "policies": list(description.policies),
        "version": description.version,
        "confidence": balance.confidence,
        "missing": list(balance.missing),
        "measures": {
            each.name: {
                "value": each.estimate.value,
                "se": each.estimate.se,
                "low": each.estimate.low,
                "high": each.estimate.high,
                "definition": each.definition,
                "source": each.source,
                "n": balance.n if each.n is None else each.n,
            }
            for each in balance.measures
        },
    }


def to_csv(balance: Balance) -> str:
    """Return one row a measure, floats in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("measure", "value", "se", "low", "high", "definition", "source", "n"))
    for each in balance.measures:
        e = each.estimate
        n = balance.n if each.n is None else each.n
        writer.writerow((each.name, e.value, e.se, e.low, e.high, each.definition, each.source, n))
    return text.getvalue()


TITLES = ("measure", "value", "", "what it is")


def headline(balance: Balance) -> str:
    """Return what was played."""
    description = balance.description
    return f"{description.title}: {wording.number_of(balance.n, description.unit)}"


def opening(balance: Balance) -> Iterator[str]:
    """Yield what is to know first."""
    yield f"Policies: {wording.who_played(balance.description)}"
    yield f"Options: {wording.changed_options(balance.description)}"
    yield f"All intervals are at {100 * balance.confidence:g}% confidence"
    if balance.n < balance.description.requested:
        yield f"Stopped early: {count(balance.n)} of the {count(balance.description.requested)} asked for"
    if balance.missing:
        yield f"Stopped early: without {', '.join(balance.missing)}"


def rows(balance: Balance) -> Iterator[tuple[str, ...]]:
    """Yield name, value, error and definition as texts."""
    for each in balance.measures:
        estimate = each.estimate
        yield each.name, rounded(estimate.value, estimate.half_width), error(estimate), each.definition


def sources(balance: Balance) -> Iterator[str]:
    """Yield where definitions come from, and what was measured on fewer hands than the rest."""
    named: dict[str, list[str]] = {}
    fewer: dict[int, list[str]] = {}
    for each in balance.measures:
        if each.source:
            named.setdefault(each.source, []).append(each.name)
        if each.n is not None:
            fewer.setdefault(each.n, []).append(each.name)
    for source, names in named.items():
        yield f"{', '.join(names)}: {source}"
    if fewer:
        samples = (f"{', '.join(names)}: {count(n)}" for n, names in fewer.items())
        yield f"Hands, games or deals of samples: {'; '.join(samples)}"


def to_markdown(balance: Balance) -> str:
    """Return the measures as a table."""
    escaped = wording.markdown
    lines = [TITLES, ["---"] * len(TITLES), *([escaped(cell) for cell in row] for row in rows(balance))]
    paragraphs = [f"# {escaped(headline(balance))}", *(escaped(line) for line in opening(balance))]
    paragraphs.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    paragraphs += [escaped(line) for line in sources(balance)]
    return "\n\n".join(paragraphs) + "\n"


def page(balance: Balance) -> RenderableType:
    """Return the measures to print."""
    table = ("Measures", TITLES, rows(balance))
    return pages.page(headline(balance), opening(balance), (), [table], sources(balance))

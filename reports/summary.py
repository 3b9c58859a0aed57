"""From a tally to every number that a report shows.

The terminal, JSON, CSV and Markdown write down what is here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from reports import intervals, sequences
from reports.description import Metric, RunDescription
from reports.intervals import UNKNOWN, Estimate
from reports.sums import SCALAR, Part, Parts
from reports.tally import Tally
from reports.verdict import fairness

Kind = Literal["wilson", "normal", "ratio", "cluster", "wilson-cluster", "bound", "anytime"]
"""Kinds of interval: Wilson's for a proportion of independent hands or games; normal for a mean of
them; ratio for a share of another metric, by the delta method; cluster for a mean a hand in a run
of games, whose hands are not independent (a ratio over games); wilson-cluster for a proportion of
such hands; bound for a ratio whose error is the largest that any correlation allows; anytime for any
of them in a run that stopped when it knew enough, widened so that looking often does not spoil it."""

HANDS = "hands"
"""Metric of a game: how many hands it took."""

BRANCHING = {
    "branching": ("choices", "choices that a decision offers"),
    "forced_share": ("forced", "share of decisions that offer one choice"),
}
"""Ratios to the metric ``decisions``: name, the metric that is divided, and what it says."""


@dataclass(frozen=True)
class WinRate:
    """Wins of one seat, side or policy.

    Attributes
    ----------
    index : int
        Number of the seat or side; for a policy its position in the run's list.
    name : str
        "seat 1", "side 0 (starts)", or the policy's name, made distinct where it occurs twice.
    wins : Fraction
        In hands or games, the run's unit; who shares a win gets an equal part of it.
    rate : Estimate
        Wins over all hands or games, with Wilson's interval.
    """

    index: int
    name: str
    wins: Fraction
    rate: Estimate


@dataclass(frozen=True)
class Statistic:
    """One recorded number: a mean a hand or a game, or a share.

    Attributes
    ----------
    name : str
        ``METRIC``, ``METRIC.label``, ``win.seat0``, ...
    unit : {"hand", "game"}
        What it is a mean over.
    estimate : Estimate
    n : int
        Hands or games counted.
    kind : Kind
        Of the interval.
    """

    name: str
    unit: Literal["hand", "game"]
    estimate: Estimate
    n: int
    kind: Kind


@dataclass(frozen=True)
class Spread:
    """How the values of a metric that is one number are spread: all in the metric's own unit."""

    sd: float | None
    min: int | None
    p05: int | None
    median: int | None
    p95: int | None
    max: int | None


@dataclass(frozen=True)
class FirstPlayer:
    """What starting is worth.

    Attributes
    ----------
    advantage : Estimate
        Win rate of seat (or side) 0 minus one over the number of them.
    verdict : str
        The same in a sentence, which sets hands aside that nobody won.
    """

    advantage: Estimate
    verdict: str


@dataclass(frozen=True)
class Summary:
    """What a run showed.

    Attributes
    ----------
    description : RunDescription
    tally : Tally
        The counts that everything here follows from; histograms are read from it.
    confidence : float
        Of all intervals.
    n, hands : int
        Hands or games counted (the run's unit), and hands.
    seats : tuple of WinRate
        By seat, or by side where sides win.
    first_player : FirstPlayer
    policies : tuple of WinRate
        By position in the list of policies; empty if all seats had the same one.
    statistics : mapping of str to Statistic
        Everything recorded, by name, in the order of the description.
    spreads : mapping of str to Spread
        Of the metrics that are one number and kept value by value.
    ended : mapping of str to int
        Hands ``won`` by one alone, ``shared`` by several, won by ``nobody`` (the three add up to
        all hands), and for each way of ending that the description names. In a run of games also
        ``games_won``, ``games_shared``, ``games_nobody``.
    """

    description: RunDescription
    tally: Tally
    confidence: float
    n: int
    hands: int
    seats: tuple[WinRate, ...]
    first_player: FirstPlayer
    policies: tuple[WinRate, ...]
    statistics: Mapping[str, Statistic]
    spreads: Mapping[str, Spread]
    ended: Mapping[str, int]

    def numbers(self) -> dict[str, str]:
        """Return what each statistic counts that is one number, by name."""
        metrics = named_metrics(self.description)
        numbers = {name: metric.meaning for name, metric in metrics.items() if not metric.labels}
        branching = {name: meaning for name, (_, meaning) in BRANCHING.items() if name in self.statistics}
        return numbers | branching

    def parts(self, name: str) -> list[tuple[str, Statistic]]:
        """Return the parts of a metric in the order to show them: label and statistic."""
        labels = named_metrics(self.description)[name].labels.values()
        return [(label, self.statistics[f"{name}.{label}"]) for label in labels]


def summarise(tally: Tally, description: RunDescription, confidence: float = 0.95) -> Summary:
    """Return the numbers that follow from a tally.

    Parameters
    ----------
    tally : Tally
        Counts of the run, or of as much of it as was played.
    description : RunDescription
        Which metrics to read from it, and what they are called.
    confidence : float
        Of all intervals, between 0 and 1.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1, or a run of games lacks the sums by game of a
        metric that it lists.
    """
    if description.until:
        return _anytime(tally, description, confidence)
    parts = Parts(tally)
    unit = description.unit
    n, hands = parts.histogram(unit, "winners").n, parts.histogram("hand", "winners").n
    seat_names = [
        f"{description.side} {index}{'' if index else ' (starts)'}" for index in range(description.sides)
    ]
    seats = _win_rates(parts.histogram(unit, "winners"), seat_names, confidence)
    policies: tuple[WinRate, ...] = ()
    if len(description.policies) > 1:
        names = _distinct(description.policies)
        policies = _win_rates(parts.histogram(unit, "policy_winners"), names, confidence)

    statistics = {}
    spreads = {}
    for seat in seats:
        name = f"win.{description.side}{seat.index}"
        statistics[name] = Statistic(name, unit, seat.rate, n, "wilson")
    for name, metric in named_metrics(description).items():
        for key, label in metric.labels.items() or [(SCALAR, "")]:
            full_name = f"{name}.{label}" if metric.labels else name
            statistics[full_name] = _statistic(parts, full_name, metric, key, description, confidence)
        if not metric.labels and metric.per is None:
            spreads[name] = _spread(parts.histogram(metric.unit, metric.name))
    statistics.update(_branching(statistics, confidence))

    return Summary(
        description=description,
        tally=tally,
        confidence=confidence,
        n=n,
        hands=hands,
        seats=seats,
        first_player=_first_player(seats, parts.histogram(unit, "winners"), description, confidence),
        policies=policies,
        statistics=statistics,
        spreads=spreads,
        ended=_ended(parts, description),
    )


def _anytime(tally: Tally, description: RunDescription, confidence: float) -> Summary:
    """Return the summary of a run that stopped when it knew enough, with confidence sequences."""
    n = tally.units(description.unit)
    plain = sequences.plain_confidence(n, confidence) if n else confidence
    summary = summarise(tally, replace(description, until={}), plain)
    statistics: dict[str, Statistic] = {
        name: replace(statistic, kind="anytime") for name, statistic in summary.statistics.items()
    }
    return replace(summary, description=description, confidence=confidence, statistics=statistics)


def named_metrics(description: RunDescription) -> dict[str, Metric]:
    """Return the metrics that a run records, by the name that their statistics bear.

    That is the metric's own name; but where a game and its hands record the same thing (points,
    say), a run of games gives the name to the game's and calls the other ``hand.NAME``.
    """
    if description.unit == "hand":
        return {metric.name: metric for metric in description.metrics if metric.unit == "hand"}
    of_games = {metric.name for metric in description.metrics if metric.unit == "game"}
    return {
        f"hand.{metric.name}" if metric.unit == "hand" and metric.name in of_games else metric.name: metric
        for metric in description.metrics
    }


def _statistic(
    parts: Parts, name: str, metric: Metric, key: int, description: RunDescription, confidence: float
) -> Statistic:
    """Return the mean of one part of a metric, with the interval that suits how it was sampled."""
    in_games = description.unit == "game" and metric.unit == "hand"
    part = parts.histogram(metric.unit, metric.name, key)
    is_proportion = metric.per is None and _is_proportion(part, metric, description)
    kind: Kind
    if metric.per is None and not in_games:
        kind = "wilson" if is_proportion else "normal"
        estimate = intervals.mean(part.n, part.total, part.squares, confidence)
        if is_proportion:
            estimate = intervals.with_wilson(estimate, part.n, confidence)
        return Statistic(name, metric.unit, estimate, part.n, kind)

    independent = parts.histogram(description.unit, "winners").n
    x, xx, xy = parts.sums(description.unit, metric.name, key)
    y, yy = parts.sums_of_other(description.unit, metric.per or HANDS, key)
    if metric.per is None and x != part.total:
        raise ValueError(f"the tally's sums by game of {name} do not add up to its counts by hand")
    kind = "cluster" if in_games else "ratio"
    estimate = intervals.ratio(independent, x, xx, y, yy, xy, confidence)
    if estimate.value is not None and (is_proportion or estimate.value == 0):
        # What never occurred has no error; the share of moves is then bounded by that of hands.
        kind = "wilson-cluster" if in_games else "wilson"
        trials = intervals.effective_trials(estimate.value, estimate.se, independent)
        estimate = intervals.with_wilson(estimate, trials, confidence)
    return Statistic(name, metric.unit, estimate, parts.histogram(metric.unit, "winners").n, kind)


def _is_proportion(part: Part, metric: Metric, description: RunDescription) -> bool:
    """Whether a metric says yes or no: by its description, or as far as anyone has seen.

    A rare event that was never seen twice in a hand is treated alike: Wilson's interval stays
    honest there, and for an event never seen at all, where the normal one would shrink to nothing.
    """
    if not part.values:
        return False
    return metric.name in description.endings or (part.values[0] == 0 and part.values[-1] <= 1)


def _spread(part: Part) -> Spread:
    values, counts = np.array(part.values, dtype=np.int64), np.array(part.counts, dtype=np.int64)
    smallest, p05, median, p95, largest = (
        intervals.quantile(values, counts, share) for share in (0.0, 0.05, 0.5, 0.95, 1.0)
    )
    return Spread(
        sd=intervals.standard_deviation(part.n, part.total, part.squares),
        min=smallest,
        p05=p05,
        median=median,
        p95=p95,
        max=largest,
    )


def _win_rates(winners: Part, names: list[str], confidence: float) -> tuple[WinRate, ...]:
    """Return the wins of each bit of the winners' masks; a win that k share counts 1/k for each."""
    unit = math.lcm(*range(1, len(names) + 1))  # a win, in parts small enough to share exactly
    rates = []
    for index, name in enumerate(names):
        shares = [
            (unit // mask.bit_count(), count)
            for mask, count in zip(winners.values, winners.counts, strict=True)
            if mask >> index & 1
        ]
        total = sum(share * count for share, count in shares)
        squares = sum(share * share * count for share, count in shares)
        error = intervals.mean(winners.n, total, squares, confidence).se
        rate = UNKNOWN
        if winners.n:
            mean = total / (unit * winners.n)
            rate = Estimate(mean, None if error is None else error / unit, None, None)
        rates.append(
            WinRate(index, name, Fraction(total, unit), intervals.with_wilson(rate, winners.n, confidence))
        )
    return tuple(rates)


def _first_player(
    seats: tuple[WinRate, ...], winners: Part, description: RunDescription, confidence: float
) -> FirstPlayer:
    advantage = seats[0].rate.shifted(-1 / description.sides)
    void = _won_by(winners)[0]
    who = "The starter" if description.side == "seat" else "The side that starts"
    if description.unit == "game":
        who = f"The {description.side} that starts the first hand"
    verdict = fairness(
        who, seats[0].wins, winners.n - void, void, description.unit, description.sides, confidence
    )
    if description.fixed_seats and len(set(description.policies)) > 1:
        verdict += " As each policy kept its seat, this speaks of seats and policies together."
    return FirstPlayer(advantage, verdict)


def _won_by(winners: Part) -> tuple[int, int, int]:
    """Return how many hands or games nobody won, one won, and several shared."""
    tally = [0, 0, 0]
    for mask, count in zip(winners.values, winners.counts, strict=True):
        tally[min(mask.bit_count(), 2)] += count
    nobody, one, several = tally
    return nobody, one, several


def _ended(parts: Parts, description: RunDescription) -> dict[str, int]:
    nobody, one, several = _won_by(parts.histogram("hand", "winners"))
    ended = {"won": one, "shared": several, "nobody": nobody}
    for metric in description.endings:
        ended[metric] = parts.histogram("hand", metric).total
    if description.unit == "game":
        nobody, one, several = _won_by(parts.histogram("game", "winners"))
        ended |= {"games_won": one, "games_shared": several, "games_nobody": nobody}
    return ended


def _branching(statistics: Mapping[str, Statistic], confidence: float) -> dict[str, Statistic]:
    """Return how many choices a decision offers and how many are forced, where both were counted."""
    ratios = {}
    decisions = statistics.get("decisions")
    for name, (metric, _) in BRANCHING.items():
        if decisions and (counted := statistics.get(metric)):
            estimate = intervals.ratio_of_means(counted.estimate, decisions.estimate, confidence)
            ratios[name] = Statistic(name, counted.unit, estimate, counted.n, "bound")
    return ratios


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Return names with their position added where a name occurs more than once."""
    return [
        f"{name} ({position + 1})" if names.count(name) > 1 else name for position, name in enumerate(names)
    ]

"""Compare two rule sets: both play the same games, and every statistic is held beside its twin."""

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from fastsim.commands import Command, compare_command
from fastsim.engine import check_confidence, check_number
from fastsim.errors import UsageError, unknown
from fastsim.experiment import LARGEST_SEED, Experiment, design
from fastsim.findings import Findings, Forms
from fastsim.options import shown
from fastsim.ordered import play_in_order
from fastsim.pairing import ONE, Paired, PairedPlay, Quantities, Quantity, add, offsets
from fastsim.policy import Policy
from reports import comparison as statistics
from reports import contrasts
from reports.comparison import Level, Products
from reports.contrasts import Comparison, Contrast
from reports.description import RunDescription
from reports.intervals import UNKNOWN, Estimate
from reports.summary import BRANCHING, HANDS, Summary, named_metrics, summarise

if TYPE_CHECKING:
    from reports.page.model import Page

DECIDED = "decided"
"""What ``until`` accepts."""
DEFAULT_MARGIN = "1%"


class Ratio(NamedTuple):
    """What a statistic divides by what, as quantities of an experiment.

    Attributes
    ----------
    x, y : Quantity
    meaning : str
    unit : {"hand", "game"}
    main : bool
        Whether it is a win rate or one number, and no part of a metric.
    event : bool
        Whether it may be something that a hand or game has or has not.
    """

    x: Quantity
    y: Quantity
    meaning: str
    unit: str
    main: bool
    event: bool


def ratios(experiment: Experiment, description: RunDescription) -> dict[str, Ratio]:
    """Return every statistic of an experiment, by the name that reports use, as a ratio."""
    unit = experiment.unit
    names = Quantities(experiment).names
    one = Quantity(*ONE)
    found = {}
    for side in range(description.sides):
        name = f"win.{description.side}{side}"
        won = Quantity("win", "winners", side)
        found[name] = Ratio(won, one, f"wins of {description.side} {side}", unit, True, False)
    if len(description.policies) > 1:
        for position, policy in enumerate(description.policies):
            won = Quantity("win", "policy_winners", position)
            found[f"win.policy{position}"] = Ratio(won, one, f"wins of {policy}", unit, True, False)
    for name, metric in named_metrics(description).items():
        for key, label in metric.labels.items() or [(-1, "")]:
            x = Quantity(metric.unit, metric.name, key)
            y = one
            if metric.per is not None:
                same_key = Quantity(metric.unit, metric.per, key)
                y = same_key if same_key in names else Quantity(metric.unit, metric.per)
            elif unit == "game" and metric.unit == "hand":
                y = Quantity("game", HANDS)
            if x in names and y in names:
                full_name = f"{name}.{label}" if metric.labels else name
                found[full_name] = Ratio(x, y, metric.meaning, metric.unit, not metric.labels, y == one)
    for name, (metric_name, meaning) in BRANCHING.items():
        x, y = Quantity("hand", metric_name), Quantity("hand", "decisions")
        if x in names and y in names:
            found[name] = Ratio(x, y, meaning, "hand", True, False)
    return found


@dataclass(frozen=True)
class Margins:
    """Below which a difference counts as none.

    Attributes
    ----------
    everywhere : float
        As a part of A's value.
    by_name : mapping of str to (float, bool)
        By statistic or metric: how much, and whether as a part of A's value.
    """

    everywhere: float
    by_name: Mapping[str, tuple[float, bool]]

    def of(self, name: str, a: float) -> float:
        """Return the margin of a statistic whose value in A is ``a``, in its own unit."""
        for known in (name, name.rpartition(".")[0]):
            if known in self.by_name:
                amount, relative = self.by_name[known]
                return amount * abs(a) if relative else amount
        return self.everywhere * abs(a)

    def __str__(self) -> str:
        words = [f"{100 * self.everywhere:g}% of A's value (win rates: of a fair share)"]
        words += [
            f"{100 * amount:g}% of it for {name}" if relative else f"{amount:g} for {name}"
            for name, (amount, relative) in self.by_name.items()
        ]
        return ", ".join(words)


def read_margins(given: str | Sequence[str], names: Sequence[str]) -> Margins:
    """Return the margins that ``NUMBER%``, ``NAME=NUMBER`` and ``NAME=NUMBER%`` mean.

    Raises ``UsageError`` for an unknown name or no number.
    """
    everywhere = float(DEFAULT_MARGIN.rstrip("%")) / 100
    by_name = {}
    for text in [given] if isinstance(given, str) else given:
        name, separator, amount = text.rpartition("=")
        name, amount = name.strip(), amount.strip()
        number = amount.removesuffix("%")
        relative = number != amount
        try:
            value = float(number) / (100 if relative else 1)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf") or (not relative and not separator) or (separator and not name):
            raise UsageError(
                f"margin was given {text!r}; accepted: such as 1% for all statistics, turns=0.1 or win=0.5%"
            )
        if not separator:
            everywhere = value
        else:
            check_names([name], names)
            by_name[name] = (value, relative)
    return Margins(everywhere, by_name)


def check_names(given: Sequence[str], names: Sequence[str]) -> None:
    """Raise ``UsageError`` for what is neither a statistic nor the metric of several."""
    metrics = list(dict.fromkeys(name.rpartition(".")[0] or name for name in names))
    for name in given:
        if not chosen([name], names):
            raise unknown("statistic", name, names if name.rpartition(".")[0] in metrics else metrics)


def chosen(given: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the statistics that are named or whose metric is."""
    return tuple(name for name in names if any(name == each or name.startswith(f"{each}.") for each in given))


@dataclass(frozen=True)
class Pair:
    """Two experiments to compare, checked.

    Attributes
    ----------
    a, b : Experiment
    why_unpaired : str
        Empty if both get the same deals.
    """

    a: Experiment
    b: Experiment
    why_unpaired: str

    @cached_property
    def ratios(self) -> tuple[dict[str, Ratio], dict[str, Ratio]]:
        """The statistics of both."""
        return ratios(self.a, self.a.describe(1)), ratios(self.b, self.b.describe(1))

    @cached_property
    def shared(self) -> list[str]:
        """Statistics that both have, in the order of A."""
        first, second = self.ratios
        return [name for name in first if name in second]

    @cached_property
    def plan(self) -> dict[tuple[int, int], int]:
        """Pairs of rows whose products are needed, and the place of each."""
        place: dict[tuple[int, int], int] = {}
        for name in self.shared:
            for pair in self._rows(name):
                place.setdefault(pair, len(place))
        return place

    def _rows(self, name: str) -> list[tuple[int, int]]:
        """Return the pairs of rows that a statistic needs, in the order of ``Products``."""
        qa, qb = Quantities(self.a), Quantities(self.b)
        start = offsets([qa, qb])[1]
        first, second = (ratio[name] for ratio in self.ratios)
        one = 0
        xa, ya = self._names[0][first.x], self._names[0][first.y]
        xb, yb = start + self._names[1][second.x], start + self._names[1][second.y]
        pairs = [(one, one), (one, xa), (one, ya), (one, xb), (one, yb), (xa, xa), (xa, ya), (ya, ya)]
        pairs += [(xb, xb), (xb, yb), (yb, yb), (xa, xb), (xa, yb), (ya, xb), (ya, yb)]
        return [(min(pair), max(pair)) for pair in pairs]

    @cached_property
    def _names(self) -> tuple[dict[Quantity, int], dict[Quantity, int]]:
        return Quantities(self.a).names, Quantities(self.b).names

    def products(self, name: str, played: Paired) -> Products:
        """Return the sums of a statistic."""
        return Products(*(int(played.products[self.plan[pair]]) for pair in self._rows(name)))

    def names(self) -> tuple[str, str]:
        """Return in words how the rule sets differ from each other."""
        a, b = self.a.options, self.b.options
        differing = [name for name in type(a).model_fields if getattr(a, name) != getattr(b, name)]
        first, second = (
            ", ".join(f"{name} = {shown(getattr(options, name))}" for name in differing) for options in (a, b)
        )
        return first, second


def design_pair(
    game: str,
    a: Mapping[str, object],
    b: Mapping[str, object],
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
) -> Pair:
    """Return two experiments to compare. Raises ``UsageError`` for anything that is not accepted."""
    common = dict(options or {})
    first, second = (
        design(game, common | dict(changes), policy, fixed_seats, seed, unit) for changes in (a, b)
    )
    one, other = first.options, second.options
    differing = {name for name in type(one).model_fields if getattr(one, name) != getattr(other, name)}
    if differing <= {*one.idle()} & {*other.idle()}:
        but = f" but for {', '.join(sorted(differing))}, without effect here" if differing else ""
        raise UsageError(
            f"A and B are the same rules{but}, so there is nothing to compare; give what differs, as "
            '--a "OPTION=VALUE" and --b "OPTION=VALUE"'
        )
    why = _why_unpaired(first, second)
    if why:
        # Another seed for B: what is taken to be independent has to be.
        second = replace(second, seed=seed + 1 if seed < LARGEST_SEED else 0)
        why += f"; B was played with seed {second.seed}"
    return Pair(first, second, why)


def _why_unpaired(a: Experiment, b: Experiment) -> str:
    """Return why equal game numbers do not mean equal deals, or nothing."""
    players = [getattr(each.options, "players", None) for each in (a, b)]
    if players[0] != players[1]:
        return f"A has {players[0]} players and B {players[1]}, so no deal is the same"
    cards = [getattr(each.options, "cards", None) for each in (a, b)]
    decks = [sorted(every(), key=str) if callable(every) else None for every in cards]
    if decks[0] != decks[1]:
        return "the decks differ, so no deal is the same"
    return ""


@dataclass(frozen=True)
class CompareResult(Findings):
    """The result of a comparison.

    Attributes
    ----------
    comparison : Comparison
        Everything found.
    played : Paired or None
        The exact counts and sums that it follows from.
    interrupted : bool
    seconds : float
    """

    forms: ClassVar[Forms] = contrasts

    comparison: Comparison
    played: Paired | None
    interrupted: bool
    seconds: float

    @property
    def found(self) -> Comparison:
        """Everything found."""
        return self.comparison

    def laid_out(self, made_with: Mapping[str, str]) -> "Page":
        """Return the page of it."""
        from reports.page.compare import compare_page

        return compare_page(self.comparison, self.interrupted, made_with)


def compare(
    game: str,
    a: Mapping[str, object],
    b: Mapping[str, object],
    n: int = 1_000_000,
    *,
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
    confidence: float = 0.95,
    margin: str | Sequence[str] = DEFAULT_MARGIN,
    metrics: Sequence[str] | None = None,
    until: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CompareResult:
    """Play two rule sets on the same deals and return what differs, and how sure that is.

    Parameters
    ----------
    game : str
        One of ``fastsim.games()``.
    a, b : mapping
        Changes of the rules that make A and B; may be empty for the rules as they are.
    n : int
        Hands or games of each; with ``until`` the most.
    options : mapping, optional
        Changes of the rules for both.
    policy, fixed_seats, seed, unit, threads, executor, progress
        As of :func:`fastsim.run`. If decks or numbers of players differ there are no equal deals;
        B is then played with the next seed and nothing is paired.
    confidence : float
        Of the intervals; a difference is called one if its Holm-adjusted p-value is below 1 minus this.
    margin : str or sequence of str
        A difference that is certainly smaller is called equivalent: ``"1%"`` of A's value for all
        statistics, ``"turns=0.1"`` or ``"win=0.5%"`` for one.
    metrics : sequence of str, optional
        Statistics, or metrics with all their parts, to compare; by default all. P-values are
        adjusted for those compared.
    until : {"decided"}, optional
        Stop as soon as ``metrics`` (by default win rates and how long it lasts) are decided. All
        intervals and p-values are then anytime-valid.

    Raises
    ------
    UsageError
        For anything that is not accepted, before anything is played.
    WorkerError
        If the executor fails; ``result``, an attribute of it, is what was found until then.
    """
    pair = design_pair(game, a, b, options, policy, fixed_seats, seed, unit)
    return compare_pair(pair, n, confidence, margin, metrics, until, threads, executor, progress)


def compare_pair(
    pair: Pair,
    n: int,
    confidence: float = 0.95,
    margin: str | Sequence[str] = DEFAULT_MARGIN,
    metrics: Sequence[str] | None = None,
    until: str | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CompareResult:
    """Compare a pair that :func:`design_pair` made; otherwise as :func:`compare`."""
    n = check_number(n)
    check_confidence(confidence)
    if until not in (None, DECIDED):
        raise UsageError(f"until was given {until!r}; accepted: {DECIDED}")
    check_names(metrics or (), pair.shared)
    margins = read_margins(margin, pair.shared)
    names = chosen(metrics, pair.shared) if metrics else tuple(pair.shared)
    waited: tuple[str, ...] = ()
    if until == DECIDED:
        waited = names if metrics else _headlines(pair)

    command = compare_command(pair, n, confidence, margin, metrics, until)

    def found(played: Paired, games: int, is_decided: bool) -> Comparison:
        level = Level(confidence, games if until else None)
        return evaluate(pair, played, games, n, level, margins, names, waited, is_decided, command)

    def decided(played: Paired, games: int) -> bool:
        verdicts = found(played, games, False).by_name
        return all(_is_decided(verdicts[name]) for name in waited)

    play = PairedPlay((pair.a, pair.b), tuple(pair.plan))
    for each in (pair.a, pair.b):
        _ = each.setup  # made once, here, and not by every thread
    chunk = min(pair.a.game.chunks[pair.a.unit], pair.b.game.chunks[pair.b.unit])
    if until is None:
        from fastsim.engine import check_threads

        chunk = min(chunk, max(1, -(-n // check_threads(threads))))
    outcome = play_in_order(play, add, n, chunk, threads, executor, progress, decided if until else None)
    played = outcome.part if outcome.part is not None else play(0, 0)
    comparison = found(played, outcome.games, outcome.decided)
    return outcome.checked(CompareResult(comparison, outcome.part, outcome.interrupted, outcome.seconds))


def _is_decided(found: Contrast) -> bool:
    if found.verdict == "same":  # so far: is it also known that it hardly ever differs?
        return (found.difference.half_width or 0.0) <= found.margin
    return found.verdict != "undecided"


def _headlines(pair: Pair) -> tuple[str, ...]:
    """Return the statistics that a comparison waits for unless told otherwise."""
    lengths = {metric.name for metric in pair.a.game.metrics(pair.a.options) if metric.role == "length"}
    return tuple(
        name for name in pair.shared
        if name.startswith("win.") or name.removeprefix("hand.") in lengths
    )  # fmt: skip


def evaluate(
    pair: Pair,
    played: Paired,
    games: int,
    requested: int,
    level: Level,
    margins: Margins,
    names: Sequence[str],
    waited: tuple[str, ...] = (),
    is_decided: bool = False,
    command: Command = (),
) -> Comparison:
    """Return what counts and sums of so many games say."""
    plain = level.plain_confidence if games else level.confidence
    a, b = (
        summarise(tally, experiment.describe(requested), plain)
        for tally, experiment in zip(played.tallies, (pair.a, pair.b), strict=True)
    )
    rows = []
    for name in names:
        products = pair.products(name, played)
        spread = statistics.spread(products)
        if spread is not None and pair.why_unpaired:
            spread = statistics.unpaired(spread)
        first, second = _estimates(name, (a, b), spread, level.critical_value if games else 0.0)
        ratio = pair.ratios[0][name]
        only_one = None
        yes_or_no = products.xa == products.xa_xa and products.xb == products.xb_xb
        if ratio.event and yes_or_no and not pair.why_unpaired:
            only_one = (products.xa - products.xa_xb, products.xb - products.xa_xb)
        between = UNKNOWN
        same = statistics.never_differed(products)
        if spread is not None:
            between = statistics.difference(first, second, spread)
            if same:
                is_share = only_one is not None or name.startswith("win.")
                between = statistics.never(games, plain) if is_share else Estimate(0.0, 0.0, 0.0, 0.0)
        p = statistics.p_value(spread, games, level, only_one)
        rows.append((name, ratio, spread, first, second, between, same, p))
    adjusted = statistics.holm([row[-1] for row in rows])
    found = []
    for (name, ratio, spread, first, second, between, same, p), p_adjusted in zip(
        rows, adjusted, strict=True
    ):
        # The same for all seats: what one gains, others lose.
        fair = 1 / (len(a.policies) if name.startswith("win.policy") else a.description.sides)
        margin = margins.of(name, fair if name.startswith("win.") else first.value or 0.0)
        verdict = statistics.judge(between, p_adjusted, margin, level.confidence, same)
        needed = None
        if verdict == "undecided":
            needed = statistics.games_to_decide(between, games, margin, level.confidence, len(rows))
        found.append(
            Contrast(
                name=name,
                meaning=ratio.meaning,
                unit=ratio.unit,
                a=first,
                b=second,
                difference=between,
                p=p,
                p_adjusted=p_adjusted,
                correlation=None if spread is None or pair.why_unpaired else statistics.correlation(spread),
                saved=None if spread is None or pair.why_unpaired else statistics.saved(spread),
                margin=margin,
                verdict=verdict,
                games_to_decide=needed,
                main=ratio.main,
            )
        )
    in_a, in_b = pair.ratios
    return Comparison(
        a=a,
        b=b,
        names=pair.names(),
        contrasts=tuple(found),
        only_a=tuple(name for name in in_a if name not in in_b),
        only_b=tuple(name for name in in_b if name not in in_a),
        paired=not pair.why_unpaired,
        why_unpaired=pair.why_unpaired,
        margin=str(margins),
        confidence=level.confidence,
        anytime=level.looks_after is not None,
        until=waited,
        decided=is_decided,
        command=command,
    )


def _estimates(
    name: str,
    summaries: tuple[Summary, Summary],
    spread: statistics.Spread | None,
    critical_value: float,
) -> tuple[Estimate, Estimate]:
    """Return the estimates of A and B, as a run of each would report them."""
    estimates = []
    for number, summary in enumerate(summaries):
        reported = summary.statistics.get(name)
        if name.startswith("win.policy"):
            rate = summary.policies[int(name.removeprefix("win.policy"))].rate
            estimates.append(rate)
        elif reported is not None and reported.kind != "bound":
            estimates.append(reported.estimate)
        elif spread is not None:
            # The run bounds the error of these; here the products were summed, and it is known.
            value = float((spread.a, spread.b)[number])
            se = float((spread.variance_a, spread.variance_b)[number]) ** 0.5
            reach = critical_value * se
            estimates.append(Estimate(value, se, value - reach, value + reach))
        else:
            estimates.append(UNKNOWN)
    return estimates[0], estimates[1]


_ASSIGNMENT = re.compile(r"""(?:[^\s\[\]{}"']|"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\})+""")


def split_assignments(text: str) -> list[str]:
    """Return the ``OPTION=VALUE`` parts of a text; tables, lists and quoted text may hold spaces."""
    return _ASSIGNMENT.findall(text)

"""Policies play each other: every deal from every seat, so that neither deal nor seat favours anyone."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fastsim.commands import duel_command
from fastsim.engine import check_confidence, check_number, check_threads
from fastsim.errors import UsageError
from fastsim.experiment import Experiment, design
from fastsim.findings import Findings, Forms
from fastsim.ordered import play_in_order
from fastsim.pairing import ONE, Paired, PairedPlay, Quantities, Quantity, add, offsets
from fastsim.policy import Policy
from reports import comparison, duels, intervals
from reports.comparison import Level
from reports.duels import Duel, Matchup, Rating, Standing
from reports.intervals import Estimate, normal_quantile
from reports.ratings import ELO, bradley_terry, errors

if TYPE_CHECKING:
    from reports.page.model import Page

MOST_SEATINGS = 500


@dataclass(frozen=True)
class Tables:
    """Who meets whom, at which seats.

    Attributes
    ----------
    policies : tuple of Policy
    tables : tuple of tuples of int
        The policies of each table.
    seatings : tuple of Experiment
        Those of the first table, then of the second, ...; as many each as there are seats.
    """

    policies: tuple[Policy, ...]
    tables: tuple[tuple[int, ...], ...]
    seatings: tuple[Experiment, ...]

    @property
    def players(self) -> int:
        """Seats of a table."""
        return len(self.tables[0])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the policies, made distinct."""
        names = [policy.name for policy in self.policies]
        return tuple(
            f"{name} ({index + 1})" if names.count(name) > 1 else name for index, name in enumerate(names)
        )

    def seats(self) -> list[tuple[int, int, int, int]]:
        """Return table, seating, seat and policy of each seat of each seating."""
        found = []
        for table, policies in enumerate(self.tables):
            for turn in range(self.players):
                for seat in range(self.players):
                    policy = policies[(seat + turn) % self.players]
                    found.append((table, table * self.players + turn, seat, policy))
        return found


def design_duel(
    game: str,
    policies: Sequence[str | Policy],
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    unit: str = "hand",
) -> Tables:
    """Return a duel, checked. Raises ``UsageError`` for anything that is not accepted."""
    if len(policies) < 2:
        raise UsageError("a duel needs at least two policies; give --policy twice or more")
    found = [design(game, options, policy, seed=seed, unit=unit).policies[0] for policy in policies]
    sample = design(game, options, policies[0], seed=seed, unit=unit)
    players: int = getattr(sample.options, "players")  # noqa: B009 (every game has it)
    if len(found) < players:
        raise UsageError(
            f"{len(found)} policies were given for {players} players; accepted: at least as many as players"
        )
    tables = tuple(itertools.combinations(range(len(found)), players))
    if len(tables) * players > MOST_SEATINGS:
        raise UsageError(
            f"{len(found)} policies at tables of {players} make {len(tables) * players:,} seatings of each "
            f"deal; accepted: up to {MOST_SEATINGS}, so give fewer policies"
        )
    seats = range(players)
    seatings = tuple(
        design(game, options, [found[table[(seat + turn) % players]] for seat in seats], True, seed, unit)
        for table in tables
        for turn in range(players)
    )  # fmt: skip
    return Tables(tuple(found), tables, seatings)


@dataclass(frozen=True)
class DuelResult(Findings):
    """The result of a duel.

    Attributes
    ----------
    duel : Duel
        Everything found.
    played : Paired or None
        The exact counts and sums that it follows from; a tally for each seating.
    interrupted : bool
    seconds : float
    """

    forms: ClassVar[Forms] = duels

    duel: Duel
    played: Paired | None
    interrupted: bool
    seconds: float

    @property
    def found(self) -> Duel:
        """Everything found."""
        return self.duel

    def laid_out(self, made_with: Mapping[str, str]) -> "Page":
        """Return the page of it."""
        from reports.page.duel import duel_page

        return duel_page(self.duel, self.interrupted, made_with)


def duel(
    game: str,
    policies: Sequence[str | Policy],
    n: int = 100_000,
    *,
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    unit: str = "hand",
    confidence: float = 0.95,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DuelResult:
    """Let policies play each other and return who is better, and how sure that is.

    With more policies than players every table of different policies meets. The seats rotate: each
    deal is played as often as there are seats, every policy once at each.

    Parameters
    ----------
    game : str
        One of ``fastsim.games()``.
    policies : sequence of str or Policy
        At least as many as players, and at least two.
    n : int
        Deals of each table.
    options, seed, unit, confidence, threads, executor, progress
        As of :func:`fastsim.run`; progress counts deals.

    Raises
    ------
    UsageError
        For anything that is not accepted, before anything is played.
    WorkerError
        If the executor fails; ``result``, an attribute of it, is what was found until then.
    """
    tables = design_duel(game, policies, options, seed, unit)
    return duel_of(tables, n, confidence, threads, executor, progress)


def duel_of(
    tables: Tables,
    n: int,
    confidence: float = 0.95,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DuelResult:
    """Play a duel that :func:`design_duel` made; otherwise as :func:`duel`."""
    n = check_number(n)
    check_confidence(confidence)
    for each in tables.seatings:
        _ = each.setup  # made once, here, and not by every thread
    sums = _Sums(tables)
    play = PairedPlay(tables.seatings, tuple(sums.place))
    sample = tables.seatings[0]
    chunk = max(1, sample.game.chunks[sample.unit] // len(tables.seatings))
    chunk = min(chunk, max(1, -(-n // check_threads(threads))))
    outcome = play_in_order(play, add, n, chunk, threads, executor, progress)
    played = outcome.part if outcome.part is not None else play(0, 0)
    found = evaluate(tables, sums, played, outcome.games, n, confidence)
    return outcome.checked(DuelResult(found, outcome.part, outcome.interrupted, outcome.seconds))


class _Sums:
    """Which products a duel needs, and what they add up to.

    An *entry* is a policy at a table: its wins on one deal are those of its seats in all seatings.
    """

    def __init__(self, tables: Tables) -> None:
        quantities = [Quantities(each) for each in tables.seatings]
        starts = offsets(quantities)
        self.win = quantities[0].win
        self.entries = [(table, policy) for table, group in enumerate(tables.tables) for policy in group]
        self.rows: dict[tuple[int, int], list[int]] = {entry: [] for entry in self.entries}
        self.seat_rows: dict[tuple[str, int], list[int]] = {}
        sample = tables.seatings[0]
        metrics = {
            metric.name: metric
            for metric in sample.game.metrics(sample.options)
            if metric.role == "seats" and metric.unit == sample.unit and metric.per is None
            and set(metric.labels) == set(range(tables.players))
            and sample.game.sides(sample.options) == tables.players
        }  # fmt: skip
        for table, seating, seat, policy in tables.seats():
            names = quantities[seating].names
            # A list of as many policies as seats is by seat, as they keep their seats.
            won = Quantity("win", "policy_winners", seat)
            self.rows[table, policy].append(starts[seating] + names[won])
            for name, metric in metrics.items():
                row = starts[seating] + names[Quantity(metric.unit, name, seat)]
                self.seat_rows.setdefault((name, policy), []).append(row)
        self.place: dict[tuple[int, int], int] = {}
        self._one = quantities[0].names[Quantity(*ONE)]
        wins = sorted(itertools.chain(*self.rows.values()))
        for pair in itertools.chain(
            ((self._one, row) for row in wins),
            itertools.combinations_with_replacement(wins, 2),
            *(
                itertools.chain(
                    ((self._one, row) for row in rows),
                    itertools.combinations_with_replacement(sorted(rows), 2),
                )
                for rows in self.seat_rows.values()
            ),
        ):
            self.place.setdefault(pair, len(self.place))

    def total(self, played: Paired, rows: Sequence[int]) -> int:
        """Return the sum of rows over the deals."""
        return sum(int(played.products[self.place[self._one, row]]) for row in rows)

    def product(self, played: Paired, first: Sequence[int], second: Sequence[int]) -> int:
        """Return the sum over the deals of the product of two sums of rows."""
        pairs = ((min(a, b), max(a, b)) for a in first for b in second)
        return sum(int(played.products[self.place[pair]]) for pair in pairs)


def evaluate(
    tables: Tables, sums: _Sums, played: Paired, deals: int, requested: int, confidence: float
) -> Duel:
    """Return what the sums of so many deals say."""
    level = Level(confidence)
    matchups = []
    for number, group in enumerate(tables.tables):
        everyone = list(itertools.chain(*(sums.rows[number, policy] for policy in group)))
        won, squares = sums.total(played, everyone), sums.product(played, everyone, everyone)
        standings = []
        saved = []
        for policy in group:
            rows = sums.rows[number, policy]
            x, xx = sums.total(played, rows), sums.product(played, rows, rows)
            xy = sums.product(played, rows, everyone)
            share = intervals.ratio(deals, x, xx, won, squares, xy, confidence)
            standings.append(_standing(tables.names[policy], share, 1 / len(group), deals, level))
            if share.value and share.se:
                games = won / sums.win
                saved.append(share.value * (1 - share.value) / games / share.se**2)
        played_games = deals * tables.players
        matchups.append(
            Matchup(
                tuple(standings),
                1 / len(group),
                won / sums.win,
                played_games - won / sums.win,
                min(saved, default=None),
            )
        )
    adjusted = iter(comparison.holm([one.p for each in matchups for one in each.standings]))
    matchups = [
        Matchup(
            tuple(_judged(one, next(adjusted), each.fair, confidence) for one in each.standings),
            each.fair,
            each.won,
            each.void,
            each.saved,
        )
        for each in matchups
    ]
    numbers: dict[str, dict[str, Estimate]] = {}
    for (metric, policy), rows in sums.seat_rows.items():
        mean = intervals.mean(deals, sums.total(played, rows), sums.product(played, rows, rows), confidence)
        scale = len(rows)
        numbers.setdefault(metric, {})[tables.names[policy]] = Estimate(
            *(None if part is None else part / scale for part in (mean.value, mean.se, mean.low, mean.high))
        )
    return Duel(
        description=tables.seatings[0].describe(requested),
        deals=deals,
        games=deals * len(tables.seatings),
        requested=requested,
        confidence=confidence,
        policies=tables.names,
        matchups=tuple(matchups),
        ratings=_ratings(tables, sums, played, confidence) if len(tables.policies) > 2 and deals > 1 else (),
        numbers=numbers,
        command=duel_command(tables, requested, confidence),
    )


def _standing(name: str, share: Estimate, fair: float, deals: int, level: Level) -> Standing:
    p = 1.0
    if share.value is not None and share.se is not None:
        p = _p_value(share.value, share.se, fair, deals)
        trials = intervals.effective_trials(share.value, share.se, deals)
        share = intervals.with_wilson(share, trials, level.confidence)
    return Standing(name, share, p, p, "undecided")


def _p_value(share: float, se: float, fair: float, deals: int) -> float:
    if share == fair:
        return 1.0
    if se == 0:  # won or lost every deal
        return float(max(fair, 1 - fair)) ** min(deals, 10_000)
    return math.erfc(abs(share - fair) / se / math.sqrt(2))


def _judged(one: Standing, p_adjusted: float, fair: float, confidence: float) -> Standing:
    verdict = "undecided"
    share = one.share
    if p_adjusted < 1 - confidence and share.low is not None and share.high is not None:
        if share.low > fair:
            verdict = "better"
        elif share.high < fair:
            verdict = "worse"
    return Standing(one.policy, share, one.p, p_adjusted, verdict)


def _ratings(tables: Tables, sums: _Sums, played: Paired, confidence: float) -> tuple[Rating, ...]:
    wins = [
        [sums.total(played, sums.rows[number, policy]) / sums.win for policy in group]
        for number, group in enumerate(tables.tables)
    ]
    found = bradley_terry(tables.tables, wins)
    if found is None:
        return ()
    scatter = np.array(
        [
            [sums.product(played, sums.rows[a], sums.rows[b]) / sums.win**2 for b in sums.entries]
            for a in sums.entries
        ]
    )
    covariance = errors(found, tables.tables, wins, scatter)
    z = normal_quantile(confidence)
    ratings = []
    for name, value, variance in zip(tables.names, found, np.diag(covariance), strict=True):
        rating, se = float(value) * ELO, math.sqrt(max(0.0, float(variance))) * ELO
        ratings.append(Rating(name, Estimate(rating, se, rating - z * se, rating + z * se)))
    return tuple(ratings)

"""A summary of a tally against numpy's reading of the rows that it was made of."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reports.description import Metric
from reports.intervals import Estimate
from reports.summary import Summary, named_metrics, summarise
from reports.tally import Tally, merge
from tests.reports.rows import METRICS, SIDES, Rows, described, played

Z = stats.norm.ppf(0.975)


def summary_of(rows: Rows, **changes: Any) -> Summary:
    unit = "hand" if rows.game is None else "game"
    n = len(rows.hands["turns", -1]) if rows.game is None else len(rows.games["hands", -1])
    return summarise(rows.tally(), described(n, unit, **changes))


def columns_of(metric: Metric, rows: Rows) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    """Return the values of each statistic of a metric, and of what it is a share of."""
    columns = rows.shares if metric.per else (rows.games if metric.unit == "game" else rows.hands)
    other = rows.hands[metric.per, -1] if metric.per else None
    parts = metric.labels.items() or [(-1, None)]
    return {
        metric.name if label is None else f"{metric.name}.{label}": (columns[metric.name, key], other)
        for key, label in parts
    }


def approximately(estimate: Estimate, value: float, se: float) -> bool:
    return estimate.value == pytest.approx(value) and estimate.se == pytest.approx(se, abs=1e-12)


def ratio_and_error(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    value = x.sum() / y.sum()
    residuals = x - value * y
    return value, math.sqrt((residuals**2).sum() / (len(x) - 1) / len(x)) / y.mean()


@given(st.integers(0, 2**32), st.integers(2, 400))
@settings(max_examples=15, deadline=None)
def test_every_statistic_of_a_run_of_hands(seed: int, hands: int) -> None:
    rows = played(hands, seed)
    summary = summary_of(rows)
    checked = set()
    for metric in METRICS:
        if metric.unit == "game":
            continue
        for name, (values, other) in columns_of(metric, rows).items():
            statistic = summary.statistics[name]
            if other is None:
                value, se = values.mean(), values.std(ddof=1) / math.sqrt(hands)
            else:
                value, se = ratio_and_error(values, other)
            assert approximately(statistic.estimate, value, se), name
            assert (statistic.n, statistic.unit) == (hands, "hand")
            checked.add(name)
    wins = {f"win.seat{seat}" for seat in range(SIDES)}
    assert set(summary.statistics) == checked | wins | {"branching", "forced_share"}


@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(0, 300))
@settings(max_examples=15, deadline=None)
def test_every_statistic_of_a_run_of_games(seed: int, games: int, more: int) -> None:
    rows = played(games + more, seed, games)
    assert rows.game is not None
    summary = summary_of(rows)
    for metric in METRICS:
        for name, (values, other) in columns_of(metric, rows).items():
            statistic = summary.statistics[name]
            if metric.unit == "game":
                value, se = values.mean(), values.std(ddof=1) / math.sqrt(games)
                assert statistic.n == games
            else:
                y = np.bincount(rows.game) if other is None else rows.by_game(other)
                value, se = ratio_and_error(rows.by_game(values), y)
                assert statistic.n == games + more
            assert approximately(statistic.estimate, value, se), name
    assert (summary.n, summary.hands) == (games, games + more)


def test_a_mean_a_hand_in_a_run_of_games_agrees_with_a_bootstrap_over_games() -> None:
    rows = played(3000, seed=3, games=600)
    assert rows.game is not None
    turns, hands = rows.by_game(rows.hands["turns", -1]), np.bincount(rows.game)
    chosen = np.random.default_rng(1).integers(0, 600, (3000, 600))
    bootstrap = (turns[chosen].sum(axis=1) / hands[chosen].sum(axis=1)).std()
    estimate = summary_of(rows).statistics["turns"].estimate
    assert estimate.se == pytest.approx(bootstrap, rel=0.06)
    as_if_independent = rows.hands["turns", -1].std() / math.sqrt(3000)
    assert estimate.se is not None
    assert estimate.se > 1.5 * as_if_independent


def test_intervals_are_of_the_kind_that_they_say() -> None:
    hands = summary_of(played(400)).statistics
    games = summary_of(played(400, games=100)).statistics
    assert {name: hands[name].kind for name in ("turns", "blocked", "reshuffles", "win.seat0")} == {
        "turns": "normal",
        "blocked": "wilson",
        "reshuffles": "wilson",
        "win.seat0": "wilson",
    }
    assert [hands[name].kind for name in ("total_share.1", "total_share.4", "branching")] == [
        "ratio",
        "wilson",
        "bound",
    ]
    assert [games[name].kind for name in ("hands", "turns", "blocked", "total_share.1", "total_share.4")] == [
        "normal",
        "cluster",
        "wilson-cluster",
        "cluster",
        "wilson-cluster",
    ]
    for statistics in (hands, games):
        turns = statistics["turns"].estimate
        assert turns.value is not None
        assert turns.se is not None
        assert turns.high == pytest.approx(turns.value + Z * turns.se)


def test_yes_or_no_has_wilsons_interval() -> None:
    rows = played(400, seed=1)
    blocked = summary_of(rows).statistics["blocked"].estimate
    expected = stats.binomtest(int(rows.hands["blocked", -1].sum()), 400).proportion_ci(method="wilson")
    assert (blocked.low, blocked.high) == pytest.approx((expected.low, expected.high))


def test_what_was_never_seen_is_bounded_and_not_ruled_out() -> None:
    never = stats.binomtest(0, 400).proportion_ci(method="wilson").high
    statistics = summary_of(played(400)).statistics
    for name in ("truncated", "reshuffles", "total_share.4"):
        assert statistics[name].estimate == Estimate(0.0, 0.0, 0.0, pytest.approx(never))
    # In games, hands may be as good as copies of each other: only the games count.
    never = stats.binomtest(0, 100).proportion_ci(method="wilson").high
    in_games = summary_of(played(400, games=100)).statistics
    assert in_games["truncated"].estimate.high == pytest.approx(never)


def test_hands_that_are_alike_widen_wilsons_interval() -> None:
    rows = played(400, games=100)
    assert rows.game is not None
    alike = replace(rows, hands={**rows.hands, ("blocked", -1): (rows.game % 10 == 0).astype(np.int64)})
    estimate = summary_of(alike).statistics["blocked"].estimate
    blocked = int(alike.hands["blocked", -1].sum())
    if_independent = stats.binomtest(blocked, 400).proportion_ci(method="wilson")
    assert estimate.half_width is not None
    assert estimate.half_width > 0.9 * (
        if_independent.high - if_independent.low
    )  # about twice the half of it


def test_wins_are_shared_exactly() -> None:
    rows = played(1000, seed=2)
    summary = summary_of(rows)
    winners = rows.hands["winners", -1]
    for seat in summary.seats:
        share = np.where(winners >> seat.index & 1, 1 / np.maximum(np.bitwise_count(winners), 1), 0.0)
        assert float(seat.wins) == pytest.approx(share.sum())
        assert approximately(seat.rate, share.mean(), share.std(ddof=1) / math.sqrt(1000))
        expected = stats.binomtest(round(2 * share.sum()), 2000).proportion_ci(method="wilson")
        assert seat.rate.low is not None
        assert seat.rate.low < expected.low  # half as many trials: wider than this one
    assert sum(seat.wins for seat in summary.seats) == int((winners > 0).sum())
    assert [seat.name for seat in summary.seats] == ["seat 0 (starts)", "seat 1", "seat 2"]


def test_a_win_shared_by_three_is_three_thirds() -> None:
    rows = played(10)
    drawn = replace(rows, hands={**rows.hands, ("winners", -1): np.full(10, 0b111)})
    assert [seat.wins for seat in summary_of(drawn).seats] == [Fraction(10, 3)] * 3


def test_first_player_advantage_is_against_one_over_the_sides() -> None:
    summary = summary_of(played(1000, seed=4))
    rate, advantage = summary.seats[0].rate, summary.first_player.advantage
    for end in ("value", "low", "high"):
        assert getattr(advantage, end) == pytest.approx(getattr(rate, end) - 1 / 3)
    assert "hands that somebody won, the starter wins" in summary.first_player.verdict


def test_policies_are_told_apart_by_position() -> None:
    rows = played(600)
    summary = summary_of(rows, policies=("greedy", "random", "greedy"))
    assert [policy.name for policy in summary.policies] == ["greedy (1)", "random", "greedy (3)"]
    winners = rows.hands["policy_winners", -1]
    shares = np.where(winners >> 1 & 1, 1 / np.maximum(np.bitwise_count(winners), 1), 0.0)
    assert float(summary.policies[1].wins) == pytest.approx(shares.sum())
    assert summary_of(rows).policies == ()


def test_fixed_seats_of_several_policies_are_pointed_out() -> None:
    rows = played(600)
    policies = ("greedy", "random", "greedy")
    assert (
        "seats and policies together"
        in summary_of(rows, policies=policies, fixed_seats=True).first_player.verdict
    )
    assert "seats and policies" not in summary_of(rows, policies=policies).first_player.verdict


@given(st.integers(0, 2**32), st.integers(1, 300))
@settings(max_examples=15, deadline=None)
def test_spreads_are_numpys(seed: int, hands: int) -> None:
    rows = played(hands, seed)
    summary = summary_of(rows)
    turns = rows.hands["turns", -1]
    spread = summary.spreads["turns"]
    quantiles = np.quantile(turns, [0.05, 0.5, 0.95], method="inverted_cdf")
    assert [spread.p05, spread.median, spread.p95] == quantiles.tolist()
    assert (spread.min, spread.max) == (turns.min(), turns.max())
    assert spread.sd == (pytest.approx(turns.std(ddof=1)) if hands > 1 else None)
    assert "cards_left_of_a_loser" not in summary.spreads  # kept as sums, not value by value


def test_branching_is_bounded_by_any_correlation() -> None:
    rows = played(500)
    choices, decisions = rows.hands["choices", -1], rows.hands["decisions", -1]
    value, se = ratio_and_error(choices, decisions)
    estimate = summary_of(rows).statistics["branching"].estimate
    assert estimate.value == pytest.approx(value)
    assert estimate.se is not None
    assert estimate.se >= se


def test_endings_are_counted() -> None:
    rows = played(500)
    winners = rows.hands["winners", -1]
    ended = summary_of(rows).ended
    assert ended == {
        "won": int((np.bitwise_count(winners) == 1).sum()),
        "shared": int((np.bitwise_count(winners) > 1).sum()),
        "nobody": int((winners == 0).sum()),
        "blocked": int(rows.hands["blocked", -1].sum()),
        "truncated": 0,
    }
    assert ended["won"] + ended["shared"] + ended["nobody"] == 500
    rows = played(500, games=120)
    ended = summary_of(rows).ended
    assert ended["games_shared"] == int(rows.games["drawn_game", -1].sum())
    assert ended["games_won"] + ended["games_shared"] + ended["games_nobody"] == 120


def test_two_halves_merged_summarise_as_the_whole() -> None:
    rows = played(300, seed=8)
    halves = [
        replace(
            rows,
            hands={name: values[half] for name, values in rows.hands.items()},
            shares={name: values[half] for name, values in rows.shares.items()},
        )
        for half in (slice(100), slice(100, None))
    ]
    merged = summarise(merge(half.tally() for half in halves), described(300))
    assert merged == summarise(rows.tally(), described(300))


def test_a_game_and_its_hands_may_record_the_same_thing() -> None:
    rows = played(200, games=50)
    assert rows.game is not None
    both = replace(rows, games={**rows.games, ("turns", -1): rows.by_game(rows.hands["turns", -1])})
    metrics = (*METRICS, Metric("turns", "turns of a game", "game", "length"))
    statistics = summary_of(both, metrics=metrics).statistics
    assert statistics["turns"].estimate.value == pytest.approx(rows.hands["turns", -1].sum() / 50)
    assert statistics["hand.turns"].estimate.value == pytest.approx(rows.hands["turns", -1].mean())
    assert "hand.turns" not in named_metrics(described(200, metrics=metrics))


def test_a_share_may_be_of_the_same_seats_metric() -> None:
    rows = played(200)
    down = {("down", seat): rows.hands["cards_left", seat] % 2 for seat in range(SIDES)}
    late = {("turn_down", seat): down["down", seat] * rows.hands["turns", -1] for seat in range(SIDES)}
    tally = replace(rows, hands={**rows.hands, **down}, shares={}).tally()
    sums = [
        ("hand", f"turn_down:{name}", seat, 0, int((values * factor).sum()))
        for (_, seat), values in late.items()
        for name, factor in (("sum", 1), ("square", values), ("product", down["down", seat]))
    ]
    tally = merge([tally, Tally.from_columns(*(np.array(column) for column in zip(*sums, strict=True)))])
    seats = {seat: f"seat{seat}" for seat in range(SIDES)}
    metric = Metric("turn_down", "turn in which a seat that went down did so", labels=seats, per="down")
    found = summarise(tally, described(200, metrics=(metric,))).statistics
    for seat in range(SIDES):
        value, se = ratio_and_error(late["turn_down", seat], down["down", seat])
        assert approximately(found[f"turn_down.seat{seat}"].estimate, value, se)


def test_games_without_their_sums_are_refused() -> None:
    rows = played(200, games=50)
    frame = rows.tally().frame
    without = Tally(frame.filter(frame["metric"] != "turns:sum"))
    with pytest.raises(ValueError, match="sums by game of turns"):
        summarise(without, described(50, "game"))


@pytest.mark.parametrize("unit", ["hand", "game"])
def test_no_games_are_no_numbers(unit: str) -> None:
    summary = summarise(Tally.empty(), described(100, unit))
    assert summary.n == 0
    for statistic in summary.statistics.values():
        assert statistic.estimate == Estimate(None, None, None, None)
        assert statistic.n == 0


def test_confidence_sets_the_width() -> None:
    tally = played(500).tally()
    narrow, wide = (summarise(tally, described(500), confidence) for confidence in (0.5, 0.99))
    for name, statistic in narrow.statistics.items():
        inner, outer = statistic.estimate, wide.statistics[name].estimate
        assert inner.half_width is not None
        assert outer.half_width is not None
        assert inner.half_width < outer.half_width
    with pytest.raises(ValueError, match="confidence"):
        summarise(tally, described(500), 95)

"""Measures of balance agree with their definitions, and their intervals with simulation."""

import numpy as np
import pytest

from reports import balance
from reports.intervals import UNKNOWN, Estimate


def test_the_largest_gap_between_seats() -> None:
    rng = np.random.default_rng(1)
    winner = rng.choice(3, 4000, p=[0.4, 0.35, 0.25])
    wins = np.stack([winner == seat for seat in range(3)]).astype(int)
    gap = balance.largest_gap(4000, wins.sum(1).tolist(), (wins @ wins.T).tolist(), 1, 0.95)
    rates = wins.mean(1)
    assert gap.value == pytest.approx(rates.max() - rates.min())
    assert gap.low is not None and gap.high is not None and gap.value is not None
    assert gap.low < 0.15 < gap.high
    # Of the pair that is farthest apart, at a third of the level.
    between = wins[0] - wins[2]
    assert gap.high - gap.value == pytest.approx(2.394 * between.std(ddof=1) / np.sqrt(4000), rel=1e-3)
    scaled = balance.largest_gap(4000, (6 * wins.sum(1)).tolist(), (36 * wins @ wins.T).tolist(), 6, 0.95)
    assert scaled.value == pytest.approx(gap.value) and scaled.low == pytest.approx(gap.low)


def test_no_gap_reaches_down_to_nothing() -> None:
    gap = balance.largest_gap(100, [52, 48], [[52, 0], [0, 48]], 1, 0.95)
    assert gap.value == pytest.approx(0.04) and gap.low == 0
    assert balance.largest_gap(0, [0, 0], [[0, 0], [0, 0]], 1, 0.95) == UNKNOWN
    assert balance.complement(gap).high == 1


def test_what_was_alike_in_few_hands_is_not_certain() -> None:
    gap = balance.largest_gap(2, [2, 0], [[2, 0], [0, 0]], 1, 0.95)
    assert gap.value == 1 and gap.low is not None and gap.low < 0.5
    assert balance.largest_gap(50, [0, 0], [[0, 0], [0, 0]], 1, 0.95) == UNKNOWN  # nobody won


@pytest.mark.parametrize(
    ("share", "players", "expected"),
    [(0.25, 4, 1.0), (0.0, 4, 0.0), (1.0, 4, 0.0), (0.125, 4, 0.5), (0.625, 4, 0.5), (0.6, 2, 0.8)],
)
def test_fairness_rises_to_a_fair_share_and_falls_from_it(
    share: float, players: int, expected: float
) -> None:
    found = balance.fairness(Estimate(share, 0.0, share, share), players)
    assert found.value == pytest.approx(expected)
    wide = balance.fairness(Estimate(share, 0.1, max(0, share - 0.1), min(1, share + 0.1)), players)
    assert wide.low is not None and wide.high is not None
    assert wide.low <= expected <= wide.high + 1e-12


def test_fairness_of_an_interval_round_the_fair_share_may_be_full() -> None:
    assert balance.fairness(Estimate(0.49, 0.1, 0.45, 0.51), 2).high == 1.0
    assert balance.fairness(UNKNOWN, 2) == UNKNOWN


def test_variation_and_its_error() -> None:
    rng = np.random.default_rng(2)
    found = []
    for _ in range(400):
        values, counts = np.unique(rng.negative_binomial(4, 0.3, 500), return_counts=True)
        found.append(balance.variation(values, counts, 0.95))
    truth = np.sqrt(4 * 0.7 / 0.3**2) / (4 * 0.7 / 0.3)
    held = sum((each.low or 0) <= truth <= (each.high or 0) for each in found)
    assert held / 400 > 0.92
    assert np.std([each.value for each in found]) == pytest.approx(
        np.mean([each.se for each in found]), rel=0.15
    )


def test_what_never_varies() -> None:
    assert balance.variation(np.array([5]), np.array([9]), 0.95) == Estimate(0.0, 0.0, 0.0, 0.0)
    assert balance.variation(np.array([0]), np.array([9]), 0.95) == UNKNOWN
    assert balance.variation(np.array([3]), np.array([1]), 0.95) == UNKNOWN


def test_advantage() -> None:
    found = balance.advantage(Estimate(0.7, 0.02, 0.66, 0.74), 0.25)
    assert found.value == pytest.approx(0.6) and found.low == pytest.approx(0.41 / 0.75)
    assert found.se == pytest.approx(0.02 / 0.75)


def test_components_of_variance_by_hand() -> None:
    # Three deals, each played twice; one side. Deal means are 1, 1/2 and 0.
    totals = np.array([[4], [2], [0]])
    squares = np.array([8, 4, 0])
    found = balance.components(totals, squares, 2, 2, 0.95)
    within = 0.5 / 3  # squared distances from deal means over 3 * (2 - 1)
    between = (2 * (0.25 + 0.25) / 2 - within) / 2
    assert found.within.value == pytest.approx(within)
    assert found.between.value == pytest.approx(between)
    assert found.share.value == pytest.approx(between / (between + within))


def test_components_recover_what_made_them_and_their_intervals_hold_it() -> None:
    rng = np.random.default_rng(7)
    held = {"share": 0, "between": 0, "within": 0}
    # Chances from Beta(2, 2): variance 1/20 between deals, and 1/4 - 1/20 within, of two sides alike.
    truth = {"share": 0.2, "between": 0.05, "within": 0.2}
    values, errors = [], []
    for _ in range(300):
        chances = rng.beta(2, 2, 400)
        first = rng.binomial(4, chances)
        totals = np.stack([first, 4 - first], axis=1)
        found = balance.components(totals, totals.sum(axis=1), 4, 1, 0.95)
        for name in held:
            each = getattr(found, name)
            held[name] += each.low <= truth[name] <= each.high
        values.append(found.share.value)
        errors.append(found.share.se)
    for name, times in held.items():
        assert 0.91 < times / 300 < 0.985, name
    assert np.std(values) == pytest.approx(np.mean(errors), rel=0.15)
    assert np.mean(values) == pytest.approx(0.2, abs=0.01)


def test_components_of_what_never_varies() -> None:
    nothing = balance.components(np.full((9, 2), 3), np.full(9, 6), 3, 1, 0.95)
    assert nothing.share == UNKNOWN and nothing.within.value == 0
    assert (
        balance.components(np.zeros((2, 2), dtype=int), np.zeros(2, dtype=int), 3, 1, 0.95).share == UNKNOWN
    )
    certain = balance.components(np.array([[3], [0], [3], [0]]), np.array([3, 0, 3, 0]), 3, 1, 0.95)
    assert certain.share == Estimate(1.0, 0.0, 1.0, 1.0)


def test_shares() -> None:
    assert balance.share(0, 0, 0.95) == UNKNOWN
    found = balance.share(3, 12, 0.95)
    assert found.value == 0.25 and found.low is not None and found.high is not None
    assert 0 < found.low < 0.25 < found.high < 0.6

"""Statistics of comparisons agree with numpy, scipy and simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from reports import comparison, sequences
from reports.comparison import Level, Products
from reports.intervals import Estimate, mean, normal_quantile, wilson


def products_of(xa: np.ndarray, ya: np.ndarray, xb: np.ndarray, yb: np.ndarray) -> Products:
    pairs = [
        (xa, xa),
        (xa, ya),
        (ya, ya),
        (xb, xb),
        (xb, yb),
        (yb, yb),
        (xa, xb),
        (xa, yb),
        (ya, xb),
        (ya, yb),
    ]
    return Products(
        len(xa), *(int(each.sum()) for each in (xa, ya, xb, yb)), *(int((u * v).sum()) for u, v in pairs)
    )  # fmt: skip


def sample(seed: int, n: int = 500) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    common = rng.integers(0, 20, n)
    ya, yb = (rng.integers(1, 5, n) for _ in range(2))
    return common + rng.integers(0, 9, n) * ya, ya, common + rng.integers(0, 9, n), yb


def test_variances_and_covariance_are_those_of_the_residuals() -> None:
    xa, ya, xb, yb = sample(1)
    found = comparison.spread(products_of(xa, ya, xb, yb))
    assert found is not None
    a, b = xa.sum() / ya.sum(), xb.sum() / yb.sum()
    expected = np.cov((xa - a * ya) / ya.mean(), (xb - b * yb) / yb.mean()) / len(xa)
    assert float(found.a) == pytest.approx(a)
    assert float(found.b) == pytest.approx(b)
    assert float(found.variance_a) == pytest.approx(expected[0, 0])
    assert float(found.variance_b) == pytest.approx(expected[1, 1])
    assert float(found.covariance) == pytest.approx(expected[0, 1])
    rho = comparison.correlation(found)
    assert rho == pytest.approx(expected[0, 1] / math.sqrt(expected[0, 0] * expected[1, 1]))
    assert comparison.saved(found) == pytest.approx(
        (expected[0, 0] + expected[1, 1]) / (expected[0, 0] + expected[1, 1] - 2 * expected[0, 1])
    )
    assert comparison.unpaired(found).covariance == 0


def test_between_two_means_the_interval_is_that_of_a_paired_sample() -> None:
    xa, _, xb, _ = sample(2)
    one = np.ones_like(xa)
    found = comparison.spread(products_of(xa, one, xb, one))
    assert found is not None
    a, b = (mean(len(x), int(x.sum()), int((x * x).sum()), 0.9) for x in (xa, xb))
    between = comparison.difference(a, b, found)
    expected = stats.ttest_1samp(xb - xa, 0).confidence_interval(0.9)  # by Student's t: nearly the same
    assert between.low == pytest.approx(expected.low, rel=0.01)
    assert between.high == pytest.approx(expected.high, rel=0.01)
    assert between.se == pytest.approx(stats.sem(xb - xa))


def test_what_cannot_be_said_is_not_said() -> None:
    nothing = np.zeros(5, dtype=np.int64)
    assert comparison.spread(products_of(nothing, nothing, nothing, nothing)) is None
    assert comparison.p_value(None, 5, Level(0.95)) == 1.0
    found = comparison.spread(products_of(*(np.ones(5, dtype=np.int64),) * 4))
    assert found is not None
    assert comparison.correlation(found) is None
    assert comparison.saved(found) is None


def test_the_same_difference_in_every_game_is_as_sure_as_tosses_of_a_coin() -> None:
    one = np.ones(11, dtype=np.int64)
    found = comparison.spread(products_of(one, one, 3 * one, one))
    assert found is not None and found.b - found.a == 2
    assert comparison.p_value(found, 11, Level(0.95)) == 0.5**10


def test_p_values_of_many_games_are_normal_and_of_few_events_exact() -> None:
    xa, _, xb, _ = sample(3)
    one = np.ones_like(xa)
    found = comparison.spread(products_of(xa, one, xb, one))
    assert found is not None
    z = (xb - xa).mean() / stats.sem(xb - xa)
    assert comparison.p_value(found, len(xa), Level(0.95)) == pytest.approx(2 * stats.norm.sf(abs(z)))
    exact = comparison.p_value(found, len(xa), Level(0.95), (3, 11))
    assert exact == pytest.approx(stats.binomtest(3, 14).pvalue)
    # A sequence says nothing of events that were hardly seen.
    assert comparison.p_value(found, len(xa), Level(0.95, len(xa)), (3, 11)) == 1.0


def test_holm() -> None:
    # By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and then never less.
    assert comparison.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert comparison.holm([0.9, 0.6]) == [1.0, 1.0]
    assert comparison.holm([]) == []


def test_difference_of_rare_events_covers_the_truth() -> None:
    rng = np.random.default_rng(4)
    n, repeats, held = 2000, 1000, 0
    for _ in range(repeats):
        both = rng.random(n) < 0.002
        xa, xb = (both | (rng.random(n) < extra) for extra in (0.001, 0.003))
        a, b = int(xa.sum()), int(xb.sum())
        one = np.ones(n, dtype=np.int64)
        found = comparison.spread(products_of(xa.astype(int), one, xb.astype(int), one))
        assert found is not None
        sides = [Estimate(x / n, 0.0, *(wilson(x, n, 0.95) or (0, 0))) for x in (a, b)]
        between = comparison.difference(*sides, found)
        assert between.low is not None and between.high is not None
        held += between.low <= 0.998 * (0.003 - 0.001) <= between.high
    assert held / repeats > 0.93


def verdict(low: float, high: float, p: float, margin: float = 0.1, same: bool = False) -> str:
    return comparison.judge(Estimate((low + high) / 2, 0.1, low, high), p, margin, 0.95, same)


def test_verdicts() -> None:
    assert verdict(0.2, 0.4, 0.001) == "higher"
    assert verdict(-0.4, -0.2, 0.001) == "lower"
    assert verdict(0.2, 0.4, 0.2) == "undecided"  # not after adjusting for many
    assert verdict(-0.2, 0.4, 0.001) == "undecided"
    assert verdict(-0.05, 0.05, 1.0) == "equivalent"
    assert verdict(0.01, 0.05, 0.001) == "equivalent"  # certain, and too small to matter
    assert verdict(0.0, 0.0, 1.0, same=True) == "same"
    assert comparison.judge(Estimate(None, None, None, None), 1, 0.1, 0.95, False) == "undecided"


def test_games_to_decide_do_decide() -> None:
    # As many standardised values as are said to decide show the difference in 90 of 100 samples.
    sd, shift, n = 2.0, 0.1, 1000
    between = Estimate(shift, sd / math.sqrt(n), 0.0, 0.2)
    needed = comparison.games_to_decide(between, n, 0.0, 0.95, 10)
    assert needed is not None
    z = shift / (sd / math.sqrt(needed))
    assert stats.norm.sf(normal_quantile(0.995) - z) == pytest.approx(0.9)
    within = comparison.games_to_decide(Estimate(0.0, 0.1, 0, 0), n, 0.5, 0.95, 10)
    assert within is not None
    reach = normal_quantile(0.95) * 0.1 * math.sqrt(n / within)
    assert stats.norm.cdf((0.5 - reach) / (0.1 * math.sqrt(n / within))) == pytest.approx(0.9)
    assert comparison.games_to_decide(Estimate(0.0, 0.0, 0, 0), n, 0.0, 0.95, 10) is None


def test_what_never_differed_may_differ_rarely() -> None:
    between = comparison.never(1000, 0.95)
    assert between.high == pytest.approx((wilson(0, 1000, 0.95) or (0, 0))[1])
    one = np.ones(9, dtype=np.int64)
    assert comparison.never_differed(products_of(one, one, one, one))
    assert not comparison.never_differed(products_of(one, one, one, 2 * one))
    assert comparison.never_differed(products_of(0 * one, one, 0 * one, 2 * one))


# Confidence sequences.


@pytest.mark.parametrize("t", [1000, 131_072, 10**7, 10**12])
def test_a_p_value_is_the_level_at_which_the_interval_touches(t: int) -> None:
    for confidence in (0.9, 0.95, 0.999):
        z = sequences.critical_value(t, confidence)
        assert sequences.p_value(z, t) == pytest.approx(1 - confidence)
        assert math.erf(z / math.sqrt(2)) == pytest.approx(sequences.plain_confidence(t, confidence))
        assert z > normal_quantile(confidence)


def test_sequences_are_narrowest_where_they_were_tuned() -> None:
    widths = [sequences.critical_value(sequences.TUNED_FOR * k, 0.95) / math.sqrt(k) for k in (1, 4)]
    assert widths[0] < 3.1
    assert widths[1] < widths[0]
    v = np.array([sequences.critical_value(int(sequences.TUNED_FOR * k), 0.95) for k in (0.01, 1, 100)])
    assert v[1] == v.min()


@pytest.mark.parametrize("confidence", [0.0, 1.0, 2.0])
def test_impossible_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        sequences.critical_value(10, confidence)


def test_looking_after_every_chunk_raises_no_false_alarms() -> None:
    rng = np.random.default_rng(5)
    chunk, looks, repeats = 30_000, 300, 2000
    # The sum of a chunk of many values is normal: no need to draw each.
    steps = rng.normal(0, math.sqrt(chunk), (repeats, looks)).cumsum(axis=1)
    t = chunk * np.arange(1, looks + 1)
    z = np.abs(steps) / np.sqrt(t)
    sequence = np.array([sequences.critical_value(int(each), 0.9) for each in t])
    assert (z > sequence).any(axis=1).mean() < 0.1
    assert (z > normal_quantile(0.9)).any(axis=1).mean() > 0.5  # what looking costs plain intervals


def test_spread_keeps_fractions() -> None:
    xa, ya, xb, yb = sample(6, 20)
    found = comparison.spread(products_of(xa, ya, xb, yb))
    assert found is not None and all(isinstance(each, Fraction) for each in found)

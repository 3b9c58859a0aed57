"""Estimates against scipy, numpy, and formulas written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reports import intervals

CONFIDENCES = st.sampled_from([0.5, 0.8, 0.95, 0.999])


@given(st.integers(1, 10**6), st.floats(0, 1), CONFIDENCES)
def test_wilson_is_scipys(trials: int, share: float, confidence: float) -> None:
    successes = round(share * trials)
    expected = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert intervals.wilson(successes, trials, confidence) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


@given(st.floats(0, 1000), st.integers(1000, 10**11), CONFIDENCES)
def test_wilson_holds_the_proportion_and_stays_between_0_and_1(
    successes: float, trials: int, confidence: float
) -> None:
    interval = intervals.wilson(successes, trials, confidence)
    assert interval is not None
    assert 0 <= interval[0] <= successes / trials <= interval[1] <= 1


def test_wilson_of_shared_wins_lies_between_that_of_whole_ones() -> None:
    fewer, shared, more = (intervals.wilson(wins, 20, 0.95) for wins in (7, 7.5, 8))
    assert fewer
    assert shared
    assert more
    assert fewer[0] < shared[0] < more[0]
    assert fewer[1] < shared[1] < more[1]


def test_wilson_of_what_never_or_always_happened_is_exact_at_that_end() -> None:
    z = intervals.normal_quantile(0.95)
    assert intervals.wilson(0, 1000, 0.95) == pytest.approx((0, z * z / (1000 + z * z)))
    never, always = intervals.wilson(0, 1000, 0.95), intervals.wilson(1000, 1000, 0.95)
    assert never is not None
    assert always is not None
    assert never[0] == 0.0
    assert always[1] == 1.0


def test_wilson_without_trials_is_unknown() -> None:
    assert intervals.wilson(0, 0, 0.95) is None


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5)])
def test_wilson_refuses_what_cannot_be(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="between 0 and the 5 trials"):
        intervals.wilson(successes, trials, 0.95)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        intervals.normal_quantile(confidence)


@given(CONFIDENCES)
def test_normal_quantile_is_scipys(confidence: float) -> None:
    assert intervals.normal_quantile(confidence) == pytest.approx(stats.norm.ppf((1 + confidence) / 2))


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=50), CONFIDENCES)
def test_mean_is_numpys(values: list[int], confidence: float) -> None:
    found = intervals.mean(len(values), sum(values), sum(value**2 for value in values), confidence)
    se = np.std(values, ddof=1) / math.sqrt(len(values))
    assert found.value == pytest.approx(np.mean(values))
    assert found.se == pytest.approx(se, abs=1e-12)
    if se > 0:
        low, high = stats.norm.interval(confidence, np.mean(values), se)
        assert (found.low, found.high) == pytest.approx((low, high))


def test_mean_does_not_cancel_over_a_hundred_billion_hands() -> None:
    n, value = 10**11, 10**9
    total = n // 2 * value + n // 2 * (value + 1)
    squares = n // 2 * value**2 + n // 2 * (value + 1) ** 2
    assert intervals.standard_deviation(n, total, squares) == pytest.approx(0.5, rel=1e-10)
    found = intervals.mean(n, total, squares, 0.95)
    assert found.se == pytest.approx(0.5 / math.sqrt(n), rel=1e-10)
    assert found.value == value + 0.5


def test_mean_of_one_value_has_no_error_and_of_none_is_unknown() -> None:
    assert intervals.mean(1, 3, 9, 0.95) == intervals.Estimate(3.0, None, None, None)
    assert intervals.mean(0, 0, 0, 0.95) == intervals.UNKNOWN
    assert intervals.UNKNOWN.half_width is None


def _sums(x: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
    return tuple(
        int(total) for total in (len(x), x.sum(), (x * x).sum(), y.sum(), (y * y).sum(), (x * y).sum())
    )


@given(st.integers(0, 2**32), st.integers(2, 200))
def test_ratio_is_the_delta_method_of_the_residuals(seed: int, n: int) -> None:
    draw = np.random.default_rng(seed)
    y = 1 + draw.poisson(12, n)
    x = draw.binomial(y, 0.3)
    found = intervals.ratio(*_sums(x, y), 0.95)
    value = x.sum() / y.sum()
    residuals = x - value * y
    se = math.sqrt((residuals**2).sum() / (n - 1) / n) / y.mean()
    assert found.value == pytest.approx(value)
    assert found.se == pytest.approx(se, abs=1e-12)


def test_ratio_agrees_with_a_bootstrap() -> None:
    draw = np.random.default_rng(5)
    y = 1 + draw.poisson(6 * draw.gamma(3, 1 / 3, 400))
    x = draw.binomial(y, 0.2) + draw.poisson(1, 400)
    chosen = draw.integers(0, 400, (4000, 400))
    bootstrap = (x[chosen].sum(axis=1) / y[chosen].sum(axis=1)).std()
    assert intervals.ratio(*_sums(x, y), 0.95).se == pytest.approx(bootstrap, rel=0.06)


def test_ratio_over_units_of_one_is_the_mean() -> None:
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    n, total, squares, *_ = sums = _sums(x, np.ones(8, dtype=np.int64))
    mean, ratio = intervals.mean(n, total, squares, 0.95), intervals.ratio(*sums, 0.95)
    assert (ratio.value, ratio.se, ratio.low) == pytest.approx((mean.value, mean.se, mean.low))


def test_ratio_to_nothing_is_unknown_and_of_one_unit_has_no_error() -> None:
    assert intervals.ratio(5, 0, 0, 0, 0, 0, 0.95) == intervals.UNKNOWN
    assert intervals.ratio(1, 2, 4, 8, 64, 16, 0.95) == intervals.Estimate(0.25, None, None, None)


@given(st.integers(0, 2**32), st.floats(-1, 1))
def test_ratio_of_means_is_never_surer_than_the_ratio_with_its_covariance(seed: int, slope: float) -> None:
    draw = np.random.default_rng(seed)
    y = 20 + draw.poisson(12, 100)
    x = 40 + np.round(slope * y).astype(np.int64) + draw.poisson(3, 100)
    n, total, squares, other, other_squares, _ = sums = _sums(x, y)
    exact = intervals.ratio(*sums, 0.95)
    bound = intervals.ratio_of_means(
        intervals.mean(n, total, squares, 0.95), intervals.mean(n, other, other_squares, 0.95), 0.95
    )
    assert bound.value == pytest.approx(exact.value)
    assert bound.se is not None
    assert exact.se is not None
    assert bound.se >= exact.se * (1 - 1e-9)


def test_ratio_of_means_that_are_not_known() -> None:
    known, single = intervals.Estimate(4.0, 0.1, 3.8, 4.2), intervals.Estimate(2.0, None, None, None)
    assert intervals.ratio_of_means(known, intervals.UNKNOWN, 0.95) == intervals.UNKNOWN
    assert intervals.ratio_of_means(known, intervals.Estimate(0.0, 0.0, 0.0, 0.0), 0.95) == intervals.UNKNOWN
    assert intervals.ratio_of_means(known, single, 0.95) == intervals.Estimate(2.0, None, None, None)


def test_effective_trials_of_independent_ones_are_all_of_them() -> None:
    share, trials = 0.2, 5000
    assert intervals.effective_trials(share, math.sqrt(share * (1 - share) / trials), 70) == pytest.approx(
        trials
    )
    assert intervals.effective_trials(0.0, 0.0, 70) == 70
    assert intervals.effective_trials(1.0, None, 70) == 70


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=200),
    st.sampled_from([0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0]),
)
def test_quantile_is_numpys_inverted_cdf(observed: list[int], share: float) -> None:
    values, counts = np.unique(observed, return_counts=True)
    assert intervals.quantile(values, counts, share) == np.quantile(observed, share, method="inverted_cdf")


def test_quantile_of_large_counts_is_exact_at_the_edge() -> None:
    values, counts = np.array([1, 2]), np.array([5 * 10**9, 95 * 10**9])
    assert intervals.quantile(values, counts, 0.05) == 1
    assert intervals.quantile(values, counts + np.array([-1, 1]), 0.05) == 2
    assert intervals.quantile(values[:0], counts[:0], 0.5) is None


def test_an_estimate_shifts_with_its_interval() -> None:
    assert intervals.Estimate(2.0, 0.5, 1.0, 3.0).shifted(-1) == intervals.Estimate(1.0, 0.5, 0.0, 2.0)
    assert intervals.UNKNOWN.shifted(1) == intervals.UNKNOWN

"""Estimates and how far to trust them: pure functions of counts and exact sums.

Sums come in as Python integers of any size and stay integers until the last division, so nothing
cancels: a variance is right to the last bit for a hundred billion hands as for ten.

Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA
22 (1927) 209-212; L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial
proportion", Statistical Science 16 (2001) 101-133; W. G. Cochran, "Sampling Techniques", 3rd ed.
(1977), chapters 6 (ratios) and 9 (clusters); R. J. Hyndman and Y. Fan, "Sample quantiles in
statistical packages", The American Statistician 50 (1996) 361-365.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Estimate:
    """A value, its standard error and an interval; None for whatever the data cannot say.

    Attributes
    ----------
    value, se, low, high : float or None
        All in the unit of the value.
    """

    value: float | None
    se: float | None
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        """Half of the interval's width, or None without an interval."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2

    def shifted(self, by: float) -> "Estimate":
        """Return the estimate of the value plus a constant."""
        value, low, high = (None if end is None else end + by for end in (self.value, self.low, self.high))
        return Estimate(value, self.se, low, high)

    def scaled(self, by: float) -> "Estimate":
        """Return the estimate of the value times a positive constant."""
        return Estimate(
            *(None if part is None else by * part for part in (self.value, self.se, self.low, self.high))
        )


UNKNOWN = Estimate(None, None, None, None)


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors a two-sided normal interval reaches to each side.

    Parameters
    ----------
    confidence : float
        Between 0 and 1, both excluded.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, both excluded; got {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(successes: float, trials: float, confidence: float) -> tuple[float, float] | None:
    """Return Wilson's score interval for a proportion.

    It keeps its coverage where the normal interval fails (few trials, proportions near 0 or 1; see
    Brown, Cai and DasGupta), and never leaves [0, 1].

    Parameters
    ----------
    successes : float
        Between 0 and `trials`. Wins that are shared make it a fraction; as a share varies less
        than a whole win does, the interval is then conservative (wider than it need be).
    trials : float
        Independent trials. An effective number, smaller than the number observed, serves for
        trials that depend on each other.
    confidence : float
        Between 0 and 1, both excluded.

    Returns
    -------
    tuple of float or None
        Lowest and highest proportion, or None without trials.

    Raises
    ------
    ValueError
        If `successes` is not between 0 and `trials`, or `confidence` not between 0 and 1.
    """
    z = normal_quantile(confidence)
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must lie between 0 and the {trials} trials; got {successes}")
    if trials == 0:
        return None
    proportion = successes / trials
    shrink = 1 + z * z / trials
    centre = (proportion + z * z / (2 * trials)) / shrink
    reach = z / shrink * math.sqrt((proportion * (1 - proportion) + z * z / (4 * trials)) / trials)
    # Rounding may leave a speck between the proportion and an end that it lies on.
    return max(0.0, min(proportion, centre - reach)), min(1.0, max(proportion, centre + reach))


def standard_deviation(n: int, total: int, squares: int) -> float | None:
    """Return the sample standard deviation (divisor n - 1), or None below two values.

    Parameters
    ----------
    n, total, squares : int
        How many values, their sum, and the sum of their squares.
    """
    if n < 2:
        return None
    return math.sqrt((n * squares - total * total) / (n * (n - 1)))


def mean(n: int, total: int, squares: int, confidence: float) -> Estimate:
    """Return the mean of independent values, with the normal interval of large samples.

    Parameters
    ----------
    n, total, squares : int
        How many values, their sum, and the sum of their squares.
    confidence : float
        Between 0 and 1, both excluded.

    Returns
    -------
    Estimate
        Without error and interval for one value, unknown for none.
    """
    if n == 0:
        return UNKNOWN
    deviation = standard_deviation(n, total, squares)
    return _normal(total / n, None if deviation is None else deviation / math.sqrt(n), confidence)


def ratio(n: int, x: int, xx: int, y: int, yy: int, xy: int, confidence: float) -> Estimate:
    """Return the ratio of two totals over independent units, with its error by the delta method.

    The estimator of Cochran's chapter 6: the ratio is ``x / y``, and its variance is that of the
    residuals ``x_i - ratio * y_i`` (whose mean is 0) over the square of the mean of y. With hands
    as units it gives the share of moves that did something; with games as units (Cochran's
    clusters of unequal size) it gives the mean a hand, honest about hands of one game being alike.

    Parameters
    ----------
    n : int
        Units: independent hands or games.
    x, xx, y, yy, xy : int
        Sums over the units of x, x squared, y, y squared, and x times y.
    confidence : float
        Between 0 and 1, both excluded.

    Returns
    -------
    Estimate
        Without error and interval for one unit, unknown if y is 0 throughout.
    """
    if y == 0:
        return UNKNOWN
    if n < 2:
        return Estimate(x / y, None, None, None)
    residuals = xx * y * y - 2 * x * y * xy + x * x * yy  # times y squared, to stay an integer
    return _normal(x / y, math.sqrt(n * residuals / ((n - 1) * y**4)), confidence)


def ratio_of_means(x: Estimate, y: Estimate, confidence: float) -> Estimate:
    """Return the ratio of two means of the same hands whose covariance was not recorded.

    The error is the largest that any correlation allows (Cauchy and Schwarz on the delta method),
    so the interval is conservative.
    """
    if x.value is None or not y.value:
        return UNKNOWN
    value = x.value / y.value
    if x.se is None or y.se is None:
        return Estimate(value, None, None, None)
    return _normal(value, (x.se + abs(value) * y.se) / abs(y.value), confidence)


def effective_trials(proportion: float, se: float | None, clusters: int) -> float:
    """Return how many independent trials a proportion from clusters of trials is worth.

    Kish's effective sample size: as many as would give the same standard error. With it,
    Wilson's interval serves for hands that come in games.

    Parameters
    ----------
    proportion : float
        As estimated.
    se : float or None
        Standard error that allows for the clusters, from :func:`ratio`.
    clusters : int
        Independent clusters. What always or never happened shows no variation to go by, and is
        taken as one trial a cluster, the least that it can be worth.
    """
    return proportion * (1 - proportion) / se**2 if se else clusters


def with_wilson(estimate: Estimate, trials: float, confidence: float) -> Estimate:
    """Return a proportion with Wilson's interval of so many (effective) trials."""
    if estimate.value is None:
        return estimate
    low, high = wilson(estimate.value * trials, trials, confidence) or (None, None)
    return Estimate(estimate.value, estimate.se, low, high)


def quantile(values: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], share: float) -> int | None:
    """Return the smallest value that at least `share` of the observations do not exceed.

    Definition 1 of Hyndman and Fan (numpy's ``inverted_cdf``): always a value that occurred.

    Parameters
    ----------
    values : array of int
        Ascending.
    counts : array of int
        How often each occurred, all positive.
    share : float
        Between 0 and 1; 0 gives the smallest value, 1 the largest.

    Returns
    -------
    int or None
        None without observations.
    """
    if len(values) == 0:
        return None
    reached = np.cumsum(counts)
    # 0.05 of 20 is 1, though the float nearest to 0.05 is a little more: hence the fraction.
    rank = math.ceil(Fraction(share).limit_denominator(10**6) * int(reached[-1]))
    return int(values[np.searchsorted(reached, max(rank, 1))])


def _normal(value: float, se: float | None, confidence: float) -> Estimate:
    if se is None:
        return Estimate(value, None, None, None)
    reach = normal_quantile(confidence) * se
    return Estimate(value, se, value - reach, value + reach)

"""Two rule sets compared on the same game numbers: pure functions of exact sums.

Both rule sets play game i from the same random streams, so their results are correlated, and the
difference of two estimates varies by ``var(A) + var(B) - 2 cov(A, B)``: common random numbers
(A. M. Law, "Simulation Modeling and Analysis", 5th ed. (2015), section 11.2). Every estimate is a
ratio of two totals (a mean is one over the number of games), whose error follows from residuals
(W. G. Cochran, "Sampling Techniques", 3rd ed. (1977), chapter 6); so does the covariance of two.

The interval of a difference is put together from the intervals of both values, so that rare events
keep the honesty of Wilson's: R. G. Newcombe, "Improved confidence intervals for the difference
between binomial proportions based on paired data", Statistics in Medicine 17 (1998) 2635-2650;
G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
approach", Statistics in Medicine 27 (2008) 1693-1702. Where both are normal it is the paired normal interval.

Many metrics at once: S. Holm, "A simple sequentially rejective multiple test procedure",
Scandinavian Journal of Statistics 6 (1979) 65-70.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Literal, NamedTuple

from reports import sequences
from reports.intervals import UNKNOWN, Estimate, normal_quantile, wilson

Verdict = Literal["higher", "lower", "equivalent", "undecided", "same"]
"""What B is beside A. ``same``: no difference in any game that was played."""

FEW = 200
"""Up to so many games in which an event happened in one rule set alone, the test is exact."""
TOO_FEW = 25
"""With fewer such games a sequence, which is a statement for large numbers, says nothing yet."""
POWER = 0.9
"""Chance with which the number of games that is said to decide does."""


class Products(NamedTuple):
    """Sums over games of the products of a statistic's parts in A and in B.

    A statistic is x over y. ``xa_yb`` is the sum of A's x times B's y, and so on; ``xa`` that of
    A's x. A mean has y = 1 in every game.
    """

    n: int
    xa: int
    ya: int
    xb: int
    yb: int
    xa_xa: int
    xa_ya: int
    ya_ya: int
    xb_xb: int
    xb_yb: int
    yb_yb: int
    xa_xb: int
    xa_yb: int
    ya_xb: int
    ya_yb: int


class Spread(NamedTuple):
    """Values of a statistic in A and in B, the variances of these estimates, and their covariance.

    Fractions, so that a difference that never varied has a variance of exactly 0.
    """

    a: Fraction
    b: Fraction
    variance_a: Fraction
    variance_b: Fraction
    covariance: Fraction


def spread(products: Products) -> Spread | None:
    """Return estimates and their variances; None if a denominator is 0 or there is one game only."""
    p = products
    if p.n < 2 or p.ya == 0 or p.yb == 0:
        return None

    def covariance(x1: int, y1: int, x2: int, y2: int, xx: int, xy: int, yx: int, yy: int) -> Fraction:
        # Sum of the products of the residuals x - (x1 / y1) y, times y1 y2, to stay an integer.
        residuals = y1 * y2 * xx - y1 * x2 * xy - x1 * y2 * yx + x1 * x2 * yy
        return Fraction(p.n * residuals, (p.n - 1) * y1**2 * y2**2)

    return Spread(
        Fraction(p.xa, p.ya),
        Fraction(p.xb, p.yb),
        covariance(p.xa, p.ya, p.xa, p.ya, p.xa_xa, p.xa_ya, p.xa_ya, p.ya_ya),
        covariance(p.xb, p.yb, p.xb, p.yb, p.xb_xb, p.xb_yb, p.xb_yb, p.yb_yb),
        covariance(p.xa, p.ya, p.xb, p.yb, p.xa_xb, p.xa_yb, p.ya_xb, p.ya_yb),
    )


def unpaired(found: Spread) -> Spread:
    """Return the same for independent samples."""
    return found._replace(covariance=Fraction(0))


def correlation(found: Spread) -> float | None:
    """Return the correlation of the two estimates, or None if one of them never varied."""
    scale = math.sqrt(found.variance_a) * math.sqrt(found.variance_b)
    return max(-1.0, min(1.0, float(found.covariance) / scale)) if scale else None


def saved(found: Spread) -> float | None:
    """Return how many times fewer games pairing needs than independent samples would."""
    paired = variance(found)
    return float((found.variance_a + found.variance_b) / paired) if paired else None


def variance(found: Spread) -> Fraction:
    """Return the variance of the difference of the estimates."""
    return found.variance_a + found.variance_b - 2 * found.covariance


def difference(a: Estimate, b: Estimate, found: Spread) -> Estimate:
    """Return B minus A with an interval made of those of A and B (Newcombe; Zou and Donner)."""
    if a.value is None or b.value is None:
        return UNKNOWN
    value = b.value - a.value
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Estimate(value, None, None, None)
    rho = correlation(found) or 0.0

    def reach(first: float, second: float) -> float:
        # The square root of first² + second² - 2 rho first second, with nothing lost where rho is 1.
        return math.hypot(first - second, math.sqrt(2 * (1 - rho) * first * second))

    low = value - reach(b.value - b.low, a.high - a.value)
    high = value + reach(b.high - b.value, a.value - a.low)
    return Estimate(value, math.sqrt(variance(found)), low, high)


def never_differed(products: Products) -> bool:
    """Return whether a statistic was the same in A and B in each single game."""
    p = products
    x = p.xa_xa == p.xa_xb == p.xb_xb
    return x and (p.xa_xa == 0 or p.ya_ya == p.ya_yb == p.yb_yb)


def never(n: int, confidence: float) -> Estimate:
    """Return the difference of two shares that was 0 in each of n games.

    It can be no larger than the share of games in which they differ, which Wilson's interval for
    what was never seen bounds.
    """
    _, high = wilson(0, n, confidence) or (0.0, 1.0)
    return Estimate(0.0, 0.0, -high, high)


@dataclass(frozen=True)
class Level:
    """How sure to be, and whether that holds however often one looks.

    Attributes
    ----------
    confidence : float
    looks_after : int or None
        Independent games so far, if the interval must hold at every look; None if their number
        was fixed beforehand.
    """

    confidence: float
    looks_after: int | None = None

    @property
    def critical_value(self) -> float:
        """Standard errors to each side."""
        if self.looks_after is None:
            return normal_quantile(self.confidence)
        return sequences.critical_value(self.looks_after, self.confidence)

    @property
    def plain_confidence(self) -> float:
        """Confidence of a plain interval that is as wide."""
        if self.looks_after is None:
            return self.confidence
        return sequences.plain_confidence(self.looks_after, self.confidence)


def p_value(found: Spread | None, n: int, level: Level, only_one: tuple[int, int] | None = None) -> float:
    """Return the p-value of no difference at all.

    Parameters
    ----------
    found : Spread or None
        None where nothing can be said: the p-value is then 1.
    n : int
        Games.
    level : Level
        With looks, the p-value is anytime-valid.
    only_one : tuple of int, optional
        Of an event that a game has or has not: how many games had it in A alone and in B alone.
        If they are few, the test is exact (Q. McNemar, Psychometrika 12 (1947) 153-157), or, with
        looks, says nothing.
    """
    if found is None or found.a == found.b:
        return 1.0
    if only_one is not None and sum(only_one) <= (FEW if level.looks_after is None else TOO_FEW):
        return _sign_test(*only_one) if level.looks_after is None else 1.0
    se = math.sqrt(variance(found))
    if se == 0:
        # The same difference in each game: as likely as so many tosses of a coin that fall alike.
        return math.ldexp(1.0, -min(n - 1, 1000))
    z = float(abs(found.b - found.a)) / se
    return math.erfc(z / math.sqrt(2)) if level.looks_after is None else sequences.p_value(z, n)


def _sign_test(first: int, second: int) -> float:
    """Return the two-sided p-value of a fair coin that fell so."""
    n = first + second
    tail = sum(math.comb(n, k) for k in range(min(first, second) + 1))
    return min(1.0, math.ldexp(tail, 1 - n))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for how many there are: the chance of any false alarm is bounded."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def judge(between: Estimate, p_adjusted: float, margin: float, confidence: float, same: bool) -> Verdict:
    """Return the verdict on one difference, B minus A.

    Equivalent if the whole interval lies closer to 0 than the margin, even if a difference is
    certain (two one-sided tests: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics
    15 (1987) 657-680); else higher or lower if both the adjusted p-value and the interval say so.

    Parameters
    ----------
    between : Estimate
    p_adjusted : float
    margin : float
        In the unit of the difference; 0: nothing counts as equivalent.
    confidence : float
    same : bool
        Whether no game differed.
    """
    if between.value is None or between.low is None or between.high is None:
        return "undecided"
    if same:
        return "same"
    if -margin < between.low and between.high < margin:
        return "equivalent"
    if p_adjusted < 1 - confidence and not between.low <= 0 <= between.high:
        return "higher" if between.value > 0 else "lower"
    return "undecided"


def games_to_decide(between: Estimate, n: int, margin: float, confidence: float, tests: int) -> float | None:
    """Return about how many games would decide, if the difference is what it seems to be.

    That is, would show it with a chance of 90%, or show that it lies within the margin, whichever
    is less; None if that cannot be said.

    Parameters
    ----------
    between : Estimate
    n : int
        Games played.
    margin, confidence : float
    tests : int
        Verdicts among which this is one: the level is divided by their number (Bonferroni), which
        is what Holm's adjustment asks of the first.
    """
    if between.value is None or not between.se:
        return None
    one_game = between.se * math.sqrt(n)
    power = NormalDist().inv_cdf(POWER)
    needed = []
    if between.value:
        level = normal_quantile(1 - (1 - confidence) / max(tests, 1))
        needed.append(((level + power) * one_game / between.value) ** 2)
    room = margin - abs(between.value)
    if room > 0:
        needed.append(((normal_quantile(confidence) + power) * one_game / room) ** 2)
    return min(needed, default=None)

"""Intervals and p-values that stay valid however often one looks: pure functions.

The asymptotic confidence sequences of I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and
A. Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of
Statistics 52 (2024) 2613-2640: with a normal mixture as boundary (H. Robbins,
"Statistical methods related to the law of the iterated logarithm", Annals of Mathematical
Statistics 41 (1970) 1397-1409) the mean of t values lies within `critical_value` standard errors
of the truth *at all times at once*, with the stated confidence. Like the central limit theorem it
is a statement for large t; the first look therefore comes after thousands of games.
"""

import math

TUNED_FOR = 200_000
"""Games at which the boundary is narrowest, whatever the number that is played; fixed beforehand,
as the theorem asks, and far from it the boundary grows with the root of a logarithm only."""

TUNED_AT = 0.05
"""Level at which that holds. The boundary itself must not depend on the level at which a p-value
turns out, so it is fixed too."""


def _rho_squared() -> float:
    # The value that makes the boundary narrowest there, to first order (the paper gives it as well).
    spent = -2 * math.log(TUNED_AT)
    return (spent + math.log(spent) + 1) / TUNED_FOR


def critical_value(t: int, confidence: float) -> float:
    """Return how many standard errors the interval after `t` values reaches to each side.

    Parameters
    ----------
    t : int
        Independent values: hands or games, at least 1.
    confidence : float
        With which all intervals, at all times, hold the truth; between 0 and 1, both excluded.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, both excluded; got {confidence}")
    v = t * _rho_squared()
    return math.sqrt(2 * (v + 1) / v * math.log(math.sqrt(v + 1) / (1 - confidence)))


def p_value(z: float, t: int) -> float:
    """Return the smallest level at which the sequence excludes what lies `z` standard errors away.

    An anytime-valid p-value: under the null hypothesis the chance that it is ever, at any look, at
    most alpha is at most alpha.
    """
    v = t * _rho_squared()
    return min(1.0, math.sqrt(v + 1) * math.exp(-z * z * v / (2 * (v + 1))))


def plain_confidence(t: int, confidence: float) -> float:
    """Return the confidence at which a plain normal interval is as wide as the sequence's after `t`."""
    # Kept below 1, which no plain interval can have.
    return min(math.erf(critical_value(t, confidence) / math.sqrt(2)), 1 - 2**-50)

"""Numbers as people read them: never more digits than the data support, never fewer than they need."""

import math

from reports.intervals import Estimate

UNKNOWN = "?"
LOPSIDED = 0.15
"""How much of an interval's half-width its middle may be off, to be told as one ± number."""


def decimals(half_width: float) -> int:
    """Return how many decimals to show: one beyond the first significant digit of the half-width."""
    if half_width <= 0:
        return 0
    return max(0, 1 - math.floor(math.log10(half_width)))


def rounded(value: float | None, half_width: float | None) -> str:
    """Return a value with the digits that its uncertainty leaves meaningful.

    Parameters
    ----------
    value : float or None
        None (not known) is shown as a question mark.
    half_width : float or None
        Of the value's interval, in the same unit: ``rounded(16.5604, 0.0243)`` is ``"16.560"``. If
        it is not known, three significant digits; if it is 0, as many as the value has, at most six.
        A value of exactly 0 is shown as just that: what was never seen.
    """
    if value is None:
        return UNKNOWN
    if value == 0:
        return "0"
    if half_width is None:
        return _fixed(value, max(0, 2 - math.floor(math.log10(abs(value)))))
    if half_width == 0:
        text = _fixed(value, 6)
        return text.rstrip("0").rstrip(".") if "." in text else text
    return _fixed(value, decimals(half_width))


def percent(share: float | None, half_width: float | None) -> str:
    """Return a share of 1 as a percentage, rounded like :func:`rounded`."""
    if share is None:
        return UNKNOWN
    return rounded(100 * share, None if half_width is None else 100 * half_width) + "%"


def error(estimate: Estimate) -> str:
    """Return what follows a value to say how far it may be off.

    Half of the interval, ``"± 0.024"``; the interval itself, ``"0.91 to 1.00"``, where it reaches much
    further to one side than to the other; or, for what never or always happened, its end, ``"< 0.0038"``.
    """
    value, low, high, half_width = estimate.value, estimate.low, estimate.high, estimate.half_width
    if value is None or low is None or high is None or half_width is None:
        return f"± {UNKNOWN}"
    if low < value < high and abs(low + high - 2 * value) > LOPSIDED * 2 * half_width:
        places = decimals(half_width)
        return f"{_fixed(low, places)} to {_fixed(high, places)}"
    if low < value < high or half_width == 0:
        return "± " + _fixed(half_width, decimals(half_width))
    return f"< {rounded(high, half_width)}" if value == low else f"> {rounded(low, half_width)}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval of shares of 1 in percent: ``"47.79 to 48.21%"``."""
    if low is None or high is None:
        return UNKNOWN
    places = decimals(50 * (high - low))
    return f"{_fixed(100 * low, places)} to {_fixed(100 * high, places)}%"


def count(number: float) -> str:
    """Return a count with thousands marked; fractions of shared wins keep one decimal."""
    return _fixed(number, 0 if number == int(number) else 1)


def _fixed(value: float, places: int) -> str:
    text = f"{value:,.{places}f}"
    return text[1:] if float(text.replace(",", "")) == 0 and text.startswith("-") else text

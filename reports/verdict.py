"""One plain sentence on whether whoever starts has an advantage."""

from fractions import Fraction

from reports.intervals import wilson
from reports.rounding import count, percent, rounded

CERTAIN = 0.9999
"""Confidence at which a difference from fair is called certain; at the report's own it is likely."""

SIZES = ((0.02, "very small"), (0.06, "small"), (0.16, "clear"))
"""Words for a difference below that share of the fair rate (1, 3 and 8 points of a fair 50%)."""


def fairness(
    who: str, wins: Fraction, decided: int, void: int, unit: str, sides: int, confidence: float
) -> str:
    """Return a sentence that compares a side's wins with its fair share and says how sure that is.

    Parameters
    ----------
    who : str
        Subject of the sentence.
    wins : Fraction
        Hands or games that it won, ties shared.
    decided, void : int
        Hands or games that somebody won, and that nobody won. A fair share is one of those decided:
        void hands make every seat win less often without being unfair to anyone.
    unit : {"hand", "game"}
        What was won.
    sides : int
        How many seats or sides share the wins.
    confidence : float
        Of the interval that decides whether there is a difference at all.
    """
    between = wilson(float(wins), decided, confidence)
    beyond_doubt = wilson(float(wins), decided, CERTAIN)
    if between is None or beyond_doubt is None:
        return (
            f"No {unit} was won by anyone, so there is nothing to say about an advantage of the first player."
        )
    low, high = between
    fair = 1 / sides
    rate = float(wins / decided)
    half_width = (high - low) / 2

    fair_percent = percent(fair, half_width if 100 % sides else 0)
    scope = f"Of the {count(decided)} {unit}s that somebody won, {who[0].lower()}{who[1:]}" if void else who
    says = f"{scope} wins {percent(rate, half_width)}" + ("" if void else f" of {unit}s")
    points = rounded(100 * abs(rate - fair), 100 * half_width)
    if low <= fair <= high:
        fewer, more = (rounded(100 * abs(end - fair), 100 * half_width) for end in between)
        if max(fair - low, high - fair) < SIZES[0][0] * fair:
            widest = max(fewer, more, key=float)
            return f"{says}, as good as a fair {fair_percent}: any difference is below {widest} points."
        return (
            f"{says}, which cannot be told from a fair {fair_percent}: "
            f"the truth may lie from {fewer} points below it to {more} above."
        )
    word = "advantage" if rate > fair else "disadvantage"
    near, far = sorted((abs(low - fair) / fair, abs(high - fair) / fair))
    size = _size(near) if _size(near) == _size(far) else f"{_size(near)} to {_size(far)}"
    certain = not beyond_doubt[0] <= fair <= beyond_doubt[1]
    if not certain:
        judgement = f"probably a {size} {word}"
    elif "small" in size:
        judgement = f"a {size} but certain {word}"
    else:
        judgement = f"a {size} and certain {word}"
    difference = f"{points} points {'more' if rate > fair else 'fewer'}"
    return f"{says}, {difference} than a fair {fair_percent}: {judgement}."


def _size(relative: float) -> str:
    return next((word for bound, word in SIZES if relative < bound), "large")

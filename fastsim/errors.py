"""Errors that a user can mend, each one sentence that says what was given and what is accepted."""

import difflib
import operator
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

_LONGEST, _LONGEST_PATH = 60, 300
"""Characters of a value, and of the path of a file, that a sentence repeats."""


class FastsimError(Exception):
    """Anything that fastsim reports in one sentence."""


class UsageError(FastsimError, ValueError):
    """A name, option, value or file that is not accepted."""


class OutputError(FastsimError, OSError):
    """Results that could not be written where they were asked for.

    Attributes
    ----------
    result : fastsim.Result or None
        What was found all the same.
    """

    result: Any = None


class WorkerError(FastsimError, RuntimeError):
    """A worker process or a cluster that failed.

    Attributes
    ----------
    result : fastsim.Result or None
        What was found until then.
    """

    result: Any = None


def quoted(value: object) -> str:
    """Return a value as it was given, in a form to put into a sentence: on one line, and not too long."""
    is_path = isinstance(value, PurePath)
    try:
        text = repr(str(value) if is_path else value)
    except ValueError:
        return "a number of thousands of digits"
    longest = _LONGEST_PATH if is_path else _LONGEST
    return text if len(text) <= longest else f"{text[: longest - 20]}...{text[-10:]}"


def unknown(what: str, given: object, accepted: Iterable[str]) -> UsageError:
    """Return the error for a name that is none of the accepted ones, with the nearest of them."""
    names = list(accepted)
    near = difflib.get_close_matches(str(given)[:_LONGEST], names, n=1, cutoff=0.5)
    hint = f", did you mean {near[0]!r}?" if near else ";"
    return UsageError(f"unknown {what} {quoted(given)}{hint} accepted: {', '.join(_in_runs(names))}")


def _in_runs(names: list[str]) -> Iterator[str]:
    """Yield names, but four or more in a row that only count up as ``first to last``."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _next(runs[-1][-1]) == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    for run in runs:
        yield from [f"{run[0]} to {run[-1]}"] if len(run) > 3 else run


def _next(name: str) -> str | None:
    """Return the name with the number at its end one higher."""
    if not (parts := re.fullmatch(r"(.*\D)(\d+)", name)):
        return None
    return f"{parts[1]}{int(parts[2]) + 1}"


def whole_number(what: str, given: object, low: int, high: int) -> int:
    """Return a whole number of any integer type as an int.

    Raises ``UsageError`` if it is none, or out of range.
    """
    try:
        number = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = low - 1
    if isinstance(given, bool) or not low <= number <= high:
        raise UsageError(
            f"{what} was given {quoted(given)}; accepted: a whole number of {low} to {_short(high)}"
        )
    return number


def _short(number: int) -> str:
    """Return a number as it is easiest to read: 1e15 rather than fifteen zeros."""
    zeros = len(str(number)) - len(str(number).rstrip("0"))
    return f"{number // 10**zeros}e{zeros}" if zeros > 4 else str(number)

"""Errors that a user can mend, each one sentence that says what was given and what is accepted."""

import difflib
from collections.abc import Iterable
from typing import Any


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


def unknown(what: str, given: str, accepted: Iterable[str]) -> UsageError:
    """Return the error for a name that is none of the accepted ones, with the nearest of them."""
    names = list(accepted)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.5)
    hint = f", did you mean {near[0]!r}?" if near else ";"
    return UsageError(f"unknown {what} {given!r}{hint} accepted: {', '.join(names)}")

"""fastsim plays card games by the million and says how fair, how long and how varied they are.

>>> import fastsim
>>> result = fastsim.run("cap30", n=10_000, options={"players": 3}, seed=1)
>>> print(result)  # doctest: +SKIP

The verbs are those of the command: :func:`run`, :func:`compare`, :func:`sweep`, :func:`duel`,
:func:`balance`, :func:`card_impact`, :func:`resume`, :func:`report`, :func:`replay`,
:func:`games`, :func:`rules`, :func:`policies` and :func:`features`. Anything that is not accepted
raises :class:`UsageError`.
"""

from typing import TYPE_CHECKING, Any

from fastsim.version import VERSION as __version__

if TYPE_CHECKING:
    from fastsim.api import features, games, policies, replay, report, resume, rules, run
    from fastsim.balancing import balance
    from fastsim.comparing import compare
    from fastsim.dueling import duel
    from fastsim.errors import FastsimError, OutputError, UsageError, WorkerError
    from fastsim.impact import card_impact
    from fastsim.policy import Policy
    from fastsim.result import Result
    from fastsim.sweeping import sweep
    from fastsim.transcript import Transcript

__all__ = [
    "FastsimError",
    "OutputError",
    "Policy",
    "Result",
    "Transcript",
    "UsageError",
    "WorkerError",
    "__version__",
    "balance",
    "card_impact",
    "compare",
    "duel",
    "features",
    "games",
    "policies",
    "replay",
    "report",
    "resume",
    "rules",
    "run",
    "sweep",
]

_VERBS = ("run", "resume", "report", "replay", "games", "rules", "policies", "features")
_HOME = {
    **dict.fromkeys(_VERBS, "fastsim.api"),
    "balance": "fastsim.balancing",
    "card_impact": "fastsim.impact",
    "compare": "fastsim.comparing",
    "duel": "fastsim.dueling",
    "sweep": "fastsim.sweeping",
    **dict.fromkeys(("FastsimError", "OutputError", "UsageError", "WorkerError"), "fastsim.errors"),
    "Policy": "fastsim.policy",
    "Result": "fastsim.result",
    "Transcript": "fastsim.transcript",
}


def __getattr__(name: str) -> Any:
    # Loaded when first used: a program that only asks for the version need not load polars.
    if name not in _HOME:
        raise AttributeError(f"module 'fastsim' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOME[name]), name)

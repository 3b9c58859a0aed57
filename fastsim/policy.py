"""Policies as data: a weight for each feature of a move.

At every decision a choice scores the sum of weight times feature, and the best score is played,
ties at random. With a temperature t each choice is played with probability proportional to
``exp(score / t)``: noise with a Gumbel distribution is added to the scores (Gumbel 1954), at 4,096
levels. Weights and noise are whole millionths in the kernels, so that every machine plays alike.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from fastsim.errors import UsageError, quoted, unknown
from fastsim.options import read_toml

RANDOM = "random"
"""The policy that takes every choice as equally likely."""

_MILLIONTHS = 1_000_000
_LARGEST = 1_000_000


@dataclass(frozen=True)
class Policy:
    """How a seat chooses.

    Attributes
    ----------
    name : str
        Of the preset, or of the file it was read from.
    weights : mapping of str to float, or None
        By feature; features that are not named weigh nothing. None for ``random``.
    temperature : float
        0: always the best score.
    summary : str
        What it does, for people.
    """

    name: str
    weights: Mapping[str, float] | None
    temperature: float = 0.0
    summary: str = ""

    def millionths(self) -> dict[str, int] | None:
        """Return the weights as whole millionths, or None for ``random``."""
        if self.weights is None:
            return None
        return {feature: round(weight * _MILLIONTHS) for feature, weight in self.weights.items()}

    def noise(self, levels: int) -> np.ndarray | None:
        """Return the noise of each level as int64 millionths, or None without temperature."""
        if not self.temperature:
            return None
        quantiles = (np.arange(levels) + 0.5) / levels
        gumbel = -np.log(-np.log(quantiles))
        return np.rint(gumbel * self.temperature * _MILLIONTHS).astype(np.int64)


PolicyGiven = str | PathLike[str] | Policy
"""How a policy may be given: the name of a preset, the path of a file, or itself."""


def read_policy(path: Path, features: Mapping[str, str], name: str | None = None) -> Policy:
    """Return the policy that a TOML file describes.

    The file has a table ``weights`` and optionally ``temperature`` and ``summary``. Raises
    ``UsageError`` for a missing file, an unknown key or feature, or a value that is no finite number.
    """
    given = read_toml(path, "policy")
    where = f"policy file {quoted(path)}"
    for key in given:
        if key not in ("weights", "temperature", "summary"):
            raise unknown(f"key in {where}:", key, ("weights", "temperature", "summary"))
    summary = given.get("summary", "")
    if not isinstance(summary, str):
        raise UsageError(f"in {where} the summary is {quoted(summary)}; accepted: a text")
    if not isinstance(given.get("weights"), dict) or not given["weights"]:
        raise UsageError(f"the {where} needs a table [weights] with at least one feature")
    policy = Policy(name or path.stem, given["weights"], given.get("temperature", 0.0), summary)
    return checked(policy, features, where)


def checked(policy: Policy, features: Mapping[str, str], where: str) -> Policy:
    """Return a policy with its numbers as floats.

    Raises ``UsageError``, which says where the policy is from, for an unknown feature or a value that
    is no finite number, or too large.
    """
    weights = policy.weights
    if weights is None:
        return policy
    if not isinstance(weights, Mapping):
        raise UsageError(f"the weights of {where} are {quoted(weights)}; accepted: a number for each feature")
    for feature in weights:
        if feature not in features:
            raise unknown(f"feature in {where}:", feature, features)
    return replace(
        policy,
        weights={f: _number(where, f"weight of {f}", w, -_LARGEST) for f, w in weights.items()},
        temperature=_number(where, "temperature", policy.temperature, 0),
    )


def _number(where: str, what: str, value: object, low: int) -> float:
    # A whole number may be too large for a float; NaN is outside every range.
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= _LARGEST:
        raise UsageError(
            f"in {where} the {what} is {quoted(value)}; accepted: a number from {low:,} to {_LARGEST:,}"
        )
    return float(value)


def presets(folder: Path, features: Mapping[str, str]) -> dict[str, Policy]:
    """Return a game's presets by name: ``random`` and one for each file of the folder."""
    found = {RANDOM: Policy(RANDOM, None, summary="every choice equally likely")}
    for path in sorted(folder.glob("*.toml")):
        found[path.stem] = read_policy(path, features)
    return found


def find_policy(given: object, known: Mapping[str, Policy], features: Mapping[str, str]) -> Policy:
    """Return the policy that a name or a path means; a policy is checked, and returned.

    Raises ``UsageError`` if it is neither a preset nor a readable policy file.
    """
    if isinstance(given, Policy):
        return checked(given, features, f"policy {quoted(given.name)}")
    if isinstance(given, str) and given in known:
        return known[given]
    if isinstance(given, PathLike) or (isinstance(given, str) and _is_path(given)):
        return read_policy(Path(given), features, name=str(given))
    raise unknown("policy", given, [*known, "or a .toml file"])


def _is_path(given: str) -> bool:
    if given.endswith(".toml") or "/" in given:
        return True
    with contextlib.suppress(OSError, ValueError):  # no name that a file can have
        return Path(given).is_file()
    return False

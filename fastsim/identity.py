"""What a run plays, as JSON that is kept with it: so that it can go on, and with nothing else."""

import hashlib
import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fastsim import catalog
from fastsim.errors import UsageError
from fastsim.experiment import Experiment, design
from fastsim.policy import Policy
from fastsim.version import VERSION

_PACKAGES = ("numpy", "numba", "polars")
_DECIDES = ("game", "unit", "seed", "options", "policies", "fixed_seats", "version", "code")
"""What a tally depends on, beside the number of games."""


def identity(experiment: Experiment) -> dict[str, Any]:
    """Return what is played and by which code, as JSON values."""
    return {
        "game": experiment.game_name,
        "unit": experiment.unit,
        "seed": experiment.seed,
        "options": experiment.options.model_dump(mode="json"),
        "policies": [
            {
                "name": policy.name,
                "weights": None if policy.weights is None else dict(policy.weights),
                "temperature": policy.temperature,
                "summary": policy.summary,
            }
            for policy in experiment.policies
        ],
        "fixed_seats": experiment.fixed_seats,
        "version": VERSION,
        "code": code(experiment.game_name),
    }


def fingerprint(found: Mapping[str, Any]) -> str:
    """Return a hash of an identity: of all that a tally depends on, beside the number of games."""
    text = json.dumps(_decisive(found), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _decisive(found: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: found[name] for name in _DECIDES}
    # What a policy is called and said to do changes nothing.
    kept["policies"] = [{"weights": p["weights"], "temperature": p["temperature"]} for p in kept["policies"]]
    return kept


@cache
def code(game_name: str) -> str:
    """Return a hash of the sources that decide how a game is played and counted.

    They are the same on every machine that has the same version installed, and differ as soon as
    somebody works on the game.
    """
    digest = hashlib.sha256()
    for source in sources(game_name):
        # Line ends are as the system has them.
        digest.update(source.name.encode() + b"\0" + source.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]


def sources(game_name: str) -> list[Path]:
    """Return the files that decide how a game is played and counted."""
    import kernels

    here, compiled = Path(__file__).parent, Path(str(kernels.__file__)).parent
    game = catalog.find(game_name)
    package, family = game.package, game.family
    folders = [here / "catalog" / package, compiled / package]
    folders += [here / family, compiled / family] if family else []
    return [
        *(path for folder in folders for path in sorted(folder.rglob("*.py"))),
        *(here / name for name in ("experiment.py", "options.py", "policy.py")),
        *(path for path in sorted(compiled.glob("*.py")) if path.name != "cache.py"),
    ]


def made_with() -> dict[str, str]:
    """Return the versions of what a run is played with, for people: results do not depend on them."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "unknown"
    return versions


def experiment_of(found: Mapping[str, Any]) -> Experiment:
    """Return the experiment of an identity.

    Raises ``UsageError`` if it is not accepted, and ``KeyError``, ``TypeError`` or ``AttributeError``
    if it is no identity at all.
    """
    policies = [Policy(p["name"], p["weights"], p["temperature"], p["summary"]) for p in found["policies"]]
    return design(
        found["game"], found["options"], policies, found["fixed_seats"], found["seed"], found["unit"]
    )


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Return in words what two identities differ in, values of the first one first."""
    words = []
    for name in _DECIDES:
        old, new = _decisive(there)[name], _decisive(here)[name]
        if old == new:
            continue
        if name == "options" and isinstance(old, dict) and isinstance(new, dict):
            words += [
                f"option {key} ({_brief(old.get(key))}, not {_brief(new.get(key))})"
                for key in sorted({*old, *new})
                if old.get(key) != new.get(key)
            ]
        elif name == "policies":
            names = [", ".join(str(p.get("name")) for p in each["policies"]) for each in (there, here)]
            words.append(f"policies ({names[0]}, not {names[1]})" if names[0] != names[1] else "weights")
        elif name == "code":
            words.append("source files of the game")
        else:
            words.append(f"{name.replace('_', ' ')} ({_brief(old)}, not {_brief(new)})")
    return words


def _brief(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def check_version(found: Mapping[str, Any], folder: Path) -> None:
    """Raise ``UsageError`` if a run cannot go on with this version."""
    if found["version"] != VERSION:
        raise UsageError(
            f"the run in {str(folder)!r} was made by fastsim {found['version']}, and this is {VERSION}; "
            "go on with that version, or give a new run another folder"
        )
    here = code(catalog.find(found["game"]).name)
    if found["code"] != here:
        raise UsageError(
            f"the run in {str(folder)!r} was made by other source files of {found['game']} "
            f"(hash {found['code']}, here {here}); go on with those, or give a new run another folder"
        )

"""Statistics agree with those that independent programs computed from the rules."""

import math
from typing import Any

import pytest

import fastsim
from tests.conftest import cases

pytestmark = [pytest.mark.kernel, pytest.mark.compiled]

WITHIN = 4.5
"""Standard errors of the difference."""


def compare(case: dict[str, Any], n: int, **changes: object) -> None:
    """Play a case's settings and compare every statistic that it has."""
    result = fastsim.run(
        case["game"],
        n,
        options=case["options"] | changes,
        policy=case["policy"],
        unit=case["unit"],
        seed=20,
    )
    stats: Any = result.to_dict()["stats"]
    missing = [name for name in case["stats"] if name not in stats]
    assert not missing
    far = []
    for name, theirs in case["stats"].items():
        ours = stats[name]
        error = math.hypot(theirs["se"], ours["se"] or 0.0)
        difference = ours["mean"] - theirs["mean"]
        if abs(difference) > WITHIN * error + 1e-12:
            far.append((name, ours["mean"], theirs["mean"], difference / error if error else math.inf))
    assert not far


@pytest.mark.parametrize("case", cases("cap30"))
def test_cap30_agrees_with_independent_programs(case: dict[str, Any]) -> None:
    compare(case, 1_000_000 if case["unit"] == "hand" else 300_000)


@pytest.mark.parametrize("case", cases("cap30-powers"))
def test_power_up_agrees_with_independent_programs(case: dict[str, Any]) -> None:
    compare(case, 1_000_000)

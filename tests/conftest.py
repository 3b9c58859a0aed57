"""What all tests share: values that others computed, and the mode in which kernels run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run, and no time limit: machines are shared, and kernels compile.
settings.register_profile("fixed", deadline=None, derandomize=True, database=None)
settings.load_profile("fixed")

SHARED_CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"
COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what plays too many hands for plain Python, where kernels are not compiled."""
    for item in items:
        if not COMPILED and item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="plays too many hands for kernels in plain Python"))


@pytest.fixture(autouse=True)
def plain_arithmetic() -> Iterator[None]:
    """Let 64-bit words wrap around silently when kernels run as plain Python, as they do compiled."""
    with np.errstate(over="ignore" if not COMPILED else "warn"):
        yield


def cases(game: str) -> list[Any]:
    """Return the files of values computed by others for a game, as parameters of a test."""
    files = sorted((SHARED_CASES / game).glob("*.json"))
    if not files:
        reason = "the values computed by others are not beside this checkout"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(json.loads(file.read_text()), id=file.stem) for file in files]

"""Sets as 64-bit masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import bits
from kernels.jit import kernel

pytestmark = pytest.mark.kernel

masks = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**63, 2**64 - 1])


@kernel
def _look(mask, n):
    return bits.size(mask), bits.first(mask), bits.nth(mask, n), bits.nth_by_arithmetic(mask, n)


def members(mask: int) -> list[int]:
    return [bit for bit in range(64) if mask >> bit & 1]


@given(masks)
def test_size_counts_the_members(mask: int) -> None:
    with np.errstate(over="ignore"):
        assert int(_look(np.uint64(mask | 1), np.uint64(0))[0]) == len(members(mask | 1))


@given(masks.filter(bool), st.integers(0, 63))
def test_members_are_found_in_order(mask: int, n: int) -> None:
    expected = members(mask)
    n %= len(expected)
    with np.errstate(over="ignore"):
        _, first, nth, by_arithmetic = _look(np.uint64(mask), np.uint64(n))
    assert int(first) == expected[0]
    assert int(nth) == int(by_arithmetic) == expected[n]

"""Random streams: known values, evenness, and independence of what was played before."""

from collections import Counter

import numpy as np
import pytest

from kernels import streams
from kernels.jit import kernel

pytestmark = pytest.mark.kernel


@kernel
def _draws(seed, game, hand, purpose, bound, out):
    state = streams.stream(streams.game_key(seed, game), hand, purpose)
    for i in range(len(out)):
        state, out[i] = streams.below(state, bound)


def draws(seed: int, game: int, hand: int, purpose: int, bound: int, n: int) -> list[int]:
    out = np.zeros(n, dtype=np.uint64)
    _draws(*(np.uint64(x) for x in (seed, game, hand, purpose, bound)), out)
    return [int(x) for x in out]


def _mix(word: int) -> int:
    mask = 2**64 - 1
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & mask
    word = (word ^ word >> 27) * 0x94D049BB133111EB & mask
    return word ^ word >> 31


@pytest.mark.parametrize(
    ("seed", "game", "hand", "purpose"), [(0, 0, 0, 1), (7, 10**12, 3, 2), (2**63, 5, 99, 4)]
)
def test_draws_follow_the_published_algorithms(seed: int, game: int, hand: int, purpose: int) -> None:
    state = _mix(_mix(_mix(seed ^ 0xD1B54A32D192ED03) ^ game) ^ (hand << 8 | purpose))
    expected = []
    for _ in range(50):
        state = (state + 0xA0761D6478BD642F) % 2**64
        product = state * (state ^ 0xE7037ED1A0B428DB)
        expected.append((product >> 64 ^ product % 2**64) * 52 >> 64)
    assert draws(seed, game, hand, purpose, 52, 50) == expected


def test_every_number_is_equally_likely() -> None:
    n = 6000
    counts = Counter(draws(1, 2, 3, 1, 6, n))
    chi_square = sum((counts[i] - n / 6) ** 2 / (n / 6) for i in range(6))
    assert sorted(counts) == list(range(6))
    assert chi_square < 20.5  # the 0.999 quantile with 5 degrees of freedom


def test_a_bound_that_does_not_divide_the_range_rejects_what_is_too_much() -> None:
    bound = 3 << 62  # a quarter of all words is rejected
    values = draws(3, 1, 0, 1, bound, 4000)
    assert all(0 <= value < bound for value in values)
    below_half = sum(value < bound // 2 for value in values)
    assert abs(below_half - 2000) < 4 * 4000**0.5 / 2


def test_streams_differ_by_seed_game_hand_and_purpose() -> None:
    base = (5, 6, 7, 1)
    seen = {tuple(draws(*base, 2**31, 4))}
    for place in range(4):
        changed = [value + (i == place) for i, value in enumerate(base)]
        seen.add(tuple(draws(*changed, 2**31, 4)))
    assert len(seen) == 5


def test_neighbouring_games_are_not_correlated() -> None:
    first = np.array([draws(0, game, 0, 1, 2**52, 1)[0] for game in range(2000)], dtype=float)
    correlation = np.corrcoef(first[:-1], first[1:])[0, 1]
    assert abs(correlation) < 4 / 2000**0.5

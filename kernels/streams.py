"""Random streams that belong to a game, not to a thread.

A stream is a uint64 state, found by hashing what it is for: the seed, the number of the game, the
number of the hand in it and a purpose. So a game draws the same numbers whoever plays it and
whatever was played before it, and two rule sets played with one seed get the same deals.

States advance as in SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators"); the hash is a chain of its finalizer, which is a bijection of 64-bit words. Bounded
integers follow Lemire (2019), "Fast random integer generation in an interval", and are exact.
"""

import numpy as np

from kernels.jit import helper

DEAL = np.uint64(1)
"""Purpose: the order of the deck."""
RESHUFFLE = np.uint64(2)
"""Purpose: the order of the discards when they become the draw pile again."""
DECIDE = np.uint64(3)
"""Purpose: what policies choose."""
ACCIDENT = np.uint64(4)
"""Purpose: what happens to players without their choosing (a thing forgotten)."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_SALT = np.uint64(0xD1B54A32D192ED03)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_RANGE = np.uint64(1 << 32)
_HAND_SHIFT = np.uint64(8)


@helper
def _mix(word):
    word = (word ^ (word >> _30)) * _MULTIPLY_1
    word = (word ^ (word >> _27)) * _MULTIPLY_2
    return word ^ (word >> _31)


@helper
def game_key(seed, game):
    """Return the key of a game (both uint64)."""
    return _mix(_mix(seed ^ _SALT) ^ game)


@helper
def stream(key, hand, purpose):
    """Return the stream of one purpose in one hand of the game with this key (all uint64)."""
    return _mix(key ^ (hand << _HAND_SHIFT | purpose))


@helper
def below(state, bound):
    """Return the advanced state and an integer of 0 .. bound - 1 (uint64; bound in 1 .. 2**32 - 1).

    Every integer is equally likely, exactly.
    """
    state = state + _STEP
    product = (_mix(state) >> _32) * bound
    low = product & _LOW
    if low < bound:
        threshold = (_RANGE - bound) % bound
        while low < threshold:
            state = state + _STEP
            product = (_mix(state) >> _32) * bound
            low = product & _LOW
    return state, product >> _32

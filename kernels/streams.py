"""Random streams that belong to a game, not to a thread.

A stream is a uint64 state, found by hashing what it is for: the seed, the number of the game, the
number of the hand in it and a purpose. So a game draws the same numbers whoever plays it and
whatever was played before it, and two rule sets played with one seed get the same deals.

The hash is a chain of the finalizer of SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable
pseudorandom number generators"), a bijection of 64-bit words. A stream then advances as in wyrand
(Wang Yi 2019, wyhash). Bounded integers follow Lemire (2019), "Fast random integer generation in
an interval", and are exact.
"""

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from kernels.jit import helper

DEAL = np.uint64(1)
"""Purpose: the order of the deck."""
RESHUFFLE = np.uint64(2)
"""Purpose: the order of the discards when they become the draw pile again."""
DECIDE = np.uint64(3)
"""Purpose: what policies choose."""
ACCIDENT = np.uint64(4)
"""Purpose: what happens to players without their choosing (a thing forgotten)."""
EXCHANGE = np.uint64(5)
"""Purpose: which cards an experiment exchanges (see ``kernels.exchange``)."""
REPLICATE_BITS = np.uint64(32)
"""Where the number of a replicate is in a purpose: a deal that is played again and decided otherwise."""

_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_SALT = np.uint64(0xD1B54A32D192ED03)
_30 = np.uint64(30)
_27 = np.uint64(27)
_31 = np.uint64(31)
_HAND_SHIFT = np.uint64(8)
_STEP = np.uint64(0xA0761D6478BD642F)
_TWIST = np.uint64(0xE7037ED1A0B428DB)
_ZERO = np.uint64(0)

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def _multiply(a, b):
        """Return the high and the low word of a product of 64-bit words."""
        product = int(a) * int(b)
        return np.uint64(product >> 64), np.uint64(product & 0xFFFFFFFFFFFFFFFF)

else:

    @intrinsic
    def _multiply(typing_context, a, b):
        """Return the high and the low word of a product of 64-bit words."""

        def generate(context, builder, signature, arguments):
            wide = ir.IntType(128)
            word = ir.IntType(64)
            first, second = (builder.zext(argument, wide) for argument in arguments)
            product = builder.mul(first, second)
            high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
            return context.make_tuple(builder, signature.return_type, (high, builder.trunc(product, word)))

        return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


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
    """Return the advanced state and an integer of 0 .. bound - 1 (all uint64; bound at least 1).

    Every integer is equally likely, exactly.
    """
    state = state + _STEP
    high, low = _multiply(state, state ^ _TWIST)
    result, low = _multiply(high ^ low, bound)
    if low < bound:
        threshold = (_ZERO - bound) % bound
        while low < threshold:
            state = state + _STEP
            high, low = _multiply(state, state ^ _TWIST)
            result, low = _multiply(high ^ low, bound)
    return state, result

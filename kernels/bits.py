"""Sets of small integers as 64-bit masks. All arguments and results are uint64."""

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from kernels.jit import helper

ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)

_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SPREAD = np.uint64(0x0101010101010101)
_4 = np.uint64(4)
_8 = np.uint64(8)
_56 = np.uint64(56)
_LOW_BYTE = np.uint64(0xFF)
_HIGH_BITS = np.uint64(0x8080808080808080)


@helper
def size(mask):
    """Return how many members a set has (LLVM makes this one instruction)."""
    mask = mask - ((mask >> ONE) & _PAIRS)
    mask = (mask & _NIBBLES) + ((mask >> TWO) & _NIBBLES)
    mask = (mask + (mask >> _4)) & _BYTES
    return (mask * _SPREAD) >> _56


@helper
def first(mask):
    """Return the smallest member of a set that is not empty."""
    return size((mask & (~mask + ONE)) - ONE)


@helper
def nth_by_arithmetic(mask, n):
    """Return the n-th smallest member (n from 0, less than the size), on any processor.

    Members are counted byte by byte with running sums in the bytes of one word, which finds the
    byte; at most seven smaller members are then removed from that byte.
    """
    counts = mask - ((mask >> ONE) & _PAIRS)
    counts = (counts & _NIBBLES) + ((counts >> TWO) & _NIBBLES)
    counts = (counts + (counts >> _4)) & _BYTES
    running = counts * _SPREAD
    # A byte of `reached` has its high bit set where the running sum is still at most n.
    reached = ((n * _SPREAD) | _HIGH_BITS) - running
    shift = size(reached & _HIGH_BITS) * _8
    before = (running << _8) >> shift & _LOW_BYTE
    byte = (mask >> shift) & _LOW_BYTE
    for _ in range(n - before):
        byte &= byte - ONE
    return shift + first(byte)


def _has_fast_deposit() -> bool:
    """Return whether compiled code may use the processor's instruction for depositing bits."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    features = llvmlite.binding.get_host_cpu_features()
    # The first two generations of Zen have the instruction, but in slow microcode.
    slow = llvmlite.binding.get_host_cpu_name() in ("znver1", "znver2")
    return bool(features.get("bmi2")) and not slow


if _has_fast_deposit():

    @intrinsic
    def _deposit(typing_context, bits, mask):
        def generate(context, builder, signature, arguments):
            word = ir.IntType(64)
            function = builder.module.declare_intrinsic(
                "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word])
            )
            return builder.call(function, arguments)

        return types.uint64(types.uint64, types.uint64), generate

    @helper
    def nth(mask, n):
        """Return the n-th smallest member of a set (n from 0, less than the size)."""
        return first(_deposit(ONE << n, mask))

else:
    nth = nth_by_arithmetic

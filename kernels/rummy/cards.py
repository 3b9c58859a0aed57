"""What a seat holds, and how a card gets in and out of it.

``hands`` is a flat uint64 array, 64 words a seat:

======  ====================  ========================================================================
word    name                  meaning
======  ====================  ========================================================================
0 - 7   COPIES + k            kinds held more than k times, as a mask; of Jokers only bit 0 of word 0
8       JOKERS                how many Jokers
9       WILDS                 how many 2s and Jokers
10      SIZE                  how many cards
11      TURN_DOWN             number of the turn in which the seat went down, 0 before
12      MELDED                counted for the hand's row, as the next three
13      LAID_OFF
14      SWAPS
15      WILDS_USED
16 - 18 DRAW + k              counted for the hand's row: what is special to the game's draw
16 + r  RANKS + r             cards of rank r (3 to 14, the Ace)
32 + k  AT_LEAST + k          ranks held at least k times (k from 1), as a mask of bits 3 to 14
61      SHOWN                 kinds that everybody saw it take from the discards, as a mask
======  ====================  ========================================================================
"""

import numpy as np

from kernels import bits
from kernels.bits import ONE, TWO, ZERO
from kernels.jit import helper

STRIDE_BITS = np.uint64(6)
COPIES = np.uint64(0)
JOKERS = np.uint64(8)
WILDS = np.uint64(9)
SIZE = np.uint64(10)
TURN_DOWN = np.uint64(11)
MELDED = np.uint64(12)
LAID_OFF = np.uint64(13)
SWAPS = np.uint64(14)
WILDS_USED = np.uint64(15)
DRAW = np.uint64(16)
RANKS = np.uint64(16)
AT_LEAST = np.uint64(32)
SHOWN = np.uint64(61)

SUIT_BITS = np.uint64(4)
RANK_MASK = np.uint64(15)
SUIT_MASK = np.uint64(0x7FFC)
"""The thirteen cards of a suit, once it is shifted down."""
OF_A_RANK = np.uint64(0x0001000100010001)
"""The four cards of rank 0, if there were such; shifted by r, those of rank r."""
TWOS = OF_A_RANK << TWO
NATURALS = np.uint64(0x7FF87FF87FF87FF8)
"""All cards of rank 3 to Ace."""
JOKER = ZERO


@helper
def add(hands, seat, kind):
    """Put one card into a hand."""
    base = seat << STRIDE_BITS
    rank = kind & RANK_MASK
    if kind == JOKER:
        hands[base] |= ONE
        hands[base + JOKERS] += ONE
        hands[base + WILDS] += ONE
    else:
        place = base
        carry = ONE << kind
        while carry != ZERO:
            held = hands[place]
            hands[place] = held | carry
            carry &= held
            place += ONE
        if rank == TWO:
            hands[base + WILDS] += ONE
        else:
            count = hands[base + RANKS + rank] + ONE
            hands[base + RANKS + rank] = count
            hands[base + AT_LEAST + count] |= ONE << rank
    hands[base + SIZE] += ONE


@helper
def remove(hands, seat, kind):
    """Take one card, which the hand holds, out of it."""
    base = seat << STRIDE_BITS
    rank = kind & RANK_MASK
    if kind == JOKER:
        left = hands[base + JOKERS] - ONE
        hands[base + JOKERS] = left
        if left == ZERO:
            hands[base] &= ~ONE
        hands[base + WILDS] -= ONE
    else:
        bit = ONE << kind
        place = base
        while hands[place + ONE] & bit != ZERO:
            place += ONE
        hands[place] ^= bit
        if rank == TWO:
            hands[base + WILDS] -= ONE
        else:
            count = hands[base + RANKS + rank]
            hands[base + RANKS + rank] = count - ONE
            hands[base + AT_LEAST + count] ^= ONE << rank
    hands[base + SIZE] -= ONE


@helper
def points_in_hand(hands, seat, points):
    """Return the points of the cards in a hand (R14)."""
    base = seat << STRIDE_BITS
    jokers = hands[base + JOKERS]
    total = np.int64(jokers) * points[ZERO] + np.int64(hands[base + WILDS] - jokers) * points[TWO]
    for rank in range(np.uint64(3), np.uint64(15)):
        total += np.int64(hands[base + RANKS + rank]) * points[rank]
    return total


@helper
def next_wild(hands, seat):
    """Return the wild that is laid next: 2s of clubs, diamonds, hearts, spades, then Jokers (R9)."""
    twos = hands[seat << STRIDE_BITS] & TWOS
    return bits.first(twos) if twos != ZERO else JOKER

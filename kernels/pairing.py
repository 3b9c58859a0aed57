"""Sums of products over games, for rule sets and seatings that play the same game numbers.

A *quantity* is a number that each game has: the total of a column over its hands, or what one seat
won. Quantities of several experiments stand in the rows of one matrix, a column a game, and what
an estimate or a covariance needs is the sum over games of the product of two rows. These are whole
numbers, so they are exact, and sums of several pieces of work are added up in any order.
"""

import numpy as np

from kernels.blocks import LANES, gather
from kernels.jit import kernel


@kernel
def add_totals(block, columns, chosen, hands, games, first, at, totals):
    """Write the totals of the chosen columns of a block of hands.

    ``totals[first + i, at + g]`` becomes the total of column ``chosen[i]`` over the hands of the
    g-th game of the block, which has ``hands[g]`` hands (all integers; ``totals`` int32).
    """
    for number in range(len(chosen)):
        row = 0
        for game in range(games):
            total = np.int64(0)
            for _ in range(hands[game]):
                total += block[((row // LANES) * columns + chosen[number]) * LANES + row % LANES]
                row += 1
            totals[first + number, at + game] = total


@kernel
def copy_columns(block, columns, chosen, rows, first, at, totals):
    """Write the chosen columns of a block with a row a game, as :func:`add_totals` does, but faster."""
    for number in range(len(chosen)):
        gather(block, columns, chosen[number], rows, totals[first + number, at:])


@kernel
def add_products(totals, pairs, games, sums):
    """Add to ``sums[p]`` the products of rows ``pairs[p, 0]`` and ``pairs[p, 1]`` over the games."""
    for pair in range(len(pairs)):
        left = totals[pairs[pair, 0]]
        right = totals[pairs[pair, 1]]
        total = np.int64(0)
        for game in range(games):
            total += np.int64(left[game]) * np.int64(right[game])
        sums[pair] += total

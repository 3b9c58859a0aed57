"""Piles of cards: flat uint8 arrays of kinds."""

from kernels import streams
from kernels.bits import ONE, ZERO
from kernels.jit import helper


@helper
def place_of_any(pile, first, end, kinds, random):
    """Return the place in ``pile[first:end]`` of a card of these kinds, and the stream (all uint64).

    Every such card is equally likely; the place is ``end`` if there is none.
    """
    count = ZERO
    for place in range(first, end):
        count += kinds >> pile[place] & ONE
    chosen = end
    if count != ZERO:
        random, number = streams.below(random, count)
        for place in range(first, end):
            if kinds >> pile[place] & ONE != ZERO:
                if number == ZERO:
                    chosen = place
                    break
                number -= ONE
    return chosen, random

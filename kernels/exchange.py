"""An experiment on a deal: one card of a hand is exchanged for one that was not dealt."""

from typing import NamedTuple

import numpy as np


class Exchange(NamedTuple):
    """What to exchange: after the deal of each hand, before anybody looks at it.

    In game g it is the hand of seat ``g // players % players``, so that seats take turns whatever
    turns the policies take. Which of its cards is exchanged, and for which of the cards of the wanted
    kinds that were not dealt, is drawn from a stream of its own: every exchange in a game begins with
    the same card, and all else is as it would have been.

    Attributes
    ----------
    kinds : uint64
        The kinds wanted, as a mask. 0: play as if there were no exchange.
    done : uint8 array (rows,)
        Receives for each row of the block 1, or 0 if nothing was exchanged: the card is of a wanted
        kind already, or all cards of these kinds were dealt.
    """

    kinds: np.uint64
    done: np.ndarray

"""30-30: the columns of a hand; kinds, events and all else are in ``kernels.rummy.layout``.

Decisions, by their numbers on the rules page: BUY_IN_TURN and BUY_OUT_OF_TURN have two choices (buy,
or not). DOWN_OR_WAIT has two (go down, or wait). MELDS is asked if the seat is down and may meld in
this turn; it has three choices (hold back, lay off on own melds only, lay off on all), or two (hold
back, meld) if `layoff` is not `any`. DISCARD_ONE has one for each kind in hand. DOWN_OR_WAIT and MELDS
are written and counted only of policies that weigh features.
"""

from kernels.rummy.layout import GAME_COLUMNS, hand_columns

__all__ = ["GAME_COLUMNS", "HAND_COLUMNS"]

HAND_COLUMNS = hand_columns("buys", "buys_out", "nickels")
"""buys: cards bought in turn; buys_out: out of turn; nickels: left at the end of the hand."""

BUY_IN_TURN = 1
BUY_OUT_OF_TURN = 2
DOWN_OR_WAIT = 3
MELDS = 4
DISCARD_ONE = 5

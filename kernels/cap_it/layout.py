"""Cap-It: the columns of a hand; kinds, events and all else are in ``kernels.rummy.layout``.

Decisions, by their numbers on the rules page: TAKE_OR_PUSH has two choices, also with an empty stock,
where a push ends the round (P9); with `push` false they are the top discard or the top of the stock.
With an empty discard pile there is no decision. DOWN_OR_WAIT has two (go down, or wait). MELDS is
asked if the seat is down and holds a card; it has three choices (hold back, lay off on own melds only,
lay off on all), or two (hold back, meld) if `layoff` is not `any`. DISCARD_ONE has one for each kind
in hand. DOWN_OR_WAIT and MELDS are written and counted only of policies that weigh features.

The prize of a round is `round_share` of all antes, rounded to a whole cent (halves up); PRIZE and MONEY
give it in parts of a cent.
"""

from kernels.rummy.layout import GAME_COLUMNS, hand_columns

__all__ = ["GAME_COLUMNS", "HAND_COLUMNS"]

HAND_COLUMNS = hand_columns("takes", "pushes", "lowest")
"""takes: discards taken; pushes: pushes made, also one that moved nothing (P9); lowest: 1 if nobody has
fewer points in this round."""

TAKE_OR_PUSH = 1
DOWN_OR_WAIT = 2
MELDS = 3
DISCARD_ONE = 4

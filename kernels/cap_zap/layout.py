"""Cap Zap: letters, the columns of a round and of a game, and the events of a trace.

A card is no more than the first letter of its capital (Z1): kind 0 is A, kind 25 is Z. A hand, in
the sense of the library, is one round. Seats are numbered clockwise. A side is what wins: a team,
or without teams a seat; seat ``i`` is in side ``i mod sides`` (Z13), so that without teams seats and sides
have the same numbers.
"""

from kernels.columns import Column, keyed

MIN_PLAYERS = 2
MAX_PLAYERS = 6
MAX_SIDES = MAX_PLAYERS
MAX_HAND = 25
"""Most cards in one hand, and so most tricks in a round (Z3)."""
MAX_DECK = 250
"""Most cards in a deck."""

KINDS = 26
KIND_NAMES = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

# Columns of a round. STARTER is the seat that deals and leads first (Z4). WINNERS is a mask of the sides
# with the most tricks; WINNER is the side that alone has them, or -1. POLICY_WINNERS is a mask of positions
# in the list of policies, which rotates over the seats: those of all members of the winning sides.
# SWEEPS, BONUSES and TIED are 0 or 1, as in Z9 (a sweep is a bonus too only if they stack). TIED_BY + k is 1
# if k sides share the most tricks (k from 2). TRICKS has a part for each seat, then one for each side.
# Trick t (from 1) is part t - 1 of ZAPS; position p in a trick (1 leads) is part p - 1 of WON_AT_POSITION.
# PLAYS, LEADS and HELD count by letter: cards played (leads included), cards led, tricks won.
HAND_COLUMNS = (
    Column("starter"),
    Column("winner"),
    Column("winners"),
    Column("policy_winners"),
    Column("sweeps"),
    Column("bonuses"),
    Column("tied"),
    Column("won_by_leader"),
    Column("won_by_last"),
    Column("decisions"),
    Column("choices"),
    Column("forced"),
    *keyed("tricks", MAX_PLAYERS + MAX_SIDES),
    *keyed("points", MAX_SIDES),
    *keyed("tied_by", MAX_SIDES + 1),
    *keyed("tricks_with_zaps", MAX_PLAYERS),
    *keyed("won_at_position", MAX_PLAYERS),
    *keyed("zaps", MAX_HAND),
    *keyed("plays", KINDS),
    *keyed("leads", KINDS),
    *keyed("held", KINDS),
)
(
    STARTER,
    WINNER,
    WINNERS,
    POLICY_WINNERS,
    SWEEPS,
    BONUSES,
    TIED,
    WON_BY_LEADER,
    WON_BY_LAST,
    DECISIONS,
    CHOICES,
    FORCED,
    TRICKS,
) = range(13)
TRICKS_OF_SIDES = TRICKS + MAX_PLAYERS
POINTS = TRICKS_OF_SIDES + MAX_SIDES
TIED_BY = POINTS + MAX_SIDES
TRICKS_WITH_ZAPS = TIED_BY + MAX_SIDES + 1
WON_AT_POSITION = TRICKS_WITH_ZAPS + MAX_PLAYERS
ZAPS = WON_AT_POSITION + MAX_PLAYERS
PLAYS = ZAPS + MAX_HAND
LEADS = PLAYS + KINDS
HELD = LEADS + KINDS

# Columns of a game. WINNERS as above. A round is a hand: the library needs HANDS, the rules page says
# ROUNDS. POINTS are final, one part a side.
GAME_COLUMNS = (
    Column("winners"),
    Column("policy_winners"),
    Column("hands"),
    Column("rounds"),
    Column("truncated"),
    *keyed("points", MAX_SIDES),
)
GAME_WINNERS, GAME_POLICY_WINNERS, GAME_HANDS, GAME_ROUNDS, GAME_TRUNCATED, GAME_POINTS = range(6)

# Events of a trace: rows as in ``kernels.trace``. Field 0 is one of these codes, field 1 is the seat (or,
# where said, the side) that it happens to; fields 2 to 7 are named here, in order. Unused fields are 0.
# Letters are kinds, 0 to 25.
#
# A round is: ROUND; DEAL for every card dealt, one each in turn, from the dealer on (Z3); its tricks; a SCORE
# for each side, from side 0 on; ROUND_END. A trick is: TRICK; for each player, from the leader on, DECISION
# and PLAY, and ZAP if the card played zaps the holder; TRICK_END. A game ends with GAME_END; a single round
# has none.

# dealer, who leads first; round in the game from 0, cards in the deck, tricks of the round
ROUND = 1
# seat; letter
DEAL = 2
# leader; trick from 1
TRICK = 3
# seat; number of the decision (always DECIDE_LETTER), choices (different letters held)
DECISION = 4
# seat; letter, position in the trick from 1 (1 leads), cards left in the hand
PLAY = 5
# seat that zaps and now holds; letter, letter zapped, seat zapped, zaps in this trick so far (from 1)
ZAP = 6
# seat that wins the trick; letter that held, its position from 1, zaps in the trick, tricks of the seat in
# this round, tricks of its side in this round (both with this trick)
TRICK_END = 7
# SIDE (not seat); its tricks in the round, points for the round, points in the game so far (with these)
SCORE = 8
# SIDE that alone has the most tricks, or -1; sides that share the most (1 or more), most tricks, 1 for a
# bonus else 0, 1 for a sweep else 0 (as the columns BONUSES and SWEEPS)
ROUND_END = 9
# SIDE that alone wins, or -1 if the win is shared; mask of the sides that win, rounds, 1 if truncated
GAME_END = 10
# seat; letter taken from its hand, letter given for it: by an experiment, right after the deal
EXCHANGED = 11

# The decision (there is one on the rules page).
DECIDE_LETTER = 1

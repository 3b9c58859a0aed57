"""Kapaga: card kinds, the columns of a hand and of a game, and the events of a trace.

Card kinds (K1) are numbered so that a set of kinds is one 64-bit mask: kind ``13 * suit + rank``
for the 52 cards, with suits in the order of ``SUIT_NAMES`` and ranks in that of ``RANK_NAMES``
(the Ace is 0), and kind 52 for the Joker.
"""

from kernels.columns import Column, keyed

MAX_PLAYERS = 10
MAX_PACKS = 3
MAX_CARDS = 53 * MAX_PACKS

RANKS = 13
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "Joker")
"""Names of the ranks; for counts by rank the Joker is one too, the last."""
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
ACE, TWO, FIVE, SEVEN, EIGHT, NINE = 0, 1, 4, 6, 7, 8
"""Ranks that have an effect."""
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
TWO_OF_SPADES = RANKS * SPADES + TWO
FIVE_OF_SPADES = RANKS * SPADES + FIVE
FIVE_OF_CLUBS = RANKS * CLUBS + FIVE
JOKER = 52
KINDS = 53
KIND_NAMES = (*(rank + suit[0] for suit in SUIT_NAMES for rank in RANK_NAMES[:RANKS]), "Joker")
"""Short names: ``Ac``, ``10h``, ``Joker``."""

POINT_NAMES = ("five of spades", "five of clubs", *RANK_NAMES)
"""Keys of a table of points (K20): these two cards and the ranks ("5" is the other two fives)."""

CALLS = 17
"""Numbers of calls (K16): 0 to 3 a suit, ``4 + rank`` a rank. 11, the rank of the 8s, is no call."""
NO_CALL = -1

# Columns of a hand. WINNERS is a mask of seats (0: nobody went out); POLICY_WINNERS is the same as
# a mask of positions in the list of policies, which rotates over the seats. STARTER is the seat on
# the dealer's left. Seats that were eliminated before the hand have 0 cards and 0 points.
HAND_COLUMNS = (
    Column("starter"),
    Column("dealer"),
    Column("winner"),
    Column("winners"),
    Column("policy_winners"),
    Column("turns"),
    Column("drawn_choice"),
    Column("drawn_attack"),
    Column("drawn_effect"),
    Column("drawn_caught"),
    Column("largest_attack"),
    Column("passes_left"),
    Column("passes_right"),
    Column("penalties"),
    Column("penalty_points"),
    Column("reshuffles"),
    Column("lead_changes"),
    Column("blocked"),
    Column("truncated"),
    Column("decisions"),
    Column("choices"),
    Column("forced"),
    *keyed("cards_left", MAX_PLAYERS),
    *keyed("points", MAX_PLAYERS),
    *keyed("plays", RANKS + 1),
)
(
    STARTER,
    DEALER,
    WINNER,
    WINNERS,
    POLICY_WINNERS,
    TURNS,
    DRAWN_CHOICE,
    DRAWN_ATTACK,
    DRAWN_EFFECT,
    DRAWN_CAUGHT,
    LARGEST_ATTACK,
    PASSES_LEFT,
    PASSES_RIGHT,
    PENALTIES,
    PENALTY_POINTS,
    RESHUFFLES,
    LEAD_CHANGES,
    BLOCKED,
    TRUNCATED,
    DECISIONS,
    CHOICES,
    FORCED,
    CARDS_LEFT,
) = range(23)
POINTS = CARDS_LEFT + MAX_PLAYERS
PLAYS = POINTS + MAX_PLAYERS

# Columns of a game. Places may be halves when equal scores share them (K22), so PLACE holds twice
# the place, and PLACES_ARE holds what a place counts, which is always 2: the mean place is the
# quotient of the two. CUT is 1 for a game that ended at max_hands (K25).
GAME_COLUMNS = (
    Column("winners"),
    Column("policy_winners"),
    Column("hands"),
    Column("resets"),
    Column("cut"),
    Column("places_are"),
    *keyed("place", MAX_PLAYERS, per="places_are"),
)
(
    GAME_WINNERS,
    GAME_POLICY_WINNERS,
    GAME_HANDS,
    GAME_RESETS,
    GAME_CUT,
    GAME_PLACES_ARE,
    GAME_PLACE,
) = range(7)

# Events of a trace: rows as in ``kernels.trace``. Field 0 is one of these codes, field 1 the seat it
# happens to; the rest is named here, in order. Unused fields are 0. "Seats in the hand" are those
# that were not eliminated in an earlier hand of the game.
#
# The order of a hand: HAND; PENALTY for table manners (K24: first the dealer's misdeal, then peeks
# in order of seats); DEAL of all cards, one each in turn from the dealer's left; TURN_UP; what the
# turned card does (as in a put by the dealer, but without a PUT of that card); turns; HAND_END; a
# SCORE for each seat in the hand, in order of seats. A game ends with a PLACE for each seat of the
# game, in order of seats, and GAME_END.
#
# The order of a turn: TURN; DECISION 1 or 7; then CHOOSE_DRAW, PASS or TAKE, or a put. After
# CHOOSE_DRAW come the draws, then, if a drawn card fits, DECISION 2 and KEEP or a put.
#
# The order of a put: for each card PUT; after a Joker the draws of the others and DECISION 4, if a
# card is left; after an Ace DECISION 3, if there is a card to play along, and if none is played
# ALONE and the draw; after other cards DECISION 5, if there is one to add, and STOP if none is added.
# Then DECISION 6 and CALL; KAPAGA and, if caught, the draw; then, if nobody is out, PASS_HANDS,
# SKIPPED or ATTACKED.
#
# Counts: ``penalties`` and ``penalty_points`` are over all PENALTY events, ``passes_left`` and
# ``passes_right`` over all PASS_HANDS (a turned card's too), ``plays`` over all PUT; decisions of the
# opening count. ``largest_attack`` is the largest of the ATTACKED.
#
# A card needed from an empty stock: RESHUFFLE and PENALTY, then DRAW. If there is none at all,
# NOTHING_TO_DRAW once, and the rest of that draw (of all players, for a Joker) is dropped.

HAND = 1  # dealer; hand number from 0, players in the hand, mask of their seats, cards in the pack
DEAL = 2  # seat; kind
TURN_UP = 3  # dealer; kind turned up, the first of the discards (no play: it is in no "plays")
TURN = 4  # seat; turn from 1, attack faced (0: none), top kind, call (NO_CALL: none), cards held
DECISION = 5  # seat; number in "Decisions, in the order that they come", choices
PUT = 6  # seat; kind, which card of this put (from 1; the turned card is one), 1 if just drawn (K4)
ALONE = 7  # seat: plays the Ace alone, by choice or for want of a card; also if it draws nothing then
STOP = 8  # seat: adds no more cards (only after a DECISION 5)
CALL = 9  # seat; number of the call
CHOOSE_DRAW = 10  # seat: draws instead of putting a card, also if that is the only choice
PASS = 11  # seat: puts nothing, and there is nothing to draw (or draw_count is 0)
TAKE = 12  # seat; the attack: takes the cards; also if it is the only choice
KEEP = 13  # seat: keeps what was drawn (only after a DECISION 2)
DRAW = 14  # seat; kind, why (BY_CHOICE, BY_ATTACK, BY_EFFECT, BY_CATCH)
NOTHING_TO_DRAW = 15  # seat that needs a card
RESHUFFLE = 16  # seat that needs a card; cards in the new stock
PENALTY = 17  # seat; points (also if 0), why (FOR_TURNOVER, FOR_MISDEAL, FOR_PEEK)
KAPAGA = 18  # seat left with one card; CALLED, FORGOT (and nobody noticed) or CAUGHT. Always written (K8)
PASS_HANDS = 19  # seat whose put it was; 9s, fives of clubs (left, right; also if the net is nothing)
SKIPPED = 20  # seat whose put it was; 7s, seat that acts next
ATTACKED = 21  # seat whose put it was; cards of the attack, seat that faces it, which cards answer:
#                0 any 2, 1 only the two of spades (K13)
HAND_END = 22  # winner or -1; reason (WON, IS_BLOCKED, IS_TRUNCATED; blocked if both), turns
SCORE = 23  # seat; points for cards, penalty points of this hand, score with both of them,
#             what K21 makes of it: STAYS, RESETS (to 0) or LEAVES. Written in single hands too
PLACE = 24  # seat; twice its place
GAME_END = 25  # winner, or -1 if shared; hands played, mask of the seats that share the win
EXCHANGED = 26  # seat; kind taken from its hand, kind given for it: by an experiment, right after TURN_UP

BY_CHOICE, BY_ATTACK, BY_EFFECT, BY_CATCH = range(4)
FOR_TURNOVER, FOR_MISDEAL, FOR_PEEK = range(3)
CALLED, FORGOT, CAUGHT = range(3)
WON, IS_BLOCKED, IS_TRUNCATED = range(3)
STAYS, RESETS, LEAVES = range(3)

# Decisions (their numbers on the rules page).
DECIDE_TURN = 1
DECIDE_DRAWN = 2
DECIDE_ALONG = 3
DECIDE_FOLLOW = 4
DECIDE_ADD = 5
DECIDE_CALL = 6
DECIDE_ATTACK = 7

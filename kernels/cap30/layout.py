"""Cap30: card kinds, the columns of a hand and of a game, and the events of a trace.

Card kinds (C1) are numbered so that a set of kinds is one 64-bit mask: bit ``v - 1`` is ``+v``,
bit ``24 + v`` is ``-v`` (v from 1 to 25), and the special cards follow.
"""

from kernels.columns import SCALAR, Column, keyed

MAX_PLAYERS = 4
MAX_VALUE = 25
"""Largest number on a card."""
MAX_CAP = 100
MAX_COPIES = 15
"""Most copies of one kind in a deck."""
MAX_DECK = 250
"""Most cards in a deck."""
MAX_CHAIN = 10
"""Largest chain limit (C9)."""

ADD = 0
"""Kind of ``+1``; ``+v`` is ``ADD + v - 1``."""
SUBTRACT = 25
"""Kind of ``-1``; ``-v`` is ``SUBTRACT + v - 1``."""
DOUBLE = 50
HALVE = 51
RESET = 52
UNDO = 53
SKIP = 54
SWITCH = 55
TAKE_TWO = 56
DRAIN = 57
KINDS = 58

KIND_NAMES = (
    *(f"+{value}" for value in range(1, MAX_VALUE + 1)),
    *(f"-{value}" for value in range(1, MAX_VALUE + 1)),
    "Double",
    "Halve",
    "Reset",
    "Undo",
    "Skip",
    "Switch",
    "TakeTwo",
    "Drain",
)

# Columns of a hand. WINNERS is a mask of seats (0: nobody won); POLICY_WINNERS is the same hand's
# winner as a mask of positions in the list of policies, which rotates over the seats.
HAND_COLUMNS = (
    Column("starter"),
    Column("winner"),
    Column("winners"),
    Column("policy_winners"),
    Column("turns"),
    Column("moves"),
    Column("blocked"),
    Column("truncated"),
    Column("decisions"),
    Column("choices"),
    Column("forced"),
    Column("losers"),
    Column("cards_left_of_a_loser", SCALAR, "losers"),
    *keyed("cards_left", MAX_PLAYERS),
    # From here on columns are counted up while the hand is played.
    Column("cards_played"),
    Column("drawn"),
    Column("taken"),
    Column("stuck"),
    Column("tens"),
    Column("reshuffles"),
    Column("lead_changes"),
    *keyed("chains", MAX_CHAIN + 1),
    *keyed("plays", KINDS),
    *keyed("total_share", MAX_CAP + 1, per="moves"),
    # From here on columns are written with Power Up only.
    Column("notches"),
    Column("powers"),
    *keyed("powers.give", 2),
    *keyed("powers.swap", 2),
    *keyed("powers.wild", 2),
    Column("given"),
    Column("bullseyes"),
    Column("drains"),
    Column("notches_drained"),
    Column("shields"),
    Column("turns_missed"),
)
(
    STARTER,
    WINNER,
    WINNERS,
    POLICY_WINNERS,
    TURNS,
    MOVES,
    BLOCKED,
    TRUNCATED,
    DECISIONS,
    CHOICES,
    FORCED,
    LOSERS,
    LOSERS_CARDS,
    CARDS_LEFT,
) = range(14)
COUNTED = CARDS_LEFT + MAX_PLAYERS
(CARDS_PLAYED, DRAWN, TAKEN, STUCK, TENS, RESHUFFLES, LEAD_CHANGES) = range(COUNTED, COUNTED + 7)
CHAINS = COUNTED + 7
PLAYS = CHAINS + MAX_CHAIN + 1
TOTALS = PLAYS + KINDS
POWER_UP = TOTALS + MAX_CAP + 1
"""The first column of Power Up."""
NOTCHES, POWERS, POWERS_BY_FORM = range(POWER_UP, POWER_UP + 3)
(GIVEN_CARDS, BULLSEYES, DRAINS, NOTCHES_DRAINED, SHIELDS, TURNS_MISSED) = range(
    POWERS_BY_FORM + 6, POWERS_BY_FORM + 12
)

# Columns of a game. WINNERS as above: a draw (C14) is shared by all. Bonuses are written with Power Up only.
GAME_COLUMNS = (
    Column("winners"),
    Column("policy_winners"),
    Column("hands"),
    Column("drawn_game"),
    *keyed("bonuses", 3),
)
GAME_WINNERS, GAME_POLICY_WINNERS, GAME_HANDS, GAME_DRAWN, GAME_BONUSES = range(5)

# Events of a trace: rows as in ``kernels.trace``. Field 0 is one of these codes, field 1 the seat it
# happens to; the rest is named here. Unused fields are 0.

HAND = 1  # starter; hand number in the game, total, cards in the deck
DEAL = 2  # seat; kind (in the order dealt)
TURN = 3  # seat; turn number from 1, total, direction (1 clockwise, -1), cards in hand
DECISION = 4  # seat; number in "Decisions, in the order that they come", choices, what about (4 only)
MOVE = 5  # seat; kind, copies, total before, total after, moves this turn so far, from a draw
STOP = 6  # seat: chose to stop a chain
DRAW = 7  # seat; kind
KEEP = 8  # seat; kind: chose to keep the card drawn
NOTHING_TO_DRAW = 9  # seat: needed a card, and there was none
TAKE = 10  # seat that picks up; kind (TakeTwo)
RETURN = 11  # seat that gives back; kind, to the bottom of the draw pile (Undo)
MISS = 12  # seat that misses its turn (Skip)
DIRECTION = 13  # seat of the mover; direction from now on
UNSKIP = 14  # seat that acts next, because its Skip was undone
RESHUFFLE = 15  # seat that needs a card; cards in the new draw pile
HAND_END = 16  # winner or -1; reason (WON, IS_BLOCKED, IS_TRUNCATED), turns
GAME_END = 17  # winner or -1 (a draw); hands played
DRAW_BY_CHOICE = 18  # seat: chose to draw though a move was legal (must_play false)
# Power Up only (C20-C25). With powers, MISS comes when a missed turn would have begun, not when the
# Skip is played, and the sixth field of a MOVE is FROM_HAND, FROM_DRAW, WILD or BULLSEYE.
# Where the rules page leaves it open: `notches` are those that tens add, by how far the meter rises, and
# not those of Charged; a redealt hand gets the notches of Charged anew; a hand that is truncated has no
# reaction after its last turn; a Wild ten chains whatever undo_chains says, with an Undo too; a turn in
# which a power was used is none of those that make a hand blocked. A Swap is told as DECISION,
# SWAP_AWAY, DECISION, SWAP_FOR, and UNSKIP and SKIP_OFF right after the Undo's MOVE.
METER = 19  # seat; notches before, notches after (never the same number), why (FOR_TEN, ...)
ADVANTAGE = 20  # seat; CHARGED, SHIELD or HAS_BULLSEYE: what it has in this hand; after the deal, by seat
POWER = 21  # seat that uses its power; form (GIVE, SWAP, WILD_TEN), moment (AT_TURN, AS_REACTION)
NO_POWER = 22  # seat that chose to keep its power; moment
GIVEN = 23  # seat that draws a card of a Give; kind
SWAP_AWAY = 24  # seat; kind put under the draw pile
SWAP_FOR = 25  # seat; kind newly made
TARGET = 26  # seat that chose; kind (TakeTwo, Skip, Drain), seat aimed at; after its MOVE, before effects
SHIELDED = 27  # seat whose shield is spent; kind TakeTwo, or KINDS for a Give
SKIP_OFF = 28  # seat whose Skip, not yet missed, was undone
BONUS = 29  # winner of the hand; HEAD_START, CHARGED or SHIELD for the next hand; after HAND_END
EXCHANGED = 30  # seat; kind taken from its hand, kind given for it: by an experiment, right after the deal

WON = 0
IS_BLOCKED = 1
IS_TRUNCATED = 2

# How a card came to be put down (MOVE).
FROM_HAND = 0
FROM_DRAW = 1
WILD = 2  # as a Wild ten, by the power (C21)
BULLSEYE = 3  # as a Wild ten, by the Bullseye (C24)

# Why a meter changed (METER). Nothing is written where it does not change.
FOR_TEN = 0
FOR_THIRD_TEN = 1  # of one turn: filled at once
FOR_CHARGED = 2  # the bonus, right after its ADVANTAGE
FOR_POWER = 3  # emptied, right after POWER
FOR_DRAIN = 4
FOR_UNDO = 5  # of a Drain
FOR_NEW_HAND = 6  # emptied, as meter_carry is false; before the deal

# Powers: their forms and moments (C21); bonuses (C23), and what else a seat can have in a hand (C24).
GIVE = 0
SWAP = 1
WILD_TEN = 2
AT_TURN = 0
AS_REACTION = 1
HEAD_START = 0
CHARGED = 1
SHIELD = 2
HAS_BULLSEYE = 3

# Decisions (their numbers on the rules page).
DECIDE_TURN = 1
DECIDE_DRAWN = 2
DECIDE_CHAIN = 3
DECIDE_POWER = 4
# What a decision 4 is about (the fourth field of its DECISION).
USE_POWER = 0
CARD_AWAY = 1
KIND_TAKEN = 2
AIM = 3
NEXT_BONUS = 4

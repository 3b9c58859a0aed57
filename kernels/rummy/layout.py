"""Contract rummy: card kinds, the columns of a hand and of a game, and the events of a trace.

30-30 and Cap-It share all of this but the names of three columns, which tell of the draw.

Card kinds (R1) are numbered so that a set of kinds is one 64-bit mask, 16 bits a suit: the card of
rank r (2 to 14, the Ace) and suit s is ``16 * s + r``; the Joker is 0. The remaining numbers below
64 are no cards.
"""

from kernels.columns import SCALAR, Column, keyed

MAX_PLAYERS = 8
MAX_PACKS = 7
"""Most packs of 52 and two Jokers."""
MAX_CARDS = 54 * MAX_PACKS
MAX_ITEMS = 4
"""Most melds of one contract (R8)."""
MAX_CONTRACTS = 20
"""Most hands of a game."""
MAX_MELDS = MAX_CARDS // 3
"""Most melds on the table."""

SUITS = ("clubs", "diamonds", "hearts", "spades")
SUIT_LETTERS = "cdhs"
RANK_NAMES = ("", "", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""By rank, 2 to 14."""
TWO_RANK = 2
ACE = 14
JOKER = 0
KINDS = 64

KIND_NAMES = tuple(
    "Joker"
    if kind == JOKER
    else f"{RANK_NAMES[kind & 15]}{SUIT_LETTERS[kind >> 4]}"
    if TWO_RANK <= kind & 15 <= ACE
    else ""
    for kind in range(KINDS)
)
"""By kind: ``"10h"``, ``"Joker"``; empty for a number that is no card."""


def hand_columns(first: str, second: str, third: str) -> tuple[Column, ...]:
    """Return the columns of a hand; the last three, one a seat each, differ between the games."""
    by_seat = (
        ("points", None),  # of the cards left in hand (R14)
        ("cards_left", None),
        ("down", None),  # 1 if the seat laid its contract
        ("turn_down_if_down", "down"),  # number of that turn in the hand, over all seats, from 1; else 0
        ("melded", None),  # cards of the contract and of new melds, wilds included
        ("laid_off", None),  # cards from the hand added to melds, but not by swaps
        ("swaps", None),  # swaps made
        ("wilds_used", None),  # wilds from the hand, laid as wilds in the contract or added to melds
        ("wilds_left", None),  # 2s and Jokers among the cards left
        (first, None),
        (second, None),
        (third, None),
    )
    return (
        *(Column(metric, SCALAR) for metric in _SCALARS),
        *(column for metric, per in by_seat for column in keyed(metric, MAX_PLAYERS, per)),
    )


# STARTER acts first; DEALER sits to its right. WINNER went out, or is -1. WINNERS is the same as a
# mask of seats (0: nobody went out), POLICY_WINNERS as a mask of positions in the list of policies.
# HAND is the number of the contract, from 1. SOMEONE_OUT, STOCK_OUT and TRUNCATED: how it ended;
# exactly one of them is 1.
_SCALARS = (
    "starter",
    "winner",
    "winners",
    "policy_winners",
    "hand",
    "dealer",
    "turns",
    "someone_out",
    "stock_out",
    "truncated",
    "reshuffles",
    "decisions",
    "choices",
    "forced",
)
(
    STARTER,
    WINNER,
    WINNERS,
    POLICY_WINNERS,
    HAND_NUMBER,
    DEALER,
    TURNS,
    SOMEONE_OUT,
    STOCK_OUT,
    TRUNCATED,
    RESHUFFLES,
    DECISIONS,
    CHOICES,
    FORCED,
) = range(14)
# First of the columns by seat.
(
    POINTS,
    CARDS_LEFT,
    DOWN,
    TURN_DOWN,
    MELDED,
    LAID_OFF,
    SWAPS,
    WILDS_USED,
    WILDS_LEFT,
    DRAW_1,
    DRAW_2,
    DRAW_3,
) = range(14, 14 + 12 * MAX_PLAYERS, MAX_PLAYERS)
HAND_WIDTH = 14 + 12 * MAX_PLAYERS
"""How many columns a hand has."""

# Columns of a game. WINNERS: a mask of the seats with the lowest score, which share the win. POT is
# what the winners share, in cents. Money by seat is the gross winnings, prizes of rounds included,
# in parts of a cent so small that every share is whole; PARTS_OF_A_CENT says how many make a cent.
GAME_COLUMNS = (
    Column("winners"),
    Column("policy_winners"),
    Column("hands"),
    Column("pot"),
    Column("parts_of_a_cent"),
    *keyed("score", MAX_PLAYERS),
    *keyed("money", MAX_PLAYERS, per="parts_of_a_cent"),
)
GAME_WINNERS, GAME_POLICY_WINNERS, GAME_HANDS, GAME_POT, GAME_PARTS, GAME_SCORE = range(6)
GAME_MONEY = GAME_SCORE + MAX_PLAYERS
GAME_WIDTH = GAME_MONEY + MAX_PLAYERS

# Events of a trace: rows as in ``kernels.trace``. Field 0 is one of these codes, field 1 the seat it
# happens to; the rest is named here, in order. Unused fields are 0.

HAND = 1  # starter; number of the contract from 1, dealer, cards in the packs, number of the hand in
#           the game from 0
DEAL = 2  # seat; kind: hands are dealt one card each in turn, from the starter
UPCARD = 3  # dealer; kind: turned up to start the discard pile (not if upcard is false)
TURN = 4  # seat; number of the turn from 1, cards in hand, 1 if down, nickels (0 in Cap-It),
#           kind on top of the discard pile or -1
DECISION = 5  # seat; number in "Decisions, in the order that they come", number of choices. Right
#               before what was chosen. GO_DOWN and MELD are decisions only of policies that weigh
#               features (R10): for `random`, which always does both, no decision is written or counted.
BUY = 6  # seat; kind: bought the top discard (chosen in decision 1 or 2), 1 if in turn else 0,
#          nickels left. Its cards from the stock follow as DRAWs of the same seat.
NO_BUY = 7  # seat; kind: chose not to buy the top discard
DRAW = 8  # seat; kind: from the stock into this seat's hand (a turn's draw, extra cards of a BUY,
#           the draw after a PUSH)
TAKE = 9  # seat; kind: took the top discard (Cap-It)
PUSH = 10  # seat that pushes; kind: the top discard, seat on the left that gets it, 1 if a card of
#            the stock goes with it, 0 if the stock is empty and nothing moves (P9)
RECEIVE = 11  # seat on the left; kind: gets it by a PUSH; one event for the discard, then one for the
#               card of the stock
LEAVE = 12  # seat; kind: chose the stock and not the top discard (Cap-It with push false); a DRAW follows
RESHUFFLE = 13  # seat that wants a card; cards in the new stock, number of the reshuffle from 1
NOTHING_TO_DRAW = 14  # seat that wants a card of the stock (of a push: the pusher): the hand ends (R12)
GO_DOWN = (
    15  # seat; cards laid, wilds among them, cards left in hand after it. The contract's items follow, in
)
#               contract order, each as a NEW_MELD and its PLACEs.
WAIT = 16  # seat: chose not to go down though it could (decision 3)
MELDING = 17  # seat; how the melder works in this turn, chosen in decision 4: HOLD_BACK, OWN_MELDS, ALL_MELDS
NEW_MELD = 18  # seat; number of the meld on the table from 0 in the order laid, SET or RUN, rank of a
#                set or suit of a run, lowest place of a run (0 for a set), cards, 1 if of the contract. As
#                many PLACEs follow: a run from its lowest place up; a set its naturals (suits c, d, h, s),
#                then its wilds
PLACE = 19  # seat; number of the meld, kind, place (2 to 14) that it fills in a run or rank of the set, 1
#             if it is laid as a wild: a card of a NEW_MELD
LAY_OFF = 20  # seat; number of the meld, kind, place or rank as above, 1 if as a wild, 1 if from
#               the hand, 0 if freed by the SWAP right before
SWAP = 21  # seat; number of the meld, kind put in from the hand, place, kind of the wild taken out
DISCARD = 22  # seat; kind, cards left in hand
HAND_END = 23  # who went out, or -1; reason (OUT, NO_STOCK, TOO_LONG), turns
SCORE = 24  # seat; points of this hand, cards left in hand, score so far in the game; every seat, from 0
PRIZE = 25  # seat; parts of a cent that it gets as one of the lowest of a round (Cap-It, whole games
#             only, after the SCOREs); seats ascending
GAME_END = (
    26  # the winner, or -1 if several share; hands played, mask of the winners, pot in cents that they share
)
MONEY = 27  # seat; all that it won in parts of a cent, how many parts make a cent; every seat, from 0
EXCHANGED = 28  # seat; kind taken from its hand, kind given for it: by an experiment, right after the deal

SET = 0
RUN = 1

HOLD_BACK = 0
OWN_MELDS = 1
ALL_MELDS = 2

OUT = 0
NO_STOCK = 1
TOO_LONG = 2

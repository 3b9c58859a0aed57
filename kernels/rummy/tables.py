"""Contract rummy: rules as arrays that the kernel reads.

Everything that follows from the options alone is worked out here, once a run.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from kernels.exchange import Exchange
from kernels.rummy.layout import (
    ACE,
    JOKER,
    KIND_NAMES,
    KINDS,
    MAX_CARDS,
    MAX_ITEMS,
    MAX_MELDS,
    MAX_PLAYERS,
    RUN,
    SET,
    TWO_RANK,
)

BUY, PUSH, PICK = range(3)
"""How a turn's draw goes: the top discard may be bought (T6, T7); taken or pushed (P5); or it is
the top discard or the top of the stock (P5 with push false)."""

LAYOFFS = ("none", "own", "any")
"""Onto which melds cards may be laid off (R6); the position is the number that the kernel knows."""
NO_LAYOFF, OWN_LAYOFF, ANY_LAYOFF = range(3)

Item = tuple[int, int]
"""One meld of a contract: SET or RUN, and its number of cards."""

HAND_STRIDE = 64
MELD_STRIDE = 32
"""Words of a seat and of a meld, described in ``kernels.rummy.cards`` and ``kernels.rummy.melds``."""
_MOST_IN_MELD = 128

# Words of a contract in Tables.contracts, and of each of its items.
CONTRACT_STRIDE = 64
ITEMS, CARDS, ORDER, FIRST_ITEM = 0, 1, 2, 8
ITEM_STRIDE = 8
FORM, LENGTH, MOST_WILDS, SAME, BEST = range(5)
NO_ITEM = 2**32


class Rules(NamedTuple):
    """The options of a contract rummy as numbers (rule ids in the games' options)."""

    players: int
    draw: int
    """BUY, PUSH or PICK."""
    hand: int
    """Which contract a single hand plays, from 0."""
    contracts: int
    hand_size: int
    upcard: int
    nickels: int
    nickels_per_hand: int
    ante: int
    price: int
    buy_extra: int
    buy_extra_out: int
    min_run: int
    lowest_place: int
    """Of a run: 2 if a 2 may stand as itself, else 3."""
    swap_same_meld: int
    layoff: int
    """Position in LAYOFFS."""
    reshuffle: int
    max_reshuffles: int
    max_turns: int
    keep: int
    """Cards that the melder leaves in hand, for the discard (T9)."""
    contract_only: int
    prize: int
    """Of each hand of a game, for its lowest, in cents (P11)."""
    parts: int
    """Into how many parts a cent is cut, so that every share of the money is whole."""
    shuffle: int
    """1: the packs are shuffled; 0: cards come in the order of the deck as it is given."""
    exchange: Exchange | None = None
    """An experiment on the deals; without one numba leaves it out of the compiled kernel."""


class Tables(NamedTuple):
    """What the cards and contracts are.

    Attributes
    ----------
    deck : uint8 array (cards,)
        Kind of each card.
    points : int64 array (16,)
        By rank; of the Joker at 0 (R14).
    most_wilds : uint64 array (128,)
        How many wilds a meld of so many cards may have (R5).
    contracts : uint64 array (64 * contracts,)
        For each contract (R8): how many items; how many cards; at ORDER + d the number of the item
        that is worked out d-th (runs first, R9); and from FIRST_ITEM on, 8 words an item: SET or
        RUN, cards, most wilds, the item before it of the same form or NO_ITEM, and for a run where its
        table in ``best`` starts.
    best : uint8 array (8192 * lengths,)
        Of the thirteen cards of a suit that are set in a mask: the most that lie in one run of a
        length.
    """

    deck: np.ndarray
    points: np.ndarray
    most_wilds: np.ndarray
    contracts: np.ndarray
    best: np.ndarray


class Scratch(NamedTuple):
    """Arrays that the kernel works in; their contents before and after mean nothing."""

    hands: np.ndarray
    melds: np.ndarray
    pile: np.ndarray
    discards: np.ndarray
    search: np.ndarray
    way: np.ndarray
    before: np.ndarray
    position: np.ndarray
    nickels: np.ndarray
    scores: np.ndarray
    money: np.ndarray


def new_scratch() -> Scratch:
    """Return scratch for one thread."""
    return Scratch(
        hands=np.zeros(HAND_STRIDE * MAX_PLAYERS, dtype=np.uint64),
        melds=np.zeros(MELD_STRIDE * (MAX_MELDS + 2), dtype=np.uint64),
        pile=np.zeros(MAX_CARDS, dtype=np.uint8),
        discards=np.zeros(MAX_CARDS + 1, dtype=np.uint8),
        search=np.zeros(16 * (MAX_ITEMS + 1), dtype=np.uint64),
        way=np.zeros(16 * (MAX_ITEMS + 1), dtype=np.uint64),
        before=np.zeros(HAND_STRIDE + MELD_STRIDE * (MAX_MELDS + 2), dtype=np.uint64),
        position=np.zeros(MAX_PLAYERS, dtype=np.int64),
        nickels=np.zeros(MAX_PLAYERS, dtype=np.int64),
        scores=np.zeros(MAX_PLAYERS, dtype=np.int64),
        money=np.zeros(MAX_PLAYERS, dtype=np.int64),
    )


def wilds_allowed(cards: int, wild_share: float | None) -> int:
    """Return how many wilds a meld of so many cards may have (R5).

    The share is taken as it is written in decimals: 0.29 of 100 is 29.
    """
    share = cards if wild_share is None else math.floor(Fraction(str(wild_share)) * cards)
    return max(0, min(share, cards - 1))


def build_tables(
    packs: int,
    points: Sequence[int],
    contracts: Sequence[Sequence[Item]],
    wild_share: float | None,
    lowest_place: int,
) -> Tables:
    """Return the tables of a game.

    Parameters
    ----------
    packs : int
        Of 52 cards and two Jokers (R1).
    points : sequence of 15 int
        By rank; of the Joker at 0.
    contracts : sequence of sequences of items
        In the order of the hands (R8).
    wild_share : float or None
        Most wilds in a meld as a share of its cards; None: all but one may be wild (R5).
    lowest_place : int
        Of a run (R4).
    """
    pack = [JOKER, JOKER, *(16 * suit + rank for suit in range(4) for rank in range(TWO_RANK, ACE + 1))]
    most_wilds = np.array([wilds_allowed(each, wild_share) for each in range(_MOST_IN_MELD)], dtype=np.uint64)
    lengths = sorted({length for items in contracts for form, length in items if form == RUN})
    built = np.zeros(CONTRACT_STRIDE * len(contracts), dtype=np.uint64)
    for start, items in zip(range(0, len(built), CONTRACT_STRIDE), contracts, strict=True):
        built[start + ITEMS] = len(items)
        built[start + CARDS] = sum(length for _, length in items)
        order = sorted(range(len(items)), key=lambda number: items[number][0] == SET)
        for place, number in enumerate(order):
            built[start + ORDER + place] = number
        for number, (form, length) in enumerate(items):
            word = start + FIRST_ITEM + ITEM_STRIDE * number
            same = [earlier for earlier in range(number) if items[earlier] == (form, length)]
            built[word + FORM] = form
            built[word + LENGTH] = length
            built[word + MOST_WILDS] = most_wilds[length]
            built[word + SAME] = same[-1] if same else NO_ITEM
            built[word + BEST] = 8192 * lengths.index(length) if form == RUN else 0
    return Tables(
        deck=np.array(sorted(pack * packs), dtype=np.uint8),
        points=np.array([*points, 0], dtype=np.int64),
        most_wilds=most_wilds,
        contracts=built,
        best=np.concatenate([_best(length, lowest_place) for length in lengths] or [np.zeros(1, np.uint8)]),
    )


def _best(length: int, lowest_place: int) -> np.ndarray:
    """Return for each set of places 2 to 14 the most that lie in one run of a length."""
    sets = np.arange(8192)
    best = np.zeros(8192, dtype=np.uint8)
    for low in range(lowest_place, ACE - length + 2):
        window = ((1 << length) - 1) << (low - TWO_RANK)
        best = np.maximum(best, np.bitwise_count(sets & window).astype(np.uint8))
    return best


def parts_of_a_cent(players: int, *amounts: int) -> int:
    """Return into how many parts a cent must be cut so that any number of players can share money.

    All that is ever shared must be a sum of multiples of these amounts in cents. Fewer parts keep
    the numbers small, whose squares are added up.
    """
    common = math.gcd(*amounts)
    return math.lcm(*(sharing // math.gcd(sharing, common) for sharing in range(1, players + 1)))


# Policies.

FEATURES = (
    "get",
    "get_points",
    "get_wild",
    "get_contract",
    "get_playable",
    "get_rank",
    "get_suit",
    "get_extra",
    "get_when_down",
    "get_out_of_turn",
    "get_nickels",
    "get_hands_left",
    "get_rival_close",
    "get_next_close",
    "get_feeds_next",
    "get_wanted_next",
    "down",
    "down_out",
    "down_left",
    "down_rival_close",
    "meld",
    "meld_out",
    "meld_others",
    "meld_rival_close",
    "drop_points",
    "drop_points_when_close",
    "drop_wild",
    "drop_contract",
    "drop_copy",
    "drop_rank",
    "drop_suit",
    "drop_playable",
    "drop_feeds_next",
    "drop_wanted_next",
    "drop_wanted",
)
"""What a policy may weigh, ``get`` being to buy or to take; explained in ``fastsim.rummy``."""

# Those that the kernel works out, by their place among the weights; the others depend on the kind of
# card alone, and are folded into scores by kind.
_OF_THE_KIND = ("get", "get_points", "get_wild", "drop_points", "drop_wild")
_DIRECT = tuple(feature for feature in FEATURES if feature not in _OF_THE_KIND)
(
    W_GET_CONTRACT,
    W_GET_PLAYABLE,
    W_GET_RANK,
    W_GET_SUIT,
    W_GET_EXTRA,
    W_GET_WHEN_DOWN,
    W_GET_OUT_OF_TURN,
    W_GET_NICKELS,
    W_GET_HANDS_LEFT,
    W_GET_RIVAL_CLOSE,
    W_GET_NEXT_CLOSE,
    W_GET_FEEDS_NEXT,
    W_GET_WANTED_NEXT,
    W_DOWN,
    W_DOWN_OUT,
    W_DOWN_LEFT,
    W_DOWN_RIVAL_CLOSE,
    W_MELD,
    W_MELD_OUT,
    W_MELD_OTHERS,
    W_MELD_RIVAL_CLOSE,
    W_DROP_POINTS_WHEN_CLOSE,
    W_DROP_CONTRACT,
    W_DROP_COPY,
    W_DROP_RANK,
    W_DROP_SUIT,
    W_DROP_PLAYABLE,
    W_DROP_FEEDS_NEXT,
    W_DROP_WANTED_NEXT,
    W_DROP_WANTED,
) = range(len(_DIRECT))

CLOSE = 6
"""A rival is close to going out by as many cards as its hand is smaller than this."""
NOISE_LEVELS = 4096


class Policies(NamedTuple):
    """Policies as numbers, one row a position in the list of policies.

    Attributes
    ----------
    listed : int
        How many. 1: the same for all seats; else one a seat.
    rotate : int
        1 if the policies move on by one seat from game to game.
    weighted : uint8 array (policies,)
        0: every choice equally likely, going down and melding at once; 1: the best score.
    weights : int64 array (policies, features)
        Of the features that depend on the hand (W_GET_CONTRACT, ...).
    get_score, drop_score : int64 array (policies, KINDS)
        What the kind of card alone contributes to getting it and to discarding it.
    noise : int64 array (policies, NOISE_LEVELS)
        Added to a score, at a random level; all 0 for temperature 0.
    noisy : uint8 array (policies,)
    near : uint64 array (KINDS,)
        Kinds that are not wild, of the same suit and within two places, as a mask.
    replicate : uint64
        0, or ``number << REPLICATE_BITS``: the same deals are decided by other random numbers.
    """

    listed: int
    rotate: int
    weighted: np.ndarray
    weights: np.ndarray
    get_score: np.ndarray
    drop_score: np.ndarray
    noise: np.ndarray
    noisy: np.ndarray
    near: np.ndarray
    replicate: np.uint64 = np.uint64(0)


def build_policies(
    weights: Sequence[Mapping[str, int] | None],
    noise: Sequence[np.ndarray | None],
    rotate: bool,
    tables: Tables,
) -> Policies:
    """Return policies as arrays.

    Parameters
    ----------
    weights : sequence
        For each policy the integer weight of each feature it uses, or None for ``random``.
    noise : sequence
        For each policy int64 noise of shape (NOISE_LEVELS,), or None for none.
    """
    count = len(weights)
    built = Policies(
        listed=count,
        rotate=int(rotate and count > 1),
        weighted=np.zeros(count, dtype=np.uint8),
        weights=np.zeros((count, len(_DIRECT)), dtype=np.int64),
        get_score=np.zeros((count, KINDS), dtype=np.int64),
        drop_score=np.zeros((count, KINDS), dtype=np.int64),
        noise=np.zeros((count, NOISE_LEVELS), dtype=np.int64),
        noisy=np.zeros(count, dtype=np.uint8),
        near=np.zeros(KINDS, dtype=np.uint64),
    )
    kinds = [kind for kind in range(KINDS) if KIND_NAMES[kind]]
    naturals = [kind for kind in kinds if kind & 15 > TWO_RANK]
    for kind in naturals:
        built.near[kind] = sum(1 << other for other in naturals if 0 < abs(kind - other) <= 2)
    for position, weight in enumerate(weights):
        if weight is None:
            continue
        built.weighted[position] = 1
        built.weights[position] = [weight.get(feature, 0) for feature in _DIRECT]
        for kind in kinds:
            points = int(tables.points[kind & 15])
            wild = int(kind & 15 in (JOKER, TWO_RANK))
            built.get_score[position, kind] = (
                weight.get("get", 0) + weight.get("get_points", 0) * points + weight.get("get_wild", 0) * wild
            )
            built.drop_score[position, kind] = (
                weight.get("drop_points", 0) * points + weight.get("drop_wild", 0) * wild
            )
        levels = noise[position]
        if levels is not None:
            built.noise[position] = levels
            built.noisy[position] = 1
    return built

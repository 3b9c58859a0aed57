"""Kapaga: rules and policies as arrays that the kernel reads.

Everything that follows from the options alone is worked out here, once a run, so that the kernel
looks up what it would otherwise compute at every decision.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.exchange import Exchange
from kernels.kapaga import layout
from kernels.kapaga.layout import (
    ACE,
    CALLS,
    EIGHT,
    FIVE_OF_CLUBS,
    FIVE_OF_SPADES,
    JOKER,
    KINDS,
    MAX_CARDS,
    MAX_PLAYERS,
    NINE,
    RANK_NAMES,
    RANKS,
    SEVEN,
    TWO,
)

FEATURES = (
    "goes_out",
    "adds",
    "attack",
    "attack_close",
    "hand_change",
    "next_close",
    "fit",
    "taken",
    "turnover",
    "cards",
    "points",
    "skip",
    "ace",
    "eight",
    "joker",
    "room",
    "rank_call",
    "draw",
    "keep",
    "stop",
    "alone",
)
"""What a policy may weigh; explained in ``fastsim.catalog.kapaga``."""

W_OUT, W_ADDS, W_ATTACK, W_ATTACK_CLOSE, W_HAND, W_NEXT, W_FIT, W_TAKEN, W_TURNOVER = range(9)
_DIRECT = FEATURES[:9]
"""Weights that the kernel applies itself; the other features are folded into tables below."""

CLOSE = 2
"""A player with at most this many cards is close to going out."""
NOISE_LEVELS = 4096
RATE_SCALE = 1_000_000_000
"""What a rate of 1 is to the kernel (K8, K24)."""

# Where an effect is counted in a word of effects, in bits from the right. At most 12 cards of one
# rank are put down in one turn, so a byte holds each count.
TWOS_AT, FIVES_AT, CLUBS_AT, NINES_AT, SEVENS_AT = 0, 8, 16, 24, 32

# The index of what is asked for (K5): the kind of the top card, or FIRST_CALL and the call.
FIRST_CALL = KINDS
ASKED = KINDS + CALLS


class Rules(NamedTuple):
    """The options of Kapaga as numbers (rule ids in ``fastsim.catalog.kapaga.options``).

    Rates are in units of one in ``RATE_SCALE``.
    """

    players: int
    hand_size: int
    hand_size_two: int
    draw_count: int
    five_count: int
    two_count: int
    ace_alone_draws: int
    turnover_penalty: int
    penalty_points: int
    forget_rate: int
    catch_rate: int
    misdeal_rate: int
    peek_rate: int
    limit: int
    exact_reset: int
    max_turns: int
    max_hands: int
    shuffle: int
    """1: deal from a shuffled deck; 0: from the top of the deck as it is given."""
    exchange: Exchange | None = None
    """An experiment on the deals; without one numba leaves it out of the compiled kernel."""


class Tables(NamedTuple):
    """What cards do.

    Attributes
    ----------
    deck : uint8 array (cards,)
        Kind of each card; the order matters only if the deck is not shuffled.
    fits : uint64 array (ASKED,)
        By what is asked for: the kinds that fit (K5).
    follows : uint64 array (KINDS,)
        By the card just put down: the kinds that may be put on it in the same turn (K6, K11, K18).
    effect : uint64 array (KINDS,)
        What a card adds to the word of effects (TWOS_AT, ...).
    rank : uint8 array (KINDS,)
        Rank, or ``RANKS`` for the Joker.
    calls : uint64
        Numbers of the calls that there are (K16).
    points : int64 array (KINDS,)
        What a card costs who is left with it (K20).
    """

    deck: np.ndarray
    fits: np.ndarray
    follows: np.ndarray
    effect: np.ndarray
    rank: np.ndarray
    calls: np.uint64
    points: np.ndarray


class Policies(NamedTuple):
    """Policies as numbers, one row a position in the list of policies.

    Attributes
    ----------
    listed : int
        How many. 1: the same for all seats; else one a seat.
    rotate : int
        1 if the policies move on by one seat from game to game.
    weighted : uint8 array (policies,)
        0: every choice equally likely; 1: the best score.
    weights : int64 array (policies, 9)
        Of the features that depend on the position (W_OUT, ...).
    kind_score : int64 array (policies, KINDS)
        What the kind of card alone contributes.
    call_score : int64 array (policies, CALLS)
        What a call contributes by itself.
    none_score : int64 array (policies, 8)
        What putting no card contributes, by number of the decision.
    noise : int64 array (policies, NOISE_LEVELS)
        Added to a score, at a random level; all 0 for temperature 0.
    noisy : uint8 array (policies,)
    replicate : uint64
        0, or ``number << REPLICATE_BITS``: the same deals are decided by other random numbers.
    """

    listed: int
    rotate: int
    weighted: np.ndarray
    weights: np.ndarray
    kind_score: np.ndarray
    call_score: np.ndarray
    none_score: np.ndarray
    noise: np.ndarray
    noisy: np.ndarray
    replicate: np.uint64 = np.uint64(0)


class Scratch(NamedTuple):
    """Arrays that the kernel works in; their contents before and after mean nothing."""

    hands: np.ndarray
    passed: np.ndarray
    sizes: np.ndarray
    seats: np.ndarray
    charged: np.ndarray
    position: np.ndarray
    score: np.ndarray
    ranking: np.ndarray
    pile: np.ndarray
    discards: np.ndarray


def new_scratch() -> Scratch:
    """Return scratch for one thread."""
    return Scratch(
        hands=np.zeros(2 * MAX_PLAYERS, dtype=np.uint64),
        passed=np.zeros(4 * MAX_PLAYERS, dtype=np.uint64),
        sizes=np.zeros(MAX_PLAYERS, dtype=np.uint64),
        seats=np.zeros(MAX_PLAYERS, dtype=np.uint64),
        charged=np.zeros(MAX_PLAYERS, dtype=np.int64),
        position=np.zeros(MAX_PLAYERS, dtype=np.uint64),
        score=np.zeros(MAX_PLAYERS, dtype=np.int64),
        ranking=np.zeros(MAX_PLAYERS, dtype=np.int64),
        pile=np.zeros(MAX_CARDS, dtype=np.uint8),
        discards=np.zeros(MAX_CARDS, dtype=np.uint8),
    )


def rank_of(kind: int) -> int:
    """Return the rank of a kind, ``RANKS`` for the Joker."""
    return RANKS if kind == JOKER else kind % RANKS


def _kinds_of_suit(suit: int) -> int:
    return ((1 << RANKS) - 1) << (RANKS * suit)


def _kinds_of_rank(rank: int) -> int:
    return sum(1 << (RANKS * suit + rank) for suit in range(4))


def _fitting(asked: int) -> int:
    """Return the kinds that fit on what is asked for (K5), as a mask."""
    wild = _kinds_of_rank(EIGHT) | 1 << JOKER
    if asked >= FIRST_CALL:
        call = asked - FIRST_CALL
        return wild | (_kinds_of_suit(call) if call < 4 else _kinds_of_rank(call - 4))
    if asked == JOKER:
        return (1 << KINDS) - 1
    fitting = wild | _kinds_of_suit(asked // RANKS) | _kinds_of_rank(asked % RANKS)
    return fitting & ~_kinds_of_rank(ACE) if asked % RANKS == ACE else fitting


def _following(kind: int, multi_play: bool) -> int:
    """Return the kinds that may be put on a card in the same turn (K6, K11, K18), as a mask."""
    if kind == JOKER:
        return (1 << KINDS) - 1
    if kind % RANKS == ACE:
        return _kinds_of_suit(kind // RANKS) & ~_kinds_of_rank(ACE)
    return _kinds_of_rank(kind % RANKS) if multi_play else 0


def _effect(kind: int) -> int:
    by_rank = {TWO: TWOS_AT, NINE: NINES_AT, SEVEN: SEVENS_AT}
    by_kind = {FIVE_OF_SPADES: FIVES_AT, FIVE_OF_CLUBS: CLUBS_AT}
    place = by_kind.get(kind, by_rank.get(rank_of(kind)))
    return 0 if place is None else 1 << place


def points_of(kind: int, points: Mapping[str, int]) -> int:
    """Return a card's points by a table with the keys ``POINT_NAMES`` (K20)."""
    if kind == FIVE_OF_SPADES:
        return points["five of spades"]
    if kind == FIVE_OF_CLUBS:
        return points["five of clubs"]
    return points[RANK_NAMES[rank_of(kind)]]


def build_tables(
    packs: int,
    multi_play: bool,
    call_ranks: bool,
    points: Mapping[str, int],
    deck: Sequence[int] | None = None,
) -> Tables:
    """Return the tables of so many packs.

    Parameters
    ----------
    packs : int
        1 to 3 (K1).
    multi_play, call_ranks : bool
        K6, K16.
    points : mapping of str to int
        By the names in ``POINT_NAMES`` (K20).
    deck : sequence of int, optional
        The cards in the order in which they are dealt, instead of those packs.
    """
    suits, ranks = 0b1111, ((1 << RANKS) - 1) ^ (1 << EIGHT)
    return Tables(
        deck=np.array(list(range(KINDS)) * packs if deck is None else deck, dtype=np.uint8),
        fits=np.array([_fitting(asked) for asked in range(ASKED)], dtype=np.uint64),
        follows=np.array([_following(kind, multi_play) for kind in range(KINDS)], dtype=np.uint64),
        effect=np.array([_effect(kind) for kind in range(KINDS)], dtype=np.uint64),
        rank=np.array([rank_of(kind) for kind in range(KINDS)], dtype=np.uint8),
        calls=np.uint64(suits | (ranks << 4 if call_ranks else 0)),
        points=np.array([points_of(kind, points) for kind in range(KINDS)], dtype=np.int64),
    )


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
    rotate : bool
        Whether they move on by one seat from game to game.
    tables : Tables
        Of the options that are played.
    """
    count = len(weights)
    built = Policies(
        listed=count,
        rotate=int(rotate and count > 1),
        weighted=np.zeros(count, dtype=np.uint8),
        weights=np.zeros((count, len(_DIRECT)), dtype=np.int64),
        kind_score=np.zeros((count, KINDS), dtype=np.int64),
        call_score=np.zeros((count, CALLS), dtype=np.int64),
        none_score=np.zeros((count, 8), dtype=np.int64),
        noise=np.zeros((count, NOISE_LEVELS), dtype=np.int64),
        noisy=np.zeros(count, dtype=np.uint8),
    )
    room = [int(fits).bit_count() for fits in tables.fits]
    for position, weight in enumerate(weights):
        if weight is None:
            continue
        built.weighted[position] = 1
        built.weights[position] = [weight.get(feature, 0) for feature in _DIRECT]
        for kind in range(KINDS):
            by_rank = {SEVEN: "skip", ACE: "ace", EIGHT: "eight", RANKS: "joker"}
            score = weight.get("cards", 0) + weight.get("points", 0) * int(tables.points[kind])
            score += weight.get(by_rank.get(rank_of(kind), ""), 0)
            if rank_of(kind) not in (EIGHT, RANKS):
                score += weight.get("room", 0) * room[kind]
            built.kind_score[position, kind] = score
        for call in range(CALLS):
            score = weight.get("room", 0) * room[FIRST_CALL + call]
            built.call_score[position, call] = score + (weight.get("rank_call", 0) if call >= 4 else 0)
        for decision, feature in (
            (layout.DECIDE_TURN, "draw"),
            (layout.DECIDE_DRAWN, "keep"),
            (layout.DECIDE_ADD, "stop"),
            (layout.DECIDE_ALONG, "alone"),
        ):
            built.none_score[position, decision] = weight.get(feature, 0)
        levels = noise[position]
        if levels is not None:
            built.noise[position] = levels
            built.noisy[position] = 1
    return built

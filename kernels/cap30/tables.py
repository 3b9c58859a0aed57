"""Cap30: rules and policies as arrays that the kernel reads.

Everything that follows from the options alone is worked out here, once a run, so that the kernel
looks up what it would otherwise compute at every decision.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.cap30 import layout
from kernels.cap30.layout import (
    ADD,
    DOUBLE,
    HALVE,
    KINDS,
    MAX_CAP,
    MAX_DECK,
    MAX_PLAYERS,
    RESET,
    SKIP,
    SUBTRACT,
    SWITCH,
    TAKE_TWO,
    UNDO,
)

TARGETS = ("fewest", "next", "most")
"""Who a TakeTwo hits (C11); the position is the number that the kernel knows."""
STARTERS = ("last", "winner", "rotate")
"""Who starts the next hand (C16)."""

FEATURES = (
    "empties_hand",
    "cards",
    "lands_on_ten",
    "chains_on",
    "acts_again",
    "stops_rival",
    "own_freedom",
    "action",
    "reset",
    "undo",
    "value",
    "freedom",
    "freedom_when_close",
    "distance",
    "no_move",
)
"""What a policy may weigh; explained in ``fastsim.catalog.cap30``."""

# Weights that the kernel applies itself; the other features are folded into tables below.
W_EMPTIES, W_CARDS, W_TEN, W_CHAIN, W_STOPS, W_OWN, W_NO_MOVE = range(7)
_DIRECT = (
    "empties_hand",
    "cards",
    "lands_on_ten",
    "chains_on",
    "stops_rival",
    "own_freedom",
    "no_move",
)

# Who acts after a move, as far as a policy looks at it.
NEXT_FAR = 0
"""Another player, with more than CLOSE cards."""
NEXT_CLOSE = 1
"""Another player, with at most CLOSE cards."""
NEXT_SELF = 2
"""The player who made the move."""
CLOSE = 2
"""A player with at most this many cards is close to going out."""

NOISE_LEVELS = 4096


class Rules(NamedTuple):
    """The options of Cap30 as numbers (rule ids in ``fastsim.catalog.cap30.options``)."""

    players: int
    cap: int
    start: int
    hand_size: int
    starter_extra: int
    chain_limit: int
    must_play: int
    take_count: int
    take_target: int
    undo_chains: int
    next_starter: int
    hands_to_win: int
    max_turns: int
    max_hands: int
    shuffle: int
    """1: deal from a shuffled deck; 0: from the top of the deck as it is given."""


class Tables(NamedTuple):
    """What cards do.

    Attributes
    ----------
    deck : uint8 array (cards,)
        Kind of each card; the order matters only if the deck is not shuffled.
    legal : uint64 array (4 * (MAX_CAP + 1),)
        At ``4 * total + copies - 1``: kinds of which so many copies (1, 2 or 3) may be put down
        together at a total (C5), whether or not the deck has so many. Undo is among them.
    after : uint8 array (64 * 4 * (MAX_CAP + 1),)
        At ``64 * (4 * total + copies - 1) + kind``: the total after a legal move; unchanged for
        actions and Undo.
    ten : uint8 array (MAX_CAP + 1,)
        1 if the total is a ten (C2).
    """

    deck: np.ndarray
    legal: np.ndarray
    after: np.ndarray
    ten: np.ndarray


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
    weights : int64 array (policies, 7)
        Of the features that depend on the hand (W_EMPTIES, ...).
    kind_score : int64 array (policies, KINDS)
        What the kind of card alone contributes.
    total_score : int64 array (policies, 3, MAX_CAP + 1)
        What the total after the move contributes, by who acts next.
    noise : int64 array (policies, NOISE_LEVELS)
        Added to a score, at a random level; all 0 for temperature 0.
    noisy : uint8 array (policies,)
    """

    listed: int
    rotate: int
    weighted: np.ndarray
    weights: np.ndarray
    kind_score: np.ndarray
    total_score: np.ndarray
    noise: np.ndarray
    noisy: np.ndarray


class Scratch(NamedTuple):
    """Arrays that the kernel works in; their contents before and after mean nothing."""

    hands: np.ndarray
    position: np.ndarray
    hands_won: np.ndarray
    pile: np.ndarray
    discards: np.ndarray
    taken_kinds: np.ndarray


def new_scratch() -> Scratch:
    """Return scratch for one thread."""
    return Scratch(
        hands=np.zeros(4 * MAX_PLAYERS, dtype=np.uint64),
        position=np.zeros(MAX_PLAYERS, dtype=np.int64),
        hands_won=np.zeros(MAX_PLAYERS, dtype=np.int64),
        # An Undo puts cards under the pile; each Undo does so at most once before a reshuffle.
        pile=np.zeros(2 * MAX_DECK, dtype=np.uint8),
        discards=np.zeros(MAX_DECK + 2, dtype=np.uint8),
        taken_kinds=np.zeros(8, dtype=np.uint64),
    )


def value_of(kind: int) -> int:
    """Return the number on a card, 0 for a card without one."""
    if kind < SUBTRACT:
        return kind - ADD + 1
    return kind - SUBTRACT + 1 if kind < DOUBLE else 0


def build_tables(deck: Sequence[int], cap: int, reset_to: int, ten_step: int, max_multiple: int) -> Tables:
    """Return the tables of a deck (kinds in order) under C2 and C5."""
    legal = np.zeros((MAX_CAP + 1, 4), dtype=np.uint64)
    after = np.zeros((MAX_CAP + 1, 4, 64), dtype=np.uint8)
    for total in range(cap + 1):
        for copies in range(1, max_multiple + 1):
            for kind in range(DOUBLE):
                sign = 1 if kind < SUBTRACT else -1
                new = total + sign * copies * value_of(kind)
                if 0 <= new <= cap:
                    legal[total, copies - 1] |= np.uint64(1 << kind)
                    after[total, copies - 1, kind] = new
        alone = {RESET: reset_to, UNDO: total, SKIP: total, SWITCH: total, TAKE_TWO: total}
        if 2 * total <= cap:
            alone[DOUBLE] = 2 * total
        if total % 2 == 0:
            alone[HALVE] = total // 2
        for kind, new in alone.items():
            legal[total, 0] |= np.uint64(1 << kind)
            after[total, 0, kind] = new
    ten = np.zeros(MAX_CAP + 1, dtype=np.uint8)
    ten[0 : cap + 1 : ten_step] = 1
    return Tables(np.array(deck, dtype=np.uint8), legal.ravel(), after.ravel(), ten)


def build_policies(
    weights: Sequence[Mapping[str, int] | None],
    noise: Sequence[np.ndarray | None],
    rotate: bool,
    tables: Tables,
    players: int,
    cap: int,
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
        kind_score=np.zeros((count, KINDS), dtype=np.int64),
        total_score=np.zeros((count, 3, MAX_CAP + 1), dtype=np.int64),
        noise=np.zeros((count, NOISE_LEVELS), dtype=np.int64),
        noisy=np.zeros(count, dtype=np.uint8),
    )
    in_deck = np.bitwise_or.reduce(np.uint64(1) << tables.deck.astype(np.uint64))
    freedom = [int(legal & in_deck).bit_count() for legal in tables.legal[::4]]
    for position, weight in enumerate(weights):
        if weight is None:
            continue
        built.weighted[position] = 1
        built.weights[position] = [weight.get(feature, 0) for feature in _DIRECT]
        for kind in range(KINDS):
            built.kind_score[position, kind] = _score_of_kind(kind, weight, players)
        for total in range(cap + 1):
            score = weight.get("distance", 0) * (abs(2 * total - cap) // 2)
            far = score + weight.get("freedom", 0) * freedom[total]
            close = far + weight.get("freedom_when_close", 0) * freedom[total]
            built.total_score[position, :, total] = (far, close, score)
        levels = noise[position]
        if levels is not None:
            built.noise[position] = levels
            built.noisy[position] = 1
    return built


def _score_of_kind(kind: int, weight: Mapping[str, int], players: int) -> int:
    score = weight.get("value", 0) * value_of(kind)
    if kind in (SKIP, SWITCH, TAKE_TWO, layout.DRAIN):
        score += weight.get("action", 0)
    if kind in (SKIP, SWITCH) and players == 2:
        score += weight.get("acts_again", 0)
    if kind == RESET:
        score += weight.get("reset", 0)
    if kind == UNDO:
        score += weight.get("undo", 0)
    return score

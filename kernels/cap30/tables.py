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
    MAX_COPIES,
    MAX_PLAYERS,
    RESET,
    SKIP,
    SUBTRACT,
    SWITCH,
    TAKE_TWO,
    UNDO,
)
from kernels.exchange import Exchange

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
    exchange: Exchange | None = None
    """An experiment on the deals; without one numba leaves it out of the compiled kernel."""


class Tables(NamedTuple):
    """What cards do.

    Attributes
    ----------
    deck : uint8 array (cards,)
        Kind of each card; the order, from the bottom up, matters only if it is not shuffled.
    copies : uint8 array (KINDS,)
        How many cards of each kind there are.
    legal : uint64 array (4 * (MAX_CAP + 1),)
        At ``4 * total + copies - 1``: kinds of which so many copies (1, 2 or 3) may be put down
        together at a total (C5), whether or not the deck has so many. Undo is among them.
    after : uint8 array (64 * 4 * (MAX_CAP + 1),)
        At ``64 * (4 * total + copies - 1) + kind``: the total after a legal move; unchanged for
        actions and Undo.
    ten : uint8 array (MAX_CAP + 1,)
        1 if the total is a ten (C2).
    allows : uint64 array (KINDS + 1,)
        By the last card played (KINDS for none yet): the kinds that it leaves legal, all but Undo
        after an Undo (C12).
    with_effect : uint64 array (KINDS + 1,)
        By the last card played: the kinds that do more than move the total and pass players over,
        a TakeTwo, a Switch with three or more players, and the Undo of an action.
    order : uint64 array (cards dealt,)
        Who gets each card of the deal, in places from the starter (C3).
    hand_cards : uint64 array (cards dealt,)
        Places in the pile, after the deal, of the cards of each hand, hand by hand from the starter's.
    hand_ends : uint64 array (players + 1,)
        Where in ``hand_cards`` the hand of each place from the starter begins; the end of the last.
    around : uint64 array (3 * MAX_PLAYERS,)
        By a number of places from seat 0: the seat.
    passes_over : uint64
        The kinds that pass over a player: Skip, and with two players Switch (C11).
    """

    deck: np.ndarray
    copies: np.ndarray
    legal: np.ndarray
    after: np.ndarray
    ten: np.ndarray
    allows: np.ndarray
    with_effect: np.ndarray
    order: np.ndarray
    hand_cards: np.ndarray
    hand_ends: np.ndarray
    around: np.ndarray
    passes_over: np.uint64


class Weighing(NamedTuple):
    """Policies with weights as numbers, one row a position in the list of policies.

    Attributes
    ----------
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

    weighted: np.ndarray
    weights: np.ndarray
    kind_score: np.ndarray
    total_score: np.ndarray
    noise: np.ndarray
    noisy: np.ndarray


class Policies(NamedTuple):
    """How the seats choose.

    Attributes
    ----------
    listed : int
        How many policies. 1: the same for all seats; else one a seat.
    rotate : int
        1 if the policies move on by one seat from game to game.
    weighing : Weighing or None
        None if all are ``random``: numba then leaves the weighing out of the compiled kernel.
    replicate : uint64
        0, or ``number << REPLICATE_BITS``: the same deals are decided by other random numbers.
    """

    listed: int
    rotate: int
    weighing: Weighing | None
    replicate: np.uint64 = np.uint64(0)


PILE = 256
"""Room for a draw pile."""
# Places in Scratch.state, after the hands: the streams of the deal and of decisions; the game's key
# and the number of the hand, for further streams; who missed a turn if the last card was a Skip; how
# many cards are left in the part of the draw pile that is in no order. From START on, 0 when a hand
# begins: cards put under the pile, and those taken from there; turns in a row without a card to draw,
# and the last of them; turns, moves, decisions (several numbers in one word), and the leader.
DEALING, DECIDING, GAME_KEY, HAND_NUMBER, SKIPPED, LEFT, START = range(16, 23)
UNDER_TAKEN, UNDER_PUT, PASSES, LAST_PASS, TURNS, MOVES, CHOICES, LEADER, COUNTERS = range(22, 31)
# Places in Scratch.picked: who picked up cards by a TakeTwo, whether with an Undo in hand already,
# how many cards, and which.
TAKER, HAD_UNDO, TAKEN, _FIRST = range(4)
FIRST_PICKED = np.uint64(_FIRST)


class Scratch(NamedTuple):
    """Arrays that the kernel works in; their contents before and after mean nothing."""

    extras: np.ndarray
    position: np.ndarray
    hands_won: np.ndarray
    deck: np.ndarray
    pile: np.ndarray
    under: np.ndarray
    after: np.ndarray
    state: np.ndarray
    picked: np.ndarray


def new_scratch() -> Scratch:
    """Return scratch for one thread."""
    return Scratch(
        extras=np.zeros(64 * MAX_PLAYERS, dtype=np.uint8),
        position=np.zeros(MAX_PLAYERS, dtype=np.int64),
        hands_won=np.zeros(MAX_PLAYERS, dtype=np.int64),
        deck=np.zeros(PILE, dtype=np.uint8),
        pile=np.zeros(PILE, dtype=np.uint8),
        # Each Undo puts up to five cards here at most once before the next reshuffle.
        under=np.zeros(5 * MAX_COPIES + 5, dtype=np.uint8),
        after=np.zeros((MAX_CAP + 1) * 256, dtype=np.uint8),
        state=np.zeros(COUNTERS, dtype=np.uint64),
        picked=np.zeros(_FIRST + 5, dtype=np.uint64),
    )


def value_of(kind: int) -> int:
    """Return the number on a card, 0 for a card without one."""
    if kind < SUBTRACT:
        return kind - ADD + 1
    return kind - SUBTRACT + 1 if kind < DOUBLE else 0


def build_tables(
    deck: Sequence[int],
    players: int,
    cap: int,
    reset_to: int,
    ten_step: int,
    max_multiple: int,
    hand_size: int,
    starter_extra: int,
) -> Tables:
    """Return the tables of a deck (kinds from the bottom up) under C2, C5, C11 and C12."""
    legal = np.zeros((MAX_CAP + 1, 4), dtype=np.uint64)
    after = np.zeros((MAX_CAP + 1, 4, 64), dtype=np.uint8)
    for total in range(MAX_CAP + 1):
        after[total] = total
    for total in range(cap + 1):
        for together in range(1, max_multiple + 1):
            for kind in range(DOUBLE):
                sign = 1 if kind < SUBTRACT else -1
                new = total + sign * together * value_of(kind)
                if 0 <= new <= cap:
                    legal[total, together - 1] |= np.uint64(1 << kind)
                    after[total, together - 1, kind] = new
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
    undo = np.uint64(1 << UNDO)
    # One entry more, for no card yet.
    allows = np.full(KINDS + 1, ~np.uint64(0))
    allows[[UNDO, KINDS]] = ~undo
    effects = np.uint64(1 << TAKE_TWO | (1 << SWITCH if players > 2 else 0))
    with_effect = np.full(KINDS + 1, effects)
    with_effect[[SKIP, TAKE_TWO] if players == 2 else [SKIP, SWITCH, TAKE_TWO]] |= undo
    copies = np.bincount(deck, minlength=KINDS).astype(np.uint8)
    cards = np.array(deck, dtype=np.uint8)
    order = [
        place
        for number in range(hand_size + max(0, starter_extra))
        for place in range(players)
        if number < hand_size + (starter_extra if place == 0 else 0)
    ]
    hand_cards = [len(deck) - 1 - card for card in np.argsort(order, kind="stable")]
    hand_ends = np.searchsorted(np.sort(order), np.arange(players + 1))
    return Tables(
        deck=cards,
        copies=copies,
        legal=legal.ravel(),
        after=after.ravel(),
        ten=ten,
        allows=allows,
        with_effect=with_effect,
        order=np.array(order, dtype=np.uint64),
        hand_cards=np.array(hand_cards, dtype=np.uint64),
        hand_ends=hand_ends.astype(np.uint64),
        around=np.arange(3 * MAX_PLAYERS, dtype=np.uint64) % np.uint64(players),
        passes_over=np.uint64(1 << SKIP | (1 << SWITCH if players == 2 else 0)),
    )


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
    rotating = int(rotate and count > 1)
    if all(weight is None for weight in weights):
        return Policies(count, rotating, None)
    built = Weighing(
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
    return Policies(count, rotating, built)


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

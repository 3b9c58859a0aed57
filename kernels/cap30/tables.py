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
    DRAIN,
    HALVE,
    KINDS,
    MAX_CAP,
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
    # With Power Up.
    "use_give",
    "use_swap",
    "use_wild_ten",
    "use_when_close",
    "use_when_stuck",
    "use_bullseye",
    "swap_for_skip",
    "swap_for_switch",
    "swap_for_take_two",
    "target_cards",
    "target_next",
    "drains_notches",
    "bonus_head_start",
    "bonus_charged",
    "bonus_shield",
)
"""What a policy may weigh; explained in ``fastsim.catalog.cap30``."""

# Weights that the kernel applies itself; the other features are folded into tables below.
W_EMPTIES, W_CARDS, W_TEN, W_CHAIN, W_STOPS, W_OWN, W_NO_MOVE = range(7)
# Those of Power Up: forms of a power, kinds that a Swap may make and bonuses in their own order.
W_USE, W_WHEN_CLOSE, W_WHEN_STUCK, W_BULLSEYE, W_SWAP_FOR = 7, 10, 11, 12, 13
W_TARGET_CARDS, W_TARGET_NEXT, W_DRAINS, W_BONUS = 16, 17, 18, 19
_DIRECT = (
    "empties_hand",
    "cards",
    "lands_on_ten",
    "chains_on",
    "stops_rival",
    "own_freedom",
    "no_move",
    *FEATURES[FEATURES.index("no_move") + 1 :],
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


class Powers(NamedTuple):
    """The options of Power Up as numbers, and what follows from them (C20-C25).

    Attributes
    ----------
    meter_size : int
    meter_carry : int
    reaction : int
        1: powers may be used as a reaction, which takes three players.
    forms : uint64
        The ways to use a power: a set of GIVE, SWAP and WILD_TEN.
    swap_kinds : uint64
        The kinds of card that a Swap may make, which are those of the deck.
    nearest : uint8 array (MAX_CAP + 1,)
        By total: the ten that a Wild ten puts it on.
    with_effect : uint64 array (KINDS + 1,)
        As in ``Tables``, where more kinds have an effect: Skip and Drain.
    passes_over : uint64
        Switch with two players: a Skip is served when the turn comes that is missed (C22).
    order, hand_cards, hand_ends : uint64 arrays (players, as in ``Tables``)
        As in ``Tables``, by who has a head start (C23): places from the starter, 0 for nobody.
    """

    meter_size: int
    meter_carry: int
    reaction: int
    forms: np.uint64
    swap_kinds: np.uint64
    nearest: np.ndarray
    with_effect: np.ndarray
    passes_over: np.uint64
    order: np.ndarray
    hand_cards: np.ndarray
    hand_ends: np.ndarray


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
    powers : Powers or None
        None without Power Up: numba then leaves it out of the compiled kernel.
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
    powers: Powers | None


class Weighing(NamedTuple):
    """Policies with weights as numbers, one row a position in the list of policies.

    Attributes
    ----------
    weighted : uint8 array (policies,)
        0: every choice equally likely; 1: the best score.
    weights : int64 array (policies, 22)
        Of the features that depend on the hand (W_EMPTIES, ...).
    kind_score : int64 array (policies, KINDS)
        What the kind of card alone contributes.
    spent_score : int64 array (policies, KINDS)
        The same for a card that is played without its effect, or put away.
    total_score : int64 array (policies, 3, MAX_CAP + 1)
        What the total after the move contributes, by who acts next.
    noise : int64 array (policies, NOISE_LEVELS)
        Added to a score, at a random level; all 0 for temperature 0.
    noisy : uint8 array (policies,)
    """

    weighted: np.ndarray
    weights: np.ndarray
    kind_score: np.ndarray
    spent_score: np.ndarray
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
"""Cards that are copied for a deal: room for every deck."""
_ROOM = 1 << 14
"""Room for a draw pile, to which a Swap may add a card in every turn (C21)."""
UNDER_MASK = np.uint64(_ROOM - 1)
# Places in Scratch.state, after the hands: the streams of the deal and of decisions; the game's key
# and the number of the hand, for further streams; who missed a turn if the last card was a Skip; how
# many cards are left in the part of the draw pile that is in no order. From START on, 0 when a hand
# begins: cards put under the pile, and those taken from there; turns in a row without a card to draw,
# and the last of them; turns, moves, decisions (several numbers in one word), and the leader.
DEALING, DECIDING, GAME_KEY, HAND_NUMBER, SKIPPED, LEFT, START = range(16, 23)
UNDER_TAKEN, UNDER_PUT, PASSES, LAST_PASS, TURNS, MOVES, CHOICES, LEADER, COUNTERS = range(22, 31)
# Places in Scratch.picked: who picked up cards by a TakeTwo, whether with an Undo in hand already (with
# Power Up: how many), how many cards, and which.
TAKER, HAD_UNDO, TAKEN, _FIRST = range(4)
FIRST_PICKED = np.uint64(_FIRST)
_MOST_PICKED = 5
# Places in Scratch.power. By seat: the notches of the meter, and the Skips that are still to be
# served. In a game: who has a bonus in the next hand and which, and who the Bullseye. From AIMED on, 0
# when a hand begins: the seat that the last Skip, Drain or TakeTwo was aimed at, and how many notches
# the Drain took; whether the last card was played as a Wild ten; the seats that have had a turn since
# anybody played, drew or used a power; the seats with a shield, and with a Bullseye, that is not spent;
# tens so far in this turn, whether a power was used in it, and whether a Wild ten is in force; the cards
# made by Swaps, by kind (Skip, Switch, TakeTwo); and of each card of ``picked`` the copies held longer.
_METERS, _UNSERVED = 0, 4
BONUS_SEAT, BONUS_KIND, BULLSEYE_SEAT = 8, 9, 10
AIMED, LOST, LAST_WILD, IDLE, SHIELDS, BULLSEYES = range(11, 17)
TURN_TENS, USED, IN_FORCE, _MADE = range(17, 21)
METERS, UNSERVED, MADE = np.uint64(_METERS), np.uint64(_UNSERVED), np.uint64(_MADE)
HELD_LONGER = np.uint64(_MADE + 3)
POWER_STATE = _MADE + 3 + _MOST_PICKED


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
    power: np.ndarray


def new_scratch() -> Scratch:
    """Return scratch for one thread."""
    return Scratch(
        extras=np.zeros(64 * MAX_PLAYERS, dtype=np.uint16),
        position=np.zeros(MAX_PLAYERS, dtype=np.int64),
        hands_won=np.zeros(MAX_PLAYERS, dtype=np.int64),
        deck=np.zeros(PILE, dtype=np.uint8),
        pile=np.zeros(_ROOM, dtype=np.uint8),
        under=np.zeros(_ROOM, dtype=np.uint8),
        after=np.zeros((MAX_CAP + 1) * 256, dtype=np.uint8),
        state=np.zeros(COUNTERS, dtype=np.uint64),
        picked=np.zeros(_FIRST + _MOST_PICKED, dtype=np.uint64),
        power=np.zeros(POWER_STATE, dtype=np.uint64),
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
    meter: tuple[int, bool, bool] | None = None,
) -> Tables:
    """Return the tables of a deck (kinds from the bottom up) under C2, C5, C11 and C12.

    ``meter`` is None without Power Up, else ``meter_size``, ``meter_carry`` and ``power_reaction``.
    """
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
        alone = {RESET: reset_to, UNDO: total, SKIP: total, SWITCH: total, TAKE_TWO: total, DRAIN: total}
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
    switch = [SWITCH] if players > 2 else []
    sizes = [hand_size + (starter_extra if place == 0 else 0) for place in range(players)]
    order, hand_cards, hand_ends = _dealing(sizes, len(deck))
    return Tables(
        deck=np.array(deck, dtype=np.uint8),
        copies=np.bincount(deck, minlength=KINDS).astype(np.uint8),
        legal=legal.ravel(),
        after=after.ravel(),
        ten=ten,
        allows=allows,
        with_effect=_with_effect([TAKE_TWO, *switch], [SKIP, TAKE_TWO, *switch]),
        order=order,
        hand_cards=hand_cards,
        hand_ends=hand_ends,
        around=np.arange(3 * MAX_PLAYERS, dtype=np.uint64) % np.uint64(players),
        passes_over=np.uint64(1 << SKIP | (1 << SWITCH if players == 2 else 0)),
        powers=None if meter is None else _build_powers(deck, sizes, cap, ten_step, *meter),
    )


def _with_effect(kinds: Sequence[int], undone: Sequence[int]) -> np.ndarray:
    """Return by the last card the kinds with an effect: these, and an Undo of one of those."""
    found = np.full(KINDS + 1, sum(1 << kind for kind in kinds), dtype=np.uint64)
    found[list(undone)] |= np.uint64(1 << UNDO)
    return found


def _dealing(sizes: Sequence[int], cards: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``order``, ``hand_cards`` and ``hand_ends`` for hands of these sizes."""
    order = [place for number in range(max(sizes)) for place in range(len(sizes)) if number < sizes[place]]
    hand_cards = [cards - 1 - card for card in np.argsort(order, kind="stable")]
    hand_ends = np.searchsorted(np.sort(order), np.arange(len(sizes) + 1))
    return (
        np.array(order, dtype=np.uint64),
        np.array(hand_cards, dtype=np.uint64),
        hand_ends.astype(np.uint64),
    )


def _build_powers(
    deck: Sequence[int], sizes: Sequence[int], cap: int, ten_step: int, size: int, carry: bool, reaction: bool
) -> Powers:
    players = len(sizes)
    tens = range(0, cap + 1, ten_step)
    nearest = np.zeros(MAX_CAP + 1, dtype=np.uint8)
    # Of two that are as near the higher one.
    nearest[: cap + 1] = [min(tens, key=lambda ten: (abs(ten - total), -ten)) for total in range(cap + 1)]
    swap_kinds = sum(1 << kind for kind in (SKIP, SWITCH, TAKE_TWO) if kind in deck)
    forms = 1 << layout.WILD_TEN
    if players > 2:
        forms = 1 << layout.GIVE | (1 << layout.SWAP if swap_kinds else 0)
    order = np.zeros((players, sum(sizes)), dtype=np.uint64)
    hand_cards = np.zeros_like(order)
    hand_ends = np.zeros((players, players + 1), dtype=np.uint64)
    for ahead in range(players):
        fewer = [max(1, n - 1) if place and place == ahead else n for place, n in enumerate(sizes)]
        dealt = sum(fewer)
        order[ahead, :dealt], hand_cards[ahead, :dealt], hand_ends[ahead] = _dealing(fewer, len(deck))
    effects = [TAKE_TWO, SKIP, DRAIN, *([SWITCH] if players > 2 else [])]
    return Powers(
        meter_size=size,
        meter_carry=int(carry),
        reaction=int(reaction and players > 2),
        forms=np.uint64(forms),
        swap_kinds=np.uint64(swap_kinds),
        nearest=nearest,
        with_effect=_with_effect(effects, effects),
        passes_over=np.uint64(1 << SWITCH if players == 2 else 0),
        order=order,
        hand_cards=hand_cards,
        hand_ends=hand_ends,
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
        spent_score=np.zeros((count, KINDS), dtype=np.int64),
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
            spent = _score_of_kind(kind, weight)
            built.spent_score[position, kind] = spent
            again = kind in (SKIP, SWITCH) and players == 2
            built.kind_score[position, kind] = spent + (weight.get("acts_again", 0) if again else 0)
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


def _score_of_kind(kind: int, weight: Mapping[str, int]) -> int:
    score = weight.get("value", 0) * value_of(kind)
    if kind in (SKIP, SWITCH, TAKE_TWO, DRAIN):
        score += weight.get("action", 0)
    if kind == RESET:
        score += weight.get("reset", 0)
    if kind == UNDO:
        score += weight.get("undo", 0)
    return score

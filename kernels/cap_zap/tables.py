"""Cap Zap: rules and policies as arrays that the kernel reads.

Everything that follows from the options alone is worked out here, once a run, so that the kernel
looks up what it would otherwise compute at every decision.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.cap_zap.layout import KINDS, MAX_DECK, MAX_PLAYERS, MAX_SIDES
from kernels.exchange import Exchange

FEATURES = (
    "zaps",
    "zaps_teammate",
    "zaps_ahead",
    "zaps_sweeper",
    "sure",
    "threats",
    "threats_on_lead",
    "exposure",
    "cover_lost",
    "spare",
    "common",
)
"""What a policy may weigh; explained in ``fastsim.catalog.cap_zap``."""

# Weights that the kernel applies itself; ``common`` depends on the letter alone and is folded into a table.
_DIRECT = FEATURES[:-1]
(
    W_ZAPS,
    W_TEAMMATE,
    W_AHEAD,
    W_SWEEPER,
    W_SURE,
    W_THREATS,
    W_LEAD_THREATS,
    W_EXPOSURE,
    W_COVER,
    W_SPARE,
) = range(len(_DIRECT))

NOISE_LEVELS = 4096

SEAT_LETTERS = 32
"""Places for the letters of one seat's hand: a power of two, so that a place is found by shifting."""


class Rules(NamedTuple):
    """The options of Cap Zap as numbers (rule ids in ``fastsim.catalog.cap_zap.options``)."""

    players: int
    sides: int
    """Teams, or without teams as many as players; seat i is in side i mod sides."""
    hand_size: int
    win_points: int
    tie_points: int
    bonus_tricks: int
    bonus_points: int
    sweep_points: int
    bonus_stacks: int
    target: int
    shared_win: int
    max_rounds: int
    shuffle: int
    """1: deal from a shuffled deck; 0: from the top of the deck as it is given."""
    exchange: Exchange | None = None
    """An experiment on the deals; without one numba leaves it out of the compiled kernel."""


class Tables(NamedTuple):
    """What cards do.

    Attributes
    ----------
    deck : uint8 array (cards,)
        Letter of each card; the order matters only if the deck is not shuffled.
    copies : int64 array (KINDS,)
        Cards of each letter in the deck.
    zaps : uint64 array (KINDS,)
        By letter of a holder: mask of the letters that zap it (Z2), whether or not the deck has
        them. The relation is symmetric: it is also the mask of the holders that the letter zaps.
    """

    deck: np.ndarray
    copies: np.ndarray
    zaps: np.ndarray


class Policies(NamedTuple):
    """Policies as numbers, one row a position in the list of policies.

    Attributes
    ----------
    listed : int
        How many. 1: the same for all seats; else one a seat.
    rotate : int
        1 if the policies move on by one seat from game to game.
    remembers : int
        1 if any policy is weighted, so that the cards played must be kept track of.
    weighted : uint8 array (policies,)
        0: every choice equally likely; 1: the best score.
    weights : int64 array (policies, 10)
        Of the features that depend on the play (W_ZAPS, ...).
    letter_score : int64 array (policies, KINDS)
        What the letter alone contributes.
    noise : int64 array (policies, NOISE_LEVELS)
        Added to a score, at a random level; all 0 for temperature 0.
    noisy : uint8 array (policies,)
    replicate : uint64
        0, or ``number << REPLICATE_BITS``: the same deals are decided by other random numbers.
    """

    listed: int
    rotate: int
    remembers: int
    weighted: np.ndarray
    weights: np.ndarray
    letter_score: np.ndarray
    noise: np.ndarray
    noisy: np.ndarray
    replicate: np.uint64 = np.uint64(0)


class Scratch(NamedTuple):
    """Arrays that the kernel works in.

    ``copies`` must be all 0 before a call, and is so again after it: all cards dealt are played.
    What the others hold before and after means nothing.
    """

    held: np.ndarray
    copies: np.ndarray
    unplayed: np.ndarray
    tricks: np.ndarray
    side_tricks: np.ndarray
    points: np.ndarray
    position: np.ndarray
    pile: np.ndarray


def new_scratch() -> Scratch:
    """Return scratch for one thread."""
    return Scratch(
        held=np.zeros(MAX_PLAYERS, dtype=np.uint64),
        copies=np.zeros(MAX_PLAYERS * SEAT_LETTERS, dtype=np.uint8),
        unplayed=np.zeros(KINDS, dtype=np.int64),
        tricks=np.zeros(MAX_PLAYERS, dtype=np.int64),
        side_tricks=np.zeros(MAX_SIDES, dtype=np.int64),
        points=np.zeros(MAX_SIDES, dtype=np.int64),
        position=np.zeros(MAX_PLAYERS, dtype=np.int64),
        pile=np.zeros(MAX_DECK, dtype=np.uint8),
    )


def build_tables(deck: Sequence[int], reach: int, wrap: bool) -> Tables:
    """Return the tables of a deck (letters in order, 0 to 25) under Z2."""
    zaps = np.zeros(KINDS, dtype=np.uint64)
    for holder in range(KINDS):
        for letter in range(KINDS):
            apart = abs(letter - holder)
            if wrap:
                apart = min(apart, KINDS - apart)
            if apart <= reach:
                zaps[holder] |= np.uint64(1 << letter)
    return Tables(
        deck=np.array(deck, dtype=np.uint8),
        copies=np.bincount(np.array(deck, dtype=np.int64), minlength=KINDS),
        zaps=zaps,
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
        Whether the policies move on by one seat from game to game.
    tables : Tables
        Of the deck that they play with.
    """
    count = len(weights)
    built = Policies(
        listed=count,
        rotate=int(rotate and count > 1),
        remembers=int(any(weight is not None for weight in weights)),
        weighted=np.zeros(count, dtype=np.uint8),
        weights=np.zeros((count, len(_DIRECT)), dtype=np.int64),
        letter_score=np.zeros((count, KINDS), dtype=np.int64),
        noise=np.zeros((count, NOISE_LEVELS), dtype=np.int64),
        noisy=np.zeros(count, dtype=np.uint8),
    )
    for position, weight in enumerate(weights):
        if weight is None:
            continue
        built.weighted[position] = 1
        built.weights[position] = [weight.get(feature, 0) for feature in _DIRECT]
        for letter in range(KINDS):
            others = sum(int(tables.copies[k]) for k in range(KINDS) if int(tables.zaps[letter]) >> k & 1)
            built.letter_score[position, letter] = weight.get("common", 0) * max(others - 1, 0)
        levels = noise[position]
        if levels is not None:
            built.noise[position] = levels
            built.noisy[position] = 1
    return built

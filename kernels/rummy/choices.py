"""How policies that weigh features choose (R10); the features are explained in ``fastsim.rummy``.

Each choice has a score, a sum of weight times feature; the best is taken, ties at random. Of two
choices to do something or not, not doing it scores 0.
"""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, TWO, ZERO
from kernels.jit import helper
from kernels.rummy import layout as at
from kernels.rummy import tables as of
from kernels.rummy.cards import (
    COPIES,
    JOKER,
    OF_A_RANK,
    RANK_MASK,
    RANKS,
    SHOWN,
    SIZE,
    STRIDE_BITS,
    SUIT_BITS,
    TURN_DOWN,
    add,
    remove,
)
from kernels.rummy.contract import NO_WAY, find_way
from kernels.rummy.melds import ACCEPTS, MELD_BITS, lay_contract, meld_cards

_CLOSE = np.uint64(of.CLOSE)
_NOISE_LEVELS = np.uint64(of.NOISE_LEVELS)
_WORST = np.int64(-(2**62))
_OWN_MELDS = np.uint64(at.OWN_MELDS)
_ALL_MELDS = np.uint64(at.ALL_MELDS)
_ACE = np.uint64(at.ACE)
_RUN = np.uint64(at.RUN)
_HAND_WORDS = ONE << STRIDE_BITS
_ITEM_BITS = np.uint64(3)
_ITEMS = np.uint64(of.ITEMS)
_CARDS = np.uint64(of.CARDS)
_FIRST_ITEM = np.uint64(of.FIRST_ITEM)
_FORM = np.uint64(of.FORM)
_LENGTH = np.uint64(of.LENGTH)


@helper
def _compare(score, choice, best, best_choice, ties, policies, policy, random):
    """Return the better of two choices; among equals each ends up equally likely."""
    if policies.noisy[policy]:
        random, level = streams.below(random, _NOISE_LEVELS)
        score += policies.noise[policy, level]
    if score > best:
        best = score
        best_choice = choice
        ties = ONE
    elif score == best:
        ties += ONE
        random, drawn = streams.below(random, ties)
        if drawn == ZERO:
            best_choice = choice
    return best, best_choice, ties, random


@helper
def _yes(score, policies, policy, random):
    """Return whether to do what has this score, or nothing, which scores 0; and the stream."""
    best, choice, ties, random = _compare(np.int64(0), ZERO, _WORST, ZERO, ZERO, policies, policy, random)
    best, choice, ties, random = _compare(score, ONE, best, choice, ties, policies, policy, random)
    return choice == ONE, random


@helper
def _closeness(hands, seat):
    """Return by how many cards a seat's hand is smaller than CLOSE."""
    size = hands[(seat << STRIDE_BITS) + SIZE]
    return np.int64(_CLOSE - size) if size < _CLOSE else np.int64(0)


@helper
def _closest(hands, seat, rules):
    """Return the same of the seat's rival with fewest cards."""
    closest = np.int64(0)
    for other in range(np.uint64(rules.players)):
        if other != seat:
            closest = max(closest, _closeness(hands, other))
    return closest


@helper
def _accepted(melds, laid):
    """Return the kinds that melds on the table take as naturals."""
    kinds = ZERO
    for number in range(laid):
        kinds |= melds[(number << MELD_BITS) + ACCEPTS]
    return kinds


@helper
def _alike(kind, policies):
    """Return the kinds of a card's rank, and those near it in its suit; none for a wild."""
    rank = kind & RANK_MASK
    return policies.near[kind] | OF_A_RANK << rank if rank > TWO else ZERO


@helper
def _nearest(hands, seat, contract, rules, tables, scratch):
    """Find the way that lacks the fewest cards, and return how many it lacks."""
    lacks = ZERO
    worth = NO_WAY
    while worth == NO_WAY:
        worth = find_way(
            hands, seat, contract, tables.contracts, tables.best, tables.points,
            np.uint64(rules.lowest_place), lacks, scratch.search, scratch.way,
        )  # fmt: skip
        lacks += ONE
    return lacks - ONE


@helper
def wants(
    hands, seat, following, kind, extra, out_of_turn, nickels, hands_left, melds, laid, contract,
    rules, tables, policies, policy, scratch, random,
):  # fmt: skip
    """Return whether a seat gets the top discard (buys or takes it), and the stream."""
    weights = policies.weights
    base = seat << STRIDE_BITS
    rank = kind & RANK_MASK
    is_down = hands[base + TURN_DOWN] != ZERO
    score = policies.get_score[policy, kind]
    of_rank = ZERO
    if rank > TWO:
        of_rank = hands[base + RANKS + rank]
        score += weights[policy, of.W_GET_RANK] * np.int64(of_rank)
        score += weights[policy, of.W_GET_SUIT] * np.int64(bits.size(hands[base] & policies.near[kind]))
    score += weights[policy, of.W_GET_EXTRA] * extra
    score += weights[policy, of.W_GET_NICKELS] * nickels
    score += weights[policy, of.W_GET_HANDS_LEFT] * hands_left
    score += weights[policy, of.W_GET_RIVAL_CLOSE] * _closest(hands, seat, rules)
    score += weights[policy, of.W_GET_NEXT_CLOSE] * _closeness(hands, following)
    if out_of_turn:
        score += weights[policy, of.W_GET_OUT_OF_TURN]
    accepted = _accepted(melds, laid) >> kind & ONE != ZERO
    if (rank <= TWO or accepted) and hands[(following << STRIDE_BITS) + TURN_DOWN] != ZERO:
        score += weights[policy, of.W_GET_FEEDS_NEXT]
    if hands[(following << STRIDE_BITS) + SHOWN] & _alike(kind, policies) != ZERO:
        score += weights[policy, of.W_GET_WANTED_NEXT]
    if is_down:
        score += weights[policy, of.W_GET_WHEN_DOWN]
        if rank <= TWO or of_rank >= TWO or accepted:
            score += weights[policy, of.W_GET_PLAYABLE]
    elif weights[policy, of.W_GET_CONTRACT] != 0:
        lacks = _nearest(hands, seat, contract, rules, tables, scratch)
        if lacks > ZERO:
            add(hands, seat, kind)
            lacks -= _nearest(hands, seat, contract, rules, tables, scratch)
            remove(hands, seat, kind)
        score += weights[policy, of.W_GET_CONTRACT] * np.int64(lacks)
    return _yes(score, policies, policy, random)


@helper
def _left_after(hands, seat, melds, laid, contract, goes_down, own_only, rules, tables, scratch):
    """Return how many cards a seat would have left after melding, having gone down first if `goes_down`.

    The way to lay the contract is in the scratch. All is tried out and then put back as it was.
    """
    base = seat << STRIDE_BITS
    before = scratch.before
    for word in range(_HAND_WORDS):
        before[word] = hands[base + word]
    words = laid << MELD_BITS
    for word in range(words):
        before[_HAND_WORDS + word] = melds[word]
    now = laid
    lowest_place = np.uint64(rules.lowest_place)
    if goes_down:
        now = lay_contract(
            hands, seat, melds, now, contract, tables.contracts, lowest_place, scratch.way, scratch.search,
            None,
        )  # fmt: skip
    meld_cards(
        hands, seat, melds, now, np.uint64(rules.keep), own_only, rules.layoff != of.NO_LAYOFF,
        rules.swap_same_meld != 0, np.uint64(rules.min_run), lowest_place, tables.most_wilds, None,
    )  # fmt: skip
    left = hands[base + SIZE]
    for word in range(_HAND_WORDS):
        hands[base + word] = before[word]
    for word in range(words):
        melds[word] = before[_HAND_WORDS + word]
    return left


@helper
def goes_down(hands, seat, melds, laid, contract, rules, tables, policies, policy, scratch, random):
    """Return whether a seat lays its contract, for which there is a way in the scratch; and the stream."""
    weights = policies.weights
    left = hands[(seat << STRIDE_BITS) + SIZE] - tables.contracts[contract + _CARDS]
    score = weights[policy, of.W_DOWN]
    score += weights[policy, of.W_DOWN_LEFT] * np.int64(left)
    score += weights[policy, of.W_DOWN_RIVAL_CLOSE] * _closest(hands, seat, rules)
    if weights[policy, of.W_DOWN_OUT] != 0:
        if rules.contract_only == 0:
            own_only = rules.layoff == of.OWN_LAYOFF
            left = _left_after(hands, seat, melds, laid, contract, True, own_only, rules, tables, scratch)
        if left <= ONE:
            score += weights[policy, of.W_DOWN_OUT]
    return _yes(score, policies, policy, random)


@helper
def how_to_meld(hands, seat, melds, laid, contract, rules, tables, policies, policy, scratch, random):
    """Return how the melder works in this turn, and the stream."""
    weights = policies.weights
    best, choice, ties, random = _compare(
        np.int64(0), np.uint64(at.HOLD_BACK), _WORST, ZERO, ZERO, policies, policy, random
    )
    shared = weights[policy, of.W_MELD]
    shared += weights[policy, of.W_MELD_RIVAL_CLOSE] * _closest(hands, seat, rules)
    for how in range(_OWN_MELDS if rules.layoff == of.ANY_LAYOFF else _ALL_MELDS, _ALL_MELDS + ONE):
        own_only = how == _OWN_MELDS or rules.layoff == of.OWN_LAYOFF
        score = shared
        if how == _ALL_MELDS:
            score += weights[policy, of.W_MELD_OTHERS]
        if weights[policy, of.W_MELD_OUT] != 0:
            left = _left_after(hands, seat, melds, laid, contract, False, own_only, rules, tables, scratch)
            if left <= ONE:
                score += weights[policy, of.W_MELD_OUT]
        best, choice, ties, random = _compare(score, how, best, choice, ties, policies, policy, random)
    return choice, random


@helper
def _needed(hands, seat, contract, rules, tables, scratch):
    """Return the kinds that the hand's nearest way to its contract cannot spare."""
    base = seat << STRIDE_BITS
    contracts = tables.contracts
    way = scratch.way
    _nearest(hands, seat, contract, rules, tables, scratch)
    kinds = ONE | OF_A_RANK << TWO  # every wild
    items = contracts[contract + _ITEMS]
    for number in range(items):
        item = contract + _FIRST_ITEM + (number << _ITEM_BITS)
        length = contracts[item + _LENGTH]
        if contracts[item + _FORM] == _RUN:
            suit = way[number] >> SUIT_BITS << SUIT_BITS
            high = _ACE - (way[number] & RANK_MASK)
            kinds |= (((ONE << length) - ONE) << (high + ONE - length) << suit) & ~hands[base + COPIES + ONE]
        else:
            rank = _ACE - way[number]
            wanted = ZERO
            for other in range(items):
                if way[other] == way[number]:
                    place = contract + _FIRST_ITEM + (other << _ITEM_BITS)
                    if contracts[place + _FORM] != _RUN:
                        wanted += contracts[place + _LENGTH]
            if hands[base + RANKS + rank] <= wanted:
                kinds |= OF_A_RANK << rank
    return kinds


@helper
def discards(hands, seat, following, melds, laid, contract, rules, tables, policies, policy, scratch, random):
    """Return the kind that a seat discards, and the stream."""
    weights = policies.weights
    base = seat << STRIDE_BITS
    is_down = hands[base + TURN_DOWN] != ZERO
    needed = ZERO
    if not is_down and weights[policy, of.W_DROP_CONTRACT] != 0:
        needed = _needed(hands, seat, contract, rules, tables, scratch)
    playable = _accepted(melds, laid)
    feeds = ZERO
    if hands[(following << STRIDE_BITS) + TURN_DOWN] != ZERO:
        feeds = playable | ONE | OF_A_RANK << TWO
    if not is_down:
        playable = ZERO
    closest = _closest(hands, seat, rules)
    best = _WORST
    chosen = JOKER
    ties = ZERO
    remaining = hands[base]
    while remaining != ZERO:
        kind = bits.first(remaining)
        remaining &= remaining - ONE
        rank = kind & RANK_MASK
        score = policies.drop_score[policy, kind]
        score += weights[policy, of.W_DROP_POINTS_WHEN_CLOSE] * tables.points[rank] * closest
        if needed >> kind & ONE != ZERO:
            score += weights[policy, of.W_DROP_CONTRACT]
        if playable >> kind & ONE != ZERO:
            score += weights[policy, of.W_DROP_PLAYABLE]
        if feeds >> kind & ONE != ZERO:
            score += weights[policy, of.W_DROP_FEEDS_NEXT]
        if rank > TWO:
            if hands[base + COPIES + ONE] >> kind & ONE != ZERO:
                score += weights[policy, of.W_DROP_COPY]
            score += weights[policy, of.W_DROP_RANK] * np.int64(hands[base + RANKS + rank] - ONE)
            score += weights[policy, of.W_DROP_SUIT] * np.int64(bits.size(hands[base] & policies.near[kind]))
            alike = _alike(kind, policies)
            if hands[(following << STRIDE_BITS) + SHOWN] & alike != ZERO:
                score += weights[policy, of.W_DROP_WANTED_NEXT]
            if weights[policy, of.W_DROP_WANTED] != 0:
                for other in range(np.uint64(rules.players)):
                    if other != seat and hands[(other << STRIDE_BITS) + SHOWN] & alike != ZERO:
                        score += weights[policy, of.W_DROP_WANTED]
        best, chosen, ties, random = _compare(score, kind, best, chosen, ties, policies, policy, random)
    return chosen, random

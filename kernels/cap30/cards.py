"""Cap30: hands, the draw pile and the discards, in the arrays that ``kernels.cap30.play`` describes."""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, TWO, ZERO
from kernels.blocks import offset
from kernels.cap30 import layout as at
from kernels.cap30.tables import (
    DEALING,
    FIRST_PICKED,
    GAME_KEY,
    HAD_UNDO,
    HAND_NUMBER,
    HELD_LONGER,
    LEFT,
    MADE,
    TAKEN,
    TAKER,
    UNDER_MASK,
    UNDER_PUT,
    UNDER_TAKEN,
)
from kernels.jit import function, helper
from kernels.piles import place_of_any
from kernels.trace import write

NO_KIND = np.uint64(at.KINDS)
SIX = np.uint64(6)
THREE = np.uint64(3)
_UNDO = np.uint64(at.UNDO)
_SKIP = np.uint64(at.SKIP)
_TAKE_TWO = np.uint64(at.TAKE_TWO)
_KINDS = np.uint64(at.KINDS)


@helper
def seat_after(seat, step, players):
    """Return the seat so many places on."""
    seat += step
    return seat - players if seat >= players else seat


@helper
def size_at(seat):
    """Return the place in ``hands`` of the number of cards that a seat holds."""
    return seat << TWO | THREE


@helper
def add(state, extras, seat, kind):
    """Put one card into a hand."""
    place = seat << TWO
    bit = ONE << kind
    once, twice, thrice = state[place], state[place + ONE], state[place + TWO]
    state[place] = once | bit
    state[place + ONE] = twice | (once & bit)
    state[place + TWO] = thrice | (twice & bit)
    if thrice & bit != ZERO:  # a fourth copy: rare
        extras[seat << SIX | kind] += 1


@helper
def remove(state, extras, seat, kind):
    """Take one card, which the hand holds, out of a hand."""
    place = seat << TWO
    bit = ONE << kind
    others = ~bit
    once, twice, thrice = state[place], state[place + ONE], state[place + TWO]
    if thrice & bit == ZERO:
        state[place] = once & (twice | others)
        state[place + ONE] = twice & others
    elif extras[seat << SIX | kind] > 0:  # more than three: rare
        extras[seat << SIX | kind] -= 1
    else:
        state[place + TWO] = thrice & others


@helper
def pick_up(state, extras, seat, pile, hand_cards, hand_ends, place):
    """Give a seat, so many places from the starter, the hand that was dealt to it, and no other.

    The cards dealt lie on top of the pile, in reverse order.
    """
    hand = seat << TWO
    thrice = state[hand + TWO]
    while thrice != ZERO:  # of its last hand
        extras[seat << SIX | bits.first(thrice)] = 0
        thrice &= thrice - ONE
    once = ZERO
    twice = ZERO
    first, end = hand_ends[place], hand_ends[place + ONE]
    for number in range(first, end):
        kind = np.uint64(pile[hand_cards[number]])
        bit = ONE << kind
        if thrice & bit != ZERO:
            extras[seat << SIX | kind] += 1
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
    state[hand] = once
    state[hand + ONE] = twice
    state[hand + TWO] = thrice
    state[size_at(seat)] = end - first


@helper
def exchange_card(exchange, key, game, hand, row, starter, left, players, hand_cards, hand_ends, pile, trace):
    """Exchange a card of a hand, which nobody has picked up, for one that was not dealt, if asked to."""
    if exchange is not None:
        seat = np.uint64(game) // players % players
        place = (seat + players - starter) % players
        first = hand_ends[place]
        random = streams.stream(key, np.uint64(hand), streams.EXCHANGE)
        random, number = streams.below(random, hand_ends[place + ONE] - first)
        held = hand_cards[first + number]
        kind = pile[held]
        chosen, random = place_of_any(pile, ZERO, left, exchange.kinds, random)
        done = chosen < left and exchange.kinds >> kind & ONE == ZERO
        exchange.done[row] = done
        if done:
            pile[held] = pile[chosen]
            pile[chosen] = kind
            if trace is not None:
                write(trace, at.EXCHANGED, seat, kind, pile[held], 0, 0, 0, 0)


@helper
def draw(state, seat, last, tables, rules, powers, scratch, cells, trace):
    """Take the next card and return its kind, ``NO_KIND`` if there is none.

    All but the state and the pile is for the rare case that the shuffled part of the pile is empty.
    """
    pile = scratch.pile
    left = state[LEFT]
    if left == ZERO:
        kind = _draw_further(state, seat, last, tables, rules, powers, scratch, cells, trace)
    else:
        state[DEALING], place = streams.below(state[DEALING], left)
        left -= ONE
        if rules.shuffle == 0:
            place = left
        kind = np.uint64(pile[place])
        pile[place] = pile[left]
        state[LEFT] = left
    return kind


@function
def _draw_further(state, seat, last, tables, rules, powers, scratch, cells, trace):
    """Take a card that was put under the pile, or else turn the discards into a new pile (C8)."""
    taken = state[UNDER_TAKEN]
    if taken < state[UNDER_PUT]:
        state[UNDER_TAKEN] = taken + ONE
        return np.uint64(scratch.under[taken & UNDER_MASK])
    # The discards are the cards that nobody holds; the last card played lies on top of them.
    pile = scratch.pile
    left = ZERO
    for kind in range(_KINDS):
        copies = np.int64(tables.copies[kind]) - (kind == last)
        if powers is not None and _SKIP <= kind <= _TAKE_TWO:
            copies += np.int64(scratch.power[MADE + kind - _SKIP])
        for holder in range(np.uint64(rules.players)):
            for level in range(THREE):
                copies -= np.int64(state[holder << TWO | level] >> kind & ONE)
            copies -= scratch.extras[holder << SIX | kind]
        for _ in range(copies):
            pile[left] = kind
            left += ONE
    if left == ZERO:
        return NO_KIND
    state[UNDER_TAKEN] = ZERO
    state[UNDER_PUT] = ZERO
    if cells[offset(at.RESHUFFLES)] == 0:
        state[DEALING] = streams.stream(state[GAME_KEY], state[HAND_NUMBER], streams.RESHUFFLE)
    cells[offset(at.RESHUFFLES)] += 1
    if trace is not None:
        write(trace, at.RESHUFFLE, seat, left, 0, 0, 0, 0, 0)
    state[DEALING], place = streams.below(state[DEALING], left)
    left -= ONE
    kind = np.uint64(pile[place])
    pile[place] = pile[left]
    state[LEFT] = left
    return kind


@helper
def put_under(kind, scratch):
    """Put a card that nobody holds at the bottom of the draw pile."""
    state = scratch.state
    scratch.under[state[UNDER_PUT] & UNDER_MASK] = kind
    state[UNDER_PUT] += ONE


@helper
def copies_held(state, extras, seat, kind):
    """Return how many cards of a kind a hand holds."""
    copies = ZERO
    for level in range(THREE):
        copies += state[seat << TWO | level] >> kind & ONE
    return copies + np.uint64(extras[seat << SIX | kind])


@helper
def pick_for_take_two(taker, count, last, tables, rules, powers, scratch, cells, trace):
    """Let a seat pick up so many cards by a TakeTwo, as far as there are, and remember them (C11)."""
    state = scratch.state
    extras = scratch.extras
    picked = scratch.picked
    picked[TAKER] = taker
    picked[HAD_UNDO] = state[taker << TWO] >> _UNDO & ONE
    if powers is not None:
        picked[HAD_UNDO] = copies_held(state, extras, taker, _UNDO)
    taken = ZERO
    for _ in range(count):
        kind = draw(state, taker, last, tables, rules, powers, scratch, cells, trace)
        if kind == NO_KIND:
            break
        if powers is not None:
            longer = copies_held(state, extras, taker, kind)
            for card in range(taken):
                if picked[FIRST_PICKED + card] == kind:
                    longer -= ONE
            scratch.power[HELD_LONGER + taken] = longer
        add(state, extras, taker, kind)
        picked[FIRST_PICKED + taken] = kind
        taken += ONE
        if trace is not None:
            write(trace, at.TAKE, taker, kind, 0, 0, 0, 0, 0)
    picked[TAKEN] = taken
    state[size_at(taker)] += taken
    cells[offset(at.TAKEN)] += np.int64(taken)


@function
def give_back(seat, drawn_now, scratch, trace):
    """Put what the last TakeTwo made its target pick up under the draw pile (C12).

    The Undo that does it stays on the discards, if it is the first one that was picked up: so if it
    is the target's own, who held none before and has not just drawn it.
    """
    picked = scratch.picked
    taker = picked[TAKER]
    stays = taker == seat and picked[HAD_UNDO] == ZERO and not drawn_now
    for card in range(picked[TAKEN]):
        kind = picked[FIRST_PICKED + np.uint64(card)]
        if stays and kind == _UNDO:
            stays = False
        else:
            remove(scratch.state, scratch.extras, taker, kind)
            scratch.state[size_at(taker)] -= ONE
            put_under(kind, scratch)
            if trace is not None:
                write(trace, at.RETURN, taker, kind, 0, 0, 0, 0, 0)


@function
def forget_oldest(kind, scratch):
    """Take the copy held longest, which its owner is losing, off what the last TakeTwo made them pick up.

    It is one of those cards only if no other copy was there before (C21).
    """
    picked = scratch.picked
    longer = scratch.power[HELD_LONGER:]
    if kind == _UNDO and picked[HAD_UNDO] > ZERO:
        picked[HAD_UNDO] -= ONE
    gone = ZERO
    for card in range(picked[TAKEN]):
        here = picked[FIRST_PICKED + card]
        if here == kind and gone == ZERO and longer[card] == ZERO:
            gone = ONE
        else:
            picked[FIRST_PICKED + card - gone] = here
            longer[card - gone] = longer[card]
            if here == kind and gone == ZERO:
                longer[card - gone] -= ONE
    picked[TAKEN] -= gone


@helper
def can_draw(state, deck_size, players):
    """Return whether a card can be drawn: there is a pile, or something under the top discard."""
    in_pile = state[LEFT] + state[UNDER_PUT] - state[UNDER_TAKEN]
    held = ZERO
    for seat in range(players):
        held += state[size_at(seat)]
    return in_pile > ZERO or deck_size - held > ONE

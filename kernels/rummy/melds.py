"""The melds on the table, and the melder that lays cards (R3-R7 and "The melder").

``melds`` is a flat uint64 array, 32 words a meld, in the order laid:

=======  ==================  =========================================================================
word     name                meaning
=======  ==================  =========================================================================
0        FORM                SET or RUN
1        SUIT                16 times the suit of a run; 0 for a set
2        LOW                 lowest place of a run; the rank of a set
3        HIGH                highest place of a run; the rank of a set
4        CARDS               how many cards
5        WILD                how many of them are wild
6        OWNER               the seat that laid it
7        ACCEPTS             kinds that it takes as naturals, as a mask
8        STANDS_FOR          kinds that the wilds of a run stand for, as a mask; 0 for a set
16 + p   WILD_AT + p         kind of the wild at place p of a run
=======  ==================  =========================================================================
"""

import numpy as np

from kernels import bits
from kernels.bits import ONE, TWO, ZERO
from kernels.jit import helper, kernel
from kernels.rummy import layout as at
from kernels.rummy import tables as of
from kernels.rummy.cards import (
    AT_LEAST,
    LAID_OFF,
    MELDED,
    NATURALS,
    OF_A_RANK,
    RANK_MASK,
    RANKS,
    SIZE,
    STRIDE_BITS,
    SUIT_BITS,
    SUIT_MASK,
    SWAPS,
    TWOS,
    WILDS,
    WILDS_USED,
    next_wild,
    remove,
)
from kernels.trace import write

MELD_BITS = np.uint64(5)
FORM, SUIT, LOW, HIGH, CARDS, WILD, OWNER, ACCEPTS, STANDS_FOR = (np.uint64(word) for word in range(9))
WILD_AT = np.uint64(16)

_SET = np.uint64(at.SET)
_RUN = np.uint64(at.RUN)
_ACE = np.uint64(at.ACE)
_THREE = np.uint64(3)
_HALF_SUIT = np.uint64(8)
_FOUR = np.uint64(4)
_NOWHERE = np.uint64(at.MAX_MELDS)

_ITEMS = np.uint64(of.ITEMS)
_CARDS = np.uint64(of.CARDS)
_FIRST_ITEM = np.uint64(of.FIRST_ITEM)
_ITEM_BITS = np.uint64(3)
_FORM = np.uint64(of.FORM)
_LENGTH = np.uint64(of.LENGTH)
_MOST_WILDS = np.uint64(of.MOST_WILDS)
_WAY_BITS = np.uint64(4)


@helper
def highest(mask):
    """Return the largest member, up to 15, of a set that is not empty."""
    mask |= mask >> ONE
    mask |= mask >> TWO
    mask |= mask >> _FOUR
    mask |= mask >> _HALF_SUIT
    return bits.size(mask) - ONE


@helper
def _open(melds, number, form, suit, low, high, cards, owner, lowest_place, in_contract, trace):
    """Begin a meld; its cards follow by ``_fill``."""
    meld = number << MELD_BITS
    melds[meld + FORM] = form
    melds[meld + SUIT] = suit
    melds[meld + LOW] = low
    melds[meld + HIGH] = high
    melds[meld + CARDS] = cards
    melds[meld + WILD] = ZERO
    melds[meld + OWNER] = owner
    melds[meld + STANDS_FOR] = ZERO
    if form == _SET:
        melds[meld + ACCEPTS] = OF_A_RANK << low
    else:
        _set_accepts(melds, meld, lowest_place)
    if trace is not None:
        which = low if form == _SET else suit >> SUIT_BITS
        write(
            trace, at.NEW_MELD, owner, number, form, which, low if form == _RUN else ZERO, cards, in_contract
        )


@helper
def _set_accepts(melds, meld, lowest_place):
    """Note which cards a run takes at its ends."""
    accepts = ZERO
    if melds[meld + HIGH] < _ACE:
        accepts = ONE << (melds[meld + SUIT] + melds[meld + HIGH] + ONE)
    if melds[meld + LOW] > lowest_place:
        accepts |= ONE << (melds[meld + SUIT] + melds[meld + LOW] - ONE)
    melds[meld + ACCEPTS] = accepts


@helper
def _fill(hands, seat, melds, number, kind, place, wild, trace):
    """Put a card, taken out of the hand before, into its place in a meld just begun."""
    hands[(seat << STRIDE_BITS) + MELDED] += ONE
    if wild:
        hands[(seat << STRIDE_BITS) + WILDS_USED] += ONE
        _note_wild(melds, number << MELD_BITS, kind, place)
    if trace is not None:
        write(trace, at.PLACE, seat, number, kind, place, wild, 0, 0)


@helper
def _note_wild(melds, meld, kind, place):
    melds[meld + WILD] += ONE
    if melds[meld + FORM] == _RUN:
        melds[meld + STANDS_FOR] |= ONE << (melds[meld + SUIT] + place)
        melds[meld + WILD_AT + place] = kind


@helper
def _extend(melds, number, kind, place, wild, lowest_place):
    """Add a card to a meld: in a run at the end where `place` is."""
    meld = number << MELD_BITS
    melds[meld + CARDS] += ONE
    melds[meld + LOW] = min(melds[meld + LOW], place)
    melds[meld + HIGH] = max(melds[meld + HIGH], place)
    if wild:
        _note_wild(melds, meld, kind, place)
    if melds[meld + FORM] == _RUN:
        _set_accepts(melds, meld, lowest_place)


@helper
def _place_of_wild(melds, meld):
    """Return where a wild goes that is laid onto a meld: above a run if it can, else below."""
    if melds[meld + FORM] == _SET:
        return melds[meld + HIGH]
    return melds[meld + HIGH] + ONE if melds[meld + HIGH] < _ACE else melds[meld + LOW] - ONE


@helper
def _wilds_taken(melds, meld, freed, most_wilds, lowest_place, wanted):
    """Return how many of so many wilds a meld takes by R4 and R5, once so many of its own are freed."""
    cards = melds[meld + CARDS]
    wild = melds[meld + WILD] - freed
    room = wanted
    if melds[meld + FORM] == _RUN:
        room = min(room, _ACE - melds[meld + HIGH] + melds[meld + LOW] - lowest_place)
    taken = ZERO
    while taken < room and wild + taken < most_wilds[cards + taken + ONE]:
        taken += ONE
    return taken


@kernel
def lay_contract(
    hands, seat, melds, laid, contract, contracts, lowest_place, way, search, trace
):  # fmt: skip
    """Lay the contract in the way that was found (R9), and return the number of melds then on the table.

    The arguments are those of ``kernels.rummy.contract.find_way``; the other arrays are described there
    and above.
    """
    base = seat << STRIDE_BITS
    items = contracts[contract + _ITEMS]
    # (a) Naturals of runs. What each item gets is kept in `search`: of a run a mask of places, of a
    # set how many and then the kinds.
    for number in range(items):
        item = contract + _FIRST_ITEM + (np.uint64(number) << _ITEM_BITS)
        if contracts[item + _FORM] == _RUN:
            length = contracts[item + _LENGTH]
            suit = way[number] >> SUIT_BITS << SUIT_BITS
            high = _ACE - (way[number] & RANK_MASK)
            window = ((ONE << length) - ONE) << (high + ONE - length)
            naturals = hands[base] >> suit & SUIT_MASK & window
            search[number << _WAY_BITS] = naturals
            while naturals != ZERO:
                remove(hands, seat, suit + bits.first(naturals))
                naturals &= naturals - ONE
    # (b) Naturals of sets.
    for number in range(items):
        item = contract + _FIRST_ITEM + (np.uint64(number) << _ITEM_BITS)
        if contracts[item + _FORM] == _SET:
            rank = _ACE - way[number]
            count = hands[base + RANKS + rank]
            for later in range(np.uint64(number) + ONE, items):
                other = contract + _FIRST_ITEM + (np.uint64(later) << _ITEM_BITS)
                if contracts[other + _FORM] == _SET and way[later] == way[number]:
                    count -= contracts[other + _LENGTH] - contracts[other + _MOST_WILDS]
            count = min(count, contracts[item + _LENGTH])
            kept = number << _WAY_BITS
            search[kept] = count
            while count > ZERO:
                kind = bits.first(hands[base] & (OF_A_RANK << rank))
                remove(hands, seat, kind)
                kept += ONE
                search[kept] = kind
                count -= ONE
    # (c) Now the hand holds the wilds that fill the rest.
    cards = contracts[contract + _CARDS]
    size = hands[base + SIZE]
    wilds = ZERO
    for number in range(items):
        item = contract + _FIRST_ITEM + (np.uint64(number) << _ITEM_BITS)
        naturals = search[number << _WAY_BITS]
        wilds += contracts[item + _LENGTH] - (
            bits.size(naturals) if contracts[item + _FORM] == _RUN else naturals
        )
    if trace is not None:
        write(trace, at.GO_DOWN, seat, cards, wilds, size - wilds, 0, 0, 0)
    for number in range(items):
        item = contract + _FIRST_ITEM + (np.uint64(number) << _ITEM_BITS)
        length = contracts[item + _LENGTH]
        kept = np.uint64(number) << _WAY_BITS
        naturals = search[kept]
        is_run = contracts[item + _FORM] == _RUN
        suit = ZERO
        low = _ACE - way[number]
        high = low
        if is_run:
            suit = way[number] >> SUIT_BITS << SUIT_BITS
            high = _ACE - (way[number] & RANK_MASK)
            low = high + ONE - length
        _open(melds, laid, _RUN if is_run else _SET, suit, low, high, length, seat, lowest_place, True, trace)
        for card in range(length):
            place = low + card if is_run else low
            wild = naturals >> place & ONE == ZERO if is_run else naturals <= card
            kind = suit + place
            if wild:
                kind = next_wild(hands, seat)
                remove(hands, seat, kind)
            elif not is_run:
                kind = search[kept + card + ONE]
            _fill(hands, seat, melds, laid, kind, place, wild, trace)
        laid += ONE
    return laid


@kernel
def meld_cards(
    hands, seat, melds, laid, keep, own_only, may_lay_off, swap_same_meld, min_run, lowest_place, most_wilds,
    trace,
):  # fmt: skip
    """Lay cards as the melder does, and return the number of melds then on the table.

    Parameters
    ----------
    hands, seat, melds
        See ``kernels.rummy.cards`` and above.
    laid : uint64
        How many melds there are.
    keep : uint64
        Cards that must stay in hand.
    own_only, may_lay_off, swap_same_meld : bool
        Lay off and swap on own melds only, at all, and by putting the freed wild back on the same meld.
    min_run, lowest_place : uint64
    most_wilds : uint64 array
        See ``kernels.rummy.tables.Tables``.
    """
    base = seat << STRIDE_BITS
    # 1. New sets.
    while hands[base + SIZE] >= keep + _THREE and hands[base + AT_LEAST + _THREE] != ZERO:
        rank = highest(hands[base + AT_LEAST + _THREE])
        cards = min(hands[base + RANKS + rank], hands[base + SIZE] - keep)
        _open(melds, laid, _SET, ZERO, rank, rank, cards, seat, lowest_place, False, trace)
        for _ in range(cards):
            kind = bits.first(hands[base] & (OF_A_RANK << rank))
            remove(hands, seat, kind)
            _fill(hands, seat, melds, laid, kind, rank, False, trace)
        laid += ONE
    # 2. New runs.
    usable = NATURALS | TWOS if lowest_place == TWO else NATURALS
    while hands[base + SIZE] >= keep + min_run:
        lows = hands[base] & usable
        for _ in range(ONE, min_run):
            lows &= lows >> ONE
        if lows == ZERO:
            break
        suit = bits.first(lows) >> SUIT_BITS << SUIT_BITS
        lows = lows >> suit & SUIT_MASK
        cards = min_run
        longer = lows & lows >> ONE
        while longer != ZERO:  # a stretch that is longer by one has two neighbouring lows
            lows = longer
            longer &= longer >> ONE
            cards += ONE
        high = highest(lows) + cards - ONE
        cards = min(cards, hands[base + SIZE] - keep)
        low = high + ONE - cards
        _open(melds, laid, _RUN, suit, low, high, cards, seat, lowest_place, False, trace)
        for place in range(low, high + ONE):
            kind = suit + place
            remove(hands, seat, kind)
            _fill(hands, seat, melds, laid, kind, place, False, trace)
        laid += ONE
    while may_lay_off:
        # 3. One natural onto the first meld that takes one. Melds before it take none of what is left.
        number = ZERO
        while number < laid and hands[base + SIZE] > keep:
            meld = number << MELD_BITS
            fitting = hands[base] & melds[meld + ACCEPTS]
            if fitting == ZERO or (own_only and melds[meld + OWNER] != seat):
                number += ONE
                continue
            kind = bits.first(fitting)
            if melds[meld + FORM] == _RUN:  # above before below
                kind = melds[meld + SUIT] + highest(fitting >> melds[meld + SUIT])
            remove(hands, seat, kind)
            hands[base + LAID_OFF] += ONE
            _extend(melds, number, kind, kind & RANK_MASK, False, lowest_place)
            if trace is not None:
                write(trace, at.LAY_OFF, seat, number, kind, kind & RANK_MASK, False, True, 0)
        if hands[base + SIZE] <= keep:
            break
        # 4. A wild swapped for the card that it stands for, and laid on another meld.
        target = _NOWHERE
        for number in range(laid):
            meld = np.uint64(number) << MELD_BITS
            fitting = hands[base] & melds[meld + STANDS_FOR]
            if fitting == ZERO or (own_only and melds[meld + OWNER] != seat):
                continue
            for other in range(laid):
                onto = np.uint64(other) << MELD_BITS
                if own_only and melds[onto + OWNER] != seat:
                    continue
                freed = ONE if other == number else ZERO
                if freed == ONE and not swap_same_meld:
                    continue
                if _wilds_taken(melds, onto, freed, most_wilds, lowest_place, ONE) == ONE:
                    target = np.uint64(other)
                    break
            if target != _NOWHERE:
                place = highest(fitting >> melds[meld + SUIT])
                kind = melds[meld + SUIT] + place
                wild = melds[meld + WILD_AT + place]
                remove(hands, seat, kind)
                hands[base + SWAPS] += ONE
                melds[meld + WILD] -= ONE
                melds[meld + STANDS_FOR] ^= ONE << kind
                if trace is not None:
                    write(trace, at.SWAP, seat, number, kind, place, wild, 0, 0)
                place = _place_of_wild(melds, target << MELD_BITS)
                _extend(melds, target, wild, place, True, lowest_place)
                if trace is not None:
                    write(trace, at.LAY_OFF, seat, target, wild, place, True, False, 0)
                break
        if target != _NOWHERE:
            continue
        # 5. Wilds, if they leave at most one card. Every wild goes to the first meld that takes it.
        wilds = min(hands[base + WILDS], hands[base + SIZE] - keep)
        room = ZERO
        for number in range(laid):
            meld = np.uint64(number) << MELD_BITS
            if room < wilds and not (own_only and melds[meld + OWNER] != seat):
                room += _wilds_taken(melds, meld, ZERO, most_wilds, lowest_place, wilds - room)
        if room == ZERO or hands[base + SIZE] > hands[base + WILDS] + ONE or hands[base + SIZE] > room + ONE:
            break
        number = ZERO
        while room > ZERO:
            meld = number << MELD_BITS
            if (own_only and melds[meld + OWNER] != seat) or _wilds_taken(
                melds, meld, ZERO, most_wilds, lowest_place, ONE
            ) == ZERO:
                number += ONE
                continue
            wild = next_wild(hands, seat)
            remove(hands, seat, wild)
            hands[base + LAID_OFF] += ONE
            hands[base + WILDS_USED] += ONE
            place = _place_of_wild(melds, meld)
            _extend(melds, number, wild, place, True, lowest_place)
            if trace is not None:
                write(trace, at.LAY_OFF, seat, number, wild, place, True, True, 0)
            room -= ONE
    return laid

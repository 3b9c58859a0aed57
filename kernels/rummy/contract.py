"""The contract: whether and how a hand can lay it (R8, R9), or what it lacks.

A *way* has an option for each item of the contract, numbered so that the smallest is the first by
R9: of a set ``14 - rank``, of a run ``16 * suit + 14 - highest place``. Ways are tried item by
item, runs before sets since these get what runs leave, and given up as soon as they need more
wilds than there are, or than the best way so far.

A way is worth one number, less being better: cards that it lacks, wilds that it needs, points of
naturals that it leaves, and its options. So the best way is found in one search, and with a `limit` above 0
the same search finds what a hand that cannot go down yet is nearest to.
"""

import numpy as np

from kernels import bits
from kernels.bits import ONE, TWO, ZERO
from kernels.jit import kernel
from kernels.rummy import layout as at
from kernels.rummy import tables as of
from kernels.rummy.cards import (
    AT_LEAST,
    NATURALS,
    OF_A_RANK,
    RANK_MASK,
    RANKS,
    STRIDE_BITS,
    SUIT_BITS,
    SUIT_MASK,
    TWOS,
    WILDS,
)

NO_WAY = ~ZERO
"""Worth of no way at all."""
MISSING_SHIFT = np.uint64(56)

_ACE = np.uint64(at.ACE)
_RUN = np.uint64(at.RUN)
_WILDS_SHIFT = np.uint64(48)
_POINTS_SHIFT = np.uint64(24)
_MOST_POINTS = np.uint64((1 << 24) - 1)
_OPTION_BITS = np.uint64(6)
_LAST_ITEM = np.uint64(at.MAX_ITEMS - 1)
_8 = np.uint64(8)
_SETS_END = np.uint64(12)
_RUNS_END = np.uint64(64)
_SUIT = np.uint64(16)

# Words of a contract and of its items.
_ITEMS = np.uint64(of.ITEMS)
_CARDS = np.uint64(of.CARDS)
_ORDER = np.uint64(of.ORDER)
_FIRST_ITEM = np.uint64(of.FIRST_ITEM)
_ITEM_BITS = np.uint64(3)
_FORM = np.uint64(of.FORM)
_LENGTH = np.uint64(of.LENGTH)
_MOST_WILDS = np.uint64(of.MOST_WILDS)
_SAME = np.uint64(of.SAME)
_BEST = np.uint64(of.BEST)
_NO_ITEM = np.uint64(of.NO_ITEM)

# Words of a frame of the search, one for each item under way and one more.
_FRAME_BITS = np.uint64(4)
_ONCE, _TWICE, _THRICE, _FOUR_TIMES = (np.uint64(word) for word in range(4))  # naturals still in hand
_NEED, _OVER, _TWOS_USED, _POINTS, _OPTIONS, _NEXT, _CHOSEN, _TAKEN, _REST = (
    np.uint64(word) for word in range(4, 13)
)


@kernel
def find_way(hands, seat, contract, contracts, best, points, lowest_place, limit, search, way):
    """Find the best way for a seat to lay a contract.

    Parameters
    ----------
    hands, seat
        See ``kernels.rummy.cards``.
    contract : uint64
        Where the contract begins in `contracts`.
    contracts, best, points
        See ``kernels.rummy.tables.Tables``.
    lowest_place : uint64
        Of a run.
    limit : uint64
        Most cards that a way may lack: 0 for what can be laid now.
    search : uint64 array
        Scratch.
    way : uint64 array
        Receives the option of each item.

    Returns
    -------
    uint64
        What the way is worth: from bit 56 on, the cards that it lacks. ``NO_WAY`` if there is none.
    """
    base = seat << STRIDE_BITS
    wilds = hands[base + WILDS]
    items = contracts[contract + _ITEMS]
    usable = NATURALS | TWOS if lowest_place == TWO else NATURALS

    # The wilds that each item needs if it has the hand for itself.
    for word in range(_FRAME_BITS):
        search[word] = hands[base + word] & usable
    rest = ZERO
    depth = items
    while depth > ZERO:
        depth -= ONE
        item = contract + _FIRST_ITEM + (contracts[contract + _ORDER + depth] << _ITEM_BITS)
        length = contracts[item + _LENGTH]
        naturals = ZERO
        if contracts[item + _FORM] == _RUN:
            for suit in range(ZERO, _RUNS_END, _SUIT):
                mask = search[_ONCE] >> suit & SUIT_MASK
                naturals = max(naturals, np.uint64(best[contracts[item + _BEST] + (mask >> TWO)]))
        else:
            naturals = length
            while naturals > ZERO and hands[base + AT_LEAST + naturals] == ZERO:
                naturals -= ONE
        search[(depth << _FRAME_BITS) + _REST] = rest
        rest += length - naturals
    best_worth = NO_WAY
    if rest > limit + wilds:
        return best_worth

    for word in range(_NEED, _TAKEN):
        search[word] = ZERO
    while True:
        frame = depth << _FRAME_BITS
        number = contracts[contract + _ORDER + depth]
        item = contract + _FIRST_ITEM + (number << _ITEM_BITS)
        length = contracts[item + _LENGTH]
        most_wilds = contracts[item + _MOST_WILDS]
        is_run = contracts[item + _FORM] == _RUN
        rest = search[frame + _REST]
        once = search[frame + _ONCE]
        option = search[frame + _NEXT]
        end = _RUNS_END if is_run else _SETS_END
        need = ZERO
        over = ZERO
        lacks = ZERO
        twos_used = ZERO
        worth = ZERO
        taken = ZERO
        gained = ZERO
        while option < end:
            need = search[frame + _NEED]
            over = search[frame + _OVER]
            twos_used = search[frame + _TWOS_USED]
            if is_run:
                suit = option >> SUIT_BITS << SUIT_BITS
                high = _ACE - (option & RANK_MASK)
                mask = once >> suit & SUIT_MASK
                least = need + length - np.uint64(best[contracts[item + _BEST] + (mask >> TWO)])
                if high + ONE < lowest_place + length or least + rest > limit + wilds:
                    option = suit + _SUIT  # no run of this suit, or none lower
                    continue
                taken = mask & (((ONE << length) - ONE) << (high + ONE - length))
                wild = length - bits.size(taken)
                need += wild
                over += wild - min(wild, most_wilds)
                twos_used += taken >> TWO & ONE
                taken <<= suit
            else:
                # Sets of one rank share its cards, and each keeps the fewest naturals that R5 demands.
                rank = _ACE - option
                count = hands[base + RANKS + rank]
                cards = ZERO
                fewest = ZERO
                for earlier in range(ZERO, frame, _SUIT):
                    other = (
                        contract
                        + _FIRST_ITEM
                        + (contracts[contract + _ORDER + (earlier >> _FRAME_BITS)] << _ITEM_BITS)
                    )
                    if contracts[other + _FORM] == _RUN:
                        count -= bits.size(search[earlier + _TAKEN] & (OF_A_RANK << rank))
                    elif search[earlier + _CHOSEN] == option:
                        cards += contracts[other + _LENGTH]
                        fewest += contracts[other + _LENGTH] - contracts[other + _MOST_WILDS]
                gained = min(count, cards + length) - min(count, cards)
                need += length - gained
                over += max(fewest + length - most_wilds, count) - max(fewest, count)
            lacks = max(max(need + rest + twos_used, wilds) - wilds, over)
            worth = lacks << MISSING_SHIFT | (need + rest) << _WILDS_SHIFT
            if lacks <= limit and worth <= best_worth:
                break
            option += ONE
        if option >= end:
            if depth == ZERO:
                return best_worth
            depth -= ONE
            continue

        search[frame + _NEXT] = option + ONE
        search[frame + _CHOSEN] = option
        search[frame + _TAKEN] = taken
        gain = search[frame + _POINTS]
        if is_run:
            left = taken
            while left != ZERO:
                gain += np.uint64(points[bits.first(left) & RANK_MASK])
                left &= left - ONE
        else:
            gain += gained * np.uint64(points[_ACE - option])
        options = search[frame + _OPTIONS] | option << _OPTION_BITS * (_LAST_ITEM - number)
        if depth + ONE == items:
            worth |= (_MOST_POINTS - gain) << _POINTS_SHIFT | options
            if worth < best_worth:
                best_worth = worth
                for each in range(items):
                    way[each] = options >> _OPTION_BITS * (_LAST_ITEM - each) & (_RUNS_END - ONE)
            continue
        depth += ONE
        child = depth << _FRAME_BITS
        twice = search[frame + _TWICE]
        thrice = search[frame + _THRICE]
        four_times = search[frame + _FOUR_TIMES]
        search[child + _ONCE] = once & ~taken | twice & taken
        search[child + _TWICE] = twice & ~taken | thrice & taken
        search[child + _THRICE] = thrice & ~taken | four_times & taken
        search[child + _FOUR_TIMES] = four_times & ~taken
        search[child + _NEED] = need
        search[child + _OVER] = over
        search[child + _TWOS_USED] = twos_used
        search[child + _POINTS] = gain
        search[child + _OPTIONS] = options
        # Items of the same form are named in the order of options.
        number = contracts[contract + _ORDER + depth]
        same = contracts[contract + _FIRST_ITEM + (number << _ITEM_BITS) + _SAME]
        search[child + _NEXT] = (
            ZERO if same == _NO_ITEM else options >> _OPTION_BITS * (_LAST_ITEM - same) & (_RUNS_END - ONE)
        )

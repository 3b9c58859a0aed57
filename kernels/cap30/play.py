"""Cap30: play a range of games (C1-C16).

State of a hand
---------------
``hands``     uint64 (16,): for each seat the sets of kinds held at least once, twice and three
              times, at ``4 * seat``, ``+ 1`` and ``+ 2``.
``extras``    uint8 (256,): copies beyond three, at ``64 * seat + kind``.
``sizes``     uint64: cards held by each seat, one byte a seat.
``pile``      uint8: kinds of the ``left`` cards of the draw pile that are in no order yet:
              drawing picks one of them at random (a shuffle done one card at a time).
``under``     uint8: kinds of the cards that an Undo put under the pile, in order.
``piles``     int64: counters of what is rare (UNDER_TAKEN, ...).
``after``     uint8: the total after a move, as in the tables; its entry for an Undo is rewritten
              after every move.
``picked``    uint64: what the last TakeTwo did (TAKER, ...), for an Undo.
Scalars       the total, the direction, whose turn it is, and what an Undo would bring back.

The discards are not kept: they are the cards that nobody holds and that are in no pile, and the
top one is the last card played. Counts that are not needed in play grow in the row itself.

Decisions: which move at the start of a turn, play or keep a card drawn, which move or stop in a
chain. A choice of one costs no random number.

Seats, kinds, totals and places in the piles are uint64 throughout: an unsigned index needs no test
for a negative one, and mixing signed and unsigned numbers would make them floats.
"""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, TWO, ZERO
from kernels.blocks import LANE_MASK, cell, clear, row_start
from kernels.cap30 import layout as at
from kernels.cap30.tables import (
    CLOSE,
    FIRST_PICKED,
    HAD_UNDO,
    HAND_NUMBER,
    LAST_PASS,
    NEXT_CLOSE,
    NEXT_FAR,
    NEXT_SELF,
    NOISE_LEVELS,
    PASSES,
    TAKEN,
    TAKER,
    UNDER_PUT,
    UNDER_TAKEN,
    W_CARDS,
    W_CHAIN,
    W_EMPTIES,
    W_NO_MOVE,
    W_OWN,
    W_STOPS,
    W_TEN,
)
from kernels.jit import function, helper, kernel
from kernels.trace import write

_UNDO = np.uint64(at.UNDO)
_SKIP = np.uint64(at.SKIP)
_SWITCH = np.uint64(at.SWITCH)
_TAKE_TWO = np.uint64(at.TAKE_TWO)
_NO_KIND = np.uint64(at.KINDS)
_CLOSE = np.uint64(CLOSE)
_NO_UNDO = ~np.uint64(1 << at.UNDO)
_NOISE_LEVELS = np.uint64(NOISE_LEVELS)
_THREE = np.uint64(3)
_SIX = np.uint64(6)
_EIGHT = np.uint64(8)
_KINDS = np.uint64(at.KINDS)
_WORST = np.int64(-(2**62))
_NOBODY = np.uint64(0xFF)
_NOT_YET = -1
_BYTE = np.uint64(0xFF)
_COLUMNS = np.uint64(len(at.HAND_COLUMNS))
# Columns, as unsigned numbers because unsigned ones are added to them.
_CARDS_LEFT = np.uint64(at.CARDS_LEFT)
_CHAINS = np.uint64(at.CHAINS)
_PLAYS = np.uint64(at.PLAYS)
_TOTALS = np.uint64(at.TOTALS)
# Several counters share a word: turns (24 bits) and changes of the lead; choices (24 bits),
# decisions (20 bits) and forced decisions.
_TURNS_MASK = np.uint64((1 << 24) - 1)
_LEAD_CHANGE = np.uint64(1 << 24)
_DECISION = np.uint64(1 << 24)
_FORCED = np.uint64(1 << 44)
_CHOICES_MASK = np.uint64((1 << 24) - 1)
_DECISIONS_MASK = np.uint64((1 << 20) - 1)
_24 = np.uint64(24)
_44 = np.uint64(44)


@helper
def _step(seat, step, players):
    """Return the seat so many places on."""
    seat += step
    return seat - players if seat >= players else seat


@helper
def _add(hands, extras, seat, kind):
    """Put one card into a hand."""
    place = seat << TWO
    bit = ONE << kind
    once, twice, thrice = hands[place], hands[place + ONE], hands[place + TWO]
    hands[place] = once | bit
    hands[place + ONE] = twice | (once & bit)
    hands[place + TWO] = thrice | (twice & bit)
    if thrice & bit != ZERO:  # a fourth copy: rare
        extras[seat << _SIX | kind] += 1


@helper
def _remove(hands, extras, seat, kind):
    """Take one card, which the hand holds, out of a hand."""
    place = seat << TWO
    bit = ONE << kind
    others = ~bit
    once, twice, thrice = hands[place], hands[place + ONE], hands[place + TWO]
    if thrice & bit != ZERO and extras[seat << _SIX | kind] > 0:  # more than three: rare
        extras[seat << _SIX | kind] -= 1
    else:
        hands[place] = once & (twice | others)
        hands[place + ONE] = twice & (thrice | others)
        hands[place + TWO] = thrice & others


@helper
def _draw(pile, left, random, seat, last, key, tables, rules, scratch, rows, start, trace):
    """Take the next card.

    Returns the kind (``_NO_KIND`` if there is none), how many cards are left in the shuffled part
    of the pile, and the stream. The rest is for the rare case that nothing is left there.
    """
    if left == ZERO:
        kind, left, random = _draw_further(
            random, seat, last, key, tables, rules, scratch, rows, start, trace
        )
    else:
        random, place = streams.below(random, left)
        left -= ONE
        if rules.shuffle == 0:
            place = left
        kind = np.uint64(pile[place])
        pile[place] = pile[left]
    return kind, left, random


@function
def _draw_further(random, seat, last, key, tables, rules, scratch, rows, start, trace):
    """Take a card that was put under the pile, or else turn the discards into a new pile (C8)."""
    piles = scratch.piles
    if piles[UNDER_TAKEN] < piles[UNDER_PUT]:
        kind = np.uint64(scratch.under[piles[UNDER_TAKEN]])
        piles[UNDER_TAKEN] += 1
        return kind, ZERO, random
    # The discards are the cards that nobody holds; the last card played lies on top of them.
    pile = scratch.pile
    hands = scratch.hands
    left = ZERO
    for kind in range(_KINDS):
        copies = np.int64(tables.copies[kind]) - (kind == last)
        for holder in range(np.uint64(rules.players)):
            for level in range(_THREE):
                copies -= np.int64(hands[holder << TWO | level] >> kind & ONE)
            copies -= scratch.extras[holder << _SIX | kind]
        for _ in range(copies):
            pile[left] = kind
            left += ONE
    if left == ZERO:
        return _NO_KIND, left, random
    piles[UNDER_TAKEN] = 0
    piles[UNDER_PUT] = 0
    if rows[cell(start, at.RESHUFFLES)] == 0:
        random = streams.stream(key, np.uint64(piles[HAND_NUMBER]), streams.RESHUFFLE)
    rows[cell(start, at.RESHUFFLES)] += 1
    if trace is not None:
        write(trace, at.RESHUFFLE, seat, left, 0, 0, 0, 0, 0)
    random, place = streams.below(random, left)
    left -= ONE
    kind = np.uint64(pile[place])
    pile[place] = pile[left]
    return kind, left, random


@helper
def _held(sizes, seat):
    """Return how many cards a seat holds."""
    return sizes >> (seat << _THREE) & _BYTE


@helper
def _leader(sizes, players):
    """Return the seat with strictly the fewest cards, or ``_NOBODY``."""
    leader = ZERO
    fewest = sizes & _BYTE
    if players == TWO:  # the same, in fewer steps
        other = sizes >> _EIGHT
        leader = ONE if other < fewest else ZERO
        return _NOBODY if other == fewest else leader
    for seat in range(ONE, players):
        size = _held(sizes, seat)
        leader = seat if size < fewest else (_NOBODY if size == fewest else leader)
        fewest = min(fewest, size)
    return leader


@helper
def _target(sizes, seat, step, players, rule):
    """Return the opponent who picks up a TakeTwo (C11), the first in turn order if tied."""
    chosen = _step(seat, step, players)
    other = chosen
    for _ in range(TWO, players):
        other = _step(other, step, players)
        if rule == 0 and _held(sizes, other) < _held(sizes, chosen):
            chosen = other
        if rule == 2 and _held(sizes, other) > _held(sizes, chosen):
            chosen = other
    return chosen


@helper
def _pick_random(legal_1, legal_2, legal_3, none, random):
    """Return a choice, each equally likely: its kind, its copies less one, and the stream.

    ``none`` is 1 if making no move is a choice too; the kind is then ``_NO_KIND``.
    """
    of_1 = bits.size(legal_1)
    of_2 = of_1 + bits.size(legal_2)
    moves = of_2 + bits.size(legal_3)
    choice = ZERO
    if moves + none > ONE:
        random, choice = streams.below(random, moves + none)
    kind = _NO_KIND
    more = ZERO
    if choice < of_1:
        kind = bits.nth(legal_1, choice)
    elif choice < of_2:
        kind = bits.nth(legal_2, choice - of_1)
        more = ONE
    elif choice < moves:
        kind = bits.nth(legal_3, choice - of_2)
        more = TWO
    return kind, more, random


@helper
def _compare(score, kind, more, best, best_kind, best_more, ties, weighing, policy, random):
    """Return the better of two choices; among equals each ends up equally likely."""
    if weighing.noisy[policy]:
        random, level = streams.below(random, _NOISE_LEVELS)
        score += weighing.noise[policy, level]
    if score > best:
        best = score
        best_kind = kind
        best_more = more
        ties = ONE
    elif score == best:
        ties += ONE
        random, drawn = streams.below(random, ties)
        if drawn == ZERO:
            best_kind = kind
            best_more = more
    return best, best_kind, best_more, ties, random


@function
def _pick_best(
    legal_1, legal_2, legal_3, none, once, twice, thrice, total, may_chain,
    seat, step, players, take_target, sizes, extras, after, tables, weighing, policy, random,
):  # fmt: skip
    """Return the choice with the best score, as ``_pick_random`` does.

    ``once``, ``twice``, ``thrice`` are the kinds held at least so often.
    """
    weights = weighing.weights
    following = _step(seat, step, players)
    by_next = NEXT_CLOSE if _held(sizes, following) <= _CLOSE else NEXT_FAR
    by_skip = NEXT_SELF
    by_switch = NEXT_SELF
    if players > TWO:
        by_skip = NEXT_CLOSE if _held(sizes, _step(following, step, players)) <= _CLOSE else NEXT_FAR
        by_switch = NEXT_CLOSE if _held(sizes, _step(seat, players - step, players)) <= _CLOSE else NEXT_FAR
    best = _WORST
    best_kind = _NO_KIND
    best_more = ZERO
    ties = ZERO
    remaining = legal_1
    level = ZERO
    while True:
        while remaining != ZERO:
            kind = bits.first(remaining)
            bit = ONE << kind
            remaining ^= bit
            new = np.uint64(after[(total << TWO | level) << _SIX | kind])
            # The kinds left in the hand: this one only if there are more copies of it.
            more_copies = twice
            if level == ONE:
                more_copies = thrice
            elif level == TWO:
                more_copies = thrice if extras[seat << _SIX | kind] > 0 else ZERO
            rest = once & (more_copies | ~bit)
            if kind == _UNDO:
                rest &= _NO_UNDO
            free = np.int64(bits.size(rest & tables.legal[new << TWO]))
            by = by_next
            score = weighing.kind_score[policy, kind]
            score += weights[policy, W_CARDS] * np.int64(level + ONE) + weights[policy, W_OWN] * free
            if kind >= _SKIP:
                stops = by_next == NEXT_CLOSE
                if kind == _SKIP:
                    by = by_skip
                elif kind == _SWITCH:
                    by = by_switch
                else:
                    stops = _held(sizes, _target(sizes, seat, step, players, take_target)) <= _CLOSE
                if stops:
                    score += weights[policy, W_STOPS]
            score += weighing.total_score[policy, by, new]
            if new != total and tables.ten[new] != 0:
                score += weights[policy, W_TEN]
                if may_chain and free > 0:
                    score += weights[policy, W_CHAIN]
            if _held(sizes, seat) == level + ONE:
                score += weights[policy, W_EMPTIES]
            best, best_kind, best_more, ties, random = _compare(
                score, kind, level, best, best_kind, best_more, ties, weighing, policy, random
            )
        level += ONE
        if level == ONE:
            remaining = legal_2
        elif level == TWO:
            remaining = legal_3
        else:
            break
    if none != ZERO:
        free = np.int64(bits.size(once & tables.legal[total << TWO]))
        score = weights[policy, W_NO_MOVE] + weights[policy, W_OWN] * free
        score += weighing.total_score[policy, by_next, total]
        best, best_kind, best_more, ties, random = _compare(
            score, _NO_KIND, ZERO, best, best_kind, best_more, ties, weighing, policy, random
        )
    return best_kind, best_more, random


@helper
def _choose(
    decision, legal_1, legal_2, legal_3, none, total, may_chain, seat, step, sizes,
    rules, tables, weighing, policy, scratch, trace, tally, random,
):  # fmt: skip
    """Let a seat choose; return the kind, the copies less one, the tally and the stream.

    ``none`` is 1 if making no move is a choice too; the kind is then ``_NO_KIND``.
    """
    offered = bits.size(legal_1) + bits.size(legal_2) + bits.size(legal_3) + none
    tally += offered + _DECISION + (_FORCED if offered == ONE else ZERO)
    if trace is not None:
        write(trace, at.DECISION, seat, decision, offered, 0, 0, 0, 0)
    weighted = False
    if weighing is not None:
        weighted = weighing.weighted[policy] != 0
    if weighing is not None and weighted:
        place = seat << TWO
        hands = scratch.hands
        kind, more, random = _pick_best(
            legal_1, legal_2, legal_3, none, hands[place], hands[place + ONE], hands[place + TWO],
            total, may_chain, seat, step, np.uint64(rules.players), rules.take_target, sizes,
            scratch.extras, scratch.after, tables, weighing, policy, random,
        )  # fmt: skip
    else:
        kind, more, random = _pick_random(legal_1, legal_2, legal_3, none, random)
    return kind, more, tally, random


@function
def _give_back(seat, drawn_now, sizes, scratch, trace):
    """Put what the last TakeTwo made its target pick up under the draw pile (C12).

    The Undo that does it stays on the discards, if it is the first one that was picked up: so if it
    is the target's own, who held none before and has not just drawn it. Returns the new sizes.
    """
    picked = scratch.picked
    piles = scratch.piles
    taker = picked[TAKER]
    stays = taker == seat and picked[HAD_UNDO] == ZERO and not drawn_now
    for card in range(picked[TAKEN]):
        kind = picked[FIRST_PICKED + np.uint64(card)]
        if stays and kind == _UNDO:
            stays = False
        else:
            _remove(scratch.hands, scratch.extras, taker, kind)
            sizes -= ONE << (taker << _THREE)
            scratch.under[piles[UNDER_PUT]] = kind
            piles[UNDER_PUT] += 1
            if trace is not None:
                write(trace, at.RETURN, taker, kind, 0, 0, 0, 0, 0)
    return sizes


@helper
def _can_draw(left, piles, deck_size, sizes, players):
    """Return whether a card can be drawn: there is a pile, or something under the top discard."""
    in_pile = left + np.uint64(piles[UNDER_PUT] - piles[UNDER_TAKEN])
    held = ZERO
    for seat in range(players):
        held += _held(sizes, seat)
    return in_pile > ZERO or deck_size - held > ONE


@helper
def _next_starter(rule, starter, winner, sizes, players):
    """Return who starts the hand after one that somebody won (C16)."""
    chosen = winner
    if rule == 0:
        seat = winner
        most = ZERO
        for _ in range(ONE, players):
            seat = _step(seat, ONE, players)
            if _held(sizes, seat) > most:
                most = _held(sizes, seat)
                chosen = seat
    elif rule == 2:
        chosen = _step(starter, ONE, players)
    return chosen


@kernel
def play(seed, first, stop, by_game, rules, tables, policies, scratch, rows, games, trace):
    """Play games ``first``, ``first + 1``, ... until ``stop`` or until the blocks are full.

    Parameters
    ----------
    seed : uint64
    first, stop : int64
        Numbers of the games.
    by_game : bool
        True: whole games, of up to ``max_hands`` hands; False: each game is a single hand,
        started by seat 0.
    rules, tables, policies, scratch
        See ``kernels.cap30.tables``.
    rows : int32 block (see ``kernels.blocks``)
        Receives one row of ``HAND_COLUMNS`` a hand.
    games : int32 block
        Receives one row of ``GAME_COLUMNS`` a game, if ``by_game``.
    trace : int32 array (see ``kernels.trace``) or None

    Returns
    -------
    int64, int64
        Number of the first game not played, and of the rows written.
    """
    players = np.uint64(rules.players)
    chain_limit = np.uint64(rules.chain_limit)
    legal = tables.legal
    after = scratch.after
    for place in range(np.uint64((rules.cap + 1) << 8)):
        after[place] = tables.after[place]
    ten = tables.ten
    weighing = policies.weighing
    allows = tables.allows
    triples = tables.triples
    with_effect = tables.with_effect
    deck = tables.deck
    deck_size = np.uint64(deck.size)
    hands = scratch.hands
    extras = scratch.extras
    pile = scratch.pile
    piles = scratch.piles
    picked = scratch.picked
    position = scratch.position
    hands_won = scratch.hands_won
    capacity = rows.size // len(at.HAND_COLUMNS)
    most_hands = rules.max_hands if by_game else 1
    game = first
    row = 0
    while game < stop and row + most_hands <= capacity:
        key = streams.game_key(seed, np.uint64(game))
        for seat in range(players):
            position[seat] = 0
            if policies.listed > 1:
                position[seat] = (np.int64(seat) + game * policies.rotate) % rules.players
            hands_won[seat] = 0
        starter = ZERO
        hand = 0
        champion = -1
        while True:
            start = row_start(np.uint64(row), _COLUMNS)
            if start & LANE_MASK == ZERO:
                clear(rows, start, at.COUNTED, at.TOTALS + rules.cap + 1 - at.COUNTED)

            # The deal (C3): one card each in turn, from the starter; extra cards last.
            random = streams.stream(key, np.uint64(hand), streams.DEAL)
            decide = streams.stream(key, np.uint64(hand), streams.DECIDE)
            for card in range(deck_size):
                pile[card] = deck[card]
            left = deck_size
            piles[:] = 0
            piles[HAND_NUMBER] = hand
            hands[:] = ZERO
            extras[:] = 0
            if trace is not None:
                write(trace, at.HAND, starter, hand, rules.start, deck_size, 0, 0, 0)
            sizes = tables.sizes - (np.uint64(rules.hand_size) << (starter << _THREE))
            sizes += np.uint64(rules.hand_size + rules.starter_extra) << (starter << _THREE)
            for card in range(np.uint64(tables.order.size)):
                seat = _step(starter, np.uint64(tables.order[card]), players)
                random, place = streams.below(random, left)
                left -= ONE
                if rules.shuffle == 0:
                    place = left
                kind = np.uint64(pile[place])
                pile[place] = pile[left]
                _add(hands, extras, seat, kind)
                if trace is not None:
                    write(trace, at.DEAL, seat, kind, 0, 0, 0, 0, 0)

            seat = starter
            direction = 1
            step = ONE  # to the next seat: 1, or all but 1 when play goes anticlockwise
            total = np.uint64(rules.start)
            last = _NO_KIND  # the last card played
            skipped = ZERO  # who missed a turn by it, if it was a Skip
            clock = ZERO  # turns, and changes of the lead
            turns = 0
            tally = ZERO  # decisions, forced ones and choices
            leader = _NOBODY
            winner = _NOBODY
            reason = _NOT_YET
            while True:
                clock += ONE
                turns = np.int64(clock & _TURNS_MASK)
                if trace is not None:
                    write(trace, at.TURN, seat, turns, total, direction, _held(sizes, seat), 0, 0)
                policy = np.uint64(position[seat])
                following = _step(seat, step, players)
                moved = ZERO
                place = seat << TWO
                legal_1 = hands[place] & legal[total << TWO] & allows[last]
                legal_2 = hands[place + ONE] & legal[total << TWO | ONE]
                legal_3 = ZERO
                if triples:
                    legal_3 = hands[place + TWO] & legal[total << TWO | TWO]
                stuck = legal_1 | legal_2 | legal_3 == ZERO
                kind = _NO_KIND
                more = ZERO
                from_draw = False
                if stuck:
                    rows[cell(start, at.STUCK)] += 1
                else:
                    none = ZERO
                    if rules.must_play == 0 and _can_draw(left, piles, deck_size, sizes, players):
                        none = ONE
                    kind, more, tally, decide = _choose(
                        at.DECIDE_TURN, legal_1, legal_2, legal_3, none, total,
                        chain_limit > ONE, seat, step, sizes, rules, tables, weighing, policy, scratch,
                        trace, tally, decide,
                    )  # fmt: skip
                    if trace is not None and kind == _NO_KIND:
                        write(trace, at.DRAW_BY_CHOICE, seat, 0, 0, 0, 0, 0, 0)
                if kind == _NO_KIND:  # C7
                    drawn, left, random = _draw(
                        pile, left, random, seat, last, key, tables, rules, scratch, rows, start, trace
                    )
                    if drawn == _NO_KIND:
                        if trace is not None:
                            write(trace, at.NOTHING_TO_DRAW, seat, 0, 0, 0, 0, 0, 0)
                        piles[PASSES] = piles[PASSES] + 1 if piles[LAST_PASS] == turns - 1 else 1
                        piles[LAST_PASS] = turns
                        if piles[PASSES] == rules.players:
                            reason = at.IS_BLOCKED
                    else:
                        rows[cell(start, at.DRAWN)] += 1
                        _add(hands, extras, seat, drawn)
                        sizes += ONE << (seat << _THREE)
                        if trace is not None:
                            write(trace, at.DRAW, seat, drawn, 0, 0, 0, 0, 0)
                        legal_1 = (ONE << drawn) & legal[total << TWO] & allows[last]
                        if legal_1 != ZERO:
                            from_draw = True
                            kind, more, tally, decide = _choose(
                                at.DECIDE_DRAWN, legal_1, ZERO, ZERO, ONE, total, chain_limit > ONE,
                                seat, step, sizes, rules, tables, weighing, policy, scratch,
                                trace, tally, decide,
                            )  # fmt: skip
                            if trace is not None and kind == _NO_KIND:
                                write(trace, at.KEEP, seat, drawn, 0, 0, 0, 0, 0)

                while kind != _NO_KIND:
                    # The move (C5).
                    copies = more + ONE
                    _remove(hands, extras, seat, kind)
                    if more != ZERO:
                        for _ in range(more):
                            _remove(hands, extras, seat, kind)
                            rows[cell(start, at.CARDS_PLAYED)] += 1  # beyond one a move
                    sizes -= copies << (seat << _THREE)
                    moved += ONE
                    rows[cell(start, _PLAYS + kind)] += 1
                    before = total
                    total = np.uint64(after[(before << TWO | more) << _SIX | kind])
                    if trace is not None:
                        write(
                            trace,
                            at.MOVE,
                            seat,
                            kind,
                            copies,
                            before,
                            total,
                            moved,
                            from_draw and moved == ONE,
                        )

                    # Who is next (C11): after a Skip, and with two players a Switch, one further on.
                    neighbour = following
                    following = _step(neighbour, step * tables.passed_over[kind], players)
                    if trace is not None:
                        if kind == _SKIP:
                            write(trace, at.MISS, neighbour, 0, 0, 0, 0, 0, 0)
                        if kind == _SWITCH or (kind == _UNDO and last == _SWITCH):
                            direction = -direction
                            write(trace, at.DIRECTION, seat, direction, 0, 0, 0, 0, 0)

                    # What else it does, or cancels (C12).
                    if (ONE << kind) & with_effect[last] != ZERO:
                        if kind == _TAKE_TWO:
                            taker = _target(sizes, seat, step, players, rules.take_target)
                            picked[TAKER] = taker
                            picked[HAD_UNDO] = hands[taker << TWO] >> _UNDO & ONE
                            taken = ZERO
                            for _ in range(rules.take_count):
                                drawn, left, random = _draw(
                                    pile,
                                    left,
                                    random,
                                    taker,
                                    kind,
                                    key,
                                    tables,
                                    rules,
                                    scratch,
                                    rows,
                                    start,
                                    trace,
                                )
                                if drawn == _NO_KIND:
                                    break
                                _add(hands, extras, taker, drawn)
                                picked[FIRST_PICKED + taken] = drawn
                                taken += ONE
                                if trace is not None:
                                    write(trace, at.TAKE, taker, drawn, 0, 0, 0, 0, 0)
                            picked[TAKEN] = taken
                            sizes += taken << (taker << _THREE)
                            rows[cell(start, at.TAKEN)] += np.int64(taken)
                        elif _SWITCH in (kind, last):  # three or more players
                            step = players - step
                            following = _step(seat, step, players)
                        elif last == _SKIP:
                            following = skipped
                            if trace is not None:
                                write(trace, at.UNSKIP, following, 0, 0, 0, 0, 0, 0)
                        else:
                            sizes = _give_back(seat, from_draw and moved == ONE, sizes, scratch, trace)

                    rows[cell(start, _TOTALS + total)] += 1
                    # An Undo would lead back here.
                    after[total << _EIGHT | _UNDO] = before
                    last = kind
                    skipped = neighbour
                    kind = _NO_KIND
                    landed = np.uint64(total != before) & np.uint64(ten[total])  # without a branch
                    if landed != ZERO:
                        rows[cell(start, at.TENS)] += 1
                    onward = landed != ZERO and (last != _UNDO or rules.undo_chains != 0)
                    if _held(sizes, seat) == ZERO:  # C10
                        winner = seat
                        reason = at.WON
                    elif onward and moved < chain_limit:  # C9
                        legal_1 = hands[place] & legal[total << TWO] & allows[last]
                        legal_2 = hands[place + ONE] & legal[total << TWO | ONE]
                        legal_3 = ZERO
                        if triples:
                            legal_3 = hands[place + TWO] & legal[total << TWO | TWO]
                        if legal_1 | legal_2 | legal_3 != ZERO:
                            kind, more, tally, decide = _choose(
                                at.DECIDE_CHAIN, legal_1, legal_2, legal_3, ONE, total,
                                moved + ONE < chain_limit, seat, step, sizes, rules, tables, weighing, policy,
                                scratch, trace, tally, decide,
                            )  # fmt: skip
                            if trace is not None and kind == _NO_KIND:
                                write(trace, at.STOP, seat, 0, 0, 0, 0, 0, 0)

                # The end of the turn.
                rows[cell(start, _CHAINS + moved)] += 1
                now_leads = _leader(sizes, players)
                somebody = np.uint64(now_leads != _NOBODY)
                changed = somebody & np.uint64(leader != _NOBODY) & np.uint64(leader != now_leads)
                clock += changed * _LEAD_CHANGE
                leader = now_leads if somebody != ZERO else leader
                if reason != _NOT_YET:
                    break
                if turns >= rules.max_turns:
                    reason = at.IS_TRUNCATED
                    break
                seat = following

            # The end of the hand.
            won = winner != _NOBODY
            who = np.int64(winner) if won else -1
            if trace is not None:
                write(trace, at.HAND_END, who, reason, turns, 0, 0, 0, 0)
            held = ZERO
            for seat in range(players):
                rows[cell(start, _CARDS_LEFT + seat)] = _held(sizes, seat)
                held += _held(sizes, seat)
            moves = np.int64(0)
            for length in range(rules.chain_limit + 1):
                moves += length * np.int64(rows[cell(start, at.CHAINS + length)])
            rows[cell(start, at.STARTER)] = starter
            rows[cell(start, at.WINNER)] = who
            rows[cell(start, at.WINNERS)] = 1 << who if won else 0
            rows[cell(start, at.POLICY_WINNERS)] = 1 << position[who] if won else 0
            rows[cell(start, at.TURNS)] = turns
            rows[cell(start, at.LEAD_CHANGES)] = clock >> _24
            rows[cell(start, at.MOVES)] = moves
            rows[cell(start, at.CARDS_PLAYED)] += moves
            rows[cell(start, at.BLOCKED)] = reason == at.IS_BLOCKED
            rows[cell(start, at.TRUNCATED)] = reason == at.IS_TRUNCATED
            rows[cell(start, at.DECISIONS)] = tally >> _24 & _DECISIONS_MASK
            rows[cell(start, at.CHOICES)] = tally & _CHOICES_MASK
            rows[cell(start, at.FORCED)] = tally >> _44
            rows[cell(start, at.LOSERS)] = rules.players - won
            rows[cell(start, at.LOSERS_CARDS)] = held
            row += 1
            hand += 1
            if not by_game:
                break
            if won:
                hands_won[winner] += 1
                if hands_won[winner] == rules.hands_to_win:
                    champion = who
                    break
                starter = _next_starter(rules.next_starter, starter, winner, sizes, players)
            if hand == rules.max_hands:
                break

        if by_game:
            start = row_start(np.uint64(game - first), np.uint64(len(at.GAME_COLUMNS)))
            everybody = (1 << rules.players) - 1
            games[cell(start, at.GAME_WINNERS)] = everybody
            games[cell(start, at.GAME_POLICY_WINNERS)] = everybody if policies.listed > 1 else 1
            if champion >= 0:
                games[cell(start, at.GAME_WINNERS)] = 1 << champion
                games[cell(start, at.GAME_POLICY_WINNERS)] = 1 << position[champion]
            games[cell(start, at.GAME_HANDS)] = hand
            games[cell(start, at.GAME_DRAWN)] = champion < 0
            if trace is not None:
                write(trace, at.GAME_END, champion, hand, 0, 0, 0, 0, 0)
        game += 1
    return game, row

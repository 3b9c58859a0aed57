"""Cap30: play a range of games (C1-C16).

State of a hand
---------------
``state``     uint64: for each seat its hand, at ``4 * seat``: the sets of kinds held at least once,
              twice and three times, and the number of cards. Then streams, counters and what else
              is not worth a register through a whole turn (DEALING, ...): what LLVM cannot keep
              in registers it copies about on the stack, which costs more than memory does.
``extras``    uint8 (256,): copies beyond three, at ``64 * seat + kind``; 0 for kinds that are not
              held three times, so only those need be cleared for the next hand.
``pile``      uint8: kinds of the cards of the draw pile that are in no order yet: drawing picks
              one of them at random (a shuffle done one card at a time).
``under``     uint8: kinds of the cards that an Undo put under the pile, in order.
``after``     uint8: the total after a move, as in the tables; its entry for an Undo is rewritten
              after every move.
``picked``    uint64: what the last TakeTwo did (TAKER, ...), for an Undo.
Scalars       the total, the direction, whose turn it is and the last card played.

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
from kernels.blocks import LANE_MASK, cell, clear, offset, row_start
from kernels.cap30 import layout as at
from kernels.cap30.tables import (
    CHOICES,
    CLOSE,
    COUNTERS,
    DEALING,
    DECIDING,
    FIRST_PICKED,
    GAME_KEY,
    HAD_UNDO,
    HAND_NUMBER,
    LAST_PASS,
    LEADER,
    LEFT,
    MOVES,
    NEXT_CLOSE,
    NEXT_FAR,
    NEXT_SELF,
    NOISE_LEVELS,
    PASSES,
    PILE,
    SKIPPED,
    START,
    TAKEN,
    TAKER,
    TURNS,
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
from kernels.piles import place_of_any
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
_PILE = PILE
_SIX = np.uint64(6)
_EIGHT = np.uint64(8)
_KINDS = np.uint64(at.KINDS)
_WORST = np.int64(-(2**62))
_SEATS = np.uint64(at.MAX_PLAYERS)
_EMPTY_SEAT = np.uint64(0xFFFF)  # the size of its hand: never the fewest cards
_NOBODY = np.uint64(0xFF)
_NOT_YET = -1
_COLUMNS = np.uint64(len(at.HAND_COLUMNS))
# Columns, as unsigned numbers because unsigned ones are added to them.
_CARDS_LEFT = np.uint64(at.CARDS_LEFT)
_CHAINS = np.uint64(at.CHAINS)
_PLAYS = np.uint64(at.PLAYS)
_TOTALS = np.uint64(at.TOTALS)
# Several counters share a word: choices (24 bits), decisions (20 bits) and forced decisions.
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
def _add(state, extras, seat, kind):
    """Put one card into a hand."""
    place = seat << TWO
    bit = ONE << kind
    once, twice, thrice = state[place], state[place + ONE], state[place + TWO]
    state[place] = once | bit
    state[place + ONE] = twice | (once & bit)
    state[place + TWO] = thrice | (twice & bit)
    if thrice & bit != ZERO:  # a fourth copy: rare
        extras[seat << _SIX | kind] += 1


@helper
def _remove(state, extras, seat, kind):
    """Take one card, which the hand holds, out of a hand."""
    place = seat << TWO
    bit = ONE << kind
    others = ~bit
    once, twice, thrice = state[place], state[place + ONE], state[place + TWO]
    if thrice & bit == ZERO:
        state[place] = once & (twice | others)
        state[place + ONE] = twice & others
    elif extras[seat << _SIX | kind] > 0:  # more than three: rare
        extras[seat << _SIX | kind] -= 1
    else:
        state[place + TWO] = thrice & others


@helper
def _pick_up(state, extras, seat, pile, tables, place):
    """Give a seat, so many places from the starter, the hand that was dealt to it, and no other.

    The cards dealt lie on top of the pile, in reverse order.
    """
    hand = seat << TWO
    thrice = state[hand + TWO]
    while thrice != ZERO:  # of its last hand
        extras[seat << _SIX | bits.first(thrice)] = 0
        thrice &= thrice - ONE
    once = ZERO
    twice = ZERO
    first, end = tables.hand_ends[place], tables.hand_ends[place + ONE]
    for number in range(first, end):
        kind = np.uint64(pile[tables.hand_cards[number]])
        bit = ONE << kind
        if thrice & bit != ZERO:
            extras[seat << _SIX | kind] += 1
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
    state[hand] = once
    state[hand + ONE] = twice
    state[hand + TWO] = thrice
    state[_size_at(seat)] = end - first


@helper
def _exchange(exchange, key, game, hand, row, starter, left, rules, tables, pile, trace):
    """Exchange a card of a hand, which nobody has picked up, for one that was not dealt, if asked to."""
    if exchange is not None:
        players = np.uint64(rules.players)
        seat = np.uint64(game) // players % players
        place = (seat + players - starter) % players
        first = tables.hand_ends[place]
        random = streams.stream(key, np.uint64(hand), streams.EXCHANGE)
        random, number = streams.below(random, tables.hand_ends[place + ONE] - first)
        held = tables.hand_cards[first + number]
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
def _draw(state, seat, last, tables, rules, scratch, cells, trace):
    """Take the next card and return its kind, ``_NO_KIND`` if there is none.

    All but the state and the pile is for the rare case that the shuffled part of the pile is empty.
    """
    pile = scratch.pile
    left = state[LEFT]
    if left == ZERO:
        kind = _draw_further(state, seat, last, tables, rules, scratch, cells, trace)
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
def _draw_further(state, seat, last, tables, rules, scratch, cells, trace):
    """Take a card that was put under the pile, or else turn the discards into a new pile (C8)."""
    taken = state[UNDER_TAKEN]
    if taken < state[UNDER_PUT]:
        state[UNDER_TAKEN] = taken + ONE
        return np.uint64(scratch.under[taken])
    # The discards are the cards that nobody holds; the last card played lies on top of them.
    pile = scratch.pile
    left = ZERO
    for kind in range(_KINDS):
        copies = np.int64(tables.copies[kind]) - (kind == last)
        for holder in range(np.uint64(rules.players)):
            for level in range(_THREE):
                copies -= np.int64(state[holder << TWO | level] >> kind & ONE)
            copies -= scratch.extras[holder << _SIX | kind]
        for _ in range(copies):
            pile[left] = kind
            left += ONE
    if left == ZERO:
        return _NO_KIND
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
def _size_at(seat):
    """Return the place in ``hands`` of the number of cards that a seat holds."""
    return seat << TWO | _THREE


@helper
def _leader(state, players, leader):
    """Return the seat with strictly the fewest cards, or the leader so far if there is none."""
    fewest = state[_size_at(ZERO)]
    if players == TWO:  # the same, in fewer steps
        other = state[_size_at(ONE)]
        leader = ZERO if fewest < other else leader
        return ONE if other < fewest else leader
    leads = ZERO
    for seat in range(ONE, _SEATS):
        size = state[_size_at(seat)]
        leads = seat if size < fewest else (leader if size == fewest else leads)
        fewest = min(fewest, size)
    return leads


@helper
def _target(state, seat, step, players, rule):
    """Return the opponent who picks up a TakeTwo (C11), the first in turn order if tied."""
    chosen = _step(seat, step, players)
    other = chosen
    for _ in range(TWO, players):
        other = _step(other, step, players)
        if rule == 0 and state[_size_at(other)] < state[_size_at(chosen)]:
            chosen = other
        if rule == 2 and state[_size_at(other)] > state[_size_at(chosen)]:
            chosen = other
    return chosen


@helper
def _pick_random(legal_1, legal_2, legal_3, none, state):
    """Return a choice, each equally likely: its kind and its copies less one.

    ``none`` is 1 if making no move is a choice too; the kind is then ``_NO_KIND``.
    """
    of_1 = bits.size(legal_1)
    of_2 = of_1 + bits.size(legal_2)
    moves = of_2 + bits.size(legal_3)
    # A choice of one costs no random number, and no branch that is hard to foresee.
    advanced, choice = streams.below(state[DECIDING], moves + none)
    state[DECIDING] = advanced if moves + none > ONE else state[DECIDING]
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
    return kind, more


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
    seat, step, players, take_target, extras, after, tables, weighing, policy, state,
):  # fmt: skip
    """Return the choice with the best score, as ``_pick_random`` does.

    ``once``, ``twice``, ``thrice`` are the kinds held at least so often.
    """
    weights = weighing.weights
    random = state[DECIDING]
    following = _step(seat, step, players)
    by_next = NEXT_CLOSE if state[_size_at(following)] <= _CLOSE else NEXT_FAR
    by_skip = NEXT_SELF
    by_switch = NEXT_SELF
    if players > TWO:
        by_skip = NEXT_CLOSE if state[_size_at(_step(following, step, players))] <= _CLOSE else NEXT_FAR
        previous = _step(seat, players - step, players)
        by_switch = NEXT_CLOSE if state[_size_at(previous)] <= _CLOSE else NEXT_FAR
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
                    stops = state[_size_at(_target(state, seat, step, players, take_target))] <= _CLOSE
                if stops:
                    score += weights[policy, W_STOPS]
            score += weighing.total_score[policy, by, new]
            if new != total and tables.ten[new] != 0:
                score += weights[policy, W_TEN]
                if may_chain and free > 0:
                    score += weights[policy, W_CHAIN]
            if state[_size_at(seat)] == level + ONE:
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
    state[DECIDING] = random
    return best_kind, best_more


@helper
def _choose(
    decision, legal_1, legal_2, legal_3, none, total, may_chain, seat, step,
    rules, tables, weighing, policy, scratch, trace,
):  # fmt: skip
    """Let a seat choose; return the kind and the copies less one.

    ``none`` is 1 if making no move is a choice too; the kind is then ``_NO_KIND``.
    """
    state = scratch.state
    offered = bits.size(legal_1) + bits.size(legal_2) + bits.size(legal_3) + none
    state[CHOICES] += offered + _DECISION + (_FORCED if offered == ONE else ZERO)
    if trace is not None:
        write(trace, at.DECISION, seat, decision, offered, 0, 0, 0, 0)
    weighted = False
    if weighing is not None:
        weighted = weighing.weighted[policy] != 0
    if weighing is not None and weighted:
        place = seat << TWO
        kind, more = _pick_best(
            legal_1, legal_2, legal_3, none, state[place], state[place + ONE], state[place + TWO],
            total, may_chain, seat, step, np.uint64(rules.players), rules.take_target,
            scratch.extras, scratch.after, tables, weighing, policy, state,
        )  # fmt: skip
    else:
        kind, more = _pick_random(legal_1, legal_2, legal_3, none, state)
    return kind, more


@function
def _give_back(seat, drawn_now, scratch, trace):
    """Put what the last TakeTwo made its target pick up under the draw pile (C12).

    The Undo that does it stays on the discards, if it is the first one that was picked up: so if it
    is the target's own, who held none before and has not just drawn it.
    """
    picked = scratch.picked
    state = scratch.state
    taker = picked[TAKER]
    stays = taker == seat and picked[HAD_UNDO] == ZERO and not drawn_now
    for card in range(picked[TAKEN]):
        kind = picked[FIRST_PICKED + np.uint64(card)]
        if stays and kind == _UNDO:
            stays = False
        else:
            _remove(scratch.state, scratch.extras, taker, kind)
            scratch.state[_size_at(taker)] -= ONE
            scratch.under[state[UNDER_PUT]] = kind
            state[UNDER_PUT] += ONE
            if trace is not None:
                write(trace, at.RETURN, taker, kind, 0, 0, 0, 0, 0)


@helper
def _can_draw(state, deck_size, players):
    """Return whether a card can be drawn: there is a pile, or something under the top discard."""
    in_pile = state[LEFT] + state[UNDER_PUT] - state[UNDER_TAKEN]
    held = ZERO
    for seat in range(players):
        held += state[_size_at(seat)]
    return in_pile > ZERO or deck_size - held > ONE


@helper
def _next_starter(rule, starter, winner, state, players):
    """Return who starts the hand after one that somebody won (C16)."""
    chosen = winner
    if rule == 0:
        seat = winner
        most = ZERO
        for _ in range(ONE, players):
            seat = _step(seat, ONE, players)
            if state[_size_at(seat)] > most:
                most = state[_size_at(seat)]
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
    max_turns = np.uint64(rules.max_turns)
    legal = tables.legal
    after = scratch.after
    for place in range(np.uint64((rules.cap + 1) << 8)):
        after[place] = tables.after[place]
    ten = tables.ten
    weighing = policies.weighing
    allows = tables.allows
    with_effect = tables.with_effect
    deck_size = np.uint64(tables.deck.size)
    deck = scratch.deck
    for card in range(deck_size):
        deck[card] = tables.deck[card]
    around = tables.around
    order = tables.order
    passes_over = tables.passes_over
    extras = scratch.extras
    pile = scratch.pile
    state = scratch.state
    picked = scratch.picked
    position = scratch.position
    hands_won = scratch.hands_won
    capacity = rows.size // len(at.HAND_COLUMNS)
    most_hands = rules.max_hands if by_game else 1
    game = first
    row = 0
    while game < stop and row + most_hands <= capacity:
        key = streams.game_key(seed, np.uint64(game))
        for seat in range(_SEATS):
            position[seat] = 0
            hands_won[seat] = 0
        if policies.listed > 1:
            for seat in range(players):
                position[seat] = (np.int64(seat) + game * policies.rotate) % rules.players
        starter = ZERO
        hand = 0
        champion = -1
        while True:
            start = row_start(np.uint64(row), _COLUMNS)
            if start & LANE_MASK == ZERO:
                clear(rows, start, at.COUNTED, at.TOTALS + rules.cap + 1 - at.COUNTED)

            cells = rows[start:]

            # The deal (C3): one card each in turn, from the starter; extra cards last.
            random = streams.stream(key, np.uint64(hand), streams.DEAL)
            state[DECIDING] = streams.stream(key, np.uint64(hand), streams.DECIDE | policies.replicate)
            state[GAME_KEY] = key
            state[HAND_NUMBER] = hand
            for place in range(START, COUNTERS):
                state[place] = ZERO
            for card in range(_PILE):  # a copy of constant length is quicker than a short one
                pile[card] = deck[card]
            for seat in range(players, _SEATS):
                state[_size_at(seat)] = _EMPTY_SEAT
            if trace is not None:
                write(trace, at.HAND, starter, hand, rules.start, deck_size, 0, 0, 0)
            left = deck_size
            for card in range(np.uint64(order.size)):
                random, place = streams.below(random, left)
                left -= ONE
                if rules.shuffle == 0:
                    place = left
                kind = np.uint64(pile[place])
                pile[place] = pile[left]
                pile[left] = kind  # where _pick_up finds it
                if trace is not None:
                    write(trace, at.DEAL, around[starter + order[card]], kind, 0, 0, 0, 0, 0)
            _exchange(rules.exchange, key, game, hand, row, starter, left, rules, tables, pile, trace)
            for place in range(players):
                _pick_up(state, extras, around[starter + place], pile, tables, place)
            state[DEALING] = random
            state[LEFT] = left

            seat = starter
            direction = 1
            step = ONE  # to the next seat: 1, or all but 1 when play goes anticlockwise
            total = np.uint64(rules.start)
            last = _NO_KIND  # the last card played
            state[LEADER] = _NOBODY
            winner = _NOBODY
            reason = _NOT_YET
            while True:
                state[TURNS] += ONE
                place = seat << TWO
                if trace is not None:
                    write(trace, at.TURN, seat, state[TURNS], total, direction, state[place + _THREE], 0, 0)
                policy = np.uint64(position[seat])
                neighbour = around[seat + step]
                beyond = around[seat + step + step]
                following = neighbour
                moved = ZERO
                decision = at.DECIDE_TURN
                none = ZERO  # 1 if making no move is a choice
                if rules.must_play == 0 and _can_draw(state, deck_size, players):
                    none = ONE
                legal_1 = (state[place] & allows[last]) & legal[total << TWO]
                legal_2 = state[place + ONE] & legal[total << TWO | ONE]
                legal_3 = state[place + TWO] & legal[total << TWO | TWO]
                drawn = _NO_KIND
                while True:
                    kind = _NO_KIND
                    more = ZERO
                    stuck = legal_1 | legal_2 | legal_3 == ZERO
                    if not stuck:
                        kind, more = _choose(
                            decision, legal_1, legal_2, legal_3, none, total, moved + ONE < chain_limit,
                            seat, step, rules, tables, weighing, policy, scratch, trace,
                        )  # fmt: skip
                    if kind == _NO_KIND:
                        if decision != at.DECIDE_TURN:
                            if trace is not None and not stuck:
                                if decision == at.DECIDE_DRAWN:
                                    write(trace, at.KEEP, seat, drawn, 0, 0, 0, 0, 0)
                                else:
                                    write(trace, at.STOP, seat, 0, 0, 0, 0, 0, 0)
                            break
                        # Draw a card (C7).
                        if stuck:
                            cells[offset(at.STUCK)] += 1
                        elif trace is not None:
                            write(trace, at.DRAW_BY_CHOICE, seat, 0, 0, 0, 0, 0, 0)
                        drawn = _draw(state, seat, last, tables, rules, scratch, cells, trace)
                        if drawn == _NO_KIND:
                            if trace is not None:
                                write(trace, at.NOTHING_TO_DRAW, seat, 0, 0, 0, 0, 0, 0)
                            if state[LAST_PASS] + ONE != state[TURNS]:
                                state[PASSES] = ZERO
                            state[PASSES] += ONE
                            state[LAST_PASS] = state[TURNS]
                            if state[PASSES] == players:
                                reason = at.IS_BLOCKED
                            break
                        cells[offset(at.DRAWN)] += 1
                        _add(state, extras, seat, drawn)
                        state[place + _THREE] += ONE
                        if trace is not None:
                            write(trace, at.DRAW, seat, drawn, 0, 0, 0, 0, 0)
                        legal_1 = (ONE << drawn) & legal[total << TWO] & allows[last]
                        legal_2 = ZERO
                        legal_3 = ZERO
                        decision = at.DECIDE_DRAWN
                        none = ONE
                        continue

                    # The move (C5).
                    copies = more + ONE
                    _remove(state, extras, seat, kind)
                    if more != ZERO:
                        for _ in range(more):
                            _remove(state, extras, seat, kind)
                            cells[offset(at.CARDS_PLAYED)] += 1  # beyond one a move
                    state[place + _THREE] -= copies
                    moved += ONE
                    cells[offset(_PLAYS + kind)] += 1
                    before = total
                    total = np.uint64(after[((before << TWO | more) << _SIX) + kind])
                    from_draw = decision == at.DECIDE_DRAWN
                    if trace is not None:
                        write(trace, at.MOVE, seat, kind, copies, before, total, moved, from_draw)

                    # Who is next (C11): after a Skip, and with two players a Switch, one further on.
                    following = neighbour if passes_over >> kind & ONE == ZERO else beyond
                    if trace is not None:
                        if kind == _SKIP:
                            write(trace, at.MISS, neighbour, 0, 0, 0, 0, 0, 0)
                        if kind == _SWITCH or (kind == _UNDO and last == _SWITCH):
                            direction = -direction
                            write(trace, at.DIRECTION, seat, direction, 0, 0, 0, 0, 0)

                    # What else it does, or cancels (C12).
                    if (ONE << kind) & with_effect[last] != ZERO:
                        if kind == _TAKE_TWO:
                            taker = _target(state, seat, step, players, rules.take_target)
                            picked[TAKER] = taker
                            picked[HAD_UNDO] = state[taker << TWO] >> _UNDO & ONE
                            taken = ZERO
                            for _ in range(rules.take_count):
                                drawn = _draw(state, taker, kind, tables, rules, scratch, cells, trace)
                                if drawn == _NO_KIND:
                                    break
                                _add(state, extras, taker, drawn)
                                picked[FIRST_PICKED + taken] = drawn
                                taken += ONE
                                if trace is not None:
                                    write(trace, at.TAKE, taker, drawn, 0, 0, 0, 0, 0)
                            picked[TAKEN] = taken
                            state[_size_at(taker)] += taken
                            cells[offset(at.TAKEN)] += np.int64(taken)
                        elif _SWITCH in (kind, last):  # three or more players
                            step = players - step
                            following = _step(seat, step, players)
                        elif last == _SKIP:
                            following = state[SKIPPED]
                            if trace is not None:
                                write(trace, at.UNSKIP, following, 0, 0, 0, 0, 0, 0)
                        else:
                            _give_back(seat, from_draw, scratch, trace)

                    cells[offset(_TOTALS + total)] += 1
                    # An Undo would lead back here, and to this player.
                    after[total << _EIGHT | _UNDO] = before
                    state[SKIPPED] = neighbour
                    last = kind
                    landed = np.uint64(total != before) & np.uint64(ten[total])  # without a branch
                    if landed == ZERO:
                        break
                    cells[offset(at.TENS)] += 1
                    if moved >= chain_limit or (last == _UNDO and rules.undo_chains == 0):
                        break
                    # May the move be followed by another (C9)? An empty hand ends the game (C10).
                    legal_1 = (state[place] & allows[last]) & legal[total << TWO]
                    legal_2 = state[place + ONE] & legal[total << TWO | ONE]
                    legal_3 = state[place + TWO] & legal[total << TWO | TWO]
                    decision = at.DECIDE_CHAIN
                    none = ONE

                # The end of the turn.
                cells[offset(_CHAINS + moved)] += 1
                state[MOVES] += moved
                leader = _leader(state, players, state[LEADER])
                cells[offset(at.LEAD_CHANGES)] += np.int64(leader != state[LEADER])
                state[LEADER] = leader
                if state[place + _THREE] == ZERO:  # C10
                    winner = seat
                    reason = at.WON
                if reason != _NOT_YET:
                    break
                if state[TURNS] >= max_turns:
                    reason = at.IS_TRUNCATED
                    break
                seat = following

            # The end of the hand.
            won = winner != _NOBODY
            turns = np.int64(state[TURNS])
            tally = state[CHOICES]
            who = np.int64(winner) if won else -1
            if trace is not None:
                write(trace, at.HAND_END, who, reason, turns, 0, 0, 0, 0)
            held = ZERO
            for seat in range(_SEATS):
                size = state[_size_at(seat)] if seat < players else ZERO
                cells[offset(_CARDS_LEFT + seat)] = size
                held += size
            moves = np.int64(state[MOVES])
            cells[offset(at.STARTER)] = starter
            cells[offset(at.WINNER)] = who
            cells[offset(at.WINNERS)] = 1 << who if won else 0
            cells[offset(at.POLICY_WINNERS)] = 1 << position[who] if won else 0
            cells[offset(at.TURNS)] = turns
            cells[offset(at.LEAD_CHANGES)] -= np.int64(state[LEADER] != _NOBODY)  # to lead first is no change
            cells[offset(at.MOVES)] = moves
            cells[offset(at.CARDS_PLAYED)] += moves
            cells[offset(at.BLOCKED)] = reason == at.IS_BLOCKED
            cells[offset(at.TRUNCATED)] = reason == at.IS_TRUNCATED
            cells[offset(at.DECISIONS)] = tally >> _24 & _DECISIONS_MASK
            cells[offset(at.CHOICES)] = tally & _CHOICES_MASK
            cells[offset(at.FORCED)] = tally >> _44
            cells[offset(at.LOSERS)] = rules.players - won
            cells[offset(at.LOSERS_CARDS)] = held
            row += 1
            hand += 1
            if not by_game:
                break
            if won:
                hands_won[winner] += 1
                if hands_won[winner] == rules.hands_to_win:
                    champion = who
                    break
                starter = _next_starter(rules.next_starter, starter, winner, state, players)
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

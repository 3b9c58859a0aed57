"""Cap30: play a range of games (C1-C16).

State of a hand
---------------
``hands``     uint64 (16,): for each seat, the copies held of every kind as a binary number laid
              across four masks: bit k of ``hands[4 * seat + j]`` is bit j of the copies of kind k.
``sizes``     uint64: cards held by each seat, one byte a seat.
``pile``      uint8: kinds of the cards in the draw pile, from ``top`` to ``bottom``. Those before
              ``mixed`` are in no order yet: drawing picks one of them at random (a shuffle done
              one card at a time). Those from ``mixed`` on were put under the pile by an Undo.
``discards``  uint8: kinds of the discards, the last one on top.
Scalars       the total, the direction, whose turn it is, and what an Undo would cancel.

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
    NEXT_CLOSE,
    NEXT_FAR,
    NEXT_SELF,
    NOISE_LEVELS,
    W_CARDS,
    W_CHAIN,
    W_EMPTIES,
    W_NO_MOVE,
    W_OWN,
    W_STOPS,
    W_TEN,
)
from kernels.jit import helper, kernel
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
_ALL = ~ZERO
_WORST = np.int64(-(2**62))
_NOBODY = np.uint64(0xFF)
_BYTE = np.uint64(0xFF)
_COLUMNS = np.uint64(len(at.HAND_COLUMNS))
# Columns, as unsigned numbers because unsigned ones are added to them.
_CARDS_LEFT = np.uint64(at.CARDS_LEFT)
_CHAINS = np.uint64(at.CHAINS)
_PLAYS = np.uint64(at.PLAYS)
_TOTALS = np.uint64(at.TOTALS)
# Decisions, forced decisions and choices are counted in one word: choices in the low 24 bits.
_DECISION = np.uint64(1 << 24)
_FORCED = np.uint64(1 << 44)
_CHOICES_MASK = np.uint64((1 << 24) - 1)
_DECISIONS_MASK = np.uint64((1 << 20) - 1)
_24 = np.uint64(24)
_44 = np.uint64(44)


@helper
def _step(seat, clockwise, players):
    """Return the seat next to a seat, in a direction."""
    if clockwise:
        seat = seat + ONE
        return ZERO if seat == players else seat
    return (players if seat == ZERO else seat) - ONE


@helper
def _add(hands, seat, kind):
    """Put one card into a hand: a binary increment of its kind's count."""
    place = seat << TWO
    carry = ONE << kind
    digits = hands[place]
    hands[place] = digits ^ carry
    carry &= digits
    place += ONE
    digits = hands[place]
    hands[place] = digits ^ carry
    carry &= digits
    while carry != ZERO:  # a fourth copy: rare
        place += ONE
        digits = hands[place]
        hands[place] = digits ^ carry
        carry &= digits


@helper
def _remove(hands, seat, kind, copies):
    """Take up to three copies of a kind, which the hand holds, out of a hand."""
    place = seat << TWO
    borrow = (copies & ONE) << kind
    digits = hands[place]
    hands[place] = digits ^ borrow
    borrow &= ~digits
    place += ONE
    twos = (copies >> ONE) << kind
    digits = hands[place]
    left = digits ^ borrow
    hands[place] = left ^ twos
    borrow = (borrow & ~digits) | (twos & ~left)
    while borrow != ZERO:  # there were four copies or more: rare
        place += ONE
        digits = hands[place]
        hands[place] = digits ^ borrow
        borrow &= ~digits


@helper
def _draw(pile, discards, top, mixed, bottom, thrown, random, key, hand, reshuffles, seat, trace):
    """Take the next card, turning the discards into a new draw pile if need be (C8).

    Returns the kind (``_NO_KIND`` if there is no card) and the new values of ``top``, ``mixed``,
    ``bottom``, ``thrown`` (discards), ``random`` and ``reshuffles``.
    """
    if top == bottom and thrown > ONE:
        bottom = thrown - ONE
        for card in range(bottom):
            pile[card] = discards[card]
        discards[ZERO] = discards[bottom]
        top = ZERO
        mixed = bottom
        thrown = ONE
        if reshuffles == 0:
            random = streams.stream(key, hand, streams.RESHUFFLE)
        reshuffles += 1
        if trace is not None:
            write(trace, at.RESHUFFLE, seat, bottom, 0, 0, 0, 0, 0)
    kind = _NO_KIND
    if top < bottom:
        if top < mixed:
            random, offset = streams.below(random, mixed - top)
            chosen = top + offset
            kind = np.uint64(pile[chosen])
            pile[chosen] = pile[top]
        else:
            kind = np.uint64(pile[top])
        top += ONE
        mixed = max(mixed, top)
    return kind, top, mixed, bottom, thrown, random, reshuffles


@helper
def _held(sizes, seat):
    """Return how many cards a seat holds."""
    return sizes >> (seat << _THREE) & _BYTE


@helper
def _leader(sizes, players):
    """Return the seat with strictly the fewest cards, or ``_NOBODY``."""
    leader = ZERO
    fewest = _held(sizes, ZERO)
    for seat in range(ONE, players):
        size = _held(sizes, seat)
        leader = seat if size < fewest else (_NOBODY if size == fewest else leader)
        fewest = min(fewest, size)
    return leader


@helper
def _target(sizes, seat, clockwise, players, rule):
    """Return the opponent who picks up a TakeTwo (C11), the first in turn order if tied."""
    chosen = _step(seat, clockwise, players)
    if rule != 1:
        other = chosen
        for _ in range(TWO, players):
            other = _step(other, clockwise, players)
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
def _compare(score, kind, more, best, best_kind, best_more, ties, policies, policy, random):
    """Return the better of two choices; among equals each ends up equally likely."""
    if policies.noisy[policy]:
        random, level = streams.below(random, _NOISE_LEVELS)
        score += policies.noise[policy, level]
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


@helper
def _pick_best(
    legal_1, legal_2, legal_3, none, once, twice, thrice, more_than_three,
    total, undone_total, undo_allowed, may_chain, seat, clockwise, players, take_target, sizes,
    tables, policies, policy, random,
):  # fmt: skip
    """Return the choice with the best score, as ``_pick_random`` does.

    ``once`` ... ``more_than_three`` are the kinds held at least so often, ``undone_total`` is the
    total after an Undo.
    """
    weights = policies.weights
    following = _step(seat, clockwise, players)
    by_next = NEXT_CLOSE if _held(sizes, following) <= _CLOSE else NEXT_FAR
    by_skip = by_next
    by_switch = by_next
    if players == TWO:
        by_skip = NEXT_SELF
        by_switch = NEXT_SELF
    else:
        by_skip = NEXT_CLOSE if _held(sizes, _step(following, clockwise, players)) <= _CLOSE else NEXT_FAR
        by_switch = NEXT_CLOSE if _held(sizes, _step(seat, not clockwise, players)) <= _CLOSE else NEXT_FAR
    best = _WORST
    best_kind = _NO_KIND
    best_more = ZERO
    ties = ZERO
    remaining = legal_1
    level = ZERO
    enough = twice
    while True:
        while remaining != ZERO:
            kind = bits.first(remaining)
            bit = ONE << kind
            remaining ^= bit
            new = (
                undone_total
                if kind == _UNDO
                else np.uint64(tables.after[(total << TWO | level) << _SIX | kind])
            )
            rest = once & ~(bit & ~enough)
            if kind == _UNDO:
                rest &= _NO_UNDO
            free = np.int64(bits.size(rest & tables.legal[new << TWO]))
            copies = np.int64(level) + 1
            by = by_next
            score = policies.kind_score[policy, kind]
            score += weights[policy, W_CARDS] * copies + weights[policy, W_OWN] * free
            if kind >= _SKIP:
                stops = by_next == NEXT_CLOSE
                if kind == _SKIP:
                    by = by_skip
                elif kind == _SWITCH:
                    by = by_switch
                else:
                    stops = _held(sizes, _target(sizes, seat, clockwise, players, take_target)) <= _CLOSE
                if stops:
                    score += weights[policy, W_STOPS]
            score += policies.total_score[policy, by, new]
            if new != total and tables.ten[new] != 0:
                score += weights[policy, W_TEN]
                if may_chain and free > 0:
                    score += weights[policy, W_CHAIN]
            if _held(sizes, seat) == level + ONE:
                score += weights[policy, W_EMPTIES]
            best, best_kind, best_more, ties, random = _compare(
                score, kind, level, best, best_kind, best_more, ties, policies, policy, random
            )
        level += ONE
        if level == ONE:
            remaining = legal_2
            enough = thrice
        elif level == TWO:
            remaining = legal_3
            enough = more_than_three
        else:
            break
    if none != ZERO:
        free = np.int64(bits.size(once & undo_allowed & tables.legal[total << TWO]))
        score = weights[policy, W_NO_MOVE] + weights[policy, W_OWN] * free
        score += policies.total_score[policy, by_next, total]
        best, best_kind, best_more, ties, random = _compare(
            score, _NO_KIND, ZERO, best, best_kind, best_more, ties, policies, policy, random
        )
    return best_kind, best_more, random


@helper
def _next_starter(rule, starter, winner, sizes, players):
    """Return who starts the hand after one that somebody won (C16)."""
    chosen = winner
    if rule == 0:
        seat = winner
        most = ZERO
        for _ in range(ONE, players):
            seat = _step(seat, True, players)
            if _held(sizes, seat) > most:
                most = _held(sizes, seat)
                chosen = seat
    elif rule == 2:
        chosen = _step(starter, True, players)
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
    after = tables.after
    ten = tables.ten
    deck = tables.deck
    deck_size = np.uint64(deck.size)
    hands = scratch.hands
    position = scratch.position
    hands_won = scratch.hands_won
    pile = scratch.pile
    discards = scratch.discards
    taken_kinds = scratch.taken_kinds
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
                clear(rows, start, at.CHAINS, at.TOTALS + rules.cap + 1 - at.CHAINS)

            # The deal (C3): one card each in turn, from the starter; extra cards last.
            hand_key = np.uint64(hand)
            random = streams.stream(key, hand_key, streams.DEAL)
            decide = streams.stream(key, hand_key, streams.DECIDE)
            for card in range(deck_size):
                pile[card] = deck[card]
            top = ZERO
            bottom = deck_size
            mixed = bottom if rules.shuffle else ZERO
            thrown = ZERO
            reshuffles = 0
            hands[:] = ZERO
            if trace is not None:
                write(trace, at.HAND, starter, hand, rules.start, deck_size, 0, 0, 0)
            sizes = ZERO
            seat = starter
            for card in range(rules.hand_size * rules.players + max(0, rules.starter_extra)):
                if card >= rules.hand_size * rules.players:
                    seat = starter
                if seat == starter and np.int64(_held(sizes, seat)) >= rules.hand_size + rules.starter_extra:
                    seat = _step(seat, True, players)  # a starter with fewer cards is done
                    continue
                if mixed != ZERO:
                    random, offset = streams.below(random, bottom - top)
                    kind = np.uint64(pile[top + offset])
                    pile[top + offset] = pile[top]
                else:
                    kind = np.uint64(pile[top])
                top += ONE
                _add(hands, seat, kind)
                sizes += ONE << (seat << _THREE)
                if trace is not None:
                    write(trace, at.DEAL, seat, kind, 0, 0, 0, 0, 0)
                seat = _step(seat, True, players)
            mixed = max(mixed, top)

            seat = starter
            clockwise = True
            total = np.uint64(rules.start)
            last = _NO_KIND  # the last card played
            last_total = total  # the total before it
            skipped = ZERO  # who missed a turn by it
            taker = ZERO  # who picked up cards by it,
            taken_by_last = ZERO  # how many,
            taker_had_undo = False  # and whether with an Undo in hand already
            undo_allowed = _NO_UNDO
            turns = 0
            moves = 0
            cards_played = ZERO
            drawn = 0
            taken = ZERO
            stuck = 0
            tens = 0
            tally = ZERO  # decisions, forced ones and choices
            lead_changes = 0
            leader = _NOBODY
            idle = 0  # turns in a row without a card played or drawn
            winner = _NOBODY
            reason = at.WON
            while True:
                turns += 1
                if trace is not None:
                    write(
                        trace, at.TURN, seat, turns, total, 1 if clockwise else -1, _held(sizes, seat), 0, 0
                    )
                policy = np.uint64(position[seat])
                weighted = policies.weighted[policy] != 0
                moved = ZERO
                drawn_now = False
                following = _step(seat, clockwise, players)
                while True:
                    # What may be played.
                    ones = hands[seat << TWO]
                    twos = hands[(seat << TWO) + ONE]
                    more_than_three = hands[(seat << TWO) + TWO] | hands[(seat << TWO) + _THREE]
                    once = ones | twos | more_than_three
                    twice = twos | more_than_three
                    thrice = (ones & twos) | more_than_three
                    legal_1 = once & legal[total << TWO] & undo_allowed
                    legal_2 = twice & legal[total << TWO | ONE]
                    legal_3 = thrice & legal[total << TWO | TWO]
                    none = ZERO
                    decision = at.DECIDE_TURN
                    needs_card = False
                    if moved > ZERO:
                        none = ONE
                        decision = at.DECIDE_CHAIN
                        if legal_1 | legal_2 | legal_3 == ZERO:
                            break
                    elif legal_1 | legal_2 | legal_3 == ZERO:
                        stuck += 1
                        needs_card = True
                    elif rules.must_play == 0 and (top < bottom or thrown > ONE):
                        none = ONE
                    # At most twice: the choice of a move, and what to do with a card drawn.
                    kind = _NO_KIND
                    more = ZERO
                    while True:
                        if needs_card:
                            kind, top, mixed, bottom, thrown, random, reshuffles = _draw(
                                pile, discards, top, mixed, bottom, thrown, random, key, hand_key, reshuffles,
                                seat, trace,
                            )  # fmt: skip
                            if kind == _NO_KIND:
                                if trace is not None:
                                    write(trace, at.NOTHING_TO_DRAW, seat, 0, 0, 0, 0, 0, 0)
                                break
                            drawn += 1
                            drawn_now = True
                            _add(hands, seat, kind)
                            sizes += ONE << (seat << _THREE)
                            if trace is not None:
                                write(trace, at.DRAW, seat, kind, 0, 0, 0, 0, 0)
                            legal_1 = (ONE << kind) & legal[total << TWO] & undo_allowed
                            legal_2 = ZERO
                            legal_3 = ZERO
                            none = ONE
                            decision = at.DECIDE_DRAWN
                            twice |= once & (ONE << kind)
                            once |= ONE << kind
                            kind = _NO_KIND
                            if legal_1 == ZERO:
                                break
                        offered = bits.size(legal_1) + bits.size(legal_2) + bits.size(legal_3) + none
                        tally += offered + _DECISION + (_FORCED if offered == ONE else ZERO)
                        if trace is not None:
                            write(trace, at.DECISION, seat, decision, offered, 0, 0, 0, 0)
                        if weighted:
                            kind, more, decide = _pick_best(
                                legal_1, legal_2, legal_3, none, once, twice, thrice, more_than_three,
                                total, last_total if last < _UNDO else total, undo_allowed,
                                moved + ONE < chain_limit, seat, clockwise, players, rules.take_target, sizes,
                                tables, policies, policy, decide,
                            )  # fmt: skip
                        else:
                            kind, more, decide = _pick_random(legal_1, legal_2, legal_3, none, decide)
                        if kind == _NO_KIND and decision == at.DECIDE_TURN:
                            if trace is not None:
                                write(trace, at.DRAW_BY_CHOICE, seat, 0, 0, 0, 0, 0, 0)
                            needs_card = True
                            continue
                        if trace is not None and kind == _NO_KIND:
                            if decision == at.DECIDE_CHAIN:
                                write(trace, at.STOP, seat, 0, 0, 0, 0, 0, 0)
                            else:
                                write(trace, at.KEEP, seat, bits.first(legal_1), 0, 0, 0, 0, 0)
                        break
                    if kind == _NO_KIND:
                        break

                    # The move (C5). Copies are put on the discards without a branch: what is
                    # written beyond the top does not count.
                    copies = more + ONE
                    _remove(hands, seat, kind, copies)
                    sizes -= copies << (seat << _THREE)
                    discards[thrown] = kind
                    discards[thrown + ONE] = kind
                    discards[thrown + TWO] = kind
                    thrown += copies
                    moves += 1
                    moved += ONE
                    cards_played += copies
                    rows[cell(start, _PLAYS + kind)] += 1
                    before = total
                    if kind < _UNDO:
                        total = np.uint64(after[(before << TWO | more) << _SIX | kind])
                    elif kind == _UNDO and last < _UNDO:
                        total = last_total
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
                            drawn_now and moved == ONE,
                        )

                    # What it does (C11), or what it cancels (C12).
                    if kind >= _UNDO:
                        if kind == _UNDO:
                            if last == _SKIP:
                                following = skipped
                                if trace is not None:
                                    write(trace, at.UNSKIP, skipped, 0, 0, 0, 0, 0, 0)
                            elif last == _SWITCH:
                                clockwise = not clockwise
                                following = _step(seat, clockwise, players)
                                if trace is not None:
                                    write(trace, at.DIRECTION, seat, 1 if clockwise else -1, 0, 0, 0, 0, 0)
                            elif last == _TAKE_TWO:
                                # The Undo itself may be the first one that was picked up: it stays.
                                stays = taker == seat and not taker_had_undo
                                for card in range(taken_by_last):
                                    back = taken_kinds[card]
                                    if stays and back == _UNDO:
                                        stays = False
                                    else:
                                        _remove(hands, taker, back, ONE)
                                        sizes -= ONE << (taker << _THREE)
                                        pile[bottom] = back
                                        bottom += ONE
                                        if trace is not None:
                                            write(trace, at.RETURN, taker, back, 0, 0, 0, 0, 0)
                        elif kind == _SKIP:
                            skipped = following
                            following = _step(skipped, clockwise, players)
                            if trace is not None:
                                write(trace, at.MISS, skipped, 0, 0, 0, 0, 0, 0)
                        elif kind == _SWITCH:
                            clockwise = not clockwise
                            following = seat if players == TWO else _step(seat, clockwise, players)
                            if trace is not None:
                                write(trace, at.DIRECTION, seat, 1 if clockwise else -1, 0, 0, 0, 0, 0)
                        else:
                            taker = _target(sizes, seat, clockwise, players, rules.take_target)
                            place = taker << TWO
                            held = (
                                hands[place] | hands[place + ONE] | hands[place + TWO] | hands[place + _THREE]
                            )
                            taker_had_undo = held & ~_NO_UNDO != ZERO
                            taken_by_last = ZERO
                            for _ in range(rules.take_count):
                                back, top, mixed, bottom, thrown, random, reshuffles = _draw(
                                    pile, discards, top, mixed, bottom, thrown, random, key, hand_key,
                                    reshuffles, taker, trace,
                                )  # fmt: skip
                                if back == _NO_KIND:
                                    break
                                _add(hands, taker, back)
                                sizes += ONE << (taker << _THREE)
                                taken_kinds[taken_by_last] = back
                                taken_by_last += ONE
                                if trace is not None:
                                    write(trace, at.TAKE, taker, back, 0, 0, 0, 0, 0)
                            taken += taken_by_last
                    last = kind
                    last_total = before
                    undo_allowed = _NO_UNDO if kind == _UNDO else _ALL
                    rows[cell(start, _TOTALS + total)] += 1
                    landed = total != before and ten[total] != 0
                    tens += landed
                    if _held(sizes, seat) == ZERO:
                        winner = seat
                        break
                    if not landed or moved >= chain_limit or (kind == _UNDO and rules.undo_chains == 0):
                        break

                # The end of the turn.
                rows[cell(start, _CHAINS + moved)] += 1
                now_leads = _leader(sizes, players)
                if now_leads != _NOBODY:
                    lead_changes += leader != _NOBODY and now_leads != leader
                    leader = now_leads
                if winner != _NOBODY:
                    break
                idle = 0 if moved > ZERO or drawn_now else idle + 1
                if idle >= rules.players:
                    reason = at.IS_BLOCKED
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
            left = ZERO
            for seat in range(players):
                rows[cell(start, _CARDS_LEFT + seat)] = _held(sizes, seat)
                left += _held(sizes, seat)
            rows[cell(start, at.STARTER)] = starter
            rows[cell(start, at.WINNER)] = who
            rows[cell(start, at.WINNERS)] = 1 << who if won else 0
            rows[cell(start, at.POLICY_WINNERS)] = 1 << position[who] if won else 0
            rows[cell(start, at.TURNS)] = turns
            rows[cell(start, at.MOVES)] = moves
            rows[cell(start, at.CARDS_PLAYED)] = cards_played
            rows[cell(start, at.DRAWN)] = drawn
            rows[cell(start, at.TAKEN)] = taken
            rows[cell(start, at.STUCK)] = stuck
            rows[cell(start, at.TENS)] = tens
            rows[cell(start, at.BLOCKED)] = reason == at.IS_BLOCKED
            rows[cell(start, at.TRUNCATED)] = reason == at.IS_TRUNCATED
            rows[cell(start, at.RESHUFFLES)] = reshuffles
            rows[cell(start, at.LEAD_CHANGES)] = lead_changes
            rows[cell(start, at.DECISIONS)] = tally >> _24 & _DECISIONS_MASK
            rows[cell(start, at.CHOICES)] = tally & _CHOICES_MASK
            rows[cell(start, at.FORCED)] = tally >> _44
            rows[cell(start, at.LOSERS)] = rules.players - won
            rows[cell(start, at.LOSERS_CARDS)] = left
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

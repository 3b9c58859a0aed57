"""Cap30: play a range of games (C1-C16, and with Power Up C20-C25).

State of a hand
---------------
``state``     uint64: for each seat its hand, at ``4 * seat``: the sets of kinds held at least once,
              twice and three times, and the number of cards. Then streams, counters and what else
              is not worth a register through a whole turn (DEALING, ...): what LLVM cannot keep
              in registers it copies about on the stack, which costs more than memory does.
``extras``    uint16 (256,): copies beyond three, at ``64 * seat + kind``; 0 for kinds that are not
              held three times, so only those need be cleared for the next hand.
``pile``      uint8: kinds of the cards of the draw pile that are in no order yet: drawing picks
              one of them at random (a shuffle done one card at a time).
``under``     uint8: kinds of the cards that an Undo or a Swap put under the pile, in order, round and
              round.
``after``     uint8: the total after a move, as in the tables; its entry for an Undo is rewritten
              after every move.
``picked``    uint64: what the last TakeTwo did (TAKER, ...), for an Undo.
``power``     uint64, with Power Up: meters, Skips still to be served, who has a bonus or a Bullseye,
              what the last card did, for an Undo, and what was done in this turn (METERS, ...).
Scalars       the total, the direction, whose turn it is and the last card played.

The discards are not kept: they are the cards that nobody holds and that are in no pile, and the
top one is the last card played. Counts that are not needed in play grow in the row itself.

Decisions: which move at the start of a turn, play or keep a card drawn, which move or stop in a
chain. With Power Up also: whether and how to use a power (before a turn, or as a reaction after one),
which card a Swap puts away and which it makes, whom a TakeTwo, Skip or Drain hits, and after a hand
that was won the winner's bonus. A choice of one costs no random number.

Power Up is what is done ``if powers is not None``; with None numba leaves all of it out.

Seats, kinds, totals and places in the piles are uint64 throughout: an unsigned index needs no test
for a negative one, and mixing signed and unsigned numbers would make them floats.
"""

import numpy as np

from kernels import streams
from kernels.bits import ONE, TWO, ZERO
from kernels.blocks import LANE_MASK, cell, clear, offset, row_start
from kernels.cap30 import layout as at
from kernels.cap30.cards import (
    NO_KIND,
    SIX,
    THREE,
    add,
    can_draw,
    draw,
    exchange_card,
    give_back,
    pick_for_take_two,
    pick_up,
    remove,
    seat_after,
    size_at,
)
from kernels.cap30.choices import AS_WILD, choose, target
from kernels.cap30.powers import (
    NOBODY,
    act,
    add_notch,
    after_deal,
    aim_take_two,
    before_deal,
    begin_game,
    cards_made,
    has_bullseye,
    has_full_meter,
    has_passed,
    pick_bonus,
    react,
    serve_skips,
    spend_wild,
    use_power,
)
from kernels.cap30.tables import (
    CHOICES,
    COUNTERS,
    DEALING,
    DECIDING,
    GAME_KEY,
    HAND_NUMBER,
    IDLE,
    IN_FORCE,
    LAST_PASS,
    LAST_WILD,
    LEADER,
    LEFT,
    MOVES,
    PASSES,
    PILE,
    SKIPPED,
    START,
    TURN_TENS,
    TURNS,
    USED,
)
from kernels.jit import helper, kernel
from kernels.trace import write

_UNDO = np.uint64(at.UNDO)
_SKIP = np.uint64(at.SKIP)
_SWITCH = np.uint64(at.SWITCH)
_TAKE_TWO = np.uint64(at.TAKE_TWO)
_PILE = PILE
_EIGHT = np.uint64(8)
_SEATS = np.uint64(at.MAX_PLAYERS)
_EMPTY_SEAT = np.uint64(0xFFFF)  # the size of its hand: never the fewest cards
_NOT_YET = -1
_COLUMNS = np.uint64(len(at.HAND_COLUMNS))
# Columns, as unsigned numbers because unsigned ones are added to them.
_CARDS_LEFT = np.uint64(at.CARDS_LEFT)
_CHAINS = np.uint64(at.CHAINS)
_PLAYS = np.uint64(at.PLAYS)
_TOTALS = np.uint64(at.TOTALS)
_GAME_BONUSES = np.uint64(at.GAME_BONUSES)
_BONUSES = np.uint64(3)
# How ``kernels.cap30.choices`` packs what it counts.
_CHOICES_MASK = np.uint64((1 << 24) - 1)
_DECISIONS_MASK = np.uint64((1 << 20) - 1)
_24 = np.uint64(24)
_44 = np.uint64(44)


@helper
def _leader(state, players, leader):
    """Return the seat with strictly the fewest cards, or the leader so far if there is none."""
    fewest = state[size_at(ZERO)]
    if players == TWO:  # the same, in fewer steps
        other = state[size_at(ONE)]
        leader = ZERO if fewest < other else leader
        return ONE if other < fewest else leader
    leads = ZERO
    for seat in range(ONE, _SEATS):
        size = state[size_at(seat)]
        leads = seat if size < fewest else (leader if size == fewest else leads)
        fewest = min(fewest, size)
    return leads


@helper
def _next_starter(rule, starter, winner, state, players):
    """Return who starts the hand after one that somebody won (C16)."""
    chosen = winner
    if rule == 0:
        seat = winner
        most = ZERO
        for _ in range(ONE, players):
            seat = seat_after(seat, ONE, players)
            if state[size_at(seat)] > most:
                most = state[size_at(seat)]
                chosen = seat
    elif rule == 2:
        chosen = seat_after(starter, ONE, players)
    return chosen


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
    # Numba leaves out what is only for Power Up if it is an argument, and None.
    return _play(
        seed, first, stop, by_game, rules, tables, tables.powers, policies, scratch, rows, games, trace
    )


@kernel
def _play(seed, first, stop, by_game, rules, tables, powers, policies, scratch, rows, games, trace):
    """Do what ``play`` does."""
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
    power = scratch.power
    deck_size = np.uint64(tables.deck.size)
    deck = scratch.deck
    for card in range(deck_size):
        deck[card] = tables.deck[card]
    around = tables.around
    order = tables.order
    dealt = np.uint64(order.size)
    hand_cards = tables.hand_cards
    hand_ends = tables.hand_ends
    passes_over = tables.passes_over
    if powers is not None:
        with_effect = powers.with_effect
        passes_over = powers.passes_over
    extras = scratch.extras
    pile = scratch.pile
    state = scratch.state
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
        # The row of the game, which is there only in runs of games.
        of_game = row_start(np.uint64(game - first), np.uint64(len(at.GAME_COLUMNS)))
        if powers is not None:
            begin_game(power)
            if by_game:
                for bonus in range(_BONUSES):
                    games[cell(of_game, _GAME_BONUSES + bonus)] = 0
        while True:
            start = row_start(np.uint64(row), _COLUMNS)
            if start & LANE_MASK == ZERO:
                clear(rows, start, at.COUNTED, at.TOTALS + rules.cap + 1 - at.COUNTED)
                if powers is not None:
                    clear(rows, start, at.POWER_UP, len(at.HAND_COLUMNS) - at.POWER_UP)

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
                state[size_at(seat)] = _EMPTY_SEAT
            if trace is not None:
                write(trace, at.HAND, starter, hand, rules.start, deck_size, 0, 0, 0)
            if powers is not None:
                ahead = before_deal(starter, players, powers, power, trace)
                order = powers.order[ahead]
                hand_cards = powers.hand_cards[ahead]
                hand_ends = powers.hand_ends[ahead]
                dealt = hand_ends[players]
            left = deck_size
            for card in range(dealt):
                random, place = streams.below(random, left)
                left -= ONE
                if rules.shuffle == 0:
                    place = left
                kind = np.uint64(pile[place])
                pile[place] = pile[left]
                pile[left] = kind  # where pick_up finds it
                if trace is not None:
                    write(trace, at.DEAL, around[starter + order[card]], kind, 0, 0, 0, 0, 0)
            exchange_card(
                rules.exchange, key, game, hand, row, starter, left, players, hand_cards, hand_ends, pile,
                trace,
            )  # fmt: skip
            for place in range(players):
                pick_up(state, extras, around[starter + place], pile, hand_cards, hand_ends, place)
            if powers is not None:
                after_deal(players, powers, power, trace)
            state[DEALING] = random
            state[LEFT] = left

            seat = starter
            direction = 1
            step = ONE  # to the next seat: 1, or all but 1 when play goes anticlockwise
            total = np.uint64(rules.start)
            last = NO_KIND  # the last card played
            state[LEADER] = NOBODY
            winner = NOBODY
            reason = _NOT_YET
            while True:
                state[TURNS] += ONE
                place = seat << TWO
                if trace is not None:
                    write(trace, at.TURN, seat, state[TURNS], total, direction, state[place + THREE], 0, 0)
                policy = np.uint64(position[seat])
                neighbour = around[seat + step]
                beyond = around[seat + step + step]
                following = neighbour
                moved = ZERO
                decision = at.DECIDE_TURN
                none = ZERO  # 1 if making no move is a choice
                wild = ZERO  # kinds that may be played as a Wild ten
                cards = deck_size
                if powers is not None:
                    power[TURN_TENS] = ZERO
                    power[USED] = ZERO
                    stuck = np.uint64((state[place] & allows[last]) & legal[total << TWO] == ZERO)
                    cells[offset(at.STUCK)] += np.int64(stuck)
                    if has_full_meter(seat, powers, power):
                        use_power(
                            at.AT_TURN, seat, stuck, step, last, total, rules, tables, powers, weighing,
                            policy, scratch, cells, trace,
                        )  # fmt: skip
                    cards += cards_made(power)
                if rules.must_play == 0 and can_draw(state, cards, players):
                    none = ONE
                legal_1 = (state[place] & allows[last]) & legal[total << TWO]
                legal_2 = state[place + ONE] & legal[total << TWO | ONE]
                legal_3 = state[place + TWO] & legal[total << TWO | TWO]
                if powers is not None:
                    if power[IN_FORCE] != ZERO:
                        wild = state[place]
                        legal_1 = ZERO
                        legal_2 = ZERO
                        legal_3 = ZERO
                        none = ZERO
                    elif has_bullseye(seat, power) and legal_1 | legal_2 | legal_3 != ZERO:
                        wild = state[place]
                drawn = NO_KIND
                while True:
                    kind = NO_KIND
                    more = ZERO
                    cannot = legal_1 | legal_2 | legal_3 | wild == ZERO
                    if not cannot:
                        kind, more = choose(
                            decision, legal_1, legal_2, legal_3, none, wild, total,
                            moved + ONE < chain_limit, seat, step, rules, tables, powers, weighing, policy,
                            scratch, trace,
                        )  # fmt: skip
                    if kind == NO_KIND:
                        if decision != at.DECIDE_TURN:
                            if trace is not None and not cannot:
                                if decision == at.DECIDE_DRAWN:
                                    write(trace, at.KEEP, seat, drawn, 0, 0, 0, 0, 0)
                                else:
                                    write(trace, at.STOP, seat, 0, 0, 0, 0, 0, 0)
                            break
                        # Draw a card (C7).
                        if powers is None:
                            cells[offset(at.STUCK)] += np.int64(cannot)
                        if trace is not None and not cannot:
                            write(trace, at.DRAW_BY_CHOICE, seat, 0, 0, 0, 0, 0, 0)
                        drawn = draw(state, seat, last, tables, rules, powers, scratch, cells, trace)
                        if drawn == NO_KIND:
                            if trace is not None:
                                write(trace, at.NOTHING_TO_DRAW, seat, 0, 0, 0, 0, 0, 0)
                            if powers is None:
                                if state[LAST_PASS] + ONE != state[TURNS]:
                                    state[PASSES] = ZERO
                                state[PASSES] += ONE
                                state[LAST_PASS] = state[TURNS]
                                if state[PASSES] == players:
                                    reason = at.IS_BLOCKED
                            elif has_passed(seat, players, power):
                                reason = at.IS_BLOCKED
                            break
                        if powers is not None:
                            power[IDLE] = ZERO
                        cells[offset(at.DRAWN)] += 1
                        add(state, extras, seat, drawn)
                        state[place + THREE] += ONE
                        if trace is not None:
                            write(trace, at.DRAW, seat, drawn, 0, 0, 0, 0, 0)
                        legal_1 = (ONE << drawn) & legal[total << TWO] & allows[last]
                        legal_2 = ZERO
                        legal_3 = ZERO
                        wild = ZERO
                        decision = at.DECIDE_DRAWN
                        none = ONE
                        continue

                    # The move (C5). Played as a Wild ten, a card has an effect of no kind of its own.
                    effect = kind
                    cancels = last
                    from_draw = decision == at.DECIDE_DRAWN
                    manner = np.int64(from_draw)
                    if powers is not None:
                        power[IDLE] = ZERO
                        if power[LAST_WILD] != ZERO:
                            cancels = NO_KIND
                        power[LAST_WILD] = ZERO
                        if more == AS_WILD:
                            more = ZERO
                            effect = NO_KIND
                            manner = spend_wild(seat, power, cells)
                            power[LAST_WILD] = ONE
                    copies = more + ONE
                    remove(state, extras, seat, kind)
                    if more != ZERO:
                        for _ in range(more):
                            remove(state, extras, seat, kind)
                            cells[offset(at.CARDS_PLAYED)] += 1  # beyond one a move
                    state[place + THREE] -= copies
                    moved += ONE
                    cells[offset(_PLAYS + kind)] += 1
                    before = total
                    total = np.uint64(after[((before << TWO | more) << SIX) + kind])
                    if powers is not None and effect != kind:
                        total = np.uint64(powers.nearest[before])
                    if trace is not None:
                        write(trace, at.MOVE, seat, kind, copies, before, total, moved, manner)

                    # Who is next (C11): after a Skip, and with two players a Switch, one further on.
                    following = neighbour if passes_over >> effect & ONE == ZERO else beyond
                    if trace is not None:
                        if powers is None and kind == _SKIP:
                            write(trace, at.MISS, neighbour, 0, 0, 0, 0, 0, 0)
                        if effect == _SWITCH or (effect == _UNDO and cancels == _SWITCH):
                            direction = -direction
                            write(trace, at.DIRECTION, seat, direction, 0, 0, 0, 0, 0)

                    # What else it does, or cancels (C12).
                    if (ONE << effect) & with_effect[cancels] != ZERO:
                        done = False
                        if powers is not None:
                            done, following = act(
                                effect, cancels, seat, following, step, total, players, tables, weighing,
                                policy, scratch, cells, trace,
                            )  # fmt: skip
                        if done:
                            pass
                        elif effect == _TAKE_TWO:
                            count = rules.take_count
                            if powers is None:
                                hit = target(state, seat, step, players, rules.take_target)
                            else:
                                hit, count = aim_take_two(
                                    seat, step, total, count, players, tables, weighing, policy, scratch,
                                    cells, trace,
                                )  # fmt: skip
                            pick_for_take_two(hit, count, kind, tables, rules, powers, scratch, cells, trace)
                        elif _SWITCH in (effect, cancels):  # three or more players
                            step = players - step
                            following = seat_after(seat, step, players)
                        elif cancels == _SKIP:
                            following = state[SKIPPED]
                            if trace is not None:
                                write(trace, at.UNSKIP, following, 0, 0, 0, 0, 0, 0)
                        else:
                            give_back(seat, from_draw, scratch, trace)

                    cells[offset(_TOTALS + total)] += 1
                    # An Undo would lead back here, and to this player.
                    after[total << _EIGHT | _UNDO] = before
                    state[SKIPPED] = neighbour
                    last = kind
                    landed = np.uint64(total != before) & np.uint64(ten[total])  # without a branch
                    if landed == ZERO:
                        break
                    cells[offset(at.TENS)] += 1
                    if powers is not None:
                        add_notch(seat, powers, power, cells, trace)
                    if moved >= chain_limit or (effect == _UNDO and rules.undo_chains == 0):
                        break
                    # May the move be followed by another (C9)? An empty hand ends the game (C10).
                    legal_1 = (state[place] & allows[last]) & legal[total << TWO]
                    legal_2 = state[place + ONE] & legal[total << TWO | ONE]
                    legal_3 = state[place + TWO] & legal[total << TWO | TWO]
                    wild = ZERO
                    decision = at.DECIDE_CHAIN
                    none = ONE

                # The end of the turn.
                cells[offset(_CHAINS + moved)] += 1
                state[MOVES] += moved
                leader = _leader(state, players, state[LEADER])
                cells[offset(at.LEAD_CHANGES)] += np.int64(leader != state[LEADER])
                state[LEADER] = leader
                if state[place + THREE] == ZERO:  # C10
                    winner = seat
                    reason = at.WON
                if reason != _NOT_YET:
                    break
                if state[TURNS] >= max_turns:
                    reason = at.IS_TRUNCATED
                    break
                if powers is not None:
                    if powers.reaction != 0 and moved > ZERO and state[place + THREE] == ONE:
                        react(
                            seat, step, last, total, rules, tables, powers, weighing, position, scratch,
                            cells, trace,
                        )  # fmt: skip
                    following = serve_skips(following, step, players, power, cells, trace)
                seat = following

            # The end of the hand.
            won = winner != NOBODY
            turns = np.int64(state[TURNS])
            tally = state[CHOICES]
            who = np.int64(winner) if won else -1
            if trace is not None:
                write(trace, at.HAND_END, who, reason, turns, 0, 0, 0, 0)
            held = ZERO
            for seat in range(_SEATS):
                size = state[size_at(seat)] if seat < players else ZERO
                cells[offset(_CARDS_LEFT + seat)] = size
                held += size
            moves = np.int64(state[MOVES])
            cells[offset(at.STARTER)] = starter
            cells[offset(at.WINNER)] = who
            cells[offset(at.WINNERS)] = 1 << who if won else 0
            cells[offset(at.POLICY_WINNERS)] = 1 << position[who] if won else 0
            cells[offset(at.TURNS)] = turns
            cells[offset(at.LEAD_CHANGES)] -= np.int64(state[LEADER] != NOBODY)  # to lead first is no change
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
                if powers is not None and hand < rules.max_hands:
                    bonus = pick_bonus(
                        winner, starter, players, tables, weighing, np.uint64(position[winner]),
                        scratch, trace,
                    )  # fmt: skip
                    games[cell(of_game, _GAME_BONUSES + bonus)] += 1
                    cells[offset(at.DECISIONS)] += 1
                    cells[offset(at.CHOICES)] += np.int64(_BONUSES)
            if hand == rules.max_hands:
                break

        if by_game:
            everybody = (1 << rules.players) - 1
            games[cell(of_game, at.GAME_WINNERS)] = everybody
            games[cell(of_game, at.GAME_POLICY_WINNERS)] = everybody if policies.listed > 1 else 1
            if champion >= 0:
                games[cell(of_game, at.GAME_WINNERS)] = 1 << champion
                games[cell(of_game, at.GAME_POLICY_WINNERS)] = 1 << position[champion]
            games[cell(of_game, at.GAME_HANDS)] = hand
            games[cell(of_game, at.GAME_DRAWN)] = champion < 0
            if trace is not None:
                write(trace, at.GAME_END, champion, hand, 0, 0, 0, 0, 0)
        game += 1
    return game, row

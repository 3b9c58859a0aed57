"""Contract rummy: play a range of games of 30-30 (T1-T12) or Cap-It (P1-P11), on shared rules R1-R14.

One compiled entry plays both; ``rules`` says what a turn's draw is and how much of a hand may be laid.

State of a hand
---------------
``hands``     what each seat holds; see ``kernels.rummy.cards``.
``melds``     what is on the table; see ``kernels.rummy.melds``.
``pile``      uint8: kinds of the cards in the stock, from ``top`` to ``bottom``, in no order yet: drawing
              picks one of them at random (a shuffle done one card at a time).
``discards``  uint8: kinds of the discards, the last one on top.
Scalars       whose turn it is, how many melds and discards there are.

Decisions: the draw (to buy, or to take or push), going down, melding, the discard. A choice of one costs no
random number. Policies choose as in ``kernels.rummy.choices``.
"""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, TWO, ZERO
from kernels.blocks import cell, row_start
from kernels.cap_it import layout as cap_it
from kernels.jit import helper, kernel
from kernels.piles import place_of_any
from kernels.rummy import cards, choices
from kernels.rummy import layout as at
from kernels.rummy import tables as of
from kernels.rummy.cards import STRIDE_BITS
from kernels.rummy.contract import NO_WAY, find_way
from kernels.rummy.melds import lay_contract, meld_cards
from kernels.thirty_thirty import layout as thirty_thirty
from kernels.trace import write

_NO_KIND = np.uint64(at.KINDS)
_NOBODY = np.uint64(255)
_HAND_WIDTH = np.uint64(at.HAND_WIDTH)
_GAME_WIDTH = np.uint64(at.GAME_WIDTH)
_CONTRACT_STRIDE = np.uint64(of.CONTRACT_STRIDE)
_CARDS = np.uint64(of.CARDS)
_HOLD_BACK = np.uint64(at.HOLD_BACK)
_OWN_MELDS = np.uint64(at.OWN_MELDS)
_ALL_MELDS = np.uint64(at.ALL_MELDS)
_THREE = np.uint64(3)
# Columns by seat, as unsigned numbers because a seat is added to them.
_POINTS = np.uint64(at.POINTS)
_CARDS_LEFT = np.uint64(at.CARDS_LEFT)
_DOWN = np.uint64(at.DOWN)
_TURN_DOWN = np.uint64(at.TURN_DOWN)
_MELDED = np.uint64(at.MELDED)
_LAID_OFF = np.uint64(at.LAID_OFF)
_SWAPS = np.uint64(at.SWAPS)
_WILDS_USED = np.uint64(at.WILDS_USED)
_WILDS_LEFT = np.uint64(at.WILDS_LEFT)
_DRAW_1 = np.uint64(at.DRAW_1)
_DRAW_2 = np.uint64(at.DRAW_2)
_DRAW_3 = np.uint64(at.DRAW_3)
_SCORE = np.uint64(at.GAME_SCORE)
_MONEY = np.uint64(at.GAME_MONEY)
# Decisions, forced decisions and choices are counted in one word: choices in the low 24 bits.
_DECISION = np.uint64(1 << 24)
_FORCED = np.uint64(1 << 44)
_TWO_CHOICES = _DECISION + TWO
_CHOICES_MASK = np.uint64((1 << 24) - 1)
_DECISIONS_MASK = np.uint64((1 << 20) - 1)
_24 = np.uint64(24)
_44 = np.uint64(44)


@helper
def _step(seat, players):
    """Return the seat to the left."""
    seat += ONE
    return ZERO if seat == players else seat


@helper
def _exchange(exchange, key, game, hand, row, hands, players, pile, top, bottom, trace):
    """Exchange a card of a hand for one that was not dealt, if asked to."""
    if exchange is not None:
        seat = np.uint64(game) // players % players
        base = seat << STRIDE_BITS
        random = streams.stream(key, hand, streams.EXCHANGE)
        random, number = streams.below(random, hands[base + cards.SIZE])
        kind = cards.JOKER
        if number >= hands[base + cards.JOKERS]:
            number -= hands[base + cards.JOKERS]
            level = base
            held = hands[level] & ~ONE  # the Joker is not among the others
            while number >= bits.size(held):
                number -= bits.size(held)
                level += ONE
                held = hands[level] & ~ONE
            kind = bits.nth(held, number)
        chosen, random = place_of_any(pile, top, bottom, exchange.kinds, random)
        done = chosen < bottom and exchange.kinds >> kind & ONE == ZERO
        exchange.done[row] = done
        if done:
            given = np.uint64(pile[chosen])
            pile[chosen] = kind
            cards.remove(hands, seat, kind)
            cards.add(hands, seat, given)
            if trace is not None:
                write(trace, at.EXCHANGED, seat, kind, given, 0, 0, 0, 0)


@helper
def _pick(pile, top, bottom, shuffled, random):
    """Return the next card of the stock, whose place at the ``top`` is then free, and the stream."""
    kind = np.uint64(pile[top])
    if shuffled:
        random, offset = streams.below(random, bottom - top)
        pile[top] = pile[top + offset]
        pile[top + offset] = kind
        kind = np.uint64(pile[top])
    return kind, random


@kernel
def play(seed, first, stop, by_game, rules, tables, policies, scratch, rows, games, trace):
    """Play games ``first``, ``first + 1``, ... until ``stop`` or until the blocks are full.

    Parameters
    ----------
    seed : uint64
    first, stop : int64
        Numbers of the games.
    by_game : bool
        True: whole games, one hand for each contract; False: each game is a single hand, started
        by seat 0.
    rules, tables, policies, scratch
        See ``kernels.rummy.tables``.
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
    keep = np.uint64(rules.keep)
    min_run = np.uint64(rules.min_run)
    lowest_place = np.uint64(rules.lowest_place)
    swap_same_meld = rules.swap_same_meld != 0
    may_lay_off = rules.layoff != of.NO_LAYOFF
    shuffled = rules.shuffle != 0
    own_only = rules.layoff == of.OWN_LAYOFF
    buying = rules.draw == of.BUY
    ways_to_meld = _THREE if rules.layoff == of.ANY_LAYOFF else TWO
    # Numbers of decisions; going down is followed by melding and the discard.
    down_or_wait = thirty_thirty.DOWN_OR_WAIT if buying else cap_it.DOWN_OR_WAIT
    contracts = tables.contracts
    hands = scratch.hands
    melds = scratch.melds
    pile = scratch.pile
    discards = scratch.discards
    search = scratch.search
    way = scratch.way
    position = scratch.position
    nickels = scratch.nickels
    scores = scratch.scores
    money = scratch.money
    deck = tables.deck
    deck_size = np.uint64(deck.size)
    hand_words = players << STRIDE_BITS
    capacity = rows.size // at.HAND_WIDTH
    most_hands = rules.contracts if by_game else 1
    game = first
    row = 0
    while game < stop and row + most_hands <= capacity:
        key = streams.game_key(seed, np.uint64(game))
        for seat in range(players):
            position[seat] = 0
            if policies.listed > 1:
                position[seat] = (np.int64(seat) + game * policies.rotate) % rules.players
            nickels[seat] = rules.nickels
            scores[seat] = 0
            money[seat] = 0
        bought = 0
        starter = ZERO
        for hand in range(most_hands):
            hand_key = np.uint64(hand)
            number = hand if by_game else rules.hand
            contract = np.uint64(number) * _CONTRACT_STRIDE
            random = streams.stream(key, hand_key, streams.DEAL)
            decide = streams.stream(key, hand_key, streams.DECIDE | policies.replicate)

            # The deal (T4, P2): one card each in turn, from the starter; then one is turned up.
            dealer = (starter if starter != ZERO else players) - ONE
            for each in range(deck_size):
                pile[each] = deck[each]
            for word in range(hand_words):
                hands[word] = ZERO
            top = ZERO
            bottom = deck_size
            thrown = ZERO
            laid = ZERO
            if trace is not None:
                write(trace, at.HAND, starter, number + 1, dealer, deck_size, hand, 0, 0)
            seat = starter
            for _ in range(rules.hand_size * rules.players):
                kind, random = _pick(pile, top, bottom, shuffled, random)
                top += ONE
                cards.add(hands, seat, kind)
                if trace is not None:
                    write(trace, at.DEAL, seat, kind, 0, 0, 0, 0, 0)
                seat = _step(seat, players)
            if rules.upcard != 0:
                kind, random = _pick(pile, top, bottom, shuffled, random)
                top += ONE
                discards[thrown] = kind
                thrown += ONE
                if trace is not None:
                    write(trace, at.UPCARD, dealer, kind, 0, 0, 0, 0, 0)
            _exchange(rules.exchange, key, game, hand_key, row, hands, players, pile, top, bottom, trace)
            if rules.nickels_per_hand != 0:
                for seat in range(players):
                    nickels[seat] = rules.nickels

            seat = starter
            turns = 0
            reshuffles = 0
            tally = ZERO  # decisions, forced ones and choices
            winner = _NOBODY
            reason = at.OUT
            while True:
                turns += 1
                base = seat << STRIDE_BITS
                policy = np.uint64(position[seat])
                weighted = policies.weighted[policy] != 0
                following = _step(seat, players)
                if trace is not None:
                    write(
                        trace, at.TURN, seat, turns, hands[base + cards.SIZE],
                        hands[base + cards.TURN_DOWN] != ZERO, nickels[seat] if buying else 0,
                        np.int64(discards[thrown - ONE]) if thrown > ZERO else np.int64(-1), 0,
                    )  # fmt: skip

                # The top discard: bought by who is in turn or another in turn order, but not who
                # discarded it (T6, T7); or taken by who is in turn, else pushed to the left (P5).
                kind = np.uint64(discards[thrown - ONE]) if thrown > ZERO else _NO_KIND
                askable = 1 if thrown > ZERO else 0
                if buying:
                    askable = rules.players if turns == 1 else rules.players - 1
                gets = False
                asked = seat
                # What is drawn: `extra` cards of the stock by `receiver`, then `own` by who is in turn.
                receiver = seat
                extra = 0
                own = 1
                for place in range(askable):
                    if not buying or nickels[asked] > 0:
                        with_it = rules.buy_extra if place == 0 else rules.buy_extra_out
                        tally += _TWO_CHOICES
                        if trace is not None:
                            write(trace, at.DECISION, asked, 1 if place == 0 else 2, 2, 0, 0, 0, 0)
                        of_asked = np.uint64(position[asked])
                        if policies.weighted[of_asked] != 0:
                            gets, decide = choices.wants(
                                hands, asked, _step(asked, players), kind, with_it, place > 0, nickels[asked],
                                most_hands - hand - 1, melds, laid, contract, rules, tables, policies,
                                of_asked, scratch, decide,
                            )  # fmt: skip
                        else:
                            decide, coin = streams.below(decide, TWO)
                            gets = coin == ZERO
                        if gets:
                            thrown -= ONE
                            cards.add(hands, asked, kind)
                            at_asked = asked << STRIDE_BITS
                            hands[at_asked + cards.SHOWN] |= ONE << kind
                            hands[at_asked + cards.DRAW + (ZERO if place == 0 else ONE)] += ONE
                            receiver = asked
                            extra = with_it
                            own = 0 if place == 0 else 1
                            if buying:
                                nickels[asked] -= 1
                                bought += 1
                            if trace is not None:
                                if buying:
                                    write(trace, at.BUY, asked, kind, place == 0, nickels[asked], 0, 0, 0)
                                else:
                                    write(trace, at.TAKE, asked, kind, 0, 0, 0, 0, 0)
                            break
                        if trace is not None and buying:
                            write(trace, at.NO_BUY, asked, kind, 0, 0, 0, 0, 0)
                    asked = _step(asked, players)
                if rules.draw == of.PUSH and askable > 0 and not gets:
                    hands[base + cards.DRAW + ONE] += ONE
                    if trace is not None:
                        write(trace, at.PUSH, seat, kind, following, top < bottom, 0, 0, 0)
                    if top < bottom:  # P9: else nothing moves, and there is nothing to draw
                        thrown -= ONE
                        cards.add(hands, following, kind)
                        receiver = following
                        extra = 1
                        if trace is not None:
                            write(trace, at.RECEIVE, following, kind, 0, 0, 0, 0, 0)
                if trace is not None and rules.draw == of.PICK and askable > 0 and not gets:
                    write(trace, at.LEAVE, seat, kind, 0, 0, 0, 0, 0)
                for card in range(extra + own):
                    drawer = receiver if card < extra else seat
                    if top == bottom:
                        if rules.reshuffle != 0 and thrown > ONE and reshuffles < rules.max_reshuffles:
                            # R12: all discards but the top one.
                            bottom = thrown - ONE
                            for each in range(bottom):
                                pile[each] = discards[each]
                            discards[ZERO] = discards[bottom]
                            top = ZERO
                            thrown = ONE
                            if reshuffles == 0:
                                random = streams.stream(key, hand_key, streams.RESHUFFLE)
                            reshuffles += 1
                            if trace is not None:
                                write(trace, at.RESHUFFLE, drawer, bottom, reshuffles, 0, 0, 0, 0)
                        else:
                            reason = at.NO_STOCK
                            if trace is not None:
                                write(trace, at.NOTHING_TO_DRAW, drawer, 0, 0, 0, 0, 0, 0)
                            break
                    kind, random = _pick(pile, top, bottom, shuffled, random)
                    top += ONE
                    cards.add(hands, drawer, kind)
                    if trace is not None:
                        pushed = rules.draw == of.PUSH and card < extra
                        write(trace, at.RECEIVE if pushed else at.DRAW, drawer, kind, 0, 0, 0, 0, 0)
                if reason == at.NO_STOCK:
                    break

                # Going down (R8, R9).
                may_meld = hands[base + cards.TURN_DOWN] != ZERO
                if not may_meld and hands[base + cards.SIZE] >= contracts[contract + _CARDS] + keep:
                    worth = find_way(
                        hands, seat, contract, contracts, tables.best, tables.points, lowest_place, ZERO,
                        search, way,
                    )  # fmt: skip
                    if worth != NO_WAY:
                        goes_down = True
                        if weighted:
                            tally += _TWO_CHOICES
                            if trace is not None:
                                write(trace, at.DECISION, seat, down_or_wait, 2, 0, 0, 0, 0)
                            goes_down, decide = choices.goes_down(
                                hands, seat, melds, laid, contract, rules, tables, policies, policy, scratch,
                                decide,
                            )  # fmt: skip
                        if goes_down:
                            laid = lay_contract(
                                hands, seat, melds, laid, contract, contracts, lowest_place, way, search,
                                trace,
                            )  # fmt: skip
                            hands[base + cards.TURN_DOWN] = np.uint64(turns)
                            may_meld = rules.contract_only == 0
                        elif trace is not None:
                            write(trace, at.WAIT, seat, 0, 0, 0, 0, 0, 0)

                # Melding (R6, R7, T9, P6).
                if may_meld and hands[base + cards.SIZE] != ZERO:
                    how = _ALL_MELDS
                    if weighted:
                        tally += _DECISION + ways_to_meld
                        if trace is not None:
                            write(trace, at.DECISION, seat, down_or_wait + 1, ways_to_meld, 0, 0, 0, 0)
                        how, decide = choices.how_to_meld(
                            hands, seat, melds, laid, contract, rules, tables, policies, policy, scratch,
                            decide,
                        )  # fmt: skip
                        if trace is not None:
                            write(trace, at.MELDING, seat, how, 0, 0, 0, 0, 0)
                    if how != _HOLD_BACK:
                        laid = meld_cards(
                            hands, seat, melds, laid, keep, own_only or how == _OWN_MELDS, may_lay_off,
                            swap_same_meld, min_run, lowest_place, tables.most_wilds, trace,
                        )  # fmt: skip
                if hands[base + cards.SIZE] == ZERO:
                    winner = seat
                    break

                # The discard (T9, T12, P8).
                held = hands[base]
                offered = bits.size(held)
                tally += offered + _DECISION + (_FORCED if offered == ONE else ZERO)
                if trace is not None:
                    write(trace, at.DECISION, seat, down_or_wait + 2, offered, 0, 0, 0, 0)
                kind = bits.first(held)
                if offered > ONE:
                    if weighted:
                        kind, decide = choices.discards(
                            hands, seat, following, melds, laid, contract, rules, tables, policies, policy,
                            scratch, decide,
                        )  # fmt: skip
                    else:
                        decide, chosen = streams.below(decide, offered)
                        kind = bits.nth(held, chosen)
                cards.remove(hands, seat, kind)
                discards[thrown] = kind
                thrown += ONE
                if trace is not None:
                    write(trace, at.DISCARD, seat, kind, hands[base + cards.SIZE], 0, 0, 0, 0)
                if hands[base + cards.SIZE] == ZERO:
                    winner = seat
                    break
                if turns >= rules.max_turns:
                    reason = at.TOO_LONG
                    break
                seat = following

            # The end of the hand (R14).
            won = winner != _NOBODY
            who = np.int64(winner) if won else np.int64(-1)
            if trace is not None:
                write(trace, at.HAND_END, who, reason, turns, 0, 0, 0, 0)
            start = row_start(np.uint64(row), _HAND_WIDTH)
            fewest = np.int64(2**62)
            for seat in range(players):
                base = np.uint64(seat) << STRIDE_BITS
                points = cards.points_in_hand(hands, np.uint64(seat), tables.points)
                fewest = min(fewest, points)
                scores[seat] += points
                is_down = hands[base + cards.TURN_DOWN] != ZERO
                rows[cell(start, _POINTS + seat)] = points
                rows[cell(start, _CARDS_LEFT + seat)] = hands[base + cards.SIZE]
                rows[cell(start, _DOWN + seat)] = is_down
                rows[cell(start, _TURN_DOWN + seat)] = hands[base + cards.TURN_DOWN]
                rows[cell(start, _MELDED + seat)] = hands[base + cards.MELDED]
                rows[cell(start, _LAID_OFF + seat)] = hands[base + cards.LAID_OFF]
                rows[cell(start, _SWAPS + seat)] = hands[base + cards.SWAPS]
                rows[cell(start, _WILDS_USED + seat)] = hands[base + cards.WILDS_USED]
                rows[cell(start, _WILDS_LEFT + seat)] = hands[base + cards.WILDS]
                rows[cell(start, _DRAW_1 + seat)] = hands[base + cards.DRAW]
                rows[cell(start, _DRAW_2 + seat)] = hands[base + cards.DRAW + ONE]
                rows[cell(start, _DRAW_3 + seat)] = nickels[seat]
                if trace is not None:
                    write(trace, at.SCORE, seat, points, hands[base + cards.SIZE], scores[seat], 0, 0, 0)
            lowest = 0
            for seat in range(players):
                lowest += rows[cell(start, _POINTS + seat)] == fewest
            for seat in range(players):
                if not buying:
                    is_lowest = rows[cell(start, _POINTS + seat)] == fewest
                    rows[cell(start, _DRAW_3 + seat)] = is_lowest
                    # P11: the lowest of a round of a game share its prize.
                    if by_game and is_lowest and rules.prize > 0:
                        prize = rules.prize * rules.parts // lowest
                        money[seat] += prize
                        if trace is not None:
                            write(trace, at.PRIZE, seat, prize, 0, 0, 0, 0, 0)
            rows[cell(start, at.STARTER)] = starter
            rows[cell(start, at.WINNER)] = who
            rows[cell(start, at.WINNERS)] = 1 << who if won else 0
            rows[cell(start, at.POLICY_WINNERS)] = 1 << position[who] if won else 0
            rows[cell(start, at.HAND_NUMBER)] = number + 1
            rows[cell(start, at.DEALER)] = dealer
            rows[cell(start, at.TURNS)] = turns
            rows[cell(start, at.SOMEONE_OUT)] = won
            rows[cell(start, at.STOCK_OUT)] = reason == at.NO_STOCK
            rows[cell(start, at.TRUNCATED)] = reason == at.TOO_LONG
            rows[cell(start, at.RESHUFFLES)] = reshuffles
            rows[cell(start, at.DECISIONS)] = tally >> _24 & _DECISIONS_MASK
            rows[cell(start, at.CHOICES)] = tally & _CHOICES_MASK
            rows[cell(start, at.FORCED)] = tally >> _44
            row += 1
            starter = _step(starter, players)  # R11

        if by_game:
            # R14, T11, P11: the lowest score wins what is in the pot.
            pot = rules.ante * rules.players + rules.price * bought - rules.prize * most_hands
            fewest = scores[ZERO]
            for seat in range(players):
                fewest = min(fewest, scores[seat])
            winners = 0
            policy_winners = 0
            sharing = 0
            champion = np.int64(-1)
            for seat in range(players):
                if scores[seat] == fewest:
                    winners |= 1 << np.int64(seat)
                    policy_winners |= 1 << position[seat] if policies.listed > 1 else 1
                    sharing += 1
                    champion = np.int64(seat)
            if sharing > 1:
                champion = np.int64(-1)
            start = row_start(np.uint64(game - first), _GAME_WIDTH)
            games[cell(start, at.GAME_WINNERS)] = winners
            games[cell(start, at.GAME_POLICY_WINNERS)] = policy_winners
            games[cell(start, at.GAME_HANDS)] = most_hands
            games[cell(start, at.GAME_POT)] = pot
            games[cell(start, at.GAME_PARTS)] = rules.parts
            if trace is not None:
                write(trace, at.GAME_END, champion, most_hands, winners, pot, 0, 0, 0)
            for seat in range(players):
                if scores[seat] == fewest:
                    money[seat] += pot * rules.parts // sharing
                games[cell(start, _SCORE + seat)] = scores[seat]
                games[cell(start, _MONEY + seat)] = money[seat]
                if trace is not None:
                    write(trace, at.MONEY, seat, money[seat], rules.parts, 0, 0, 0, 0)
        game += 1
    return game, row

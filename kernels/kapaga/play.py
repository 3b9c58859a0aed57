"""Kapaga: play a range of games (K1-K25).

State of a game
---------------
``seats``     uint64 (10,): the seat at each place. Places count the players in the hand clockwise
              from 0, so seats close up when a player is eliminated.
``score``     int64 (10,), ``position`` uint64 (10,): score and policy of each seat.

State of a hand
---------------
``hands``     uint64 (20,): for each place, the copies held of every kind (at most three) as a
              binary number laid across two masks: bit k of ``hands[2 * place + j]`` is bit j.
``sizes``     uint64 (10,): cards held at each place.
``charged``   int64 (10,): penalty points at each place.
``pile``      uint8: kinds of the cards in the stock, from ``top`` to ``bottom``, in no order yet:
              drawing picks one of them at random (a shuffle done one card at a time).
``discards``  uint8: kinds of the discards, the last one on top.
Scalars       what is asked for (the top card, or a call), the attack that the next player faces.

A put goes through its cards one by one. What they do is counted in one word, ``effects``, and
applied when the last of them is down (K19); the turned card is put by the dealer likewise.

Decisions are made in one place: the cards to choose from are a mask, and ``none`` is 1 if there is
one choice more that puts no card (draw, take, keep, stop, alone). A choice of one costs no random
number. Places, seats, kinds and masks are uint64 throughout: an unsigned index needs no test for a
negative one, and mixing signed and unsigned numbers would make them floats.
"""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, TWO, ZERO
from kernels.blocks import LANE_MASK, cell, clear, row_start
from kernels.jit import helper, kernel
from kernels.kapaga import layout as at
from kernels.kapaga.tables import (
    CLOSE,
    CLUBS_AT,
    FIRST_CALL,
    FIVES_AT,
    NINES_AT,
    NOISE_LEVELS,
    RATE_SCALE,
    SEVENS_AT,
    TWOS_AT,
    W_ADDS,
    W_ATTACK,
    W_ATTACK_CLOSE,
    W_FIT,
    W_HAND,
    W_NEXT,
    W_OUT,
    W_TAKEN,
    W_TURNOVER,
)
from kernels.piles import place_of_any
from kernels.trace import write

_ACE = np.uint64(at.ACE)
_EIGHT = np.uint64(at.EIGHT)
_JOKER_RANK = np.uint64(at.RANKS)
_JOKER = np.uint64(at.JOKER)
_NO_KIND = np.uint64(at.KINDS)
_FIRST_CALL = np.uint64(FIRST_CALL)
_TWOS = np.uint64(sum(1 << (at.RANKS * suit + at.TWO) for suit in range(4)))
_TWO_OF_SPADES = np.uint64(1 << at.TWO_OF_SPADES)
_ACES = np.uint64(sum(1 << (at.RANKS * suit + at.ACE) for suit in range(4)))
_WILD = np.uint64(sum(1 << (at.RANKS * suit + at.EIGHT) for suit in range(4)) | 1 << at.JOKER)
_SUIT = np.uint64((1 << at.RANKS) - 1)
_RANKS = np.uint64(at.RANKS)
_TWOS_AT = np.uint64(TWOS_AT)
_FIVES_AT = np.uint64(FIVES_AT)
_CLUBS_AT = np.uint64(CLUBS_AT)
_NINES_AT = np.uint64(NINES_AT)
_SEVENS_AT = np.uint64(SEVENS_AT)
_BYTE = np.uint64(0xFF)
_CLOSE = np.uint64(CLOSE)
_NOISE_LEVELS = np.uint64(NOISE_LEVELS)
_RATE_SCALE = np.uint64(RATE_SCALE)
_WORST = np.int64(-(2**62))
_NOBODY = np.uint64(0xFF)
_COLUMNS = np.uint64(len(at.HAND_COLUMNS))
_GAME_COLUMNS = np.uint64(len(at.GAME_COLUMNS))
# Columns, as unsigned numbers because unsigned ones are added to them.
_CARDS_LEFT = np.uint64(at.CARDS_LEFT)
_POINTS = np.uint64(at.POINTS)
_PLAYS = np.uint64(at.PLAYS)
_PLACE = np.uint64(at.GAME_PLACE)
# Decisions, forced decisions and choices are counted in one word: choices in the low 24 bits.
_DECISION = np.uint64(1 << 24)
_FORCED = np.uint64(1 << 44)
_CHOICES_MASK = np.uint64((1 << 24) - 1)
_DECISIONS_MASK = np.uint64((1 << 20) - 1)
_24 = np.uint64(24)
_44 = np.uint64(44)


@helper
def _add(hands, place, kind):
    """Put one card into a hand: a binary increment of its kind's count."""
    index = place << ONE
    bit = ONE << kind
    digits = hands[index]
    hands[index] = digits ^ bit
    hands[index | ONE] ^= digits & bit


@helper
def _remove(hands, place, kind):
    """Take a card, which the hand holds, out of a hand."""
    index = place << ONE
    bit = ONE << kind
    digits = hands[index]
    hands[index] = digits ^ bit
    hands[index | ONE] ^= ~digits & bit


@helper
def _exchange(exchange, key, game, hand, row, hands, sizes, players, seats, pile, top, bottom, trace):
    """Exchange a card of a hand for one that was not dealt, if asked to."""
    if exchange is not None:
        place = np.uint64(game) // players % players
        random = streams.stream(key, hand, streams.EXCHANGE)
        random, number = streams.below(random, sizes[place])
        ones, twos = hands[place << ONE], hands[place << ONE | ONE]
        kind = ZERO
        copies = (ones & ONE) + (twos & ONE) * TWO
        while number >= copies:
            number -= copies
            kind += ONE
            copies = (ones >> kind & ONE) + (twos >> kind & ONE) * TWO
        chosen, random = place_of_any(pile, top, bottom, exchange.kinds, random)
        done = chosen < bottom and exchange.kinds >> kind & ONE == ZERO
        exchange.done[row] = done
        if done:
            given = np.uint64(pile[chosen])
            pile[chosen] = kind
            _remove(hands, place, kind)
            _add(hands, place, given)
            if trace is not None:
                write(trace, at.EXCHANGED, seats[place], kind, given, 0, 0, 0, 0)


@helper
def _draw(
    pile, discards, top, bottom, thrown, random, key, hand, reshuffles, charged, rules, place, seat, trace
):
    """Take the next card, turning the discards into a new stock if need be (K7).

    Returns the kind (``_NO_KIND`` if there is no card) and the new values of ``top``, ``bottom``,
    ``thrown`` (discards), ``random`` and ``reshuffles``.
    """
    if top == bottom and thrown > ONE:
        bottom = thrown - ONE
        for card in range(bottom):
            pile[card] = discards[card]
        discards[ZERO] = discards[bottom]
        top = ZERO
        thrown = ONE
        if reshuffles == 0:
            random = streams.stream(key, hand, streams.RESHUFFLE)
        reshuffles += 1
        charged[place] += rules.turnover_penalty
        if trace is not None:
            write(trace, at.RESHUFFLE, seat, bottom, 0, 0, 0, 0, 0)
            write(trace, at.PENALTY, seat, rules.turnover_penalty, at.FOR_TURNOVER, 0, 0, 0, 0)
    kind = _NO_KIND
    if top < bottom:
        chosen = top
        if rules.shuffle != 0 or reshuffles != 0:
            random, offset = streams.below(random, bottom - top)
            chosen = top + offset
        kind = np.uint64(pile[chosen])
        pile[chosen] = pile[top]
        top += ONE
    return kind, top, bottom, thrown, random, reshuffles


@helper
def _leader(sizes, players):
    """Return the place with strictly the fewest cards, or ``_NOBODY``."""
    leader = ZERO
    fewest = sizes[ZERO]
    for place in range(ONE, players):
        size = sizes[place]
        leader = place if size < fewest else (_NOBODY if size == fewest else leader)
        fewest = min(fewest, size)
    return leader


@helper
def _following(place, effects, players):
    """Return the place that acts after a put with these effects (K17)."""
    steps = ONE
    skips = effects >> _SEVENS_AT & _BYTE
    if skips != ZERO:
        steps = (skips - ONE) % (players - ONE) + TWO
    following = place + steps
    return following - players if following >= players else following


@helper
def _shift(effects, players):
    """Return how many places to the left the hands go (K14, K15)."""
    return ((effects >> _NINES_AT & _BYTE) + players * _BYTE - (effects >> _CLUBS_AT & _BYTE)) % players


@helper
def _attack_of(effects, two_count, five_count):
    """Return the cards that a put adds to an attack (K12, K13)."""
    return (effects >> _TWOS_AT & _BYTE) * two_count + (effects >> _FIVES_AT & _BYTE) * five_count


@helper
def _pick_random(mask, none, random):
    """Return a choice, each equally likely: its kind, or ``_NO_KIND``, and the stream."""
    cards = bits.size(mask)
    choice = ZERO
    if cards + none > ONE:
        random, choice = streams.below(random, cards + none)
    kind = _NO_KIND
    if choice < cards:
        kind = bits.nth(mask, choice)
    return kind, random


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
def _most_of_a_suit(held):
    """Return how many kinds of a hand fit after an 8, if its suit is the one called."""
    best = ZERO
    for suit in range(np.uint64(4)):
        best = max(best, bits.size(held & (_SUIT << suit * _RANKS | _WILD)))
    return best


@helper
def _outlook(effects, place, size, sizes, players, attack, two_count, five_count, weights, policy):
    """Return what the end of a put with these effects is worth, if the hand then has ``size`` cards."""
    following = _following(place, effects, players)
    score = np.int64(0)
    shift = _shift(effects, players)
    # Hands go `shift` places to the left, so each place gets the one from as far to its right.
    giver = (following + players - shift) % players
    theirs = size if giver == place else sizes[giver]
    close = theirs <= _CLOSE and following != place
    if close:
        score += weights[policy, W_NEXT]
    if shift != ZERO:
        mine = sizes[(place + players - shift) % players]
        score += weights[policy, W_HAND] * (np.int64(size) - np.int64(mine))
    attack += _attack_of(effects, two_count, five_count)
    if attack != ZERO:
        score += weights[policy, W_ATTACK] * np.int64(attack)
        if close:
            score += weights[policy, W_ATTACK_CLOSE] * np.int64(attack)
    return score


@helper
def _pick_best(
    mask, none, decision, held, more_than_one, asked, place, sizes, players, effects, attack,
    two_count, five_count, needs_shuffle, tables, policies, policy, random,
):  # fmt: skip
    """Return the choice with the best score, as ``_pick_random`` does.

    ``held`` are the kinds in the hand, and ``more_than_one`` those of which it has several copies.
    """
    weights = policies.weights
    size = sizes[place]
    best = _WORST
    best_kind = _NO_KIND
    ties = ZERO
    usual = np.int64(0)
    if mask != ZERO:
        usual = _outlook(
            effects, place, size - ONE, sizes, players, attack, two_count, five_count, weights, policy
        )
    remaining = mask
    while remaining != ZERO:
        kind = bits.first(remaining)
        bit = ONE << kind
        remaining ^= bit
        rest = held & ~(bit & ~more_than_one)
        follows = tables.follows[kind]
        score = policies.kind_score[policy, kind]
        effect = tables.effect[kind]
        if effect == ZERO:
            score += usual
        else:
            score += _outlook(
                effects + effect, place, size - ONE, sizes, players, attack, two_count, five_count, weights,
                policy,
            )  # fmt: skip
        fit = bits.size(rest & tables.fits[kind])
        out = rest & ~follows == ZERO
        if bit & (_WILD | _ACES) != ZERO:
            if kind == _JOKER:
                fit = ZERO
                out = size <= TWO
            elif bit & _ACES != ZERO:
                out = size == TWO and rest & follows != ZERO
            else:
                fit = _most_of_a_suit(rest)
                score += weights[policy, W_ADDS] * np.int64(bits.size(rest & follows))
        else:
            score += weights[policy, W_ADDS] * np.int64(bits.size(rest & follows))
        score += weights[policy, W_FIT] * np.int64(fit)
        if out:
            score += weights[policy, W_OUT]
        best, best_kind, ties, random = _compare(score, kind, best, best_kind, ties, policies, policy, random)
    if none != ZERO:
        score = policies.none_score[policy, decision]
        score += weights[policy, W_FIT] * np.int64(bits.size(held & tables.fits[asked]))
        if decision == at.DECIDE_ATTACK:
            score += weights[policy, W_TAKEN] * np.int64(attack)
            attack = ZERO
        if needs_shuffle and decision not in (at.DECIDE_DRAWN, at.DECIDE_ADD):
            score += weights[policy, W_TURNOVER]
        score += _outlook(
            effects, place, size, sizes, players, attack, two_count, five_count, weights, policy
        )
        best, best_kind, ties, random = _compare(
            score, _NO_KIND, best, best_kind, ties, policies, policy, random
        )
    return best_kind, random


@helper
def _call_best(held, tables, policies, policy, random):
    """Return the call with the best score (K16), and the stream."""
    best = _WORST
    best_call = ZERO
    ties = ZERO
    remaining = tables.calls
    while remaining != ZERO:
        call = bits.first(remaining)
        remaining ^= ONE << call
        score = policies.call_score[policy, call]
        score += policies.weights[policy, W_FIT] * np.int64(bits.size(held & tables.fits[_FIRST_CALL + call]))
        best, best_call, ties, random = _compare(score, call, best, best_call, ties, policies, policy, random)
    return best_call, random


@helper
def _happens(rate, random):
    """Return whether an accident of a rate happens, and the stream; the rate 0 draws nothing."""
    happens = False
    if rate != 0:
        random, drawn = streams.below(random, _RATE_SCALE)
        happens = np.int64(drawn) < rate
    return happens, random


@helper
def _rank_by_score(ranking, score, seats, players, leaving, first):
    """Set twice the place of players by score, lowest first, equal ones sharing (K22).

    Those at the places in the mask ``leaving`` get the places from ``first`` on.
    """
    for place in range(players):
        if leaving >> place & ONE != ZERO:
            mine = score[seats[place]]
            lower = 0
            equal = 0
            for other in range(players):
                if leaving >> other & ONE != ZERO:
                    lower += score[seats[other]] < mine
                    equal += score[seats[other]] == mine
            ranking[seats[place]] = 2 * first + 2 * lower + equal - 1


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
        dealt by the last seat.
    rules, tables, policies, scratch
        See ``kernels.kapaga.tables``.
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
    all_players = np.uint64(rules.players)
    draw_count = np.uint64(rules.draw_count)
    two_count = np.uint64(rules.two_count)
    five_count = np.uint64(rules.five_count)
    alone_count = np.uint64(rules.ace_alone_draws)
    fits = tables.fits
    follows = tables.follows
    effect = tables.effect
    ranks = tables.rank
    calls = tables.calls
    points_of = tables.points
    deck = tables.deck
    deck_size = np.uint64(deck.size)
    hands = scratch.hands
    passed = scratch.passed
    sizes = scratch.sizes
    seats = scratch.seats
    charged = scratch.charged
    position = scratch.position
    score = scratch.score
    ranking = scratch.ranking
    pile = scratch.pile
    discards = scratch.discards
    capacity = rows.size // len(at.HAND_COLUMNS)
    most_hands = rules.max_hands if by_game else 1
    game = first
    row = 0
    while game < stop and row + most_hands <= capacity:
        key = streams.game_key(seed, np.uint64(game))
        for seat in range(all_players):
            position[seat] = ZERO
            if policies.listed > 1:
                position[seat] = np.uint64((np.int64(seat) + game * policies.rotate) % rules.players)
            seats[seat] = seat
            score[seat] = 0
            ranking[seat] = 0
        players = all_players
        dealer = players - ONE
        hand = 0
        resets = 0
        cut = 0
        while True:
            start = row_start(np.uint64(row), _COLUMNS)
            if start & LANE_MASK == ZERO:
                clear(rows, start, at.CARDS_LEFT, len(at.HAND_COLUMNS) - at.CARDS_LEFT)
            hand_key = np.uint64(hand)
            random = streams.stream(key, hand_key, streams.DEAL)
            decide = streams.stream(key, hand_key, streams.DECIDE | policies.replicate)
            accident = streams.stream(key, hand_key, streams.ACCIDENT | policies.replicate)
            if trace is not None:
                in_hand = 0
                for place in range(players):
                    in_hand |= 1 << np.int64(seats[place])
                write(trace, at.HAND, seats[dealer], hand, players, in_hand, deck_size, 0, 0)

            # Table manners (K24).
            manners = 0
            for place in range(players):
                hands[place << ONE] = ZERO
                hands[place << ONE | ONE] = ZERO
                sizes[place] = ZERO
                charged[place] = 0
            if rules.misdeal_rate + rules.peek_rate != 0:
                happens, accident = _happens(rules.misdeal_rate, accident)
                if happens:
                    manners += 1
                    charged[dealer] += rules.penalty_points
                    if trace is not None:
                        write(
                            trace, at.PENALTY, seats[dealer], rules.penalty_points, at.FOR_MISDEAL, 0, 0, 0, 0
                        )
                for place in range(players):
                    happens, accident = _happens(rules.peek_rate, accident)
                    if happens:
                        manners += 1
                        charged[place] += rules.penalty_points
                        if trace is not None:
                            write(
                                trace, at.PENALTY, seats[place], rules.penalty_points, at.FOR_PEEK, 0, 0, 0, 0
                            )

            # The deal (K2): one card each in turn, from the dealer's left; then one is turned up.
            for card in range(deck_size):
                pile[card] = deck[card]
            top = ZERO
            bottom = deck_size
            place = dealer
            to_deal = players * np.uint64(rules.hand_size_two if players == TWO else rules.hand_size)
            kind = ZERO
            for card in range(to_deal + ONE):
                chosen = top
                if rules.shuffle:
                    random, offset = streams.below(random, bottom - top)
                    chosen = top + offset
                kind = np.uint64(pile[chosen])
                pile[chosen] = pile[top]
                top += ONE
                place = (place + ONE) % players
                if card < to_deal:
                    _add(hands, place, kind)
                    sizes[place] += ONE
                    if trace is not None:
                        write(trace, at.DEAL, seats[place], kind, 0, 0, 0, 0, 0)
            turned = kind
            if trace is not None:
                write(trace, at.TURN_UP, seats[dealer], turned, 0, 0, 0, 0, 0)
            _exchange(
                rules.exchange, key, game, hand_key, row, hands, sizes, players, seats, pile, top, bottom,
                trace,
            )  # fmt: skip

            opening = True  # the turned card is being put by the dealer (K3)
            place = dealer
            asked = turned
            thrown = ZERO
            attack = ZERO  # cards that the player faces whose turn it is
            answers = ZERO  # and what answers
            reshuffles = 0
            turns = 0
            drawn_choice = ZERO
            drawn_attack = ZERO
            drawn_effect = ZERO
            drawn_caught = 0
            largest_attack = ZERO
            passes_left = ZERO
            passes_right = ZERO
            tally = ZERO  # decisions, forced ones and choices
            lead_changes = 0
            leader = _NOBODY
            idle = np.uint64(0)  # turns in a row that do not keep a hand from being blocked (K25)
            winner = _NOBODY
            reason = at.WON
            while True:  # the opening, then turn by turn
                seat = seats[place]
                policy = position[seat]
                weighted = policies.weighted[policy] != 0
                effects = ZERO
                put = ZERO  # cards put down
                got = ZERO  # cards drawn by the player for want of a card to put
                held = hands[place << ONE] | hands[place << ONE | ONE]
                gained = ZERO
                rank = ZERO  # of the card put last
                none = ONE
                decision = at.DECIDE_TURN
                mask = ZERO
                if not opening:
                    turns += 1
                    if trace is not None:
                        top_card = discards[thrown - ONE]
                        call = np.int64(asked) - FIRST_CALL if asked >= _FIRST_CALL else at.NO_CALL
                        write(trace, at.TURN, seat, turns, attack, top_card, call, sizes[place], 0)
                    if attack != ZERO:
                        mask = held & answers
                        decision = at.DECIDE_ATTACK
                    else:
                        mask = held & fits[asked]
                could_put = mask != ZERO
                turning_up = opening
                opens_turn = not opening  # such a decision is made even if no card fits
                while True:  # decision by decision
                    kind = _NO_KIND
                    if turning_up:
                        kind = turned
                    elif mask != ZERO or opens_turn:
                        offered = bits.size(mask) + none
                        tally += offered + _DECISION + (_FORCED if offered == ONE else ZERO)
                        if trace is not None:
                            write(trace, at.DECISION, seat, decision, offered, 0, 0, 0, 0)
                        if weighted:
                            kind, decide = _pick_best(
                                mask, none, decision, held, hands[place << ONE | ONE], asked, place, sizes,
                                players, effects, attack, two_count, five_count, top == bottom,
                                tables, policies, policy, decide,
                            )  # fmt: skip
                        else:
                            kind, decide = _pick_random(mask, none, decide)

                    # What is chosen, and how many cards are drawn for it.
                    draws = ZERO
                    drawer = place
                    step = ZERO
                    why = at.BY_EFFECT
                    if kind != _NO_KIND:
                        rank = np.uint64(ranks[kind])
                        if not turning_up:
                            _remove(hands, place, kind)
                            sizes[place] -= ONE
                            put += ONE
                            rows[cell(start, _PLAYS + rank)] += 1
                            if trace is not None:
                                number = put + ONE if opening else put
                                write(trace, at.PUT, seat, kind, number, decision == at.DECIDE_DRAWN, 0, 0, 0)
                        discards[thrown] = kind
                        thrown += ONE
                        effects += effect[kind]
                        asked = kind
                        if rank == _JOKER_RANK:
                            draws = players - ONE
                            drawer = place + ONE
                            step = ONE
                    elif decision == at.DECIDE_TURN:
                        why = at.BY_CHOICE
                        if draw_count != ZERO and (top < bottom or thrown > ONE):
                            draws = draw_count
                            if trace is not None:
                                write(trace, at.CHOOSE_DRAW, seat, 0, 0, 0, 0, 0, 0)
                        elif trace is not None:
                            write(trace, at.PASS, seat, 0, 0, 0, 0, 0, 0)
                    elif decision == at.DECIDE_ATTACK:
                        why = at.BY_ATTACK
                        draws = attack
                        attack = ZERO
                        if trace is not None:
                            write(trace, at.TAKE, seat, draws, 0, 0, 0, 0, 0)
                    elif decision == at.DECIDE_ALONG:
                        draws = alone_count
                        if trace is not None:
                            write(trace, at.ALONE, seat, 0, 0, 0, 0, 0, 0)
                    elif trace is not None:
                        code = at.KEEP if decision == at.DECIDE_DRAWN else at.STOP
                        write(trace, code, seat, 0, 0, 0, 0, 0, 0)

                    if draws != ZERO:
                        drawn = ZERO
                        for _ in range(draws):
                            if drawer >= players:
                                drawer -= players
                            card, top, bottom, thrown, random, reshuffles = _draw(
                                pile, discards, top, bottom, thrown, random, key, hand_key, reshuffles,
                                charged, rules, drawer, seats[drawer], trace,
                            )  # fmt: skip
                            if card == _NO_KIND:
                                if trace is not None:
                                    write(trace, at.NOTHING_TO_DRAW, seats[drawer], 0, 0, 0, 0, 0, 0)
                                break
                            _add(hands, drawer, card)
                            sizes[drawer] += ONE
                            gained |= ONE << card
                            drawn += ONE
                            if trace is not None:
                                write(trace, at.DRAW, seats[drawer], card, why, 0, 0, 0, 0)
                            drawer += step
                        if why == at.BY_EFFECT:
                            drawn_effect += drawn
                        else:
                            got += drawn
                            if why == at.BY_CHOICE:
                                drawn_choice += drawn
                            else:
                                drawn_attack += drawn

                    # What there is to choose next.
                    held = hands[place << ONE] | hands[place << ONE | ONE]
                    none = ONE
                    if kind == _NO_KIND:
                        mask = gained & fits[asked]
                        if decision != at.DECIDE_TURN or mask == ZERO:
                            break
                        decision = at.DECIDE_DRAWN
                    else:
                        mask = held & follows[kind]
                        if rank == _ACE:
                            decision = at.DECIDE_ALONG
                        else:
                            decision = at.DECIDE_ADD
                            if rank == _JOKER_RANK:
                                decision = at.DECIDE_FOLLOW
                                none = ZERO
                            elif turning_up:
                                mask = ZERO  # nothing is added to the turned card
                            if mask == ZERO:
                                break
                    turning_up = False
                    opens_turn = False

                # The end of a put (K19).
                if put != ZERO or opening:
                    if rank == _EIGHT:
                        offered = bits.size(calls)
                        tally += offered + _DECISION
                        if trace is not None:
                            write(trace, at.DECISION, seat, at.DECIDE_CALL, offered, 0, 0, 0, 0)
                        if weighted:
                            call_made, decide = _call_best(held, tables, policies, policy, decide)
                        else:
                            call_made, decide = _pick_random(calls, ZERO, decide)
                        asked = _FIRST_CALL + call_made
                        if trace is not None:
                            write(trace, at.CALL, seat, call_made, 0, 0, 0, 0, 0)
                    size = sizes[place]
                    if size == ONE:
                        forgets, accident = _happens(rules.forget_rate, accident)
                        caught = False
                        if forgets:
                            caught, accident = _happens(rules.catch_rate, accident)
                        if trace is not None:
                            outcome = at.CAUGHT if caught else (at.FORGOT if forgets else at.CALLED)
                            write(trace, at.KAPAGA, seat, outcome, 0, 0, 0, 0, 0)
                        if caught:
                            card, top, bottom, thrown, random, reshuffles = _draw(
                                pile, discards, top, bottom, thrown, random, key, hand_key, reshuffles,
                                charged, rules, place, seat, trace,
                            )  # fmt: skip
                            if card != _NO_KIND:
                                _add(hands, place, card)
                                sizes[place] += ONE
                                drawn_caught += 1
                                if trace is not None:
                                    write(trace, at.DRAW, seat, card, at.BY_CATCH, 0, 0, 0, 0)
                            elif trace is not None:
                                write(trace, at.NOTHING_TO_DRAW, seat, 0, 0, 0, 0, 0, 0)
                    if size == ZERO:
                        winner = place
                    elif effects != ZERO:
                        nines = effects >> _NINES_AT & _BYTE
                        clubs = effects >> _CLUBS_AT & _BYTE
                        if nines + clubs != ZERO:
                            passes_left += nines
                            passes_right += clubs
                            if trace is not None:
                                write(trace, at.PASS_HANDS, seat, nines, clubs, 0, 0, 0, 0)
                            for giver in range(players):
                                passed[giver << TWO] = hands[giver << ONE]
                                passed[giver << TWO | ONE] = hands[giver << ONE | ONE]
                                passed[giver << TWO | TWO] = sizes[giver]
                            taker = _shift(effects, players)
                            for giver in range(players):
                                hands[taker << ONE] = passed[giver << TWO]
                                hands[taker << ONE | ONE] = passed[giver << TWO | ONE]
                                sizes[taker] = passed[giver << TWO | TWO]
                                taker = taker + ONE if taker + ONE < players else ZERO
                        attack += _attack_of(effects, two_count, five_count)
                        largest_attack = max(largest_attack, attack)
                        if attack != ZERO:
                            answers = _TWO_OF_SPADES if effects >> _FIVES_AT & _BYTE != ZERO else _TWOS

                # The end of the turn, and who acts next.
                if not opening:
                    now_leads = _leader(sizes, players)
                    if now_leads != _NOBODY:
                        lead_changes += (leader != _NOBODY) & (now_leads != leader)
                        leader = now_leads
                if winner != _NOBODY:
                    break
                following = _following(place, effects, players)
                if trace is not None:
                    sevens = effects >> _SEVENS_AT & _BYTE
                    if sevens != ZERO:
                        write(trace, at.SKIPPED, seat, sevens, seats[following], 0, 0, 0, 0)
                    if attack != ZERO:
                        only_spades = answers == _TWO_OF_SPADES
                        write(trace, at.ATTACKED, seat, attack, seats[following], only_spades, 0, 0, 0)
                if not opening:
                    idle = ZERO if could_put or put + got != ZERO else idle + ONE
                    if idle == players:
                        reason = at.IS_BLOCKED
                        break
                    if turns >= rules.max_turns:
                        reason = at.IS_TRUNCATED
                        break
                opening = False
                place = following

            # The end of the hand.
            won = winner != _NOBODY
            who = np.int64(seats[winner]) if won else -1
            if trace is not None:
                write(trace, at.HAND_END, who, reason, turns, 0, 0, 0, 0)
            penalty_points = 0
            leaving = ZERO  # places of the players who are eliminated
            for place in range(players):
                seat = seats[place]
                points = 0
                for digit in range(TWO):
                    remaining = hands[place << ONE | digit]
                    while remaining != ZERO:
                        points += points_of[bits.first(remaining)] << np.int64(digit)
                        remaining &= remaining - ONE
                rows[cell(start, _CARDS_LEFT + seat)] = sizes[place]
                rows[cell(start, _POINTS + seat)] = points
                penalty_points += charged[place]
                score[seat] += points + charged[place]
                outcome = at.STAYS
                total = score[seat]
                if total > rules.limit:
                    outcome = at.LEAVES
                    leaving |= ONE << place
                elif total == rules.limit and rules.exact_reset:
                    outcome = at.RESETS
                    resets += 1
                    score[seat] = 0
                if trace is not None:
                    write(trace, at.SCORE, seat, points, charged[place], total, outcome, 0, 0)
            rows[cell(start, at.STARTER)] = seats[(dealer + ONE) % players]
            rows[cell(start, at.DEALER)] = seats[dealer]
            rows[cell(start, at.WINNER)] = who
            rows[cell(start, at.WINNERS)] = 1 << who if won else 0
            rows[cell(start, at.POLICY_WINNERS)] = 1 << np.int64(position[who]) if won else 0
            rows[cell(start, at.TURNS)] = turns
            rows[cell(start, at.DRAWN_CHOICE)] = drawn_choice
            rows[cell(start, at.DRAWN_ATTACK)] = drawn_attack
            rows[cell(start, at.DRAWN_EFFECT)] = drawn_effect
            rows[cell(start, at.DRAWN_CAUGHT)] = drawn_caught
            rows[cell(start, at.LARGEST_ATTACK)] = largest_attack
            rows[cell(start, at.PASSES_LEFT)] = passes_left
            rows[cell(start, at.PASSES_RIGHT)] = passes_right
            rows[cell(start, at.PENALTIES)] = reshuffles + manners
            rows[cell(start, at.PENALTY_POINTS)] = penalty_points
            rows[cell(start, at.RESHUFFLES)] = reshuffles
            rows[cell(start, at.LEAD_CHANGES)] = lead_changes
            rows[cell(start, at.BLOCKED)] = reason == at.IS_BLOCKED
            rows[cell(start, at.TRUNCATED)] = reason == at.IS_TRUNCATED
            rows[cell(start, at.DECISIONS)] = tally >> _24 & _DECISIONS_MASK
            rows[cell(start, at.CHOICES)] = tally & _CHOICES_MASK
            rows[cell(start, at.FORCED)] = tally >> _44
            row += 1
            hand += 1
            if not by_game:
                break

            # Eliminations (K21, K22), and the next dealer (K23): the highest score, the first
            # clockwise from the last dealer's left if several have it.
            staying = players - bits.size(leaving)
            _rank_by_score(ranking, score, seats, players, leaving, np.int64(staying) + 1)
            everybody = (ONE << players) - ONE
            if staying <= ONE or hand == rules.max_hands:
                cut = np.int64(staying > ONE)
                _rank_by_score(ranking, score, seats, players, everybody & ~leaving, 1)
                break
            place = dealer
            most = -1
            for _ in range(players):
                place = (place + ONE) % players
                if leaving >> place & ONE == ZERO and score[seats[place]] > most:
                    most = score[seats[place]]
                    dealer = place
            if leaving != ZERO:
                new_place = ZERO
                dealing_seat = seats[dealer]
                for place in range(players):
                    if leaving >> place & ONE == ZERO:
                        seats[new_place] = seats[place]
                        if seats[place] == dealing_seat:
                            dealer = new_place
                        new_place += ONE
                players = staying

        if by_game:
            start = row_start(np.uint64(game - first), _GAME_COLUMNS)
            best = 2 * rules.players
            for seat in range(all_players):
                best = min(best, ranking[seat])
            winners = 0
            policy_winners = 0
            sole = -1
            sharing = 0
            for seat in range(all_players):
                games[cell(start, _PLACE + seat)] = ranking[seat]
                if ranking[seat] == best:
                    winners |= 1 << np.int64(seat)
                    policy_winners |= 1 << np.int64(position[seat])
                    sole = np.int64(seat)
                    sharing += 1
                if trace is not None:
                    write(trace, at.PLACE, seat, ranking[seat], 0, 0, 0, 0, 0)
            games[cell(start, at.GAME_WINNERS)] = winners
            games[cell(start, at.GAME_POLICY_WINNERS)] = policy_winners
            games[cell(start, at.GAME_HANDS)] = hand
            games[cell(start, at.GAME_RESETS)] = resets
            games[cell(start, at.GAME_CUT)] = cut
            games[cell(start, at.GAME_PLACES_ARE)] = 2
            if trace is not None:
                write(trace, at.GAME_END, sole if sharing == 1 else -1, hand, winners, 0, 0, 0, 0)
        game += 1
    return game, row

"""Cap Zap: play a range of games (Z1-Z14).

State of a round
----------------
``held``      uint64 (6,): for each seat the mask of the letters in its hand.
``copies``    uint8 (6 * 32,): at ``32 * seat + letter`` how many cards of a letter the seat holds.
``pile``      uint8: letters of the deck. Those from ``top`` on are in no order yet: dealing picks one of
              them at random (a shuffle done one card at a time).
``unplayed``  int64 (26,): cards of each letter that were not played yet in this round, in hands or not dealt.
              Kept only if a policy looks at it.
Scalars       the holder of the trick: its letter, seat, position in the trick, and the zaps so far.

The decision: which letter to play, one a player a trick. A choice of one costs no random number.

Seats, letters and tricks are uint64 throughout: an unsigned index needs no test for a negative one,
and mixing signed and unsigned numbers would make them floats.
"""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, ZERO
from kernels.blocks import LANE_MASK, cell, clear, row_start
from kernels.cap_zap import layout as at
from kernels.cap_zap.tables import (
    NOISE_LEVELS,
    W_AHEAD,
    W_COVER,
    W_EXPOSURE,
    W_LEAD_THREATS,
    W_SPARE,
    W_SURE,
    W_SWEEPER,
    W_TEAMMATE,
    W_THREATS,
    W_ZAPS,
)
from kernels.jit import helper, kernel
from kernels.piles import place_of_any
from kernels.trace import write

_NOISE_LEVELS = np.uint64(NOISE_LEVELS)
_WORST = np.int64(-(2**62))
_SEAT_SHIFT = np.uint64(5)
_COLUMNS = np.uint64(len(at.HAND_COLUMNS))
# Columns, as unsigned numbers because unsigned ones are added to them.
_TRICKS = np.uint64(at.TRICKS)
_TRICKS_OF_SIDES = np.uint64(at.TRICKS_OF_SIDES)
_POINTS = np.uint64(at.POINTS)
_TIED_BY = np.uint64(at.TIED_BY)
_TRICKS_WITH_ZAPS = np.uint64(at.TRICKS_WITH_ZAPS)
_WON_AT_POSITION = np.uint64(at.WON_AT_POSITION)
_ZAPS = np.uint64(at.ZAPS)
_PLAYS = np.uint64(at.PLAYS)
_LEADS = np.uint64(at.LEADS)
_HELD = np.uint64(at.HELD)


@helper
def _next(seat, seats):
    """Return the seat to the left."""
    seat = seat + ONE
    return ZERO if seat == seats else seat


@helper
def _exchange(exchange, key, game, round_key, row, held, copies, rules, pile, deck_size, trace):
    """Exchange a card of a hand for one that was not dealt, if asked to."""
    if exchange is not None:
        players = np.uint64(rules.players)
        seat = np.uint64(game) // players % players
        random = streams.stream(key, round_key, streams.EXCHANGE)
        random, number = streams.below(random, np.uint64(rules.hand_size))
        slot = seat << _SEAT_SHIFT
        letter = ZERO
        while number >= copies[slot | letter]:
            number -= copies[slot | letter]
            letter += ONE
        dealt = players * np.uint64(rules.hand_size)
        chosen, random = place_of_any(pile, dealt, deck_size, exchange.kinds, random)
        done = chosen < deck_size and exchange.kinds >> letter & ONE == ZERO
        exchange.done[row] = done
        if done:
            given = np.uint64(pile[chosen])
            pile[chosen] = letter
            copies[slot | letter] -= 1
            if copies[slot | letter] == 0:
                held[seat] ^= ONE << letter
            copies[slot | given] += 1
            held[seat] |= ONE << given
            if trace is not None:
                write(trace, at.EXCHANGED, seat, letter, given, 0, 0, 0, 0)


@helper
def _pick_random(letters, choices, random):
    """Return one of the letters, each equally likely, and the stream."""
    choice = ZERO
    if choices > ONE:
        random, choice = streams.below(random, choices)
    return bits.nth(letters, choice), random


@helper
def _rivals_to_come(seat, to_come, players, side, sides):
    """Return how many of the next ``to_come`` players are of another side."""
    rivals = ZERO
    other = seat
    for _ in range(to_come):
        other = _next(other, players)
        if other % sides != side:
            rivals += ONE
    return rivals


@helper
def _pick_best(
    letters, leads, holder, holder_seat, seat, to_come, players, sides, cards_left, tricks_done,
    unseen_cards, copies, unplayed, side_tricks, zaps, policies, policy, random,
):  # fmt: skip
    """Return the letter with the best score, and the stream.

    ``to_come`` players play after this seat in the trick, and hold ``cards_left`` cards each;
    ``unseen_cards`` were neither played in this round nor are in the own hand.
    """
    weights = policies.weights
    hand = seat << _SEAT_SHIFT
    side = seat % sides
    holder_side = holder_seat % sides
    rivals = _rivals_to_come(seat, to_come, players, side, sides)
    rival_cards = np.int64(rivals * cards_left)
    unseen_cards = np.int64(unseen_cards)

    # What zapping this holder is worth, whatever the card, and which holders the hand can zap in
    # more than one way: spending a card costs nothing there.
    zap_score = np.int64(0)
    zapping = ZERO
    if not leads:
        zapping = zaps[holder]
        zap_score = weights[policy, W_ZAPS]
        theirs = side_tricks[holder_side]
        if holder_side == side:
            zap_score += weights[policy, W_TEAMMATE]
        else:
            if theirs > side_tricks[side]:
                zap_score += weights[policy, W_AHEAD]
            if theirs > 0 and np.uint64(theirs) == tricks_done:
                zap_score += weights[policy, W_SWEEPER]
    threat_weight = weights[policy, W_THREATS]
    if leads:
        threat_weight += weights[policy, W_LEAD_THREATS]
    once = ZERO
    twice = ZERO
    remaining = letters
    while remaining != ZERO:
        letter = bits.first(remaining)
        remaining &= remaining - ONE
        twice |= once & zaps[letter]
        once |= zaps[letter]

    best = _WORST
    chosen = ZERO
    ties = ZERO
    remaining = letters
    while remaining != ZERO:
        letter = bits.first(remaining)
        remaining &= remaining - ONE
        spare = copies[hand | letter] > 1
        exposure = np.int64(0)
        cover_lost = np.int64(0)
        near = zaps[letter]
        while near != ZERO:
            other = bits.first(near)
            near &= near - ONE
            unseen = unplayed[other] - np.int64(copies[hand | other])
            exposure += unseen
            if not spare and twice >> other & ONE == ZERO:
                cover_lost += unseen
        score = policies.letter_score[policy, letter]
        score += weights[policy, W_EXPOSURE] * exposure + weights[policy, W_COVER] * cover_lost
        if spare:
            score += weights[policy, W_SPARE]
        does_zap = zapping >> letter & ONE != ZERO
        if does_zap:
            score += zap_score
        if leads or does_zap:
            if exposure == 0 or rival_cards == 0:
                score += weights[policy, W_SURE]
            else:
                score += threat_weight * (exposure * rival_cards) // unseen_cards
        if policies.noisy[policy]:
            random, level = streams.below(random, _NOISE_LEVELS)
            score += policies.noise[policy, level]
        if score > best:
            best = score
            chosen = letter
            ties = ONE
        elif score == best:
            # Among equals each ends up equally likely.
            ties += ONE
            random, drawn = streams.below(random, ties)
            if drawn == ZERO:
                chosen = letter
    return chosen, random


@kernel
def play(seed, first, stop, by_game, rules, tables, policies, scratch, rows, games, trace):
    """Play games ``first``, ``first + 1``, ... until ``stop`` or until the blocks are full.

    Parameters
    ----------
    seed : uint64
    first, stop : int64
        Numbers of the games.
    by_game : bool
        True: whole games, of up to ``max_rounds`` rounds; False: each game is a single round, which
        seat 0 deals and leads.
    rules, tables, policies, scratch
        See ``kernels.cap_zap.tables``.
    rows : int32 block (see ``kernels.blocks``)
        Receives one row of ``HAND_COLUMNS`` a round.
    games : int32 block
        Receives one row of ``GAME_COLUMNS`` a game, if ``by_game``.
    trace : int32 array (see ``kernels.trace``) or None

    Returns
    -------
    int64, int64
        Number of the first game not played, and of the rows written.
    """
    players = np.uint64(rules.players)
    sides = np.uint64(rules.sides)
    hand_size = np.uint64(rules.hand_size)
    deck = tables.deck
    zaps_of = tables.zaps
    deck_size = np.uint64(deck.size)
    held = scratch.held
    copies = scratch.copies
    unplayed = scratch.unplayed
    tricks = scratch.tricks
    side_tricks = scratch.side_tricks
    points = scratch.points
    position = scratch.position
    pile = scratch.pile
    capacity = rows.size // len(at.HAND_COLUMNS)
    most_rounds = rules.max_rounds if by_game else 1
    game = first
    row = 0
    while game < stop and row + most_rounds <= capacity:
        key = streams.game_key(seed, np.uint64(game))
        for seat in range(players):
            position[seat] = 0
            if policies.listed > 1:
                position[seat] = (np.int64(seat) + game * policies.rotate) % rules.players
        for side in range(sides):
            points[side] = 0
        dealer = ZERO
        rounds = 0
        game_winners = 0
        truncated = False
        while True:
            start = row_start(np.uint64(row), _COLUMNS)
            if start & LANE_MASK == ZERO:
                clear(rows, start, at.TRICKS, len(at.HAND_COLUMNS) - at.TRICKS)

            # The deal (Z3): one card each in turn, from the dealer on.
            round_key = np.uint64(rounds)
            random = streams.stream(key, round_key, streams.DEAL)
            decide = streams.stream(key, round_key, streams.DECIDE | policies.replicate)
            if trace is not None:
                write(trace, at.ROUND, dealer, rounds, deck_size, hand_size, 0, 0, 0)
            for card in range(deck_size):
                pile[card] = deck[card]
            for seat in range(players):
                held[seat] = ZERO
                tricks[seat] = 0
            for side in range(sides):
                side_tricks[side] = 0
            seat = dealer
            for top in range(players * hand_size):
                chosen = top
                if rules.shuffle:
                    random, offset = streams.below(random, deck_size - top)
                    chosen = top + offset
                letter = np.uint64(pile[chosen])
                pile[chosen] = pile[top]
                held[seat] |= ONE << letter
                copies[seat << _SEAT_SHIFT | letter] += 1
                if trace is not None:
                    write(trace, at.DEAL, seat, letter, 0, 0, 0, 0, 0)
                seat = _next(seat, players)
            _exchange(rules.exchange, key, game, round_key, row, held, copies, rules, pile, deck_size, trace)
            if policies.remembers:
                for kind in range(at.KINDS):
                    unplayed[kind] = tables.copies[kind]

            # The tricks (Z4-Z7).
            choices = ZERO
            forced = ZERO
            won_by_leader = 0
            won_by_last = 0
            leader = dealer
            for trick in range(hand_size):
                if trace is not None:
                    write(trace, at.TRICK, leader, trick + ONE, 0, 0, 0, 0, 0)
                seat = leader
                holder = ZERO
                holder_seat = leader
                holder_place = ZERO
                zaps = ZERO
                for place in range(players):
                    letters = held[seat]
                    offered = bits.size(letters)
                    choices += offered
                    forced += ONE if offered == ONE else ZERO
                    if trace is not None:
                        write(trace, at.DECISION, seat, at.DECIDE_LETTER, offered, 0, 0, 0, 0)
                    policy = position[seat]
                    if policies.remembers and policies.weighted[policy] and offered > ONE:
                        cards_left = hand_size - trick
                        unseen_cards = deck_size - trick * players - place - cards_left
                        letter, decide = _pick_best(
                            letters, place == ZERO, holder, holder_seat, seat, players - place - ONE,
                            players, sides, cards_left, trick, unseen_cards, copies, unplayed,
                            side_tricks, zaps_of, policies, policy, decide,
                        )  # fmt: skip
                    else:
                        letter, decide = _pick_random(letters, offered, decide)
                    slot = seat << _SEAT_SHIFT | letter
                    left = copies[slot] - 1
                    copies[slot] = left
                    if left == 0:
                        held[seat] = letters ^ (ONE << letter)
                    if policies.remembers:
                        unplayed[letter] -= 1
                    rows[cell(start, _PLAYS + letter)] += 1
                    if trace is not None:
                        write(trace, at.PLAY, seat, letter, place + ONE, hand_size - trick - ONE, 0, 0, 0)

                    # Who holds the trick (Z6): the leader's card, then each that zaps the holder.
                    if place == ZERO:
                        holder = letter
                        rows[cell(start, _LEADS + letter)] += 1
                    elif zaps_of[holder] >> letter & ONE != ZERO:
                        zaps += ONE
                        if trace is not None:
                            write(trace, at.ZAP, seat, letter, holder, holder_seat, zaps, 0, 0)
                        holder = letter
                        holder_seat = seat
                        holder_place = place
                    seat = _next(seat, players)

                # The end of the trick.
                leader = holder_seat
                side = leader % sides
                tricks[leader] += 1
                side_tricks[side] += 1
                won_by_leader += holder_place == ZERO
                won_by_last += holder_place == players - ONE
                rows[cell(start, _HELD + holder)] += 1
                rows[cell(start, _ZAPS + trick)] = zaps
                rows[cell(start, _TRICKS_WITH_ZAPS + zaps)] += 1
                rows[cell(start, _WON_AT_POSITION + holder_place)] += 1
                if trace is not None:
                    write(
                        trace, at.TRICK_END, leader, holder, holder_place + ONE, zaps, tricks[leader],
                        side_tricks[side], 0,
                    )  # fmt: skip

            # The score (Z8-Z10).
            most = 0
            sharers = 0
            winners = 0
            winner = -1
            for side in range(rules.sides):
                won = side_tricks[side]
                if won > most:
                    most = won
                    sharers = 1
                    winners = 1 << side
                    winner = side
                elif won == most:
                    sharers += 1
                    winners |= 1 << side
                    winner = -1
            alone = sharers == 1
            sweep = most == rules.hand_size
            bonus = alone and most >= rules.bonus_tricks and (not sweep or rules.bonus_stacks != 0)
            scored = rules.tie_points
            if alone:
                scored = rules.win_points
                scored += rules.bonus_points if bonus else 0
                scored += rules.sweep_points if sweep else 0
            policy_winners = 0
            for seat in range(players):
                rows[cell(start, _TRICKS + seat)] = tricks[seat]
                if winners >> np.int64(seat % sides) & 1:
                    policy_winners |= 1 << position[seat]
            for side in range(sides):
                gained = scored if winners >> np.int64(side) & 1 else 0
                points[side] += gained
                rows[cell(start, _TRICKS_OF_SIDES + side)] = side_tricks[side]
                rows[cell(start, _POINTS + side)] = gained
                if trace is not None:
                    write(trace, at.SCORE, side, side_tricks[side], gained, points[side], 0, 0, 0)
            if trace is not None:
                write(trace, at.ROUND_END, winner, sharers, most, bonus, sweep, 0, 0)
            rows[cell(start, at.STARTER)] = dealer
            rows[cell(start, at.WINNER)] = winner
            rows[cell(start, at.WINNERS)] = winners
            rows[cell(start, at.POLICY_WINNERS)] = policy_winners
            rows[cell(start, at.SWEEPS)] = sweep
            rows[cell(start, at.BONUSES)] = bonus
            rows[cell(start, at.TIED)] = not alone
            if not alone:
                rows[cell(start, _TIED_BY + np.uint64(sharers))] = 1
            rows[cell(start, at.WON_BY_LEADER)] = won_by_leader
            rows[cell(start, at.WON_BY_LAST)] = won_by_last
            rows[cell(start, at.DECISIONS)] = players * hand_size
            rows[cell(start, at.CHOICES)] = choices
            rows[cell(start, at.FORCED)] = forced
            row += 1
            rounds += 1
            if not by_game:
                break

            # The end of the game (Z11, Z14); the deal passes to the left (Z12).
            highest = points[0]
            game_winners = 1
            leaders = 1
            for side in range(1, rules.sides):
                if points[side] > highest:
                    highest = points[side]
                    game_winners = 1 << side
                    leaders = 1
                elif points[side] == highest:
                    game_winners |= 1 << side
                    leaders += 1
            if highest >= rules.target and (leaders == 1 or rules.shared_win != 0):
                break
            if rounds == rules.max_rounds:
                truncated = True
                break
            dealer = _next(dealer, players)

        if by_game:
            start = row_start(np.uint64(game - first), np.uint64(len(at.GAME_COLUMNS)))
            game_policy_winners = 0
            game_winner = -1
            for seat in range(players):
                if game_winners >> np.int64(seat % sides) & 1:
                    game_policy_winners |= 1 << position[seat]
            for side in range(rules.sides):
                games[cell(start, at.GAME_POINTS + side)] = points[side]
                if game_winners == 1 << side:
                    game_winner = side
            games[cell(start, at.GAME_WINNERS)] = game_winners
            games[cell(start, at.GAME_POLICY_WINNERS)] = game_policy_winners
            games[cell(start, at.GAME_HANDS)] = rounds
            games[cell(start, at.GAME_ROUNDS)] = rounds
            games[cell(start, at.GAME_TRUNCATED)] = truncated
            if trace is not None:
                write(trace, at.GAME_END, game_winner, game_winners, rounds, truncated, 0, 0, 0)
        game += 1
    return game, row

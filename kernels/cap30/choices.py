"""Cap30: choosing a move, and whatever else a policy decides."""

import numpy as np

from kernels import bits, streams
from kernels.bits import ONE, TWO, ZERO
from kernels.cap30 import layout as at
from kernels.cap30.cards import NO_KIND, SIX, THREE, seat_after, size_at
from kernels.cap30.tables import (
    CHOICES,
    CLOSE,
    DECIDING,
    IN_FORCE,
    METERS,
    NEXT_CLOSE,
    NEXT_FAR,
    NEXT_SELF,
    NOISE_LEVELS,
    UNSERVED,
    W_BONUS,
    W_BULLSEYE,
    W_CARDS,
    W_CHAIN,
    W_DRAINS,
    W_EMPTIES,
    W_NO_MOVE,
    W_OWN,
    W_STOPS,
    W_SWAP_FOR,
    W_TARGET_CARDS,
    W_TARGET_NEXT,
    W_TEN,
    W_USE,
    W_WHEN_CLOSE,
    W_WHEN_STUCK,
)
from kernels.jit import function, helper
from kernels.trace import write

AS_WILD = THREE
"""In place of the copies less one: the card is played as a Wild ten (C21, C24)."""
KEEP = np.uint64(3)
"""In place of a form: the power is kept."""
# Several counters share a word: choices (24 bits), decisions (20 bits) and forced decisions.
DECISION = np.uint64(1 << 24)
FORCED = np.uint64(1 << 44)
_UNDO = np.uint64(at.UNDO)
_SKIP = np.uint64(at.SKIP)
_SWITCH = np.uint64(at.SWITCH)
_TAKE_TWO = np.uint64(at.TAKE_TWO)
_DRAIN = np.uint64(at.DRAIN)
_NO_UNDO = ~np.uint64(1 << at.UNDO)
_CLOSE = np.uint64(CLOSE)
_NOISE_LEVELS = np.uint64(NOISE_LEVELS)
_WORST = np.int64(-(2**62))


@helper
def target(state, seat, step, players, rule):
    """Return the opponent who picks up a TakeTwo (C11), the first in turn order if tied."""
    chosen = seat_after(seat, step, players)
    other = chosen
    for _ in range(TWO, players):
        other = seat_after(other, step, players)
        if rule == 0 and state[size_at(other)] < state[size_at(chosen)]:
            chosen = other
        if rule == 2 and state[size_at(other)] > state[size_at(chosen)]:
            chosen = other
    return chosen


@helper
def _pick_random(legal_1, legal_2, legal_3, none, wild, powers, state):
    """Return a choice, each equally likely: its kind and its copies less one, as ``choose`` does."""
    of_1 = bits.size(legal_1)
    of_2 = of_1 + bits.size(legal_2)
    own = of_2 + bits.size(legal_3)
    moves = own
    if powers is not None:
        moves += bits.size(wild)
    # A choice of one costs no random number, and no branch that is hard to foresee.
    advanced, choice = streams.below(state[DECIDING], moves + none)
    state[DECIDING] = advanced if moves + none > ONE else state[DECIDING]
    kind = NO_KIND
    more = ZERO
    if choice < of_1:
        kind = bits.nth(legal_1, choice)
    elif choice < of_2:
        kind = bits.nth(legal_2, choice - of_1)
        more = ONE
    elif choice < own:
        kind = bits.nth(legal_3, choice - of_2)
        more = TWO
    elif powers is not None and choice < moves:
        kind = bits.nth(wild, choice - own)
        more = AS_WILD
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


@helper
def _near(state, following, seat):
    """Return who acts next, as far as a policy looks at it (NEXT_FAR, ...)."""
    near = NEXT_CLOSE if state[size_at(following)] <= _CLOSE else NEXT_FAR
    return NEXT_SELF if following == seat else near


@helper
def next_to_act(power, seat, step, players):
    """Return who acts after a seat, when others have Skips to serve (C22)."""
    following = seat_after(seat, step, players)
    while following != seat and power[UNSERVED + following] > ZERO:
        following = seat_after(following, step, players)
    return following


@helper
def _rival_is_close(state, seat, players):
    """Return whether an opponent has at most two cards."""
    close = False
    for other in range(players):
        close |= other != seat and state[size_at(other)] <= _CLOSE
    return close


@helper
def lost_to_drain(meter):
    """Return how many of its notches a meter loses to a Drain (C25)."""
    return min(meter, TWO)


@function
def _pick_best(
    legal_1, legal_2, legal_3, none, wild, once, twice, thrice, total, may_chain, seat, step, players,
    take_target, powers, power, extras, after, tables, weighing, policy, state,
):  # fmt: skip
    """Return the choice with the best score, as ``_pick_random`` does.

    ``once``, ``twice``, ``thrice`` are the kinds held at least so often.
    """
    weights = weighing.weights
    random = state[DECIDING]
    following = seat_after(seat, step, players)
    by_next = NEXT_CLOSE if state[size_at(following)] <= _CLOSE else NEXT_FAR
    by_skip = NEXT_SELF
    by_switch = NEXT_SELF
    if players > TWO:
        by_skip = NEXT_CLOSE if state[size_at(seat_after(following, step, players))] <= _CLOSE else NEXT_FAR
        previous = seat_after(seat, players - step, players)
        by_switch = NEXT_CLOSE if state[size_at(previous)] <= _CLOSE else NEXT_FAR
    close = False
    most_drained = ZERO
    if powers is not None:
        close = _rival_is_close(state, seat, players)
        following = next_to_act(power, seat, step, players)
        by_next = _near(state, following, seat)
        beyond = following
        if following != seat:  # as if a Skip were aimed at who is next
            beyond = seat_after(following, step, players)
            while beyond != seat and power[UNSERVED + beyond] > ZERO:
                beyond = seat_after(beyond, step, players)
        by_skip = _near(state, beyond, seat)
        if players > TWO:
            by_switch = _near(state, next_to_act(power, seat, players - step, players), seat)
        for other in range(players):
            if other != seat:
                most_drained = max(most_drained, lost_to_drain(power[METERS + other]))
    best = _WORST
    best_kind = NO_KIND
    best_more = ZERO
    ties = ZERO
    remaining = legal_1
    level = ZERO
    while True:
        while remaining != ZERO:
            kind = bits.first(remaining)
            bit = ONE << kind
            remaining ^= bit
            new = np.uint64(after[(total << TWO | level) << SIX | kind])
            if powers is not None and level == AS_WILD:
                new = np.uint64(powers.nearest[total])
            # The kinds left in the hand: this one only if there are more copies of it.
            more_copies = twice
            if level == ONE:
                more_copies = thrice
            elif level == TWO:
                more_copies = thrice if extras[seat << SIX | kind] > 0 else ZERO
            rest = once & (more_copies | ~bit)
            if kind == _UNDO:
                rest &= _NO_UNDO
            free = np.int64(bits.size(rest & tables.legal[new << TWO]))
            by = by_next
            score = weighing.kind_score[policy, kind]
            copies = level + ONE
            acts = kind >= _SKIP
            if powers is not None and level == AS_WILD:
                score = weighing.spent_score[policy, kind]
                copies = ONE
                acts = False
                if power[IN_FORCE] == ZERO:
                    score += weights[policy, W_BULLSEYE]
            score += weights[policy, W_CARDS] * np.int64(copies) + weights[policy, W_OWN] * free
            if acts:
                stops = by_next == NEXT_CLOSE
                if kind == _SKIP:
                    by = by_skip
                elif kind == _SWITCH:
                    by = by_switch
                elif powers is None:
                    stops = state[size_at(target(state, seat, step, players, take_target))] <= _CLOSE
                if powers is not None:
                    if kind == _DRAIN:
                        stops = False
                        score += weights[policy, W_DRAINS] * np.int64(most_drained)
                    elif kind != _SWITCH:  # aimed at whom the player chooses
                        stops = close
                if stops:
                    score += weights[policy, W_STOPS]
            score += weighing.total_score[policy, by, new]
            if new != total and tables.ten[new] != 0:
                score += weights[policy, W_TEN]
                if may_chain and free > 0:
                    score += weights[policy, W_CHAIN]
            if state[size_at(seat)] == copies:
                score += weights[policy, W_EMPTIES]
            best, best_kind, best_more, ties, random = _compare(
                score, kind, level, best, best_kind, best_more, ties, weighing, policy, random
            )
        level += ONE
        if level == ONE:
            remaining = legal_2
        elif level == TWO:
            remaining = legal_3
        elif powers is None or level > AS_WILD:
            break
        else:
            remaining = wild
    if none != ZERO:
        free = np.int64(bits.size(once & tables.legal[total << TWO]))
        score = weights[policy, W_NO_MOVE] + weights[policy, W_OWN] * free
        score += weighing.total_score[policy, by_next, total]
        best, best_kind, best_more, ties, random = _compare(
            score, NO_KIND, ZERO, best, best_kind, best_more, ties, weighing, policy, random
        )
    state[DECIDING] = random
    return best_kind, best_more


@helper
def choose(
    decision, legal_1, legal_2, legal_3, none, wild, total, may_chain, seat, step,
    rules, tables, powers, weighing, policy, scratch, trace,
):  # fmt: skip
    """Let a seat choose a move; return the kind and the copies less one.

    ``none`` is 1 if making no move is a choice too; the kind is then ``NO_KIND``. ``wild`` are the kinds
    that may be played as a Wild ten: ``AS_WILD`` is then in place of the copies less one.
    """
    state = scratch.state
    offered = bits.size(legal_1) + bits.size(legal_2) + bits.size(legal_3) + none
    if powers is not None:
        offered += bits.size(wild)
    state[CHOICES] += offered + DECISION + (FORCED if offered == ONE else ZERO)
    if trace is not None:
        write(trace, at.DECISION, seat, decision, offered, 0, 0, 0, 0)
    weighted = False
    if weighing is not None:
        weighted = weighing.weighted[policy] != 0
    if weighing is not None and weighted:
        place = seat << TWO
        kind, more = _pick_best(
            legal_1, legal_2, legal_3, none, wild, state[place], state[place + ONE], state[place + TWO],
            total, may_chain, seat, step, np.uint64(rules.players), rules.take_target, powers,
            scratch.power, scratch.extras, scratch.after, tables, weighing, policy, state,
        )  # fmt: skip
    else:
        kind, more = _pick_random(legal_1, legal_2, legal_3, none, wild, powers, state)
    return kind, more


@function
def _score(about, option, seat, kind, stuck, step, total, players, tables, weighing, policy, state, power):
    """Return the score of one option of a decision of Power Up."""
    weights = weighing.weights
    score = np.int64(0)
    if about == at.USE_POWER:
        if option != KEEP:
            score += weights[policy, np.uint64(W_USE) + option]
            if stuck != ZERO:
                score += weights[policy, W_WHEN_STUCK]
            if _rival_is_close(state, seat, players):
                score += weights[policy, W_WHEN_CLOSE]
    elif about == at.CARD_AWAY:
        bit = ONE << option
        rest = state[seat << TWO] & (state[seat << TWO | ONE] | ~bit)
        free = np.int64(bits.size(rest & tables.legal[total << TWO]))
        score += weighing.spent_score[policy, option] + weights[policy, W_OWN] * free
    elif about == at.KIND_TAKEN:
        score += weights[policy, np.uint64(W_SWAP_FOR) + option - _SKIP]
    elif about == at.AIM:
        score += weights[policy, W_TARGET_CARDS] * np.int64(state[size_at(option)])
        if option == next_to_act(power, seat, step, players):
            score += weights[policy, W_TARGET_NEXT]
        if kind == _DRAIN:
            score += weights[policy, W_DRAINS] * np.int64(lost_to_drain(power[METERS + option]))
    else:
        score += weights[policy, np.uint64(W_BONUS) + option]
    return score


@function
def decide(about, offered, seat, kind, stuck, step, total, players, tables, weighing, policy, scratch, trace):
    """Let a seat choose a member of a set by decision 4, and return it.

    Parameters
    ----------
    about : int64
        What it is about (USE_POWER, ...).
    offered : uint64
        Set of forms or KEEP, kinds, seats or bonuses.
    kind : uint64
        The card that is aimed, for AIM.
    stuck : uint64
        1 if the turn began without a legal move.
    """
    state = scratch.state
    choices = bits.size(offered)
    state[CHOICES] += choices + DECISION + (FORCED if choices == ONE else ZERO)
    if trace is not None:
        write(trace, at.DECISION, seat, at.DECIDE_POWER, choices, about, 0, 0, 0)
    weighted = False
    if weighing is not None:
        weighted = weighing.weighted[policy] != 0
    if weighing is not None and weighted:
        random = state[DECIDING]
        best = _WORST
        chosen = ZERO
        ties = ZERO
        remaining = offered
        while remaining != ZERO:
            option = bits.first(remaining)
            remaining &= remaining - ONE
            score = _score(
                about, option, seat, kind, stuck, step, total, players, tables, weighing, policy, state,
                scratch.power,
            )  # fmt: skip
            best, chosen, _, ties, random = _compare(
                score, option, ZERO, best, chosen, ZERO, ties, weighing, policy, random
            )
        state[DECIDING] = random
        return chosen
    if choices == ONE:
        return bits.first(offered)
    state[DECIDING], choice = streams.below(state[DECIDING], choices)
    return bits.nth(offered, choice)

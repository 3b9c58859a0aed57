"""Cap30: Power Up, as ``kernels.cap30.play`` plays it (C20-C25)."""

import numpy as np

from kernels.bits import ONE, TWO, ZERO
from kernels.blocks import offset
from kernels.cap30 import layout as at
from kernels.cap30.cards import (
    NO_KIND,
    THREE,
    add,
    draw,
    forget_oldest,
    put_under,
    remove,
    seat_after,
    size_at,
)
from kernels.cap30.choices import KEEP, decide, lost_to_drain
from kernels.cap30.tables import (
    AIMED,
    BONUS_KIND,
    BONUS_SEAT,
    BULLSEYE_SEAT,
    BULLSEYES,
    IDLE,
    IN_FORCE,
    LAST_WILD,
    LOST,
    MADE,
    METERS,
    POWER_STATE,
    SHIELDS,
    TAKER,
    TURN_TENS,
    UNSERVED,
    USED,
)
from kernels.jit import function, helper
from kernels.trace import write

NOBODY = np.uint64(0xFF)
_SKIP = np.uint64(at.SKIP)
_TAKE_TWO = np.uint64(at.TAKE_TWO)
_DRAIN = np.uint64(at.DRAIN)
_UNDO = np.uint64(at.UNDO)
_GIVE = np.uint64(at.GIVE)
_SWAP = np.uint64(at.SWAP)
_BONUSES = np.uint64(1 << at.HEAD_START | 1 << at.CHARGED | 1 << at.SHIELD)
_SEATS = np.uint64(at.MAX_PLAYERS)


@helper
def begin_game(power):
    """Empty the meters; nobody has a bonus or a Bullseye in the first hand (C20, C23, C24)."""
    for seat in range(_SEATS):
        power[METERS + seat] = ZERO
    power[BONUS_SEAT] = NOBODY
    power[BULLSEYE_SEAT] = NOBODY


@helper
def _set_meter(seat, notches, why, power, trace):
    """Set a meter, and tell so if that changes it."""
    before = power[METERS + seat]
    power[METERS + seat] = notches
    if trace is not None and notches != before:
        write(trace, at.METER, seat, before, notches, why, 0, 0, 0)


@function
def before_deal(starter, players, powers, power, trace):
    """Begin a hand; return who has a head start: in places from the starter, 0 for nobody (C23)."""
    for seat in range(_SEATS):
        power[UNSERVED + seat] = ZERO
    for place in range(AIMED, POWER_STATE):
        power[place] = ZERO
    if powers.meter_carry == 0:
        for seat in range(players):
            _set_meter(seat, ZERO, at.FOR_NEW_HAND, power, trace)
    ahead = ZERO
    if power[BONUS_SEAT] != NOBODY and power[BONUS_KIND] == at.HEAD_START:
        ahead = seat_after(power[BONUS_SEAT], players - starter, players)
    return ahead


@function
def after_deal(players, powers, power, trace):
    """Give the other bonuses and the Bullseye to who has them in this hand (C23, C24)."""
    for seat in range(players):
        if seat == power[BONUS_SEAT] and power[BONUS_KIND] != at.HEAD_START:
            if trace is not None:
                write(trace, at.ADVANTAGE, seat, power[BONUS_KIND], 0, 0, 0, 0, 0)
            if power[BONUS_KIND] == at.CHARGED:
                notches = min(power[METERS + seat] + TWO, np.uint64(powers.meter_size))
                _set_meter(seat, notches, at.FOR_CHARGED, power, trace)
            else:
                power[SHIELDS] |= ONE << seat
        if seat == power[BULLSEYE_SEAT]:
            power[BULLSEYES] |= ONE << seat
            if trace is not None:
                write(trace, at.ADVANTAGE, seat, at.HAS_BULLSEYE, 0, 0, 0, 0, 0)


@function
def pick_bonus(winner, starter, players, tables, weighing, policy, scratch, trace):
    """Let the winner of a hand pick a bonus for the next one, whose starter has a Bullseye."""
    power = scratch.power
    chosen = decide(
        at.NEXT_BONUS, _BONUSES, winner, NO_KIND, ZERO, ONE, ZERO, players, tables, weighing, policy,
        scratch, trace,
    )  # fmt: skip
    power[BONUS_SEAT] = winner
    power[BONUS_KIND] = chosen
    power[BULLSEYE_SEAT] = starter
    if trace is not None:
        write(trace, at.BONUS, winner, chosen, 0, 0, 0, 0, 0)
    return chosen


@function
def add_notch(seat, powers, power, cells, trace):
    """Add the notch of a ten, or all that are missing if it is the third of its turn (C20)."""
    power[TURN_TENS] += ONE
    before = power[METERS + seat]
    notches = min(before + ONE, np.uint64(powers.meter_size))
    why = at.FOR_TEN
    if power[TURN_TENS] == THREE:
        notches = np.uint64(powers.meter_size)
        why = at.FOR_THIRD_TEN
    cells[offset(at.NOTCHES)] += np.int64(notches) - np.int64(before)
    _set_meter(seat, notches, why, power, trace)


@helper
def _spend_shield(seat, kind, power, cells, trace):
    """Return whether a shield keeps a seat from a TakeTwo or a Give, and spend it (C23)."""
    shielded = power[SHIELDS] >> seat & ONE != ZERO
    if shielded:
        power[SHIELDS] ^= ONE << seat
        cells[offset(at.SHIELDS)] += 1
        if trace is not None:
            write(trace, at.SHIELDED, seat, kind, 0, 0, 0, 0, 0)
    return shielded


@helper
def has_full_meter(seat, powers, power):
    """Return whether a seat has a power to use."""
    return power[METERS + seat] == np.uint64(powers.meter_size)


@helper
def _give(seat, step, last, players, rules, tables, powers, scratch, cells, trace):
    """Let each opponent draw a card, in turn order (C21)."""
    state = scratch.state
    other = seat
    for _ in range(ONE, players):
        other = seat_after(other, step, players)
        if not _spend_shield(other, NO_KIND, scratch.power, cells, trace):
            kind = draw(state, other, last, tables, rules, powers, scratch, cells, trace)
            if kind != NO_KIND:
                add(state, scratch.extras, other, kind)
                state[size_at(other)] += ONE
                cells[offset(at.GIVEN_CARDS)] += 1
                if trace is not None:
                    write(trace, at.GIVEN, other, kind, 0, 0, 0, 0, 0)


@helper
def _swap(seat, step, last, total, players, tables, powers, weighing, policy, scratch, trace):
    """Let a seat put a card under the draw pile for a newly made one (C21)."""
    state = scratch.state
    power = scratch.power
    away = decide(
        at.CARD_AWAY, state[seat << TWO], seat, NO_KIND, ZERO, step, total, players, tables, weighing,
        policy, scratch, trace,
    )  # fmt: skip
    if last == _TAKE_TWO and power[LAST_WILD] == ZERO and scratch.picked[TAKER] == seat:
        forget_oldest(away, scratch)
    remove(state, scratch.extras, seat, away)
    put_under(away, scratch)
    if trace is not None:
        write(trace, at.SWAP_AWAY, seat, away, 0, 0, 0, 0, 0)
    made = decide(
        at.KIND_TAKEN, powers.swap_kinds, seat, NO_KIND, ZERO, step, total, players, tables, weighing,
        policy, scratch, trace,
    )  # fmt: skip
    add(state, scratch.extras, seat, made)
    power[MADE + made - _SKIP] += ONE
    if trace is not None:
        write(trace, at.SWAP_FOR, seat, made, 0, 0, 0, 0, 0)


@function
def use_power(
    moment, seat, stuck, step, last, total, rules, tables, powers, weighing, policy, scratch, cells, trace
):
    """Let a seat with a full meter use its power, or keep it (C21)."""
    power = scratch.power
    players = np.uint64(rules.players)
    form = decide(
        at.USE_POWER, powers.forms | ONE << KEEP, seat, NO_KIND, stuck, step, total, players, tables,
        weighing, policy, scratch, trace,
    )  # fmt: skip
    if form == KEEP:
        if trace is not None:
            write(trace, at.NO_POWER, seat, moment, 0, 0, 0, 0, 0)
        return
    cells[offset(at.POWERS)] += 1
    cells[offset(np.uint64(at.POWERS_BY_FORM) + TWO * form + np.uint64(moment))] += 1
    if trace is not None:
        write(trace, at.POWER, seat, form, moment, 0, 0, 0, 0)
    _set_meter(seat, ZERO, at.FOR_POWER, power, trace)
    power[IDLE] = ZERO
    power[USED] = ONE
    if form == _GIVE:
        _give(seat, step, last, players, rules, tables, powers, scratch, cells, trace)
    elif form == _SWAP:
        _swap(seat, step, last, total, players, tables, powers, weighing, policy, scratch, trace)
    else:
        power[IN_FORCE] = ONE


@helper
def cards_made(power):
    """Return how many cards Swaps have made in this hand."""
    return power[MADE] + power[MADE + ONE] + power[MADE + TWO]


@function
def react(mover, step, last, total, rules, tables, powers, weighing, position, scratch, cells, trace):
    """Ask the opponents with a full meter, in turn order, whether they use their power now (C21)."""
    players = np.uint64(rules.players)
    seat = mover
    for _ in range(ONE, players):
        seat = seat_after(seat, step, players)
        if has_full_meter(seat, powers, scratch.power):
            use_power(
                at.AS_REACTION, seat, ZERO, step, last, total, rules, tables, powers, weighing,
                np.uint64(position[seat]), scratch, cells, trace,
            )  # fmt: skip


@helper
def has_bullseye(seat, power):
    """Return whether a seat holds a Bullseye that it has not used (C24)."""
    return power[BULLSEYES] >> seat & ONE != ZERO


@helper
def spend_wild(seat, power, cells):
    """Take note of a card played as a Wild ten; return by what (WILD, BULLSEYE)."""
    manner = at.WILD
    if power[IN_FORCE] == ZERO:
        manner = at.BULLSEYE
        power[BULLSEYES] ^= ONE << seat
        cells[offset(at.BULLSEYES)] += 1
    power[IN_FORCE] = ZERO
    return manner


@helper
def has_passed(seat, players, power):
    """Take note of a turn without a card; return whether the hand is blocked (C14).

    A turn in which a power was used is none of those that block a hand.
    """
    if power[USED] == ZERO:
        power[IDLE] |= ONE << seat
    return power[IDLE] == (ONE << players) - ONE


@function
def aim(kind, seat, step, total, players, tables, weighing, policy, scratch, trace):
    """Let the player of a card choose the opponent whom it hits (C22, C25)."""
    everybody = (ONE << players) - ONE
    hit = decide(
        at.AIM, everybody ^ ONE << seat, seat, kind, ZERO, step, total, players, tables, weighing, policy,
        scratch, trace,
    )  # fmt: skip
    scratch.power[AIMED] = hit
    if trace is not None:
        write(trace, at.TARGET, seat, kind, hit, 0, 0, 0, 0)
    return hit


@function
def aim_take_two(seat, step, total, count, players, tables, weighing, policy, scratch, cells, trace):
    """Return whom a TakeTwo hits, and how many cards that seat has to pick up (C22, C23)."""
    hit = aim(_TAKE_TWO, seat, step, total, players, tables, weighing, policy, scratch, trace)
    if _spend_shield(hit, _TAKE_TWO, scratch.power, cells, trace):
        count = 0
    return hit, count


@function
def act(
    kind, cancels, seat, following, step, total, players, tables, weighing, policy, scratch, cells, trace
):
    """Do what a Skip or a Drain does, or an Undo of one.

    Returns
    -------
    bool
        Whether the card was one of these.
    uint64
        Who is next, Skips aside.
    """
    power = scratch.power
    done = True
    if kind == _SKIP:
        hit = aim(kind, seat, step, total, players, tables, weighing, policy, scratch, trace)
        power[UNSERVED + hit] += ONE
    elif kind == _DRAIN:
        hit = aim(kind, seat, step, total, players, tables, weighing, policy, scratch, trace)
        lost = lost_to_drain(power[METERS + hit])
        power[LOST] = lost
        cells[offset(at.DRAINS)] += 1
        cells[offset(at.NOTCHES_DRAINED)] += np.int64(lost)
        _set_meter(hit, power[METERS + hit] - lost, at.FOR_DRAIN, power, trace)
    elif kind == _UNDO and cancels == _SKIP:
        hit = power[AIMED]
        if power[UNSERVED + hit] > ZERO:
            power[UNSERVED + hit] -= ONE
            if trace is not None:
                write(trace, at.SKIP_OFF, hit, 0, 0, 0, 0, 0, 0)
        else:
            following = hit
            if trace is not None:
                write(trace, at.UNSKIP, hit, 0, 0, 0, 0, 0, 0)
    elif kind == _UNDO and cancels == _DRAIN:
        hit = power[AIMED]
        _set_meter(hit, power[METERS + hit] + power[LOST], at.FOR_UNDO, power, trace)
    else:
        done = False
    return done, following


@helper
def serve_skips(following, step, players, power, cells, trace):
    """Return who acts next, after those who miss their turn (C22)."""
    while power[UNSERVED + following] > ZERO:
        power[UNSERVED + following] -= ONE
        cells[offset(at.TURNS_MISSED)] += 1
        if trace is not None:
            write(trace, at.MISS, following, 0, 0, 0, 0, 0, 0)
        following = seat_after(following, step, players)
    return following

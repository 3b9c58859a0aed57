"""Power Up, Cap30's online variant, rule by rule (C20-C25)."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from fastsim.experiment import design
from kernels.cap30 import layout as at
from kernels.cap30.tables import build_tables
from tests.conftest import COMPILED
from tests.kernels.cap30_positions import Move, Played, hand
from tests.kernels.test_cap30 import compare_with_the_referee, rows, trace

pytestmark = pytest.mark.kernel

KIND = {name: number for number, name in enumerate(at.KIND_NAMES)}


Wanted = Callable[[Played], bool]


def up(hands: list[str], pile: str = "", script: Sequence[Move] = (), **options: Any) -> Played:
    """Return a hand with Power Up."""
    return hand(hands, pile, script, powers=True, **options)


def asked(played: Played, about: int) -> list[list[int]]:
    """Return seat and choices of the decisions of Power Up about one thing."""
    return [
        [seat, n] for seat, number, n, what, *_ in played.of(at.DECISION) if number == 4 and what == about
    ]


def used(form: int, moment: int = at.AT_TURN, seat: int | None = None) -> Wanted:
    """Return whether a hand's first power is used in this form."""
    return lambda played: (
        bool(played.of(at.POWER))
        and (played.of(at.POWER)[0][1:3] == [form, moment] and seat in (None, played.of(at.POWER)[0][0]))
    )


def between(played: Played, code: int, until: int) -> list[list[int]]:
    """Return the events from the first of a code to the next of another, without those two."""
    start = next(i for i, event in enumerate(played.events) if event[0] == code)
    found = []
    for event in played.events[start + 1 :]:
        if event[0] == until:
            break
        found.append(event)
    return found


# C20: meters.


def test_C20_tens_add_notches_and_the_third_of_a_turn_fills() -> None:
    script = [(0, "+5", 1), (0, "+10", 1), (0, "-10", 1)]
    played = up(["+5 +10 -10 +1", "+1 +1 -1"], "+5", script, meter_size=5)
    assert [e[:4] for e in played.of(at.METER)[:3]] == [
        [0, 0, 1, at.FOR_TEN],
        [0, 1, 2, at.FOR_TEN],
        [0, 2, 5, at.FOR_THIRD_TEN],
    ]
    assert played.row["notches", -1] == sum(e[2] - e[1] for e in played.of(at.METER) if e[3] <= 1)


def test_C20_a_full_meter_gains_no_more() -> None:
    script = [(0, "+5", 1), (0, "+10", 1)]
    played = up(["+5 +10 -1 +1", "+1 +1 -1"], "+5", script, meter_size=1)
    first_turn = between(played, at.TURN, at.TURN)
    assert [e[1:5] for e in first_turn if e[0] == at.METER] == [[0, 0, 1, at.FOR_TEN]]


def test_C20_a_winning_ten_counts_too() -> None:
    played = up(["+5", "+1 "], "", [(0, "+5", 1)])
    assert played.of(at.METER) == [[0, 0, 1, at.FOR_TEN, 0, 0, 0]]
    assert (played.row["tens", -1], played.row["notches", -1]) == (1, 1)


def test_C20_an_undo_onto_a_ten_notches_and_takes_none_back() -> None:
    script = [(0, "+7", 1), (1, "Undo", 1)]
    played = up(["+7 -1 -1", "Undo -3 -2"], "+5", script, total=20, undo_chains=False)
    assert played.of(at.METER)[0][:4] == [1, 0, 1, at.FOR_TEN]
    assert played.turns()[:3] == [0, 1, 0]
    script = [(0, "+5", 1), (1, "Undo", 1)]
    taken_back = up(["+5 -1 -1", "Undo -3 -2"], "+5", script, total=15)
    assert [e[:3] for e in taken_back.of(at.METER) if e[3] not in (at.FOR_TEN, at.FOR_POWER)] == []


@pytest.mark.parametrize("carry", [True, False])
def test_C20_meters_carry_over_between_hands_unless_the_option_says_no(carry: bool) -> None:
    options = {"powers": True, "players": 3, "meter_carry": carry, "hands_to_win": 3}
    experiment = design("cap30", options, "random", unit="game", seed=3)
    carried = 0
    for game in range(20):
        meters = [0] * 3
        for code, seat, *fields in trace(experiment, game):
            if code == at.HAND:
                carried += sum(meters)
                assert not fields[0] or carry or meters
            elif code == at.METER:
                before, after, why = fields[:3]
                assert meters[seat] == before != after
                meters[seat] = after
                assert why != at.FOR_NEW_HAND or (not carry and after == 0)
            elif code == at.DEAL and not carry:
                assert meters == [0] * 3
    assert carried > 0


# C21: powers.


@pytest.mark.parametrize(
    ("hands", "choices"),
    [
        (["+5 +1 +1", "+1 +1 Skip"], 2),
        (["+5 +1 +1", "+1 +1 Skip", "+1 +1 +1"], 3),
        (["+5 +1 +1", "+1 +1 +1", "+1 +1 +1"], 2),
    ],
)
def test_C21_a_full_meter_is_asked_for_at_the_start_of_an_own_turn(hands: list[str], choices: int) -> None:
    played = up(
        hands, "+1 +1 +1 +1", [(0, "+5", 1)], meter_size=1, power_reaction=False,
        want=lambda p: bool(asked(p, at.USE_POWER)),
    )  # fmt: skip
    assert asked(played, at.USE_POWER)[0] == [0, choices]
    place = next(i for i, e in enumerate(played.events) if e[:3] == [at.DECISION, 0, at.DECIDE_POWER])
    assert played.events[place - 1][:2] == [at.TURN, 0]


def test_C21_power_is_asked_for_without_a_legal_move_and_the_turn_is_stuck_all_the_same() -> None:
    # Total 30 after a Double onto a ten: nothing can be added any more.
    played = up(
        ["Double +9 +9", "+9 +9"], "+8 +8 +8", [(0, "Double", 1)], total=15, meter_size=1,
        want=used(at.WILD_TEN, seat=0),
    )  # fmt: skip
    first = between(played, at.POWER, at.TURN)
    assert [e[0] for e in first[:3]] == [at.METER, at.DECISION, at.MOVE]
    assert first[0][1:5] == [0, 1, 0, at.FOR_POWER]
    assert first[1][1:4] == [0, at.DECIDE_TURN, 1]  # one kind in hand, and no drawing
    assert first[2][2:8] == [KIND["+9"], 1, 30, 30, 1, at.WILD]
    assert played.row["stuck", -1] >= 1


def test_C21_a_kept_power_stays() -> None:
    powers, keeps = (at.POWER, at.NO_POWER), [at.NO_POWER] * 2
    played = up(
        ["+5 -1 -1 -1", "+1 +1 +1"], "+1 +1", [(0, "+5", 1)], meter_size=1,
        max_multiple=1, want=lambda p: [e[0] for e in p.events if e[0] in powers and e[1] == 0][:2] == keeps,
    )  # fmt: skip
    first, second = [i for i, e in enumerate(played.events) if e[:2] == [at.NO_POWER, 0]][:2]
    assert played.events[first][2] == at.AT_TURN
    assert not [e for e in played.events[first:second] if e[:2] == [at.METER, 0]]


def test_C21_give_lets_each_opponent_draw_in_turn_order() -> None:
    script = [(0, "Switch", 1), (2, "+5", 1)]
    played = up(
        ["Switch +1 +1 +1", "+1 -1 +1", "+5 -1 +2"], "+6 +7 +8 +9", script, meter_size=1, starter_extra=1,
        want=used(at.GIVE, seat=2),
    )  # fmt: skip
    given = [[seat, at.KIND_NAMES[kind]] for seat, kind, *_ in played.of(at.GIVEN)[:2]]
    # Anticlockwise from seat 2: seat 1, then seat 0.
    assert [seat for seat, _ in given] == [1, 0]
    assert played.row["given", -1] == len(played.of(at.GIVEN))
    assert played.row["powers.give", at.AT_TURN] >= 1


def test_C21_swap_puts_a_card_under_the_pile_for_a_new_one() -> None:
    played = up(
        ["+5 +9 +9", "Skip +9 +9", "+9 +9 +9"], "-10", [(0, "+5", 1)], total=25, meter_size=1,
        starter_extra=0, want=lambda p: used(at.SWAP, seat=0)(p) and len(p.of(at.DRAW)) > 2,
    )  # fmt: skip
    assert [e[0] for e in between(played, at.POWER, at.TURN)[:5]] == [
        at.METER, at.DECISION, at.SWAP_AWAY, at.DECISION, at.SWAP_FOR,
    ]  # fmt: skip
    assert asked(played, at.CARD_AWAY)[0] == [0, 1]  # nothing but +9
    assert asked(played, at.KIND_TAKEN)[0] == [0, 1]  # the deck has only Skips
    assert played.of(at.SWAP_AWAY)[0][:2] == [0, KIND["+9"]]
    assert played.of(at.SWAP_FOR)[0][:2] == [0, KIND["Skip"]]


def test_C21_a_card_made_by_a_swap_stays_in_the_deck() -> None:
    experiment = design("cap30", {"powers": True, "players": 4, "meter_size": 1, "hand_size": 10}, "random")
    seen = 0
    for game in range(200 if COMPILED else 30):
        events = trace(experiment, game)
        held: Counter[int] = Counter()
        cards, made, pile, last = 0, 0, 0, 0
        under = 0
        for code, _seat, *fields in events:
            if code == at.HAND:
                cards = pile = fields[2]
            elif code in (at.DEAL, at.DRAW, at.TAKE, at.GIVEN):
                held[0] += 1
                pile, under = (pile - 1, under) if pile else (0, under - 1)
            elif code in (at.RETURN, at.SWAP_AWAY):
                held[0] -= 1
                under += 1
            elif code == at.SWAP_FOR:
                held[0] += 1
                made += 1
            elif code == at.MOVE:
                held[0] -= fields[1]
                last = 1
            elif code == at.RESHUFFLE:
                assert (pile, under) == (0, 0)
                assert fields[0] == cards + made - held[0] - last
                pile = fields[0]
                seen += made > 0
    assert seen > 0


def test_C21_of_several_copies_a_swap_puts_away_the_one_held_longest() -> None:
    # Seat 1, which holds a +9, picks up +9 and +8, and swaps before seat 0 undoes the TakeTwo.
    script = [(0, "+5", 1), (1, "+10", 1), (2, "TakeTwo", 1), (0, "Undo", 1)]

    def swapped(kind: str) -> Wanted:
        return lambda p: (
            p.of(at.TARGET)[0][2] == 1
            and [e[:2] for e in p.of(at.SWAP_AWAY)][:1] == [[1, KIND[kind]]]
            and p.of(at.POWER)[0][:3] == [1, at.SWAP, at.AS_REACTION]
            and not [e for e in p.of(at.POWER)[1:2] if e[2] == at.AS_REACTION]
        )

    for kind, back in (("+9", ["+9", "+8"]), ("+8", ["+9"])):
        played = up(
            ["+5 Undo", "+10 +9", "TakeTwo +1"], "+9 +8 +7 -1", script, meter_size=1, chain_limit=1,
            max_turns=9, want=swapped(kind),
        )  # fmt: skip
        assert [at.KIND_NAMES[e[2]] for e in played.after(3) if e[0] == at.RETURN] == back


@pytest.mark.parametrize(
    ("cap", "step", "tens"),
    [
        (30, 10, {0: 0, 4: 0, 5: 10, 14: 10, 15: 20, 25: 30, 30: 30}),
        (25, 10, {14: 10, 15: 20, 24: 20, 25: 20}),
        (30, 7, {3: 0, 4: 7, 29: 28, 30: 28}),
    ],
)
def test_C21_the_nearest_ten(cap: int, step: int, tens: dict[int, int]) -> None:
    powers = build_tables([0, 1], 2, cap, 0, step, 3, 1, 0, (4, True, True)).powers
    assert powers is not None
    assert {total: powers.nearest[total] for total in tens} == tens


def wild(kind: str, seat: int = 0) -> Wanted:
    """Return whether the first Wild ten is this card."""

    def wanted(played: Played) -> bool:
        first = [e for e in played.of(at.MOVE) if e[6] == at.WILD][:1]
        return bool(first) and first[0][:2] == [seat, KIND[kind]]

    return wanted


def test_C21_a_wild_ten_is_any_card_without_its_own_effect_and_chains() -> None:
    script = [(0, "+5", 1), (1, "+1", 1), (0, "Skip", 1)]
    played = up(
        ["+5 Skip Reset +1", "+1 +2 +3"], "+2", script, total=15, meter_size=1, want=wild("Skip")
    )  # fmt: skip
    place = next(i for i, e in enumerate(played.events) if e[0] == at.MOVE and e[7] == at.WILD)
    assert played.events[place - 1][1:4] == [0, at.DECIDE_TURN, 3]  # Skip, Reset, +1
    assert played.events[place][3:8] == [1, 21, 20, 1, at.WILD]
    assert played.events[place + 1][0] == at.METER
    assert played.events[place + 2][1:4] == [0, at.DECIDE_CHAIN, 3]  # Reset, +1, stop
    assert played.of(at.TARGET) == []
    assert played.row["plays", KIND["Skip"]] == 1


def test_C21_undoing_a_wild_ten_only_puts_the_total_back() -> None:
    script = [(0, "+5", 1), (1, "+1", 1), (0, "TakeTwo", 1), (1, "Undo", 1)]
    played = up(
        ["+5 TakeTwo -9 -9", "+1 Undo +2"], "+2 +2 +2", script, total=15, meter_size=1, chain_limit=1,
        want=wild("TakeTwo"),
    )  # fmt: skip
    assert [m[3:5] for m in played.of(at.MOVE)[2:4]] == [[21, 20], [20, 21]]
    assert not played.of(at.TAKE)
    assert not played.of(at.RETURN)


def test_C21_an_undo_as_a_wild_ten_needs_no_last_card_and_cannot_be_undone() -> None:
    script = [(0, "+6", 1), (1, "Undo", 1), (0, "Undo", 1)]
    played = up(
        ["+6 Undo -9 -9", "Undo Undo +9"], "+2 +2 +2", script, total=14, meter_size=1, chain_limit=1,
        want=wild("Undo"),
    )  # fmt: skip
    assert played.of(at.MOVE)[2][3:5] == [14, 10]
    place = next(i for i, e in enumerate(played.events) if e[0] == at.MOVE and e[7] == at.WILD)
    following = next(e for e in played.events[place:] if e[0] == at.DECISION)
    assert following[1:4] == [1, at.DECIDE_TURN, 1]  # the +9 alone


def test_C21_a_wild_undo_chains_whatever_undo_chains_says() -> None:
    script = [(0, "+5", 1), (0, "-4", 1), (1, "+1", 1), (0, "Undo", 1)]
    played = up(
        ["+5 -4 Undo -9 -9", "+1 +1 +1"], "+2 +2", script, total=15, meter_size=1, undo_chains=False,
        want=wild("Undo"),
    )  # fmt: skip
    place = next(i for i, e in enumerate(played.events) if e[0] == at.MOVE and e[7] == at.WILD)
    assert next(e[2] for e in played.events[place:] if e[0] == at.DECISION) == at.DECIDE_CHAIN


def test_C21_no_drawing_while_a_wild_ten_is_in_force() -> None:
    played = up(
        ["+5 -1 -2 -3", "+1 +1 +1"], "+2 +2", [(0, "+5", 1)], meter_size=1, must_play=False, chain_limit=1,
        want=used(at.WILD_TEN, seat=0),
    )  # fmt: skip
    after = between(played, at.POWER, at.MOVE)
    assert [e[3] for e in after if e[0] == at.DECISION] == [3]


def reaction(reacting: int, form: int) -> Wanted:
    return lambda p: any(e[:3] == [reacting, form, at.AS_REACTION] for e in p.of(at.POWER))


def test_C21_opponents_may_react_when_a_player_is_down_to_one_card() -> None:
    script = [(0, "+5", 1), (1, "+10", 1), (2, "+1", 1), (0, "-1", 1)]
    hands = ["+5 -1 +9", "+10 +1 +1", "+1 +1 +1"]
    played = up(
        hands, "-1 -1 -1", script, total=5, meter_size=1, chain_limit=1, want=reaction(1, at.GIVE),
    )  # fmt: skip
    place = played.events.index([at.POWER, 1, at.GIVE, at.AS_REACTION, 0, 0, 0, 0])
    turn = [e for e in played.events[:place] if e[0] == at.TURN][-1]
    assert turn[1] != 1
    assert played.row["powers.give", at.AS_REACTION] >= 1
    without = up(hands, "-1 -1 -1", script, total=5, meter_size=1, power_reaction=False, chain_limit=1)
    moments = [e[2] for e in without.of(at.POWER)] + [e[1] for e in without.of(at.NO_POWER)]
    assert at.AS_REACTION not in moments


@pytest.mark.parametrize("players", [2, 3, 4])
def test_C21_who_is_asked_to_react_and_in_which_order(players: int) -> None:
    experiment = design("cap30", {"powers": True, "players": players, "meter_size": 1}, "random", seed=9)
    reactions = 0
    for game in range(150 if COMPILED else 20):
        sizes, meters = [0] * players, [0] * players
        mover, moved, direction = 0, False, 1
        due: list[int] = []
        for code, seat, *fields in trace(experiment, game):
            power = fields[1] if code == at.POWER else fields[0]
            if code in (at.POWER, at.NO_POWER) and power == at.AS_REACTION:
                due = due or [
                    (mover + direction * i) % players
                    for i in range(1, players)
                    if meters[(mover + direction * i) % players]
                ]
                assert moved and due.pop(0) == seat
                reactions += 1
            elif code in (at.TURN, at.MISS, at.HAND_END):
                assert not due
            if code == at.TURN:
                mover, moved, direction = seat, False, fields[2]
            elif code == at.MOVE:
                moved = True
                sizes[seat] -= fields[1]
            elif code == at.DIRECTION:
                direction = fields[0]
            elif code == at.METER:
                meters[seat] = fields[1]
            elif code in (at.DEAL, at.DRAW, at.TAKE, at.GIVEN):
                sizes[seat] += 1
            elif code == at.RETURN:
                sizes[seat] -= 1
    assert (reactions > 0) == (players > 2)


# C22: targets and missed turns.


def test_C22_the_player_chooses_whom_a_take_two_hits() -> None:
    hands = ["TakeTwo +1 +1", "+1 +1 +1", "+1 +1 +1", "+1 +1 +1"]
    hit = set()
    for target in (1, 2, 3):
        played = up(
            hands, "+2 +3 +4", [(0, "TakeTwo", 1)], starter_extra=0,
            want=lambda p, seat=target: p.of(at.TARGET)[0][2] == seat,
        )  # fmt: skip
        assert asked(played, at.AIM)[0] == [0, 3]
        assert [e[0] for e in played.after(0)[:4]] == [at.DECISION, at.TARGET, at.TAKE, at.TAKE]
        hit |= {e[1] for e in played.after(0)[2:4]}
    assert hit == {1, 2, 3}


@pytest.mark.parametrize("kind", ["TakeTwo", "Skip", "Drain"])
def test_C22_with_two_players_the_target_is_forced_and_counted_of_a_winning_card_too(kind: str) -> None:
    played = up([kind, "+1"], "+2 +3", [(0, kind, 1)])
    assert asked(played, at.AIM) == [[0, 1]]
    assert played.of(at.TARGET)[0][:3] == [0, KIND[kind], 1]
    assert played.row["winner", -1] == 0
    assert (played.row["decisions", -1], played.row["forced", -1]) == (2, 2)


def test_C22_a_skipped_player_misses_the_next_turn_and_skips_add_up() -> None:
    script = [(0, "Skip", 1), (1, "Skip", 1)]

    def both_at_two(p: Played) -> bool:
        return [e[2] for e in p.of(at.TARGET)[:2]] == [2, 2] and p.row["turns", -1] > 7

    played = up(
        ["Skip +1 +1 +1", "Skip +1 +1 +1", "+1 +1 +1 +1"], "+2 +3", script, max_multiple=1, want=both_at_two
    )
    assert played.turns()[:6] == [0, 1, 0, 1, 0, 1]
    order = [e[:2] for e in played.events if e[0] in (at.TURN, at.MISS)]
    around = [[at.TURN, 0], [at.TURN, 1], [at.MISS, 2]]
    assert order[:8] == [*around, *around, *around[:2]]
    assert played.row["turns_missed", -1] == len(played.of(at.MISS))


def test_C22_a_skip_not_yet_missed_is_taken_off_by_its_undo() -> None:
    script = [(0, "Skip", 1), (1, "Undo", 1)]
    played = up(
        ["Skip +1 +1", "Undo +1 +1", "+1 +1 +1"], "+2 +3", script, starter_extra=0,
        want=lambda p: p.of(at.TARGET)[0][2] == 2,
    )  # fmt: skip
    assert [e[:2] for e in played.after(1)] == [[at.SKIP_OFF, 2]]
    assert played.turns()[:3] == [0, 1, 2]


def test_C22_a_skip_that_was_missed_makes_the_skipped_player_next() -> None:
    script = [(0, "Skip", 1), (2, "Undo", 1)]
    played = up(
        ["Skip +1 +1", "+1 +1 +1", "Undo +1 +1"], "+2 +3", script, starter_extra=0,
        want=lambda p: p.of(at.TARGET)[0][2] == 1,
    )  # fmt: skip
    assert [e[:2] for e in played.after(1)] == [[at.UNSKIP, 1]]
    assert played.turns()[:4] == [0, 2, 1, 2]


def test_C22_with_two_players_a_switch_goes_again_and_a_skip_too() -> None:
    for kind in ("Skip", "Switch"):
        played = up([f"{kind} +1 +1", "+1 -1"], "+3", [(0, kind, 1)])
        assert played.turns()[:2] == [0, 0]
        assert len([e for e in played.after(0) if e[0] == at.MISS]) == (kind == "Skip")
    script = [(0, "Skip", 1), (0, "Undo", 1)]
    undone = up(["Skip Undo +1", "+1 -1"], "+3", script)
    assert undone.turns()[:3] == [0, 0, 1]


def test_C22_options_of_the_base_game_that_do_not_apply_are_refused() -> None:
    for name, value in (("take_target", "next"), ("next_starter", "rotate")):
        with pytest.raises(ValueError, match=f"option {name} is {value}, but with powers"):
            design("cap30", {"powers": True, name: value})


# C23 and C24: bonuses and the Bullseye.


def games(options: dict[str, object], count: int, policy: str = "random") -> list[list[list[list[int]]]]:
    """Return the events of games, hand by hand."""
    experiment = design("cap30", {"powers": True, **options}, policy, unit="game", seed=5)
    found = []
    for game in range(count):
        hands: list[list[list[int]]] = []
        for event in trace(experiment, game):
            if event[0] == at.HAND:
                hands.append([])
            hands[-1].append(event)
        found.append(hands)
    return found


MANY = 60 if COMPILED else 12


def test_C23_the_winner_picks_a_bonus_unless_the_game_is_over() -> None:
    for hands in games({"players": 3}, MANY):
        for number, events in enumerate(hands):
            end = next(i for i, e in enumerate(events) if e[0] == at.HAND_END)
            after = [e[0] for e in events[end + 1 :]]
            if number == len(hands) - 1:
                assert after == [at.GAME_END]
            elif events[end][1] >= 0:
                winner = events[end][1]
                assert after == [at.DECISION, at.BONUS]
                assert events[end + 1][1:5] == [winner, at.DECIDE_POWER, 3, at.NEXT_BONUS]
                assert events[end + 2][1] == winner


def test_C23_and_C24_what_they_have_in_the_next_hand() -> None:
    seen: Counter[int] = Counter()
    for hands in games({"players": 3, "max_turns": 25, "hands_to_win": 3, "meter_size": 6}, MANY):
        bonus: list[int] | None = None
        bullseye = None
        for events in hands:
            starter = events[0][1]
            dealt = Counter(e[1] for e in events if e[0] == at.DEAL)
            advantages = [e[1:3] for e in events if e[0] == at.ADVANTAGE]
            expected = []
            sizes = dict.fromkeys(range(3), 7)
            if bonus is not None:
                seen[bonus[1]] += 1
                if bonus[1] == at.HEAD_START:
                    sizes[bonus[0]] -= 1
                else:
                    expected.append(bonus)
                assert starter == bullseye
                expected.append([starter, at.HAS_BULLSEYE])
            assert dict(dealt) == sizes
            assert advantages == sorted(expected)
            charged = [e for e in events if e[0] == at.METER and e[4] == at.FOR_CHARGED]
            assert len(charged) <= (bonus is not None and bonus[1] == at.CHARGED)
            for e in charged:
                assert e[3] == min(e[2] + 2, 6)
            left = Counter(dealt)
            for code, seat, *fields in events:
                left[seat] += code in (at.DRAW, at.TAKE, at.GIVEN)
                left[seat] -= fields[1] if code == at.MOVE else code == at.RETURN
            end = next(e for e in events if e[0] == at.HAND_END)
            if end[1] >= 0:  # a void hand leaves things as they were
                clockwise = [(end[1] + i) % 3 for i in range(1, 3)]
                bullseye = max(clockwise, key=lambda seat: left[seat])
                bonus = next((e[1:3] for e in events if e[0] == at.BONUS), None)
            else:
                seen[-1] += bonus is not None
    assert all(seen[kind] > 0 for kind in (-1, at.HEAD_START, at.CHARGED, at.SHIELD))


def test_C23_a_head_start_leaves_at_least_one_card() -> None:
    for hands in games({"players": 3, "hand_size": 1}, MANY):
        for events in hands:
            assert [e[1] for e in events if e[0] == at.DEAL] == [(events[0][1] + i) % 3 for i in range(3)]


@pytest.mark.parametrize("take_count", [0, 2])
def test_C23_a_shield_is_spent_by_the_first_take_two_or_give(take_count: int) -> None:
    spent: Counter[int] = Counter()
    for hands in games({"players": 3, "take_count": take_count, "meter_size": 1, "hands_to_win": 4}, MANY):
        for events in hands:
            shields = {e[1] for e in events if e[0] == at.ADVANTAGE and e[2] == at.SHIELD}
            for event, following in zip(events, [*events[1:], [0] * 8], strict=True):
                if event[0] == at.TARGET and event[2] == KIND["TakeTwo"]:
                    assert (following[:3] == [at.SHIELDED, event[3], event[2]]) == (event[3] in shields)
                if event[0] == at.SHIELDED:
                    shields.remove(event[1])
                    spent[event[2]] += 1
                    assert following[0] != at.TAKE
                if event[0] == at.GIVEN:
                    assert event[1] not in shields
    assert spent[KIND["TakeTwo"]] > 0
    assert spent[at.KINDS] > 0


def test_C23_bonuses_and_shields_are_counted() -> None:
    experiment = design("cap30", {"powers": True, "players": 3}, "random", unit="game", seed=5)
    hands, of_games, count = rows(experiment, 0, 20)
    row = 0
    for game in range(count):
        bonuses: Counter[int] = Counter()
        shields = 0
        for code, _, *fields in trace(experiment, game):
            bonuses[fields[0]] += code == at.BONUS
            shields += code == at.SHIELDED
        assert of_games[at.GAME_BONUSES : at.GAME_BONUSES + 3, game].tolist() == [
            bonuses[k] for k in range(3)
        ]
        until = row + of_games[at.GAME_HANDS, game]
        assert hands[at.SHIELDS, row:until].sum() == shields
        row = until


def test_C24_a_bullseye_is_one_more_choice_for_each_kind_once_in_the_hand() -> None:
    shots = 0
    for hands in games({"players": 3, "max_multiple": 1, "meter_size": 10}, MANY):
        for events in hands:
            holder = next((e[1] for e in events if e[0] == at.ADVANTAGE and e[2] == at.HAS_BULLSEYE), None)
            held = [Counter[int]() for _ in range(3)]
            total = 15
            for code, seat, *fields in events:
                if code in (at.DEAL, at.DRAW, at.TAKE, at.GIVEN):
                    held[seat][fields[0]] += 1
                elif code in (at.RETURN, at.SWAP_AWAY):
                    held[seat][fields[0]] -= 1
                elif code == at.SWAP_FOR:
                    held[seat][fields[0]] += 1
                elif code == at.DECISION and fields[0] == at.DECIDE_TURN:
                    kinds = sum(1 for n in held[seat].values() if n > 0)
                    # Legal moves are at most one a kind here; a Bullseye adds one for every kind.
                    if seat == holder:
                        assert kinds < fields[1] <= 2 * kinds
                    else:
                        assert fields[1] <= kinds
                elif code == at.MOVE:
                    held[seat][fields[0]] -= 1
                    if fields[5] == at.BULLSEYE:
                        assert seat == holder
                        assert fields[3] == (total + 5) // 10 * 10
                        assert fields[4] == 1
                        holder = None
                        shots += 1
                    total = fields[3]
    assert shots > 0


def test_C24_a_single_hand_has_neither_bonus_nor_bullseye() -> None:
    experiment = design("cap30", {"powers": True, "players": 3}, "random")
    for game in range(20):
        assert not {at.ADVANTAGE, at.BONUS} & {event[0] for event in trace(experiment, game)}


# C25: Drain.


def test_C25_a_drain_takes_two_notches_and_its_undo_gives_them_back() -> None:
    script = [(0, "+5", 1), (0, "-10", 1), (1, "Drain", 1), (0, "Undo", 1)]
    played = up(["+5 -10 Undo +1 +1", "Drain +1 +1 +1"], "+2 +3", script, meter_size=10, chain_limit=2)
    assert [e[:4] for e in played.of(at.METER)[:4]] == [
        [0, 0, 1, at.FOR_TEN],
        [0, 1, 2, at.FOR_TEN],
        [0, 2, 0, at.FOR_DRAIN],
        [0, 0, 2, at.FOR_UNDO],
    ]
    assert [e[0] for e in played.after(2)] == [at.DECISION, at.TARGET, at.METER]
    assert played.turns()[:4] == [0, 1, 0, 1]  # the Undo ends the turn
    assert (played.row["drains", -1], played.row["notches_drained", -1]) == (1, 2)
    assert played.row["plays", KIND["Drain"]] == 1


def test_C25_not_below_zero() -> None:
    script = [(0, "+5", 1), (1, "Drain", 1)]
    played = up(["+5 +9 +1", "Drain +1 +1"], "+2 +3", script, meter_size=10, chain_limit=1)
    assert played.of(at.METER)[1][:4] == [0, 1, 0, at.FOR_DRAIN]
    assert played.row["notches_drained", -1] == 1
    nothing = up(["Drain +9 +1", "Drain +1"], "+2 +3", [(0, "Drain", 1)], total=1)
    assert [e[0] for e in nothing.after(0)] == [at.DECISION, at.TARGET]
    assert nothing.row["drains", -1] >= 1


def test_C25_drains_are_cards_of_the_deck() -> None:
    for drains in (0, 2, 6):
        options = design("cap30", {"powers": True, "drain_cards": drains}).options
        assert len(options.cards()) == 52 + drains  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="the deck has 52: all hands must fit"):
        design("cap30", {"powers": True, "players": 4, "hand_size": 14, "drain_cards": 0})
    design("cap30", {"powers": True, "players": 4, "hand_size": 14, "drain_cards": 4})


# What C14 and C16 say is taken before powers, and when a hand is blocked.


def test_C14_blocked_when_every_player_has_had_a_turn_since_the_last_play_draw_or_power() -> None:
    # Two play until nothing can be played or drawn: total 30, all cards +9.
    played = up(["Double +9 +9", "+9 +9"], "", [(0, "Double", 1)], want=lambda p: bool(p.row["blocked", -1]))
    last = max(i for i, e in enumerate(played.events) if e[0] in (at.MOVE, at.DRAW, at.POWER))
    turns = [e[1] for e in played.events[last:] if e[0] == at.TURN]
    assert turns == [1, 0]


def test_C14_a_turn_in_which_a_power_was_used_is_no_pass() -> None:
    # Seat 0 fills its meter, gives though there is nothing to draw, and cannot play.
    def wanted(p: Played) -> bool:
        return bool(p.row["blocked", -1]) and any(e[:2] == [0, at.GIVE] for e in p.of(at.POWER))

    played = up(
        ["Double +9 +9", "+9 +9 +9", "+9 +9 +9"], "", [(0, "Double", 1)], meter_size=1, starter_extra=0,
        want=wanted,
    )  # fmt: skip
    assert not played.of(at.GIVEN)
    place = max(i for i, e in enumerate(played.events) if e[0] == at.POWER)
    assert [e[1] for e in played.events[place:] if e[0] == at.TURN] == [1, 2, 0]


# Everything together.


VARIANTS: list[dict[str, object]] = [
    {},
    {"meter_size": 1, "drain_cards": 6, "undo_chains": False},
    {"players": 3, "meter_size": 1},
    {"players": 4, "meter_size": 2, "hand_size": 12, "drain_cards": 6},
    {"deck": "cap100", "players": 3, "meter_size": 1, "must_play": False, "meter_carry": False},
    {"deck": "standard", "players": 4, "power_reaction": False, "meter_size": 1},
    {"deck": "standard-2j", "ten_step": 3, "chain_limit": 10, "meter_size": 10, "must_play": False},
    {"players": 4, "take_count": 5, "starter_extra": -3, "ten_step": 2, "meter_size": 1, "max_turns": 40},
    {"deck": {"Undo": 8, "TakeTwo": 8, "+1": 3, "-1": 3, "Skip": 6, "Switch": 6, "+5": 6, "-5": 6}, "cap": 10,
     "start": 5, "players": 3, "hand_size": 4, "meter_size": 1},
    {"deck": {"Undo": 6, "TakeTwo": 4, "Halve": 6, "+9": 10, "+1": 4}, "cap": 10, "start": 5, "hand_size": 8,
     "max_turns": 40, "starter_extra": -1, "meter_size": 1},
    {"deck": {"Halve": 9, "+9": 10}, "cap": 10, "start": 5, "hand_size": 5, "max_turns": 40, "max_hands": 3,
     "meter_size": 1, "players": 3},
    {"hand_size": 1, "players": 4, "starter_extra": 0, "hands_to_win": 4, "meter_size": 1},
    {"deck": {"+5": 8, "-5": 8, "Skip": 9}, "cap": 10, "start": 5, "players": 3, "hand_size": 3,
     "meter_size": 1, "drain_cards": 0, "max_turns": 60},
]  # fmt: skip


@pytest.mark.parametrize("policy", ["random", "balanced"])
@pytest.mark.parametrize("unit", ["hand", "game"])
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_every_move_and_record_is_the_referees(variant: int, unit: str, policy: str) -> None:
    options = {"powers": True, **VARIANTS[variant]}
    compare_with_the_referee(options, unit, policy, variant, 30 if COMPILED else 2)


def test_the_same_games_without_a_trace_and_in_any_range() -> None:
    experiment = design("cap30", {"powers": True, "players": 3, "meter_size": 2}, "random", unit="game")
    whole, of_games, _ = rows(experiment, 0, 40 if COMPILED else 4)
    for game in (0, 3):
        alone, of_game, _ = rows(experiment, game, game + 1)
        first = of_games[at.GAME_HANDS, :game].sum()
        assert np.array_equal(alone, whole[:, first : first + alone.shape[1]])
        assert np.array_equal(of_game[:, 0], of_games[:, game])

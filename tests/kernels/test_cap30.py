"""Cap30's kernel, rule by rule, and move by move against the referee."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from fastsim.experiment import Experiment, design
from kernels.blocks import as_table, new_block
from kernels.cap30 import layout as at
from kernels.cap30.tables import build_tables, value_of
from kernels.trace import events_of, new_trace
from tests.conftest import COMPILED
from tests.kernels.cap30_positions import Played, hand
from tests.referees import cap30 as referee

pytestmark = pytest.mark.kernel

LOTS = "+1 -1 +2 -2"


def first_choices(hands: list[str], **options: Any) -> int:
    """Return how many choices the first decision of a hand has."""
    return hand(hands, **options).of(at.DECISION)[0][2]


def given_back(played: Played) -> list[tuple[int, str]]:
    """Return who gave back what after the second move."""
    return [(e[1], at.KIND_NAMES[e[2]]) for e in played.after(1) if e[0] == at.RETURN]


# The rules, by id.


@pytest.mark.parametrize(
    ("deck", "cards", "cap", "start"),
    [
        ("cap30", 52, 30, 15),
        ("cap50", 68, 50, 25),
        ("cap100", 94, 100, 50),
        ("standard", 52, 30, 15),
        ("standard-1j", 53, 30, 15),
        ("standard-2j", 54, 30, 15),
    ],
)
def test_C1_decks(deck: str, cards: int, cap: int, start: int) -> None:
    experiment = design("cap30", {"deck": deck}, "random")
    rules, tables, _ = experiment.setup
    assert len(tables.deck) == cards
    assert (rules.cap, rules.start) == (cap, start)
    numbers = [value_of(kind) for kind in tables.deck.tolist() if value_of(kind)]
    assert sum(1 for v in numbers if v <= 10) == (32 if deck.startswith("cap") else 40)
    assert max(numbers) == {30: 10, 50: 15, 100: 25}[cap]


@pytest.mark.parametrize(
    ("cap", "step", "tens"), [(30, 10, [0, 10, 20, 30]), (25, 10, [0, 10, 20]), (20, 7, [0, 7, 14])]
)
def test_C2_tens_are_multiples_within_the_range(cap: int, step: int, tens: list[int]) -> None:
    tables = build_tables([0, 1], 2, cap, 0, step, 3, 1, 0)
    assert np.flatnonzero(tables.ten).tolist() == tens


@pytest.mark.parametrize(
    ("options", "sizes"),
    [({}, [8, 7]), ({"players": 3}, [7, 7, 7]), ({"starter_extra": -3}, [4, 7]), ({"hand_size": 1}, [2, 1])],
)
def test_C3_deal(options: dict[str, object], sizes: list[int]) -> None:
    experiment = design("cap30", options, "random")
    events = trace(experiment, 3)
    dealt = Counter(seat for code, seat, *_ in events if code == at.DEAL)
    assert [dealt[seat] for seat in range(len(sizes))] == sizes
    first_turn = next(event for event in events if event[0] == at.TURN)
    assert first_turn[1:6] == [0, 1, 15, 1, sizes[0]]


def test_C4_play_passes_in_the_direction() -> None:
    played = hand([LOTS, LOTS, LOTS], "+3")
    turns = played.turns()[:6]
    assert turns == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("total", "cards", "choices"),
    [
        (26, "+4 +4 -6 Double", 2),
        (0, "Double Halve +1 -1", 3),
        (15, "Double Halve Reset Undo", 2),
        (16, "Double Halve Undo Undo", 1),
        (12, "-6 -6 -6 -6", 2),
        (20, "-6 -6 -6 -6", 3),
        (28, "+1 +1 +1 +1", 2),
        (15, "Skip Switch TakeTwo Reset", 4),
    ],
)
def test_C5_legal_moves(total: int, cards: str, choices: int) -> None:
    assert first_choices([cards, LOTS], pile="+5", total=total) == choices


def test_C5_max_multiple_limits_doubles() -> None:
    assert first_choices(["-6 -6 -6 +1", LOTS], total=30, max_multiple=1, pile="+5") == 1
    assert first_choices(["-6 -6 -6 +1", LOTS], total=30, max_multiple=2, pile="+5") == 2


def test_C6_who_can_play_must_unless_the_option_allows_drawing() -> None:
    forced = hand(["+1 +9 +9 +9", LOTS], "+5", total=29)
    assert forced.of(at.DECISION)[0] == [0, 1, 1, 0, 0, 0, 0]
    assert forced.moves()[0] == (0, "+1", 1)
    free = hand(["+1 +9 +9 +9", LOTS], "+5", total=29, must_play=False)
    assert free.of(at.DECISION)[0][2] == 2
    nothing_to_draw = hand(["+1 +9 +9 +9", LOTS], "", total=29, must_play=False)
    assert nothing_to_draw.of(at.DECISION)[0][2] == 1


def test_C6_who_draws_by_choice_may_play_only_the_card_drawn() -> None:
    for game in range(200):
        events = trace(design("cap30", {"must_play": False}, "random"), game)
        for before, event, after in zip(events, events[1:], events[2:], strict=False):
            if event[0] == at.DRAW_BY_CHOICE:
                assert before[:3] == [at.DECISION, event[1], at.DECIDE_TURN]
                assert after[0] in (at.DRAW, at.RESHUFFLE)
                return
    raise AssertionError("nobody drew by choice")


def test_C7_with_no_legal_move_one_card_is_drawn() -> None:
    unplayable = hand(["+9 +9", "+1 -1"], "+8 -1", total=30)
    assert [event[0] for event in unplayable.events[5:8]] == [at.TURN, at.DRAW, at.TURN]
    playable = hand(["+9 +9", "+1 -1"], "-9 -9", total=30)
    assert playable.of(at.DRAW)[0][:2] == [0, at.KIND_NAMES.index("-9")]
    assert playable.of(at.DECISION)[0][1:3] == [at.DECIDE_DRAWN, 2]
    kept = hand(["+9 +9", "+1 -1"], "-9 -9", total=30, want=lambda played: played.events[8][0] == at.KEEP)
    assert kept.turns()[:2] == [0, 1]
    assert kept.row["stuck", -1] >= 1


def test_C7_a_card_drawn_is_played_alone_even_with_a_twin_in_hand() -> None:
    played = hand(
        ["-5 -5 +9", "+1 +1 +1"], "-5 -5", total=30, must_play=False, starter_extra=0,
        want=lambda played: bool(played.of(at.MOVE) and played.of(at.MOVE)[0][6]),
    )  # fmt: skip
    assert [d[1:3] for d in played.of(at.DECISION)[:2]] == [[at.DECIDE_TURN, 3], [at.DECIDE_DRAWN, 2]]
    assert played.moves()[0] == (0, "-5", 1)


def test_C8_discards_but_the_top_one_become_the_draw_pile() -> None:
    played = hand(
        ["+5 +9", "-5 +9"], "", [(0, "+5", 1), (1, "-5", 1)], total=25, starter_extra=0, max_turns=9
    )
    # Total 25 again: nobody can play a +9; the first who needs a card finds one under the top.
    assert played.of(at.RESHUFFLE)[0] == [0, 1, 0, 0, 0, 0, 0]
    assert played.of(at.DRAW)[0][:2] == [0, at.KIND_NAMES.index("+5")]
    assert played.row["reshuffles", -1] >= 1


def test_C8_with_no_card_left_nothing_is_drawn() -> None:
    played = hand(["+9 +9", "+9 +9"], "", total=30, starter_extra=0)
    assert played.of(at.NOTHING_TO_DRAW)[0][0] == 0
    assert not played.of(at.DRAW)


def test_C9_landing_on_a_ten_chains_up_to_the_limit() -> None:
    script = [(0, "+5", 1), (0, "+10", 1), (0, "-10", 1)]
    played = hand(["+5 +10 -10 +10", LOTS], "+5", script, chain_limit=3)
    assert played.turns()[:2] == [0, 1]
    assert played.row["chains", 3] == 1
    assert [m[5] for m in played.of(at.MOVE)[:3]] == [1, 2, 3]
    alone = hand(["+5 +10 -10 +10", LOTS], "+5", [(0, "+5", 1)], chain_limit=1)
    assert alone.turns()[:2] == [0, 1]
    assert alone.row["chains", 1] == alone.row["turns", -1] - alone.row["chains", 0]


def test_C9_a_chain_without_a_legal_move_stops_without_a_decision() -> None:
    played = hand(["+5 +9 +9", "-1 -1"], "", [(0, "+5", 1)], total=25, starter_extra=1)
    assert played.after(0) == []
    assert played.turns()[:2] == [0, 1]


def test_C9_stopping_is_one_more_choice() -> None:
    played = hand(["+5 -10 -1", "+1 -1"], "+5", [(0, "+5", 1)], total=15)
    assert played.of(at.DECISION)[1][1:3] == [at.DECIDE_CHAIN, 3]


def test_C9_an_undo_back_onto_a_ten_chains_by_default() -> None:
    script = [(0, "+7", 1), (1, "Undo", 1)]
    chained = hand(["+7 -1 -1", "Undo -3 -2"], "+5", script, total=20)
    assert chained.of(at.MOVE)[1][4] == 20
    assert chained.of(at.DECISION)[2][:3] == [1, at.DECIDE_CHAIN, 3]
    ended = hand(["+7 -1 -1", "Undo -3 -2"], "+5", script, total=20, undo_chains=False)
    assert ended.turns()[:3] == [0, 1, 0]
    assert ended.row["tens", -1] >= 1


def test_C10_an_empty_hand_wins_and_the_last_card_takes_effect_first() -> None:
    played = hand(["TakeTwo", "+1"], "+2 +3", [(0, "TakeTwo", 1)])
    assert [event[0] for event in played.events[-4:]] == [at.MOVE, at.TAKE, at.TAKE, at.HAND_END]
    assert played.row["winner", -1] == 0
    assert played.row["cards_left", 1] == 3


def test_C10_a_win_on_the_last_allowed_turn_counts() -> None:
    played = hand(["+1", "+1 "], "", [(0, "+1", 1)], max_turns=1)
    assert (played.row["winner", -1], played.row["truncated", -1]) == (0, 0)


def test_C11_skip_and_switch() -> None:
    three = hand(["Skip +1", "+1 -1", "+1 -1"], "+3", [(0, "Skip", 1)])
    assert three.turns()[:2] == [0, 2]
    assert three.of(at.MISS)[0][0] == 1
    switch = hand(["Switch +1", "+1 -1", "+1 -1"], "+3", [(0, "Switch", 1)])
    assert switch.turns()[:3] == [0, 2, 1]
    assert switch.of(at.DIRECTION)[0][:2] == [0, -1]
    for kind in ("Skip", "Switch"):
        two = hand([f"{kind} +1", "+1 -1"], "+3", [(0, kind, 1)])
        assert two.turns()[:2] == [0, 0]


@pytest.mark.parametrize(
    ("target", "sizes", "taker"),
    [
        ("fewest", ["TakeTwo +1 +1", "+1 +1", "+1 +1", "+1 +1"], 1),
        ("next", ["TakeTwo +1 +1", "+1 +1", "+1 +1", "+1 +1"], 1),
        ("most", ["TakeTwo +1 +1", "+1 +1", "+1 +1", "+1 +1"], 1),
    ],
)
def test_C11_take_two_hits_the_first_in_turn_order_if_tied(target: str, sizes: list[str], taker: int) -> None:
    played = hand(sizes, "+2 +3 -5", [(0, "TakeTwo", 1)], take_target=target)
    assert [event[0] for event in played.of(at.TAKE)[:2]] == [taker, taker]


@pytest.mark.parametrize(("target", "taker"), [("fewest", 3), ("next", 2), ("most", 2)])
def test_C11_take_two_by_size(target: str, taker: int) -> None:
    # Seat 0 gets rid of a card, seat 3 too; seat 1 plays the TakeTwo.
    script = [(0, "Reset", 1), (1, "TakeTwo", 1)]
    hands = ["Reset +1 +1", "TakeTwo +1", "+1 +1", "+1 +1"]
    if target == "fewest":  # make seat 3 the one with fewest: it plays before, going anticlockwise
        script = [(0, "Switch", 1), (3, "+1", 1), (2, "+9", 1), (1, "TakeTwo", 1)]
        hands = ["Switch +1 +1", "TakeTwo +1", "+9 +1", "+1 +2"]
        played = hand(hands, "+2 +3 -5", script, take_target=target, total=15)
        # Anticlockwise from seat 1: seats 0 (2 cards), 3 and 2 (1 each): seat 3 comes first.
        assert played.of(at.TAKE)[0][0] == taker
        return
    played = hand(hands, "+2 +3 -5", script, take_target=target)
    assert played.of(at.TAKE)[0][0] == taker


@pytest.mark.parametrize("count", [0, 1, 5])
def test_C11_take_count(count: int) -> None:
    played = hand(["TakeTwo +1", "+1 +1"], "+2 +3 -5 +4 +6", [(0, "TakeTwo", 1)], take_count=count)
    assert len([e for e in played.after(0) if e[0] == at.TAKE]) == count


def test_C12_a_double_is_undone_whole() -> None:
    played = hand(["+4 +4 -1", "Undo +1"], "+3", [(0, "+4", 2), (1, "Undo", 1)], total=15)
    assert played.of(at.MOVE)[0][4] == 23
    assert played.of(at.MOVE)[1][4] == 15


def test_C12_an_undo_cannot_be_undone() -> None:
    played = hand(["+4 -1", "Undo +1", "Undo -1"], "+3", [(0, "+4", 1), (1, "Undo", 1)], starter_extra=0)
    choices = next(d for d in played.of(at.DECISION) if d[0] == 2)
    assert choices[2] == 1  # -1 alone: the Undo is not legal on an Undo


def test_C12_no_undo_before_the_first_card() -> None:
    assert first_choices(["Undo +1", "+1 +1"], pile="+2") == 1


def test_C12_undo_of_a_switch() -> None:
    script = [(0, "Switch", 1), (2, "Undo", 1)]
    three = hand(["Switch +1 +1", "+1 +2", "Undo +1"], "+3", script)
    assert three.turns()[:3] == [0, 2, 0]
    two = hand(["Switch Undo +1", "+1 +2"], "+3", [(0, "Switch", 1), (0, "Undo", 1)])
    assert two.turns()[:3] == [0, 0, 1]


def test_C12_undo_of_a_reset_that_changed_nothing_does_not_chain() -> None:
    played = hand(
        ["Reset +1 +1", "Undo +1 +2"], "+3", [(0, "Reset", 1), (1, "Undo", 1)], total=20, reset_to=20
    )
    assert played.turns()[:3] == [0, 1, 0]


def test_C12_undo_of_a_take_two_puts_the_cards_under_the_pile_in_order() -> None:
    script = [(0, "TakeTwo", 1), (1, "Undo", 1)]
    played = hand(["TakeTwo +9 +9 +9", "+9 +9 Undo"], "+7 +8 -1", script, total=30, take_count=2)
    assert given_back(played) == [(1, "+7"), (1, "+8")]
    drawn = [at.KIND_NAMES[kind] for _, kind, *_ in played.of(at.DRAW)]
    assert drawn[:3] == ["-1", "+7", "+8"]


def test_C12_an_undo_picked_up_and_played_stays_on_the_discards() -> None:
    script = [(0, "TakeTwo", 1), (1, "Undo", 1)]
    played = hand(["TakeTwo +9 +9 +9", "+9 +9 +9"], "Undo +8 -1", script, total=30)
    assert given_back(played) == [(1, "+8")]


def test_C12_the_undo_held_longest_is_played_so_one_picked_up_goes_back() -> None:
    script = [(0, "TakeTwo", 1), (1, "Undo", 1)]
    played = hand(["TakeTwo +9 +9 +9", "+9 +9 Undo"], "Undo +8 -1", script, total=30)
    assert given_back(played) == [(1, "Undo"), (1, "+8")]


def test_C13_the_next_move_in_a_chain_is_what_an_undo_cancels() -> None:
    script = [(0, "+7", 1), (1, "Undo", 1), (1, "-3", 1), (0, "Undo", 1)]
    played = hand(["+7 Undo -1 -1", "Undo -3 -2"], "+5", script, total=20)
    assert played.of(at.MOVE)[3][3:5] == [17, 20]


def test_C14_blocked_when_everybody_has_passed_without_a_card() -> None:
    played = hand(["+9 +9", "+9 +9", "+9 +9"], "", total=30)
    assert played.row["blocked", -1] == 1
    assert played.row["turns", -1] == 3
    assert played.row["winner", -1] == -1
    assert played.row["winners", -1] == 0


def test_C14_truncated_at_the_limit_of_turns() -> None:
    played = hand([LOTS, LOTS], "+3", max_turns=2, starter_extra=0)
    assert (played.row["truncated", -1], played.row["turns", -1]) == (1, 2)


def test_C14_void_hands_are_dealt_again_and_a_game_without_a_winner_is_shared() -> None:
    options = {"deck": {"+9": 9}, "cap": 30, "start": 30, "players": 3, "hand_size": 3, "max_hands": 4}
    experiment = design("cap30", options, "random", unit="game")
    hands, games, _ = rows(experiment, 0, 1)
    assert hands[at.STARTER].tolist() == [0, 0, 0, 0]
    assert games[at.GAME_WINNERS].tolist() == [0b111]
    assert games[at.GAME_DRAWN].tolist() == [1]


@pytest.mark.parametrize("needed", [1, 2, 3])
def test_C15_first_to_win_enough_hands(needed: int) -> None:
    experiment = design("cap30", {"hands_to_win": needed, "players": 3}, "random", unit="game")
    hands, games, played = rows(experiment, 0, 12)
    row = 0
    for game in range(played):
        count = games[at.GAME_HANDS, game]
        winners = hands[at.WINNER, row : row + count].tolist()
        assert Counter(winners)[winners[-1]] == needed
        assert max(Counter(winners).values()) == needed
        assert games[at.GAME_WINNERS, game] == 1 << winners[-1]
        row += count


@pytest.mark.parametrize("rule", ["last", "winner", "rotate"])
def test_C16_who_starts_the_next_hand(rule: str) -> None:
    experiment = design("cap30", {"next_starter": rule, "players": 4}, "random", unit="game")
    hands, games, played = rows(experiment, 0, 12)
    row = 0
    for game in range(played):
        for following in range(row + 1, row + games[at.GAME_HANDS, game]):
            winner, starter = hands[at.WINNER, following - 1], hands[at.STARTER, following - 1]
            left = hands[at.CARDS_LEFT : at.CARDS_LEFT + 4, following - 1]
            clockwise = [(winner + i) % 4 for i in range(1, 4)]
            expected = {
                "last": max(clockwise, key=lambda seat: left[seat]),
                "winner": winner,
                "rotate": (starter + 1) % 4,
            }[rule]
            assert hands[at.STARTER, following] == expected
        row += games[at.GAME_HANDS, game]


# The worked examples of the rules page.


def test_example_1_what_is_legal_and_a_chain() -> None:
    played = hand(["+4 +4 -6 Double", LOTS], "+5", [(0, "+4", 1)], total=26)
    first, second = played.of(at.DECISION)[:2]
    assert first[2] == 2
    assert played.of(at.MOVE)[0][3:5] == [26, 30]
    assert second[1:3] == [at.DECIDE_CHAIN, 2]


def test_example_2_a_chain_that_empties_the_hand() -> None:
    played = hand(["-2 Halve", "+1 -1"], "", [(0, "-2", 1), (0, "Halve", 1)], total=12)
    assert played.of(at.MOVE)[1][3:6] == [10, 5, 2]
    assert played.row["winner", -1] == 0


def test_example_3_double() -> None:
    played = hand(["Double Reset -1", "+1 -1"], "+5", [(0, "Double", 1)], total=10)
    assert played.of(at.DECISION)[1][1:3] == [at.DECIDE_CHAIN, 3]
    at_zero = hand(["Double +1 +1", "+1 -1"], "+5", [(0, "Double", 1)], total=0)
    assert at_zero.of(at.MOVE)[0][3:5] == [0, 0]
    assert at_zero.turns()[:2] == [0, 1]


def test_example_4_a_double_onto_a_ten_is_one_move() -> None:
    played = hand(["+4 +4 -1", "+1 -1"], "+5", [(0, "+4", 2)], total=22)
    assert played.of(at.MOVE)[0][2:6] == [2, 22, 30, 1]
    assert played.of(at.DECISION)[1][1] == at.DECIDE_CHAIN


def test_example_5_undo_of_a_skip() -> None:
    script = [(0, "Skip", 1), (2, "Undo", 1)]
    at_once = hand(["Skip +1 +1", "+1 +2 +3", "Undo +1 +2"], "+3", script)
    assert at_once.turns()[:4] == [0, 2, 1, 2]
    assert at_once.of(at.UNSKIP)[0][0] == 1
    script = [(0, "Skip", 1), (1, "Undo", 1)]
    later = hand(["Skip +9 +9", "Undo +9 +9", "+9 +9 +9"], "+8 +8", script, total=30)
    assert later.turns()[:4] == [0, 2, 0, 1]
    assert later.turns()[4] == 1


def test_example_6_undo_of_a_take_two_that_wins() -> None:
    script = [(0, "TakeTwo", 1), (1, "Undo", 1)]
    played = hand(["TakeTwo +9", "Undo"], "+2 +3", script, total=30)
    assert [e[0] for e in played.after(1)] == [at.RETURN, at.RETURN, at.HAND_END]
    assert played.row["winner", -1] == 1


def test_example_7_reset_onto_a_ten() -> None:
    moved = hand(["Reset +1 +1", "+1 -1"], "", [(0, "Reset", 1)], total=43, cap=100, reset_to=50)
    assert moved.of(at.DECISION)[1][1] == at.DECIDE_CHAIN
    still = hand(["Reset +1 +1", "+1 -1"], "", [(0, "Reset", 1)], total=50, cap=100, reset_to=50)
    assert still.turns()[:2] == [0, 1]


def test_example_8_undo_within_a_chain() -> None:
    away = hand(["+5 Undo +1", "+1 -1"], "", [(0, "+5", 1), (0, "Undo", 1)], total=15)
    assert away.of(at.MOVE)[1][3:5] == [20, 15]
    assert away.turns()[:2] == [0, 1]
    back = hand(["+10 Undo -1 +1", LOTS], "", [(0, "+10", 1), (0, "Undo", 1)], total=10, starter_extra=0)
    assert back.of(at.MOVE)[1][3:5] == [20, 10]
    assert back.of(at.DECISION)[2][1] == at.DECIDE_CHAIN


# Move by move against the referee.

VARIANTS: list[dict[str, object]] = [
    {},
    {"players": 3},
    {"players": 4},
    {"deck": "cap50", "players": 4, "take_target": "next", "next_starter": "winner", "hand_size": 15},
    {"deck": "cap100"},
    {"deck": "standard", "players": 4, "next_starter": "rotate"},
    {"must_play": False, "deck": "standard-2j"},
    {"players": 3, "take_target": "most", "take_count": 5, "hand_size": 4},
    {"starter_extra": -3, "max_multiple": 1, "chain_limit": 10, "undo_chains": False, "ten_step": 5},
    {
        "deck": {"Undo": 8, "TakeTwo": 8, "+1": 3, "-1": 3, "Skip": 6, "Switch": 6},
        "cap": 10,
        "start": 5,
        "players": 3,
        "hand_size": 4,
    },
    {
        "deck": {"Undo": 4, "TakeTwo": 4, "Halve": 6, "+9": 10},
        "cap": 10,
        "start": 5,
        "hand_size": 8,
        "max_turns": 40,
        "starter_extra": -1,
    },
    {"deck": {"Halve": 9, "+9": 10}, "cap": 10, "start": 5, "hand_size": 8, "max_turns": 40, "max_hands": 3},
]


def rows(experiment: Experiment, first: int, stop: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the rows of hands and of games, (columns, rows), and the number of games."""
    rules, tables, policies = experiment.setup
    capacity = experiment.game.most_hands(experiment.options, experiment.unit) * (stop - first)
    block, games = new_block(len(at.HAND_COLUMNS), capacity), new_block(len(at.GAME_COLUMNS), stop - first)
    by_game = experiment.unit == "game"
    scratch = experiment.game.new_scratch()
    seed = np.uint64(experiment.seed)
    done, hands = experiment.game.kernel.play(
        seed, first, stop, by_game, rules, tables, policies, scratch, block, games, None
    )
    assert done == stop
    return (
        as_table(block, len(at.HAND_COLUMNS), hands),
        as_table(games, len(at.GAME_COLUMNS), stop - first),
        stop - first,
    )


def trace(experiment: Experiment, game: int) -> list[list[int]]:
    """Return the events of one game."""
    rules, tables, policies = experiment.setup
    buffer = new_trace(60_000)
    hands = experiment.game.most_hands(experiment.options, experiment.unit)
    experiment.game.kernel.play(
        np.uint64(experiment.seed), game, game + 1, experiment.unit == "game", rules, tables, policies,
        experiment.game.new_scratch(), new_block(len(at.HAND_COLUMNS), hands),
        new_block(len(at.GAME_COLUMNS), 1), buffer,
    )  # fmt: skip
    events: list[list[int]] = events_of(buffer).tolist()
    return events


def flat(record: dict[str, Any]) -> dict[tuple[str, int], int]:
    """Return a referee's record by metric and key."""
    found = {}
    for metric, value in record.items():
        if metric == "powers":
            found[metric, -1] = sum(value.values())
            forms = ("give", "swap", "wild")
            found |= {(f"powers.{forms[key // 2]}", key % 2): n for key, n in value.items()}
        elif isinstance(value, dict):
            for key, n in value.items():
                named = metric == "plays"
                found[metric, at.KIND_NAMES.index(key) if named else key] = n
        elif isinstance(value, list):
            found |= {(metric, key): n for key, n in enumerate(value)}
        else:
            found[metric, -1] = value
    return found


def compare_with_the_referee(
    options: dict[str, object], unit: str, policy: str, seed: int, games: int
) -> None:
    """Have the referee check the traces of games, and compare its records with the kernel's."""
    experiment = design("cap30", options, policy, seed=seed, unit=unit)
    counts = experiment.options.counts()  # type: ignore[attr-defined]
    counts.pop("Drain", None)
    known = experiment.options.model_dump() | {"deck": counts}
    hands, game_rows, _ = rows(experiment, 0, games)
    row = 0
    for game in range(games):
        records, game_record = referee.check_game(trace(experiment, game), known, unit == "game")
        for record in records:
            expected = flat(record)
            for index, column in enumerate(at.HAND_COLUMNS):
                if column.metric != "policy_winners":
                    value = expected.get((column.metric, column.key), 0)
                    if column.metric == "cards_left" and column.key >= known["players"]:
                        continue
                    assert hands[index, row] == value, (game, column)
            row += 1
        if unit == "game":
            expected = flat(game_record)
            for index, column in enumerate(at.GAME_COLUMNS):
                if column.metric != "policy_winners":
                    value = expected.get((column.metric, column.key), 0)
                    assert game_rows[index, game] == value, (game, column)
    assert row == hands.shape[1]


@pytest.mark.parametrize("policy", ["random", "balanced"])
@pytest.mark.parametrize("unit", ["hand", "game"])
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_every_move_and_record_is_the_referees(variant: int, unit: str, policy: str) -> None:
    compare_with_the_referee(VARIANTS[variant], unit, policy, variant, 30 if COMPILED else 2)


def test_policies_rotate_over_the_seats() -> None:
    experiment = design("cap30", {"players": 3}, ["random", "greedy", "tens"], seed=4)
    hands, _, _ = rows(experiment, 0, 60)
    for game, (winner, mask) in enumerate(zip(hands[at.WINNER], hands[at.POLICY_WINNERS], strict=True)):
        assert mask == 1 << (winner + game) % 3
    fixed = design("cap30", {"players": 3}, ["random", "greedy", "tens"], seed=4, fixed_seats=True)
    hands, _, _ = rows(fixed, 0, 60)
    assert np.array_equal(hands[at.POLICY_WINNERS], 1 << hands[at.WINNER])

"""Tests of the Cap30 referee: the worked examples, each rule, whole hands, and the values of others."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kernels.cap30 import layout
from kernels.cap30.layout import KIND_NAMES
from tests.referees.cap30 import (
    DECKS,
    check_game,
    check_hand,
    new_hand,
    next_starter,
    play_game,
    play_hand,
    resolve,
    run_game,
    run_hand,
)
from tests.referees.cap30_hand import (
    DRAW,
    KEEP,
    KIND_NUMBERS,
    STOP,
    UNDER_WAY,
    Choice,
    Hand,
    Record,
    cards_in_deck,
)
from tests.referees.cap30_positions import RecordingTable, event, position, told, words
from tests.referees.cap30_powers import PowerHand
from tests.referees.trace import EVENT_FIELDS, Event, RefereeError

CASES = Path(__file__).parents[2].parent / "shared" / "cases"

POWER_SCALARS = {"notches", "given", "bullseyes", "drains", "notches_drained", "shields", "turns_missed"}
"""What Power Up records of a hand as a number; powers are counted by form and moment."""

SCALARS = {column.metric for column in layout.HAND_COLUMNS if column.key < 0} - {"policy_winners", "powers"}

# Options that between them reach every branch of the rules.
VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "three players": {"players": 3},
    "four players, big deck": {"players": 4, "deck": "cap100", "next_starter": "rotate"},
    "few cards left to draw": {"players": 4, "hand_size": 12, "starter_extra": 3, "take_target": "most"},
    "nothing left to draw": {"players": 2, "hand_size": 15, "starter_extra": -3, "deck": "cap30"},
    "no left-over card": {"players": 4, "hand_size": 13, "must_play": False, "hands_to_win": 1},
    "drawing by choice": {"must_play": False, "hand_size": 5, "chain_limit": 10, "hands_to_win": 3},
    "drawing by choice, three": {"must_play": False, "players": 3, "hand_size": 3, "next_starter": "winner"},
    "many taken": {"players": 3, "take_count": 5, "take_target": "next", "hand_size": 10},
    "nothing taken": {"take_count": 0, "starter_extra": -2},
    "no chains, no doubles": {"chain_limit": 1, "max_multiple": 1},
    "odd tens": {
        "ten_step": 3,
        "cap": 29,
        "start": 6,
        "reset_to": 9,
        "undo_chains": False,
        "chain_limit": 10,
    },
    "short hands": {"players": 3, "max_turns": 5, "max_hands": 4, "hands_to_win": 2},
    "one card each": {"players": 4, "hand_size": 1, "starter_extra": 5},
    "undo, undo": {"players": 3, "deck": {"Undo": 15, "Skip": 8, "Switch": 8, "TakeTwo": 15, "+5": 6}},
    "undo for two": {"deck": {"Undo": 15, "Skip": 8, "Switch": 8, "TakeTwo": 15, "+5": 6, "-5": 6}},
    "undo by choice": {"must_play": False, "deck": {"Undo": 12, "TakeTwo": 12, "-5": 6, "Reset": 3}},
    "often stuck": {"deck": {"+9": 10, "-9": 10, "+10": 10, "Halve": 4, "Double": 4}, "players": 3},
    "often blocked": {
        "deck": {"+9": 5, "+8": 8, "Halve": 1},
        "starter_extra": 0,
        "max_turns": 60,
        "max_hands": 9,
        "hands_to_win": 1,
    },
    "powers for two": {"powers": True, "meter_size": 2},
    "powers for three": {"powers": True, "players": 3, "meter_size": 1},
    "powers for four": {
        "powers": True,
        "players": 4,
        "meter_size": 2,
        "meter_carry": False,
        "drain_cards": 6,
        "hands_to_win": 3,
    },
    "powers, long games": {
        "powers": True,
        "players": 3,
        "hand_size": 3,
        "hands_to_win": 10,
        "chain_limit": 10,
        "ten_step": 3,
    },
    "powers without reactions": {"powers": True, "players": 3, "power_reaction": False, "meter_size": 1},
    "powers, drawing by choice": {
        "powers": True,
        "must_play": False,
        "meter_size": 1,
        "undo_chains": False,
        "hand_size": 4,
        "ten_step": 4,
    },
    "powers, nothing left to draw": {
        "powers": True,
        "players": 4,
        "hand_size": 13,
        "drain_cards": 0,
        "meter_size": 1,
        "hands_to_win": 5,
    },
    "powers, undo": {
        "powers": True,
        "players": 3,
        "meter_size": 1,
        "deck": {"Undo": 15, "Skip": 12, "TakeTwo": 15, "+5": 9, "-5": 9},
        "hands_to_win": 4,
    },
    "powers, undo for two": {
        "powers": True,
        "meter_size": 1,
        "deck": {"Undo": 15, "Skip": 12, "TakeTwo": 15, "+5": 9, "-5": 9},
        "hands_to_win": 4,
    },
    "powers, void hands": {"powers": True, "players": 3, "max_turns": 16, "max_hands": 12, "hands_to_win": 5},
    "powers, often blocked": {
        "powers": True,
        "players": 3,
        "deck": {"+10": 12, "+5": 3, "TakeTwo": 2},
        "start": 0,
        "hand_size": 5,
        "drain_cards": 1,
        "meter_size": 1,
        "max_turns": 60,
        "max_hands": 9,
        "hands_to_win": 3,
    },
}


# The worked examples of the rules page


def test_example_1() -> None:
    hand = position(words("+4 +4 -6 Double"), words("+1"), total=26, script=[("+4", 1), STOP])
    assert set(hand.legal_moves(0)) == {("+4", 1), ("-6", 1)}
    hand.take_turn()
    assert hand.total == 30
    assert set(hand.table.offered[1]) == {("-6", 1), STOP}
    assert hand.table.events[-1] == event(layout.STOP, 0)


def test_example_2() -> None:
    hand = position(words("-2 Halve"), words("+1"), total=12, script=[("-2", 1), ("Halve", 1)])
    hand.take_turn()
    assert hand.total == 5
    assert hand.cards[0] == []
    assert hand.reason == layout.WON
    assert hand.record["tens"] == 1
    assert hand.record["chains"] == {2: 1}


def test_example_3() -> None:
    hand = position(words("Double Reset"), words("+1"), total=10)
    assert hand.apply_move(0, "Double")
    assert hand.total == 20
    hand = position(words("Double +1"), words("+1"), total=0)
    assert ("Double", 1) in hand.legal_moves(0)
    assert not hand.apply_move(0, "Double")
    assert hand.total == 0
    assert hand.record["tens"] == 0


def test_example_4() -> None:
    hand = position(words("+4 +4 -6"), words("+1"), total=22, script=[("+4", 2), STOP])
    hand.take_turn()
    assert hand.total == 30
    assert hand.record["chains"] == {1: 1}
    assert (hand.record["moves"], hand.record["cards_played"]) == (1, 2)


def test_example_5() -> None:
    script = [("Skip", 1), ("Undo", 1), ("+2", 1), ("+2", 1)]
    hand = position(words("Skip +2"), words("+2 +2"), words("Undo +2 +2"), script=script)
    acted = []
    for _ in range(4):
        acted.append(hand.to_act)
        hand.take_turn()
    assert acted == [0, 2, 1, 2]
    assert hand.to_act == 0
    assert told(hand, layout.MISS, layout.UNSKIP) == [event(layout.MISS, 1), event(layout.UNSKIP, 1)]

    script = [("Skip", 1), ("Undo", 1)]
    pile = ["+9", "+9"]
    hand = position(words("Skip +9"), words("Undo +1"), words("+9"), total=29, pile=pile, script=script)
    acted = []
    for _ in range(4):
        acted.append(hand.to_act)
        hand.take_turn()
    assert acted == [0, 2, 0, 1]
    assert hand.to_act == 1
    assert hand.record["drawn"] == 2


def test_example_6() -> None:
    script = [("TakeTwo", 1), ("Undo", 1)]
    hand = position(words("TakeTwo +1"), ["Undo"], pile=words("+3 +2 -8"), script=script)
    hand.take_turn()
    assert hand.cards[1] == words("Undo -8 +2")
    hand.take_turn()
    assert hand.cards[1] == []
    assert hand.reason == layout.WON
    assert hand.table.pile == words("+2 -8 +3")
    assert told(hand, layout.RETURN) == [event(layout.RETURN, 1, "-8"), event(layout.RETURN, 1, "+2")]
    record = hand.finish()
    assert (record["winner"], record["cards_left"], record["taken"]) == (1, [1, 0], 2)


def test_example_7() -> None:
    hand = position(words("Reset +1"), words("+1"), total=43, deck="cap100")
    assert hand.apply_move(0, "Reset")
    assert hand.total == 50
    hand = position(words("Reset +1"), words("+1"), total=50, deck="cap100")
    assert not hand.apply_move(0, "Reset")
    assert (hand.total, hand.record["tens"]) == (50, 0)


def test_example_8() -> None:
    hand = position(words("+5 Undo +1"), words("+1"), total=15)
    assert hand.apply_move(0, "+5")
    assert not hand.apply_move(0, "Undo")
    assert hand.total == 15
    hand = position(words("+10 Undo +1"), words("+1"), total=10)
    assert hand.apply_move(0, "+10")
    assert hand.apply_move(0, "Undo")
    assert (hand.total, hand.record["tens"]) == (10, 2)


# Each rule


def test_C1_decks_have_their_sizes() -> None:
    sizes = {"cap30": 52, "cap50": 68, "cap100": 94, "standard": 52, "standard-1j": 53, "standard-2j": 54}
    assert {name: sum(deck["deck"].values()) for name, deck in DECKS.items()} == sizes
    assert DECKS["cap30"]["deck"]["+4"] == 1
    assert DECKS["cap50"]["deck"]["-5"] == 2
    assert DECKS["cap100"]["deck"]["-25"] == 1
    assert "Switch" not in DECKS["standard-2j"]["deck"]
    for deck in DECKS.values():
        assert deck["start"] * 2 == deck["cap"]
        for kind, copies in deck["deck"].items():
            if kind.startswith("+"):
                assert deck["deck"][kind.replace("+", "-")] == copies


def test_C1_options_are_refused_if_unknown() -> None:
    assert resolve(deck="cap50", start=7)["reset_to"] == 7
    with pytest.raises(ValueError, match="Joker"):
        resolve(deck={"Joker": 60})
    with pytest.raises(ValueError, match="colour"):
        resolve(colour="red")


@pytest.mark.parametrize(
    ("total", "kind", "step", "is_ten"),
    [
        (4, "-4", 10, True),
        (26, "+4", 10, True),
        (15, "+4", 10, False),
        (8, "+4", 6, True),
        (26, "+4", 7, False),
    ],
)
def test_C2_tens_are_multiples_up_to_the_cap(total: int, kind: str, step: int, is_ten: bool) -> None:
    hand = position([kind, "+1"], words("+1"), total=total, ten_step=step)
    assert hand.apply_move(0, kind) is is_ten
    assert hand.record["tens"] == is_ten


@pytest.mark.parametrize(
    ("changes", "order"),
    [
        ({"players": 2, "hand_size": 2}, [1, 0, 1, 0, 1]),
        ({"players": 3, "hand_size": 2}, [1, 2, 0, 1, 2, 0]),
        ({"players": 3, "hand_size": 3, "starter_extra": -2}, [1, 2, 0, 2, 0, 2, 0]),
        ({"players": 3, "hand_size": 1, "starter_extra": 2}, [1, 2, 0, 1, 1]),
    ],
)
def test_C3_deal(changes: dict[str, Any], order: list[int]) -> None:
    table = RecordingTable(random.Random(1))
    hand = Hand(resolve(**changes), table, starter=1)
    hand.deal()
    assert [row[1] for row in table.events] == order
    assert [len(cards) for cards in hand.cards] == [order.count(seat) for seat in range(hand.players)]
    assert (hand.total, hand.direction, hand.last, hand.discards) == (15, 1, None, [])


def test_C3_hands_must_fit() -> None:
    with pytest.raises(ValueError, match="C3"):
        resolve(players=4, hand_size=14)
    with pytest.raises(ValueError, match="C3"):
        resolve(hand_size=2, starter_extra=-2)


def test_C4_play_passes_in_the_direction() -> None:
    hand = position(*[words("+1 +1 +1")] * 4, script=[("+1", 1)] * 4)
    for seat in (0, 1):
        assert hand.to_act == seat
        hand.take_turn()
    hand.direction = -1
    hand.take_turn()
    assert hand.to_act == 1


def test_C5_legal_moves() -> None:
    cards = words("+5 +5 +5 +5 -10 Double Halve Reset Undo Skip Switch TakeTwo")
    hand = position(cards, words("+1"), total=15)
    always = {("Reset", 1), ("Skip", 1), ("Switch", 1), ("TakeTwo", 1)}
    fives = {("+5", 1), ("+5", 2), ("+5", 3)}
    assert set(hand.legal_moves(0)) == always | fives | {("-10", 1), ("Double", 1)}
    assert len(hand.legal_moves(0)) == 9
    hand.total = 16
    assert set(hand.legal_moves(0)) == always | {("+5", 1), ("+5", 2), ("-10", 1), ("Halve", 1)}
    hand.total = 0
    assert set(hand.legal_moves(0)) == always | fives | {("Double", 1), ("Halve", 1)}
    hand = position(words("+5 +5 Reset Reset"), words("+1"), total=15, max_multiple=1)
    assert hand.legal_moves(0) == [("+5", 1), ("Reset", 1)]


def test_C6_a_legal_move_must_be_made() -> None:
    hand = position(words("+5"), words("+1"), script=[("+5", 1)])
    hand.take_turn()
    assert hand.table.offered == [[("+5", 1)]]
    assert (hand.record["decisions"], hand.record["choices"], hand.record["forced"]) == (1, 1, 1)


def test_C6_drawing_can_be_allowed() -> None:
    script: list[Choice] = [DRAW, ("+5", 1)]
    hand = position(words("+5 +5"), words("+1"), total=2, pile=["+5"], script=script, must_play=False)
    hand.take_turn()
    # Nothing that was held before may be played any more, beside the drawn card neither.
    assert hand.table.offered == [[("+5", 1), ("+5", 2), DRAW], [("+5", 1), KEEP]]
    assert (hand.record["drawn"], hand.record["stuck"], hand.record["forced"]) == (1, 0, 0)
    assert [row[0] for row in hand.table.events[1:]] == [
        layout.DECISION,
        layout.DRAW_BY_CHOICE,
        layout.DRAW,
        layout.DECISION,
        layout.MOVE,
    ]
    hand = position(words("+5"), words("+1"), pile=[], script=[("+5", 1)], must_play=False)
    hand.take_turn()
    assert hand.table.offered == [[("+5", 1)]]


def test_C7_a_drawn_card_is_played_alone_or_kept() -> None:
    held = words("-9 -9 +3")
    hand = position(held, words("+1"), total=8, pile=["+2"], cap=10, script=[("+2", 1), STOP])
    hand.take_turn()
    assert hand.table.offered == [[("+2", 1), KEEP], [("-9", 1), STOP]]
    assert (hand.record["stuck"], hand.record["drawn"], hand.record["chains"]) == (1, 1, {1: 1})
    assert told(hand, layout.MOVE) == [event(layout.MOVE, 0, "+2", 1, 8, 10, 1, 1)]

    hand = position(held, words("+1"), total=8, pile=["+2"], cap=10, script=[KEEP])
    hand.take_turn()
    assert hand.cards[0] == [*held, "+2"]
    assert told(hand, layout.KEEP) == [event(layout.KEEP, 0, "+2")]

    # A drawn card that cannot be played is kept, and nobody is asked.
    hand = position(words("-9"), words("+1"), total=8, pile=["-9"], cap=10)
    hand.take_turn()
    assert hand.table.offered == []
    assert hand.record["decisions"] == 0
    assert hand.to_act == 1


def test_C8_discards_under_the_top_are_drawn_again() -> None:
    hand = position(words("+9"), words("+1"), total=29, pile=[])
    hand.discards = words("+8 +8 +8 Reset")
    hand.take_turn()
    assert hand.cards[0] == words("+9 +8")
    assert (hand.discards, hand.table.pile) == (["Reset"], words("+8 +8"))
    assert hand.record["reshuffles"] == 1
    assert told(hand, layout.RESHUFFLE) == [event(layout.RESHUFFLE, 0, 3)]


def test_C8_nothing_to_draw() -> None:
    hand = position(words("+9"), words("+1"), total=29, pile=[])
    hand.discards = ["Reset"]
    hand.take_turn()
    assert hand.cards[0] == ["+9"]
    assert (hand.record["reshuffles"], hand.record["drawn"], hand.record["stuck"]) == (0, 0, 1)
    assert hand.table.events[-1] == event(layout.NOTHING_TO_DRAW, 0)


def test_C8_a_take_two_takes_what_there_is() -> None:
    hand = position(words("TakeTwo +1"), words("+1"), pile=["+7"])
    hand.discards = ["-7"]
    hand.apply_move(0, "TakeTwo")
    assert hand.cards[1] == words("+1 +7 -7")
    assert hand.discards == ["TakeTwo"]
    codes = [row[0] for row in hand.table.events]
    assert codes == [layout.MOVE, layout.TAKE, layout.RESHUFFLE, layout.TAKE]

    hand = position(words("TakeTwo +1"), words("+1"), pile=["+7"])
    hand.apply_move(0, "TakeTwo")
    assert hand.cards[1] == words("+1 +7")
    assert hand.record["taken"] == 1


def test_C9_a_chain_ends_at_its_limit_and_draws_nothing() -> None:
    script: list[Choice] = [("+10", 1), ("+10", 1), ("-10", 1)]
    hand = position(words("+10 +10 -10 +5"), words("+1"), total=0, script=script)
    hand.take_turn()
    assert (hand.cards[0], hand.record["tens"], hand.record["chains"]) == (["+5"], 3, {3: 1})

    hand = position(words("+10 +5"), words("+1"), total=20, script=[("+10", 1)])
    hand.take_turn()
    assert (hand.cards[0], hand.record["decisions"]) == (["+5"], 1)
    assert hand.table.events[-1][0] == layout.MOVE

    hand = position(words("+10 -5"), words("+1"), total=20, script=[("+10", 1)], chain_limit=1)
    hand.take_turn()
    assert (hand.cards[0], hand.record["tens"]) == (["-5"], 1)


def test_C9_an_undo_onto_a_ten_need_not_chain() -> None:
    hand = position(words("+5 Undo +1"), words("+1"), total=10, undo_chains=False)
    assert not hand.apply_move(0, "+5")
    assert not hand.apply_move(0, "Undo")
    assert (hand.total, hand.record["tens"]) == (10, 1)


@pytest.mark.parametrize("kind", ["Skip", "Switch", "TakeTwo", "Undo"])
def test_C10_any_last_card_wins_and_has_its_effect(kind: str) -> None:
    hand = position([kind], words("+1 +1"), words("+1 +1 +1"), script=[(kind, 1)])
    if kind == "Undo":
        hand.cards[2].append("Switch")
        hand.apply_move(2, "Switch")
        hand.to_act = 0
    hand.take_turn()
    assert hand.reason == layout.WON
    effects = {
        "Skip": layout.MISS,
        "Switch": layout.DIRECTION,
        "TakeTwo": layout.TAKE,
        "Undo": layout.DIRECTION,
    }
    assert hand.table.events[-1][0] == effects[kind]
    record = hand.finish()
    assert record["cards_left"] == ([0, 4, 3] if kind == "TakeTwo" else [0, 2, 3])
    assert (record["winner"], record["winners"], record["losers"]) == (0, 1, 2)
    assert record["cards_left_of_a_loser"] == sum(record["cards_left"])


def test_C10_a_win_on_the_last_turn_counts() -> None:
    hand = position(words("+1"), words("+1"), script=[("+1", 1)], max_turns=1)
    hand.take_turn()
    assert hand.reason == layout.WON


@pytest.mark.parametrize(("players", "after_skip", "after_switch"), [(2, 0, 0), (3, 2, 2), (4, 2, 3)])
def test_C11_skip_and_switch(players: int, after_skip: int, after_switch: int) -> None:
    hand = position(words("Skip +1"), *[words("+1")] * (players - 1))
    hand.apply_move(0, "Skip")
    assert hand.to_act == after_skip
    assert told(hand, layout.MISS) == [event(layout.MISS, 1)]
    hand = position(words("Switch +1"), *[words("+1")] * (players - 1))
    hand.apply_move(0, "Switch")
    assert (hand.to_act, hand.direction) == (after_switch, -1)
    assert told(hand, layout.DIRECTION) == [event(layout.DIRECTION, 0, -1)]


@pytest.mark.parametrize(
    ("target", "direction", "taker"),
    [("fewest", 1, 3), ("fewest", -1, 3), ("next", 1, 2), ("next", -1, 0), ("most", 1, 2), ("most", -1, 0)],
)
def test_C11_who_takes_two(target: str, direction: int, taker: int) -> None:
    cards = [words("+1 +1 +1"), words("TakeTwo"), words("+1 +1 +1"), words("+1 +1")]
    hand = position(*cards, take_target=target)
    hand.direction = direction
    hand.apply_move(1, "TakeTwo")
    assert [row[1] for row in told(hand, layout.TAKE)] == [taker, taker]


@pytest.mark.parametrize(("direction", "taker"), [(1, 2), (-1, 0)])
def test_C11_a_tie_goes_to_the_first_in_turn_order(direction: int, taker: int) -> None:
    hand = position(words("+1"), words("TakeTwo"), words("+1"), words("+1"))
    hand.direction = direction
    hand.apply_move(1, "TakeTwo")
    assert hand.last is not None
    assert hand.last.target == taker


def test_C12_undo_of_a_total_card() -> None:
    hand = position(words("+4 +4 Undo +1"), words("+1"), total=12)
    hand.apply_move(0, "+4", 2)
    hand.apply_move(0, "Undo")
    assert hand.total == 12
    hand = position(words("Reset Undo +1"), words("+1"), total=15)
    hand.apply_move(0, "Reset")
    assert ("Undo", 1) in hand.legal_moves(0)
    assert not hand.apply_move(0, "Undo")
    assert hand.total == 15


def test_C12_an_undo_needs_a_card_that_is_no_undo() -> None:
    hand = position(words("Undo Undo +1 +1"), words("+1"))
    assert hand.legal_moves(0) == [("+1", 1), ("+1", 2)]
    hand.apply_move(0, "+1")
    assert ("Undo", 1) in hand.legal_moves(0)
    hand.apply_move(0, "Undo")
    assert hand.legal_moves(0) == [("+1", 1)]


def test_C12_undo_of_a_switch() -> None:
    hand = position(words("Switch Undo +1"), words("+1"))
    hand.apply_move(0, "Switch")
    hand.apply_move(0, "Undo")
    assert (hand.direction, hand.to_act) == (1, 1)
    assert len(told(hand, layout.DIRECTION)) == 2
    hand = position(words("Switch +1"), words("+1"), words("Undo +1"))
    hand.apply_move(0, "Switch")
    assert hand.to_act == 2
    hand.apply_move(2, "Undo")
    assert (hand.direction, hand.to_act) == (1, 0)


def test_C12_undo_of_a_skip_with_two_players() -> None:
    hand = position(words("Skip Undo +1"), words("+1"))
    hand.apply_move(0, "Skip")
    assert hand.to_act == 0
    hand.apply_move(0, "Undo")
    assert hand.to_act == 1


@pytest.mark.parametrize(
    ("before", "pile", "left", "given_back"),
    [
        # The Undo was held already: both cards go back, the one taken on its behalf included.
        (["+1", "Undo"], ["+2", "Undo"], ["+1"], ["Undo", "+2"]),
        # The Undo is one of the two: it stays on the discard pile.
        (["+1"], ["+2", "Undo"], ["+1"], ["+2"]),
        (["+1"], ["Undo", "+2"], ["+1"], ["+2"]),
        # Both are Undos: the first is played, the second goes back.
        (["+1"], ["Undo", "Undo"], ["+1"], ["Undo"]),
        # There was only one to take.
        (["+1", "Undo"], ["+2"], ["+1"], ["+2"]),
    ],
)
def test_C12_undo_of_a_take_two_by_its_victim(
    before: list[str], pile: list[str], left: list[str], given_back: list[str]
) -> None:
    hand = position(words("TakeTwo +1"), before, pile=pile)
    hand.apply_move(0, "TakeTwo")
    hand.apply_move(1, "Undo")
    assert hand.cards[1] == left
    assert hand.discards == words("TakeTwo Undo")
    assert [row[2] for row in told(hand, layout.RETURN)] == [KIND_NUMBERS[kind] for kind in given_back]
    assert hand.table.pile == given_back[::-1]


def test_C12_undo_of_a_take_two_by_another() -> None:
    hand = position(
        words("TakeTwo +1"), words("+9"), words("Undo +9 +9"), pile=words("-1 +8 +7 +6"), total=30
    )
    hand.apply_move(0, "TakeTwo")
    assert hand.cards[1] == words("+9 +6 +7")
    # Seat 1 can play nothing and draws; what it drew is not given back.
    hand.take_turn()
    assert hand.cards[1] == words("+9 +6 +7 +8")
    hand.apply_move(2, "Undo")
    assert hand.cards[1] == words("+9 +8")
    assert hand.table.pile == words("+7 +6 -1")


def test_C12_a_drawn_undo_is_itself_played() -> None:
    script = [DRAW, ("Undo", 1)]
    pile = words("Undo +2 Undo")
    hand = position(words("TakeTwo +1"), words("+1"), pile=pile, script=script, must_play=False)
    hand.apply_move(0, "TakeTwo")
    hand.take_turn()
    assert hand.cards[1] == ["+1"]
    assert hand.table.pile == words("+2 Undo")


def test_C13_a_chain_after_an_undo_has_a_new_last_card() -> None:
    hand = position(words("+10 Undo -3 Undo"), words("+1"), total=10)
    hand.apply_move(0, "+10")
    assert hand.apply_move(0, "Undo")
    assert hand.legal_moves(0) == [("-3", 1)]
    hand.apply_move(0, "-3")
    assert hand.legal_moves(0) == [("Undo", 1)]
    assert hand.to_act == 1


def test_C14_blocked_once_everyone_has_passed() -> None:
    hand = position(words("+9"), words("+9"), words("+9"), total=30, pile=[], max_turns=3)
    for _ in range(2):
        hand.take_turn()
        assert hand.reason == UNDER_WAY
    hand.take_turn()
    assert hand.reason == layout.IS_BLOCKED
    record = hand.finish()
    assert (record["winner"], record["winners"], record["losers"]) == (-1, 0, 3)
    assert (record["blocked"], record["truncated"], record["stuck"], record["turns"]) == (1, 0, 3, 3)


def test_C14_a_draw_or_a_move_starts_the_count_anew() -> None:
    hand = position(words("+9"), words("+9"), total=30, pile=[])
    hand.take_turn()
    hand.table.pile = ["+9"]
    hand.take_turn()
    assert hand.passed == set()
    hand.take_turn()
    assert (hand.passed, hand.reason) == ({0}, UNDER_WAY)


def test_C14_truncated_at_the_last_turn() -> None:
    hand = position(*[words("+1 +1 +1")] * 2, script=[("+1", 1)] * 2, max_turns=2)
    hand.take_turn()
    assert hand.reason == UNDER_WAY
    hand.take_turn()
    assert hand.reason == layout.IS_TRUNCATED


def test_C14_a_game_without_winner_is_a_draw() -> None:
    options = resolve(players=3, deck={"+9": 9}, start=30, hand_size=3, max_hands=4)
    hands, game = play_game(random.Random(1), options)
    assert [record["starter"] for record in hands] == [0, 0, 0, 0]
    assert all(record["blocked"] for record in hands)
    assert game == {"winners": 0b111, "hands": 4, "drawn_game": 1, "bonuses": {}}


@pytest.mark.parametrize("needed", [1, 3])
def test_C15_first_to_win_enough_hands(needed: int) -> None:
    options = resolve(players=3, hands_to_win=needed)
    rng = random.Random(needed)
    for _ in range(20):
        hands, game = play_game(rng, options)
        won = Counter(record["winner"] for record in hands)
        assert max(won.values()) == needed
        assert list(won.values()).count(needed) == 1
        assert game["winners"] == hands[-1]["winners"]
        assert (game["hands"], game["drawn_game"]) == (len(hands), 0)


@pytest.mark.parametrize(
    ("rule", "starter", "cards_left", "expected"),
    [
        ("last", 0, [0, 1, 3, 2], 2),
        ("last", 0, [4, 4, 0, 1], 0),
        ("last", 0, [4, 4, 1, 0], 0),
        ("last", 0, [0, 2, 2, 2], 1),
        ("last", 1, [3, 0], 0),
        ("winner", 0, [4, 4, 0, 1], 2),
        ("rotate", 3, [4, 4, 0, 1], 0),
        ("rotate", 1, [4, 4, 1, 1], 1),
        ("last", 3, [4, 4, 1, 1], 3),
    ],
)
def test_C16_who_starts_next(rule: str, starter: int, cards_left: list[int], expected: int) -> None:
    winner = cards_left.index(0) if 0 in cards_left else -1
    record = {"starter": starter, "winner": winner, "cards_left": cards_left}
    options = resolve(players=len(cards_left), next_starter=rule)
    assert next_starter(options, record) == expected


def test_leads_are_strict_and_ties_keep_the_leader() -> None:
    hand = position(words("+1 +1"), words("+1 +1"))
    changes = []
    for held in ([2, 2], [1, 2], [1, 1], [2, 1], [1, 1], [1, 2], [0, 2]):
        hand.cards = [["+1"] * many for many in held]
        hand.look_at_lead()
        changes.append(hand.record["lead_changes"])
    assert changes == [0, 0, 0, 1, 1, 2, 2]


# Whole hands


def hands_of(changes: dict[str, Any], count: int) -> Iterator[tuple[Hand, RecordingTable]]:
    """Yield hands that are about to be dealt."""
    for seed in range(count):
        table = RecordingTable(random.Random(seed))
        options = resolve(**changes)
        yield new_hand(options, table, starter=seed % options["players"]), table


@pytest.mark.parametrize("name", VARIANTS)
def test_walk_keeps_the_invariants(name: str) -> None:
    for hand, table in hands_of(VARIANTS[name], 60):
        options, record = hand.options, hand.record
        deck = +Counter(cards_in_deck(options))
        hand.deal()
        while hand.reason == UNDER_WAY:
            hand.take_turn()
            held = [kind for cards in hand.cards for kind in cards]
            # A Swap makes a card (C21).
            made = [KIND_NAMES[row[2]] for row in told(hand, layout.SWAP_FOR)]
            assert Counter(held + table.pile + hand.discards) == deck + Counter(made)
            assert 0 <= hand.total <= options["cap"]
            assert hand.made <= options["chain_limit"]
            assert hand.direction in (1, -1)
        hand.finish()
        lengths = record["chains"]
        assert lengths.total() == record["turns"] <= options["max_turns"]
        assert sum(length * many for length, many in lengths.items()) == record["moves"]
        assert record["plays"].total() == record["total_share"].total() == record["moves"]
        assert record["cards_played"] >= record["moves"]
        assert record["forced"] <= record["decisions"] <= record["choices"]
        assert (record["winner"] >= 0) + record["blocked"] + record["truncated"] == 1
        assert (0 in record["cards_left"]) == (record["winner"] >= 0)
        assert record["losers"] == options["players"] - (record["winner"] >= 0)
        if options["must_play"]:
            assert record["drawn"] <= record["stuck"]
        if isinstance(hand, PowerHand):
            assert all(0 <= notches <= options["meter_size"] for notches in hand.meters)
            lost = record["powers"].total() * options["meter_size"] + record["notches_drained"]
            given_back = sum(row[3] - row[2] for row in told(hand, layout.METER) if row[4] == layout.FOR_UNDO)
            assert sum(hand.meters) == record["notches"] + given_back - lost
        assert {metric for metric, value in record.items() if isinstance(value, int)} == SCALARS


def test_records_name_every_column() -> None:
    hands, game = play_game(random.Random(1), resolve())
    # The kernel's columns of powers by form ("powers.give") are one record here.
    columns = {column.metric.partition(".")[0] for column in layout.HAND_COLUMNS} - {"policy_winners"}
    assert set(hands[0]) == columns
    assert set(game) == {column.metric for column in layout.GAME_COLUMNS} - {"policy_winners"}
    for metric in SCALARS:
        assert type(hands[0][metric]) is int


def test_variants_reach_every_event_and_end() -> None:
    events, ends = set(), set()
    for changes in VARIANTS.values():
        for seed in range(5):
            trace, _, game = trace_of(changes, seed, by_game=True)
            events |= {row[0] for row in trace}
            ends |= {row[2] for row in trace if row[0] == layout.HAND_END}
            ends |= {"drawn game"} if game["drawn_game"] else set()
    assert events == set(range(layout.HAND, layout.BONUS + 1))
    assert ends == {layout.WON, layout.IS_BLOCKED, layout.IS_TRUNCATED, "drawn game"}


# Checking traces


def trace_of(
    changes: dict[str, Any], seed: int, by_game: bool
) -> tuple[list[Event], list[Record], Record | None]:
    """Return the trace of a random game or hand, and its records."""
    table = RecordingTable(random.Random(seed))
    if by_game:
        return table.events, *run_game(resolve(**changes), table)
    return table.events, [run_hand(resolve(**changes), table)], None


@pytest.mark.parametrize("by_game", [True, False])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_true_trace_gives_the_same_records(name: str, by_game: bool) -> None:
    for seed in range(6):
        events, hands, game = trace_of(VARIANTS[name], seed, by_game)
        assert check_game(events, resolve(**VARIANTS[name]), by_game) == (hands, game)


def test_a_trace_may_count_hands_from_nought() -> None:
    events, hands, game = trace_of({}, 5, by_game=True)
    assert len(hands) > 1
    events = [(*row[:2], row[2] - 1, *row[3:]) if row[0] == layout.HAND else row for row in events]
    assert check_game(events, resolve(), True) == (hands, game)


def is_accepted(events: list[Event], changes: dict[str, Any], by_game: bool) -> bool:
    """Return whether the referee finds nothing wrong with a trace."""
    try:
        check_game(events, resolve(**changes), by_game)
    except RefereeError:
        return False
    return True


GIVEN_KINDS = (layout.DEAL, layout.DRAW, layout.TAKE)
"""Events whose kind is chance: another kind may be as legal."""
FREE_FIELDS = {
    **dict.fromkeys((*GIVEN_KINDS, layout.GIVEN), 2),
    layout.MOVE: 2,
    layout.SWAP_AWAY: 2,
    layout.SWAP_FOR: 2,
    layout.TARGET: 3,
    layout.BONUS: 2,
}
"""Fields that are chance or choice: a Reset and an Undo may lead to the same total."""


def spoilt(events: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """Yield traces that are each wrong in one way."""
    for index, row in enumerate(events):
        name = f"{index}: {row}"
        before, after = events[:index], events[index + 1 :]
        yield f"without {name}", before + after
        yield f"twice {name}", [*before, row, row, *after]
        if after and not (row[0] in GIVEN_KINDS and row[:2] == after[0][:2]) and row != after[0]:
            yield f"too late {name}", [*before, after[0], row, *after[1:]]
        for field in range(EVENT_FIELDS):
            if field == FREE_FIELDS.get(row[0]):
                continue
            for change in (1, -1):
                if field == 2 and row[0] == layout.HAND and index == 0 and change < 0:
                    continue  # Hands may be counted from 0.
                changed = (*row[:field], row[field] + change, *row[field + 1 :])
                yield f"field {field} {change:+} of {name}", [*before, changed, *after]


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("defaults", 5),
        ("three players", 39),
        ("many taken", 20),
        ("drawing by choice, three", 9),
        ("undo, undo", 0),
        ("undo for two", 25),
        ("often stuck", 29),
        ("often blocked", 0),
        ("powers for two", 3),
        ("powers for three", 2),
        ("powers, drawing by choice", 2),
        ("powers, undo", 4),
    ],
)
def test_any_spoilt_event_is_refused(name: str, seed: int) -> None:
    events, _, _ = trace_of(VARIANTS[name], seed, by_game=False)
    for wrong, trace in spoilt(events):
        assert not is_accepted(trace, VARIANTS[name], by_game=False), wrong


def test_a_spoilt_game_is_refused() -> None:
    changes = {"deck": {"+1": 9, "-1": 9, "Undo": 4, "Skip": 4}, "hand_size": 2}
    events, _, _ = trace_of(changes, 1, by_game=True)
    for wrong, trace in spoilt(events):
        assert not is_accepted(trace, changes, by_game=True), wrong


def test_a_spoilt_game_of_power_up_is_refused() -> None:
    changes = {
        "powers": True,
        "players": 3,
        "hand_size": 3,
        "meter_size": 2,
        "meter_carry": False,
        "deck": {"+5": 5, "-5": 5, "+10": 4, "-10": 4, "TakeTwo": 6, "Skip": 5, "Undo": 4},
    }
    events, _, _ = trace_of(changes, 981, by_game=True)
    assert {row[0] for row in events} >= {layout.BONUS, layout.SHIELDED, layout.SWAP_FOR, layout.SKIP_OFF}
    assert {row[7] for row in events if row[0] == layout.MOVE} >= {layout.FROM_HAND, layout.BULLSEYE}
    reasons = {row[4] for row in events if row[0] == layout.METER}
    assert reasons >= {
        layout.FOR_CHARGED,
        layout.FOR_POWER,
        layout.FOR_DRAIN,
        layout.FOR_UNDO,
        layout.FOR_NEW_HAND,
    }
    for wrong, trace in spoilt(events):
        assert not is_accepted(trace, changes, by_game=True), wrong


# A hand written out by the rules, of two players with two cards each and one to draw.
SMALL = resolve(
    deck={"+5": 2, "-10": 1, "TakeTwo": 1, "+9": 1, "Undo": 1}, hand_size=2, starter_extra=0, start=10, cap=30
)
WRITTEN = [
    event(layout.HAND, 0, 1, 10, 6),
    event(layout.DEAL, 0, "+5"),
    event(layout.DEAL, 1, "TakeTwo"),
    event(layout.DEAL, 0, "+5"),
    event(layout.DEAL, 1, "+9"),
    event(layout.TURN, 0, 1, 10, 1, 2),
    event(layout.DECISION, 0, 1, 2),
    event(layout.MOVE, 0, "+5", 1, 10, 15, 1, 0),
    event(layout.TURN, 1, 2, 15, 1, 2),
    event(layout.DECISION, 1, 1, 2),
    event(layout.MOVE, 1, "TakeTwo", 1, 15, 15, 1, 0),
    event(layout.TAKE, 0, "Undo"),
    event(layout.TAKE, 0, "-10"),
    event(layout.TURN, 0, 3, 15, 1, 3),
    event(layout.DECISION, 0, 1, 3),
    event(layout.MOVE, 0, "Undo", 1, 15, 15, 1, 0),
    event(layout.RETURN, 0, "-10"),
    event(layout.TURN, 1, 4, 15, 1, 1),
    event(layout.DECISION, 1, 1, 1),
    event(layout.MOVE, 1, "+9", 1, 15, 24, 1, 0),
    event(layout.HAND_END, 1, 0, 4),
]


def test_a_written_hand_is_accepted() -> None:
    record = check_hand(WRITTEN, SMALL)
    assert record == {
        "starter": 0,
        "winner": 1,
        "winners": 0b10,
        "turns": 4,
        "moves": 4,
        "cards_played": 4,
        "drawn": 0,
        "taken": 2,
        "stuck": 0,
        "tens": 0,
        "blocked": 0,
        "truncated": 0,
        "reshuffles": 0,
        "lead_changes": 1,
        "decisions": 4,
        "choices": 8,
        "forced": 1,
        "losers": 1,
        "cards_left_of_a_loser": 1,
        "cards_left": [1, 0],
        "chains": {1: 4},
        "plays": {"+5": 1, "TakeTwo": 1, "Undo": 1, "+9": 1},
        "total_share": {15: 3, 24: 1},
        **dict.fromkeys(POWER_SCALARS, 0),
        "powers": {},
    }


@pytest.mark.parametrize(
    ("index", "row", "rule", "words_of_it"),
    [
        (0, event(layout.HAND, 1, 1, 10, 6), "C4", "expected HAND"),
        (3, event(layout.DEAL, 0, "TakeTwo"), "C3", "no TakeTwo"),
        (4, event(layout.DEAL, 0, "+9"), "C3", "seat 1"),
        (5, event(layout.TURN, 1, 1, 10, 1, 2), "C4", "expected TURN"),
        (6, event(layout.DECISION, 0, 1, 1), "C6", r"among \+5, \+5 x2"),
        (7, event(layout.MOVE, 0, "-10", 1, 10, 0, 1, 0), "C5", "not among the choices"),
        (7, event(layout.MOVE, 0, "+5", 1, 10, 16, 1, 0), "C5", "after 15"),
        (7, event(layout.DRAW_BY_CHOICE, 0), "C6", "not among the choices"),
        (11, event(layout.TAKE, 1, "Undo"), "C11", "TAKE"),
        (12, event(layout.TAKE, 0, "+9"), "C11", r"no \+9"),
        (16, event(layout.RETURN, 0, "Undo"), "C12", "RETURN"),
        (20, event(layout.TURN, 0, 5, 24, 1, 1), "C10", "expected HAND_END"),
    ],
)
def test_an_error_names_rule_and_event(index: int, row: Event, rule: str, words_of_it: str) -> None:
    trace = [*WRITTEN[:index], row, *WRITTEN[index + 1 :]]
    with pytest.raises(RefereeError, match=words_of_it) as caught:
        check_hand(trace, SMALL)
    assert (caught.value.rule, caught.value.index) == (rule, index)
    assert f"event {index} breaks {rule}" in str(caught.value)


def test_a_trace_may_say_that_a_take_two_found_nothing() -> None:
    options = resolve(deck={"TakeTwo": 3}, hand_size=1, starter_extra=0)
    trace = [
        event(layout.HAND, 0, 1, 15, 3),
        event(layout.DEAL, 0, "TakeTwo"),
        event(layout.DEAL, 1, "TakeTwo"),
        event(layout.TURN, 0, 1, 15, 1, 1),
        event(layout.DECISION, 0, 1, 1),
        event(layout.MOVE, 0, "TakeTwo", 1, 15, 15, 1, 0),
        event(layout.TAKE, 1, "TakeTwo"),
        event(layout.HAND_END, 0, layout.WON, 1),
    ]
    record = check_hand(trace, options)
    assert record == check_hand([*trace[:-1], event(layout.NOTHING_TO_DRAW, 1), trace[-1]], options)
    assert (record["taken"], record["cards_left"]) == (1, [0, 2])
    with pytest.raises(RefereeError):
        check_hand([*trace[:-1], event(layout.NOTHING_TO_DRAW, 0), trace[-1]], options)


def test_a_trace_must_end_with_its_hand() -> None:
    with pytest.raises(RefereeError, match="the trace stops"):
        check_hand(WRITTEN[:-1], SMALL)
    with pytest.raises(RefereeError, match="all is over"):
        check_hand([*WRITTEN, event(layout.GAME_END, 1, 1)], SMALL)


def test_cards_put_under_the_pile_come_up_in_their_order() -> None:
    options = resolve(
        deck={"TakeTwo": 2, "Undo": 1, "-10": 1, "+9": 3}, hand_size=2, starter_extra=0, start=30, cap=30
    )
    start = [
        event(layout.HAND, 0, 1, 30, 7),
        event(layout.DEAL, 0, "TakeTwo"),
        event(layout.DEAL, 1, "Undo"),
        event(layout.DEAL, 0, "+9"),
        event(layout.DEAL, 1, "+9"),
        event(layout.TURN, 0, 1, 30, 1, 2),
        event(layout.DECISION, 0, 1, 1),
        event(layout.MOVE, 0, "TakeTwo", 1, 30, 30, 1, 0),
        event(layout.TAKE, 1, "TakeTwo"),
        event(layout.TAKE, 1, "-10"),
        event(layout.TURN, 1, 2, 30, 1, 4),
        event(layout.DECISION, 1, 1, 3),
        event(layout.MOVE, 1, "Undo", 1, 30, 30, 1, 0),
        event(layout.RETURN, 1, "TakeTwo"),
        event(layout.RETURN, 1, "-10"),
        event(layout.TURN, 0, 3, 30, 1, 1),
        event(layout.DRAW, 0, "+9"),
        event(layout.TURN, 1, 4, 30, 1, 1),
    ]
    with pytest.raises(RefereeError, match="TakeTwo was put there by an Undo") as caught:
        check_hand([*start, event(layout.DRAW, 1, "-10")], options)
    assert caught.value.rule == "C12"
    with pytest.raises(RefereeError, match="the trace stops where DECISION"):
        check_hand([*start, event(layout.DRAW, 1, "TakeTwo")], options)


# The values of others


def samples_of(record: Record, players: int) -> dict[str, float]:
    """Return a hand's values under the names of the cases, without the shares of totals."""
    samples = {metric: value for metric, value in record.items() if isinstance(value, int)}
    samples["cards_left_of_a_loser"] /= record["losers"]
    for seat in range(players):
        samples[f"win.seat{seat}"] = record["winner"] == seat
        samples[f"cards_left.seat{seat}"] = record["cards_left"][seat]
    for metric in ("plays", "chains"):
        samples |= {f"{metric}.{key}": value for key, value in record[metric].items()}
    samples["powers"] = record["powers"].total()
    for key, value in record["powers"].items():
        form, moment = ("give", "swap", "wild")[key // 2], ("turn", "reaction")[key % 2]
        samples[f"powers.{form}.{moment}"] = value
    return samples


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of a sample and its standard error."""
    count = len(values)
    mean = sum(values) / count
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)


def ratio_and_error(parts: Sequence[float], wholes: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of two sums and its standard error by the delta method."""
    whole = sum(wholes)
    ratio = sum(parts) / whole
    squares = sum((part - ratio * of) ** 2 for part, of in zip(parts, wholes, strict=True))
    return ratio, math.sqrt(squares) / whole


def estimates_by_hand(options: dict[str, Any], count: int) -> Callable[[str], tuple[float, float]]:
    """Play hands, and return what gives the mean and standard error of a statistic of the cases."""
    rng = random.Random(20_30)
    records = [play_hand(rng, options) for _ in range(count)]
    samples = [samples_of(record, options["players"]) for record in records]
    moves = [record["moves"] for record in records]

    def estimate(name: str) -> tuple[float, float]:
        metric, _, key = name.partition(".")
        if metric == "total_share":
            return ratio_and_error([record["total_share"][int(key)] for record in records], moves)
        return mean_and_error([sample.get(name, 0) for sample in samples])

    return estimate


def estimates_by_game(options: dict[str, Any], count: int) -> Callable[[str], tuple[float, float]]:
    """Play games, and return what gives the mean and standard error of a statistic of the cases."""
    rng = random.Random(50_100)
    games = [play_game(rng, options)[1] for _ in range(count)]

    def estimate(name: str) -> tuple[float, float]:
        if name == "hands":
            return mean_and_error([game["hands"] for game in games])
        seat = int(name.removeprefix("win.seat"))
        return mean_and_error([(game["winners"] >> seat & 1) / game["winners"].bit_count() for game in games])

    return estimate


@pytest.mark.skipif(not CASES.is_dir(), reason=f"the values of others are not here: no folder {CASES}")
@pytest.mark.parametrize(
    "name",
    [
        "cap30/cap30_p2-hand",
        "cap30/cap30_p4-hand",
        "cap30/cap100_p2-hand",
        "cap30/cap30_p2-game",
        "cap30/cap30_p4-game",
        "cap30/cap100_p2-game",
        "cap30-powers/cap30_p2_meter2-hand",
        "cap30-powers/cap30_p3_meter1-hand",
    ],
)
def test_random_play_agrees_with_others(name: str) -> None:
    case = json.loads((CASES / f"{name}.json").read_text())
    options = resolve(**case["options"])
    estimates = {"hand": (estimates_by_hand, 4000), "game": (estimates_by_game, 2000)}
    make, count = estimates[case["unit"]]
    estimate = make(options, count)
    apart = {}
    for statistic, theirs in case["stats"].items():
        mean, error = estimate(statistic)
        if abs(mean - theirs["mean"]) > 4.5 * math.hypot(error, theirs["se"]):
            apart[statistic] = (mean, error, theirs)
    assert apart == {}

"""Tests of the Kapaga referee: the worked examples, each rule, whole games, and the values of others."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kernels.kapaga import layout
from tests.referees.kapaga import (
    ALONE,
    CALL_NAMES,
    CALL_NUMBERS,
    DRAW,
    JOKER,
    KEEP,
    KIND_NUMBERS,
    PASS,
    POINTS,
    RANK_OF,
    STOP,
    TAKE,
    UNDER_WAY,
    Hand,
    RandomTable,
    Record,
    Standing,
    cards_that_fit,
    check_game,
    check_hand,
    play_game,
    play_hand,
    points_of,
    resolve,
    run_game,
    run_hand,
)
from tests.referees.trace import EVENT_FIELDS, Event, RefereeError

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "kapaga"

SCALARS = {column.metric for column in layout.HAND_COLUMNS if column.key < 0} - {"policy_winners"}

# Options that between them reach every branch of the rules. Small limits keep the games short.
VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {"limit": 400},
    "two players": {"players": 2, "limit": 200},
    "three players, accidents": {
        "players": 3,
        "limit": 300,
        "forget_rate": 0.5,
        "catch_rate": 0.6,
        "misdeal_rate": 0.3,
        "peek_rate": 0.2,
    },
    "five players, plain": {
        "players": 5,
        "limit": 300,
        "multi_play": False,
        "call_ranks": False,
        "ace_alone_draws": False,
    },
    "six players, three packs": {"players": 6, "packs": 3, "hand_size": 10, "limit": 300, "max_turns": 400},
    "seven players, heavy attacks": {
        "players": 7,
        "five_count": 10,
        "two_count": 7,
        "limit": 400,
        "max_turns": 90,
    },
    "eight players, often nothing to draw": {"players": 8, "hand_size": 6, "limit": 300, "max_turns": 120},
    "ten players": {"players": 10, "limit": 500},
    "ten players, all forget": {"players": 10, "forget_rate": 1, "limit": 300, "max_turns": 200},
    "no drawing": {"draw_count": 0, "five_count": 0, "two_count": 0, "limit": 200},
    "only fives attack": {"players": 3, "two_count": 0, "limit": 200},
    "only twos attack": {"players": 2, "five_count": 0, "limit": 200},
    "many drawn": {"players": 3, "draw_count": 6, "hand_size": 3, "limit": 300, "packs": 2, "max_turns": 100},
    "one card each": {"players": 4, "hand_size": 1, "hand_size_two": 1, "limit": 60, "forget_rate": 0.2},
    "one card each, two packs": {"players": 3, "hand_size": 1, "packs": 2, "limit": 60, "max_turns": 40},
    "short hands": {"players": 4, "max_turns": 6, "max_hands": 3},
    "nothing to draw": {
        "players": 4,
        "hand_size": 10,
        "draw_count": 10,
        "five_count": 10,
        "max_turns": 60,
        "max_hands": 8,
    },
    "all exact": {
        "players": 3,
        "points": dict.fromkeys(POINTS, 10),
        "limit": 70,
        "turnover_penalty": 0,
        "max_hands": 60,
    },
    "no reset": {
        "players": 3,
        "points": dict.fromkeys(POINTS, 10),
        "limit": 70,
        "turnover_penalty": 20,
        "exact_reset": False,
        "misdeal_rate": 1,
        "peek_rate": 1,
        "penalty_points": 10,
    },
}


class RecordingTable(RandomTable):
    """A random table that writes the trace of what it plays."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.events: list[Event] = []

    def draw(self, rule: str, code: int, seat: int, *fields: int) -> str:
        card = super().draw(rule, code, seat, *fields)
        self.tell(rule, code, seat, KIND_NUMBERS[card], *fields)
        return card

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        self.tell(rule, layout.DECISION, seat, decision, len(choices))
        return super().choose(rule, decision, seat, choices)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        self.events.append(event(code, seat, *fields))


class ScriptedTable(RecordingTable):
    """A table that makes the given choices, one after the other; with none left, it is an error."""

    def __init__(self, choices: Iterable[str] = ()) -> None:
        super().__init__(random.Random(0))
        self.script = list(choices)
        self.offered: list[list[str]] = []

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        self.tell(rule, layout.DECISION, seat, decision, len(choices))
        assert len(choices) == len(set(choices))
        self.offered.append(list(choices))
        choice = self.script.pop(0)
        assert choice in choices
        return choice


def event(code: int, seat: int, *fields: int | str) -> Event:
    """Return an event's row; a card may be given by its name."""
    row = (code, seat, *(KIND_NUMBERS[field] if isinstance(field, str) else field for field in fields))
    return row + (0,) * (EVENT_FIELDS - len(row))


def position(
    *cards: str,
    top: str = "4c",
    stock: str = "Kd Kh Ks Qd Qh Qs Jd Jh Js",
    script: Iterable[str] = (),
    **changes: Any,
) -> Hand:
    """Return a hand in mid-play, seat 0 to act: the cards of each seat, the discards (their top last)
    and the stock (its top last), each in one string."""
    table = ScriptedTable(script)
    table.stock = stock.split()
    hand = Hand(resolve(players=len(cards), **changes), table)
    hand.cards = [held.split() for held in cards]
    hand.discards = top.split()
    return hand


def opened(turned: str, *cards: str, script: Iterable[str] = (), **changes: Any) -> Hand:
    """Return a hand in which the last seat, the dealer, has turned a card up."""
    hand = position(*cards, script=script, **changes)
    hand.discards = []
    hand.table.stock.append(turned)
    hand.open()
    return hand


def told(hand: Hand, *codes: int) -> list[Event]:
    """Return the events of the given codes that a scripted hand has told of."""
    return [row for row in hand.table.events if row[0] in codes]


def play_turns(hand: Hand, turns: int) -> list[int]:
    """Play so many turns, and return who acted."""
    acted = []
    for _ in range(turns):
        acted.append(hand.to_act)
        hand.take_turn()
    return acted


# The worked examples of the rules page


def test_example_1() -> None:
    hand = position("7h 8s Qc Ad Joker", "3d 3h", top="7c", script=["Qc"])
    hand.take_turn()
    assert hand.table.offered[0] == ["7h", "8s", "Qc", JOKER, DRAW]


def test_example_2() -> None:
    hand = position("Ah 3d 3h", "As Kh 8c", top="4h", script=["Ah", ALONE, "Kh"])
    play_turns(hand, 2)
    assert hand.table.offered[-1] == ["Kh", "8c", DRAW]


def test_example_3() -> None:
    script = ["2d", STOP, "2h", "2c", TAKE, "Kc"]
    hand = position("2d 3d Kc 2s", "2h 2c 9d", "6h", top="4d", script=script)
    assert play_turns(hand, 4) == [0, 1, 2, 0]
    assert hand.table.offered[1:] == [
        ["2s", STOP],
        ["2h", "2c", TAKE],
        ["2c", STOP],
        [TAKE],
        ["Kc", "2s", DRAW],
    ]
    assert [row[2:5] for row in told(hand, layout.ATTACKED)] == [(2, 1, 0), (6, 2, 0)]
    assert len(hand.cards[2]) == 7
    record = hand.record
    assert (record["drawn_attack"], record["largest_attack"], record["plays"]["2"]) == (6, 6, 3)


def test_example_4() -> None:
    hand = position("5s 3d", "2h 2s 6c", "6d", top="9s", script=["5s", "2s", "2h", TAKE])
    play_turns(hand, 3)
    assert hand.table.offered[1:] == [["2s", TAKE], ["2h", STOP], [TAKE]]
    assert [row[2:5] for row in told(hand, layout.ATTACKED)] == [(5, 1, 1), (9, 2, 0)]
    assert len(hand.cards[2]) == 10
    assert hand.discards[-1] == "2h"


def test_example_5() -> None:
    hand = position("Ac 9c", "3d", "3h", script=["Ac", "9c"])
    hand.take_turn()
    assert (hand.reason, hand.winner, hand.cards) == (layout.WON, 0, [[], ["3d"], ["3h"]])
    record = hand.finish()
    assert (record["passes_left"], record["drawn_effect"], record["plays"]) == (0, 0, {"A": 1, "9": 1})
    assert not told(hand, layout.PASS_HANDS)


def test_example_6() -> None:
    hand = position("Ad", "3h 4h", top="3d", script=["Ad"])
    hand.take_turn()
    assert (hand.reason, hand.cards[0], hand.to_act) == (UNDER_WAY, ["Js"], 1)
    assert [row[0] for row in hand.table.events[1:]] == [
        layout.DECISION,
        layout.PUT,
        layout.ALONE,
        layout.DRAW,
        layout.KAPAGA,
    ]


@pytest.mark.parametrize(
    ("scored", "after", "outcome"),
    [(50, 0, layout.RESETS), (55, 2005, layout.LEAVES), (49, 1999, layout.STAYS)],
)
def test_example_7(scored: int, after: int, outcome: int) -> None:
    standing, table = Standing(resolve(players=3)), ScriptedTable()
    standing.scores = [1950, 10, 20]
    standing.score(table, [scored, 0, 0], [0, 0, 0])
    assert (standing.scores, standing.resets) == ([after, 10, 20], int(outcome == layout.RESETS))
    assert table.events[0] == event(layout.SCORE, 0, scored, 0, 1950 + scored, outcome)
    assert standing.seats == ([1, 2] if outcome == layout.LEAVES else [0, 1, 2])


@pytest.mark.parametrize(
    ("players", "sevens", "next_to_act"),
    [(2, 2, 0), (2, 1, 0), (2, 3, 0), (3, 1, 2), (3, 2, 0), (3, 3, 2), (4, 3, 0), (4, 4, 2), (10, 2, 3)],
)
def test_example_8(players: int, sevens: int, next_to_act: int) -> None:
    cards = ["7d", "7h", "7s", "7c"][:sevens]
    hand = position(" ".join([*cards, "3d"]), *["3h"] * (players - 1), top="4d", script=cards)
    hand.take_turn()
    assert hand.to_act == next_to_act
    assert told(hand, layout.SKIPPED) == [event(layout.SKIPPED, 0, sevens, next_to_act)]


# Each rule


@pytest.mark.parametrize("packs", [1, 3])
def test_K1_packs(packs: int) -> None:
    table = RecordingTable(random.Random(1))
    hand = Hand(resolve(packs=packs), table)
    hand.deal()
    cards = Counter(table.stock + [card for held in hand.cards for card in held])
    assert cards == dict.fromkeys(KIND_NUMBERS, packs)
    assert cards.total() == 53 * packs
    assert set(RANK_OF.values()) == set(layout.RANK_NAMES)


@pytest.mark.parametrize(("seats", "size"), [([0, 1, 2, 3], 5), ([1, 2, 3], 5), ([0, 3], 7)])
def test_K2_deal(seats: list[int], size: int) -> None:
    table = RecordingTable(random.Random(1))
    hand = Hand(resolve(), table, seats, dealer=seats[1])
    hand.deal()
    order = [*seats[2:], *seats[:2]]
    assert [row[1] for row in table.events] == order * size
    assert [len(cards) for cards in hand.cards] == [size * (seat in seats) for seat in range(4)]
    assert hand.record["starter"] == order[0]


def test_K2_hands_must_fit() -> None:
    with pytest.raises(ValueError, match="K2: 61 cards"):
        resolve(players=10, hand_size=6)
    assert resolve(players=10, hand_size=10, packs=2)["points"] == POINTS
    assert resolve(players=2, hand_size=10)["hand_size_two"] == 7
    with pytest.raises(ValueError, match="colour, Q♥"):
        resolve(colour="red", points={"Q♥": 13})


def test_K3_a_plain_card_is_turned_up() -> None:
    hand = opened("4d", "3c 3d", "3h 3s", "6c 4h")
    assert (hand.discards, hand.to_act, hand.record["turns"], hand.record["plays"]) == (["4d"], 0, 0, {})
    assert hand.table.events == [event(layout.TURN_UP, 2, "4d")]


def test_K3_the_dealer_calls() -> None:
    hand = opened("8d", "3c 3d", "3h 3s", "6c 8h", script=["J"])
    assert (hand.call, hand.cards[2], hand.to_act) == ("J", ["6c", "8h"], 0)
    assert hand.table.events[1:] == [
        event(layout.DECISION, 2, layout.DECIDE_CALL, 16),
        event(layout.CALL, 2, CALL_NUMBERS["J"]),
    ]


def test_K3_the_dealer_plays_along_and_adds() -> None:
    hand = opened("Ad", "3c 3d", "3h 3s", "Kd Kc Ah 6d", script=["Kd", "Kc"])
    assert hand.table.offered == [["Kd", "6d", ALONE], ["Kc", STOP]]
    assert (hand.discards, hand.cards[2], hand.to_act) == (["Ad", "Kd", "Kc"], ["Ah", "6d"], 0)
    assert (hand.record["plays"], hand.record["turns"]) == ({"K": 2}, 0)


def test_K3_the_dealer_draws_for_an_ace() -> None:
    hand = opened("Ad", "3c 3d", "3h 3s", "Kc 6c")
    assert (hand.cards[2], hand.record["drawn_effect"]) == (["Kc", "6c", "Js"], 1)
    assert [row[0] for row in hand.table.events] == [layout.TURN_UP, layout.ALONE, layout.DRAW]


def test_K3_the_dealer_follows_a_joker() -> None:
    hand = opened(JOKER, "3c 3d", "3h 3s", "Kc 7c 7d", script=["7c", "7d"])
    assert hand.table.offered == [["Kc", "7c", "7d"], ["7d", STOP]]
    assert [len(cards) for cards in hand.cards] == [3, 3, 1]
    assert hand.to_act == 2
    assert told(hand, layout.KAPAGA) == [event(layout.KAPAGA, 2, layout.CALLED)]


@pytest.mark.parametrize(
    ("turned", "attack", "only_spades", "first"),
    [("2s", 2, False, 0), ("5s", 5, True, 0), ("7c", 0, False, 1)],
)
def test_K3_the_next_player_faces_it(turned: str, attack: int, only_spades: bool, first: int) -> None:
    hand = opened(turned, "3c 3d", "3h 3s", "2c 7d")
    assert (hand.attack, hand.only_spades, hand.to_act) == (attack, only_spades, first)
    assert hand.table.offered == []
    assert hand.record["largest_attack"] == attack


@pytest.mark.parametrize(("turned", "passed"), [("9d", [2, 0, 1]), ("5c", [1, 2, 0])])
def test_K3_hands_are_passed(turned: str, passed: list[int]) -> None:
    hand = opened(turned, "3c 3d", "3h 3s", "6c 6d")
    before = [["3c", "3d"], ["3h", "3s"], ["6c", "6d"]]
    assert hand.cards == [before[seat] for seat in passed]
    assert hand.record["passes_left"] + hand.record["passes_right"] == 1


def test_K3_a_dealer_can_be_out_at_once() -> None:
    hand = opened("Ad", "3c", "3h", "8d", script=["8d", "hearts"], hand_size=1)
    assert (hand.reason, hand.winner) == (layout.WON, 2)
    assert (hand.record["turns"], hand.record["lead_changes"]) == (0, 0)


def test_K4_nobody_has_to_put() -> None:
    hand = position("4d 4h", "3h", stock="Kd", script=[DRAW])
    hand.take_turn()
    assert hand.table.offered == [["4d", "4h", DRAW]]
    assert (hand.cards[0], hand.to_act, hand.record["drawn_choice"]) == (["4d", "4h", "Kd"], 1, 1)
    assert hand.table.events[-1] == event(layout.DRAW, 0, "Kd", layout.BY_CHOICE)


def test_K4_a_drawn_card_may_be_put() -> None:
    hand = position("6d 4h", "3h", stock="6c", script=[DRAW, "6c", "6d"])
    hand.take_turn()
    assert hand.table.offered == [["4h", DRAW], ["6c", KEEP], ["6d", STOP]]
    assert hand.cards[0] == ["4h"]
    assert told(hand, layout.PUT) == [event(layout.PUT, 0, "6c", 1, 1), event(layout.PUT, 0, "6d", 2, 0)]

    hand = position("6d 4h", "3h", stock="6c", script=[DRAW, KEEP])
    hand.take_turn()
    assert hand.cards[0] == ["6d", "4h", "6c"]
    assert hand.table.events[-1] == event(layout.KEEP, 0)
    assert hand.discards == ["4c"]


def test_K4_several_may_be_drawn() -> None:
    hand = position("Kd", "3h", stock="Qd 6c 8c 6c Jd", draw_count=4, packs=2, script=[DRAW, "6c", STOP])
    hand.take_turn()
    assert hand.table.offered[1:] == [["6c", "8c", KEEP], ["6c", STOP]]
    assert hand.record["drawn_choice"] == 4
    assert Counter(hand.cards[0]) == Counter(["Kd", "Jd", "6c", "8c"])


def test_K4_with_no_card_to_draw_one_passes() -> None:
    hand = position("4d Kd", "3h", stock="", script=[PASS])
    hand.take_turn()
    assert hand.table.offered == [["4d", PASS]]
    assert hand.table.events[-1] == event(layout.PASS, 0)
    assert hand.to_act == 1
    hand = position("Kd", "3h", draw_count=0, script=[PASS])
    hand.take_turn()
    assert (hand.table.offered, hand.record["forced"]) == ([[PASS]], 1)


@pytest.mark.parametrize(
    ("top", "call", "cards", "fit"),
    [
        ("10h", None, "10c 9h Kd Ah As", "10c 9h Ah"),
        ("Ah", None, "Ad As 2h Kd", "2h"),
        ("8h", "spades", "8h 3s As Ah 2h Joker 8s", "8h 3s As Joker 8s"),
        ("8h", "A", "As Ah 2h Ks", "As Ah"),
        ("8h", "10", "10s Jh 10h", "10s 10h"),
        ("2h", None, "8c Joker 2c 3d 3h", "8c Joker 2c 3h"),
    ],
)
def test_K5_what_fits(top: str, call: str | None, cards: str, fit: str) -> None:
    assert [card for card in cards.split() if card in cards_that_fit(top, call)] == fit.split()


def test_K5_two_copies_are_one_choice() -> None:
    hand = position("4d 4d 3c 3c", "3h", packs=2, script=["3c", STOP])
    hand.take_turn()
    assert hand.table.offered == [["4d", "3c", DRAW], ["3c", STOP]]


def test_K6_more_cards_of_a_rank() -> None:
    hand = position("3c 3d 3h 3s Kd", "6h", script=["3c", "3s", "3d", STOP])
    hand.take_turn()
    assert hand.table.offered[1:] == [["3d", "3h", "3s", STOP], ["3d", "3h", STOP], ["3h", STOP]]
    assert hand.discards == ["4c", "3c", "3s", "3d"]
    assert [row[2:4] for row in told(hand, layout.PUT)] == [
        (KIND_NUMBERS["3c"], 1),
        (KIND_NUMBERS["3s"], 2),
        (KIND_NUMBERS["3d"], 3),
    ]
    assert hand.table.events[-1] == event(layout.STOP, 0)
    hand = position("3c 3d", "6h", script=["3c"], multi_play=False)
    hand.take_turn()
    assert hand.cards[0] == ["3d"]


def test_K6_aces_and_jokers_are_not_added() -> None:
    hand = position("Ac Ad", "6h", script=["Ac"])
    hand.take_turn()
    assert hand.table.offered == [["Ac", DRAW]]
    hand = position("Joker Joker 3d 3h", "6h", packs=2, script=[JOKER, "3d", STOP])
    hand.take_turn()
    assert hand.table.offered[1:] == [[JOKER, "3d", "3h"], ["3h", STOP]]


def test_K7_the_stock_is_turned_over_at_a_price() -> None:
    hand = position("Kd", "3h", top="9h 10h Jh 4c", stock="", script=[DRAW])
    hand.take_turn()
    codes = [row[0] for row in hand.table.events]
    assert codes[2:6] == [layout.CHOOSE_DRAW, layout.RESHUFFLE, layout.PENALTY, layout.DRAW]
    assert told(hand, layout.RESHUFFLE, layout.PENALTY) == [
        event(layout.RESHUFFLE, 0, 3),
        event(layout.PENALTY, 0, 10, layout.FOR_TURNOVER),
    ]
    assert (hand.discards, len(hand.table.stock), hand.charged) == (["4c"], 2, [10, 0])
    record = hand.record
    assert (record["reshuffles"], record["penalties"], record["penalty_points"]) == (1, 1, 10)


def test_K7_who_needs_the_card_is_charged() -> None:
    hand = position("Joker 3d 4d", "3h", "3c", top="9h 10h 4c", stock="Qd", script=[JOKER, "3d"])
    hand.take_turn()
    assert hand.charged == [0, 0, 10]
    assert hand.discards == [JOKER, "3d"]


def test_K7_nothing_to_draw_costs_nothing() -> None:
    hand = position("Kd", "3h", "4h", stock="Qd", draw_count=3, script=[DRAW])
    hand.take_turn()
    assert hand.table.events[-1] == event(layout.NOTHING_TO_DRAW, 0)
    assert (hand.cards[0], hand.record["penalties"]) == (["Kd", "Qd"], 0)
    hand = position("Joker 3d 4d", "3h", "3c", top="4c", stock="", script=[JOKER, "3d"])
    hand.take_turn()
    # The four of clubs is under the Joker; after it there is nothing for seat 2.
    assert hand.cards[1:] == [["3h", "4c"], ["3c"]]
    assert (hand.charged, told(hand, layout.NOTHING_TO_DRAW)) == (
        [0, 10, 0],
        [event(layout.NOTHING_TO_DRAW, 2)],
    )


@pytest.mark.parametrize(
    ("forget", "catch", "outcome", "held"),
    [(0, 1, layout.CALLED, 1), (1, 1, layout.CAUGHT, 2), (1, 0, layout.FORGOT, 1)],
)
def test_K8_kapaga(forget: float, catch: float, outcome: int, held: int) -> None:
    hand = position("4d Kd", "3h", script=["4d"], forget_rate=forget, catch_rate=catch)
    hand.take_turn()
    assert told(hand, layout.KAPAGA) == [event(layout.KAPAGA, 0, outcome)]
    assert len(hand.cards[0]) == held
    assert (hand.record["drawn_caught"], hand.record["drawn_effect"]) == (held - 1, 0)


def test_K8_is_before_hands_are_passed() -> None:
    hand = position("9c Kd", "3h 3d", script=["9c"], forget_rate=1)
    hand.take_turn()
    assert hand.cards == [["3h", "3d"], ["Kd", "Js"]]
    # Nobody calls who has one card from another, or by not putting.
    hand = position("9c Kd Kh", "3h", script=["9c"])
    hand.take_turn()
    assert not told(hand, layout.KAPAGA)
    # After an Ace's draw, and for the opening.
    hand = position("Ac Kd", "3h", script=["Ac"])
    hand.take_turn()
    assert not told(hand, layout.KAPAGA)
    assert told(opened("4d", "3c", "3h", hand_size_two=1), layout.KAPAGA) == [event(layout.KAPAGA, 1)]


def test_K9_the_hand_ends_when_a_player_is_out() -> None:
    hand = position("4d", "3h", script=["4d"])
    hand.take_turn()
    record = hand.finish()
    assert (record["winner"], record["winners"], record["blocked"], record["truncated"]) == (0, 1, 0, 0)
    assert hand.table.events[-1] == event(layout.HAND_END, 0, layout.WON, 1)
    # So it does with a last Ace that need not draw.
    hand = position("Ac", "3h", script=["Ac"], ace_alone_draws=False)
    hand.take_turn()
    assert (hand.reason, hand.winner) == (layout.WON, 0)


@pytest.mark.parametrize("card", ["3c", "6c", "10c", "Jc", "Qc", "Kc", "5h", "5d"])
def test_K10_plain_cards(card: str) -> None:
    top = "4" + card[-1]
    hand = position(f"{card} 3d 6s", "3h 6h", "3s 6d", top=top, script=[card, STOP])
    hand.take_turn()
    assert hand.to_act == 1
    assert [len(cards) for cards in hand.cards] == [2, 2, 2]
    assert not told(hand, layout.ATTACKED, layout.SKIPPED, layout.PASS_HANDS, layout.CALL, layout.DRAW)


def test_K11_ace() -> None:
    hand = position("Ac 9d Kc 8c Joker Ad 5c", "3h", script=["Ac", "Kc"])
    hand.take_turn()
    assert hand.table.offered == [["Ac", "Kc", "8c", JOKER, "5c", DRAW], ["Kc", "8c", "5c", ALONE]]
    assert (hand.discards, hand.record["drawn_effect"]) == (["4c", "Ac", "Kc"], 0)


def test_K11_the_card_along_has_its_effects_and_may_be_added_to() -> None:
    hand = position("Ah 7h 7d 3d", "3h", "3c", top="4h", script=["Ah", "7h", "7d"])
    hand.take_turn()
    assert told(hand, layout.SKIPPED) == [event(layout.SKIPPED, 0, 2, 0)]
    assert hand.to_act == 0


def test_K11_never_another_ace() -> None:
    hand = position("Ac Ac Ad Kd", "3h", packs=2, script=["Ac"])
    hand.take_turn()
    assert hand.table.offered == [["Ac", DRAW]]
    assert hand.cards[0] == ["Ac", "Ad", "Kd", "Js"]


def test_K11_alone_by_choice() -> None:
    hand = position("Ac Kc", "3h", stock="8c", script=["Ac", ALONE], draw_count=4)
    hand.take_turn()
    assert (hand.cards[0], hand.to_act) == (["Kc", "8c"], 1)
    assert told(hand, layout.DRAW) == [event(layout.DRAW, 0, "8c", layout.BY_EFFECT)]
    hand = position("Ac Kd Ks", "3h", script=["Ac"], ace_alone_draws=False)
    hand.take_turn()
    assert hand.cards[0] == ["Kd", "Ks"]
    assert hand.table.events[-1] == event(layout.ALONE, 0)


def test_K11_a_drawn_ace_may_be_played_along() -> None:
    hand = position("9c 3d 3h", "3s", stock="Ac", top="4c", script=[DRAW, "Ac", "9c"])
    hand.take_turn()
    assert hand.discards == ["4c", "Ac", "9c"]
    assert hand.record["passes_left"] == 1


def test_K12_only_a_2_answers() -> None:
    hand = position("2c 3d", "8c Joker 3c 2h 2h", top="4c", packs=2, script=["2c", TAKE])
    hand.take_turn()
    assert hand.attack == 2
    hand.take_turn()
    assert hand.table.offered[1] == ["2h", TAKE]
    assert (hand.attack, len(hand.cards[1]), hand.to_act) == (0, 7, 0)
    assert told(hand, layout.TAKE) == [event(layout.TAKE, 1, 2)]
    assert hand.record["drawn_attack"] == 2


def test_K12_one_takes_what_there_is() -> None:
    hand = position("5s 3d", "3c", top="4s", stock="Kd", script=["5s", TAKE], five_count=10)
    play_turns(hand, 2)
    assert hand.cards[1] == ["3c", "Kd", "4s"]
    assert (hand.charged, hand.idle) == ([0, 10], 0)
    assert hand.table.events[-1] == event(layout.NOTHING_TO_DRAW, 1)


def test_K12_one_2_only_without_multi_play() -> None:
    hand = position("2c 3d", "2h 2s 4d", "3h", multi_play=False, script=["2c", "2h", TAKE])
    play_turns(hand, 3)
    assert hand.record["largest_attack"] == 4


def test_K12_the_largest_attack_is_kept() -> None:
    script = ["5s", TAKE, DRAW, DRAW, "2h", TAKE]
    stock = "Kd Kh Qd Qh Jd Jh 10d 10h 9d"
    hand = position("5s 2h 3d 3s", "6h", top="4s", stock=stock, script=script)
    play_turns(hand, 4)
    hand.discards = ["4h"]
    play_turns(hand, 2)
    assert [row[2] for row in told(hand, layout.ATTACKED)] == [5, 2]
    assert hand.record["largest_attack"] == 5


def test_K13_five_of_spades() -> None:
    hand = position("5s 3d", "2h 2s 8c Joker", "2d 6d", top="4s", script=["5s", "2s", STOP, "2d"])
    play_turns(hand, 3)
    assert hand.table.offered[1:] == [["2s", TAKE], ["2h", STOP], ["2d", TAKE]]
    assert [row[2:5] for row in told(hand, layout.ATTACKED)] == [(5, 1, 1), (7, 2, 0), (9, 0, 0)]
    # Another five on top of it changes nothing; a second five of spades does.
    hand = position("5s 5s 5h 3d", "2h 3h", packs=2, top="4s", script=["5s", "5s", "5h", TAKE])
    play_turns(hand, 2)
    assert hand.table.offered[-1] == [TAKE]
    assert told(hand, layout.ATTACKED) == [event(layout.ATTACKED, 0, 10, 1, 1)]
    assert cards_that_fit(hand.discards[-1]) >= {"3h", "5d"}


@pytest.mark.parametrize(("two", "five", "attacks"), [(0, 5, [5, 5]), (2, 0, [2]), (0, 0, [])])
def test_K13_no_cards_no_attack(two: int, five: int, attacks: list[int]) -> None:
    script = ["5s", "2s", TAKE] if attacks else ["5s", "2s", DRAW]
    hand = position("5s 3d 3h", "2s 3d 3c", "6d", top="4s", two_count=two, five_count=five, script=script)
    play_turns(hand, 2)
    assert [row[2] for row in told(hand, layout.ATTACKED)] == attacks
    assert hand.record["largest_attack"] == max(attacks, default=0)


def test_K14_five_of_clubs_passes_to_the_right() -> None:
    hand = position("5c 3d 3h", "6d 6h", "7d", top="4c", script=["5c"])
    hand.take_turn()
    assert hand.cards == [["6d", "6h"], ["7d"], ["3d", "3h"]]
    assert told(hand, layout.PASS_HANDS) == [event(layout.PASS_HANDS, 0, 0, 1)]
    hand = position("5c 5s 3d", "6d 6h", "7d", top="4c", script=["5c", "5s"])
    hand.take_turn()
    assert [row[0] for row in hand.table.events[-3:]] == [layout.KAPAGA, layout.PASS_HANDS, layout.ATTACKED]
    assert (hand.attack, hand.to_act, hand.record["passes_right"]) == (5, 1, 1)


def test_K14_seats_that_are_not_in_the_hand_get_no_cards() -> None:
    hand = position("5c 3d 3h", "", "6d 6h", "7d", top="4c", script=["5c"])
    hand.seats = [0, 2, 3]
    hand.take_turn()
    assert hand.cards == [["6d", "6h"], [], ["7d"], ["3d", "3h"]]
    assert hand.to_act == 2


def test_K15_a_9_passes_to_the_left() -> None:
    hand = position("9c 9d 9h 3h 3d", "6d 6h", "7d", top="4c", script=["9c", "9d", STOP])
    hand.take_turn()
    assert hand.cards == [["6d", "6h"], ["7d"], ["9h", "3h", "3d"]]
    assert hand.record["passes_left"] == 2
    hand = position("9c 9d 3h 3d", "6d 6h", top="4c", script=["9c", "9d"])
    hand.take_turn()
    assert hand.cards == [["3h", "3d"], ["6d", "6h"]]
    assert told(hand, layout.PASS_HANDS) == [event(layout.PASS_HANDS, 0, 2, 0)]


def test_K16_an_8_calls() -> None:
    hand = position("8c 8d 3d Kd", "Ah 3h As", top="4c", script=["8c", "8d", "hearts", "Ah", "3h"])
    hand.take_turn()
    assert len(hand.table.offered[2]) == 16
    assert set(CALL_NAMES) - set(hand.table.offered[2]) == {"8"}
    assert hand.call == "hearts"
    hand.take_turn()
    assert hand.table.offered[3] == ["Ah", "3h", DRAW]
    assert hand.call is None


def test_K16_a_call_stands_until_a_card_is_played() -> None:
    hand = position("8c 3d Kd", "4c 3h", top="4c", script=["8c", "J", DRAW, KEEP, DRAW], stock="Kh Jd")
    play_turns(hand, 2)
    assert hand.table.offered[2:] == [[DRAW], ["Jd", KEEP]]
    hand.take_turn()
    assert hand.call == "J"
    assert [row[5] for row in told(hand, layout.TURN)] == [
        layout.NO_CALL,
        CALL_NUMBERS["J"],
        CALL_NUMBERS["J"],
    ]


def test_K16_suits_only() -> None:
    hand = position("8c", "4c 3h", script=["8c", "spades"], call_ranks=False)
    hand.take_turn()
    assert hand.table.offered[1] == list(layout.SUIT_NAMES)
    assert hand.reason == layout.WON


def test_K17_a_7_skips() -> None:
    hand = position("7c 3d 3s", "3h", "6h", "6d", script=["7c", DRAW])
    assert play_turns(hand, 2) == [0, 2]
    # Only opponents in the hand are counted.
    hand = position("7c 7d 3d", "", "3h", "6d", script=["7c", "7d"])
    hand.seats = [0, 2, 3]
    hand.take_turn()
    assert hand.to_act == 0


def test_K18_joker() -> None:
    hand = position("Joker 2d 3h", "6h", "6d", top="4c", script=[JOKER, "2d", TAKE])
    hand.take_turn()
    assert hand.cards[1:] == [["6h", "Js"], ["6d", "Jh"]]
    assert hand.table.offered[1] == ["2d", "3h"]
    assert (hand.attack, hand.record["drawn_effect"]) == (2, 2)
    codes = [row[0] for row in hand.table.events[1:]]
    assert codes[:4] == [layout.DECISION, layout.PUT, layout.DRAW, layout.DRAW]
    assert codes[4:6] == [layout.DECISION, layout.PUT]


def test_K18_a_last_joker_goes_out() -> None:
    hand = position("Joker", "6h", script=[JOKER])
    hand.take_turn()
    assert (hand.reason, hand.cards) == (layout.WON, [[], ["6h", "Js"]])
    assert hand.record["decisions"] == 1


def test_K18_an_ace_or_a_joker_may_follow() -> None:
    script = [JOKER, JOKER, "Ah", "Kh", "Kd"]
    hand = position("Joker Joker Ah Kh Kd", "6h", packs=2, script=script)
    hand.take_turn()
    assert hand.discards == ["4c", JOKER, JOKER, "Ah", "Kh", "Kd"]
    assert (hand.reason, len(hand.cards[1])) == (layout.WON, 3)
    assert hand.table.offered[1:4] == [[JOKER, "Ah", "Kh", "Kd"], ["Ah", "Kh", "Kd"], ["Kh", ALONE]]


def test_K19_order_of_a_put() -> None:
    # The call comes even with an empty hand, and then nothing more.
    hand = position("8c", "6h", script=["8c", "K"])
    hand.take_turn()
    assert [row[0] for row in hand.table.events[3:]] == [layout.DECISION, layout.CALL]
    # Out with 2s and 7s: nobody is attacked or skipped.
    for card in ("2c", "7c", "5s", "5c", "9c"):
        hand = position(card, "6h", top="4" + card[-1], script=[card])
        hand.take_turn()
        assert hand.reason == layout.WON
        assert hand.table.events[-1][0] == layout.PUT
        record = hand.finish()
        assert (record["passes_left"], record["passes_right"], record["largest_attack"]) == (0, 0, 0)
    hand = position("8c 3d", "6h", script=["8c", "K"], forget_rate=1)
    hand.take_turn()
    assert [row[0] for row in hand.table.events[-3:]] == [layout.CALL, layout.KAPAGA, layout.DRAW]


def test_K20_points() -> None:
    options = resolve()
    costs = {card: points_of(card, options["points"]) for card in KIND_NUMBERS}
    assert {costs[card] for card in (JOKER, "8c", "8h", "5s")} == {50}
    assert {costs[card] for card in ("5c", "9d", "9s")} == {25}
    assert {costs[card] for card in ("2s", "7d")} == {20}
    assert [costs[card] for card in ("As", "10d", "Jc", "Qd", "Kh")] == [15, 10, 10, 10, 10]
    assert [costs[card] for card in ("3s", "4d", "5h", "5d", "6c")] == [3, 4, 5, 5, 6]
    # 4 each of 3, 4, 6, two fives, five of spades, of clubs, 2, 7, 8, 9, A, four tens each, the Joker.
    assert sum(costs.values()) == 4 * 13 + 10 + 50 + 25 + 8 * 20 + 4 * 50 + 4 * 25 + 60 + 160 + 50
    assert points_of("5s", resolve(points={"five of spades": 7})["points"]) == 7
    hand = position("4d", "5s 5c 5h 3d", "Joker 10h", script=["4d"])
    hand.take_turn()
    assert hand.finish()["points"] == [0, 83, 60]


def test_K21_scores() -> None:
    standing, table = Standing(resolve(players=4)), ScriptedTable()
    standing.scores = [1990, 1990, 1950, 0]
    # The player who went out, too, can be reset or eliminated by penalties.
    standing.score(table, [0, 0, 60, 30], [10, 20, 0, 0])
    assert standing.scores == [0, 2010, 2010, 30]
    assert (standing.seats, standing.resets) == ([0, 3], 1)
    assert table.events[0] == event(layout.SCORE, 0, 0, 10, 2000, layout.RESETS)
    assert standing.twice_places == [0, 7, 7, 0]
    standing.score(table, [5, 0, 0, 0], [0, 0, 0, 0])
    assert [row[1] for row in table.events[4:]] == [0, 3]

    standing = Standing(resolve(players=2, exact_reset=False))
    standing.score(table, [2000, 0], [0, 0])
    assert (standing.scores, standing.seats, standing.resets) == ([2000, 0], [0, 1], 0)


@pytest.mark.parametrize(
    ("scores", "twice_places"),
    [
        ([2001, 5, 2003, 2002], [4, 2, 8, 6]),
        ([2001, 2004, 2003, 2002], [2, 8, 6, 4]),
        ([2001, 2001, 2003, 2003], [3, 3, 7, 7]),
        ([2050, 2050, 2050, 10], [6, 6, 6, 2]),
    ],
)
def test_K22_places(scores: list[int], twice_places: list[int]) -> None:
    standing = Standing(resolve(players=4))
    standing.score(ScriptedTable(), scores, [0] * 4)
    standing.rank(standing.seats, 1)
    assert standing.twice_places == twice_places


def test_K22_the_last_player_left_wins() -> None:
    options = resolve(players=5, limit=300)
    for seed in range(8):
        table = RecordingTable(random.Random(seed))
        hands, game = run_game(options, table)
        outcomes = [(row[1], row[5]) for row in table.events if row[0] == layout.SCORE]
        gone = [seat for seat, outcome in outcomes if outcome == layout.LEAVES]
        assert len(set(gone)) == len(gone) >= 4
        assert sum(game["place"]) == 2 * 15
        if len(gone) == 4:
            assert game["winners"] == 1 << ({0, 1, 2, 3, 4} - set(gone)).pop()
            assert game["place"][game["winners"].bit_length() - 1] == 2
        assert (game["hands"], game["cut"], game["places_are"]) == (len(hands), 0, 2)


def test_K22_a_win_can_be_shared() -> None:
    # All cards cost the same and hands end at once, so that both players often go with one score.
    changes = {"players": 2, "limit": 50, "points": dict.fromkeys(POINTS, 10), "max_turns": 1}
    options = resolve(**changes)
    shared = 0
    for seed in range(60):
        table = RecordingTable(random.Random(seed))
        _, game = run_game(options, table)
        if game["winners"] == 0b11:
            shared += 1
            assert game["place"] == [3, 3]
            assert table.events[-1] == event(layout.GAME_END, -1, game["hands"], 0b11)
    assert shared


@pytest.mark.parametrize(
    ("scores", "seats", "last", "dealer"),
    [
        ([0, 0, 0, 0], [0, 1, 2, 3], 3, 0),
        ([5, 9, 9, 0], [0, 1, 2, 3], 1, 2),
        ([5, 9, 9, 0], [0, 1, 2, 3], 2, 1),
        ([5, 9, 8, 0], [0, 1, 2, 3], 1, 1),
        ([9, 2001, 9, 9], [0, 2, 3], 1, 2),
        ([9, 2001, 9, 2001], [0, 2], 3, 0),
    ],
)
def test_K23_the_highest_score_deals(scores: list[int], seats: list[int], last: int, dealer: int) -> None:
    standing = Standing(resolve(players=4))
    assert standing.dealer == 3
    standing.scores, standing.seats, standing.dealer = scores, seats, last
    standing.pass_the_deal()
    assert standing.dealer == dealer


def test_K23_seats_close_up() -> None:
    fewest = 4
    for seed in range(4):
        table = RecordingTable(random.Random(seed))
        hands, _ = run_game(resolve(players=4, limit=200), table)
        starts = [row for row in table.events if row[0] == layout.HAND]
        assert starts[0][1:6] == (3, 0, 4, 0b1111, 53)
        for record, row in zip(hands, starts, strict=True):
            inside = [seat for seat in range(4) if row[4] >> seat & 1]
            assert len(inside) == row[3]
            assert record["dealer"] == row[1]
            assert record["starter"] == inside[(inside.index(row[1]) + 1) % len(inside)]
            assert all(record["cards_left"][seat] == 0 for seat in range(4) if seat not in inside)
        fewest = min(fewest, starts[-1][3])
    assert fewest == 2


def test_K24_table_manners() -> None:
    table = RecordingTable(random.Random(1))
    hand = Hand(resolve(players=3, misdeal_rate=1, peek_rate=1, penalty_points=7), table)
    hand.deal()
    assert table.events[:4] == [
        event(layout.PENALTY, 2, 7, layout.FOR_MISDEAL),
        *(event(layout.PENALTY, seat, 7, layout.FOR_PEEK) for seat in range(3)),
    ]
    assert (hand.charged, hand.record["penalties"], hand.record["penalty_points"]) == ([7, 7, 14], 4, 28)
    standing = Standing(resolve(players=2, peek_rate=1))
    record = standing.play(RecordingTable(random.Random(1)))
    assert sum(standing.scores) == sum(record["points"]) + record["penalty_points"]


def test_K25_blocked() -> None:
    hand = position("Kd", "Kh", "Ks", stock="", script=[PASS] * 3, max_turns=3)
    play_turns(hand, 2)
    assert hand.reason == UNDER_WAY
    hand.take_turn()
    record = hand.finish()
    assert (record["winner"], record["winners"], record["blocked"], record["truncated"]) == (-1, 0, 1, 0)
    assert (record["points"], record["cards_left"]) == ([10, 10, 10], [1, 1, 1])
    assert hand.table.events[-1] == event(layout.HAND_END, -1, layout.IS_BLOCKED, 3)


def test_K25_only_seats_in_the_hand_count() -> None:
    hand = position("Kd", "", "Ks", stock="", script=[PASS] * 2)
    hand.seats = [0, 2]
    assert play_turns(hand, 2) == [0, 2]
    assert hand.reason == layout.IS_BLOCKED


def test_K25_whoever_could_have_put_does_not_block() -> None:
    hand = position("Kd", "4h", "Ks", stock="", script=[PASS] * 5)
    play_turns(hand, 2)
    assert hand.idle == 0
    play_turns(hand, 2)
    assert hand.idle == 2
    hand = position("Kd", "Kh", "Ks", stock="", script=[PASS, TAKE, PASS, PASS])
    hand.take_turn()
    hand.attack = 2
    hand.take_turn()
    assert (hand.idle, hand.attack) == (2, 0)
    hand.table.stock = ["Qd"]
    hand.table.script = [DRAW]
    hand.take_turn()
    assert hand.idle == 0


def test_K25_truncated() -> None:
    hand = position("4d 4h 4s", "3h 3d", max_turns=2, script=[DRAW, DRAW])
    play_turns(hand, 2)
    assert hand.reason == layout.IS_TRUNCATED
    assert hand.finish()["truncated"] == 1
    hand = position("4d", "3h 3d", max_turns=1, script=["4d"])
    hand.take_turn()
    assert hand.reason == layout.WON


def test_K25_a_game_may_be_cut() -> None:
    options = resolve(players=3, max_hands=2)
    for seed in range(5):
        table = RecordingTable(random.Random(seed))
        hands, game = run_game(options, table)
        scores = [0, 0, 0]
        for row in table.events:
            if row[0] == layout.SCORE:
                scores[row[1]] += row[2] + row[3]
        assert (len(hands), game["hands"], game["cut"]) == (2, 2, 1)
        assert game["winners"] == sum(1 << seat for seat in range(3) if scores[seat] == min(scores))
        for seat in range(3):
            better = sum(score < scores[seat] for score in scores)
            assert game["place"][seat] == 2 * (1 + better) + scores.count(scores[seat]) - 1


def test_leads_are_strict_and_ties_keep_the_leader() -> None:
    hand = position("3c 3d", "3h 3s")
    changes = []
    for held in ([2, 2], [1, 2], [1, 1], [2, 1], [1, 1], [1, 2], [0, 2]):
        hand.cards = [["3c"] * many for many in held]
        hand.look_at_lead()
        changes.append(hand.record["lead_changes"])
    assert changes == [0, 0, 0, 1, 1, 2, 2]


# Whole games


@pytest.mark.parametrize("name", VARIANTS)
def test_walk_keeps_the_invariants(name: str) -> None:
    options = resolve(**VARIANTS[name])
    players = options["players"]
    pack = Counter(dict.fromkeys(KIND_NUMBERS, options["packs"]))
    for seed in range(12):
        table = RecordingTable(random.Random(seed))
        hand = Hand(options, table, dealer=seed % players)
        hand.deal()
        hand.open()
        while hand.reason == UNDER_WAY:
            assert (
                Counter([card for held in hand.cards for card in held] + table.stock + hand.discards) == pack
            )
            assert all(hand.cards)
            assert (hand.call is not None) == (RANK_OF[hand.discards[-1]] == "8")
            assert hand.discards[-1] != JOKER
            hand.take_turn()
        record = hand.finish()
        assert record["turns"] <= options["max_turns"]
        assert record["forced"] <= record["decisions"] <= record["choices"]
        assert (record["winner"] >= 0) + record["blocked"] + record["truncated"] == 1
        assert [seat for seat in range(players) if not record["cards_left"][seat]] == (
            [record["winner"]] if record["winner"] >= 0 else []
        )
        held = Counter(card for cards in hand.cards for card in cards)
        assert sum(record["points"]) == sum(points_of(card, options["points"]) for card in held.elements())
        assert sum(hand.charged) == record["penalty_points"]
        # Cards dealt and drawn were played, or are still held.
        two = options["hand_size_two"] if players == 2 else options["hand_size"]
        drawn = sum(record[f"drawn_{why}"] for why in ("choice", "attack", "effect", "caught"))
        assert two * players + drawn == record["plays"].total() + sum(record["cards_left"])
        assert {metric for metric, value in record.items() if isinstance(value, int)} == SCALARS


def trace_of(
    changes: dict[str, Any], seed: int, by_game: bool
) -> tuple[list[Event], list[Record], Record | None]:
    """Return the trace of a random game or hand, and its records."""
    table = RecordingTable(random.Random(seed))
    if by_game:
        return table.events, *run_game(resolve(**changes), table)
    return table.events, [run_hand(resolve(**changes), table)], None


def test_records_name_every_column() -> None:
    hands, game = play_game(random.Random(1), resolve(limit=100))
    assert set(hands[0]) == {column.metric for column in layout.HAND_COLUMNS} - {"policy_winners"}
    assert set(game) == {column.metric for column in layout.GAME_COLUMNS} - {"policy_winners"}
    for metric in SCALARS:
        assert type(hands[0][metric]) is int


def test_variants_reach_every_event_and_end() -> None:
    events, ends, whys, outcomes = set(), set(), set(), set()
    decisions = set()
    cut = False
    for changes in VARIANTS.values():
        for seed in range(2):
            trace, _, game = trace_of(changes, seed, by_game=True)
            events |= {row[0] for row in trace}
            ends |= {row[2] for row in trace if row[0] == layout.HAND_END}
            whys |= {row[3] for row in trace if row[0] == layout.PENALTY}
            outcomes |= {row[0:1] + row[2:3] for row in trace if row[0] == layout.KAPAGA}
            outcomes |= {row[0:1] + row[5:6] for row in trace if row[0] == layout.SCORE}
            decisions |= {row[2] for row in trace if row[0] == layout.DECISION}
            cut |= bool(game["cut"])
    assert events == set(range(layout.HAND, layout.GAME_END + 1))
    assert ends == {layout.WON, layout.IS_BLOCKED, layout.IS_TRUNCATED}
    assert whys == {layout.FOR_TURNOVER, layout.FOR_MISDEAL, layout.FOR_PEEK}
    assert outcomes == {
        *((layout.KAPAGA, outcome) for outcome in (layout.CALLED, layout.FORGOT, layout.CAUGHT)),
        *((layout.SCORE, outcome) for outcome in (layout.STAYS, layout.RESETS, layout.LEAVES)),
    }
    assert decisions == set(range(1, 8))
    assert cut


# Checking traces


@pytest.mark.parametrize("by_game", [True, False])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_true_trace_gives_the_same_records(name: str, by_game: bool) -> None:
    for seed in range(2):
        events, hands, game = trace_of(VARIANTS[name], seed, by_game)
        assert check_game(events, resolve(**VARIANTS[name]), by_game) == (hands, game)


def is_accepted(events: list[Event], changes: dict[str, Any], by_game: bool) -> bool:
    """Return whether the referee finds nothing wrong with a trace."""
    try:
        check_game(events, resolve(**changes), by_game)
    except RefereeError:
        return False
    return True


CHANCES = (layout.DEAL, layout.TURN_UP, layout.DRAW)
"""Events whose card is chance: another card may be as legal."""
FREE = (*CHANCES, layout.PUT, layout.CALL)
"""Events whose field 2 is chance or choice."""


def spoilt(events: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """Yield traces that are each wrong in one way."""
    for index, row in enumerate(events):
        name = f"{index}: {row}"
        before, after = events[:index], events[index + 1 :]
        yield f"without {name}", before + after
        yield f"twice {name}", [*before, row, row, *after]
        if after and not (row[0] in CHANCES and row[:2] == after[0][:2]) and row != after[0]:
            yield f"too late {name}", [*before, after[0], row, *after[1:]]
        for field in range(EVENT_FIELDS):
            if field == 2 and row[0] in FREE:
                continue
            for change in (1, -1):
                changed = (*row[:field], row[field] + change, *row[field + 1 :])
                yield f"field {field} {change:+} of {name}", [*before, changed, *after]


def short_trace(changes: dict[str, Any], by_game: bool, needed: set[int]) -> list[Event]:
    """Return the shortest of some random traces in which the events of the given codes occur."""
    traces = (trace_of(changes, seed, by_game)[0] for seed in range(60))
    return min((trace for trace in traces if needed <= {row[0] for row in trace}), key=len)


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({}, {layout.ATTACKED, layout.SKIPPED}),
        ({"players": 3, "hand_size": 2, "forget_rate": 1, "peek_rate": 1}, {layout.KAPAGA, layout.PENALTY}),
        ({"players": 2}, {layout.ALONE, layout.STOP, layout.CALL}),
        (
            {"players": 5, "hand_size": 10, "max_turns": 12, "draw_count": 3},
            {layout.NOTHING_TO_DRAW, layout.RESHUFFLE, layout.PASS_HANDS},
        ),
        ({"players": 3, "packs": 2, "draw_count": 3, "max_turns": 15}, {layout.KEEP}),
    ],
)
def test_any_spoilt_event_is_refused(changes: dict[str, Any], needed: set[int]) -> None:
    events = short_trace(changes, False, needed)
    for wrong, trace in spoilt(events):
        assert not is_accepted(trace, changes, by_game=False), wrong


def test_a_spoilt_game_is_refused() -> None:
    changes = {"players": 3, "hand_size": 2, "hand_size_two": 2, "limit": 50, "max_turns": 8}
    for wrong, trace in spoilt(short_trace(changes, True, {layout.PLACE})):
        assert not is_accepted(trace, changes, by_game=True), wrong


# A hand written out by the rules, of two players with two cards each.
SMALL = resolve(players=2, hand_size_two=2)
WRITTEN = [
    event(layout.HAND, 1, 0, 2, 0b11, 53),
    event(layout.DEAL, 0, "8d"),
    event(layout.DEAL, 1, "2c"),
    event(layout.DEAL, 0, "2h"),
    event(layout.DEAL, 1, "5s"),
    event(layout.TURN_UP, 1, "2d"),
    event(layout.ATTACKED, 1, 2, 0, 0),
    event(layout.TURN, 0, 1, 2, "2d", layout.NO_CALL, 2),
    event(layout.DECISION, 0, layout.DECIDE_ATTACK, 2),
    event(layout.PUT, 0, "2h", 1, 0),
    event(layout.KAPAGA, 0, layout.CALLED),
    event(layout.ATTACKED, 0, 4, 1, 0),
    event(layout.TURN, 1, 2, 4, "2h", layout.NO_CALL, 2),
    event(layout.DECISION, 1, layout.DECIDE_ATTACK, 2),
    event(layout.TAKE, 1, 4),
    event(layout.DRAW, 1, "7c", layout.BY_ATTACK),
    event(layout.DRAW, 1, "Joker", layout.BY_ATTACK),
    event(layout.DRAW, 1, "Kh", layout.BY_ATTACK),
    event(layout.DRAW, 1, "Ah", layout.BY_ATTACK),
    event(layout.TURN, 0, 3, 0, "2h", layout.NO_CALL, 1),
    event(layout.DECISION, 0, layout.DECIDE_TURN, 2),
    event(layout.CHOOSE_DRAW, 0),
    event(layout.DRAW, 0, "6h", layout.BY_CHOICE),
    event(layout.DECISION, 0, layout.DECIDE_DRAWN, 2),
    event(layout.KEEP, 0),
    event(layout.TURN, 1, 4, 0, "2h", layout.NO_CALL, 6),
    event(layout.DECISION, 1, layout.DECIDE_TURN, 5),
    event(layout.PUT, 1, "Ah", 1, 0),
    event(layout.DECISION, 1, layout.DECIDE_ALONG, 2),
    event(layout.ALONE, 1),
    event(layout.DRAW, 1, "6s", layout.BY_EFFECT),
    event(layout.TURN, 0, 5, 0, "Ah", layout.NO_CALL, 2),
    event(layout.DECISION, 0, layout.DECIDE_TURN, 3),
    event(layout.PUT, 0, "8d", 1, 0),
    event(layout.DECISION, 0, layout.DECIDE_CALL, 16),
    event(layout.CALL, 0, CALL_NUMBERS["6"]),
    event(layout.KAPAGA, 0, layout.CALLED),
    event(layout.TURN, 1, 6, 0, "8d", CALL_NUMBERS["6"], 6),
    event(layout.DECISION, 1, layout.DECIDE_TURN, 3),
    event(layout.CHOOSE_DRAW, 1),
    event(layout.DRAW, 1, "3c", layout.BY_CHOICE),
    event(layout.TURN, 0, 7, 0, "8d", CALL_NUMBERS["6"], 1),
    event(layout.DECISION, 0, layout.DECIDE_TURN, 2),
    event(layout.PUT, 0, "6h", 1, 0),
    event(layout.HAND_END, 0, layout.WON, 7),
    event(layout.SCORE, 0, 0, 0, 0, layout.STAYS),
    event(layout.SCORE, 1, 159, 0, 159, layout.STAYS),
]


def test_a_written_hand_is_accepted() -> None:
    assert check_hand(WRITTEN, SMALL) == {
        "starter": 0,
        "dealer": 1,
        "winner": 0,
        "winners": 0b01,
        "turns": 7,
        "drawn_choice": 2,
        "drawn_attack": 4,
        "drawn_effect": 1,
        "drawn_caught": 0,
        "largest_attack": 4,
        "passes_left": 0,
        "passes_right": 0,
        "penalties": 0,
        "penalty_points": 0,
        "reshuffles": 0,
        "lead_changes": 0,
        "blocked": 0,
        "truncated": 0,
        "decisions": 10,
        "choices": 39,
        "forced": 0,
        "cards_left": [0, 7],
        "points": [0, 159],
        "plays": {"2": 1, "A": 1, "8": 1, "6": 1},
    }


@pytest.mark.parametrize(
    ("index", "row", "rule", "words_of_it"),
    [
        (0, event(layout.HAND, 0, 0, 2, 0b11, 53), "K23", "expected HAND"),
        (3, event(layout.DEAL, 0, "8d"), "K2", "no 8d"),
        (3, event(layout.DEAL, 1, "2h"), "K2", "seat 0"),
        (5, event(layout.TURN_UP, 0, "2d"), "K3", "seat 1"),
        (6, event(layout.ATTACKED, 1, 4, 0, 0), "K12", "cards 2"),
        (8, event(layout.DECISION, 0, layout.DECIDE_ATTACK, 1), "K12", "among 2h, take"),
        (9, event(layout.PUT, 0, "8d", 1, 0), "K12", "not among the choices: 2h, take"),
        (10, event(layout.KAPAGA, 0, layout.FORGOT), "K8", "outcome 0"),
        (18, event(layout.TURN, 0, 3, 0, "2h", layout.NO_CALL, 1), "K12", "expected DRAW"),
        (19, event(layout.TURN, 1, 3, 0, "2h", layout.NO_CALL, 1), "K3", "expected TURN"),
        (21, event(layout.PASS, 0), "K5", "pass|PASS"),
        (24, event(layout.PUT, 0, "8d", 1, 0), "K4", "not among the choices: 6h, keep"),
        (27, event(layout.PUT, 1, "7c", 1, 0), "K5", "not among the choices"),
        (29, event(layout.PUT, 1, "Joker", 2, 0), "K11", "not among the choices: Kh, alone"),
        (30, event(layout.DRAW, 1, "6s", layout.BY_CHOICE), "K11", "why 2"),
        (35, event(layout.CALL, 0, CALL_NUMBERS["8"]), "K16", "call 8"),
        (44, event(layout.TURN, 1, 8, 0, "6h", layout.NO_CALL, 7), "K9", "expected HAND_END"),
        (46, event(layout.SCORE, 1, 158, 0, 158, layout.STAYS), "K21", "points 159"),
    ],
)
def test_an_error_names_rule_and_event(index: int, row: Event, rule: str, words_of_it: str) -> None:
    trace = [*WRITTEN[:index], row, *WRITTEN[index + 1 :]]
    with pytest.raises(RefereeError, match=words_of_it) as caught:
        check_hand(trace, SMALL)
    assert (caught.value.rule, caught.value.index) == (rule, index)
    assert f"event {index} breaks {rule}" in str(caught.value)


def test_a_trace_must_end_with_its_hand() -> None:
    with pytest.raises(RefereeError, match="the trace stops"):
        check_hand(WRITTEN[:-1], SMALL)
    with pytest.raises(RefereeError, match="all is over"):
        check_hand([*WRITTEN, event(layout.GAME_END, 0, 1, 1)], SMALL)


# The values of others


def hand_samples(record: Record, players: int) -> dict[str, float]:
    """Return a hand's values under the names of the cases."""
    samples: dict[str, float] = {metric: value for metric, value in record.items() if isinstance(value, int)}
    samples |= {f"plays.{rank}": many for rank, many in record["plays"].items()}
    for seat in range(players):
        samples[f"win.seat{seat}"] = record["winner"] == seat
        samples[f"cards_left.seat{seat}"] = record["cards_left"][seat]
        samples[f"points.seat{seat}"] = record["points"][seat]
    return samples


def game_samples(record: Record, players: int) -> dict[str, float]:
    """Return a game's values under the names of the cases."""
    samples: dict[str, float] = {"hands": record["hands"], "resets": record["resets"]}
    for seat in range(players):
        samples[f"win.seat{seat}"] = (record["winners"] >> seat & 1) / record["winners"].bit_count()
        samples[f"place.seat{seat}"] = record["place"][seat] / record["places_are"]
    return samples


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of a sample and its standard error."""
    count = len(values)
    mean = sum(values) / count
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)


def played_hands(options: dict[str, Any], count: int) -> list[dict[str, float]]:
    """Return the values of random hands."""
    rng = random.Random(2000)
    return [hand_samples(play_hand(rng, options), options["players"]) for _ in range(count)]


def played_games(options: dict[str, Any], count: int) -> list[dict[str, float]]:
    """Return the values of random games."""
    rng = random.Random(2000)
    return [game_samples(play_game(rng, options)[1], options["players"]) for _ in range(count)]


@pytest.mark.skipif(not CASES.is_dir(), reason=f"the values of others are not here: no folder {CASES}")
@pytest.mark.parametrize(
    ("name", "play", "count"),
    [
        ("p2-hand", played_hands, 500),
        ("p4-hand", played_hands, 600),
        ("p10-hand", played_hands, 1000),
        ("p4-game", played_games, 36),
    ],
)
def test_random_play_agrees_with_others(
    name: str, play: Callable[[dict[str, Any], int], list[dict[str, float]]], count: int
) -> None:
    case = json.loads((CASES / f"{name}.json").read_text())
    samples = play(resolve(**case["options"]), count)
    apart = {}
    for statistic, theirs in case["stats"].items():
        mean, error = mean_and_error([sample.get(statistic, 0) for sample in samples])
        # What is too rare for a small sample has the spread that others have found.
        error = max(error, theirs["se"] * math.sqrt(case["n"] / count))
        if abs(mean - theirs["mean"]) > 4.5 * math.hypot(error, theirs["se"]):
            apart[statistic] = (mean, error, theirs)
    assert apart == {}

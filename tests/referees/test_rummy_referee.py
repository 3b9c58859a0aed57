"""Tests of the referees of 30-30 and Cap-It: examples, each rule, whole hands, and the values of others."""

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kernels.cap_it import layout as cap_it_layout
from kernels.rummy import layout
from kernels.thirty_thirty import layout as thirty_thirty_layout
from tests.referees import cap_it, rummy, thirty_thirty
from tests.referees.rummy import (
    ACE,
    ALL_MELDS,
    BUY,
    GO_DOWN,
    HOLD_BACK,
    JOKER,
    KIND_NUMBERS,
    LEAVE,
    NO_BUY,
    OWN_MELDS,
    PUSH,
    RANKS,
    RUN,
    SET,
    TAKE,
    UNDER_WAY,
    WAIT,
    WILDS,
    Hand,
    Item,
    Meld,
    Options,
    RandomTable,
    Record,
    Target,
    best_way,
    card,
    lay_way,
    lowest_seats,
    pack,
    points_of,
    read_item,
    room_for_natural,
    targets,
    wilds_allowed,
)
from tests.referees.trace import EVENT_FIELDS, Event, RefereeError

CASES = Path(__file__).parents[2].parent / "shared" / "cases"

# Options that between them reach every branch of the rules.
THIRTY_THIRTY: dict[str, dict[str, Any]] = {
    "defaults": {},
    "two players": {"players": 2, "hand": 3},
    "six players": {"players": 6, "hand": 2, "nickels_per_hand": True},
    "eight players": {"players": 8, "hand_size": 8, "contracts": [["set 3"], ["set 4"]]},
    "natural twos": {
        "players": 3,
        "natural_twos": True,
        "min_run": 3,
        "contracts": [["run 3", "set 3"], ["run 4"], ["set 3", "run 3", "set 3"]],
        "points": thirty_thirty.Referee.defaults["points"] | {"2": 1, "A": 0},
    },
    "runs, own melds": {
        "contracts": [["run 4"], ["set 3", "run 4"]],
        "layoff": "own",
        "swap_same_meld": True,
        "hand_size": 8,
    },
    "no lay-offs": {"players": 5, "layoff": "none", "contracts": [["set 3"]], "hand_size": 7},
    "the stock ends it": {"packs": 1, "stock_out": "end", "hand": 4},
    "reshuffled until it ends": {"packs": 1, "hand_size": 10, "hand": 6, "max_reshuffles": 3},
    "never reshuffled": {"packs": 1, "max_reshuffles": 0, "hand": 5},
    "melding at once": {"contract_only": False, "hand": 1, "contracts": [["set 3"], ["run 4"]]},
    "one natural": {"wild_rule": "one_natural", "hand": 5, "players": 3},
    "few wilds": {"wild_fraction": 0.3, "hand": 2, "contracts": [["set 3"], ["set 4", "run 5"]]},
    "any wilds": {
        "wild_fraction": 1.0,
        "players": 2,
        "contracts": [["run 5", "run 4"]],
        "swap_same_meld": True,
    },
    "too long": {"max_turns": 7, "hand": 2},
    "rich": {"nickels": 100, "buy_extra": 3, "buy_extra_out": 5, "packs": 2, "price": 7, "max_reshuffles": 4},
    "nothing with it": {"buy_extra": 0, "buy_extra_out": 0, "nickels": 3, "ante": 7, "players": 3},
    "no nickels": {"nickels": 0, "hand_size": 5, "contracts": [["set 3"], ["set 5"]]},
}
CAP_IT: dict[str, dict[str, Any]] = {
    "defaults": {},
    "round 2": {"hand": 2},
    "round 3, five players": {"hand": 3, "players": 5, "hand_size": 11},
    "round 5, two players": {"hand": 5, "players": 2},
    "no upcard": {"upcard": False, "players": 3, "hand": 2},
    "no push": {"push": False, "hand": 4, "packs": 1, "hand_size": 9, "stock_out": "reshuffle"},
    "no push, the stock ends it": {"push": False, "hand": 3, "packs": 1, "upcard": False},
    "odd stock": {"hand": 5, "players": 3, "hand_size": 9, "upcard": False, "packs": 1},
    "even stock": {"hand": 5, "players": 3, "hand_size": 9, "packs": 1, "stock_out": "reshuffle"},
    "half wilds, same meld": {"wild_rule": "half", "swap_same_meld": True, "hand": 2, "players": 3},
    "no natural twos": {"natural_twos": False, "hand": 5, "contracts": [["run 3"]] * 5, "players": 3},
    "same meld": {"swap_same_meld": True, "contracts": [["run 3", "run 3"], ["run 5"]], "hand_size": 9},
    "own melds": {"layoff": "own", "hand": 2, "round_share": 0.2},
    "no lay-offs": {"layoff": "none", "round_share": 0.0},
    "too long": {"max_turns": 5, "ante": 33, "round_share": 0.15, "players": 6},
    "eight players": {"players": 8, "hand_size": 5, "contracts": [["set 3"], ["run 3"], ["set 4"]]},
}
GAMES: dict[str, tuple[ModuleType, dict[str, dict[str, Any]]]] = {
    "30-30": (thirty_thirty, THIRTY_THIRTY),
    "cap-it": (cap_it, CAP_IT),
}
EVERY_VARIANT = [(game, name) for game, (_, variants) in GAMES.items() for name in variants]
COLUMNS = {"30-30": thirty_thirty_layout.HAND_COLUMNS, "cap-it": cap_it_layout.HAND_COLUMNS}


class RecordingTable(RandomTable):
    """A random table that writes the trace of what it plays.

    Parameters
    ----------
    rng : random.Random
        Where the chances come from.
    weighing : sequence of bool
        The seats that decide on going down and melding, as policies with features do.
    """

    def __init__(self, rng: random.Random, weighing: Sequence[bool] = ()) -> None:
        super().__init__(rng)
        self.events: list[Event] = []
        self.weighing = weighing

    def draw(self, rule: str, code: int, seat: int) -> str:
        name = super().draw(rule, code, seat)
        self.tell(rule, code, seat, KIND_NUMBERS[name])
        return name

    def weighs(self, seat: int, decision: int) -> bool:
        return seat < len(self.weighing) and self.weighing[seat]

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        self.tell(rule, layout.DECISION, seat, decision, len(choices))
        return super().choose(rule, decision, seat, choices)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        self.events.append(event(code, seat, *fields))


class ScriptedTable(RecordingTable):
    """A table that makes the given choices, one after the other; with none left, it is an error."""

    def __init__(self, choices: Iterable[str] = (), weighing: Sequence[bool] = ()) -> None:
        super().__init__(random.Random(0), weighing)
        self.script = list(choices)
        self.offered: list[list[str]] = []

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        self.tell(rule, layout.DECISION, seat, decision, len(choices))
        self.offered.append(list(choices))
        choice = self.script.pop(0)
        assert choice in choices
        return choice


def event(code: int, seat: int, *fields: int | str) -> Event:
    """Return an event's row; a kind may be given by its name."""
    row = (code, seat, *(KIND_NUMBERS[value] if isinstance(value, str) else value for value in fields))
    return row + (0,) * (EVENT_FIELDS - len(row))


def words(text: str) -> list[str]:
    """Return the cards named in a text."""
    return text.split()


def a_set(text: str, owner: int = 0) -> Meld:
    """Return a set on the table; its rank is that of its first card, and the other ranks are wilds."""
    names = words(text)
    rank = RANKS[names[0]]
    return Meld(owner, SET, names, [RANKS[name] != rank for name in names], rank=rank)


def a_run(text: str, suit: str, lowest: int, owner: int = 0) -> Meld:
    """Return a run on the table; a card that is not that of its place is a wild."""
    names = words(text)
    wild = [name != card(place, suit) for place, name in enumerate(names, start=lowest)]
    return Meld(owner, RUN, names, wild, suit=suit, lowest=lowest)


def position(
    game: ModuleType,
    *cards: str,
    melds: Sequence[Meld] = (),
    down: Sequence[int] = (),
    stock: str = "3c 3d 3h 3s 4c 4d 4h 4s 5c 5d",
    discards: str = "Jc",
    script: Iterable[str] = (),
    weighing: Sequence[bool] = (),
    **changes: Any,
) -> Hand:
    """Return a hand in mid-play, seat 0 to act: the cards of each seat, and a stock whose top comes last."""
    table = ScriptedTable(script, weighing)
    table.stock = words(stock)
    options = game.resolve(**{"players": len(cards), **changes})
    hand: Hand = game.Hand(options, table, options["hand"], 0, [options["nickels"]] * len(cards))
    hand.cards = [words(held) for held in cards]
    hand.discards = words(discards)
    hand.melds = list(melds)
    for seat in down:
        hand.record["down"][seat] = 1
    return hand


def told(hand: Hand, *codes: int) -> list[Event]:
    """Return the events of the given codes that a scripted hand has told of."""
    return [row for row in hand.table.events if row[0] in codes]


def down_with(
    game: ModuleType, contract: Sequence[str], cards: str, **changes: Any
) -> list[tuple[str, str]] | None:
    """Return the melds that these cards go down with: their cards, and those that are wild."""
    options = game.resolve(contracts=[contract], **changes)
    melds = best_way(options["contracts"][0], words(cards), options)
    return melds and [shown(meld) for meld in melds]


def shown(meld: Meld) -> tuple[str, str]:
    """Return the cards of a meld, and those that are wild."""
    wild = [name for name, is_wild in zip(meld.cards, meld.wild, strict=True) if is_wild]
    return " ".join(meld.cards), " ".join(wild)


# The worked examples of the two rules pages


def test_thirty_thirty_example_1() -> None:
    hand = position(thirty_thirty, "9c 9d 9h Kc Kd Joker 3c 4d 5h 6s 7c", "")
    melds = hand.way_down(0)
    assert melds is not None
    assert [shown(meld) for meld in melds] == [("Kc Kd Joker", "Joker"), ("9c 9d 9h", "")]
    hand.cards[0] = words("9c 9d 9h Kc Joker 2h 3c 4d 5h 6s 7c")
    assert hand.way_down(0) is None


def test_thirty_thirty_example_2() -> None:
    assert down_with(thirty_thirty, ["set 4"], "7c 7d Joker 2h") == [("7c 7d 2h Joker", "2h Joker")]
    assert down_with(thirty_thirty, ["set 4"], "7c Joker Joker 2h") is None


def test_thirty_thirty_example_3() -> None:
    hand = position(thirty_thirty, "5h 6h 7h 8h", "", down=[0])
    hand.meld(0)
    assert hand.melds == []
    hand = position(thirty_thirty, "5h 6h 7h", "3c", down=[0], stock="8h", discards="Kc", nickels=1)
    hand.table.script = [BUY, "Kc"]
    hand.take_turn()
    assert [shown(meld) for meld in hand.melds] == [("5h 6h 7h 8h", "")]
    assert hand.reason == layout.OUT
    assert hand.discards == ["Kc"]


def test_thirty_thirty_example_4() -> None:
    table = [a_set("Kc Kd Joker"), a_run("5h Joker 7h 8h", "h", 5)]
    hand = position(thirty_thirty, "6h 4c 4d", "", melds=table, down=[0])
    hand.meld(0)
    assert [shown(meld) for meld in hand.melds] == [("Kc Kd Joker Joker", "Joker Joker"), ("5h 6h 7h 8h", "")]
    assert hand.cards[0] == words("4c 4d")
    assert hand.record["swaps"][0] == 1
    assert hand.record["laid_off"][0] == 0
    assert told(hand, layout.SWAP, layout.LAY_OFF) == [
        event(layout.SWAP, 0, 1, "6h", 6, JOKER),
        event(layout.LAY_OFF, 0, 0, JOKER, 13, 1, 0),
    ]


def test_thirty_thirty_example_5() -> None:
    script = [NO_BUY, BUY, "3c"]
    hand = position(thirty_thirty, *["Kc 3c"] * 5, discards="Jc", script=script)
    hand.nickels[:] = [1, 0, 0, 2, 1]
    hand.discarder = 4
    hand.take_turn()
    assert hand.table.offered[:2] == [[BUY, NO_BUY]] * 2
    assert hand.cards[3] == words("Kc 3c Jc 5d 5c")
    assert hand.cards[0] == words("Kc 4s")
    assert hand.discards == ["3c"]
    assert hand.nickels == [1, 0, 0, 1, 1]
    assert hand.record["buys_out"] == [0, 0, 0, 1, 0]
    assert [row[0] for row in hand.table.events] == [
        layout.TURN,
        *[layout.DECISION, layout.NO_BUY],
        *[layout.DECISION, layout.BUY, layout.DRAW, layout.DRAW],
        layout.DRAW,
        *[layout.DECISION, layout.DISCARD],
    ]


def test_cap_it_example_1() -> None:
    cards = "8h 8c Joker 4d 5d 6d 7d Qs Ks 3h"
    assert down_with(cap_it, ["set 3", "run 4"], cards) == [("8c 8h Joker", "Joker"), ("4d 5d 6d 7d", "")]


def test_cap_it_example_2() -> None:
    table = [a_run("2h 3h 4h", "h", 2), a_run("Joker 3h 4h", "h", 2), a_set("Kc Kd Ks")]
    hand = position(cap_it, "2h 6c", "", melds=table[:1] + table[2:], down=[0])
    hand.meld(0)
    assert hand.record["swaps"] == [0, 0]
    hand = position(cap_it, "2h 6c 9s", "", melds=table[1:], down=[0])
    hand.meld(0)
    assert [shown(meld) for meld in hand.melds] == [("2h 3h 4h", ""), ("Kc Kd Ks Joker", "Joker")]
    assert hand.cards[0] == words("6c 9s")


def test_cap_it_example_3() -> None:
    hand = position(cap_it, "Kc", "Qc", discards="9c", stock="3c 4c 5c", script=[PUSH, "Kc"])
    hand.take_turn()
    assert hand.cards[1] == words("Qc 9c 5c")
    assert hand.cards[0] == ["4c"]
    assert hand.discards == ["Kc"]
    assert told(hand, layout.PUSH, layout.RECEIVE, layout.DRAW) == [
        event(layout.PUSH, 0, "9c", 1, 1),
        event(layout.RECEIVE, 1, "9c"),
        event(layout.RECEIVE, 1, "5c"),
        event(layout.DRAW, 0, "4c"),
    ]


def test_cap_it_example_4() -> None:
    table = [a_run("9d 10d Jd", "d", 9)]
    hand = position(cap_it, "Qd", "3c", melds=table, down=[0], discards="Kd", script=[TAKE])
    hand.take_turn()
    assert shown(hand.melds[0]) == ("9d 10d Jd Qd Kd", "")
    assert hand.reason == layout.OUT
    assert hand.record["laid_off"] == [2, 0]
    assert hand.table.events[-1][0] == layout.LAY_OFF
    assert hand.finish([0, 0])["winner"] == 0


def test_cap_it_example_5() -> None:
    hand = position(cap_it, "Kc", "Qc", discards="4c", stock="9s", script=[PUSH])
    hand.take_turn()
    assert hand.cards == [["Kc"], words("Qc 4c 9s")]
    assert hand.reason == layout.NO_STOCK
    assert hand.table.events[-1] == event(layout.NOTHING_TO_DRAW, 0)
    record = hand.finish([1, 2])
    assert (record["winner"], record["stock_out"], record["points"]) == (-1, 1, [10, 20])
    assert hand.table.events[-2:] == [
        event(layout.SCORE, 0, 10, 1, 11),
        event(layout.SCORE, 1, 20, 3, 22),
    ]


# Cards and melds


def test_R1_cards() -> None:
    cards = pack()
    assert len(cards) == 54
    assert len(set(cards)) == len(KIND_NUMBERS) == 53
    assert cards.count(JOKER) == 2
    assert {RANKS[name] for name in cards if name != JOKER} == set(range(2, 15))
    assert card(ACE, "s") == "As"
    for game in (thirty_thirty, cap_it):
        assert [game.resolve(players=players)["packs"] for players in (2, 4, 5, 6, 7)] == [1, 2, 3, 3, 4]
        with pytest.raises(ValueError, match="R1"):
            game.resolve(players=5, packs=1, hand_size=11)


def test_R2_a_two_is_itself_only_in_a_run_and_if_allowed() -> None:
    assert down_with(cap_it, ["run 3"], "2h 3h 4h") == [("2h 3h 4h", "")]
    assert down_with(cap_it, ["run 3"], "2h 3h 4h", natural_twos=False) == [("3h 4h 2h", "2h")]
    assert down_with(cap_it, ["run 3"], "2c 3h 4h") == [("3h 4h 2c", "2c")]
    for game in (thirty_thirty, cap_it):
        assert down_with(game, ["set 3"], "2c 2d 2h") is None
        hand = position(game, "2c 2d 2h 5c 6d", "", down=[0])
        hand.meld(0)
        assert hand.melds == []


def test_R3_sets() -> None:
    assert down_with(cap_it, ["set 3"], "9h 9h 9h") == [("9h 9h 9h", "")]
    assert down_with(cap_it, ["set 3"], "9h 9h 8h") is None
    with pytest.raises(ValueError, match="R8"):
        cap_it.resolve(contracts=[["set 2"]])


def test_R4_runs() -> None:
    assert down_with(cap_it, ["run 3"], "Qs Ks As") == [("Qs Ks As", "")]
    assert down_with(cap_it, ["run 3"], "Qs Ks Ah") is None
    assert down_with(cap_it, ["run 3"], "Ks As 2s") == [("2s Ks As", "2s")]
    assert down_with(cap_it, ["run 3"], "Ks Ks As") is None
    assert len(targets(("run", 13), cap_it.resolve())) == 4
    assert len(targets(("run", 3), cap_it.resolve())) == 4 * 11
    assert len(targets(("run", 4), thirty_thirty.resolve())) == 4 * 9
    with pytest.raises(ValueError, match="R8"):
        cap_it.resolve(contracts=[["run 14"]])
    with pytest.raises(ValueError, match="R8"):
        thirty_thirty.resolve(contracts=[["run 3"]])


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"wild_rule": "half"}, [1, 2, 2, 3, 3]),
        ({"wild_rule": "one_natural"}, [2, 3, 4, 5, 6]),
        ({"wild_rule": "half", "wild_fraction": 0.29}, [0, 1, 1, 1, 2]),
        ({"wild_rule": "half", "wild_fraction": 1.0}, [2, 3, 4, 5, 6]),
        ({"wild_rule": "half", "wild_fraction": 0.0}, [0, 0, 0, 0, 0]),
    ],
)
def test_R5_wilds_in_a_meld(changes: dict[str, Any], allowed: list[int]) -> None:
    for game in (thirty_thirty, cap_it):
        options = game.resolve(**changes)
        assert [wilds_allowed(size, options) for size in range(3, 8)] == allowed


def test_R5_a_fraction_is_as_it_is_written() -> None:
    assert math.floor(0.29 * 100) == 28
    assert wilds_allowed(100, thirty_thirty.resolve(wild_fraction=0.29)) == 29


def test_R5_a_card_laid_as_a_wild_stays_one() -> None:
    run = a_run("Joker 4h 5h", "h", 3)
    run.add("2h", 2, as_wild=True)
    assert run.wild == [True, True, False, False]
    hand = position(cap_it, "2h 3h 9c 8s", "", melds=[run, a_set("Kc Kd Ks")], down=[0])
    # The higher place first; then that of the 2 laid as a wild, which another 2 of hearts may take.
    hand.meld(0)
    assert shown(run) == ("2h 3h 4h 5h", "")
    assert shown(hand.melds[1]) == ("Kc Kd Ks Joker 2h", "Joker 2h")


def test_R6_lay_offs_on_any_meld() -> None:
    table = [a_set("Kc Kd Ks", owner=1), a_run("7h 8h 9h", "h", 7, owner=0)]
    changes = {"melds": table, "down": [0, 1]}
    hand = position(cap_it, "Kh Kc 10h 6h 4s 5s", "", **changes)
    hand.meld(0)
    assert told(hand, layout.LAY_OFF) == [
        event(layout.LAY_OFF, 0, 0, "Kc", 13, 0, 1),
        event(layout.LAY_OFF, 0, 0, "Kh", 13, 0, 1),
        event(layout.LAY_OFF, 0, 1, "10h", 10, 0, 1),
        event(layout.LAY_OFF, 0, 1, "6h", 6, 0, 1),
    ]
    assert hand.record["laid_off"] == [4, 0]
    assert hand.record["melded"] == [0, 0]


@pytest.mark.parametrize(("layoff", "left"), [("any", ""), ("own", "Kh"), ("none", "Kh 10h Joker")])
def test_R6_lay_offs_can_be_limited(layoff: str, left: str) -> None:
    table = [a_set("Kc Kd Ks", owner=1), a_run("7h 8h 9h", "h", 7, owner=0)]
    hand = position(cap_it, "Kh 10h Joker", "", melds=table, down=[0], layoff=layoff)
    hand.meld(0)
    assert hand.cards[0] == words(left)


def test_R6_place_2_is_that_of_the_2() -> None:
    changes = {"down": [0], "melds": [a_run("3h 4h 5h", "h", 3)]}
    hand = position(cap_it, "2h 2c 7s 8s", "", **changes, natural_twos=False)
    hand.meld(0)
    assert hand.cards[0] == words("2h 2c 7s 8s")
    hand = position(cap_it, "2h 2c 7s 8s", "", **changes)
    hand.meld(0)
    assert shown(hand.melds[0]) == ("2h 3h 4h 5h", "")
    assert hand.record["wilds_used"] == [0, 0]
    # Nothing goes below place 2.
    hand = position(cap_it, "2h 2c 7s 8s", "", down=[0], melds=[a_run("Joker 3h 4h", "h", 2)])
    hand.meld(0)
    assert hand.cards[0] == words("2h 2c 7s 8s")


def test_R7_swaps() -> None:
    run, other = "5h Joker 7h 2c", a_set("Kc Kd Ks")
    # The highest place first. The one freed goes on the first other meld that takes it.
    hand = position(thirty_thirty, "8h 6h 3c", "", melds=[a_run(run, "h", 5), other], down=[0])
    hand.meld(0)
    assert told(hand, layout.SWAP) == [
        event(layout.SWAP, 0, 0, "8h", 8, "2c"),
        event(layout.SWAP, 0, 0, "6h", 6, JOKER),
    ]
    assert shown(other) == ("Kc Kd Ks 2c Joker", "2c Joker")
    assert (hand.record["swaps"], hand.record["laid_off"], hand.record["wilds_used"]) == (
        [2, 0],
        [0, 0],
        [0, 0],
    )

    # No other meld takes it.
    full = a_set("Kc Kd Joker")
    full.add("Joker", 13, as_wild=True)
    hand = position(thirty_thirty, "8h 6h 3c", "", melds=[full, a_run(run, "h", 5)], down=[0])
    hand.meld(0)
    assert hand.record["swaps"] == [0, 0]
    assert shown(hand.melds[1]) == (run, "Joker 2c")


def test_R7_a_freed_wild_goes_above_a_run_else_below() -> None:
    for other, lowest, place in (("9s 10s Js Qs", 9, 13), ("Js Qs Ks As", 11, 10)):
        table = [a_run("5h Joker 7h 8h", "h", 5), a_run(other, "s", lowest)]
        hand = position(thirty_thirty, "6h 3c", "", melds=table, down=[0])
        hand.meld(0)
        assert told(hand, layout.LAY_OFF) == [event(layout.LAY_OFF, 0, 1, JOKER, place, 1, 0)]


def test_R7_a_swap_within_one_meld_can_be_allowed() -> None:
    changes = {"melds": [a_run("5h Joker 7h 8h", "h", 5)], "down": [0]}
    hand = position(thirty_thirty, "6h 3c", "", **changes)
    hand.meld(0)
    assert hand.record["swaps"] == [0, 0]
    hand = position(thirty_thirty, "6h 3c", "", **changes, swap_same_meld=True)
    hand.meld(0)
    assert shown(hand.melds[0]) == ("5h 6h 7h 8h Joker", "Joker")


# Going down


def test_R8_the_contract_is_laid_from_the_hand_alone_and_exactly() -> None:
    hand = position(cap_it, "9c 9d 9h 9s 3c", "", contracts=[["set 3"]])
    hand.lay(0)
    # The fourth nine follows as a lay-off.
    assert [row[0] for row in hand.table.events] == [
        layout.GO_DOWN,
        layout.NEW_MELD,
        *[layout.PLACE] * 3,
        layout.LAY_OFF,
    ]
    assert hand.table.events[:2] == [
        event(layout.GO_DOWN, 0, 3, 0, 2),
        event(layout.NEW_MELD, 0, 0, layout.SET, 9, 0, 3, 1),
    ]
    hand = position(cap_it, "9c 9d 3c", "", melds=[a_set("9c 9h 9s", owner=1)], contracts=[["set 3"]])
    hand.lay(0)
    assert hand.record["down"] == [0, 0]


def test_R8_in_30_30_one_more_card_is_needed() -> None:
    for game, goes_down in ((thirty_thirty, False), (cap_it, True)):
        hand = position(game, "9c 9d 9h", "", contracts=[["set 3"]])
        assert (hand.way_down(0) is not None) is goes_down


def test_R9_a_runs_come_first() -> None:
    # The only nine of hearts goes to the run, though the set is named before it.
    options = cap_it.resolve(contracts=[["set 3", "run 3"]])
    melds = lay_way(options["contracts"][0], [9, ("h", 11)], words("9c 9d 9h 10h Jh Joker"), options)
    assert melds is not None
    assert [shown(meld) for meld in melds] == [("9c 9d Joker", "Joker"), ("9h 10h Jh", "")]
    # Two runs of one suit share its cards: the first gets what there is once.
    assert down_with(cap_it, ["run 3", "run 3"], "9h 10h Jh Jh Qh Kh") == [
        ("Jh Qh Kh", ""),
        ("9h 10h Jh", ""),
    ]
    options = cap_it.resolve(contracts=[["run 3", "run 3"]])
    contract = options["contracts"][0]
    melds = lay_way(contract, [("h", 11), ("h", 12)], words("9h 10h Jh Qh 2s Joker"), options)
    assert melds is not None
    assert [shown(meld) for meld in melds] == [("9h 10h Jh", ""), ("2s Joker Qh", "2s Joker")]


def test_R9_b_sets_of_one_rank_share_it() -> None:
    kings = "Kc Kc Kd Kh Joker 2c"
    assert down_with(thirty_thirty, ["set 3", "set 3"], kings) == [
        ("Kc Kc 2c", "2c"),
        ("Kd Kh Joker", "Joker"),
    ]
    # With one natural enough, the second set is left just one.
    assert down_with(cap_it, ["set 3", "set 3"], kings) == [("Kc Kc Kd", ""), ("Kh 2c Joker", "2c Joker")]
    assert down_with(thirty_thirty, ["set 3", "set 3"], "Kc Kc Kd 2c 2d Joker") is None


def test_R9_c_wilds_are_laid_in_order() -> None:
    assert down_with(cap_it, ["set 3", "run 3"], "Joker 2s 8c 8h Kd Qd") == [
        ("8c 8h 2s", "2s"),
        ("Qd Kd Joker", "Joker"),
    ]
    assert down_with(cap_it, ["run 4", "set 3"], "4d 6d 2s 2c 2h 9h Joker") == [
        ("4d 2c 6d 2h", "2c 2h"),
        ("9h 2s Joker", "2s Joker"),
    ]
    # The 2 that stands for itself is gone.
    options = cap_it.resolve(contracts=[["run 3", "set 3"]])
    melds = lay_way(options["contracts"][0], [("d", 4), 9], words("2d 4d 2h 9h 9s Joker"), options)
    assert melds is not None
    assert [shown(meld) for meld in melds] == [("2d 2h 4d", "2h"), ("9h 9s Joker", "Joker")]


def test_R9_fewest_wilds_then_most_points_then_first() -> None:
    # Fewest wilds, though aces count more.
    assert down_with(thirty_thirty, ["set 3"], "3c 3d 3h As Ad Joker") == [("3c 3d 3h", "")]
    # Most points of naturals: the tens, not the nines.
    assert down_with(thirty_thirty, ["set 3"], "9c 9d 9h 10s 10d 10h") == [("10d 10h 10s", "")]
    # First: kings before tens; of runs clubs, then the highest.
    assert down_with(thirty_thirty, ["set 3"], "Kc Kd Kh 10s 10d 10h") == [("Kc Kd Kh", "")]
    assert down_with(cap_it, ["run 3"], "5d 6d 7d 3c 4c 5c 6c") == [("4c 5c 6c", "")]
    # A natural 2 counts its points: 15 and not 5.
    assert down_with(cap_it, ["run 3"], "2d 3d 4d 5d") == [("2d 3d 4d", "")]
    # One item after the other, in the order of the contract.
    assert down_with(thirty_thirty, ["set 3", "set 3"], "Qc Qd Qh Kc Kd Kh Jc Jd Jh") == [
        ("Kc Kd Kh", ""),
        ("Qc Qd Qh", ""),
    ]


def every_way(contract: Sequence[Item], options: Options) -> Iterator[tuple[Target, ...]]:
    """Yield every way to name the items of a contract, first those that win ties; equal items in order."""
    named = [targets(item, options) for item in contract]
    for positions in itertools.product(*(range(len(its)) for its in named)):
        pairs = itertools.combinations(zip(contract, positions, strict=True), 2)
        if all(first <= later for (item, first), (other, later) in pairs if item == other):
            yield tuple(its[position] for its, position in zip(named, positions, strict=True))


def test_R9_equal_items_are_named_in_order() -> None:
    # As the run up to the king comes first, it gets both naturals. The other way round would do.
    options = cap_it.resolve(contracts=[["run 3", "run 3"]])
    held = words("Qh Kh Joker Joker Joker Joker")
    assert lay_way(options["contracts"][0], [("h", 13), ("h", 12)], held, options) is None
    assert lay_way(options["contracts"][0], [("h", 12), ("h", 13)], held, options) is not None
    assert best_way(options["contracts"][0], held, options) is None
    # Items of other sizes are free.
    assert down_with(cap_it, ["set 4", "set 3"], "9c 9d 9h 9s Kc Kd Kh") == [
        ("9c 9d 9h 9s", ""),
        ("Kc Kd Kh", ""),
    ]


@pytest.mark.parametrize(
    ("game", "items", "changes"),
    [
        ("30-30", ["set 3", "set 3"], {}),
        ("30-30", ["set 4", "set 3"], {"wild_fraction": 0.7}),
        ("30-30", ["run 4", "set 3"], {"natural_twos": True}),
        ("cap-it", ["set 3", "run 4"], {}),
        ("cap-it", ["run 3", "run 3"], {}),
        ("cap-it", ["run 3", "run 3"], {"natural_twos": False, "wild_rule": "half"}),
        ("cap-it", ["set 3", "set 3", "set 3"], {}),
    ],
)
def test_R9_no_way_is_better(game: str, items: list[str], changes: dict[str, Any]) -> None:
    options = GAMES[game][0].resolve(contracts=[items], **changes)
    contract = options["contracts"][0]
    rng = random.Random(9)
    cards = pack() * 2 + [JOKER, "2h", "2s"] * 4
    found = Counter[bool]()
    for size in (9, 12, 16, 20):
        held = rng.sample(cards, size)
        ways = [(lay_way(contract, way, held, options), way) for way in every_way(contract, options)]
        feasible = [melds for melds, _ in ways if melds is not None]

        def worth(melds: list[Meld]) -> tuple[int, int]:
            naturals = [name for meld in melds for name in meld.naturals()]
            return len(naturals), points_of(naturals, options)

        best = best_way(contract, held, options)
        # max returns the first of those that tie.
        assert best == (max(feasible, key=worth) if feasible else None)
        found[best is not None] += 1
        for melds in feasible[:50]:
            assert not Counter(name for meld in melds for name in meld.cards) - Counter(held)
            for meld, (form, many) in zip(melds, contract, strict=True):
                check_meld(meld, options)
                assert (meld.form, len(meld.cards)) == (form, many)
    assert found[True]


def check_meld(meld: Meld, options: Options) -> None:
    """Make sure that a meld on the table is one (R2 to R5)."""
    size = len(meld.cards)
    assert len(meld.wild) == size
    assert all(name in WILDS for name, wild in zip(meld.cards, meld.wild, strict=True) if wild)
    assert meld.naturals()
    if options["wild_rule"] == "half":
        assert sum(meld.wild) <= Fraction(str(options["wild_fraction"])) * size
    if meld.form == SET:
        assert size >= 3
        assert 3 <= meld.rank <= ACE
        assert all(RANKS[name] == meld.rank for name in meld.naturals())
    else:
        assert size >= options["min_run"]
        assert (2 if options["natural_twos"] else 3) <= meld.lowest
        assert meld.lowest + size - 1 <= ACE
        for place, (name, wild) in enumerate(zip(meld.cards, meld.wild, strict=True), start=meld.lowest):
            assert wild or name == card(place, meld.suit)


# The melder


def test_melder_step_1_lays_a_new_set() -> None:
    hand = position(cap_it, "9c 9d 9h 9h Qs Qs Qd 3c 5d", "", down=[0])
    hand.meld(0)
    assert [shown(meld) for meld in hand.melds] == [("Qd Qs Qs", ""), ("9c 9d 9h 9h", "")]
    assert hand.record["melded"] == [7, 0]
    assert told(hand, layout.NEW_MELD)[1] == event(layout.NEW_MELD, 0, 1, layout.SET, 9, 0, 4, 0)
    # One card must stay in 30-30: of four only three are laid, and of three none.
    hand = position(thirty_thirty, "9c 9d 9h 9s", "", down=[0])
    hand.meld(0)
    assert (shown(hand.melds[0]), hand.cards[0]) == (("9c 9d 9h", ""), ["9s"])
    hand = position(thirty_thirty, "9c 9d 9h", "", down=[0])
    hand.meld(0)
    assert hand.melds == []


def test_melder_step_2_lays_a_new_run() -> None:
    # The first suit with a stretch; its longest one, the higher if tied.
    hand = position(cap_it, "3d 4d 5d 7d 8d 9d Jh Qh Kh Ah 6s", "", down=[0])
    hand.melder_acts(0)
    hand.melder_acts(0)
    assert [shown(meld)[0] for meld in hand.melds] == ["7d 8d 9d", "3d 4d 5d"]
    hand.meld(0)
    assert shown(hand.melds[2])[0] == "Jh Qh Kh Ah"
    hand = position(cap_it, "2d 3d 4d 6s 9s", "", down=[0])
    hand.meld(0)
    assert shown(hand.melds[0]) == ("2d 3d 4d", "")
    assert told(hand, layout.NEW_MELD) == [event(layout.NEW_MELD, 0, 0, layout.RUN, 1, 2, 3, 0)]
    hand = position(thirty_thirty, "5d 6d 7d 3s 9s", "", down=[0])
    hand.meld(0)
    assert hand.melds == []
    # All but the lowest, if it is needed to discard.
    hand = position(thirty_thirty, "5d 6d 7d 8d 9d", "", down=[0])
    hand.meld(0)
    assert shown(hand.melds[0]) == ("6d 7d 8d 9d", "")
    assert hand.cards[0] == ["5d"]


def test_melder_step_1_comes_before_2() -> None:
    hand = position(cap_it, "9c 9d 9h 10h Jh 4s", "", down=[0])
    hand.meld(0)
    assert [shown(meld)[0] for meld in hand.melds] == ["9c 9d 9h"]


def test_melder_step_3_lays_off_naturals() -> None:
    # The first meld laid comes first; of a run the upper end.
    table = [a_run("7h 8h 9h 10h", "h", 7), a_set("Jc Jd Js")]
    hand = position(thirty_thirty, "Jh 6h 3c 4d", "", melds=table, down=[0])
    hand.meld(0)
    assert [row[2:5] for row in told(hand, layout.LAY_OFF)] == [
        (0, KIND_NUMBERS["Jh"], 11),
        (0, KIND_NUMBERS["6h"], 6),
    ]
    hand = position(thirty_thirty, "Jh", "", melds=table, down=[0])
    hand.meld(0)
    assert hand.cards[0] == ["Jh"]


def test_melder_step_3_comes_before_4() -> None:
    table = [a_run("Joker 6h 7h 8h", "h", 5), a_set("Kc Kd Ks")]
    hand = position(thirty_thirty, "5h 4h 3c 9c", "", melds=table, down=[0])
    hand.meld(0)
    assert [row[0] for row in hand.table.events] == [layout.LAY_OFF, layout.SWAP, layout.LAY_OFF]
    assert shown(table[0]) == ("4h 5h 6h 7h 8h", "")


def test_melder_begins_again_after_each_action() -> None:
    # The Joker goes above the queen, and the ace can follow.
    table = [a_run("5h Joker 7h 8h", "h", 5), a_run("9s 10s Js Qs", "s", 9)]
    hand = position(thirty_thirty, "6h As 3c 4d", "", melds=table, down=[0])
    hand.meld(0)
    assert shown(table[1]) == ("9s 10s Js Qs Joker As", "Joker")
    assert hand.cards[0] == words("3c 4d")


@pytest.mark.parametrize(
    ("game", "cards", "left"),
    [
        (cap_it, "Joker 2c 9s", "9s"),
        (cap_it, "Joker 2c", ""),
        (cap_it, "Joker", ""),
        (cap_it, "2c 9s 8s", "2c 9s 8s"),
        (thirty_thirty, "2c 9s", "9s"),
        (thirty_thirty, "Joker 2c", "Joker"),
        (thirty_thirty, "Joker", "Joker"),
        # The two melds take one wild and three.
        (thirty_thirty, "2c 2d 2h 2s 9s", "9s"),
        (thirty_thirty, "2c 2d 2h 2s Joker", "Joker"),
        (thirty_thirty, "2c 2d 2h 2s Joker 9s", "2c 2d 2h 2s Joker 9s"),
        (thirty_thirty, "2c 2d 2h 2s Joker Joker", "2c 2d 2h 2s Joker Joker"),
    ],
)
def test_melder_step_5_lays_wilds_only_to_end(game: ModuleType, cards: str, left: str) -> None:
    table = [a_set("Kc Kd Joker"), a_set("Qc Qd Qs")]
    hand = position(game, cards, "", melds=table, down=[0])
    hand.meld(0)
    assert hand.cards[0] == words(left)
    laid = len(words(cards)) - len(words(left))
    assert hand.record["wilds_used"] == hand.record["laid_off"] == [laid, 0]


def test_melder_step_5_takes_2s_first_and_the_first_meld() -> None:
    table = [a_run("3h 4h 5h", "h", 3), a_set("Qc Qd Qs")]
    hand = position(cap_it, "Joker 2s 2c 9s", "", melds=table, down=[0], wild_rule="half")
    hand.meld(0)
    assert told(hand, layout.LAY_OFF) == [
        event(layout.LAY_OFF, 0, 0, "2c", 6, 1, 1),
        event(layout.LAY_OFF, 0, 0, "2s", 7, 1, 1),
        event(layout.LAY_OFF, 0, 0, JOKER, 8, 1, 1),
    ]


# Policies with switches


@pytest.mark.parametrize("game", [thirty_thirty, cap_it])
def test_R10_going_down_is_no_decision_of_random(game: ModuleType) -> None:
    cards = "9c 9d 9h 3c 4d"
    hand = position(game, cards, "", contracts=[["set 3"]])
    hand.lay(0)
    assert hand.record["down"] == [1, 0]
    assert hand.record["decisions"] == 0
    for choice, down in ((WAIT, 0), (GO_DOWN, 1)):
        script = [choice, ALL_MELDS]
        hand = position(game, cards, "", contracts=[["set 3"]], script=script, weighing=[True, False])
        hand.lay(0)
        assert hand.record["down"][0] == down
        assert hand.table.events[0] == event(layout.DECISION, 0, hand.decide_down, 2)
    hand = position(game, "9c 9d 8h 3c 4d", "", contracts=[["set 3"]], weighing=[True, False])
    hand.lay(0)
    assert hand.table.events == []


@pytest.mark.parametrize(
    ("choice", "left"), [(HOLD_BACK, "Kh Qh 3c 4d"), (OWN_MELDS, "Kh 3c 4d"), (ALL_MELDS, "3c 4d")]
)
def test_R10_melding_as_chosen(choice: str, left: str) -> None:
    table = [a_set("Kc Kd Ks", owner=1), a_set("Qc Qd Qs", owner=0)]
    changes = {"melds": table, "down": [0], "script": [choice], "weighing": [True]}
    hand = position(thirty_thirty, "Kh Qh 3c 4d", "", **changes)
    hand.lay(0)
    assert hand.cards[0] == words(left)
    assert hand.table.offered == [[HOLD_BACK, OWN_MELDS, ALL_MELDS]]
    assert (hand.record["decisions"], hand.record["choices"]) == (1, 3)
    hand = position(thirty_thirty, "3c 4d", "", layoff="own", **changes | {"script": [HOLD_BACK]})
    hand.lay(0)
    assert hand.table.offered == [[HOLD_BACK, ALL_MELDS]]


# Rounds and stock


def test_R11_the_deal_passes_to_the_left() -> None:
    for game in (thirty_thirty, cap_it):
        records, _ = game.play_game(random.Random(3), game.resolve(players=3))
        assert [record["starter"] for record in records] == [0, 1, 2, 0, 1, 2][: len(records)]
        assert [record["dealer"] for record in records] == [2, 0, 1, 2, 0, 1][: len(records)]
        assert [record["hand"] for record in records] == [1, 2, 3, 4, 5, 6][: len(records)]
        table = RecordingTable(random.Random(3))
        hand = game.Hand(game.resolve(players=3, hand_size=3), table, 2, 4)
        hand.deal()
        assert table.events[0] == event(layout.HAND, 1, 2, 0, 108, 4)
        assert [row[:2] for row in table.events[1:]] == [
            *[(layout.DEAL, 1), (layout.DEAL, 2), (layout.DEAL, 0)] * 3,
            (layout.UPCARD, 0),
        ]


def test_R12_the_stock_is_made_anew() -> None:
    script = [NO_BUY, NO_BUY, "Kc"]
    hand = position(thirty_thirty, "Kc", "Qc", stock="", discards="3c 4c 5c Jc", script=script, nickels=1)
    hand.take_turn()
    assert told(hand, layout.RESHUFFLE) == [event(layout.RESHUFFLE, 0, 3, 1)]
    assert hand.discards == words("Jc Kc")
    assert sorted(hand.table.stock + hand.cards[0]) == words("3c 4c 5c")
    assert hand.record["reshuffles"] == 1


@pytest.mark.parametrize("changes", [{"stock_out": "end"}, {"max_reshuffles": 1}, {"discards": "Jc"}])
def test_R12_the_hand_ends(changes: dict[str, Any]) -> None:
    hand = position(
        thirty_thirty, "Kc", "Qc", **{"stock": "", "discards": "3c 4c Jc", "nickels": 0, **changes}
    )
    hand.record["reshuffles"] = 1
    hand.take_turn()
    assert hand.table.events[-1] == event(layout.NOTHING_TO_DRAW, 0)
    assert hand.reason == layout.NO_STOCK
    record = hand.finish([0, 0])
    assert (record["winner"], record["winners"], record["stock_out"], record["someone_out"]) == (-1, 0, 1, 0)
    assert record["points"] == [10, 10]


def test_R12_what_was_bought_stays() -> None:
    hand = position(thirty_thirty, "Kc", "Qc", stock="9c", discards="Jc", script=[NO_BUY, BUY], nickels=1)
    hand.take_turn()
    assert hand.cards == [["Kc"], words("Qc Jc 9c")]
    assert hand.nickels == [1, 0]
    assert hand.table.events[-1] == event(layout.NOTHING_TO_DRAW, 1)
    assert hand.finish([0, 0])["points"] == [10, 25]


def test_R12_a_reshuffle_leaves_the_card_under_the_one_bought() -> None:
    hand = position(
        thirty_thirty, "Kc", "Qc", stock="", discards="3c 4c 5c Jc", script=[BUY, "Kc"], nickels=1
    )
    hand.take_turn()
    assert hand.discards == words("5c Kc")
    assert hand.cards[0][0] == "Jc"
    assert sorted([*hand.cards[0][1:], *hand.table.stock]) == words("3c 4c")


def test_R13_a_hand_is_cut_off() -> None:
    hand = position(thirty_thirty, "Kc", "Qc 3c", nickels=0, max_turns=1, script=["Kc"])
    hand.take_turn()
    record = hand.finish([0, 0])
    assert (record["truncated"], record["stock_out"], record["someone_out"]) == (1, 0, 0)
    assert hand.table.events[-3] == event(layout.HAND_END, -1, layout.TOO_LONG, 1)
    # Going out on the last turn counts.
    hand = position(cap_it, "Kc", "Qc", melds=[a_set("Kd Ks Kh")], down=[0], max_turns=1, script=[TAKE, "Jc"])
    hand.take_turn()
    assert hand.reason == layout.OUT


@pytest.mark.parametrize(("game", "points"), [(thirty_thirty, [0, 215]), (cap_it, [0, 145])])
def test_R14_points_T3_P10(game: ModuleType, points: list[int]) -> None:
    held = "Joker 2c Ac 10c Jc Qc Kc 9c 8c 7c 6c 5c 4c 3c Joker"
    hand = position(game, "", held)
    hand.reason = layout.OUT
    record = hand.finish([3, 4])
    assert record["points"] == points
    assert record["wilds_left"] == [0, 3]
    assert record["cards_left"] == [0, 15]
    assert hand.table.events[-1] == event(layout.SCORE, 1, points[1], 15, points[1] + 4)
    assert points_of(["Ac"], game.resolve(points={"A": 3})) == 3
    assert points_of(["Kc"], game.resolve(points={"A": 3})) == 10


@pytest.mark.parametrize("game", [thirty_thirty, cap_it])
def test_R14_the_lowest_total_wins(game: ModuleType) -> None:
    rng = random.Random(14)
    for _ in range(3):
        records, result = game.play_game(rng, game.resolve(hand_size=3, contracts=[["set 3"], ["set 3"]]))
        totals = [sum(points) for points in zip(*(record["points"] for record in records), strict=True)]
        assert result["score"] == totals
        assert result["winners"] == sum(1 << seat for seat in lowest_seats(totals))


# 30-30


def read_contracts(text: str) -> list[list[Item]]:
    """Return contracts from a text, as in "set 3, set 3; run 4"."""
    return [[read_item(item) for item in contract.split(", ")] for contract in text.split("; ")]


def test_T1_T2_T4_T5_defaults() -> None:
    options = thirty_thirty.resolve()
    assert [options[name] for name in ("players", "packs", "ante", "nickels", "price", "hand_size")] == [
        *[4, 2, 30, 6, 5, 11]
    ]
    contracts = "set 3, set 3; set 4; set 4, set 4; set 5; set 5, set 5; set 6"
    assert options["contracts"] == read_contracts(contracts)


def test_T2_nickels_are_for_the_whole_game() -> None:
    for per_hand in (False, True):
        table = RecordingTable(random.Random(2))
        records, game = thirty_thirty.run_game(thirty_thirty.resolve(nickels_per_hand=per_hand), table)
        turns = [row for row in table.events if row[0] == layout.TURN and row[2] == 1]
        for (before, record), turn in zip(itertools.pairwise(records), turns[1:], strict=True):
            starter = record["starter"]
            assert turn[5] == (6 if per_hand else before["nickels"][starter])
        paid = sum(sum(record["buys"]) + sum(record["buys_out"]) for record in records)
        assert game["pot"] == 120 + 5 * paid
        assert sum(game["money"]) == game["pot"] * game["parts_of_a_cent"]
        if not per_hand:
            assert paid == 24 - sum(records[-1]["nickels"])


def test_T6_buying_in_turn() -> None:
    hand = position(thirty_thirty, "Kc", "Qc", stock="3c 4c", discards="5c Jc", script=[BUY, "Jc"], nickels=2)
    hand.take_turn()
    assert hand.cards[0] == words("Kc 4c")
    assert hand.discards == words("5c Jc")
    assert hand.nickels == [1, 2]
    assert (hand.record["buys"], hand.record["buys_out"]) == ([1, 0], [0, 0])
    assert hand.table.offered == [[BUY, NO_BUY], words("Kc Jc 4c")]
    assert told(hand, layout.BUY) == [event(layout.BUY, 0, "Jc", 1, 1)]


def test_T7_who_may_buy() -> None:
    # The turned-up card: all.
    hand = position(thirty_thirty, *["Kc 3c"] * 4, script=[*[NO_BUY] * 4, "Kc"])
    hand.take_turn()
    asked = [row[1:3] for row in told(hand, layout.DECISION)]
    assert asked == [(0, 1), (1, 2), (2, 2), (3, 2), (0, 5)]
    # From now on, not the one who discarded it.
    hand.table.script = [*[NO_BUY] * 3, "Kc"]
    hand.table.events.clear()
    hand.take_turn()
    assert [row[1:3] for row in told(hand, layout.DECISION)] == [(1, 1), (2, 2), (3, 2), (1, 5)]


def test_T7_the_buyer_does_nothing_else() -> None:
    script = [NO_BUY, BUY, "Kc"]
    hand = position(thirty_thirty, "Kc", "9c 9d 9h 8h", contracts=[["set 3"]], script=script)
    hand.take_turn()
    assert hand.cards[1] == words("9c 9d 9h 8h Jc 5d 5c")
    assert hand.record["down"] == [0, 0]
    assert hand.cards[0] == ["4s"]


def test_T8_one_card_without_a_nickel() -> None:
    hand = position(thirty_thirty, "Kc", "Qc", nickels=0, script=["Kc"])
    hand.take_turn()
    assert hand.cards[0] == ["5d"]
    assert [row[0] for row in hand.table.events] == [
        layout.TURN,
        layout.DRAW,
        layout.DECISION,
        layout.DISCARD,
    ]


def test_T9_nothing_but_the_contract_on_that_turn() -> None:
    cards = "9c 9d 9h 9s Kc Kd Kh Ks 3c"
    changes = {"contracts": [["set 3"]], "nickels": 0, "stock": "4s 6h 8d"}
    hand = position(thirty_thirty, cards, "Qc", script=["3c", "Qc", "8d"], **changes)
    hand.take_turn()
    assert [shown(meld) for meld in hand.melds] == [("Kc Kd Kh", "")]
    assert hand.record["turn_down_if_down"] == [1, 0]
    hand.to_act = 0
    hand.table.script = ["8d"]
    hand.take_turn()
    assert [shown(meld)[0] for meld in hand.melds] == ["Kc Kd Kh Ks", "9c 9d 9h 9s"]
    hand = position(thirty_thirty, cards, "Qc", script=["3c"], **changes, contract_only=False)
    hand.take_turn()
    assert [shown(meld)[0] for meld in hand.melds] == ["Kc Kd Kh Ks", "9c 9d 9h 9s"]


def test_T9_going_out_needs_a_discard() -> None:
    hand = position(
        thirty_thirty, "9c 9d 9h", "Qc", contracts=[["set 3"]], nickels=0, stock="4s", script=["4s"]
    )
    hand.take_turn()
    assert (hand.reason, hand.discards) == (layout.OUT, words("Jc 4s"))
    assert hand.finish([0, 0])["winner"] == 0


def test_T10_half_of_a_meld_may_be_wild() -> None:
    options = thirty_thirty.resolve()
    assert [wilds_allowed(size, options) for size in (3, 4, 5, 6)] == [1, 2, 2, 3]


@pytest.mark.parametrize("game", [thirty_thirty, cap_it])
def test_T11_P11_equal_scores_share(game: ModuleType) -> None:
    # All points are 0, so everybody shares everything.
    points = dict.fromkeys(["Joker", *(name for name in layout.RANK_NAMES if name)], 0)
    table = RecordingTable(random.Random(11))
    records, result = game.run_game(game.resolve(players=3, points=points), table)
    assert result["winners"] == 0b111
    assert result["parts_of_a_cent"] == 6
    whole = result["pot"] + (5 * 30 if game is cap_it else 0)
    assert result["money"] == [whole * 2] * 3
    ends = [row for row in table.events if row[0] in (layout.GAME_END, layout.MONEY)]
    assert ends[0] == event(layout.GAME_END, -1, len(records), 0b111, result["pot"])
    assert ends[1:] == [event(layout.MONEY, seat, whole * 2, 6) for seat in range(3)]


def test_T12_the_card_just_bought_may_be_discarded() -> None:
    hand = position(thirty_thirty, "Kc", "Qc", discards="Jd", script=[BUY, "Jd"], nickels=1)
    hand.take_turn()
    assert hand.discards == ["Jd"]


# Cap-It


def test_P1_P2_P4_defaults() -> None:
    options = cap_it.resolve()
    assert [options[name] for name in ("players", "packs", "hand_size", "upcard")] == [4, 2, 10, True]
    contracts = "set 3, set 3; set 3, run 4; run 4, run 4; set 3, set 3, set 3; run 3, run 7"
    assert options["contracts"] == read_contracts(contracts)


def test_P2_there_may_be_no_upcard_P5() -> None:
    for upcard in (True, False):
        table = ScriptedTable()
        hand = cap_it.Hand(cap_it.resolve(upcard=upcard), table)
        hand.deal()
        assert len(hand.discards) == upcard
        assert table.stock_size() == 108 - 40 - upcard
    hand = position(cap_it, "Kc", "Qc", discards="", script=["Kc"])
    hand.take_turn()
    assert hand.cards[0] == ["5d"]
    assert [row[0] for row in hand.table.events] == [
        layout.TURN,
        layout.DRAW,
        layout.DECISION,
        layout.DISCARD,
    ]
    assert hand.table.events[0] == event(layout.TURN, 0, 1, 1, 0, 0, -1)


def test_P3_clockwise() -> None:
    hand = position(cap_it, "Kc", "Qc", "Jd", script=[TAKE, "Kc", PUSH, "Qc"])
    hand.take_turn()
    hand.take_turn()
    assert hand.to_act == 2
    assert len(hand.cards[2]) == 3


def test_P5_taking() -> None:
    hand = position(cap_it, "Kc", "Qc", script=[TAKE, "Kc"])
    hand.take_turn()
    assert hand.cards[0] == ["Jc"]
    assert hand.table.offered == [[TAKE, PUSH], words("Kc Jc")]
    assert (hand.record["takes"], hand.record["pushes"]) == ([1, 0], [0, 0])
    assert told(hand, layout.TAKE, layout.DRAW, layout.RECEIVE) == [event(layout.TAKE, 0, "Jc")]


def test_P5_without_the_push() -> None:
    hand = position(cap_it, "Kc", "Qc", script=[LEAVE, "Kc"], push=False)
    hand.take_turn()
    assert hand.cards == [["5d"], ["Qc"]]
    assert hand.discards == words("Jc Kc")
    assert hand.table.offered[0] == [TAKE, LEAVE]
    assert [row[0] for row in hand.table.events[1:4]] == [layout.DECISION, layout.LEAVE, layout.DRAW]
    changes = {"push": False, "stock": "", "discards": "3d 4d Jc"}
    hand = position(cap_it, "Kc", "Qc", script=[LEAVE], **changes)
    hand.take_turn()
    assert hand.reason == layout.NO_STOCK
    hand = position(cap_it, "Kc", "Qc", script=[LEAVE, "Kc"], **changes, stock_out="reshuffle")
    hand.take_turn()
    assert hand.record["reshuffles"] == 1


def test_P6_melds_follow_the_contract_in_the_same_turn() -> None:
    cards = "9c 9d 9h Kc Kd Kh 5s 4d"
    hand = position(cap_it, cards, "", contracts=[["set 3"]], script=[TAKE, "Jc"], melds=[a_set("5c 5d 5h")])
    hand.take_turn()
    assert [shown(meld)[0] for meld in hand.melds] == ["5c 5d 5h 5s", "Kc Kd Kh", "9c 9d 9h"]
    assert (hand.record["melded"], hand.record["laid_off"]) == ([6, 0], [1, 0])


def test_P7_one_natural_is_enough() -> None:
    assert down_with(cap_it, ["run 4"], "7h 2c 2d Joker") == [("7h 2c 2d Joker", "2c 2d Joker")]
    assert down_with(cap_it, ["set 3"], "2c 2d Joker") is None
    # A natural 2 is enough too.
    assert down_with(cap_it, ["run 3"], "2h 2c Joker 2d") == [("2c 2d 2h", "2d 2h")]


def test_P8_the_last_card_is_discarded_or_melded() -> None:
    hand = position(cap_it, "9c 9d", "", contracts=[["set 3"]], discards="9h", script=[TAKE])
    hand.take_turn()
    assert (hand.reason, hand.discards) == (layout.OUT, [])
    hand = position(cap_it, "9c 9d 9s", "", contracts=[["set 4"]], discards="9h", script=[TAKE])
    hand.take_turn()
    assert hand.reason == layout.OUT
    hand = position(
        cap_it, "Joker", "3c", melds=[a_set("Kc Kd Kh")], down=[0], discards="4h", script=[TAKE, "4h"]
    )
    hand.take_turn()
    assert (hand.reason, hand.discards) == (layout.OUT, ["4h"])


@pytest.mark.parametrize("stock_out", ["end", "reshuffle"])
def test_P9_a_push_without_stock_moves_nothing(stock_out: str) -> None:
    hand = position(cap_it, "Kc", "Qc", stock="", script=[PUSH], stock_out=stock_out)
    hand.take_turn()
    assert hand.cards == [["Kc"], ["Qc"]]
    assert hand.discards == ["Jc"]
    assert hand.record["pushes"] == [1, 0]
    assert hand.table.events[-2:] == [event(layout.PUSH, 0, "Jc", 1, 0), event(layout.NOTHING_TO_DRAW, 0)]
    assert hand.reason == layout.NO_STOCK


def test_P11_stakes() -> None:
    table = RecordingTable(random.Random(1))
    options = cap_it.resolve(ante=33, players=5, round_share=0.15)
    records, game = cap_it.run_game(options, table)
    # 24.75 cents of 165 a round, rounded.
    assert game["pot"] == 165 - 5 * 25
    assert game["parts_of_a_cent"] == 60
    assert sum(game["money"]) == 165 * 60
    prizes = iter([row for row in table.events if row[0] == layout.PRIZE])
    for record in records:
        lowest = lowest_seats(record["points"])
        assert record["lowest"] == [int(seat in lowest) for seat in range(5)]
        assert [next(prizes) for _ in lowest] == [
            event(layout.PRIZE, seat, 25 * 60 // len(lowest)) for seat in lowest
        ]
    assert next(prizes, None) is None
    assert cap_it.resolve()["ante"] == 100
    assert cap_it.REFEREE.prize(cap_it.resolve()) == 40


# Whole hands


@pytest.mark.parametrize(("game", "name"), EVERY_VARIANT)
def test_nothing_ever_goes_wrong(game: str, name: str) -> None:
    module, variants = GAMES[game]
    options = module.resolve(**variants[name])
    everything = Counter(pack() * options["packs"])
    for seed in range(3):
        table = RecordingTable(random.Random(seed))
        nickels = [options["nickels"]] * options["players"]
        hand = module.Hand(options, table, options["hand"], seed, nickels)
        hand.deal()
        while hand.reason == UNDER_WAY:
            seat, was_down = hand.to_act, hand.record["down"][hand.to_act]
            hand.take_turn()
            on_table = [name for meld in hand.melds for name in meld.cards]
            held = [name for cards in hand.cards for name in cards]
            assert Counter([*held, *on_table, *hand.discards, *table.stock]) == everything
            for meld in hand.melds:
                check_meld(meld, options)
                assert hand.record["down"][meld.owner]
            if hand.reason == UNDER_WAY:
                assert all(hand.cards)
                if was_down:
                    check_nothing_was_left(hand, seat)
            if game == "cap-it" and options["push"]:
                assert len(hand.discards) <= 1
        record = hand.finish([0] * options["players"])
        check_record(record, hand, game)


def check_nothing_was_left(hand: Hand, seat: int) -> None:
    """Make sure that the melder left no card that it could have laid off, the one discarded included."""
    had = [*hand.cards[seat], hand.discards[-1]]
    if len(had) > hand.keeps_one:
        for number in hand.melds_within_reach(seat):
            assert room_for_natural(hand.melds[number], had, hand.options) is None


def check_record(record: Record, hand: Hand, game: str) -> None:
    """Make sure that what a hand has recorded fits together."""
    columns = {column.metric: column.key >= 0 for column in COLUMNS[game]}
    del columns["policy_winners"]
    assert {metric: isinstance(value, list) for metric, value in record.items()} == columns
    assert all(len(value) == hand.players for value in record.values() if isinstance(value, list))
    assert record["someone_out"] + record["stock_out"] + record["truncated"] == 1
    assert record["someone_out"] == (record["winner"] >= 0)
    assert record["points"] == [points_of(cards, hand.options) for cards in hand.cards]
    assert sum(record["melded"]) + sum(record["laid_off"]) + sum(record["swaps"]) == sum(
        len(meld.cards) for meld in hand.melds
    )
    assert sum(record["wilds_used"]) == sum(sum(meld.wild) for meld in hand.melds)
    size = sum(size for _, size in hand.contract)
    for seat in range(hand.players):
        assert record["melded"][seat] >= size * record["down"][seat]
        assert (record["turn_down_if_down"][seat] > 0) == record["down"][seat]
        assert (record["melded"][seat] > 0) == record["down"][seat]
    if game == "30-30":
        bought = [a + b for a, b in zip(record["buys"], record["buys_out"], strict=True)]
        assert [hand.options["nickels"] - many for many in bought] == record["nickels"]
    else:
        assert sum(record["takes"]) + sum(record["pushes"]) <= record["turns"]
        assert sum(record["lowest"]) >= 1


def test_the_variants_reach_every_event_and_end() -> None:
    codes, reasons = set[int](), set[tuple[str, int]]()
    for game, name in EVERY_VARIANT:
        for weighing in (False, True):
            events, _, _ = trace_of(game, name, 0, True, weighing)
            codes |= {row[0] for row in events}
            reasons |= {(game, row[2]) for row in events if row[0] == layout.HAND_END}
    assert codes == set(rummy.EVENTS)
    assert len(reasons) == 6


# Traces


def seats_that_weigh(options: Options, weighing: bool) -> list[bool]:
    """Return which seats weigh features in the traces of :func:`trace_of`."""
    return [weighing and seat in (0, 2) for seat in range(options["players"])]


def trace_of(
    game: str, name: str, seed: int, by_game: bool, weighing: bool = False
) -> tuple[list[Event], list[Record], Record | None]:
    """Return the trace of a random game or hand, and its records; seat 0 and 2 may weigh features."""
    module, variants = GAMES[game]
    options = module.resolve(**variants[name])
    table = RecordingTable(random.Random(seed), seats_that_weigh(options, weighing))
    if by_game:
        return table.events, *module.run_game(options, table)
    return table.events, [module.run_hand(options, table)], None


@pytest.mark.parametrize(("game", "name"), EVERY_VARIANT)
def test_a_true_trace_gives_the_same_records(game: str, name: str) -> None:
    module, variants = GAMES[game]
    options = module.resolve(**variants[name])
    for seed, by_game, weighing in ((0, False, False), (1, False, True), (2, True, True)):
        events, hands, result = trace_of(game, name, seed, by_game, weighing)
        assert module.check_game(events, options, by_game) == (hands, result)
        if not by_game:
            seats = seats_that_weigh(options, weighing)
            assert module.check_game(events, options, by_game, seats) == (hands, result)


FREE_FIELDS = (layout.DEAL, layout.UPCARD, layout.DRAW, layout.RECEIVE, layout.DISCARD, layout.MELDING)
"""Events whose first field after the seat is chance or choice: another value may be as legal."""

SHORT: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "runs": (
        thirty_thirty,
        {
            "players": 3,
            "hand_size": 5,
            "contracts": [["run 3"], ["set 3"]],
            "min_run": 3,
            "natural_twos": True,
            "contract_only": False,
            "packs": 1,
        },
    ),
    "two hands": (
        thirty_thirty,
        {
            "players": 2,
            "hand_size": 6,
            "contracts": [["run 4"], ["set 3"]],
            "packs": 1,
            "nickels": 2,
            "max_reshuffles": 1,
        },
    ),
    "little stock": (
        thirty_thirty,
        {
            "players": 5,
            "hand_size": 10,
            "contracts": [["set 6"]],
            "packs": 1,
            "nickels": 2,
            "max_reshuffles": 1,
        },
    ),
    "rounds": (
        cap_it,
        {"players": 3, "hand_size": 5, "contracts": [["run 3"], ["set 3"]], "packs": 1},
    ),
    "rounds without the push": (
        cap_it,
        {
            "players": 2,
            "hand_size": 6,
            "contracts": [["run 3"], ["set 3"]],
            "packs": 1,
            "push": False,
            "upcard": False,
        },
    ),
}
"""Games with short hands."""


def spoilt(events: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """Yield traces that are each wrong in one way."""
    for index, row in enumerate(events):
        name = f"{index}: {row}"
        before, after = events[:index], events[index + 1 :]
        yield f"without {name}", before + after
        yield f"twice {name}", [*before, row, row, *after]
        if after and not (row[0] in FREE_FIELDS and row[:2] == after[0][:2]) and row != after[0]:
            yield f"too late {name}", [*before, after[0], row, *after[1:]]
        for position in range(EVENT_FIELDS):
            if position == 2 and row[0] in FREE_FIELDS:
                continue
            for change in (1, -1):
                changed = (*row[:position], row[position] + change, *row[position + 1 :])
                yield f"field {position} {change:+} of {name}", [*before, changed, *after]


def is_accepted(
    game: ModuleType, events: list[Event], options: Options, by_game: bool, seats: list[bool]
) -> bool:
    """Return whether the referee finds nothing wrong with a trace."""
    try:
        game.check_game(events, options, by_game, seats)
    except RefereeError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "seed", "by_game", "weighing"),
    [
        ("runs", 200, False, False),
        ("runs", 100, False, True),
        ("two hands", 353, False, False),
        ("two hands", 20, False, True),
        ("little stock", 120, False, False),
        ("rounds", 80, False, False),
        ("rounds", 365, False, True),
        ("rounds without the push", 318, True, False),
        ("rounds without the push", 229, False, True),
    ],
)
def test_any_spoilt_event_is_refused(name: str, seed: int, by_game: bool, weighing: bool) -> None:
    game, changes = SHORT[name]
    options = game.resolve(**changes)
    seats = seats_that_weigh(options, weighing)
    table = RecordingTable(random.Random(seed), seats)
    if by_game:
        game.run_game(options, table)
    else:
        game.run_hand(options, table)
    assert is_accepted(game, table.events, options, by_game, seats)
    for wrong, trace in spoilt(table.events):
        assert not is_accepted(game, trace, options, by_game, seats), wrong


def test_a_seat_weighs_always_or_never() -> None:
    options = thirty_thirty.resolve(**SHORT["two hands"][1])
    table = RecordingTable(random.Random(20), seats_that_weigh(options, True))
    thirty_thirty.run_hand(options, table)
    down = next(index for index, row in enumerate(table.events) if row[0] == layout.GO_DOWN and row[1] == 0)
    assert table.events[down - 1] == event(layout.DECISION, 0, 3, 2)
    # As of a seat that always goes down; but then it must not be asked how to meld.
    trace = [*table.events[: down - 1], *table.events[down:]]
    with pytest.raises(RefereeError) as caught:
        thirty_thirty.check_hand(trace, options)
    assert trace[caught.value.index][:3] == (layout.DECISION, 0, 4)
    with pytest.raises(RefereeError, match="expected DECISION") as caught:
        thirty_thirty.check_hand(trace, options, [True, False])
    assert (caught.value.rule, caught.value.index) == ("R10", down - 1)


# A hand of 30-30 and a round of Cap-It, written out by the rules.
SMALL_THIRTY = thirty_thirty.resolve(players=2, packs=1, hand_size=3, contracts=[["set 3"]], nickels=1)
WRITTEN_THIRTY = [
    event(layout.HAND, 0, 1, 1, 54, 0),
    event(layout.DEAL, 0, "Kc"),
    event(layout.DEAL, 1, "3c"),
    event(layout.DEAL, 0, "Kd"),
    event(layout.DEAL, 1, "4c"),
    event(layout.DEAL, 0, "Kh"),
    event(layout.DEAL, 1, "2d"),
    event(layout.UPCARD, 1, "Qh"),
    event(layout.TURN, 0, 1, 3, 0, 1, "Qh"),
    event(layout.DECISION, 0, 1, 2),
    event(layout.NO_BUY, 0, "Qh"),
    event(layout.DECISION, 1, 2, 2),
    event(layout.BUY, 1, "Qh", 0, 0),
    event(layout.DRAW, 1, "9s"),
    event(layout.DRAW, 1, "9d"),
    event(layout.DRAW, 0, "Ks"),
    event(layout.GO_DOWN, 0, 3, 0, 1),
    event(layout.NEW_MELD, 0, 0, layout.SET, 13, 0, 3, 1),
    event(layout.PLACE, 0, 0, "Kc", 13, 0),
    event(layout.PLACE, 0, 0, "Kd", 13, 0),
    event(layout.PLACE, 0, 0, "Kh", 13, 0),
    event(layout.DECISION, 0, 5, 1),
    event(layout.DISCARD, 0, "Ks", 0),
    event(layout.HAND_END, 0, layout.OUT, 1),
    event(layout.SCORE, 0, 0, 0, 0),
    event(layout.SCORE, 1, 50, 6, 50),
]
SMALL_CAP_IT = cap_it.resolve(players=2, packs=1, hand_size=4, contracts=[["run 3"]])
WRITTEN_CAP_IT = [
    event(layout.HAND, 0, 1, 1, 54, 0),
    event(layout.DEAL, 0, "4h"),
    event(layout.DEAL, 1, "6c"),
    event(layout.DEAL, 0, "5h"),
    event(layout.DEAL, 1, "7c"),
    event(layout.DEAL, 0, JOKER),
    event(layout.DEAL, 1, "8c"),
    event(layout.DEAL, 0, "Qs"),
    event(layout.DEAL, 1, "6h"),
    event(layout.UPCARD, 1, "9s"),
    event(layout.TURN, 0, 1, 4, 0, 0, "9s"),
    event(layout.DECISION, 0, 1, 2),
    event(layout.TAKE, 0, "9s"),
    event(layout.GO_DOWN, 0, 3, 1, 2),
    event(layout.NEW_MELD, 0, 0, layout.RUN, 2, 4, 3, 1),
    event(layout.PLACE, 0, 0, "4h", 4, 0),
    event(layout.PLACE, 0, 0, "5h", 5, 0),
    event(layout.PLACE, 0, 0, JOKER, 6, 1),
    event(layout.DECISION, 0, 4, 2),
    event(layout.DISCARD, 0, "9s", 1),
    event(layout.TURN, 1, 2, 4, 0, 0, "9s"),
    event(layout.DECISION, 1, 1, 2),
    event(layout.PUSH, 1, "9s", 0, 1),
    event(layout.RECEIVE, 0, "9s"),
    event(layout.RECEIVE, 0, "10d"),
    event(layout.DRAW, 1, "3d"),
    event(layout.GO_DOWN, 1, 3, 0, 2),
    event(layout.NEW_MELD, 1, 1, layout.RUN, 0, 6, 3, 1),
    event(layout.PLACE, 1, 1, "6c", 6, 0),
    event(layout.PLACE, 1, 1, "7c", 7, 0),
    event(layout.PLACE, 1, 1, "8c", 8, 0),
    event(layout.SWAP, 1, 0, "6h", 6, JOKER),
    event(layout.LAY_OFF, 1, 1, JOKER, 9, 1, 0),
    event(layout.DECISION, 1, 4, 1),
    event(layout.DISCARD, 1, "3d", 0),
    event(layout.HAND_END, 1, layout.OUT, 2),
    event(layout.SCORE, 0, 25, 3, 25),
    event(layout.SCORE, 1, 0, 0, 0),
]


def test_written_hands_are_accepted() -> None:
    assert thirty_thirty.check_hand(WRITTEN_THIRTY, SMALL_THIRTY) == {
        "starter": 0,
        "winner": 0,
        "winners": 0b01,
        "hand": 1,
        "dealer": 1,
        "turns": 1,
        "someone_out": 1,
        "stock_out": 0,
        "truncated": 0,
        "reshuffles": 0,
        "decisions": 3,
        "choices": 5,
        "forced": 1,
        "points": [0, 50],
        "cards_left": [0, 6],
        "down": [1, 0],
        "turn_down_if_down": [1, 0],
        "melded": [3, 0],
        "laid_off": [0, 0],
        "swaps": [0, 0],
        "wilds_used": [0, 0],
        "wilds_left": [0, 1],
        "buys": [0, 0],
        "buys_out": [0, 1],
        "nickels": [1, 0],
    }
    assert cap_it.check_hand(WRITTEN_CAP_IT, SMALL_CAP_IT) == {
        "starter": 0,
        "winner": 1,
        "winners": 0b10,
        "hand": 1,
        "dealer": 1,
        "turns": 2,
        "someone_out": 1,
        "stock_out": 0,
        "truncated": 0,
        "reshuffles": 0,
        "decisions": 4,
        "choices": 7,
        "forced": 1,
        "points": [25, 0],
        "cards_left": [3, 0],
        "down": [1, 1],
        "turn_down_if_down": [1, 2],
        "melded": [3, 3],
        "laid_off": [0, 0],
        "swaps": [0, 1],
        "wilds_used": [1, 0],
        "wilds_left": [0, 0],
        "takes": [1, 0],
        "pushes": [0, 1],
        "lowest": [0, 1],
    }


@pytest.mark.parametrize(
    ("game", "index", "row", "rule", "words_of_it"),
    [
        (thirty_thirty, 0, event(layout.HAND, 1, 1, 0, 54, 0), "R11", "expected HAND"),
        (thirty_thirty, 4, event(layout.DEAL, 1, "3c"), "T4", "the stock holds no 3c"),
        (thirty_thirty, 4, event(layout.DEAL, 1, 1), "T4", "there is no kind 1"),
        (thirty_thirty, 9, event(layout.DECISION, 1, 1, 2), "T6", "among buy, do not buy"),
        (thirty_thirty, 11, event(layout.DRAW, 0, "Ks"), "T7", "expected DECISION"),
        (thirty_thirty, 12, event(layout.BUY, 1, "Qh", 1, 0), "T7", "in turn 0"),
        (thirty_thirty, 15, event(layout.DRAW, 1, "Ks"), "T8", r"DRAW \(seat 0\)"),
        (thirty_thirty, 16, event(layout.GO_DOWN, 0, 3, 1, 1), "T9", "wilds 0"),
        (thirty_thirty, 20, event(layout.PLACE, 0, 0, "Ks", 13, 0), "R9", "kind Kh"),
        (thirty_thirty, 22, event(layout.DISCARD, 0, "Kc", 0), "T9", "not among the choices: Ks"),
        (thirty_thirty, 25, event(layout.SCORE, 1, 45, 6, 45), "T3", "points 50"),
        (cap_it, 12, event(layout.BUY, 0, "9s"), "P5", "not among the choices: take, push"),
        (cap_it, 17, event(layout.PLACE, 0, 0, JOKER, 3, 1), "R9", "place 6"),
        (cap_it, 23, event(layout.RECEIVE, 1, "9s"), "P5", "RECEIVE"),
        (cap_it, 25, event(layout.DRAW, 1, "9s"), "P9", "the stock holds no 9s"),
        (cap_it, 31, event(layout.DECISION, 1, 4, 2), "R7", "expected SWAP"),
        (cap_it, 32, event(layout.LAY_OFF, 1, 1, JOKER, 5, 1, 0), "R6", "place 9"),
    ],
)
def test_an_error_names_rule_and_event(
    game: ModuleType, index: int, row: Event, rule: str, words_of_it: str
) -> None:
    written = {thirty_thirty: (WRITTEN_THIRTY, SMALL_THIRTY), cap_it: (WRITTEN_CAP_IT, SMALL_CAP_IT)}
    events, options = written[game]
    with pytest.raises(RefereeError, match=words_of_it) as caught:
        game.check_hand([*events[:index], row, *events[index + 1 :]], options)
    assert (caught.value.rule, caught.value.index) == (rule, index)
    assert f"event {index} breaks {rule}" in str(caught.value)


def test_a_trace_must_end_with_its_hand() -> None:
    with pytest.raises(RefereeError, match="the trace stops"):
        thirty_thirty.check_hand(WRITTEN_THIRTY[:-1], SMALL_THIRTY)
    with pytest.raises(RefereeError, match="all is over"):
        cap_it.check_hand([*WRITTEN_CAP_IT, event(layout.TURN, 0)], SMALL_CAP_IT)
    with pytest.raises(ValueError, match="8 fields"):
        cap_it.check_hand([(1, 0)], SMALL_CAP_IT)


# The values of others


def samples_of(record: Record) -> dict[str, float]:
    """Return a hand's or a game's values under the names of the cases."""
    samples: dict[str, float] = {}
    for metric, value in record.items():
        if isinstance(value, list):
            samples |= {f"{metric}.seat{seat}": its for seat, its in enumerate(value)}
        else:
            samples[metric] = value
    for seat in range(8):
        samples[f"win.seat{seat}"] = (record["winners"] >> seat & 1) / max(1, record["winners"].bit_count())
        samples[f"money.seat{seat}"] = samples.get(f"money.seat{seat}", 0) / record.get("parts_of_a_cent", 1)
    return samples


def is_apart(values: Sequence[float], mean: float, error: float, count: int) -> bool:
    """Say whether a sample is apart from a mean that others found with so many hands or games."""
    many = len(values)
    own = sum(values) / many
    variance = sum((value - own) ** 2 for value in values) / (many - 1) / many
    # Of what is rare, a small sample may show nothing: then the spread that others found is the better one.
    variance = max(variance, error**2 * count / many)
    return abs(own - mean) > 4.5 * math.sqrt(variance + error**2)


@pytest.mark.skipif(not CASES.is_dir(), reason=f"the values of others are not here: no folder {CASES}")
@pytest.mark.parametrize(
    ("game", "name", "count"),
    [
        ("thirty-thirty", "p4-h1-hand", 200),
        ("thirty-thirty", "p4-h2-hand", 150),
        ("thirty-thirty", "p4-h3-hand", 150),
        ("thirty-thirty", "p4-h5-hand", 150),
        ("thirty-thirty", "p4-game", 30),
        ("thirty-thirty", "p4-nickels-per-hand-game", 20),
        ("cap-it", "p4-h1-hand", 200),
        ("cap-it", "p4-h2-hand", 150),
        ("cap-it", "p4-h3-hand", 100),
        ("cap-it", "p4-h5-hand", 100),
        ("cap-it", "p4-game", 30),
    ],
)
def test_random_play_agrees_with_others(game: str, name: str, count: int) -> None:
    case = json.loads((CASES / game / f"{name}.json").read_text())
    module = {"thirty-thirty": thirty_thirty, "cap-it": cap_it}[game]
    options = module.resolve(**case["options"])
    rng = random.Random(30_30)

    def play() -> Record:
        if case["unit"] == "game":
            return module.play_game(rng, options)[1]
        return module.play_hand(rng, options)

    samples = [samples_of(play()) for _ in range(count)]
    apart = {}
    for statistic, theirs in case["stats"].items():
        seat = statistic.partition(".")[2]
        counted = samples
        if statistic.startswith("turn_down_if_down"):
            counted = [sample for sample in samples if sample[f"down.{seat}"]]
        values = [sample[statistic] for sample in counted]
        if is_apart(values, theirs["mean"], theirs["se"], case["n"]):
            apart[statistic] = (sum(values) / len(values), theirs)
    assert apart == {}

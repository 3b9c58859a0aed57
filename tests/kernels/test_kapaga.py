"""Kapaga's kernel, rule by rule, and event by event against the referee."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fastsim.catalog.kapaga.options import POINTS
from fastsim.experiment import Experiment, design
from fastsim.policy import Policy
from kernels.blocks import as_table, new_block
from kernels.kapaga import layout as at
from kernels.kapaga.tables import ASKED, FEATURES, FIRST_CALL, build_tables
from kernels.trace import events_of, new_trace
from tests.conftest import COMPILED
from tests.referees import kapaga as referee

pytestmark = pytest.mark.kernel

SEED = np.uint64(5)

KIND_OF = {name: kind for kind, name in enumerate(at.KIND_NAMES)}
CALLS = (*at.SUIT_NAMES, *at.RANK_NAMES[: at.RANKS])
WORDS = {
    at.CHOOSE_DRAW: "draw",
    at.PASS: "pass",
    at.TAKE: "take",
    at.KEEP: "keep",
    at.ALONE: "alone",
    at.STOP: "stop",
}

Row = dict[tuple[str, int], int]


@dataclass
class Played:
    """One hand or game: its events, the rows of its hands by metric and key, and the game's own."""

    events: list[list[int]]
    rows: list[Row]
    game: Row

    @property
    def row(self) -> Row:
        """The row of the first hand."""
        return self.rows[0]

    def of(self, code: int) -> list[list[int]]:
        """Return the events of one code, without the code."""
        return [event[1:] for event in self.events if event[0] == code]

    def choices(self) -> list[tuple[int, str]]:
        """Return what each seat did, choice by choice: a card, a call or a word."""
        done = []
        for code, seat, value, *_ in self.events:
            if code == at.PUT:
                done.append((seat, at.KIND_NAMES[value]))
            elif code == at.CALL:
                done.append((seat, f"call {CALLS[value]}"))
            elif code in WORDS:
                done.append((seat, WORDS[code]))
        return done

    def turns(self) -> list[int]:
        """Return whose turn it was, turn by turn."""
        return [seat for seat, *_ in self.of(at.TURN)]

    def opening(self) -> list[list[int]]:
        """Return the events from the turned card to the first turn."""
        codes = [event[0] for event in self.events]
        first = codes.index(at.TURN) if at.TURN in codes else codes.index(at.HAND_END)
        return self.events[codes.index(at.TURN_UP) + 1 : first]

    def turn(self, number: int) -> list[list[int]]:
        """Return the events of a turn (from 1) after its TURN."""
        found: list[list[int]] = []
        now = 0
        for event in self.events:
            now = event[2] if event[0] == at.TURN else now
            if now == number and event[0] not in (at.TURN, at.HAND_END, at.SCORE):
                found.append(event)
        return found

    def decisions(self, number: int = 0) -> list[list[int]]:
        """Return number and choices of the decisions of a turn, or of the opening (0)."""
        events = self.turn(number) if number else self.opening()
        return [event[2:4] for event in events if event[0] == at.DECISION]

    def hands(self, until: int) -> list[Counter[str]]:
        """Return the cards of each seat before turn ``until`` of the first hand, from the events."""
        seats = max(seat for seat, *_ in self.of(at.DEAL)) + 1
        held: list[Counter[str]] = [Counter() for _ in range(seats)]
        for code, seat, *fields in self.events:
            if code == at.TURN and fields[0] == until:
                break
            if code in (at.DEAL, at.DRAW):
                held[seat][at.KIND_NAMES[fields[0]]] += 1
            elif code == at.PUT:
                held[seat][at.KIND_NAMES[fields[0]]] -= 1
            elif code == at.PASS_HANDS:
                shift = (fields[0] - fields[1]) % seats
                held = held[-shift:] + held[:-shift] if shift else held
        return [+hand for hand in held]


def play(
    experiment: Experiment,
    game: int = 0,
    deck: Sequence[str] | None = None,
    seed: np.uint64 = SEED,
    with_trace: bool = True,
) -> Played:
    """Play one game of an experiment, from a stacked deck if one is given."""
    rules, tables, policies = experiment.setup
    if deck is not None:
        rules = rules._replace(shuffle=0)
        tables = tables._replace(deck=np.array([KIND_OF[card] for card in deck], dtype=np.uint8))
    by_game = experiment.unit == "game"
    hands = new_block(len(at.HAND_COLUMNS), rules.max_hands if by_game else 1)
    games = new_block(len(at.GAME_COLUMNS), 1)
    room = 2000
    while True:
        trace = new_trace(room) if with_trace else None
        done, rows = experiment.game.kernel.play(
            seed, game, game + 1, by_game, rules, tables, policies, experiment.game.new_scratch(), hands,
            games, trace,
        )  # fmt: skip
        assert done == game + 1
        if trace is None or trace[0, 0] <= room:
            break
        room = int(trace[0, 0])
    return Played(
        events_of(trace).tolist() if trace is not None else [],
        rows_of(hands, at.HAND_COLUMNS, rows),
        rows_of(games, at.GAME_COLUMNS, 1)[0],
    )


def rows_of(block: np.ndarray, columns: Sequence[Any], rows: int) -> list[Row]:
    """Return the rows of a block by metric and key."""
    table = as_table(block, len(columns), rows).T.tolist()
    keys = [(column.metric, column.key) for column in columns]
    return [dict(zip(keys, row, strict=True)) for row in table]


def hand(
    hands: Sequence[str],
    turned: str,
    stock: str = "",
    script: Sequence[tuple[int, str]] = (),
    want: Callable[[Played], bool] = lambda played: True,
    tries: int = 20_000,
    **options: object,
) -> Played:
    """Return a hand that begins with these cards and these choices.

    ``hands`` are cards with blanks between, seat 0 first, all of one size; the last seat deals. The
    stock is drawn from left to right. Of the games that chance makes of it, the first whose choices
    begin with the script, and that is as wanted, is returned.
    """
    dealt = [cards.split() for cards in hands]
    deck = [dealt[seat][i] for i in range(len(dealt[0])) for seat in range(len(dealt))]
    deck += [turned, *stock.split()]
    size = {"hand_size": len(dealt[0]), "hand_size_two": len(dealt[0])}
    experiment = design("kapaga", {"players": len(dealt), "max_turns": 3, **size, **options}, policy="random")
    for game in range(tries):
        played = play(experiment, game, deck)
        if played.choices()[: len(script)] == list(script) and want(played):
            return played
    raise AssertionError(f"no game of {tries} is as wanted")


def kinds(mask: int) -> set[str]:
    """Return the names of a set of kinds."""
    return {name for kind, name in enumerate(at.KIND_NAMES) if mask >> kind & 1}


LOTS = "3c 4c 6c 10c"
"""A hand without effects; of clubs."""
OTHERS = "3d 4d 6d 10d"
MORE = "3h 4h 6h 10h"


# The rules, by id.


@pytest.mark.parametrize("packs", [1, 2, 3])
def test_K1_packs_each_with_a_joker(packs: int) -> None:
    _, tables, _ = design("kapaga", {"packs": packs}, "random").setup
    counts = Counter(tables.deck.tolist())
    assert counts == dict.fromkeys(range(53), packs)


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({}, [5] * 4),
        ({"players": 2}, [7, 7]),
        ({"players": 10}, [5] * 10),
        ({"players": 3, "hand_size": 9, "hand_size_two": 2}, [9] * 3),
        ({"players": 2, "hand_size": 9, "hand_size_two": 2}, [2, 2]),
    ],
)
def test_K2_deal(options: dict[str, object], sizes: list[int]) -> None:
    played = play(design("kapaga", {**options, "max_turns": 1}, "random"), 3)
    order = [seat for seat, *_ in played.of(at.DEAL)]
    assert order == list(range(len(sizes))) * sizes[0]
    assert played.of(at.HAND)[0][:5] == [len(sizes) - 1, 0, len(sizes), 2 ** len(sizes) - 1, 53]


def test_K2_seven_cards_as_soon_as_two_are_left() -> None:
    played = play(design("kapaga", {"players": 3, "limit": 200}, "balanced", unit="game"), 1)
    assert sum(event[2] == 2 for event in played.of(at.HAND)) > 0
    dealt = 0
    for event in played.events:
        if event[0] == at.HAND:
            expected = 14 if event[3] == 2 else 15
            dealt = 0
        dealt += event[0] == at.DEAL
        if event[0] == at.TURN_UP:
            assert dealt == expected


def test_K3_a_plain_card_turned_up_does_nothing() -> None:
    played = hand([LOTS, OTHERS, MORE], "3s", "Ks Qs Js", max_turns=1)
    assert played.opening() == []
    assert played.of(at.TURN)[0][:5] == [0, 1, 0, KIND_OF["3s"], at.NO_CALL]


def test_K3_an_eight_turned_up_is_called_by_the_dealer() -> None:
    played = hand([LOTS, OTHERS, MORE], "8s", "Ks", [(2, "call hearts")], max_turns=1)
    assert played.decisions() == [[at.DECIDE_CALL, 16]]
    assert played.of(at.TURN)[0][:5] == [0, 1, 0, KIND_OF["8s"], at.HEARTS]
    assert played.decisions(1) == [[at.DECIDE_TURN, 1]]


def test_K3_an_ace_turned_up_is_played_along_or_costs_a_card() -> None:
    along = hand([LOTS, OTHERS, "7s 7h 4s Ah"], "As", "Ks", [(2, "7s"), (2, "7h")], max_turns=1)
    assert along.decisions() == [[at.DECIDE_ALONG, 3], [at.DECIDE_ADD, 2]]
    # Two 7s skip two opponents: the turn is the dealer's own.
    assert along.turns() == [2]
    # The turned card is no play; what follows it is.
    assert [event[2] for event in along.opening() if event[0] == at.PUT] == [KIND_OF["7s"], KIND_OF["7h"]]
    assert sum(n for (name, _), n in along.row.items() if name == "plays") == len(along.of(at.PUT))
    alone = hand([LOTS, OTHERS, "7s 7h 4s Ah"], "As", "Ks Qs", [(2, "alone")], max_turns=1)
    assert alone.of(at.DRAW)[0][:3] == [2, KIND_OF["Ks"], at.BY_EFFECT]
    none = hand([LOTS, OTHERS, MORE], "As", "Ks Qs", max_turns=1)
    assert [event[0] for event in none.opening()] == [at.ALONE, at.DRAW]


def test_K3_the_joker_turned_up_is_followed() -> None:
    script = [(2, "3h"), (2, "3s")]
    played = hand([LOTS, OTHERS, "3h 3s 4h 6h"], "Joker", "Ks Qs Js", script, max_turns=1)
    assert [event[1] for event in played.opening() if event[0] == at.DRAW] == [0, 1]
    assert played.decisions()[:2] == [[at.DECIDE_FOLLOW, 4], [at.DECIDE_ADD, 2]]
    assert played.of(at.TURN)[0][3] == KIND_OF["3s"]


@pytest.mark.parametrize(("turned", "attack", "spades"), [("2d", 2, 0), ("5s", 5, 1)])
def test_K3_an_attack_turned_up_is_faced_by_the_next_player(turned: str, attack: int, spades: int) -> None:
    played = hand([LOTS, OTHERS, MORE], turned, "Ks Qs Js 10s 9s 6s", max_turns=1)
    assert played.of(at.ATTACKED)[0][:4] == [2, attack, 0, spades]
    assert played.of(at.TURN)[0][:3] == [0, 1, attack]
    assert played.decisions(1) == [[at.DECIDE_ATTACK, 1]]
    assert played.row["drawn_attack", -1] == attack


def test_K3_a_seven_turned_up_skips_the_players_on_the_dealers_left() -> None:
    assert hand([LOTS, OTHERS, MORE], "7s", "Ks", max_turns=1).turns() == [1]
    assert hand([LOTS, OTHERS], "7s", "Ks", max_turns=1).turns() == [1]


@pytest.mark.parametrize("turned", ["9s", "5c"])
def test_K3_hands_are_passed_for_the_turned_card(turned: str) -> None:
    played = hand([LOTS, OTHERS, MORE], turned, "Ks", max_turns=1)
    assert played.hands(1)[1] == Counter((LOTS if turned == "9s" else MORE).split())
    left = turned == "9s"
    assert (played.row["passes_left", -1], played.row["passes_right", -1]) == (left, not left)


def test_K3_nothing_is_added_to_the_turned_card() -> None:
    played = hand([LOTS, OTHERS, "7s 7h 4h 6h"], "7d", "Ks", max_turns=1)
    assert played.decisions() == []
    assert played.row["turns", -1] == 1


def test_K3_the_dealer_can_go_out_before_the_first_turn() -> None:
    played = hand(["3c", "3d", "3h"], "Joker", "Ks Qs")
    assert played.of(at.HAND_END) == [[2, at.WON, 0, 0, 0, 0, 0]]
    assert played.row["turns", -1] == 0
    assert played.row["winner", -1] == 2


def test_K4_there_is_never_an_obligation_to_put() -> None:
    script = [(0, "draw")]
    played = hand([LOTS, OTHERS, MORE], "3s", "Ks Qs", script, max_turns=1)
    assert played.decisions(1)[0] == [at.DECIDE_TURN, 2]
    assert played.of(at.DRAW)[0][:3] == [0, KIND_OF["Ks"], at.BY_CHOICE]
    assert played.decisions(1)[1] == [at.DECIDE_DRAWN, 2]


def test_K4_a_drawn_card_that_fits_may_be_put_with_what_may_follow() -> None:
    script = [(0, "draw"), (0, "4s"), (0, "4c")]
    played = hand([LOTS, OTHERS, MORE], "3s", "4s", script, max_turns=1)
    assert [event[2:4] for event in played.of(at.PUT)] == [[1, 1], [2, 0]]
    assert played.row["turns", -1] == 1


def test_K4_a_drawn_card_that_does_not_fit_ends_the_turn() -> None:
    played = hand([LOTS, OTHERS, MORE], "Ks", "Qd", [(0, "draw")], max_turns=1)
    assert [event[0] for event in played.turn(1)] == [at.DECISION, at.CHOOSE_DRAW, at.DRAW]


def test_K4_several_cards_drawn_and_one_of_them_put() -> None:
    played = hand([LOTS, OTHERS, MORE], "Ks", "Qs Qd Js", [(0, "draw")], max_turns=1, draw_count=3)
    assert played.decisions(1)[:2] == [[at.DECIDE_TURN, 1], [at.DECIDE_DRAWN, 3]]
    assert played.row["drawn_choice", -1] == 3


def test_K4_with_no_card_to_draw_a_player_passes() -> None:
    played = hand([LOTS, OTHERS, MORE], "3s", "", [(0, "pass")], max_turns=1)
    assert played.decisions(1) == [[at.DECIDE_TURN, 2]]
    never = hand([LOTS, OTHERS, MORE], "Ks", "Qs Js", [(0, "pass"), (1, "pass")], draw_count=0)
    assert never.row["drawn_choice", -1] == 0


def test_K5_what_fits() -> None:
    fits = build_tables(1, True, True, POINTS).fits
    wild = {"8c", "8d", "8h", "8s", "Joker"}
    assert len(fits) == ASKED
    for kind, name in enumerate(at.KIND_NAMES[: at.JOKER]):
        rank, suit = name[:-1], name[-1]
        expected = {other for other in at.KIND_NAMES[: at.JOKER] if other[:-1] == rank or other[-1] == suit}
        if rank == "A":
            expected = {other for other in expected if other[0] != "A"}
        assert kinds(int(fits[kind])) == expected | wild
    for call, name in enumerate(CALLS):
        cards = at.KIND_NAMES[: at.JOKER]
        expected = {other for other in cards if (other[-1] == name[0] if call < 4 else other[:-1] == name)}
        assert kinds(int(fits[FIRST_CALL + call])) == expected | wild


def test_K5_an_ace_fits_on_an_eight_that_called_it_and_never_on_an_ace() -> None:
    for called in ("clubs", "A"):
        script = [(2, f"call {called}")]
        played = hand(["Ac Kd Kh Ks", OTHERS, MORE], "8s", "Qs Qh", script, max_turns=1)
        assert played.decisions(1)[0] == [at.DECIDE_TURN, 2]
    on_ace = hand(["As Kd Kh Qc", OTHERS, MORE], "Ac", "Js 2h", max_turns=1)
    assert on_ace.decisions(1)[0] == [at.DECIDE_TURN, 2]


def test_K5_eights_and_the_joker_fit_on_anything_but_not_under_attack() -> None:
    free = hand(["8c Joker Kd Qd", OTHERS, MORE], "3s", "Js 2h", max_turns=1)
    assert free.decisions(1)[0] == [at.DECIDE_TURN, 3]
    attacked = hand(["8c Joker Kd Qd", OTHERS, MORE], "2s", "Js 2h 3h", max_turns=1)
    assert attacked.decisions(1) == [[at.DECIDE_ATTACK, 1]]


def test_K6_cards_of_the_same_rank_are_added_one_by_one() -> None:
    script = [(0, "Kc"), (0, "Kd"), (0, "Kh"), (0, "Ks")]
    played = hand(["Kc Kd Kh Ks 3d", "4d 6d 10d Jd 7d", "4h 6h 10h Jh 7h"], "3c", "Qc", script, max_turns=2)
    assert played.decisions(1) == [
        [at.DECIDE_TURN, 3],
        [at.DECIDE_ADD, 4],
        [at.DECIDE_ADD, 3],
        [at.DECIDE_ADD, 2],
    ]
    assert played.of(at.TURN)[1][3] == KIND_OF["Ks"]
    one = hand(["Kc Kd Kh Ks", OTHERS, MORE], "3c", "Qc", [(0, "Kc")], multi_play=False, max_turns=1)
    assert one.decisions(1) == [[at.DECIDE_TURN, 2]]


def test_K6_aces_and_jokers_are_not_added_nor_added_to() -> None:
    played = hand(["Ac Ad Ah 3s", OTHERS, MORE], "4c", "Qc", [(0, "Ac")], max_turns=1, packs=2)
    assert [event[0] for event in played.turn(1)[:3]] == [at.DECISION, at.PUT, at.ALONE]


def test_K6_effects_add_up() -> None:
    twos = hand(["2c 2d 3d 4d", LOTS, MORE], "3c", "Qc", [(0, "2c"), (0, "2d")], max_turns=2)
    assert twos.of(at.TURN)[1][2] == 4
    nines = hand(["9c 9d 3d 4d", LOTS, MORE], "3c", "Qc", [(0, "9c"), (0, "9d")], max_turns=1)
    assert nines.of(at.PASS_HANDS)[0][:3] == [0, 2, 0]
    assert nines.row["cards_left", 2] == 2
    assert nines.row["passes_left", -1] == 2
    eights = hand(["8c 8d 3d 4d", LOTS, MORE], "3c", "Qc", [(0, "8c"), (0, "8d")], max_turns=1)
    assert len(eights.of(at.CALL)) == 1


def test_K7_the_player_who_needs_a_card_pays_for_the_turnover() -> None:
    script = [(0, "3c"), (0, "stop"), (1, "3d"), (1, "stop"), (2, "draw")]
    played = hand(["3c 3s 6c 10c", "3d 3h 6d 10d", "Kc Kh Kd Ks"], "4c", "", script)
    assert played.of(at.RESHUFFLE)[0][:2] == [2, 2]
    assert played.of(at.PENALTY)[0][:3] == [2, 10, at.FOR_TURNOVER]
    assert at.KIND_NAMES[played.of(at.DRAW)[0][1]] in ("4c", "3c")
    assert [played.row[name, -1] for name in ("penalties", "penalty_points", "reshuffles")] == [1, 10, 1]
    assert [score[2] for score in played.of(at.SCORE)] == [0, 0, 10]
    dear = hand(["3c 3s 6c 10c", "3d 3h 6d 10d", "Kc Kh Kd Ks"], "4c", "", script, turnover_penalty=500)
    assert dear.of(at.SCORE)[2][2] == 500


def test_K7_with_the_top_card_alone_nothing_is_drawn_nor_charged() -> None:
    played = hand([LOTS, OTHERS, MORE], "2s", "", max_turns=1)
    assert [event[0] for event in played.turn(1)] == [at.DECISION, at.TAKE, at.NOTHING_TO_DRAW]
    assert played.row["penalties", -1] == 0


@pytest.mark.parametrize(
    ("forget", "catch", "outcome"), [(0, 1, "CALLED"), (1, 0, "FORGOT"), (1, 1, "CAUGHT")]
)
def test_K8_kapaga(forget: float, catch: float, outcome: str) -> None:
    options = {"forget_rate": forget, "catch_rate": catch, "max_turns": 1}
    played = hand(["3c Kd", "4d 6d", "4h 6h"], "4c", "Qs Js", [(0, "3c")], **options)
    assert played.of(at.KAPAGA) == [[0, getattr(at, outcome), 0, 0, 0, 0, 0]]
    caught = outcome == "CAUGHT"
    assert played.row["drawn_caught", -1] == caught
    assert played.row["drawn_effect", -1] == 0
    assert played.row["cards_left", 0] == 1 + caught


def test_K8_is_due_before_hands_are_passed_and_after_an_opening() -> None:
    options = {"forget_rate": 1, "max_turns": 1}
    passed = hand(["9c Kd", "4d 6d", "4h 6h"], "4c", "Qs Js", [(0, "9c")], **options)
    assert [event[0] for event in passed.turn(1)[1:]] == [at.PUT, at.KAPAGA, at.DRAW, at.PASS_HANDS]
    opening = hand(["3c 3d", "4d 6d", "4h 6h"], "Joker", "Qs Js Ks", [(2, "4h")], **options)
    assert opening.of(at.KAPAGA)[0][:2] == [2, at.CAUGHT]
    single = hand(["3c", "4d", "6h"], "10s", "Qs Js Ks", **options)
    assert [event[:2] for event in single.opening()] == [[at.KAPAGA, 2], [at.DRAW, 2]]


@pytest.mark.compiled
def test_K8_rates() -> None:
    experiment = design("kapaga", {"players": 3, "forget_rate": 0.3, "catch_rate": 0.25}, "balanced")
    outcomes = Counter[int]()
    for game in range(1500):
        outcomes.update(event[1] for event in play(experiment, game).of(at.KAPAGA))
    n = outcomes.total()
    for outcome, rate in ((at.CALLED, 0.7), (at.FORGOT, 0.225), (at.CAUGHT, 0.075)):
        assert abs(outcomes[outcome] - n * rate) < 4.5 * (n * rate * (1 - rate)) ** 0.5


def test_K9_no_card_left_after_the_put_ends_the_hand() -> None:
    played = hand(["3c", "4d", "6h"], "10c", "Qs", [(0, "3c")], max_turns=1)
    assert played.of(at.HAND_END)[0][:3] == [0, at.WON, 1]
    assert [played.row[name, -1] for name in ("winner", "winners", "truncated")] == [0, 1, 0]
    assert played.row["points", 0] == 0


def test_K10_other_cards_have_no_effect() -> None:
    effect = build_tables(1, True, True, POINTS).effect
    without = {name for kind, name in enumerate(at.KIND_NAMES) if not effect[kind]}
    plain = {rank + suit for rank in ("3", "4", "6", "10", "J", "Q", "K", "8", "A") for suit in "cdhs"}
    assert without == plain | {"5d", "5h", "Joker"}


def test_K11_any_card_of_the_suit_goes_along_with_its_effects() -> None:
    script = [(0, "Ac"), (0, "7c"), (0, "7d")]
    played = hand(["Ac 7c 7d 3c", OTHERS, MORE], "4c", "Qs", script, max_turns=2)
    assert played.decisions(1) == [[at.DECIDE_TURN, 4], [at.DECIDE_ALONG, 3], [at.DECIDE_ADD, 2]]
    assert played.turns() == [0, 0]
    # On an 8 that called Aces a club would not fit; with the Ace it may be played all the same.
    called = hand(["Ac 3c Kd Qd", OTHERS, MORE], "8s", "Qs", [(2, "call A"), (0, "Ac"), (0, "3c")])
    assert called.decisions(1)[:2] == [[at.DECIDE_TURN, 2], [at.DECIDE_ALONG, 2]]


def test_K11_an_ace_alone_costs_one_card_which_stays_in_hand() -> None:
    played = hand(["Ac 3d Kd Qd", OTHERS, MORE], "4c", "7c 3c", [(0, "Ac")], draw_count=3, max_turns=1)
    assert [event[0] for event in played.turn(1)] == [at.DECISION, at.PUT, at.ALONE, at.DRAW]
    assert played.row["drawn_effect", -1] == 1
    free = hand(["Ac", "3d", "3h"], "4c", "7c", [(0, "Ac")], ace_alone_draws=False)
    assert free.row["winner", -1] == 0


def test_K11_a_drawn_ace_goes_along_with_a_card_of_the_hand() -> None:
    script = [(0, "draw"), (0, "As"), (0, "3s")]
    played = hand(["3s Kd Qd 10d", OTHERS, MORE], "4s", "As", script, max_turns=1)
    assert played.decisions(1) == [[at.DECIDE_TURN, 2], [at.DECIDE_DRAWN, 2], [at.DECIDE_ALONG, 2]]


def test_K12_the_whole_attack_is_passed_on_or_taken() -> None:
    script = [(0, "2c"), (1, "2d"), (1, "2s"), (2, "take")]
    played = hand(["2c 3d 4d 6d", "2d 2s 3c 4c", MORE], "6c", "Js Qs Ks 10s 9s 6s 3s", script, max_turns=4)
    assert [turn[2] for turn in played.of(at.TURN)] == [0, 2, 6, 0]
    assert played.row["drawn_attack", -1] == 6
    assert played.row["largest_attack", -1] == 6
    assert played.turns() == [0, 1, 2, 0]


def test_K12_as_many_cards_as_there_are() -> None:
    played = hand([LOTS, OTHERS, MORE], "2s", "Kd", max_turns=1)
    assert [event[0] for event in played.turn(1)[1:]] == [at.TAKE, at.DRAW, at.NOTHING_TO_DRAW]
    assert played.row["drawn_attack", -1] == 1


def test_K12_no_attack_with_a_count_of_nothing() -> None:
    played = hand([LOTS, OTHERS, MORE], "2s", "Kd", max_turns=1, two_count=0)
    assert played.decisions(1)[0][0] == at.DECIDE_TURN
    played = hand([LOTS, OTHERS, MORE], "5s", "Kd", max_turns=1, five_count=0)
    assert played.decisions(1)[0][0] == at.DECIDE_TURN


def test_K13_only_the_two_of_spades_answers_the_five_of_spades() -> None:
    hands = ["2c 2d 2h Kd", "2s 3c 4c 6c", "2s 3d 4d 6d"]
    played = hand(hands, "5s", "Js Qs Ks 10s 9s", max_turns=1, packs=2)
    assert played.decisions(1) == [[at.DECIDE_ATTACK, 1]]
    hands = ["2s 2d 2h Kd", "2c 3c 4c 6c", "3h 3d 4d 6d"]
    script = [(0, "2s"), (0, "2d"), (0, "stop")]
    played = hand(hands, "5s", "Js Qs Ks 10s 9s", script, max_turns=2)
    assert played.decisions(1) == [[at.DECIDE_ATTACK, 2], [at.DECIDE_ADD, 3], [at.DECIDE_ADD, 2]]
    assert [event[1:4] for event in played.of(at.ATTACKED)[:2]] == [[5, 0, 1], [9, 1, 0]]
    # Now it is an attack by 2s: any of them answers.
    assert played.decisions(2)[0] == [at.DECIDE_ATTACK, 2]


def test_K14_fives_put_together_have_each_their_effect() -> None:
    script = [(0, "5s"), (0, "5c"), (0, "5h")]
    played = hand(["5s 5c 5h Kd", OTHERS, MORE], "3s", "Ks", script, max_turns=2)
    assert [event[0] for event in played.turn(1)[-2:]] == [at.PASS_HANDS, at.ATTACKED]
    assert played.hands(2)[2] == Counter(["Kd"])
    assert played.of(at.ATTACKED)[0][:4] == [0, 5, 1, 1]
    assert played.row["passes_right", -1] == 1


def test_K15_nines_pass_to_the_left() -> None:
    played = hand(["9s Kd Qd 10c", OTHERS, MORE], "3s", "Ks", [(0, "9s")], max_turns=2)
    assert played.hands(2)[1] == Counter(["Kd", "Qd", "10c"])
    assert played.hands(2)[0] == Counter(MORE.split())


@pytest.mark.parametrize(("ranks", "calls"), [(True, 16), (False, 4)])
def test_K16_calls(ranks: bool, calls: int) -> None:
    played = hand(["8s Kd Qd 10c", OTHERS, MORE], "3c", "Ks", [(0, "8s")], call_ranks=ranks, max_turns=2)
    assert played.decisions(1)[-1] == [at.DECIDE_CALL, calls]
    number = played.of(at.CALL)[0][1]
    assert number != 4 + at.EIGHT
    assert played.of(at.TURN)[1][4] == number


def test_K16_a_call_stands_until_the_next_card_is_played() -> None:
    script = [(0, "8s"), (0, "call Q"), (1, "draw"), (2, "draw"), (0, "Qd")]
    played = hand(["8s Kd Qd 10c", OTHERS, MORE], "3c", "Ks 10s Js", script, max_turns=4)
    assert [turn[4] for turn in played.of(at.TURN)] == [at.NO_CALL, 4 + 11, 4 + 11, 4 + 11]


@pytest.mark.parametrize(
    ("players", "sevens", "acts"),
    [(2, 1, 0), (2, 2, 0), (2, 3, 0), (3, 1, 2), (3, 2, 0), (3, 3, 2), (4, 3, 0), (4, 4, 2), (5, 2, 3)],
)
def test_K17_skips_go_round_the_opponents(players: int, sevens: int, acts: int) -> None:
    cards = ["7c", "7d", "7h", "7s"][:sevens]
    others = [f"3{suit} 4{suit} 6{suit} 10{suit} Q{suit}" for suit in "dhsd"][: players - 1]
    mine = " ".join([*cards, *["Kd", "Kh", "Ks", "Qh"]][:5])
    script = [(0, card) for card in cards]
    want = lambda played: len(played.of(at.SKIPPED)) and played.of(at.SKIPPED)[0][1] == sevens  # noqa: E731
    played = hand([mine, *others], "3c", "Kc", script, want, max_turns=2, packs=2)
    assert played.of(at.SKIPPED)[0][:3] == [0, sevens, acts]
    assert played.turns()[:2] == [0, acts]


def test_K18_all_others_draw_and_any_card_follows() -> None:
    script = [(0, "draw"), (1, "Joker"), (1, "7h"), (1, "stop")]
    hands = ["Kd Ks Qs 10s", "Joker 7h 7d 3d", MORE]
    played = hand(hands, "4c", "Js Qs 9s", script, max_turns=2)
    draws = [event[1:4] for event in played.turn(2) if event[0] == at.DRAW]
    assert draws == [[2, KIND_OF["Qs"], at.BY_EFFECT], [0, KIND_OF["9s"], at.BY_EFFECT]]
    assert played.decisions(2)[1:] == [[at.DECIDE_FOLLOW, 3], [at.DECIDE_ADD, 2]]


def test_K18_a_last_joker_goes_out_after_the_draws() -> None:
    played = hand(["Joker", "4d", "6h"], "10c", "Qs Js", [(0, "Joker")])
    assert [event[0] for event in played.turn(1)] == [at.DECISION, at.PUT, at.DRAW, at.DRAW]
    assert (played.row["winner", -1], played.row["drawn_effect", -1]) == (0, 2)
    assert played.row["plays", at.RANKS] == 1


def test_K18_a_joker_follows_a_joker() -> None:
    script = [(0, "Joker"), (0, "Joker"), (0, "3d")]
    played = hand(
        ["Joker Joker 3d Kd", "4d 6d Qd Jd", MORE], "4c", "Js Qs Ks 10s", script, max_turns=1, packs=2
    )
    assert played.row["drawn_effect", -1] == 4


def test_K19_the_call_is_made_even_if_the_hand_is_empty() -> None:
    played = hand(["8s", "4d", "6h"], "10c", "Qs Js", [(0, "8s")])
    assert [event[0] for event in played.turn(1)] == [at.DECISION, at.PUT, at.DECISION, at.CALL]
    assert played.row["winner", -1] == 0


def test_K19_draws_come_before_kapaga() -> None:
    played = hand(["Ac 3d", "4d 6d", "6h 4h"], "10c", "Qs Js", [(0, "Ac")], max_turns=1)
    assert [event[0] for event in played.turn(1)[1:]] == [at.PUT, at.ALONE, at.DRAW]
    last = hand(["Ac", "4d", "6h"], "10c", "Qs Js", [(0, "Ac")], max_turns=1)
    assert [event[0] for event in last.turn(1)[1:]] == [at.PUT, at.ALONE, at.DRAW, at.KAPAGA]


@pytest.mark.parametrize("card", ["2c", "5c", "7c", "9c"])
def test_K19_a_put_that_ends_the_hand_has_no_effect(card: str) -> None:
    played = hand([card, "4d", "6h"], "10c", "Qs Js", [(0, card)])
    assert [event[0] for event in played.turn(1)] == [at.DECISION, at.PUT]
    assert [played.row[name, -1] for name in ("passes_left", "passes_right", "largest_attack")] == [0, 0, 0]


def test_K20_points() -> None:
    points = build_tables(1, True, True, POINTS).points
    worth = {name: int(points[kind]) for kind, name in enumerate(at.KIND_NAMES)}
    assert sum(worth.values()) == 50 + 4 * (50 + 25 + 20 + 20 + 15 + 40 + 3 + 4 + 6) + 50 + 25 + 10
    assert [worth[c] for c in ("Joker", "8d", "5s", "5c", "5h", "9c", "2s", "Ad", "10h", "Ks")] == [
        50, 50, 50, 25, 5, 25, 20, 15, 10, 10,
    ]  # fmt: skip
    own = dict.fromkeys(POINTS, 1) | {"five of spades": 7}
    played = hand(["3c", "5s", "6h"], "10c", "Qs", [(0, "3c")], points=own)
    assert [played.row["points", seat] for seat in range(4)] == [0, 7, 1, 0]


@pytest.mark.parametrize(
    ("points", "exact", "outcomes"),
    [
        (60, True, [at.RESETS, at.RESETS]),
        (60, False, [at.STAYS, at.STAYS]),
        (61, True, [at.LEAVES, at.LEAVES]),
    ],
)
def test_K21_at_the_limit_and_above(points: int, exact: bool, outcomes: list[int]) -> None:
    own = dict.fromkeys(POINTS, points)
    options = {"points": own, "limit": 60, "exact_reset": exact, "draw_count": 0, "max_hands": 2}
    options |= {"players": 2, "hand_size_two": 1, "max_turns": 1}
    played = play(design("kapaga", options, "random", unit="game"), 0, ["Kc", "Kd", "3s", "4s"])
    assert [score[4] for score in played.of(at.SCORE)][:2] == outcomes
    hands = 1 if points > 60 else 2
    assert played.game["hands", -1] == hands
    assert played.game["resets", -1] == (4 if outcomes[0] == at.RESETS else 0)


def test_K21_a_penalty_can_take_who_goes_out_to_the_limit() -> None:
    options = {"peek_rate": 1, "penalty_points": 50, "limit": 50}
    played = hand(["3c", "4d", "6h"], "10c", "Qs", [(0, "3c")], **options)
    assert [score[1:5] for score in played.of(at.SCORE)] == [
        [0, 50, 50, at.RESETS],
        [4, 50, 54, at.LEAVES],
        [6, 50, 56, at.LEAVES],
    ]


@pytest.mark.parametrize(
    ("cards", "places", "winners"),
    [
        ("Kc 10d Qh", [4, 4, 4], 0b111),
        ("Kc 8d Qh", [3, 6, 3], 0b101),
        ("9c 9d 7h", [5, 5, 2], 0b100),
        ("9c 7d Kh", [6, 4, 2], 0b100),
    ],
)
def test_K22_all_eliminated_in_one_hand(cards: str, places: list[int], winners: int) -> None:
    own = {name: 51 + worth for name, worth in POINTS.items()}
    options = {"points": own, "limit": 50, "draw_count": 0, "hand_size": 1, "max_turns": 1, "players": 3}
    played = play(design("kapaga", options, "random", unit="game"), 0, [*cards.split(), "3s"])
    assert [played.game["place", seat] for seat in range(4)] == [*places, 0]
    assert played.game["winners", -1] == winners
    assert played.game["policy_winners", -1] == 1
    assert played.of(at.GAME_END)[0][:3] == [winners.bit_length() - 1 if winners == 0b100 else -1, 1, winners]


def test_K22_the_last_player_left_wins() -> None:
    own = dict.fromkeys(POINTS, 1) | {"9": 80, "7": 70}
    options = {"points": own, "limit": 60, "draw_count": 0, "hand_size": 1, "max_turns": 1, "players": 4}
    deck = ["9c", "9d", "Kh", "7h", "3s"]
    played = play(design("kapaga", options, "random", unit="game"), 0, deck)
    assert [played.game["place", seat] for seat in range(4)] == [7, 7, 2, 4]
    assert [played.game[name, -1] for name in ("winners", "hands", "cut")] == [0b100, 1, 0]


def test_K23_the_highest_score_deals_and_ties_go_to_the_dealers_left() -> None:
    own = dict.fromkeys(POINTS, 10) | {"5": 5}
    options = {"points": own, "draw_count": 0, "hand_size": 1, "max_turns": 1, "players": 3, "max_hands": 4}
    played = play(design("kapaga", options, "random", unit="game"), 0, ["Kc", "Kd", "5h", "3s"])
    # Hand by hand: 10, 10, 5 from the dealer's left; scores 10 10 5, then 15 20 15, then 25 25 25.
    assert [row["dealer", -1] for row in played.rows] == [2, 0, 1, 2]
    assert [row["starter", -1] for row in played.rows] == [0, 1, 2, 0]
    assert played.turns()[0] == 0


@pytest.mark.parametrize(
    ("options", "penalties", "points"),
    [
        ({"misdeal_rate": 1}, 1, 50),
        ({"peek_rate": 1}, 3, 150),
        ({"misdeal_rate": 1, "peek_rate": 1, "penalty_points": 7}, 4, 28),
    ],
)
def test_K24_table_manners(options: dict[str, object], penalties: int, points: int) -> None:
    played = hand([LOTS, OTHERS, MORE], "3s", "Ks", max_turns=1, **options)
    assert (played.row["penalties", -1], played.row["penalty_points", -1]) == (penalties, points)
    assert played.row["reshuffles", -1] == 0


def test_K24_accidents_do_not_touch_deals_or_decisions() -> None:
    plain = play(design("kapaga", {"max_turns": 40}, "random"), 1)
    clumsy = play(design("kapaga", {"max_turns": 40, "misdeal_rate": 0.5, "peek_rate": 0.5}, "random"), 1)
    assert [e for e in clumsy.events if e[0] not in (at.PENALTY, at.SCORE)] == [
        e for e in plain.events if e[0] not in (at.PENALTY, at.SCORE)
    ]


def test_K25_truncated_at_the_limit_of_turns() -> None:
    played = hand([LOTS, OTHERS, MORE], "Ks", "Qh Jh 9h", max_turns=2)
    assert [played.row[name, -1] for name in ("turns", "truncated", "blocked", "winner")] == [2, 1, 0, -1]
    assert sum(played.row["points", seat] for seat in range(3)) > 0


def test_K25_blocked_when_nobody_could_put_and_nobody_drew() -> None:
    played = hand([LOTS, OTHERS, MORE], "Ks", "", max_turns=9)
    assert [played.row[name, -1] for name in ("turns", "truncated", "blocked")] == [3, 0, 1]
    both = hand([LOTS, OTHERS, MORE], "Ks", "", max_turns=3)
    assert [both.row[name, -1] for name in ("truncated", "blocked")] == [0, 1]
    # Who holds a card that fits and passes does not block the hand.
    could = hand(
        ["Kc 4c 6c 10c", OTHERS, MORE], "Ks", "", max_turns=4, want=lambda p: p.row["turns", -1] == 4
    )
    assert could.row["blocked", -1] == 0


def test_K25_at_max_hands_the_lowest_score_wins() -> None:
    own = dict.fromkeys(POINTS, 10) | {"5": 5}
    options = {"points": own, "draw_count": 0, "hand_size": 1, "max_turns": 1, "players": 3, "max_hands": 1}
    played = play(design("kapaga", options, "random", unit="game"), 0, ["Kc", "Kd", "5h", "3s"])
    assert [played.game["place", seat] for seat in range(3)] == [5, 5, 2]
    assert (played.game["cut", -1], played.game["winners", -1]) == (1, 0b100)
    tie = play(design("kapaga", options, "random", unit="game"), 0, ["5d", "Kc", "5h", "3s"])
    assert [tie.game["place", seat] for seat in range(3)] == [3, 6, 3]
    assert tie.game["winners", -1] == 0b101


# The worked examples of the rules page.


def test_example_1_what_fits() -> None:
    script = [(0, "7c"), (0, "stop")]
    hands = ["7c 7d 4d 6d 10d", "3h 4h 6h 10h Jh", "7h 8s Qc Ad Joker"]
    played = hand(hands, "3c", "3s 4s", script, max_turns=2)
    assert played.turns() == [0, 2]
    assert played.decisions(2)[0] == [at.DECIDE_TURN, 5]
    top = build_tables(1, True, True, POINTS).fits[KIND_OF["7c"]]
    assert kinds(int(top)) & set(hands[2].split()) == {"7h", "8s", "Qc", "Joker"}


def test_example_2_an_ace_never_on_an_ace() -> None:
    script = [(0, "Ah"), (0, "alone")]
    played = hand(["Ah 3d 4d", "As Kh 8c", "3s 4s 6s"], "6h", "Js Qs", script, max_turns=2)
    assert played.decisions(2)[0] == [at.DECIDE_TURN, 3]


def test_example_3_twos_answer_twos() -> None:
    script = [(0, "2d"), (1, "2h"), (1, "2c"), (2, "take")]
    hands = ["2d Kd Kh Kc", "2h 2c 3h 4h", "3s 4s 6s 10s"]
    played = hand(hands, "3d", "9s Js Qs Ks 7s As 10h", script, max_turns=4)
    assert len([event for event in played.turn(3) if event[0] == at.DRAW]) == 6
    assert played.of(at.TURN)[3][:4] == [0, 4, 0, KIND_OF["2c"]]
    assert played.decisions(4)[0] == [at.DECIDE_TURN, 2]


def test_example_4_the_five_of_spades_and_the_two_of_spades() -> None:
    script = [(0, "5s"), (1, "2s"), (1, "2h")]
    # Hands are dealt one seat to the right of where the turned nine passes them.
    played = hand(["2h 2s 3h 4h", "3s 4s 6s 10s", "5s Kd Kh Kc"], "9s", "Js Qs", script, max_turns=3)
    assert played.decisions(2) == [[at.DECIDE_ATTACK, 2], [at.DECIDE_ADD, 2]]
    assert played.of(at.TURN)[2][2] == 9


def test_example_5_ace_and_nine_out() -> None:
    played = hand(["Ac 9c", "3h 4h", "3s 4s"], "4c", "Js Qs", [(0, "Ac"), (0, "9c")], max_turns=2)
    assert played.row["winner", -1] == 0
    assert played.of(at.PASS_HANDS) == []


def test_example_6_a_lone_last_ace_does_not_go_out() -> None:
    played = hand(["Ad", "3h", "3s"], "3d", "Js Qs", [(0, "Ad")], max_turns=1)
    assert played.row["winner", -1] == -1
    assert played.row["cards_left", 0] == 1


@pytest.mark.parametrize(("scored", "outcome"), [(50, at.RESETS), (55, at.LEAVES)])
def test_example_7_two_thousand_exactly(scored: int, outcome: int) -> None:
    own = dict.fromkeys(POINTS, 0) | {"K": 975, "Q": scored}
    options = {"points": own, "hand_size_two": 3, "players": 2, "draw_count": 0, "max_turns": 1}
    # The seat on the dealer's left gets two Kings and a Queen.
    deck = ["Kc", "3d", "Kd", "3h", "Qc", "4d", "6s"]
    played = play(design("kapaga", {**options, "max_hands": 1}, "random", unit="game"), 0, deck)
    assert played.of(at.SCORE)[0][:5] == [0, 1950 + scored, 0, 1950 + scored, outcome]


def test_example_8_sevens() -> None:
    for players, sevens, acts in ((2, 2, 0), (3, 1, 2), (3, 2, 0), (3, 3, 2)):
        test_K17_skips_go_round_the_opponents(players, sevens, acts)


# Event by event against the referee.

VARIANTS: list[dict[str, object]] = [
    {},
    {"players": 2},
    {"players": 3, "limit": 100},
    {"players": 7, "limit": 150, "peek_rate": 0.2, "misdeal_rate": 0.5},
    {"players": 10, "limit": 100, "packs": 2, "forget_rate": 0.5, "catch_rate": 0.5},
    {"players": 10, "hand_size": 10, "packs": 2, "limit": 300},
    {"players": 5, "hand_size": 10, "limit": 200, "draw_count": 3},
    {"players": 3, "packs": 3, "two_count": 10, "five_count": 10, "limit": 300},
    {"players": 3, "multi_play": False, "call_ranks": False, "ace_alone_draws": False, "limit": 100},
    {"players": 4, "draw_count": 0, "limit": 100, "exact_reset": False},
    {"players": 6, "hand_size": 8, "two_count": 0, "five_count": 1, "turnover_penalty": 500, "limit": 600},
    {"players": 3, "hand_size": 1, "hand_size_two": 1, "forget_rate": 1, "limit": 50},
    {"players": 4, "limit": 50, "points": dict.fromkeys(POINTS, 25), "max_hands": 6},
    {"players": 4, "max_turns": 5, "max_hands": 3, "limit": 100},
]
POLICIES: dict[str, list[str | Policy]] = {
    "random": ["random"],
    "balanced": ["balanced"],
    "all features": [
        Policy("all", {feature: (-1) ** i * (i % 4 + 1) for i, feature in enumerate(FEATURES)}, 2.0)
    ],
}


def flat(record: dict[str, Any]) -> Row:
    """Return a referee's record by metric and key."""
    found: Row = {}
    for metric, value in record.items():
        if isinstance(value, dict):
            found |= {(metric, at.RANK_NAMES.index(rank)): n for rank, n in value.items()}
        elif isinstance(value, list):
            found |= {(metric, key): n for key, n in enumerate(value)}
        else:
            found[metric, -1] = value
    return found


def assert_same(row: Row, record: dict[str, Any]) -> None:
    """Compare a row of a block with the record of the referee."""
    expected = flat(record)
    for column, value in row.items():
        if column[0] != "policy_winners":
            assert value == expected.get(column, 0), column


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("unit", ["hand", "game"])
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_every_event_and_record_is_the_referees(variant: int, unit: str, policy: str) -> None:
    given = dict(VARIANTS[variant])
    if COMPILED:
        given = {"max_turns": 200, "limit": 300, **given}
    else:
        given = {"max_turns": 30, "max_hands": 3, **given}
    experiment = design("kapaga", given, POLICIES[policy], seed=variant, unit=unit)
    options = referee.resolve(**given)
    for game in range(4 if COMPILED else 1):
        played = play(experiment, game)
        records, game_record = referee.check_game(played.events, options, unit == "game")
        assert len(records) == len(played.rows)
        for row, record in zip(played.rows, records, strict=True):
            assert_same(row, record)
        if game_record is not None:
            assert_same(played.game, game_record)
        untold = play(experiment, game, with_trace=False)
        assert untold.rows == played.rows


@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_cards_are_conserved(variant: int) -> None:
    given = {"max_turns": 60, **VARIANTS[variant]}
    experiment = design("kapaga", given, "random", seed=variant)
    players: int = experiment.options.players  # type: ignore[attr-defined]
    for game in range(10 if COMPILED else 1):
        played = play(experiment, game)
        stock = Counter(experiment.setup[1].deck.tolist())
        hands: list[Counter[int]] = [Counter() for _ in range(players)]
        discards: list[int] = []
        for code, seat, kind, other, *_ in played.events:
            if code in (at.DEAL, at.DRAW, at.TURN_UP):
                assert stock[kind] > 0
                stock[kind] -= 1
            if code in (at.DEAL, at.DRAW):
                hands[seat][kind] += 1
            elif code == at.TURN_UP:
                discards.append(kind)
            elif code == at.PUT:
                assert hands[seat][kind] > 0
                hands[seat][kind] -= 1
                discards.append(kind)
            elif code == at.RESHUFFLE:
                assert not stock.total()
                stock = Counter(discards[:-1])
                assert stock.total() == kind
                del discards[:-1]
            elif code == at.PASS_HANDS:
                hands = [hands[(place - kind + other) % players] for place in range(players)]
        assert [played.row["cards_left", seat] for seat in range(players)] == [h.total() for h in hands]
        assert sum(h.total() for h in hands) + len(discards) + stock.total() == len(experiment.setup[1].deck)


def test_policies_rotate_over_the_seats() -> None:
    policies = ["random", "dumper", "balanced"]
    options = {"players": 3, "max_turns": 60}
    rotating = design("kapaga", options, policies, seed=4)
    fixed = design("kapaga", options, policies, seed=4, fixed_seats=True)
    for game in range(30 if COMPILED else 4):
        row = play(rotating, game).row
        winner = row["winner", -1]
        assert row["policy_winners", -1] == (1 << (winner + game) % 3 if winner >= 0 else 0)
        row = play(fixed, game).row
        assert row["policy_winners", -1] == row["winners", -1]


def test_the_deal_is_the_same_for_all_rules_and_policies() -> None:
    plain = play(design("kapaga", {"max_turns": 20}, "random"), 8)
    other = play(design("kapaga", {"max_turns": 20, "multi_play": False, "two_count": 4}, "balanced"), 8)
    assert plain.of(at.DEAL) == other.of(at.DEAL)
    assert plain.of(at.TURN_UP) == other.of(at.TURN_UP)
    drawn = [[kind for _, kind, *_ in played.of(at.DRAW)][:5] for played in (plain, other)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("unit", "policy", "digest"),
    [
        ("hand", "random", "04ae4916a9ba"),
        ("game", "random", "cc9e358f1d40"),
        ("game", "all features", "ea118fdb140e"),
    ],
)
def test_compiled_or_not_the_same_hands_are_played(unit: str, policy: str, digest: str) -> None:
    options = {"players": 4, "packs": 2, "limit": 150, "max_turns": 40, "max_hands": 4}
    options |= {"forget_rate": 0.4, "catch_rate": 0.5, "peek_rate": 0.1}
    experiment = design("kapaga", options, POLICIES[policy], unit=unit)
    played = [play(experiment, game, with_trace=False) for game in range(3)]
    text = repr([[list(row.values()) for row in game.rows] for game in played])
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == digest


def test_a_game_does_not_depend_on_the_games_before_it() -> None:
    options = {"players": 5, "limit": 60, "max_turns": 50, "max_hands": 4}
    experiment = design("kapaga", options, "random", unit="game")
    rules, tables, policies = experiment.setup
    hands, games = new_block(len(at.HAND_COLUMNS), 12), new_block(len(at.GAME_COLUMNS), 3)
    done, rows = experiment.game.kernel.play(
        SEED, 7, 10, True, rules, tables, policies, experiment.game.new_scratch(), hands, games, None
    )
    assert done == 10
    together = rows_of(hands, at.HAND_COLUMNS, rows)
    alone = [row for game in (7, 8, 9) for row in play(experiment, game, with_trace=False).rows]
    assert together == alone
    assert rows_of(games, at.GAME_COLUMNS, 3) == [play(experiment, game).game for game in (7, 8, 9)]

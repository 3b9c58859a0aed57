"""Tests of the Cap Zap referee: the worked examples, each rule, whole games, and the values of others."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kernels.cap_zap import layout
from tests.referees.cap_zap import (
    DECK,
    EVENTS,
    KIND_NUMBERS,
    RandomTable,
    Record,
    Round,
    check_game,
    check_hand,
    play_game,
    play_hand,
    resolve,
    run_game,
    run_round,
    score_round,
    winning_sides,
    zaps,
)
from tests.referees.trace import EVENT_FIELDS, Event, RefereeError

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "cap-zap"

SCALARS = {column.metric for column in layout.HAND_COLUMNS if column.key < 0} - {"policy_winners"}

ALL_LETTERS = dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2)
A_M_Z = dict.fromkeys("AMZ", 20)

# Options that between them reach every branch of the rules.
VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "three players": {"players": 3},
    "five players, ten cards": {"players": 5, "hand_size": 10},
    "six players": {"players": 6, "shared_win": True, "target": 15},
    "two teams of two": {"players": 4, "teams": 2},
    "two teams of three": {"players": 6, "teams": 2, "bonus_stacks": True},
    "three teams": {"players": 6, "teams": 3, "hand_size": 4, "bonus_tricks": 3},
    "whole deck": {"hand_size": 25, "bonus_tricks": 15},
    "ends of the alphabet meet": {"players": 3, "wrap": True, "deck": ALL_LETTERS},
    "ends meet from afar": {"players": 4, "wrap": True, "reach": 5, "deck": {"A": 9, "E": 8, "V": 8, "Z": 9}},
    "far reach": {"players": 4, "teams": 2, "reach": 5},
    "no reach": {"players": 6, "reach": 0},
    "one letter": {"players": 3, "deck": {"G": 30}},
    "one card": {"players": 5, "hand_size": 1, "target": 100},
    "odd points": {"win_points": 7, "tie_points": 4, "bonus_points": 3, "sweep_points": 11, "target": 60},
    "ties count most": {
        "win_points": 0,
        "tie_points": 100,
        "bonus_points": 0,
        "sweep_points": 0,
        "players": 3,
    },
    "bonuses at once": {"players": 3, "bonus_tricks": 1, "bonus_stacks": True, "hand_size": 3},
    "a shared win": {"hand_size": 2, "target": 5, "shared_win": True, "sweep_points": 0},
    "no shared win": {"hand_size": 2, "target": 5, "sweep_points": 0},
    "few rounds": {"players": 4, "max_rounds": 3, "target": 500},
    "a single round": {"players": 4, "teams": 2, "max_rounds": 1},
    "nothing to score": {
        "win_points": 0,
        "tie_points": 0,
        "bonus_tricks": 9,
        "sweep_points": 0,
        "max_rounds": 9,
    },
}


class RecordingTable(RandomTable):
    """A random table that writes the trace of what it plays."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.events: list[Event] = []

    def deal(self, seat: int) -> str:
        letter = super().deal(seat)
        self.tell("", layout.DEAL, seat, KIND_NUMBERS[letter])
        return letter

    def choose(self, seat: int, choices: Sequence[str]) -> str:
        self.tell("", layout.DECISION, seat, layout.DECIDE_LETTER, len(choices))
        return super().choose(seat, choices)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        self.events.append(event(code, seat, *fields))


class ScriptedTable(RecordingTable):
    """A table that plays the given letters, one after the other."""

    def __init__(self, letters: Iterable[str] = ()) -> None:
        super().__init__(random.Random(0))
        self.script = list(letters)

    def choose(self, seat: int, choices: Sequence[str]) -> str:
        self.tell("", layout.DECISION, seat, layout.DECIDE_LETTER, len(choices))
        letter = self.script.pop(0)
        assert letter in choices
        return letter


def event(code: int, seat: int, *fields: int | str) -> Event:
    """Return an event's row; a letter may be given as such."""
    row = (code, seat, *(KIND_NUMBERS[field] if isinstance(field, str) else field for field in fields))
    return row + (0,) * (EVENT_FIELDS - len(row))


def trick(letters: str, leader: int = 0, **changes: Any) -> Round:
    """Return a round of as many players as letters, after a trick in which these were played."""
    changes = {"players": len(letters)} | changes
    state = Round(resolve(**changes), ScriptedTable(letters), leader)
    for position, letter in enumerate(letters):
        state.cards[state.seat_at(position)] = [letter]
    state.play_trick()
    return state


def scores(tricks: Sequence[int], **changes: Any) -> list[int]:
    """Return the points of sides that won so many tricks."""
    return score_round(resolve(**changes), tricks).points


# The worked examples of the rules page


def test_example_1() -> None:
    state = trick("CFDB")
    assert (state.tricks, state.zaps) == ([0, 0, 1, 0], 1)
    assert [row for row in state.table.events if row[0] == layout.ZAP] == [
        event(layout.ZAP, 2, "D", "C", 0, 1)
    ]


def test_example_2() -> None:
    state = trick("MNM")
    assert (state.tricks, state.zaps) == ([0, 0, 1], 2)
    assert state.record["held"] == {"M": 1}


@pytest.mark.parametrize(
    ("tricks", "points"),
    [
        ([4, 4, 0], [5, 5, 0]),
        ([3, 3, 2], [5, 5, 0]),
        ([6, 1, 1], [20, 0, 0]),
        ([8, 0, 0], [30, 0, 0]),
        ([5, 2, 1], [10, 0, 0]),
    ],
)
def test_example_3(tricks: list[int], points: list[int]) -> None:
    assert scores(tricks, players=3) == points


def test_example_4() -> None:
    assert winning_sides(resolve(), [55, 50], 6) == ([0], False)
    assert winning_sides(resolve(), [50, 50], 6) == ([], False)


# Each rule


def test_Z1_the_deck_has_fifty_cards() -> None:
    letters, copies = "ABCDFHIJLMNOPRST", [5, 4, 6, 3, 1, 4, 1, 3, 3, 3, 1, 2, 3, 2, 6, 3]
    assert dict(zip(letters, copies, strict=True)) == DECK
    assert sum(copies) == 50


def test_Z1_options_are_refused_if_unknown() -> None:
    assert resolve(deck={"Z": 40})["deck"] == {"Z": 40}
    for deck in ({"?": 60}, {"AB": 60}, {"A": 60, "B": -1}):
        with pytest.raises(ValueError, match="Z1"):
            resolve(deck=deck)
    with pytest.raises(ValueError, match="colour"):
        resolve(colour="red")


@pytest.mark.parametrize(
    ("reach", "wrap", "zapped"),
    [
        (0, False, "C"),
        (1, False, "BCD"),
        (3, False, "ABCDEF"),
        (3, True, "ABCDEFZ"),
        (5, False, "ABCDEFGH"),
        (5, True, "ABCDEFGHXYZ"),
    ],
)
def test_Z2_letters_in_reach(reach: int, wrap: bool, zapped: str) -> None:
    options = resolve(reach=reach, wrap=wrap)
    assert "".join(letter for letter in ALL_LETTERS if zaps(options, letter, "C")) == zapped
    assert "".join(letter for letter in ALL_LETTERS if zaps(options, "C", letter)) == zapped


def test_Z2_the_alphabet_has_ends() -> None:
    assert not zaps(resolve(), "A", "Z")
    assert zaps(resolve(wrap=True), "A", "Z")
    assert zaps(resolve(wrap=True), "Z", "A")
    assert not zaps(resolve(wrap=True), "B", "Z")


@pytest.mark.parametrize("teams", [0, 2])
def test_Z3_each_player_is_dealt_a_hand(teams: int) -> None:
    table = RecordingTable(random.Random(1))
    state = Round(resolve(players=4, teams=teams, hand_size=3), table, dealer=2)
    state.deal()
    assert [row[:2] for row in table.events] == [(layout.DEAL, seat) for seat in [2, 3, 0, 1] * 3]
    assert [len(cards) for cards in state.cards] == [3, 3, 3, 3]
    assert Counter(sum(state.cards, table.pile)) == DECK


def test_Z3_a_round_has_as_many_tricks_as_cards_dealt() -> None:
    for size in (1, 8, 25):
        record = play_hand(random.Random(size), resolve(hand_size=size))
        assert record["tricks"]["side0"] + record["tricks"]["side1"] == size
        assert record["decisions"] == 2 * size


def test_Z3_hands_must_fit() -> None:
    assert resolve(players=6, hand_size=8)
    with pytest.raises(ValueError, match="Z3"):
        resolve(players=6, hand_size=9)
    with pytest.raises(ValueError, match="Z3"):
        resolve(deck={"A": 5}, hand_size=3)
    with pytest.raises(ValueError, match="Z3"):
        resolve(hand_size=0)


def test_Z4_the_winner_leads_and_play_goes_clockwise() -> None:
    state = Round(resolve(players=3, hand_size=2), ScriptedTable("CFDATT"), dealer=1)
    state.cards = [["D", "A"], ["C", "T"], ["F", "T"]]
    state.play_trick()
    assert state.leader == 0
    state.play_trick()
    assert [row[1] for row in state.table.events if row[0] == layout.PLAY] == [1, 2, 0, 0, 1, 2]
    assert [row[:3] for row in state.table.events if row[0] == layout.TRICK] == [
        (layout.TRICK, 1, 1),
        (layout.TRICK, 0, 2),
    ]
    assert state.record["leads"] == {"C": 1, "A": 1}
    assert state.tricks == [2, 0, 0]


def test_Z5_any_letter_held_may_be_played() -> None:
    state = Round(resolve(), RandomTable(random.Random(1)))
    state.cards = [list("AAABZ"), list("AA")]
    chosen = Counter(state.choose(0) for _ in range(3000))
    assert set(chosen) == set("ABZ")
    # Letters are equally likely, however many copies are held: three cards of A count once.
    assert all(abs(many - 1000) < 4.5 * math.sqrt(3000 * 2 / 9) for many in chosen.values())
    assert state.choose(1) == "A"
    assert [state.record[name] for name in ("decisions", "choices", "forced")] == [3001, 9001, 1]


@pytest.mark.parametrize(
    ("letters", "winner", "changes"),
    [
        ("CFDB", 2, 1),  # B would have zapped C, which holds no more.
        ("CDEF", 3, 3),
        ("CAAA", 0, 0),
        ("AABB", 3, 3),
        ("MNOM", 2, 2),
        ("SSTR", 2, 2),
    ],
)
def test_Z6_the_last_holder_wins(letters: str, winner: int, changes: int) -> None:
    for leader in range(4):
        state = trick(letters, leader)
        assert state.leader == state.tricks.index(1) == (leader + winner) % 4
        assert state.zaps == changes
        assert state.record["won_at_position"] == {winner + 1: 1}
        assert state.record["won_by_leader"] == (winner == 0)
        assert state.record["won_by_last"] == (winner == 3)
        assert state.record["tricks_with_zaps"] == {changes: 1}
        assert state.record["zaps"][1] == changes


def test_Z7_a_teammate_is_zapped_like_any_other() -> None:
    state = trick("CADA", teams=2)
    assert (state.tricks, state.zaps) == ([0, 0, 1, 0], 1)


def test_Z8_most_tricks_or_a_tie() -> None:
    assert scores([5, 3]) == [10, 0]
    assert scores([4, 4]) == [5, 5]
    assert scores([2, 2, 2, 2], players=4) == [5, 5, 5, 5]
    assert scores([3, 2, 3], players=3, win_points=8, tie_points=3) == [3, 0, 3]
    assert scores([4, 1, 3], players=3, win_points=8, tie_points=3) == [8, 0, 0]
    assert score_round(resolve(players=4), [1, 3, 3, 1]).best == [1, 2]


@pytest.mark.parametrize(
    ("tricks", "changes", "expected"),
    [
        ([5, 3], {}, (10, False, False)),
        ([6, 2], {}, (20, True, False)),
        ([7, 1], {}, (20, True, False)),
        ([8, 0], {}, (30, False, True)),
        ([8, 0], {"bonus_stacks": True}, (40, True, True)),
        ([7, 1], {"bonus_stacks": True}, (20, True, False)),
        ([3, 0], {"bonus_stacks": True}, (30, False, True)),
        ([3, 0], {}, (30, False, True)),
        ([5, 3], {"bonus_tricks": 5, "bonus_points": 1}, (11, True, False)),
        ([8, 0], {"bonus_tricks": 9, "sweep_points": 3}, (13, False, True)),
        ([6, 6], {}, (5, False, False)),
    ],
)
def test_Z9_bonus_or_sweep(
    tricks: list[int], changes: dict[str, Any], expected: tuple[int, bool, bool]
) -> None:
    score = score_round(resolve(**changes), tricks)
    assert (score.points[0], score.bonus, score.sweep) == expected


def test_Z10_the_tricks_of_teammates_are_added() -> None:
    state = Round(resolve(players=4, teams=2), ScriptedTable())
    state.tricks = [3, 2, 2, 1]
    record, total = state.finish([10, 20])
    assert record["tricks"] == {"seat0": 3, "seat1": 2, "seat2": 2, "seat3": 1, "side0": 5, "side1": 3}
    assert (record["winner"], record["winners"], total) == (0, 0b01, [20, 20])


@pytest.mark.parametrize(
    ("points", "changes", "winners"),
    [
        ([45, 49], {}, []),
        ([45, 50], {}, [1]),
        ([70, 65], {}, [0]),
        ([70, 70], {}, []),
        ([70, 70], {"shared_win": True}, [0, 1]),
        ([70, 65], {"shared_win": True}, [0]),
        ([45, 45], {"shared_win": True}, []),
        ([50, 60, 60], {"players": 3}, []),
        ([50, 60, 60], {"players": 3, "shared_win": True}, [1, 2]),
        ([25, 20], {"target": 25}, [0]),
    ],
)
def test_Z11_who_has_won(points: list[int], changes: dict[str, Any], winners: list[int]) -> None:
    assert winning_sides(resolve(**changes), points, 9) == (winners, False)


def test_Z11_sides_with_most_tricks_share_a_single_round() -> None:
    state = Round(resolve(players=3), ScriptedTable())
    state.tricks = [3, 2, 3]
    record, _ = state.finish([0, 0, 0])
    assert (record["winner"], record["winners"]) == (-1, 0b101)
    assert (record["tied"], record["tied_by"], record["points"]) == (
        1,
        {2: 1},
        {"side0": 5, "side1": 0, "side2": 5},
    )


def test_Z11_points_add_up_over_the_rounds() -> None:
    hands, game = play_game(random.Random(3), resolve(players=3))
    assert game["rounds"] == game["hands"] == len(hands) > 1
    assert sum((hand["points"] for hand in hands), Counter()) == +game["points"]


def test_Z12_the_deal_passes_to_the_left() -> None:
    hands, _ = play_game(random.Random(4), resolve(players=4, target=300))
    assert len(hands) > 8
    assert [hand["starter"] for hand in hands] == [number % 4 for number in range(len(hands))]


def test_Z13_teams_sit_in_turn() -> None:
    for players, teams in [(4, 2), (6, 2), (6, 3)]:
        state = Round(resolve(players=players, teams=teams), ScriptedTable())
        assert [state.side_of(seat) for seat in range(players)] == [seat % teams for seat in range(players)]
    state = Round(resolve(players=5), ScriptedTable())
    assert [state.side_of(seat) for seat in range(5)] == [0, 1, 2, 3, 4]


def test_Z13_other_teams_are_refused() -> None:
    accepted = {(players, 0) for players in range(2, 7)} | {(4, 2), (6, 2), (6, 3)}
    for players in range(1, 8):
        for teams in range(7):
            if (players, teams) in accepted:
                assert resolve(players=players, teams=teams, hand_size=1)
            else:
                with pytest.raises(ValueError, match="Z13"):
                    resolve(players=players, teams=teams, hand_size=1)


def test_Z14_a_long_game_is_truncated() -> None:
    options = resolve(players=3, max_rounds=7)
    assert winning_sides(options, [30, 40, 40], 6) == ([], False)
    assert winning_sides(options, [30, 40, 40], 7) == ([1, 2], True)
    assert winning_sides(options, [45, 40, 40], 7) == ([0], True)
    # A win in the last round counts, but level sides have not won.
    assert winning_sides(options, [50, 40, 40], 7) == ([0], False)
    assert winning_sides(options, [50, 50, 40], 7) == ([0, 1], True)


def test_Z14_only_so_many_rounds_are_played() -> None:
    options = resolve(win_points=0, tie_points=0, bonus_points=0, sweep_points=0, max_rounds=4, hand_size=1)
    _, game = play_game(random.Random(5), options)
    assert game == {
        "winners": 0b11,
        "hands": 4,
        "rounds": 4,
        "truncated": 1,
        "points": {"side0": 0, "side1": 0},
    }


# Whole games


@pytest.mark.parametrize("name", VARIANTS)
def test_walk_keeps_the_invariants(name: str) -> None:
    options = resolve(**VARIANTS[name])
    players, size = options["players"], options["hand_size"]
    deck = Counter({letter: many for letter, many in options["deck"].items() if many})
    for seed in range(20):
        table = RecordingTable(random.Random(seed))
        state = Round(options, table, dealer=seed % players)
        state.deal()
        put_down = list[str]()
        while state.done < size:
            led_by = state.leader
            state.play_trick()
            put_down += state.played
            assert Counter(sum(state.cards, put_down + table.pile)) == deck
            assert [len(cards) for cards in state.cards] == [size - state.done] * players
            assert len(state.played) == players
            assert state.zaps <= state.held_by
            assert (state.leader == led_by) == (state.zaps == 0)
            assert sum(state.tricks) == state.done
        record, total = state.finish([1] * state.sides)
        tricks, points = record["tricks"], record["points"]
        sides = range(state.sides)
        most = max(tricks[f"side{side}"] for side in sides)
        best = [side for side in sides if tricks[f"side{side}"] == most]
        assert record["winners"] == sum(1 << side for side in best)
        assert record["tied"] == (len(best) > 1) == sum(record["tied_by"].values())
        assert record["tied_by"][len(best)] == record["tied"]
        assert total == [1 + points[f"side{side}"] for side in sides]
        assert sum(tricks[f"seat{seat}"] for seat in range(players)) == size
        assert sum(tricks[f"side{side}"] for side in sides) == size
        assert record["sweeps"] == (most == size)
        assert record["tied"] + record["bonuses"] <= 1
        assert record["plays"] == Counter(put_down)
        assert record["leads"] <= record["plays"]
        assert record["held"] <= record["plays"]
        for metric in ("leads", "held", "won_at_position", "tricks_with_zaps"):
            assert record[metric].total() == size
        changes_of_holder = sum(many * count for many, count in record["tricks_with_zaps"].items())
        assert changes_of_holder == record["zaps"].total()
        assert set(record["zaps"]) == set(range(1, size + 1))
        assert record["won_by_leader"] == record["won_at_position"][1] == record["tricks_with_zaps"][0]
        assert record["won_by_last"] == record["won_at_position"][players]
        assert record["decisions"] == players * size
        assert players <= record["forced"] <= record["decisions"] <= record["choices"]
        assert {metric for metric, value in record.items() if isinstance(value, int)} == SCALARS


@pytest.mark.parametrize("name", VARIANTS)
def test_games_end_as_they_must(name: str) -> None:
    options = resolve(**VARIANTS[name])
    for seed in range(8):
        hands, game = play_game(random.Random(seed), options)
        points = [game["points"][f"side{side}"] for side in range(options["teams"] or options["players"])]
        highest = [side for side, number in enumerate(points) if number == max(points)]
        assert game["winners"] == sum(1 << side for side in highest)
        assert 1 <= game["rounds"] == len(hands) <= options["max_rounds"]
        if game["truncated"]:
            assert game["rounds"] == options["max_rounds"]
        else:
            assert max(points) >= options["target"]
            assert len(highest) == 1 or options["shared_win"]


def test_records_name_every_column() -> None:
    hands, game = play_game(random.Random(1), resolve())
    assert set(hands[0]) == {column.metric for column in layout.HAND_COLUMNS} - {"policy_winners"}
    assert set(game) == {column.metric for column in layout.GAME_COLUMNS} - {"policy_winners"}
    for metric in SCALARS:
        assert type(hands[0][metric]) is int


def test_variants_reach_every_event_and_end() -> None:
    events, ends, bonuses, ties = set(), set(), set(), set()
    for changes in VARIANTS.values():
        for seed in range(8):
            trace, hands, game = trace_of(changes, seed, by_game=True)
            events |= {row[0] for row in trace}
            ends.add((game["truncated"], game["winners"].bit_count() > 1))
            bonuses |= {(hand["bonuses"], hand["sweeps"]) for hand in hands}
            ties |= {sides for hand in hands for sides in hand["tied_by"]}
    assert events == set(EVENTS)
    assert ends == {(0, False), (0, True), (1, False), (1, True)}
    assert bonuses == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert ties >= {2, 3, 4}


# Checking traces


def trace_of(
    changes: dict[str, Any], seed: int, by_game: bool
) -> tuple[list[Event], list[Record], Record | None]:
    """Return the trace of a random game or round, and its records."""
    table, options = RecordingTable(random.Random(seed)), resolve(**changes)
    if by_game:
        return table.events, *run_game(options, table)
    sides = options["teams"] or options["players"]
    return table.events, [run_round(options, table, 0, 0, [0] * sides)[0]], None


@pytest.mark.parametrize("by_game", [True, False])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_true_trace_gives_the_same_records(name: str, by_game: bool) -> None:
    for seed in range(4):
        events, hands, game = trace_of(VARIANTS[name], seed, by_game)
        assert check_game(events, resolve(**VARIANTS[name]), by_game) == (hands, game)


def is_accepted(events: list[Event], changes: dict[str, Any], by_game: bool) -> bool:
    """Return whether the referee finds nothing wrong with a trace."""
    try:
        check_game(events, resolve(**changes), by_game)
    except RefereeError:
        return False
    return True


def spoilt(events: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """Yield traces that are each wrong in one way.

    Even another letter in a DEAL or a PLAY is always wrong: every card dealt is played in its round.
    """
    for index, row in enumerate(events):
        name = f"{index}: {row}"
        before, after = events[:index], events[index + 1 :]
        yield f"without {name}", before + after
        yield f"twice {name}", [*before, row, row, *after]
        if after:
            yield f"too late {name}", [*before, after[0], row, *after[1:]]
        for field in range(EVENT_FIELDS):
            for change in (1, -1):
                changed = (*row[:field], row[field] + change, *row[field + 1 :])
                yield f"field {field} {change:+} of {name}", [*before, changed, *after]


@pytest.mark.parametrize(
    ("changes", "by_game"),
    [
        ({}, False),
        ({"players": 3, "hand_size": 3}, False),
        ({"players": 4, "teams": 2, "hand_size": 4, "reach": 3, "bonus_tricks": 3}, False),
        ({"players": 3, "deck": {"A": 3, "B": 3, "Z": 3}, "hand_size": 3, "wrap": True}, False),
        ({"hand_size": 2, "target": 30, "shared_win": True}, True),
        ({"hand_size": 2, "max_rounds": 3, "target": 200}, True),
    ],
)
def test_any_spoilt_event_is_refused(changes: dict[str, Any], by_game: bool) -> None:
    for seed in range(2):
        events, _, _ = trace_of(changes, seed, by_game)
        assert is_accepted(events, changes, by_game)
        for wrong, trace in spoilt(events):
            assert not is_accepted(trace, changes, by_game), wrong


@pytest.mark.parametrize(
    ("played", "checked", "rule"),
    [
        ({"deck": DECK | {"A": 6, "B": 3}, "hand_size": 25}, {"hand_size": 25}, "Z1"),
        ({"deck": DECK | {"A": 6}}, {}, "Z1"),
        ({"reach": 0}, {"reach": 1}, "Z2"),
        ({"reach": 2}, {"reach": 1}, "Z6"),
        ({"wrap": True, "deck": A_M_Z}, {"deck": A_M_Z}, "Z6"),
        ({"deck": A_M_Z}, {"wrap": True, "deck": A_M_Z}, "Z2"),
        ({"hand_size": 7}, {}, "Z3"),
        ({"players": 3}, {}, "Z3"),
        (
            {"win_points": 9, "bonus_tricks": 9, "sweep_points": 10},
            {"bonus_tricks": 9, "sweep_points": 9},
            "Z8",
        ),
        ({"tie_points": 4}, {}, "Z8"),
        ({"bonus_tricks": 7}, {}, "Z9"),
        ({"bonus_points": 11}, {}, "Z9"),
        ({"sweep_points": 15}, {}, "Z9"),
        ({"bonus_stacks": True}, {}, "Z9"),
        ({"players": 4}, {"players": 4, "teams": 2}, "Z10"),
        ({"target": 60}, {}, "Z11"),
        ({"target": 40}, {}, "Z11"),
        ({"target": 5, "hand_size": 2, "shared_win": True}, {"target": 5, "hand_size": 2}, "Z11"),
        ({"max_rounds": 2}, {}, "Z11"),
        ({}, {"max_rounds": 2}, "Z14"),
    ],
)
def test_a_game_by_other_rules_is_refused(played: dict[str, Any], checked: dict[str, Any], rule: str) -> None:
    rules = set()
    for seed in range(20):
        events, _, _ = trace_of(played, seed, by_game=True)
        try:
            check_game(events, resolve(**checked), by_game=True)
        except RefereeError as error:
            rules.add(error.rule)
    assert rule in rules
    assert len(rules) <= 2, rules


# A game of one round written out by the rules: three cards each, the last of each forced.
SMALL = resolve(deck={"B": 2, "C": 2, "D": 1, "F": 1}, hand_size=3, target=20, bonus_tricks=2)
WRITTEN = [
    event(layout.ROUND, 0, 0, 6, 3),
    event(layout.DEAL, 0, "C"),
    event(layout.DEAL, 1, "D"),
    event(layout.DEAL, 0, "C"),
    event(layout.DEAL, 1, "B"),
    event(layout.DEAL, 0, "F"),
    event(layout.DEAL, 1, "B"),
    event(layout.TRICK, 0, 1),
    event(layout.DECISION, 0, 1, 2),
    event(layout.PLAY, 0, "C", 1, 2),
    event(layout.DECISION, 1, 1, 2),
    event(layout.PLAY, 1, "D", 2, 2),
    event(layout.ZAP, 1, "D", "C", 0, 1),
    event(layout.TRICK_END, 1, "D", 2, 1, 1, 1),
    event(layout.TRICK, 1, 2),
    event(layout.DECISION, 1, 1, 1),
    event(layout.PLAY, 1, "B", 1, 1),
    event(layout.DECISION, 0, 1, 2),
    event(layout.PLAY, 0, "F", 2, 1),
    event(layout.TRICK_END, 1, "B", 1, 0, 2, 2),
    event(layout.TRICK, 1, 3),
    event(layout.DECISION, 1, 1, 1),
    event(layout.PLAY, 1, "B", 1, 0),
    event(layout.DECISION, 0, 1, 1),
    event(layout.PLAY, 0, "C", 2, 0),
    event(layout.ZAP, 0, "C", "B", 1, 1),
    event(layout.TRICK_END, 0, "C", 2, 1, 1, 1),
    event(layout.SCORE, 0, 1, 0, 0),
    event(layout.SCORE, 1, 2, 20, 20),
    event(layout.ROUND_END, 1, 1, 2, 1, 0),
    event(layout.GAME_END, 1, 0b10, 1, 0),
]


def test_a_written_game_is_accepted() -> None:
    hands, game = check_game(WRITTEN, SMALL, by_game=True)
    assert hands == [
        {
            "starter": 0,
            "winner": 1,
            "winners": 0b10,
            "sweeps": 0,
            "bonuses": 1,
            "tied": 0,
            "won_by_leader": 1,
            "won_by_last": 2,
            "decisions": 6,
            "choices": 9,
            "forced": 3,
            "tricks": {"seat0": 1, "seat1": 2, "side0": 1, "side1": 2},
            "points": {"side0": 0, "side1": 20},
            "tied_by": {},
            "tricks_with_zaps": {0: 1, 1: 2},
            "won_at_position": {1: 1, 2: 2},
            "zaps": {1: 1, 2: 0, 3: 1},
            "plays": {"B": 2, "C": 2, "D": 1, "F": 1},
            "leads": {"B": 2, "C": 1},
            "held": {"B": 1, "C": 1, "D": 1},
        }
    ]
    assert game == {
        "winners": 0b10,
        "hands": 1,
        "rounds": 1,
        "truncated": 0,
        "points": {"side0": 0, "side1": 20},
    }
    assert check_hand(WRITTEN[:-1], SMALL) == hands[0]


@pytest.mark.parametrize(
    ("index", "row", "rule", "words_of_it"),
    [
        (0, event(layout.ROUND, 1, 0, 6, 3), "Z12", "expected ROUND"),
        (0, event(layout.ROUND, 0, 0, 7, 3), "Z1", "cards in the deck 6"),
        (0, event(layout.ROUND, 0, 0, 6, 2), "Z3", "tricks 3"),
        (0, event(layout.ROUND, 0, 1, 6, 3), "Z3", "number 0"),
        (2, event(layout.DEAL, 0, "D"), "Z3", "expected DEAL"),
        (4, event(layout.DEAL, 1, "D"), "Z1", "no further D"),
        (4, event(layout.DEAL, 1, 26), "Z1", "no letter 26"),
        (6, event(layout.TRICK, 0, 1), "Z3", "found TRICK"),
        (8, event(layout.DECISION, 1, 1, 2), "Z4", r"expected DECISION \(seat 0"),
        (8, event(layout.DECISION, 0, 1, 3), "Z5", "among C, F"),
        (9, event(layout.PLAY, 0, "B", 1, 2), "Z5", "holds only C, F"),
        (9, event(layout.PLAY, 1, "D", 1, 2), "Z4", "expected PLAY"),
        (11, event(layout.PLAY, 1, "D", 1, 2), "Z4", "position 2"),
        (
            12,
            event(layout.TRICK_END, 0, "C", 1, 0, 1, 1),
            "Z2",
            r"expected ZAP \(seat 1, letter D, letter zapped C",
        ),
        (12, event(layout.ZAP, 1, "D", "B", 0, 1), "Z6", "letter zapped B"),
        (13, event(layout.TRICK_END, 0, "C", 1, 1, 1, 1), "Z6", "expected TRICK_END"),
        (14, event(layout.TRICK, 0, 2), "Z4", "expected TRICK"),
        (19, event(layout.ZAP, 0, "F", "B", 1, 1), "Z6", "found ZAP"),
        (26, event(layout.TRICK_END, 0, "C", 2, 1, 1, 2), "Z10", "tricks of its side 2"),
        (27, event(layout.SCORE, 0, 2, 0, 0), "Z10", "side 0, tricks 1"),
        (27, event(layout.SCORE, 0, 1, 5, 5), "Z8", "points 5"),
        (28, event(layout.SCORE, 1, 2, 10, 10), "Z9", "points 20"),
        (28, event(layout.SCORE, 1, 2, 20, 30), "Z11", "points so far 20"),
        (29, event(layout.ROUND_END, 0, 1, 2, 1, 0), "Z8", "expected ROUND_END"),
        (29, event(layout.ROUND_END, 1, 1, 2, 0, 1), "Z9", "bonus 1"),
        (30, event(layout.GAME_END, 1, 0b11, 1, 0), "Z11", "mask of winners 2"),
        (30, event(layout.GAME_END, 1, 0b10, 1, 1), "Z14", "truncated 0"),
        (30, event(layout.ROUND, 1, 1, 6, 3), "Z11", "expected GAME_END"),
        (30, event(99, 1), "Z11", "unknown event 99"),
    ],
)
def test_an_error_names_rule_and_event(index: int, row: Event, rule: str, words_of_it: str) -> None:
    trace = [*WRITTEN[:index], row, *WRITTEN[index + 1 :]]
    with pytest.raises(RefereeError, match=words_of_it) as caught:
        check_game(trace, SMALL, by_game=True)
    assert (caught.value.rule, caught.value.index) == (rule, index)
    assert f"event {index} breaks {rule}" in str(caught.value)


def test_an_error_names_the_rule_of_teammates() -> None:
    changes = {"players": 4, "teams": 2, "deck": {"A": 2, "M": 2}, "hand_size": 1}
    for seed in range(20):
        events, _, _ = trace_of(changes, seed, by_game=False)
        index = next((index for index, row in enumerate(events) if row[0] == layout.ZAP), 0)
        if index and (events[index][1] - events[index][4]) % 2 == 0:
            break
    with pytest.raises(RefereeError) as caught:
        check_hand(events[:index] + events[index + 1 :], resolve(**changes))
    assert (caught.value.rule, caught.value.index) == ("Z7", index)


def test_a_trace_must_end_with_its_round_or_game() -> None:
    for index in range(len(WRITTEN)):
        with pytest.raises(RefereeError, match="the trace stops"):
            check_game(WRITTEN[:index], SMALL, by_game=True)
    with pytest.raises(RefereeError, match="all is over"):
        check_game([*WRITTEN, WRITTEN[0]], SMALL, by_game=True)
    with pytest.raises(RefereeError, match="all is over"):
        check_hand(WRITTEN, SMALL)
    with pytest.raises(ValueError, match="fields"):
        check_hand([(1, 2, 3)], SMALL)


def test_another_seat_may_deal_a_single_round() -> None:
    options = resolve(players=3)
    table = RecordingTable(random.Random(8))
    record, _ = run_round(options, table, 2, 0, [0, 0, 0])
    assert check_hand(table.events, options, dealer=2) == record
    assert record["starter"] == 2
    with pytest.raises(RefereeError, match="Z12"):
        check_hand(table.events, options)


# The values of others


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of a sample and its standard error."""
    count = len(values)
    mean = sum(values) / count
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)


def value_of(record: Record, statistic: str) -> float:
    """Return a record's value under a name of the cases."""
    metric, _, label = statistic.partition(".")
    if metric == "win":
        return (record["winners"] >> int(label.removeprefix("side")) & 1) / record["winners"].bit_count()
    if not label:
        return record[metric]
    return record[metric][int(label) if label.isdecimal() else label]


def random_hands(options: dict[str, Any]) -> list[Record]:
    """Return the records of random rounds."""
    rng = random.Random(20_50)
    return [play_hand(rng, options) for _ in range(3000)]


def random_games(options: dict[str, Any]) -> list[Record]:
    """Return the records of random games."""
    rng = random.Random(50_20)
    return [play_game(rng, options)[1] for _ in range(1200)]


@pytest.mark.skipif(not CASES.is_dir(), reason=f"the values of others are not here: no folder {CASES}")
@pytest.mark.parametrize("name", ["p2-hand", "p4-hand", "p4_t2-hand", "p2-game", "p4-game", "p4_t2-game"])
def test_random_play_agrees_with_others(name: str) -> None:
    case = json.loads((CASES / f"{name}.json").read_text())
    play: Callable[[dict[str, Any]], list[Record]] = {"hand": random_hands, "game": random_games}[
        case["unit"]
    ]
    records = play(resolve(**case["options"]))
    apart = {}
    for statistic, theirs in case["stats"].items():
        mean, error = mean_and_error([value_of(record, statistic) for record in records])
        if abs(mean - theirs["mean"]) > 4.5 * math.hypot(error, theirs["se"]):
            apart[statistic] = (mean, error, theirs)
    assert apart == {}

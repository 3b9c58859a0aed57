"""Cap Zap's kernel, rule by rule, and card by card against the referee."""

import hashlib
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fastsim.catalog.cap_zap.options import CapZapOptions
from fastsim.experiment import Experiment, design
from fastsim.policy import Policy
from kernels.blocks import as_table, new_block
from kernels.cap_zap import layout as at
from kernels.cap_zap.tables import FEATURES, build_tables
from kernels.trace import events_of, new_trace
from tests.referees import cap_zap as referee

pytestmark = pytest.mark.kernel

SEED = np.uint64(11)
Row = dict[tuple[str, int], int]


@dataclass
class Played:
    """One game: its events, the rows of its rounds by metric and key, and its own row."""

    events: list[list[int]]
    rounds: list[Row]
    game: Row

    def of(self, code: int) -> list[list[int]]:
        """Return the events of one code, without the code."""
        return [event[1:] for event in self.events if event[0] == code]

    def winners(self) -> list[int]:
        """Return the seat that won each trick."""
        return [seat for seat, *_ in self.of(at.TRICK_END)]

    def points(self, number: int = 0) -> list[int]:
        """Return the points of each side in a round."""
        sides = len({event[0] for event in self.of(at.SCORE)})
        return [self.rounds[number]["points", side] for side in range(sides)]


def letters(kinds: Sequence[int]) -> str:
    """Return letters by their numbers."""
    return "".join(at.KIND_NAMES[kind] for kind in kinds)


def rows_of(block: np.ndarray, columns: Sequence[Any], rows: int) -> list[Row]:
    """Return the rows of a block by metric and key."""
    table = as_table(block, len(columns), rows).T.tolist()
    keys = [(column.metric, column.key) for column in columns]
    return [dict(zip(keys, row, strict=True)) for row in table]


def run(
    experiment: Experiment, game: int = 0, setup: tuple[Any, Any, Any] | None = None, with_trace: bool = True
) -> Played:
    """Play one game of an experiment."""
    rules, tables, policies = setup or experiment.setup
    hands = new_block(len(at.HAND_COLUMNS), rules.max_rounds)
    games = new_block(len(at.GAME_COLUMNS), 1)
    trace = new_trace(60_000) if with_trace else None
    by_game = experiment.unit == "game"
    scratch = experiment.game.new_scratch()
    following, rows = experiment.game.kernel.play(
        SEED, game, game + 1, by_game, rules, tables, policies, scratch, hands, games, trace
    )
    assert following == game + 1
    return Played(
        events=events_of(trace).tolist() if trace is not None else [],
        rounds=rows_of(hands, at.HAND_COLUMNS, rows),
        game=rows_of(games, at.GAME_COLUMNS, 1)[0],
    )


def stage(*seats: str, unit: str = "hand", teams: int = 0, **options: Any) -> Played:
    """Return a game in which every seat plays its letters in the order given.

    Each seat is dealt exactly its letters, whoever deals in the first round. It plays them in order
    because it likes each letter better than those that come later, so all cards of one letter
    must be given one after the other.
    """
    size = len(seats[0])
    order = [hand[card] for card in range(size) for hand in seats]
    given = {"players": len(seats), "teams": teams, "hand_size": size, "deck": dict(Counter(order))} | options
    liking = Policy("in order", {"common": 1.0})
    experiment = design("cap-zap", given, [liking] * len(seats), fixed_seats=True, unit=unit)
    rules, tables, policies = experiment.setup
    for seat, hand in enumerate(seats):
        assert [*dict.fromkeys(hand)] == [pair[0] for pair in pairwise(hand + " ") if pair[0] != pair[1]]
        policies.letter_score[seat] = [-hand.index(k) if k in hand else -99 for k in at.KIND_NAMES]
    setup = (
        rules._replace(shuffle=0),
        tables._replace(deck=np.array([at.KIND_NAMES.index(letter) for letter in order], dtype=np.uint8)),
        policies,
    )
    return run(experiment, setup=setup)


def in_teams(players: int, teams: int = 0, **options: Any) -> Experiment:
    """Return an experiment of single rounds with the random policy."""
    return design("cap-zap", {"players": players, "teams": teams, **options}, "random")


# The rules, by id.


def test_Z1_the_deck_is_the_capitals_by_first_letter() -> None:
    _, tables, _ = design("cap-zap", {}, "random").setup
    assert len(tables.deck) == 50
    expected = Counter(capital[0] for capital in referee.CAPITALS.split(", "))
    assert Counter(letters(tables.deck)) == expected
    assert {k: n for k, n in zip(at.KIND_NAMES, tables.copies.tolist(), strict=True) if n} == dict(expected)


def test_Z1_a_deck_of_counts_is_played_with() -> None:
    played = run(design("cap-zap", {"deck": {"Q": 9, "Z": 4, "A": 0, "U": 3}}, "random"))
    dealt = Counter(letters([kind for _, kind, *_ in played.of(at.DEAL)]))
    assert dealt == Counter("Q" * 9 + "Z" * 4 + "U" * 3)


@pytest.mark.parametrize("reach", range(6))
@pytest.mark.parametrize("wrap", [False, True])
def test_Z2_letters_within_reach_zap(reach: int, wrap: bool) -> None:
    tables = build_tables([0], reach, wrap)
    options = {"reach": reach, "wrap": wrap}
    for holder, name in enumerate(at.KIND_NAMES):
        zapping = {k for i, k in enumerate(at.KIND_NAMES) if int(tables.zaps[holder]) >> i & 1}
        assert zapping == {k for k in at.KIND_NAMES if referee.zaps(options, k, name)}


def test_Z2_the_alphabet_has_ends_unless_it_wraps() -> None:
    assert stage("A", "Z").winners() == [0]
    assert stage("A", "Z", wrap=True).winners() == [1]
    assert stage("Y", "B", wrap=True, reach=2).winners() == [0]
    assert stage("Y", "B", wrap=True, reach=3).winners() == [1]


@pytest.mark.parametrize("options", [{}, {"players": 4, "teams": 2}, {"players": 6, "hand_size": 3}])
def test_Z3_each_player_is_dealt_the_hand_size_and_plays_it_all(options: dict[str, Any]) -> None:
    played = run(design("cap-zap", options, "random"))
    players, size = options.get("players", 2), options.get("hand_size", 8)
    assert [event[0] for event in played.of(at.DEAL)] == [*range(players)] * size
    assert len(played.of(at.TRICK_END)) == size
    assert played.rounds[0]["decisions", -1] == players * size


@pytest.mark.compiled
def test_Z3_every_card_is_equally_likely_in_every_place() -> None:
    experiment = design("cap-zap", {"players": 3, "hand_size": 2, "deck": {"A": 2, "G": 1, "M": 5}}, "random")
    n = 4000
    seen = Counter()
    for game in range(n):
        for place, (_, kind, *_) in enumerate(run(experiment, game).of(at.DEAL)):
            seen[place, letters([kind])] += 1
    for place in range(6):
        for letter, copies in {"A": 2, "G": 1, "M": 5}.items():
            share = copies / 8
            error = math.sqrt(n * share * (1 - share))
            assert abs(seen[place, letter] - n * share) < 4.5 * error


def test_Z4_the_dealer_leads_and_then_who_won_and_play_goes_clockwise() -> None:
    played = stage("CK", "FD", "DR", "BS")
    assert played.winners() == [2, 3]
    assert [event[0] for event in played.of(at.TRICK)] == [0, 2]
    assert [event[:3] for event in played.of(at.PLAY)] == [
        [seat, at.KIND_NAMES.index(letter), place]
        for seat, letter, place in [
            (0, "C", 1), (1, "F", 2), (2, "D", 3), (3, "B", 4),
            (2, "R", 1), (3, "S", 2), (0, "K", 3), (1, "D", 4),
        ]
    ]  # fmt: skip


def test_Z5_every_letter_held_is_a_choice() -> None:
    played = run(in_teams(4))
    hands = [Counter[int]() for _ in range(4)]
    for seat, kind, *_ in played.of(at.DEAL):
        hands[seat][kind] += 1
    choices = []
    for (seat, decision, offered, *_), (player, kind, *_) in zip(
        played.of(at.DECISION), played.of(at.PLAY), strict=True
    ):
        assert (seat, decision) == (player, at.DECIDE_LETTER)
        assert offered == len(+hands[seat])
        choices.append(offered)
        hands[seat][kind] -= 1
        assert hands[seat][kind] >= 0
    row = played.rounds[0]
    assert (row["decisions", -1], row["choices", -1]) == (32, sum(choices))
    assert row["forced", -1] == choices.count(1)


@pytest.mark.compiled
def test_Z5_random_takes_every_letter_as_equally_likely() -> None:
    experiment = in_teams(2)
    chosen: dict[int, Counter[int]] = {}
    for game in range(2500):
        hands = [Counter[int]() for _ in range(2)]
        for code, seat, kind, *_ in run(experiment, game).events:
            if code == at.DEAL:
                hands[seat][kind] += 1
            elif code == at.PLAY:
                held = sorted(+hands[seat])
                chosen.setdefault(len(held), Counter())[held.index(kind)] += 1
                hands[seat][kind] -= 1
    for choices, counts in chosen.items():
        n = counts.total()
        for place in range(choices):
            error = math.sqrt(n / choices * (1 - 1 / choices))
            assert abs(counts[place] - n / choices) <= 4.5 * error


def test_Z6_worked_example_1() -> None:
    played = stage("C", "F", "D", "B")
    assert played.winners() == [2]
    assert [event[:5] for event in played.of(at.ZAP)] == [[2, 3, 2, 0, 1]]
    assert played.of(at.TRICK_END)[0][:4] == [2, 3, 3, 1]


def test_Z6_worked_example_2() -> None:
    played = stage("M", "N", "M")
    assert played.winners() == [2]
    assert [event[0] for event in played.of(at.ZAP)] == [1, 2]


def test_Z6_what_does_not_zap_the_holder_has_no_effect() -> None:
    # E zaps D, the new holder; C would have zapped the card led, but not E.
    assert stage("C", "D", "E", "C").winners() == [2]
    assert stage("C", "J", "T", "Z").winners() == [0]


def test_Z6_records_of_tricks() -> None:
    row = stage("CHX", "DKX", "MKY").rounds[0]
    # C is zapped by D; then 1 leads K, zapped by the K of 2; then 2 leads Y, zapped by both Xs.
    assert [row["zaps", trick] for trick in range(4)] == [1, 1, 2, 0]
    assert [row["tricks_with_zaps", zaps] for zaps in range(3)] == [0, 2, 1]
    assert [row["won_at_position", place] for place in range(3)] == [0, 2, 1]
    assert (row["won_by_leader", -1], row["won_by_last", -1]) == (0, 1)
    by_letter = {
        name: {at.KIND_NAMES[k]: row[name, k] for k in range(at.KINDS) if row[name, k]}
        for name in ("plays", "leads", "held")
    }
    assert by_letter == {
        "plays": {"C": 1, "H": 1, "X": 2, "D": 1, "K": 2, "M": 1, "Y": 1},
        "leads": {"C": 1, "K": 1, "Y": 1},
        "held": {"D": 1, "K": 1, "X": 1},
    }


def test_Z7_a_teammate_is_zapped_like_anyone() -> None:
    played = stage("C", "Z", "B", "M", teams=2)
    assert played.winners() == [2]
    assert played.of(at.ZAP)[0][:4] == [2, 1, 2, 0]


EXAMPLE_3 = [
    (("CCCCCKKK", "XXXXCRRR", "HHHHHHHH"), [4, 4, 0], [5, 5, 0]),
    (("CCCCKKKK", "XXXCRRRW", "VVVVVVSM"), [3, 3, 2], [5, 5, 0]),
    (("CCCCCCKM", "XXXXXXKR", "VVVVVVVS"), [6, 1, 1], [20, 0, 0]),
    (("CCCCCCCC", "XXXXXXXX", "HHHHHHHH"), [8, 0, 0], [30, 0, 0]),
    (("CCCCCKMM", "XXXXXKRU", "VVVVVVVT"), [5, 2, 1], [10, 0, 0]),
]


@pytest.mark.parametrize(("seats", "tricks", "points"), EXAMPLE_3)
def test_Z8_worked_example_3(seats: tuple[str, ...], tricks: list[int], points: list[int]) -> None:
    played = stage(*seats)
    row = played.rounds[0]
    assert [row["tricks", seat] for seat in range(3)] == tricks
    assert played.points() == points
    assert [event[:4] for event in played.of(at.SCORE)] == [
        [side, tricks[side], points[side], points[side]] for side in range(3)
    ]
    tied = tricks[0] == tricks[1]
    assert (row["tied", -1], row["tied_by", 2], row["tied_by", 3]) == (tied, tied, 0)
    assert (row["winner", -1], row["winners", -1]) == ((-1, 3) if tied else (0, 1))
    assert (row["bonuses", -1], row["sweeps", -1]) == (tricks[0] == 6, tricks[0] == 8)


def test_Z8_points_are_options_and_however_many_tie_each_scores_the_same() -> None:
    assert stage("CC", "HH", win_points=3, sweep_points=7).points() == [10, 0]
    tied = stage("GG", "GG", tie_points=4)
    assert (tied.winners(), tied.points()) == ([1, 0], [4, 4])
    three = stage("GGG", "GGG", "GGG")
    assert three.winners() == [2, 1, 0]
    assert three.points() == [5, 5, 5]
    assert three.rounds[0]["tied_by", 3] == 1
    assert three.rounds[0]["winners", -1] == 7


@pytest.mark.parametrize(
    ("options", "points", "bonus"),
    [
        ({}, 30, 0),
        ({"bonus_stacks": True}, 40, 1),
        ({"bonus_stacks": True, "bonus_tricks": 9}, 30, 0),
        ({"sweep_points": 1, "bonus_points": 2, "bonus_stacks": True}, 13, 1),
        ({"sweep_points": 0}, 10, 0),
    ],
)
def test_Z9_a_sweep_scores_its_own_bonus_and_the_other_only_if_they_stack(
    options: dict[str, Any], points: int, bonus: int
) -> None:
    played = stage("CCCCCCCC", "HHHHHHHH", **options)
    assert played.points() == [points, 0]
    assert (played.rounds[0]["sweeps", -1], played.rounds[0]["bonuses", -1]) == (1, bonus)
    assert played.of(at.ROUND_END)[0][:5] == [0, 1, 8, bonus, 1]


@pytest.mark.parametrize(("bonus_tricks", "points"), [(5, 20), (6, 20), (7, 10)])
def test_Z9_enough_tricks_score_a_bonus(bonus_tricks: int, points: int) -> None:
    played = stage("CCCCCCKM", "XXXXXXKR", "VVVVVVVS", bonus_tricks=bonus_tricks)
    assert played.points() == [points, 0, 0]


def test_Z9_who_shares_the_most_tricks_has_no_bonus() -> None:
    played = stage("GG", "GG", bonus_tricks=1)
    assert (played.points(), played.rounds[0]["bonuses", -1]) == ([5, 5], 0)


def test_Z10_a_team_has_the_tricks_of_its_members() -> None:
    # 0 wins the first trick; 2 zaps the second, and wins the third.
    played = stage("CCK", "XXX", "HCR", "MMM", teams=2)
    row = played.rounds[0]
    assert [row["tricks", seat] for seat in range(4)] == [1, 0, 2, 0]
    assert [row["tricks", at.MAX_PLAYERS + side] for side in range(2)] == [3, 0]
    assert played.points() == [30, 0]
    assert row["sweeps", -1] == 1


def test_Z11_who_alone_is_highest_with_the_target_wins() -> None:
    # Nobody can zap: every dealer makes a sweep.
    played = stage("C", "H", unit="game", target=50)
    assert [event[1] for event in played.of(at.ROUND)] == [0, 1, 2]
    assert played.of(at.GAME_END) == [[0, 1, 3, 0, 0, 0, 0]]
    assert [played.game["points", side] for side in range(2)] == [60, 30]
    assert (played.game["rounds", -1], played.game["hands", -1]) == (3, 3)
    assert (played.game["winners", -1], played.game["truncated", -1]) == (1, 0)


def test_Z11_worked_example_4() -> None:
    # A round of two tricks brings one side 10 or both 5.
    seen = set()
    for game in range(120):
        options = {"hand_size": 2, "target": 15, "bonus_points": 0, "sweep_points": 0}
        played = run(design("cap-zap", options, "random", unit="game"), game)
        scores = [event[2:4] for event in played.of(at.SCORE)]
        after = [(first[1], second[1]) for first, second in zip(scores[::2], scores[1::2], strict=True)]
        for mine, theirs in after[:-1]:
            assert mine == theirs or max(mine, theirs) < 15
            seen.add("on" if mine == theirs >= 15 else "")
        mine, theirs = after[-1]
        assert mine != theirs and max(mine, theirs) >= 15
        assert played.game["winners", -1] == (1 if mine > theirs else 2)
        seen.add("both had it" if min(mine, theirs) >= 15 else "")
    assert seen >= {"on", "both had it"}


def test_Z11_a_shared_win_is_an_option() -> None:
    shared = stage("GG", "GG", unit="game", target=5, shared_win=True)
    assert shared.of(at.GAME_END) == [[-1, 3, 1, 0, 0, 0, 0]]
    assert (shared.game["winners", -1], shared.game["policy_winners", -1]) == (3, 3)
    on = stage("GG", "GG", unit="game", target=5, max_rounds=4)
    assert on.of(at.GAME_END) == [[-1, 3, 4, 1, 0, 0, 0]]


def test_Z11_a_single_round_is_won_by_the_sides_with_most_tricks() -> None:
    assert stage("GG", "GG", win_points=0, tie_points=0).rounds[0]["winners", -1] == 3
    assert stage("CCCCCKMM", "XXXXXKRU", "VVVVVVVT").rounds[0]["winners", -1] == 1


def test_Z12_the_deal_passes_to_the_left() -> None:
    played = stage("C", "H", "M", unit="game", target=1000, max_rounds=5)
    assert [event[0] for event in played.of(at.ROUND)] == [0, 1, 2, 0, 1]
    assert [event[0] for event in played.of(at.TRICK)] == [0, 1, 2, 0, 1]
    assert [row["starter", -1] for row in played.rounds] == [0, 1, 2, 0, 1]
    assert [event[0] for event in played.of(at.DEAL)][:6] == [0, 1, 2, 1, 2, 0]


@pytest.mark.parametrize(
    ("teams", "seats"), [(2, ["A", "G", "A", "G"]), (3, list("AGMAGM")), (2, list("AGAGAG"))]
)
def test_Z13_seats_are_dealt_out_to_the_teams_in_turn(teams: int, seats: list[str]) -> None:
    played = stage(*seats, teams=teams)
    # The last A zaps the one that leads: its seat is a teammate of seat 0.
    winner = max(seat for seat, letter in enumerate(seats) if letter == "A")
    assert played.winners() == [winner]
    assert winner % teams == 0
    assert len(played.of(at.SCORE)) == teams
    row = played.rounds[0]
    assert (row["winner", -1], row["tricks", at.MAX_PLAYERS], row["tricks", winner]) == (0, 1, 1)


def test_Z14_at_max_rounds_the_highest_share_the_win() -> None:
    alone = stage("C", "H", unit="game", target=1000, max_rounds=3)
    assert alone.of(at.GAME_END) == [[0, 1, 3, 1, 0, 0, 0]]
    several = stage("C", "H", "M", unit="game", target=1000, max_rounds=2)
    assert several.of(at.GAME_END) == [[-1, 3, 2, 1, 0, 0, 0]]
    assert (several.game["truncated", -1], several.game["rounds", -1]) == (1, 2)


def test_Z14_is_looked_at_after_Z11() -> None:
    played = stage("C", "H", unit="game", target=30, max_rounds=1)
    assert played.of(at.GAME_END) == [[0, 1, 1, 0, 0, 0, 0]]


# Whole games, against the referee.

VARIANTS: list[dict[str, Any]] = [
    {},
    {"players": 3, "shared_win": True, "target": 20},
    {"players": 4, "teams": 2, "bonus_stacks": True},
    {"players": 5, "hand_size": 10, "reach": 2, "bonus_tricks": 4, "max_rounds": 3},
    {"players": 6, "teams": 2, "target": 30, "wrap": True, "reach": 5},
    {"players": 6, "teams": 3, "hand_size": 3, "reach": 0, "win_points": 7, "tie_points": 3},
    {"players": 6, "hand_size": 8, "target": 25},
    {"hand_size": 25, "bonus_tricks": 15, "sweep_points": 100},
    {"hand_size": 1, "players": 4, "tie_points": 0, "target": 100},
    {"players": 3, "wrap": True, "deck": {"A": 9, "Z": 9, "B": 5, "Y": 5, "M": 20}, "hand_size": 16},
    {"deck": {"G": 16}, "max_rounds": 4},
    {"deck": dict.fromkeys(at.KIND_NAMES, 9), "hand_size": 20, "players": 5},
    {"players": 4, "win_points": 0, "tie_points": 0, "bonus_points": 0, "sweep_points": 0, "max_rounds": 6},
]
MIXED = ["random", "balanced", "zapper", "counter", "saver", "random"]


def records(
    experiment: Experiment, rows: list[Row], columns: Sequence[Any], unit: str
) -> list[dict[str, Any]]:
    """Return rows as the referee has records: metrics with parts by label, what is 0 left out."""
    metrics = {m.name: m for m in experiment.game.metrics(experiment.options) if m.unit == unit}
    found = []
    for row in rows:
        record: dict[str, Any] = {}
        for column in columns:
            value = row[column.metric, column.key]
            if column.key < 0:
                record[column.metric] = value
                continue
            parts = record.setdefault(column.metric, {})
            label = metrics[column.metric].labels.get(column.key)
            if label is None:
                assert value == 0, f"{column.metric} {column.key} cannot occur"
            elif value:
                parts[label] = value
        found.append(record)
    return found


def as_labels(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of the referee in the same form."""
    return {
        name: {str(label): n for label, n in value.items() if n} if isinstance(value, Counter) else value
        for name, value in record.items()
    }


@pytest.mark.parametrize("unit", ["hand", "game"])
@pytest.mark.parametrize("options", VARIANTS)
def test_every_event_and_record_is_as_the_referee_has_it(options: dict[str, Any], unit: str) -> None:
    players = options.get("players", 2)
    rules = referee.resolve(**options)
    for policy in ("random", MIXED[:players]):
        experiment = design("cap-zap", options, policy, unit=unit)
        sides = experiment.options.sides  # type: ignore[attr-defined]
        for game in range(4 if unit == "hand" else 2):
            played = run(experiment, game)
            hands, of_game = referee.check_game(played.events, rules, unit == "game")
            position = [
                (seat + game) % players if len(experiment.policies) > 1 else 0 for seat in range(players)
            ]
            rows = records(experiment, played.rounds, at.HAND_COLUMNS, "hand")
            if of_game is not None:
                hands = [*hands, of_game]
                rows += records(experiment, [played.game], at.GAME_COLUMNS, "game")
            for row, expected in zip(rows, hands, strict=True):
                of_policies = sum(
                    {1 << position[s] for s in range(players) if row["winners"] >> s % sides & 1}
                )
                assert row.pop("policy_winners") == of_policies
                assert row == as_labels(expected)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(12))
def test_any_options_are_played_as_the_referee_has_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        teams, players = rng.choice([(0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (2, 4), (2, 6), (3, 6)])
        deck = {k: rng.randrange(9) for k in rng.sample(at.KIND_NAMES, rng.randint(2, 26))} | {"E": 6}
        options = {
            "players": players,
            "teams": teams,
            "deck": deck,
            "hand_size": rng.randint(1, min(sum(deck.values()) // players, at.MAX_HAND)),
            "reach": rng.randint(0, 5),
            "wrap": rng.random() < 0.5,
            "win_points": rng.randint(0, 12),
            "tie_points": rng.randint(0, 8),
            "bonus_tricks": rng.randint(1, 10),
            "bonus_points": rng.randint(0, 10),
            "sweep_points": rng.randint(0, 20),
            "bonus_stacks": rng.random() < 0.5,
            "target": rng.randint(1, 60),
            "shared_win": rng.random() < 0.5,
            "max_rounds": rng.randint(1, 12),
        }
        weights = {f: float(rng.randint(-3, 3)) for f in rng.sample(FEATURES, 4)}
        policies = ["random", Policy("drawn", weights), Policy("noisy", weights, temperature=0.5), "balanced"]
        experiment = design("cap-zap", options, [rng.choice(policies) for _ in range(players)], unit="game")
        played = run(experiment, rng.randrange(10**6))
        hands, of_game = referee.check_game(played.events, referee.resolve(**options), True)
        rows = records(experiment, played.rounds, at.HAND_COLUMNS, "hand")
        rows += records(experiment, [played.game], at.GAME_COLUMNS, "game")
        for row, expected in zip(rows, [*hands, of_game], strict=True):
            del row["policy_winners"]
            assert expected is not None and row == as_labels(expected)


@pytest.mark.parametrize("options", VARIANTS)
def test_cards_are_conserved(options: dict[str, Any]) -> None:
    experiment = design("cap-zap", options, "random", unit="game")
    deck = Counter(experiment.options.counts())  # type: ignore[attr-defined]
    played = run(experiment, 1)
    hands: dict[int, Counter[str]] = {}
    for code, seat, kind, *_ in [*played.events, [at.ROUND, 0, 0]]:
        if code == at.ROUND:
            assert not any(hand.total() for hand in hands.values())
            hands = {}
            left = deck.copy()
        elif code == at.DEAL:
            hands.setdefault(seat, Counter())[letters([kind])] += 1
            left[letters([kind])] -= 1
            assert left[letters([kind])] >= 0
        elif code == at.PLAY:
            hands[seat][letters([kind])] -= 1
            assert hands[seat][letters([kind])] >= 0


# The same results, however they come about.


def digest(experiment: Experiment, first: int, stop: int) -> str:
    """Return a hash of all that a range of games records."""
    rules, tables, policies = experiment.setup
    room = (stop - first) * (rules.max_rounds if experiment.unit == "game" else 1)
    hands, games = new_block(len(at.HAND_COLUMNS), room), new_block(len(at.GAME_COLUMNS), stop - first)
    by_game = experiment.unit == "game"
    following, rows = experiment.game.kernel.play(
        SEED, first, stop, by_game, rules, tables, policies, experiment.game.new_scratch(), hands, games, None
    )  # fmt: skip
    assert following == stop
    total = hashlib.sha256(as_table(hands, len(at.HAND_COLUMNS), rows).tobytes())
    if by_game:
        total.update(as_table(games, len(at.GAME_COLUMNS), stop - first).tobytes())
    return total.hexdigest()[:16]


# Plays every feature, whatever becomes of the presets.
WEIGHED = Policy("weighed", {feature: 0.1 * (i + 1) * (-1) ** i for i, feature in enumerate(FEATURES)})


@pytest.mark.parametrize(
    ("options", "policy", "unit", "expected"),
    [
        ({}, "random", "hand", "63805c328eea3f76"),
        ({"players": 4, "teams": 2}, [WEIGHED, "random"] * 2, "game", "7dbad754c8770aa0"),
        ({"players": 6, "wrap": True, "reach": 2}, WEIGHED, "hand", "4ba75369dea562a6"),
        (
            {"players": 3},
            Policy("noisy", {"zaps": 1.0, "threats": -0.3}, temperature=0.7),
            "game",
            "ea66ed4d686bc18a",
        ),
    ],
)
def test_results_are_the_same_compiled_or_not(
    options: dict[str, Any], policy: Any, unit: str, expected: str
) -> None:
    # The test runs in both modes. Where the kernel is meant to play otherwise, these values change.
    assert digest(design("cap-zap", options, policy, unit=unit), 5, 9) == expected


def test_a_batch_is_its_games_and_a_trace_changes_nothing() -> None:
    experiment = design("cap-zap", {"players": 4, "teams": 2, "max_rounds": 9}, MIXED[:4], unit="game")
    rules, tables, policies = experiment.setup
    hands, games = new_block(len(at.HAND_COLUMNS), 60), new_block(len(at.GAME_COLUMNS), 60)
    scratch = experiment.game.new_scratch()
    following, rows = experiment.game.kernel.play(
        SEED, 3, 99, True, rules, tables, policies, scratch, hands, games, None
    )
    assert 3 < following < 99  # as many as surely fit
    assert rows + rules.max_rounds > 60
    alone = [run(experiment, game) for game in range(3, following)]
    assert rows_of(hands, at.HAND_COLUMNS, rows) == [row for played in alone for row in played.rounds]
    assert rows_of(games, at.GAME_COLUMNS, following - 3) == [played.game for played in alone]
    assert [run(experiment, game, with_trace=False).rounds for game in (3, 4)] == [
        p.rounds for p in alone[:2]
    ]
    assert not scratch.copies.any()


def test_deals_do_not_depend_on_how_is_played() -> None:
    def deals(**changes: Any) -> list[list[int]]:
        options = {"target": 1000, "max_rounds": 3} | changes.pop("options", {})
        return run(design("cap-zap", options, unit="game", **changes), 2).of(at.DEAL)

    expected = deals(policy="random")
    assert len(expected) == 3 * 16
    assert deals(policy="balanced") == expected
    assert deals(policy="random", options={"reach": 3, "win_points": 1}) == expected
    assert deals(policy="random", options={"bonus_stacks": True, "wrap": True}) == expected


# Policies.


def value_of_features(state: dict[str, Any], letter: int) -> dict[str, tuple[int, int]]:
    """Return what each feature says of playing a letter, as a fraction, from its description alone."""
    zaps, hand, unplayed, deck = state["zaps"], state["hand"], state["unplayed"], state["deck"]
    seat, holder, sides, players = state["seat"], state["holder"], state["sides"], state["players"]
    unseen = unplayed - hand
    near = [k for k in range(at.KINDS) if zaps(letter, k)]
    exposure = sum(unseen[k] for k in near)
    others = [k for k in hand if k != letter or hand[k] > 1]
    cover_lost = sum(unseen[k] for k in near if not any(zaps(other, k) for other in others))
    does_zap = holder is not None and zaps(letter, holder)
    holds = holder is None or does_zap
    to_come = [(seat + i) % players for i in range(1, players - state["place"])]
    rivals = [other for other in to_come if other % sides != seat % sides]
    rival_cards = len(rivals) * hand.total()
    sure = holds and (exposure == 0 or rival_cards == 0)
    threats = (exposure * rival_cards, unseen.total()) if holds and not sure else (0, 1)
    their_side = state["holder_seat"] % sides
    rival = does_zap and their_side != seat % sides
    theirs, mine = state["tricks"][their_side], state["tricks"][seat % sides]
    return {
        "zaps": (does_zap, 1),
        "zaps_teammate": (does_zap and their_side == seat % sides, 1),
        "zaps_ahead": (rival and theirs > mine, 1),
        "zaps_sweeper": (rival and 0 < theirs == sum(state["tricks"].values()), 1),
        "sure": (sure, 1),
        "threats": threats,
        "threats_on_lead": threats if holder is None else (0, 1),
        "exposure": (exposure, 1),
        "cover_lost": (cover_lost, 1),
        "spare": (hand[letter] > 1, 1),
        "common": (max(sum(deck[k] for k in near) - 1, 0), 1),
    }


def decisions(experiment: Experiment, game: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every decision of a game, as what the player can see, and the letter chosen."""
    options = experiment.options
    assert isinstance(options, CapZapOptions)
    rules = {"reach": options.reach, "wrap": options.wrap}
    deck = Counter(options.cards())
    state: dict[str, Any] = {"deck": deck, "sides": options.sides, "players": options.players}
    state["zaps"] = lambda a, b: referee.zaps(rules, at.KIND_NAMES[a], at.KIND_NAMES[b])
    hands: dict[int, Counter[int]] = {}
    for code, seat, *fields in run(experiment, game).events:
        if code == at.ROUND:
            hands = {seat: Counter() for seat in range(options.players)}
            state["unplayed"] = deck.copy()
            state["tricks"] = Counter()
        elif code == at.DEAL:
            hands[seat][fields[0]] += 1
        elif code == at.TRICK:
            state |= {"holder": None, "holder_seat": seat}
        elif code == at.PLAY:
            letter, place = fields[:2]
            yield state | {"seat": seat, "hand": +hands[seat], "place": place - 1}, letter
            hands[seat][letter] -= 1
            state["unplayed"][letter] -= 1
            if state["holder"] is None:
                state["holder"] = letter
        elif code == at.ZAP:
            state |= {"holder": fields[0], "holder_seat": seat}
        elif code == at.TRICK_END:
            state["tricks"][seat % options.sides] += 1


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize(
    "options", [{}, {"players": 6, "teams": 3, "reach": 2, "wrap": True}, {"players": 4}]
)
@pytest.mark.parametrize("weight", [1.5, -1.5])
def test_the_best_score_is_played(feature: str, options: dict[str, Any], weight: float) -> None:
    weights = {feature: weight} if feature != "threats_on_lead" else {feature: weight, "threats": 0.5}
    experiment = design("cap-zap", options, Policy("one feature", weights))
    for state, chosen in decisions(experiment, 3):
        scores = dict.fromkeys(state["hand"], 0)
        for letter in scores:
            features = value_of_features(state, letter)
            # Threats are one fraction, so their weights are added before it is rounded down.
            for name, part in features.items():
                if name == "threats" and name in weights and "threats_on_lead" in weights:
                    continue
                upper, lower = part
                scale = weights.get(name, 0.0)
                if name == "threats_on_lead" and name in weights:
                    scale = weights["threats"] + (weights[name] if state["holder"] is None else 0.0)
                    upper, lower = features["threats"]
                scores[letter] += round(scale * 1_000_000) * int(upper) // lower
        assert scores[chosen] == max(scores.values())


@pytest.mark.parametrize("preset", ["balanced", "counter", "saver", "zapper"])
def test_presets_play_their_best_score(preset: str) -> None:
    experiment = design("cap-zap", {"players": 4, "teams": 2}, preset, unit="game")
    weights = experiment.policies[0].millionths()
    assert weights is not None
    for state, chosen in decisions(experiment, 1):
        scores = {}
        for letter in state["hand"]:
            of = value_of_features(state, letter)
            scores[letter] = sum(w * int(of[f][0]) / of[f][1] for f, w in weights.items())
        assert scores[chosen] >= max(scores.values()) - 2.0  # millionths


@pytest.mark.compiled
def test_equal_scores_are_equally_likely() -> None:
    experiment = design("cap-zap", {}, Policy("no wish", {"zaps_teammate": 1.0}))
    chosen: dict[int, Counter[int]] = {}
    for game in range(1200):
        for state, letter in decisions(experiment, game):
            held = sorted(state["hand"])
            chosen.setdefault(len(held), Counter())[held.index(letter)] += 1
    for choices, counts in chosen.items():
        n = counts.total()
        for place in range(choices):
            error = math.sqrt(n / choices * (1 - 1 / choices))
            assert abs(counts[place] - n / choices) <= 4.5 * error


@pytest.mark.compiled
def test_temperature_makes_choices_likely_by_their_score() -> None:
    options = {"hand_size": 2, "deck": {"A": 2, "H": 1, "M": 1}}
    experiment = design("cap-zap", options, Policy("warm", {"common": 1.0}, temperature=0.8))
    n, wanted, got = 0, 0.0, 0
    for game in range(6000):
        for state, letter in decisions(experiment, game):
            if len(state["hand"]) == 2 and 0 in state["hand"]:
                # The other A zaps an A; nothing zaps H or M.
                n += 1
                wanted += math.exp(1 / 0.8) / (math.exp(1 / 0.8) + 1)
                got += letter == 0
    share = wanted / n
    assert abs(got / n - share) < 4.5 * math.sqrt(share * (1 - share) / n) + 1e-3


def test_policies_move_on_by_a_seat_from_game_to_game() -> None:
    # Every hand is one letter, so only who is credited depends on the policies.
    options = {"hand_size": 1, "players": 3, "deck": {"A": 1, "H": 1, "M": 1}}
    policies = ["random", "zapper", "saver"]
    for fixed in (False, True):
        experiment = design("cap-zap", options, policies, fixed_seats=fixed)
        credited = [run(experiment, game).rounds[0]["policy_winners", -1] for game in range(4)]
        assert credited == ([1, 1, 1, 1] if fixed else [1, 2, 4, 1])


def test_a_winning_team_credits_the_policies_of_all_its_members() -> None:
    experiment = design("cap-zap", {"players": 4, "teams": 2}, ["random", "zapper"] * 2)
    for game in range(4):
        row = run(experiment, game).rounds[0]
        expected = {1: 0b0101, 2: 0b1010, 3: 0b1111}[row["winners", -1]]
        # From game to game the policies move on by a seat.
        assert row["policy_winners", -1] == ({5: 10, 10: 5}.get(expected, 15) if game % 2 else expected)


# Records.


def test_columns_are_where_their_names_say() -> None:
    starts = {
        "tricks": at.TRICKS, "points": at.POINTS, "tied_by": at.TIED_BY, "zaps": at.ZAPS, "plays": at.PLAYS,
        "tricks_with_zaps": at.TRICKS_WITH_ZAPS, "won_at_position": at.WON_AT_POSITION, "leads": at.LEADS,
        "held": at.HELD,
    }  # fmt: skip
    for name, start in starts.items():
        assert (at.HAND_COLUMNS[start].metric, at.HAND_COLUMNS[start].key) == (name, 0)
    for i, column in enumerate(at.HAND_COLUMNS[: at.TRICKS]):
        assert getattr(at, column.metric.upper()) == i
    assert at.GAME_COLUMNS[at.GAME_POINTS].metric == "points"
    assert at.HAND_COLUMNS[at.TRICKS_OF_SIDES] == ("tricks", at.MAX_PLAYERS, None)

"""Cap Zap as the library offers it: options, policies, reports, transcripts, and the values of others."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import fastsim
from fastsim import UsageError, catalog
from fastsim.cli import main
from fastsim.experiment import design
from kernels.cap_zap import layout

GAME = catalog.find("cap-zap")
CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "cap-zap"


# Options.


def test_defaults_are_those_of_the_rules_page() -> None:
    assert GAME.options.parse({}).model_dump() == {
        "players": 2,
        "teams": 0,
        "hand_size": 8,
        "reach": 1,
        "wrap": False,
        "win_points": 10,
        "tie_points": 5,
        "bonus_tricks": 6,
        "bonus_points": 10,
        "sweep_points": 20,
        "bonus_stacks": False,
        "target": 50,
        "shared_win": False,
        "max_rounds": 500,
        "deck": "capitals",
    }


def test_each_option_names_its_rule_and_what_is_a_reading_is_marked() -> None:
    infos = fastsim.rules("cap-zap")
    assert all(re.fullmatch(r"Z\d+", info.rule) and info.meaning for info in infos.values())
    ruled = {name for name, info in infos.items() if info.status != "stated"}
    assert ruled == {"teams", "wrap", "bonus_stacks", "shared_win", "max_rounds"}
    assert {assumption.rule for assumption in GAME.assumptions()} == {
        "Z2", "Z7", "Z9", "Z11", "Z12", "Z13", "Z14",
    }  # fmt: skip


def test_a_deck_can_be_named_or_counted() -> None:
    assert sum(GAME.options.parse({}).counts().values()) == 50  # type: ignore[attr-defined]
    options: Any = GAME.options.parse({"deck": {"Z": 3, "A": 2, "B": 0}, "hand_size": 2})
    assert options.counts() == {"A": 2, "Z": 3}
    assert options.cards() == [0, 0, 25, 25, 25]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 1}, "option players was given 1; accepted: 2 to 6 (rule Z3)"),
        ({"players": 7}, "option players was given 7; accepted: 2 to 6 (rule Z3)"),
        ({"players": 5, "teams": 2}, "teams is 2 with 5 players; accepted: 0 (no teams), 2 for 4 or 6"),
        ({"players": 4, "teams": 3}, "teams is 3 with 4 players"),
        ({"players": 6, "teams": 1}, "teams is 1 with 6 players"),
        ({"teams": 2}, "teams is 2 with 2 players"),
        ({"players": 6, "hand_size": 9}, "6 hands of 9 are 54 cards, and the deck has 50; accepted: a"
         " hand_size of 1 to 8 (rule Z3)"),
        ({"hand_size": 26}, "option hand_size was given 26; accepted: 1 to 25 (rule Z3)"),
        ({"hand_size": 0}, "option hand_size was given 0; accepted: 1 to 25 (rule Z3)"),
        ({"deck": {"A": 1}}, "2 hands of 8 are 16 cards, and the deck has 1; accepted: a deck of at least 2"),
        ({"deck": {}}, "the deck has 0; accepted: a deck of at least 2 cards"),
        ({"deck": {"A": 9, "B": 6}}, "the deck has 15; accepted: a hand_size of 1 to 7"),
        ({"deck": {"A": 200, "B": 200}}, "the deck has 400 cards; accepted: up to 250 (rule Z1)"),
        ({"deck": {"AB": 20}}, "option deck has a count for 'AB'; accepted: letters from A to Z (rule Z1)"),
        ({"deck": {"a": 20}}, "option deck has a count for 'a'"),
        ({"deck": {"A": -1}}, "option deck was given -1 at 'A'; accepted: a name or a table of counts, each 0"
         " to 250 (rule Z1)"),
        ({"deck": "capitols"}, "unknown deck 'capitols', did you mean 'capitals'?"),
        ({"reach": 6}, "option reach was given 6; accepted: 0 to 5 (rule Z2)"),
        ({"wrap": "perhaps"}, "option wrap was given 'perhaps'; accepted: true, false (rule Z2)"),
        ({"win_points": 101}, "option win_points was given 101; accepted: 0 to 100 (rule Z8)"),
        ({"tie_points": -1}, "option tie_points was given -1; accepted: 0 to 100 (rule Z8)"),
        ({"bonus_tricks": 0}, "option bonus_tricks was given 0; accepted: 1 to 25 (rule Z9)"),
        ({"bonus_points": 101}, "accepted: 0 to 100 (rule Z9)"),
        ({"sweep_points": 101}, "accepted: 0 to 100 (rule Z9)"),
        ({"target": 0}, "option target was given 0; accepted: 1 to 1000 (rule Z11)"),
        ({"max_rounds": 0}, "option max_rounds was given 0; accepted: 1 to 10000 (rule Z14)"),
        ({"stack": 1}, "unknown option 'stack'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        design("cap-zap", options)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "cap-zap", "--set", "players=5", "--set", "teams=2"],
        ["run", "cap-zap", "--set", "deck={A=1}"],
        ["run", "cap-zap", "--set", "deck={A="],
        ["run", "cap-zap", "--policy", "random", "--policy", "random", "--policy", "random"],
        ["replay", "cap-zap", "--set", "hand_size=26"],
        ["run", "cap-zap", "--histogram", "turns"],
    ],
)
def test_the_command_refuses_with_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1


def test_the_command_that_a_report_ends_with_is_read_again(capsys: pytest.CaptureFixture[str]) -> None:
    deck = '{"A": 10, "M": 6}'
    main(["run", "cap-zap", "-n", "3", "--set", f"deck={deck}", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["options"]["deck"] == {"A": 10, "M": 6}


# Records.


@pytest.mark.parametrize(
    ("options", "sides"), [({}, 2), ({"players": 5}, 5), ({"players": 6, "teams": 3}, 3)]
)
def test_metrics_are_columns_and_parts_are_named(options: dict[str, object], sides: int) -> None:
    parsed: Any = GAME.options.parse(options)
    assert (GAME.side(parsed), GAME.sides(parsed)) == ("side", sides)
    columns = {
        "hand": {(c.metric, c.key) for c in layout.HAND_COLUMNS},
        "game": {(c.metric, c.key) for c in layout.GAME_COLUMNS},
    }
    names = [(metric.unit, metric.name) for metric in GAME.metrics(parsed)]
    assert len(set(names)) == len(names)
    for metric in GAME.metrics(parsed):
        for key in metric.labels or [-1]:
            assert (metric.name, key) in columns[metric.unit]
        assert len(set(metric.labels.values())) == len(metric.labels)
    tricks = next(metric for metric in GAME.metrics(parsed) if metric.name == "tricks")
    assert set(tricks.labels.values()) == {f"side{i}" for i in range(sides)} | {
        f"seat{i}" for i in range(parsed.players)
    }


def test_a_run_of_games_gives_the_games_points_the_plain_name() -> None:
    options = {"hand_size": 2, "target": 20}
    stats: Any = fastsim.run("cap-zap", 20, options=options, policy="random", unit="game").to_dict()["stats"]
    assert stats["points.side0"]["unit"] == "game"
    assert stats["hand.points.side0"]["unit"] == "hand"
    assert stats["points.side0"]["mean"] > stats["hand.points.side0"]["mean"]
    assert "rounds" in stats and "hands" not in stats


@pytest.mark.parametrize("options", [{}, {"players": 4, "teams": 2}])
@pytest.mark.parametrize("unit", ["hand", "game"])
def test_reports_can_be_read(options: dict[str, object], unit: str) -> None:
    result = fastsim.run("cap-zap", 12, options=options | {"max_rounds": 20}, unit=unit)
    text = result.to_text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "The side that starts" in text
    assert result.to_csv() and result.to_markdown()


# Policies.


def test_every_preset_weighs_features_that_exist() -> None:
    assert set(GAME.policies) == {"random", "zapper", "saver", "counter", "balanced"}
    assert all(policy.summary for policy in GAME.policies.values())
    from kernels.cap_zap.tables import FEATURES

    assert tuple(GAME.features) == FEATURES


def wins(policies: list[str], n: int, **options: object) -> float:
    """Return the share of wins of the first policy."""
    result = fastsim.run("cap-zap", n, options={"players": len(policies), **options}, policy=policies, seed=5)
    return float(result.summary.policies[0].wins) / n


@pytest.mark.compiled
def test_balanced_beats_the_others() -> None:
    assert wins(["balanced", "random"], 20_000) > 0.85
    assert wins(["balanced", "random", "random", "random"], 20_000) > 0.6
    for other in ("zapper", "saver", "counter"):
        assert wins(["balanced", other], 20_000) > 0.52
        assert wins(["balanced", other, other, other], 20_000) > 0.26
    # In teams, partners share a policy, and each is credited with half of a win.
    assert wins(["balanced", "random"] * 2, 20_000, teams=2) > 0.4


# Transcripts.


def test_transcript_of_a_round() -> None:
    told = fastsim.replay("cap-zap", 2, options={"players": 3, "hand_size": 3}, policy="zapper", seed=4)
    assert str(told) == ROUND


def test_transcript_of_a_game_in_teams() -> None:
    options = {
        "players": 4,
        "teams": 2,
        "hand_size": 2,
        "target": 30,
        "bonus_tricks": 2,
        "sweep_points": 10,
        "bonus_stacks": True,
    }
    told = fastsim.replay("cap-zap", 3, options=options, policy="random", seed=6, unit="game")
    assert str(told) == GAME_IN_TEAMS


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ({"players": 6, "max_rounds": 1}, "The limit of 1 round is reached."),
        ({"deck": {"G": 16}, "max_rounds": 2}, "Seats 0 and 1 share the win after 2 rounds."),
        ({"deck": {"G": 16}, "target": 5, "shared_win": True}, "Seats 0 and 1 share the win after 1 round."),
    ],
)
def test_transcripts_tell_how_games_end(options: dict[str, object], ending: str) -> None:
    lines = fastsim.replay("cap-zap", options=options, policy="random", unit="game").lines
    assert ending in " ".join(lines[-2:])
    assert max(len(line) for line in lines) <= 80


ROUND = """\
Round 1: 3 tricks, 50 cards in the deck. Seat 0 deals and leads.
  seat 0 holds B O S
  seat 1 holds A C J
  seat 2 holds C J T

    1 | Seat 0 leads B. Seat 1 zaps B with A. Seat 2 plays T. Seat 1 wins.
    2 | Seat 1 leads C. Seat 2 zaps C with C. Seat 0 plays S. Seat 2 wins.
    3 | Seat 2 leads J. Seat 0 plays O. Seat 1 zaps J with J. Seat 1 wins.

Seat 1 wins 2 tricks, the most: 10 points. Seat 2 wins 1 and seat 0 wins none."""
GAME_IN_TEAMS = """\
Side 0 is seats 0 and 2.
Side 1 is seats 1 and 3.

Round 1: 2 tricks, 50 cards in the deck. Seat 0 deals and leads.
  seat 0 holds H M
  seat 1 holds B P
  seat 2 holds C S
  seat 3 holds C R

    1 | Seat 0 leads H. Seat 1 plays B. Seat 2 plays C. Seat 3 plays C.
        Seat 0 wins.
    2 | Seat 0 leads M. Seat 1 plays P. Seat 2 plays S. Seat 3 plays R.
        Seat 0 wins.

Side 0 wins 2 tricks, the most: 30 points, with a sweep and the bonus. Side 1
  wins none.
Points so far: side 0 has 30 and side 1 has 0.

Side 0 wins the game after 1 round."""


# Values that others computed.


def cases() -> list[Any]:
    """Return the files of values, as parameters of a test."""
    files = sorted(CASES.glob("*.json"))
    if not files:
        reason = "the values computed by others are not beside this checkout"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(json.loads(file.read_text()), id=file.stem) for file in files]


@pytest.mark.compiled
@pytest.mark.parametrize("case", cases())
def test_statistics_are_those_of_independent_programs(case: dict[str, Any]) -> None:
    n = 500_000 if case["unit"] == "hand" else 100_000
    stats: Any = fastsim.run(
        "cap-zap", n, options=case["options"], policy=case["policy"], unit=case["unit"], seed=21
    ).to_dict()["stats"]
    far = []
    for name, theirs in case["stats"].items():
        ours = stats[name]
        error = math.hypot(theirs["se"], ours["se"] or 0.0)
        if abs(ours["mean"] - theirs["mean"]) > 4.5 * error + 1e-12:
            far.append((name, ours["mean"], theirs["mean"]))
    assert not far

"""30-30 and Cap-It as a user meets them: options, statistics, policies, transcripts, the command."""

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import fastsim
from fastsim import catalog
from fastsim.cli import main
from fastsim.errors import UsageError
from fastsim.rummy import RummyGame
from kernels.thirty_thirty import layout
from tests.conftest import cases
from tests.test_shared_cases import compare

BOTH = pytest.mark.parametrize("game", ["thirty-thirty", "cap-it"])
GET = {"thirty-thirty": "buy", "cap-it": "take"}


@pytest.mark.kernel
@pytest.mark.compiled
@pytest.mark.parametrize("case", [*cases("thirty-thirty"), *cases("cap-it")])
def test_agrees_with_independent_programs(case: dict[str, Any]) -> None:
    compare(case, 40_000 if case["unit"] == "hand" else 8_000)


# Options


@BOTH
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 9}, "option players was given 9; accepted: 2 to 8 (rule"),
        ({"packs": 1, "hand_size": 13, "players": 5},
         "5 hands of 13 and 1 turned up are 66 cards, and there are 54 in 1 pack: all must fit"),
        ({"contracts": []}, "option contracts has 0 contracts; accepted: 1 to 20"),
        ({"contracts": [["set 3"], []]}, "contract 2 () has 0 melds; accepted: 1 to 4 (rule R8)"),
        ({"contracts": [["set 3"] * 5]}, "has 5 melds; accepted: 1 to 4 (rule R8)"),
        ({"contracts": [["pair 2"]]}, "contracts has 'pair 2'; accepted: such as \"set 3\" or \"run 4\""),
        ({"contracts": [["set 2"]]}, "(set 2) has a set of 2; accepted with these options: 3 to 13 cards"),
        ({"contracts": [["run 14"]]}, "contract 1 (run 14) has a run of 14; accepted with"),
        ({"contracts": [["run 3"]], "min_run": 5}, "has a run of 3; accepted with these options: 5 to"),
        ({"contracts": "set 3"}, "option contracts was given 'set 3'; accepted: a list of lists"),
        ({"hand": 2, "contracts": [["set 3"]]},
         "option hand was given 2, and there are 1 contracts; accepted: 1 to 1 (rule R8)"),
        ({"wild_rule": "half", "wild_fraction": 0.0, "packs": 1, "players": 2, "contracts": [["set 5"]]},
         "(set 5) can never be laid: a set of 5 needs 5 cards of one rank, and there are 4 in 1 pack"),
        ({"points": {"Joker": 5, "A": 1}}, "the table of points lacks 2, 3, 4, 5, 6, 7, 8, 9, 10, J, Q, K;"),
        ({"points": {"1": 5}}, "unknown card in option points: '1'"),
        ({"points": {"A": -1}}, "option points was given -1 at 'A'; accepted: a table of 0 to 1000 for"),
        ({"wild_fraction": 1.5}, "option wild_fraction was given 1.5; accepted: 0.0 to 1.0 (rule R5"),
        ({"layoff": "some"}, "option layoff was given 'some'; accepted: any, own, none (rule R6)"),
        ({"nickle": 3}, "unknown option 'nickle'"),
    ],
)  # fmt: skip
def test_what_is_impossible_is_refused_in_a_sentence(
    game: str, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        catalog.find(game).options.parse(options)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("thirty-thirty", {"hand_size": 5, "nickels": 0, "hand": 1},
         "contract 1 (set 3, set 3) can never be laid: it takes 6 cards, and one for the discard, and a hand "
         "of 5 never grows beyond 6 (rules R8, T4)"),
        ("cap-it", {"hand_size": 5, "push": False},
         "contract 2 (set 3, run 4) can never be laid: it takes 7 cards and a hand of 5 never grows"),
        ("cap-it", {"round_share": 0.3}, "5 rounds with round_share 0.3 each win more than the whole pot"),
    ],
)  # fmt: skip
def test_what_only_one_game_refuses(game: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        catalog.find(game).options.parse(options)
    assert sentence in str(refused.value)


@BOTH
def test_options_say_what_they_are(game: str) -> None:
    described = catalog.find(game).options.describe()
    assert {"players", "hand", "packs", "contracts", "min_run", "wild_rule", "points", "layoff"} <= set(
        described
    )
    for info in described.values():
        assert info.rule and info.meaning and info.status in ("stated", "ruling", "assumed")
    assert "set N" in described["contracts"].accepted
    assert catalog.find(game).options.parse({"players": 5}).packs == 3  # type: ignore[attr-defined]


# Statistics


@BOTH
@pytest.mark.kernel
@pytest.mark.compiled
def test_money_and_scores_add_up(game: str) -> None:
    result = fastsim.run(game, 500, unit="game", options={"players": 3}, policy="balanced", seed=5, threads=1)
    stats = result.summary.statistics
    won = sum(stats[f"money.seat{seat}"].estimate.value or 0 for seat in range(3))
    pot = stats["pot"].estimate.value or 0
    prizes = 5 * 30 if game == "cap-it" else 0
    assert won == pytest.approx(pot + prizes)
    points = sum(stats[f"points.seat{seat}"].estimate.value or 0 for seat in range(3))
    scores = sum(stats[f"score.seat{seat}"].estimate.value or 0 for seat in range(3))
    hands = stats["hands"].estimate.value or 0
    assert scores == pytest.approx(points * hands)
    assert stats["money.seat0"].unit == stats["score.seat0"].unit == "game"
    assert "Infinity" not in result.to_json()


@pytest.mark.kernel
@pytest.mark.compiled
def test_a_share_of_a_metric_in_parts_is_the_mean_over_those_hands() -> None:
    result = fastsim.run("thirty-thirty", 3000, policy="random", options={"hand": 5}, seed=2, threads=1)
    stats = result.summary.statistics
    turn, down = stats["turn_down_if_down.seat2"], stats["down.seat2"]
    assert 0.5 < (down.estimate.value or 0) < 0.95
    # Nobody goes down before their own first turn, nor after the last.
    assert 3 < (turn.estimate.value or 0) < (stats["turns"].estimate.value or 0)
    games = fastsim.run("thirty-thirty", 300, policy="random", unit="game", seed=2, threads=1)
    assert 3 < (games.summary.statistics["turn_down_if_down.seat2"].estimate.value or 0) < 100
    never = fastsim.run("thirty-thirty", 50, policy="random", options={"max_turns": 1, "hand": 5}, threads=1)
    assert never.summary.statistics["turn_down_if_down.seat3"].estimate.value is None
    json.loads(never.to_json())


@BOTH
@pytest.mark.kernel
@pytest.mark.compiled
def test_results_depend_on_nothing_but_the_experiment(game: str) -> None:
    from fastsim.engine import run_chunks
    from fastsim.experiment import design

    experiment = design(game, {}, ["balanced", "random", "light", "builder"], seed=9, unit="game")
    once = run_chunks(experiment, 200, threads=1)
    twice = run_chunks(experiment, 200, threads=2, chunk=17)
    assert once.tally == twice.tally


@BOTH
@pytest.mark.kernel
@pytest.mark.compiled
def test_rows_name_every_column(game: str, tmp_path: Path) -> None:
    fastsim.run(game, 20, unit="game", policy="random", out=tmp_path / "run", rows=True, threads=1)
    games = pl.read_parquet(sorted((tmp_path / "run" / "rows").glob("games-*"))[0])
    hands = pl.read_parquet(sorted((tmp_path / "run" / "rows").glob("hands-*"))[0])
    seats = [f"{metric}.seat{seat}" for metric in ("score", "money") for seat in range(4)]
    assert set(seats) <= set(games.columns)
    assert not [name for name in games.columns if name.endswith(("seat4", ".4"))]
    points = hands.group_by("game").agg(pl.col("points.seat1").sum()).sort("game")["points.seat1"]
    assert points.to_list() == games.sort("game")["score.seat1"].to_list()
    assert hands["turn_down_if_down.seat0"].max() > 0


# Policies


@BOTH
@pytest.mark.kernel
@pytest.mark.compiled
@pytest.mark.parametrize("preset", ["builder", "light", "spoiler", "balanced"])
def test_presets_beat_random(game: str, preset: str) -> None:
    result = fastsim.run(
        game, 1000, unit="game", policy=[preset, "random", "random", "random"], seed=4, threads=1
    )
    rate = result.summary.policies[0].rate
    assert rate.low is not None
    assert rate.low > (0.6 if preset == "balanced" else 0.25)


@BOTH
@pytest.mark.kernel
@pytest.mark.compiled
def test_temperature_makes_a_policy_less_certain(game: str, tmp_path: Path) -> None:
    preset = catalog.find(game).policies["balanced"]
    assert preset.weights is not None
    weights = "\n".join(f"{name} = {weight}" for name, weight in preset.weights.items())
    file = tmp_path / "warm.toml"
    file.write_text(f"temperature = 500\n[weights]\n{weights}\n")
    result = fastsim.run(game, 600, unit="game", policy=["balanced", *[str(file)] * 3], seed=4, threads=1)
    assert (result.summary.policies[0].rate.low or 0) > 0.3


@BOTH
def test_features_are_the_kernels(game: str) -> None:
    from kernels.rummy.tables import FEATURES

    played = catalog.find(game)
    assert isinstance(played, RummyGame)
    named = {
        name.replace(GET[game], "get", 1) if name.startswith(GET[game]) else name for name in played.features
    }
    only = {"get_extra", "get_out_of_turn", "get_nickels"}
    assert named == set(FEATURES) - (only if game == "cap-it" else set())
    assert {"random", "builder", "light", "spoiler", "balanced"} == set(played.policies)


# What is told


@pytest.mark.kernel
def test_a_hand_of_30_30_is_told() -> None:
    text = str(fastsim.replay("thirty-thirty", 5, options={"hand": 2}, policy="random", seed=1))
    lines = text.splitlines()
    assert lines[0] == "Hand 2, set 4: 108 cards, seat 3 deals, seat 0 acts first."
    assert all(len(line) <= 80 for line in lines)
    assert "   1 seat 0 with 11" in text
    assert "Goes down: " in text
    assert "is turned up." in text
    assert text.count(" points: ") == 4


@pytest.mark.kernel
def test_a_game_of_cap_it_is_told() -> None:
    text = str(fastsim.replay("cap-it", 1, unit="game", policy="random", options={"players": 2}))
    assert all(len(line) <= 80 for line in text.splitlines())
    for expected in ("Pushes ", "Takes ", "Goes down: ", "Lays off ", " so far: ", "for the lowest hand.",
                     "the pot of 100 cents after 5 hands.", " has won "):  # fmt: skip
        assert expected in text


@BOTH
@pytest.mark.kernel
@pytest.mark.parametrize("words", [["rules"], ["features"], ["policies"]])
def test_the_command_lists(game: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*words, game])
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) > 10
    assert all(len(line.rstrip()) <= 80 for line in shown.splitlines())


@pytest.mark.kernel
@pytest.mark.compiled
def test_the_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "thirty-thirty", "-n", "300", "--set", "contracts=[['set 3'], ['run 4']]", "--set", "hand=2",
          "--policy", "random"])  # fmt: skip
    shown = capsys.readouterr().out
    assert "turn_down_if_down" in shown
    assert all(len(line.rstrip()) <= 80 for line in shown.splitlines())
    main(["run", "cap-it", "-n", "200", "--format", "json", "--policy", "random", "--unit", "game"])
    document = json.loads(capsys.readouterr().out)
    assert document["stats"]["money.seat0"]["interval"] == "ratio"
    assert math.isclose(sum(document["stats"][f"money.seat{seat}"]["mean"] for seat in range(4)), 400)


def test_bad_input_ends_with_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["run", "cap-it", "--set", "hand_size=14"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("fastsim: option hand_size was given '14'; accepted: 3 to 13")


def test_columns_are_those_of_the_rules_page() -> None:
    metrics = {column.metric for column in layout.HAND_COLUMNS}
    assert {
        "hand",
        "dealer",
        "winner",
        "turns",
        "points",
        "buys",
        "buys_out",
        "nickels",
        "wilds_left",
    } <= metrics

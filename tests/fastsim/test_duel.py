"""Duels: seatings, sums by deal, verdicts, ratings, and what is refused."""

import csv
import io
import json

import numpy as np
import pytest

import fastsim
from fastsim.cli import main
from fastsim.dueling import design_duel, duel
from fastsim.experiment import design, play_blocks
from kernels.blocks import as_table


def test_every_policy_sits_at_every_seat_once() -> None:
    tables = design_duel("cap30", ["random", "balanced", "greedy", "tens"], {"players": 3})
    assert len(tables.tables) == 4
    assert len(tables.seatings) == 12
    for table, group in enumerate(tables.tables):
        at = {(seat, policy) for t, _, seat, policy in tables.seats() if t == table}
        assert at == {(seat, policy) for seat in range(3) for policy in group}
    for _, seating, seat, policy in tables.seats():
        assert tables.seatings[seating].policies[seat] == tables.policies[policy]
        assert tables.seatings[seating].fixed_seats


def wins_by_deal(names: list[str], deals: int, seat: int) -> np.ndarray:
    experiment = design("cap30", {}, names, fixed_seats=True)
    layout = experiment.game.layout
    wins: list[int] = []
    for block in play_blocks(experiment, 0, deals):
        table = as_table(block.hands_block, len(layout.HAND_COLUMNS), block.rows)
        wins += (table[layout.WINNERS] >> seat & 1).tolist()
    return np.array(wins)


def test_shares_and_errors_are_those_of_the_deals() -> None:
    deals = 500
    result = duel("cap30", ["balanced", "random"], deals, threads=2)
    by_deal = wins_by_deal(["balanced", "random"], deals, 0) + wins_by_deal(["random", "balanced"], deals, 1)
    (matchup,) = result.duel.matchups
    first, second = matchup.standings
    assert first.share.value == pytest.approx(by_deal.mean() / 2)
    assert first.share.se == pytest.approx(by_deal.std(ddof=1) / 2 / np.sqrt(deals))
    assert (first.verdict, second.verdict) == ("better", "worse")
    assert first.share.value is not None and second.share.value == pytest.approx(1 - first.share.value)
    assert result.duel.games == 2 * deals and matchup.void == 0
    left = result.duel.numbers["cards_left"]
    assert (left["balanced"].value or 9) < (left["random"].value or 0)
    assert duel("cap30", ["balanced", "random"], deals, threads=1).to_json() == result.to_json()


def test_a_policy_against_itself_is_undecided() -> None:
    result = duel("cap30", ["random", "random"], 300)
    assert [one.policy for one in result.duel.matchups[0].standings] == ["random (1)", "random (2)"]
    assert {one.verdict for one in result.duel.matchups[0].standings} == {"undecided"}
    assert "undecided" in result.to_text()


def test_more_than_two_are_rated() -> None:
    result = fastsim.duel("cap30", ["random", "balanced", "greedy"], 300)
    ratings = {each.policy: each.rating for each in result.duel.ratings}
    assert sum(each.value or 0 for each in ratings.values()) == pytest.approx(0, abs=1e-6)
    assert (ratings["balanced"].low or 0) > (ratings["greedy"].high or 0)
    assert "Ratings" in result.to_markdown()


def test_forms(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "duel",
        "cap-zap",
        "--policy",
        "balanced",
        "--policy",
        "random",
        "-n",
        "60",
        "--unit",
        "game",
    ]
    main(arguments)
    page = capsys.readouterr().out
    assert "60 deals, each played from every seat: 120 games" in page
    assert max(len(line) for line in page.splitlines()) <= 80
    main([*arguments, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["kind"], document["deals"], document["games"]) == ("duel", 60, 120)
    main([*arguments, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    shares = [one["share"] for one in document["matchups"][0]["standings"]]
    assert [float(row["share"]) for row in rows] == shares


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "a duel needs at least two policies"),
        (["--policy", "random"], "a duel needs at least two policies"),
        (["--policy", "random", "--policy", "balancd"], "unknown policy 'balancd', did you mean 'balanced'?"),
        (
            ["--policy", "random", "--policy", "tens", "--set", "players=3"],
            "2 policies were given for 3 players",
        ),
        (["--policy", "random", "--policy", "tens", "-n", "0"], "n was given 0"),
        (["--policy", "random"] * 40, "make 1,560 seatings of each deal"),
        (["--policy", "random", "--policy", "tens", "--confidence", "2"], "confidence was given 2.0"),
    ],
)
def test_what_is_refused(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["duel", "cap30", *arguments])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.out == ""

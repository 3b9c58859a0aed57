"""Measures of balance of real games."""

import csv
import io
import json
from typing import Any

import pytest

import fastsim
from fastsim import balancing
from fastsim.cli import main
from fastsim.experiment import design
from fastsim.stories import StoryPlay, lead_changes
from reports import balance as measures
from reports.balance import Balance
from tests.fastsim.stored import small_pieces


@pytest.mark.parametrize(("unit", "n"), [("hand", 600), ("game", 200)])
def test_measures_follow_from_a_run(unit: str, n: int) -> None:
    result = fastsim.balance("cap30", n, unit=unit, seconds_a_turn=30, threads=2)
    found = {each.name: each.estimate for each in result.balance.measures}
    summary = fastsim.run("cap30", n, unit=unit).summary
    mean = {name: each.estimate.value or 0.0 for name, each in summary.statistics.items()}
    assert found["balance"].value == pytest.approx(1 - abs(mean["win.seat0"] - mean["win.seat1"]))
    assert found["fairness"].value == pytest.approx(2 * min(mean["win.seat0"], 1 - mean["win.seat0"]))
    assert found["decision_share"].value == pytest.approx(1 - mean["forced"] / mean["decisions"])
    assert found["branching"].value == pytest.approx(mean["choices"] / mean["decisions"])
    assert found["lead_changes_a_move"].value == pytest.approx(mean["lead_changes"] / mean["moves"])
    length = "turns" if unit == "hand" else "hands"
    spread = summary.spreads[length]
    assert found["length_spread"].value == pytest.approx((spread.sd or 0) / mean[length], rel=1e-2)
    assert found["minutes"].value == pytest.approx(
        mean["turns"] * (mean["hands"] if unit == "game" else 1) / 2
    )
    assert 0.4 < (found["skill"].value or 0) < 0.9
    for each in found.values():
        assert each.low is not None and each.high is not None and each.value is not None
        assert each.low <= each.value <= each.high
    again = fastsim.balance("cap30", n, unit=unit, seconds_a_turn=30, threads=1)
    assert again.to_json() == result.to_json()


COURSE = ["drama", "comeback", "deficit_overcome", "decisiveness"]
LUCK = ["luck", "variance_between_deals", "variance_within_deals"]


@pytest.mark.parametrize("game", ["cap30", "cap-zap", "kapaga", "thirty-thirty", "cap-it"])
@pytest.mark.parametrize("unit", ["hand", "game"])
def test_every_game_has_all_measures(game: str, unit: str) -> None:
    options = {"limit": 200} if game == "kapaga" else {}
    balance = fastsim.balance(game, 40, unit=unit, options=options, seed=2).balance
    found = {each.name: each for each in balance.measures}
    assert {"balance", "fairness", "lead_changes_a_move", "skill", *COURSE, *LUCK} <= set(found)
    for name in (*COURSE, *LUCK, "lead_changes_a_move"):
        e = found[name].estimate
        assert e.value is not None and e.low is not None and e.high is not None, name
        assert e.low <= e.value <= e.high
        assert e.value <= 1 or name == "deficit_overcome"
        assert e.value > 0 or name in LUCK
    assert found["luck"].n == 1000 and 0 < (found["drama"].n or 0) <= 1000
    between, within = (found[name].estimate.value or 0 for name in LUCK[1:])
    assert found["luck"].estimate.value == pytest.approx(between / (between + within))
    document = balance_document(balance)
    assert document["drama"]["n"] == found["drama"].n and document["balance"]["n"] == 40


def balance_document(balance: Balance) -> Any:
    """Return the measures in plain JSON types."""
    return measures.to_dict(balance)["measures"]


def test_changes_of_the_lead_are_the_same_counted_or_followed() -> None:
    for game in ("cap30", "kapaga"):
        experiment = design(game, {"players": 3}, seed=4)
        sums = StoryPlay(experiment)(0, 300)
        summary = fastsim.run(game, 300, options={"players": 3}, seed=4).summary
        mean = {name: each.estimate.value or 0.0 for name, each in summary.statistics.items()}
        followed = lead_changes(experiment, sums, 0.95).estimate
        assert followed.value == pytest.approx(mean["lead_changes"] / mean["turns"])


def test_an_interrupt_shows_what_was_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)  # far more of them than are in flight

    def progress(done: int, n: int) -> None:
        if done > 200:
            raise KeyboardInterrupt

    result = fastsim.balance("cap30", 20_000, threads=1, progress=progress)
    names = [each.name for each in result.balance.measures]
    assert result.interrupted and 200 < result.balance.n < 20_000
    assert "balance" in names and "luck" not in names and "skill" not in names
    assert result.balance.missing == (*balancing.STORY, *balancing.LUCK, balancing.SKILL)
    assert "without drama, comeback" in " ".join(result.to_text().split())
    assert result.to_dict()["missing"] == list(result.balance.missing)


@pytest.mark.parametrize("stage", ["_followed", "_luck", "_skill"])
def test_an_interrupt_of_a_later_stage_keeps_the_earlier_ones(
    stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(balancing, stage, lambda *_: None if stage == "_skill" else ([], True))
    result = fastsim.balance("cap30", 300)
    names = {each.name for each in result.balance.measures}
    assert result.interrupted and result.balance.n == 300
    assert ("drama" in names, "luck" in names) == (stage != "_followed", stage == "_skill")


def test_teams_and_several_players() -> None:
    measures = fastsim.balance("cap-zap", 100, options={"players": 4, "teams": 2}).balance.measures
    assert next(each for each in measures if each.name == "skill").estimate.value is None
    three = fastsim.balance("cap-zap", 100, options={"players": 3}).balance.measures
    assert (next(each for each in three if each.name == "skill").estimate.value or 0) > 0.3


def test_forms(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["balance", "cap30", "-n", "100", "--set", "chain_limit=1"]
    main(arguments)
    page = capsys.readouterr().out
    assert "CardStock" in page and max(len(line) for line in page.splitlines()) <= 80
    main([*arguments, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    main([*arguments, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["measure"] for row in rows] == list(document["measures"])
    main([*arguments, "--format", "markdown"])
    assert "| fairness |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seconds-a-turn", "0"], "seconds_a_turn was given 0.0; accepted: a number above 0"),
        (["-n", "0"], "n was given 0"),
        (["--confidence", "1.5"], "confidence was given 1.5"),
        (["--policy", "x"], "unknown policy 'x'"),
    ],
)
def test_what_is_refused(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["balance", "cap30", *arguments])
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err

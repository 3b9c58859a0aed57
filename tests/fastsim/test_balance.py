"""Measures of balance of real games."""

import csv
import io
import json

import pytest

import fastsim
from fastsim.cli import main


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

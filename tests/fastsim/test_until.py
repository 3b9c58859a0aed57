"""Runs that stop when they know enough."""

import json
import math
from pathlib import Path

import pytest

import fastsim
from fastsim import UsageError
from fastsim.cli import main
from reports import sequences

pytestmark = pytest.mark.compiled
CHUNK = 131_072


def test_it_stops_at_the_first_chunk_that_is_enough_for_any_threads() -> None:
    results = [
        fastsim.run("cap30", 10**6, policy="random", until={"win.seat0": 0.0032}, threads=t) for t in (1, 3)
    ]
    assert results[0].tally == results[1].tally
    assert results[0].to_json() == results[1].to_json()
    summary = results[0].summary
    assert summary.n == 2 * CHUNK and summary.n < summary.description.requested
    plain = fastsim.run("cap30", summary.n, policy="random")
    assert plain.tally == results[0].tally
    for name, statistic in summary.statistics.items():
        assert statistic.kind == "anytime"
        other = plain.summary.statistics[name].estimate
        assert statistic.estimate.value == other.value and statistic.estimate.se == other.se
    turns = summary.statistics["turns"].estimate
    reach = sequences.critical_value(summary.n, 0.95) * (turns.se or math.nan)
    assert turns.half_width == pytest.approx(reach)
    advantage = summary.first_player.advantage
    assert advantage.half_width is not None and advantage.half_width <= 0.0032
    before = math.sqrt(0.25 / CHUNK) * sequences.critical_value(CHUNK, 0.95)
    assert before > 0.0032


def test_what_was_not_reached_is_said() -> None:
    result = fastsim.run("cap30", 2000, policy="random", until={"turns": 1e-6, "first_player_advantage": 0.5})
    assert "Played 2,000 hands, which was not enough to know turns to ± 1e-06" in result.to_text(100)
    assert "confidence sequences" in result.to_markdown()


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "cap30", "--policy", "random", "-n", "2000", "--until", "turns=9"]
    main(command)
    page = capsys.readouterr().out
    assert "Stopped after 2,000 hands, as soon as it knew turns to ± 9." in page
    assert "--until turns=9.0" in page
    main([*command, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["until"] == {"turns": 9.0}
    assert document["stats"]["turns"]["interval"] == "anytime"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("turn=1", "unknown statistic 'turn', did you mean 'turns'?"),
        ("win.seat9=1", "unknown statistic 'win.seat9', did you mean 'win.seat"),
        ("turns", "until was given 'turns'; accepted: METRIC=HALF_WIDTH"),
        ("turns=much", "until was given 'turns=much'"),
        ("=1", "until was given '=1'"),
        ("turns=0", "until was given 0.0 for turns; accepted: a half-width above 0"),
        ("turns=nan", "until was given nan for turns"),
    ],
)
def test_what_is_refused(given: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["run", "cap30", "--until", given])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.out == ""


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not kept in a folder"):
        fastsim.run("cap30", until={"turns": 1.0}, out=tmp_path)

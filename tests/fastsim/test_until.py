"""Runs that stop when they know enough."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import fastsim
from fastsim import UsageError, WorkerError
from fastsim.cli import main
from reports import sequences
from tests.fastsim.stored import CHUNKS, files, play, small_pieces, stop_after

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


def test_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="rows are written of a number that is fixed beforehand"):
        fastsim.run("cap30", until={"turns": 1.0}, out=tmp_path, rows=True)
    assert not list(tmp_path.iterdir())


ENOUGH = {"win.seat0": 0.035}


@pytest.mark.parametrize("stops", [1, 3])
def test_it_stops_at_the_same_game_in_a_folder_and_after_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stops: int
) -> None:
    small_pieces(monkeypatch)
    plain = fastsim.run("cap30", 10**5, policy="random", threads=2, until=ENOUGH)
    assert 5 * CHUNKS["hand"] < plain.summary.n < 20 * CHUNKS["hand"]
    whole = play(tmp_path / "whole", 10**5, until=ENOUGH)
    assert not whole.interrupted and whole.tally == plain.tally and whole.to_json() == plain.to_json()

    folder = tmp_path / "broken"
    part = play(folder, 10**5, until=ENOUGH, progress=stop_after(stops))
    assert part.interrupted and stops * CHUNKS["hand"] <= part.summary.n < plain.summary.n
    assert fastsim.report(folder).interrupted
    last = fastsim.resume(folder, threads=1)
    assert not last.interrupted and last.tally == plain.tally
    assert files(folder) == files(tmp_path / "whole")
    again = fastsim.resume(folder)  # knows enough: nothing is played
    assert again.tally == plain.tally and files(folder) == files(tmp_path / "whole")
    reported = fastsim.report(folder)
    assert not reported.interrupted and reported.to_json() == plain.to_json()


def test_a_hole_that_damage_left_is_closed_before_it_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pieces(monkeypatch)
    whole = play(tmp_path, 10**5, until=ENOUGH)
    first = min((tmp_path / "parts").iterdir(), key=lambda path: path.name)
    first.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="damaged"):
        again = fastsim.resume(tmp_path)
    assert again.tally == whole.tally and not again.interrupted


@pytest.mark.parametrize("until", [3, {"turn": 1.0}, {"turns": -1.0}, {"turns": "narrow"}])
def test_a_manifest_with_another_rule_to_stop_is_damaged(tmp_path: Path, until: object) -> None:
    fastsim.run("cap30", 500, policy="random", until={"turns": 9.0}, out=tmp_path)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "until": until}))
    with pytest.raises(UsageError, match="is damaged"):
        fastsim.report(tmp_path)


def test_an_executor_plays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)
    plain = fastsim.run("cap30", 10**5, policy="random", until=ENOUGH)
    with ThreadPoolExecutor(3) as executor:
        other = fastsim.run("cap30", 10**5, policy="random", until=ENOUGH, executor=executor)
    assert other.tally == plain.tally


def test_a_worker_that_fails_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)

    class Failing(ThreadPoolExecutor):
        left = 4

        def submit(self, *arguments: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("no more")
            return super().submit(*arguments, **named)

    with Failing(1) as executor, pytest.raises(WorkerError, match="no more") as failure:
        fastsim.run("cap30", 10**5, policy="random", until=ENOUGH, executor=executor)
    assert failure.value.result.summary.n >= CHUNKS["hand"]

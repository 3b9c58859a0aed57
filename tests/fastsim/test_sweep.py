"""Sweeps: grids, goals, a fresh seed, going on after a stop, and what is refused."""

import csv
import io
import json
import math
from pathlib import Path

import pytest

import fastsim
from fastsim import OutputError, UsageError, store
from fastsim.cli import main
from fastsim.result import Result
from fastsim.sweeping import read_goal, read_values, read_where, sweep

FAIR = "first_player_advantage=0"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2,3", ["1", "2", "3"]),
        (" 1 , 3 ", ["1", "3"]),
        ("1..4", ["1", "2", "3", "4"]),
        ("10..50:20", ["10", "30", "50"]),
        ("10..49:20", ["10", "30"]),
        ("-3..-1", ["-3", "-2", "-1"]),
        ("0.5..1:0.25", ["0.5", "0.75", "1"]),
        ("1..2,7", ["1", "2", "7"]),
        ("standard,{ A = 1, B = 2 }", ["standard", {"A": 1, "B": 2}]),
    ],
)
def test_values(text: str, values: list[object]) -> None:
    assert read_values("x", text) == values


@pytest.mark.parametrize("text", ["", ",", "4..1", "1..4:0", "1..4:-1", "a..b", "1..nan", "0..inf", "1..1e9"])
def test_no_values(text: str) -> None:
    with pytest.raises(UsageError, match="option x was given"):
        read_values("x", text)


def test_goals_and_constraints() -> None:
    assert read_goal("turns=12.5").distance(10) == 2.5
    assert read_goal("turns=min").distance(10) == 10
    assert read_goal("turns=max").distance(10) == -10
    assert str(read_goal("turns = max")) == "turns=max"
    assert read_where("turns<=20").holds(20)
    assert not read_where("turns < 20").holds(20)
    assert read_where("plays.+1>0.5").holds(1) and str(read_where("a >= 2")) == "a>=2"
    for text in ("turns", "turns=x", "=1", "turns=nan", "turns=inf"):
        with pytest.raises(UsageError, match="goal was given"):
            read_goal(text)
    for text in ("turns", "turns=1", "<1", "turns<x", "turns<inf"):
        with pytest.raises(UsageError, match="where was given"):
            read_where(text)


def test_points_are_runs_on_the_same_deals_and_the_best_is_played_afresh() -> None:
    vary = {"starter_extra": "0..2", "take_count": [1, 2]}
    found = sweep("cap30", vary, 2000, goal=FAIR, where=["turns<13"], metrics=["turns"], threads=2).sweep
    assert [tuple(point.values.values()) for point in found.points] == [
        (str(extra), str(take)) for extra in range(3) for take in (1, 2)
    ]
    distances = {}
    for index, point in enumerate(found.points):
        summary = fastsim.run("cap30", 2000, options=dict(point.values)).summary
        assert point.statistics["turns"] == summary.statistics["turns"].estimate
        assert point.statistics["first_player_advantage"] == summary.first_player.advantage
        turns, advantage = (point.statistics[name].value for name in ("turns", "first_player_advantage"))
        assert turns is not None and advantage is not None
        assert found.fits(point) == (turns < 13)
        if turns < 13:
            distances[index] = abs(advantage)
    assert 0 < len(distances) < 6
    assert found.best == min(distances, key=distances.__getitem__)
    best = found.points[found.best]
    fresh = fastsim.run("cap30", 2000, options=dict(best.values), seed=1).summary
    assert found.fresh is not None and found.fresh_seed == 1
    assert found.fresh.statistics["first_player_advantage"] == fresh.first_player.advantage


def test_who_cannot_be_told_from_the_best_is_named() -> None:
    found = sweep("cap30", {"starter_extra": "0..2"}, 200, goal=FAIR).sweep
    rivals = {point.values["starter_extra"] for point in found.rivals()}
    assert found.best is not None and found.points[found.best].values["starter_extra"] not in rivals
    for point in found.points:
        a, b = (p.statistics["first_player_advantage"] for p in (found.points[found.best], point))
        assert None not in (a.value, a.se, b.value, b.se)
        near = abs(b.value) - abs(a.value) <= 1.96 * math.hypot(a.se, b.se)  # type: ignore[arg-type]
        assert (point.values["starter_extra"] in rivals) == (near and point is not found.points[found.best])


def test_nothing_satisfies_the_constraints() -> None:
    result = sweep("cap30", {"chain_limit": "1,2"}, 100, goal=FAIR, where=["turns<1"])
    assert result.sweep.best is None and result.sweep.fresh is None
    assert "No rule set satisfies all constraints." in result.to_text()


def test_a_sweep_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    arguments = {"n": 300, "goal": FAIR, "out": tmp_path}
    whole = sweep("cap30", {"chain_limit": "1..3"}, **arguments)  # type: ignore[arg-type]
    places = sorted(path.name for path in tmp_path.iterdir())
    assert places == ["fresh", "point-000000", "point-000001", "point-000002"]
    # What is there is not played again, and what is lost is.
    point = tmp_path / "point-000001"
    before = {path.name: path.stat().st_mtime_ns for path in (point / "parts").iterdir()}
    (point / store.TALLY).unlink()
    for path in (tmp_path / "point-000002" / "parts").iterdir():
        path.unlink()
    assert sweep("cap30", {"chain_limit": "1..3"}, **arguments).to_json() == whole.to_json()  # type: ignore[arg-type]
    assert {path.name: path.stat().st_mtime_ns for path in (point / "parts").iterdir()} == before
    # More games of the same rules go on; other rules or fewer games are refused.
    sweep("cap30", {"chain_limit": "1..3"}, 301, goal=FAIR, out=tmp_path)
    assert store.load(point).summary.n == 301
    with pytest.raises(UsageError, match="accepted: 301 to"):
        sweep("cap30", {"chain_limit": "1..3"}, 300, out=tmp_path)
    with pytest.raises(UsageError, match="a run of something else"):
        sweep("cap30", {"chain_limit": "2..3"}, 301, out=tmp_path)


def test_what_was_played_is_shown_though_it_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finish = store.Run.finish

    def full(run: store.Run, result: Result) -> None:
        if run.folder.name.endswith("1"):
            raise OutputError("cannot write: the disk is full")
        finish(run, result)

    monkeypatch.setattr(store.Run, "finish", full)
    with pytest.raises(SystemExit) as stop:
        main(["sweep", "cap30", "--vary", "chain_limit=1..3", "-n", "100", "--out", str(tmp_path)])
    captured = capsys.readouterr()
    assert stop.value.code == 1
    assert "the disk is full" in captured.err
    assert "Stopped early: 2 of 3 rule sets were played" in captured.out


def test_an_interrupt_keeps_the_points_that_are_done() -> None:
    def progress(done: int, total: int) -> None:
        assert total == 300
        if done > 200:
            raise KeyboardInterrupt

    result = sweep("cap30", {"chain_limit": "1..3"}, 100, goal=FAIR, progress=progress, threads=1)
    assert result.interrupted
    assert len(result.sweep.points) == 2 and result.sweep.fresh is None
    assert "Stopped early: 2 of 3" in result.to_text()


def test_forms(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["sweep", "cap30", "--vary", "chain_limit=1..3", "-n", "100", "--goal", "turns=min"]
    main(arguments)
    page = capsys.readouterr().out
    assert max(len(line) for line in page.splitlines()) <= 80
    assert "Best: chain_limit" in page and "fresh seed" in page
    main([*arguments, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["kind"], document["size"]) == (1, "sweep", 3)
    main([*arguments, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    for row, point in zip(rows, document["points"], strict=True):
        assert row["chain_limit"] == point["options"]["chain_limit"]
        assert float(row["turns"]) == point["statistics"]["turns"]["mean"]
    main([*arguments, "--format", "markdown"])
    assert "| chain\\_limit | turns |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the grid is empty; give what to vary"),
        (["--vary", "chain_limit"], "vary was given 'chain_limit'; accepted: OPTION=1,2,3"),
        (["--vary", "chain_limit="], "option chain_limit was given no values"),
        (["--vary", "chain_limit=4..1"], "option chain_limit was given the range '4..1'"),
        (["--vary", "chain=1,2"], "unknown option 'chain'"),
        (["--vary", "chain_limit=1,99"], "option chain_limit was given '99'; accepted: 1 to 10 (rule C9)"),
        (["--vary", "chain_limit=1,1"], "option chain_limit was given the same value twice"),
        (["--vary", "chain_limit=1", "--vary", "chain_limit=2"], "option chain_limit is varied twice"),
        (
            ["--vary", "chain_limit=1,2", "--set", "chain_limit=3"],
            "option chain_limit is both set and varied",
        ),
        (
            ["--vary", "chain_limit=1,2", "--goal", "turn=1"],
            "unknown statistic 'turn', did you mean 'turns'?",
        ),
        (["--vary", "chain_limit=1,2", "--goal", "turns"], "goal was given 'turns'; accepted: METRIC=VALUE"),
        (["--vary", "chain_limit=1,2", "--where", "turn<1"], "unknown statistic 'turn'"),
        (
            ["--vary", "chain_limit=1,2", "--where", "turns"],
            "where was given 'turns'; accepted: METRIC<VALUE",
        ),
        (["--vary", "chain_limit=1,2", "--metric", "turn"], "unknown statistic 'turn'"),
        (
            ["--vary", "max_turns=1..1000000", "-n", "1e6"],
            "1,000,000 points, which makes 1,000,000,000,000 hands",
        ),
        (
            ["--vary", "chain_limit=1..10", "-n", "1e10"],
            "10 points, which makes 100,000,000,000 hands; give --yes",
        ),
    ],
)
def test_what_is_refused(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["sweep", "cap30", *arguments])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.out == ""

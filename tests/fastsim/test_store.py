"""Runs in a folder: stopped, resumed, extended, damaged; always the same bytes in the end."""

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import fastsim
from fastsim import engine, parts
from fastsim import files as files_module
from fastsim.cli import cli
from fastsim.errors import OutputError, UsageError
from tests.fastsim.stored import N, files, play, small_pieces, stop_after


@pytest.fixture(autouse=True)
def small(monkeypatch):
    small_pieces(monkeypatch)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """A run that nothing stopped."""
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    with pytest.MonkeyPatch.context() as patch:
        small_pieces(patch)
        play(folder)
    return folder


def part_names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "parts").glob("*.json.gz"))


def interrupted_run(folder: Path, pieces: int = 3, **changes) -> fastsim.Result:
    result = play(folder, progress=stop_after(pieces), **changes)
    assert result.interrupted
    assert result.chunks
    return result


def test_an_interrupted_run_keeps_what_was_finished_and_resumes_to_the_same_bytes(tmp_path, unbroken):
    result = interrupted_run(tmp_path / "run")
    assert json.loads((tmp_path / "run/manifest.json").read_text())["state"] == "interrupted"
    reported = fastsim.report(tmp_path / "run")
    assert reported.tally == result.tally
    assert reported.chunks == result.chunks
    assert reported.interrupted
    played = []
    resumed = fastsim.resume(tmp_path / "run", progress=lambda done, n: played.append(done))
    assert not resumed.interrupted
    assert played[0] == sum(stop - first for first, stop in result.chunks)
    assert files(tmp_path / "run") == files(unbroken)


def test_an_interrupted_resume_can_be_resumed(tmp_path, unbroken):
    interrupted_run(tmp_path / "run", 1)
    for _ in range(3):
        assert fastsim.resume(tmp_path / "run", progress=stop_after(1)).interrupted
    fastsim.resume(tmp_path / "run", threads=1)
    assert files(tmp_path / "run") == files(unbroken)


def test_extending_plays_only_what_is_missing(tmp_path, unbroken, monkeypatch):
    play(tmp_path / "run", 1300)
    numbers = []
    plain = engine.play_blocks

    def watched(experiment, first, stop, cancelled=None):
        numbers.extend(range(first, stop))
        return plain(experiment, first, stop, cancelled)

    monkeypatch.setattr(engine, "play_blocks", watched)
    fastsim.resume(tmp_path / "run", N)
    assert sorted(numbers) == list(range(1300, N))
    assert files(tmp_path / "run") == files(unbroken)


def test_resuming_a_finished_run_plays_nothing_and_changes_nothing(tmp_path, unbroken, monkeypatch):
    shutil.copytree(unbroken, tmp_path / "run")
    (tmp_path / "run/tally.parquet").unlink()
    monkeypatch.setattr(engine, "play_blocks", None)
    fastsim.resume(tmp_path / "run")
    assert files(tmp_path / "run") == files(unbroken)


def test_fewer_than_before_are_refused(unbroken):
    with pytest.raises(UsageError, match=f"n was given 10, .* accepted: {N} to"):
        fastsim.resume(unbroken, 10)


def test_whole_games_resume_too(tmp_path):
    play(tmp_path / "whole", 500, unit="game")
    interrupted_run(tmp_path / "run", 1, n=500, unit="game")
    fastsim.resume(tmp_path / "run")
    assert files(tmp_path / "run") == files(tmp_path / "whole")


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "rename", "garbage", "delete"])
def test_a_damaged_part_is_found_said_and_played_again(tmp_path, unbroken, damage):
    shutil.copytree(unbroken, tmp_path / "run")
    rng = random.Random(damage)
    victim = tmp_path / "run/parts" / rng.choice(part_names(unbroken))
    data = bytearray(victim.read_bytes())
    if damage == "truncate":
        victim.write_bytes(data[: rng.randrange(1, len(data))])
    elif damage == "flip":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        victim.write_bytes(data)
    elif damage == "empty":
        victim.write_bytes(b"")
    elif damage == "rename":
        victim.rename(victim.with_name("0" + victim.name[1:-9] + "0.json.gz"))
    elif damage == "garbage":
        (victim.parent / "notes.json.gz").write_bytes(b"no part")
    else:
        victim.unlink()
    said: list[str] = []
    fastsim.resume(tmp_path / "run", say=said.append)
    if damage == "delete":  # cannot be told from what was never played
        assert not said
    else:
        assert len(said) == 1
        assert "damaged; their games are played again" in said[0]
        assert list((tmp_path / "run/parts").glob("*.damaged"))
    assert files(tmp_path / "run") == files(unbroken)
    said.clear()
    fastsim.resume(tmp_path / "run", say=said.append)
    assert not said


def test_damage_is_a_warning_in_python_and_reports_leave_it_out(tmp_path, unbroken):
    shutil.copytree(unbroken, tmp_path / "run")
    victim = tmp_path / "run/parts" / part_names(unbroken)[0]
    victim.write_bytes(victim.read_bytes()[:-1])
    with pytest.warns(UserWarning, match="damaged"):
        result = fastsim.report(tmp_path / "run")
    assert result.interrupted
    assert victim.exists()  # reporting writes nothing


def test_a_foreign_part_is_found_said_and_its_games_are_played(tmp_path, unbroken):
    play(tmp_path / "other", seed=5)
    interrupted_run(tmp_path / "run", 1)
    stray = part_names(tmp_path / "other")[-1]
    shutil.copy(tmp_path / "other/parts" / stray, tmp_path / "run/parts")
    said: list[str] = []
    fastsim.resume(tmp_path / "run", say=said.append)
    assert len(said) == 1
    assert "of another run, left alone; they differ in seed (0, not 5)" in said[0]
    assert (tmp_path / "run/parts" / f"{stray}.foreign").exists()
    assert files(tmp_path / "run") == files(unbroken)


def test_a_part_whose_games_are_in_a_larger_one_is_dropped(tmp_path, unbroken):
    interrupted_run(tmp_path / "run", 1)
    for name in part_names(tmp_path / "run"):
        shutil.copy(tmp_path / "run/parts" / name, tmp_path / name)
    fastsim.resume(tmp_path / "run", threads=1)
    for path in tmp_path.glob("*.json.gz"):  # a kill between writing a sum and deleting its parts
        shutil.copy(path, tmp_path / "run/parts")
    fastsim.resume(tmp_path / "run")
    assert files(tmp_path / "run") == files(unbroken)


def test_many_parts_become_few(tmp_path):
    result = play(tmp_path / "run", 20_000)
    assert len(part_names(tmp_path / "run")) < 20  # of 40 pieces
    assert fastsim.report(tmp_path / "run").tally == result.tally


def edit_manifest(folder: Path, **changes) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": "0.0.1"}, r"made by fastsim 0\.0\.1, and this is"),
        ({"code": "0123456789abcdef"}, r"made by other source files of cap30 \(hash 0123456789abcdef, here"),
        ({"seed": 7}, r"is not that of the parts beside it; they differ in seed \(7, not 0\)"),
        ({"unit": "game"}, r"they differ in unit \(game, not hand\)"),
        ({"experiment": "0" * 32}, "was changed: what it plays does not match its own hash"),
        ({"schema": 1}, "has schema 1; accepted by this version: 3"),
        ({"n": "many"}, "is damaged"),
        ({"policies": 3}, "is damaged"),
        ({"game": "cap31"}, r"unknown game 'cap31', did you mean 'cap30'"),
        ({"options": {"players": 99}}, "is damaged: option players was given 99"),
    ],
)
def test_a_manifest_of_another_version_or_experiment_is_refused(tmp_path, unbroken, changes, says):
    shutil.copytree(unbroken, tmp_path / "run")
    edit_manifest(tmp_path / "run", **changes)
    with pytest.raises(UsageError, match=says):
        fastsim.resume(tmp_path / "run")
    assert part_names(tmp_path / "run") == part_names(unbroken)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "\x00\xff"])
def test_a_broken_manifest_is_refused_in_a_sentence(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(UsageError, match=r"damaged|schema"):
        fastsim.resume(tmp_path)


def test_no_run_in_the_folder(tmp_path):
    with pytest.raises(UsageError, match="there is no run in the folder"):
        fastsim.report(tmp_path)
    with pytest.raises(UsageError, match="there is no folder"):
        fastsim.resume(tmp_path / "nowhere")


def test_a_folder_with_a_run_is_not_used_again(unbroken):
    with pytest.raises(UsageError, match="go on with it by: fastsim resume"):
        play(unbroken)
    with pytest.raises(UsageError, match=r"with other seed \(0, not 1\); give another folder"):
        play(unbroken, seed=1)


def test_a_second_one_on_the_same_folder_is_refused(tmp_path, unbroken):
    shutil.copytree(unbroken, tmp_path / "run")
    holder = "import sys, time; from pathlib import Path; from fastsim.lock import lock\n"
    holder += "with lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    command = [sys.executable, "-c", holder, str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UsageError, match="another process works on"):
            fastsim.resume(tmp_path / "run")
        assert not fastsim.report(tmp_path / "run").interrupted  # reading is no work on it
        other.kill()
    fastsim.resume(tmp_path / "run")  # a killed process leaves no lock


def test_a_second_one_in_the_same_process_is_refused(tmp_path):
    refused = []

    def progress(done: int, n: int) -> None:
        with pytest.raises(UsageError, match="another process works on"):
            fastsim.resume(tmp_path / "run")
        refused.append(done)

    play(tmp_path / "run", progress=progress)
    assert refused


def test_clocks_do_not_matter(tmp_path, unbroken, monkeypatch):
    interrupted_run(tmp_path / "run", 1)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    for path in (tmp_path / "run").rglob("*"):
        os.utime(path, (4e9, 4e9))  # from a future that the clock was set back from
    fastsim.resume(tmp_path / "run")
    assert files(tmp_path / "run") == files(unbroken)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at open files through /proc")
def test_files_reach_the_disk_before_and_after_they_are_moved(tmp_path, monkeypatch):
    steps = []
    fsync, replace = os.fsync, Path.replace

    def logged_fsync(handle):
        steps.append(("fsync", os.readlink(f"/proc/self/fd/{handle}")))
        fsync(handle)

    def logged_replace(self, target):
        steps.append(("move", str(self)))
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", logged_fsync)
    monkeypatch.setattr(Path, "replace", logged_replace)
    files_module.write(tmp_path / "file", "text")
    assert [step for step, _ in steps] == ["fsync", "move", "fsync"]
    assert steps[0][1] == steps[1][1]
    assert steps[2][1] == str(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("failing", [1, 2, 5])
def test_when_writing_a_part_fails_what_was_found_is_shown_and_nothing_is_counted_twice(
    tmp_path, small, monkeypatch, failing
):
    n = 12_000  # with one thread, at most two of its 24 pieces are in a part
    plain, calls = parts.write, []

    def full_disk(path, content):
        calls.append(path)
        if len(calls) == failing:
            raise OutputError(f"cannot write {str(path)!r}: No space left on device")
        plain(path, content)

    monkeypatch.setattr(parts, "write", full_disk)
    with pytest.raises(OutputError, match="No space left") as caught:
        play(tmp_path / "run", n, threads=1)
    assert caught.value.result.interrupted
    assert caught.value.result.tally.units("hand") > 0
    monkeypatch.setattr(parts, "write", plain)
    fastsim.resume(tmp_path / "run")
    play(tmp_path / "whole", n)
    assert files(tmp_path / "run") == files(tmp_path / "whole")


@pytest.mark.parametrize("at", range(0, 30, 3))
def test_an_interrupt_within_the_writing_of_a_part_counts_nothing_twice(tmp_path, unbroken, monkeypatch, at):
    plain, calls = Path.replace, []

    def interrupted(self, target):
        calls.append(target)
        if len(calls) == at // 2 + 2 and at % 2:
            raise KeyboardInterrupt
        plain(self, target)
        if len(calls) == at // 2 + 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", interrupted)
        with contextlib.suppress(KeyboardInterrupt):  # not caught where the result is written
            play(tmp_path / "run")
    fastsim.resume(tmp_path / "run")
    assert files(tmp_path / "run") == files(unbroken)


def test_the_command_reports_resumes_and_extends(tmp_path, unbroken):
    folder = str(tmp_path / "run")
    interrupted_run(Path(folder), 1)
    shown = CliRunner().invoke(cli, ["report", folder])
    assert shown.exit_code == 0
    assert "Stopped early" in shown.output
    resumed = CliRunner().invoke(cli, ["resume", folder, "--format", "json"])
    assert resumed.exit_code == 0
    assert json.loads(resumed.stdout)["n"] == N
    assert files(Path(folder)) == files(unbroken)
    reported = CliRunner().invoke(cli, ["report", folder, "--format", "json"])
    assert reported.stdout == resumed.stdout == (unbroken / "summary.json").read_text()
    extended = CliRunner().invoke(cli, ["resume", folder, "-n", "3.5e3", "--format", "json"])
    assert json.loads(extended.stdout)["n"] == 3500


def test_the_command_says_how_to_go_on(tmp_path, monkeypatch):
    shown = stop_after(2)
    monkeypatch.setattr(engine._Gathering, "_show", lambda gathering: shown(0, 0))
    folder = str(tmp_path / "a run")
    done = CliRunner().invoke(cli, ["run", "cap30", "-n", "3000", "--policy", "random", "--out", folder])
    assert done.exit_code == 130
    assert f"go on with: fastsim resume '{folder}'" in done.stderr

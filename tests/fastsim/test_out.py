"""A run written to a folder: which files, what is in them, and what happens if they cannot be written."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import fastsim
from fastsim.errors import OutputError, UsageError
from tests.fastsim.commands import environment
from tests.fastsim.commands import fastsim as command

N = 1500


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, fastsim.Result]:
    folder = tmp_path_factory.mktemp("runs") / "deep" / "one"
    return folder, fastsim.run("cap30", N, options={"players": 3}, seed=2, threads=2, out=folder, rows=True)


def test_the_files_hold_the_result(finished: tuple[Path, fastsim.Result]) -> None:
    folder, result = finished
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["state"], manifest["n"], manifest["seed"]) == ("finished", N, 2)
    assert (manifest["game"], manifest["unit"], manifest["counted"]) == ("cap30", "hand", [[0, N]])
    assert manifest["options"]["players"] == 3
    assert pl.read_parquet(folder / "tally.parquet").equals(result.tally.frame)
    assert json.loads((folder / "summary.json").read_text()) == json.loads(result.to_json())
    assert not [path for path in folder.rglob("*") if path.name.endswith((".tmp", ".part"))]


def rows_of(folder: Path, what: str) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(file) for file in sorted((folder / "rows").glob(f"{what}-*.parquet")))


def test_rows_add_up_to_the_tally(finished: tuple[Path, fastsim.Result]) -> None:
    folder, result = finished
    rows = rows_of(folder, "hands")
    assert rows["game"].to_list() == list(range(N))
    for metric in ("turns", "tens", "winner", "taken"):
        counts = rows[metric].value_counts().sort(metric)
        expected = result.tally.counts("hand", metric)
        assert counts.rows() == expected.rows()
    plays = rows["plays.TakeTwo"].sum()
    assert plays / N == pytest.approx(result.to_dict()["stats"]["plays.TakeTwo"]["mean"])  # type: ignore[index,call-overload]


def test_rows_are_the_same_for_any_number_of_threads(tmp_path: Path) -> None:
    folders = [tmp_path / str(threads) for threads in (1, 3)]
    for folder, threads in zip(folders, (1, 3), strict=True):
        fastsim.run(
            "cap30", 300, unit="game", policy=["balanced", "random"], threads=threads, out=folder, rows=True
        )
    for what in ("hands", "games"):
        first, second = (rows_of(folder, what) for folder in folders)
        assert first.equals(second)
    hands, games = rows_of(folders[0], "hands"), rows_of(folders[0], "games")
    assert hands.height == games["hands"].sum()
    assert hands.group_by("game").len().sort("game")["len"].to_list() == games["hands"].to_list()


@pytest.mark.parametrize("name", ["manifest.json", "tally.parquet", "summary.json", "rows"])
def test_a_folder_with_a_run_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir() if name == "rows" else (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError):
        fastsim.run("cap30", 10, out=tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.name != "lock"] == [name]


def test_a_file_in_the_way_and_an_unwritable_folder_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for out in (file, file / "run", Path("/proc/none")):
        with pytest.raises(UsageError, match="cannot write to the folder"):
            fastsim.run("cap30", 10, out=out)
    assert file.read_bytes() == b""


def test_an_interrupted_run_is_written_as_far_as_it_went(tmp_path: Path) -> None:
    presses = iter([KeyboardInterrupt])

    def stop(done: int, n: int) -> None:
        for press in presses:
            raise press

    result = fastsim.run("cap30", 800, threads=8, progress=stop, out=tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert result.interrupted
    assert manifest["state"] == "interrupted"
    assert sum(stop - first for first, stop in manifest["counted"]) == result.summary.n < 800
    assert pl.read_parquet(tmp_path / "run" / "tally.parquet").equals(result.tally.frame)


def test_a_failed_write_leaves_the_result_and_no_half_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if Path(target).name == "summary.json":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match=r"summary.json.*No space left on device") as error:
        fastsim.run("cap30", 200, out=tmp_path / "run")
    assert error.value.result.summary.n == 200
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.startswith("summary")]


def refused_and_shown(done: subprocess.CompletedProcess[str], folder: Path) -> None:
    """Check that the results are shown, that one sentence says why they are not written, and exit 1."""
    assert done.returncode == 1
    assert json.loads(done.stdout)["n"] == 200
    said = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert said[0].startswith(f"fastsim: cannot write '{folder}")
    assert "Traceback" not in done.stderr


RUN = ["run", "cap30", "-n", "200", "--format", "json", "--threads", "1"]


def test_files_that_may_not_grow_are_said_and_results_are_shown(tmp_path: Path) -> None:
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))"
    code = f"{limit}; from fastsim.cli import main; main(sys.argv[1:])"
    folder = tmp_path / "run"
    command(*RUN)  # so that it is compiled
    done = subprocess.run(
        [sys.executable, "-c", code, *RUN, "--out", str(folder)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    refused_and_shown(done, folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 kB, where this user can mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.getuid() != 0:
        pytest.skip("this user cannot mount a small disk")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_said_and_results_are_shown(small_disk: Path) -> None:
    done = command(*RUN, "--out", str(small_disk / "run"))
    refused_and_shown(done, small_disk / "run")
    assert "No space left on device" in done.stderr


def test_an_existing_run_is_a_mistake_of_the_command(finished: tuple[Path, Any]) -> None:
    folder, _ = finished
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = command(*RUN, "--out", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("fastsim: ")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_two_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "fastsim", *RUN]
    both = [
        subprocess.Popen(
            [*arguments, "--out", str(tmp_path / name)], stdout=subprocess.PIPE, env=environment()
        )
        for name in ("a", "b")
    ]
    printed = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert printed[0] == printed[1]
    assert (tmp_path / "a" / "summary.json").read_bytes() == (tmp_path / "b" / "summary.json").read_bytes()

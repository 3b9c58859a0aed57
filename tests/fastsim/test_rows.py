"""Rows of a run that is stopped, resumed, extended or damaged."""

import shutil

import polars as pl
import pytest

import fastsim
from fastsim.errors import UsageError
from tests.fastsim.stored import N, files, play, small_pieces, stop_after


@pytest.fixture(autouse=True)
def small(monkeypatch):
    small_pieces(monkeypatch)


@pytest.fixture(scope="module", params=["hand", "game"])
def unbroken(request, tmp_path_factory):
    """A run with rows that nothing stopped, its unit, and how many."""
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    n = N - 30 if request.param == "hand" else 450
    with pytest.MonkeyPatch.context() as patch:
        small_pieces(patch)
        play(folder, n, rows=True, unit=request.param)
    return folder, request.param, n


def test_rows_are_those_of_the_tally(unbroken):
    folder, unit, n = unbroken
    hands = pl.read_parquet(folder / "rows/hands-*.parquet")
    tally = pl.read_parquet(folder / "tally.parquet")
    turns = tally.filter((pl.col("unit") == "hand") & (pl.col("metric") == "turns"))
    assert hands.height == turns["n"].sum()
    assert hands["turns"].sum() == (turns["value"] * turns["n"]).sum()
    assert hands["game"].unique().sort().to_list() == list(range(n))
    assert hands.select("game", "hand").is_unique().all()
    assert (unit == "game") == bool(list((folder / "rows").glob("games-*")))


@pytest.mark.parametrize("pieces", [1, 3])
def test_rows_of_a_resumed_run_are_the_same_bytes(tmp_path, unbroken, pieces):
    folder, unit, n = unbroken
    result = play(tmp_path / "run", n, rows=True, unit=unit, progress=stop_after(pieces))
    assert result.interrupted
    said: list[str] = []
    fastsim.resume(tmp_path / "run", say=said.append)
    assert not said
    assert files(tmp_path / "run", rows=True) == files(folder, rows=True)


def test_rows_of_an_extended_run_are_the_same_bytes(tmp_path, unbroken):
    folder, unit, n = unbroken
    play(tmp_path / "run", n // 3, rows=True, unit=unit)
    said: list[str] = []
    fastsim.resume(tmp_path / "run", n, say=said.append)
    assert not said
    assert files(tmp_path / "run", rows=True) == files(folder, rows=True)


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete"])
def test_damaged_rows_are_found_said_and_written_again(tmp_path, unbroken, damage):
    folder, _, _ = unbroken
    shutil.copytree(folder, tmp_path / "run")
    victim = sorted((tmp_path / "run/rows").iterdir())[1]
    data = bytearray(victim.read_bytes())
    if damage == "truncate":
        victim.write_bytes(data[:100])
    elif damage == "flip":
        data[len(data) // 2] ^= 4
        victim.write_bytes(data)
    else:
        victim.unlink()
    said: list[str] = []
    fastsim.resume(tmp_path / "run", say=said.append)
    assert len(said) == 1
    assert f"1 file ({victim.name})" in said[0]
    assert files(tmp_path / "run", rows=True) == files(folder, rows=True)


def test_what_was_being_written_when_killed_is_cleared(tmp_path, unbroken):
    folder, _, _ = unbroken
    shutil.copytree(folder, tmp_path / "run")
    for place in ("", "parts", "rows"):
        (tmp_path / "run" / place / ".hands-000.parquet.1234abcd.tmp").write_bytes(b"half")
    fastsim.resume(tmp_path / "run")
    assert not list((tmp_path / "run").rglob("*.tmp"))
    assert files(tmp_path / "run", rows=True) == files(folder, rows=True)


def test_rows_need_a_folder_and_threads_of_this_process(tmp_path, unbroken):
    folder, _, _ = unbroken
    with pytest.raises(UsageError, match="without a folder"):
        fastsim.run("cap30", 10, rows=True)
    with pytest.raises(UsageError, match="threads of this process only"):
        fastsim.resume(folder, executor=object())  # type: ignore[arg-type]

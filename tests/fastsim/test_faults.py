"""What a machine can do to a run: kill it, fill its disk, forbid writing, leave it little memory."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fastsim
from fastsim import parts
from fastsim.errors import OutputError, UsageError
from tests.fastsim.stored import files, play, small_pieces

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(sys.platform != "linux", reason="uses fork, mounts and /proc as Linux has them"),
]


@pytest.mark.parametrize(("n", "kills", "rows"), [(60_000, 20, ()), (20_000, 6, ("rows",))])
def test_killed_again_and_again_it_ends_with_the_same_bytes(tmp_path, monkeypatch, n, kills, rows):
    small_pieces(monkeypatch)
    command = [
        sys.executable,
        "-m",
        "tests.fastsim.kill_many",
        str(tmp_path / "run"),
        str(n),
        str(kills),
        "1",
    ]
    subprocess.run([*command, *rows], cwd=ROOT, check=True)
    n = json.loads((tmp_path / "run" / "manifest.json").read_text())["n"]
    said: list[str] = []
    fastsim.resume(tmp_path / "run", say=said.append)
    assert not [sentence for sentence in said if "parts" in sentence]  # a part is there whole or not at all
    play(tmp_path / "whole", n, rows=bool(rows))
    assert files(tmp_path / "run", rows=bool(rows)) == files(tmp_path / "whole", rows=bool(rows))
    assert not list((tmp_path / "run").rglob("*.tmp"))


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk in memory, or skip the test."""
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("mounting a small disk is for root")
    folder.mkdir()
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={size}", "fastsim-test", str(folder)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {made.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


@pytest.mark.parametrize(("size", "rows"), [("128k", False), ("1500k", True)])
def test_a_full_disk_stops_the_run_and_costs_nothing(tmp_path, monkeypatch, size, rows):
    small_pieces(monkeypatch)
    monkeypatch.setattr(parts, "_MERGE_AT", 10**6)
    n = 60_000 if not rows else 20_000
    with small_disk(tmp_path / "disk", size) as disk:
        with pytest.raises(OutputError, match="No space left on device") as caught:
            play(disk / "run", n, rows=rows)
        result = caught.value.result
        assert result.interrupted
        assert result.tally.units("hand") == sum(stop - first for first, stop in result.chunks) > 0
        kept = fastsim.report(disk / "run")
        assert 0 < kept.tally.units("hand") <= result.tally.units("hand")
        with pytest.raises((OutputError, UsageError), match="No space left on device"):
            fastsim.resume(disk / "run")  # still full
        remount(disk, "size=50m")
        said: list[str] = []
        assert not fastsim.resume(disk / "run", say=said.append).interrupted
        assert not said
        found = files(disk / "run", rows=rows)
    play(tmp_path / "whole", n, rows=rows)
    assert found == files(tmp_path / "whole", rows=rows)


def test_a_read_only_folder_is_refused_and_can_still_be_reported(tmp_path, monkeypatch):
    small_pieces(monkeypatch)
    with small_disk(tmp_path / "disk", "1m") as disk:
        result = play(disk / "run", 2000)
        remount(disk, "ro")
        with pytest.raises(UsageError, match=r"cannot write to the folder .*: Read-only file system"):
            fastsim.resume(disk / "run", 3000)
        with pytest.raises(UsageError, match=r"cannot write to the folder .*: Read-only file system"):
            play(disk / "other")
        assert fastsim.report(disk / "run").tally == result.tally


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path):
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(UsageError, match="cannot write to the folder"):
        play(tmp_path / "closed/run")


_BOUNDED = """
import resource, sys
from pathlib import Path
import pytest
from tests.fastsim.stored import play, small_pieces
small_pieces(pytest.MonkeyPatch())
folder, rows = Path(sys.argv[1]), sys.argv[2] == "rows"
play(folder / "short", 4_000, rows=rows)
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
used = int(status["VmSize"].split()[0]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[4]), resource.RLIM_INFINITY))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
play(folder / "long", int(sys.argv[3]), rows=rows)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak)
"""


@pytest.mark.parametrize(("rows", "n"), [("none", 150_000), ("rows", 200_000)])
def test_memory_does_not_grow_with_the_number_of_games(tmp_path, rows, n):
    """A long run is given little more room than a short one needed; its rows would take 70 MB.

    The limit is one of addresses, which new threads reserve for their stacks; what is really used
    (KiB) must not grow by half of that.
    """
    room = 48 << 20
    command = [sys.executable, "-c", _BOUNDED, str(tmp_path), rows, str(n), str(room)]
    # One pool of memory for all threads: otherwise each reserves 64 MiB of addresses.
    environment = os.environ | {"MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=environment)
    assert int(done.stdout) * 1024 < room / 2

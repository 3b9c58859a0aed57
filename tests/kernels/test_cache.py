"""Where compiled kernels are kept: never what is stale, never what somebody else put there."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import llvmlite
import numba
import pytest

from kernels import cache
from tests.fastsim.commands import environment

ROOT = Path(cache.__file__).parent


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return the user's cache folder, and the temporary folder's part for this user."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    home = tmp_path / "home"
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(cache.platformdirs, "user_cache_dir", lambda *_, **__: str(home / "fastsim"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return home / "fastsim", temporary / f"fastsim-{cache._user()}"


def unwritable(folder: Path) -> None:
    """Put a file where a folder would be, which not even root can write into."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.touch()


def test_the_fingerprint_follows_all_that_code_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {cache.fingerprint()}
    assert {cache.fingerprint()} == seen
    for flag in ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME"):
        with monkeypatch.context() as patch:
            patch.setenv(flag, "1")
            seen.add(cache.fingerprint())
    for module in (numba, llvmlite):
        with monkeypatch.context() as patch:
            patch.setattr(module, "__version__", "0.0.1")
            seen.add(cache.fingerprint())
    for name in ("get_host_cpu_name",):
        with monkeypatch.context() as patch:
            patch.setattr(cache.llvmlite.binding, name, lambda: "another")
            seen.add(cache.fingerprint())
    copy = tmp_path / "kernels"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "__file__", str(copy / "cache.py"))
    assert cache.fingerprint() in seen  # wherever the sources are
    for change in ("cap30/tables.py", "bits.py"):
        with (copy / change).open("a") as source:
            source.write("# changed\n")
        seen.add(cache.fingerprint())
    (copy / "another.py").touch()
    seen.add(cache.fingerprint())
    (copy / "another.py").rename(copy / "renamed.py")
    seen.add(cache.fingerprint())
    assert len(seen) == 1 + 3 + 2 + 1 + 2 + 2


def test_a_change_of_flags_alone_never_meets_code_of_others(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, _ = cache.open_folder()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1" if os.environ.get("NUMBA_BOUNDSCHECK") != "1" else "0")
    checked, _ = cache.open_folder()
    assert usual != checked


def test_the_users_folder_is_used(places: tuple[Path, Path]) -> None:
    home, temporary = places
    assert cache.open_folder() == (home / f"kernels-{cache.fingerprint()}", None)
    assert not temporary.exists()


def test_a_folder_that_is_given_is_used(
    tmp_path: Path, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))
    folder, note = cache.open_folder()
    assert folder is not None
    assert (folder.parent, note) == (tmp_path / "given", None)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    folder, _ = cache.open_folder()
    assert folder is not None
    assert folder.parent == places[0]


def test_without_a_writable_home_the_temporary_folder_is_used_and_said(places: tuple[Path, Path]) -> None:
    home, temporary = places
    unwritable(home)
    folder, note = cache.open_folder()
    assert folder is not None
    assert folder.parent == temporary
    assert note == f"cannot write to {home}, so compiled kernels are kept in {temporary}"
    assert temporary.stat().st_mode & 0o777 == 0o700


def test_without_a_home_nothing_is_left_where_the_command_is_used(
    tmp_path: Path, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache.platformdirs, "user_cache_dir", lambda *_, **__: "~/.cache/fastsim")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    folder, _ = cache.open_folder()
    assert folder is not None
    assert folder.parent == places[1]
    assert list(here.iterdir()) == []


def test_with_nowhere_to_write_it_is_said(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    home, temporary = places
    unwritable(home)
    unwritable(temporary)
    folder, note = cache.open_folder()
    assert folder is None
    assert note == f"cannot write to {home} or {temporary}, so kernels are compiled again in every run"

    def none() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    assert cache.open_folder() == (
        None,
        f"cannot write to {home}, so kernels are compiled again in every run",
    )


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers here")
@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize("how", ["another user's", "others can write", "a link"])
def test_what_another_user_may_have_prepared_is_not_trusted(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, how: str, inner: bool
) -> None:
    home, temporary = places
    unwritable(home)
    prepared = temporary / f"kernels-{cache.fingerprint()}" if inner else temporary
    if inner:
        temporary.mkdir(mode=0o700)
    if how == "a link":
        elsewhere = temporary.parent / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        prepared.symlink_to(elsewhere)
    else:
        prepared.mkdir(mode=0o700)
    if how == "others can write":
        prepared.chmod(0o777)
    if how == "another user's":
        lstat = Path.lstat

        def owned(self: Path) -> os.stat_result:
            status = lstat(self)
            uid = os.getuid() + 1 if self == prepared else status.st_uid
            return os.stat_result((*status[:4], uid, *status[5:]))

        monkeypatch.setattr(Path, "lstat", owned)
    folder, note = cache.open_folder()
    assert folder is None
    assert note is not None and "compiled again in every run" in note


def test_old_folders_are_deleted_and_recent_ones_and_others_kept(places: tuple[Path, Path]) -> None:
    home, _ = places
    present = home / f"kernels-{cache.fingerprint()}"
    now = time.time()
    ages = {"kernels-old": 15, "kernels-recent": 13, present.name: 400, "other": 400}
    for name, days in ages.items():
        (home / name).mkdir(parents=True)
        (home / name / "code.nbc").touch()
        os.utime(home / name, (now - days * 86400,) * 2)
    assert cache.open_folder()[0] == present
    assert {path.name for path in home.iterdir()} == {"kernels-recent", present.name, "other"}
    assert (present / "code.nbc").exists()
    assert now - present.stat().st_mtime < 3600  # used now


def test_what_was_compiled_is_remembered_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert not cache.is_compiled("game-random")
    cache.mark_compiled("game-random")
    assert cache.is_compiled("game-random")
    assert not cache.is_compiled("game-weighed")
    for nowhere in ("", str(tmp_path / "gone")):
        monkeypatch.setattr(numba.config, "CACHE_DIR", nowhere)
        cache.mark_compiled("game-random")
        assert not cache.is_compiled("game-random")


KERNEL = """
import sys
from kernels import jit

@jit.kernel
def add(a, b):
    return a + b

print(add(1, 2), jit._folder is not None)
print(jit.note or "", end="")
"""


@pytest.mark.compiled
def test_two_processes_may_compile_at_once(tmp_path: Path) -> None:
    file = tmp_path / "adding.py"
    file.write_text(KERNEL)
    together = [
        subprocess.Popen(
            [sys.executable, str(file)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(NUMBA_CACHE_DIR=str(tmp_path / "cache")),
        )
        for _ in range(3)
    ]
    said = [process.communicate() for process in together]
    assert said == [("3 True\n", "")] * 3
    assert list((tmp_path / "cache").glob("kernels-*/**/*.nbc"))


@pytest.mark.compiled
def test_with_nowhere_to_write_kernels_still_run(tmp_path: Path) -> None:
    file = tmp_path / "adding.py"
    file.write_text(KERNEL)
    nowhere = tmp_path / "nowhere"
    nowhere.touch()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / f"fastsim-{cache._user()}").touch()
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        env=environment(NUMBA_CACHE_DIR=str(nowhere), TMPDIR=str(tmp_path / "tmp")),
        check=True,
    )
    assert done.stdout.startswith("3 False\ncannot write to ")
    assert done.stderr == ""
    assert not list(tmp_path.rglob("*.nbc"))

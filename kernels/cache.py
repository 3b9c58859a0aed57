"""Where compiled kernels are kept between runs.

Numba looks at the file of a jitted function to tell whether its compiled code is still good, and
not at the files of the functions and constants that it uses. So all compiled code lives in a
folder named after a hash of every kernel source, of the numba and Python versions, of the
processor and of the flags that change the code: code that was compiled from other sources is
never looked at, and is deleted when it has not been used for a while.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import stat
import tempfile
import time
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba
import platformdirs

_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DEBUGINFO", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_KEEP_SECONDS = 14 * 24 * 3600
_PREFIX = "kernels-"


def fingerprint() -> str:
    """Return a hash of all that compiled code depends on."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for source in sorted(here.rglob("*.py")):
        digest.update(str(source.relative_to(here)).encode())
        digest.update(source.read_bytes())
    digest.update(f"{numba.__version__} {llvmlite.__version__} {platform.python_version()}".encode())
    digest.update(llvmlite.binding.get_host_cpu_name().encode())
    digest.update(llvmlite.binding.get_host_cpu_features().flatten().encode())
    digest.update(repr([os.environ.get(flag) for flag in _FLAGS]).encode())
    return digest.hexdigest()[:16]


def open_folder() -> tuple[Path | None, str | None]:
    """Return a writable folder for this fingerprint, and what the user should know of it.

    The folder is None if there is nowhere to write; the note is None if all is as usual.

    Looks at ``NUMBA_CACHE_DIR``, then the user's cache folder, then a temporary folder of the
    user's own; deletes folders of other fingerprints beside it that were not used for two weeks.
    """
    name = _PREFIX + fingerprint()
    given = os.environ.get("NUMBA_CACHE_DIR")
    preferred = Path(given or platformdirs.user_cache_dir("fastsim", appauthor=False))
    # A user without a home has a cache folder that is relative, to wherever the command is used.
    if (given or preferred.is_absolute()) and _is_writable(preferred / name):
        _prune(preferred, keep=preferred / name)
        return preferred / name, None
    try:
        fallback = Path(tempfile.gettempdir()) / f"fastsim-{_user()}"
    except FileNotFoundError:
        return None, f"cannot write to {preferred}, so kernels are compiled again in every run"
    if _is_own(fallback) and _is_own(fallback / name) and _is_writable(fallback / name):
        _prune(fallback, keep=fallback / name)
        return fallback / name, f"cannot write to {preferred}, so compiled kernels are kept in {fallback}"
    return None, f"cannot write to {preferred} or {fallback}, so kernels are compiled again in every run"


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


def _is_own(folder: Path) -> bool:
    """Make a folder, if there is none, and return whether nobody but this user can have written to it.

    Code is loaded from here, so what another user prepared in a shared place won't do, nor a link.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return True
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not shared


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
    except OSError:
        return False
    return True


def _prune(base: Path, keep: Path) -> None:
    oldest = time.time() - _KEEP_SECONDS
    for other in base.glob(_PREFIX + "*"):
        try:
            if other != keep and other.stat().st_mtime < oldest:
                shutil.rmtree(other, ignore_errors=True)
        except OSError:
            continue  # another process was faster


def mark_compiled(name: str) -> None:
    """Remember that the kernel ``name`` has been compiled into this folder."""
    folder = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    if folder:
        with contextlib.suppress(OSError):  # only a message depends on it
            (Path(folder) / f"{name}.compiled").touch()


def is_compiled(name: str) -> bool:
    """Return whether the kernel ``name`` was compiled by an earlier run."""
    folder = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    return bool(folder) and (Path(folder) / f"{name}.compiled").exists()

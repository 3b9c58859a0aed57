"""One process at a time in a folder, held by the operating system: a killed process leaves no lock."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

LOCK = "lock"

_held: set[Path] = set()
"""Folders that this process holds: locks of POSIX keep out other processes only."""


class Held(Exception):
    """Somebody else works in the folder."""


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[bool]:
    """Hold a folder; yields false where the file system knows no locks.

    Raises ``Held`` if another process (or this one) holds it, and ``OSError`` if the folder cannot
    be written.
    """
    place = folder.resolve()
    if place in _held:  # looked at first: closing the file a second time would give up the lock
        raise Held
    with (folder / LOCK).open("a") as file:
        try:
            locks = _take(file.fileno())
        except (BlockingIOError, PermissionError):
            raise Held from None
        _held.add(place)
        try:
            yield locks
        finally:
            _held.discard(place)


if os.name == "nt":

    def _take(handle: int) -> bool:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        return True

else:

    def _take(handle: int) -> bool:
        import fcntl

        # Not flock: processes forked from this one would hold it on after a kill of this one.
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise
        except OSError:
            return False
        return True

"""Files that are there whole or not at all, also after a power cut."""

import contextlib
import io
import os
import secrets
from pathlib import Path

import polars as pl

from fastsim.errors import OutputError

TEMPORARY = ".tmp"
"""How names of files that are still being written end."""


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole.

    It is written beside its place, brought to the disk and then moved there, and the folder is
    brought to the disk too. Raises ``OutputError`` if any of it fails; the file is then as before.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with temporary.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise OutputError(f"cannot write {str(path)!r}: {reason(error)}") from None


def parquet(frame: pl.DataFrame) -> bytes:
    """Return a frame as a Parquet file: equal frames give equal bytes.

    In memory, because polars does not say why a file could not be written.
    """
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(buffer)
    return buffer.getvalue()


def reason(error: Exception) -> str:
    """Return why something failed, in the words of the operating system if it said."""
    return getattr(error, "strerror", None) or str(error)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    if os.name == "nt":  # which has no such call; it does so by itself
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def clear_temporary(folder: Path) -> None:
    """Delete what an earlier process was writing when it was killed."""
    for left in folder.glob(f".*{TEMPORARY}"):
        with contextlib.suppress(OSError):
            left.unlink()

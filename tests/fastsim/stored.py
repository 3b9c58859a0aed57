"""Small runs in folders, for tests: pieces of a few hundred hands, and a part for each of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fastsim
from fastsim import engine, parts
from fastsim.catalog import find

CHUNKS = {"hand": 500, "game": 100}
N = 3000


def small_pieces(patch: pytest.MonkeyPatch, game: str = "cap30") -> None:
    """Make pieces small, keep each at once, and add parts up often."""
    patch.setattr(type(find(game)), "chunks", CHUNKS)
    patch.setattr(engine, "_KEEP_SECONDS", 0.0)
    patch.setattr(parts, "_MERGE_AT", 3)


def stop_after(pieces: int) -> Any:
    """Return a progress that interrupts once when so many pieces are done."""
    calls: Iterator[int] = iter(range(10**6))

    def progress(done: int, n: int) -> None:
        if next(calls) == pieces:
            raise KeyboardInterrupt

    return progress


def play(folder: Path, n: int = N, **changes: Any) -> fastsim.Result:
    """Play a small run in a folder."""
    return fastsim.run("cap30", n, **{"policy": "random", "threads": 2, "out": folder, **changes})


def files(folder: Path, *, rows: bool = False) -> dict[str, bytes]:
    """Return the files that a finished run must have, byte for byte the same however it was played."""
    names = ["tally.parquet", "summary.json", "manifest.json"]
    found = {name: (folder / name).read_bytes() for name in names}
    if rows:
        found |= {path.name: path.read_bytes() for path in sorted((folder / "rows").iterdir())}
    return found

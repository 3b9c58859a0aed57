"""Rows of hands and of games as Parquet files, one of each for every chunk of games.

The names hold the number of the chunk's first game, and the files do not depend on who played the
chunk or when, so a folder of them is the same for any number of threads. Only the chunks that are
being played are in memory.
"""

import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from fastsim.experiment import Block, Experiment
from fastsim.files import parquet, write
from fastsim.parts import RowChecks
from fastsim.ranges import Range, number, within
from kernels.columns import SCALAR, Column
from reports.description import Metric

ROWS = "rows"
_READ = 1 << 20


class RowWriter:
    """Writes the rows of chunks to a folder, which is there already."""

    def __init__(self, folder: Path, experiment: Experiment) -> None:
        self._folder = folder
        self._by_game = experiment.unit == "game"
        self._layout = experiment.game.layout
        metrics = experiment.game.metrics(experiment.options)
        names = _names(self._layout.HAND_COLUMNS, [m for m in metrics if m.unit == "hand"])
        self._names = {i: names[i] for i in experiment.wanted}
        self._names_of_games = _names(self._layout.GAME_COLUMNS, [m for m in metrics if m.unit == "game"])
        self._hands_of_game = [column.metric for column in self._layout.GAME_COLUMNS].index("hands")
        self._checks: dict[str, tuple[int, tuple[int, int, int]]] = {}
        self._guard = threading.Lock()

    def __call__(self, first: int, stop: int, blocks: Iterator[Block]) -> Iterator[Block]:
        """Pass the blocks of a chunk on, and write their rows when the chunk has been played."""
        from kernels.blocks import as_table

        hands: list[pl.DataFrame] = []
        games: list[pl.DataFrame] = []
        for block in blocks:
            numbers = np.arange(block.first, block.first + block.games, dtype=np.int64)
            in_game = np.zeros(block.rows, dtype=np.int32)
            if self._by_game:
                table = as_table(block.games_block, len(self._layout.GAME_COLUMNS), block.games)
                columns = {name: table[i] for i, name in self._names_of_games.items()}
                games.append(pl.DataFrame({"game": numbers, **columns}))
                counts = table[self._hands_of_game]
                numbers = np.repeat(numbers, counts)
                starts = np.repeat(np.cumsum(counts) - counts, counts)
                in_game = (np.arange(block.rows) - starts).astype(np.int32)
            table = as_table(block.hands_block, len(self._layout.HAND_COLUMNS), block.rows)
            values = {name: table[i] for i, name in self._names.items()}
            hands.append(pl.DataFrame({"game": numbers, "hand": in_game, **values}))
            yield block
        for kind, frames in (("hands", hands), ("games", games)):
            if frames:
                self._write(kind, first, stop, frames)

    def _write(self, kind: str, first: int, stop: int, frames: list[pl.DataFrame]) -> None:
        name = file_name(kind, first)
        whole = pl.concat(frames)
        frames.clear()
        data = parquet(whole)
        write(self._folder / name, data)
        with self._guard:
            self._checks[name] = first, (stop, len(data), zlib.crc32(data))

    def checks(self, counted: tuple[Range, ...]) -> RowChecks:
        """Return the checks of the files of chunks that have games in these ranges."""
        with self._guard:
            return {
                name: check
                for name, (first, check) in self._checks.items()
                if within(first, check[0], counted)
            }

    def forget(self, checks: RowChecks) -> None:
        """Drop checks that have been kept elsewhere."""
        with self._guard:
            for name in checks:
                self._checks.pop(name, None)


def file_name(kind: str, first: int) -> str:
    """Return the name of the file of rows of hands or games of the chunk that starts at ``first``."""
    return f"{kind}-{first:015}.parquet"


def _names(columns: Sequence[Column], metrics: Sequence[Metric]) -> dict[int, str]:
    """Return the names of columns, without those for parts that cannot occur."""
    labels = {metric.name: metric.labels for metric in metrics}
    return {
        i: metric if key == SCALAR else f"{metric}.{labels[metric][key]}"
        for i, (metric, key, _) in enumerate(columns)
        if key == SCALAR or key in labels.get(metric, {})
    }


def _check(path: Path) -> tuple[int, int]:
    """Return size and CRC-32 of a file."""
    size = crc = 0
    with path.open("rb") as file:
        while data := file.read(_READ):
            size += len(data)
            crc = zlib.crc32(data, crc)
    return size, crc


def to_write_again(
    folder: Path, experiment: Experiment, n: int, counted: tuple[Range, ...], checks: RowChecks
) -> tuple[dict[int, int], list[str]]:
    """Return the chunks of counted games whose row files are not there as they were written.

    Returns
    -------
    dict of int to int
        First games of these chunks, and how many of their games were counted.
    list of str
        Names of the files that are missing or damaged; a file that only holds fewer games than the
        chunk now has, because the run was extended, is none of them.
    """
    chunk = experiment.game.chunks[experiment.unit]
    kinds = ("hands", "games") if experiment.unit == "game" else ("hands",)
    again: dict[int, int] = {}
    damaged: list[str] = []
    for first in range(0, n, chunk):
        stop = min(first + chunk, n)
        in_chunk = number(within(first, stop, counted))
        if not in_chunk:
            continue
        for kind in kinds:
            name = file_name(kind, first)
            good = _is_as_written(folder / name, checks, name)
            if not good:
                damaged.append(name)
            if not good or checks[name][0] != stop:
                again[first] = in_chunk
    return again, damaged


def _is_as_written(path: Path, checks: Mapping[str, tuple[int, int, int]], name: str) -> bool:
    if name not in checks:
        return False
    try:
        return path.stat().st_size == checks[name][1] and _check(path) == checks[name][1:]
    except OSError:
        return False

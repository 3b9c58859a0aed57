"""A run in a folder: ``manifest.json``, ``tally.parquet``, ``summary.json`` and, if asked for, rows.

Every file is written beside its place and then moved there, so that a file is there whole or not
at all.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from fastsim.errors import OutputError, UsageError
from fastsim.experiment import Block, Experiment
from fastsim.result import Result
from kernels.columns import SCALAR, Column
from reports.description import Metric

MANIFEST = "manifest.json"
TALLY = "tally.parquet"
SUMMARY = "summary.json"
ROWS = "rows"


def open_folder(folder: Path, experiment: Experiment, n: int) -> None:
    """Prepare a folder for a new run, and write what it plays.

    Raises ``UsageError`` if there is a run in it already, or it cannot be written.
    """
    for name in (MANIFEST, TALLY, SUMMARY, ROWS):
        if (folder / name).exists():
            raise UsageError(
                f"there is a run in {str(folder)!r} already ({name}); give another folder to --out"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / MANIFEST, json.dumps(_manifest(experiment, n, "running", ()), indent=2) + "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"cannot write to the folder {str(folder)!r} given to --out: {reason}") from None


def save(folder: Path, result: Result) -> None:
    """Write a result. Raises ``OutputError`` if that fails."""
    state = "interrupted" if result.interrupted else "finished"
    manifest = _manifest(result.experiment, result.requested, state, result.chunks)
    write(folder / TALLY, result.tally.frame.write_parquet)
    write(folder / SUMMARY, result.to_json() + "\n")
    write(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def write(path: Path, content: str | Callable[[Path], object]) -> None:
    """Write a file whole: its text, or what a function writes to the path that it is given.

    Raises ``OutputError`` if that fails; the file is then as it was before.
    """
    temporary = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
        os.close(handle)
        temporary = Path(name)
        if isinstance(content, str):
            temporary.write_text(content, encoding="utf-8")
        else:
            content(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"cannot write {str(path)!r}: {reason}") from None


def _manifest(
    experiment: Experiment, n: int, state: str, chunks: tuple[tuple[int, int], ...]
) -> dict[str, object]:
    description = experiment.describe(n)
    return {
        "schema": 1,
        "version": description.version,
        "state": state,
        "game": description.game,
        "unit": description.unit,
        "n": n,
        "seed": description.seed,
        "options": dict(description.options),
        "policies": [
            {"name": p.name, "weights": p.weights, "temperature": p.temperature} for p in experiment.policies
        ],
        "fixed_seats": description.fixed_seats,
        "counted": [list(chunk) for chunk in _joined(chunks)],
    }


def _joined(chunks: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Return ranges with those that touch made one."""
    joined: list[tuple[int, int]] = []
    for first, stop in sorted(chunks):
        if joined and joined[-1][1] == first:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((first, stop))
    return joined


class RowWriter:
    """Writes rows of hands and of games to Parquet, one file of each for every chunk of games.

    The names hold the number of the chunk's first game, and the files do not depend on who played
    the chunk or when, so a folder of them is the same for any number of threads.
    """

    def __init__(self, folder: Path, experiment: Experiment) -> None:
        self._folder = folder / ROWS
        self._by_game = experiment.unit == "game"
        self._layout = experiment.game.layout
        self._wanted = experiment.wanted
        metrics = experiment.game.metrics(experiment.options)
        self._names = _names(self._layout.HAND_COLUMNS, [m for m in metrics if m.unit == "hand"])
        self._names_of_games = _names(self._layout.GAME_COLUMNS, [m for m in metrics if m.unit == "game"])
        self._hands_of_game = [column.metric for column in self._layout.GAME_COLUMNS].index("hands")
        try:
            self._folder.mkdir()
        except OSError as error:
            raise UsageError(f"cannot make the folder {str(self._folder)!r}: {error.strerror}") from None

    def __call__(self, first: int, blocks: Iterator[Block]) -> Iterator[Block]:
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
            values = {self._names[i]: table[i] for i in self._wanted}
            hands.append(pl.DataFrame({"game": numbers, "hand": in_game, **values}))
            yield block
        write(self._folder / f"hands-{first:015}.parquet", pl.concat(hands).write_parquet)
        if games:
            write(self._folder / f"games-{first:015}.parquet", pl.concat(games).write_parquet)


def _names(columns: Sequence[Column], metrics: Sequence[Metric]) -> dict[int, str]:
    """Return the names of columns, without those for parts that cannot occur."""
    labels = {metric.name: metric.labels for metric in metrics}
    return {
        i: metric if key == SCALAR else f"{metric}.{labels[metric][key]}"
        for i, (metric, key, _) in enumerate(columns)
        if key == SCALAR or key in labels.get(metric, {})
    }

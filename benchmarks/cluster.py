"""What a cluster moves and what adding up costs: ``python -m benchmarks.cluster``.

The figures of ``docs/cluster.md``. Nothing is sent anywhere: the pieces are packed as an executor
would pack them, and the process that adds up is fed with tallies that were played before.
"""

import dataclasses
import pickle
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import click

from benchmarks.measure import least_times
from fastsim import engine, store
from fastsim.catalog.game import Unit
from fastsim.experiment import design, play
from fastsim.identity import code
from fastsim.version import VERSION
from reports.tally import merge

GAMES = ("cap30", "cap-zap")
UNITS: tuple[Unit, ...] = ("hand", "game")


class Instant(Executor):
    """Answers every piece at once with the same tally, unpacked anew as if it came over a network."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        """Return a future that is done."""
        future: Future[Any] = Future()
        future.set_result(pickle.loads(self._packed))
        return future


def measure(game: str, unit: Unit, pieces: int, repeats: int) -> list[str]:
    """Return the cells of a line: bytes moved, seconds played and added up, bytes kept."""
    experiment = design(game, policy="random", unit=unit)
    size = experiment.game.chunks[unit] * engine._CHUNKS_AWAY
    play(dataclasses.replace(experiment), 0, 100)
    tally = play(dataclasses.replace(experiment), 0, size // 8)
    packed = pickle.dumps(tally)
    asked = len(pickle.dumps((engine.play_elsewhere, experiment, 0, size, (VERSION, code(game)))))
    played = least_times({"piece": lambda: play(experiment, 0, size // 8)}, repeats)["piece"] * 8
    n = pieces * size
    executor = Instant(packed)

    def gather() -> None:
        engine.run_chunks(experiment, n, 100, executor)

    gathered = least_times({"gather": gather}, repeats)["gather"] / pieces
    merged = least_times({"merge": lambda: merge([tally] * 2)}, repeats)["merge"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        with store.create(folder, experiment, n, 0.95) as run:
            started = time.perf_counter()
            for number in range(10):
                run.keep(((number, number + 1),), tally)
            kept = (time.perf_counter() - started) / 10
        part = max(path.stat().st_size for path in folder.glob("parts/*"))
    return [
        game,
        f"{size:,} {unit}s",
        f"{played:.2f} s",
        f"{asked / 1e3:.1f} kB",
        f"{len(packed) / 1e3:.0f} kB",
        f"{(asked + len(packed)) / size * 1e3:.0f} kB",
        f"{gathered * 1e3:.2f} ms",
        f"{merged * 1e3:.2f} ms",
        f"{part / 1e3:.1f} kB",
        f"{kept * 1e3:.0f} ms",
        f"{played / gathered:,.0f}",
    ]


@click.command()
@click.option("--quick", is_flag=True, help="Small samples: the figures mean little.")
def main(quick: bool) -> None:
    """Print a Markdown table of what the pieces of a cluster cost."""
    titles = ["game", "a piece", "played in", "sent", "returned", "moved a million", "gathered in"]
    titles += ["two merged in", "a part", "kept in", "workers one process can serve"]
    click.echo(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for game in GAMES:
        for unit in UNITS:
            click.echo(f"| {' | '.join(measure(game, unit, 50 if quick else 1000, 1 if quick else 3))} |")


if __name__ == "__main__":
    main()

"""A long run: whether its rate and its memory stay flat. ``python -m benchmarks.soak [-n 1e9]``.

Prints one line each time another part of the run is done: what was played, the rate of that part a
second of processor time (machines are shared) and by the clock, the memory in use, and the files of
the run. Then compares the last quarter with the second one, for kernels load in the first.
"""

import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import click

import fastsim


class Sample(NamedTuple):
    """Where a run is: hands done, seconds by the clock and of processor time, MiB, files, KiB of them."""

    done: int
    clock: float
    processor: float
    memory: float
    files: int
    size: float


def resident() -> float:
    """Return the memory in use, in MiB (the peak where the system does not tell)."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def play(n: int, policy: str, threads: int | None, lines: int, folder: Path) -> list[Sample]:
    """Play a run in a folder, print its course, and return it."""
    samples: list[Sample] = []

    def progress(done: int, total: int) -> None:
        if samples and done < min(total, samples[-1].done + total // lines):
            return
        parts = [path.stat().st_size for path in folder.glob("parts/*")]
        now = Sample(
            done, time.perf_counter(), time.process_time(), resident(), len(parts), sum(parts) / 1024
        )
        if samples and done > samples[-1].done:
            before = samples[-1]
            hands = done - before.done
            rates = hands / (now.processor - before.processor), hands / (now.clock - before.clock)
            click.echo(
                f"{done:>16,}  {rates[0]:>12,.0f}  {rates[1]:>12,.0f}  "
                f"{now.memory:>8.1f}  {now.files:>5}  {now.size:>8.1f}"
            )
        samples.append(now)

    click.echo(f"{'hands':>16}  {'a cpu second':>12}  {'a second':>12}  {'MiB':>8}  {'parts':>5}  {'KiB':>8}")
    fastsim.run("cap30", n, policy=policy, threads=threads, out=folder, progress=progress)
    return samples


def between(samples: list[Sample]) -> tuple[float, float]:
    """Return hands a second of processor time and the median memory over some samples."""
    first, last = samples[0], samples[-1]
    rate = (last.done - first.done) / (last.processor - first.processor)
    return rate, statistics.median(sample.memory for sample in samples)


@click.command()
@click.option("-n", "hands", type=float, default=1e9, show_default=True, help="How many hands.")
@click.option("--policy", default="random", show_default=True)
@click.option("--threads", type=int, help="[default: one for each processor]")
@click.option("--lines", type=click.IntRange(8), default=20, show_default=True, help="How often to look.")
def main(hands: float, policy: str, threads: int | None, lines: int) -> None:
    """Play a long run of Cap30 and tell whether it stays as fast and as small as it began."""
    with tempfile.TemporaryDirectory() as place:
        samples = play(int(hands), policy, threads, lines, Path(place) / "run")
    quarter = len(samples) // 4
    early, late = between(samples[quarter : 2 * quarter + 1]), between(samples[-quarter - 1 :])
    click.echo(f"rate, last quarter beside the second: {late[0] / early[0]:.3f}")
    click.echo(f"memory, last quarter beside the second: {late[1] / early[1]:.3f} ({late[1]:.1f} MiB)")


if __name__ == "__main__":
    main()

"""The whole command: its cost beside the kernel's, its memory, its start, and compiling."""

import os
import resource
import subprocess
import sys
import tempfile
import time

from benchmarks.cap30 import playing
from benchmarks.measure import Line, least_times
from fastsim.experiment import design

_PEAK = """
import resource, sys
from fastsim.cli import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def run(*arguments: str, environment: dict[str, str] | None = None) -> tuple[float, float, int]:
    """Run the command; return its seconds, its processor seconds, and its peak memory in KiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    finished = subprocess.run(
        [sys.executable, "-c", _PEAK, *arguments],
        check=True,
        capture_output=True,
        env=os.environ | (environment or {}),
        text=True,
    )
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, int(finished.stderr.split()[-1])


def whole(hands: int, repeats: int) -> list[Line]:
    """Compare the processor time of a whole run with that of its kernel alone."""
    experiment = design("cap30", policy="random")
    playing(experiment, 1000)()
    kernel = command = float("inf")
    for _ in range(repeats):
        kernel = min(kernel, least_times({"kernel": playing(experiment, hands)}, 1)["kernel"])
        command = min(command, run("run", "cap30", "-n", str(hands), "--policy", "random")[1])
    figures = f"{command:.1f} s of processor time, its kernel {kernel:.1f} s"
    return [Line(f"the whole command, {hands:,} hands", figures, f"{command / kernel:.2f}", "at most 1.3")]


def memory(hands: int, repeats: int) -> list[Line]:
    """Compare the peak memory of a long run with that of a short one."""
    few, many = max(hands // 50, 1), hands
    peaks = [run("run", "cap30", "-n", str(n), "--policy", "random")[2] for n in (few, many)]
    figures = f"{peaks[1] / 1024:.0f} MiB for {many:,} hands, {peaks[0] / 1024:.0f} MiB for {few:,}"
    return [Line("peak memory, long run beside short", figures, f"{peaks[1] / peaks[0]:.2f}", "at most 1.1")]


def start(repeats: int) -> list[Line]:
    """Measure a small run with kernels compiled before, and the first run of all."""
    games = ("run", "cap30", "-n", "1000", "--unit", "game", "--policy", "random")
    run(*games)
    warm = min(run(*games)[0] for _ in range(repeats))
    with tempfile.TemporaryDirectory() as folder:
        cold = run(*games, environment={"NUMBA_CACHE_DIR": folder})[0]
    return [
        Line("1,000 games, kernels compiled before", f"{warm:.2f} s", "", "under 1.5 s"),
        Line("the same, the first time (compiles)", f"{cold:.1f} s", "", "under 10 s more"),
    ]


def loading(repeats: int) -> list[Line]:
    """Compare `fastsim --help` with the import of click alone."""

    def seconds(*arguments: str) -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        return time.perf_counter() - started

    helped = alone = float("inf")
    for _ in range(2 * repeats):
        helped = min(helped, seconds("-m", "fastsim", "--help"))
        alone = min(alone, seconds("-c", "import click"))
    figures = f"{helped:.2f} s, import of click {alone:.2f} s"
    return [
        Line("fastsim --help beside its import of click", figures, f"{helped / alone:.1f}", "under 0.5 s")
    ]


def page(repeats: int) -> list[Line]:
    """Compare a run that writes a page with the same run without one."""
    arguments = ("run", "cap30", "-n", "20000")
    run(*arguments)
    without = written = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "page.html")
        for _ in range(repeats):
            without = min(without, run(*arguments)[0])
            written = min(written, run(*arguments, "--html", file)[0])
        size = os.path.getsize(file)
    figures = f"{written - without:.1f} s more than {without:.1f} s; {size / 1e6:.2f} MB"
    return [Line("a page of a run", figures, "", "at most 3 s more, 3 MB")]

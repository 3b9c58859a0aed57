"""Kill a run again and again, and go on: ``python kill_many.py FOLDER N KILLS SEED [rows]``.

A process of its own that forks for each attempt, so that kernels are loaded once. It starts no
threads itself. A run that is done before it is killed is extended by as many games, so that as many
attempts are killed as are wanted, however fast the machine is.
"""

import contextlib
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

import fastsim
from fastsim.experiment import design, play_blocks
from tests.fastsim.stored import play, small_pieces


def attempt(folder: Path, n: int, rows: bool) -> None:
    """Begin the run, or go on with it."""
    if (folder / "manifest.json").exists():
        fastsim.resume(folder, n, threads=2)
    else:
        play(folder, n, rows=rows)


def main(folder: Path, n: int, kills: int, seed: int, rows: bool) -> None:
    small_pieces(pytest.MonkeyPatch())
    for _ in play_blocks(design("cap30", policy="random"), 0, 10):
        pass  # the kernel is loaded
    rng = random.Random(seed)
    killed = 0
    asked = n
    while killed < kills:
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                attempt(folder, asked, rows)
                code = 0
            os._exit(code)
        time.sleep(rng.uniform(0.01, 0.25))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            killed += 1
        elif os.WEXITSTATUS(status):
            sys.exit("an attempt failed")
        else:
            asked += n


main(Path(sys.argv[1]), *(int(value) for value in sys.argv[2:5]), "rows" in sys.argv)

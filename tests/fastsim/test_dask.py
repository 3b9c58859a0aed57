"""A Dask cluster plays: the same bytes, also when a worker is killed half way."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fastsim
from fastsim import engine
from fastsim.errors import UsageError
from fastsim.executors import players
from fastsim.experiment import design
from tests.fastsim.stored import files, play

distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("default"),  # what distributed warns of is its own
]
ROOT = Path(__file__).parents[2]
N = 2_000_000
PIECE = 50_000


@contextlib.contextmanager
def cluster(workers: int) -> Iterator["distributed.LocalCluster"]:
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def test_a_worker_killed_half_way_costs_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(type(design("cap30").game), "chunks", {"hand": PIECE, "game": 1000})
    monkeypatch.setattr(engine, "_CHUNKS_AWAY", 1)
    with cluster(2) as made, distributed.Client(made.scheduler_address) as client:
        pids = client.run(os.getpid)
        killed = []

        def progress(done: int, n: int) -> None:
            if done > N // 2 and not killed:
                victim = next(iter(pids.values()))
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        with players("dask", design("cap30", policy="random"), None, made.scheduler_address) as (
            executor,
            places,
        ):
            assert places == 2
            result = play(tmp_path / "run", N, executor=executor, threads=places, progress=progress)
    assert killed
    assert not result.interrupted
    play(tmp_path / "whole", N)
    assert files(tmp_path / "run") == files(tmp_path / "whole")


def test_the_command_plays_on_a_cluster(tmp_path):
    folder = tmp_path / "run"
    with cluster(1) as made:
        command = [sys.executable, "-m", "fastsim", "run", "cap30", "-n", "20000", "--policy", "random"]
        command += ["--executor", "dask", "--scheduler", made.scheduler_address, "--out", str(folder)]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert "Cap30: 20,000 hands" in done.stdout
    assert "Traceback" not in done.stderr
    assert fastsim.report(folder).tally == fastsim.run("cap30", 20_000, policy="random").tally


def test_no_scheduler_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setattr("fastsim.executors._ANSWER_SECONDS", "1s")
    with (
        pytest.raises(UsageError, match="no Dask scheduler answers at"),
        players("dask", design("cap30"), None, "tcp://127.0.0.1:9"),
    ):
        pass

"""Who plays: any executor gives the same tally, has bounded work in flight, and is kept busy."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

import fastsim
from fastsim import engine
from fastsim.cli import cli
from fastsim.errors import UsageError, WorkerError
from fastsim.executors import players
from fastsim.experiment import design
from tests.fastsim.stored import N, files, play, small_pieces

pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def small(monkeypatch):
    small_pieces(monkeypatch)


class Uneven(Executor):
    """Two threads, one of which takes a while over each piece; counts what is asked of it."""

    _max_workers = 2

    def __init__(self, slow_seconds: float = 0.15) -> None:
        self.in_flight = 0
        self.most_in_flight = 0
        self.played: Counter[str] = Counter()
        self._slow_seconds = slow_seconds
        self._names: dict[int, str] = {}
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(2)

    def submit(self, function, /, *arguments, **named):
        def work():
            with self._guard:
                name = self._names.setdefault(threading.get_ident(), "slow" if not self._names else "fast")
                self.played[name] += 1
            if name == "slow":
                time.sleep(self._slow_seconds)
            return function(*arguments, **named)

        with self._guard:
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        future = self._pool.submit(work)
        future.add_done_callback(self._done)
        return future

    def _done(self, future: Future) -> None:
        with self._guard:
            self.in_flight -= 1

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def test_slow_and_fast_workers_are_both_busy_and_work_in_flight_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "_CHUNKS_AWAY", 1)
    with Uneven() as executor:
        result = fastsim.run("cap30", 20_000, policy="random", executor=executor)
    assert result.tally == fastsim.run("cap30", 20_000, policy="random").tally
    assert executor.most_in_flight <= 4
    assert executor.played["slow"] >= 2
    assert executor.played["fast"] > 2 * executor.played["slow"]


def test_work_in_flight_follows_the_number_that_is_given():
    with Uneven(0) as executor:
        fastsim.run("cap30", 20_000, policy="random", executor=executor, threads=5)
    assert 4 < executor.most_in_flight <= 10


def test_a_pool_of_processes_gives_the_same_bytes_and_resumes(tmp_path):
    experiment = design("cap30", policy="random")
    with players("processes", experiment, 2, None) as (executor, places):
        assert places == 2
        play(tmp_path / "run", 2000, executor=executor)
        fastsim.resume(tmp_path / "run", N, executor=executor)
    play(tmp_path / "whole")
    assert files(tmp_path / "run") == files(tmp_path / "whole")


def test_a_process_that_dies_is_said_and_costs_nothing(tmp_path):
    n = 60_000
    started = []

    def progress(done: int, n: int) -> None:
        if done and not started:
            started.append(done)
            for process in multiprocessing.active_children():
                os.kill(process.pid, signal.SIGKILL)

    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor,
        pytest.raises(WorkerError, match=r"a worker failed .* is not lost") as caught,
    ):
        play(tmp_path / "run", n, executor=executor, progress=progress)
    assert 0 < caught.value.result.tally.units("hand") < n
    assert fastsim.report(tmp_path / "run").tally == caught.value.result.tally
    fastsim.resume(tmp_path / "run")
    play(tmp_path / "whole", n)
    assert files(tmp_path / "run") == files(tmp_path / "whole")


def test_a_worker_with_other_sources_is_refused():
    experiment = design("cap30")
    with pytest.raises(WorkerError, match="install the same version on every worker"):
        engine.play_elsewhere(experiment, 0, 10, ("0.0.1", "0123456789abcdef"))


def test_an_interrupt_with_an_executor_keeps_what_was_finished(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "_CHUNKS_AWAY", 1)

    def progress(done: int, n: int) -> None:
        if done == 1000:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor:
        result = play(tmp_path / "run", executor=executor, progress=progress)
    assert result.interrupted
    assert result.tally.units("hand") >= 1000
    fastsim.resume(tmp_path / "run")
    play(tmp_path / "whole")
    assert files(tmp_path / "run") == files(tmp_path / "whole")


_PARENT = """
import sys, time
from fastsim.executors import players
from fastsim.experiment import design

if __name__ == "__main__":
    with players("processes", design("cap30", policy="random"), 1, None) as (executor, _):
        print(executor.submit(__import__("os").getpid).result(), flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX systems do")
def test_processes_end_with_the_one_that_started_them(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    for _ in range(200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{child}/stat").exists() and " Z " in Path(f"/proc/{child}/stat").read_text():
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--executor", "dask"], "--executor dask needs --scheduler ADDRESS"),
        (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler goes with --executor dask"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, says):
    with pytest.raises(UsageError, match=says):
        CliRunner().invoke(cli, ["run", "cap30", "-n", "10", *arguments], catch_exceptions=False)


def test_dask_that_is_not_installed_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError, match=r"needs the package distributed; .*fastsim-cards\[dask\]"),
        players("dask", design("cap30"), None, "tcp://127.0.0.1:1"),
    ):
        pass

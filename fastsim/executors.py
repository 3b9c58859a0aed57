"""Who plays, by name: processes of this machine, or a Dask cluster.

Threads are the engine's own, and need no executor. Scheduling, retries after the loss of a worker
and the like are left to the executors.
"""

import contextlib
import dataclasses
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import NamedTuple

from fastsim.engine import MOST_THREADS, check_threads
from fastsim.errors import UsageError
from fastsim.experiment import Experiment, play

THREADS, PROCESSES, DASK = NAMES = ("threads", "processes", "dask")
_ANSWER_SECONDS = "10s"


class Players(NamedTuple):
    """An executor, or None for threads of the engine, and how many pieces are played at a time."""

    executor: Executor | None
    places: int | None


@contextlib.contextmanager
def players(
    name: str, experiment: Experiment, number: int | None, scheduler: str | None
) -> Iterator[Players]:
    """Start or reach those who play, and let them go afterwards.

    Parameters
    ----------
    name : {"threads", "processes", "dask"}
    experiment : Experiment
        Whose kernel is compiled before processes are started, so that each need only load it.
    number : int, optional
        Of threads or processes; by default one for each processor. Of pieces that a cluster plays at
        the same time: by default its threads now; give more if it will grow.
    scheduler : str, optional
        Address of a Dask scheduler ("tcp://10.0.0.1:8786").

    Raises
    ------
    UsageError
        If these do not go together, or the cluster cannot be reached.
    """
    check_place(name, scheduler)
    if name == PROCESSES:
        count = check_threads(number)
        play(dataclasses.replace(experiment), 0, 1)
        # Not forked: polars and numba have threads, which a fork would leave without their locks.
        start = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(count, start, _begin_worker) as pool:
            try:
                yield Players(pool, count)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    elif name == DASK:
        assert scheduler is not None
        with _cluster(scheduler) as (executor, threads):
            yield Players(executor, check_threads(number or min(max(threads, 1), MOST_THREADS)))
    else:
        yield Players(None, number)


def check_place(name: str, scheduler: str | None) -> None:
    """Raise ``UsageError`` if a scheduler is missing, or given to those who have no use for it."""
    if name == DASK and scheduler is None:
        raise UsageError("--executor dask needs --scheduler ADDRESS, such as tcp://10.0.0.1:8786")
    if name != DASK and scheduler is not None:
        raise UsageError(f"--scheduler goes with --executor dask, and --executor {name} was given")


@contextlib.contextmanager
def _cluster(scheduler: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "--executor dask needs the package distributed; accepted after: pip install 'fastsim-cards[dask]'"
        ) from None
    try:
        client = Client(scheduler, timeout=_ANSWER_SECONDS)
    except (OSError, ValueError, TypeError) as error:
        why = " ".join(str(error).split())
        raise UsageError(f"no Dask scheduler answers at {scheduler!r}: {why}") from None
    with client, client.get_executor() as executor:
        try:
            yield executor, sum(client.nthreads().values())
        finally:
            executor.shutdown(wait=False)


def _begin_worker() -> None:
    """Leave interrupts to the process that started this one, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()

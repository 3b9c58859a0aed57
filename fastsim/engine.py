"""Run an experiment: chunks of games handed to an executor, and their tallies added up."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from fastsim.errors import OutputError, whole_number
from fastsim.experiment import MOST_GAMES, Block, Counting, Experiment, play, play_blocks
from reports.tally import Tally, merge

Progress = Callable[[int, int], None]
"""Called with how many hands or games are done, and how many were asked for."""
Sink = Callable[[int, Iterator[Block]], Iterator[Block]]
"""Passes the blocks of the chunk that starts at a game number on, after using them."""

_MERGE_AT = 32
MOST_THREADS = 1024


@dataclass(frozen=True)
class Outcome:
    """What a run played.

    Attributes
    ----------
    tally : Tally
    chunks : tuple of (int, int)
        Ranges [first, stop) of the game numbers that were counted, in order.
    seconds : float
    interrupted : bool
        Whether it was stopped before all was played.
    failure : OutputError or None
        Why it was stopped, if what was played could not be written.
    """

    tally: Tally
    chunks: tuple[tuple[int, int], ...]
    seconds: float
    interrupted: bool
    failure: OutputError | None = None


def plan(n: int, chunk: int) -> Iterator[tuple[int, int]]:
    """Cut ``n`` games into ranges [first, stop) of at most ``chunk``."""
    for first in range(0, n, chunk):
        yield first, min(first + chunk, n)


def check_number(n: object) -> int:
    """Return a number of hands or games. Raises ``UsageError`` if it is none, or too large."""
    return whole_number("n", n, 1, MOST_GAMES)


def check_threads(threads: int | None) -> int:
    """Return a number of threads: as given, or one for each processor this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return whole_number("threads", threads, 1, MOST_THREADS)


def run_chunks(
    experiment: Experiment,
    n: int,
    threads: int | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    progress: Progress | None = None,
    sink: Sink | None = None,
) -> Outcome:
    """Play games 0 to ``n - 1`` and return what they add up to.

    The tally depends on nothing but the experiment and ``n``. A keyboard interrupt stops the run
    and returns what was finished.

    Parameters
    ----------
    experiment : Experiment
    n : int
    threads : int, optional
        Threads to play in; by default one for each processor.
    executor : concurrent.futures.Executor, optional
        Who plays the chunks, instead of threads of our own.
    chunk : int, optional
        Hands or games of one piece of work.
    progress : callable, optional
    sink : callable, optional
        Sees every block (to store rows); only with threads of our own.
    """
    n = check_number(n)
    threads = check_threads(threads)
    size = chunk or experiment.game.chunks[experiment.unit]
    if executor is not None:
        return _collect(
            lambda first, stop: executor.submit(play, experiment, first, stop), n, size, 4 * threads, progress
        )
    if sink is None:
        size = min(size, max(1, -(-n // threads)))  # so that a short run has work for every thread

    stopping = threading.Event()
    _ = experiment.setup  # made once, here, and not by every thread

    def play_chunk(first: int, stop: int) -> Tally:
        blocks = play_blocks(experiment, first, stop, stopping.is_set)
        counting = Counting(experiment)
        for block in sink(first, blocks) if sink else blocks:
            counting.add(block)
        return counting.tally()

    with ThreadPoolExecutor(threads) as pool:
        try:
            return _collect(
                lambda first, stop: pool.submit(play_chunk, first, stop), n, size, 2 * threads, progress
            )
        finally:
            stopping.set()


def _collect(
    submit: Callable[[int, int], "Future[Tally]"],
    n: int,
    chunk: int,
    in_flight: int,
    progress: Progress | None,
) -> Outcome:
    """Keep a bounded number of chunks in flight and add up their tallies."""
    started = time.perf_counter()
    todo = plan(n, chunk)
    running: dict[Future[Tally], tuple[int, int]] = {}
    # Tallies with the ranges that they count. Kept together, so that wherever an interrupt comes
    # a range is counted and listed, or neither.
    counted: list[tuple[list[tuple[int, int]], Tally]] = []
    done = 0
    interrupted = False
    failure: OutputError | None = None

    def take(future: "Future[Tally]") -> None:
        nonlocal counted, done
        first, stop = running[future]
        counted.append(([(first, stop)], future.result()))
        del running[future]
        if len(counted) >= _MERGE_AT:
            counted = [_together(counted)]
        done += stop - first
        if progress is not None:
            progress(done, n)

    try:
        while True:
            while len(running) < in_flight and (following := next(todo, None)) is not None:
                running[submit(*following)] = following
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                take(future)
    except KeyboardInterrupt:
        interrupted = True
    except OutputError as error:
        interrupted = True
        failure = error
    finally:
        for future in running:
            future.cancel()
    if interrupted:
        listed = {chunk for chunks, _ in counted for chunk in chunks}
        for future, chunk_range in list(running.items()):
            # Whoever played it may have been interrupted too, or stopped.
            finished = future.done() and not future.cancelled() and future.exception() is None
            if finished and chunk_range not in listed:
                take(future)
    chunks, tally = _together(counted)
    return Outcome(tally, tuple(sorted(chunks)), time.perf_counter() - started, interrupted, failure)


def _together(
    counted: list[tuple[list[tuple[int, int]], Tally]],
) -> tuple[list[tuple[int, int]], Tally]:
    return [chunk for chunks, _ in counted for chunk in chunks], merge(tally for _, tally in counted)

"""Play chunks side by side and take their results in the order of their game numbers.

A rule that stops as soon as enough is known looks after each chunk at the games from 0 on, never
at whichever chunk was ready first: so where it stops does not depend on threads or executors.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from fastsim.engine import Progress, blaming_workers, check_threads
from fastsim.errors import WorkerError
from fastsim.ranges import plan

Part = TypeVar("Part")
Part_co = TypeVar("Part_co", covariant=True)
Result = TypeVar("Result")


class PlayChunk(Protocol[Part_co]):
    """Plays games first to stop - 1; a pure function of these."""

    def __call__(self, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> Part_co: ...


@dataclass(frozen=True)
class Played(Generic[Part]):
    """What was played.

    Attributes
    ----------
    part : object or None
        Of games 0 to ``games - 1``; None if nothing was finished.
    games : int
    chunks : tuple of (int, int)
    decided : bool
        Whether the rule to stop was met.
    interrupted : bool
        Whether it was stopped before all was played.
    seconds : float
    failure : WorkerError or None
        Why it was stopped, if a worker of an executor failed.
    """

    part: Part | None
    games: int
    chunks: tuple[tuple[int, int], ...]
    decided: bool
    interrupted: bool
    seconds: float
    failure: WorkerError | None = None

    def checked(self, result: Result) -> Result:
        """Return the result that was made of it. Raises what went wrong, with the result in it."""
        if self.failure is not None:
            self.failure.result = result
            raise self.failure
        return result


def play_in_order(
    play: PlayChunk[Part],
    add: Callable[[Part, Part], Part],
    n: int,
    chunk: int,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    decided: Callable[[Part, int], bool] | None = None,
) -> Played[Part]:
    """Play games 0 to ``n - 1``, or fewer if a rule to stop is met after a chunk.

    Parameters
    ----------
    play : callable
        Plays one chunk; with an executor of processes it must be picklable.
    add : callable
        Adds the results of two ranges of games up.
    n : int
    chunk : int
        Games of one piece of work. With ``decided`` the outcome depends on it, so let it not depend
        on threads.
    threads, executor, progress
        As of :func:`fastsim.engine.run_chunks`.
    decided : callable, optional
        Given what games 0 to ``games - 1`` add up to and ``games``: whether to stop there.
    """
    threads = check_threads(threads)
    started = time.perf_counter()
    if executor is not None:
        return _collect(
            lambda first, stop: executor.submit(play, first, stop),
            add, n, chunk, 4 * threads, progress, decided, started, elsewhere=True,
        )  # fmt: skip
    stopping = threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        try:
            return _collect(
                lambda first, stop: pool.submit(play, first, stop, stopping.is_set),
                add, n, chunk, 2 * threads, progress, decided, started,
            )  # fmt: skip
        finally:
            stopping.set()


def _collect(
    submit: Callable[[int, int], "Future[Part]"],
    add: Callable[[Part, Part], Part],
    n: int,
    chunk: int,
    in_flight: int,
    progress: Progress | None,
    decided: Callable[[Part, int], bool] | None,
    started: float,
    elsewhere: bool = False,
) -> Played[Part]:
    todo = ((piece.first, piece.stop) for piece in plan(n, chunk))
    running: dict[Future[Part], tuple[int, int]] = {}
    waiting: dict[int, tuple[int, Part]] = {}
    # One name for what is counted and how far, so that an interrupt finds both or neither.
    so_far: tuple[Part | None, int] = (None, 0)
    chunks: list[tuple[int, int]] = []
    enough = interrupted = False
    failure = None

    def count_ready() -> None:
        """Add up what is next in the order of the games, as far as it is there."""
        nonlocal so_far, enough
        while not enough and so_far[1] in waiting:
            stop, part = waiting.pop(so_far[1])
            total = part if so_far[0] is None else add(so_far[0], part)
            chunks.append((so_far[1], stop))
            so_far = (total, stop)
            enough = decided is not None and decided(total, stop)
            if progress is not None:
                progress(stop, n)

    try:
        while not enough:
            while len(running) + len(waiting) < 2 * in_flight and len(running) < in_flight:
                following = next(todo, None)
                if following is None:
                    break
                with blaming_workers(elsewhere):
                    future = submit(*following)
                running[future] = following
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                with blaming_workers(elsewhere):
                    part = future.result()
                first, stop = running.pop(future)
                waiting[first] = (stop, part)
            count_ready()
    except KeyboardInterrupt:
        interrupted = True
    except WorkerError as error:
        interrupted, failure = True, error
    finally:
        for future in running:
            future.cancel()
    if interrupted:  # what was finished although it was not waited for
        for future, (first, stop) in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                waiting[first] = (stop, future.result())
        progress = None
        count_ready()
        interrupted = failure is not None or not enough
    part_, games = so_far
    listed = tuple(each for each in chunks if each[1] <= games)
    return Played(part_, games, listed, enough, interrupted, time.perf_counter() - started, failure)

"""Run an experiment: pieces of work handed to an executor, and their tallies added up."""

import contextlib
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from fastsim.errors import FastsimError, OutputError, UsageError, WorkerError, whole_number
from fastsim.experiment import MOST_GAMES, Block, Counting, Experiment, play, play_blocks
from fastsim.identity import code
from fastsim.ranges import Piece, Range, joined, missing, number, overlap, plan, plan_whole
from fastsim.version import VERSION
from reports.tally import Tally, merge

Progress = Callable[[int, int], None]
"""Called with how many hands or games are done, and how many were asked for."""
Sink = Callable[[int, int, Iterator[Block]], Iterator[Block]]
"""Passes the blocks of the games from a number up to another one on, after using them."""
Keep = Callable[[tuple[Range, ...], Tally], None]
"""Keeps what was counted since the last call: ranges of games, and their tally."""
Decided = Callable[[Tally], bool]
"""Whether what games 0 to some number add up to is enough to stop there."""

_MERGE_AT = 32
_KEEP_SECONDS = 1.0
"""How much play a kill may cost; writing a part takes some hundredths of that."""
_CHUNKS_AWAY = 16
"""Chunks of a piece that is played elsewhere: a second or two, so that moving its tally is nothing."""
_PIECES_EACH = 2
"""Pieces in flight for each that can be played at the same time, so that nobody waits for the next."""
MOST_THREADS = 1024


@dataclass(frozen=True)
class Outcome:
    """What a run played.

    Attributes
    ----------
    tally : Tally
    chunks : tuple of (int, int)
        Ranges [first, stop) of the game numbers that were counted, in order, those that touch as one.
    seconds : float
    interrupted : bool
        Whether it was stopped before all was played.
    failure : OutputError, WorkerError or None
        Why it was stopped, if what was played could not be written, or a worker failed.
    """

    tally: Tally
    chunks: tuple[Range, ...]
    seconds: float
    interrupted: bool
    failure: OutputError | WorkerError | None = None


def check_number(n: object) -> int:
    """Return a number of hands or games. Raises ``UsageError`` if it is none, or too large."""
    return whole_number("n", n, 1, MOST_GAMES)


def check_confidence(confidence: object) -> None:
    """Raise ``UsageError`` if intervals cannot be so sure."""
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise UsageError(f"confidence was given {confidence!r}; accepted: a number between 0 and 1")


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
    before: tuple[tuple[Range, ...], Tally] | None = None,
    keep: Keep | None = None,
    again: Collection[int] = (),
    decided: Decided | None = None,
) -> Outcome:
    """Play games 0 to ``n - 1``, or fewer if a rule to stop is met, and return what they add up to.

    The tally depends on nothing but the experiment, ``n`` and the rule. A keyboard interrupt stops
    the run and returns what was finished.

    Parameters
    ----------
    experiment : Experiment
    n : int
    threads : int, optional
        Threads to play in; by default one for each processor. With an executor: how many pieces it
        plays at the same time; by default as many as it says, or one for each processor.
    executor : concurrent.futures.Executor, optional
        Who plays, instead of threads of our own.
    chunk : int, optional
        Hands or games of one piece of work.
    progress : callable, optional
    sink : callable, optional
        Sees every block (to store rows), in whole chunks; only with threads of our own.
    before : tuple, optional
        Ranges of games that were counted before, and their tally.
    keep : callable, optional
        Called every second or so, and at the end, with what has been counted since.
    again : collection of int
        With a sink: first games of chunks to play again although they were counted.
    decided : callable, optional
        A rule to stop; without a sink. It is asked after each chunk of a size that belongs to the
        game, about the games from 0 on, so where it stops does not depend on who plays.
    """
    n = check_number(n)
    places = check_threads(_places(executor) if threads is None else threads)
    ranges, tally = before or ((), Tally.empty())
    gathering = _Gathering(n, (ranges, tally), progress, keep, decided)
    left = number(missing(n, ranges))
    size = chunk or experiment.game.chunks[experiment.unit]
    if executor is not None:
        expected = VERSION, code(experiment.game_name)
        if chunk is None and decided is None:
            size = min(size * _CHUNKS_AWAY, max(1, -(-left // (_PIECES_EACH * places))))
        return gathering.run(
            plan(n, size, ranges),
            lambda piece: executor.submit(play_elsewhere, experiment, piece.first, piece.stop, expected),
            _PIECES_EACH * places,
            elsewhere=True,
        )
    if sink is None and decided is None:
        size = min(size, max(1, -(-left // places)))  # so that a short run has work for every thread
    pieces = plan(n, size, ranges) if sink is None else plan_whole(n, size, ranges, again)

    stopping = threading.Event()
    _ = experiment.setup  # made once, here, and not by every thread

    def play_piece(piece: Piece) -> Tally:
        blocks = _blocks_of(experiment, piece, stopping.is_set)
        counting = Counting(experiment)
        for block in sink(piece.first, piece.stop, blocks) if sink else blocks:
            if any(first <= block.first < stop for first, stop in piece.counted):
                counting.add(block)
        return counting.tally()

    with ThreadPoolExecutor(places) as pool:
        try:
            return gathering.run(pieces, lambda piece: pool.submit(play_piece, piece), _PIECES_EACH * places)
        finally:
            stopping.set()


def play_elsewhere(experiment: Experiment, first: int, stop: int, expected: tuple[str, str]) -> Tally:
    """Return the tally of games ``first`` to ``stop - 1``, played by another process or machine.

    Raises ``WorkerError`` if the version or the sources of the game differ from those expected, which
    would mix games played by different rules.
    """
    here = VERSION, code(experiment.game_name)
    if here != expected:
        raise WorkerError(
            f"a worker has fastsim {here[0]} with sources {here[1]} of {experiment.game_name}, and this "
            f"process {expected[0]} with {expected[1]}; install the same version on every worker"
        )
    return play(experiment, first, stop)


def _places(executor: Executor | None) -> int | None:
    """Return how many pieces an executor plays at the same time, if it says."""
    places = getattr(executor, "_max_workers", None)  # of those in the standard library, and their like
    return min(places, MOST_THREADS) if isinstance(places, int) and places > 0 else None


def _blocks_of(experiment: Experiment, piece: Piece, cancelled: Callable[[], bool]) -> Iterator[Block]:
    """Play a piece, with no block that holds both games to count and others."""
    edges = sorted({piece.first, piece.stop, *itertools.chain.from_iterable(piece.counted)})
    for first, stop in itertools.pairwise(edges):
        yield from play_blocks(experiment, first, stop, cancelled)


Counted = tuple[tuple[Range, ...], Tally]


class _Gathering:
    """Adds up the tallies of pieces that others play, and has them kept.

    All that was counted is in one attribute, which is only ever replaced as a whole: wherever an
    interrupt comes, a game is counted and listed, or neither. With a rule to stop, pieces are
    counted in the order of their games, and those that were played beyond its end are not.
    """

    def __init__(
        self,
        n: int,
        before: Counted,
        progress: Progress | None,
        keep: Keep | None,
        decided: Decided | None = None,
    ) -> None:
        self._n = n
        self._progress = progress
        self._keep = keep
        self._decided = decided
        self._enough = self._is_enough(before)
        self._in_order: deque[Piece] = deque()
        self._ahead: dict[Piece, Tally] = {}
        # What has been kept, and what has been counted since.
        self._state: tuple[Counted, tuple[Counted, ...]] = (before, ())
        self._done = number(before[0])
        self._running: dict[Future[Tally], Piece] = {}
        self._kept_at = time.monotonic()

    def run(
        self,
        pieces: Iterator[Piece],
        submit: Callable[[Piece], "Future[Tally]"],
        in_flight: int,
        elsewhere: bool = False,
    ) -> Outcome:
        """Keep a bounded number of pieces in flight until all are counted, or it is interrupted.

        With ``elsewhere``, whatever goes wrong in playing a piece is the fault of a worker.
        """
        started = time.perf_counter()
        interrupted = False
        failure: OutputError | WorkerError | None = None
        try:
            self._show()
            while not self._enough:
                while (
                    len(self._running) < in_flight
                    and len(self._ahead) < in_flight
                    and (piece := next(pieces, None)) is not None
                ):
                    with blaming_workers(elsewhere):
                        future = submit(piece)
                    self._running[future] = piece
                    self._in_order.append(piece)
                if not self._running:
                    break
                for future in wait(self._running, return_when=FIRST_COMPLETED).done:
                    with blaming_workers(elsewhere):
                        future.result()
                    self._take(future)
                if time.monotonic() - self._kept_at >= _KEEP_SECONDS:
                    self._keep_fresh()
            self._keep_fresh()
        except KeyboardInterrupt:
            interrupted = True
        except (OutputError, WorkerError) as error:
            interrupted, failure = True, error
        except Exception:
            self._keep_what_is_done()
            raise
        finally:
            for future in self._running:
                future.cancel()
        if interrupted:
            problem = self._keep_what_is_done()
            failure = failure or problem
            interrupted = failure is not None or not self._enough
        ranges, tally = _together((self._state[0], *self._state[1]))
        return Outcome(tally, ranges, time.perf_counter() - started, interrupted, failure)

    def _show(self) -> None:
        if self._progress is not None:
            self._progress(self._done, self._n)

    def _take(self, future: "Future[Tally]") -> None:
        piece = self._running[future]
        tally = future.result()
        if self._decided is None:
            self._count(piece, tally)
            del self._running[future]
            return
        self._ahead[piece] = tally
        del self._running[future]
        while not self._enough and self._in_order and self._in_order[0] in self._ahead:
            following = self._in_order.popleft()
            self._count(following, self._ahead.pop(following))
            self._enough = self._is_enough(_together((self._state[0], *self._state[1])))

    def _is_enough(self, counted: Counted) -> bool:
        ranges, tally = counted
        # What was found damaged in a folder may have left a gap, which is closed first.
        whole = len(ranges) == 1 and ranges[0][0] == 0
        return self._decided is not None and whole and self._decided(tally)

    def _count(self, piece: Piece, tally: Tally) -> None:
        kept, fresh = self._state
        self._state = kept, (*fresh, (piece.counted, tally))
        if len(fresh) + 1 >= (_MERGE_AT if self._decided is None else 2):
            self._state = kept, (_together((*fresh, (piece.counted, tally))),)
        self._done += number(piece.counted)
        self._show()

    def _keep_fresh(self) -> None:
        kept, fresh = self._state
        ranges, tally = _together(fresh)
        if ranges:
            if self._keep is not None:
                self._keep(ranges, tally)
            self._state = _together((kept, (ranges, tally))), ()
        self._kept_at = time.monotonic()

    def _keep_what_is_done(self) -> OutputError | None:
        """Take what was finished although it was not waited for; return what went wrong in keeping it."""
        listed = joined(self._state[0][0] + tuple(itertools.chain(*(ranges for ranges, _ in self._state[1]))))
        for future, piece in list(self._running.items()):
            # An interrupt may have come after it was counted.
            # Whoever played it may have been interrupted too, or have failed.
            finished = future.done() and not future.cancelled() and future.exception() is None
            if finished and not overlap(piece.counted, listed):
                self._take(future)
        try:
            self._keep_fresh()
        except OutputError as error:
            return error
        return None


@contextlib.contextmanager
def blaming_workers(elsewhere: bool) -> Iterator[None]:
    """Turn any error into ``WorkerError``, if the work is done elsewhere."""
    try:
        yield
    except FastsimError:
        raise
    except Exception as error:
        if not elsewhere:
            raise
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise WorkerError(f"a worker failed ({what}); what was finished until then is not lost") from error


def _together(counted: Iterable[Counted]) -> Counted:
    pairs = list(counted)
    ranges = joined(pair for ranges, _ in pairs for pair in ranges)
    return ranges, merge(tally for _, tally in pairs)

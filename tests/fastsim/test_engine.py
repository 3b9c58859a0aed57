"""Running: the same tally however it is played, interrupts, failures, progress."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import fastsim
from fastsim.engine import check_number, check_threads, run_chunks
from fastsim.errors import UsageError
from fastsim.experiment import Counting, Experiment, design, play
from reports.tally import merge
from tests.fastsim.stored import small_pieces

N = 3000


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    return design("cap30", {"players": 3}, ["balanced", "random", "tens"], seed=1)


@pytest.fixture(scope="module")
def by_game() -> Experiment:
    return design("cap30", policy=["balanced", "random"], seed=1, unit="game")


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("chunk", [None, 1000, 37])
def test_threads_and_chunks_do_not_matter(experiment: Experiment, threads: int, chunk: int | None) -> None:
    outcome = run_chunks(experiment, N, threads, chunk=chunk)
    assert outcome.tally == play(experiment, 0, N)
    assert sum(stop - first for first, stop in outcome.chunks) == N
    assert not outcome.interrupted
    assert outcome.failure is None


def test_threads_and_chunks_do_not_matter_for_games(by_game: Experiment) -> None:
    for threads, chunk in ((1, 1000), (3, 113)):
        assert run_chunks(by_game, 1000, threads, chunk=chunk).tally == play(by_game, 0, 1000)


class Later(Executor):
    """Does its work only when asked for the result, the latest first: as out of order as can be."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def test_executors_do_not_matter(experiment: Experiment) -> None:
    whole = play(experiment, 0, N)
    with ThreadPoolExecutor(3) as pool:
        assert run_chunks(experiment, N, executor=pool, chunk=500).tally == whole
    assert run_chunks(experiment, N, executor=Later(), chunk=500).tally == whole
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert run_chunks(experiment, N, executor=processes, chunk=1000).tally == whole
        result = fastsim.run("cap30", 500, seed=9, executor=processes)
    assert result.tally == fastsim.run("cap30", 500, seed=9, threads=1).tally


def test_progress_only_grows_and_ends_with_all(experiment: Experiment) -> None:
    seen: list[tuple[int, int]] = []
    run_chunks(experiment, N, 2, chunk=200, progress=lambda done, n: seen.append((done, n)))
    done = [each for each, _ in seen]
    assert done == sorted(set(done))
    assert {n for _, n in seen} == {N}
    assert done[-1] == N


def interrupting(after: int) -> Callable[[int, int], None]:
    """Return a progress that presses Ctrl-C when it sees the n-th piece finished."""
    calls = 0

    def progress(done: int, n: int) -> None:
        nonlocal calls
        calls += done > 0
        if calls == after:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("after", [1, 4, 9])
def test_an_interrupt_keeps_what_was_finished(experiment: Experiment, after: int) -> None:
    outcome = run_chunks(experiment, N, 2, chunk=100, progress=interrupting(after))
    assert outcome.interrupted
    counted = sum(stop - first for first, stop in outcome.chunks)
    assert 100 * after <= counted < N
    assert outcome.tally == merge(play(experiment, first, stop) for first, stop in outcome.chunks)
    assert list(outcome.chunks) == sorted(set(outcome.chunks))


def test_an_interrupted_result_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)  # far more of them than are in flight
    result = fastsim.run("cap30", 40_000, threads=2, progress=interrupting(2), seed=3)
    assert result.interrupted
    assert 0 < result.summary.n < 40_000
    assert result.to_dict()["requested"] == 40_000
    assert "Stopped early" in str(result)
    rate = result.summary.seats[0].rate
    assert rate.value == pytest.approx(float(result.summary.seats[0].wins) / result.summary.n)


def test_an_interrupt_before_anything_is_finished(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: Counting, block: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Counting, "add", interrupt)
    outcome = run_chunks(experiment, N, 2, chunk=100)
    assert outcome.interrupted
    assert outcome.chunks == ()
    assert outcome.tally.frame.is_empty()


def test_an_error_in_a_thread_is_raised(experiment: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Counting, block: object) -> None:
        raise ZeroDivisionError("in a thread")

    monkeypatch.setattr(Counting, "add", fail)
    with pytest.raises(ZeroDivisionError, match="in a thread"):
        run_chunks(experiment, N, 2, chunk=100)


def test_an_error_of_an_executor_is_raised() -> None:
    class Broken(Later):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(lambda: 1 // 0)

    with pytest.raises(Exception, match="division or modulo by zero"):
        fastsim.run("cap30", 100, executor=Broken())


def test_an_error_in_progress_is_raised(experiment: Experiment) -> None:
    def progress(done: int, n: int) -> None:
        raise LookupError("in progress")

    with pytest.raises(LookupError, match="in progress"):
        run_chunks(experiment, N, 2, chunk=100, progress=progress)


@pytest.mark.parametrize("n", [0, -5, 1.5, 1e6, float("nan"), "10", None, True, 10**15 + 1, 10**30])
def test_what_is_no_number_of_hands_is_refused_in_a_sentence(n: object) -> None:
    with pytest.raises(UsageError, match=r"^n was given .*; accepted: a whole number of 1 to 1e15$"):
        check_number(n)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True, 10**6])
def test_what_is_no_number_of_threads_is_refused_in_a_sentence(threads: Any) -> None:
    with pytest.raises(UsageError, match=r"^threads was given .*; accepted: a whole number of 1 to 1024$"):
        check_threads(threads)
    with pytest.raises(UsageError):
        fastsim.run("cap30", 10, threads=threads)

"""From a run that was played to its result, kept in a folder or not."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor

from fastsim import store
from fastsim.engine import Decided, Outcome, run_chunks
from fastsim.errors import OutputError, WorkerError
from fastsim.experiment import Experiment
from fastsim.result import Result


def play_stored(
    stored: store.Run,
    threads: int | None,
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
) -> Result:
    """Play what a run in a folder lacks, and return the result of the whole.

    Raises ``OutputError`` or ``WorkerError``, with the result in it, if that fails on the way.
    """
    outcome = run_chunks(
        stored.experiment,
        stored.n,
        threads,
        executor,
        progress=progress,
        sink=stored.rows,
        before=(stored.counted, stored.tally),
        keep=stored.keep,
        again=stored.again,
        decided=stopping_rule(stored.experiment, stored.n, stored.until, stored.confidence),
    )

    def finish(result: Result) -> None:
        if outcome.failure is None or isinstance(outcome.failure, WorkerError):
            stored.finish(result)

    return result_of(outcome, stored.experiment, stored.n, stored.confidence, stored.until, finish)


def stopping_rule(
    experiment: Experiment, n: int, until: Mapping[str, float], confidence: float
) -> Decided | None:
    """Return the rule by which a run stops before ``n`` were played, if it has one."""
    if not until:
        return None
    from fastsim.until import rule

    return rule(experiment, n, until, confidence)


def result_of(
    outcome: Outcome,
    experiment: Experiment,
    n: int,
    confidence: float,
    until: Mapping[str, float] | None = None,
    finish: Callable[[Result], None] | None = None,
) -> Result:
    """Return the result of an outcome, after a last step; raise what went wrong, with the result in it."""
    result = Result(
        experiment, n, outcome.tally, outcome.chunks, outcome.seconds, outcome.interrupted, confidence,
        dict(until or {}),
    )  # fmt: skip
    failure = outcome.failure
    try:
        if finish is not None:
            finish(result)
    except OutputError as error:
        failure = failure or error
    if failure is not None:
        failure.result = result
        raise failure
    return result

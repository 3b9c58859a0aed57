"""The verbs of the command, as functions."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from fastsim import catalog, store
from fastsim.engine import check_number, run_chunks
from fastsim.errors import OutputError, UsageError
from fastsim.experiment import Experiment, design
from fastsim.options import OptionInfo
from fastsim.policy import Policy
from fastsim.result import Result
from fastsim.transcript import Transcript, trace


def games() -> dict[str, str]:
    """Return the games: name and what it is, in a line."""
    return {name: catalog.find(name).summary for name in catalog.names()}


def rules(game: str) -> dict[str, OptionInfo]:
    """Return the options of a game by name: default, what is accepted, rule, and whether assumed."""
    return catalog.find(game).options.describe()


def policies(game: str) -> dict[str, Policy]:
    """Return the presets of a game by name."""
    return dict(catalog.find(game).policies)


def features(game: str) -> dict[str, str]:
    """Return the features that a policy of this game may weigh, and what each means."""
    return dict(catalog.find(game).features)


def run(
    game: str,
    n: int = 1_000_000,
    *,
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
    confidence: float = 0.95,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    out: str | Path | None = None,
    rows: bool = False,
    until: Mapping[str, float] | None = None,
) -> Result:
    """Play many hands or games and return what they show.

    Parameters
    ----------
    game : str
        One of :func:`games`.
    n : int
        How many hands or games.
    options : mapping, optional
        Rules to change: see :func:`rules`.
    policy : str, Policy or a sequence of them, optional
        A preset or a policy file for all seats, or one a seat; by default ``balanced``.
    fixed_seats : bool
        With one policy a seat: keep them there. Otherwise they move on by a seat from game to game.
    seed : int
        The same seed gives the same result, bit for bit, however it is played.
    unit : {"hand", "game"}
        Whether ``n`` counts single hands, or whole games.
    confidence : float
        Of the intervals, between 0 and 1.
    threads : int, optional
        By default one for each processor.
    executor : concurrent.futures.Executor, optional
        Who plays, instead of threads of our own.
    progress : callable, optional
        Called with how many are done, and how many were asked for.
    out : path, optional
        A folder to write the run to: manifest, tally and summary.
    rows : bool
        Also write a row for each hand (and each game) to Parquet files in ``out``.
    until : mapping of str to float, optional
        Stop as soon as the intervals of these statistics are so narrow (half-widths), or after ``n``.
        All intervals are then confidence sequences.

    Returns
    -------
    Result
        After a keyboard interrupt, of what was played until then, with ``interrupted`` true.

    Raises
    ------
    UsageError
        For anything that is not accepted, before anything is played.
    OutputError
        If writing to ``out`` fails; ``result`` is then an attribute of the error.
    """
    experiment = design(game, options, policy, fixed_seats, seed, unit)
    return run_experiment(experiment, n, confidence, threads, executor, progress, out, rows, until)


def run_experiment(
    experiment: Experiment,
    n: int,
    confidence: float = 0.95,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    out: str | Path | None = None,
    rows: bool = False,
    until: Mapping[str, float] | None = None,
) -> Result:
    """Play an experiment that :func:`fastsim.experiment.design` made; otherwise as :func:`run`."""
    n = check_number(n)
    if isinstance(confidence, bool) or not 0 < confidence < 1:
        raise UsageError(f"confidence was given {confidence!r}; accepted: a number between 0 and 1")
    if rows and out is None:
        raise UsageError("rows were asked for without a folder to write them to; give out (--out DIR) too")
    if rows and executor is not None:
        raise UsageError("rows are written by threads of this process only; leave out rows or the executor")
    if until:
        from fastsim.until import check_until

        check_until(until, experiment)
        if rows:
            raise UsageError("rows cannot be written while it is open where to stop; leave out rows or until")
    sink = None
    if out is not None:
        store.open_folder(Path(out), experiment, n)
        sink = store.RowWriter(Path(out), experiment) if rows else None
    if until:
        from fastsim.until import run_until

        outcome = run_until(experiment, n, until, confidence, threads, executor, progress)
    else:
        outcome = run_chunks(experiment, n, threads, executor, progress=progress, sink=sink)
    result = Result(
        experiment, n, outcome.tally, outcome.chunks, outcome.seconds, outcome.interrupted, confidence,
        dict(until or {}),
    )  # fmt: skip
    failure = outcome.failure
    if out is not None and failure is None:
        try:
            store.save(Path(out), result)
        except OutputError as error:
            failure = error
    if failure is not None:
        failure.result = result
        raise failure
    return result


def replay(
    game: str,
    number: int = 0,
    *,
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
) -> Transcript:
    """Play game ``number`` of a run again, and return what happened; parameters as of :func:`run`."""
    return trace(design(game, options, policy, fixed_seats, seed, unit), number)

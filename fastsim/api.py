"""The verbs of the command, as functions."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from fastsim import catalog, store
from fastsim.engine import check_confidence, check_number, check_threads, run_chunks
from fastsim.errors import UsageError
from fastsim.experiment import Experiment, design
from fastsim.options import OptionInfo
from fastsim.playing import play_stored, result_of, stopping_rule
from fastsim.policy import Policy, PolicyGiven
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
    policy: PolicyGiven | Sequence[PolicyGiven] | None = None,
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
    policy : str, path, Policy or a sequence of them, optional
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
        By default one for each processor. With an executor: how many pieces it plays at the same time;
        twice as many are in flight.
    executor : concurrent.futures.Executor, optional
        Who plays, instead of threads of our own.
    progress : callable, optional
        Called with how many are done, and how many were asked for.
    out : path, optional
        A folder to write the run to, from which :func:`resume` goes on after anything that stops it.
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
    WorkerError
        If the executor fails; with ``result`` too.
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
    check_confidence(confidence)
    check_threads(threads)
    if rows and out is None:
        raise UsageError("rows were asked for without a folder to write them to; give out (--out DIR) too")
    if rows:
        _refuse_executor(executor)
    targets = dict(until or {})
    if targets:
        from fastsim.until import check_until

        check_until(targets, experiment)
        if rows:
            raise UsageError("rows are written of a number that is fixed beforehand; leave out rows or until")
    if out is None:
        decided = stopping_rule(experiment, n, targets, confidence)
        outcome = run_chunks(experiment, n, threads, executor, progress=progress, decided=decided)
        return result_of(outcome, experiment, n, confidence, targets)
    with store.create(Path(out), experiment, n, confidence, rows, _say, targets) as stored:
        return play_stored(stored, threads, executor, progress)


def resume(
    folder: str | Path,
    n: int | None = None,
    *,
    confidence: float | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
    say: Callable[[str], None] | None = None,
) -> Result:
    """Go on with a run in a folder, after whatever stopped it; only what is missing is played.

    It ends with the files, byte for byte, of a run that was never stopped.

    Parameters
    ----------
    folder : path
        As given to ``out`` of :func:`run`.
    n : int, optional
        How many hands or games in all, to extend the run; by default as many as before.
    confidence : float, optional
        Of the intervals; by default as before. With a rule to stop (``until``), of the rule too.
    threads, executor, progress
        As of :func:`run`.
    say : callable, optional
        Takes sentences on files that were found damaged or foreign; by default they become warnings.

    Returns
    -------
    Result
        Of the whole run; ``seconds`` are those of this call.

    Raises
    ------
    UsageError
        If there is no run in the folder, another version or experiment made it, another process works
        on it, or it cannot be written.
    OutputError
        If writing fails on the way; ``result`` is then an attribute of the error.
    WorkerError
        If the executor fails; with ``result`` too.
    """
    if n is not None:
        check_number(n)
    if confidence is not None:
        check_confidence(confidence)
    check_threads(threads)
    with store.reopen(Path(folder), n, confidence, say or _say) as stored:
        if stored.rows is not None:
            _refuse_executor(executor)
        return play_stored(stored, threads, executor, progress)


def report(
    folder: str | Path, *, confidence: float | None = None, say: Callable[[str], None] | None = None
) -> Result:
    """Return what the run in a folder has found so far, whether it ended, was stopped or goes on.

    Nothing is played or written. Parameters and errors as of :func:`resume`.
    """
    if confidence is not None:
        check_confidence(confidence)
    return store.load(Path(folder), confidence, say or _say)


def replay(
    game: str,
    number: int = 0,
    *,
    options: Mapping[str, object] | None = None,
    policy: PolicyGiven | Sequence[PolicyGiven] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
) -> Transcript:
    """Play game ``number`` of a run again, and return what happened; parameters as of :func:`run`."""
    return trace(design(game, options, policy, fixed_seats, seed, unit), number)


def _refuse_executor(executor: Executor | None) -> None:
    if executor is not None:
        raise UsageError("rows are written by threads of this process only; leave out rows or the executor")


def _say(message: str) -> None:
    warnings.warn(message, stacklevel=2)

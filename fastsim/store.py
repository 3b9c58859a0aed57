"""A run in a folder, which can be stopped at any time by anything, and goes on.

============== ============================================================================
manifest.json  what is played, by which version, how much was asked for
parts/         what was finished so far: see ``fastsim.parts``; these files are what counts
rows/          a row for each hand and game, if asked for: see ``fastsim.rows``
tally.parquet  all parts added up, when the run ended or was interrupted
summary.json   what follows from it
lock           held by the process that plays
============== ============================================================================

Every file is written beside its place, brought to the disk and moved there. No time of a clock is
written or looked at.
"""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastsim import identity
from fastsim.errors import OutputError, UsageError
from fastsim.experiment import MOST_GAMES, Experiment
from fastsim.files import clear_temporary, parquet, reason, sync_folder, write
from fastsim.lock import Held, lock
from fastsim.parts import PARTS, Found, Part, Parts, find, together
from fastsim.ranges import Range, joined, number
from fastsim.result import Result
from fastsim.rows import ROWS, RowWriter, to_write_again
from fastsim.until import check_until
from reports.tally import Tally, merge
from reports.wording import until_reached

MANIFEST = "manifest.json"
TALLY = "tally.parquet"
SUMMARY = "summary.json"
SCHEMA = 3
"""Of the manifest; changes when a key is renamed, removed or given another meaning."""

Say = Callable[[str], None]


class Run:
    """A run in a folder that this process holds; made by :func:`create` and :func:`reopen`.

    Attributes
    ----------
    folder : Path
    experiment : Experiment
    n : int
        How many hands or games are asked for.
    confidence : float
        Of the intervals.
    counted : tuple of (int, int)
        Ranges of the game numbers that were counted before.
    tally : Tally
        Of these.
    rows : RowWriter or None
        Writes rows, if asked for.
    again : set of int
        First games of chunks whose rows have to be written again.
    until : mapping of str to float
        Half-widths of intervals, by statistic, at which the run is to stop.
    """

    def __init__(
        self,
        folder: Path,
        experiment: Experiment,
        n: int,
        confidence: float,
        rows: bool,
        found: Found,
        until: Mapping[str, float],
    ) -> None:
        whole = together(list(found.parts.values()))
        self.folder = folder
        self.experiment = experiment
        self.n = n
        self.confidence = confidence
        self.counted = whole.ranges
        self.tally = whole.tally
        self.rows = RowWriter(folder / ROWS, experiment) if rows else None
        self.again: set[int] = set()
        self.until = dict(until)
        self._checks = whole.rows
        self._played = identity.identity(experiment)
        self._parts = Parts(folder / PARTS, self._played, found.parts)

    def keep(self, ranges: tuple[Range, ...], tally: Tally) -> None:
        """Keep what was counted since the last call. Raises ``OutputError`` if that fails."""
        checks = self.rows.checks(ranges) if self.rows is not None else {}
        self._parts.add(Part(ranges, tally, checks))
        if self.rows is not None:
            self.rows.forget(checks)

    def begin(self) -> None:
        """Write what will be played. Raises ``OutputError`` if that fails."""
        self._write_manifest("running", self.counted)

    def finish(self, result: Result) -> None:
        """Write the result. Raises ``OutputError`` if that fails; the parts are there all the same."""
        write(self.folder / TALLY, parquet(merge([result.tally]).frame))
        write(self.folder / SUMMARY, result.to_json())
        self._write_manifest("interrupted" if result.interrupted else "finished", joined(result.chunks))

    def find_lost_rows(self, say: Say) -> None:
        """Find the rows that have to be written again, and say which."""
        if self.rows is None:
            return
        lost, damaged = to_write_again(
            self.folder / ROWS, self.experiment, self.n, self.counted, self._checks
        )
        self.again = set(lost)
        if damaged:
            say(
                f"{_files(damaged)} in {str(self.folder / ROWS)!r} "
                "missing or not as written; these games are played again for their rows"
            )

    def _write_manifest(self, state: str, counted: tuple[Range, ...]) -> None:
        manifest = {
            "schema": SCHEMA,
            "state": state,
            "n": self.n,
            "confidence": self.confidence,
            "rows": self.rows is not None,
            "until": self.until,
            **self._played,
            "experiment": identity.fingerprint(self._played),
            "made_with": identity.made_with(),
            "counted": [list(pair) for pair in counted],
        }
        write(self.folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")


@contextlib.contextmanager
def create(
    folder: Path,
    experiment: Experiment,
    n: int,
    confidence: float,
    rows: bool = False,
    say: Say = print,
    until: Mapping[str, float] | None = None,
) -> Iterator[Run]:
    """Hold a folder for a new run, and write what it plays.

    Raises ``UsageError`` if there is a run in it already, another process works in it, or it cannot
    be written.
    """
    _refuse_used(folder, experiment)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None
    with _held(folder, say):
        _refuse_used(folder, experiment)
        try:
            run = Run(folder, experiment, n, confidence, rows, Found({}, (), (), {}), until or {})
            run.begin()  # first: from here on it can be resumed
            _make_folders(folder, rows)
        except OSError as error:
            if isinstance(error, OutputError):
                raise UsageError(f"the folder given to --out: {error}") from None
            raise _unwritable(folder, error) from None
        yield run


@contextlib.contextmanager
def reopen(
    folder: Path, n: int | None = None, confidence: float | None = None, say: Say = print
) -> Iterator[Run]:
    """Hold the folder of a run that was begun, to go on with it.

    Files that are damaged or belong to another run are said, and set aside under another name.

    Parameters
    ----------
    folder : Path
    n : int, optional
        How many hands or games in all; by default as many as were asked for before.
    confidence : float, optional
        By default as before.
    say : callable
        Takes sentences for the user.

    Raises
    ------
    UsageError
        If there is no run in it, it was made by another version or experiment (the sentence says what
        differs), another process works on it, it cannot be written, or ``n`` is less than before.
    """
    read_manifest(folder)
    with _held(folder, say):
        manifest = read_manifest(folder)  # again: it may have changed until now
        experiment, found = _contents(folder, manifest, say)
        asked = manifest["n"] if n is None else n
        reached = max((part.ranges[-1][1] for part in found.parts.values() if part.ranges), default=0)
        least = max(manifest["n"], reached)
        if asked < least:
            raise UsageError(
                f"n was given {asked}, and the run in {str(folder)!r} has asked for {least}; "
                f"accepted: {least} to {MOST_GAMES:.0e}"
            )
        try:
            for place in (folder, folder / PARTS, folder / ROWS):
                clear_temporary(place)
            for name in found.superseded:
                (folder / PARTS / name).unlink()
            for names, suffix in ((found.damaged, "damaged"), (found.foreign, "foreign")):
                for name in names:
                    (folder / PARTS / name).rename(folder / PARTS / f"{name}.{suffix}")
            _make_folders(folder, manifest["rows"])
            level = manifest["confidence"] if confidence is None else confidence
            run = Run(folder, experiment, asked, level, manifest["rows"], found, manifest["until"])
            run.begin()
        except OSError as error:
            raise _unwritable(folder, error) from None
        run.find_lost_rows(say)
        yield run


def load(folder: Path, confidence: float | None = None, say: Say = print) -> Result:
    """Return what a run in a folder has found so far; nothing is written, and no lock is needed.

    Raises ``UsageError`` if there is no run in it, or it was made by another version.
    """
    manifest = read_manifest(folder)
    experiment, found = _contents(folder, manifest, say)
    whole = together(list(found.parts.values()))
    level = manifest["confidence"] if confidence is None else confidence
    result = Result(
        experiment, manifest["n"], whole.tally, whole.ranges, 0.0, confidence=level, until=manifest["until"]
    )
    reached = bool(result.until) and number(whole.ranges) > 0 and until_reached(result.summary)
    return replace(result, interrupted=number(whole.ranges) < manifest["n"] and not reached)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a run. Raises ``UsageError`` if there is none that can be used."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        what = "no run in the folder" if folder.is_dir() else "no folder"
        raise UsageError(f"there is {what} {str(folder)!r}; accepted: a folder given to --out") from None
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {reason(error)}") from None
    except ValueError:
        raise UsageError(f"{str(path)!r} is damaged: it is no JSON text") from None
    schema = manifest.get("schema") if isinstance(manifest, dict) else None
    if schema != SCHEMA:
        raise UsageError(f"{str(path)!r} has schema {schema!r}; accepted by this version: {SCHEMA}")
    try:
        identity.check_version(manifest, folder)
        well_formed = (
            type(manifest["n"]) is int
            and 1 <= manifest["n"] <= MOST_GAMES
            and 0 < manifest["confidence"] < 1
            and type(manifest["rows"]) is bool
            and type(manifest["experiment"]) is str
            and type(manifest["until"]) is dict
        )
    except (KeyError, TypeError):
        well_formed = False
    if not well_formed:
        raise UsageError(f"{str(path)!r} is damaged: values are missing or impossible")
    return manifest


def _contents(folder: Path, manifest: dict[str, Any], say: Say) -> tuple[Experiment, Found]:
    """Return what a run plays and what it has finished; say what is wrong with its files."""
    path = folder / MANIFEST
    try:
        experiment = identity.experiment_of(manifest)
        played = identity.identity(experiment)
        check_until(manifest["until"], experiment)
    except UsageError as error:
        raise UsageError(f"{str(path)!r} is damaged: {error}") from None
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{str(path)!r} is damaged: values are missing or impossible") from None
    fingerprint = identity.fingerprint(played)
    found = find(folder / PARTS, fingerprint)
    if found.foreign and not found.parts:
        # Not some parts that strayed here: the manifest is not that of this run.
        other = next(iter(found.foreign.values()))
        words = ", ".join(identity.differences(played, other))
        raise UsageError(
            f"the manifest in {str(folder)!r} is not that of the parts beside it; they differ in {words}"
        )
    if fingerprint != manifest["experiment"]:
        raise UsageError(f"{str(path)!r} was changed: what it plays does not match its own hash")
    if found.damaged:
        say(f"{_files(found.damaged)} in {str(folder / PARTS)!r} damaged; their games are played again")
    if found.foreign:
        words = ", ".join(identity.differences(played, next(iter(found.foreign.values()))))
        say(
            f"{_files(tuple(found.foreign))} in {str(folder / PARTS)!r} of another run, left alone; "
            f"they differ in {words}"
        )
    return experiment, found


def _files(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{len(names)} file{'' if len(names) == 1 else 's'} ({shown})"


@contextlib.contextmanager
def _held(folder: Path, say: Say) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            if not stack.enter_context(lock(folder)):
                say(f"the file system of {str(folder)!r} knows no locks; let no other process work on it")
        except Held:
            raise UsageError(
                f"another process works on {str(folder)!r}; wait for it, or stop it first"
            ) from None
        except OSError as error:
            raise _unwritable(folder, error) from None
        yield


def _make_folders(folder: Path, rows: bool) -> None:
    (folder / PARTS).mkdir(exist_ok=True)
    if rows:
        (folder / ROWS).mkdir(exist_ok=True)
    sync_folder(folder)
    sync_folder(folder.resolve().parent)


def _refuse_used(folder: Path, experiment: Experiment) -> None:
    """Raise ``UsageError`` if there is a run in a folder, and say how it can go on, or what differs."""
    for name in (MANIFEST, PARTS, TALLY, SUMMARY, ROWS):
        if not (folder / name).exists():
            continue
        what = f"there is a run in {str(folder)!r} already ({name})"
        try:
            differ = identity.differences(read_manifest(folder), identity.identity(experiment))
        except (UsageError, KeyError, TypeError, AttributeError):
            raise UsageError(f"{what}; give another folder to --out") from None
        if differ:
            raise UsageError(f"{what}, with other {', '.join(differ)}; give another folder to --out")
        raise UsageError(f"{what}; go on with it by: fastsim resume {folder}")


def _unwritable(folder: Path, error: OSError) -> UsageError:
    if isinstance(error, OutputError):
        return UsageError(str(error))
    return UsageError(f"cannot write to the folder {str(folder)!r}: {reason(error)}")

"""Parts of a tally on disk: what a run has finished so far, in files that are never changed.

A part is gzipped JSON: what was played, the ranges of games it counts, their tally, and the checks
of the row files that were written with them. Its name ends in a hash of its bytes, so a part that
was damaged is known by its name.

A long run writes a part every second or so. Once there are ``_MERGE_AT`` of them they are added up
in a larger part, and so are those, up to some twenty minutes of play: a run of weeks has few files,
and a damaged one costs minutes. The new part is on the disk before the old ones are deleted; if
both are found, the larger one counts.
"""

import contextlib
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fastsim import identity
from fastsim.errors import OutputError
from fastsim.files import write
from fastsim.ranges import Range, joined, number, overlap
from reports.tally import Tally, merge

PARTS = "parts"
_SUFFIX = ".json.gz"
_NAME = re.compile(r"\d{15,}-\d{15,}-([0-9a-f]{32})\.json\.gz")
_MERGE_AT = 32
_LEVELS = 3
_COLUMNS = ("unit", "metric", "key", "value", "n")
_TRIES = 5

RowChecks = Mapping[str, tuple[int, int, int]]
"""By name of a row file: the game number where its games stop, its size in bytes, its CRC-32."""


@dataclass(frozen=True)
class Part:
    """Some of the games of a run, counted.

    Attributes
    ----------
    ranges : tuple of (int, int)
        Ranges [first, stop) of the game numbers, in order and apart.
    tally : Tally
    rows : mapping
        Checks of the row files that were written.
    """

    ranges: tuple[Range, ...]
    tally: Tally
    rows: RowChecks = field(default_factory=dict)


def together(parts: list[Part]) -> Part:
    """Return the sum of parts that have no game in common."""
    rows: dict[str, tuple[int, int, int]] = {}
    for part in parts:
        for name, check in part.rows.items():
            # A file that was written again holds more games, or the same.
            rows[name] = max(rows.get(name, check), check)
    ranges = joined(pair for part in parts for pair in part.ranges)
    return Part(ranges, merge(part.tally for part in parts), rows)


class Damaged(Exception):
    """A file that is no part as it was written."""


def encode(part: Part, played: Mapping[str, Any]) -> bytes:
    """Return a part as it is kept; equal parts give equal bytes."""
    content = {
        "experiment": identity.fingerprint(played),
        "played": played,
        "ranges": part.ranges,
        "rows": part.rows,
        "tally": {name: part.tally.frame[name].to_list() for name in _COLUMNS},
    }
    text = json.dumps(content, separators=(",", ":"), sort_keys=True)
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def decode(data: bytes) -> tuple[Part, dict[str, Any]]:
    """Return a part and what it played. Raises ``Damaged`` if it is none."""
    try:
        content = json.loads(gzip.decompress(data))
        frame = content["tally"]
        tally = Tally.from_columns(
            np.array(frame["unit"], dtype=object),
            np.array(frame["metric"], dtype=object),
            *(np.array(frame[name], dtype=np.int64) for name in _COLUMNS[2:]),
        )
        ranges = tuple((int(first), int(stop)) for first, stop in content["ranges"])
        rows = {
            str(name): (int(stop), int(size), int(crc)) for name, (stop, size, crc) in content["rows"].items()
        }
        if content["experiment"] != identity.fingerprint(content["played"]):
            raise Damaged("it names another experiment than it describes")
        return Part(ranges, tally, rows), content["played"]
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise Damaged(str(error)) from None


@dataclass(frozen=True)
class Found:
    """What a folder of parts holds.

    Attributes
    ----------
    parts : mapping of str to Part
        Good ones that have no game in common, by file name.
    superseded : tuple of str
        Names of good ones whose games are in others.
    damaged : tuple of str
        Names of files that are not as they were written.
    foreign : mapping of str to dict
        Names of parts of other experiments, and what they played.
    """

    parts: Mapping[str, Part]
    superseded: tuple[str, ...]
    damaged: tuple[str, ...]
    foreign: Mapping[str, dict[str, Any]]


def find(folder: Path, experiment: str) -> Found:
    """Read the parts of an experiment (given by its fingerprint) in a folder."""
    for _ in range(_TRIES):
        # A run that is going on deletes parts that it has added up: then there is a new one to read.
        with contextlib.suppress(FileNotFoundError):
            return _find(folder, experiment)
    return _find(folder, experiment)


def _find(folder: Path, experiment: str) -> Found:
    good: dict[str, Part] = {}
    damaged: list[str] = []
    foreign: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise
        except OSError:  # a disk that cannot read what it holds
            damaged.append(path.name)
            continue
        named = _NAME.fullmatch(path.name)
        try:
            if named is None or named[1] != _digest(data):
                raise Damaged("its bytes do not match its name")
            part, played = decode(data)
        except Damaged:
            damaged.append(path.name)
            continue
        if identity.fingerprint(played) != experiment:
            foreign[path.name] = played
        else:
            good[path.name] = part
    parts, superseded = _apart(good)
    return Found(parts, superseded, tuple(damaged), foreign)


def _apart(good: Mapping[str, Part]) -> tuple[dict[str, Part], tuple[str, ...]]:
    """Return parts that have no game in common, the largest ones, and the names of the others."""
    parts: dict[str, Part] = {}
    superseded = []
    counted: tuple[Range, ...] = ()
    for name, part in sorted(good.items(), key=lambda item: (-number(item[1].ranges), item[0])):
        if overlap(part.ranges, counted):
            superseded.append(name)
        else:
            parts[name] = part
            counted = joined([*counted, *part.ranges])
    return parts, tuple(superseded)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


class Parts:
    """Writes parts to a folder, and adds them up when they become many.

    Parameters
    ----------
    folder : Path
        There already.
    played : mapping
        The identity of the experiment.
    found : mapping of str to Part
        What is there: added up at once if that is many.
    """

    def __init__(self, folder: Path, played: Mapping[str, Any], found: Mapping[str, Part]) -> None:
        self._folder = folder
        self._played = played
        self._levels: list[dict[str, Part]] = [{} for _ in range(_LEVELS - 1)]
        if len(found) >= _MERGE_AT * _LEVELS:
            self._replace(found)

    def add(self, part: Part) -> None:
        """Keep a part. Raises ``OutputError`` if it cannot be written; the others are still there."""
        name = self._write(part)
        for level in self._levels:
            level[name] = part
            if len(level) < _MERGE_AT:
                return
            try:
                name, part = self._replace(level)
            except OutputError:  # a full disk: all is kept in the smaller ones, and the next will tell
                return
            level.clear()

    def _replace(self, old: Mapping[str, Part]) -> tuple[str, Part]:
        # An interrupt may have come between the writing of a part and the note that it was written,
        # so that the next one holds its games too.
        whole = together(list(_apart(old)[0].values()))
        name = self._write(whole)
        for each in old:
            if each != name:
                with contextlib.suppress(OSError):
                    (self._folder / each).unlink()
        return name, whole

    def _write(self, part: Part) -> str:
        data = encode(part, self._played)
        first = part.ranges[0][0] if part.ranges else 0
        stop = part.ranges[-1][1] if part.ranges else 0
        name = f"{first:015}-{stop:015}-{_digest(data)}{_SUFFIX}"
        write(self._folder / name, data)
        return name

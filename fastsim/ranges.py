"""Ranges [first, stop) of game numbers: which were counted, which are missing, how work is cut."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

Range = tuple[int, int]


class Piece(NamedTuple):
    """One piece of work: games to play, and those of them to count.

    They differ where rows of games that were counted before have to be written again.
    """

    first: int
    stop: int
    counted: tuple[Range, ...]


def joined(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return ranges in order, with those that touch or overlap made one."""
    found: list[Range] = []
    for first, stop in sorted(ranges):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], stop))
        elif first < stop:
            found.append((first, stop))
    return tuple(found)


def number(ranges: Iterable[Range]) -> int:
    """Return how many games are in ranges that do not overlap."""
    return sum(stop - first for first, stop in ranges)


def overlap(some: Iterable[Range], others: tuple[Range, ...]) -> bool:
    """Return whether a game is in both; ``others`` are in order and apart."""
    return any(number(within(first, stop, others)) for first, stop in some)


def within(first: int, stop: int, ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the parts of ranges (in order, apart) that lie in [first, stop)."""
    at = max(bisect_right(ranges, (first, first)) - 1, 0)
    found = []
    while at < len(ranges) and ranges[at][0] < stop:
        low, high = max(first, ranges[at][0]), min(stop, ranges[at][1])
        if low < high:
            found.append((low, high))
        at += 1
    return tuple(found)


def missing(n: int, counted: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return what ranges (in order, apart) leave of games 0 to ``n - 1``."""
    edges = [0, *(edge for pair in counted for edge in pair), n]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return tuple((first, min(stop, n)) for first, stop in gaps if first < min(stop, n))


def plan(n: int, chunk: int, counted: tuple[Range, ...] = ()) -> Iterator[Piece]:
    """Cut the games below ``n`` that are not yet counted into pieces.

    Pieces end at multiples of ``chunk``, whatever was counted before.
    """
    for first, stop in missing(n, counted):
        while first < stop:
            end = min(stop, (first // chunk + 1) * chunk)
            yield Piece(first, end, ((first, end),))
            first = end


def plan_whole(
    n: int, chunk: int, counted: tuple[Range, ...] = (), again: Collection[int] = ()
) -> Iterator[Piece]:
    """Return the same in whole chunks, and also the chunks that start at a number in ``again``."""
    left = missing(n, counted)
    for first in range(0, n, chunk):
        stop = min(first + chunk, n)
        to_count = within(first, stop, left)
        if to_count or first in again:
            yield Piece(first, stop, to_count)

"""Ratings of policies from wins: pure functions of exact sums.

R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952)
324-345: who has strength s beats who has t with probability s / (s + t); at a table of several each
wins in proportion to strength (R. D. Luce, "Individual Choice Behavior", 1959). The most likely
strengths are found by the iteration of D. R. Hunter, "MM algorithms for generalized Bradley-Terry
models", Annals of Statistics 32 (2004) 384-406. Errors are those of the sandwich (H. White,
Econometrica 50 (1982) 1-25) over deals, as games on one deal depend on each other.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

ELO = 400 / math.log(10)
"""Points of a rating for a factor e in strength: 400 points are ten times the strength."""

_ROUNDS = 100_000
_CLOSE = 1e-12

Floats = npt.NDArray[np.float64]


def bradley_terry(tables: Sequence[tuple[int, ...]], wins: Sequence[Sequence[float]]) -> Floats | None:
    """Return the logarithms of the strengths, which add up to 0.

    Parameters
    ----------
    tables : sequence of tuples of int
        The players of each table.
    wins : sequence of sequences of float
        Wins of each of them there; shared wins make fractions.

    Returns
    -------
    array or None
        By player; None if somebody, or some group, never lost to or never beat the others, so that
        no finite strength is the most likely.
    """
    players = 1 + max(max(table) for table in tables)
    if not _connected(tables, wins, players):
        return None
    total = np.zeros(players)
    for table, won in zip(tables, wins, strict=True):
        total[list(table)] += won
    strength = np.ones(players)
    for _ in range(_ROUNDS):
        faced = np.zeros(players)
        for table, won in zip(tables, wins, strict=True):
            faced[list(table)] += sum(won) / strength[list(table)].sum()
        updated = total / faced
        updated /= np.exp(np.log(updated).mean())
        moved = float(np.abs(np.log(updated / strength)).max())
        strength = updated
        if moved < _CLOSE:
            break
    return np.asarray(np.log(strength))


def errors(
    ratings: Floats, tables: Sequence[tuple[int, ...]], wins: Sequence[Sequence[float]], scatter: Floats
) -> Floats:
    """Return the covariance of the ratings of :func:`bradley_terry`.

    Parameters
    ----------
    ratings : array
    tables, wins
        As given to :func:`bradley_terry`.
    scatter : array, shape (entries, entries)
        Sum over deals of the products of wins on that deal; entries are the players of the first
        table, then of the second, and so on.
    """
    strength = np.exp(ratings)
    players = len(ratings)
    information = np.zeros((players, players))
    score = np.zeros((players, len(scatter)))
    entry = 0
    for table, won in zip(tables, wins, strict=True):
        chance = np.zeros(players)
        chance[list(table)] = strength[list(table)] / strength[list(table)].sum()
        information += sum(won) * (np.diag(chance) - np.outer(chance, chance))
        for player in table:
            score[:, entry] = -chance
            score[player, entry] += 1
            entry += 1
    bread = np.linalg.pinv(information)
    return np.asarray(bread @ (score @ scatter @ score.T) @ bread)


def _connected(tables: Sequence[tuple[int, ...]], wins: Sequence[Sequence[float]], players: int) -> bool:
    """Whether everybody reaches everybody over wins (L. R. Ford, American Mathematical Monthly 1957)."""
    beats = np.eye(players, dtype=bool)
    for table, won in zip(tables, wins, strict=True):
        for winner, number in zip(table, won, strict=True):
            if number > 0:
                beats[winner, list(table)] = True
    for middle in range(players):
        beats |= np.outer(beats[:, middle], beats[middle])
    return bool(beats.all())

"""Ratings: the likeliest strengths, and their errors by simulation."""

import numpy as np
import pytest
from scipy import optimize

from reports.ratings import bradley_terry, errors

TABLES = ((0, 1), (0, 2), (1, 2))


def test_two_players_have_the_odds_of_their_wins() -> None:
    found = bradley_terry([(0, 1)], [[30, 10]])
    assert found is not None
    assert found[0] - found[1] == pytest.approx(np.log(3))
    assert found.sum() == pytest.approx(0)


def test_strengths_are_the_likeliest() -> None:
    tables, wins = (*TABLES, (0, 1, 2)), [[30, 12.5], [25, 5], [21, 14], [40, 20, 9]]

    def unlikelihood(free: np.ndarray) -> float:
        theta = np.append(free, -free.sum())
        return -sum(
            count * (theta[player] - np.log(np.exp(theta[list(table)]).sum()))
            for table, won in zip(tables, wins, strict=True)
            for player, count in zip(table, won, strict=True)
        )

    expected = optimize.minimize(unlikelihood, np.zeros(2), tol=1e-12).x
    found = bradley_terry(tables, wins)
    assert found is not None
    assert found[:2] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "wins", [[[5, 0], [5, 0], [3, 3]], [[5, 5], [9, 0], [9, 0]], [[0, 0], [0, 0], [0, 0]]]
)
def test_who_never_wins_or_never_loses_cannot_be_rated(wins: list[list[float]]) -> None:
    assert bradley_terry(TABLES, wins) is None


def test_errors_are_those_of_repeated_samples() -> None:
    rng = np.random.default_rng(1)
    chances, deals = (0.6, 0.7, 0.6), 400
    ratings, variances = [], []
    for _ in range(300):
        # Two games a deal and table, which on one deal have the same winner half of the time.
        first = rng.random((3, deals)) < np.array(chances)[:, None]
        second = np.where(
            rng.random((3, deals)) < 0.5, first, rng.random((3, deals)) < np.array(chances)[:, None]
        )
        won = first.astype(int) + second
        entries = np.stack([won, 2 - won], axis=1).reshape(6, deals)
        wins = [entries[2 * table : 2 * table + 2].sum(axis=1).tolist() for table in range(3)]
        found = bradley_terry(TABLES, wins)
        assert found is not None
        ratings.append(found)
        variances.append(np.diag(errors(found, TABLES, wins, (entries @ entries.T).astype(float))))
    spread = np.std(ratings, axis=0, ddof=1)
    assert spread == pytest.approx(np.sqrt(np.mean(variances, axis=0)), rel=0.15)

"""Card impact from sums: values and intervals agree with what made them."""

import numpy as np
import pytest

from reports import impact
from reports.comparison import Products
from reports.impact import Sums


def products(n: int, xa: np.ndarray, ya: np.ndarray, xb: np.ndarray, yb: np.ndarray) -> Products:
    pairs = [
        (xa, xa),
        (xa, ya),
        (ya, ya),
        (xb, xb),
        (xb, yb),
        (yb, yb),
        (xa, xb),
        (xa, yb),
        (ya, xb),
        (ya, yb),
    ]
    sums = [int(each.sum()) for each in (xa, ya, xb, yb)] + [int(a @ b) for a, b in pairs]
    return Products(n, *sums)


def test_observed_differences_and_their_intervals() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        # Two seats; who has the card wins 60% of hands, if the other does not have it too.
        has = rng.random((500, 2)) < 0.3
        chance = 0.5 + 0.1 * (has[:, 0].astype(int) - has[:, 1])
        first = rng.random(500) < chance
        wins = np.stack([first, ~first], axis=1)
        having, rest = (wins & has).sum(1), (wins & ~has).sum(1)
        sums = products(500, 6 * rest, 6 * (~has).sum(1), 6 * having, 6 * has.sum(1))
        found = impact.observed(Sums(sums, 6), 0.95)
        assert found.difference.value == pytest.approx(having.sum() / has.sum() - rest.sum() / (~has).sum())
        assert (found.seats, found.others) == (has.sum(), (~has).sum())
        assert found.difference.low is not None and found.difference.high is not None
        # The others of who has it lose: 0.57 of those that have it win, and 0.47 of those that do not.
        held += found.difference.low <= 0.1 <= found.difference.high
    assert 0.915 < held / 300 < 0.985


def test_effects_are_paired_and_adjusted() -> None:
    rng = np.random.default_rng(6)
    n = 4000
    luck = rng.random(n)
    without = luck < 0.4
    sums = []
    for effect in (0.1, 0.0, -0.1):
        given = luck < 0.4 + effect
        one = np.ones(n, dtype=int)
        sums.append(Sums(products(n, 2 * without, 2 * one, 2 * given, 2 * one), 2))
    found = impact.effects(sums, n + 7, 0.95)
    assert [each.verdict for each in found] == ["higher", "same", "lower"]
    assert found[0].difference.value == pytest.approx(0.1, abs=0.02)
    assert found[1].difference.value == 0 and found[1].p == 1
    assert {each.left_out for each in found} == {7}
    assert found[0].p_adjusted >= found[0].p
    # On the same luck the difference is known better than of two independent samples.
    independent = (0.24 / n + 0.25 / n) ** 0.5
    assert (found[0].difference.se or 1) < 0.5 * independent


def test_few_deals_that_differ_are_tested_exactly() -> None:
    without = np.array([1] * 10 + [0] * 90)
    given = np.array([1] * 10 + [1] * 4 + [0] * 86)
    one = np.ones(100, dtype=int)
    found = impact.effects([Sums(products(100, without, one, given, one), 1)], 100, 0.95)[0]
    assert found.p == pytest.approx(2 / 2**4)
    assert found.verdict == "undecided" and found.deals_to_decide is not None


def test_nothing_to_compare() -> None:
    nothing = np.zeros(0, dtype=int)
    found = impact.effects([Sums(products(0, nothing, nothing, nothing, nothing), 1)], 5, 0.95)[0]
    assert found.difference.value is None and found.verdict == "undecided"
    assert (found.deals, found.left_out, found.deals_to_decide) == (0, 5, None)


def test_two_deals_alike_do_not_show_that_a_card_changes_nothing() -> None:
    def verdict(n: int) -> str:
        wins = np.arange(n) % 2
        one = np.ones(n, dtype=int)
        return impact.effects([Sums(products(n, wins, one, wins, one), 1)], n, 0.95)[0].verdict

    assert (verdict(2), verdict(2 * impact.ENOUGH)) == ("undecided", "same")

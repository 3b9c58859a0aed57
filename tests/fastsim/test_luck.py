"""How much of who wins is in the cards, where the answer is known."""

import numpy as np
import pytest

import fastsim
from fastsim.experiment import design
from fastsim.luck import LuckPlay, add, measures
from fastsim.pairing import Quantities
from fastsim.policy import Policy
from reports.balance import Measure

pytestmark = pytest.mark.compiled


def found(
    game: str, options: dict[str, object], policy: str, deals: int, unit: str = "hand"
) -> list[Measure]:
    experiment = design(game, options, policy, unit=unit, seed=1)
    return measures(experiment, LuckPlay(experiment)(0, deals), 0.95)


def test_nothing_but_luck_where_nobody_chooses() -> None:
    luck, between, within = found("cap-zap", {"hand_size": 1, "players": 3}, "random", 800)
    assert (luck.estimate.value, luck.estimate.low, luck.estimate.high) == (1.0, 1.0, 1.0)
    assert within.estimate.value == 0 and (between.estimate.value or 0) > 0.05


def test_no_luck_where_all_deals_are_alike() -> None:
    one_kind = {"deck": {"+1": 15}, "cap": 30, "start": 0, "hand_size": 5}
    luck, between, within = found("cap30", one_kind, "random", 3000)
    assert luck.estimate.low is not None and luck.estimate.high is not None
    assert luck.estimate.low <= 0 <= luck.estimate.high < 0.05
    assert (within.estimate.value or 0) > 0.1 > abs(between.estimate.value or 1)


def test_that_a_policy_moves_on_from_seat_to_seat_is_no_luck() -> None:
    # Whatever is dealt, `balanced` wins much more: its seat is another on every second deal.
    one_kind = {"deck": {"+1": 15}, "cap": 30, "start": 0, "hand_size": 5, "starter_extra": 0}
    policy = Policy("most at once", {"cards": 1.0})
    options: dict[str, object] = dict(one_kind)
    experiment = design("cap30", options, [policy, "random"], seed=1)
    wins = LuckPlay(experiment)(0, 2000)
    assert wins.totals[:, 0].sum() > 1.3 * wins.totals[:, 1].sum()
    luck = measures(experiment, wins, 0.95)[0].estimate
    # Who starts is all that a deal decides.
    alike = [wins.totals[parity::2, 0].mean() for parity in (0, 1)]
    between = np.var([each / 4 / Quantities(experiment).win for each in alike])
    total = sum(each.estimate.value or 0 for each in measures(experiment, wins, 0.95)[1:])
    assert luck.value == pytest.approx(between / total, abs=0.03)


@pytest.mark.parametrize("policy", ["random", ["random", "balanced", "random"]])
def test_the_first_replicate_is_the_run_itself_and_another_is_not(policy: str | list[str]) -> None:
    experiment = design("cap30", {"players": 3}, policy, seed=8)
    once = LuckPlay(experiment, 1)(0, 700)
    summary = fastsim.run("cap30", 700, options={"players": 3}, policy=policy, seed=8).summary
    rates = [each.rate.value or 0 for each in (summary.seats if policy == "random" else summary.policies)]
    scale = Quantities(experiment).win
    assert (once.totals.sum(axis=0) / scale / 700).tolist() == pytest.approx(rates)
    assert np.array_equal(once.squares, (once.totals**2).sum(axis=1))
    twice = LuckPlay(experiment, 2)(0, 700)
    assert not np.array_equal(twice.totals, 2 * once.totals)


@pytest.mark.parametrize(("game", "unit"), [("cap30", "game"), ("kapaga", "hand"), ("cap-zap", "game")])
def test_wins_do_not_depend_on_how_deals_are_cut(game: str, unit: str) -> None:
    play = LuckPlay(design(game, None, "random", unit=unit, seed=3), 3)
    whole, parts = play(0, 90), add(add(play(0, 13), play(13, 14)), play(14, 90))
    assert np.array_equal(whole.totals, parts.totals) and np.array_equal(whole.squares, parts.squares)
    # Nobody wins more than all, and shared wins add up to a whole one.
    scale = Quantities(play.experiment).win
    assert (whole.totals.sum(axis=1) <= 3 * scale).all()
    assert whole.totals.sum() > 2 * 90 * scale


def test_chance_decides_less_the_more_is_chosen_at_random() -> None:
    balanced = found("cap30", {}, "balanced", 2000)[0].estimate
    random = found("cap30", {}, "random", 2000)[0].estimate
    assert random.high is not None and balanced.low is not None
    assert random.high < balanced.low

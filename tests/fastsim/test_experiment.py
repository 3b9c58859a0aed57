"""Experiments: what design accepts, and that a range of games is a pure function of its numbers."""

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import fastsim
from fastsim import catalog
from fastsim.errors import UsageError
from fastsim.experiment import LARGEST_SEED, MOST_GAMES, Experiment, design, play, play_blocks
from kernels.blocks import as_table
from kernels.cap30 import layout
from reports.tally import Tally, merge


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game_name": "cap31"}, "unknown game 'cap31', did you mean 'cap30'? accepted: cap30, "),
        ({"game_name": ""}, "unknown game ''; accepted: cap30, "),
        ({"game_name": None}, "unknown game None; accepted: cap30, "),
        ({"game_name": ["cap30"]}, "unknown game ['cap30'], did you mean 'cap30'?"),
        ({"unit": "hands"}, "unit was given 'hands'; accepted: hand, game"),
        ({"unit": None}, "unit was given None; accepted: hand, game"),
        ({"seed": -1}, f"seed was given -1; accepted: a whole number of 0 to {LARGEST_SEED}"),
        ({"seed": 2**63}, f"seed was given {2**63}; accepted: a whole number of 0 to {LARGEST_SEED}"),
        ({"seed": 10**5000}, "seed was given a number of thousands of digits; accepted: a whole number"),
        ({"seed": 1.0}, "seed was given 1.0; accepted: a whole number"),
        ({"seed": True}, "seed was given True; accepted: a whole number"),
        ({"seed": "1"}, "seed was given '1'; accepted: a whole number"),
        ({"options": "players=3"}, "options were given as 'players=3'; accepted: a mapping"),
        ({"options": 0}, "options were given as 0; accepted: a mapping"),
    ],
)
def test_what_is_not_accepted_is_refused_in_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        design(**{"game_name": "cap30", **changes})
    assert str(error.value).startswith(sentence)


def test_numbers_of_numpy_are_numbers() -> None:
    experiment = design("cap30", {"players": np.int64(3)}, seed=np.uint64(7))  # type: ignore[arg-type]
    assert (type(experiment.seed), experiment.seed) == (int, 7)
    assert experiment == design("cap30", {"players": 3}, seed=7)


@pytest.fixture(params=["hand", "game"])
def experiment(request: pytest.FixtureRequest) -> Experiment:
    return design("cap30", {"players": 3}, ["balanced", "random", "tens"], seed=11, unit=request.param)


def test_tallies_of_ranges_add_up_wherever_they_are_cut(experiment: Experiment) -> None:
    whole = play(experiment, 0, 400)
    assert whole.units(experiment.unit) == 400
    for cuts in ((0, 1, 400), (0, 100, 257, 399, 400), (0, 200, 200, 400)):
        parts = [play(experiment, a, b) for a, b in pairwise(cuts)]
        assert merge(parts) == whole
        assert merge(reversed(parts)) == whole
    assert play(experiment, 50, 50) == Tally.empty()
    assert play(experiment, 0, 200) != play(experiment, 200, 400)


def test_an_experiment_can_be_sent_elsewhere(experiment: Experiment) -> None:
    there = pickle.loads(pickle.dumps(experiment))
    assert there == experiment
    assert play(there, 5, 60) == play(experiment, 5, 60)


def test_blocks_are_consecutive_and_hold_all_hands(experiment: Experiment) -> None:
    at = 30
    for block in play_blocks(experiment, 30, 3000):
        assert block.first == at
        assert block.games >= 1
        assert block.rows == block.games or experiment.unit == "game"
        at += block.games
        if experiment.unit == "game":
            hands = as_table(block.games_block, len(layout.GAME_COLUMNS), block.games)[layout.GAME_HANDS]
            assert hands.sum() == block.rows
    assert at == 3000


def test_the_last_game_numbers_and_seeds_can_be_played() -> None:
    experiment = design("cap30", seed=LARGEST_SEED)
    last = play(experiment, MOST_GAMES - 2, MOST_GAMES)
    assert last.units("hand") == 2
    assert last == merge(play(experiment, i, i + 1) for i in (MOST_GAMES - 2, MOST_GAMES - 1))
    assert fastsim.replay("cap30", MOST_GAMES - 1, seed=LARGEST_SEED).lines


def without_policies(tally: Tally) -> Tally:
    import polars as pl

    return Tally(tally.frame.filter(pl.col("metric") != "policy_winners"))


@pytest.mark.parametrize("name", catalog.names())
def test_policies_move_on_by_a_seat_from_game_to_game(name: str) -> None:
    game = catalog.find(name)
    options: dict[str, object] = {"players": 4}
    presets = [*game.policies][:4]
    assert len(presets) == 4
    rotating = design(name, options, presets, seed=2)
    for number in range(9):
        # In game 1 seat 0 has the last of the policies or the second: whichever, all seats move alike.
        played = {
            shift
            for shift in range(4)
            if without_policies(play(rotating, number, number + 1))
            == without_policies(
                play(design(name, options, presets[shift:] + presets[:shift], True, 2), number, number + 1)
            )
        }
        assert played & {number % 4, -number % 4}
    still = design(name, options, presets, True, 2)
    assert play(still, 0, 1) == play(rotating, 0, 1)


@pytest.mark.parametrize("name", catalog.names())
def test_games_and_seeds_have_deals_of_their_own(name: str) -> None:
    told = [str(fastsim.replay(name, number, seed=seed)) for seed in (0, 1) for number in (0, 1, 2)]
    assert len(set(told)) == 6
    assert str(fastsim.replay(name, 0, seed=0)) == told[0]


def deals(options: dict[str, object], number: int, policy: str = "balanced") -> list[list[int]]:
    events = fastsim.replay("cap30", number, options=options, policy=policy, seed=4).events
    return events[events[:, 0] == layout.DEAL].tolist()


@pytest.mark.parametrize(
    "changes",
    [{"chain_limit": 1}, {"take_count": 5}, {"start": 3}, {"must_play": False}, {"max_multiple": 1}],
)
def test_rule_sets_with_one_seed_share_their_deals(changes: dict[str, object]) -> None:
    for number in range(5):
        assert deals(changes, number) == deals({}, number)
        assert deals(changes, number, "random") == deals({}, number)
    larger = deals({"hand_size": 8}, 0)
    assert len(larger) == 17  # another number of cards, of the same order of the deck

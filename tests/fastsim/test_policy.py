"""Policies: presets, files, what is refused, and that the kernels play by the numbers in them."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastsim
from fastsim import Policy, catalog
from fastsim.errors import UsageError
from fastsim.experiment import design
from fastsim.policy import checked, find_policy, presets, read_policy

FEATURES = {"cards": "cards put down", "action": "1 for an action card"}
CAP30 = catalog.find("cap30")


def file(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", catalog.names())
def test_presets_of_every_game_load_and_are_explained(name: str) -> None:
    game = catalog.find(name)
    assert game.default_policy in game.policies
    assert game.policies["random"].weights is None
    for key, policy in game.policies.items():
        assert policy.name == key
        assert policy.summary
        assert find_policy(key, game.policies, game.features) is policy
        assert set(policy.weights or {}) <= set(game.features)
        assert design(name, policy=policy).policies == (policy,)
        assert design(name, policy=policy).setup


def test_a_file_is_read(tmp_path: Path) -> None:
    path = file(tmp_path, 'summary = "mine"\ntemperature = 2\n[weights]\ncards = 1\naction = -0.5\n')
    assert read_policy(path, FEATURES) == Policy("mine", {"cards": 1.0, "action": -0.5}, 2.0, "mine")
    minimal = read_policy(file(tmp_path, "[weights]\ncards = 1e6\n"), FEATURES)
    assert (minimal.temperature, minimal.summary) == (0.0, "")
    assert minimal.millionths() == {"cards": 10**12}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "needs a table [weights] with at least one feature"),
        ("weights = 3", "needs a table [weights] with at least one feature"),
        ("[weights]", "needs a table [weights] with at least one feature"),
        ("temperature = 1", "needs a table [weights] with at least one feature"),
        ("[weights]\ncard = 1", ": 'card', did you mean 'cards'? accepted: cards, action"),
        ("[weight]\ncards = 1", ": 'weight', did you mean 'weights'? accepted: weights, temperature, summar"),
        ("[weights]\ncards = nan", "the weight of cards is nan; accepted: a number from -1,000,000 to 1,000"),
        ("[weights]\ncards = inf", "the weight of cards is inf; accepted: a number from -1,000,000 to"),
        ("[weights]\ncards = -inf", "the weight of cards is -inf; accepted: a number"),
        ("[weights]\ncards = 1000001", "the weight of cards is 1000001; accepted: a number"),
        ("[weights]\ncards = " + "9" * 400, "the weight of cards is 9999"),
        ("[weights]\ncards = true", "the weight of cards is True; accepted: a number"),
        ('[weights]\ncards = "1"', "the weight of cards is '1'; accepted: a number"),
        ("[weights]\ncards = [1]", "the weight of cards is [1]; accepted: a number"),
        ("[weights.cards]\na = 1", "the weight of cards is {'a': 1}; accepted: a number"),
        ("temperature = -1\n[weights]\ncards = 1", "the temperature is -1; accepted: a number from 0 to 1,0"),
        ("temperature = nan\n[weights]\ncards = 1", "the temperature is nan; accepted: a number from 0"),
        ("temperature = true\n[weights]\ncards = 1", "the temperature is True; accepted: a number from 0"),
        ("summary = 3\n[weights]\ncards = 1", "the summary is 3; accepted: a text"),
        ("[weights\n", "is not valid TOML"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        read_policy(file(tmp_path, text), FEATURES)
    assert sentence in str(error.value)
    assert "mine.toml" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("greddy", "unknown policy 'greddy', did you mean 'greedy'? accepted: random, balanced, "),
        ("", "unknown policy ''; accepted: random, balanced, "),
        ("none.toml", "there is no policy file 'none.toml'"),
        ("none/here", "there is no policy file 'none/here'"),
        (Path("none"), "there is no policy file 'none'"),
        ("x" * 5000, "unknown policy 'xxx"),
        ("a\0b", r"unknown policy 'a\x00b'"),
        ("a\0.toml", "cannot be the name of the policy file"),
        (3, "unknown policy 3; accepted: random, "),
        (None, "unknown policy None; accepted: random, "),
        (Policy("p", {"card": 1.0}), "unknown feature in policy 'p': 'card', did you mean 'cards'?"),
        (Policy("p", {"cards": math.nan}), "in policy 'p' the weight of cards is nan; accepted: a number"),
        (Policy("p", {"cards": 1.0}, math.inf), "in policy 'p' the temperature is inf; accepted: a number"),
        (Policy("p", [1]), "the weights of policy 'p' are [1]; accepted: a number for each feature"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_is_no_policy_is_refused_in_a_sentence(given: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        find_policy(given, CAP30.policies, FEATURES)
    assert sentence in str(error.value)
    assert len(str(error.value)) < 250


def test_a_file_named_like_a_preset_is_told_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "[weights]\naction = 1\n", "greedy.toml")
    file(tmp_path, "[weights]\naction = 1\n", "greedy")
    file(tmp_path, "[weights]\naction = 1\n", "mine")
    known = presets(tmp_path, FEATURES)
    assert find_policy("greedy", CAP30.policies, CAP30.features) is CAP30.policies["greedy"]
    for given in ("greedy.toml", "./greedy", "mine", Path("greedy")):
        policy = find_policy(given, CAP30.policies, CAP30.features)
        assert policy == Policy(str(given), {"action": 1.0})
    assert list(known) == ["random", "greedy"]


def test_policies_made_in_python_are_checked_and_may_be_given_in_any_sequence() -> None:
    whole = Policy("whole", {"cards": 1})
    assert checked(whole, FEATURES, "here").weights == {"cards": 1.0}
    assert checked(Policy("nothing", {}), FEATURES, "here").weights == {}
    for given in ([whole, "random"], (whole, "random"), iter([whole, "random"])):
        assert [p.name for p in design("cap30", policy=given).policies] == ["whole", "random"]  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [[], ["random"] * 3])
def test_one_policy_or_one_a_seat(given: list[str]) -> None:
    with pytest.raises(UsageError, match=r"were given for 2 players; accepted: 1 for all seats, or 2"):
        design("cap30", policy=given)


# By the numbers. Three copies of +1 and nothing else, no ten within reach and one turn to play: the
# one decision is how many of them to put down, and cards_played says what was chosen.

ONE_DECISION: dict[str, object] = {
    "deck": {"+1": 12},
    "cap": 100,
    "start": 11,
    "hand_size": 5,
    "starter_extra": 0,
    "max_turns": 1,
}


def chosen(policy: Policy, n: int) -> np.ndarray:
    """Return how often 1, 2 and 3 cards were put down."""
    counts = fastsim.run("cap30", n, options=ONE_DECISION, policy=policy, seed=3).tally.counts(
        "hand", "cards_played"
    )
    seen = dict(counts.iter_rows())
    assert set(seen) <= {1, 2, 3}
    return np.array([seen.get(number, 0) for number in (1, 2, 3)])


def chi_square(seen: np.ndarray, shares: np.ndarray) -> float:
    expected = seen.sum() * shares
    return float(((seen - expected) ** 2 / expected).sum())


@pytest.mark.compiled
@pytest.mark.parametrize(("weight", "temperature"), [(1.0, 1.0), (1.0, 0.5), (-2.0, 3.0), (0.0, 1.0)])
def test_temperature_plays_choices_with_softmax_frequencies(weight: float, temperature: float) -> None:
    seen = chosen(Policy("warm", {"cards": weight}, temperature), 40_000)
    shares = np.exp(weight / temperature * np.array([1, 2, 3]))
    assert chi_square(seen, shares / shares.sum()) < 18.4  # exceeded once in 10,000


@pytest.mark.compiled
def test_ties_are_broken_at_random_and_the_best_is_played() -> None:
    even = np.full(3, 1 / 3)
    assert chi_square(chosen(Policy("even", {"action": 1.0}), 40_000), even) < 18.4
    assert chi_square(chosen(Policy("random", None), 40_000), even) < 18.4
    assert chosen(Policy("most", {"cards": 1.0}), 1000).tolist() == [0, 0, 1000]
    assert chosen(Policy("least", {"cards": -0.001}), 1000).tolist() == [1000, 0, 0]


def test_next_to_no_temperature_is_none() -> None:
    cold = fastsim.run("cap30", 200, policy=Policy("cold", CAP30.policies["greedy"].weights, 1e-6), seed=1)
    # Ties are broken by the noise instead, so only what has no ties is alike.
    assert chosen(Policy("cold", {"cards": 1.0}, 1e-6), 100).tolist() == [0, 0, 100]
    assert cold.summary.n == 200


@pytest.mark.compiled
@pytest.mark.parametrize(("better", "worse"), [
    *((name, "random") for name in ("balanced", "tens", "greedy", "careful")),
    *(("balanced", name) for name in ("tens", "greedy", "careful")),
])  # fmt: skip
def test_better_policies_win_more_hands(better: str, worse: str) -> None:
    result = fastsim.run("cap30", 20_000, policy=[better, worse], seed=5, confidence=0.9999)
    rate = result.summary.policies[0].rate
    assert rate.low is not None
    assert rate.low > 0.5


def test_presets_differ_in_what_they_play() -> None:
    told = {name: str(fastsim.replay("cap30", 3, policy=name)) for name in CAP30.policies}
    for first, second in combinations(told, 2):
        assert told[first] != told[second]

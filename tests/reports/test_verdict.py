"""The sentence on the first player says no more than the interval does."""

from fractions import Fraction

import pytest

from reports.verdict import fairness


def verdict(wins: int, decided: int, void: int = 0, sides: int = 2, confidence: float = 0.95) -> str:
    return fairness("The starter", Fraction(wins), decided, void, "hand", sides, confidence)


@pytest.mark.parametrize(
    ("wins", "decided", "sides", "says"),
    [
        (
            96_000,
            200_000,
            2,
            "48.00% of hands, 2.00 points fewer than a fair 50%: a small but certain disadvantage.",
        ),
        (
            60_000,
            100_000,
            2,
            "60.00% of hands, 10.00 points more than a fair 50%: a large and certain advantage.",
        ),
        (
            550,
            1_000,
            2,
            "55.0% of hands, 5.0 points more than a fair 50%: probably a small to large advantage.",
        ),
        (
            5_020_000,
            10**7,
            2,
            "50.200% of hands, 0.200 points more than a fair 50%: a very small but certain advantage.",
        ),
        (
            40_000,
            100_000,
            3,
            "40.00% of hands, 6.67 points more than a fair 33.33%: a large and certain advantage.",
        ),
        (
            10**6,
            2 * 10**6,
            2,
            "50.000% of hands, as good as a fair 50%: any difference is below 0.069 points.",
        ),
    ],
)
def test_wording_follows_the_interval(wins: int, decided: int, sides: int, says: str) -> None:
    assert verdict(wins, decided, sides=sides) == f"The starter wins {says}"


def test_what_may_go_either_way_is_left_open() -> None:
    assert verdict(510, 1_000) == (
        "The starter wins 51.0% of hands, which cannot be told from a fair 50%: "
        "the truth may lie from 2.1 points below it to 4.1 above."
    )


def test_void_hands_are_no_disadvantage() -> None:
    sentence = verdict(45_000, 90_000, void=10_000)
    assert sentence == (
        "Of the 90,000 hands that somebody won, the starter wins 50.00%, as good as a fair 50%: "
        "any difference is below 0.33 points."
    )


def test_nothing_won_is_nothing_to_say() -> None:
    assert verdict(0, 0, void=5).startswith("No hand was won by anyone")


@pytest.mark.parametrize("wins", range(0, 1001, 25))
def test_certain_is_said_only_of_what_is_beyond_doubt(wins: int) -> None:
    sentence = verdict(wins, 1000)
    standard_errors = abs(wins / 1000 - 0.5) / (0.25 / 1000) ** 0.5
    assert ("certain" in sentence) == (standard_errors > 3.9)
    assert ("cannot be told" in sentence) == (standard_errors < 1.96)

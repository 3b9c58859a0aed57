"""Command lines that reports give: typed into a shell, they find the same, to the last digit."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fastsim
from fastsim.cli import cli
from fastsim.commands import sweep_command
from fastsim.findings import Findings
from fastsim.sweeping import design_grid

DECK = {"+1": 10, "-1": 10, "Skip": 6}
POLICY = 'summary = "keeps cards"\n[weights]\ncards = -1\n'


def typed(result: Findings, *more: str) -> Any:
    """Return what the command line of a result finds."""
    arguments = shlex.split(" ".join(result.found.command))
    assert arguments[0] == "fastsim"
    shown = CliRunner().invoke(cli, [*arguments[1:], "--format", "json", *more])
    assert shown.exit_code == 0, shown.output
    return json.loads(shown.stdout)


@pytest.mark.parametrize(
    ("a", "b", "given"),
    [
        ({"starter_extra": 1}, {"starter_extra": 0}, {}),
        ({}, {"players": 3, "take_count": 1}, {"options": {"chain_limit": 2}, "seed": 7}),
        ({"cap": 10, "start": 5}, {"cap": 12, "start": 5}, {"options": {"deck": DECK}, "unit": "game"}),
        (
            {"players": 3},
            {"players": 3, "hand_size": 5},
            {
                "policy": ["random", "balanced", "greedy"],
                "fixed_seats": True,
                "margin": ["2%", "turns=0.1"],
                "metrics": ["turns", "win"],
                "confidence": 0.9,
            },
        ),
        ({"take_count": 1}, {"take_count": 3}, {"until": "decided", "metrics": ["taken"]}),
    ],
)
def test_of_a_comparison(a: dict[str, Any], b: dict[str, Any], given: dict[str, Any]) -> None:
    result = fastsim.compare("cap30", a, b, 2000 if "until" in given else 60, **{"policy": "random", **given})
    assert typed(result) == result.to_dict()


def test_of_a_comparison_sets_once_what_both_share() -> None:
    result = fastsim.compare("cap30", {"take_count": 1}, {}, 20, options={"chain_limit": 2}, policy="random")
    assert " ".join(result.comparison.command) == (
        "fastsim compare cap30 -n 20 --unit hand --set chain_limit=2 --policy random --a take_count=1 "
        "--margin 1% --seed 0"
    )


@pytest.mark.parametrize(
    ("vary", "given"),
    [
        ({"starter_extra": "0..2"}, {}),
        (
            {"take_count": [1, 3], "must_play": ["true", "false"]},
            {"goal": "turns=12", "where": ["moves<90", "turns>1"], "metrics": ["turns", "taken"]},
        ),
        ({"deck": ["cap30", DECK], "chain_limit": "1,2"}, {"options": {"cap": 20, "start": 10}, "seed": 3}),
        ({"chain_limit": [2]}, {"policy": ["balanced", "random"], "unit": "game", "confidence": 0.99}),
    ],
)
def test_of_a_sweep(vary: dict[str, Any], given: dict[str, Any]) -> None:
    result = fastsim.sweep("cap30", vary, 20, **{"policy": "random", **given})
    again = typed(result)
    expected = result.to_dict()
    # A table is written in another way, and means the same.
    for found in (again, expected):
        for point in [*found["points"], *filter(None, [found["confirmation"]])]:
            point["options"].pop("deck", None)
    assert again == expected


def test_of_a_sweep_says_ranges_as_such_and_that_many_are_meant() -> None:
    grid = design_grid("cap30", {"take_count": ["1", "2", "3"], "chain_limit": ["1", "3"]})
    line = " ".join(sweep_command(grid, 10, 0.95, None, None, (), True))
    assert "--vary take_count=1..3 --vary chain_limit=1,3 --yes --seed 0" in line


@pytest.mark.parametrize(
    ("policies", "given"),
    [
        (["balanced", "random"], {}),
        (["balanced", "balanced", "FILE"], {"options": {"players": 3}, "seed": 2, "confidence": 0.9}),
        (["balanced", "random", "greedy"], {"unit": "game"}),
    ],
)
def test_of_a_duel(policies: list[str], given: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "my policy.toml"
    file.write_text(POLICY)
    policies = [str(file) if name == "FILE" else name for name in policies]
    result = fastsim.duel("cap30", policies, 20, **given)
    assert typed(result) == result.to_dict()


@pytest.mark.parametrize("given", [{}, {"causal": False, "seed": 2}, {"observed": False, "confidence": 0.9}])
def test_of_what_cards_do(given: dict[str, Any]) -> None:
    result = fastsim.card_impact("cap30", 20, policy="random", **given)
    assert typed(result) == result.to_dict()


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"options": {"players": 3}, "seconds_a_turn": 12.5, "seed": 4},
        {"policy": ["random", "balanced"], "fixed_seats": True, "unit": "game", "confidence": 0.9},
    ],
)
def test_of_measures_of_balance(given: dict[str, Any]) -> None:
    result = fastsim.balance("cap30", 100, **{"policy": "random", **given})
    assert typed(result) == result.to_dict()

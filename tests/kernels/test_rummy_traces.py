"""Every event and record of contract rummy is what the referees make of it; and the same in all modes."""

import itertools
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastsim.experiment import Experiment, design
from fastsim.rummy.options import POINT_KEYS
from fastsim.transcript import trace
from kernels.blocks import as_table, new_block
from kernels.columns import SCALAR
from kernels.rummy import layout as at
from tests.conftest import COMPILED
from tests.referees import cap_it, thirty_thirty

pytestmark = pytest.mark.kernel

REFEREES: dict[str, Any] = {"thirty-thirty": thirty_thirty, "cap-it": cap_it}

FOUR_SETS = [["set 3", "set 3", "set 3", "set 3"]]
RUNS_TOO = [["run 4", "run 3"], ["set 3", "run 4"], ["run 3", "run 3", "run 3"]]
LONG = [["run 13"], ["run 5", "run 5"]]

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("thirty-thirty", {}),
    ("thirty-thirty", {"players": 2, "nickels_per_hand": True}),
    ("thirty-thirty", {"players": 3, "hand": 3}),
    ("thirty-thirty", {"players": 6, "hand": 5}),
    ("thirty-thirty", {"players": 8, "hand": 6}),
    ("thirty-thirty", {"hand": 4, "layoff": "own"}),
    ("thirty-thirty", {"hand": 2, "layoff": "none"}),
    ("thirty-thirty", {"contract_only": False}),
    ("thirty-thirty", {"contracts": RUNS_TOO, "natural_twos": True, "min_run": 3, "wild_rule": "one_natural",
                       "swap_same_meld": True}),
    ("thirty-thirty", {"contracts": FOUR_SETS, "nickels": 30, "packs": 3}),
    ("thirty-thirty", {"contracts": [["run 4", "run 4"]], "nickels": 100, "natural_twos": True}),
    ("thirty-thirty", {"stock_out": "end", "nickels": 40}),
    ("thirty-thirty", {"max_turns": 7, "points": dict.fromkeys(POINT_KEYS, 1)}),
    ("thirty-thirty", {"hand_size": 3, "contracts": [["set 3"], ["run 4"]]}),
    ("thirty-thirty", {"packs": 7, "players": 8, "hand_size": 13, "buy_extra": 5, "buy_extra_out": 5}),
    ("thirty-thirty", {"packs": 1, "hand_size": 10, "max_reshuffles": 10, "hand": 3, "nickels": 30}),
    ("thirty-thirty", {"wild_fraction": 0.7, "hand": 5, "price": 0}),
    ("cap-it", {}),
    ("cap-it", {"hand": 2, "layoff": "own"}),
    ("cap-it", {"hand": 3, "swap_same_meld": True}),
    ("cap-it", {"hand": 4, "players": 8}),
    ("cap-it", {"hand": 5, "players": 2}),
    ("cap-it", {"hand": 5, "natural_twos": False, "players": 6}),
    ("cap-it", {"hand": 3, "wild_rule": "half", "players": 5}),
    ("cap-it", {"hand": 5, "layoff": "none", "round_share": 0.125, "ante": 25, "players": 3}),
    ("cap-it", {"hand": 5, "push": False}),
    ("cap-it", {"hand": 3, "push": False, "stock_out": "reshuffle", "players": 2}),
    ("cap-it", {"hand": 1, "upcard": False, "stock_out": "reshuffle"}),
    ("cap-it", {"contracts": LONG, "hand": 2, "hand_size": 13}),
    ("cap-it", {"contracts": [["set 5"]], "min_run": 5, "max_turns": 9}),
]  # fmt: skip


def rows(experiment: Experiment, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of hands and of games, shape (columns, rows)."""
    rules, tables, policies = experiment.setup
    capacity = experiment.game.most_hands(experiment.options, experiment.unit) * games
    block, games_block = new_block(at.HAND_WIDTH, capacity), new_block(at.GAME_WIDTH, games)
    done, hands = experiment.game.kernel.play(
        np.uint64(experiment.seed), 0, games, experiment.unit == "game", rules, tables, policies,
        experiment.game.new_scratch(), block, games_block, None,
    )  # fmt: skip
    assert done == games
    return as_table(block, at.HAND_WIDTH, hands), as_table(games_block, at.GAME_WIDTH, games)


def compare(columns: Any, values: np.ndarray, record: dict[str, Any], seats: int) -> None:
    """Check a row against a referee's record."""
    for column, value in zip(columns, values, strict=True):
        if column.metric == "policy_winners":
            continue
        expected = record[column.metric]
        if column.key != SCALAR:
            expected = expected[column.key] if column.key < seats else 0
        assert value == expected, column


@pytest.mark.parametrize("policies", ["random", "balanced", "mixed"])
@pytest.mark.parametrize("unit", ["hand", "game"])
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_every_event_and_record_is_the_referees(variant: int, unit: str, policies: str) -> None:
    game, options = VARIANTS[variant]
    players = options.get("players", 4)
    names = ["builder", "random", "spoiler", "light", "balanced"] * 2
    chosen = names[:players] if policies == "mixed" else policies
    experiment = design(game, options, chosen, seed=variant, unit=unit)
    referee = REFEREES[game]
    resolved = referee.resolve(**options)
    games = (8 if unit == "hand" else 2) if COMPILED else 1
    hands, game_rows = rows(experiment, games)
    row = 0
    for number in range(games):
        weighing = None
        if policies != "mixed":
            weighing = [policies != "random"] * players
        events = trace(experiment, number).events.tolist()
        records, game_record = referee.check_game(events, resolved, unit == "game", weighing)
        for record in records:
            compare(experiment.game.layout.HAND_COLUMNS, hands[:, row], record, players)
            row += 1
        if unit == "game":
            compare(experiment.game.layout.GAME_COLUMNS, game_rows[:, number], game_record, players)
    assert row == hands.shape[1]


def digest() -> int:
    """Return a number that differs if any row of a few hands and games does."""
    found = 0
    for game, policies in itertools.product(REFEREES, ("random", "balanced")):
        for unit, games in (("hand", 8), ("game", 2)):
            for table in rows(design(game, {}, policies, seed=11, unit=unit), games):
                found = zlib.crc32(np.ascontiguousarray(table).astype("<i4").tobytes(), found)
    return found


@pytest.mark.compiled
def test_plain_python_plays_the_same_as_compiled_kernels() -> None:
    program = (
        "import numpy; numpy.seterr(over='ignore')\n"
        "from tests.kernels.test_rummy_traces import digest; print(digest())"
    )
    plain = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(plain.stdout) == digest()


@pytest.mark.parametrize("game", list(REFEREES))
def test_play_goes_on_where_a_block_was_full(game: str) -> None:
    experiment = design(game, {}, "random", seed=3, unit="game")
    rules, tables, policies = experiment.setup
    whole, games = rows(experiment, 4)
    hands = experiment.game.most_hands(experiment.options, "game")
    block, game_block = new_block(at.HAND_WIDTH, 16), new_block(at.GAME_WIDTH, 16)
    at_game, parts = 0, []
    while at_game < 4:
        first = at_game
        at_game, count = experiment.game.kernel.play(
            np.uint64(3), first, 4, True, rules, tables, policies, experiment.game.new_scratch(), block,
            game_block, None,
        )  # fmt: skip
        assert count == hands * (at_game - first) <= 16
        parts.append(as_table(block, at.HAND_WIDTH, count).copy())
        assert np.array_equal(as_table(game_block, at.GAME_WIDTH, at_game - first), games[:, first:at_game])
    assert len(parts) > 1
    assert np.array_equal(np.concatenate(parts, axis=1), whole)

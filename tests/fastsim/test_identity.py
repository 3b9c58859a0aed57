"""What a run plays survives being written down, for every game; and is told apart from others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fastsim import catalog, identity
from fastsim.experiment import design
from fastsim.policy import Policy

ROOT = Path(__file__).parents[2]
DESIGNS = [
    *((game, {}) for game in catalog.names()),
    ("cap30", {"options": {"deck": {"+1": 8, "-1": 8, "Skip": 2}, "cap": 10, "start": 5}, "unit": "game"}),
    ("cap30", {"policy": ["random", "balanced"], "fixed_seats": True, "seed": 2**63 - 1}),
    ("cap30", {"policy": Policy("mine", {"cards": 0.1}, 0.25, "a summary"), "options": {"players": 4}}),
]


@pytest.mark.parametrize(("game", "given"), DESIGNS)
def test_an_experiment_survives_being_written_down(game, given):
    played = identity.identity(design(game, **given))
    read = json.loads(json.dumps(played))
    again = identity.identity(identity.experiment_of(read))
    assert again == played
    assert identity.fingerprint(again) == identity.fingerprint(read)
    assert not identity.differences(read, again)


@pytest.mark.parametrize(
    ("given", "differs"),
    [
        ({"seed": 1}, ["seed (0, not 1)"]),
        ({"unit": "game"}, ["unit (hand, not game)"]),
        ({"options": {"cap": 50}}, ["option cap (30, not 50)"]),
        ({"policy": "random"}, ["policies (balanced, not random)"]),
        ({"policy": Policy("balanced", {"cards": 1.0})}, ["weights"]),
        ({"policy": ["balanced", "balanced"], "fixed_seats": True}, None),
    ],
)
def test_what_differs_is_named(given, differs):
    plain, other = (identity.identity(design("cap30", **each)) for each in ({}, given))
    assert identity.fingerprint(plain) != identity.fingerprint(other)
    found = identity.differences(plain, other)
    assert found
    assert differs is None or found == differs


def test_what_a_policy_is_called_makes_no_difference():
    one, other = (design("cap30", policy=Policy(name, {"cards": 1.0}, 0.0, name)) for name in ("a", "b"))
    assert identity.fingerprint(identity.identity(one)) == identity.fingerprint(identity.identity(other))


def test_sources_of_other_games_make_no_difference():
    assert identity.code("cap30") != identity.code("cap-zap")
    assert len(identity.code("cap30")) == 16


_LOADED = """
import sys
from fastsim import catalog
game = catalog.find(sys.argv[1])
game.kernel, game.new_scratch()
for name, module in list(sys.modules.items()):
    if name.startswith(("kernels.", "fastsim.rummy", "fastsim.catalog.")) and module.__file__:
        print(module.__file__)
"""


@pytest.mark.parametrize("game", catalog.names())
def test_all_sources_that_a_game_is_played_by_are_among_those_that_tell_it_apart(game):
    command = [sys.executable, "-c", _LOADED, game]
    loaded = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    of_all_games = {"cache.py", "game.py"}  # where code is kept; what is asked of a game
    # Stories are told of traces, not of counts.
    # Games know nothing of each other; a family's kernel knows how each game numbers its decisions.
    others = {"fastsim/catalog/__init__.py", "fastsim/catalog/story.py"}
    others |= {
        f"kernels/{name}/{file}.py" for name in ("cap_it", "thirty_thirty") for file in ("__init__", "layout")
    }
    files = {Path(file).relative_to(ROOT) for file in loaded if Path(file).name not in of_all_games}
    named = {path.relative_to(ROOT) for path in identity.sources(game)}
    assert len(files) > 8
    assert {str(file) for file in files - named} <= others

"""The functions, what they return, and what importing them loads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import fastsim
from fastsim import Policy, UsageError, catalog
from tests.fastsim.commands import environment

PAGES = ("altair", "great_tables", "jinja2", "vl_convert")
SLOW = ("numba", "llvmlite", "polars", "rich", "pydantic", "numpy", "scipy", *PAGES)


def loaded(code: str) -> set[str]:
    """Return which of the packages that are slow to load a program loads."""
    ask = f"import sys; print(*[name for name in {SLOW} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ask}"],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_fastsim_loads_nothing_that_is_slow() -> None:
    assert loaded("import fastsim; fastsim.__version__; fastsim.UsageError") == set()


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["--version"]])
def test_help_loads_nothing_that_is_slow(arguments: list[str]) -> None:
    code = f"from fastsim.cli import main\ntry: main({arguments})\nexcept SystemExit: pass"
    assert loaded(code) == set()


def test_a_run_without_a_page_loads_nothing_that_pages_are_made_with() -> None:
    assert not loaded("import fastsim; print(fastsim.run('cap30', 10, policy='random'))") & set(PAGES)
    assert not loaded("from fastsim.cli import main; main(['run', 'cap30', '-n', '10'])") & set(PAGES)


def test_lists_do_not_load_the_compiler() -> None:
    assert "numba" not in loaded("import fastsim; fastsim.games(); fastsim.rules('cap30')")
    assert "numba" not in loaded("from fastsim.cli import main; main(['policies', 'cap30'])")


def test_every_public_name_is_there() -> None:
    for name in fastsim.__all__:
        assert getattr(fastsim, name) is not None
    assert set(fastsim.__all__) <= {*dir(fastsim), *fastsim._HOME}
    with pytest.raises(AttributeError, match="module 'fastsim' has no attribute 'nosuch'"):
        getattr(fastsim, "nosuch")  # noqa: B009


def test_lists() -> None:
    games = fastsim.games()
    assert "cap30" in games and all(games.values())
    for game in games:
        assert fastsim.rules(game)["players"].default
        assert "random" in fastsim.policies(game)
        assert fastsim.features(game)
        changed = fastsim.policies(game)
        changed.clear()
        assert fastsim.policies(game)
    for ask in (fastsim.rules, fastsim.policies, fastsim.features, fastsim.run, fastsim.replay):
        with pytest.raises(UsageError, match="unknown game 'cap31', did you mean 'cap30'"):
            ask("cap31")


def test_a_result_has_everything_in_every_form() -> None:
    result = fastsim.run("cap30", 500, options={"players": 3}, policy="greedy", seed=7, threads=2)
    assert (result.requested, result.interrupted, result.confidence) == (500, False, 0.95)
    assert sum(stop - first for first, stop in result.chunks) == 500
    assert result.summary.n == 500
    assert result.tally.frame.columns == ["unit", "metric", "key", "value", "n"]
    assert result.tally.units("hand") == 500
    assert json.loads(result.to_json()) == json.loads(json.dumps(result.to_dict()))
    assert result.to_csv().startswith("statistic,unit,mean,se,low,high,n,interval\n")
    assert result.to_markdown().startswith("# Cap30: 500 hands, 3 players")
    assert str(result) == result.to_text()
    assert result.to_text(100) != result.to_text(72)
    assert "turns" in result.to_text(histograms=["turns"])
    with pytest.raises(ValueError, match="no histogram of 'turms'"):
        result.to_text(histograms=["turms"])


def test_the_same_call_gives_the_same_result_to_the_last_bit() -> None:
    first, second = (
        fastsim.run("cap30", 700, policy=["balanced", "random"], seed=3, unit="game", threads=threads)
        for threads in (1, 3)
    )
    assert first.tally == second.tally
    assert first.to_json() == second.to_json()
    assert first.to_text() == second.to_text()
    assert fastsim.run("cap30", 700, policy=["balanced", "random"], seed=4, unit="game").tally != first.tally


def test_a_policy_may_be_given_as_name_path_or_itself(tmp_path: Path) -> None:
    greedy = fastsim.policies("cap30")["greedy"]
    assert greedy.weights is not None
    path = tmp_path / "mine.toml"
    path.write_text("[weights]\n" + "".join(f"{f} = {w}\n" for f, w in greedy.weights.items()), "utf-8")
    given = ["greedy", path, str(path), greedy, Policy("mine", greedy.weights), [greedy, path]]
    tallies = [fastsim.run("cap30", 100, policy=each).tally for each in given[:-1]]
    assert all(tally == tallies[0] for tally in tallies)
    assert fastsim.run("cap30", 100, policy=given[-1]).description.policies == ("greedy", str(path))  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan"), True])
def test_what_is_no_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(UsageError, match=r"confidence was given .*; accepted: a number between 0 and 1"):
        fastsim.run("cap30", 10, confidence=confidence)


def test_more_confidence_is_a_wider_interval() -> None:
    wide, narrow = (fastsim.run("cap30", 500, confidence=c).summary.seats[0].rate for c in (0.999, 0.5))
    assert wide.half_width is not None and narrow.half_width is not None
    assert wide.half_width > 2 * narrow.half_width
    assert wide.value == narrow.value


@pytest.mark.parametrize("name", catalog.names())
def test_every_game_runs_and_replays_with_every_preset(name: str) -> None:
    for policy in fastsim.policies(name):
        result = fastsim.run(name, 50, policy=policy, seed=1)
        assert result.summary.n == 50
        assert 1 in {seat.rate.value is not None for seat in result.summary.seats}
    transcript = fastsim.replay(name, 12, seed=1)
    assert str(transcript) == "\n".join(transcript.lines)
    assert transcript.game == 12


@pytest.mark.parametrize("number", [-1, 10**15, 1.0, "1", None, True])
def test_what_is_no_game_is_refused(number: int) -> None:
    with pytest.raises(UsageError, match=r"game was given .*; accepted: a whole number of 0 to 9{15}"):
        fastsim.replay("cap30", number)

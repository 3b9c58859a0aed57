"""The command, as a user has it: what it prints where, exit codes, mistakes, interrupts, pipes, terminals."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fastsim import catalog
from tests.fastsim.commands import environment, fastsim, interrupted

SMALL = ["run", "cap30", "-n", "300"]


# What it prints.


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"], ["-h"], ["run", "--help"], ["replay", "-h"], ["rules", "--help"],
        ["games"], ["rules", "cap30"], ["policies", "cap30"], ["features", "cap30"],
        SMALL, [*SMALL, "--format", "markdown"], ["replay", "cap30"], ["replay", "cap30", "--unit", "game"],
        *(["rules", name] for name in catalog.names()),
        *(["policies", name] for name in catalog.names()),
        *(["features", name] for name in catalog.names()),
    ],
)  # fmt: skip
def test_every_command_prints_to_standard_output_alone(command, arguments: list[str]) -> None:
    said = command(*arguments)
    assert said.code == 0
    assert said.out.endswith("\n")
    assert not said.err.replace("compiling the kernel", "").startswith("Traceback")
    if arguments[0] in ("games", "rules", "policies", "features") or "-h" in arguments[-1]:
        assert said.err == ""
        assert max(len(line) for line in said.out.splitlines()) <= 80
        assert all(line == line.rstrip() for line in said.out.splitlines())


def test_without_arguments_it_helps(command) -> None:
    said = command()
    assert said.code == 2
    assert "Commands:" in said.out


def test_version(command) -> None:
    assert re.fullmatch(r"fastsim \d+\.\d+\S*\n", command("--version").out)


@pytest.mark.parametrize("name", catalog.names())
def test_lists_tell_all(command, name: str) -> None:
    game = catalog.find(name)
    rules, policies, features = (command(verb, name).out for verb in ("rules", "policies", "features"))
    for option in game.options.describe().values():
        assert re.search(rf"^{option.name} +\S", rules, re.MULTILINE)
    for policy in game.policies.values():
        assert re.search(rf"^{policy.name} +\S", policies, re.MULTILINE)
        for feature, weight in (policy.weights or {}).items():
            assert f"{feature}={weight:g}" in policies
    for feature in game.features:
        assert re.search(rf"^{feature} +\S", features, re.MULTILINE)
    assert re.search(rf"^{name} +\S", command("games").out, re.MULTILINE)


def test_json_has_the_promised_keys(command) -> None:
    said = command(*SMALL, "--format", "json", "--set", "players=3", "--seed", "4", "--policy", "random")
    result = json.loads(said.out)
    assert {
        "schema", "game", "unit", "n", "seed", "options", "policies", "version", "seats",
        "first_player_advantage", "metrics", "stats", "ended", "assumptions",
    } <= set(result)  # fmt: skip
    assert (result["schema"], result["game"], result["unit"], result["n"]) == (1, "cap30", "hand", 300)
    assert (result["seed"], result["policies"], result["options"]["players"]) == (4, ["random"], 3)
    assert set(result["options"]) == set(catalog.find("cap30").options.model_fields)
    assert [seat["seat"] for seat in result["seats"]] == [0, 1, 2]
    assert {"seat", "wins", "win_rate", "low", "high"} <= set(result["seats"][0])
    assert {"estimate", "low", "high"} <= set(result["first_player_advantage"])
    assert {"mean", "se", "low", "high", "sd", "min", "p05", "median", "p95", "max"} <= set(
        result["metrics"]["turns"]
    )
    assert {"mean", "se", "low", "high", "n"} <= set(result["stats"]["turns"])
    assert {"won", "blocked", "truncated"} <= set(result["ended"])
    assert {"rule", "option", "text"} <= set(result["assumptions"][0])
    assert {
        "win.seat0", "win.seat2", "chains.0", "chains.3", "total_share.30", "plays.TakeTwo", "plays.+7",
        "cards_left.seat1", "cards_left_of_a_loser", "turns", "moves", "cards_played", "drawn", "taken",
        "stuck", "tens", "reshuffles", "lead_changes", "decisions", "choices", "forced", "blocked",
        "truncated",
    } <= set(result["stats"])  # fmt: skip


def test_csv_has_a_row_for_each_statistic(command) -> None:
    rows = list(csv.DictReader(io.StringIO(command(*SMALL, "--format", "csv").out)))
    stats = json.loads(command(*SMALL, "--format", "json").out)["stats"]
    assert [row["statistic"] for row in rows] == list(stats)
    assert float(rows[0]["mean"]) == stats[rows[0]["statistic"]]["mean"]


def test_numbers_may_be_written_in_several_ways(command) -> None:
    played = [
        command("run", "cap30", "--format", "json", "-n", n).out for n in ("2000", "2e3", "2_000", "2000.0")
    ]
    assert len(set(played)) == 1
    assert json.loads(played[0])["n"] == 2000
    said = command("run", "cap30", "-n", "1e2", "--seed", "1_0")
    assert "-n 100 " in said.out and "--seed 10\n" in said.out


def test_options_come_from_a_file_and_from_set_which_wins(command, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('players = 4\nhand_size = 5\ndeck = "cap50"\n', encoding="utf-8")
    said = command(*SMALL, "--format", "json", "--options", str(file), "--set", "players=3")
    options = json.loads(said.out)["options"]
    assert (options["players"], options["hand_size"], options["deck"]) == (3, 5, "cap50")


def test_the_command_that_a_report_ends_with_plays_the_same(command, tmp_path: Path) -> None:
    policy = tmp_path / "my policy.toml"
    policy.write_text("temperature = 1\n[weights]\ncards = 1\n", encoding="utf-8")
    report = command(
        *SMALL, "--set", 'deck={"+1"=9, "-1"=9, Skip=4}', "--set", "cap=12", "--set", "start=6",
        "--policy", str(policy), "--policy", "random", "--fixed-seats", "--seed", "8",
    ).out  # fmt: skip
    again = report[report.index("fastsim run ") : report.index("The same seed and version")]
    done = subprocess.run(
        ["bash", "-c", again.replace("fastsim run", f"{sys.executable} -m fastsim run", 1)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == report


# Mistakes.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run"], "Missing argument 'GAME'."),
        (["run", "cap31"], "unknown game 'cap31', did you mean 'cap30'? accepted: cap30, "),
        (["runn", "cap30"], "No such command 'runn'. Did you mean 'run'?"),
        (["run", "cap30", "cap30"], "Got unexpected extra argument (cap30)"),
        (["run", "cap30", "--seeed", "1"], "No such option '--seeed'. (Did you mean"),
        (["run", "cap30", "-n"], "Option '-n' requires an argument."),
        (["run", "cap30", "-n", "0"], "n was given 0; accepted: a whole number of 1 to 1e15"),
        (["run", "cap30", "-n", "-5"], "n was given -5; accepted: a whole number of 1 to 1e15"),
        (["run", "cap30", "-n", "1e30"], "n was given 1e30; accepted: a whole number of 1 to 1e15"),
        (["run", "cap30", "-n", "1e9999"], "n was given 1e9999; accepted: a whole number of 1 to 1e15"),
        (["run", "cap30", "-n", "1e9999999999"], "-n was given '1e9999999999'; accepted: a whole number, su"),
        (["run", "cap30", "-n", "inf"], "n was given inf; accepted: a whole number of 1 to 1e15"),
        (["run", "cap30", "-n", "1.5"], "-n was given '1.5'; accepted: a whole number, such as 1000000, 1_0"),
        (["run", "cap30", "-n", "1e-3"], "-n was given '1e-3'; accepted: a whole number, such as"),
        (["run", "cap30", "-n", "nan"], "-n was given 'nan'; accepted: a whole number, such as"),
        (["run", "cap30", "-n", "many"], "-n was given 'many'; accepted: a whole number, such as"),
        (["run", "cap30", "-n", ""], "the value after '-n' is empty"),
        (["run", ""], "the value after 'run' is empty"),
        (["run", "cap30", "--out="], "the value after '--out' is empty"),
        (["run", "cap30", "--seed", "-1"], "seed was given -1; accepted: a whole number of 0 to 92233720368"),
        (["run", "cap30", "--seed", "1e19"], "seed was given 1e19; accepted: a whole number of 0 to 9223372"),
        (["run", "cap30", "--threads", "0"], "threads was given 0; accepted: a whole number of 1 to 1024"),
        (["run", "cap30", "--threads", "two"], "--threads was given 'two'; accepted: a whole number"),
        (["run", "cap30", "--confidence", "1"], "confidence was given 1.0; accepted: a number between 0 and"),
        (["run", "cap30", "--confidence", "nan"], "confidence was given nan; accepted: a number between 0 a"),
        (["run", "cap30", "--confidence", "x"], "Invalid value for '--confidence': 'x' is not a number."),
        (["run", "cap30", "--unit", "hands"], "Invalid value for '--unit': 'hands' is not one of 'hand', 'g"),
        (["run", "cap30", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'table', "),
        (["run", "cap30", "--histogram", "turms"], "unknown metric 'turms', did you mean 'turns'? accepted:"),
        (["run", "cap30", "--histogram", "hands"], "unknown metric 'hands'"),
        (["run", "cap30", "--policy", "greddy"], "unknown policy 'greddy', did you mean 'greedy'? accepted:"),
        (["run", "cap30", "--policy", "no.toml"], "there is no policy file 'no.toml'"),
        (["run", "cap30", "--policy", "/"], "the policy file '/' cannot be read: Is a directory"),
        (["run", "cap30", *["--policy", "random"] * 3], "3 policies were given for 2 players; accepted: 1 f"),
        (["run", "cap30", "--set", "plyers=3"], "unknown option 'plyers', did you mean 'players'? accepted:"),
        (["run", "cap30", "--set", "players=5"], "option players was given '5'; accepted: 2 to 4 (rule C3)"),
        (["run", "cap30", "--set", "players=x"], "option players was given 'x'; accepted: a whole number, 2"),
        (["run", "cap30", "--set", "players"], "an option is set as NAME=VALUE, and 'players' was given"),
        (["run", "cap30", "--set", "deck={"], "option deck was given '{', which cannot be read as TOML: "),
        (["run", "cap30", "--set", "players=3", "--set", "players=4"],
         "option players is set twice, to '3' and to '4'"),
        (["run", "cap30", "--set", "hand_size=15", "--set", "players=4"], "4 hands of 15 with starter_extra"),
        (["run", "cap30", "--options", "no.toml"], "there is no options file 'no.toml'"),
        (["run", "cap30", "--options", "/"], "the options file '/' cannot be read: Is a directory"),
        (["run", "cap30", "--rows"], "rows were asked for without a folder to write them to; give out (--ou"),
        (["run", "cap30", "--out", "/dev/null/x"], "cannot write to the folder '/dev/null/x': "),
        (["run", "cap30", "--out", "/dev/null"], "cannot write to the folder '/dev/null': "),
        (["replay", "cap30", "--game", "-1"], "game was given -1; accepted: a whole number of 0 to 99999999"),
        (["rules", "cap31"], "unknown game 'cap31', did you mean 'cap30'?"),
        (["rules"], "Missing argument 'GAME'."),
        (["policies", "cap31"], "unknown game 'cap31', did you mean 'cap30'?"),
        (["features", "cap31"], "unknown game 'cap31', did you mean 'cap30'?"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_on_standard_error(command, arguments: list[str], sentence: str) -> None:
    said = command(*arguments)
    assert said.code == 2
    assert said.out == ""
    last = said.err.splitlines()[-1]
    assert last.startswith("fastsim: " + sentence)
    assert len(said.err.splitlines()) == 1 + ("compiling" in said.err)


def test_a_file_with_wrong_values_is_a_mistake(command, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    for content, sentence in (
        ("players = 3.5", "option players was given 3.5; accepted: a whole number, 2 to 4"),
        ("players = true", "option players was given True; accepted: "),
        ("players = 1979-05-27", "option players was given datetime.date(1979, 5, 27); accepted: "),
        ("[players]\na = 1", "option players was given {'a': 1}; accepted: a whole number, 2 to 4"),
        ("[deck]\n'+1' = -1", "option deck was given -1 at '+1'; accepted: "),
        ("players 3", "the options file "),
    ):
        file.write_text(content, encoding="utf-8")
        said = command(*SMALL, "--options", str(file))
        assert (said.code, said.out) == (2, "")
        assert sentence in said.err


def test_setting_the_same_twice_is_no_mistake(command) -> None:
    assert command(*SMALL, "--set", "players=3", "--set", "players=3").code == 0


def test_names_from_outside_cannot_write_to_the_terminal(command) -> None:
    said = command(*SMALL, "--policy", "\x1b[31mred\n")
    assert "\x1b" not in said.err
    assert len(said.err.splitlines()) == 1


# In a process of its own.


def test_standard_output_and_standard_error_are_apart() -> None:
    done = fastsim(*SMALL, "--format", "json")
    assert done.returncode == 0
    json.loads(done.stdout)
    assert "\r" not in done.stderr and "\x1b" not in done.stderr and "%" not in done.stderr


@pytest.mark.compiled
def test_an_interrupt_shows_what_was_finished(tmp_path: Path) -> None:
    # Says so on standard error when the first hands are counted, as a user sees from the progress bar.
    started = (
        "import sys\nfrom fastsim import engine, cli\n"
        "count = engine.Counting.tally\n"
        "def tally(self):\n    print('counted', file=sys.stderr, flush=True)\n    return count(self)\n"
        "engine.Counting.tally = tally\n"
        f"cli.main(['run', 'cap30', '-n', '1e12', '--format', 'json', '--out', {str(tmp_path / 'run')!r}])"
    )
    code, out, err = interrupted("-c", started, ready="counted")
    assert code == 130
    result = json.loads(out)
    assert 0 < result["n"] < 10**12 == result["requested"]
    assert "Traceback" not in err
    last = [line for line in err.splitlines() if line != "counted"][-1]
    assert re.match(r"fastsim: (interrupted: )?.*of 1,000,000,000,000 hands", last)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["state"] == "interrupted"
    assert sum(stop - first for first, stop in manifest["counted"]) == result["n"]


@pytest.mark.parametrize("arguments", [["rules", "cap30"], [*SMALL, "--format", "csv"], [*SMALL]])
def test_a_reader_who_leaves_is_no_error(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "fastsim", *arguments],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            check=False,
        )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["rules", "cap30"], [*SMALL, "--format", "json"]])
def test_a_full_disk_under_standard_output_is_said(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fastsim", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "fastsim: cannot write to standard output: No space left on device"
    )


def test_closed_output_optimised_python_no_home_and_ascii(tmp_path: Path) -> None:
    run = f"{sys.executable} -m fastsim"
    done = subprocess.run(
        ["bash", "-c", f"{run} games >&-; {run} games 2>&-"],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    assert "cap30" in done.stdout and done.stderr == ""
    odd = fastsim(
        "replay", "cap30", python=("-O",), cwd=tmp_path, HOME=None, TMPDIR=None, PYTHONIOENCODING="ascii"
    )
    assert odd.returncode == 0
    assert "wins in" in odd.stdout
    assert list(tmp_path.iterdir()) == []


def on_a_terminal(*arguments: str, columns: int, **changes: str | None) -> tuple[str, str]:
    """Run the command on a terminal and return what it printed to output and to errors."""
    ends = [pty.openpty() for _ in range(2)]
    with subprocess.Popen(
        [sys.executable, "-m", "fastsim", *arguments],
        stdout=ends[0][1],
        stderr=ends[1][1],
        env=environment(COLUMNS=str(columns), TERM="xterm-256color", **changes),
    ) as process:
        texts = ["", ""]
        for _, child in ends:
            os.close(child)
        for i in (1, 0):
            while True:
                try:
                    read = os.read(ends[i][0], 65536)
                except OSError:  # the other end is closed
                    break
                if not read:
                    break
                texts[i] += read.decode(errors="replace")
            os.close(ends[i][0])
        assert process.wait() == 0
    return texts[0], texts[1]


@pytest.mark.compiled
def test_on_a_terminal_there_is_a_bar_and_colour() -> None:
    out, err = on_a_terminal("run", "cap30", "-n", "1000000", "--policy", "random", columns=90, NO_COLOR=None)
    assert "hands" in err and "%" in err
    assert "\x1b[" in out
    plain, _ = on_a_terminal("rules", "cap30", columns=50, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain)
    text = re.sub(r"\x1b\[[0-9;]*m", "", plain)
    assert max(len(line) for line in text.splitlines()) <= 50

"""Pages and charts as the command and the library write them: where, when, and what if they cannot be."""

import json
import re
from html import unescape
from pathlib import Path

import altair
import pytest
from click.testing import CliRunner

import fastsim
import fastsim.page
import reports.page
from fastsim.cli import cli
from fastsim.errors import OutputError, UsageError
from tests.fastsim.commands import fastsim as in_a_process
from tests.fastsim.commands import interrupted
from tests.fastsim.stored import play, small_pieces, stop_after

RUN = ["run", "cap30", "-n", "300", "--policy", "random"]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_page_and_charts_are_written_beside_what_is_shown(command, tmp_path: Path) -> None:
    page, charts = tmp_path / "page.html", tmp_path / "charts"
    page.write_text("<!DOCTYPE html><p>what was there before")
    asked = ["--html", str(page), "--charts", str(charts), "--impact", "40"]
    shown = command(*RUN, *asked, "--format", "json")
    assert shown.code == 0
    found = json.loads(shown.out)
    html = page.read_text()
    assert html.startswith("<!doctype html>")
    assert found["first_player_advantage"]["verdict"] in unescape(html)
    assert names(tmp_path) == {"page.html", "charts"}  # nothing is left over
    drawn = {"seats", "turns", "moves", "plays", "effects", "chains", "total_share", "tens", "lead_changes"}
    assert names(charts) == {f"{name}.{end}" for name in drawn for end in ("svg", "png")}


def test_the_time_at_the_table_is_that_of_the_seconds_given(command, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert command(*RUN, "--html", str(page), "--seconds-a-turn", "40").code == 0
    assert "at 40 seconds a turn" in page.read_text()
    assert "which is assumed" not in page.read_text()
    for wrong in ("0", "-1", "inf", "nan"):
        refused = command(*RUN, "--html", str(page), "--seconds-a-turn", wrong)
        assert refused.code == 2
        assert "seconds_a_turn was given" in refused.err


def test_a_link_stays_one_and_no_file_of_another_kind_is_replaced(command, tmp_path: Path) -> None:
    page, link, policy = tmp_path / "page.html", tmp_path / "link.html", tmp_path / "mine.toml"
    link.symlink_to(page)
    assert command(*RUN, "--html", str(link), "--impact", "0").code == 0
    assert link.is_symlink() and page.read_text().startswith("<!doctype html>")
    policy.write_text("[weights]\ncards = 1\n")
    refused = command("run", "cap30", "-n", "9", "--policy", str(policy), "--html", str(policy))
    assert refused.code == 2 and "which is there and no page" in refused.err
    assert policy.read_text() == "[weights]\ncards = 1\n"
    for option in ("--charts", "--out"):
        refused = command(*RUN, "--html", str(tmp_path / "both"), option, str(tmp_path / "both"))
        assert refused.code == 2 and f"--html and {option} were both given" in refused.err


def test_what_each_card_does_is_measured_on_deals_of_its_own(command, tmp_path: Path) -> None:
    folder, page = tmp_path / "run", tmp_path / "page.html"
    exchanged = "A card of a starting hand exchanged for it"
    measured = [RUN[0], *RUN[1:], "--unit", "game", "--out", str(folder), "--html", str(page)]
    assert command(*measured, "--impact", "60").code == 0
    written = page.read_text()
    assert exchanged in written
    assert command("report", str(folder), "--html", str(page)).code == 0  # where nothing is played
    assert exchanged not in page.read_text()
    assert command("report", str(folder), "--html", str(page), "--impact", "60").code == 0
    assert page.read_text() == written
    assert command(*RUN, "--html", str(page), "--impact", "0").code == 0
    assert exchanged not in page.read_text()
    refused = command(*RUN, "--html", str(page), "--impact", "-1")
    assert refused.code == 2 and "impact was given -1; accepted: " in refused.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--html", "{}/none/page.html"],
            "--html needs a folder to write to, and there is none at '{}/none'",
        ),
        (["--html", "{}"], "--html was given '{}', which is no file"),
        (["--html", "/dev/null"], "--html was given '/dev/null', which is no file"),
        (["--charts", "{}/a/b"], "--charts needs a folder to write to, and there is none at '{}/a'"),
        (["--charts", "{}/file"], "--charts was given '{}/file', which is no folder"),
        (["--html", "/proc/page.html"], "--html cannot write to the folder '/proc'"),
        (
            ["--seconds-a-turn", "20"],
            "--seconds-a-turn is for the page: give --html FILE or --charts DIR too",
        ),
        (
            ["--impact", "100"],
            "--impact is for the page: give --html FILE or --charts DIR too",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_played(
    command, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "file").touch()
    before = names(tmp_path)
    shown = command("run", "cap30", "-n", "1e12", *(each.format(tmp_path) for each in arguments))
    assert shown.code == 2
    assert shown.out == ""
    assert sentence.format(tmp_path) in shown.err
    assert shown.err.count("\n") == 1
    assert names(tmp_path) == before


@pytest.mark.parametrize("option", ["--html", "--charts"])
def test_without_what_pages_are_made_with_it_says_what_to_install(
    command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr(reports.page, "NEEDED", {"no_such_module": "no-such-module"})
    shown = command("run", "cap30", "-n", "1e12", option, str(tmp_path / "new"))
    assert shown.code == 2
    assert shown.err == (
        f"fastsim: {option} needs no-such-module, which is not installed; "
        "install by: pip install 'fastsim-cards[page]'\n"
    )
    result = fastsim.run("cap30", 10, policy="random")
    with pytest.raises(UsageError, match="a page needs no-such-module"):
        result.to_html()
    assert result._repr_html_() is None  # notebooks then show the text


def test_nothing_is_lost_if_the_page_cannot_be_written_in_the_end(
    command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: object) -> None:
        raise OutputError(f"cannot write {str(path)!r}: No space left on device")

    monkeypatch.setattr(fastsim.page, "write", full)
    shown = command(*RUN, "--html", str(tmp_path / "page.html"), "--format", "json")
    assert shown.code == 1
    assert json.loads(shown.out)["n"] == 300
    assert shown.err.endswith(f"cannot write '{tmp_path / 'page.html'}': No space left on device\n")


def test_the_page_is_written_although_nobody_reads_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    shown = in_a_process(*RUN, "--html", str(page), python=("-c", CLOSED))
    assert shown.returncode == 0, shown.stderr
    assert page.exists()


CLOSED = """
import os, sys
reader, writer = os.pipe()
os.dup2(writer, 1)
os.close(writer)
os.close(reader)
from fastsim.cli import main
main(sys.argv[3:])
"""


def test_a_page_may_go_into_the_folder_of_the_run(command, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    pages = ["--html", str(folder / "page.html"), "--charts", str(folder / "c"), "--impact", "0"]
    shown = command(*RUN, "--out", str(folder), *pages)
    assert shown.code == 0, shown.err
    assert (folder / "page.html").exists()
    again = command("report", str(folder), "--html", str(tmp_path / "again.html"))
    assert again.code == 0, again.err
    assert (tmp_path / "again.html").read_text() == (folder / "page.html").read_text()
    more = command("resume", str(folder), "-n", "400", "--html", str(folder / "page.html"))
    assert more.code == 0, more.err
    assert "Cap30: 400 hands" in (folder / "page.html").read_text()


def test_the_page_of_a_run_that_was_stopped_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)
    folder, page = tmp_path / "run", tmp_path / "page.html"
    stopped = play(folder, progress=stop_after(3))
    assert stopped.interrupted
    done = sum(stop - first for first, stop in stopped.chunks)
    shown = CliRunner().invoke(cli, ["report", str(folder), "--html", str(page)])
    assert shown.exit_code == 0
    assert f"Stopped early: {done:,} of the 3,000 hands asked for" in page.read_text()


def test_the_page_of_a_run_that_has_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)
    folder, page = tmp_path / "run", tmp_path / "page.html"
    assert not play(folder, progress=stop_after(0)).chunks
    charts = tmp_path / "charts"
    shown = CliRunner().invoke(cli, ["report", str(folder), "--html", str(page), "--charts", str(charts)])
    assert shown.exit_code == 0
    assert "Nothing was finished yet" in page.read_text()
    assert names(charts) == set()


@pytest.mark.compiled
def test_an_interrupt_still_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    started = (
        "import sys\nfrom fastsim import engine, cli\n"
        "count = engine.Counting.tally\n"
        "def tally(self):\n    print('counted', file=sys.stderr, flush=True)\n    return count(self)\n"
        "engine.Counting.tally = tally\n"
        f"cli.main(['run', 'cap30', '-n', '1e12', '--format', 'json', '--html', {str(page)!r}])"
    )
    code, out, err = interrupted("-c", started, ready="counted")
    assert code == 130, err
    found = json.loads(out)
    assert f"Stopped early: {found['n']:,} of the 1,000,000,000,000 hands asked for" in page.read_text()


def test_in_python_and_in_notebooks() -> None:
    result = fastsim.run("cap30", 300, policy=["random", "balanced"], seed=1)
    html = result.to_html(seconds_a_turn=20)
    assert result.summary.first_player.verdict in unescape(html)
    assert "Wins by policy" in html
    framed = result._repr_html_()
    assert framed is not None
    assert framed.startswith("<iframe ")
    assert framed.count("<") == 2  # the page is inside an attribute, whole
    charts = result.charts
    assert {"seats", "policies", "turns", "total_share"} <= set(charts)
    for chart in charts.values():
        assert isinstance(chart, altair.LayerChart)
        chart.to_dict()  # which checks it
    for wrong in (-1, "page.html"):
        with pytest.raises(UsageError, match="seconds_a_turn was given"):
            result.to_html(seconds_a_turn=wrong)


@pytest.mark.parametrize(
    ("game", "n", "given"),
    [
        ("cap30", 1, {}),
        ("cap30", 2, {"options": {"players": 4, "deck": "cap100"}}),
        ("cap30", 40, {"unit": "game", "policy": ["random", "balanced"]}),
        ("cap30", 500, {"until": {"turns": 2.0}}),
        ("cap-zap", 50, {"options": {"players": 4, "teams": 2}}),
        ("cap-zap", 20, {"unit": "game", "options": {"players": 6}}),
        ("kapaga", 50, {"options": {"players": 10}}),
        ("kapaga", 5, {"unit": "game"}),
        ("thirty-thirty", 50, {}),
        ("thirty-thirty", 5, {"unit": "game", "options": {"players": 8}}),
        ("cap-it", 50, {"options": {"players": 3}}),
        ("cap-it", 5, {"unit": "game"}),
    ],
)
def test_every_game_has_a_page(game: str, n: int, given: dict) -> None:
    result = fastsim.run(game, n, **{"policy": "random", **given})
    page = result.html_page()
    titles = [section.title for section in page.sections if section.items]
    assert f"What is special in {result.description.title}" in titles
    for name, chart in page.charts().items():
        assert chart.marks == len(chart.table.rows) > 0, name
        assert "None" not in chart.says
    html = result.to_html()
    assert len(html) < 3_000_000
    assert not re.search(r"\b(nan|inf|undefined|null)\b", html.split("<main")[1].split("<script")[0])

"""Pages of comparisons, sweeps, duels and measures of balance: what they say first, show and write."""

import contextlib
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import altair
import pytest

import fastsim
from fastsim import sweeping
from fastsim.findings import Findings
from reports.page.model import Chart, Page, Table
from tests.fastsim.stored import stop_after

EVIL = "<script>alert('1')</script>"
PLAYED: dict[str, Callable[[], Findings]] = {
    "compare": lambda: fastsim.compare(
        "cap30", {"starter_extra": 1}, {"starter_extra": 0}, 2000, policy="random"
    ),
    "unpaired": lambda: fastsim.compare("cap30", {"players": 2}, {"players": 3}, 300, policy="random"),
    "games": lambda: fastsim.compare(
        "cap30", {"hands_to_win": 1}, {"hands_to_win": 2}, 60, policy=["random", "balanced"], unit="game"
    ),
    "chosen": lambda: fastsim.compare("kapaga", {}, {"hand_size": 8}, 60, policy="random", metrics=["turns"]),
    "one": lambda: fastsim.compare("cap-zap", {}, {"players": 4}, 1, policy="random"),
    "rummy": lambda: fastsim.compare("thirty-thirty", {}, {"nickels": 2}, 30, policy="random"),
    "curve": lambda: fastsim.sweep(
        "cap30", {"starter_extra": "0..2"}, 200, policy="random", goal="first_player_advantage=0"
    ),
    "words": lambda: fastsim.sweep("cap30", {"take_target": "fewest,next,most"}, 50, policy="random"),
    "grid": lambda: fastsim.sweep("cap30", {"take_count": "1..3", "chain_limit": "1,2"}, 40, policy="random"),
    "slices": lambda: fastsim.sweep(
        "cap30",
        {"starter_extra": "0,1", "take_count": "1..3", "chain_limit": "1..4"},
        50,
        policy="random",
        goal="turns=min",
        where=["first_player_advantage<0.2"],
    ),
    "none": lambda: fastsim.sweep(
        "cap30", {"take_count": "1,2"}, 20, policy="random", goal="turns=5", where=["turns<0"]
    ),
    "two": lambda: fastsim.duel("cap30", ["balanced", "random"], 100),
    "four": lambda: fastsim.duel("cap30", ["balanced", "random", "greedy", "random"], 100),
    "tables": lambda: fastsim.duel(
        "cap30", ["balanced", "random", "greedy", "tens"], 30, options={"players": 3}
    ),
    "cards": lambda: fastsim.card_impact("cap30", 1000, policy="balanced"),
    "observed": lambda: fastsim.card_impact("kapaga", 30, policy="random", causal=False),
    "balance": lambda: fastsim.balance("cap30", 500, policy="random", seconds_a_turn=10),
    "teams": lambda: fastsim.balance(
        "cap-zap", 100, policy="random", options={"players": 4, "teams": 2}, unit="game"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def played() -> Callable[[str], Findings]:
    found: dict[str, Findings] = {}

    def play(name: str) -> Findings:
        if name not in found:
            found[name] = PLAYED[name]()
        return found[name]

    return play


def items(page: Page, section: str) -> list[Any]:
    return [item for each in page.sections if each.name == section for item in each.items]


def charts(page: Page, section: str) -> list[Chart]:
    return [item for item in items(page, section) if isinstance(item, Chart)]


@pytest.mark.parametrize("name", PLAYED)
def test_every_page_is_whole_and_says_its_verdict_first(played: Any, name: str) -> None:
    result = played(name)
    page = result.html_page()
    html = result.to_html()
    assert len(html) < 3_000_000
    shown = re.sub(r"<svg.*?</svg>", "", html.split("<body>")[1].split("<script")[0], flags=re.DOTALL)
    text = " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())
    assert page.verdict
    first = next(section.title for section in page.sections if section.items)
    assert text.index(page.verdict) < text.index(first)
    assert not page.warning
    assert " ".join(result.found.command) in text
    assert not re.search(r"\b(nan|inf|None|undefined)\b", text)
    for chart in page.charts().values():
        assert chart.marks > 0, chart.name
        assert chart.says
        assert "None" not in chart.says
        assert {len(row) for row in chart.table.rows} == {len(chart.table.header)}
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    if page.charts():  # a comparison of single games has none
        assert all(isinstance(chart, altair.LayerChart) for chart in result.charts.values())
    if name == "two":
        assert result._repr_html_().startswith("<iframe ")


def test_a_comparison_says_who_wins_more_and_what_is_shorter(played: Any) -> None:
    comparison = played("compare").comparison
    win, turns = comparison.by_name["win.seat0"], comparison.by_name["turns"]
    page = played("compare").html_page()
    more = {"higher": "more", "lower": "fewer"}
    assert win.verdict in more
    points = f"{100 * abs(win.difference.value):.1f} points"
    assert page.verdict.startswith(f"The starter wins {points} (± ")
    assert f"{more[win.verdict]} in B" in page.verdict
    assert f" turns {more[turns.verdict]} in B: " in page.verdict
    assert [fact.label for fact in page.facts][:2] == [
        "Wins of the seat that starts, A",
        "Wins of the seat that starts, B",
    ]


def test_a_comparison_plots_what_is_main_and_the_surest_parts(played: Any) -> None:
    comparison = played("compare").comparison
    page = played("compare").html_page()
    (main,) = charts(page, "changes")
    expected = {each.name for each in comparison.contrasts if each.main and each.verdict != "same"}
    expected -= {"win.seat1"}  # what one seat gains the other loses
    assert len(main.table.rows) == len(expected)
    plays = page.charts()["parts-plays"]
    assert len(plays.table.rows) == sum(name.startswith("plays.") for name in comparison.by_name)
    sure = [
        each
        for each in comparison.contrasts
        if each.name.startswith("plays.") and each.verdict in ("higher", "lower")
    ]
    assert plays.marks == min(len(sure), 14)
    (overlaid, *_) = charts(page, "length")
    a, b = (sum(int(row[at].replace(",", "")) for row in overlaid.table.rows) for at in (1, 2))
    assert a == b == 2000
    (numbers,) = items(page, "numbers")
    row = next(row for row in numbers.rows if row[0] == "turns")
    assert row[6] == f"{comparison.by_name['turns'].correlation:.2f}"
    (differing,) = items(page, "rules")
    assert [each[:3] for each in differing.rows] == [("starter_extra", "1", "0")]


def test_rule_sets_for_other_numbers_of_players_are_compared_with_what_is_fair(played: Any) -> None:
    page = played("unpaired").html_page()
    assert "in A, where 50% is fair and " in page.verdict
    assert "in B, where 33.3% is fair" in page.verdict
    assert any(line.startswith("Not on the same deals: A has 2 players and B 3") for line in page.opening)
    assert not any(row[0].startswith("wins") for row in charts(page, "changes")[0].table.rows)
    (wins, *_) = charts(page, "seats")
    assert wins.marks == 5
    assert not any("saved" in fact.label for fact in page.facts)
    assert ("seed of B", "1") in items(page, "again")[-1].rows


def test_a_sweep_of_one_option_is_a_curve_with_the_best_and_its_confirmation(played: Any) -> None:
    result = played("curve")
    page = result.html_page()
    found = charts(page, "by-options")
    assert [chart.marks for chart in found] == [3] * len(result.sweep.metrics)
    fresh = 100 * result.sweep.fresh.statistics["first_player_advantage"].value
    assert f"{fresh:+.1f} points".replace("-", "−") in page.verdict
    (nearest,) = charts(page, "nearest")
    assert [row[0] for row in nearest.table.rows][1] == "again, fresh seed"
    assert nearest.marks == 4


def test_a_sweep_of_two_options_is_a_heat_map_and_of_more_several(played: Any) -> None:
    two = played("grid")
    maps = charts(two.html_page(), "by-options")
    assert [chart.marks for chart in maps] == [6] * len(two.sweep.metrics)
    assert maps[0].table.header == ("chain_limit \\ take_count", "1", "2", "3")
    assert "goes from" in two.html_page().verdict
    three = played("slices").html_page()
    for number in range(3):
        maps = charts(three, f"by-options-{number}")
        assert [chart.title.rpartition(": ")[2] for chart in maps] == [
            "starter_extra = 0",
            "starter_extra = 1",
        ]
        assert [chart.marks for chart in maps] == [12, 12]
        framed = [chart for chart in maps if "The frame is round the best" in chart.note]
        assert len(framed) == 1


def test_what_is_impossible_has_no_colour_and_says_so(played: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "CHECKED_FIRST", 0)  # as for a grid too large to be checked at once
    result = fastsim.sweep("cap30", {"players": "2,4", "hand_size": "7,14"}, 20, policy="random")
    refused = sum(bool(point.refused) for point in result.sweep.points)
    assert refused == 1
    for chart in charts(result.html_page(), "by-options"):
        assert chart.marks == 3
        assert sum(cell == "impossible" for row in chart.table.rows for cell in row) == 1
    assert played("none").html_page().verdict == "No rule set satisfies all constraints."


def test_a_duel_of_several_is_a_cross_table_the_best_first(played: Any) -> None:
    duel = played("four").duel
    page = played("four").html_page()
    (cross,) = charts(page, "wins")
    assert cross.marks == 12
    assert cross.table.header[1:] == tuple(row[0] for row in cross.table.rows)
    assert page.verdict.startswith("balanced is the best: it beats every one of the 3 others")
    assert cross.table.rows[0][0] == "balanced"
    shares = {
        (one.policy, other.policy): one.share.value
        for table in duel.matchups
        for one, other in (table.standings, tuple(reversed(table.standings)))
    }
    for row in cross.table.rows:
        for name, text in zip(cross.table.header[1:], row[1:], strict=True):
            if name == row[0]:
                assert text == ""
            else:
                assert float(text.split("%")[0]) == pytest.approx(100 * shares[row[0], name], abs=0.06)
    (ratings,) = charts(page, "ratings")
    assert ratings.marks == 4


def test_a_duel_of_two_is_one_line_each_and_tables_of_three_a_column_each(played: Any) -> None:
    (pair,) = charts(played("two").html_page(), "wins")
    assert [row[0] for row in pair.table.rows] == ["balanced", "random"]
    page = played("tables").html_page()
    (by_table,) = charts(page, "wins")
    assert set(by_table.table.header[1:]) == {
        f"without {name}" for name in ("balanced", "random", "greedy", "tens")
    }
    assert by_table.marks == 12


def test_measures_of_balance_have_definitions_and_sources(played: Any) -> None:
    balance = played("balance").balance
    page = played("balance").html_page()
    assert page.verdict == balance.verdict
    assert page.verdict.startswith("The starter wins")
    table = next(item for item in items(page, "measures") if isinstance(item, Table))
    assert [row[4] for row in table.rows] == [each.definition for each in balance.measures]
    (sources,) = items(page, "sources")
    assert {row[1] for row in sources.rows} == {each.source for each in balance.measures if each.source}
    (chart,) = charts(page, "measures")
    within = [each for each in balance.measures if each.estimate.low >= 0 and each.estimate.high <= 1]
    assert chart.marks == len(within) < len(balance.measures)


def test_cards_are_in_the_order_of_what_they_do(played: Any) -> None:
    impact = played("cards").impact
    page = played("cards").html_page()
    (effects,) = charts(page, "effects")
    assert [row[0] for row in effects.table.rows] == [card.name for card in impact.cards]
    assert effects.marks == len(impact.cards)
    dealt, held = charts(page, "observed")
    assert dealt.marks == held.marks == len(impact.cards)
    helping = [card for card in impact.cards if card.effect.verdict == "higher"]
    assert page.verdict.startswith(f"{helping[0].name} helps most: in a starting hand it is worth +")
    only = played("observed").html_page()
    assert not charts(only, "effects")
    assert "exchanging cards would tell" in only.verdict


def test_names_that_hold_markup_are_shown_and_not_run() -> None:
    policy = fastsim.Policy(EVIL, {"cards": 1.0})
    result = fastsim.duel("cap30", [policy, "random", "balanced"], 20)
    html = result.to_html()
    assert html.count("<script") == 1
    assert EVIL in unescape(html)
    assert EVIL in unescape(fastsim.compare("cap30", {}, {"take_count": 1}, 20, policy=policy).to_html())


COMMANDS = {
    "compare": ["compare", "cap30", "--b", "take_count=1", "--policy", "random"],
    "sweep": ["sweep", "cap30", "--vary", "take_count=1,2", "--policy", "random"],
    "duel": ["duel", "cap30", "--policy", "random", "--policy", "balanced"],
    "balance": ["balance", "cap30", "--policy", "random"],
    "cards": ["cards", "cap30", "--policy", "random"],
}
KINDS = {"compare": "comparison", "cards": "card_impact"}


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_command_writes_its_page_and_charts(command: Any, tmp_path: Path, verb: str) -> None:
    page, folder = tmp_path / "page.html", tmp_path / "charts"
    pages = ["--html", str(page), "--charts", str(folder)]
    shown = command(*COMMANDS[verb], "-n", "40", "--format", "json", *pages)
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["kind"] == KINDS.get(verb, verb)
    drawn = re.findall(r'<figure id="chart-([^"]+)"', page.read_text())
    assert drawn
    assert {each.name for each in folder.iterdir()} == {
        f"{name}.{end}" for name in drawn for end in ("svg", "png")
    }
    assert {each.name for each in tmp_path.iterdir()} == {"page.html", "charts"}


@pytest.mark.parametrize("verb", COMMANDS)
def test_what_cannot_be_written_is_refused_before_anything_is_played(
    command: Any, tmp_path: Path, verb: str
) -> None:
    large = [] if verb == "sweep" else ["-n", "1e12"]
    yes = ["-n", "1e12", "--yes"] if verb == "sweep" else []
    shown = command(*COMMANDS[verb], *large, *yes, "--html", str(tmp_path / "none" / "page.html"))
    assert (shown.code, shown.out) == (2, "")
    assert "--html needs a folder to write to, and there is none" in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("verb", COMMANDS)
def test_when_writing_fails_the_result_is_shown_all_the_same(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    def full(path: Path, content: object) -> None:
        raise fastsim.OutputError(f"cannot write {str(path)!r}: No space left on device")

    monkeypatch.setattr("fastsim.page.write", full)
    shown = command(*COMMANDS[verb], "-n", "40", "--format", "json", "--html", str(tmp_path / "page.html"))
    assert shown.code == 1
    assert json.loads(shown.out)
    assert "No space left on device" in shown.err


def test_a_sweep_writes_its_page_into_the_folder_that_it_makes(command: Any, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    page = out / "page.html"
    shown = command(*COMMANDS["sweep"], "-n", "40", "--format", "csv", "--out", str(out), "--html", str(page))
    assert shown.code == 0, shown.err
    assert "2 rule sets" in page.read_text()


@pytest.mark.parametrize("verb", COMMANDS)
def test_after_an_interrupt_the_command_writes_what_was_found(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.setattr("fastsim.catalog.cap30.Cap30.chunks", {"hand": 50, "game": 50})
    bar = contextlib.nullcontext(stop_after(3))
    monkeypatch.setattr(f"fastsim.cli.{verb}.progress_bar", lambda unit: bar)
    page = tmp_path / "page.html"
    few = ["-n", "50"] if verb == "sweep" else ["-n", "2000"]
    more = ["--vary", "chain_limit=1..3"] if verb == "sweep" else []
    line = [*COMMANDS[verb], *more, *few, "--threads", "1", "--format", "json", "--html", str(page)]
    shown = command(*line)
    assert shown.code == 130, shown.err
    assert "interrupted: " in shown.err
    assert json.loads(shown.out)
    assert "Stopped early: " in page.read_text()


@pytest.mark.parametrize("pieces", [0, 2])
def test_an_interrupt_still_makes_the_page_and_it_says_so(
    monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    monkeypatch.setattr("fastsim.catalog.cap30.Cap30.chunks", {"hand": 50, "game": 50})
    given: dict[str, Any] = {"threads": 1, "progress": stop_after(pieces)}
    results: list[Findings] = [
        fastsim.compare("cap30", {}, {"take_count": 1}, 1000, policy="random", **given),
        fastsim.duel("cap30", ["random", "balanced"], 1000, **(given | {"progress": stop_after(pieces)})),
        fastsim.card_impact("cap30", 1000, policy="random", **(given | {"progress": stop_after(pieces)})),
        fastsim.balance("cap30", 1000, policy="random", **(given | {"progress": stop_after(pieces)})),
        fastsim.sweep(
            "cap30", {"take_count": "1..3"}, 50, policy="random", **(given | {"progress": stop_after(pieces)})
        ),
    ]
    for result in results:
        assert result.interrupted
        page = result.html_page()
        assert page.warning.startswith("Stopped early: "), type(result)
        assert page.warning in unescape(result.to_html())

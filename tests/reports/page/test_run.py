"""The page of a run: what is on it, that it is whole, and that names are shown and not run."""

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from reports.description import Metric, OptionText, Picture, PolicyText
from reports.impact import Card, CardImpact, Effect
from reports.intervals import Estimate
from reports.page import render
from reports.page.model import Chart, Page, Table, Text
from reports.page.run import run_page
from reports.playing_time import playing_time
from reports.summary import Summary, summarise
from reports.tally import Tally
from tests.reports.page.documents import SVG, Element, data_marks, read
from tests.reports.rows import METRICS, described, played

EVIL = '<script>alert("1")</script>'


def summary_of(hands: int, games: int = 0, blocked: float = 0.02, **changes: Any) -> Summary:
    tally = played(hands, games=games, blocked=blocked).tally() if hands else Tally.empty()
    return summarise(tally, described(hands or 5, "game" if games else "hand", **changes))


def tables(page: Page) -> dict[str, Table]:
    return {
        item.caption: item for section in page.sections for item in section.items if isinstance(item, Table)
    }


def words(document: Element) -> str:
    return " ".join(document.everything().split())


@pytest.mark.parametrize(
    ("hands", "games", "blocked"),
    [(0, 0, 0.0), (1, 0, 0.0), (2, 0, 1.0), (300, 0, 0.02), (300, 60, 0.02), (1, 1, 0.0)],
)
def test_every_page_is_whole(hands: int, games: int, blocked: float) -> None:
    summary = summary_of(hands, games, blocked)
    page = run_page(summary)
    html = render.to_html(page)
    document = read(html)
    ids = [each.attributes["id"] for each in everything(document) if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for link in document.all("a"):
        assert link.attributes["href"].removeprefix("#") in ids
    for each in everything(document):
        for name in ("headers", "aria-labelledby"):
            assert set(each.attributes.get(name, "").split()) <= set(ids)
    assert len(document.all("h1")) == 1
    assert next(each.tag for each in everything(document) if each.tag in ("h1", "h2")) == "h1"
    assert document.all("html")[0].attributes["lang"] == "en"
    assert page.verdict in words(document)
    if not hands:
        assert "Nothing was finished yet" in words(document)
        assert not page.charts()


def everything(element: Element) -> list[Element]:
    return [found for child in element.children for found in [child, *everything(child)]]


def test_every_chart_is_drawn_with_a_mark_for_each_of_its_values() -> None:
    page = run_page(summary_of(300))
    charts = page.charts()
    assert set(charts) == {"seats", "turns", "moves", "plays", "chains", "total_share"}
    assert {name: chart.marks for name, chart in charts.items() if name not in ("turns", "moves")} == {
        "seats": 3, "plays": 5, "chains": 3, "total_share": 6,
    }  # fmt: skip
    for name, content in render.files(page):
        if name.endswith(".svg"):
            chart = charts[name.removesuffix(".svg")]
            root = ElementTree.fromstring(content)
            assert root.findtext(f"{SVG}title") == chart.title
            assert root.findtext(f"{SVG}desc") == chart.says
            said = data_marks(content.decode())
            assert len(said) == chart.marks == len(chart.table.rows)
            for text, row in zip(said, chart.table.rows, strict=True):
                assert text.startswith(row[0])
        else:
            assert content.startswith(b"\x89PNG")


def test_charts_of_the_page_say_what_they_show_and_can_be_reached_by_keyboard() -> None:
    page = run_page(summary_of(300))
    document = read(render.to_html(page))
    figures = document.all("figure")
    assert len(figures) == len(page.charts())
    for figure, chart in zip(figures, page.charts().values(), strict=True):
        drawings = figure.all("svg")
        assert len(drawings) == 1 + ("whole" in figure.attributes["class"].split())
        for drawing in drawings:
            assert drawing.attributes["role"] == "img"
            assert drawing.attributes["tabindex"] == "0"
            assert drawing.attributes["aria-label"] == f"{chart.title}. {chart.says}"
        assert len(figure.all("table")) == 1
        assert len(figure.all("tr")) == 1 + len(chart.table.rows)


def test_names_that_hold_markup_are_shown_and_not_run() -> None:
    metrics = (*METRICS[:-1], Metric("losers", EVIL), Metric("plays", EVIL, role="cards", labels={0: EVIL}))
    summary = summary_of(
        300,
        policies=(EVIL, "b", "{{ 7 * 7 }}"),
        title=EVIL,
        options={"players": 3, "chain_limit": EVIL},
        option_texts={"chain_limit": OptionText(EVIL, EVIL, EVIL)},
        metrics=tuple({metric.name: metric for metric in metrics}.values()),
        version=EVIL,
    )
    html = render.to_html(run_page(summary, made_with={EVIL: EVIL}))
    assert html.count("<script") == 1
    assert "alert(" not in read(html).all("script")[0].text
    text = words(read(html))
    assert EVIL in text
    assert "{{ 7 * 7 }}" in text


def test_equal_summaries_give_equal_pages() -> None:
    assert render.to_html(run_page(summary_of(300))) == render.to_html(run_page(summary_of(300)))


def test_the_page_needs_nothing_from_elsewhere() -> None:
    html = render.to_html(run_page(summary_of(300)))
    assert len(html) < 3_000_000
    without_names = html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?://|//\w|@import|url\([^#]", without_names.split("<body>")[1])
    for element in everything(read(html)):
        assert "src" not in element.attributes


def test_the_verdict_comes_first_and_what_was_stopped_is_said() -> None:
    summary = summary_of(300)
    early = replace(summary, description=replace(summary.description, requested=1000))
    text = words(read(render.to_html(run_page(early))).all("body")[0])
    assert text.index(summary.first_player.verdict) < text.index("Who wins")
    assert "Stopped early: 300 of the 1,000 hands asked for" in text
    assert "Stopped" not in words(read(render.to_html(run_page(summary))))


def test_a_run_that_stopped_when_it_knew_enough_is_no_run_that_failed() -> None:
    enough = run_page(summary_of(300, until={"turns": 100.0}))
    assert enough.warning == ""
    assert any(line.startswith("Stopped after 300 hands, as soon as it knew") for line in enough.opening)
    too_few = run_page(summary_of(300, until={"turns": 1e-6}))
    assert "not enough to know turns" in too_few.warning


def test_minutes_follow_from_the_seconds_of_a_turn() -> None:
    summary = summary_of(300)
    time = playing_time(summary, 30)
    assert time is not None
    turns = summary.statistics["turns"].estimate.value
    assert turns is not None
    assert time.mean == pytest.approx(turns / 2)
    assert time.median == summary.spreads["turns"].median / 2
    assumed = run_page(summary)
    assert "assumed" in tables(assumed)["In numbers"].note
    assert ("", "--seconds-a-turn", "people take 15 seconds a turn") in [
        row for table in tables(assumed).values() for row in table.rows
    ]
    known = run_page(summary, 30)
    assert "assumed" not in tables(known)["In numbers"].note
    assert not any("--seconds-a-turn" in row for table in tables(known).values() for row in table.rows)


def test_minutes_of_a_game_are_those_of_all_its_turns() -> None:
    rows = played(300, games=60)
    summary = summarise(rows.tally(), described(60, "game"))
    time = playing_time(summary, 60)
    assert time is not None
    assert time.mean == pytest.approx(rows.by_game(rows.hands["turns", -1]).mean())
    assert time.median is None


def test_how_to_run_it_again() -> None:
    texts = {"chain_limit": OptionText("moves in one turn", "S4", "3")}
    page = run_page(summary_of(300, option_texts=texts), made_with={"python": "3.11.0"})
    (again,) = [section for section in page.sections if section.name == "again"]
    command = next(item.text for item in again.items if isinstance(item, Text) and item.style == "command")
    assert command.startswith("fastsim run sample -n 300 --unit hand --set chain_limit=2")
    changed = tables(page)["Options that differ from the default"]
    assert changed.rows == (("chain_limit", "2", "3", "moves in one turn (S4)"),)
    assert ("python", "3.11.0") in tables(page)["Seed and versions"].rows


def test_policies_are_told_so_that_those_of_files_can_be_made_again() -> None:
    texts = (
        PolicyText("mine", {"cards": 1.0, "undo": -0.123456}, 0.5),
        PolicyText("random", None, 0.0),
        PolicyText("mine", {"cards": 1.0, "undo": -0.123456}, 0.5),
    )
    shown = tables(run_page(summary_of(300, policy_texts=texts)))["What the policies weigh"]
    assert shown.header == ("feature", "mine", "random")
    assert shown.rows == (("cards", "1", ""), ("undo", "-0.123456", ""), ("temperature", "0.5", ""))


def test_means_by_seat_say_how_far_they_may_be_off() -> None:
    summary = summary_of(300)
    table = tables(run_page(summary))["Means by seat"]
    assert table.header == ("", "seat 0", "seat 1", "seat 2", "± at most")
    (row,) = table.rows
    estimates = [statistic.estimate for _, statistic in summary.parts("cards_left")]
    for text, estimate in zip(row[1:4], estimates, strict=True):
        assert float(text) == pytest.approx(estimate.value, abs=0.005)
    assert float(row[4]) == pytest.approx(max(each.half_width or 0 for each in estimates), rel=0.05)


def test_what_was_assumed_is_shown_with_what_was_played() -> None:
    (rulings, assumed) = (
        tables(run_page(summary_of(300)))[caption]
        for caption in (
            "Rulings, where the rules can be read in more than one way",
            "Assumptions, where the rules give no number",
        )
    )
    assert rulings.rows == (("S4", "chain_limit = 2", "At most two moves in one turn."),)
    assert assumed.rows[0][:2] == ("S9", "")


def test_impact_of_cards_has_its_place() -> None:
    without, given, more = (Estimate(value, 0.01, value - 0.02, value + 0.02) for value in (0.5, 0.6, 0.1))
    effect = Effect(without, given, more, 0.001, 0.002, "higher", 90, 10, None)
    found = CardImpact(described(300), 0, 100, 0.95, (Card("+1", 2, None, None, effect),))
    page = run_page(summary_of(300), impact=found)
    (cards,) = [section for section in page.sections if section.name == "cards"]
    chart = cards.items[-1]
    assert isinstance(chart, Chart) and chart.name == "effects"
    assert "+1: +10.0 points" in chart.says
    assert "effects" not in run_page(summary_of(300)).charts()


def test_pictures_are_drawn_as_the_game_describes_them() -> None:
    pictures = {
        "total_share": Picture("Where the total lives", "columns", "By tens.", "total", accent=(0, 5)),
        "cards_left": Picture("Cards left", "histogram"),
        "plays": Picture("Plays", "bars"),
    }
    metrics = tuple(replace(metric, picture=pictures.get(metric.name)) for metric in METRICS)
    page = run_page(summary_of(300, metrics=metrics))
    (game,) = [section for section in page.sections if section.name == "game"]
    charts = [item for item in game.items if isinstance(item, Chart)]
    assert [chart.title for chart in charts] == ["Cards left", "Plays", "Where the total lives"]
    assert charts[2].marks == 6
    counted = sum(int(row[1].replace(",", "")) for row in charts[0].table.rows)
    assert counted == 3 * 300  # over all seats
    assert not [item for section in page.sections if section.name == "cards" for item in section.items]

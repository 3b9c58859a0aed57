"""CSV that reads back in full, and Markdown whose tables hold whatever the names are."""

import csv
import io
import re

import pytest

from reports.description import Assumption, Metric
from reports.formats import CSV_HEADER, to_csv, to_markdown
from reports.summary import summarise
from reports.tally import Tally
from tests.reports.rows import METRICS, described, played


def test_csv_reads_back_in_full() -> None:
    summary = summarise(played(300, games=60).tally(), described(60, "game"))
    rows = list(csv.DictReader(io.StringIO(to_csv(summary))))
    assert [row["statistic"] for row in rows] == list(summary.statistics)
    for row in rows:
        statistic = summary.statistics[row["statistic"]]
        estimate = statistic.estimate
        assert tuple(row) == CSV_HEADER
        found = [float(row[column]) for column in ("mean", "se", "low", "high")]
        assert found == [estimate.value, estimate.se, estimate.low, estimate.high]
        assert (row["unit"], int(row["n"]), row["interval"]) == (statistic.unit, statistic.n, statistic.kind)


def test_csv_leaves_blank_what_is_not_known_and_quotes_what_needs_it() -> None:
    metrics = (Metric("plays", "played", labels={0: 'a,"b"'}),)
    text = to_csv(summarise(Tally.empty(), described(5, metrics=metrics)))
    assert text.splitlines()[-1] == '"plays.a,""b""",hand,,,,,0,normal'


def cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


@pytest.mark.parametrize("games", [0, 60])
def test_every_table_of_the_markdown_is_rectangular(games: int) -> None:
    nasty = "a|b *c* [d](e)\n| <img src=x> `f` \x1b[31m"
    metrics = (*METRICS, Metric("odd|_name_", nasty, role="cards", labels={0: nasty}))
    description = described(
        games or 300,
        "game" if games else "hand",
        policies=(nasty, "random", nasty),
        metrics=metrics,
        title=nasty,
        assumptions=(Assumption("S1", "x|y", "assumed", nasty),),
    )
    text = to_markdown(summarise(played(300, games=games).tally(), description))
    assert text.endswith("\n")
    assert "\x1b" not in text
    blocks = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(blocks) >= 8
    for block in blocks:
        assert {len(cells(line)) for line in block} == {len(cells(block[0]))}
        assert set(cells(block[1])) == {" --- "}
    outside_of_code = text.split("```")[0]
    for markup in ("<img", "*c*", "[d]", "`f`"):
        assert not re.search(r"(?<!\\)" + re.escape(markup), outside_of_code)


def test_markdown_tells_what_the_terminal_tells() -> None:
    summary = summarise(played(300).tally(), described(400, policies=("greedy", "random", "greedy")))
    text = to_markdown(summary)
    for said in (
        "# Sample: 300 hands, 3 players",
        "**Stopped early: 300 of the 400 hands asked for.",
        "Options: chain\\_limit = 2.",
        "## Policies",
        "| greedy (3) |",
        "## How hands end",
        "blocked: nobody could move",
        "## total\\_share",
        "At most two moves in one turn.",
        "fastsim run sample -n 400 --unit hand --set chain_limit=2 --policy greedy",
    ):
        assert said in text

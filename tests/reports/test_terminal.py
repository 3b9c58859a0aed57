"""The report that people read: its text, its width, and that it takes names as they come."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from reports.description import Assumption, Metric
from reports.summary import Summary, summarise
from reports.tally import Tally
from reports.terminal import render
from tests.reports.rows import METRICS, described, played

GOLDEN = Path(__file__).with_name("report.txt")


def even(n: int, values: int, salt: int) -> np.ndarray:
    """Return numbers below `values`, scattered by arithmetic that no library's update can change."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15 ^ (salt << 17))
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(values)).astype(np.int64)


def sample() -> Summary:
    """Return the summary of a run whose every number is fixed."""
    n = 5000
    turns = 4 + even(n, 8, 1) + even(n, 9, 2) + np.where(even(n, 60, 3) == 0, even(n, 120, 4), 0)
    moves = turns - even(n, 3, 5)
    winner = np.where(even(n, 100, 6) < 36, 0, 1 + even(n, 2, 7))
    void = even(n, 400, 8) == 0
    winners = np.where(void, 0, 1 << winner)
    rows = played(n)
    hands = {
        **{name: even(n, 4, 20 + index) for index, name in enumerate(rows.hands)},
        ("winners", -1): winners,
        ("policy_winners", -1): winners,
        ("turns", -1): turns,
        ("moves", -1): moves,
        ("decisions", -1): turns,
        ("choices", -1): 3 * turns + even(n, 5, 9),
        ("forced", -1): turns // 5,
        ("reshuffles", -1): np.zeros(n, dtype=np.int64),
        ("blocked", -1): void.astype(np.int64),
        ("truncated", -1): np.zeros(n, dtype=np.int64),
        ("losers", -1): np.full(n, 2),
    }
    shares = {
        **{("total_share", total): moves // 6 + (total < moves % 6) for total in range(6)},
        ("cards_left_of_a_loser", -1): 1 + even(n, 9, 10),
    }
    fixed = type(rows)(hands, shares, rows.per)
    return summarise(fixed.tally(), described(8000, policies=("greedy", "random", "greedy")))


def test_the_report_at_80_columns() -> None:
    """To accept a change: ``python -m tests.reports.test_terminal``, and read what it did."""
    assert render(sample(), 80) == GOLDEN.read_text(encoding="utf-8")


NASTY = "[red]x[/red] \x1b[31m\nlong enough to need a second line in any table that it is put into"


def awkward(unit: str) -> Summary:
    games = 40 if unit == "game" else 0
    metrics = (
        *METRICS,
        Metric(
            "totals", "a hundred and one places", "hand", "share", {n: str(n) for n in range(101)}, "moves"
        ),
        Metric("points", "by seat", "hand", "seats", {n: f"seat{n}" for n in range(10)}),
        Metric("tricks", NASTY, "hand", "cards", {0: NASTY, 1: "short"}),
    )
    description = described(
        10**9,
        unit,
        policies=(NASTY, "b", "b"),
        metrics=metrics,
        title=NASTY,
        assumptions=(Assumption("S1", "an_option", "assumed", NASTY * 3),),
        options={"players": 3, "deck": {"+1": 4, NASTY: 2}},
        changed=("deck",),
    )
    rows = played(200, games=games)
    frame = rows.tally()
    return summarise(frame, description)


@pytest.mark.parametrize("width", [72, 80, 99, 300])
@pytest.mark.parametrize("unit", ["hand", "game"])
def test_no_line_is_longer_than_the_page(unit: str, width: int) -> None:
    text = render(awkward(unit), width, ["turns", "moves", "blocked"])
    page, _, command = text.partition("How to run it again")
    for line in page.splitlines():
        assert len(line) <= min(width, 100)
        assert line == line.rstrip()
    assert "fastsim run sample" in command


def test_names_are_shown_as_they_are_and_cannot_write_escape_codes() -> None:
    text = render(awkward("hand"), 80)
    assert "[red]x[/red]" in text
    assert "\x1b" not in text


def printed(summary: Summary, **options: Any) -> str:
    file = options.pop("file", None) or io.StringIO()
    render(summary, Console(file=file, **options))
    return file.getvalue()


def test_what_is_piped_is_plain() -> None:
    assert printed(sample(), width=80) == render(sample(), 80)


def test_a_terminal_has_colour_and_the_same_words() -> None:
    text = printed(sample(), width=80, force_terminal=True, color_system="standard", legacy_windows=False)
    assert "\x1b[" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert [line.rstrip() for line in plain.splitlines()] == render(sample(), 80).splitlines()


def test_no_block_characters_where_they_cannot_be_shown() -> None:
    class Ascii(io.StringIO):
        encoding = "ascii"

    text = printed(sample(), width=80, file=Ascii())
    assert text.isascii()
    assert "Who wins ------" in text
    assert "?" not in text.partition("How to run")[0]
    assert [len(line) for line in text.splitlines()] == [len(line) for line in render(sample()).splitlines()]


def test_the_report_says_what_matters() -> None:
    text = render(sample())
    for said in (
        "Stopped early: 5,000 of the 8,000 hands asked for.",
        "Options: chain_limit = 2",
        "All intervals, ± or from-to, are at 95% confidence",
        "greedy (1)",
        "truncated: too many turns",
        "at most 1 in 1,302",
        "Rulings, where the rules can be read in more than one way:",
        "Assumed, where the rules give no number:",
        "--seed 7",
        "fastsim 1.2.3",
    ):
        assert said in text


def test_plus_and_minus_stand_side_by_side() -> None:
    (line,) = [line for line in render(sample()).splitlines() if line.startswith("+2 ")]
    assert "-2 " in line
    assert "Skip" not in line


def test_histograms_are_those_asked_for() -> None:
    summary = sample()
    assert "turns: share of hands" in render(summary)
    assert "turns: share of hands" not in render(summary, histograms=[])
    text = render(summary, histograms=["moves", "blocked"])
    assert text.index("moves: share of hands") < text.index("blocked: share of hands")
    with pytest.raises(ValueError, match="no histogram of 'plays'; there is one of: turns, moves"):
        render(summary, histograms=["plays"])


def test_the_first_length_is_drawn_where_no_turns_are_counted() -> None:
    rows = played(100)
    without = tuple(metric for metric in METRICS if metric.name != "turns")
    assert "moves: share of hands" in render(summarise(rows.tally(), described(100, metrics=without)))


def test_nothing_counted_is_said_in_a_few_lines() -> None:
    text = render(summarise(Tally.empty(), described(100)))
    assert "Sample: 0 hands, 3 players" in text
    assert "Stopped early: 0 of the 100 hands asked for.\n" in text
    assert "Who wins" not in text


def test_one_hand_is_not_taken_for_certainty() -> None:
    text = render(summarise(played(1, seed=1).tally(), described(1)))
    assert "Sample: 1 hand, 3 players" in text
    assert "cannot be told from a fair" in text
    assert "± ?" in text


def test_games_say_how_many_hands_they_took() -> None:
    text = render(summarise(played(90, games=30).tally(), described(30, "game")))
    assert "Sample: 30 games (90 hands), 3 players" in text
    assert "The seat that starts the first hand wins" in text
    assert "games shared by several seats" in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"policies": ("a",)}, "Policies: a at every seat"),
        ({"policies": ("a", "b", "c")}, "Policies: a, b, c, taking turns at every seat"),
        (
            {"policies": ("a", "b", "c"), "fixed_seats": True},
            "Policies: a at seat 0, b at seat 1, c at seat 2",
        ),
        ({"changed": ()}, "Options: all at their defaults"),
        (
            {"side": "side", "options": {"players": 6}, "changed": ()},
            "Sample: 50 hands, 6 players on 3 sides",
        ),
    ],
)
def test_who_played_what(changes: dict[str, object], said: str) -> None:
    assert said in render(summarise(played(50).tally(), described(50, **changes)))


def test_the_command_is_safe_to_paste() -> None:
    changes = {
        "options": {"players": 3, "deck": {"+1": 2}, "name": "it's; two  spaces"},
        "changed": ("deck", "name"),
        "policies": ("my policy.toml",),
        "fixed_seats": True,
    }
    text = render(summarise(played(50).tally(), described(50, **changes)))
    start = text.index("fastsim run sample")
    assert text[start : text.index("The same seed")] == (
        "fastsim run sample -n 50 --unit hand --set 'deck={\"+1\": 2}' \\\n"
        "  --set 'name=it'\"'\"'s; two  spaces' --policy 'my policy.toml' \\\n"
        "  --fixed-seats --seed 7\n"
    )


if __name__ == "__main__":
    GOLDEN.write_text(render(sample(), 80), encoding="utf-8")

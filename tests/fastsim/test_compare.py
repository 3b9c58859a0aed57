"""Comparisons of rule sets: sums that are exact, verdicts that follow, and what is refused."""

import csv
import io
import itertools
import json
import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

import fastsim
from fastsim import UsageError, WorkerError
from fastsim.cli import main
from fastsim.comparing import (
    CompareResult,
    Pair,
    chosen,
    compare,
    design_pair,
    read_margins,
    split_assignments,
)
from fastsim.experiment import design, play_blocks
from fastsim.ordered import play_in_order
from fastsim.pairing import Paired, PairedPlay, Quantities, Quantity, add
from kernels.blocks import as_table
from tests.fastsim.stored import CHUNKS, small_pieces

EXTRA = {"starter_extra": 0}


def rows_of(
    options: Mapping[str, object], games: int, unit: str, column: str, key: int, seed: int = 0
) -> np.ndarray:
    """Return the total of a column in each game, read off the blocks by numpy."""
    experiment = design("cap30", options, "random", seed=seed, unit=unit)
    layout = experiment.game.layout
    index = [(each.metric, each.key) for each in layout.HAND_COLUMNS].index((column, key))
    hands = [each.metric for each in layout.GAME_COLUMNS].index("hands")
    totals: list[int] = []
    for block in play_blocks(experiment, 0, games):
        values = as_table(block.hands_block, len(layout.HAND_COLUMNS), block.rows)[index]
        lengths = [1] * block.games
        if unit == "game":
            lengths = as_table(block.games_block, len(layout.GAME_COLUMNS), block.games)[hands].tolist()
        edges = np.cumsum([0, *lengths])
        totals += [int(values[a:b].sum()) for a, b in itertools.pairwise(edges)]
    return np.array(totals)


def pair_of(unit: str = "hand", a: Mapping[str, object] = EXTRA, **b: object) -> Pair:
    return design_pair("cap30", a, b or {"starter_extra": 1}, policy="random", unit=unit)


@pytest.mark.kernel
@pytest.mark.parametrize("unit", ["hand", "game"])
def test_products_are_those_of_the_rows(unit: str) -> None:
    games = 30
    pair = pair_of(unit)
    played = PairedPlay((pair.a, pair.b), tuple(pair.plan))(0, games)
    for name, column, key in (("turns", "turns", -1), ("plays.Skip", "plays", 54)):
        xa = rows_of({"starter_extra": 0}, games, unit, column, key)
        xb = rows_of({"starter_extra": 1}, games, unit, column, key)
        products = pair.products(name, played)
        assert (products.n, products.xa, products.xb) == (games, xa.sum(), xb.sum())
        assert (products.xa_xa, products.xb_xb) == ((xa * xa).sum(), (xb * xb).sum())
        assert products.xa_xb == (xa * xb).sum()
    share = pair.products("total_share.10", played)
    x = rows_of({"starter_extra": 0}, games, unit, "total_share", 10)
    moves = rows_of({"starter_extra": 1}, games, unit, "moves", -1)
    assert share.xa_yb == (x * moves).sum()


@pytest.mark.kernel
def test_pieces_add_up_to_the_whole() -> None:
    pair = pair_of()
    play = PairedPlay((pair.a, pair.b), tuple(pair.plan))
    whole, parts = play(0, 50), add(play(17, 50), play(0, 17))
    assert whole.tallies == parts.tallies
    assert whole.products.tolist() == parts.products.tolist()


@pytest.mark.kernel
def test_wins_are_shared_in_whole_numbers() -> None:
    experiment = design("cap-zap", {"players": 4}, unit="hand")
    quantities = Quantities(experiment)
    assert quantities.win == 12
    rows = [quantities.names[Quantity("win", "winners", seat)] for seat in range(4)]
    played = PairedPlay((experiment,), tuple((0, row) for row in rows))(0, 60)
    counts = played.tallies[0].counts("hand", "winners")
    decided = counts.filter(counts["value"] > 0)["n"].sum()
    assert sum(played.products) == 12 * decided


@pytest.fixture(scope="module")
def result() -> CompareResult:
    return compare("cap30", {"starter_extra": 0}, {}, 400, policy="random", threads=2)


def test_values_are_those_of_runs(result: CompareResult) -> None:
    for options, side in (({"starter_extra": 0}, "a"), ({}, "b")):
        run = fastsim.run("cap30", 400, options=options, policy="random")
        for name, found in result.comparison.by_name.items():
            if run.summary.statistics[name].kind != "bound":
                assert getattr(found, side) == run.summary.statistics[name].estimate, name


def test_what_a_comparison_says(result: CompareResult) -> None:
    found = result.comparison.by_name
    assert found["turns"].difference.value == pytest.approx(found["turns"].b.value - found["turns"].a.value)  # type: ignore[operator]
    assert found["branching"].a.value == pytest.approx(found["choices"].a.value / found["decisions"].a.value)  # type: ignore[operator]
    assert found["cards_played"].verdict == "higher"
    assert found["blocked"].verdict == "same"
    assert found["losers"].verdict == "same"
    assert all(each.p_adjusted >= each.p for each in found.values())
    assert found["taken"].saved is not None and found["taken"].saved > 1.2


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_executors_change_nothing(result: CompareResult, threads: int) -> None:
    options = {"starter_extra": 0}
    again = compare("cap30", options, {}, 400, policy="random", threads=threads)
    assert again.to_json() == result.to_json()
    with ThreadPoolExecutor(threads) as pool:
        lent = compare("cap30", options, {}, 400, policy="random", executor=pool, threads=threads)
    assert lent.to_json() == result.to_json()


def test_where_it_stops_does_not_depend_on_threads() -> None:
    def play(first: int, stop: int, cancelled: object = None) -> list[int]:
        return list(range(first, stop))

    for threads in (1, 2, 5):
        seen: list[int] = []
        played = play_in_order(
            play,
            lambda left, right: left + right,
            1000,
            7,
            threads,
            progress=lambda done, n, seen=seen: seen.append(done),  # type: ignore[misc]
            decided=lambda part, games: games >= 200,
        )
        assert (played.games, played.decided, played.part) == (203, True, list(range(203)))
        assert seen == list(range(7, 204, 7))
        assert played.chunks[-1] == (196, 203)
    everything = play_in_order(play, lambda left, right: left + right, 20, 7, 2)
    assert (everything.games, everything.decided, everything.part) == (20, False, list(range(20)))


def test_an_interrupt_keeps_what_was_finished() -> None:
    def play(first: int, stop: int, cancelled: object = None) -> int:
        return stop - first

    def progress(done: int, n: int) -> None:
        if done >= 30:
            raise KeyboardInterrupt

    played = play_in_order(play, lambda left, right: left + right, 100, 10, 1, progress=progress)
    assert (played.part, played.games, played.interrupted) == (30, 30, True)


@pytest.mark.compiled
def test_until_decided_is_reproducible_and_says_so() -> None:
    pages = {
        compare(
            "cap30", {"take_count": 1}, {}, 400_000, until="decided", metrics=["turns"], threads=threads
        ).to_text()
        for threads in (1, 2)
    }
    assert len(pages) == 1
    page = pages.pop()
    assert "131,072 hands of each rule set" in page
    assert "stay valid although the number was not fixed beforehand" in " ".join(page.split())
    assert "Stopped as soon as these were decided: turns" in page


@pytest.mark.compiled
def test_pairing_saves_hands_and_is_right() -> None:
    """The paired error is that of the difference over many repetitions with other seeds."""
    differences, errors = [], []
    for seed in range(60):
        found = compare("cap30", {"take_count": 3}, {}, 300, seed=seed, threads=1, metrics=["turns"])
        between = found.comparison.by_name["turns"].difference
        assert between.value is not None and between.se is not None
        differences.append(between.value)
        errors.append(between.se)
    # The standard error of a standard deviation from 60 values is 9% of it.
    assert np.std(differences, ddof=1) == pytest.approx(np.mean(errors), rel=0.3)


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ({"players": 2}, {"players": 3}, "A has 2 players and B 3"),
        ({}, {"deck": "standard"}, "the decks differ"),
    ],
)
def test_without_equal_deals_nothing_is_paired(
    a: Mapping[str, object], b: Mapping[str, object], why: str
) -> None:
    result = compare("cap30", a, b, 50, policy="random")
    comparison = result.comparison
    assert not comparison.paired and why in comparison.why_unpaired
    assert comparison.b.description.seed == 1
    assert all(each.saved is None for each in comparison.contrasts)
    turns = comparison.by_name["turns"]
    assert turns.difference.se == pytest.approx(math.hypot(turns.a.se or 0, turns.b.se or 0))
    assert why in " ".join(result.to_text().split())
    assert any(name.startswith("win.") for name in comparison.only_b) == ("players" in b)


def test_the_deck_may_be_spelled_otherwise() -> None:
    counts = {"+1": 15, "-1": 15}
    options = {"deck": counts, "cap": 30, "start": 15}
    pair = design_pair("cap30", options, options | {"deck": dict(reversed(counts.items())), "chain_limit": 1})
    assert not pair.why_unpaired


def test_margins() -> None:
    margins = read_margins(["2%", "turns=0.5", "win = 1%"], ["win.seat0", "turns", "moves"])
    assert margins.of("moves", -10.0) == pytest.approx(0.2)
    assert margins.of("turns", 10.0) == 0.5
    assert margins.of("win.seat0", 0.5) == pytest.approx(0.005)
    assert str(margins) == "2% of A's value (win rates: of a fair share), 0.5 for turns, 1% of it for win"


def test_names_of_metrics_stand_for_their_parts() -> None:
    names = ["win.seat0", "hand.points.side0", "hand.points.side1", "points.side0", "turns"]
    assert chosen(["hand.points"], names) == ("hand.points.side0", "hand.points.side1")
    assert chosen(["points", "turns"], names) == ("points.side0", "turns")
    assert chosen(["point"], names) == ()


def test_what_one_seat_gains_the_other_loses(result: CompareResult) -> None:
    first, second = (result.comparison.by_name[f"win.seat{seat}"] for seat in (0, 1))
    assert first.margin == second.margin == pytest.approx(0.005)
    assert first.difference.value == pytest.approx(-(second.difference.value or 0))
    assert first.p == pytest.approx(second.p)


def test_assignments_are_split_where_they_end() -> None:
    assert split_assignments("a=1  b=2") == ["a=1", "b=2"]
    assert split_assignments("deck={ '+1' = 3, x = 2 } c=[1, 2]") == ["deck={ '+1' = 3, x = 2 }", "c=[1, 2]"]
    assert split_assignments("") == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "A and B are the same rules"),
        (["--a", "chain_limit=3"], "A and B are the same rules"),
        (["--a", "meter_size=3"], "A and B are the same rules but for meter_size, without effect here"),
        (["--b", "chain_limit=99"], "option chain_limit was given '99'; accepted: 1 to 10 (rule C9)"),
        (["--b", "chain_limit"], "an option is set as NAME=VALUE, and 'chain_limit' was given"),
        (["--b", "chain=1"], "unknown option 'chain'"),
        (["--b", "chain_limit=1", "--metric", "turn"], "unknown statistic 'turn', did you mean 'turns'?"),
        (["--b", "chain_limit=1", "--margin", "turn=1"], "unknown statistic 'turn', did you mean 'turns'?"),
        (["--b", "chain_limit=1", "--margin", "1"], "margin was given '1'; accepted: such as 1%"),
        (["--b", "chain_limit=1", "--margin", "turns=-1"], "margin was given 'turns=-1'"),
        (["--b", "chain_limit=1", "--until", "turns"], "until was given 'turns'; accepted: decided"),
        (["--b", "chain_limit=1", "--confidence", "1"], "confidence was given 1.0"),
        (["--b", "chain_limit=1", "-n", "0"], "n was given 0; accepted: a whole number"),
    ],
)
def test_what_is_refused(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["compare", "cap30", *arguments])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""
    said = [line for line in captured.err.splitlines() if "compiling the kernel" not in line]
    assert len(said) == 1


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(
        [
            "compare",
            "cap30",
            "--policy",
            "random",
            "-n",
            "60",
            "--b",
            "take_count=0 chain_limit=1",
            *arguments,
        ]
    )
    return capsys.readouterr().out


def test_forms(capsys: pytest.CaptureFixture[str]) -> None:
    page = shown(capsys)
    assert "B: chain_limit = 1, take_count = 0" in page
    assert max(len(line) for line in page.splitlines()) <= 80
    document = json.loads(shown(capsys, "--format", "json"))
    assert document["schema"] == 1 and document["kind"] == "comparison" and document["n"] == 60
    assert document["statistics"]["taken"]["b"]["mean"] == 0
    assert document["statistics"]["taken"]["verdict"] == "lower"
    assert "chains.2" in document["only_a"]
    rows = list(csv.DictReader(io.StringIO(shown(capsys, "--format", "csv"))))
    assert [row["statistic"] for row in rows] == list(document["statistics"])
    assert float(rows[2]["difference"]) == document["statistics"]["turns"]["difference"]["mean"]
    markdown = shown(capsys, "--format", "markdown")
    assert "| taken |" in markdown and "| lower |" in markdown
    chosen = shown(capsys, "--metric", "win", "--metric", "turns", "--format", "csv")
    assert [line.split(",")[0] for line in chosen.splitlines()[1:]] == ["win.seat0", "win.seat1", "turns"]


def test_nothing_played_says_nothing() -> None:
    pair = pair_of()
    empty = PairedPlay((pair.a, pair.b), tuple(pair.plan))(0, 0)
    assert isinstance(empty, Paired)
    assert all(tally.frame.is_empty() for tally in empty.tallies)


def test_unknown_until_is_refused_before_playing() -> None:
    with pytest.raises(UsageError, match="accepted: decided"):
        compare("cap30", {}, {"chain_limit": 1}, until="soon")


def test_the_functions_stay_functions() -> None:
    # A module of the same name would take their place in the package once it is imported.
    assert callable(fastsim.compare) and callable(fastsim.duel)


def test_a_worker_that_fails_costs_nothing_of_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)
    counted: list[int] = []

    class Failing(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Any:
            if counted:
                raise RuntimeError("no more")
            return super().submit(*arguments, **named)

    def progress(done: int, n: int) -> None:
        counted.append(done)

    play = partial(compare, "cap30", {"take_count": 1}, {}, policy="random", threads=1)
    with Failing(1) as executor, pytest.raises(WorkerError, match="no more") as failure:
        play(n=40 * CHUNKS["hand"], executor=executor, progress=progress)
    found = failure.value.result
    games = found.comparison.a.n
    assert found.interrupted and counted[-1] <= games < 40 * CHUNKS["hand"]
    same = play(n=games)
    assert found.played is not None and same.played is not None
    np.testing.assert_array_equal(found.played.products, same.played.products)

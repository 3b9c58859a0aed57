"""Cap30's kernel beside a scalar C program, the referee and other policies."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.measure import Line, least_times
from fastsim.experiment import Counting, Experiment, design, play, play_blocks
from fastsim.transcript import trace

SETTINGS = ((2, "cap30"), (4, "cap30"), (2, "cap100"))
REFERENCE = Path(__file__).parent / "reference" / "cap30.c"


def playing(experiment: Experiment, hands: int) -> Callable[[], None]:
    """Return a function that plays hands with the kernel alone, without counting."""

    def play_all() -> None:
        for _ in play_blocks(experiment, 0, hands):
            pass

    return play_all


def beside_c(hands: int, repeats: int) -> list[Line]:
    """Compare the kernel with the C reference, one thread, ``random`` policy."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return [Line("kernel beside scalar C", "no C compiler here", "")]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "cap30"
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, REFERENCE], check=True)
        for players, deck in SETTINGS:
            experiment = design("cap30", {"players": players, "deck": deck}, "random")
            playing(experiment, 1000)()
            kernel = c = float("inf")
            for _ in range(repeats):
                kernel = min(kernel, least_times({"kernel": playing(experiment, hands)}, 1)["kernel"])
                arguments = [program, str(hands), "1", str(players), deck]
                output = subprocess.run(arguments, check=True, capture_output=True).stdout
                c = min(c, json.loads(output)["seconds"])
            figures = f"{kernel / hands * 1e9:.0f} ns a hand, C {c / hands * 1e9:.0f} ns"
            what = f"kernel beside scalar C: {deck}, {players} players"
            lines.append(Line(what, figures, f"{kernel / c:.2f}", "at most 1.25"))
    return lines


def beside_the_referee(hands: int, repeats: int) -> list[Line]:
    """Compare the kernel with plain Python that plays by the same rules."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.referees import cap30 as referee

    experiment = design("cap30", policy="random")
    options = experiment.options.model_dump() | {"deck": experiment.options.counts()}  # type: ignore[attr-defined]
    few = max(10, hands // 5000)
    traces = [trace(experiment, game).events.tolist() for game in range(few)]

    def referee_plays() -> None:
        rng = random.Random(1)
        for _ in range(few):
            referee.play_hand(rng, options)

    def referee_checks() -> None:
        for events in traces:
            referee.check_game(events, options, False)

    playing(experiment, 1000)()
    subjects = {"kernel": playing(experiment, hands), "plays": referee_plays, "checks": referee_checks}
    least = least_times(subjects, repeats)
    kernel = least["kernel"] / hands
    lines = []
    for does in ("plays", "checks"):
        plain = least[does] / few
        figures = f"{kernel * 1e9:.0f} ns a hand, plain Python {plain * 1e6:.0f} µs"
        what = f"kernel beside the referee, which {does} the hand"
        lines.append(Line(what, figures, f"{plain / kernel:,.0f}", "at least 1,000"))
    return lines


def cost_of_a_decision(experiments: dict[str, Experiment], hands: int, repeats: int) -> dict[str, float]:
    """Return the seconds that a decision costs in each of several experiments, played in turns."""
    decisions = {}
    for name, experiment in experiments.items():
        counts = play(experiment, 0, 20_000).counts("hand", "decisions")
        decisions[name] = (counts["value"] * counts["n"]).sum() / counts["n"].sum()
    least = least_times({name: playing(e, hands) for name, e in experiments.items()}, repeats)
    return {name: least[name] / hands / decisions[name] for name in experiments}


def policies(hands: int, repeats: int) -> list[Line]:
    """Compare what a decision costs a policy with weights and ``random``."""
    experiments = {name: design("cap30", policy=name) for name in ("random", "balanced")}
    cost = cost_of_a_decision(experiments, hands, repeats)
    figures = f"{cost['balanced'] * 1e9:.0f} ns a decision, random {cost['random'] * 1e9:.0f} ns"
    ratio = f"{cost['balanced'] / cost['random']:.1f}"
    return [Line("policy `balanced` beside `random`", figures, ratio, "at most 4")]


def power_up(hands: int, repeats: int) -> list[Line]:
    """Compare what a decision costs with Power Up and without."""
    lines = []
    for players in (2, 4):
        experiments = {
            name: design("cap30", {"players": players, "powers": name == "on"}, "random")
            for name in ("on", "off")
        }
        cost = cost_of_a_decision(experiments, hands, repeats)
        figures = f"{cost['on'] * 1e9:.0f} ns a decision, without {cost['off'] * 1e9:.0f} ns"
        what = f"Power Up beside the base game, {players} players"
        lines.append(Line(what, figures, f"{cost['on'] / cost['off']:.2f}", "at most 2"))
    return lines


def threads(hands: int, repeats: int) -> list[Line]:
    """Compare two threads with one."""
    experiment = design("cap30", policy="random")
    half = hands // 2

    def in_two() -> None:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda first: play(experiment, first, first + half), (0, half)))

    least = least_times(
        {"one": lambda: play(experiment, 0, 2 * half), "two": in_two}, repeats, time.perf_counter
    )
    figures = f"{hands / least['two']:,.0f} hands a second, one thread {hands / least['one']:,.0f}"
    return [Line("two threads beside one", figures, f"{least['one'] / least['two']:.2f}", "at least 1.85")]


def counting(hands: int, repeats: int) -> list[Line]:
    """Compare ways to count rows: compiled passes over blocks, and polars."""
    import polars as pl

    from kernels.blocks import as_table

    experiment = design("cap30", policy="random")
    columns = experiment.game.layout.HAND_COLUMNS
    blocks = [
        (block.hands_block.copy(), block)
        for block in play_blocks(experiment, 0, min(hands, 100_000))
    ]  # fmt: skip
    rows = sum(block.rows for _, block in blocks)
    tables = [as_table(hands_block, len(columns), block.rows) for hands_block, block in blocks]
    frame = pl.concat([pl.DataFrame({str(i): table[i] for i in experiment.wanted}) for table in tables])

    def compiled() -> None:
        counter = Counting(experiment)
        for hands_block, block in blocks:
            counter.add(type(block)(block.first, block.games, block.rows, hands_block, block.games_block))

    def with_polars() -> None:
        for name in frame.columns:
            frame[name].value_counts()

    compiled()
    least = least_times({"compiled": compiled, "polars": with_polars}, repeats)
    cost = {name: seconds / rows * 1e9 for name, seconds in least.items()}
    figures = f"{cost['compiled']:.0f} ns a hand, polars {cost['polars']:.0f} ns"
    return [
        Line("counting rows, compiled beside polars", figures, f"{cost['polars'] / cost['compiled']:.1f}", "")
    ]

"""Every game's kernel beside its referee, and what a decision costs beside Cap30's."""

import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from benchmarks.cap30 import playing
from benchmarks.measure import Line, least_times
from fastsim.experiment import design, play
from fastsim.transcript import trace

# How many times faster than the referee each kernel is to be.
GAMES = {
    "cap-zap": "at least 1,000",
    "kapaga": "at least 500",
    "thirty-thirty": "at least 300",
    "cap-it": "at least 300",
}
_WITHIN_TWO = ("cap-zap", "kapaga")


def _decisions_a_hand(game: str) -> float:
    counts = play(design(game, policy="random"), 0, 4000).counts("hand", "decisions")
    return float((counts["value"] * counts["n"]).sum() / counts["n"].sum())


def beside_their_referees(hands: int, repeats: int) -> list[Line]:
    """Compare each kernel with plain Python that plays by the same rules, one thread, ``random``."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    lines = []
    base = hands, design("cap30", policy="random"), _decisions_a_hand("cap30")
    for game, goal in GAMES.items():
        referee = import_module(f"tests.referees.{game.replace('-', '_')}")
        options = referee.resolve()
        few = max(10, hands // 20_000)
        many = hands // 4
        experiment = design(game, policy="random")
        decisions = _decisions_a_hand(game)

        def plays(referee: object = referee, options: object = options, few: int = few) -> None:
            rng = random.Random(1)
            for _ in range(few):
                referee.play_hand(rng, options)  # type: ignore[attr-defined]

        traces = [trace(experiment, number).events.tolist() for number in range(few)]

        def checks(referee: object = referee, options: object = options, traces: object = traces) -> None:
            for events in traces:  # type: ignore[attr-defined]
                referee.check_game(events, options, False)  # type: ignore[attr-defined]

        subjects = {
            "kernel": playing(experiment, many),
            "plays": plays,
            "checks": checks,
            "cap30": playing(base[1], base[0]),
        }
        least = least_times(subjects, repeats)
        kernel = least["kernel"] / many
        for does in ("plays", "checks"):
            plain = least[does] / few
            figures = f"{kernel * 1e9:,.0f} ns a hand, plain Python {plain * 1e6:,.0f} µs"
            what = f"{game}: kernel beside its referee, which {does} the hand"
            lines.append(Line(what, figures, f"{plain / kernel:,.0f}", goal))
        cost, other = kernel / decisions, least["cap30"] / base[0] / base[2]
        figures = f"{cost * 1e9:.0f} ns, Cap30 {other * 1e9:.0f} ns"
        goal = "at most 2" if game in _WITHIN_TWO else ""
        lines.append(Line(f"{game}: a decision beside Cap30's", figures, f"{cost / other:.2f}", goal))
    return lines


def compiling() -> list[Line]:
    """Measure the first run of each game, which compiles its kernel."""
    lines = []
    for game in GAMES:
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "fastsim", "run", game, "-n", "100", "--policy", "random"],
                check=True,
                capture_output=True,
                env=os.environ | {"NUMBA_CACHE_DIR": folder},
            )
            seconds = time.perf_counter() - started
        goal = "under 20 s" if game in _WITHIN_TWO else "under 30 s"
        lines.append(Line(f"{game}: the first run (compiles)", f"{seconds:.1f} s", "", goal))
    return lines


def beside_open_spiel(hands: int) -> list[Line]:
    """Compare Kapaga's decisions a second with random play of OpenSpiel's Crazy Eights, if installed."""
    what = "kapaga beside OpenSpiel's crazy_eights, decisions a second"
    if importlib.util.find_spec("pyspiel") is None:
        return [Line(what, "OpenSpiel is not installed", "")]
    import pyspiel

    game = pyspiel.load_game("crazy_eights", {"players": 4})
    rng = random.Random(1)
    decisions = 0
    started = time.process_time()
    while time.process_time() - started < 1:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
    theirs = decisions / (time.process_time() - started)
    experiment = design("kapaga", policy="random")
    seconds = least_times({"kapaga": playing(experiment, hands)}, 3)["kapaga"]
    ours = hands * _decisions_a_hand("kapaga") / seconds
    return [Line(what, f"{ours:,.0f}, OpenSpiel {theirs:,.0f}", f"{ours / theirs:,.0f}")]

"""How things are measured: in turns, several times, and the least time of each counts.

Machines are shared and noisy. Noise only ever adds time, and comes in spells; so whatever is
compared is measured alternately, and the best of each is taken.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One line of the table: what was measured, the figures, and what was to be reached."""

    what: str
    figures: str
    ratio: str
    goal: str = ""


def least_times(
    subjects: Mapping[str, Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Return the least seconds that each subject took, over rounds in which each has a turn."""
    least = dict.fromkeys(subjects, float("inf"))
    for _ in range(repeats):
        for name, subject in subjects.items():
            started = clock()
            subject()
            least[name] = min(least[name], clock() - started)
    return least


def table(lines: list[Line]) -> str:
    """Return lines as a Markdown table."""
    rows = ["| what | measured | ratio | to reach |", "|---|---|---|---|"]
    rows += [f"| {line.what} | {line.figures} | {line.ratio} | {line.goal} |" for line in lines]
    return "\n".join(rows)

"""Whether intervals hold what they promise: a simulation study on real hands.

``python -m benchmarks.honesty`` plays thousands of small experiments whose truth is known, and
counts how often fastsim's own functions are wrong:

- comparisons of the rules with themselves, on deals of their own, looked at after every chunk: a
  false alarm is a difference found at any look;
- plain intervals of a win rate, a mean and a rare event, of 95%;
- paired intervals of what one more card for the starter changes.

Truths are means over all that was played, whose own error is negligible beside that of a sample.
"""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import click
import numpy as np

from benchmarks.measure import Line, table
from fastsim.experiment import design, play_blocks
from kernels.blocks import as_table
from reports import comparison, intervals
from reports.comparison import Level, Products

ALPHA = 0.05
CHUNK = 2016
"""Hands between two looks: far fewer than the command's, so a harder test of large-sample theory."""
EVENTS = ("wins of the starter", "hands of 40 turns or more")
METRICS = (*EVENTS, "turns")


def values(hands: int, seed: int, starter_extra: int = 1) -> np.ndarray:
    """Return the three metrics of hands, int64, shape (3, hands)."""
    experiment = design("cap30", {"starter_extra": starter_extra}, "random", seed=seed)
    layout = experiment.game.layout
    found = np.empty((3, hands), dtype=np.int64)
    for block in play_blocks(experiment, 0, hands):
        rows = as_table(block.hands_block, len(layout.HAND_COLUMNS), block.rows)
        place = slice(block.first, block.first + block.rows)
        found[0, place] = rows[layout.WINNERS] == 1
        found[1, place] = rows[layout.TURNS] >= 40
        found[2, place] = rows[layout.TURNS]
    return found


def products(n: int, a: np.ndarray, b: np.ndarray) -> list[Products]:
    """Return the sums after each chunk, as a comparison keeps them of a mean."""
    sums = [
        np.add.reduceat(each, range(0, n, CHUNK)).cumsum().tolist() for each in (a, b, a * a, b * b, a * b)
    ]
    found = []
    for look, (xa, xb, xa_xa, xb_xb, xa_xb) in enumerate(zip(*sums, strict=True), 1):
        t = min(look * CHUNK, n)
        found.append(Products(t, xa, t, xb, t, xa_xa, xa, t, xb_xb, xb, t, xa_xb, xa, xb, t))
    return found


def p_value(sums: Products, looks: bool, event: bool) -> float:
    """Return the p-value that a comparison gives."""
    only_one = (sums.xa - sums.xa_xb, sums.xb - sums.xa_xb) if event else None
    level = Level(1 - ALPHA, sums.n if looks else None)
    return comparison.p_value(comparison.spread(sums), sums.n, level, only_one)


@dataclass
class Study:
    """What was counted so far; arrays have an entry a metric.

    Attributes
    ----------
    alarms, naive : array
        Null comparisons with a false alarm at some look: by confidence sequences, and by plain
        p-values, which looking often misuses.
    comparisons : int
    samples : list of (metric, value, low, high)
        Of plain intervals.
    differences : list of (metric, value, low, high)
        Of paired ones.
    """

    alarms: np.ndarray = field(default_factory=lambda: np.zeros(3))
    naive: np.ndarray = field(default_factory=lambda: np.zeros(3))
    comparisons: int = 0
    samples: list[tuple[int, float, float, float]] = field(default_factory=list)
    differences: list[tuple[int, float, float, float]] = field(default_factory=list)


def _interval(x: np.ndarray, event: bool) -> intervals.Estimate:
    n, total = len(x), int(x.sum())
    found = intervals.mean(n, total, int((x * x).sum()), 1 - ALPHA)
    if event:
        low, high = intervals.wilson(total, n, 1 - ALPHA) or (0.0, 1.0)
        found = intervals.Estimate(found.value, found.se, low, high)
    return found


def _one(repeat: int, looks: int) -> tuple[np.ndarray, ...]:
    hands = looks * CHUNK
    a, b = values(hands, 2 * repeat + 1), values(hands, 2 * repeat + 2)
    other = values(CHUNK, 2 * repeat + 1, starter_extra=2)
    return a, b, other


def study(repeats: int, looks: int) -> Study:
    """Play so many null comparisons of so many chunks, and the samples beside them."""
    counted = Study()
    with ThreadPoolExecutor(2) as pool:
        for a, b, other in pool.map(lambda repeat: _one(repeat, looks), range(repeats)):
            counted.comparisons += 1
            for metric in range(3):
                event = metric < len(EVENTS)
                at_looks = products(looks * CHUNK, a[metric], b[metric])
                for kind, anytime in ((counted.alarms, True), (counted.naive, False)):
                    kind[metric] += any(p_value(each, anytime, event) <= ALPHA for each in at_looks)
                for sample in (a[metric, :CHUNK], b[metric, :CHUNK]):
                    found = _interval(sample, event)
                    counted.samples.append((metric, found.value or 0, found.low or 0, found.high or 0))
                first, second = (_interval(each, event) for each in (a[metric, :CHUNK], other[metric]))
                spread = comparison.spread(products(CHUNK, a[metric, :CHUNK], other[metric])[0])
                if spread is not None:
                    paired = comparison.difference(first, second, spread)
                    counted.differences.append((metric, paired.value or 0, paired.low or 0, paired.high or 0))
    return counted


def lines(repeats: int = 2000, looks: int = 20) -> list[Line]:
    """Return what the study found, as lines of the table of benchmarks."""
    counted = study(repeats, looks)
    found = []
    for metric, name in enumerate(METRICS):
        share, naive = (each[metric] / counted.comparisons for each in (counted.alarms, counted.naive))
        found.append(
            Line(
                f"false alarms in {repeats:,} null comparisons at {looks} looks: {name}",
                f"{100 * share:.1f}% (plain p-values: {100 * naive:.1f}%)",
                "",
                f"at most {100 * ALPHA:g}%",
            )
        )
    for what, sample in (("plain intervals", counted.samples), ("paired intervals", counted.differences)):
        found += [
            Line(f"coverage of {what}: {METRICS[metric]}", _said(coverage), "", "94 to 96%")
            for metric, coverage in _coverage(sample).items()
        ]
    return found


def _coverage(sample: list[tuple[int, float, float, float]]) -> Mapping[int, tuple[float, int]]:
    found = {}
    for metric in range(3):
        rows = np.array([row[1:] for row in sample if row[0] == metric])
        truth = rows[:, 0].mean()
        found[metric] = (float(((rows[:, 1] <= truth) & (truth <= rows[:, 2])).mean()), len(rows))
    return found


def _said(coverage: tuple[float, int]) -> str:
    share, n = coverage
    return f"{100 * share:.1f}% ± {196 * math.sqrt(share * (1 - share) / n):.1f} of {n:,}"


@click.command()
@click.option("--quick", is_flag=True, help="Few repeats: the figures mean little.")
def main(quick: bool) -> None:
    """Run the study and print a Markdown table."""
    click.echo(table(lines(*((60, 5) if quick else (2000, 20)))))


if __name__ == "__main__":
    main()

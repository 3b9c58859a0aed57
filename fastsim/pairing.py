"""Several experiments play the same game numbers: their tallies, and sums of products across them.

A *quantity* of an experiment is a number that each of its games has: a recorded metric (over the
hands of the game), the share of the win that a seat took, or simply 1. Means, ratios, their
variances and the covariances between experiments all follow from sums over games of the product
of two quantities, which are whole numbers and so are added up exactly.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fastsim.experiment import Block, Counting, Experiment, play_blocks
from reports.tally import Tally, merge

WINDOW = 4032
"""Games whose quantities are held at once: few enough for a processor's cache."""

MASKS = ("winners", "policy_winners")
NOT_COUNTS = ("starter", "winner", *MASKS)
"""Columns of a hand that are a seat or a mask of seats: nothing to add up."""

ONE = ("", "one", -1)
"""The quantity that is 1 in each game; its product with another gives that one's sum."""


class Quantity(NamedTuple):
    """A quantity by the unit it is recorded for, metric and key."""

    unit: str
    metric: str
    key: int = -1


@dataclass(frozen=True)
class Quantities:
    """The quantities of one experiment, and how to fill them in.

    Attributes
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    @cached_property
    def names(self) -> dict[Quantity, int]:
        """Row of each quantity."""
        layout = self.experiment.game.layout
        names = [Quantity(*ONE)]
        names += [Quantity("hand", *layout.HAND_COLUMNS[i][:2]) for i in self._columns]
        names += [Quantity("win", "winners", side) for side in range(self.sides)]
        if len(self.experiment.policies) > 1:
            positions = range(len(self.experiment.policies))
            names += [Quantity("win", "policy_winners", position) for position in positions]
        if self.experiment.unit == "game":
            columns = [layout.GAME_COLUMNS[i] for i in self.experiment.wanted_of_games]
            names += [Quantity("game", c.metric, c.key) for c in columns if c.metric not in MASKS]
        return {name: row for row, name in enumerate(names)}

    @cached_property
    def _columns(self) -> list[int]:
        columns = self.experiment.game.layout.HAND_COLUMNS
        return [i for i in self.experiment.wanted if columns[i].metric not in NOT_COUNTS]

    @property
    def sides(self) -> int:
        """How many seats or sides can win."""
        return self.experiment.game.sides(self.experiment.options)

    @property
    def win(self) -> int:
        """What a whole win counts, so that any shares of it are whole numbers."""
        return math.lcm(*range(1, max(self.sides, len(self.experiment.policies)) + 1))

    def fill(
        self, totals: np.ndarray, first: int, stop: int, counting: Counting,
        cancelled: Callable[[], bool] | None,
    ) -> None:  # fmt: skip
        """Play games and write their quantities to ``totals``, int32, a column a game; count them too."""
        from kernels.blocks import as_table
        from kernels.pairing import add_totals, copy_columns

        experiment = self.experiment
        layout = experiment.game.layout
        width = len(layout.HAND_COLUMNS)
        columns = np.array(self._columns, dtype=np.int64)
        totals[0, : stop - first] = 1
        for block in play_blocks(experiment, first, stop, cancelled):
            counting.add(block)
            at = block.first - first
            if experiment.unit == "game":
                table = as_table(block.games_block, len(layout.GAME_COLUMNS), block.games)
                metrics = [column.metric for column in layout.GAME_COLUMNS]
                hands = np.ascontiguousarray(table[metrics.index("hands")])
                add_totals(block.hands_block, width, columns, hands, block.games, 1, at, totals)
            else:
                masks_at = [i for i, column in enumerate(layout.HAND_COLUMNS) if column.metric in MASKS]
                metrics = [layout.HAND_COLUMNS[i].metric for i in masks_at]
                copy_columns(block.hands_block, width, columns, block.rows, 1, at, totals)
                table = np.empty((len(masks_at), block.games), dtype=np.int32)
                copy_columns(block.hands_block, width, np.array(masks_at), block.rows, 0, 0, table)
            here = slice(at, at + block.games)
            for quantity, row in self.names.items():
                if quantity.unit == "win":
                    masks = table[metrics.index(quantity.metric)]
                    totals[row, here] = self.shares[masks] * (masks >> quantity.key & 1)
                elif quantity.unit == "game":
                    column = [(c.metric, c.key) for c in layout.GAME_COLUMNS].index(quantity[1:])
                    totals[row, here] = table[column]

    def hands(self, block: Block) -> np.ndarray:
        """Return how many hands each game of a block has."""
        from kernels.blocks import as_table

        columns = self.experiment.game.layout.GAME_COLUMNS
        place = [column.metric for column in columns].index("hands")
        return np.ascontiguousarray(as_table(block.games_block, len(columns), block.games)[place])

    def winners(self, block: Block, metric: str = "winners") -> np.ndarray:
        """Return the mask of the sides (or, of ``policy_winners``, policies) that won each hand or game."""
        from kernels.blocks import as_table
        from kernels.pairing import copy_columns

        layout = self.experiment.game.layout
        if self.experiment.unit == "game":
            columns = layout.GAME_COLUMNS
            place = [column.metric for column in columns].index(metric)
            return np.ascontiguousarray(as_table(block.games_block, len(columns), block.games)[place])
        columns = layout.HAND_COLUMNS
        place = [column.metric for column in columns].index(metric)
        masks = np.empty((1, block.rows), dtype=np.int32)
        copy_columns(block.hands_block, len(columns), np.array([place]), block.rows, 0, 0, masks)
        return masks.ravel()

    @cached_property
    def shares(self) -> np.ndarray:
        """What each winner of a mask gets, of a whole win of ``win``."""
        masks = range(1 << max(self.sides, len(self.experiment.policies)))
        return np.array([self.win // max(mask.bit_count(), 1) for mask in masks], dtype=np.int32)


@dataclass(frozen=True)
class Paired:
    """What games of the same numbers add up to, in each of several experiments and across them.

    Attributes
    ----------
    tallies : tuple of Tally
        One an experiment.
    products : numpy.ndarray
        Python integers of any size, one for each pair of quantities that was asked for.
    """

    tallies: tuple[Tally, ...]
    products: np.ndarray


def add(left: Paired, right: Paired) -> Paired:
    """Return the sum of two; the order does not matter."""
    both = zip(left.tallies, right.tallies, strict=True)
    return Paired(tuple(merge(pair) for pair in both), left.products + right.products)


@dataclass(frozen=True)
class PairedPlay:
    """Plays chunks of several experiments; what a thread or another process is handed.

    Attributes
    ----------
    experiments : tuple of Experiment
    pairs : tuple of (int, int)
        Rows whose products to sum; the rows of the second experiment follow those of the first,
        and so on.
    """

    experiments: tuple[Experiment, ...]
    pairs: tuple[tuple[int, int], ...]

    def __call__(self, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> Paired:
        """Return what games ``first`` to ``stop - 1`` add up to: the same, whoever plays them."""
        from kernels.pairing import add_products

        quantities = [Quantities(experiment) for experiment in self.experiments]
        countings = [Counting(experiment) for experiment in self.experiments]
        starts = offsets(quantities)
        totals = np.zeros((starts[-1], min(WINDOW, stop - first)), dtype=np.int32)
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        sums = np.zeros(len(pairs), dtype=np.int64)
        for at in range(first, stop, WINDOW):
            end = min(at + WINDOW, stop)
            for number, quantity in enumerate(quantities):
                rows = totals[starts[number] : starts[number + 1]]
                quantity.fill(rows, at, end, countings[number], cancelled)
            add_products(totals, pairs, end - at, sums)
        return Paired(tuple(counting.tally() for counting in countings), sums.astype(object))


def offsets(quantities: Sequence[Quantities]) -> list[int]:
    """Return the first row of each experiment's quantities, and the number of all rows."""
    starts = [0]
    for each in quantities:
        starts.append(starts[-1] + len(each.names))
    return starts

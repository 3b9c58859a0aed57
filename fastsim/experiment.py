"""What to play: a game, its options, policies, a seed; and the playing of a range of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from fastsim import catalog
from fastsim.catalog.game import Game, Unit
from fastsim.errors import FastsimError, UsageError, quoted, whole_number
from fastsim.options import Options
from fastsim.policy import Policy, PolicyGiven, find_policy
from fastsim.version import VERSION
from kernels.columns import SCALAR, Column
from reports.description import OptionText, PolicyText, RunDescription
from reports.tally import PRODUCT, SQUARE, SUM, Tally

LARGEST_SEED = 2**63 - 1
MOST_GAMES = 10**15
_ROWS = 1008
"""Rows of a block: large enough that calling the kernel costs nothing, small enough for a cache."""


Setup = tuple[Any, Any, Any]
"""Rules, tables and policies as a kernel takes them."""


class Cancelled(FastsimError):
    """Playing was stopped between two blocks."""


@dataclass(frozen=True)
class Block:
    """Consecutive games as the kernel wrote them.

    Attributes
    ----------
    first, games : int
        Number of the first game and how many there are.
    rows : int
        How many hands they have.
    hands_block, games_block : numpy.ndarray
        See ``kernels.blocks``; valid until the next block is played.
    """

    first: int
    games: int
    rows: int
    hands_block: np.ndarray
    games_block: np.ndarray


@dataclass(frozen=True)
class Experiment:
    """What to play. Made by :func:`design`, which checks everything.

    Attributes
    ----------
    game_name : str
    options : Options
    policies : tuple of Policy
        One for all seats, or one a seat.
    fixed_seats : bool
        False: the policies move on by one seat from game to game.
    seed : int
    unit : {"hand", "game"}
        Play single hands, or whole games.
    """

    game_name: str
    options: Options
    policies: tuple[Policy, ...]
    fixed_seats: bool
    seed: int
    unit: Unit

    @property
    def game(self) -> Game:
        """The game."""
        return catalog.find(self.game_name)

    @cached_property
    def setup(self) -> Setup:
        """Rules, tables and policies as the kernel takes them."""
        return self.game.setup(self.options, self.policies, not self.fixed_seats)

    @cached_property
    def wanted(self) -> tuple[int, ...]:
        """Which columns of a hand can vary under these options and are worth counting."""
        labels = {m.name: m.labels for m in self.game.metrics(self.options) if m.unit == "hand"}
        always = ["starter", "winner", "winners"]
        if len(self.policies) > 1:
            always.append("policy_winners")
        return tuple(
            i
            for i, column in enumerate(self.game.layout.HAND_COLUMNS)
            if column.metric in always
            or (column.metric in labels and (column.key == SCALAR or column.key in labels[column.metric]))
        )

    @cached_property
    def wanted_of_games(self) -> tuple[int, ...]:
        """Which columns of a game are worth counting: not the parts of a metric that cannot occur."""
        listed = {m.name for m in self.game.metrics(self.options) if m.unit == "game"}
        return tuple(
            i
            for i, column in enumerate(self.game.layout.GAME_COLUMNS)
            if column.key == SCALAR or column.metric in listed
        )

    def describe(self, requested: int) -> RunDescription:
        """Return what is played, in a report's words."""
        game = self.game
        return RunDescription(
            game=game.name,
            title=game.title,
            unit=self.unit,
            requested=requested,
            seed=self.seed,
            options=self.options.model_dump(mode="json"),
            changed=self.options.changed(),
            policies=tuple(policy.name for policy in self.policies),
            fixed_seats=self.fixed_seats,
            side=game.side(self.options),
            sides=game.sides(self.options),
            metrics=game.metrics(self.options),
            endings=game.endings,
            assumptions=game.assumptions(self.options),
            version=VERSION,
            option_texts={
                name: OptionText(info.meaning, info.rule, info.default)
                for name, info in game.options.describe().items()
            },
            policy_texts=tuple(
                PolicyText(policy.name, policy.weights, policy.temperature) for policy in self.policies
            ),
        )


def design(
    game_name: str,
    options: Mapping[str, object] | None = None,
    policy: PolicyGiven | Sequence[PolicyGiven] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
) -> Experiment:
    """Return an experiment, checked.

    Parameters
    ----------
    game_name : str
        One of ``fastsim.games()``.
    options : mapping, optional
        Changes from the game's default rules.
    policy : str, path, Policy or sequence of them, optional
        Names of presets or paths of policy files: one for all seats, or one a seat.
    fixed_seats : bool
        Keep each policy on its seat, instead of moving them on from game to game.
    seed : int
        0 to 2**63 - 1.
    unit : {"hand", "game"}

    Raises
    ------
    UsageError
        For anything that is not accepted, in one sentence.
    """
    game = catalog.find(game_name)
    parsed = game.options.parse({} if options is None else options)
    if unit not in ("hand", "game"):
        raise UsageError(f"unit was given {quoted(unit)}; accepted: hand, game")
    seed = whole_number("seed", seed, 0, LARGEST_SEED)
    if policy is None:
        policy = game.default_policy
    if isinstance(policy, str | Policy | PathLike) or not isinstance(policy, Iterable):
        policy = [policy]
    policies = tuple(find_policy(p, game.policies, game.features) for p in policy)
    players: int = getattr(parsed, "players")  # noqa: B009 (every game has it; the base does not say so)
    if len(policies) not in (1, players):
        raise UsageError(
            f"{len(policies)} policies were given for {players} players; "
            f"accepted: 1 for all seats, or {players}, one a seat"
        )
    return Experiment(game.name, parsed, policies, fixed_seats, seed, "game" if unit == "game" else "hand")


def play_blocks(
    experiment: Experiment,
    first: int,
    stop: int,
    cancelled: Callable[[], bool] | None = None,
    setup: Setup | None = None,
) -> Iterator[Block]:
    """Play games ``first`` to ``stop - 1`` and yield them block by block.

    ``setup`` is played instead of the experiment's own. Raises ``Cancelled`` between two blocks once
    ``cancelled()`` is true.
    """
    game = experiment.game
    rules, tables, policies = setup or experiment.setup
    play = game.kernel.play
    scratch = game.new_scratch()
    hands_block, games_block = new_blocks(experiment)
    by_game = experiment.unit == "game"
    seed = np.uint64(experiment.seed)
    at = first
    while at < stop:
        if cancelled is not None and cancelled():
            raise Cancelled("stopped")
        following, rows = play(
            seed, at, stop, by_game, rules, tables, policies, scratch, hands_block, games_block, None
        )
        yield Block(at, following - at, rows, hands_block, games_block)
        at = following


def most_rows(experiment: Experiment) -> int:
    """Return how many hands a block of an experiment has room for."""
    return max(_ROWS, 2 * experiment.game.most_hands(experiment.options, experiment.unit))


def new_blocks(experiment: Experiment) -> tuple[np.ndarray, np.ndarray]:
    """Return empty blocks for hands and games."""
    from kernels.blocks import new_block

    layout = experiment.game.layout
    rows = most_rows(experiment)
    return new_block(len(layout.HAND_COLUMNS), rows), new_block(len(layout.GAME_COLUMNS), rows)


class Counting:
    """Counts blocks of one experiment, and makes a tally of them."""

    def __init__(self, experiment: Experiment) -> None:
        from kernels.counting import BlockCounter

        self._layout = experiment.game.layout
        self._by_game = experiment.unit == "game"
        self._hands = BlockCounter(self._layout.HAND_COLUMNS, experiment.wanted, clustered=self._by_game)
        columns = self._layout.GAME_COLUMNS
        self._hands_column = [column.metric for column in columns].index("hands")
        self._games = BlockCounter(columns, experiment.wanted_of_games)

    def add(self, block: Block) -> None:
        """Count a block."""
        from kernels.blocks import as_table

        if not self._by_game:
            self._hands.add(block.hands_block, block.rows)
            return
        columns = len(self._layout.GAME_COLUMNS)
        hands = as_table(block.games_block, columns, block.games)[self._hands_column]
        self._hands.add(block.hands_block, block.rows, np.ascontiguousarray(hands))
        self._games.add(block.games_block, block.games)

    def tally(self) -> Tally:
        """Return the counts so far."""
        parts = [_values("hand", self._layout.HAND_COLUMNS, *self._hands.values())]
        parts.append(_sums("hand", self._layout.HAND_COLUMNS, *self._hands.sums()))
        if self._by_game:
            parts.append(_values("game", self._layout.GAME_COLUMNS, *self._games.values()))
            parts.append(_sums("game", self._layout.GAME_COLUMNS, *self._games.sums()))
            parts.append(_sums("game", self._layout.HAND_COLUMNS, *self._hands.sums_of_games()))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return Tally.from_columns(*columns)


def _values(
    unit: str, columns: Sequence[Column], index: np.ndarray, value: np.ndarray, n: np.ndarray
) -> tuple[np.ndarray, ...]:
    metrics = np.array([column.metric for column in columns], dtype=object)
    keys = np.array([column.key for column in columns])
    return np.full(len(index), unit, dtype=object), metrics[index], keys[index], value, n


def _sums(
    unit: str, columns: Sequence[Column], index: np.ndarray, sums: np.ndarray
) -> tuple[np.ndarray, ...]:
    names = [columns[i].metric + suffix for i in index for suffix in (SUM, SQUARE, PRODUCT)]
    keys = np.repeat([columns[i].key for i in index], 3).astype(np.int64)
    return (
        np.full(len(names), unit, dtype=object),
        np.array(names, dtype=object),
        keys,
        np.zeros(len(names), dtype=np.int64),
        sums.ravel(),
    )


def play(experiment: Experiment, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> Tally:
    """Return the tally of games ``first`` to ``stop - 1``.

    A pure function: the same arguments give the same tally, anywhere.
    """
    counting = Counting(experiment)
    for block in play_blocks(experiment, first, stop, cancelled):
        counting.add(block)
    return counting.tally()

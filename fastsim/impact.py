"""What each card does: win rates of those who hold it, and of the same deals with one card exchanged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fastsim.commands import cards_command
from fastsim.engine import check_confidence, check_number, check_threads
from fastsim.errors import UsageError
from fastsim.experiment import Experiment, design, most_rows, play_blocks
from fastsim.findings import Findings, Forms
from fastsim.following import grouped, held
from fastsim.ordered import play_in_order
from fastsim.pairing import Quantities
from fastsim.policy import Policy
from fastsim.tracing import COST, traced_blocks
from reports import impact as reported
from reports.comparison import Products
from reports.impact import Card, CardImpact, Sums

if TYPE_CHECKING:
    from reports.page.model import Page


@dataclass(frozen=True)
class ImpactResult(Findings):
    """The result of :func:`card_impact`.

    Attributes
    ----------
    impact : CardImpact
        Everything found.
    interrupted : bool
    """

    forms: ClassVar[Forms] = reported

    impact: CardImpact
    interrupted: bool

    @property
    def found(self) -> CardImpact:
        """Everything found."""
        return self.impact

    def laid_out(self, made_with: Mapping[str, str]) -> "Page":
        """Return the page of it."""
        from reports.page.cards import cards_page

        return cards_page(self.impact, self.interrupted, made_with)


@dataclass(frozen=True)
class Cards:
    """The kinds of card of an experiment, those together that mean the same to its rules.

    Attributes
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    @cached_property
    def _grouped(self) -> tuple[tuple[str, ...], np.ndarray]:
        names = self.experiment.game.card_names(self.experiment.options)
        return grouped(names, self.experiment.setup[1].deck, 64)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the groups."""
        return self._grouped[0]

    @property
    def groups(self) -> np.ndarray:
        """Group of each kind."""
        return self._grouped[1]

    @property
    def copies(self) -> list[int]:
        """Cards of each group in the deck."""
        deck = self.experiment.setup[1].deck
        return [int(n) for n in np.bincount(self.groups[deck], minlength=len(self.names))]

    @property
    def masks(self) -> list[int]:
        """Kinds of each group, as a mask."""
        found = self.experiment.game.card_names(self.experiment.options)
        return [sum(1 << kind for kind, name in found.items() if name == each) for each in self.names]


def product_sums(xa: np.ndarray, ya: np.ndarray, xb: np.ndarray, yb: np.ndarray) -> np.ndarray:
    """Return the sums of ``Products`` but the number of units, over the first axis: exact integers."""
    x, y, u, v = (each.astype(np.int64) for each in (xa, ya, xb, yb))
    pairs = ((x, x), (x, y), (y, y), (u, u), (u, v), (v, v), (x, u), (x, v), (y, u), (y, v))
    sums = [each.sum(axis=0) for each in (x, y, u, v)] + [(a * b).sum(axis=0) for a, b in pairs]
    return np.array(sums).astype(object)


@dataclass(frozen=True)
class ObservedPlay:
    """Plays hands and adds up what seats with and without each card won.

    Attributes
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    def __call__(self, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> np.ndarray:
        """Return sums of hands ``first`` to ``stop - 1``, of shape (2, 14, groups): dealt, ever held."""
        experiment = self.experiment
        quantities = Quantities(experiment)
        cards = Cards(experiment)
        players: int = experiment.options.players  # type: ignore[attr-defined]
        sides = np.arange(players) % quantities.sides
        total = np.zeros((2, 14, len(cards.names)), dtype=object)
        for block, events in traced_blocks(experiment, first, stop, cancelled):
            masks = quantities.winners(block)[:, np.newaxis]
            wins = quantities.shares[masks] * (masks >> sides & 1)
            found = held(events, experiment.game.story, players, cards.groups, len(cards.names))
            all_wins = wins.sum(axis=1, keepdims=True)
            for number, had in enumerate(found):
                won = np.einsum("hs,hsg->hg", wins, had)
                seats = quantities.win * had.sum(axis=1)
                total[number] += product_sums(all_wins - won, quantities.win * players - seats, won, seats)
        return total


@dataclass(frozen=True)
class ExchangePlay:
    """Plays deals as they are, and with a card of a hand exchanged for one of each group.

    Attributes
    ----------
    experiment : Experiment
    """

    experiment: Experiment

    def __call__(self, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> np.ndarray:
        """Return sums of deals ``first`` to ``stop - 1``, of shape (15, groups): deals compared, products."""
        masks = Cards(self.experiment).masks
        scale = Quantities(self.experiment).win
        without, _ = self._wins(0, first, stop, cancelled)
        columns = []
        for mask in masks:
            given, done = self._wins(mask, first, stop, cancelled)
            counted = scale * done.astype(np.int64)
            sums = product_sums(without * done, counted, given * done, counted)
            columns.append(np.concatenate([[int(done.sum())], sums]))
        return np.array(columns, dtype=object).T

    def _wins(
        self, kinds: int, first: int, stop: int, cancelled: Callable[[], bool] | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what the seat won whose card is exchanged, and whether it was."""
        from kernels.exchange import Exchange

        experiment = self.experiment
        quantities = Quantities(experiment)
        players: int = experiment.options.players  # type: ignore[attr-defined]
        rules, tables, policies = experiment.setup
        exchange = Exchange(np.uint64(kinds), np.zeros(most_rows(experiment), dtype=np.uint8))
        setup = (rules._replace(exchange=exchange), tables, policies)
        wins = np.zeros(stop - first, dtype=np.int64)
        done = np.zeros(stop - first, dtype=bool)
        for block in play_blocks(experiment, first, stop, cancelled, setup):
            here = slice(block.first - first, block.first - first + block.games)
            sides = np.arange(block.first, block.first + block.games) // players % players % quantities.sides
            masks = quantities.winners(block)
            wins[here] = quantities.shares[masks] * (masks >> sides & 1)
            done[here] = exchange.done[: block.rows] != 0
        return wins, done


def card_impact(
    game: str,
    n: int = 100_000,
    *,
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
    observed: bool = True,
    causal: bool = True,
    confidence: float = 0.95,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ImpactResult:
    """Return what each kind of card does for the win rate of who holds it.

    Parameters
    ----------
    game : str
        One of ``fastsim.games()``.
    n : int
        Hands to follow, and deals to play once as they are and once for each card.
    options, policy, fixed_seats, seed, confidence, threads, progress
        As of :func:`fastsim.run`.
    unit : {"hand"}
        Single hands only.
    observed : bool
        Measure win rates of seats that were dealt a card or ever held one, less those of the others.
    causal : bool
        Measure what exchanging one card of a starting hand for one of a kind changes.

    Raises
    ------
    UsageError
        For anything that is not accepted, before anything is played.
    """
    experiment = design(game, options, policy, fixed_seats, seed, unit)
    return impact_of(experiment, n, observed, causal, confidence, threads, progress)


def impact_of(
    experiment: Experiment,
    n: int,
    observed: bool = True,
    causal: bool = True,
    confidence: float = 0.95,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ImpactResult:
    """Measure the cards of an experiment that was designed; otherwise as :func:`card_impact`."""
    n = check_number(n)
    if experiment.unit != "hand":
        raise UsageError(
            "unit was given 'game'; accepted: hand, as a card is dealt or exchanged for one hand"
        )
    check_confidence(confidence)
    if not observed and not causal:
        raise UsageError("neither observed nor causal was asked for; accepted: one of them, or both")
    cards = Cards(experiment)
    count = len(cards.names)
    scale = Quantities(experiment).win
    share = max(1, -(-n // check_threads(threads)))
    whole = experiment.game.chunks["hand"]
    total = n * (observed + causal)
    done = 0

    def report(finished: int, _: int) -> None:
        if progress is not None:
            progress(done + finished, total)

    dealt: Sequence[reported.Observed | None] = [None] * count
    ever: Sequence[reported.Observed | None] = [None] * count
    followed, exchanged = 0, 0
    interrupted = False
    if observed:
        chunk = min(share, max(1, whole // COST))
        outcome = play_in_order(ObservedPlay(experiment), np.add, n, chunk, threads, None, report)
        followed, interrupted = outcome.games, outcome.interrupted
        done = n
        if outcome.part is not None:
            dealt, ever = (
                [
                    reported.observed(_sums(followed, sums[:, each], scale), confidence)
                    for each in range(count)
                ]
                for sums in outcome.part
            )
    effects: Sequence[reported.Effect | None] = [None] * count
    if causal and not interrupted:
        chunk = min(share, max(1, whole // (count + 1)))
        outcome = play_in_order(ExchangePlay(experiment), np.add, n, chunk, threads, None, report)
        exchanged, interrupted = outcome.games, outcome.interrupted
        if outcome.part is not None:
            sums = [_sums(int(column[0]), column[1:], scale) for column in outcome.part.T]
            effects = reported.effects(sums, exchanged, confidence)
    found = zip(cards.names, cards.copies, dealt, ever, effects, strict=True)
    impact = CardImpact(
        experiment.describe(n),
        followed,
        exchanged,
        confidence,
        reported.ordered([Card(*each) for each in found]),
        cards_command(experiment, n, observed, causal, confidence),
    )
    return ImpactResult(impact, interrupted)


def _sums(n: int, sums: np.ndarray, scale: int) -> Sums:
    return Sums(Products(n, *(int(each) for each in sums)), scale)

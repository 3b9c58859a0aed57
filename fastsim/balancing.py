"""How balanced, varied and skilful a rule set is."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fastsim import luck, stories
from fastsim.commands import balance_command
from fastsim.dueling import design_duel, duel_of
from fastsim.engine import check_confidence, check_number, check_threads
from fastsim.experiment import LARGEST_SEED, Experiment, design
from fastsim.findings import Findings, Forms
from fastsim.ordered import play_in_order
from fastsim.page import check_seconds
from fastsim.pairing import ONE, Paired, PairedPlay, Quantities, Quantity, add
from fastsim.policy import RANDOM, Policy
from fastsim.tracing import COST
from reports import balance as measures
from reports import intervals
from reports.balance import BROWNE, CARDSTOCK, Balance, Measure
from reports.intervals import UNKNOWN, Estimate
from reports.summary import summarise

if TYPE_CHECKING:
    from reports.page.model import Page

_ONE = Quantity(*ONE)
_FEWEST_DEALS = 1000
STORY = ("drama", "comeback", "deficit_overcome", "decisiveness")
LUCK = ("luck", "variance_between_deals", "variance_within_deals")
SKILL = "skill"
"""Measures that are taken one after the other, after all others; an interrupt leaves out those to come."""


@dataclass(frozen=True)
class BalanceResult(Findings):
    """The result of :func:`balance`.

    Attributes
    ----------
    balance : Balance
        Everything found.
    interrupted : bool
    """

    forms: ClassVar[Forms] = measures

    balance: Balance
    interrupted: bool

    @property
    def found(self) -> Balance:
        """Everything found."""
        return self.balance

    def laid_out(self, made_with: Mapping[str, str]) -> "Page":
        """Return the page of it."""
        from reports.page.balance import balance_page

        return balance_page(self.balance, self.interrupted, made_with)


def balance(
    game: str,
    n: int = 100_000,
    *,
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
    confidence: float = 0.95,
    seconds_a_turn: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BalanceResult:
    """Return measures of balance, decisions, course, length, luck and skill, each with its definition.

    Parameters
    ----------
    game : str
        One of ``fastsim.games()``.
    n : int
        Hands or games. A tenth of that many, but at least 1,000, are followed step by step for the
        measures of how they go, are played several times for the luck, and are the deals on which every
        preset plays against ``random`` for the skill, the best of them again with a fresh seed.
    options, policy, fixed_seats, seed, unit, confidence, threads, progress
        As of :func:`fastsim.run`.
    seconds_a_turn : float, optional
        How long people take for a turn; gives the time at the table.

    Raises
    ------
    UsageError
        For anything that is not accepted, before anything is played.
    """
    experiment = design(game, options, policy, fixed_seats, seed, unit)
    return balance_of(experiment, options or {}, n, confidence, seconds_a_turn, threads, progress)


def balance_of(
    experiment: Experiment,
    options: Mapping[str, object],
    n: int,
    confidence: float = 0.95,
    seconds_a_turn: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BalanceResult:
    """Measure an experiment that was designed with these options; otherwise as :func:`balance`."""
    n = check_number(n)
    check_confidence(confidence)
    check_seconds(seconds_a_turn)
    _ = experiment.setup  # made once, here, and not by every thread
    sums = _Sums(experiment)
    play = PairedPlay((experiment,), sums.pairs)
    outcome = play_in_order(play, add, n, _chunk(experiment, n, 1, threads), threads, None, progress)
    played = outcome.part if outcome.part is not None else play(0, 0)
    found = sums.measures(played, outcome.games, confidence, seconds_a_turn)
    interrupted = outcome.interrupted
    sample = max(_FEWEST_DEALS, n // 10)
    if not interrupted:
        followed, interrupted = _followed(experiment, sample, confidence, threads)
        found += [each for each in followed if each.name not in {known.name for known in found}]
    if not interrupted:
        again, interrupted = _luck(experiment, sample, confidence, threads)
        found += again
    if not interrupted:
        skill = _skill(experiment, options, sample, confidence, threads)
        interrupted = skill is None
        found += [skill] if skill else []
    done = {each.name for each in found}
    left_out = tuple(name for name in (*STORY, *LUCK, SKILL) if name not in done) if interrupted else ()
    command = balance_command(experiment, n, confidence, seconds_a_turn)
    described = experiment.describe(n)
    verdict = summarise(played.tallies[0], described, confidence).first_player.verdict
    return BalanceResult(
        Balance(described, outcome.games, confidence, tuple(found), verdict, command, left_out), interrupted
    )


class _Sums:
    """Which products the measures need, and what they say."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.quantities = Quantities(experiment)
        names = self.quantities.names
        self.wins = [Quantity("win", "winners", side) for side in range(self.quantities.sides)]
        turns = "turns" if Quantity("hand", "turns") in names else "decisions"
        self.turns = Quantity("hand", turns)
        self.moves = Quantity("hand", "moves" if Quantity("hand", "moves") in names else turns)
        ratios = {
            "forced_share": (Quantity("hand", "forced"), Quantity("hand", "decisions")),
            "branching": (Quantity("hand", "choices"), Quantity("hand", "decisions")),
            "lead_changes_a_move": (Quantity("hand", "lead_changes"), self.moves),
            "turns": (self.turns, _ONE),
        }
        self.ratios = {name: pair for name, pair in ratios.items() if set(pair) <= set(names)}
        wanted: set[tuple[int, int]] = set()
        for group in (self.wins, *self.ratios.values()):
            rows = [names[each] for each in (_ONE, *group)]
            wanted |= {(min(a, b), max(a, b)) for a in rows for b in rows}
        self.pairs = tuple(sorted(wanted))
        self._place = {pair: index for index, pair in enumerate(self.pairs)}

    def product(self, played: Paired, a: Quantity, b: Quantity = _ONE) -> int:
        """Return the sum over the games of the product of two quantities."""
        rows = sorted((self.quantities.names[a], self.quantities.names[b]))
        return int(played.products[self._place[rows[0], rows[1]]])

    def ratio(self, played: Paired, name: str, n: int, confidence: float) -> Estimate:
        """Return a ratio of totals, by its name."""
        x, y = self.ratios[name]
        return intervals.ratio(
            n,
            self.product(played, x), self.product(played, x, x),
            self.product(played, y), self.product(played, y, y),
            self.product(played, x, y),
            confidence,
        )  # fmt: skip

    def measures(
        self, played: Paired, n: int, confidence: float, seconds_a_turn: float | None
    ) -> list[Measure]:
        """Return all measures but the skill."""
        experiment = self.experiment
        unit = experiment.unit
        summary = summarise(played.tallies[0], experiment.describe(max(n, 1)), confidence)
        sides = self.quantities.sides
        gap = measures.largest_gap(
            n,
            [self.product(played, won) for won in self.wins],
            [[self.product(played, a, b) for b in self.wins] for a in self.wins],
            self.quantities.win,
            confidence,
        )
        side = experiment.game.side(experiment.options)
        starting = summary.seats[0].rate if gap.value is not None else UNKNOWN  # nobody won anything
        found = [
            Measure("balance", measures.complement(gap),
                    f"1 less the largest gap between the win rates of two {side}s", BROWNE),
            Measure("fairness", measures.fairness(starting, sides),
                    "1 if whoever starts wins a fair share, 0 if always or never", CARDSTOCK),
        ]  # fmt: skip
        if "forced_share" in self.ratios:
            share = self.ratio(played, "forced_share", n, confidence)
            found.append(
                Measure("decision_share", measures.complement(share),
                        "share of decisions that offer more than one choice")
            )  # fmt: skip
            branching = self.ratio(played, "branching", n, confidence)
            found.append(Measure("branching", branching, "choices that a decision offers", BROWNE))
        if "lead_changes_a_move" in self.ratios:
            changes = self.ratio(played, "lead_changes_a_move", n, confidence)
            metrics = experiment.game.metrics(experiment.options)
            meaning = next((m.meaning for m in metrics if m.name == "lead_changes"), "changes of the lead")
            text = f"{meaning}, for each of the {self.moves.metric}"
            found.append(Measure("lead_changes_a_move", changes, text, BROWNE))
        length = next(
            (m for m in experiment.game.metrics(experiment.options)
             if m.role == "length" and m.unit == unit and not m.labels),
            None,
        )  # fmt: skip
        if length is not None:
            counts = played.tallies[0].counts(unit, length.name)
            spread = measures.variation(
                counts["value"].to_numpy().astype(np.int64), counts["n"].to_numpy(), confidence
            )
            text = f"standard deviation of {length.name} over their mean"
            found.append(Measure("length_spread", spread, text))
        if seconds_a_turn is not None and "turns" in self.ratios:
            turns = self.ratio(played, "turns", n, confidence)
            time = turns.scaled(seconds_a_turn / 60)
            text = f"minutes a {unit}, at {seconds_a_turn:g} seconds for each of its {self.turns.metric}"
            found.append(Measure("minutes", time, text))
        return found


def _chunk(experiment: Experiment, n: int, cost: int, threads: int | None) -> int:
    """Return how many games to play as one piece of work, if each costs as much as so many."""
    chunk = max(1, experiment.game.chunks[experiment.unit] // cost)
    return min(chunk, max(1, -(-n // check_threads(threads))))


def _followed(
    experiment: Experiment, n: int, confidence: float, threads: int | None
) -> tuple[list[Measure], bool]:
    """Return measures of how hands or games go, and whether that was interrupted."""
    play = stories.StoryPlay(experiment)
    chunk = _chunk(experiment, n, COST, threads)
    outcome = play_in_order(play, operator.add, n, chunk, threads)
    if outcome.part is None:
        return [], outcome.interrupted
    found = [stories.lead_changes(experiment, outcome.part, confidence)]
    return found + stories.measures(experiment, outcome.part, confidence), outcome.interrupted


def _luck(
    experiment: Experiment, n: int, confidence: float, threads: int | None
) -> tuple[list[Measure], bool]:
    """Return measures of luck, and whether that was interrupted."""
    play = luck.LuckPlay(experiment)
    outcome = play_in_order(play, luck.add, n, _chunk(experiment, n, luck.REPLICATES, threads), threads)
    found = [] if outcome.part is None else luck.measures(experiment, outcome.part, confidence)
    return found, outcome.interrupted


def _skill(
    experiment: Experiment, options: Mapping[str, object], deals: int, confidence: float, threads: int | None
) -> Measure | None:
    """Return how much better the best preset does than ``random``; None if interrupted."""
    game = experiment.game
    players: int = getattr(experiment.options, "players")  # noqa: B009 (every game has it)
    presets = [name for name in game.policies if name != RANDOM]
    text = f"advantage of the best preset over {RANDOM}: 0 wins an even share, 1 everything"
    if not presets or game.sides(experiment.options) != players:
        return Measure("skill", UNKNOWN, text + " (not measured for teams)")

    def share(name: str, seed: int) -> Estimate | None:
        tables = design_duel(game.name, [name, *[RANDOM] * (players - 1)], options, seed, experiment.unit)
        result = duel_of(tables, deals, confidence, threads)
        return None if result.interrupted else result.duel.matchups[0].standings[0].share

    shares = {}
    for name in presets:
        found = share(name, experiment.seed)
        if found is None:
            return None
        shares[name] = found.value or 0.0
    best = max(shares, key=shares.__getitem__)
    # With a fresh seed, as the best was chosen for how well it did.
    fresh = share(best, experiment.seed + 1 if experiment.seed < LARGEST_SEED else 0)
    if fresh is None:
        return None
    estimate = measures.advantage(fresh, 1 / players)
    return Measure("skill", estimate, f"{text} ({best})", "", deals)

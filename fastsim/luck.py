"""How much of who wins is in the cards: the same deals played again, and decided otherwise."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fastsim.experiment import Experiment, play_blocks
from fastsim.pairing import Quantities
from reports.balance import CLOUD_LABER, EFRON_STEIN, Measure, components

REPLICATES = 4
"""How often each deal is played."""


@dataclass(frozen=True)
class Wins:
    """What sides won on deals, or with several policies what these did.

    Attributes
    ----------
    totals : int64 array (deals, sides or policies)
        Shares of the win over all replicates; a whole win counts as in ``Quantities.win``.
    squares : int64 array (deals,)
        Sum of the squares of all these shares.
    """

    totals: np.ndarray
    squares: np.ndarray


def add(left: Wins, right: Wins) -> Wins:
    """Return the wins on the deals of both, in this order."""
    return Wins(np.concatenate([left.totals, right.totals]), np.concatenate([left.squares, right.squares]))


@dataclass(frozen=True)
class LuckPlay:
    """Plays each deal several times: the same cards, other random numbers for decisions and accidents.

    Attributes
    ----------
    experiment : Experiment
    replicates : int
        The first is what is played anyway.
    """

    experiment: Experiment
    replicates: int = REPLICATES

    def __call__(self, first: int, stop: int, cancelled: Callable[[], bool] | None = None) -> Wins:
        """Return the wins on deals ``first`` to ``stop - 1``."""
        from kernels.streams import REPLICATE_BITS

        quantities = Quantities(self.experiment)
        # Seats that a better policy visits would win more on some deals than on others for that alone.
        several = len(self.experiment.policies) > 1
        metric = "policy_winners" if several else "winners"
        winners = len(self.experiment.policies) if several else quantities.sides
        bits = 1 << np.arange(winners)
        totals = np.zeros((stop - first, winners), dtype=np.int64)
        squares = np.zeros(stop - first, dtype=np.int64)
        rules, tables, policies = self.experiment.setup
        for replicate in range(self.replicates):
            setup = (rules, tables, policies._replace(replicate=np.uint64(replicate) << REPLICATE_BITS))
            for block in play_blocks(self.experiment, first, stop, cancelled, setup):
                masks = quantities.winners(block, metric)
                won = np.where(masks[:, np.newaxis] & bits, quantities.shares[masks][:, np.newaxis], 0)
                here = slice(block.first - first, block.first - first + block.games)
                totals[here] += won
                squares[here] += (won.astype(np.int64) ** 2).sum(axis=1)
        return Wins(totals, squares)


def measures(experiment: Experiment, wins: Wins, confidence: float) -> list[Measure]:
    """Return luck, and the variances that it is made of."""
    quantities = Quantities(experiment)
    side = "policy" if len(experiment.policies) > 1 else experiment.game.side(experiment.options)
    found = components(wins.totals, wins.squares, REPLICATES, quantities.win, confidence)
    deals = len(wins.totals)
    return [
        Measure("luck", found.share,
                f"share of the variance of a {side}'s win that lies between deals: what the cards decide "
                "before anybody chooses, at these policies (1 if what they leave to chance never matters)",
                f"{CLOUD_LABER}; interval: {EFRON_STEIN}", deals),
        Measure("variance_between_deals", found.between,
                f"of a {side}'s chance to win, from deal to deal", "", deals),
        Measure("variance_within_deals", found.within,
                f"of a {side}'s win, when a deal is played again (each was played {REPLICATES} times)",
                "", deals),
    ]  # fmt: skip

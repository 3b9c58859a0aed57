"""Play one game again and tell what happened."""

from dataclasses import dataclass

import numpy as np

from fastsim.errors import whole_number
from fastsim.experiment import MOST_GAMES, Experiment
from fastsim.tracing import traced_blocks


@dataclass(frozen=True)
class Transcript:
    """One game, event by event.

    Attributes
    ----------
    experiment : Experiment
    game : int
        Its number.
    events : numpy.ndarray
        int32, shape (events, 8), as the kernel's layout names them.
    """

    experiment: Experiment
    game: int
    events: np.ndarray

    @property
    def lines(self) -> list[str]:
        """The game as lines to read."""
        return self.experiment.game.tell(self.events, self.experiment.options)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def trace(experiment: Experiment, game: int) -> Transcript:
    """Return what happened in one game of an experiment: the same as in any run of it.

    Raises ``UsageError`` if the number is no game's.
    """
    game = whole_number("game", game, 0, MOST_GAMES - 1)
    _, events = next(traced_blocks(experiment, game, game + 1))
    return Transcript(experiment, game, events.copy())

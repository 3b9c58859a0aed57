"""Play one game again and tell what happened."""

from dataclasses import dataclass

import numpy as np

from fastsim.errors import whole_number
from fastsim.experiment import MOST_GAMES, Experiment

_ROOM = 1 << 14


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
    from kernels.blocks import new_block
    from kernels.trace import events_of, new_trace

    played = experiment.game
    rules, tables, policies = experiment.setup
    hands = max(1, played.most_hands(experiment.options, experiment.unit))
    room = _ROOM
    while True:
        buffer = new_trace(room)
        played.kernel.play(
            np.uint64(experiment.seed),
            game,
            game + 1,
            experiment.unit == "game",
            rules,
            tables,
            policies,
            played.new_scratch(),
            new_block(len(played.layout.HAND_COLUMNS), hands),
            new_block(len(played.layout.GAME_COLUMNS), 1),
            buffer,
        )
        try:
            return Transcript(experiment, game, events_of(buffer))
        except OverflowError:
            room = int(buffer[0, 0])

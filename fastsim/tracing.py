"""Play games and keep what happened in them, event by event."""

from collections.abc import Callable, Iterator

import numpy as np

from fastsim.experiment import Block, Cancelled, Experiment, Setup, new_blocks

COST = 8
"""Hands that could be played while one is played, kept and read, about."""
_ROOM = 1 << 16
"""Events of a buffer."""
_FIRST_GAMES = 64
_FILL = 0.8
"""How full to make a buffer: games differ in length, and what has no room is played again."""


def traced_blocks(
    experiment: Experiment,
    first: int,
    stop: int,
    cancelled: Callable[[], bool] | None = None,
    setup: Setup | None = None,
) -> Iterator[tuple[Block, np.ndarray]]:
    """Play games as ``play_blocks`` does, and yield each block with its events.

    Where one block ends and the next begins tells nothing. The events are int32 of shape
    ``(events, 8)``, as the kernel's layout names them, and valid until the next block is played.
    """
    from kernels.trace import new_trace

    game = experiment.game
    rules, tables, policies = setup or experiment.setup
    scratch = game.new_scratch()
    hands_block, games_block = new_blocks(experiment)
    trace = new_trace(_ROOM)
    games = _FIRST_GAMES
    at = first
    while at < stop:
        if cancelled is not None and cancelled():
            raise Cancelled("stopped")
        trace[0, 0] = 0
        following, rows = game.kernel.play(
            np.uint64(experiment.seed), at, min(at + games, stop), experiment.unit == "game",
            rules, tables, policies, scratch, hands_block, games_block, trace,
        )  # fmt: skip
        events = int(trace[0, 0])
        played = following - at
        if events < len(trace):
            yield Block(at, played, rows, hands_block, games_block), trace[1 : 1 + events]
            at = following
        elif played == 1:
            trace = new_trace(events)
        games = max(1, int(_FILL * (len(trace) - 1) * played / max(events, 1)))

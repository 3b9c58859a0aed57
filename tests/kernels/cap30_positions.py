"""Positions of Cap30 set up by stacking the deck, and played by the kernel."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fastsim.experiment import design
from kernels.blocks import as_table, new_block
from kernels.cap30 import layout as at
from kernels.cap30.play import play
from kernels.trace import events_of, new_trace

Move = tuple[int, str, int]
"""Seat, kind and copies."""


@dataclass
class Played:
    """One hand, or the hands of a game: events, and the first row of records by metric and key."""

    events: list[list[int]]
    row: dict[tuple[str, int], int]

    def of(self, code: int) -> list[list[int]]:
        """Return the events of one code, without the code."""
        return [event[1:] for event in self.events if event[0] == code]

    def moves(self) -> list[Move]:
        """Return seat, kind and copies of every move."""
        return [(seat, at.KIND_NAMES[kind], copies) for seat, kind, copies, *_ in self.of(at.MOVE)]

    def turns(self) -> list[int]:
        """Return whose turn it was, turn by turn."""
        return [seat for seat, *_ in self.of(at.TURN)]

    def after(self, number: int) -> list[list[int]]:
        """Return the events that follow move ``number`` (from 0), up to the next turn or move."""
        places = [i for i, event in enumerate(self.events) if event[0] == at.MOVE]
        following = []
        for event in self.events[places[number] + 1 :]:
            if event[0] in (at.TURN, at.MOVE):
                break
            following.append(event)
        return following


def hand(
    hands: Sequence[str],
    pile: str = "",
    script: Sequence[Move] = (),
    total: int = 15,
    cap: int = 30,
    want: Callable[[Played], bool] = lambda played: True,
    tries: int = 20_000,
    by_game: bool = False,
    **options: object,
) -> Played:
    """Return a hand, or a game whose hands all begin so, with these cards and these first moves.

    ``hands`` are kinds with blanks between, seat 0 first; all hands but seat 0's are of one size.
    The draw pile is drawn from left to right. Of the games that chance makes of it, the first
    whose moves begin with the script, and that is as wanted, is returned.
    """
    dealt = [cards.split() for cards in hands]
    size = len(dealt[1])
    order = [
        dealt[seat][i]
        for i in range(max(len(cards) for cards in dealt))
        for seat in range(len(dealt))
        if i < len(dealt[seat])
    ]
    order += pile.split()
    counts = Counter(order)
    drains = counts.pop("Drain", 0)
    experiment = design(
        "cap30",
        {
            "players": len(dealt),
            "deck": dict(counts),
            "drain_cards": drains,
            "cap": cap,
            "start": total,
            "hand_size": size,
            "starter_extra": len(dealt[0]) - size,
            "max_turns": 60,
            **options,
        },
        policy="random",
        unit="game" if by_game else "hand",
    )
    rules, tables, policies = experiment.setup
    rules = rules._replace(shuffle=0)
    tables = tables._replace(deck=np.array([at.KIND_NAMES.index(k) for k in reversed(order)], dtype=np.uint8))
    most = experiment.game.most_hands(experiment.options, experiment.unit)
    block = new_block(len(at.HAND_COLUMNS), most)
    games = new_block(len(at.GAME_COLUMNS), 1)
    scratch = experiment.game.new_scratch()
    seed = np.uint64(1)
    for game in range(tries):
        trace = new_trace(3000 * most)
        play(seed, game, game + 1, by_game, rules, tables, policies, scratch, block, games, trace)
        events = events_of(trace).tolist()
        values = as_table(block, len(at.HAND_COLUMNS), 1)[:, 0].tolist()
        row = {(c.metric, c.key): v for c, v in zip(at.HAND_COLUMNS, values, strict=True)}
        played = Played(events, row)
        if played.moves()[: len(script)] == list(script) and want(played):
            return played
    raise AssertionError(f"no game of {tries} is as wanted")

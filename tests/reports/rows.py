"""Raw rows of made-up hands and games, and the tally that a run would have made of them.

Tests compute what they expect from the rows, with numpy, and never from the tally.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reports.description import Assumption, Metric, RunDescription
from reports.tally import Tally

Columns = Mapping[tuple[str, int], np.ndarray]

SIDES = 3
KINDS = {0: "+1", 1: "+2", 2: "-1", 3: "-2", 4: "Skip"}
TOTALS = {total: str(total) for total in range(6)}

METRICS = (
    Metric("hands", "hands until somebody has won the game", "game", "length"),
    Metric("drawn_game", "games that nobody won in time", "game", "ends"),
    Metric("turns", "turns until the hand ends", role="length"),
    Metric("moves", "plays", role="length"),
    Metric("decisions", "moments of choice", role="pace"),
    Metric("choices", "choices at all of them", role="pace"),
    Metric("forced", "decisions with one choice", role="pace"),
    Metric("reshuffles", "times the discards were shuffled", role="pace"),
    Metric("chains", "turns by how many moves they had", role="pace", labels={0: "0", 1: "1", 2: "2"}),
    Metric("blocked", "hands where nobody could move", role="ends"),
    Metric("truncated", "hands that took too long", role="ends"),
    Metric("cards_left_of_a_loser", "cards left of who did not win", role="ends", per="losers"),
    Metric("cards_left", "cards left at the end", role="seats", labels={s: f"seat{s}" for s in range(SIDES)}),
    Metric("plays", "times played, a hand", role="cards", labels=KINDS),
    Metric("total_share", "share of moves that left the total there", "hand", "share", TOTALS, "moves"),
    Metric("losers", "players who did not win"),
)


@dataclass(frozen=True)
class Rows:
    """Values of each column, a row a hand or a game.

    Attributes
    ----------
    hands : mapping
        By metric and key.
    shares : mapping
        Likewise, of the metrics that are kept as sums, with ``per`` naming the other metric.
    game : array or None
        The game that each hand belongs to; None in a run of hands.
    games : mapping
    """

    hands: Columns
    shares: Columns
    per: Mapping[str, str]
    game: np.ndarray | None = None
    games: Columns = field(default_factory=dict)

    def by_game(self, values: np.ndarray) -> np.ndarray:
        """Return the total over the hands of each game."""
        assert self.game is not None
        return np.bincount(self.game, weights=values).astype(np.int64)

    def tally(self) -> Tally:
        """Return the tally of a run that played these rows."""
        counted: list[tuple[str, str, int, int, int]] = []
        for unit, columns in (("hand", self.hands), ("game", self.games)):
            for (metric, key), values in columns.items():
                seen, counts = np.unique(values, return_counts=True)
                counted += [
                    (unit, metric, key, int(value), int(n)) for value, n in zip(seen, counts, strict=True)
                ]
        for (metric, key), values in self.shares.items():
            counted += _sums("hand", metric, key, values, self.hands[self.per[metric], -1])
        if self.game is not None:
            hands = np.bincount(self.game)
            for (metric, key), values in self.hands.items():
                counted += _sums("game", metric, key, self.by_game(values), hands)
            for (metric, key), values in self.shares.items():
                other = self.by_game(self.hands[self.per[metric], -1])
                counted += _sums("game", metric, key, self.by_game(values), other)
        return Tally.from_columns(*(np.array(column) for column in zip(*counted, strict=True)))


def _sums(
    unit: str, metric: str, key: int, x: np.ndarray, y: np.ndarray
) -> list[tuple[str, str, int, int, int]]:
    return [
        (unit, f"{metric}:{name}", key, 0, int(total))
        for name, total in (("sum", x.sum()), ("square", (x * x).sum()), ("product", (x * y).sum()))
    ]


def played(hands: int, seed: int = 0, games: int = 0, blocked: float = 0.02) -> Rows:
    """Return made-up hands; with `games`, spread over as many, those of one game being alike."""
    draw = np.random.default_rng(seed)
    game = (
        np.sort(np.concatenate([np.arange(games), draw.integers(0, games, hands - games)])) if games else None
    )
    pace = np.ones(hands) if game is None else draw.gamma(4.0, 0.25, games)[game]
    void = draw.random(hands) < blocked
    mask = np.where(draw.random(hands) < 0.1, 0b011, 1 << draw.integers(0, SIDES, hands))
    winners = np.where(void, 0, mask)
    turns = 3 + draw.poisson(9 * pace)
    columns = {
        ("winners", -1): winners,
        ("policy_winners", -1): np.where(winners == 0, 0, (winners << 1 | winners >> 2) & 0b111),
        ("turns", -1): turns,
        ("moves", -1): 1 + draw.binomial(turns, 0.9),
        ("decisions", -1): 1 + draw.binomial(turns, 0.95),
        ("choices", -1): turns * 3 + draw.poisson(5, hands),
        ("forced", -1): draw.binomial(turns, 0.1),
        ("reshuffles", -1): np.zeros(hands, dtype=np.int64),
        ("blocked", -1): void.astype(np.int64),
        ("truncated", -1): np.zeros(hands, dtype=np.int64),
        ("losers", -1): SIDES - np.bitwise_count(winners).astype(np.int64),
    }
    columns |= {("chains", key): draw.poisson(rate, hands) for key, rate in ((0, 0.5), (1, 8.0), (2, 0.02))}
    columns |= {("plays", key): draw.poisson(0.4 + 0.3 * key, hands) for key in KINDS}
    left = {
        ("cards_left", seat): np.where(winners >> seat & 1, 0, draw.poisson(4, hands))
        for seat in range(SIDES)
    }
    moves = columns["moves", -1]
    shares = {("cards_left_of_a_loser", -1): np.sum(list(left.values()), axis=0)}
    shares |= {
        ("total_share", total): draw.binomial(moves, share)
        for total, share in enumerate((0.1, 0.2, 0.3, 0.05, 0.0, 0.35))
    }
    columns |= left
    of_games: dict[tuple[str, int], np.ndarray] = {}
    if game is not None:
        won = 1 << draw.integers(0, SIDES, games)
        drawn = draw.random(games) < 0.03
        of_games = {
            ("hands", -1): np.bincount(game),
            ("winners", -1): np.where(drawn, 0b111, won),
            ("policy_winners", -1): np.where(drawn, 0b111, won),
            ("drawn_game", -1): drawn.astype(np.int64),
        }
    per = {"cards_left_of_a_loser": "losers", "total_share": "moves"}
    return Rows(columns, shares, per, game, of_games)


def described(
    requested: int,
    unit: str = "hand",
    policies: tuple[str, ...] = ("balanced",),
    metrics: tuple[Metric, ...] = METRICS,
    **changes: Any,
) -> RunDescription:
    """Return what a run of such hands was."""
    known: dict[str, Any] = {
        "game": "sample",
        "title": "Sample",
        "unit": unit,
        "requested": requested,
        "seed": 7,
        "options": {"players": SIDES, "deck": "small", "chain_limit": 2, "must_play": True},
        "changed": ("chain_limit",),
        "policies": policies,
        "fixed_seats": False,
        "side": "seat",
        "sides": SIDES,
        "metrics": metrics,
        "endings": {"blocked": "blocked: nobody could move", "truncated": "truncated: too many turns"},
        "assumptions": (
            Assumption("S4", "chain_limit", "ruling", "At most two moves in one turn."),
            Assumption(
                "S9",
                "",
                "assumed",
                "A hand that takes 1,000 turns is void, and the same player starts again.",
            ),
        ),
        "version": "1.2.3",
    }
    return RunDescription(**(known | changes))

"""Cap Zap: its options, what policies may look at, what is recorded, and how a round is told."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from fastsim.catalog.cap_zap.options import CapZapOptions
from fastsim.catalog.cap_zap.story import IN_GAME, IN_ROUND, STORY
from fastsim.catalog.cap_zap.transcript import tell
from fastsim.catalog.game import Game, Unit
from fastsim.catalog.story import Standing
from fastsim.policy import Policy
from kernels.cap_zap import layout
from reports.description import Assumption, Metric, Picture

_RULINGS = (
    ("Z7", "in teams, a card zaps a teammate's card like any other"),
    ("Z11", "of several sides with the target the highest wins; in a single round the sides with the most "
            "tricks share the win"),
    ("Z12", "seat 0 deals, and so leads, the first round; the deal passes to the left"),
)  # fmt: skip


class CapZap(Game):
    """Cap Zap (rules Z1-Z14)."""

    name = "cap-zap"
    title = "Cap Zap"
    summary = "tricks with the fifty states: a neighbour in the alphabet zaps the card that is winning"
    options = CapZapOptions
    features = {
        "zaps": "1 if the card zaps the holder of the trick",
        "zaps_teammate": "1 if it zaps a teammate",
        "zaps_ahead": "1 if it zaps a side that has more tricks than the own",
        "zaps_sweeper": "1 if it zaps another side that has won every trick so far, and at least one",
        "sure": "1 if it holds the trick, and no player of another side is to come who could zap it",
        "threats": "if it holds the trick: cards that zap it, on average, in the hands of players of other "
                   "sides who are to come",
        "threats_on_lead": "as threats, when leading, else 0",
        "exposure": "unseen cards (not played in this round, nor in the own hand) that zap it, whether it "
                    "holds the trick or not",
        "cover_lost": "unseen cards that the hand can zap with this card and with no other",
        "spare": "1 if the hand has another card of the letter",
        "common": "other cards of the whole deck that zap it",
    }  # fmt: skip
    story = STORY
    rulings = tuple(Assumption(rule, "", "ruling", text) for rule, text in _RULINGS)

    def metrics(self, options: CapZapOptions) -> tuple[Metric, ...]:
        """Return the metrics of the rules page, for the letters and sides that can occur."""
        sides = {side: f"side{side}" for side in range(options.sides)}
        # Without teams a seat and its side are the same, and both names are given.
        seats = {seat: f"seat{seat}" for seat in range(options.players)}
        of_sides = {layout.MAX_PLAYERS + side: label for side, label in sides.items()}
        letters = {k: layout.KIND_NAMES[k] for k in dict.fromkeys(options.cards())}
        zaps = {k: str(k) for k in range(options.players)}
        places = {k: str(k + 1) for k in range(options.players)}
        tricks = {k: str(k + 1) for k in range(options.hand_size)}
        tied = {k: str(k) for k in range(2, options.sides + 1)}
        return (
            Metric("decisions", "decisions", role="pace"),
            Metric("choices", "choices over all decisions", role="pace"),
            Metric("forced", "decisions with one choice", role="pace"),
            Metric("won_by_leader", "tricks won by who led them", role="pace"),
            Metric("won_by_last", "tricks won by the last to play", role="pace"),
            Metric("won_at_position", "tricks won by the first, second, ... to play", role="pace",
                   labels=places,
                   picture=Picture("Position in the trick", "columns", axis="place in the order of play",
                                   note="Tricks of a round that are won from there.")),
            Metric("tricks_with_zaps", "tricks by number of zaps", role="pace", labels=zaps,
                   picture=Picture("Zaps of a trick", "columns", axis="zaps",
                                   note="Tricks of a round in which the holder changed so often.")),
            Metric("zaps", "zaps in the first, second, ... trick", role="pace", labels=tricks,
                   picture=Picture("Zaps as the round goes on", "columns", axis="trick",
                                   note="Zaps in the first, second, ... trick.")),
            Metric("points", "points of the round", role="seats", labels=sides),
            Metric("tricks", "tricks won", role="seats", labels=of_sides | seats),
            Metric("sweeps", "rounds in which one side won every trick", role="ends"),
            Metric("bonuses", "rounds with a bonus for many tricks", role="ends"),
            Metric("tied", "rounds in which several sides share the most tricks", role="ends"),
            Metric("tied_by", "the same, by number of sides", role="ends", labels=tied),
            Metric("plays", "cards played, by letter", role="cards", labels=letters),
            Metric("leads", "cards led, by letter", role="cards", labels=letters),
            Metric("held", "tricks won, by letter", role="cards", labels=letters,
                   picture=Picture("Letters that win", "bars", axis="share of cards that win the trick",
                                   by="plays", note="How often a card of this letter wins its trick.")),
            Metric("rounds", "rounds", unit="game", role="length"),
            Metric("points", "points at the end", unit="game", role="seats", labels=sides),
            Metric("truncated", "games truncated at max_rounds", unit="game", role="ends"),
        )  # fmt: skip

    def setup(self, options: CapZapOptions, policies: Sequence[Policy], rotate: bool) -> tuple[Any, Any, Any]:
        """Return rules, tables and policies as the kernel takes them."""
        from kernels.cap_zap import tables

        rules = tables.Rules(
            players=options.players,
            sides=options.sides,
            hand_size=options.hand_size,
            win_points=options.win_points,
            tie_points=options.tie_points,
            bonus_tricks=options.bonus_tricks,
            bonus_points=options.bonus_points,
            sweep_points=options.sweep_points,
            bonus_stacks=int(options.bonus_stacks),
            target=options.target,
            shared_win=int(options.shared_win),
            max_rounds=options.max_rounds,
            shuffle=1,
        )
        built = tables.build_tables(options.cards(), options.reach, options.wrap)
        return (
            rules,
            built,
            tables.build_policies(
                [policy.millionths() for policy in policies],
                [policy.noise(tables.NOISE_LEVELS) for policy in policies],
                rotate,
                built,
            ),
        )

    def standing(self, options: CapZapOptions, unit: Unit) -> Standing:
        """Return who is ahead in a hand or in a whole game, and how a trace tells."""
        return IN_GAME if unit == "game" else IN_ROUND

    def card_names(self, options: CapZapOptions) -> Mapping[int, str]:
        """Return a name for each kind of card; kinds that mean the same to the rules share one."""
        return dict(enumerate(layout.KIND_NAMES))

    def tell(self, events: np.ndarray, options: CapZapOptions) -> list[str]:
        """Return a trace as lines to read."""
        return tell(events, options)

    def side(self, options: CapZapOptions) -> Literal["seat", "side"]:
        """Return what wins: a side, which without teams is one seat."""
        return "side"

    def sides(self, options: CapZapOptions) -> int:
        """Return how many of them there are."""
        return options.sides

    def most_hands(self, options: CapZapOptions, unit: Unit) -> int:
        """Return how many rounds one round or one game can have."""
        return options.max_rounds if unit == "game" else 1


GAME = CapZap()

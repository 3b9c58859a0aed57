"""Kapaga: its options, what policies may look at, what is recorded, and how a hand is told."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastsim.catalog.game import Game, Unit
from fastsim.catalog.kapaga.options import KapagaOptions
from fastsim.catalog.kapaga.story import IN_HAND, STORY, card_names, in_game
from fastsim.catalog.kapaga.transcript import tell
from fastsim.catalog.story import Standing
from fastsim.policy import Policy
from kernels.kapaga import layout
from reports.description import Assumption, Metric, Picture

_RULINGS = (
    ("K3", "the opening is no turn and the turned card no play; the dealer may add cards of the same rank "
           "to a card that follows it, not to the turned card itself"),
    ("K4", "a drawn card that fits may be put at once, with what may follow it"),
    ("K5", "an Ace fits on an 8 that called its suit or Aces"),
    ("K6", "cards are added one by one, and their effects add up and are applied at the end"),
    ("K8", "Kapaga is due after a player's own put (or opening), before hands are passed"),
    ("K11", "the card played along with an Ace is any of its suit but an Ace, whether or not it would fit"),
    ("K12", "taking the cards of an attack ends the turn"),
    ("K13", "other 2s may be added to a two of spades that answers the five of spades"),
    ("K17", "several 7s skip turns of the opponents, going round them if need be"),
    ("K18", "the card that follows a Joker is any card, and has its effects"),
    ("K19", "a put that empties the hand ends it at once: nothing is passed, nobody attacked or skipped"),
    ("K22", "players eliminated in one hand are ranked by score, lowest first; equal scores share the mean "
            "place, or the win"),
    ("K23", "of several with the highest score the first from the last dealer's left deals; the last seat "
            "deals first"),
    ("K25", "a hand is blocked when all in turn could put nothing and drew nothing; a blocked or truncated "
            "hand is scored as it stands"),
)  # fmt: skip


class Kapaga(Game):
    """Kapaga (rules K1-K25)."""

    name = "kapaga"
    title = "Kapaga"
    summary = "Crazy Eights with attacks and hands passed on; the last to pass 2,000 points wins"
    options = KapagaOptions
    features = {
        "goes_out": "1 if the card is the last, or all that are left may follow it in the same turn",
        "cards": "1 for putting a card, whatever it is",
        "points": "what the card would cost if it were left in hand",
        "adds": "cards of its rank that may be added to it",
        "fit": "kinds left in hand that fit on what is then asked for (after an 8, the best suit)",
        "room": "kinds of the pack that fit on it; 0 for an 8 and the Joker, but counted for a call",
        "attack": "cards of the attack that the next player then faces",
        "attack_close": "as attack, if that player has at most two cards, else 0",
        "next_close": "1 if the player who acts next (not oneself) has at most two cards",
        "hand_change": "when hands are passed: cards given away less cards received",
        "skip": "1 for a 7",
        "ace": "1 for an Ace",
        "eight": "1 for an 8",
        "joker": "1 for the Joker",
        "rank_call": "1 for calling a rank and not a suit",
        "draw": "1 for drawing (or passing) instead of putting a card",
        "keep": "1 for keeping a drawn card that fits",
        "stop": "1 for adding no more cards",
        "alone": "1 for playing an Ace alone",
        "taken": "cards of an attack that are taken",
        "turnover": "1 if a card is drawn from an empty stock, which is charged",
    }
    # A hand is hundreds of turns long if it is played at random, and a game dozens of hands.
    chunks = {"hand": 1 << 15, "game": 1 << 10}
    story = STORY
    rulings = tuple(Assumption(rule, "", "ruling", text) for rule, text in _RULINGS)
    endings = {"blocked": "blocked: nobody could put or draw", "truncated": "truncated at max_turns"}

    def metrics(self, options: KapagaOptions) -> tuple[Metric, ...]:
        """Return the metrics of the rules page."""
        seats = {seat: f"seat{seat}" for seat in range(options.players)}
        ranks = dict(enumerate(layout.RANK_NAMES))
        return (
            Metric("turns", "turns", role="length"),
            Metric("drawn_choice", "cards drawn instead of putting one", role="pace"),
            Metric("drawn_attack", "cards taken under attack", role="pace"),
            Metric("drawn_effect", "cards drawn for an Ace or a Joker", role="pace"),
            Metric("drawn_caught", "cards drawn for a forgotten Kapaga", role="pace"),
            Metric("largest_attack", "cards of the largest attack", role="pace",
                   picture=Picture("The largest attack", "histogram")),
            Metric("passes_left", "hands passed to the left (9s)", role="pace"),
            Metric("passes_right", "hands passed to the right (fives of clubs)", role="pace"),
            Metric("penalties", "penalties charged", role="pace"),
            Metric("penalty_points", "points of penalties", role="pace"),
            Metric("reshuffles", "reshuffles of the discards", role="pace"),
            Metric("lead_changes", "changes of who has fewest cards", role="pace"),
            Metric("decisions", "decisions", role="pace"),
            Metric("choices", "choices over all decisions", role="pace"),
            Metric("forced", "decisions with one choice", role="pace"),
            Metric("cards_left", "cards left at the end, 0 once eliminated", role="seats", labels=seats),
            Metric("points", "points for these cards", role="seats", labels=seats,
                   picture=Picture("Points on the way to elimination", "histogram", axis="points of a hand",
                                   note=f"Whoever passes {options.limit:,} points in all is out.")),
            Metric("plays", "cards put down by rank", role="cards", labels=ranks),
            Metric("blocked", "hands blocked", role="ends"),
            Metric("truncated", "hands truncated", role="ends"),
            Metric("hands", "hands", unit="game", role="length"),
            Metric("place", "mean place", unit="game", role="seats", labels=seats, per="places_are",
                   picture=Picture("Places at the end", "intervals", axis="mean place",
                                   note="The last to pass the limit is first.")),
            Metric("resets", "scores of exactly the limit", unit="game", role="ends"),
            Metric("cut", "games ended at max_hands", unit="game", role="ends"),
        )  # fmt: skip

    def setup(self, options: KapagaOptions, policies: Sequence[Policy], rotate: bool) -> tuple[Any, Any, Any]:
        """Return rules, tables and policies as the kernel takes them."""
        from kernels.kapaga import tables

        def rate(share: float) -> int:
            return round(share * tables.RATE_SCALE)

        rules = tables.Rules(
            players=options.players,
            hand_size=options.hand_size,
            hand_size_two=options.hand_size_two,
            draw_count=options.draw_count,
            five_count=options.five_count,
            two_count=options.two_count,
            ace_alone_draws=int(options.ace_alone_draws),
            turnover_penalty=options.turnover_penalty,
            penalty_points=options.penalty_points,
            forget_rate=rate(options.forget_rate),
            catch_rate=rate(options.catch_rate),
            misdeal_rate=rate(options.misdeal_rate),
            peek_rate=rate(options.peek_rate),
            limit=options.limit,
            exact_reset=int(options.exact_reset),
            max_turns=options.max_turns,
            max_hands=options.max_hands,
            shuffle=1,
        )
        built = tables.build_tables(options.packs, options.multi_play, options.call_ranks, options.points)
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

    def standing(self, options: KapagaOptions, unit: Unit) -> Standing:
        """Return who is ahead in a hand or in a whole game, and how a trace tells."""
        return in_game(options.limit) if unit == "game" else IN_HAND

    def card_names(self, options: KapagaOptions) -> Mapping[int, str]:
        """Return a name for each kind of card; kinds that mean the same to the rules share one."""
        return card_names()

    def tell(self, events: np.ndarray, options: KapagaOptions) -> list[str]:
        """Return a trace as lines to read."""
        return tell(events, options)


GAME = Kapaga()

"""Cap30: its options, what policies may look at, what is recorded, and how a hand is told."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastsim.catalog.cap30.options import Cap30Options
from fastsim.catalog.cap30.story import IN_GAME, IN_HAND, STORY
from fastsim.catalog.cap30.transcript import tell
from fastsim.catalog.game import Game, Unit
from fastsim.catalog.story import Standing
from fastsim.policy import Policy
from kernels.cap30 import layout
from reports.description import Assumption, Metric, Picture, Role

_RULINGS = (
    ("C9", "an Undo that brings the total back onto a ten counts as landing on it"),
    ("C12", "a double is undone whole"),
    ("C12", "after the Undo of a Skip the skipped player acts next; a Switch undone by one of two players "
            "gives no second go"),
    ("C12", "cards given back by the Undo of a TakeTwo go under the draw pile, the first drawn on top; "
            "an Undo among them that is being played stays"),
    ("C12", "of several Undos in hand the one held longest is played"),
    ("C14", "a blocked or truncated hand is void: the same player starts a new deal"),
    ("C16", "who finished last: the first with most cards, clockwise from the winner's left"),
)  # fmt: skip


_OF_POWER_UP = (
    ("C20", "meters start a game, or a single hand, empty; a full one gains no more; an Undo takes no "
            "notch back; notches are counted as tens add them"),
    ("C21", "any time is two moments: at the start of an own turn, before all else; and as a reaction, "
            "when a turn with a move has left its player one card and the hand goes on: each opponent "
            "with a full meter is asked once, in turn order"),
    ("C21", "opponents draw for a Give in turn order; what a Swap gives up goes under the draw pile, what "
            "it takes is newly made, of the kinds in the deck, and stays in the deck for the hand"),
    ("C21", "a Wild ten puts the total on the nearest ten (halfway: up, unless above the cap) instead of "
            "the card's own effect; it is never a double, and chains whatever undo_chains says; its Undo "
            "only puts the total back"),
    ("C22", "who plays a TakeTwo or a Skip chooses whom it hits with a winning card too; Skips on one "
            "player are served in the order played, and one that is undone before it is missed is taken "
            "off"),
    ("C23", "head_start is one card fewer, not below one; charged is two notches; shield is spent by the "
            "first TakeTwo or Give aimed at its owner, whether or not there was a card to draw; a hand "
            "dealt again after a void one has the void one's bonus, unused"),
    ("C24", "ties for most cards as in C16; a Bullseye is a card played as a Wild ten, once in that hand, "
            "at the start of a turn with a legal move"),
    ("C25", "a Drain is always legal, takes two notches, not below 0, and ends the turn; its Undo gives "
            "back what was lost, and ends the turn"),
    ("C14", "with powers a hand is blocked if every player has had a turn since anybody last played, drew "
            "or used a power; a turn in which a power was used is none of these"),
)  # fmt: skip
_RULES_OF_POWER_UP = {f"C{number}" for number in range(20, 26)}


class Cap30(Game):
    """Cap30 (rules C1-C16), and its online variant Power Up (C20-C25)."""

    name = "cap30"
    title = "Cap30"
    summary = "a shared total between 0 and a cap; landing on a ten plays on; empty your hand first"
    options = Cap30Options
    features = {
        "empties_hand": "1 if the move leaves the hand empty, which wins",
        "cards": "cards put down: 1, or 2 or 3 identical numbers",
        "lands_on_ten": "1 if the move changes the total onto a ten",
        "chains_on": "1 if it lands on a ten, another move may follow, and the hand has a legal one",
        "acts_again": "1 for a Skip or Switch with two players",
        "stops_rival": "1 for an action card that can make a rival with at most two cards pick up or wait",
        "own_freedom": "kinds left in the own hand that are legal at the new total",
        "action": "1 for a Skip, Switch, TakeTwo or Drain",
        "reset": "1 for a Reset",
        "undo": "1 for an Undo",
        "value": "the number on the card, 0 for others",
        "freedom": "kinds of the deck that are legal at the new total, 0 if the player acts again",
        "freedom_when_close": "as freedom, if the next player has at most two cards, else 0",
        "distance": "distance of the new total from the middle of the range, in whole points",
        "no_move": "1 for stopping a chain, keeping a drawn card, or drawing by choice",
        "use_give": "Power Up: 1 for using a power to Give; keeping it scores 0",
        "use_swap": "Power Up: 1 for using a power to Swap; what to put away is weighed as a card spent",
        "use_wild_ten": "Power Up: 1 for using a power for a Wild ten; moves are then weighed as cards spent",
        "use_when_close": "Power Up: 1 for using a power while a rival has at most two cards",
        "use_when_stuck": "Power Up: 1 for using a power in a turn that begins with no legal move",
        "use_bullseye": "Power Up: 1 for a move with the Bullseye, weighed otherwise as a Wild ten",
        "swap_for_skip": "Power Up: 1 for a Skip as the card that a Swap makes",
        "swap_for_switch": "Power Up: 1 for a Switch as the card that a Swap makes",
        "swap_for_take_two": "Power Up: 1 for a TakeTwo as the card that a Swap makes",
        "target_cards": "Power Up: cards of the rival that a TakeTwo, Skip or Drain is aimed at",
        "target_next": "Power Up: 1 for aiming it at who acts next, where others take a Skip to be aimed",
        "drains_notches": "Power Up: notches that a Drain takes; of the move: the most that it can take",
        "bonus_head_start": "Power Up: 1 for a head start as the bonus for the next hand",
        "bonus_charged": "Power Up: 1 for two notches as the bonus",
        "bonus_shield": "Power Up: 1 for a shield as the bonus",
    }
    story = STORY
    rulings = (
        *(Assumption(rule, "", "ruling", text) for rule, text in _RULINGS),
        *(Assumption(rule, "", "assumed", text) for rule, text in _OF_POWER_UP),
    )
    endings = {"blocked": "blocked: nobody could play or draw", "truncated": "truncated at max_turns"}

    def metrics(self, options: Cap30Options) -> tuple[Metric, ...]:
        """Return the metrics of the rules page, for the kinds and totals that can occur."""
        assert options.cap is not None
        seats = {seat: f"seat{seat}" for seat in range(options.players)}
        kinds = {k: layout.KIND_NAMES[k] for k in dict.fromkeys(options.cards())}
        return (
            Metric("turns", "turns", role="length"),
            Metric("moves", "moves (a double is one)", role="length"),
            Metric("cards_played", "cards put down", role="pace"),
            Metric("drawn", "cards drawn for want of a move", role="pace"),
            Metric("taken", "cards picked up by TakeTwo", role="pace"),
            Metric("stuck", "turns that began with no legal move", role="pace"),
            Metric("tens", "moves that landed on a ten", role="pace",
                   picture=Picture("Landings on a ten", "histogram")),
            Metric("lead_changes", "changes of who has fewest cards", role="pace",
                   picture=Picture("Changes of the lead", "histogram")),
            Metric("reshuffles", "reshuffles of the discards", role="pace"),
            Metric("decisions", "decisions", role="pace"),
            Metric("choices", "choices over all decisions", role="pace"),
            Metric("forced", "decisions with one choice", role="pace"),
            Metric("chains", "turns by number of moves", role="pace",
                   labels={k: str(k) for k in range(options.chain_limit + 1)}),
            Metric("cards_left", "cards left at the end", role="seats", labels=seats),
            Metric("cards_left_of_a_loser", "cards left of who did not win", role="ends", per="losers"),
            Metric("plays", "moves by kind of card", role="cards", labels=kinds),
            Metric("total_share", "the total after a move", role="share", per="moves",
                   labels={t: str(t) for t in range(options.cap + 1)},
                   picture=Picture("Where the total lives", "columns", axis="total after a move", share=True,
                                   accent=tuple(range(0, options.cap + 1, options.ten_step)),
                                   note="The tens, where a move plays on, have another colour.")),
            Metric("losers", "players who did not win", role="other"),
            Metric("blocked", "hands blocked", role="ends"),
            Metric("truncated", "hands truncated", role="ends"),
            *(self._metrics_of_power_up(options) if options.powers else ()),
            Metric("hands", "hands", unit="game", role="length"),
            Metric("drawn_game", "games drawn at max_hands", unit="game", role="ends"),
        )  # fmt: skip

    def _metrics_of_power_up(self, options: Cap30Options) -> tuple[Metric, ...]:
        # What two players cannot do, or only they can, is recorded, and not shown (C21).
        of_two: Role = "pace" if options.players == 2 else "other"
        of_more: Role = "other" if options.players == 2 else "pace"
        moments = {layout.AT_TURN: "turn", layout.AS_REACTION: "reaction"}
        bonuses = {layout.HEAD_START: "head_start", layout.CHARGED: "charged", layout.SHIELD: "shield"}
        return (
            Metric("notches", "notches that tens added to meters", role="pace"),
            Metric("powers", "powers used", role="pace"),
            *(
                Metric(f"powers.{form}", f"powers used {what}, by moment", role=role, labels=moments)
                for form, what, role in (
                    ("give", "to Give", of_more),
                    ("swap", "to Swap", of_more),
                    ("wild", "for a Wild ten", of_two),
                )
            ),
            Metric("given", "cards drawn by a Give", role=of_more),
            Metric("bullseyes", "moves with the Bullseye", role="pace"),
            Metric("drains", "Drains played for their effect", role="pace"),
            Metric("notches_drained", "notches that Drains took", role="pace"),
            Metric("shields", "shields spent", role="pace"),
            Metric("turns_missed", "turns missed for a Skip", role="pace"),
            Metric("bonuses", "bonuses picked, by kind", unit="game", role="pace", labels=bonuses),
        )

    def assumptions(self, options: Cap30Options | None = None) -> tuple[Assumption, ...]:
        """Return what is assumed, without Power Up if the options do not have it."""
        found = super().assumptions(options)
        if options is None or options.powers:
            return found
        texts = {text for _, text in _OF_POWER_UP}
        return tuple(a for a in found if a.rule not in _RULES_OF_POWER_UP and a.text not in texts)

    def variant(self, options: Cap30Options) -> str:
        """Power Up is compiled apart."""
        return "powers" if options.powers else ""

    def setup(self, options: Cap30Options, policies: Sequence[Policy], rotate: bool) -> tuple[Any, Any, Any]:
        """Return rules, tables and policies as the kernel takes them."""
        from kernels.cap30 import tables

        assert options.cap is not None and options.start is not None
        assert options.reset_to is not None and options.starter_extra is not None
        rules = tables.Rules(
            players=options.players,
            cap=options.cap,
            start=options.start,
            hand_size=options.hand_size,
            starter_extra=options.starter_extra,
            chain_limit=options.chain_limit,
            must_play=int(options.must_play),
            take_count=options.take_count,
            take_target=tables.TARGETS.index(options.take_target),
            undo_chains=int(options.undo_chains),
            next_starter=tables.STARTERS.index(options.next_starter),
            hands_to_win=options.hands_to_win,
            max_turns=options.max_turns,
            max_hands=options.max_hands,
            shuffle=1,
        )
        built = tables.build_tables(
            options.cards(),
            options.players,
            options.cap,
            options.reset_to,
            options.ten_step,
            options.max_multiple,
            options.hand_size,
            options.starter_extra,
            (options.meter_size, options.meter_carry, options.power_reaction) if options.powers else None,
        )
        return (
            rules,
            built,
            tables.build_policies(
                [policy.millionths() for policy in policies],
                [policy.noise(tables.NOISE_LEVELS) for policy in policies],
                rotate,
                built,
                options.players,
                options.cap,
            ),
        )

    def standing(self, options: Cap30Options, unit: Unit) -> Standing:
        """Return who is ahead in a hand or in a whole game, and how a trace tells."""
        return IN_GAME if unit == "game" else IN_HAND

    def card_names(self, options: Cap30Options) -> Mapping[int, str]:
        """Return a name for each kind of card; kinds that mean the same to the rules share one."""
        return dict(enumerate(layout.KIND_NAMES))

    def tell(self, events: np.ndarray, options: Cap30Options) -> list[str]:
        """Return a trace as lines to read."""
        return tell(events, options)


GAME = Cap30()

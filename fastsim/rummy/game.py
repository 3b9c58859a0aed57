"""The base of both contract rummies: features, metrics, and the way to their kernel."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from fastsim.catalog.game import Game, Unit
from fastsim.catalog.story import Standing
from fastsim.policy import Policy
from fastsim.rummy.options import RummyOptions
from fastsim.rummy.story import CARD_NAMES, IN_GAME, IN_HAND, STORY
from fastsim.rummy.transcript import tell
from kernels.rummy import layout
from reports.description import Assumption, Metric, Picture

_RULINGS = (
    ("R2", "in sets a 2 is only ever wild"),
    ("R3", "copies of the same card may be in one set"),
    ("R5", "a card laid as a wild stays a wild as long as it is on the table, even a 2 in its own place"),
    ("R8", "a contract is laid with exactly as many cards as it names"),
    ("R9", "it is laid with the fewest wilds, then the most points, then the highest ranks; items of one "
           "form and number of cards are named in that order"),
    ("R10", "after going down cards are laid by the melder, a fixed procedure; policies say when"),
    ("R11", "the last seat deals first, so seat 0 acts first; the deal passes to the left"),
    ("R13", "a hand that reaches max_turns ends with nobody out, and all score"),
)  # fmt: skip


def features(get: str, getting: str, only: dict[str, str]) -> dict[str, str]:
    """Return what a policy may weigh.

    Parameters
    ----------
    get : str
        Prefix of the features of getting the top discard.
    getting : str
        The same in words: "buying".
    only : dict
        Features of this game alone, without the prefix.
    """
    shared = {
        "": f"1 for {getting} the top discard",
        "_points": "its points",
        "_wild": "1 if it is wild",
        "_contract": "before going down: by how many cards it brings the contract nearer",
        "_playable": "when down: 1 if a meld takes it, it is wild, or two of its rank are in hand",
        "_rank": "cards of its rank in hand, if it is not wild",
        "_suit": "kinds in hand of its suit within two places, if it is not wild",
        "_when_down": "1 if the seat is down",
        "_hands_left": "hands of the game after this one",
        "_rival_close": "by how many cards the smallest hand of a rival is below six",
        "_next_close": "by how many cards the hand of the next player is below six",
        "_feeds_next": "1 if the next player is down, and a meld takes it or it is wild",
        "_wanted_next": "1 if the next player was seen to get a card of its rank or near it in its suit",
    }
    return {f"{get}{name}": text for name, text in (shared | only).items()} | {
        "down": "1 for going down, when that is possible",
        "down_out": "1 if going down in this turn would leave at most one card",
        "down_left": "cards that the contract leaves in hand",
        "down_rival_close": f"as {get}_rival_close",
        "meld": "1 for melding, when down",
        "meld_out": "1 if melding would leave at most one card",
        "meld_others": "1 for laying off on the melds of others too",
        "meld_rival_close": f"as {get}_rival_close",
        "drop_points": "points of the card discarded",
        "drop_points_when_close": f"its points times what {get}_rival_close is",
        "drop_wild": "1 if it is wild",
        "drop_contract": "before going down: 1 if the way nearest to the contract cannot spare it",
        "drop_copy": "1 if there is another of its kind in hand, and it is not wild",
        "drop_rank": "other cards of its rank in hand, if it is not wild",
        "drop_suit": "kinds in hand of its suit within two places, if it is not wild",
        "drop_playable": "when down: 1 if a meld takes it",
        "drop_feeds_next": "1 if the next player is down, and a meld takes it or it is wild",
        "drop_wanted_next": "1 if the next player was seen to get a card of its rank or near it in its suit",
        "drop_wanted": "rivals who were seen to",
    }


class RummyGame(Game):
    """A contract rummy (rules R1-R14)."""

    family = "rummy"

    get: ClassVar[str]
    """Prefix of the features of getting the top discard."""
    pictured: ClassVar[tuple[str, ...]]
    """Metrics of the draw that a page shows as pictures."""
    chunks: ClassVar = {"hand": 1 << 15, "game": 1 << 13}
    endings: ClassVar = {
        "stock_out": "the stock ran out: nobody out, all score",
        "truncated": "truncated at max_turns: nobody out, all score",
    }
    story = STORY
    rulings = tuple(Assumption(rule, "", "ruling", text) for rule, text in _RULINGS)

    def most_hands(self, options: RummyOptions, unit: Unit) -> int:
        """Return how many hands one hand or one game can have."""
        return len(options.contracts) if unit == "game" else 1

    def metrics(self, options: RummyOptions) -> tuple[Metric, ...]:
        """Return the metrics of the rules page, for the seats that there are."""
        seats = {seat: f"seat{seat}" for seat in range(options.players)}
        return (
            Metric("turns", "turns", role="length"),
            Metric("points", "points of the cards left in hand", role="seats", labels=seats),
            Metric("cards_left", "cards left in hand", role="seats", labels=seats),
            Metric("down", "hands in which the seat laid its contract", role="seats", labels=seats,
                   picture=Picture("Who goes down", "intervals", axis="share of hands", share=True)),
            Metric("turn_down_if_down", "turn of the hand in which it did, if it did", role="seats",
                   labels=seats, per="down",
                   picture=Picture("When players go down", "intervals", axis="turn of the hand, on average",
                                   note="Turns of all seats count; only hands in which it goes down.")),
            *(Metric(name, meaning, role="seats", labels=seats, picture=self._picture(name, meaning))
              for name, meaning in self.metrics_of_draw().items()),
            Metric("melded", "cards in the contract and in new melds", role="seats", labels=seats),
            Metric("laid_off", "cards laid off on melds", role="seats", labels=seats),
            Metric("swaps", "wilds swapped out of melds", role="seats", labels=seats),
            Metric("wilds_used", "wilds laid from the hand", role="seats", labels=seats),
            Metric("wilds_left", "wilds left in hand", role="seats", labels=seats),
            Metric("reshuffles", "reshuffles of the discards", role="pace"),
            Metric("decisions", "decisions", role="pace"),
            Metric("choices", "choices over all decisions", role="pace"),
            Metric("forced", "decisions with one choice", role="pace"),
            Metric("someone_out", "hands in which somebody went out", role="ends"),
            Metric("stock_out", "hands that ended with an empty stock", role="ends"),
            Metric("truncated", "hands truncated", role="ends"),
            Metric("hands", "hands", unit="game", role="length"),
            Metric("score", "points over all hands", unit="game", role="seats", labels=seats),
            Metric("money", "cents won", unit="game", role="seats", labels=seats, per="parts_of_a_cent"),
            Metric("pot", "cents in the pot at the end", unit="game", role="pace"),
            Metric("parts_of_a_cent", "parts of a cent in which rows give the money", unit="game"),
        )  # fmt: skip

    def metrics_of_draw(self) -> dict[str, str]:
        """Return the game's own metrics by seat, and what they count."""
        raise NotImplementedError

    def _picture(self, name: str, meaning: str) -> Picture | None:
        if name not in self.pictured:
            return None
        title = meaning[0].upper() + meaning[1:]
        return Picture(title, "histogram", "By one seat in a hand.", axis=meaning)

    def rules_of(self, options: Any) -> dict[str, Any]:
        """Return the fields of the kernel's rules that are the game's own."""
        raise NotImplementedError

    def setup(self, options: RummyOptions, policies: Sequence[Policy], rotate: bool) -> tuple[Any, Any, Any]:
        """Return rules, tables and policies as the kernel takes them."""
        from kernels.rummy import tables

        assert options.packs is not None
        own = self.rules_of(options)
        amounts = (options.players * own["ante"], own["prize"], own["price"])
        rules = tables.Rules(
            players=options.players,
            hand=options.hand - 1,
            contracts=len(options.contracts),
            hand_size=options.hand_size,
            upcard=options.turned_up(),
            min_run=options.min_run,
            lowest_place=options.lowest_place,
            swap_same_meld=int(options.swap_same_meld),
            layoff=tables.LAYOFFS.index(options.layoff),
            reshuffle=int(options.stock_out == "reshuffle"),
            max_reshuffles=options.max_reshuffles,
            max_turns=options.max_turns,
            keep=options.keep,
            parts=tables.parts_of_a_cent(options.players, *amounts),
            shuffle=1,
            **own,
        )
        built = tables.build_tables(
            options.packs,
            options.points_by_rank(),
            options.items(),
            options.wild_share,
            options.lowest_place,
        )
        weights = [self._weights(policy) for policy in policies]
        noise = [policy.noise(tables.NOISE_LEVELS) for policy in policies]
        return rules, built, tables.build_policies(weights, noise, rotate, built)

    def _weights(self, policy: Policy) -> dict[str, int] | None:
        """Return weights by the kernel's names of the features."""
        weights = policy.millionths()
        if weights is None:
            return None
        prefix = f"{self.get}_"
        named = {self.get: "get"} | {
            name: f"get_{name.removeprefix(prefix)}" for name in weights if name.startswith(prefix)
        }
        return {named.get(name, name): weight for name, weight in weights.items()}

    def standing(self, options: RummyOptions, unit: Unit) -> Standing:
        """Return who is ahead in a hand or in a whole game, and how a trace tells."""
        return IN_GAME if unit == "game" else IN_HAND

    def card_names(self, options: RummyOptions) -> Mapping[int, str]:
        """Return a name for each kind of card; kinds that mean the same to the rules share one."""
        return CARD_NAMES

    def tell(self, events: np.ndarray, options: RummyOptions) -> list[str]:
        """Return a trace as lines to read."""
        return tell(events, options)


__all__ = ["RummyGame", "features", "layout"]

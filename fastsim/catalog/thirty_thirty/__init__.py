"""30-30: its options, what policies may look at, what is recorded, and how a hand is told."""

from fastsim.catalog.thirty_thirty.options import ThirtyThirtyOptions
from fastsim.rummy import RummyGame, features
from reports.description import Assumption

_RULINGS = (
    ("T2", "the nickels of the start are for the whole game"),
    ("T7", "who discarded a card is not asked to buy it; the card turned up may be bought by all"),
    ("T12", "any card may be discarded, the one just bought too"),
)


class ThirtyThirty(RummyGame):
    """30-30 (rules T1-T12)."""

    name = "thirty-thirty"
    title = "30-30"
    summary = "contract rummy: sets for contracts, discards bought with nickels; lowest of six hands"
    options = ThirtyThirtyOptions
    pictured = ("buys", "buys_out")
    get = "buy"
    features = features(
        "buy",
        "buying",
        {
            "_extra": "cards of the stock that come with it",
            "_out_of_turn": "1 if it is another player's turn",
            "_nickels": "nickels left before it is paid",
        },
    )
    rulings = (*RummyGame.rulings, *(Assumption(rule, "", "ruling", text) for rule, text in _RULINGS))

    def metrics_of_draw(self) -> dict[str, str]:
        """Return the game's own metrics by seat, and what they count."""
        return {
            "buys": "cards bought in turn",
            "buys_out": "cards bought out of turn",
            "nickels": "nickels left",
        }

    def rules_of(self, options: ThirtyThirtyOptions) -> dict[str, int]:
        """Return the fields of the kernel's rules that are the game's own."""
        from kernels.rummy.tables import BUY

        return {
            "draw": BUY,
            "nickels": options.nickels,
            "nickels_per_hand": int(options.nickels_per_hand),
            "ante": options.ante,
            "price": options.price,
            "buy_extra": options.buy_extra,
            "buy_extra_out": options.buy_extra_out,
            "contract_only": int(options.contract_only),
            "prize": 0,
        }


GAME = ThirtyThirty()

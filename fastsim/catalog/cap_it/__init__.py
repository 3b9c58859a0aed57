"""Cap-It: its options, what policies may look at, what is recorded, and how a hand is told."""

from fastsim.catalog.cap_it.options import CapItOptions
from fastsim.rummy import RummyGame, features
from reports.description import Assumption

_RULINGS = (
    ("P5", "with an empty discard pile a card is drawn from the stock, and nothing pushed"),
    ("P9", "a push with one card in the stock gives the left player both cards, then the round ends; a push "
           "with none ends it, and nothing moves"),
    ("P11", "the prize of a round is rounded to a whole cent"),
)  # fmt: skip


class CapIt(RummyGame):
    """Cap-It (rules P1-P11)."""

    name = "cap-it"
    title = "Cap-It"
    summary = "contract rummy: take the top discard or push it to the left; lowest of five rounds"
    options = CapItOptions
    pictured = ("takes", "pushes")
    get = "take"
    features = features("take", "taking", {})
    rulings = (*RummyGame.rulings, *(Assumption(rule, "", "ruling", text) for rule, text in _RULINGS))

    def metrics_of_draw(self) -> dict[str, str]:
        """Return the game's own metrics by seat, and what they count."""
        return {
            "takes": "discards taken",
            "pushes": "pushes",
            "lowest": "rounds in which nobody had fewer points",
        }

    def rules_of(self, options: CapItOptions) -> dict[str, int]:
        """Return the fields of the kernel's rules that are the game's own."""
        from kernels.rummy.tables import PICK, PUSH

        return {
            "draw": PUSH if options.push else PICK,
            "nickels": 0,
            "nickels_per_hand": 0,
            "ante": options.ante,
            "price": 0,
            "buy_extra": 0,
            "buy_extra_out": 0,
            "contract_only": 0,
            "prize": options.prize(),
        }


GAME = CapIt()

"""The referee of 30-30, in plain Python: what ``rules/thirty-thirty.md`` adds to contract rummy (T1 to T12).

See ``rummy.py`` for the rest. ``resolve``, ``play_hand``, ``play_game``, ``check_hand`` and
``check_game`` are the methods of :class:`tests.referees.rummy.Referee`.
"""

from kernels.rummy import layout
from kernels.thirty_thirty import layout as draws
from tests.referees import rummy
from tests.referees.rummy import BUY, KIND_NUMBERS, NO_BUY, Options, Record, Sequence


class Hand(rummy.Hand):
    """One hand of 30-30: a turn begins with the chance to buy the top discard."""

    keeps_one = True
    deal_rule = "T4"
    down_rule = "T9"
    discard_rule = "T9"
    points_rule = "T3"
    decide_down = draws.DOWN_OR_WAIT
    decide_meld = draws.MELDS
    decide_discard = draws.DISCARD_ONE
    metrics_of_the_draw = ("buys", "buys_out")

    def draw_phase(self, seat: int) -> None:
        """See who buys the discard, if anybody; the player in turn draws, unless it was them."""
        buyer = self.find_buyer(seat)
        if buyer is not None:
            self.buy(buyer, in_turn=buyer == seat)
        if buyer != seat and self.reason == rummy.UNDER_WAY:
            self.draw_card("T8", seat)

    def find_buyer(self, seat: int) -> int | None:
        """Return the first, in turn order, who wants to buy the top discard, if any (T6, T7)."""
        if not self.discards:
            return None
        for step in range(self.players):
            buyer = (seat + step) % self.players
            if not self.nickels[buyer] or (step and buyer == self.discarder):
                continue
            rule, decision = ("T7", draws.BUY_OUT_OF_TURN) if step else ("T6", draws.BUY_IN_TURN)
            if self.choose(rule, decision, buyer, [BUY, NO_BUY]) == BUY:
                return buyer
            self.table.tell(rule, layout.NO_BUY, buyer, KIND_NUMBERS[self.discards[-1]])
        return None

    def buy(self, buyer: int, in_turn: bool) -> None:
        """Give a seat the top discard for a nickel, and then cards of the stock, one at a time (T6, T7)."""
        rule, metric, extra = ("T6", "buys", "buy_extra") if in_turn else ("T7", "buys_out", "buy_extra_out")
        name = self.discards.pop()
        self.cards[buyer].append(name)
        self.nickels[buyer] -= 1
        self.record[metric][buyer] += 1
        self.table.tell(rule, layout.BUY, buyer, KIND_NUMBERS[name], int(in_turn), self.nickels[buyer])
        for _ in range(self.options[extra]):
            if not self.draw_card(rule, buyer):
                break

    def finish(self, scores: Sequence[int]) -> Record:
        """Tell how the hand ended, and return its completed record."""
        self.record["nickels"] = list(self.nickels)
        return super().finish(scores)


class Referee(rummy.Referee):
    """The referee of 30-30."""

    hand = Hand
    end_rule = "T11"
    defaults = {
        "players": 4,
        "hand": 1,
        "packs": None,
        "nickels": 6,
        "nickels_per_hand": False,
        "ante": 30,
        "price": 5,
        "hand_size": 11,
        "buy_extra": 1,
        "buy_extra_out": 2,
        "contracts": [
            ["set 3", "set 3"],
            ["set 4"],
            ["set 4", "set 4"],
            ["set 5"],
            ["set 5", "set 5"],
            ["set 6"],
        ],
        "min_run": 4,
        "wild_rule": "half",
        "wild_fraction": 0.5,
        "natural_twos": False,
        "swap_same_meld": False,
        "points": {
            "Joker": 50,
            **dict.fromkeys(["2", "A"], 20),
            **dict.fromkeys(["10", "J", "Q", "K"], 10),
            **dict.fromkeys("3456789", 5),
        },
        "layoff": "any",
        "stock_out": "reshuffle",
        "max_reshuffles": 2,
        "max_turns": 1000,
        "contract_only": True,
    }
    fixed = {"upcard": True}

    def prize(self, options: Options) -> int:
        """Return nothing: all of the pot waits for the end (T11)."""
        return 0

    def pot(self, options: Options, nickels_paid: int) -> int:
        """Return what was paid at the start and for cards (T2, T11)."""
        return options["ante"] * options["players"] + options["price"] * nickels_paid


REFEREE = Referee()
resolve = REFEREE.resolve
run_hand = REFEREE.run_hand
run_game = REFEREE.run_game
play_hand = REFEREE.play_hand
play_game = REFEREE.play_game
check_hand = REFEREE.check_hand
check_game = REFEREE.check_game

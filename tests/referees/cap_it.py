"""The referee of Cap-It, in plain Python: what ``rules/cap-it.md`` adds to contract rummy (P1 to P11).

See ``rummy.py`` for the rest. ``resolve``, ``play_hand``, ``play_game``, ``check_hand`` and
``check_game`` are the methods of :class:`tests.referees.rummy.Referee`.
"""

import math
from fractions import Fraction

from kernels.cap_it import layout as draws
from kernels.rummy import layout
from tests.referees import rummy
from tests.referees.rummy import KIND_NUMBERS, LEAVE, PUSH, TAKE, Options, Record, Sequence


class Hand(rummy.Hand):
    """One round of Cap-It: a turn begins with taking the top discard, or pushing it on."""

    keeps_one = False
    deal_rule = "P2"
    down_rule = "P6"
    discard_rule = "P8"
    points_rule = "P10"
    decide_down = draws.DOWN_OR_WAIT
    decide_meld = draws.MELDS
    decide_discard = draws.DISCARD_ONE
    metrics_of_the_draw = ("takes", "pushes")

    def draw_phase(self, seat: int) -> None:
        """Have the seat take the top discard, or push it (or leave it) and draw (P5)."""
        if not self.discards:
            self.draw_card("P5", seat)
            return
        other = PUSH if self.options["push"] else LEAVE
        choice = self.choose("P5", draws.TAKE_OR_PUSH, seat, [TAKE, other])
        top = KIND_NUMBERS[self.discards[-1]]
        if choice == TAKE:
            self.cards[seat].append(self.discards.pop())
            self.record["takes"][seat] += 1
            self.table.tell("P5", layout.TAKE, seat, top)
        elif choice == PUSH:
            self.push(seat)
        else:
            self.table.tell("P5", layout.LEAVE, seat, top)
            self.draw_card("P5", seat)

    def push(self, seat: int) -> None:
        """Give the left player the top discard and a card of the stock, and draw (P5, P9)."""
        left = self.left_of(seat)
        top = KIND_NUMBERS[self.discards[-1]]
        moves = self.table.stock_size() > 0
        self.record["pushes"][seat] += 1
        self.table.tell("P5", layout.PUSH, seat, top, left, int(moves))
        if moves:
            self.cards[left].append(self.discards.pop())
            self.table.tell("P5", layout.RECEIVE, left, top)
            self.draw_card("P5", left, layout.RECEIVE)
        self.draw_card("P9", seat)

    def finish(self, scores: Sequence[int]) -> Record:
        """Tell how the round ended, and return its completed record."""
        record = super().finish(scores)
        lowest = rummy.lowest_seats(record["points"])
        record["lowest"] = [int(seat in lowest) for seat in range(self.players)]
        return record


class Referee(rummy.Referee):
    """The referee of Cap-It."""

    hand = Hand
    end_rule = "P11"
    defaults = {
        "players": 4,
        "hand": 1,
        "packs": None,
        "hand_size": 10,
        "upcard": True,
        "contracts": [
            ["set 3", "set 3"],
            ["set 3", "run 4"],
            ["run 4", "run 4"],
            ["set 3", "set 3", "set 3"],
            ["run 3", "run 7"],
        ],
        "min_run": 3,
        "wild_rule": "one_natural",
        "wild_fraction": 0.5,
        "natural_twos": True,
        "swap_same_meld": False,
        "points": {
            "Joker": 20,
            **dict.fromkeys(["2", "A"], 15),
            **dict.fromkeys(["10", "J", "Q", "K"], 10),
            **dict.fromkeys("3456789", 5),
        },
        "layoff": "any",
        "stock_out": "end",
        "max_reshuffles": 2,
        "ante": 100,
        "round_share": 0.1,
        "max_turns": 1000,
        "push": True,
    }
    fixed = {"contract_only": False, "nickels": 0, "nickels_per_hand": False}

    def prize(self, options: Options) -> int:
        """Return a round's part of the pot, in whole cents, half a cent up (P11)."""
        share = Fraction(str(options["round_share"])) * options["ante"] * options["players"]
        return math.floor(share + Fraction(1, 2))

    def pot(self, options: Options, nickels_paid: int) -> int:
        """Return what the prizes of the rounds leave (P11)."""
        return options["ante"] * options["players"] - len(options["contracts"]) * self.prize(options)


REFEREE = Referee()
resolve = REFEREE.resolve
run_hand = REFEREE.run_hand
run_game = REFEREE.run_game
play_hand = REFEREE.play_hand
play_game = REFEREE.play_game
check_hand = REFEREE.check_hand
check_game = REFEREE.check_game

"""Power Up, a version of Cap30, in plain Python: what it adds to the rules of a hand (C20 to C25).

Part of the referee, :mod:`tests.referees.cap30`. To the choices it adds the words of ``FORMS``,
``NO_POWER`` and the words of ``BONUSES``, the names of kinds (one swapped away, one taken for it), and
seats (at whom a card is aimed).
"""

from dataclasses import dataclass

from kernels.cap30 import layout
from tests.referees.cap30_hand import (
    KIND_NUMBERS,
    UNDER_WAY,
    WILD_TENS,
    Choice,
    Hand,
    Last,
    Move,
    Options,
    Table,
    cards_in_deck,
)

FORMS = ("give", "swap", "wild ten")
"""The forms of a power, by the numbers of the layout."""
NO_POWER = "no power"
BONUSES = ("head start", "charged", "shield")
"""The bonuses, by the numbers of the layout."""
KINDS_TO_TAKE = ("Skip", "Switch", "TakeTwo")
"""The cards that a Swap can make."""
DRAINED = 2
"""Notches that a Drain takes off."""
CHARGE = 2
"""Notches that the bonus ``charged`` adds."""
FILLING_TEN = 3
"""Which ten of a turn fills the meter."""


@dataclass(slots=True)
class Standing:
    """What a game of Power Up hands on from one hand to the next.

    Attributes
    ----------
    meters : list of int
        The notches of each seat (C20). A hand changes them.
    bonus : int
        The bonus that somebody has in the next hand (C23), -1 for none.
    bonus_seat : int
        Who has it.
    bullseye : int
        The seat that has the Bullseye in the next hand (C24), -1 for nobody.
    """

    meters: list[int]
    bonus: int = -1
    bonus_seat: int = -1
    bullseye: int = -1


class PowerHand(Hand):
    """One hand of Cap30 with Power Up.

    Parameters
    ----------
    options : mapping
        Every option, as :func:`tests.referees.cap30.resolve` returns them.
    table : Table
        Where cards and choices come from.
    starter : int
        The seat that acts first.
    standing : Standing, optional
        What the hands before have left. By default nothing, as in a single hand.

    Attributes
    ----------
    meters : list of int
        The notches of each seat.
    shield, bullseye : int
        The seat that has one, unused, in this hand; -1 for nobody.
    to_miss : list of int
        For each seat the Skips on it that are not yet missed. ``to_act`` may be a seat that misses.
    tens_of_turn : int
        Tens hit in the turn under way.
    """

    def __init__(
        self, options: Options, table: Table, starter: int = 0, standing: Standing | None = None
    ) -> None:
        super().__init__(options, table, starter)
        self.standing = standing or Standing([0] * self.players)
        self.meters = self.standing.meters
        self.size: int = options["meter_size"]
        self.shield = self.standing.bonus_seat if self.standing.bonus == layout.SHIELD else -1
        self.bullseye = self.standing.bullseye
        self.to_miss = [0] * self.players
        self.tens_of_turn = 0

    # C20, C25

    def change_meter(self, rule: str, seat: int, notches: int, why: int) -> int:
        """Move a meter within its range, and return by how many notches it has moved."""
        before = self.meters[seat]
        after = max(0, min(self.size, before + notches))
        if after != before:
            self.meters[seat] = after
            self.table.tell(rule, layout.METER, seat, before, after, why)
        return after - before

    def hit_ten(self, seat: int) -> None:
        super().hit_ten(seat)
        self.tens_of_turn += 1
        if self.tens_of_turn == FILLING_TEN:
            self.record["notches"] += self.change_meter("C20", seat, self.size, layout.FOR_THIRD_TEN)
        else:
            self.record["notches"] += self.change_meter("C20", seat, 1, layout.FOR_TEN)

    # C20, C23, C24: how a hand begins

    def hand_sizes(self) -> list[int]:
        sizes = super().hand_sizes()
        if self.standing.bonus == layout.HEAD_START:
            seat = self.standing.bonus_seat
            sizes[seat] = max(1, sizes[seat] - 1)
        return sizes

    def deal(self) -> None:
        if not self.options["meter_carry"]:
            for seat in range(self.players):
                self.change_meter("C20", seat, -self.size, layout.FOR_NEW_HAND)
        super().deal()
        for seat in range(self.players):
            if seat == self.standing.bonus_seat and self.standing.bonus == layout.CHARGED:
                self.table.tell("C23", layout.ADVANTAGE, seat, layout.CHARGED)
                self.change_meter("C23", seat, CHARGE, layout.FOR_CHARGED)
            if seat == self.shield:
                self.table.tell("C23", layout.ADVANTAGE, seat, layout.SHIELD)
            if seat == self.bullseye:
                self.table.tell("C24", layout.ADVANTAGE, seat, layout.HAS_BULLSEYE)

    # C21, C22, C24: a turn

    def take_turn(self) -> None:
        while self.to_miss[self.to_act]:
            self.to_miss[self.to_act] -= 1
            self.record["turns_missed"] += 1
            self.table.tell("C22", layout.MISS, self.to_act)
            self.to_act = self.next_seat(self.to_act)
        mover = self.to_act
        self.tens_of_turn = 0
        super().take_turn()
        if self.reason == UNDER_WAY and self.made and len(self.cards[mover]) == 1:
            self.react(mover)

    def react(self, mover: int) -> None:
        """Ask the opponents of one who holds a single card after a move for their powers (C21)."""
        if self.options["power_reaction"] and self.players > 2:
            for opponent in self.opponents(mover):
                if self.meters[opponent] == self.size:
                    self.ask_for_power(opponent, layout.AS_REACTION)

    def first_choice(self, seat: int, moves: list[Move]) -> Choice:
        if self.meters[seat] == self.size:
            form = self.ask_for_power(seat, layout.AT_TURN)
            if form == FORMS[layout.WILD_TEN]:
                wild = self.wild_tens(seat, layout.WILD)
                return self.choose(layout.DECIDE_TURN, seat, wild)
            moves = self.legal_moves(seat)
        return super().first_choice(seat, moves)

    def choices_of_turn(self, seat: int, moves: list[Move]) -> list[Choice]:
        choices = super().choices_of_turn(seat, moves)
        if seat == self.bullseye:
            choices += self.wild_tens(seat, layout.BULLSEYE)
        return choices

    def wild_tens(self, seat: int, how: int) -> list[Choice]:
        """Return each card kind that a seat holds, put down as a Wild ten."""
        return [(kind, 1, how) for kind in dict.fromkeys(self.cards[seat])]

    # C21: powers

    def ask_for_power(self, seat: int, moment: int) -> str:
        """Have the owner of a full meter use the power or not; return its form or ``NO_POWER``."""
        if self.players == 2:
            forms = [layout.WILD_TEN]
        else:
            forms = [layout.GIVE, layout.SWAP] if self.kinds_to_take() else [layout.GIVE]
        words: list[str] = [FORMS[form] for form in forms]
        choice = self.choose(layout.DECIDE_POWER, seat, [*words, NO_POWER], layout.USE_POWER)
        if choice == NO_POWER:
            self.table.tell("C21", layout.NO_POWER, seat, moment)
            return NO_POWER
        form = forms[words.index(str(choice))]
        self.active = True
        self.record["powers"][2 * form + moment] += 1
        self.table.tell("C21", layout.POWER, seat, form, moment)
        self.change_meter("C21", seat, -self.size, layout.FOR_POWER)
        if form == layout.GIVE:
            self.give(seat)
        elif form == layout.SWAP:
            self.swap(seat)
        return FORMS[form]

    def give(self, seat: int) -> None:
        """Have each opponent draw a card."""
        for opponent in self.opponents(seat):
            if opponent == self.shield:
                self.spend_shield(layout.KINDS)
            elif self.draw_card("C21", layout.GIVEN, opponent) is None:
                self.table.may_tell(layout.NOTHING_TO_DRAW, opponent)
            else:
                self.record["given"] += 1

    def swap(self, seat: int) -> None:
        """Have a seat put a card of its hand under the draw pile, and take a newly made one."""
        held = list(dict.fromkeys(self.cards[seat]))
        away = str(self.choose(layout.DECIDE_POWER, seat, held, layout.CARD_AWAY))
        self.take_out(seat, self.cards[seat].index(away))
        self.table.put_under("C21", away)
        self.table.tell("C21", layout.SWAP_AWAY, seat, KIND_NUMBERS[away])
        taken = str(self.choose(layout.DECIDE_POWER, seat, self.kinds_to_take(), layout.KIND_TAKEN))
        self.cards[seat].append(taken)
        self.table.tell("C21", layout.SWAP_FOR, seat, KIND_NUMBERS[taken])

    def kinds_to_take(self) -> list[str]:
        """Return the kinds that a Swap can make: those that the deck has."""
        deck = cards_in_deck(self.options)
        return [kind for kind in KINDS_TO_TAKE if deck.get(kind)]

    def spend_shield(self, kind: int) -> None:
        """Spend the shield on a TakeTwo (its kind) or a Give (``layout.KINDS``) (C23)."""
        self.table.tell("C23", layout.SHIELDED, self.shield, kind)
        self.record["shields"] += 1
        self.shield = -1

    # C21, C24: Wild tens

    def nearest_ten(self) -> int:
        """Return the ten nearest to the total; of two the upper one."""
        tens = range(0, self.cap + 1, self.options["ten_step"])
        return min(tens, key=lambda ten: (abs(ten - self.total), -ten))

    def total_after(self, kind: str, copies: int, how: int) -> int:
        if how in WILD_TENS:
            return self.nearest_ten()
        if kind == "Undo" and self.last is not None and self.last.how in WILD_TENS:
            return self.last.before
        return super().total_after(kind, copies, how)

    # C22, C23, C25: what cards do

    def take_effect(self, seat: int, played: Last, undone: Last | None) -> None:
        if played.how == layout.BULLSEYE:
            self.bullseye = -1
            self.record["bullseyes"] += 1
        if played.how in WILD_TENS:
            return
        if played.kind == "Drain":
            played.target = self.aim(seat, "Drain")
            played.lost = -self.change_meter("C25", played.target, -DRAINED, layout.FOR_DRAIN)
            self.record["drains"] += 1
            self.record["notches_drained"] += played.lost
        else:
            super().take_effect(seat, played, undone)

    def aim(self, seat: int, kind: str) -> int:
        """Return the opponent at whom the player of a card aims it."""
        target = self.choose(layout.DECIDE_POWER, seat, self.opponents(seat), layout.AIM)
        assert isinstance(target, int)
        self.table.tell("C25" if kind == "Drain" else "C22", layout.TARGET, seat, KIND_NUMBERS[kind], target)
        return target

    def skip(self, seat: int, played: Last) -> None:
        played.target = self.aim(seat, "Skip")
        self.to_miss[played.target] += 1

    def choose_taker(self, seat: int) -> int:
        return self.aim(seat, "TakeTwo")

    def take_two(self, played: Last) -> None:
        if played.target == self.shield:
            self.spend_shield(KIND_NUMBERS["TakeTwo"])
        else:
            super().take_two(played)

    def undo(self, seat: int, undone: Last) -> None:
        if undone.how in WILD_TENS:
            return
        if undone.kind == "Drain":
            self.change_meter("C25", undone.target, undone.lost, layout.FOR_UNDO)
        elif undone.kind == "Skip" and self.to_miss[undone.target]:
            self.to_miss[undone.target] -= 1
            self.table.tell("C22", layout.SKIP_OFF, undone.target)
        else:
            super().undo(seat, undone)

    # C23, C24: what comes of a hand won

    def hand_on(self, winner: int, starter: int) -> int:
        """Have the winner pick a bonus for the next hand, and return it; its starter has the Bullseye."""
        bonus = BONUSES.index(str(self.choose(layout.DECIDE_POWER, winner, BONUSES, layout.NEXT_BONUS)))
        self.table.tell("C23", layout.BONUS, winner, bonus)
        self.standing.bonus, self.standing.bonus_seat = bonus, winner
        self.standing.bullseye = starter
        return bonus

"""A game of Kapaga told to a reader, from the kernel's trace."""

import textwrap
from collections import Counter

import numpy as np

from fastsim.catalog.kapaga.options import KapagaOptions
from kernels.kapaga import layout as at

_SUITS = ("\N{BLACK CLUB SUIT}", "\N{BLACK DIAMOND SUIT}", "\N{BLACK HEART SUIT}", "\N{BLACK SPADE SUIT}")
_NAMES = (*(rank + suit for suit in _SUITS for rank in at.RANK_NAMES[: at.RANKS]), "Joker")
_PLURALS = {"A": "Aces", "J": "Jacks", "Q": "Queens", "K": "Kings"}
_CALLS = (*at.SUIT_NAMES, *(_PLURALS.get(rank, f"{rank}s") for rank in at.RANK_NAMES[: at.RANKS]))
_CHARGES = {
    at.FOR_TURNOVER: "for turning the discards over",
    at.FOR_MISDEAL: "for a misdeal",
    at.FOR_PEEK: "for looking too early",
}
_KAPAGA = {
    at.CALLED: "Kapaga!",
    at.FORGOT: "Forgets to call Kapaga, and nobody notices.",
    at.CAUGHT: "Forgets to call Kapaga, and is caught.",
}
_ENDS = {
    at.IS_BLOCKED: "Nobody can put a card or draw one: the hand is blocked.",
    at.IS_TRUNCATED: "The limit of turns is reached: the hand ends here.",
}
_WIDTH = 96
_INDENT = 12


def tell(events: np.ndarray, options: KapagaOptions) -> list[str]:
    """Return the events of a game as lines, at most about 100 characters each."""
    return _Teller(options).tell(events)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _list(kinds: Counter[int]) -> str:
    # By rank, as cards that may be put down together.
    held = sorted(kinds.items(), key=lambda item: (item[0] == at.JOKER, item[0] % at.RANKS, item[0]))
    return "  ".join(_NAMES[k] + (f" x{n}" if n > 1 else "") for k, n in held if n) or "nothing"


class _Teller:
    """Follows the hands, so that they can be shown, and builds up the lines."""

    def __init__(self, options: KapagaOptions) -> None:
        self.options = options
        self.hands: dict[int, Counter[int]] = {}
        self.lines: list[str] = []
        self.said = ""
        self.dealing = False
        self.draws: list[int] = []  # cards just drawn by one seat, told together
        self.drawer = -1
        self.acting = -1

    def tell(self, events: np.ndarray) -> list[str]:
        """Return the lines."""
        for event in events.tolist():
            code, seat, *fields = event
            if code != at.DRAW or seat != self.drawer:
                self._tell_draws()
            if code == at.DRAW:
                self.drawer = seat
                self.draws.append(fields[0])
                self.hands[seat][fields[0]] += 1
            elif code in (at.HAND, at.DEAL, at.TURN_UP):
                self._opening(code, seat, fields)
            elif code in (at.HAND_END, at.SCORE, at.PLACE, at.GAME_END):
                self._ending(code, seat, fields)
            else:
                self._turn(code, seat, fields)
        self._tell_draws()
        self._flush()
        return self.lines

    def _flush(self) -> None:
        if self.said:
            self._line(self.said, _INDENT)
        self.said = ""

    def _line(self, text: str, indent: int) -> None:
        """Add a line, or several if it is too long."""
        self.lines += textwrap.wrap(text, _WIDTH + 4, subsequent_indent=" " * indent)

    def _add(self, text: str) -> None:
        """Add a sentence to the turn's line, or begin another line when it is full."""
        if len(self.said) + len(text) > _WIDTH:
            self._flush()
            self.said = " " * _INDENT + text
        else:
            self.said += (" " if self.said else "") + text

    def _tell_draws(self) -> None:
        if self.draws:
            cards = ", ".join(_NAMES[kind] for kind in self.draws)
            who = "Draws" if self.drawer == self.acting else f"Seat {self.drawer} draws"
            self._add(f"{who} {cards}.")
        self.draws = []
        self.drawer = -1

    def _opening(self, code: int, seat: int, fields: list[int]) -> None:
        if code == at.HAND:
            self._flush()
            number, players, in_hand, _, *_ = fields
            if number:
                self.lines.append("")
            self.lines.append(f"Hand {number + 1}: {players} players, seat {seat} deals.")
            self.hands = {s: Counter() for s in range(self.options.players) if in_hand >> s & 1}
            self.acting = -1
        elif code == at.DEAL:
            self._flush()
            self.hands[seat][fields[0]] += 1
        else:
            for holder, hand in self.hands.items():
                self._line(f"  seat {holder} holds {_list(hand)}", 6)
            self.lines.append("")
            self.acting = seat
            self._add(f"Seat {seat} turns up {_NAMES[fields[0]]}.")

    def _turn(self, code: int, seat: int, fields: list[int]) -> None:
        first = fields[0]
        if code == at.TURN:
            turn, attack, top, call, _, _ = fields
            self._flush()
            asked = _NAMES[top] if call == at.NO_CALL else f"{_NAMES[top]}, {_CALLS[call]}"
            facing = f" facing {attack}" if attack else ""
            self.said = f"{turn:>4} seat {seat} on {asked}{facing} |"
            self.acting = seat
        elif code == at.PUT:
            hand = self.hands[seat]
            hand[first] -= 1
            left = hand.total()
            rest = f"{left} left" if left else "the last card"
            self._add(f"{'Puts' if fields[1] == 1 else 'Then'} {_NAMES[first]} ({rest}).")
        elif code == at.ALONE:
            self._add("The Ace is alone.")
        elif code == at.CALL:
            self._add(f"Calls {_CALLS[first]}.")
        elif code == at.PASS:
            self._add("Passes.")
        elif code == at.TAKE:
            self._add("Takes it.")
        elif code == at.KEEP:
            self._add("Keeps it." if self.options.draw_count == 1 else "Keeps them.")
        elif code == at.NOTHING_TO_DRAW:
            self._add("There is nothing to draw.")
        elif code == at.RESHUFFLE:
            self._add(f"The discards are turned over: {_count(first, 'card')} to draw.")
        elif code == at.PENALTY:
            self._add(f"Seat {seat} is charged {first} {_CHARGES[fields[1]]}.")
        elif code == at.KAPAGA:
            self._add(_KAPAGA[first])
        elif code == at.PASS_HANDS:
            self._pass_hands(first, fields[1])
        elif code == at.SKIPPED:
            turns = "A turn is" if first == 1 else f"{first} turns are"
            self._add(f"{turns} skipped: seat {fields[1]} acts.")
        elif code == at.ATTACKED:
            only = ", and only the two of spades answers" if fields[2] else ""
            self._add(f"Seat {fields[1]} faces {_count(first, 'card')}{only}.")

    def _pass_hands(self, nines: int, fives: int) -> None:
        seats = list(self.hands)
        steps = (nines - fives) % len(seats)
        self.hands = {
            seats[(place + steps) % len(seats)]: self.hands[seat] for place, seat in enumerate(seats)
        }
        self.hands = {seat: self.hands[seat] for seat in seats}
        side, times = ("left", nines) if nines else ("right", fives)
        often = "" if times == 1 else " twice" if times == 2 else f" {times} times"
        self._add(f"All pass their hands to the {side}{often}.")

    def _ending(self, code: int, seat: int, fields: list[int]) -> None:
        if code == at.HAND_END:
            self._flush()
            reason, turns = fields[0], fields[1]
            self.lines.append("")
            if reason == at.WON:
                self.lines.append(f"Seat {seat} is out after {_count(turns, 'turn')}.")
            else:
                self.lines.append(_ENDS[reason])
        elif code == at.SCORE:
            points, penalties, total, outcome, *_ = fields
            charged = f" and {penalties} of penalties" if penalties else ""
            becomes = {
                at.STAYS: "",
                at.RESETS: " exactly: back to 0",
                at.LEAVES: f", above {self.options.limit:,}: eliminated",
            }[outcome]
            in_all = f", {total:,} in all" if total != points else ""
            holds = _list(self.hands[seat])
            self._line(
                f"  seat {seat} is left with {holds}: {_count(points, 'point')}{charged}{in_all}{becomes}", 6
            )
        elif code == at.GAME_END:
            sharing = " and ".join(str(s) for s in range(self.options.players) if fields[1] >> s & 1)
            who = f"Seat {seat} wins the game" if seat >= 0 else f"Seats {sharing} share the win"
            self.lines.append(f"{who} after {_count(fields[0], 'hand')}.")
        else:
            if seat == 0:
                self.lines.append("")
            place = f"{fields[0] // 2}{' and a half' if fields[0] % 2 else ''}"
            self.lines.append(f"  seat {seat}: place {place}")

"""A hand of contract rummy told to a reader, from the kernel's trace."""

import textwrap
from collections import Counter

import numpy as np

from fastsim.rummy.options import RummyOptions
from kernels.rummy import layout as at

_WIDTH = 80
_ENDS = {
    at.NO_STOCK: "The stock is used up: nobody is out, and all score.",
    at.TOO_LONG: "The limit of turns is reached: nobody is out, and all score.",
}
_MELDING = {at.HOLD_BACK: "Holds back", at.OWN_MELDS: "Lays off on its own melds only"}


def tell(events: np.ndarray, options: RummyOptions) -> list[str]:
    """Return the events of a game as lines, most of them at most 80 characters."""
    return _Teller(options).tell(events)


def _list(kinds: Counter[int]) -> str:
    """Return cards suit by suit, and Jokers last."""
    names = [at.KIND_NAMES[kind] for kind in sorted(kinds.elements(), key=lambda kind: kind or at.KINDS)]
    return " ".join(names) or "nothing"


def _money(parts: int, of_a_cent: int) -> str:
    cents = parts / of_a_cent
    return f"{cents:g} cent{'' if cents == 1 else 's'}"


class _Teller:
    """Follows hands and melds, so that they can be named, and builds up the lines."""

    def __init__(self, options: RummyOptions) -> None:
        self.options = options
        self.lines: list[str] = []
        self.hands = [Counter[int]() for _ in range(options.players)]
        self.melds: list[tuple[str, int, int]] = []  # name of a set, or suit, low and high of a run
        self.turn = ""
        self.sentences: list[str] = []
        self.in_turn = 0
        self.buyer = -1
        self.parts_of_a_cent = 1

    def tell(self, events: np.ndarray) -> list[str]:
        self.parts_of_a_cent = next((e[3] for e in events.tolist() if e[0] == at.MONEY), 1)
        dealing = False
        for code, seat, *fields in events.tolist():
            if dealing and code not in (at.DEAL, at.UPCARD):
                self._show_hands()
            dealing = code in (at.HAND, at.DEAL, at.UPCARD)
            self._event(code, seat, fields)
        self._flush()
        return self.lines

    def _show_hands(self) -> None:
        for seat, hand in enumerate(self.hands):
            self._wrap(f"  seat {seat} holds ", _list(hand))
        self._flush()
        self.lines.append("")

    def _wrap(self, start: str, text: str) -> None:
        self.lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=start,
            subsequent_indent=" " * min(len(start), 12),
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _flush(self) -> None:
        if self.sentences:
            self._wrap(self.turn, ". ".join(self.sentences) + ".")
        self.sentences = []
        self.turn = ""

    def _say(self, text: str, seat: int) -> None:
        """Add a sentence to the turn; it begins with the seat if that is not the one in turn."""
        who = "" if seat == self.in_turn else f"seat {seat} "
        text = who + (text[0].lower() + text[1:] if who else text)
        self.sentences.append(text[0].upper() + text[1:])

    def _add(self, opening: str, text: str) -> None:
        """Go on with the last sentence, if it begins so, or begin it."""
        if self.sentences and self.sentences[-1].startswith(opening):
            self.sentences[-1] += f", {text}"
        else:
            self.sentences.append(f"{opening} {text}")

    def _meld(self, number: int) -> str:
        name, low, high = self.melds[number]
        return f"{at.RANK_NAMES[low]}{name} to {at.RANK_NAMES[high]}{name}" if high else name

    def _event(self, code: int, seat: int, fields: list[int]) -> None:
        name = at.KIND_NAMES[fields[0]] if 0 <= fields[0] < at.KINDS else ""
        if code == at.HAND:
            self._begin_hand(seat, fields)
        elif code == at.DEAL:
            self.hands[seat][fields[0]] += 1
        elif code == at.UPCARD:
            self.sentences = [f"{name} is turned up"]
        elif code == at.TURN:
            self._flush()
            self.turn = f"{fields[0]:>4} seat {seat} with {fields[1]:>2}{', down' if fields[2] else '':6} | "
            self.in_turn = seat
            self.buyer = -1
        elif code in (at.BUY, at.NO_BUY, at.DRAW, at.TAKE, at.PUSH, at.RECEIVE, at.LEAVE):
            self._draw(code, seat, fields[0], name)
        elif code == at.RESHUFFLE:
            self.sentences.append(f"The discards are shuffled: a stock of {fields[0]}")
        elif code == at.NOTHING_TO_DRAW:
            self.sentences.append("There is no card to draw")
        elif code == at.GO_DOWN:
            self.sentences.append("Goes down:")
        elif code == at.WAIT:
            self._say("Could go down, and waits", seat)
        elif code == at.MELDING:
            if fields[0] in _MELDING:
                self._say(_MELDING[fields[0]], seat)
        elif code in (at.NEW_MELD, at.PLACE, at.LAY_OFF, at.SWAP):
            self._lay(code, seat, fields)
        elif code == at.DISCARD:
            self.hands[seat][fields[0]] -= 1
            self._say(f"Discards {name}" + (f" ({fields[1]} left)" if fields[1] else ", the last card"), seat)
        elif code != at.DECISION:
            self._end(code, seat, fields)

    def _begin_hand(self, starter: int, fields: list[int]) -> None:
        self._flush()
        number, dealer, cards, in_game = fields[:4]
        if in_game:
            self.lines.append("")
        contract = " and ".join(self.options.contracts[number - 1])
        self.lines.append(
            f"Hand {number}, {contract}: {cards} cards, seat {dealer} deals, seat {starter} acts first."
        )
        self.hands = [Counter[int]() for _ in self.hands]
        self.melds = []

    def _draw(self, code: int, seat: int, kind: int, name: str) -> None:
        if code == at.BUY:
            self._say(f"Buys {name}", seat)
            self.buyer = seat
        elif code == at.NO_BUY:
            if seat == self.in_turn:
                self._say(f"Leaves {name}", seat)
            return
        elif code == at.DRAW:
            if seat == self.buyer:
                joined = " and" if " with " in self.sentences[-1] else " with"
                self.sentences[-1] += f"{joined} {name}"
            else:
                self._say(f"Draws {name}", seat)
        elif code == at.TAKE:
            self._say(f"Takes {name}", seat)
        elif code == at.PUSH:
            self._say(f"Pushes {name}", seat)
            return
        elif code == at.RECEIVE:
            if self.sentences[-1] == f"Pushes {name}":
                self.sentences[-1] += " and"
            elif self.sentences[-1].startswith("Pushes"):
                self.sentences[-1] += f" {name} to seat {seat}"
            else:
                self._say(f"Gets {name} too", seat)
        else:
            self._say(f"Leaves {name}", seat)
            return
        self.hands[seat][kind] += 1

    def _lay(self, code: int, seat: int, fields: list[int]) -> None:
        if code == at.NEW_MELD:
            _, form, which, low, cards, in_contract = fields
            if form == at.SET:
                self.melds.append((f"{at.RANK_NAMES[which]}s", 0, 0))
            else:
                self.melds.append((at.SUIT_LETTERS[which], low, low + cards - 1))
            if not in_contract:
                self.sentences.append("Lays")
            elif not self.sentences[-1].endswith(":"):
                self.sentences[-1] += ","
            return
        if code == at.SWAP:
            number, kind, place, wild = fields[:4]
            self.hands[seat][kind] -= 1
            self._say(
                f"Swaps {at.KIND_NAMES[kind]} for the {at.KIND_NAMES[wild]} in {self._meld(number)}", seat
            )
            return
        number, kind, place, _, from_hand, _ = fields
        name = at.KIND_NAMES[kind]
        if code == at.PLACE:
            self.hands[seat][kind] -= 1
            self.sentences[-1] += f" {name}"
            return
        if from_hand:
            self.hands[seat][kind] -= 1
            self._add("Lays off", f"{name} on {self._meld(number)}")
        else:
            self.sentences[-1] += f", and lays it on {self._meld(number)}"
        suit, low, high = self.melds[number]
        if high:
            self.melds[number] = (suit, min(low, place), max(high, place))

    def _end(self, code: int, seat: int, fields: list[int]) -> None:
        self._flush()
        if code == at.HAND_END:
            reason, turns = fields[:2]
            ended = f"Seat {seat} goes out in turn {turns}." if reason == at.OUT else _ENDS[reason]
            self.lines += ["", ended]
        elif code == at.SCORE:
            points, _, total = fields[:3]
            so_far = f", {total} so far" if total != points else ""
            self._wrap(f"  seat {seat} ", f"{points} points{so_far}: {_list(self.hands[seat])}")
        elif code == at.PRIZE:
            prize = _money(fields[0], self.parts_of_a_cent)
            self.lines.append(f"  seat {seat} gets {prize} for the lowest hand.")
        elif code == at.GAME_END:
            hands, winners, pot = fields[:3]
            won = [f"seat {each}" for each in range(self.options.players) if winners >> each & 1]
            share = "wins" if len(won) == 1 else "share"
            self.lines += [
                "",
                f"{' and '.join(won).capitalize()} {share} the pot of {_money(pot, 1)} after {hands} hands.",
            ]
        elif code == at.MONEY and fields[0]:
            self.lines.append(f"  seat {seat} has won {_money(fields[0], fields[1])}.")

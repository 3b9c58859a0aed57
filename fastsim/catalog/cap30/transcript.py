"""A hand of Cap30 told to a reader, from the kernel's trace."""

from collections import Counter

import numpy as np

from fastsim.catalog.cap30.options import Cap30Options
from kernels.cap30 import layout as at

_ENDS = {
    at.IS_BLOCKED: "Nobody can play or draw: the hand is blocked and void.",
    at.IS_TRUNCATED: "The limit of turns is reached: the hand is void.",
}
_REACHES = {
    at.FOR_TEN: "meter at {}",
    at.FOR_THIRD_TEN: "the third ten fills the meter ({})",
    at.FOR_CHARGED: "meter at {}",
    at.FOR_DRAIN: "meter down to {}",
    at.FOR_UNDO: "meter back at {}",
}
"""What a change of a meter is called; it needs no telling where it is emptied for a power or a hand."""
_POWERS = {
    at.GIVE: "uses the power to Give.",
    at.SWAP: "uses the power to Swap.",
    at.WILD_TEN: "uses the power for a Wild ten.",
}
_ADVANTAGES = {
    at.CHARGED: "has two notches more as a bonus",
    at.SHIELD: "has a shield",
    at.HAS_BULLSEYE: "has a Bullseye",
}
_WILD = {at.WILD: " as a Wild ten", at.BULLSEYE: " with the Bullseye"}
_OF_POWER_UP = {
    at.METER, at.ADVANTAGE, at.POWER, at.NO_POWER, at.GIVEN, at.SWAP_AWAY, at.SWAP_FOR, at.TARGET,
    at.SHIELDED, at.SKIP_OFF, at.BONUS,
}  # fmt: skip
_BONUSES = {
    at.HEAD_START: "a head start: one card fewer",
    at.CHARGED: "two notches more",
    at.SHIELD: "a shield",
}


def tell(events: np.ndarray, options: Cap30Options) -> list[str]:
    """Return the events of a game as lines, at most about 100 characters each."""
    return _Teller(options).tell(events)


def _name(kind: int) -> str:
    return at.KIND_NAMES[kind].replace("-", "\N{MINUS SIGN}").replace("TakeTwo", "Take Two")


def _list(kinds: Counter[int]) -> str:
    return (
        "  ".join(_name(k) + (f" x{n}" if n > 1 else "") for k, n in sorted(kinds.items()) if n) or "nothing"
    )


class _Teller:
    """Follows the hands, so that they can be shown, and builds up the lines."""

    def __init__(self, options: Cap30Options) -> None:
        self.options = options
        self.hands = [Counter[int]() for _ in range(options.players)]
        self.lines: list[str] = []
        self.said = ""
        self.turn = -1
        self.wins = [0] * options.players
        self.meters = [0] * options.players

    def tell(self, events: np.ndarray) -> list[str]:
        for event in events.tolist():
            code, seat, *fields = event
            if code not in (at.DEAL, at.METER) and self.said == "dealing":
                self._show_hands()
            if code == at.METER:
                self.meters[seat] = fields[1]
            self._event(code, seat, fields)
        self._flush()
        return self.lines

    def _flush(self) -> None:
        if self.said and self.said != "dealing":
            self.lines.append(self.said)
        self.said = ""

    def _show_hands(self) -> None:
        self.said = ""
        for seat, hand in enumerate(self.hands):
            meter = f" (meter at {self.meters[seat]} of {self.options.meter_size})" * bool(self.meters[seat])
            self.lines.append(f"  seat {seat} holds {_list(hand)}{meter}")
        self.lines.append("")

    def _who(self, seat: int) -> str:
        """Return the beginning of a sentence about a seat, which the turn's own need not name."""
        return "" if seat == self.turn else f"Seat {seat} "

    def _sentence(self, seat: int, verb: str) -> None:
        text = f"{self._who(seat)}{verb}"
        self._add(text[0].upper() + text[1:])

    def _add(self, text: str) -> None:
        """Add a sentence to the turn's line, or begin another line when it is full."""
        if len(self.said) + len(text) > 96:
            self._flush()
            self.said = " " * 12 + text
        else:
            self.said += (" " if self.said else "") + text

    def _event(self, code: int, seat: int, fields: list[int]) -> None:
        hand = self.hands[seat] if 0 <= seat < len(self.hands) else Counter[int]()
        kind = fields[0]
        if code == at.HAND:
            self._flush()
            if fields[0]:
                self.lines.append("")
            self.lines.append(
                f"Hand {fields[0] + 1}: {fields[2]} cards, the total is {fields[1]}, seat {seat} starts."
            )
            self.hands = [Counter[int]() for _ in self.hands]
            self.said = "dealing"
        elif code == at.DEAL:
            hand[kind] += 1
        elif code == at.TURN:
            self._flush()
            self.turn = seat
            self.said = f"{fields[0]:>4} seat {seat} at {fields[1]:>3} |"
        elif code == at.MOVE:
            self._move(hand, fields)
        elif code == at.STOP:
            self._add("Stops.")
        elif code == at.DRAW_BY_CHOICE:
            self._add("Would rather draw.")
        elif code == at.DRAW:
            hand[kind] += 1
            self._add(f"Draws {_name(kind)}.")
        elif code == at.KEEP:
            self._add("Keeps it.")
        elif code == at.NOTHING_TO_DRAW:
            self._add("There is nothing to draw.")
        elif code == at.TAKE:
            hand[kind] += 1
            self._add(f"Seat {seat} picks up {_name(kind)}.")
        elif code == at.RETURN:
            hand[kind] -= 1
            self._add(f"Seat {seat} gives back {_name(kind)}.")
        elif code == at.MISS:
            self._add(f"Seat {seat} misses a turn.")
        elif code == at.DIRECTION:
            self._add("Play goes clockwise." if kind > 0 else "Play goes anticlockwise.")
        elif code == at.UNSKIP:
            self._add(f"Seat {seat} acts after all.")
        elif code == at.RESHUFFLE:
            self._add(f"The discards are shuffled: {kind} cards to draw.")
        elif code == at.HAND_END:
            self._end_of_hand(seat, fields)
        elif code in _OF_POWER_UP:
            self._power_up(code, seat, fields)
        elif code == at.GAME_END:
            self.lines.append("")
            who = f"Seat {seat} wins the game" if seat >= 0 else "The game is a draw"
            self.lines.append(f"{who} after {kind} hand{'s' if kind != 1 else ''}.")

    def _move(self, hand: Counter[int], fields: list[int]) -> None:
        kind, copies, before, after, moved, how = fields
        hand[kind] -= copies
        cards = hand.total()
        text = " and ".join([_name(kind)] * copies)
        if how in _WILD:
            text += _WILD[how]
        if after != before:
            text += f", total {after}"
        if after != before and after % self.options.ten_step == 0:
            text += ", a ten"
        text += f" ({cards} left)." if cards else " (the last card)."
        self._add(text if moved == 1 else f"Then {text}")

    def _power_up(self, code: int, seat: int, fields: list[int]) -> None:
        """Tell an event of Power Up (C20-C25)."""
        hand = self.hands[seat]
        kind = fields[0]
        if code == at.METER:
            self._meter(seat, *fields[1:3])
        elif code == at.ADVANTAGE:
            self.lines[-1] = f"  seat {seat} {_ADVANTAGES[kind]}"
            self.lines.append("")
        elif code == at.POWER:
            if fields[1] == at.AS_REACTION:
                self._add(f"Seat {seat} reacts, and {_POWERS[kind]}")
            else:
                self._sentence(seat, _POWERS[kind])
        elif code == at.NO_POWER:
            self._sentence(seat, "keeps the power.")
        elif code == at.GIVEN:
            hand[kind] += 1
            self._add(f"Seat {seat} draws {_name(kind)}.")
        elif code == at.SWAP_AWAY:
            hand[kind] -= 1
            self._sentence(seat, f"puts {_name(kind)} under the pile")
        elif code == at.SWAP_FOR:
            hand[kind] += 1
            self._add(f"for a new {_name(kind)}.")
        elif code == at.TARGET:
            self._add(f"Aims it at seat {fields[1]}.")
        elif code == at.SHIELDED:
            self._add(f"The shield of seat {seat} holds it off.")
        elif code == at.SKIP_OFF:
            self._add(f"Seat {seat} need not miss that turn.")
        elif code == at.BONUS:
            self.lines.append(f"For the next hand seat {seat} picks {_BONUSES[kind]}.")

    def _meter(self, seat: int, after: int, why: int) -> None:
        if why not in _REACHES:
            return
        text = _REACHES[why].format(f"{after} of {self.options.meter_size}")
        if why == at.FOR_CHARGED:
            self.lines[-2] += f": {text}"
        elif seat == self.turn:
            self._add(f"{text[0].upper()}{text[1:]}.")
        else:
            self._add(f"Seat {seat}: {text}.")

    def _end_of_hand(self, winner: int, fields: list[int]) -> None:
        self._flush()
        reason, turns = fields[0], fields[1]
        self.lines.append("")
        if reason == at.WON:
            self.wins[winner] += 1
            others = ", ".join(
                f"seat {seat} is left with {_list(hand)}"
                for seat, hand in enumerate(self.hands)
                if seat != winner
            )
            self.lines.append(f"Seat {winner} wins in {turns} turns; {others}.")
        else:
            self.lines.append(_ENDS[reason])

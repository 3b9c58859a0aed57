"""A round of Cap Zap told to a reader, from the kernel's trace."""

import textwrap
from collections import Counter
from collections.abc import Sequence

import numpy as np

from fastsim.catalog.cap_zap.options import CapZapOptions
from kernels.cap_zap import layout as at

_WIDTH = 80
_INDENT = 8


def tell(events: np.ndarray, options: CapZapOptions) -> list[str]:
    """Return the events of a game as lines of at most 80 characters."""
    return _Teller(options, bool((events[:, 0] == at.GAME_END).any())).tell(events)


def _name(letter: int) -> str:
    return at.KIND_NAMES[letter]


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _list(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


class _Teller:
    """Follows the hands, so that they can be shown, and builds up the lines."""

    def __init__(self, options: CapZapOptions, whole_game: bool) -> None:
        self.options = options
        self.whole_game = whole_game
        self.lines: list[str] = []
        self.said = ""
        self.dealing = False
        self.hands = [Counter[int]() for _ in range(options.players)]
        self.play = ""
        """The play that may still turn out to be a zap."""
        self.scores: list[list[int]] = []
        """Of each side: tricks, points of the round, points so far."""

    def tell(self, events: np.ndarray) -> list[str]:
        if self.options.teams:
            for side in range(self.options.sides):
                members = range(side, self.options.players, self.options.sides)
                self.lines.append(f"Side {side} is seats {_list([str(seat) for seat in members])}.")
            self.lines.append("")
        for event in events.tolist():
            code, who, *fields = event
            if self.dealing and code != at.DEAL:
                self._show_hands()
            if self.play and code != at.ZAP:
                self._add(self.play)
                self.play = ""
            self._event(code, who, fields)
        return self.lines

    def _sides(self, sides: Sequence[int]) -> str:
        """Return who is meant: without teams a side is a seat."""
        word = "side" if self.options.teams else "seat"
        return f"{word}{'' if len(sides) == 1 else 's'} {_list([str(side) for side in sides])}"

    def _paragraph(self, text: str) -> None:
        self.lines += textwrap.wrap(text, _WIDTH, subsequent_indent="  ")

    def _flush(self) -> None:
        if self.said:
            self.lines.append(self.said)
        self.said = ""

    def _add(self, text: str) -> None:
        """Add a sentence to the trick's line, or begin another line when this one is full."""
        if self.said and len(self.said) + 1 + len(text) > _WIDTH:
            self._flush()
            self.said = " " * _INDENT + text
        else:
            self.said += (" " if self.said else "") + text

    def _show_hands(self) -> None:
        self.dealing = False
        for seat, hand in enumerate(self.hands):
            cards = " ".join(_name(letter) for letter in sorted(hand.elements()))
            self.lines.append(f"  seat {seat} holds {cards}")
        self.lines.append("")

    def _event(self, code: int, who: int, fields: list[int]) -> None:
        if code == at.ROUND:
            number, cards, tricks = fields[:3]
            if number:
                self.lines.append("")
            self.lines.append(
                f"Round {number + 1}: {_many(tricks, 'trick')}, {_many(cards, 'card')} in the deck. "
                f"Seat {who} deals and leads."
            )
            self.hands = [Counter[int]() for _ in self.hands]
            self.scores = []
            self.dealing = True
        elif code == at.DEAL:
            self.hands[who][fields[0]] += 1
        elif code == at.TRICK:
            self.said = f"{fields[0]:>5} |"
        elif code == at.PLAY:
            verb = "leads" if fields[1] == 1 else "plays"
            self.play = f"Seat {who} {verb} {_name(fields[0])}."
        elif code == at.ZAP:
            letter, zapped = fields[:2]
            self.play = ""
            self._add(f"Seat {who} zaps {_name(zapped)} with {_name(letter)}.")
        elif code == at.TRICK_END:
            self._add(f"Seat {who} wins.")
            self._flush()
        elif code == at.SCORE:
            self.scores.append(fields[:3])
        elif code == at.ROUND_END:
            self._end_of_round(who, fields)
        elif code == at.GAME_END:
            self._end_of_game(who, fields)

    def _end_of_round(self, winner: int, fields: list[int]) -> None:
        _, most, bonus, sweep = fields[:4]
        by_tricks: dict[int, list[int]] = {}
        for side, (tricks, _, _) in enumerate(self.scores):
            by_tricks.setdefault(tricks, []).append(side)
        points = _many(self.scores[by_tricks[most][0]][1], "point")
        who = self._sides(by_tricks.pop(most))
        if winner >= 0:
            earned = ["a sweep"] * sweep + ["the bonus"] * bonus
            extra = f", with {_list(earned)}" if earned else ""
            text = f"{who} wins {_many(most, 'trick')}, the most: {points}{extra}."
        else:
            text = f"{who} share the most tricks, {most} each: {points} each."
        others = [
            f"{self._sides(sides)} win{'s' if len(sides) == 1 else ''} {tricks or 'none'}"
            for tricks, sides in sorted(by_tricks.items(), reverse=True)
        ]
        self.lines.append("")
        self._paragraph(" ".join([_sentence(text)] + [_sentence(f"{_list(others)}.")] * bool(others)))
        if self.whole_game:
            totals = [f"{self._sides([side])} has {total}" for side, (_, _, total) in enumerate(self.scores)]
            self._paragraph(f"Points so far: {_list(totals)}.")

    def _end_of_game(self, winner: int, fields: list[int]) -> None:
        mask, rounds, truncated = fields[:3]
        text = f"The limit of {_many(rounds, 'round')} is reached. " if truncated else ""
        who = self._sides([side for side in range(self.options.sides) if mask >> side & 1])
        does = "wins the game" if winner >= 0 else "share the win"
        text += _sentence(f"{who} {does} after {_many(rounds, 'round')}.")
        self.lines.append("")
        self._paragraph(text)

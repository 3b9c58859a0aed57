"""The referee of Cap30: its rules in plain Python, to play by and to check a kernel's trace by.

Written from ``rules/cap30.md`` alone (rule ids C1 to C16, and C20 to C25 for Power Up), never from
a kernel. There is one copy of the rules: :class:`Hand`, in Power Up :class:`PowerHand`, and for a game
:func:`run_game`. They know nothing of where cards and choices come from: for that they ask a
:class:`Table`.

- :class:`RandomTable` shuffles and chooses by itself: :func:`play_hand`, :func:`play_game`.
- :class:`TraceTable` reads cards and choices from a trace. Everything else that the rules make
  happen is compared with the trace, event by event: :func:`check_hand`, :func:`check_game`.

Cards, moves and other choices are written as :mod:`tests.referees.cap30_hand` and
:mod:`tests.referees.cap30_powers` say.
"""

import random
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kernels.cap30 import layout
from kernels.cap30.layout import KIND_NAMES
from tests.referees.cap30_hand import (
    DRAW,
    KEEP,
    KIND_NUMBERS,
    STOP,
    WILD_TENS,
    Choice,
    Hand,
    Options,
    Record,
    Table,
    cards_in_deck,
    has_powers,
)
from tests.referees.cap30_powers import BONUSES, FORMS, NO_POWER, PowerHand, Standing
from tests.referees.trace import Event, Trace

# Options


def _numbers(copies: Mapping[int, int]) -> dict[str, int]:
    """Return number cards of both signs, with the given copies of each value."""
    return {f"{sign}{value}": many for sign in "+-" for value, many in copies.items()}


_SMALL = {value: 1 if value <= 4 else 2 for value in range(1, 11)}
_MIDDLE = _SMALL | dict.fromkeys(range(11, 16), 1)
_LARGE = _MIDDLE | dict.fromkeys(range(16, 26), 1)
_STANDARD = _numbers(dict.fromkeys(range(1, 11), 2)) | {
    "TakeTwo": 4, "Double": 2, "Halve": 2, "Reset": 2, "Skip": 2,
}  # fmt: skip

# C1
DECKS: dict[str, dict[str, Any]] = {
    "cap30": {
        "deck": _numbers(_SMALL)
        | {"TakeTwo": 6, "Double": 3, "Halve": 3, "Undo": 2, "Reset": 2, "Skip": 2, "Switch": 2},
        "cap": 30,
        "start": 15,
    },
    "cap50": {
        "deck": _numbers(_MIDDLE)
        | {"TakeTwo": 8, "Double": 4, "Halve": 4, "Undo": 2, "Reset": 2, "Skip": 3, "Switch": 3},
        "cap": 50,
        "start": 25,
    },
    "cap100": {
        "deck": _numbers(_LARGE)
        | {"TakeTwo": 10, "Double": 5, "Halve": 5, "Undo": 3, "Reset": 3, "Skip": 3, "Switch": 3},
        "cap": 100,
        "start": 50,
    },
    "standard": {"deck": _STANDARD, "cap": 30, "start": 15},
    "standard-1j": {"deck": _STANDARD | {"Undo": 1}, "cap": 30, "start": 15},
    "standard-2j": {"deck": _STANDARD | {"Undo": 2}, "cap": 30, "start": 15},
}


def resolve(**changes: Any) -> dict[str, Any]:
    """Return all options, with the defaults of the rules page where nothing is given.

    Parameters
    ----------
    **changes
        Options that differ. ``deck`` is the name of a deck or a mapping from kinds to copies (then
        ``cap`` and ``start``, unless given, are those of ``cap30``).

    Returns
    -------
    dict
        Every option; ``deck`` as a mapping.

    Raises
    ------
    ValueError
        If an option or a kind is unknown, or the hands cannot be dealt (C3).
    """
    deck = changes.pop("deck", "cap30")
    preset = DECKS[deck if isinstance(deck, str) else "cap30"]
    cards = dict(preset["deck"] if isinstance(deck, str) else deck)
    players = changes.get("players", 2)
    start = changes.get("start", preset["start"])
    options = {
        "players": players,
        "deck": cards,
        "cap": preset["cap"],
        "start": start,
        "reset_to": start,
        "ten_step": 10,
        "hand_size": 7,
        "starter_extra": 1 if players == 2 else 0,
        "chain_limit": 3,
        "max_multiple": 3,
        "must_play": True,
        "take_count": 2,
        "take_target": "fewest",
        "undo_chains": True,
        "next_starter": "last",
        "hands_to_win": 2,
        "max_turns": 1000,
        "max_hands": 100,
        "powers": False,
        "meter_size": 4,
        "meter_carry": True,
        "drain_cards": 2,
        "power_reaction": True,
    }
    unknown = [name for name in changes if name not in options]
    unknown += [kind for kind in cards if kind not in KIND_NUMBERS or kind == "Drain"]
    if unknown:
        raise ValueError(f"unknown options or kinds: {', '.join(map(str, unknown))}")
    options |= changes
    held = sum(cards_in_deck(options).values())
    dealt = options["players"] * options["hand_size"] + options["starter_extra"]
    if options["hand_size"] + options["starter_extra"] < 1 or dealt > held:
        raise ValueError(f"C3: {dealt} cards cannot be dealt so that everyone holds one")
    return options


# A game


def next_starter(options: Options, record: Record) -> int:
    """Return the seat that starts the hand after the one recorded (C14, C16, C24)."""
    players: int = options["players"]
    starter: int = record["starter"]
    winner: int = record["winner"]
    if winner < 0:
        return starter
    if not has_powers(options) and options["next_starter"] == "winner":
        return winner
    if not has_powers(options) and options["next_starter"] == "rotate":
        return (starter + 1) % players
    clockwise = [(winner + step) % players for step in range(1, players)]
    return max(clockwise, key=lambda seat: record["cards_left"][seat])


def new_hand(options: Options, table: Table, starter: int = 0, standing: Standing | None = None) -> Hand:
    """Return a hand that is about to be dealt; in Power Up, after hands that have left this standing."""
    return (
        PowerHand(options, table, starter, standing) if has_powers(options) else Hand(options, table, starter)
    )


def run_hand(options: Options, table: Table, starter: int = 0, number: int = 1) -> Record:
    """Play a single hand at a table, and return its record.

    Parameters
    ----------
    options : mapping
        Every option.
    table : Table
        Where cards and choices come from.
    starter : int
        The seat that acts first.
    number : int
        The hand's number.
    """
    announce(options, table, "C4", starter, number)
    return new_hand(options, table, starter).run()


def announce(options: Options, table: Table, rule: str, starter: int, number: int) -> None:
    """Say that a hand begins, and who starts it by the given rule."""
    deck = cards_in_deck(options)
    table.tell(rule, layout.HAND, starter, number, options["start"], sum(deck.values()))


def run_game(options: Options, table: Table, first_number: int = 1) -> tuple[list[Record], Record]:
    """Play one game at a table (C14 to C16, C23, C24), and return its hands' records and its own.

    Parameters
    ----------
    options : mapping
        Every option.
    table : Table
        Where cards and choices come from.
    first_number : int
        The number of the first hand.
    """
    records: list[Record] = []
    hands_won, bonuses = Counter[int](), Counter[int]()
    standing = Standing([0] * options["players"])
    starter, champion = 0, -1
    while champion < 0 and len(records) < options["max_hands"]:
        announce(options, table, "C16" if records else "C4", starter, first_number + len(records))
        hand = new_hand(options, table, starter, standing)
        record = hand.run()
        records.append(record)
        starter, winner = next_starter(options, record), record["winner"]
        if winner >= 0:
            hands_won[winner] += 1
            if hands_won[winner] == options["hands_to_win"]:
                champion = winner
            elif isinstance(hand, PowerHand) and len(records) < options["max_hands"]:
                bonuses[hand.hand_on(winner, starter)] += 1
    table.tell("C14" if champion < 0 else "C15", layout.GAME_END, champion, len(records))
    game = {
        "winners": (1 << options["players"]) - 1 if champion < 0 else 1 << champion,
        "hands": len(records),
        "drawn_game": int(champion < 0),
        "bonuses": bonuses,
    }
    return records, game


# First use: playing


class RandomTable(Table):
    """A table where every choice and every order of the cards is equally likely.

    Parameters
    ----------
    rng : random.Random
        Where the chances come from.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pile: list[str] = []
        """The draw pile, its top last."""

    def shuffle(self, cards: list[str]) -> None:
        self.rng.shuffle(cards)
        self.pile = cards

    def pile_size(self) -> int:
        return len(self.pile)

    def draw(self, rule: str, code: int, seat: int) -> str:
        return self.pile.pop()

    def put_under(self, rule: str, kind: str) -> None:
        self.pile.insert(0, kind)

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        return self.rng.choice(choices)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        pass

    def may_tell(self, code: int, seat: int) -> None:
        pass


def play_hand(rng: random.Random, options: Options, starter: int = 0) -> Record:
    """Play one hand with the ``random`` policy.

    Parameters
    ----------
    rng : random.Random
        Where the chances come from.
    options : mapping
        Every option, as :func:`resolve` returns them.
    starter : int
        The seat that acts first.

    Returns
    -------
    dict
        The metrics of ``layout.HAND_COLUMNS`` by name, without ``policy_winners``. ``plays``,
        ``chains`` and ``total_share`` count by kind's name, length and total (only what occurred), and
        ``powers`` by ``2 * form + moment``; ``cards_left`` is a list by seat; the rest are whole numbers.
    """
    return run_hand(options, RandomTable(rng), starter)


def play_game(rng: random.Random, options: Options) -> tuple[list[Record], Record]:
    """Play one game with the ``random`` policy.

    Parameters
    ----------
    rng : random.Random
        Where the chances come from.
    options : mapping
        Every option, as :func:`resolve` returns them.

    Returns
    -------
    hands : list of dict
        What :func:`play_hand` returns, for each hand.
    game : dict
        The metrics of ``layout.GAME_COLUMNS`` by name, without ``policy_winners``. ``bonuses`` counts
        by the bonus; the rest are whole numbers.
    """
    return run_game(options, RandomTable(rng))


# Second use: checking


# The name of each event and of its fields after the seat.
EVENTS = {
    layout.HAND: ("HAND", "number", "total", "cards in the deck"),
    layout.DEAL: ("DEAL", "kind"),
    layout.TURN: ("TURN", "turn", "total", "direction", "cards in hand"),
    layout.DECISION: ("DECISION", "decision", "choices", "about"),
    layout.MOVE: ("MOVE", "kind", "copies", "before", "after", "moves this turn", "how"),
    layout.STOP: ("STOP",),
    layout.DRAW: ("DRAW", "kind"),
    layout.KEEP: ("KEEP", "kind"),
    layout.NOTHING_TO_DRAW: ("NOTHING_TO_DRAW",),
    layout.TAKE: ("TAKE", "kind"),
    layout.RETURN: ("RETURN", "kind"),
    layout.MISS: ("MISS",),
    layout.DIRECTION: ("DIRECTION", "direction"),
    layout.UNSKIP: ("UNSKIP",),
    layout.RESHUFFLE: ("RESHUFFLE", "cards"),
    layout.HAND_END: ("HAND_END", "reason", "turns"),
    layout.GAME_END: ("GAME_END", "hands"),
    layout.DRAW_BY_CHOICE: ("DRAW_BY_CHOICE",),
    layout.METER: ("METER", "before", "after", "why"),
    layout.ADVANTAGE: ("ADVANTAGE", "advantage"),
    layout.POWER: ("POWER", "form", "moment"),
    layout.NO_POWER: ("NO_POWER", "moment"),
    layout.GIVEN: ("GIVEN", "kind"),
    layout.SWAP_AWAY: ("SWAP_AWAY", "kind"),
    layout.SWAP_FOR: ("SWAP_FOR", "kind"),
    layout.TARGET: ("TARGET", "kind", "at seat"),
    layout.SHIELDED: ("SHIELDED", "against"),
    layout.SKIP_OFF: ("SKIP_OFF",),
    layout.BONUS: ("BONUS", "bonus"),
}
# What the numbers in fields of these names are called.
NAMES = {
    "kind": KIND_NAMES,
    "against": (*KIND_NAMES, "Give"),
    "form": FORMS,
    "moment": ("at a turn", "as a reaction"),
    "bonus": BONUSES,
    "advantage": (*BONUSES, "Bullseye"),
    "how": ("from the hand", "from a draw", "as a Wild ten", "by the Bullseye"),
}

DECISION_RULES = {layout.DECIDE_TURN: "C6", layout.DECIDE_DRAWN: "C7", layout.DECIDE_CHAIN: "C9"}
# Of a decision about a power, by what it is about: its rule, and the event that carries it out.
POWER_DECISIONS = {
    layout.USE_POWER: ("C21", layout.POWER),
    layout.CARD_AWAY: ("C21", layout.SWAP_AWAY),
    layout.KIND_TAKEN: ("C21", layout.SWAP_FOR),
    layout.AIM: ("C22", layout.TARGET),
    layout.NEXT_BONUS: ("C23", layout.BONUS),
}
SPOKEN_CHOICES = {
    layout.STOP: STOP,
    layout.KEEP: KEEP,
    layout.DRAW_BY_CHOICE: DRAW,
    layout.NO_POWER: NO_POWER,
}


class TraceTable(Trace, Table):
    """A table that follows a trace: its cards, its choices, and nothing that the rules did not make.

    Of the draw pile it knows which cards are in it, and where those lie that an Undo or a Swap put under it.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace, in rows of ``EVENT_FIELDS``.
    """

    event_names = EVENTS
    number_names = NAMES

    def __init__(self, events: Iterable[Sequence[int]]) -> None:
        super().__init__(events)
        self.unordered: Counter[str] = Counter()
        self.bottom: deque[tuple[str, str]] = deque()
        """Rule and kind of each card put under the pile, the top one first."""

    def shuffle(self, cards: list[str]) -> None:
        self.unordered = Counter(cards)
        self.bottom.clear()

    def pile_size(self) -> int:
        return self.unordered.total() + len(self.bottom)

    def draw(self, rule: str, code: int, seat: int) -> str:
        kind = self.read_name(rule, code, seat)
        if self.unordered.total():
            self.take(rule, kind, seat, self.unordered, "draw pile")
        else:
            put_by, lies_there = self.bottom.popleft()
            if kind != lies_there:
                by = "an Undo" if put_by == "C12" else "a Swap"
                self.refuse(put_by, f"seat {seat} got {kind}, but {lies_there} was put there by {by}")
        self.tell(rule, code, seat, KIND_NUMBERS[kind])
        return kind

    def put_under(self, rule: str, kind: str) -> None:
        self.bottom.append((rule, kind))

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        if decision == layout.DECIDE_POWER:
            rule, code = POWER_DECISIONS[about]
        else:
            rule, code = DECISION_RULES[decision], layout.MOVE
        self.tell(rule, layout.DECISION, seat, decision, len(choices), about, choices=choices)
        event = self.look(rule, (code, seat))
        choice = self.choice_of(event)
        if choice not in choices:
            # With a drawn card the fault is to play another one; else the move itself is wrong.
            wrong = event[0] == code == layout.MOVE and decision != layout.DECIDE_DRAWN
            self.refuse_choice("C5" if wrong else rule, event, choices)
        return choice

    def choice_of(self, event: Event) -> Choice:
        """Return the choice that an event carries out; if it is none, the event in words."""
        code, _, value, more = event[:4]
        kind = self.name_of("kind", value)
        if kind and code == layout.MOVE:
            how = event[-1]
            return (kind, more, how) if how in WILD_TENS else (kind, more)
        if kind and code in (layout.SWAP_AWAY, layout.SWAP_FOR):
            return kind
        if code == layout.TARGET:
            return more
        named = {layout.POWER: "form", layout.BONUS: "bonus"}.get(code)
        word = self.name_of(named, value) if named else SPOKEN_CHOICES.get(code)
        return word or self.describe(event)

    def describe_choice(self, choice: Choice) -> str:
        if isinstance(choice, tuple):
            kind, copies, *how = choice
            times = f" x{copies}" if copies > 1 else ""
            return kind + times + "".join(f" {NAMES['how'][code]}" for code in how)
        return choice if isinstance(choice, str) else f"seat {choice}"

    def may_tell(self, code: int, seat: int) -> None:
        if self.index < len(self.events) and self.events[self.index][:2] == (code, seat):
            self.tell("C8", code, seat)

    def first_number(self) -> int:
        """Return the number of a trace's first hand: the layout leaves open whether it is 0 or 1."""
        return 0 if self.events and self.events[0][2] == 0 else 1


def check_hand(events: Iterable[Sequence[int]], options: Options, starter: int = 0) -> Record:
    """Check a trace of one hand against the rules, and return what the hand must record.

    Parameters
    ----------
    events : iterable of sequence of int
        The hand's trace, from its HAND to its HAND_END.
    options : mapping
        Every option, as :func:`resolve` returns them.
    starter : int
        The seat that has to act first.

    Returns
    -------
    dict
        As :func:`play_hand` returns it.

    Raises
    ------
    RefereeError
        If an event breaks a rule.
    """
    table = TraceTable(events)
    record = run_hand(options, table, starter, table.first_number())
    table.close("C10" if record["winner"] >= 0 else "C14")
    return record


def check_game(
    events: Iterable[Sequence[int]], options: Options, by_game: bool
) -> tuple[list[Record], Record | None]:
    """Check a trace of one game against the rules, and return what it must record.

    Parameters
    ----------
    events : iterable of sequence of int
        The game's trace, from its first HAND to its GAME_END.
    options : mapping
        Every option, as :func:`resolve` returns them.
    by_game : bool
        If false, the trace is that of a single hand which seat 0 starts, without GAME_END.

    Returns
    -------
    hands : list of dict
        The record of each hand, as :func:`play_hand` returns it.
    game : dict or None
        The record of the game, as :func:`play_game` returns it; ``None`` for a single hand.

    Raises
    ------
    RefereeError
        If an event breaks a rule.
    """
    if not by_game:
        return [check_hand(events, options)], None
    table = TraceTable(events)
    hands, game = run_game(options, table, table.first_number())
    table.close("C14" if game["drawn_game"] else "C15")
    return hands, game

"""The referee of Cap30: its rules in plain Python, to play by and to check a kernel's trace by.

Written from ``rules/cap30.md`` alone (rule ids C1 to C16; Power Up is not here), never from a
kernel. There is one copy of the rules, :class:`Hand` and :func:`run_game`. They know nothing of
where cards and choices come from: for that they ask a :class:`Table`.

- :class:`RandomTable` shuffles and chooses by itself: :func:`play_hand`, :func:`play_game`.
- :class:`TraceTable` reads cards and choices from a trace. Everything else that the rules make
  happen is compared with the trace, event by event: :func:`check_hand`, :func:`check_game`.

A card is the name of its kind ("+7", "Double"). A move is a pair ``(kind, copies)``. The other
choices are the words ``STOP``, ``KEEP`` and ``DRAW``. Seats go clockwise; direction 1 is clockwise.
"""

import random
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from kernels.cap30 import layout
from kernels.cap30.layout import KIND_NAMES

Options = Mapping[str, Any]
Record = dict[str, Any]
Move = tuple[str, int]
Choice = Move | str

STOP = "stop"
KEEP = "keep"
DRAW = "draw"

UNDER_WAY = -1
"""In place of the reason of a hand's end, while it goes on."""

KIND_NUMBERS = {name: number for number, name in enumerate(KIND_NAMES)}
"""The number by which a trace calls each kind."""

VALUES = {name: int(name) for name in KIND_NAMES if name[0] in "+-"}
"""What each number card adds to the total."""

TOTAL_KINDS = frozenset(VALUES) | {"Double", "Halve", "Reset"}
"""The cards whose own effect is on the total."""


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
    }
    unknown = [name for name in changes if name not in options]
    unknown += [kind for kind in cards if kind not in KIND_NUMBERS]
    if unknown:
        raise ValueError(f"unknown options or kinds: {', '.join(map(str, unknown))}")
    options |= changes
    dealt = options["players"] * options["hand_size"] + options["starter_extra"]
    if options["hand_size"] + options["starter_extra"] < 1 or dealt > sum(cards.values()):
        raise ValueError(f"C3: {dealt} cards cannot be dealt so that everyone holds one")
    return options


# A hand


class Table:
    """What a hand needs from outside: a draw pile, somebody who chooses, and an audience.

    Every method but ``put_under`` and ``pile_size`` may write or check events. ``rule`` is the id of
    the rule that makes the event happen; codes and fields are those of ``kernels.cap30.layout``.
    """

    def shuffle(self, cards: list[str]) -> None:
        """Make the draw pile, empty until now, of these cards in an unknown order."""
        raise NotImplementedError

    def pile_size(self) -> int:
        """Return the number of cards in the draw pile."""
        raise NotImplementedError

    def draw(self, rule: str, code: int, seat: int) -> str:
        """Take the top card of the draw pile for a seat, an event of the given code."""
        raise NotImplementedError

    def put_under(self, kind: str) -> None:
        """Put a card at the bottom of the draw pile."""
        raise NotImplementedError

    def choose(self, decision: int, seat: int, choices: Sequence[Choice]) -> Choice:
        """Return one of the choices of a decision (its number on the rules page)."""
        raise NotImplementedError

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        """Say that something happened which left nothing to choose."""
        raise NotImplementedError

    def may_tell(self, code: int, seat: int) -> None:
        """Say something that a trace is free to leave out."""
        raise NotImplementedError


@dataclass(slots=True)
class Last:
    """The last move of the hand, with what an Undo has to know of it (C12).

    Attributes
    ----------
    kind : str
        The card.
    before : int
        The total before it.
    missed : int
        Of a Skip: the seat that missed its turn.
    taker : int
        Of a TakeTwo: the seat that picked up.
    first : int
        Of a TakeTwo: where in the taker's cards the first one picked up lies.
    taken : int
        Of a TakeTwo: how many were picked up.
    """

    kind: str
    before: int
    missed: int = -1
    taker: int = -1
    first: int = 0
    taken: int = 0


class Hand:
    """One hand of Cap30: where it stands, and the rules that move it on.

    Parameters
    ----------
    options : mapping
        Every option, as :func:`resolve` returns them.
    table : Table
        Where cards and choices come from.
    starter : int
        The seat that acts first.

    Attributes
    ----------
    cards : list of list of str
        The cards of each seat, those held longest first.
    discards : list of str
        The discard pile, its top last.
    total, direction, to_act : int
        The shared total, the direction of play, and the seat whose turn is next.
    last : Last or None
        The last move of the hand.
    made : int
        Moves made so far in the turn under way.
    reason : int
        Why the hand is over (a code of the layout), ``UNDER_WAY`` while it is not.
    record : dict
        What the hand must record. Only complete once :meth:`run` has returned.
    """

    def __init__(self, options: Options, table: Table, starter: int = 0) -> None:
        self.options = options
        self.table = table
        self.players: int = options["players"]
        self.starter = starter
        self.cap: int = options["cap"]
        self.reset_to: int = options["reset_to"]
        self.cards: list[list[str]] = [[] for _ in range(self.players)]
        self.discards: list[str] = []
        self.total: int = options["start"]
        self.direction = 1
        self.to_act = starter
        self.last: Last | None = None
        self.made = 0
        self.passes = 0
        self.leader = -1
        self.reason = UNDER_WAY
        self.record: Record = {
            "starter": starter,
            "turns": 0,
            "moves": 0,
            "cards_played": 0,
            "drawn": 0,
            "taken": 0,
            "stuck": 0,
            "tens": 0,
            "reshuffles": 0,
            "lead_changes": 0,
            "decisions": 0,
            "choices": 0,
            "forced": 0,
            "chains": Counter(),
            "plays": Counter(),
            "total_share": Counter(),
        }

    def run(self) -> Record:
        """Play the hand from the deal to its end, and return its record."""
        self.deal()
        while self.reason == UNDER_WAY:
            self.take_turn()
        return self.finish()

    # C3

    def deal(self) -> None:
        """Shuffle, and deal round by round from the starter; the starter's extra cards come last."""
        self.table.shuffle([kind for kind, many in self.options["deck"].items() for _ in range(many)])
        size, extra = self.options["hand_size"], self.options["starter_extra"]
        for dealt in range(size):
            for place in range(self.players):
                # A negative extra: the starter is passed over in the last rounds.
                if place or dealt < size + extra:
                    self.draw_card("C3", layout.DEAL, (self.starter + place) % self.players)
        for _ in range(extra):
            self.draw_card("C3", layout.DEAL, self.starter)

    # C5

    def legal_moves(self, seat: int) -> list[Move]:
        """Return every legal move of a seat, each once, in the order that the cards came."""
        most = self.options["max_multiple"]
        moves = []
        for kind, held in Counter(self.cards[seat]).items():
            if self.is_legal(kind):
                moves.append((kind, 1))
                if held > 1 and kind in VALUES:
                    # Only asked if one copy is legal: where one leaves the range, more do too.
                    moves += [(kind, n) for n in range(2, min(held, most) + 1) if self.is_legal(kind, n)]
        return moves

    def is_legal(self, kind: str, copies: int = 1) -> bool:
        """Say whether a seat that holds these cards may put them down now."""
        if kind in VALUES:
            return 0 <= self.total + copies * VALUES[kind] <= self.cap
        if kind == "Double":
            return 2 * self.total <= self.cap
        if kind == "Halve":
            return self.total % 2 == 0
        if kind == "Undo":
            return self.last is not None and self.last.kind != "Undo"
        return True

    def total_after(self, kind: str, copies: int = 1) -> int:
        """Return the total that a legal move leaves."""
        if kind in VALUES:
            return self.total + copies * VALUES[kind]
        if kind == "Double":
            return 2 * self.total
        if kind == "Halve":
            return self.total // 2
        if kind == "Reset":
            return self.reset_to
        if kind == "Undo" and self.last is not None and self.last.kind in TOTAL_KINDS:
            return self.last.before
        return self.total

    # A turn

    def take_turn(self) -> None:
        """Play the turn of ``to_act``, and see whether it ended the hand."""
        seat, record = self.to_act, self.record
        record["turns"] += 1
        self.table.tell(
            "C4", layout.TURN, seat, record["turns"], self.total, self.direction, len(self.cards[seat])
        )
        self.made = 0
        self.to_act = self.next_seat(seat)
        drawn_before = record["drawn"]

        choice, from_draw = self.first_choice(seat)
        while isinstance(choice, tuple):
            chains = self.apply_move(seat, *choice, from_draw)
            choice = self.next_in_chain(seat) if chains else STOP
            from_draw = False

        record["chains"][self.made] += 1
        self.passes = 0 if self.made or record["drawn"] > drawn_before else self.passes + 1
        self.look_at_lead()
        # In this order: a win on the last turn counts, and blocked goes before truncated (C10, C14).
        if not self.cards[seat]:
            self.reason = layout.WON
        elif self.passes == self.players:
            self.reason = layout.IS_BLOCKED
        elif record["turns"] == self.options["max_turns"]:
            self.reason = layout.IS_TRUNCATED

    def first_choice(self, seat: int) -> tuple[Choice, bool]:
        """Return what a turn begins with, and whether that is a card drawn in it (C6, C7)."""
        choices: list[Choice] = [*self.legal_moves(seat)]
        if not choices:
            self.record["stuck"] += 1
            return self.draw_and_choose(seat), True
        if not self.options["must_play"] and self.can_draw():
            choices.append(DRAW)
        choice = self.choose(layout.DECIDE_TURN, seat, choices)
        if choice == DRAW:
            self.table.tell("C6", layout.DRAW_BY_CHOICE, seat)
            return self.draw_and_choose(seat), True
        return choice, False

    def draw_and_choose(self, seat: int) -> Choice:
        """Draw a card, and return the move made with it, or ``KEEP`` (C7)."""
        kind = self.draw_card("C7", layout.DRAW, seat)
        if kind is None:
            self.table.tell("C8", layout.NOTHING_TO_DRAW, seat)
            return KEEP
        self.record["drawn"] += 1
        if not self.is_legal(kind):
            return KEEP
        choice = self.choose(layout.DECIDE_DRAWN, seat, [(kind, 1), KEEP])
        if choice == KEEP:
            self.table.tell("C7", layout.KEEP, seat, KIND_NUMBERS[kind])
        return choice

    def next_in_chain(self, seat: int) -> Choice:
        """Return the next move of a chain, or ``STOP`` (C9)."""
        moves = self.legal_moves(seat)
        if not moves:
            return STOP
        choice = self.choose(layout.DECIDE_CHAIN, seat, [*moves, STOP])
        if choice == STOP:
            self.table.tell("C9", layout.STOP, seat)
        return choice

    def choose(self, decision: int, seat: int, choices: list[Choice]) -> Choice:
        """Count a decision, and have it made."""
        self.record["decisions"] += 1
        self.record["choices"] += len(choices)
        self.record["forced"] += len(choices) == 1
        return self.table.choose(decision, seat, choices)

    def look_at_lead(self) -> None:
        """See who leads after a turn: whoever holds strictly the fewest cards; in a tie, who led."""
        held = [len(cards) for cards in self.cards]
        fewest = min(held)
        if held.count(fewest) == 1:
            leader = held.index(fewest)
            self.record["lead_changes"] += self.leader not in (leader, -1)
            self.leader = leader

    # A move and its effect

    def apply_move(self, seat: int, kind: str, copies: int = 1, from_draw: bool = False) -> bool:
        """Carry out a legal move, its effect included.

        Parameters
        ----------
        seat : int
            Who moves.
        kind, copies : str, int
            The move.
        from_draw : bool
            Whether it is the card just drawn (C7), which is then the last of the seat's cards.

        Returns
        -------
        bool
            Whether the player may go on with another move in this turn, if there is a legal one (C9).
        """
        cards, record, before = self.cards[seat], self.record, self.total
        self.total = self.total_after(kind, copies)
        # The copy held longest goes first. It only matters for an Undo (C12).
        position = len(cards) - 1 if from_draw else cards.index(kind)
        del cards[position]
        for _ in range(copies - 1):
            cards.remove(kind)
        self.discards += [kind] * copies
        self.made += 1
        lands_on_ten = self.total != before and self.total % self.options["ten_step"] == 0

        record["moves"] += 1
        record["cards_played"] += copies
        record["tens"] += lands_on_ten
        record["plays"][kind] += 1
        record["total_share"][self.total] += 1
        self.table.tell(
            "C5", layout.MOVE, seat, KIND_NUMBERS[kind], copies, before, self.total, self.made, int(from_draw)
        )

        undone, played = self.last, Last(kind, before)
        self.last = played
        self.to_act = self.next_seat(seat)
        if kind == "Skip":
            self.skip(played)
        elif kind == "Switch":
            self.reverse("C11", seat)
            if self.players == 2:
                self.to_act = seat
        elif kind == "TakeTwo":
            self.take_two(seat, played)
        elif kind == "Undo" and undone is not None:
            self.undo(seat, position, undone)

        if not cards or not lands_on_ten or self.made == self.options["chain_limit"]:
            return False
        return kind != "Undo" or self.options["undo_chains"]

    def next_seat(self, seat: int) -> int:
        """Return the seat after this one in the current direction."""
        return (seat + self.direction) % self.players

    def skip(self, played: Last) -> None:
        """Make the seat that would act next miss its turn (C11)."""
        played.missed = self.to_act
        self.table.tell("C11", layout.MISS, self.to_act)
        self.to_act = self.next_seat(self.to_act)

    def reverse(self, rule: str, seat: int) -> None:
        """Turn the direction round, and go on from the mover that way."""
        self.direction = -self.direction
        self.to_act = self.next_seat(seat)
        self.table.tell(rule, layout.DIRECTION, seat, self.direction)

    def take_two(self, seat: int, played: Last) -> None:
        """Have an opponent pick up cards (C11)."""
        taker = self.target(seat)
        played.taker, played.first = taker, len(self.cards[taker])
        for _ in range(self.options["take_count"]):
            if self.draw_card("C11", layout.TAKE, taker) is None:
                # The layout can be read either way: was the card "needed" by anybody?
                self.table.may_tell(layout.NOTHING_TO_DRAW, taker)
                break
            played.taken += 1
            self.record["taken"] += 1

    def target(self, seat: int) -> int:
        """Return the opponent that a TakeTwo hits (C11)."""
        opponents = [(seat + self.direction * step) % self.players for step in range(1, self.players)]
        # min and max return the first of those that tie, which is the first in turn order.
        if self.options["take_target"] == "fewest":
            return min(opponents, key=lambda opponent: len(self.cards[opponent]))
        if self.options["take_target"] == "most":
            return max(opponents, key=lambda opponent: len(self.cards[opponent]))
        return opponents[0]

    def undo(self, seat: int, position: int, undone: Last) -> None:
        """Cancel a move, except for its total, which :meth:`total_after` has put back (C12).

        Parameters
        ----------
        seat : int
            Who undoes.
        position : int
            Where the Undo lay among the cards of ``seat`` before it was played.
        undone : Last
            The move to cancel.
        """
        if undone.kind == "Switch":
            self.reverse("C12", seat)
        elif undone.kind == "Skip":
            self.to_act = undone.missed
            self.table.tell("C12", layout.UNSKIP, self.to_act)
        elif undone.kind == "TakeTwo":
            # Nobody has moved since, so the cards picked up still lie side by side in the taker's hand;
            # only the Undo itself has left, from before them or from among them.
            first, count = undone.first, undone.taken
            if seat == undone.taker:
                if position < first:
                    first -= 1
                elif position < first + count:
                    count -= 1
            cards = self.cards[undone.taker]
            given_back = cards[first : first + count]
            del cards[first : first + count]
            for kind in given_back:
                self.table.put_under(kind)
                self.table.tell("C12", layout.RETURN, undone.taker, KIND_NUMBERS[kind])

    # C8

    def can_draw(self) -> bool:
        """Say whether a card could be drawn now."""
        return self.table.pile_size() > 0 or len(self.discards) > 1

    def draw_card(self, rule: str, code: int, seat: int) -> str | None:
        """Give a seat the next card, and return it; ``None`` if there is none."""
        if not self.can_draw():
            return None
        if not self.table.pile_size():
            under = self.discards[:-1]
            del self.discards[:-1]
            self.record["reshuffles"] += 1
            self.table.tell("C8", layout.RESHUFFLE, seat, len(under))
            self.table.shuffle(under)
        kind = self.table.draw(rule, code, seat)
        self.cards[seat].append(kind)
        return kind

    # The end

    def finish(self) -> Record:
        """Tell how the hand ended, and return its completed record."""
        record = self.record
        won = self.reason == layout.WON
        cards_left = [len(cards) for cards in self.cards]
        winner = cards_left.index(0) if won else -1
        self.table.tell("C10" if won else "C14", layout.HAND_END, winner, self.reason, record["turns"])
        record["winner"] = winner
        record["winners"] = 1 << winner if won else 0
        record["losers"] = self.players - won
        record["cards_left"] = cards_left
        record["cards_left_of_a_loser"] = sum(cards_left)
        record["blocked"] = int(self.reason == layout.IS_BLOCKED)
        record["truncated"] = int(self.reason == layout.IS_TRUNCATED)
        return record


# A game


def next_starter(options: Options, record: Record) -> int:
    """Return the seat that starts the hand after the one recorded (C14, C16)."""
    players: int = options["players"]
    starter: int = record["starter"]
    winner: int = record["winner"]
    if winner < 0:
        return starter
    if options["next_starter"] == "winner":
        return winner
    if options["next_starter"] == "rotate":
        return (starter + 1) % players
    clockwise = [(winner + step) % players for step in range(1, players)]
    return max(clockwise, key=lambda seat: record["cards_left"][seat])


def run_hand(
    options: Options, table: Table, starter: int = 0, number: int = 1, starter_rule: str = "C4"
) -> Record:
    """Play one hand at a table, and return its record.

    Parameters
    ----------
    options : mapping
        Every option.
    table : Table
        Where cards and choices come from.
    starter : int
        The seat that acts first.
    number : int
        The hand's number in its game.
    starter_rule : str
        The rule that makes ``starter`` the starter.
    """
    table.tell(starter_rule, layout.HAND, starter, number, options["start"], sum(options["deck"].values()))
    return Hand(options, table, starter).run()


def run_game(options: Options, table: Table, first_number: int = 1) -> tuple[list[Record], Record]:
    """Play one game at a table (C14 to C16), and return its hands' records and its own.

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
    hands_won = Counter[int]()
    starter, winner = 0, -1
    while winner < 0 and len(records) < options["max_hands"]:
        rule = "C16" if records else "C4"
        record = run_hand(options, table, starter, first_number + len(records), rule)
        records.append(record)
        starter = next_starter(options, record)
        if record["winner"] >= 0:
            hands_won[record["winner"]] += 1
            if hands_won[record["winner"]] == options["hands_to_win"]:
                winner = record["winner"]
    table.tell("C14" if winner < 0 else "C15", layout.GAME_END, winner, len(records))
    game = {
        "winners": (1 << options["players"]) - 1 if winner < 0 else 1 << winner,
        "hands": len(records),
        "drawn_game": int(winner < 0),
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

    def put_under(self, kind: str) -> None:
        self.pile.insert(0, kind)

    def choose(self, decision: int, seat: int, choices: Sequence[Choice]) -> Choice:
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
        ``chains`` and ``total_share`` count by kind's name, length and total (only what occurred);
        ``cards_left`` is a list by seat; the rest are whole numbers.
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
        The metrics of ``layout.GAME_COLUMNS`` by name, without ``policy_winners``.
    """
    return run_game(options, RandomTable(rng))


# Second use: checking


class RefereeError(Exception):
    """A trace breaks a rule.

    Parameters
    ----------
    rule : str
        The rule's id.
    index : int
        Which event of the trace breaks it.
    sentence : str
        What is wrong.
    """

    def __init__(self, rule: str, index: int, sentence: str) -> None:
        super().__init__(f"event {index} breaks {rule}: {sentence}")
        self.rule = rule
        self.index = index


EVENT_FIELDS = 8
"""Numbers in a row of a trace: code, seat, and six whose meaning depends on the code."""

# The name of each event and of its fields after the seat.
EVENTS = {
    layout.HAND: ("HAND", "number", "total", "cards in the deck"),
    layout.DEAL: ("DEAL", "kind"),
    layout.TURN: ("TURN", "turn", "total", "direction", "cards in hand"),
    layout.DECISION: ("DECISION", "decision", "choices"),
    layout.MOVE: ("MOVE", "kind", "copies", "before", "after", "moves this turn", "from a draw"),
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
}
DECISION_RULES = {layout.DECIDE_TURN: "C6", layout.DECIDE_DRAWN: "C7", layout.DECIDE_CHAIN: "C9"}
SPOKEN_CHOICES = {layout.STOP: STOP, layout.KEEP: KEEP, layout.DRAW_BY_CHOICE: DRAW}

Event = tuple[int, ...]


def describe_event(event: Event) -> str:
    """Return an event in words."""
    name, *fields = EVENTS.get(event[0], (f"unknown event {event[0]}",))
    said = [f"seat {event[1]}"]
    for field, value in zip(fields, event[2:], strict=False):
        known = field == "kind" and 0 <= value < len(KIND_NAMES)
        said.append(f"{field} {KIND_NAMES[value] if known else value}")
    said += [f"a further field {value}" for value in event[2 + len(fields) :] if value]
    return f"{name} ({', '.join(said)})"


def describe_choices(choices: Iterable[Choice]) -> str:
    """Return choices in words."""
    return ", ".join(
        choice if isinstance(choice, str) else choice[0] + (f" x{choice[1]}" if choice[1] > 1 else "")
        for choice in choices
    )


class TraceTable(Table):
    """A table that follows a trace: its cards, its choices, and nothing that the rules did not make.

    Of the draw pile it knows which cards are in it, and where those lie that an Undo put under it.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace, in rows of ``EVENT_FIELDS``.
    """

    def __init__(self, events: Iterable[Sequence[int]]) -> None:
        self.events: list[Event] = [tuple(int(field) for field in event) for event in events]
        if any(len(event) != EVENT_FIELDS for event in self.events):
            raise ValueError(f"each event of a trace must have {EVENT_FIELDS} fields")
        self.index = 0
        self.unordered: Counter[str] = Counter()
        self.bottom: deque[str] = deque()

    def shuffle(self, cards: list[str]) -> None:
        self.unordered = Counter(cards)
        self.bottom.clear()

    def pile_size(self) -> int:
        return self.unordered.total() + len(self.bottom)

    def draw(self, rule: str, code: int, seat: int) -> str:
        event = self.look(rule, (code, seat))
        if event[:2] != (code, seat):
            self.refuse(rule, f"expected {EVENTS[code][0]} (seat {seat}), found {describe_event(event)}")
        if not 0 <= event[2] < len(KIND_NAMES):
            self.refuse(rule, f"there is no kind {event[2]}")
        kind = KIND_NAMES[event[2]]
        if self.unordered.total():
            if not self.unordered[kind]:
                self.refuse(rule, f"the draw pile holds no {kind} that seat {seat} could get")
            self.unordered[kind] -= 1
        else:
            lies_there = self.bottom.popleft()
            if kind != lies_there:
                self.refuse("C12", f"seat {seat} got {kind}, but {lies_there} was put there by an Undo")
        self.tell(rule, code, seat, event[2])
        return kind

    def put_under(self, kind: str) -> None:
        self.bottom.append(kind)

    def choose(self, decision: int, seat: int, choices: Sequence[Choice]) -> Choice:
        rule = DECISION_RULES[decision]
        self.tell(rule, layout.DECISION, seat, decision, len(choices), choices=choices)
        event = self.look(rule, (layout.MOVE, seat))
        choice: Choice = SPOKEN_CHOICES.get(event[0], describe_event(event))
        if event[0] == layout.MOVE and 0 <= event[2] < len(KIND_NAMES):
            choice = (KIND_NAMES[event[2]], event[3])
            # With a drawn card the fault is to play another one; else the move itself is wrong.
            rule = rule if decision == layout.DECIDE_DRAWN else "C5"
        if choice not in choices:
            self.refuse(
                rule, f"{describe_event(event)} is not among the choices: {describe_choices(choices)}"
            )
        return choice

    def tell(self, rule: str, code: int, seat: int, *fields: int, choices: Sequence[Choice] = ()) -> None:
        expected = (code, seat, *fields)
        expected += (0,) * (EVENT_FIELDS - len(expected))
        found = self.look(rule, expected)
        if found != expected:
            among = f" among {describe_choices(choices)}" if choices else ""
            self.refuse(rule, f"expected {describe_event(expected)}{among}, found {describe_event(found)}")
        self.index += 1

    def may_tell(self, code: int, seat: int) -> None:
        if self.index < len(self.events) and self.events[self.index][:2] == (code, seat):
            self.tell("C8", code, seat)

    def look(self, rule: str, expected: Event) -> Event:
        """Return the event that comes next; there must be one."""
        if self.index == len(self.events):
            self.refuse(rule, f"the trace stops where {describe_event(expected)} should come")
        return self.events[self.index]

    def refuse(self, rule: str, sentence: str) -> NoReturn:
        """Raise an error about the event that comes next."""
        raise RefereeError(rule, self.index, sentence)

    def first_number(self) -> int:
        """Return the number of a trace's first hand: the layout leaves open whether it is 0 or 1."""
        return 0 if self.events and self.events[0][2] == 0 else 1

    def close(self, rule: str) -> None:
        """Make sure that nothing is left of the trace."""
        if self.index < len(self.events):
            self.refuse(rule, f"all is over, found {describe_event(self.events[self.index])}")


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

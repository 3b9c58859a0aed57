"""One hand of Cap30 in plain Python: where it stands, and the rules that move it on (C1 to C14).

Part of the referee, :mod:`tests.referees.cap30`. A card is the name of its kind ("+7", "Double"). A
move is a tuple ``(kind, copies)``, and with a third part, how the card is put down (a code of the layout),
where that is not just from the hand. The other choices are words, ``STOP``, ``KEEP`` and ``DRAW``
among them, and seats. Seats go clockwise; direction 1 is clockwise.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernels.cap30 import layout
from kernels.cap30.layout import KIND_NAMES

Options = Mapping[str, Any]
Record = dict[str, Any]
Move = tuple[str, int] | tuple[str, int, int]
Choice = Move | str | int

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

WILD_TENS = (layout.WILD, layout.BULLSEYE)
"""The ways to put a card down as a Wild ten, which only Power Up has (C21, C24)."""


def has_powers(options: Options) -> bool:
    """Say whether Power Up is played; options that do not name it are without."""
    return bool(options.get("powers"))


def cards_in_deck(options: Options) -> dict[str, int]:
    """Return the copies of each kind in the deck (C1), with the Drain cards of Power Up (C25)."""
    drains = {"Drain": options["drain_cards"]} if has_powers(options) else {}
    return {**options["deck"], **drains}


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

    def put_under(self, rule: str, kind: str) -> None:
        """Put a card at the bottom of the draw pile."""
        raise NotImplementedError

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        """Return one of the choices of a decision (its number on the rules page; what it is about)."""
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
    how : int
        How it was put down (a code of the layout).
    target : int
        The seat that a Skip, a TakeTwo or a Drain hit.
    first : int
        Of a TakeTwo: where in the target's cards the first one picked up lies.
    taken : int
        Of a TakeTwo: how many of those picked up are still held.
    lost : int
        Of a Drain: how many notches the target lost.
    """

    kind: str
    before: int
    how: int = layout.FROM_HAND
    target: int = -1
    first: int = 0
    taken: int = 0
    lost: int = 0


class Hand:
    """One hand of Cap30 without Power Up: where it stands, and the rules that move it on.

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
    active : bool
        Whether somebody has played, drawn or used a power in it.
    passed : set of int
        The seats that have had a turn since anybody last did so.
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
        self.active = False
        self.passed: set[int] = set()
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
            # Power Up only (C20 to C25).
            "notches": 0,
            "powers": Counter(),
            "given": 0,
            "bullseyes": 0,
            "drains": 0,
            "notches_drained": 0,
            "shields": 0,
            "turns_missed": 0,
        }

    def run(self) -> Record:
        """Play the hand from the deal to its end, and return its record."""
        self.deal()
        while self.reason == UNDER_WAY:
            self.take_turn()
        return self.finish()

    # C3

    def hand_sizes(self) -> list[int]:
        """Return how many cards each seat is dealt."""
        sizes = [self.options["hand_size"]] * self.players
        sizes[self.starter] += self.options["starter_extra"]
        return sizes

    def deal(self) -> None:
        """Shuffle, and deal round by round from the starter, until everyone has their cards."""
        deck = cards_in_deck(self.options)
        self.table.shuffle([kind for kind, many in deck.items() for _ in range(many)])
        sizes = self.hand_sizes()
        for dealt in range(max(sizes)):
            for place in range(self.players):
                seat = (self.starter + place) % self.players
                if dealt < sizes[seat]:
                    self.draw_card("C3", layout.DEAL, seat)

    # C5

    def legal_moves(self, seat: int) -> list[Move]:
        """Return every legal move of a seat, each once, in the order that the cards came."""
        most = self.options["max_multiple"]
        moves: list[Move] = []
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

    def total_after(self, kind: str, copies: int, how: int) -> int:
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
        self.active = False
        self.to_act = self.next_seat(seat)

        moves = self.legal_moves(seat)
        record["stuck"] += not moves
        choice = self.first_choice(seat, moves)
        while isinstance(choice, tuple):
            chains = self.apply_move(seat, *choice)
            choice = self.next_in_chain(seat) if chains else STOP

        record["chains"][self.made] += 1
        if self.active:
            self.passed.clear()
        else:
            self.passed.add(seat)
        self.look_at_lead()
        # In this order: a win on the last turn counts, and blocked goes before truncated (C10, C14).
        if not self.cards[seat]:
            self.reason = layout.WON
        elif len(self.passed) == self.players:
            self.reason = layout.IS_BLOCKED
        elif record["turns"] == self.options["max_turns"]:
            self.reason = layout.IS_TRUNCATED

    def first_choice(self, seat: int, moves: list[Move]) -> Choice:
        """Return the first move of a turn that begins with these legal ones, or a word (C6, C7)."""
        if not moves:
            return self.draw_and_choose(seat)
        choice = self.choose(layout.DECIDE_TURN, seat, self.choices_of_turn(seat, moves))
        if choice == DRAW:
            self.table.tell("C6", layout.DRAW_BY_CHOICE, seat)
            return self.draw_and_choose(seat)
        return choice

    def choices_of_turn(self, seat: int, moves: list[Move]) -> list[Choice]:
        """Return the choices of decision 1, with these legal moves."""
        may_draw = not self.options["must_play"] and self.can_draw()
        return [*moves, DRAW] if may_draw else [*moves]

    def draw_and_choose(self, seat: int) -> Choice:
        """Draw a card, and return the move made with it, or ``KEEP`` (C7)."""
        kind = self.draw_card("C7", layout.DRAW, seat)
        if kind is None:
            self.table.tell("C8", layout.NOTHING_TO_DRAW, seat)
            return KEEP
        self.active = True
        self.record["drawn"] += 1
        if not self.is_legal(kind):
            return KEEP
        choice = self.choose(layout.DECIDE_DRAWN, seat, [(kind, 1), KEEP])
        if choice == KEEP:
            self.table.tell("C7", layout.KEEP, seat, KIND_NUMBERS[kind])
            return KEEP
        return kind, 1, layout.FROM_DRAW

    def next_in_chain(self, seat: int) -> Choice:
        """Return the next move of a chain, or ``STOP`` (C9)."""
        moves = self.legal_moves(seat)
        if not moves:
            return STOP
        choice = self.choose(layout.DECIDE_CHAIN, seat, [*moves, STOP])
        if choice == STOP:
            self.table.tell("C9", layout.STOP, seat)
        return choice

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        """Count a decision, and have it made."""
        self.record["decisions"] += 1
        self.record["choices"] += len(choices)
        self.record["forced"] += len(choices) == 1
        return self.table.choose(decision, seat, choices, about)

    def look_at_lead(self) -> None:
        """See who leads after a turn: whoever holds strictly the fewest cards; in a tie, who led."""
        held = [len(cards) for cards in self.cards]
        fewest = min(held)
        if held.count(fewest) == 1:
            leader = held.index(fewest)
            self.record["lead_changes"] += self.leader not in (leader, -1)
            self.leader = leader

    # A move and its effect

    def apply_move(self, seat: int, kind: str, copies: int = 1, how: int = layout.FROM_HAND) -> bool:
        """Carry out a legal move, its effect included.

        Parameters
        ----------
        seat : int
            Who moves.
        kind, copies : str, int
            The move.
        how : int
            How it is put down (a code of the layout). A card just drawn (C7) is the last of the seat's.

        Returns
        -------
        bool
            Whether the player may go on with another move in this turn, if there is a legal one (C9).
        """
        cards, record, before = self.cards[seat], self.record, self.total
        self.total = self.total_after(kind, copies, how)
        for _ in range(copies):
            self.take_out(seat, len(cards) - 1 if how == layout.FROM_DRAW else cards.index(kind))
        self.discards += [kind] * copies
        self.made += 1
        self.active = True

        record["moves"] += 1
        record["cards_played"] += copies
        record["plays"][kind] += 1
        record["total_share"][self.total] += 1
        self.table.tell(
            "C5", layout.MOVE, seat, KIND_NUMBERS[kind], copies, before, self.total, self.made, how
        )
        lands_on_ten = self.total != before and self.total % self.options["ten_step"] == 0
        if lands_on_ten:
            self.hit_ten(seat)

        undone, self.last = self.last, Last(kind, before, how)
        self.to_act = self.next_seat(seat)
        self.take_effect(seat, self.last, undone)

        if not cards or not lands_on_ten or self.made == self.options["chain_limit"]:
            return False
        return kind != "Undo" or how in WILD_TENS or self.options["undo_chains"]

    def take_out(self, seat: int, position: int) -> str:
        """Take a card out of a hand, and return it.

        Of several copies the one held longest must go first: it matters for an Undo of a TakeTwo,
        whose cards always lie side by side.
        """
        last = self.last
        if last is not None and seat == last.target:
            if position < last.first:
                last.first -= 1
            elif position < last.first + last.taken:
                last.taken -= 1
        return self.cards[seat].pop(position)

    def hit_ten(self, seat: int) -> None:
        """Record that a move has changed the total to a ten."""
        self.record["tens"] += 1

    def take_effect(self, seat: int, played: Last, undone: Last | None) -> None:
        """Carry out what a card does besides moving the total (C11, C12).

        Parameters
        ----------
        seat : int
            Who has moved.
        played : Last
            The move.
        undone : Last or None
            The move before it.
        """
        if played.kind == "Skip":
            self.skip(seat, played)
        elif played.kind == "Switch":
            self.reverse("C11", seat)
            if self.players == 2:
                self.to_act = seat
        elif played.kind == "TakeTwo":
            played.target = self.choose_taker(seat)
            self.take_two(played)
        elif played.kind == "Undo" and undone is not None:
            self.undo(seat, undone)

    def next_seat(self, seat: int) -> int:
        """Return the seat after this one in the current direction."""
        return (seat + self.direction) % self.players

    def skip(self, seat: int, played: Last) -> None:
        """Make the seat that would act next miss its turn (C11)."""
        played.target = self.to_act
        self.table.tell("C11", layout.MISS, self.to_act)
        self.to_act = self.next_seat(self.to_act)

    def reverse(self, rule: str, seat: int) -> None:
        """Turn the direction round, and go on from the mover that way."""
        self.direction = -self.direction
        self.to_act = self.next_seat(seat)
        self.table.tell(rule, layout.DIRECTION, seat, self.direction)

    def opponents(self, seat: int) -> list[int]:
        """Return the others in turn order, from the neighbour of ``seat`` in the current direction."""
        return [(seat + self.direction * step) % self.players for step in range(1, self.players)]

    def choose_taker(self, seat: int) -> int:
        """Return the opponent that a TakeTwo hits (C11)."""
        opponents = self.opponents(seat)
        # min and max return the first of those that tie, which is the first in turn order.
        if self.options["take_target"] == "fewest":
            return min(opponents, key=lambda opponent: len(self.cards[opponent]))
        if self.options["take_target"] == "most":
            return max(opponents, key=lambda opponent: len(self.cards[opponent]))
        return opponents[0]

    def take_two(self, played: Last) -> None:
        """Have the target pick up cards (C11)."""
        played.first = len(self.cards[played.target])
        for _ in range(self.options["take_count"]):
            if self.draw_card("C11", layout.TAKE, played.target) is None:
                # The layout can be read either way: was the card "needed" by anybody?
                self.table.may_tell(layout.NOTHING_TO_DRAW, played.target)
                break
            played.taken += 1
            self.record["taken"] += 1

    def undo(self, seat: int, undone: Last) -> None:
        """Cancel a move, except for its total, which :meth:`total_after` has put back (C12)."""
        if undone.kind == "Switch":
            self.reverse("C12", seat)
        elif undone.kind == "Skip":
            self.to_act = undone.target
            self.table.tell("C12", layout.UNSKIP, self.to_act)
        elif undone.kind == "TakeTwo":
            # Whatever of them has left the hand is no longer counted: see take_out.
            cards = self.cards[undone.target]
            given_back = cards[undone.first : undone.first + undone.taken]
            del cards[undone.first : undone.first + undone.taken]
            for kind in given_back:
                self.table.put_under("C12", kind)
                self.table.tell("C12", layout.RETURN, undone.target, KIND_NUMBERS[kind])

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

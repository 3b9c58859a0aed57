"""The referee of contract rummy: what 30-30 and Cap-It share, in plain Python.

Written from ``rules/rummy.md`` alone (rule ids R1 to R14), never from a kernel; what the two games
add (T1 to T12, P1 to P11) is in ``thirty_thirty.py`` and ``cap_it.py``. There is one copy of the
rules, :class:`Hand` and :meth:`Referee.run_game`. They know nothing of where cards and choices come from: for
that they ask a :class:`Table`.

- :class:`RandomTable` shuffles and chooses by itself: ``play_hand``, ``play_game``.
- :class:`TraceTable` reads cards and choices from a trace. Everything else that the rules make
  happen is compared with the trace, event by event: ``check_hand``, ``check_game``.

A card is the name of its kind ("10h", "Joker"). A place in a run is a rank, 2 to 14 (the Ace). The
choices other than cards to discard are words (``BUY``, ``PUSH``, ...).
"""

import copy
import functools
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from kernels.rummy import layout
from kernels.rummy.layout import KIND_NAMES, RANK_NAMES
from kernels.rummy.layout import SUIT_LETTERS as SUITS
from tests.referees.trace import Trace

Options = Mapping[str, Any]
Record = dict[str, Any]
Item = tuple[str, int]
"""One meld of a contract: its form and how many cards it has."""
Target = int | tuple[str, int]
"""What a way names for an item: the rank of a set; the suit and the highest place of a run."""

SET = "set"
RUN = "run"
ACE = 14

BUY = "buy"
NO_BUY = "do not buy"
TAKE = "take"
PUSH = "push"
LEAVE = "leave"
GO_DOWN = "go down"
WAIT = "wait"
HOLD_BACK = "hold back"
OWN_MELDS = "lay off on own melds"
ALL_MELDS = "lay off on all melds"

UNDER_WAY = -1
"""In place of the reason of a hand's end, while it goes on."""


# Cards (R1, R2)

JOKER = "Joker"
KIND_NUMBERS = {name: number for number, name in enumerate(KIND_NAMES) if name}
"""The number by which a trace calls each kind."""
RANKS = {name: 0 if name == JOKER else RANK_NAMES.index(name[:-1]) for name in KIND_NUMBERS}
"""The rank of each card; none, 0, of a Joker."""
WILDS = (*(f"2{suit}" for suit in SUITS), JOKER)
"""The wild cards, in the order in which they are laid."""


def card(rank: int, suit: str) -> str:
    """Return the card of a rank, 2 to 14, and a suit."""
    return RANK_NAMES[rank] + suit


def pack() -> list[str]:
    """Return the cards of one pack: 52 and two Jokers."""
    return [*(name for name in KIND_NUMBERS if name != JOKER), JOKER, JOKER]


def points_of(cards: Iterable[str], options: Options) -> int:
    """Return what cards count (T3, P10)."""
    points = options["points"]
    return sum(points[name if name == JOKER else name[:-1]] for name in cards)


def count_wilds(cards: Iterable[str]) -> int:
    """Return how many of the cards are Jokers and 2s."""
    return sum(name in WILDS for name in cards)


# Melds (R3 to R5)


@dataclass(slots=True)
class Meld:
    """A meld on the table.

    Attributes
    ----------
    owner : int
        The seat that laid it.
    form : str
        ``SET`` or ``RUN``.
    cards : list of str
        Its cards: of a run from its lowest place up, one a place.
    wild : list of bool
        For each card whether it was laid as a wild.
    rank : int
        Of a set: its rank.
    suit : str
        Of a run: its suit.
    lowest : int
        Of a run: its lowest place.
    """

    owner: int
    form: str
    cards: list[str] = field(default_factory=list)
    wild: list[bool] = field(default_factory=list)
    rank: int = 0
    suit: str = ""
    lowest: int = 0

    @property
    def highest(self) -> int:
        """The highest place of a run."""
        return self.lowest + len(self.cards) - 1

    def naturals(self) -> list[str]:
        """Return the cards that stand for themselves."""
        return [name for name, wild in zip(self.cards, self.wild, strict=True) if not wild]

    def place(self, position: int) -> int:
        """Return what a card of the meld fills: a place of a run, or the rank of a set."""
        return self.lowest + position if self.form == RUN else self.rank

    def add(self, name: str, place: int, as_wild: bool) -> None:
        """Add a card at a place just above or below a run, or to a set."""
        position = 0 if self.form == RUN and place < self.lowest else len(self.cards)
        self.cards.insert(position, name)
        self.wild.insert(position, as_wild)
        self.lowest = min(self.lowest, place)


@functools.cache
def part_of(fraction: float, size: int) -> int:
    """Return a fraction of a number, rounded down. It is as written in decimals: 0.29 of 100 is 29."""
    return math.floor(Fraction(str(fraction)) * size)


def wilds_allowed(size: int, options: Options) -> int:
    """Return how many wilds a meld of so many cards may have (R5)."""
    if options["wild_rule"] == "one_natural":
        return size - 1
    return min(size - 1, part_of(options["wild_fraction"], size))


def bottom(options: Options) -> int:
    """Return the lowest place that a run may reach (R4)."""
    return 2 if options["natural_twos"] else 3


def room_for_natural(meld: Meld, cards: Sequence[str], options: Options) -> tuple[str, int] | None:
    """Return which of the cards a meld takes as a natural first (R6), and its place, if any."""
    spots = [(card(meld.rank, suit), meld.rank) for suit in SUITS]
    if meld.form == RUN:
        places = [place for place in (meld.highest + 1, meld.lowest - 1) if bottom(options) <= place <= ACE]
        spots = [(card(place, meld.suit), place) for place in places]
    return next((spot for spot in spots if spot[0] in cards), None)


def room_for_wild(meld: Meld, options: Options) -> int | None:
    """Return the place that one more wild takes in a meld, if R5 lets it (a run: above, else below)."""
    if sum(meld.wild) + 1 > wilds_allowed(len(meld.cards) + 1, options):
        return None
    if meld.form == SET:
        return meld.rank
    if meld.highest < ACE:
        return meld.highest + 1
    return meld.lowest - 1 if meld.lowest > bottom(options) else None


# Going down (R8, R9)


def targets(item: Item, options: Options) -> list[Target]:
    """Return all that a way may name for an item, first those that come first in a tie."""
    form, size = item
    if form == SET:
        return list(range(ACE, 2, -1))
    return [(suit, high) for suit in SUITS for high in range(ACE, bottom(options) + size - 2, -1)]


def is_in_order(contract: Sequence[Item], way: Sequence[Target]) -> bool:
    """Say whether a way names equal items, of one form and size, in the order of :func:`targets`."""
    named = [(item, preference(target)) for item, target in zip(contract, way, strict=True)]
    return all(
        first <= later for (item, first), (other, later) in itertools.combinations(named, 2) if item == other
    )


def preference(target: Target) -> tuple[int, int]:
    """Return where a target comes in the order of :func:`targets`."""
    if isinstance(target, int):
        return -target, 0
    return SUITS.index(target[0]), -target[1]


def least_wilds(item: Item, target: Target, cards: Sequence[str]) -> int:
    """Return how many wilds an item would need if all of the hand's naturals were there for it."""
    size = item[1]
    if isinstance(target, int):
        naturals = sum(RANKS[name] == target for name in cards)
    else:
        suit, high = target
        naturals = sum(card(place, suit) in cards for place in range(high - size + 1, high + 1))
    return max(0, size - naturals)


def lay_way(
    contract: Sequence[Item], way: Sequence[Target], cards: Sequence[str], options: Options, owner: int = 0
) -> list[Meld] | None:
    """Return the melds that a way makes of the cards, or ``None`` if it is not feasible (R9)."""
    left = Counter(cards)
    melds: list[Meld] = []
    # (a) Each place of a run with its card, if there is one; "" where a wild must stand.
    for (form, size), target in zip(contract, way, strict=True):
        meld = Meld(owner, form)
        if isinstance(target, int):
            meld.rank = target
        else:
            meld.suit, meld.lowest = target[0], target[1] - size + 1
            for place in range(meld.lowest, target[1] + 1):
                name = card(place, meld.suit)
                meld.cards.append(name if left[name] else "")
                left[name] -= left[name] > 0
        melds.append(meld)
    # (b) Each set with cards of its rank, but for those that later sets of the rank cannot do without.
    for number, (form, size) in enumerate(contract):
        if form == SET:
            meld = melds[number]
            have = [name for suit in SUITS for name in [card(meld.rank, suit)] * left[card(meld.rank, suit)]]
            for (_, later_size), later in zip(contract[number + 1 :], melds[number + 1 :], strict=True):
                if later.form == SET and later.rank == meld.rank:
                    del have[max(0, len(have) - (later_size - wilds_allowed(later_size, options))) :]
            meld.cards = have[:size]
            left.subtract(meld.cards)
            meld.cards += [""] * (size - len(meld.cards))
    # (c) Wilds in the rest.
    wilds = [name for name in WILDS for _ in range(left[name])]
    for (_, size), meld in zip(contract, melds, strict=True):
        meld.wild = [not name for name in meld.cards]
        if sum(meld.wild) > min(len(wilds), wilds_allowed(size, options)):
            return None
        meld.cards = [name or wilds.pop(0) for name in meld.cards]
    return melds


def best_way(
    contract: Sequence[Item], cards: Sequence[str], options: Options, owner: int = 0
) -> list[Meld] | None:
    """Return the melds of the way that the melder takes, or ``None`` if no way is feasible (R9)."""
    # Most ways are hopeless at first sight, and sharing cards does not make them better.
    wilds = count_wilds(cards)
    hopeful: list[list[tuple[Target, int]]] = []
    for item in contract:
        needs = [(target, least_wilds(item, target, cards)) for target in targets(item, options)]
        most = min(wilds, wilds_allowed(item[1], options))
        hopeful.append([(target, need) for target, need in needs if need <= most])
    best, best_worth = None, (0, 0)
    # In the order that decides ties, so that only a better way replaces one found before.
    for named in itertools.product(*hopeful):
        way = [target for target, _ in named]
        if sum(need for _, need in named) > wilds or not is_in_order(contract, way):
            continue
        melds = lay_way(contract, way, cards, options, owner)
        if melds is None:
            continue
        naturals = [name for meld in melds for name in meld.naturals()]
        worth = (len(naturals), points_of(naturals, options))
        if best is None or worth > best_worth:
            best, best_worth = melds, worth
    return best


# A hand


class Table:
    """What a hand needs from outside: a stock, somebody who chooses, and an audience.

    Every method but ``stock_size``, ``weighs`` and ``parts_of_a_cent`` may write or check events.
    ``rule`` is the id of the rule that makes the event happen; codes and fields are those of
    ``kernels.rummy.layout``.
    """

    def shuffle(self, cards: list[str]) -> None:
        """Make the stock, empty until now, of these cards in an unknown order."""
        raise NotImplementedError

    def stock_size(self) -> int:
        """Return the number of cards in the stock."""
        raise NotImplementedError

    def draw(self, rule: str, code: int, seat: int) -> str:
        """Take the top card of the stock, an event of the given code."""
        raise NotImplementedError

    def weighs(self, seat: int, decision: int) -> bool:
        """Say whether a seat decides on going down and melding (R10), as one with switches does."""
        raise NotImplementedError

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        """Return one of the choices of a decision (its number on the rules page)."""
        raise NotImplementedError

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        """Say that something happened which left nothing to choose."""
        raise NotImplementedError

    def parts_of_a_cent(self, players: int) -> int:
        """Return into how many parts a cent is divided to share money among so many."""
        raise NotImplementedError


class Hand:
    """One hand of contract rummy: where it stands, and the rules that move it on.

    A game's own hand says how a turn begins, in :meth:`draw_phase`.

    Parameters
    ----------
    options : mapping
        Every option, as :meth:`Referee.resolve` returns them.
    table : Table
        Where cards and choices come from.
    contract : int
        The number of the hand's contract, from 1.
    number : int
        The number of the hand in its game, from 0. The deal has passed to the left as often (R11).
    nickels : list of int, optional
        What each seat can buy for; changed in place. Nothing, if not given.

    Attributes
    ----------
    cards : list of list of str
        The cards of each seat.
    discards : list of str
        The discard pile, its top last.
    melds : list of Meld
        The melds on the table, in the order laid.
    discarder : int
        The seat that discarded last; -1 while only the turned-up card lies there.
    to_act : int
        The seat whose turn is next.
    reason : int
        Why the hand is over (a code of the layout), ``UNDER_WAY`` while it is not.
    record : dict
        What the hand must record. Only complete once :meth:`run` has returned.
    """

    keeps_one: ClassVar[bool]
    """Whether one card must be left to discard (T9), or the hand may be melded away (P8)."""
    deal_rule: ClassVar[str]
    down_rule: ClassVar[str]
    discard_rule: ClassVar[str]
    points_rule: ClassVar[str]
    decide_down: ClassVar[int]
    decide_meld: ClassVar[int]
    decide_discard: ClassVar[int]
    metrics_of_the_draw: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        options: Options,
        table: Table,
        contract: int = 1,
        number: int = 0,
        nickels: list[int] | None = None,
    ) -> None:
        self.options = options
        self.table = table
        self.players: int = options["players"]
        self.contract: list[Item] = options["contracts"][contract - 1]
        self.number = number
        self.starter = number % self.players
        self.dealer = (number - 1) % self.players
        self.nickels = nickels or [0] * self.players
        self.cards: list[list[str]] = [[] for _ in range(self.players)]
        self.discards: list[str] = []
        self.melds: list[Meld] = []
        self.discarder = -1
        self.to_act = self.starter
        self.reason = UNDER_WAY
        self.record: Record = {
            "starter": self.starter,
            "hand": contract,
            "dealer": self.dealer,
            "turns": 0,
            "reshuffles": 0,
            "decisions": 0,
            "choices": 0,
            "forced": 0,
        }
        by_seat = ("down", "turn_down_if_down", "melded", "laid_off", "swaps", "wilds_used")
        for metric in (*by_seat, *self.metrics_of_the_draw):
            self.record[metric] = [0] * self.players

    def run(self, scores: Sequence[int] = ()) -> Record:
        """Play the hand from the deal to its end, and return its record.

        Parameters
        ----------
        scores : sequence of int
            What each seat has scored in the game so far; nothing, if empty.
        """
        self.deal()
        while self.reason == UNDER_WAY:
            self.take_turn()
        return self.finish(scores or [0] * self.players)

    # The deal (R1, T1, T4, P1, P2)

    def deal(self) -> None:
        """Shuffle the packs, deal one card each in turn from the starter, and turn one up."""
        cards = pack() * self.options["packs"]
        self.table.tell(
            "R11", layout.HAND, self.starter, self.record["hand"], self.dealer, len(cards), self.number
        )
        self.table.shuffle(cards)
        for _ in range(self.options["hand_size"]):
            for place in range(self.players):
                seat = (self.starter + place) % self.players
                self.cards[seat].append(self.table.draw(self.deal_rule, layout.DEAL, seat))
        if self.options["upcard"]:
            self.discards.append(self.table.draw(self.deal_rule, layout.UPCARD, self.dealer))

    # A turn

    def take_turn(self) -> None:
        """Play the turn of ``to_act``, and see whether it ended the hand."""
        seat, cards = self.to_act, self.cards[self.to_act]
        self.record["turns"] += 1
        top = KIND_NUMBERS[self.discards[-1]] if self.discards else -1
        self.table.tell(
            "R11",
            layout.TURN,
            seat,
            self.record["turns"],
            len(cards),
            self.record["down"][seat],
            self.nickels[seat],
            top,
        )
        self.draw_phase(seat)
        if self.reason != UNDER_WAY:
            return
        self.lay(seat)
        if cards:
            self.discard(seat)
        # In this order: going out on the last turn counts (R13).
        if not cards:
            self.reason = layout.OUT
        elif self.record["turns"] == self.options["max_turns"]:
            self.reason = layout.TOO_LONG
        else:
            self.to_act = self.left_of(seat)

    def draw_phase(self, seat: int) -> None:
        """Have the seat draw (T6 to T8, P5)."""
        raise NotImplementedError

    def left_of(self, seat: int) -> int:
        """Return the seat to the left of this one."""
        return (seat + 1) % self.players

    def choose(self, rule: str, decision: int, seat: int, choices: list[str]) -> str:
        """Count a decision, and have it made."""
        self.record["decisions"] += 1
        self.record["choices"] += len(choices)
        self.record["forced"] += len(choices) == 1
        return self.table.choose(rule, decision, seat, choices)

    def draw_card(self, rule: str, seat: int, code: int = layout.DRAW) -> bool:
        """Give a seat the next card of the stock; if there is none, the hand is over (R12)."""
        if not self.table.stock_size():
            may = self.options["stock_out"] == "reshuffle"
            if (
                not may
                or self.record["reshuffles"] == self.options["max_reshuffles"]
                or len(self.discards) < 2
            ):
                self.table.tell("R12", layout.NOTHING_TO_DRAW, seat)
                self.reason = layout.NO_STOCK
                return False
            under = self.discards[:-1]
            del self.discards[:-1]
            self.record["reshuffles"] += 1
            self.table.tell("R12", layout.RESHUFFLE, seat, len(under), self.record["reshuffles"])
            self.table.shuffle(under)
        self.cards[seat].append(self.table.draw(rule, code, seat))
        return True

    def discard(self, seat: int) -> None:
        """Have a seat discard a card (T9, T12, P8)."""
        cards = self.cards[seat]
        name = self.choose(self.discard_rule, self.decide_discard, seat, list(dict.fromkeys(cards)))
        cards.remove(name)
        self.discards.append(name)
        self.discarder = seat
        self.table.tell(self.discard_rule, layout.DISCARD, seat, KIND_NUMBERS[name], len(cards))

    # Going down and melding

    def lay(self, seat: int) -> None:
        """Have a seat lay its contract, or meld if it is down (R10, T9, P6)."""
        if not self.record["down"][seat]:
            melds = self.way_down(seat)
            if melds is None:
                return
            if self.table.weighs(seat, self.decide_down):
                choice = self.choose("R10", self.decide_down, seat, [GO_DOWN, WAIT])
                if choice == WAIT:
                    self.table.tell("R10", layout.WAIT, seat)
                    return
            self.go_down(seat, melds)
            if self.options["contract_only"]:
                return
        if self.cards[seat]:
            self.meld(seat)

    def way_down(self, seat: int) -> list[Meld] | None:
        """Return the melds that a seat can go down with now, or ``None`` (R8, R9)."""
        cards = self.cards[seat]
        if len(cards) < sum(size for _, size in self.contract) + self.keeps_one:
            return None
        return best_way(self.contract, cards, self.options, seat)

    def go_down(self, seat: int, melds: list[Meld]) -> None:
        """Lay the contract."""
        laid = sum(len(meld.cards) for meld in melds)
        wilds = sum(sum(meld.wild) for meld in melds)
        self.record["down"][seat] = 1
        self.record["turn_down_if_down"][seat] = self.record["turns"]
        self.record["wilds_used"][seat] += wilds
        self.table.tell(self.down_rule, layout.GO_DOWN, seat, laid, wilds, len(self.cards[seat]) - laid)
        for meld in melds:
            self.put_down(seat, meld, "R9")

    def put_down(self, seat: int, meld: Meld, rule: str) -> None:
        """Put a meld on the table, of the contract (by R9) or new."""
        number = len(self.melds)
        self.melds.append(meld)
        self.record["melded"][seat] += len(meld.cards)
        form, of = (layout.SET, meld.rank) if meld.form == SET else (layout.RUN, SUITS.index(meld.suit))
        self.table.tell(
            rule, layout.NEW_MELD, seat, number, form, of, meld.lowest, len(meld.cards), int(rule == "R9")
        )
        for position, (name, wild) in enumerate(zip(meld.cards, meld.wild, strict=True)):
            self.cards[seat].remove(name)
            self.table.tell(
                rule, layout.PLACE, seat, number, KIND_NUMBERS[name], meld.place(position), int(wild)
            )

    def meld(self, seat: int) -> None:
        """Have the melder work for a seat that is down, as it chooses (R10)."""
        own_only = False
        if self.table.weighs(seat, self.decide_meld):
            narrower = [OWN_MELDS] if self.options["layoff"] == "any" else []
            choices = [HOLD_BACK, *narrower, ALL_MELDS]
            choice = self.choose("R10", self.decide_meld, seat, choices)
            code = {
                HOLD_BACK: layout.HOLD_BACK,
                OWN_MELDS: layout.OWN_MELDS,
                ALL_MELDS: layout.ALL_MELDS,
            }[choice]
            self.table.tell("R10", layout.MELDING, seat, code)
            if choice == HOLD_BACK:
                return
            own_only = choice == OWN_MELDS
        while self.melder_acts(seat, own_only):
            pass

    def melder_acts(self, seat: int, own_only: bool = False) -> bool:
        """Carry out the first of the melder's actions that applies, and say whether there was one."""
        within = self.melds_within_reach(seat, own_only)
        return (
            self.lay_new_set(seat)
            or self.lay_new_run(seat)
            or self.lay_off_natural(seat, within)
            or self.swap(seat, within)
            or self.lay_off_wilds(seat, within)
        )

    def melds_within_reach(self, seat: int, own_only: bool = False) -> list[int]:
        """Return the numbers of the melds that a seat may lay off on (R6, R10)."""
        layoff = self.options["layoff"]
        if layoff == "none":
            return []
        own_only = own_only or layoff == "own"
        return [number for number, meld in enumerate(self.melds) if not own_only or meld.owner == seat]

    def spare(self, seat: int) -> int:
        """Return how many cards a seat may lay."""
        return len(self.cards[seat]) - self.keeps_one

    # The melder, step by step

    def lay_new_set(self, seat: int) -> bool:
        """Step 1: lay the highest rank with three naturals."""
        cards, spare = self.cards[seat], self.spare(seat)
        for rank in range(ACE, 2, -1):
            names = [card(rank, suit) for suit in SUITS]
            naturals = [name for name in names for _ in range(cards.count(name))]
            if min(len(naturals), spare) >= 3:
                naturals = naturals[:spare]
                meld = Meld(seat, SET, naturals, [False] * len(naturals), rank=rank)
                self.put_down(seat, meld, "R3")
                return True
        return False

    def lay_new_run(self, seat: int) -> bool:
        """Step 2: lay the longest stretch of the first suit that has one."""
        cards, spare = self.cards[seat], self.spare(seat)
        for suit in SUITS:
            stretches: list[list[int]] = [[]]
            for place in range(bottom(self.options), ACE + 1):
                if card(place, suit) in cards:
                    stretches[-1].append(place)
                else:
                    stretches.append([])
            places = max(reversed(stretches), key=len)[-spare:] if spare > 0 else []
            if len(places) >= self.options["min_run"]:
                names = [card(place, suit) for place in places]
                meld = Meld(seat, RUN, names, [False] * len(names), suit=suit, lowest=places[0])
                self.put_down(seat, meld, "R4")
                return True
        return False

    def lay_off_natural(self, seat: int, within: list[int]) -> bool:
        """Step 3: lay a natural on the first meld that takes one."""
        if self.spare(seat) < 1:
            return False
        for number in within:
            spot = room_for_natural(self.melds[number], self.cards[seat], self.options)
            if spot is not None:
                self.lay_off(seat, number, *spot, as_wild=False)
                return True
        return False

    def lay_off(
        self, seat: int, number: int, name: str, place: int, as_wild: bool, from_hand: bool = True
    ) -> None:
        """Lay a card on a meld."""
        self.melds[number].add(name, place, as_wild)
        if from_hand:
            self.cards[seat].remove(name)
            self.record["laid_off"][seat] += 1
            self.record["wilds_used"][seat] += as_wild
        self.table.tell(
            "R6", layout.LAY_OFF, seat, number, KIND_NUMBERS[name], place, int(as_wild), int(from_hand)
        )

    def swap(self, seat: int, within: list[int]) -> bool:
        """Step 4: take a wild out of a run, and lay it on another meld (R7)."""
        if self.spare(seat) < 1:
            return False
        for number in within:
            run = self.melds[number]
            if run.form != RUN:
                continue
            for place in range(run.highest, run.lowest - 1, -1):
                name = card(place, run.suit)
                if not run.wild[place - run.lowest] or name not in self.cards[seat]:
                    continue
                freed = run.cards[place - run.lowest]
                run.cards[place - run.lowest], run.wild[place - run.lowest] = name, False
                for other in within:
                    onto = room_for_wild(self.melds[other], self.options)
                    if onto is not None and (other != number or self.options["swap_same_meld"]):
                        self.cards[seat].remove(name)
                        self.record["swaps"][seat] += 1
                        self.table.tell(
                            "R7", layout.SWAP, seat, number, KIND_NUMBERS[name], place, KIND_NUMBERS[freed]
                        )
                        self.lay_off(seat, other, freed, onto, as_wild=True, from_hand=False)
                        return True
                run.cards[place - run.lowest], run.wild[place - run.lowest] = freed, True
        return False

    def lay_off_wilds(self, seat: int, within: list[int]) -> bool:
        """Step 5: lay wilds, if that goes out or leaves just the card to discard."""
        cards = self.cards[seat]
        if len(cards) - count_wilds(cards) > 1:
            return False
        # Tried out on copies first, since it is all or nothing.
        tried = {number: copy.deepcopy(self.melds[number]) for number in within}
        found: list[tuple[int, str, int]] = []
        for name in (wild for wild in WILDS for _ in range(cards.count(wild))):
            if len(found) == self.spare(seat):
                break
            for number, meld in tried.items():
                place = room_for_wild(meld, self.options)
                if place is not None:
                    meld.add(name, place, as_wild=True)
                    found.append((number, name, place))
                    break
        if not found or len(cards) - len(found) > 1:
            return False
        for number, name, place in found:
            self.lay_off(seat, number, name, place, as_wild=True)
        return True

    # The end (R14)

    def finish(self, scores: Sequence[int]) -> Record:
        """Tell how the hand ended, and return its completed record."""
        record = self.record
        winner = self.cards.index([]) if self.reason == layout.OUT else -1
        rule = {layout.OUT: self.discard_rule, layout.NO_STOCK: "R12", layout.TOO_LONG: "R13"}[self.reason]
        self.table.tell(rule, layout.HAND_END, winner, self.reason, record["turns"])
        record["winner"] = winner
        record["winners"] = 1 << winner if winner >= 0 else 0
        record["someone_out"] = int(self.reason == layout.OUT)
        record["stock_out"] = int(self.reason == layout.NO_STOCK)
        record["truncated"] = int(self.reason == layout.TOO_LONG)
        record["points"] = [points_of(cards, self.options) for cards in self.cards]
        record["cards_left"] = [len(cards) for cards in self.cards]
        record["wilds_left"] = [count_wilds(cards) for cards in self.cards]
        for seat, points in enumerate(record["points"]):
            self.table.tell(
                self.points_rule,
                layout.SCORE,
                seat,
                points,
                record["cards_left"][seat],
                scores[seat] + points,
            )
        return record


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
        self.stock: list[str] = []
        """The stock, its top last."""

    def shuffle(self, cards: list[str]) -> None:
        self.rng.shuffle(cards)
        self.stock = cards

    def stock_size(self) -> int:
        return len(self.stock)

    def draw(self, rule: str, code: int, seat: int) -> str:
        return self.stock.pop()

    def weighs(self, seat: int, decision: int) -> bool:
        return False

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        return self.rng.choice(choices)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        pass

    def parts_of_a_cent(self, players: int) -> int:
        return math.lcm(*range(1, players + 1))


# Second use: checking


# The name of each event and of its fields after the seat.
EVENTS = {
    layout.HAND: ("HAND", "contract", "dealer", "cards in the packs", "number in the game"),
    layout.DEAL: ("DEAL", "kind"),
    layout.UPCARD: ("UPCARD", "kind"),
    layout.TURN: ("TURN", "turn", "cards in hand", "down", "nickels", "kind on top"),
    layout.DECISION: ("DECISION", "decision", "choices"),
    layout.BUY: ("BUY", "kind", "in turn", "nickels left"),
    layout.NO_BUY: ("NO_BUY", "kind"),
    layout.DRAW: ("DRAW", "kind"),
    layout.TAKE: ("TAKE", "kind"),
    layout.PUSH: ("PUSH", "kind", "to seat", "with a card of the stock"),
    layout.RECEIVE: ("RECEIVE", "kind"),
    layout.LEAVE: ("LEAVE", "kind"),
    layout.RESHUFFLE: ("RESHUFFLE", "cards", "reshuffle"),
    layout.NOTHING_TO_DRAW: ("NOTHING_TO_DRAW",),
    layout.GO_DOWN: ("GO_DOWN", "cards", "wilds", "cards left"),
    layout.WAIT: ("WAIT",),
    layout.MELDING: ("MELDING", "how"),
    layout.NEW_MELD: ("NEW_MELD", "meld", "form", "rank or suit", "lowest place", "cards", "of the contract"),
    layout.PLACE: ("PLACE", "meld", "kind", "place", "wild"),
    layout.LAY_OFF: ("LAY_OFF", "meld", "kind", "place", "wild", "from the hand"),
    layout.SWAP: ("SWAP", "meld", "kind", "place", "kind freed"),
    layout.DISCARD: ("DISCARD", "kind", "cards left"),
    layout.HAND_END: ("HAND_END", "reason", "turns"),
    layout.SCORE: ("SCORE", "points", "cards left", "score"),
    layout.PRIZE: ("PRIZE", "parts of a cent"),
    layout.GAME_END: ("GAME_END", "hands", "winners", "pot"),
    layout.MONEY: ("MONEY", "parts of a cent", "parts in a cent"),
}
SPOKEN_CHOICES = {
    layout.BUY: BUY,
    layout.NO_BUY: NO_BUY,
    layout.TAKE: TAKE,
    layout.PUSH: PUSH,
    layout.LEAVE: LEAVE,
    layout.GO_DOWN: GO_DOWN,
    layout.WAIT: WAIT,
}
WAYS_OF_MELDING = {
    layout.HOLD_BACK: HOLD_BACK,
    layout.OWN_MELDS: OWN_MELDS,
    layout.ALL_MELDS: ALL_MELDS,
}


class TraceTable(Trace, Table):
    """A table that follows a trace: its cards, its choices, and nothing that the rules did not make.

    Of the stock it knows which cards are in it. Of each seat it finds out, when it matters first, whether
    its policy weighs features: only such a one decides on going down and melding. That must not change.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace, in rows of ``EVENT_FIELDS``.
    weighing : sequence of bool, optional
        For each seat whether its policy weighs features, if that is known.
    """

    event_names = EVENTS
    number_names = {"kind": KIND_NAMES}

    def __init__(self, events: Iterable[Sequence[int]], weighing: Sequence[bool] | None = None) -> None:
        super().__init__(events)
        self.stock: Counter[str] = Counter()
        self.weighing: dict[int, bool] = dict(enumerate(weighing or ()))

    def shuffle(self, cards: list[str]) -> None:
        self.stock = Counter(cards)

    def stock_size(self) -> int:
        return self.stock.total()

    def draw(self, rule: str, code: int, seat: int) -> str:
        name = self.read_name(rule, code, seat)
        self.take(rule, name, seat, self.stock, "stock")
        self.tell(rule, code, seat, KIND_NUMBERS[name])
        return name

    def weighs(self, seat: int, decision: int) -> bool:
        if seat not in self.weighing:
            event = self.look("R10", (layout.DECISION, seat, decision))
            self.weighing[seat] = event[:3] == (layout.DECISION, seat, decision)
        return self.weighing[seat]

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        self.tell(rule, layout.DECISION, seat, decision, len(choices), choices=choices)
        event = self.look(rule, (layout.DECISION, seat))
        choice = SPOKEN_CHOICES.get(event[0], self.describe(event))
        if event[0] == layout.MELDING:
            choice = WAYS_OF_MELDING.get(event[2], choice)
        elif event[0] == layout.DISCARD:
            choice = self.name_of("kind", event[2]) or choice
        if choice not in choices:
            self.refuse_choice(rule, event, choices)
        return choice

    def parts_of_a_cent(self, players: int) -> int:
        # The layout leaves open how many they are, as long as every share is whole.
        return max(1, next((event[3] for event in self.events if event[0] == layout.MONEY), 1))


# Either use


class Referee:
    """One game's referee: its options, its hands, its money.

    A game's own referee gives the defaults of its options, its hand, and what is won.
    """

    hand: type[Hand]
    """The game's hand."""
    defaults: Options
    """The default of every option; of ``packs`` it depends on the players (R1)."""
    fixed: Options
    """What the other game can choose and this one cannot."""
    end_rule: str
    """The rule by which the game is won."""

    def resolve(self, **changes: Any) -> dict[str, Any]:
        """Return all options, with the defaults of the rules page where nothing is given.

        Parameters
        ----------
        **changes
            Options that differ. Items of ``contracts`` are given as "set 3" or ("set", 3). Of ``points``, by
            rank ("2" to "10", "J", "Q", "K", "A") and "Joker", only those that differ need be given.

        Returns
        -------
        dict
            Every option; ``contracts`` as lists of ``Item``.

        Raises
        ------
        ValueError
            If an option is unknown, an item is no meld (R3, R4), or the hands cannot be dealt (R1).
        """
        unknown = [name for name in changes if name not in self.defaults]
        if unknown:
            raise ValueError(f"unknown options: {', '.join(unknown)}")
        options = {**self.defaults, **self.fixed, **changes}
        options["points"] = {**self.defaults["points"], **options["points"]}
        options["contracts"] = [[read_item(item) for item in items] for items in options["contracts"]]
        if options["packs"] is None:
            options["packs"] = math.ceil(options["players"] / 2)
        longest = ACE - bottom(options) + 1
        for form, size in itertools.chain(*options["contracts"]):
            if size < 3 or (form == RUN and not options["min_run"] <= size <= longest):
                raise ValueError(f"R8: no contract can ask for a {form} of {size}")
        if not 1 <= options["hand"] <= len(options["contracts"]):
            raise ValueError(f"R8: there is no contract {options['hand']}")
        dealt = options["players"] * options["hand_size"] + options["upcard"]
        if dealt > 54 * options["packs"]:
            raise ValueError(f"R1: {dealt} cards cannot be dealt from {options['packs']} packs")
        return options

    def prize(self, options: Options) -> int:
        """Return the cents that the lowest of a round share at once."""
        raise NotImplementedError

    def pot(self, options: Options, nickels_paid: int) -> int:
        """Return the cents that the winners of the game share."""
        raise NotImplementedError

    def run_hand(self, options: Options, table: Table) -> Record:
        """Play one hand at a table, seat 0 first, and return its record."""
        nickels = [options["nickels"]] * options["players"]
        return self.hand(options, table, options["hand"], 0, nickels).run()

    def run_game(self, options: Options, table: Table) -> tuple[list[Record], Record]:
        """Play one game at a table, and return its hands' records and its own."""
        players: int = options["players"]
        parts = table.parts_of_a_cent(players)
        records: list[Record] = []
        nickels = [options["nickels"]] * players
        paid = 0
        scores = [0] * players
        money = [Fraction(0)] * players
        for number in range(len(options["contracts"])):
            if options["nickels_per_hand"]:
                nickels = [options["nickels"]] * players
            before = sum(nickels)
            record = self.hand(options, table, number + 1, number, nickels).run(scores)
            records.append(record)
            paid += before - sum(nickels)
            scores = [score + points for score, points in zip(scores, record["points"], strict=True)]
            prize = self.prize(options)
            if prize:
                lowest = lowest_seats(record["points"])
                share = Fraction(prize, len(lowest))
                for seat in lowest:
                    money[seat] += share
                    table.tell(self.end_rule, layout.PRIZE, seat, in_parts(share, parts))
        pot = self.pot(options, paid)
        winners = lowest_seats(scores)
        mask = sum(1 << seat for seat in winners)
        alone = winners[0] if len(winners) == 1 else -1
        table.tell(self.end_rule, layout.GAME_END, alone, len(records), mask, pot)
        for seat in winners:
            money[seat] += Fraction(pot, len(winners))
        shares = [in_parts(share, parts) for share in money]
        for seat, whole in enumerate(shares):
            table.tell(self.end_rule, layout.MONEY, seat, whole, parts)
        game = {
            "winners": mask,
            "hands": len(records),
            "pot": pot,
            "parts_of_a_cent": parts,
            "score": scores,
            "money": shares,
        }
        return records, game

    def play_hand(self, rng: random.Random, options: Options) -> Record:
        """Play one hand with the ``random`` policy, seat 0 first.

        Parameters
        ----------
        rng : random.Random
            Where the chances come from.
        options : mapping
            Every option, as :meth:`resolve` returns them; ``hand`` says which contract is played.

        Returns
        -------
        dict
            The metrics of the layout's ``HAND_COLUMNS`` by name, without ``policy_winners``: those by seat
            as lists, the rest as whole numbers.
        """
        return self.run_hand(options, RandomTable(rng))

    def play_game(self, rng: random.Random, options: Options) -> tuple[list[Record], Record]:
        """Play one game with the ``random`` policy.

        Parameters
        ----------
        rng : random.Random
            Where the chances come from.
        options : mapping
            Every option, as :meth:`resolve` returns them.

        Returns
        -------
        hands : list of dict
            What :meth:`play_hand` returns, for each hand.
        game : dict
            The metrics of the layout's ``GAME_COLUMNS`` by name, without ``policy_winners``; ``score`` and
            ``money`` as lists by seat.
        """
        return self.run_game(options, RandomTable(rng))

    def check_hand(
        self, events: Iterable[Sequence[int]], options: Options, weighing: Sequence[bool] | None = None
    ) -> Record:
        """Check a trace of one hand against the rules, and return what the hand must record.

        Parameters
        ----------
        events : iterable of sequence of int
            The hand's trace, from its HAND to its last SCORE.
        options : mapping
            Every option, as :meth:`resolve` returns them.
        weighing : sequence of bool, optional
            For each seat whether its policy weighs features, and so decides on going down and melding.
            Found out from the trace, if not given.

        Returns
        -------
        dict
            As :meth:`play_hand` returns it.

        Raises
        ------
        RefereeError
            If an event breaks a rule.
        """
        table = TraceTable(events, weighing)
        record = self.run_hand(options, table)
        table.close("R14")
        return record

    def check_game(
        self,
        events: Iterable[Sequence[int]],
        options: Options,
        by_game: bool,
        weighing: Sequence[bool] | None = None,
    ) -> tuple[list[Record], Record | None]:
        """Check a trace of one game against the rules, and return what it must record.

        Parameters
        ----------
        events : iterable of sequence of int
            The game's trace, from its first HAND to its last MONEY.
        options : mapping
            Every option, as :meth:`resolve` returns them.
        by_game : bool
            If false, the trace is that of a single hand which seat 0 starts.
        weighing : sequence of bool, optional
            As in :meth:`check_hand`.

        Returns
        -------
        hands : list of dict
            The record of each hand, as :meth:`play_hand` returns it.
        game : dict or None
            The record of the game, as :meth:`play_game` returns it; ``None`` for a single hand.

        Raises
        ------
        RefereeError
            If an event breaks a rule.
        """
        if not by_game:
            return [self.check_hand(events, options, weighing)], None
        table = TraceTable(events, weighing)
        try:
            hands, game = self.run_game(options, table)
        except ValueError as error:
            table.refuse(self.end_rule, str(error))
        table.close(self.end_rule)
        return hands, game


def read_item(item: str | Sequence[Any]) -> Item:
    """Return an item of a contract from "set 3" or ("set", 3)."""
    form, size = item.split() if isinstance(item, str) else item
    if form not in (SET, RUN):
        raise ValueError(f"R8: no contract can ask for a {form}")
    return form, int(size)


def lowest_seats(points: Sequence[int]) -> list[int]:
    """Return the seats with the lowest points."""
    return [seat for seat, its in enumerate(points) if its == min(points)]


def in_parts(cents: Fraction, parts: int) -> int:
    """Return an amount in parts of a cent; it must be whole."""
    share = cents * parts
    if share.denominator != 1:
        raise ValueError(f"{cents} cents are not whole when a cent has {parts} parts")
    return share.numerator

"""The referee of Kapaga: its rules in plain Python, to play by and to check a kernel's trace by.

Written from ``rules/kapaga.md`` alone (rule ids K1 to K25), never from a kernel. There is one copy
of the rules: :class:`Hand`, and for what goes from hand to hand :class:`Standing` and
:func:`run_game`. They know nothing of where cards, choices and accidents come from: for that they
ask a :class:`Table`.

- :class:`RandomTable` shuffles and chooses by itself: :func:`play_hand`, :func:`play_game`.
- :class:`TraceTable` reads cards, choices and accidents from a trace. Everything else that the rules
  make happen is compared with the trace, event by event: :func:`check_hand`, :func:`check_game`.

A card is the name of its kind ("7h", "10c", "Joker"), a call that of a suit or rank ("hearts",
"J"). The other choices are the words ``DRAW``, ``PASS``, ``KEEP``, ``ALONE``, ``STOP`` and ``TAKE``.
Seats go clockwise; the left is the next seat.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from kernels.kapaga import layout
from kernels.kapaga.layout import KIND_NAMES, POINT_NAMES, RANK_NAMES, SUIT_NAMES
from tests.referees.trace import Event, Trace

Options = Mapping[str, Any]
Record = dict[str, Any]

DRAW = "draw"
PASS = "pass"
KEEP = "keep"
ALONE = "alone"
STOP = "stop"
TAKE = "take"

UNDER_WAY = -1
"""In place of the reason of a hand's end, while it goes on."""

JOKER = "Joker"
KIND_NUMBERS = {name: number for number, name in enumerate(KIND_NAMES)}
"""The number by which a trace calls each card."""
RANK_OF = {name: name if name == JOKER else name[:-1] for name in KIND_NAMES}
SUIT_OF = {name + suit[0]: suit for name in RANK_NAMES if name != JOKER for suit in SUIT_NAMES}
"""The suit of each card but the Joker."""
CALL_NAMES = (*SUIT_NAMES, *(rank for rank in RANK_NAMES if rank != JOKER))
"""What an 8 may call, by the number of the call; "8" is in its place but may not be called (K16)."""
CALL_NUMBERS = {name: number for number, name in enumerate(CALL_NAMES)}

# K20
POINTS: dict[str, int] = {
    JOKER: 50,
    "8": 50,
    "five of spades": 50,
    "five of clubs": 25,
    "9": 25,
    "2": 20,
    "7": 20,
    "A": 15,
    **dict.fromkeys(("10", "J", "Q", "K"), 10),
    **{rank: int(rank) for rank in ("3", "4", "5", "6")},
}


def resolve(**changes: Any) -> dict[str, Any]:
    """Return all options, with the defaults of the rules page where nothing is given.

    Parameters
    ----------
    **changes
        Options that differ. ``points`` may name some of ``layout.POINT_NAMES`` only; the others then
        keep their points.

    Returns
    -------
    dict
        Every option.

    Raises
    ------
    ValueError
        If an option or a name of points is unknown, or the hands and the upcard cannot be dealt (K2).
    """
    options = {
        "players": 4,
        "hand_size": 5,
        "hand_size_two": 7,
        "packs": 1,
        "multi_play": True,
        "call_ranks": True,
        "draw_count": 1,
        "five_count": 5,
        "two_count": 2,
        "ace_alone_draws": True,
        "turnover_penalty": 10,
        "penalty_points": 50,
        "forget_rate": 0.0,
        "catch_rate": 1.0,
        "misdeal_rate": 0.0,
        "peek_rate": 0.0,
        "points": POINTS,
        "limit": 2000,
        "exact_reset": True,
        "max_turns": 2000,
        "max_hands": 2000,
    }
    unknown = [name for name in changes if name not in options]
    unknown += [name for name in changes.get("points", {}) if name not in POINT_NAMES]
    if unknown:
        raise ValueError(f"unknown options or points: {', '.join(map(str, unknown))}")
    options |= changes
    options["points"] = POINTS | dict(changes.get("points", {}))
    # A game of more than two comes down to two in the end.
    dealt = [2 * options["hand_size_two"] + 1]
    if options["players"] > 2:
        dealt.append(options["players"] * options["hand_size"] + 1)
    if max(dealt) > len(KIND_NAMES) * options["packs"]:
        raise ValueError(f"K2: {max(dealt)} cards cannot be dealt")
    return options


def points_of(card: str, points: Mapping[str, int]) -> int:
    """Return what a card left in hand costs (K20)."""
    special = {"5s": "five of spades", "5c": "five of clubs"}
    return points[special.get(card, RANK_OF[card])]


@cache
def cards_that_fit(top: str, call: str | None = None) -> frozenset[str]:
    """Return every card that fits on a top card, or on the call made with it (K5).

    Parameters
    ----------
    top : str
        The top card.
    call : str or None
        The suit or rank that the 8 on top has called.
    """
    fit = {"8" + suit[0] for suit in SUIT_NAMES} | {JOKER}
    for card, suit in SUIT_OF.items():
        rank = RANK_OF[card]
        if call is not None:
            if call in (suit, rank):
                fit.add(card)
        elif (suit == SUIT_OF.get(top) or rank == RANK_OF[top]) and not rank == RANK_OF[top] == "A":
            fit.add(card)
    return frozenset(fit)


# A hand


class Table:
    """What a hand needs from outside: a stock, somebody who chooses, luck, and an audience.

    ``rule`` is the id of the rule that makes an event happen; codes and fields are those of
    ``kernels.kapaga.layout``.
    """

    def shuffle(self, cards: list[str]) -> None:
        """Make the stock, empty until now, of these cards in an unknown order."""
        raise NotImplementedError

    def stock_size(self) -> int:
        """Return the number of cards in the stock."""
        raise NotImplementedError

    def draw(self, rule: str, code: int, seat: int, *fields: int) -> str:
        """Take the top card of the stock for a seat; the card comes before the event's other fields."""
        raise NotImplementedError

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        """Return one of the choices of a decision (its number on the rules page)."""
        raise NotImplementedError

    def happens(self, rate: float, *signs: tuple[int, ...]) -> bool:
        """Say whether an accident of this probability happens.

        Parameters
        ----------
        rate : float
            The probability.
        *signs : tuple of int
            Beginnings of events, one of which comes next if and only if it does.
        """
        raise NotImplementedError

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        """Say that something happened which left nothing to choose."""
        raise NotImplementedError


class Hand:
    """One hand of Kapaga: where it stands, and the rules that move it on.

    Parameters
    ----------
    options : mapping
        Every option, as :func:`resolve` returns them.
    table : Table
        Where cards, choices and accidents come from.
    seats : sequence of int, optional
        The seats in the hand, clockwise. All, if not given.
    dealer : int, optional
        The seat that deals. The last, if not given.

    Attributes
    ----------
    cards : list of list of str
        The cards of each seat of the game; none for those that are not in the hand.
    discards : list of str
        The discards, the top card last.
    call : str or None
        What the 8 on top has called (K16).
    attack : int
        How many cards ``to_act`` is under attack for (K12), 0 if not.
    only_spades : bool
        Whether only the two of spades answers the attack (K13).
    laid : list of str
        The cards of the put under way, or of the last one, in their order.
    to_act : int
        The seat whose turn is next.
    charged : list of int
        The penalty points of each seat in this hand.
    idle : int
        For how many turns in a row nobody could do anything (K25).
    reason : int
        Why the hand is over (a code of the layout), ``UNDER_WAY`` while it is not.
    record : dict
        What the hand must record. Only complete once :meth:`run` has returned.
    """

    def __init__(
        self, options: Options, table: Table, seats: Sequence[int] | None = None, dealer: int | None = None
    ) -> None:
        self.options = options
        self.table = table
        players: int = options["players"]
        self.seats = list(range(players) if seats is None else seats)
        self.dealer = self.seats[-1] if dealer is None else dealer
        self.cards: list[list[str]] = [[] for _ in range(players)]
        self.discards: list[str] = []
        self.call: str | None = None
        self.attack = 0
        self.only_spades = False
        self.laid: list[str] = []
        self.to_act = self.seat_after(self.dealer)
        self.charged = [0] * players
        self.idle = 0
        self.leader = -1
        self.winner = -1
        self.reason = UNDER_WAY
        self.record: Record = {
            "starter": self.to_act,
            "dealer": self.dealer,
            "turns": 0,
            "drawn_choice": 0,
            "drawn_attack": 0,
            "drawn_effect": 0,
            "drawn_caught": 0,
            "largest_attack": 0,
            "passes_left": 0,
            "passes_right": 0,
            "penalties": 0,
            "penalty_points": 0,
            "reshuffles": 0,
            "lead_changes": 0,
            "decisions": 0,
            "choices": 0,
            "forced": 0,
            "plays": Counter(),
        }

    def run(self) -> Record:
        """Play the hand from the deal to its end, and return its record."""
        self.deal()
        self.open()
        while self.reason == UNDER_WAY:
            self.take_turn()
        return self.finish()

    def seat_after(self, seat: int, places: int = 1) -> int:
        """Return the seat in the hand that sits so many places on, clockwise."""
        return self.seats[(self.seats.index(seat) + places) % len(self.seats)]

    # Before the first turn

    def deal(self) -> None:
        """Charge table manners (K24), shuffle, and deal round by round from the dealer's left (K2)."""
        options = self.options
        culprits = [(self.dealer, "misdeal_rate", layout.FOR_MISDEAL)]
        culprits += [(seat, "peek_rate", layout.FOR_PEEK) for seat in self.seats]
        points = options["penalty_points"]
        for seat, rate, why in culprits:
            if self.table.happens(options[rate], (layout.PENALTY, seat, points, why)):
                self.charge("K24", seat, points, why)
        self.table.shuffle(list(KIND_NAMES) * options["packs"])
        size = options["hand_size_two"] if len(self.seats) == 2 else options["hand_size"]
        for _ in range(size):
            for place in range(1, len(self.seats) + 1):
                seat = self.seat_after(self.dealer, place)
                self.cards[seat].append(self.table.draw("K2", layout.DEAL, seat))

    def open(self) -> None:
        """Turn a card up, which counts as if the dealer had played it, but is no play (K3)."""
        turned = self.table.draw("K3", layout.TURN_UP, self.dealer)
        self.discards = [turned]
        self.laid = [turned]
        # Only to what follows may more be added.
        self.put_the_rest(self.dealer, turned, may_add=False)
        self.apply_put(self.dealer)

    # A turn

    def take_turn(self) -> None:
        """Play the turn of ``to_act``, and see whether it ended the hand."""
        seat, record = self.to_act, self.record
        record["turns"] += 1
        call = layout.NO_CALL if self.call is None else CALL_NUMBERS[self.call]
        top = KIND_NUMBERS[self.discards[-1]]
        self.table.tell(
            "K3", layout.TURN, seat, record["turns"], self.attack, top, call, len(self.cards[seat])
        )
        could, moved = self.answer(seat) if self.attack else self.put_or_draw(seat)
        self.idle = 0 if could or moved else self.idle + 1
        self.look_at_lead()
        # In this order: going out on the last turn counts, and blocked goes before truncated.
        if self.reason == UNDER_WAY:
            if self.idle == len(self.seats):
                self.reason = layout.IS_BLOCKED
            elif record["turns"] == self.options["max_turns"]:
                self.reason = layout.IS_TRUNCATED

    def put_or_draw(self, seat: int) -> tuple[bool, bool]:
        """Have a seat that is not under attack put or draw (K4).

        Returns
        -------
        could : bool
            Whether it held a card that fits when the turn began.
        moved : bool
            Whether it played or drew a card.
        """
        fit = self.fitting(self.cards[seat])
        may_draw = self.options["draw_count"] > 0 and self.can_draw()
        choice = self.choose("K5", layout.DECIDE_TURN, seat, [*fit, DRAW if may_draw else PASS])
        if choice == PASS:
            self.pass_on(seat)
            self.table.tell("K4", layout.PASS, seat)
            return bool(fit), False
        if choice == DRAW:
            self.table.tell("K4", layout.CHOOSE_DRAW, seat)
            drawn = self.draw_cards("K4", seat, self.options["draw_count"], layout.BY_CHOICE)
            fit_now = self.fitting(drawn)
            choice = self.choose("K4", layout.DECIDE_DRAWN, seat, [*fit_now, KEEP]) if fit_now else KEEP
            if choice == KEEP:
                self.pass_on(seat)
                if fit_now:
                    self.table.tell("K4", layout.KEEP, seat)
            else:
                self.put(seat, choice, from_draw=True)
        else:
            self.put(seat, choice)
        return bool(fit), True

    def answer(self, seat: int) -> tuple[bool, bool]:
        """Have a seat that is under attack answer it or take the cards (K12, K13).

        Returns
        -------
        could : bool
            Whether it held a card that answers.
        moved : bool
            Whether it played or drew a card.
        """
        rule = "K13" if self.only_spades else "K12"
        answers = [card for card in dict.fromkeys(self.cards[seat]) if self.answers(card)]
        choice = self.choose(rule, layout.DECIDE_ATTACK, seat, [*answers, TAKE])
        if choice != TAKE:
            self.put(seat, choice)
            return True, True
        self.table.tell(rule, layout.TAKE, seat, self.attack)
        drawn = self.draw_cards(rule, seat, self.attack, layout.BY_ATTACK)
        self.attack = 0
        self.pass_on(seat)
        return bool(answers), bool(drawn)

    def fitting(self, cards: Iterable[str]) -> list[str]:
        """Return those of the cards that fit, each kind once (K5)."""
        fit = cards_that_fit(self.discards[-1], self.call)
        return [card for card in dict.fromkeys(cards) if card in fit]

    def answers(self, card: str) -> bool:
        """Say whether a card answers the attack (K12, K13)."""
        return card == "2s" if self.only_spades else RANK_OF[card] == "2"

    def pass_on(self, seat: int) -> None:
        """End a turn without a put: the next seat acts."""
        self.to_act = self.seat_after(seat)

    def choose(self, rule: str, decision: int, seat: int, choices: list[str]) -> str:
        """Count a decision, and have it made."""
        self.record["decisions"] += 1
        self.record["choices"] += len(choices)
        self.record["forced"] += len(choices) == 1
        return self.table.choose(rule, decision, seat, choices)

    def look_at_lead(self) -> None:
        """See who leads after a turn: whoever holds strictly the fewest cards; in a tie, who led."""
        held = [len(self.cards[seat]) for seat in self.seats]
        fewest = min(held)
        if held.count(fewest) == 1:
            leader = self.seats[held.index(fewest)]
            self.record["lead_changes"] += self.leader not in (leader, -1)
            self.leader = leader

    # A put

    def put(self, seat: int, card: str, from_draw: bool = False) -> None:
        """Put a card with all that follows it, and let it have its effect.

        Parameters
        ----------
        seat : int
            Who puts.
        card : str
            The first card.
        from_draw : bool
            Whether it has just been drawn by choice (K4).
        """
        self.laid = []
        self.call = None
        self.lay(seat, card, "K4" if from_draw else "K5", from_draw)
        self.put_the_rest(seat, card)
        self.apply_put(seat)

    def lay(self, seat: int, card: str, rule: str, from_draw: bool = False) -> None:
        """Move a card from a seat's hand to the discards."""
        self.cards[seat].remove(card)
        self.discards.append(card)
        self.laid.append(card)
        self.record["plays"][RANK_OF[card]] += 1
        self.table.tell(rule, layout.PUT, seat, KIND_NUMBERS[card], len(self.laid), int(from_draw))

    def put_the_rest(self, seat: int, card: str, may_add: bool = True) -> None:
        """Have a seat put what follows a card, and whoever has to draw for it draw (K6, K11, K18).

        Parameters
        ----------
        seat : int
            Who puts.
        card : str
            The card put down so far.
        may_add : bool
            Whether others of its rank may be added to this one.
        """
        while True:
            if card == JOKER:
                following, rule = self.follow(seat), "K18"
            elif RANK_OF[card] == "A":
                following, rule = self.play_along(seat, card), "K11"
            else:
                following, rule = self.add(seat, card) if may_add else None, "K6"
            if following is None:
                return
            self.lay(seat, following, rule)
            card, may_add = following, True

    def add(self, seat: int, card: str) -> str | None:
        """Return another card of the same rank that a seat adds, if it does (K6)."""
        rank = RANK_OF[card]
        same = [held for held in dict.fromkeys(self.cards[seat]) if RANK_OF[held] == rank]
        if not same or not self.options["multi_play"]:
            return None
        choice = self.choose("K6", layout.DECIDE_ADD, seat, [*same, STOP])
        if choice == STOP:
            self.table.tell("K6", layout.STOP, seat)
            return None
        return choice

    def play_along(self, seat: int, ace: str) -> str | None:
        """Return the card that a seat plays along with an Ace; without one it draws (K11)."""
        along = [
            card
            for card in dict.fromkeys(self.cards[seat])
            if SUIT_OF.get(card) == SUIT_OF[ace] and RANK_OF[card] != "A"
        ]
        if along:
            choice = self.choose("K11", layout.DECIDE_ALONG, seat, [*along, ALONE])
            if choice != ALONE:
                return choice
        self.table.tell("K11", layout.ALONE, seat)
        if self.options["ace_alone_draws"]:
            self.draw_cards("K11", seat, 1, layout.BY_EFFECT)
        return None

    def follow(self, seat: int) -> str | None:
        """Have all others draw for a Joker, and return the card that follows it, if any (K18)."""
        for place in range(1, len(self.seats)):
            if not self.draw_cards("K18", self.seat_after(seat, place), 1, layout.BY_EFFECT):
                break
        held = list(dict.fromkeys(self.cards[seat]))
        return self.choose("K18", layout.DECIDE_FOLLOW, seat, held) if held else None

    def apply_put(self, seat: int) -> None:
        """Let a put (or the opening) have its effects, now that all its cards lie there (K19)."""
        if RANK_OF[self.discards[-1]] == "8":
            self.call_something(seat)
        if len(self.cards[seat]) == 1:
            self.say_kapaga(seat)
        if not self.cards[seat]:
            self.reason, self.winner = layout.WON, seat
            return
        ranks = Counter(RANK_OF[card] for card in self.laid)
        self.pass_hands(seat, ranks["9"], self.laid.count("5c"))
        self.pass_on(seat)
        if ranks["7"]:
            # The opponents of the player, going round them if need be (K17).
            self.to_act = self.seat_after(seat, (ranks["7"] - 1) % (len(self.seats) - 1) + 2)
            self.table.tell("K17", layout.SKIPPED, seat, ranks["7"], self.to_act)
        self.attack_with(seat, ranks["2"], self.laid.count("5s"))

    def call_something(self, seat: int) -> None:
        """Have a seat call a suit, or a rank other than 8 (K16)."""
        calls = [call for call in CALL_NAMES if call != "8"] if self.options["call_ranks"] else SUIT_NAMES
        self.call = self.choose("K16", layout.DECIDE_CALL, seat, list(calls))
        self.table.tell("K16", layout.CALL, seat, CALL_NUMBERS[self.call])

    def say_kapaga(self, seat: int) -> None:
        """Have a seat with one card left say so, or forget it, and then perhaps be caught (K8)."""
        forgot = (layout.KAPAGA, seat, layout.FORGOT)
        caught = (layout.KAPAGA, seat, layout.CAUGHT)
        outcome = layout.CALLED
        if self.table.happens(self.options["forget_rate"], forgot, caught):
            is_caught = self.table.happens(self.options["catch_rate"], caught)
            outcome = layout.CAUGHT if is_caught else layout.FORGOT
        self.table.tell("K8", layout.KAPAGA, seat, outcome)
        if outcome == layout.CAUGHT:
            self.draw_cards("K8", seat, 1, layout.BY_CATCH)

    def pass_hands(self, seat: int, left: int, right: int) -> None:
        """Pass every hand, once to the left for each 9 and to the right for each five of clubs."""
        if not left and not right:
            return
        self.record["passes_left"] += left
        self.record["passes_right"] += right
        hands = [self.cards[giver] for giver in self.seats]
        for place, hand in enumerate(hands):
            self.cards[self.seats[(place + left - right) % len(self.seats)]] = hand
        self.table.tell("K15" if left else "K14", layout.PASS_HANDS, seat, left, right)

    def attack_with(self, seat: int, twos: int, fives: int) -> None:
        """Put the next seat under attack: an attack that was answered grows and goes on (K12, K13)."""
        self.attack += twos * self.options["two_count"] + fives * self.options["five_count"]
        if self.attack:
            self.only_spades = not twos
            self.record["largest_attack"] = max(self.record["largest_attack"], self.attack)
            rule = "K13" if fives else "K12"
            self.table.tell(rule, layout.ATTACKED, seat, self.attack, self.to_act, int(self.only_spades))

    # K7

    def can_draw(self) -> bool:
        """Say whether a card could be drawn now."""
        return self.table.stock_size() > 0 or len(self.discards) > 1

    def draw_cards(self, rule: str, seat: int, count: int, why: int) -> list[str]:
        """Give a seat so many cards, or as many as there are, and return them."""
        metric = ("drawn_choice", "drawn_attack", "drawn_effect", "drawn_caught")[why]
        drawn: list[str] = []
        for _ in range(count):
            if not self.can_draw():
                self.table.tell("K7", layout.NOTHING_TO_DRAW, seat)
                break
            if not self.table.stock_size():
                self.turn_over(seat)
            drawn.append(self.table.draw(rule, layout.DRAW, seat, why))
            self.cards[seat].append(drawn[-1])
            self.record[metric] += 1
        return drawn

    def turn_over(self, seat: int) -> None:
        """Make a new stock of the discards under the top card, at the cost of who needs a card."""
        under = self.discards[:-1]
        del self.discards[:-1]
        self.record["reshuffles"] += 1
        self.table.tell("K7", layout.RESHUFFLE, seat, len(under))
        self.table.shuffle(under)
        self.charge("K7", seat, self.options["turnover_penalty"], layout.FOR_TURNOVER)

    def charge(self, rule: str, seat: int, points: int, why: int) -> None:
        """Add penalty points to a seat's score."""
        self.charged[seat] += points
        self.record["penalties"] += 1
        self.record["penalty_points"] += points
        self.table.tell(rule, layout.PENALTY, seat, points, why)

    # The end

    def finish(self) -> Record:
        """Tell how the hand ended, and return its completed record."""
        record = self.record
        won = self.reason == layout.WON
        self.table.tell("K9" if won else "K25", layout.HAND_END, self.winner, self.reason, record["turns"])
        points = self.options["points"]
        record["winner"] = self.winner
        record["winners"] = 1 << self.winner if won else 0
        record["blocked"] = int(self.reason == layout.IS_BLOCKED)
        record["truncated"] = int(self.reason == layout.IS_TRUNCATED)
        record["cards_left"] = [len(cards) for cards in self.cards]
        record["points"] = [sum(points_of(card, points) for card in cards) for cards in self.cards]
        return record


# A game


class Standing:
    """Where a game stands between its hands.

    Parameters
    ----------
    options : mapping
        Every option.

    Attributes
    ----------
    seats : list of int
        The seats that are not eliminated, clockwise.
    dealer : int
        The dealer of the next hand, or of the one under way.
    scores : list of int
        The score of each seat; of those eliminated, what they went with.
    twice_places : list of int
        Twice the place of each seat, 0 while it is not known.
    resets : int
        How often a score of exactly the limit became 0.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        players: int = options["players"]
        self.seats = list(range(players))
        self.dealer = players - 1
        self.scores = [0] * players
        self.twice_places = [0] * players
        self.resets = 0

    def play(self, table: Table, number: int = 0) -> Record:
        """Play the next hand at a table, count its points (K21), and return its record.

        Parameters
        ----------
        table : Table
            Where cards, choices and accidents come from.
        number : int
            The hand's number in its game.
        """
        mask = sum(1 << seat for seat in self.seats)
        pack = len(KIND_NAMES) * self.options["packs"]
        table.tell("K23", layout.HAND, self.dealer, number, len(self.seats), mask, pack)
        hand = Hand(self.options, table, self.seats, self.dealer)
        record = hand.run()
        self.score(table, record["points"], hand.charged)
        return record

    def score(self, table: Table, points: Sequence[int], charged: Sequence[int]) -> None:
        """Add a hand's points, reset scores at the limit, and eliminate those over it (K21).

        Parameters
        ----------
        table : Table
            Who is told.
        points, charged : sequence of int
            The points for cards and for penalties, by seat.
        """
        limit = self.options["limit"]
        leaving = []
        for seat in self.seats:
            self.scores[seat] += points[seat] + charged[seat]
            score, outcome = self.scores[seat], layout.STAYS
            if score > limit:
                leaving.append(seat)
                outcome = layout.LEAVES
            elif score == limit and self.options["exact_reset"]:
                self.scores[seat] = 0
                self.resets += 1
                outcome = layout.RESETS
            table.tell("K21", layout.SCORE, seat, points[seat], charged[seat], score, outcome)
        self.seats = [seat for seat in self.seats if seat not in leaving]
        self.rank(leaving, len(self.seats) + 1)

    def rank(self, seats: Sequence[int], best: int) -> None:
        """Give seats their places from ``best`` on, the lowest score first; equal scores share (K22)."""
        for seat in seats:
            lower = sum(self.scores[other] < self.scores[seat] for other in seats)
            equal = sum(self.scores[other] == self.scores[seat] for other in seats)
            self.twice_places[seat] = 2 * (best + lower) + equal - 1

    def pass_the_deal(self) -> None:
        """Find the next dealer: the highest score, and of equal ones the first from the left (K23)."""
        players: int = self.options["players"]
        clockwise = [(self.dealer + step) % players for step in range(1, players + 1)]
        # max returns the first of those that tie.
        self.dealer = max((seat for seat in clockwise if seat in self.seats), key=self.scores.__getitem__)


def run_hand(options: Options, table: Table) -> Record:
    """Play one hand of all players at a table, dealt by the last seat, and return its record."""
    return Standing(options).play(table)


def run_game(options: Options, table: Table) -> tuple[list[Record], Record]:
    """Play one game at a table (K22, K25), and return its hands' records and its own.

    Parameters
    ----------
    options : mapping
        Every option.
    table : Table
        Where cards, choices and accidents come from.
    """
    standing = Standing(options)
    records: list[Record] = []
    while len(standing.seats) > 1 and len(records) < options["max_hands"]:
        if records:
            standing.pass_the_deal()
        records.append(standing.play(table, len(records)))
    cut = len(standing.seats) > 1
    standing.rank(standing.seats, 1)

    places = standing.twice_places
    winning = [seat for seat, place in enumerate(places) if place == min(places)]
    mask = sum(1 << seat for seat in winning)
    rule = "K25" if cut else "K22"
    for seat, place in enumerate(places):
        table.tell(rule, layout.PLACE, seat, place)
    table.tell(rule, layout.GAME_END, winning[0] if len(winning) == 1 else -1, len(records), mask)
    game = {
        "winners": mask,
        "hands": len(records),
        "resets": standing.resets,
        "cut": int(cut),
        "places_are": 2,
        "place": list(places),
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
        self.stock: list[str] = []
        """The stock, its top last."""

    def shuffle(self, cards: list[str]) -> None:
        self.rng.shuffle(cards)
        self.stock = cards

    def stock_size(self) -> int:
        return len(self.stock)

    def draw(self, rule: str, code: int, seat: int, *fields: int) -> str:
        return self.stock.pop()

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        return choices[int(self.rng.random() * len(choices))]

    def happens(self, rate: float, *signs: tuple[int, ...]) -> bool:
        return rate > 0 and self.rng.random() < rate

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        pass


def play_hand(rng: random.Random, options: Options) -> Record:
    """Play one hand with the ``random`` policy; the last seat deals.

    Parameters
    ----------
    rng : random.Random
        Where the chances come from.
    options : mapping
        Every option, as :func:`resolve` returns them.

    Returns
    -------
    dict
        The metrics of ``layout.HAND_COLUMNS`` by name, without ``policy_winners``. ``plays`` counts
        by rank's name (only what occurred); ``cards_left`` and ``points`` are lists by seat; the rest
        are whole numbers.
    """
    return run_hand(options, RandomTable(rng))


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
        The metrics of ``layout.GAME_COLUMNS`` by name, without ``policy_winners``; ``place`` is a list
        of twice the place of each seat.
    """
    return run_game(options, RandomTable(rng))


# Second use: checking


# The name of each event and of its fields after the seat.
EVENTS = {
    layout.HAND: ("HAND", "number", "players", "mask of seats", "cards in the pack"),
    layout.DEAL: ("DEAL", "card"),
    layout.TURN_UP: ("TURN_UP", "card"),
    layout.TURN: ("TURN", "turn", "attack", "card", "call", "cards held"),
    layout.DECISION: ("DECISION", "decision", "choices"),
    layout.PUT: ("PUT", "card", "number in the put", "from a draw"),
    layout.ALONE: ("ALONE",),
    layout.STOP: ("STOP",),
    layout.CALL: ("CALL", "call"),
    layout.CHOOSE_DRAW: ("CHOOSE_DRAW",),
    layout.PASS: ("PASS",),
    layout.TAKE: ("TAKE", "cards"),
    layout.KEEP: ("KEEP",),
    layout.DRAW: ("DRAW", "card", "why"),
    layout.NOTHING_TO_DRAW: ("NOTHING_TO_DRAW",),
    layout.RESHUFFLE: ("RESHUFFLE", "cards"),
    layout.PENALTY: ("PENALTY", "points", "why"),
    layout.KAPAGA: ("KAPAGA", "outcome"),
    layout.PASS_HANDS: ("PASS_HANDS", "left", "right"),
    layout.SKIPPED: ("SKIPPED", "sevens", "next seat"),
    layout.ATTACKED: ("ATTACKED", "cards", "attacked seat", "only the two of spades"),
    layout.HAND_END: ("HAND_END", "reason", "turns"),
    layout.SCORE: ("SCORE", "points", "penalty points", "score", "outcome"),
    layout.PLACE: ("PLACE", "twice the place"),
    layout.GAME_END: ("GAME_END", "hands", "mask of winners"),
}
SPOKEN_CHOICES = {
    layout.CHOOSE_DRAW: DRAW,
    layout.PASS: PASS,
    layout.KEEP: KEEP,
    layout.ALONE: ALONE,
    layout.STOP: STOP,
    layout.TAKE: TAKE,
}


class TraceTable(Trace, Table):
    """A table that follows a trace: its cards, choices, accidents, and nothing that no rule made.

    Of the stock it knows which cards are in it.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace, in rows of ``EVENT_FIELDS``.
    """

    event_names = EVENTS
    number_names = {"card": KIND_NAMES, "call": CALL_NAMES}

    def __init__(self, events: Iterable[Sequence[int]]) -> None:
        super().__init__(events)
        self.stock: Counter[str] = Counter()
        self.left = 0

    def shuffle(self, cards: list[str]) -> None:
        self.stock = Counter(cards)
        self.left = len(cards)

    def stock_size(self) -> int:
        return self.left

    def draw(self, rule: str, code: int, seat: int, *fields: int) -> str:
        card = self.read_name(rule, code, seat)
        self.take(rule, card, seat, self.stock, "stock")
        self.left -= 1
        self.tell(rule, code, seat, KIND_NUMBERS[card], *fields)
        return card

    def choose(self, rule: str, decision: int, seat: int, choices: Sequence[str]) -> str:
        self.tell(rule, layout.DECISION, seat, decision, len(choices), choices=choices)
        event = self.look(rule, (layout.PUT, seat))
        choice = self.choice_of(event)
        if choice not in choices:
            self.refuse_choice(rule, event, choices)
        return choice

    def choice_of(self, event: Event) -> str:
        """Return the choice that an event carries out; if it is none, the event in words."""
        field = {layout.PUT: "card", layout.CALL: "call"}.get(event[0])
        word = self.name_of(field, event[2]) if field else SPOKEN_CHOICES.get(event[0])
        return word or self.describe(event)

    def happens(self, rate: float, *signs: tuple[int, ...]) -> bool:
        if rate in (0, 1):
            return rate == 1
        event = self.events[self.index] if self.index < len(self.events) else ()
        return any(event[: len(sign)] == sign for sign in signs)


def check_hand(events: Iterable[Sequence[int]], options: Options) -> Record:
    """Check a trace of one hand against the rules, and return what the hand must record.

    Parameters
    ----------
    events : iterable of sequence of int
        The hand's trace, from its HAND to its last SCORE; the last seat deals.
    options : mapping
        Every option, as :func:`resolve` returns them.

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
    record = run_hand(options, table)
    table.close("K21")
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
        If false, the trace is that of a single hand dealt by the last seat, without PLACE and GAME_END.

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
    hands, game = run_game(options, table)
    table.close("K25" if game["cut"] else "K22")
    return hands, game

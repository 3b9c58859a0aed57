"""The referee of Cap Zap: its rules in plain Python, to play by and to check a kernel's trace by.

Written from ``rules/cap-zap.md`` alone (rule ids Z1 to Z14), never from a kernel. There is one copy of
the rules, :class:`Round` and :func:`run_game`. They know nothing of where cards and choices come from: for
that they ask a :class:`Table`.

- :class:`RandomTable` shuffles and chooses by itself: :func:`play_hand`, :func:`play_game`.
- :class:`TraceTable` reads cards and choices from a trace. Everything else that the rules make
  happen is compared with the trace, event by event: :func:`check_hand`, :func:`check_game`.

A card is its letter ("C"), and so is a choice (Z1). What the library calls a hand is a round here. A side
is a team, or a player where each is for themselves.
"""

import random
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kernels.cap_zap import layout
from kernels.cap_zap.layout import KIND_NAMES
from tests.referees.trace import EVENT_FIELDS, Event, Trace

Options = Mapping[str, Any]
Record = dict[str, Any]

ALPHABET = string.ascii_uppercase

KIND_NUMBERS = {name: number for number, name in enumerate(KIND_NAMES)}
"""The number by which a trace calls each letter."""


# Options

# Z1
CAPITALS = (
    "Albany, Annapolis, Atlanta, Augusta, Austin, Baton Rouge, Bismarck, Boise, Boston, Carson City, "
    "Charleston, Cheyenne, Columbia, Columbus, Concord, Denver, Des Moines, Dover, Frankfort, Harrisburg, "
    "Hartford, Helena, Honolulu, Indianapolis, Jackson, Jefferson City, Juneau, Lansing, Lincoln, Little "
    "Rock, Madison, Montgomery, Montpelier, Nashville, Oklahoma City, Olympia, Phoenix, Pierre, "
    "Providence, Raleigh, Richmond, Sacramento, Saint Paul, Salem, Salt Lake City, Santa Fe, Springfield, "
    "Tallahassee, Topeka, Trenton"
)
DECK = dict(Counter(capital[0] for capital in CAPITALS.split(", ")))

# Z13: how many players each number of teams is for.
PLAYERS_OF_TEAMS = {0: (2, 3, 4, 5, 6), 2: (4, 6), 3: (6,)}


def resolve(**changes: Any) -> dict[str, Any]:
    """Return all options, with the defaults of the rules page where nothing is given.

    Parameters
    ----------
    **changes
        Options that differ. ``deck`` is a mapping from letters to how many cards have them.

    Returns
    -------
    dict
        Every option.

    Raises
    ------
    ValueError
        If an option or a letter is unknown (Z1), the cards cannot be dealt (Z3), or the teams do not fit
        the players (Z13).
    """
    options = {
        "players": 2,
        "teams": 0,
        "hand_size": 8,
        "reach": 1,
        "wrap": False,
        "win_points": 10,
        "tie_points": 5,
        "bonus_tricks": 6,
        "bonus_points": 10,
        "sweep_points": 20,
        "bonus_stacks": False,
        "target": 50,
        "shared_win": False,
        "max_rounds": 500,
        "deck": DECK,
    }
    unknown = [name for name in changes if name not in options]
    if unknown:
        raise ValueError(f"unknown options: {', '.join(unknown)}")
    options |= changes
    players, teams, hand_size, deck = (options[name] for name in ("players", "teams", "hand_size", "deck"))
    strange = [letter for letter, many in deck.items() if letter not in KIND_NUMBERS or many < 0]
    if strange:
        raise ValueError(f"Z1: no cards can have these letters: {', '.join(map(str, strange))}")
    if hand_size < 1 or players * hand_size > sum(deck.values()):
        raise ValueError(f"Z3: {players} players cannot be dealt {hand_size} of {sum(deck.values())} cards")
    if players not in PLAYERS_OF_TEAMS.get(teams, ()):
        raise ValueError(f"Z13: {players} players cannot play in {teams} teams")
    return options


# Rules without a state


def zaps(options: Options, letter: str, held: str) -> bool:
    """Say whether a card zaps one with the other letter (Z2)."""
    apart = abs(ALPHABET.index(letter) - ALPHABET.index(held))
    if options["wrap"]:
        apart = min(apart, len(ALPHABET) - apart)
    return apart <= options["reach"]


def count_sides(options: Options) -> int:
    """Return the number of sides: seat ``i`` is in side ``i`` modulo this (Z13)."""
    return options["teams"] or options["players"]


class Score(NamedTuple):
    """What a round is worth (Z8, Z9).

    Attributes
    ----------
    points : list of int
        The points of each side.
    best : list of int
        The sides that have the most tricks.
    bonus, sweep : bool
        Whether the best side, alone, earned a bonus, and whether it made a sweep.
    """

    points: list[int]
    best: list[int]
    bonus: bool
    sweep: bool


def best_sides(numbers: Sequence[int]) -> list[int]:
    """Return the sides whose number is highest."""
    return [side for side, number in enumerate(numbers) if number == max(numbers)]


def score_round(options: Options, tricks: Sequence[int]) -> Score:
    """Return what a round is worth in which each side won so many tricks (Z8, Z9)."""
    best = best_sides(tricks)
    points = [0] * len(tricks)
    if len(best) > 1:
        for side in best:
            points[side] = options["tie_points"]
        return Score(points, best, False, False)
    most = max(tricks)
    sweep = most == sum(tricks)
    bonus = most >= options["bonus_tricks"] and (options["bonus_stacks"] or not sweep)
    points[best[0]] = (
        options["win_points"] + options["bonus_points"] * bonus + options["sweep_points"] * sweep
    )
    return Score(points, best, bonus, sweep)


def winning_sides(options: Options, points: Sequence[int], rounds: int) -> tuple[list[int], bool]:
    """Say who has won a game after so many rounds (Z11, Z14).

    Parameters
    ----------
    options : mapping
        Every option.
    points : sequence of int
        The points of each side.
    rounds : int
        How many rounds have been played, this one included.

    Returns
    -------
    sides : list of int
        The sides that share the win; none while the game goes on.
    truncated : bool
        Whether the game ends because of ``max_rounds``.
    """
    best = best_sides(points)
    if max(points) >= options["target"] and (len(best) == 1 or options["shared_win"]):
        return best, False
    if rounds == options["max_rounds"]:
        return best, True
    return [], False


def mask_of(sides: Iterable[int]) -> int:
    """Return sides as the bits of a number."""
    return sum(1 << side for side in sides)


# A round


class Table:
    """What a round needs from outside: cards, somebody who chooses, and an audience.

    Every method but ``shuffle`` may write or check events. ``rule`` is the id of the rule that makes the
    event happen; codes and fields are those of ``kernels.cap_zap.layout``.
    """

    def shuffle(self, cards: list[str]) -> None:
        """Put these cards in an unknown order, ready to be dealt."""
        raise NotImplementedError

    def deal(self, seat: int) -> str:
        """Take the next card for a seat (Z3)."""
        raise NotImplementedError

    def choose(self, seat: int, choices: Sequence[str]) -> str:
        """Return one of the letters that a seat can play (Z5)."""
        raise NotImplementedError

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        """Say that something happened which left nothing to choose."""
        raise NotImplementedError


class Round:
    """One round of Cap Zap: where it stands, and the rules that move it on.

    Parameters
    ----------
    options : mapping
        Every option, as :func:`resolve` returns them.
    table : Table
        Where cards and choices come from.
    dealer : int
        The seat that deals, and so leads first.

    Attributes
    ----------
    cards : list of list of str
        The letters that each seat holds.
    leader : int
        The seat that leads the next trick.
    played : list of str
        The letters played to the trick under way, or to the last one.
    held_by : int
        The position, from 0, of the card that holds that trick.
    zaps : int
        How often the holder has changed in that trick.
    tricks : list of int
        Tricks won by each seat.
    done : int
        Tricks played in all.
    record : dict
        What the round must record. Only complete once :meth:`run` has returned.
    """

    def __init__(self, options: Options, table: Table, dealer: int = 0) -> None:
        self.options = options
        self.table = table
        self.players: int = options["players"]
        self.sides = count_sides(options)
        self.dealer = dealer
        self.cards: list[list[str]] = [[] for _ in range(self.players)]
        self.leader = dealer
        self.played: list[str] = []
        self.held_by = 0
        self.zaps = 0
        self.tricks = [0] * self.players
        self.done = 0
        self.record: Record = {
            "starter": dealer,
            "won_by_leader": 0,
            "won_by_last": 0,
            "decisions": 0,
            "choices": 0,
            "forced": 0,
            "tricks_with_zaps": Counter(),
            "won_at_position": Counter(),
            "zaps": Counter(),
            "plays": Counter(),
            "leads": Counter(),
            "held": Counter(),
        }

    def run(self, points: Sequence[int]) -> tuple[Record, list[int]]:
        """Play the round from the deal to its end.

        Parameters
        ----------
        points : sequence of int
            The points of each side in the game before this round.

        Returns
        -------
        record : dict
            The round's record.
        points : list of int
            The points of each side after it.
        """
        self.deal()
        while self.done < self.options["hand_size"]:
            self.play_trick()
        return self.finish(points)

    # Z3

    def deal(self) -> None:
        """Shuffle the whole deck, and deal a card each in turn from the dealer on."""
        self.table.shuffle([letter for letter, many in self.options["deck"].items() for _ in range(many)])
        for _ in range(self.options["hand_size"]):
            for place in range(self.players):
                seat = self.seat_at(place)
                self.cards[seat].append(self.table.deal(seat))

    # A trick

    def seat_at(self, position: int) -> int:
        """Return who is so many seats to the left of the leader (Z4)."""
        return (self.leader + position) % self.players

    def side_of(self, seat: int) -> int:
        """Return the side of a seat (Z13)."""
        return seat % self.sides

    def side_tricks(self, side: int) -> int:
        """Return the tricks that a side has won so far (Z10)."""
        return sum(self.tricks[seat] for seat in range(self.players) if self.side_of(seat) == side)

    def play_trick(self) -> None:
        """Play a trick, and see who has won it."""
        self.table.tell("Z4", layout.TRICK, self.leader, self.done + 1)
        self.played.clear()
        self.held_by = self.zaps = 0
        for position in range(self.players):
            seat = self.seat_at(position)
            self.play_card(seat, self.choose(seat))
        self.end_trick()

    def choose(self, seat: int) -> str:
        """Count the one decision of a seat in a trick, and have it made (Z5)."""
        choices = sorted(set(self.cards[seat]))
        self.record["decisions"] += 1
        self.record["choices"] += len(choices)
        self.record["forced"] += len(choices) == 1
        return self.table.choose(seat, choices)

    def play_card(self, seat: int, letter: str) -> None:
        """Put down a card, which may zap the holder of the trick (Z6)."""
        cards, record = self.cards[seat], self.record
        cards.remove(letter)
        position = len(self.played)
        self.played.append(letter)
        record["plays"][letter] += 1
        self.table.tell("Z4", layout.PLAY, seat, KIND_NUMBERS[letter], position + 1, len(cards))
        if position == 0:
            record["leads"][letter] += 1
            return
        holder = self.played[self.held_by]
        if zaps(self.options, letter, holder):
            zapped = self.seat_at(self.held_by)
            self.held_by = position
            self.zaps += 1
            self.table.tell(
                "Z7" if self.side_of(seat) == self.side_of(zapped) else "Z2",
                layout.ZAP,
                seat,
                KIND_NUMBERS[letter],
                KIND_NUMBERS[holder],
                zapped,
                self.zaps,
            )

    def end_trick(self) -> None:
        """Give the trick to the player of its holder, who leads next (Z4, Z6)."""
        record = self.record
        winner, letter = self.seat_at(self.held_by), self.played[self.held_by]
        self.tricks[winner] += 1
        self.done += 1
        record["won_by_leader"] += self.held_by == 0
        record["won_by_last"] += self.held_by == self.players - 1
        record["won_at_position"][self.held_by + 1] += 1
        record["tricks_with_zaps"][self.zaps] += 1
        record["zaps"][self.done] += self.zaps
        record["held"][letter] += 1
        self.table.tell(
            "Z6",
            layout.TRICK_END,
            winner,
            KIND_NUMBERS[letter],
            self.held_by + 1,
            self.zaps,
            self.tricks[winner],
            self.side_tricks(self.side_of(winner)),
        )
        self.leader = winner

    # The end

    def finish(self, points: Sequence[int]) -> tuple[Record, list[int]]:
        """Score the round, and return its completed record and the points after it (Z8 to Z10)."""
        record = self.record
        tricks = [self.side_tricks(side) for side in range(self.sides)]
        score = score_round(self.options, tricks)
        total = [before + gained for before, gained in zip(points, score.points, strict=True)]
        winner = score.best[0] if len(score.best) == 1 else -1
        for side in range(self.sides):
            rule = "Z9" if side == winner and (score.bonus or score.sweep) else "Z8"
            self.table.tell(rule, layout.SCORE, side, tricks[side], score.points[side], total[side])
        self.table.tell(
            "Z8",
            layout.ROUND_END,
            winner,
            len(score.best),
            max(tricks),
            int(score.bonus),
            int(score.sweep),
        )
        record["winner"] = winner
        record["winners"] = mask_of(score.best)
        record["sweeps"] = int(score.sweep)
        record["bonuses"] = int(score.bonus)
        record["tied"] = int(winner < 0)
        record["tied_by"] = Counter({len(score.best): 1} if winner < 0 else {})
        record["tricks"] = by_label(seat=self.tricks, side=tricks)
        record["points"] = by_label(side=score.points)
        return record, total


def by_label(**numbers: Iterable[int]) -> Counter[str]:
    """Return the numbers of seats, of sides, or of both, under their labels: ``seat0``, ``seat1``, ..."""
    return Counter({f"{word}{which}": n for word, given in numbers.items() for which, n in enumerate(given)})


# A game


def run_round(
    options: Options, table: Table, dealer: int, number: int, points: Sequence[int]
) -> tuple[Record, list[int]]:
    """Play one round at a table.

    Parameters
    ----------
    options : mapping
        Every option.
    table : Table
        Where cards and choices come from.
    dealer : int
        The seat that deals.
    number : int
        The round's number in its game, from 0.
    points : sequence of int
        The points of each side before it.

    Returns
    -------
    record : dict
        The round's record.
    points : list of int
        The points of each side after it.
    """
    deck, tricks = sum(options["deck"].values()), options["hand_size"]
    table.tell("Z11" if number else "Z3", layout.ROUND, dealer, number, deck, tricks)
    return Round(options, table, dealer).run(points)


def run_game(options: Options, table: Table) -> tuple[list[Record], Record]:
    """Play one game at a table (Z11, Z12, Z14), and return its rounds' records and its own.

    Parameters
    ----------
    options : mapping
        Every option.
    table : Table
        Where cards and choices come from.
    """
    records: list[Record] = []
    points = [0] * count_sides(options)
    winners: list[int] = []
    truncated = False
    while not winners:
        number = len(records)
        record, points = run_round(options, table, number % options["players"], number, points)
        records.append(record)
        winners, truncated = winning_sides(options, points, len(records))
    table.tell(
        "Z14" if truncated else "Z11",
        layout.GAME_END,
        winners[0] if len(winners) == 1 else -1,
        mask_of(winners),
        len(records),
        int(truncated),
    )
    game = {
        "winners": mask_of(winners),
        "hands": len(records),
        "rounds": len(records),
        "truncated": int(truncated),
        "points": by_label(side=points),
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
        """The cards not dealt, the next one last."""

    def shuffle(self, cards: list[str]) -> None:
        self.rng.shuffle(cards)
        self.pile = cards

    def deal(self, seat: int) -> str:
        return self.pile.pop()

    def choose(self, seat: int, choices: Sequence[str]) -> str:
        return self.rng.choice(choices)

    def tell(self, rule: str, code: int, seat: int, *fields: int) -> None:
        pass


def play_hand(rng: random.Random, options: Options, dealer: int = 0) -> Record:
    """Play one round with the ``random`` policy.

    Parameters
    ----------
    rng : random.Random
        Where the chances come from.
    options : mapping
        Every option, as :func:`resolve` returns them.
    dealer : int
        The seat that deals and leads first.

    Returns
    -------
    dict
        The metrics of ``layout.HAND_COLUMNS`` by name, without ``policy_winners``. Metrics of several
        parts are a ``Counter`` each, by the label that the part has in the names of statistics; a part
        that is not there is 0. ``tricks``: "seat0", ..., "side0", ...; ``points``: "side0", ...;
        ``plays``, ``leads``, ``held``: the letter; ``zaps``: the trick, a number from 1;
        ``won_at_position``: the position, from 1; ``tricks_with_zaps``: how many zaps; ``tied_by``: how
        many sides. The rest are whole numbers.
    """
    return run_round(options, RandomTable(rng), dealer, 0, [0] * count_sides(options))[0]


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
        What :func:`play_hand` returns, for each round.
    game : dict
        The metrics of ``layout.GAME_COLUMNS`` by name, without ``policy_winners``; ``points`` as in a round.
    """
    return run_game(options, RandomTable(rng))


# Second use: checking


# The name of each event and of its fields after the seat or the side.
EVENTS = {
    layout.ROUND: ("ROUND", "number", "cards in the deck", "tricks"),
    layout.DEAL: ("DEAL", "letter"),
    layout.TRICK: ("TRICK", "trick"),
    layout.DECISION: ("DECISION", "decision", "choices"),
    layout.PLAY: ("PLAY", "letter", "position", "cards left"),
    layout.ZAP: ("ZAP", "letter", "letter zapped", "seat zapped", "zaps"),
    layout.TRICK_END: ("TRICK_END", "letter", "position", "zaps", "tricks", "tricks of its side"),
    layout.SCORE: ("SCORE", "tricks", "points", "points so far"),
    layout.ROUND_END: ("ROUND_END", "sides with the most", "most tricks", "bonus", "sweep"),
    layout.GAME_END: ("GAME_END", "mask of winners", "rounds", "truncated"),
}

EVENTS_OF_SIDES = (layout.SCORE, layout.ROUND_END, layout.GAME_END)

# Fields that are a matter of another rule than the event itself, which comes about by the rule told.
FIELD_RULES = {
    layout.ROUND: {1: "Z12", 3: "Z1", 4: "Z3"},
    layout.DECISION: {1: "Z4"},
    layout.ZAP: dict.fromkeys(range(1, 6), "Z6"),
    layout.TRICK_END: {6: "Z10"},
    layout.SCORE: {2: "Z10", 4: "Z11"},
    layout.ROUND_END: {4: "Z9", 5: "Z9"},
    layout.GAME_END: {4: "Z14"},
}


class TraceTable(Trace, Table):
    """A table that follows a trace: its cards, its choices, and nothing that the rules did not make.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace, in rows of ``EVENT_FIELDS``.
    """

    event_names = EVENTS
    number_names = {"letter": KIND_NAMES}
    events_of_sides = EVENTS_OF_SIDES

    def __init__(self, events: Iterable[Sequence[int]]) -> None:
        super().__init__(events)
        self.undealt: Counter[str] = Counter()

    def shuffle(self, cards: list[str]) -> None:
        self.undealt = Counter(cards)

    def deal(self, seat: int) -> str:
        letter = self.read_name("Z3", layout.DEAL, seat, "Z1")
        if not self.undealt[letter]:
            self.refuse("Z1", f"the deck has no further {letter} that seat {seat} could get")
        self.undealt[letter] -= 1
        self.tell("Z3", layout.DEAL, seat, KIND_NUMBERS[letter])
        return letter

    def choose(self, seat: int, choices: Sequence[str]) -> str:
        self.tell("Z5", layout.DECISION, seat, layout.DECIDE_LETTER, len(choices), choices=choices)
        letter = self.read_name("Z4", layout.PLAY, seat, "Z1")
        if letter not in choices:
            self.refuse("Z5", f"seat {seat} played {letter}, but holds only {', '.join(choices)}")
        return letter

    def rule_broken(self, rule: str, expected: Event, found: Event) -> str:
        if found[0] == expected[0]:
            wrong = next(field for field in range(EVENT_FIELDS) if found[field] != expected[field])
            return FIELD_RULES.get(found[0], {}).get(wrong, rule)
        # A zap too many is one of a card that is not the holder, or out of reach.
        return "Z6" if found[0] == layout.ZAP else rule


def check_hand(events: Iterable[Sequence[int]], options: Options, dealer: int = 0) -> Record:
    """Check a trace of one round against the rules, and return what the round must record.

    Parameters
    ----------
    events : iterable of sequence of int
        The trace of a single round, from its ROUND (number 0) to its ROUND_END.
    options : mapping
        Every option, as :func:`resolve` returns them.
    dealer : int
        The seat that has to deal and lead first.

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
    record, _ = run_round(options, table, dealer, 0, [0] * count_sides(options))
    table.close("Z11")
    return record


def check_game(
    events: Iterable[Sequence[int]], options: Options, by_game: bool
) -> tuple[list[Record], Record | None]:
    """Check a trace of one game against the rules, and return what it must record.

    Parameters
    ----------
    events : iterable of sequence of int
        The game's trace, from its first ROUND to its GAME_END.
    options : mapping
        Every option, as :func:`resolve` returns them.
    by_game : bool
        If false, the trace is that of a single round which seat 0 deals, without GAME_END.

    Returns
    -------
    hands : list of dict
        The record of each round, as :func:`play_hand` returns it.
    game : dict or None
        The record of the game, as :func:`play_game` returns it; ``None`` for a single round.

    Raises
    ------
    RefereeError
        If an event breaks a rule.
    """
    if not by_game:
        return [check_hand(events, options)], None
    table = TraceTable(events)
    hands, game = run_game(options, table)
    table.close("Z14" if game["truncated"] else "Z11")
    return hands, game

"""Positions of contract rummy for tests: hands and melds made by hand, and hands played from a given deck."""

import functools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastsim import catalog
from fastsim.rummy import RummyGame
from kernels.blocks import as_table, new_block
from kernels.rummy import cards, contract, melds
from kernels.rummy import layout as at
from kernels.rummy.layout import KIND_NAMES
from kernels.trace import events_of, new_trace

NUMBERS = {name: number for number, name in enumerate(KIND_NAMES) if name}
ZERO = np.uint64(0)


def game_of(name: str) -> RummyGame:
    """Return one of the two games."""
    game = catalog.find(name)
    assert isinstance(game, RummyGame)
    return game


def setup(game: str, **options: Any) -> tuple[Any, Any]:
    """Return rules and tables of a game as its kernel takes them."""
    return _setup(game, json.dumps(options))


@functools.cache
def _setup(game: str, options: str) -> tuple[Any, Any]:
    played = game_of(game)
    rules, tables, _ = played.setup(played.options.parse(json.loads(options)), [], False)
    return rules, tables


def kinds(text: str) -> list[int]:
    """Return the kinds of cards given by name."""
    return [NUMBERS[name] for name in text.split()]


def names(numbers: Sequence[int]) -> str:
    """Return the names of kinds."""
    return " ".join(KIND_NAMES[int(number)] for number in numbers)


def hold(scratch: Any, text: str, seat: int = 0) -> None:
    """Put cards into an empty hand."""
    scratch.hands[64 * seat : 64 * seat + 64] = 0
    for kind in kinds(text):
        cards.add(scratch.hands, np.uint64(seat), np.uint64(kind))


def held(hands: np.ndarray, seat: int = 0) -> Counter[str]:
    """Return what a seat holds, read from the masks of copies."""
    base = 64 * seat
    found = Counter({"Joker": int(hands[base + 8])} if hands[base + 8] else {})
    for name, kind in NUMBERS.items():
        if name != "Joker":
            copies = sum(int(hands[base + k]) >> kind & 1 for k in range(8))
            if copies:
                found[name] = copies
    return found


def put_meld(
    scratch: Any, number: int, text: str, low: int = 0, owner: int = 0, game: str = "cap-it"
) -> None:
    """Lay a meld on the table, cards in order; `low` is the lowest place of a run, 0 for a set.

    A card in the place of another, or any 2 or Joker in a set, is wild.
    """
    base = 32 * number
    rules, _ = setup(game)
    numbers = kinds(text)
    natural = next(kind for kind in numbers if kind & 15 > 2)
    suit = natural >> 4 << 4 if low else 0
    fields = [0] * 32
    for position, kind in enumerate(numbers):
        place = low + position
        wild = kind != suit + place if low else kind & 15 <= 2
        if wild:
            fields[5] += 1
            if low:
                fields[8] |= 1 << (suit + place)
                fields[16 + place] = kind
    high = low + len(numbers) - 1 if low else natural & 15
    fields[:5] = [at.RUN if low else at.SET, suit, low or natural & 15, high, len(numbers)]
    fields[6] = owner
    if not low:
        fields[7] = 0x0001000100010001 << (natural & 15)
    else:
        fields[7] = 1 << (suit + high + 1) if high < at.ACE else 0
        fields[7] |= 1 << (suit + low - 1) if low > rules.lowest_place else 0
    scratch.melds[base : base + 32] = np.array(fields, dtype=np.uint64)


def melds_of(events: Sequence[Sequence[int]]) -> list[tuple[str, str]]:
    """Return the new melds that events tell of: their cards, and which of them were laid as wilds."""
    found: list[tuple[list[int], list[int]]] = []
    for code, _, *fields in events:
        if code == at.NEW_MELD:
            found.append(([], []))
        elif code == at.PLACE:
            found[-1][0].append(fields[1])
            if fields[3]:
                found[-1][1].append(fields[1])
    return [(names(all_cards), names(wild)) for all_cards, wild in found]


def go_down(
    game: str, hand: str, items: Sequence[str], limit: int = 0, **options: Any
) -> list[tuple[str, str]] | None:
    """Return the contract as a hand lays it, or None if it cannot; with a limit, how many cards it lacks."""
    rules, tables = setup(game, contracts=[list(items)], **options)
    scratch = game_of(game).new_scratch()
    hold(scratch, hand)
    before = held(scratch.hands)
    low = np.uint64(rules.lowest_place)
    worth = contract.find_way(
        scratch.hands, ZERO, ZERO, tables.contracts, tables.best, tables.points, low, np.uint64(limit),
        scratch.search, scratch.way,
    )  # fmt: skip
    if limit:
        return [(str(int(worth) >> 56), "")]
    assert held(scratch.hands) == before
    if worth == contract.NO_WAY:
        return None
    trace = new_trace(100)
    laid = melds.lay_contract(
        scratch.hands, ZERO, scratch.melds, ZERO, ZERO, tables.contracts, low, scratch.way, scratch.search,
        trace,
    )  # fmt: skip
    assert laid == len(items)
    found = melds_of(events_of(trace).tolist())
    laid_cards = Counter(name for text, _ in found for name in text.split())
    assert held(scratch.hands) == before - laid_cards
    assert before >= laid_cards
    return found


def meld(
    game: str, hand: str, table: Sequence[tuple[str, int] | tuple[str, int, int]] = (), **options: Any
) -> tuple[list[str], str]:
    """Let the melder lay cards of a hand; return what it does, in words, and the cards left."""
    rules, tables = setup(game, **options)
    scratch = game_of(game).new_scratch()
    hold(scratch, hand)
    for number, each in enumerate(table):
        put_meld(scratch, number, each[0], each[1], each[2] if len(each) > 2 else 0, game)  # type: ignore[misc]
    trace = new_trace(200)
    melds.meld_cards(
        scratch.hands, ZERO, scratch.melds, np.uint64(len(table)), np.uint64(rules.keep),
        rules.layoff == 1, rules.layoff > 0, bool(rules.swap_same_meld), np.uint64(rules.min_run),
        np.uint64(rules.lowest_place), tables.most_wilds, trace,
    )  # fmt: skip
    done: list[str] = []
    for code, _, *fields in events_of(trace).tolist():
        if code == at.NEW_MELD:
            done.append("lay")
        elif code == at.PLACE:
            done[-1] += f" {KIND_NAMES[fields[1]]}"
        elif code == at.LAY_OFF:
            place = f" at {fields[2]}" if fields[3] and table[fields[0]][1] else ""
            done.append(f"{KIND_NAMES[fields[1]]} on {fields[0]}{place}")
        elif code == at.SWAP:
            done.append(f"{KIND_NAMES[fields[1]]} for {KIND_NAMES[fields[3]]} in {fields[0]}")
    left = sorted(held(scratch.hands).elements(), key=lambda name: NUMBERS[name] or 64)
    assert sum(held(scratch.hands).values()) == scratch.hands[10]
    return done, " ".join(left)


class Played:
    """A hand or game played from a deck in a given order: its events, rows of hands, and of games."""

    def __init__(
        self, game: RummyGame, events: list[list[int]], hands: np.ndarray, games: np.ndarray
    ) -> None:
        self.events = events
        self.hand = self._by_name(game.layout.HAND_COLUMNS, hands[:, 0])
        self.game = self._by_name(game.layout.GAME_COLUMNS, games[:, 0])

    @staticmethod
    def _by_name(columns: Any, values: np.ndarray) -> dict[str, Any]:
        return {
            c.metric if c.key < 0 else f"{c.metric}.{c.key}": int(value)
            for c, value in zip(columns, values, strict=True)
        }

    def told(self, *codes: int) -> list[tuple[int, ...]]:
        """Return the events of these codes."""
        return [tuple(event) for event in self.events if event[0] in codes]

    def seats(self, code: int) -> list[int]:
        """Return the seats of the events of a code."""
        return [event[1] for event in self.events if event[0] == code]

    def drawn(self, code: int) -> list[tuple[int, str]]:
        """Return seats and cards of the events of a code whose first field is a kind."""
        return [(event[1], KIND_NAMES[event[2]]) for event in self.events if event[0] == code]


def play(
    game: str,
    hands: Sequence[str] = (),
    stock: str = "",
    policies: Sequence[Mapping[str, float] | None] = (None,),
    by_game: bool = False,
    seed: int = 0,
    number: int = 0,
    **options: Any,
) -> Played:
    """Play a hand (or a game) whose cards come in a given order, or shuffled if no hands are given.

    `stock` begins with the card that is turned up. Policies are weights, or None for ``random``.
    """
    from fastsim.policy import Policy

    played = game_of(game)
    given = [None if each is None else Policy("test", each) for each in policies]
    chosen = [Policy("random", None) if each is None else each for each in given]
    size = {"hand_size": len(hands[0].split()), "players": len(hands)} if hands else {}
    rules, tables, built = played.setup(played.options.parse({**size, **options}), chosen, False)
    if hands:
        dealt = [kind for cards in zip(*(kinds(hand) for hand in hands), strict=True) for kind in cards]
        rules = rules._replace(shuffle=0)
        tables = tables._replace(deck=np.array(dealt + kinds(stock), dtype=np.uint8))
    rows = new_block(at.HAND_WIDTH, 32)
    games = new_block(at.GAME_WIDTH, 1)
    trace = new_trace(20_000)
    _, count = played.kernel.play(
        np.uint64(seed), number, number + 1, by_game, rules, tables, built, played.new_scratch(), rows, games,
        trace,
    )  # fmt: skip
    return Played(
        played,
        events_of(trace).tolist(),
        as_table(rows, at.HAND_WIDTH, count),
        as_table(games, at.GAME_WIDTH, 1),
    )

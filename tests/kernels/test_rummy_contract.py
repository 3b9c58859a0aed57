"""The search for the best way to lay a contract (R8, R9), against trying every way by the rules."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest

from fastsim.rummy import RummyOptions
from kernels.rummy.layout import KIND_NAMES, RANK_NAMES, SUIT_LETTERS
from tests.conftest import COMPILED
from tests.kernels.rummy_positions import game_of, go_down

pytestmark = pytest.mark.kernel

Way = tuple[tuple[str, int], ...]
"""For each item the suit and highest place of a run, or no suit and the rank of a set."""

WILDS = ("2c", "2d", "2h", "2s", "Joker")
PACK = [name for name in KIND_NAMES if name and name != "Joker"] + ["Joker"] * 2

GAMES: list[tuple[str, list[str], dict[str, object]]] = [
    ("thirty-thirty", ["set 3", "set 3"], {}),
    ("thirty-thirty", ["set 4", "set 4"], {}),
    ("thirty-thirty", ["set 5", "set 5"], {}),
    ("thirty-thirty", ["set 6"], {"packs": 3}),
    ("thirty-thirty", ["set 3", "set 4", "run 4"], {"natural_twos": True}),
    ("thirty-thirty", ["run 4", "run 4"], {"wild_fraction": 0.7}),
    ("thirty-thirty", ["run 4", "run 4"], {"natural_twos": True}),
    ("cap-it", ["set 3", "run 4"], {}),
    ("cap-it", ["run 4", "set 3"], {"natural_twos": False}),
    ("cap-it", ["run 4", "run 4"], {}),
    ("cap-it", ["set 3", "set 3", "set 3"], {}),
    ("cap-it", ["run 3", "run 7"], {}),
    ("cap-it", ["run 3", "set 3", "run 3"], {"wild_rule": "half"}),
    ("cap-it", ["run 3", "run 3", "run 3"], {}),
]


def options_of(game: str, items: list[str], changes: dict[str, object]) -> RummyOptions:
    options = game_of(game).options.parse({"contracts": [items], **changes})
    assert isinstance(options, RummyOptions)
    return options


def wilds_allowed(cards: int, options: RummyOptions) -> int:
    """Return how many wilds R5 allows in a meld."""
    if options.wild_rule == "one_natural":
        return cards - 1
    return min(cards - 1, math.floor(Fraction(str(options.wild_fraction)) * cards))


def targets(form: str, length: int, options: RummyOptions) -> list[tuple[str, int]]:
    """Return what a way may name for an item, in the order of R9."""
    if form == "set":
        return [("", rank) for rank in range(14, 2, -1)]
    low = 2 if options.natural_twos else 3
    return [(suit, high) for suit in SUIT_LETTERS for high in range(14, low + length - 2, -1)]


def ways(hand: Counter[str], items: list[tuple[str, int]], options: RummyOptions) -> Iterator[Way]:
    """Yield the ways whose items are named in order, first those that R9 puts first.

    An item that has too few naturals even if it has the hand for itself is left out at once.
    """
    hopeful = []
    for form, length in items:
        named = []
        for suit, top in targets(form, length, options):
            if form == "set":
                naturals = sum(hand[RANK_NAMES[top] + each] for each in SUIT_LETTERS)
            else:
                naturals = sum(hand[RANK_NAMES[p] + suit] > 0 for p in range(top - length + 1, top + 1))
            if naturals >= length - wilds_allowed(length, options):
                named.append((suit, top))
        hopeful.append(named)
    places = [targets(form, length, options) for form, length in items]
    for way in itertools.product(*hopeful):
        if all(
            places[a].index(way[a]) <= places[b].index(way[b])
            for a, b in itertools.combinations(range(len(items)), 2)
            if items[a] == items[b]
        ):
            yield way


def cards_of(
    way: Way, hand: Counter[str], items: list[tuple[str, int]], options: RummyOptions
) -> list[list[tuple[str, bool]]] | None:
    """Return the cards that a way fixes, each with whether it is wild, or None if it is not feasible."""
    left = Counter(hand)
    melds: list[list[str]] = [[] for _ in items]
    for number, ((form, length), (suit, top)) in enumerate(zip(items, way, strict=True)):  # (a)
        if form == "run":
            for place in range(top - length + 1, top + 1):
                name = RANK_NAMES[place] + suit
                melds[number].append(name if left[name] else "")
                left[name] -= 1 if left[name] else 0
    for number, ((form, length), (_, top)) in enumerate(zip(items, way, strict=True)):  # (b)
        if form == "set":
            names = [RANK_NAMES[top] + suit for suit in SUIT_LETTERS]
            copies = [name for name in names for _ in range(left[name])]
            needed = sum(
                items[later][1] - wilds_allowed(items[later][1], options)
                for later in range(number + 1, len(items))
                if items[later][0] == "set" and way[later] == way[number]
            )
            taken = copies[: max(0, min(length, len(copies) - needed))]
            left -= Counter(taken)
            melds[number] = taken + [""] * (length - len(taken))
    wild = iter([name for name in WILDS for _ in range(left[name])])  # (c)
    filled = []
    for names, (_, length) in zip(melds, items, strict=True):
        if names.count("") > wilds_allowed(length, options):
            return None
        filled.append([(name, False) if name else (next(wild, ""), True) for name in names])
    return None if any(not name for meld in filled for name, _ in meld) else filled


def best_by_trying(
    hand: Counter[str], items: list[tuple[str, int]], options: RummyOptions
) -> list[tuple[str, str]] | None:
    best, best_worth = None, (1, 0)
    for way in ways(hand, items, options):
        melds = cards_of(way, hand, items, options)
        if melds is None:
            continue
        naturals = [name for meld in melds for name, wild in meld if not wild]
        points = sum(options.points[name[:-1]] for name in naturals)
        worth = (-len(naturals), -points)
        if worth < best_worth:
            best, best_worth = melds, worth
    if best is None:
        return None
    return [
        (" ".join(name for name, _ in meld), " ".join(name for name, wild in meld if wild)) for meld in best
    ]


def random_hand(rng: random.Random, items: list[str]) -> Counter[str]:
    """Return a hand in which the contract is neither rare nor certain."""
    size = sum(int(item.split()[1]) for item in items) + rng.randint(1, 4)
    pool = PACK * 2 + ["Joker", *WILDS] * rng.choice((0, 2, 4))
    # Few ranks for sets, few suits for runs.
    if any(item.startswith("set") for item in items):
        ranks = set(rng.sample(RANK_NAMES[3:], rng.randint(3, 6)))
        pool = [name for name in pool if name in WILDS or name[:-1] in ranks or rng.random() < 0.2]
    if any(item.startswith("run") for item in items):
        suits = rng.sample(SUIT_LETTERS, rng.randint(1, 3))
        pool = [name for name in pool if name == "Joker" or name[-1] in suits or rng.random() < 0.2]
    return Counter(rng.sample(pool, min(size, len(pool))))


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_R9_the_best_of_all_ways(number: int) -> None:
    game, texts, changes = GAMES[number]
    options = options_of(game, texts, changes)
    items = [(text.split()[0], int(text.split()[1])) for text in texts]
    rng = random.Random(number)
    found = Counter[bool]()
    many = 300 if items.count(("run", 3)) < 2 else 100
    for _ in range(many if COMPILED else 12):
        hand = random_hand(rng, texts)
        text = " ".join(hand.elements())
        expected = best_by_trying(hand, items, options)
        assert go_down(game, text, texts, **changes) == expected, text
        found[expected is not None] += 1
    assert not COMPILED or (found[True] and found[False])


@pytest.mark.parametrize("number", [0, 2, 7, 9, 11])
def test_a_hand_lacks_as_many_cards_as_it_needs_more(number: int) -> None:
    game, texts, changes = GAMES[number]
    rng = random.Random(number)
    found = Counter[int]()
    for _ in range(40 if COMPILED else 3):
        text = " ".join(random_hand(rng, texts).elements())
        lacks = next(
            int(worth[0][0])
            for limit in range(1, 20)
            if (worth := go_down(game, text, texts, limit=limit, **changes)) and int(worth[0][0]) < 255
        )
        found[lacks] += 1
        assert (lacks == 0) == (go_down(game, text, texts, **changes) is not None)
        # One card more brings it nearer by one at most, and the right one does.
        kinds = rng.sample(sorted(set(PACK)), 12) if lacks != 1 else sorted(set(PACK))
        after = [go_down(game, f"{text} {name}", texts, **changes) is not None for name in kinds]
        if lacks == 1:
            assert any(after)
        elif lacks > 1:
            assert not any(after)
    assert not COMPILED or len(found) > 1

"""An exchanged card is the only thing that changes; a replicate changes all but the deal."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from fastsim.experiment import Experiment, design
from fastsim.following import changes_of
from kernels.blocks import as_table, new_block
from kernels.cap30 import layout as cap30
from kernels.cap_zap import layout as cap_zap
from kernels.exchange import Exchange
from kernels.kapaga import layout as kapaga
from kernels.rummy import layout as rummy
from kernels.streams import REPLICATE_BITS
from kernels.trace import events_of, new_trace

pytestmark = pytest.mark.kernel

SEED = np.uint64(3)
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("cap30", {"players": 3}),
    ("cap30", {"players": 2, "deck": "cap50"}),
    ("cap-zap", {"players": 4, "teams": 2}),
    ("kapaga", {"players": 3, "packs": 2, "max_turns": 30}),
    ("thirty-thirty", {"players": 3}),
    ("cap-it", {"players": 2, "hand": 2}),
]
ALL_KINDS = 2**64 - 1
EXCHANGED = {
    "cap30": cap30.EXCHANGED,
    "cap-zap": cap_zap.EXCHANGED,
    "kapaga": kapaga.EXCHANGED,
    "thirty-thirty": rummy.EXCHANGED,
    "cap-it": rummy.EXCHANGED,
}
TURNED_UP = {"kapaga": kapaga.TURN_UP, "thirty-thirty": rummy.UPCARD, "cap-it": rummy.UPCARD}


class Played:
    """One hand: its events, its row, and what of it was exchanged."""

    def __init__(self, experiment: Experiment, game: int, kinds: int | None, replicate: int = 0) -> None:
        played = experiment.game
        rules, tables, policies = experiment.setup
        done = np.full(4, 9, dtype=np.uint8)
        if kinds is not None:
            rules = rules._replace(exchange=Exchange(np.uint64(kinds), done))
        if replicate:
            policies = policies._replace(replicate=np.uint64(replicate) << REPLICATE_BITS)
        width = len(played.layout.HAND_COLUMNS)
        hands, trace = new_block(width, 4), new_trace(20_000)
        played.kernel.play(
            SEED, game, game + 1, False, rules, tables, policies, played.new_scratch(), hands,
            new_block(len(played.layout.GAME_COLUMNS), 4), trace,
        )  # fmt: skip
        self.events = events_of(trace)
        self.row = as_table(hands, width, 1)[:, 0].tolist()
        self.done = int(done[0])

    def of(self, code: int) -> list[list[int]]:
        return self.events[self.events[:, 0] == code].tolist()


def kinds_of(experiment: Experiment) -> list[int]:
    return sorted({int(kind) for kind in experiment.setup[1].deck})


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_one_card_of_one_hand_is_exchanged_for_one_that_was_not_dealt(
    game: str, options: dict[str, Any]
) -> None:
    experiment = design(game, options, "random")
    deal = experiment.game.story.dealt
    players = options["players"]
    seen = set()
    for number in range(12):
        plain = Played(experiment, number, None)
        hands = Counter((seat, kind) for _, seat, kind, *_ in plain.of(deal))
        undealt = Counter(experiment.setup[1].deck.tolist())
        undealt.subtract(Counter(kind for _, kind in hands.elements()))
        if game in TURNED_UP:
            undealt.subtract(kind for _, _, kind, *_ in plain.of(TURNED_UP[game]))
        replaced = set()
        for kind in kinds_of(experiment)[:: 4 if game != "cap-zap" else 1]:
            changed = Played(experiment, number, 1 << kind)
            assert changed.of(deal) == plain.of(deal)
            events = changed.of(EXCHANGED[game])
            assert changed.done == len(events) <= 1
            if not events:
                assert changed.row == plain.row
                assert np.array_equal(changed.events, plain.events)
                continue
            _, seat, taken, given, *_ = events[0]
            assert seat == number // players % players
            assert given == kind != taken
            assert hands[seat, taken] and undealt[kind] > 0
            replaced.add(taken)
            after = hands.copy()
            after[seat, taken] -= 1
            after[seat, given] += 1
            follow(experiment, changed.events, after)
        assert len(replaced) <= 1, "every exchange of a deal begins with the same card"
        seen |= replaced
    assert len(seen) > 2


def follow(experiment: Experiment, events: np.ndarray, hands: Counter[tuple[int, int]]) -> None:
    """Check that nobody ever lays a card that it does not hold, from the hands after the exchange on."""
    story = experiment.game.story
    if story.passes:
        events = events[: int(np.argmax(events[:, 0] == story.passes[0].code)) or len(events)]
    found = []
    for change in story.cards:
        if change.code != story.dealt:
            places, amounts = changes_of(events, change)
            found += [
                (p, events[p, 1], events[p, change.kind], a) for p, a in zip(places, amounts, strict=True)
            ]
    for _, seat, kind, amount in sorted(found):
        hands[int(seat), int(kind)] += int(amount)
        assert hands[int(seat), int(kind)] >= 0


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_without_such_a_card_nothing_changes(game: str, options: dict[str, Any]) -> None:
    experiment = design(game, options, "random")
    for number in range(6):
        plain = Played(experiment, number, None)
        for kinds in (0, ALL_KINDS):  # no card is wanted; or the card is of a wanted kind already
            same = Played(experiment, number, kinds)
            assert (same.done, same.row) == (0, plain.row)
            assert np.array_equal(same.events, plain.events)


def test_nothing_is_exchanged_where_all_cards_are_dealt() -> None:
    experiment = design("cap-zap", {"deck": {"A": 2, "B": 2}, "hand_size": 2}, "random")
    assert [Played(experiment, number, 3).done for number in range(5)] == [0] * 5
    assert [Played(experiment, number, 2).done for number in range(5)] == [0] * 5


@pytest.mark.compiled
@pytest.mark.parametrize("game", ["cap30", "cap-zap", "kapaga", "thirty-thirty"])
def test_every_card_of_a_hand_and_every_undealt_one_is_as_likely(game: str) -> None:
    # Of two cards of one kind in a hand each counts: kinds are taken as often as they are dealt.
    experiment = design(game, {"players": 2}, "random")
    dealt, taken, given = Counter[int](), Counter[int](), Counter[int]()
    kinds = kinds_of(experiment)
    group = kinds[: len(kinds) // 2]
    mask = sum(1 << kind for kind in group)
    n = 2000
    for number in range(n):
        played = Played(experiment, number, mask)
        seat = number // 2 % 2
        hand = [kind for _, who, kind, *_ in played.of(experiment.game.story.dealt) if who == seat]
        for kind in hand:
            dealt[kind] += 1 / len(hand)
        for _, _, before, after, *_ in played.of(EXCHANGED[game]):
            taken[before] += 1
            given[after] += 1
    assert set(given) <= set(group) and not set(taken) & set(group)
    for kind in kinds[len(kinds) // 2 :]:
        assert abs(taken[kind] - dealt[kind]) < 4.5 * max(dealt[kind], 4) ** 0.5
    copies = Counter(experiment.setup[1].deck.tolist())
    total = sum(copies[kind] for kind in group)
    for kind in group:
        expected = given.total() * copies[kind] / total
        assert abs(given[kind] - expected) < 4.5 * max(expected, 4) ** 0.5


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_a_replicate_has_the_same_deal_and_other_decisions(game: str, options: dict[str, Any]) -> None:
    experiment = design(game, options, "random")
    deal = experiment.game.story.dealt
    differ = 0
    for number in range(4):
        plain = Played(experiment, number, None)
        again = Played(experiment, number, None, replicate=1)
        third = Played(experiment, number, None, replicate=2)
        assert again.of(deal) == plain.of(deal) == third.of(deal)
        differ += len({tuple(plain.row), tuple(again.row), tuple(third.row)}) == 3
    assert differ >= 3


def test_accidents_are_not_in_the_deal() -> None:
    options = {"players": 2, "forget_rate": 0.5, "peek_rate": 0.5, "max_turns": 20}
    experiment = design("kapaga", options, "random")
    code = kapaga.PENALTY
    manners = [
        [[event for event in Played(experiment, number, None, replicate).of(code) if event[3] != 0]
         for number in range(6)]
        for replicate in (0, 1)
    ]  # fmt: skip
    assert manners[0] != manners[1]

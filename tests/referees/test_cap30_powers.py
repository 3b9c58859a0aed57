"""Tests of the Cap30 referee's Power Up, rule by rule."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from kernels.cap30 import layout
from tests.referees.cap30 import check_game, check_hand, resolve, run_game
from tests.referees.cap30_hand import DRAW, STOP, UNDER_WAY, Choice, cards_in_deck
from tests.referees.cap30_positions import RecordingTable, event, position, told, words
from tests.referees.cap30_powers import BONUSES, FORMS, NO_POWER, PowerHand, Standing
from tests.referees.trace import Event, RefereeError

GIVE, SWAP, WILD_TEN = FORMS
HEAD_START, CHARGED, SHIELD = BONUSES

DECISION = layout.DECISION
MOVE = layout.MOVE
METER = layout.METER


def powers(*cards: Sequence[str], meters: Sequence[int] = (), **changes: Any) -> PowerHand:
    """Return a hand of Power Up in mid-play, as :func:`position` does, with these meters."""
    hand = position(*cards, **{"powers": True, **changes})
    assert isinstance(hand, PowerHand)
    hand.meters[:] = meters or [0] * len(cards)
    return hand


def codes(events: Iterable[Event]) -> list[int]:
    """Return the codes of events."""
    return [row[0] for row in events]


def about(hand: PowerHand) -> list[tuple[int, int, int, int]]:
    """Return seat, number, choices and matter of each decision taken so far."""
    return [(row[1], row[2], row[3], row[4]) for row in told(hand, DECISION)]


# C20: meters


def test_C20_each_ten_is_a_notch() -> None:
    hand = powers(words("+5 -3 +1"), words("+1 +1"), script=[("+5", 1), STOP])
    hand.take_turn()
    assert (hand.meters, hand.record["notches"], hand.record["tens"]) == ([1, 0], 1, 1)
    assert told(hand, MOVE, METER) == [
        event(MOVE, 0, "+5", 1, 15, 20, 1),
        event(METER, 0, 0, 1, layout.FOR_TEN),
    ]
    # A move that ends on a ten which it does not change, and one that ends on no ten.
    hand = powers(words("Halve +1 +4"), words("+1"), total=0)
    hand.apply_move(0, "Halve")
    hand.apply_move(0, "+4")
    assert (hand.meters, told(hand, METER)) == ([0, 0], [])


@pytest.mark.parametrize(
    ("cards", "chain_limit", "script"),
    [
        (["+5"], 3, [("+5", 1)]),  # It wins.
        (words("+5 +1"), 1, [("+5", 1)]),  # The chain may not go on.
        (words("+5 +9"), 3, [("+5", 1), STOP]),
    ],
)
def test_C20_whatever_counts_as_a_ten_is_a_notch(
    cards: list[str], chain_limit: int, script: list[Choice]
) -> None:
    hand = powers(cards, words("+1 +1"), chain_limit=chain_limit, script=script)
    hand.take_turn()
    assert (hand.meters[0], hand.record["tens"], hand.record["notches"]) == (1, 1, 1)


def test_C20_a_third_ten_in_one_turn_fills_the_meter() -> None:
    script: list[Choice] = [("+5", 1), ("+10", 1), ("-10", 1), ("+10", 1), STOP]
    hand = powers(words("+5 +10 -10 +10 -1 -1"), words("+1"), meter_size=6, chain_limit=10, script=script)
    hand.take_turn()
    assert told(hand, METER) == [
        event(METER, 0, 0, 1, layout.FOR_TEN),
        event(METER, 0, 1, 2, layout.FOR_TEN),
        event(METER, 0, 2, 6, layout.FOR_THIRD_TEN),
    ]
    # All that were added count, and the fourth ten added none.
    assert (hand.record["tens"], hand.record["notches"]) == (4, 6)


def test_C20_tens_of_another_turn_do_not_count_towards_the_third() -> None:
    script: list[Choice] = [("+5", 1), ("-10", 1), STOP, ("+10", 1), STOP, ("+10", 1), STOP]
    hand = powers(words("+5 -10 +10 +1"), words("+10 +1 +1"), meter_size=10, script=script)
    for _ in range(3):
        hand.take_turn()
    assert (hand.meters, hand.record["notches"]) == ([3, 1], 4)
    assert hand.tens_of_turn == 1


def test_C20_a_full_meter_gains_no_more() -> None:
    hand = powers(words("+5 +1"), words("+1"), meters=[4, 0])
    hand.apply_move(0, "+5")
    assert (hand.meters, hand.record["tens"], hand.record["notches"]) == ([4, 0], 1, 0)
    assert told(hand, METER) == []


def test_C20_an_undo_takes_no_notch_back() -> None:
    hand = powers(words("+5 +1"), words("Undo +1"))
    hand.apply_move(0, "+5")
    hand.apply_move(1, "Undo")
    assert (hand.total, hand.meters) == (15, [1, 0])


@pytest.mark.parametrize("undo_chains", [True, False])
def test_C20_an_undo_onto_a_ten_is_a_notch_whether_it_chains_or_not(undo_chains: bool) -> None:
    hand = powers(words("+5 +1"), words("Undo +1"), total=10, undo_chains=undo_chains)
    hand.apply_move(0, "+5")
    assert hand.apply_move(1, "Undo") is undo_chains
    assert (hand.meters, hand.record["tens"], hand.record["notches"]) == ([0, 1], 1, 1)


def test_C20_meters_start_empty_and_last_for_a_game() -> None:
    options = resolve(powers=True, players=3, hands_to_win=4, meter_size=10)
    table = RecordingTable(random.Random(3))
    run_game(options, table)
    meters = [0, 0, 0]
    hands = 0
    for row in table.events:
        if row[0] == METER:
            assert row[2] == meters[row[1]]
            assert row[4] != layout.FOR_NEW_HAND
            meters[row[1]] = row[3]
        hands += row[0] == layout.HAND
    assert hands >= 4
    assert sum(meters) > 0


def test_C20_meters_may_be_emptied_before_each_deal() -> None:
    options = resolve(powers=True, players=3, meter_carry=False, hand_size=1)
    standing = Standing([3, 0, 4])
    table = RecordingTable(random.Random(3))
    hand = PowerHand(options, table, 1, standing)
    hand.deal()
    assert table.events[:2] == [
        event(METER, 0, 3, 0, layout.FOR_NEW_HAND),
        event(METER, 2, 4, 0, layout.FOR_NEW_HAND),
    ]
    assert codes(table.events[2:]) == [layout.DEAL] * 3
    assert standing.meters == [0, 0, 0]


# C21: powers


def test_C21_a_full_meter_may_be_used_at_the_start_of_a_turn() -> None:
    cards = [words("+1 +1"), words("+2 +2"), words("+3")]
    hand = powers(*cards, meters=[4, 4, 3], script=[GIVE, ("+1", 1)], power_reaction=False)
    hand.take_turn()
    assert [row[:5] for row in hand.table.events[:4]] == [
        event(layout.TURN, 0, 1, 15, 1)[:5],
        event(DECISION, 0, layout.DECIDE_POWER, 3, layout.USE_POWER)[:5],
        event(layout.POWER, 0, layout.GIVE, layout.AT_TURN)[:5],
        event(METER, 0, 4, 0, layout.FOR_POWER)[:5],
    ]
    assert hand.table.offered[0] == [GIVE, SWAP, NO_POWER]
    assert about(hand) == [(0, 4, 3, layout.USE_POWER), (0, 1, 2, 0)]
    assert hand.meters == [0, 4, 3]
    assert hand.record["powers"] == {2 * layout.GIVE + layout.AT_TURN: 1}
    assert (hand.record["decisions"], hand.record["choices"]) == (2, 5)


def test_C21_a_power_can_be_kept_and_is_asked_for_again() -> None:
    hand = powers(words("+1 +1 +1"), words("+2 +2 +2"), meters=[4, 3], script=[NO_POWER, ("+1", 1)])
    hand.take_turn()
    assert hand.table.offered[0] == [WILD_TEN, NO_POWER]
    assert told(hand, layout.NO_POWER, layout.POWER) == [event(layout.NO_POWER, 0, layout.AT_TURN)]
    assert (hand.meters, hand.record["powers"]) == ([4, 3], {})
    hand.table.script = [("+2", 1), NO_POWER, ("+1", 1)]
    hand.take_turn()
    hand.take_turn()
    assert [row[0] for row in about(hand) if row[3] == layout.USE_POWER and row[1] == 4] == [0, 0]


def test_C21_a_power_may_be_used_with_no_legal_move() -> None:
    script = [SWAP, "+9", "Skip", ("Skip", 1), 1]
    hand = powers(words("+9 +8"), words("+1"), words("+1"), total=30, meters=[4, 0, 0], script=script)
    hand.take_turn()
    # The turn began without one, though it had one after the Swap.
    assert (hand.record["stuck"], hand.record["drawn"], hand.record["moves"]) == (1, 0, 1)
    hand = powers(words("+9"), words("+1"), words("+1"), total=30, meters=[4, 0, 0], script=[GIVE])
    hand.take_turn()
    assert (hand.record["stuck"], hand.record["drawn"], hand.record["given"]) == (1, 1, 2)


@pytest.mark.parametrize(("direction", "order"), [(1, [2, 3, 0]), (-1, [0, 3, 2])])
def test_C21_a_give_goes_round_in_turn_order(direction: int, order: list[int]) -> None:
    hand = powers(*[words("+1 +1")] * 4, meters=[0, 4, 0, 0], pile=words("+7 +6 +5"), script=[GIVE])
    hand.direction = direction
    hand.ask_for_power(1, layout.AT_TURN)
    given = words("+5 +6 +7")
    assert told(hand, layout.GIVEN) == [
        event(layout.GIVEN, seat, kind) for seat, kind in zip(order, given, strict=True)
    ]
    assert [hand.cards[seat][-1] for seat in order] == given
    assert (hand.record["given"], hand.record["taken"], hand.record["drawn"]) == (3, 0, 0)


def test_C21_a_give_goes_as_far_as_there_are_cards() -> None:
    hand = powers(*[words("+1 +1")] * 3, meters=[4, 0, 0], pile=[], script=[GIVE])
    hand.discards = words("-2 Reset")
    hand.ask_for_power(0, layout.AT_TURN)
    assert [len(cards) for cards in hand.cards] == [2, 3, 2]
    assert (hand.record["given"], hand.record["reshuffles"]) == (1, 1)
    assert codes(hand.table.events[3:]) == [layout.RESHUFFLE, layout.GIVEN]
    assert hand.meters == [0, 0, 0]


def test_C21_a_swap() -> None:
    held = words("+1 -2 +1 Skip")
    hand = powers(held, words("+1"), words("+1"), meters=[4, 0, 0], pile=words("+7 +8"))
    hand.table.script = [SWAP, "+1", "Skip"]
    hand.ask_for_power(0, layout.AT_TURN)
    # Of the two +1 the one held longest has gone; what was taken was held last.
    assert hand.cards[0] == words("-2 +1 Skip Skip")
    assert hand.table.pile == words("+1 +7 +8")
    assert hand.table.offered == [[GIVE, SWAP, NO_POWER], words("+1 -2 Skip"), words("Skip Switch TakeTwo")]
    assert hand.table.events == [
        event(DECISION, 0, layout.DECIDE_POWER, 3, layout.USE_POWER),
        event(layout.POWER, 0, layout.SWAP, layout.AT_TURN),
        event(METER, 0, 4, 0, layout.FOR_POWER),
        event(DECISION, 0, layout.DECIDE_POWER, 3, layout.CARD_AWAY),
        event(layout.SWAP_AWAY, 0, "+1"),
        event(DECISION, 0, layout.DECIDE_POWER, 3, layout.KIND_TAKEN),
        event(layout.SWAP_FOR, 0, "Skip"),
    ]
    assert hand.record["powers"] == {2 * layout.SWAP + layout.AT_TURN: 1}


@pytest.mark.parametrize(
    ("deck", "kinds"),
    [
        ({"+1": 20, "Skip": 1, "TakeTwo": 2, "Switch": 0}, ["Skip", "TakeTwo"]),
        ({"+1": 20, "Switch": 1}, ["Switch"]),
        ({"+1": 20, "Switch": 0}, []),
    ],
)
def test_C21_a_swap_takes_what_the_deck_has(deck: dict[str, int], kinds: list[str]) -> None:
    script = [SWAP, "+1", kinds[0]] if kinds else [NO_POWER]
    hand = powers(["+1"], ["+1"], ["+1"], meters=[4, 0, 0], deck=deck, hand_size=2, script=script)
    hand.ask_for_power(0, layout.AT_TURN)
    assert hand.table.offered[0] == ([GIVE, SWAP, NO_POWER] if kinds else [GIVE, NO_POWER])
    # A choice of one is still a decision.
    assert hand.table.offered[1:] == ([["+1"], kinds] if kinds else [])
    assert hand.record["forced"] == (1 + (len(kinds) == 1) if kinds else 0)


def test_C21_a_card_made_stays_in_the_deck() -> None:
    hand = powers(
        words("+9 +1"), words("+1 +1"), words("+1 +1"), meters=[4, 0, 0], pile=[], power_reaction=False
    )
    hand.table.script = [SWAP, "+9", "TakeTwo", ("TakeTwo", 1), 2]
    hand.discards = ["-1"]
    hand.take_turn()
    # The pile was the +9 put under it; then the -1 was shuffled back. The TakeTwo is on top.
    assert hand.cards[2] == words("+1 +1 +9 -1")
    assert hand.discards == ["TakeTwo"]
    hand.discards.append("+1")
    hand.draw_card("C7", layout.DRAW, 1)
    assert hand.cards[1] == words("+1 +1 TakeTwo")


REACTION_CARDS = [words("+1 +1"), words("+2 +2 +2"), words("+3 +3 +3")]


def test_C21_a_reaction_is_asked_for_between_turns() -> None:
    script: list[Choice] = [("+1", 1), GIVE, NO_POWER]
    hand = powers(*REACTION_CARDS, meters=[4, 4, 4], script=[NO_POWER, *script], pile=words("-7 -8 -9"))
    hand.take_turn()
    assert about(hand)[2:] == [(1, 4, 3, layout.USE_POWER), (2, 4, 3, layout.USE_POWER)]
    assert told(hand, layout.POWER, layout.NO_POWER)[1:] == [
        event(layout.POWER, 1, layout.GIVE, layout.AS_REACTION),
        event(layout.NO_POWER, 2, layout.AS_REACTION),
    ]
    # The second is asked whatever the first did, though the mover now holds two cards.
    assert hand.cards == [words("+1 -8"), REACTION_CARDS[1], [*REACTION_CARDS[2], "-9"]]
    assert hand.meters == [4, 0, 4]
    assert hand.record["powers"] == {2 * layout.GIVE + layout.AS_REACTION: 1}


@pytest.mark.parametrize(
    ("cards", "changes", "script"),
    [
        pytest.param([words("+1 +1 +1"), *REACTION_CARDS[1:]], {}, [("+1", 1)], id="two cards left"),
        pytest.param([["+1"], *REACTION_CARDS[1:]], {}, [("+1", 1)], id="won"),
        pytest.param([["+9"], *REACTION_CARDS[1:]], {"total": 30, "pile": []}, [], id="no move"),
        pytest.param(REACTION_CARDS, {"power_reaction": False}, [("+1", 1)], id="no reactions"),
        pytest.param(REACTION_CARDS, {"max_turns": 1}, [("+1", 1)], id="truncated"),
        pytest.param(REACTION_CARDS[:2], {}, [("+1", 1)], id="two players"),
    ],
)
def test_C21_when_there_is_no_reaction(
    cards: list[list[str]], changes: dict[str, Any], script: list[Choice]
) -> None:
    hand = powers(*cards, meters=[0, 4, 4][: len(cards)], script=script, **changes)
    hand.take_turn()
    assert not [row for row in about(hand) if row[1] == layout.DECIDE_POWER]


def test_C21_a_double_or_a_drawn_card_can_lead_to_a_reaction() -> None:
    hand = powers(words("+1 +1 +1"), *REACTION_CARDS[1:], meters=[0, 0, 4], script=[("+1", 2), NO_POWER])
    hand.take_turn()
    assert told(hand, layout.NO_POWER) == [event(layout.NO_POWER, 2, layout.AS_REACTION)]
    hand = powers(["+9"], *REACTION_CARDS[1:], meters=[0, 0, 4], total=28, pile=["+2"], script=[("+2", 1)])
    hand.table.script.append(NO_POWER)
    hand.take_turn()
    assert told(hand, layout.NO_POWER) == [event(layout.NO_POWER, 2, layout.AS_REACTION)]


@pytest.mark.parametrize(("direction", "order"), [(1, [2, 3, 0]), (-1, [0, 3, 2])])
def test_C21_reactions_go_round_from_the_movers_neighbour(direction: int, order: list[int]) -> None:
    cards = [words("-1 -1"), words("Skip +1"), words("-1 -1"), words("-1 -1")]
    hand = powers(*cards, meters=[4] * 4, script=[NO_POWER, ("Skip", 1), order[0], *[NO_POWER] * 3])
    hand.direction = direction
    hand.to_act = 1
    hand.take_turn()
    # The one who is to miss a turn is asked first.
    assert [row[1] for row in told(hand, layout.NO_POWER)[1:]] == order
    assert told(hand, layout.MISS) == []


def test_C21_after_a_switch_reactions_go_round_the_new_way() -> None:
    cards = [words("Switch +1"), words("-1 -1"), words("-1 -1"), words("-1 -1")]
    hand = powers(*cards, meters=[0, 4, 4, 4], script=[("Switch", 1), *[NO_POWER] * 3])
    hand.take_turn()
    assert [row[1] for row in told(hand, layout.NO_POWER)] == [3, 2, 1]


def test_C21_the_lead_is_taken_before_reactions() -> None:
    hand = powers(words("+1 +1"), words("+2 +2"), words("+3 +3"), meters=[0, 4, 0], script=[("+1", 1), GIVE])
    hand.take_turn()
    assert [len(cards) for cards in hand.cards] == [2, 2, 3]
    assert hand.leader == 0


def test_C21_a_swap_may_take_away_a_card_picked_up() -> None:
    cards = [words("TakeTwo +1"), words("+2"), words("Undo +3 +3")]
    script: list[Choice] = [("TakeTwo", 1), 1, SWAP, "+8", "Skip"]
    hand = powers(*cards, meters=[0, 4, 0], pile=words("-5 +7 +8"), script=script)
    hand.take_turn()
    assert hand.cards[1] == words("+2 +7 Skip")
    hand.apply_move(2, "Undo")
    # Only the other one is still in that hand; what was made in its place stays.
    assert hand.cards[1] == words("+2 Skip")
    assert hand.table.pile == words("+7 +8 -5")

    script[3] = "+2"
    hand = powers(*cards, meters=[0, 4, 0], pile=words("-5 +7 +8"), script=script)
    hand.take_turn()
    hand.apply_move(2, "Undo")
    assert hand.cards[1] == ["Skip"]
    assert told(hand, layout.RETURN) == [event(layout.RETURN, 1, "+8"), event(layout.RETURN, 1, "+7")]


# C21: Wild tens


@pytest.mark.parametrize(
    ("total", "changes", "expected"),
    [
        (14, {}, 10),
        (15, {}, 20),
        (16, {}, 20),
        (4, {}, 0),
        (5, {}, 10),
        (25, {}, 30),
        (20, {}, 20),
        (25, {"cap": 25}, 20),
        (25, {"cap": 29}, 20),
        (29, {"cap": 29}, 20),
        (24, {"cap": 29}, 20),
        (95, {"deck": "cap100"}, 100),
        (10, {"ten_step": 7}, 7),
        (11, {"ten_step": 7}, 14),
        (30, {"ten_step": 8}, 24),
        (30, {"ten_step": 50}, 0),
    ],
)
def test_C21_a_wild_ten_puts_the_total_on_the_nearest_ten(
    total: int, changes: dict[str, Any], expected: int
) -> None:
    script: list[Choice] = [WILD_TEN, ("+1", 1, layout.WILD), STOP]
    hand = powers(words("+1 Reset +1"), words("+1"), total=total, meters=[4, 0], script=script, **changes)
    hand.take_turn()
    assert hand.total == expected
    assert told(hand, MOVE) == [event(MOVE, 0, "+1", 1, total, expected, 1, layout.WILD)]
    # It chains, and counts as a ten, if it has changed the total.
    moved = expected != total
    assert len(hand.table.offered) == (3 if moved else 2)
    assert (hand.record["tens"], hand.meters[0]) == (moved, moved)
    assert hand.record["powers"] == {2 * layout.WILD_TEN + layout.AT_TURN: 1}


def test_C21_any_kind_may_be_a_wild_ten_but_no_double() -> None:
    held = words("+9 +9 Halve Undo Double +9 Drain")
    script: list[Choice] = [WILD_TEN, ("Undo", 1, layout.WILD), STOP]
    hand = powers(held, words("+1"), total=29, meters=[4, 0], script=script, must_play=False)
    hand.take_turn()
    # None of them is legal by itself but the Drain; and though drawing is allowed, it is not offered.
    kinds = words("+9 Halve Undo Double Drain")
    assert hand.table.offered[1] == [(kind, 1, layout.WILD) for kind in kinds]
    assert about(hand)[:2] == [(0, 4, 2, layout.USE_POWER), (0, layout.DECIDE_TURN, 5, 0)]
    assert (hand.total, hand.record["stuck"]) == (30, 0)


def test_C21_a_wild_ten_after_a_stuck_beginning() -> None:
    script: list[Choice] = [WILD_TEN, ("+9", 1, layout.WILD)]
    hand = powers(words("+9 +9"), words("+1"), total=29, meters=[4, 0], script=script)
    hand.take_turn()
    assert (hand.record["stuck"], hand.record["drawn"], hand.record["moves"]) == (1, 0, 1)
    assert hand.record["forced"] == 1


@pytest.mark.parametrize("kind", ["Skip", "Switch", "TakeTwo", "Drain", "Reset"])
def test_C21_a_wild_ten_has_no_effect_of_its_own(kind: str) -> None:
    script: list[Choice] = [WILD_TEN, (kind, 1, layout.WILD)]
    hand = powers([kind, "+9"], words("+1"), total=29, meters=[4, 3], script=script)
    hand.take_turn()
    assert (hand.total, hand.to_act, hand.direction, hand.meters) == (30, 1, 1, [1, 3])
    assert hand.cards[1] == ["+1"]
    assert hand.record["plays"] == {kind: 1}
    assert hand.record["drains"] == 0
    assert codes(hand.table.events) == [
        layout.TURN, DECISION, layout.POWER, METER, DECISION, MOVE, METER,
    ]  # fmt: skip
    hand.table.script = [("+1", 1)]
    hand.total = 20
    hand.take_turn()
    assert told(hand, layout.MISS) == []


@pytest.mark.parametrize("kind", ["Skip", "Switch", "TakeTwo", "Drain", "+9"])
def test_C21_undoing_a_wild_ten_only_puts_the_total_back(kind: str) -> None:
    hand = powers([kind, "+9"], words("Undo +1"), total=29, meters=[4, 3])
    hand.apply_move(0, kind, 1, layout.WILD)
    before = len(hand.table.events)
    assert ("Undo", 1) in hand.legal_moves(1)
    hand.apply_move(1, "Undo")
    assert (hand.total, hand.to_act, hand.direction, hand.meters) == (29, 0, 1, [4, 3])
    assert codes(hand.table.events[before:]) == [MOVE]
    assert hand.record["notches"] == 0


def test_C21_a_wild_undo_undoes_nothing_and_cannot_be_undone() -> None:
    hand = powers(words("+7 Undo +1"), words("Undo +1"), total=9, meters=[0, 0], undo_chains=False)
    hand.apply_move(0, "+7")
    # It is no Undo in what it does, so it chains as any Wild ten.
    assert hand.apply_move(0, "Undo", 1, layout.WILD)
    assert hand.total == 20
    assert ("Undo", 1) not in hand.legal_moves(1)
    # One of a Skip does not bring its target back.
    hand = powers(words("Skip Undo +1"), words("+1"), script=[1])
    hand.apply_move(0, "Skip")
    hand.apply_move(0, "Undo", 1, layout.WILD)
    assert (hand.to_miss, told(hand, layout.UNSKIP, layout.SKIP_OFF)) == ([0, 1], [])


def test_C21_the_last_card_may_be_a_wild_ten() -> None:
    hand = powers(
        ["TakeTwo"], words("+1"), total=30, meters=[4, 0], script=[WILD_TEN, ("TakeTwo", 1, layout.WILD)]
    )
    hand.take_turn()
    assert (hand.reason, hand.cards[1], hand.record["tens"]) == (layout.WON, ["+1"], 0)


def test_C21_a_chain_after_a_wild_ten_is_as_ever() -> None:
    script: list[Choice] = [WILD_TEN, ("+1", 1, layout.WILD), ("+10", 1), STOP]
    hand = powers(words("+1 +10 +2 +9"), words("+1"), total=19, meters=[4, 0], script=script, pile=[])
    hand.take_turn()
    assert hand.table.offered[2:] == [[("+10", 1), ("+2", 1), ("+9", 1), STOP]]
    assert (hand.record["chains"], hand.meters) == ({2: 1}, [2, 0])


# C22: targets


def test_C22_the_player_picks_the_target() -> None:
    cards = [words("+1 +1 +1"), words("TakeTwo Skip +1"), words("+1"), words("+1 +1")]
    for kind in ("TakeTwo", "Skip"):
        for direction, order in ((1, [2, 3, 0]), (-1, [0, 3, 2])):
            hand = powers(*cards, script=[3])
            hand.direction = direction
            hand.apply_move(1, kind)
            assert hand.table.offered == [order]
            assert about(hand) == [(1, layout.DECIDE_POWER, 3, layout.AIM)]
            assert codes(hand.table.events[:3]) == [MOVE, DECISION, layout.TARGET]
            assert told(hand, layout.TARGET) == [event(layout.TARGET, 1, kind, 3)]
            if kind == "TakeTwo":
                assert len(hand.cards[3]) == 4
            else:
                assert hand.to_miss == [0, 0, 0, 1]


@pytest.mark.parametrize("kind", ["TakeTwo", "Skip", "Drain"])
def test_C22_with_two_players_and_a_winning_card_it_is_asked_too(kind: str) -> None:
    hand = powers([kind], words("+1"), script=[(kind, 1), 1])
    hand.take_turn()
    assert hand.reason == layout.WON
    assert about(hand) == [(0, 1, 1, 0), (0, layout.DECIDE_POWER, 1, layout.AIM)]
    assert (hand.record["decisions"], hand.record["forced"]) == (2, 2)
    assert len(hand.cards[1]) == (3 if kind == "TakeTwo" else 1)
    assert hand.record["turns_missed"] == 0


def test_C22_a_skipped_opponent_misses_the_next_turn() -> None:
    cards = [words("Skip +1 +1"), words("+1 +1"), words("+1 +1"), words("+1 +1")]
    script: list[Choice] = [("Skip", 1), 2, *[("+1", 1)] * 2]
    hand = powers(*cards, script=script)
    acted = []
    for _ in range(3):
        hand.take_turn()
        acted += [row[1] for row in told(hand, layout.TURN)[len(acted) :]]
    assert acted == [0, 1, 3]
    rows = told(hand, layout.TURN, layout.MISS)
    assert rows[2] == event(layout.MISS, 2)
    assert (hand.record["turns"], hand.record["turns_missed"]) == (3, 1)
    assert hand.to_miss == [0] * 4


def test_C22_with_two_players_a_skip_is_missed_at_once() -> None:
    hand = powers(words("Skip +1 +1"), words("+1 +1"), script=[("Skip", 1), 1, ("+1", 1)])
    hand.take_turn()
    assert (told(hand, layout.MISS), hand.record["turns_missed"]) == ([], 0)
    hand.take_turn()
    assert [row[1] for row in told(hand, layout.TURN)] == [0, 0]
    assert (told(hand, layout.MISS), hand.record["turns_missed"]) == ([event(layout.MISS, 1)], 1)


def test_C22_skips_on_one_player_are_missed_one_by_one() -> None:
    cards = [words("Skip +1 +1"), words("Skip +1 +1"), words("+1 +1")]
    script: list[Choice] = [("Skip", 1), 2, ("Skip", 1), 2, *[("+1", 1)] * 4]
    hand = powers(*cards, script=script)
    for _ in range(6):
        if hand.reason == UNDER_WAY:
            hand.take_turn()
    assert [row[:2] for row in told(hand, layout.TURN, layout.MISS)] == [
        (layout.TURN, 0),
        (layout.TURN, 1),
        (layout.MISS, 2),
        (layout.TURN, 0),
        (layout.TURN, 1),
        (layout.MISS, 2),
        (layout.TURN, 0),
    ]


def test_C22_several_players_may_miss_in_a_row() -> None:
    hand = powers(*[words("+1 +1 +1")] * 4, script=[("+1", 1)] * 2)
    hand.to_miss = [0, 1, 1, 1]
    hand.take_turn()
    hand.take_turn()
    assert [row[1] for row in told(hand, layout.MISS)] == [1, 2, 3]
    assert [row[1] for row in told(hand, layout.TURN)] == [0, 0]


def test_C22_undoing_a_skip_not_yet_missed_takes_it_off() -> None:
    cards = [words("Skip +1 +1"), words("Undo +1 +1"), words("+1 +1")]
    hand = powers(*cards, script=[("Skip", 1), 2, ("Undo", 1), ("+1", 1)])
    for _ in range(3):
        hand.take_turn()
    assert told(hand, layout.SKIP_OFF, layout.UNSKIP, layout.MISS) == [event(layout.SKIP_OFF, 2)]
    assert [row[1] for row in told(hand, layout.TURN)] == [0, 1, 2]
    assert hand.record["turns_missed"] == 0


def test_C22_undoing_a_skip_that_was_missed_makes_the_skipped_one_next() -> None:
    cards = [words("Skip +1 +1"), words("+1 +1"), words("Undo +1 +1")]
    hand = powers(*cards, script=[("Skip", 1), 1, ("Undo", 1), ("+1", 1), ("+1", 1)])
    for _ in range(4):
        hand.take_turn()
    assert told(hand, layout.SKIP_OFF, layout.UNSKIP, layout.MISS) == [
        event(layout.MISS, 1),
        event(layout.UNSKIP, 1),
    ]
    assert [row[1] for row in told(hand, layout.TURN)] == [0, 2, 1, 2]


def test_C22_of_two_skips_on_one_player_the_last_is_the_one_not_yet_missed() -> None:
    # 0 skips 2; 1 skips 2; 2 misses one; 0 undoes the last, which is still to come.
    cards = [words("Skip Undo +1"), words("Skip +1 +1"), words("+1 +1")]
    script: list[Choice] = [("Skip", 1), 2, ("Skip", 1), 2, ("Undo", 1), ("+1", 1), ("+1", 1)]
    hand = powers(*cards, script=script)
    for _ in range(5):
        hand.take_turn()
    assert [row[:2] for row in told(hand, layout.TURN, layout.MISS, layout.SKIP_OFF)] == [
        (layout.TURN, 0),
        (layout.TURN, 1),
        (layout.MISS, 2),
        (layout.TURN, 0),
        (layout.SKIP_OFF, 2),
        (layout.TURN, 1),
        (layout.TURN, 2),
    ]
    assert hand.record["turns_missed"] == 1


def test_C22_undo_of_a_take_two_by_its_chosen_target() -> None:
    cards = [words("TakeTwo +1"), words("+1 +1"), words("Undo")]
    hand = powers(*cards, pile=words("-3 +7 +8"), script=[2])
    hand.apply_move(0, "TakeTwo")
    assert hand.cards[2] == words("Undo +8 +7")
    hand.apply_move(2, "Undo")
    assert hand.cards[2] == []
    assert hand.table.pile == words("+7 +8 -3")


# C23: bonuses


def started(bonus: int, seat: int, bullseye: int, meters: Sequence[int] = (), **changes: Any) -> PowerHand:
    """Return a hand that has been dealt after others have left these advantages."""
    options = resolve(**{"powers": True, **changes})
    standing = Standing(list(meters) or [0] * options["players"], bonus, seat, bullseye)
    hand = PowerHand(options, RecordingTable(random.Random(0)), bullseye, standing)
    hand.deal()
    return hand


def test_C23_a_head_start_is_one_card_fewer() -> None:
    hand = started(layout.HEAD_START, 2, bullseye=1, players=3, hand_size=4)
    assert [len(cards) for cards in hand.cards] == [4, 4, 3]
    assert [row[1] for row in told(hand, layout.DEAL)] == [1, 2, 0] * 3 + [1, 0]
    assert told(hand, layout.ADVANTAGE) == [event(layout.ADVANTAGE, 1, layout.HAS_BULLSEYE)]
    hand = started(layout.HEAD_START, 1, bullseye=0, hand_size=7)
    assert [len(cards) for cards in hand.cards] == [8, 6]
    hand = started(layout.HEAD_START, 1, bullseye=0, hand_size=1)
    assert [len(cards) for cards in hand.cards] == [2, 1]


@pytest.mark.parametrize(("before", "after"), [(0, 2), (1, 3), (3, 4), (4, 4)])
def test_C23_charged_is_two_notches_more(before: int, after: int) -> None:
    hand = started(layout.CHARGED, 1, bullseye=0, meters=[1, before])
    assert hand.meters == [1, after]
    rest = [event(METER, 1, before, after, layout.FOR_CHARGED)] if after > before else []
    assert hand.table.events[15:] == [
        event(layout.ADVANTAGE, 0, layout.HAS_BULLSEYE),
        event(layout.ADVANTAGE, 1, layout.CHARGED),
        *rest,
    ]
    # They are not of tens.
    assert hand.record["notches"] == 0


def test_C23_charged_comes_after_emptied_meters() -> None:
    hand = started(layout.CHARGED, 1, bullseye=0, meters=[1, 3], meter_carry=False)
    assert hand.meters == [0, 2]
    assert [row[4] for row in told(hand, METER)] == [layout.FOR_NEW_HAND] * 2 + [layout.FOR_CHARGED]


def test_C23_a_shield_keeps_the_first_take_two_off() -> None:
    hand = started(layout.SHIELD, 1, bullseye=0, players=3)
    assert told(hand, layout.ADVANTAGE)[1] == event(layout.ADVANTAGE, 1, layout.SHIELD)
    hand = powers(words("TakeTwo TakeTwo TakeTwo +1"), words("Undo +1"), words("+1"), script=[2, 1, 1])
    hand.shield = 1
    hand.apply_move(0, "TakeTwo")
    assert (len(hand.cards[2]), hand.record["shields"]) == (3, 0)
    hand.apply_move(0, "TakeTwo")
    assert (hand.cards[1], hand.record["shields"], hand.record["taken"]) == (words("Undo +1"), 1, 2)
    assert hand.table.events[-2:] == [
        event(layout.TARGET, 0, "TakeTwo", 1),
        event(layout.SHIELDED, 1, "TakeTwo"),
    ]
    # It is spent for good, whether that TakeTwo is undone or not.
    hand.apply_move(1, "Undo")
    assert told(hand, layout.RETURN) == []
    hand.apply_move(0, "TakeTwo")
    assert (len(hand.cards[1]), hand.record["shields"]) == (3, 1)


def test_C23_a_shield_keeps_a_give_off() -> None:
    hand = powers(*[words("+1 +1")] * 4, meters=[4, 0, 0, 0], pile=words("+7 +6"), script=[GIVE])
    hand.shield = 2
    hand.ask_for_power(0, layout.AT_TURN)
    assert hand.table.events[3:] == [
        event(layout.GIVEN, 1, "+6"),
        event(layout.SHIELDED, 2, layout.KINDS),
        event(layout.GIVEN, 3, "+7"),
    ]
    assert (hand.record["shields"], hand.record["given"], hand.shield) == (1, 2, -1)


@pytest.mark.parametrize("what", ["Give", "TakeTwo", "TakeTwo of none"])
def test_C23_a_shield_is_spent_even_if_nothing_could_be_drawn(what: str) -> None:
    hand = powers(
        words("TakeTwo +1"), words("+1"), words("+1"), meters=[4, 0, 0],
        pile=["+1"] * (what == "TakeTwo of none"), take_count=0 if what == "TakeTwo of none" else 2,
        script=[GIVE] if what == "Give" else [1],
    )  # fmt: skip
    hand.shield = 1
    if what == "Give":
        hand.ask_for_power(0, layout.AT_TURN)
    else:
        hand.apply_move(0, "TakeTwo")
    assert (hand.record["shields"], hand.shield) == (1, -1)


def test_C23_a_wild_take_two_and_other_cards_leave_the_shield() -> None:
    hand = powers(words("TakeTwo Skip Drain +1"), words("+1"), script=[1, 1], meters=[0, 3])
    hand.shield = 1
    hand.apply_move(0, "TakeTwo", 1, layout.WILD)
    hand.apply_move(0, "Skip")
    hand.apply_move(0, "Drain")
    assert (hand.shield, hand.to_miss, hand.meters[1]) == (1, [0, 1], 1)


class BonusTable(RecordingTable):
    """A random table where winners always pick the same bonus."""

    def __init__(self, seed: int, bonus: str) -> None:
        super().__init__(random.Random(seed))
        self.bonus = bonus

    def choose(self, decision: int, seat: int, choices: Sequence[Choice], about: int = 0) -> Choice:
        choice = super().choose(decision, seat, choices, about)
        return self.bonus if about == layout.NEXT_BONUS and decision == layout.DECIDE_POWER else choice


def hands_in(events: Iterable[Event]) -> list[list[Event]]:
    """Return the events of a game hand by hand, its GAME_END left out."""
    hands: list[list[Event]] = []
    for row in events:
        if row[0] == layout.HAND:
            hands.append([])
        if row[0] != layout.GAME_END:
            hands[-1].append(row)
    return hands


@pytest.mark.parametrize("bonus", BONUSES)
@pytest.mark.parametrize("players", [2, 4])
def test_C23_C24_the_winner_picks_a_bonus_and_the_last_has_the_bullseye(players: int, bonus: str) -> None:
    options = resolve(powers=True, players=players, hands_to_win=3, meter_size=3, next_starter="winner")
    number = BONUSES.index(bonus)
    for seed in range(4):
        table = BonusTable(seed, bonus)
        records, game = run_game(options, table)
        assert game["bonuses"] == {number: len(records) - 1}
        hands = hands_in(table.events)
        assert not [row for row in hands[0] if row[0] == layout.ADVANTAGE]
        for events, record, after in zip(hands, records, [*hands[1:], None], strict=True):
            # The decision counts in the hand that was won.
            decisions = [row for row in events if row[0] == DECISION]
            assert len(decisions) == record["decisions"]
            assert sum(row[3] for row in decisions) == record["choices"]
            assert sum(row[3] == 1 for row in decisions) == record["forced"]
            winner, left = record["winner"], record["cards_left"]
            if after is None:
                assert events[-1][0] == layout.HAND_END
                continue
            assert events[-2:] == [
                event(DECISION, winner, layout.DECIDE_POWER, 3, layout.NEXT_BONUS),
                event(layout.BONUS, winner, number),
            ]
            clockwise = [(winner + step) % players for step in range(1, players)]
            starter = max(clockwise, key=lambda seat: left[seat])
            assert after[0][1] == starter
            advantages = [(row[1], row[2]) for row in after if row[0] == layout.ADVANTAGE]
            expected = [(starter, layout.HAS_BULLSEYE)]
            if bonus != HEAD_START:
                expected.append((winner, number))
            assert advantages == sorted(expected)
            dealt = Counter(row[1] for row in after if row[0] == layout.DEAL)
            assert dealt[winner] == 7 - (bonus == HEAD_START)
            assert dealt[starter] == 7 + (players == 2)


def test_C23_there_is_no_bonus_after_the_last_hand_of_a_drawn_game() -> None:
    options = resolve(powers=True, players=3, hands_to_win=3, max_hands=2)
    table = RecordingTable(random.Random(1))
    records, game = run_game(options, table)
    assert (game["drawn_game"], game["bonuses"].total()) == (1, 1)
    assert records[-1]["winner"] >= 0
    assert codes(table.events[-2:]) == [layout.HAND_END, layout.GAME_END]


@pytest.mark.parametrize("bonus", BONUSES)
def test_C24_a_hand_after_a_void_one_has_its_advantages(bonus: str) -> None:
    options = resolve(powers=True, players=3, max_turns=17, max_hands=20, hands_to_win=5, meter_size=10)
    of_a_start = (layout.HAND, layout.DEAL, layout.ADVANTAGE)
    again = 0
    for seed in range(6):
        table = BonusTable(seed, bonus)
        records, _ = run_game(options, table)
        hands = hands_in(table.events)
        for before, after, record in zip(hands, hands[1:], records, strict=False):
            if record["winner"] < 0:
                starts = [[row for row in events if row[0] in of_a_start] for events in (before, after)]
                # Who starts, how many cards each is dealt, and who has what.
                assert [row[:2] for row in starts[0]] == [row[:2] for row in starts[1]]
                assert before[-1][0] == layout.HAND_END
                again += any(row[0] == layout.ADVANTAGE for row in before)
    assert again


@pytest.mark.parametrize("bonus", range(3))
def test_C24_a_hand_after_a_void_one_has_them_unused(bonus: int) -> None:
    options = resolve(powers=True, players=3, meter_size=10)
    standing = Standing([0, 3, 0], bonus, 1, 2)
    for dealt in (1, 2):
        hand = PowerHand(options, RecordingTable(random.Random(dealt)), 2, standing)
        hand.deal()
        assert [len(cards) for cards in hand.cards] == [7, 7 - (bonus == layout.HEAD_START), 7]
        assert hand.shield == (1 if bonus == layout.SHIELD else -1)
        assert hand.meters[1] == 3 + (2 * dealt if bonus == layout.CHARGED else 0)
        assert hand.bullseye == 2
        if bonus == layout.SHIELD:
            hand.spend_shield(layout.KINDS)
        hand.apply_move(2, hand.cards[2][0], 1, layout.BULLSEYE)
        assert (hand.shield, hand.bullseye) == (-1, -1)


# C24: Bullseyes


def test_C24_a_bullseye_is_offered_with_the_legal_moves() -> None:
    held = words("+9 Halve +9 TakeTwo")
    script: list[Choice] = [("Halve", 1, layout.BULLSEYE), STOP]
    hand = powers(held, words("+1 +1"), words("+1 +1"), total=27, script=script)
    hand.bullseye = 0
    hand.take_turn()
    bullseyes = [(kind, 1, layout.BULLSEYE) for kind in words("+9 Halve TakeTwo")]
    assert hand.table.offered == [[("TakeTwo", 1), *bullseyes], [("TakeTwo", 1), STOP]]
    assert told(hand, MOVE) == [event(MOVE, 0, "Halve", 1, 27, 30, 1, layout.BULLSEYE)]
    assert (hand.total, hand.meters[0], hand.record["tens"]) == (30, 1, 1)
    assert (hand.record["bullseyes"], hand.record["powers"]) == (1, {})
    assert hand.bullseye == -1
    # Only once.
    hand.to_act = 0
    hand.table.script = [("TakeTwo", 1), 1]
    hand.take_turn()
    assert hand.table.offered[2] == [("TakeTwo", 1)]


def test_C24_a_bullseye_has_no_effect_of_its_own_and_can_be_undone() -> None:
    hand = powers(words("TakeTwo +9"), words("Undo +1"), words("+1 +1"), total=27)
    hand.bullseye = 0
    hand.apply_move(0, "TakeTwo", 1, layout.BULLSEYE)
    assert codes(hand.table.events) == [MOVE, METER]
    hand.apply_move(1, "Undo")
    assert (hand.total, hand.bullseye) == (27, -1)
    assert told(hand, layout.RETURN) == []


def test_C24_a_bullseye_can_be_kept() -> None:
    hand = powers(words("+1 +1 +1"), words("+1 +1"), total=14, script=[("+1", 1)])
    hand.bullseye = 0
    hand.take_turn()
    assert hand.table.offered == [[("+1", 1), ("+1", 2), ("+1", 3), ("+1", 1, layout.BULLSEYE)]]
    assert (hand.bullseye, hand.record["bullseyes"]) == (0, 0)


def test_C24_there_is_no_bullseye_without_a_legal_move_nor_in_a_chain_nor_for_others() -> None:
    hand = powers(words("+9"), words("+1 +1"), total=29, pile=["+1"], script=[("+1", 1), ("+1", 1)])
    hand.bullseye = 0
    hand.take_turn()
    assert hand.table.offered == [[("+1", 1), "keep"]]
    assert hand.bullseye == 0
    hand.total = 1
    hand.table.script = [("+1", 2)]
    hand.take_turn()
    assert hand.table.offered[1:] == [[("+1", 1), ("+1", 2)]]

    hand = powers(words("+5 +1"), words("+1 +1"), total=15, script=[("+5", 1), STOP])
    hand.bullseye = 0
    hand.take_turn()
    assert hand.table.offered[1] == [("+1", 1), STOP]


def test_C24_there_is_no_bullseye_while_a_wild_ten_is_in_force() -> None:
    script: list[Choice] = [WILD_TEN, ("+1", 1, layout.WILD), STOP]
    hand = powers(words("+1 +2"), words("+1 +1"), total=14, meters=[4, 0], script=script)
    hand.bullseye = 0
    hand.take_turn()
    assert hand.table.offered[1] == [("+1", 1, layout.WILD), ("+2", 1, layout.WILD)]
    assert (hand.bullseye, hand.record["bullseyes"]) == (0, 0)


def test_C24_a_bullseye_beside_drawing_by_choice_and_after_a_power() -> None:
    script: list[Choice] = [GIVE, ("+1", 1, layout.BULLSEYE), STOP]
    cards = [words("+1 +2"), words("+1 +1"), words("+1 +1")]
    hand = powers(*cards, total=14, meters=[4, 0, 0], must_play=False, script=script, power_reaction=False)
    hand.bullseye = 0
    hand.take_turn()
    assert set(hand.table.offered[1]) == {
        ("+1", 1),
        ("+2", 1),
        DRAW,
        ("+1", 1, layout.BULLSEYE),
        ("+2", 1, layout.BULLSEYE),
    }
    assert hand.total == 10


# C25: Drain cards


def test_C25_drain_cards_are_added_to_the_deck() -> None:
    assert cards_in_deck(resolve(powers=True))["Drain"] == 2
    assert cards_in_deck(resolve(powers=True, drain_cards=6))["Drain"] == 6
    assert "Drain" not in cards_in_deck(resolve(drain_cards=6))
    # They count in what must fit: 52 cards are too few.
    assert resolve(powers=True, players=4, hand_size=13, starter_extra=2)["hand_size"] == 13
    with pytest.raises(ValueError, match="C3"):
        resolve(players=4, hand_size=13, starter_extra=2)
    with pytest.raises(ValueError, match="Drain"):
        resolve(powers=True, deck={"Drain": 4, "+1": 40})


@pytest.mark.parametrize(("before", "after"), [(4, 2), (2, 0), (1, 0), (0, 0)])
def test_C25_a_drain_takes_two_notches_off_and_undo_gives_them_back(before: int, after: int) -> None:
    hand = powers(
        words("Drain +1"), words("+1 +1"), words("Undo +1"), meters=[1, 3, before], total=10, script=[2]
    )
    assert not hand.apply_move(0, "Drain")
    lost = before - after
    assert (hand.meters, hand.total, hand.to_act) == ([1, 3, after], 10, 1)
    assert (hand.record["drains"], hand.record["notches_drained"]) == (1, lost)
    changes = [event(METER, 2, before, after, layout.FOR_DRAIN)] if lost else []
    assert hand.table.events == [
        event(MOVE, 0, "Drain", 1, 10, 10, 1),
        event(DECISION, 0, layout.DECIDE_POWER, 2, layout.AIM),
        event(layout.TARGET, 0, "Drain", 2),
        *changes,
    ]
    # The total is on a ten, but the Undo has not brought it there: the turn ends.
    assert not hand.apply_move(2, "Undo")
    assert (hand.meters, hand.to_act) == ([1, 3, before], 0)
    assert (hand.record["drains"], hand.record["notches_drained"]) == (1, lost)
    assert told(hand, METER)[len(changes) :] == (
        [event(METER, 2, after, before, layout.FOR_UNDO)] if lost else []
    )
    assert hand.record["notches"] == 0


def test_C25_a_drain_is_always_legal_and_never_a_double() -> None:
    hand = powers(words("Drain Drain +9"), words("+1"), total=30)
    assert hand.legal_moves(0) == [("Drain", 1)]


# C14 in Power Up


def test_C14_a_power_starts_the_count_of_passes_anew() -> None:
    hand = powers(words("+9"), words("+9"), words("+9"), total=30, pile=[], meters=[0, 4, 0])
    hand.table.script = [GIVE]
    for passed in ({0}, set(), {2}, {0, 2}):
        hand.take_turn()
        assert (hand.passed, hand.reason) == (passed, UNDER_WAY)
    hand.take_turn()
    assert hand.reason == layout.IS_BLOCKED


def test_C14_a_missed_turn_is_no_turn() -> None:
    hand = powers(*[words("+9")] * 4, total=30, pile=[])
    hand.to_miss[2] = 2
    acted = []
    while hand.reason == UNDER_WAY:
        hand.take_turn()
        acted.append(told(hand, layout.TURN)[-1][1])
    # Seat 2 misses two turns before it has one, and passes too.
    assert acted == [0, 1, 3, 0, 1, 3, 0, 1, 2]
    assert hand.reason == layout.IS_BLOCKED
    assert (hand.record["turns"], hand.record["turns_missed"]) == (9, 2)


def test_C14_declining_a_power_is_a_pass() -> None:
    hand = powers(words("+9"), words("+9"), total=30, pile=[], meters=[4, 0], script=[NO_POWER])
    hand.take_turn()
    hand.take_turn()
    assert hand.reason == layout.IS_BLOCKED


# Traces

OPTIONS = resolve(
    powers=True,
    players=3,
    meter_size=1,
    hand_size=2,
    deck={"+5": 3, "Skip": 2, "-9": 2, "TakeTwo": 1},
    drain_cards=1,
)
# Seat 0 hits a ten and stops; 1 aims a Skip at 2, and 0, asked between turns, keeps its power.
# Then it swaps a card, and plays what it has taken for it.
WRITTEN = [
    event(layout.HAND, 0, 1, 15, 9),
    event(layout.DEAL, 0, "+5"),
    event(layout.DEAL, 1, "Skip"),
    event(layout.DEAL, 2, "Drain"),
    event(layout.DEAL, 0, "-9"),
    event(layout.DEAL, 1, "+5"),
    event(layout.DEAL, 2, "-9"),
    event(layout.TURN, 0, 1, 15, 1, 2),
    event(DECISION, 0, 1, 2),
    event(MOVE, 0, "+5", 1, 15, 20, 1, layout.FROM_HAND),
    event(METER, 0, 0, 1, layout.FOR_TEN),
    event(DECISION, 0, 3, 2),
    event(layout.STOP, 0),
    event(layout.TURN, 1, 2, 20, 1, 2),
    event(DECISION, 1, 1, 2),
    event(MOVE, 1, "Skip", 1, 20, 20, 1, layout.FROM_HAND),
    event(DECISION, 1, 4, 2, layout.AIM),
    event(layout.TARGET, 1, "Skip", 2),
    event(DECISION, 0, 4, 3, layout.USE_POWER),
    event(layout.NO_POWER, 0, layout.AS_REACTION),
    event(layout.MISS, 2),
    event(layout.TURN, 0, 3, 20, 1, 1),
    event(DECISION, 0, 4, 3, layout.USE_POWER),
    event(layout.POWER, 0, layout.SWAP, layout.AT_TURN),
    event(METER, 0, 1, 0, layout.FOR_POWER),
    event(DECISION, 0, 4, 1, layout.CARD_AWAY),
    event(layout.SWAP_AWAY, 0, "-9"),
    event(DECISION, 0, 4, 2, layout.KIND_TAKEN),
    event(layout.SWAP_FOR, 0, "TakeTwo"),
    event(DECISION, 0, 1, 1),
    event(MOVE, 0, "TakeTwo", 1, 20, 20, 1, layout.FROM_HAND),
    event(DECISION, 0, 4, 2, layout.AIM),
    event(layout.TARGET, 0, "TakeTwo", 1),
    event(layout.TAKE, 1, "TakeTwo"),
    event(layout.TAKE, 1, "+5"),
    event(layout.HAND_END, 0, layout.WON, 3),
]


def test_a_written_hand_of_power_up_is_accepted() -> None:
    record = check_hand(WRITTEN, OPTIONS)
    assert record["notches"] == 1
    assert record["powers"] == {2 * layout.SWAP + layout.AT_TURN: 1}
    assert (record["turns"], record["turns_missed"], record["taken"]) == (3, 1, 2)
    assert (record["decisions"], record["choices"], record["forced"]) == (10, 20, 2)
    assert record["plays"] == {"+5": 1, "Skip": 1, "TakeTwo": 1}
    assert record["cards_left"] == [0, 3, 2]


@pytest.mark.parametrize(
    ("index", "row", "rule", "words_of_it"),
    [
        (10, event(METER, 0, 0, 2, layout.FOR_TEN), "C20", "after 1"),
        (10, event(METER, 0, 0, 1, layout.FOR_THIRD_TEN), "C20", "why 0"),
        (10, event(DECISION, 0, 3, 2), "C20", "expected METER"),
        (16, event(DECISION, 1, 4, 1, layout.AIM), "C22", "among seat 2, seat 0"),
        (16, event(DECISION, 1, 4, 2, layout.USE_POWER), "C22", "about 3"),
        (17, event(layout.TARGET, 1, "Skip", 1), "C22", "not among the choices: seat 2, seat 0"),
        (17, event(layout.TARGET, 1, "TakeTwo", 2), "C22", "kind Skip"),
        (18, event(layout.MISS, 2), "C21", "expected DECISION"),
        (19, event(layout.NO_POWER, 0, layout.AT_TURN), "C21", "moment as a reaction"),
        (19, event(layout.POWER, 0, layout.WILD_TEN, layout.AS_REACTION), "C21", "form wild ten"),
        (20, event(layout.TURN, 2, 3, 20, 1, 2), "C22", "expected MISS"),
        (23, event(layout.POWER, 0, 5, layout.AT_TURN), "C21", "form 5"),
        (26, event(layout.SWAP_AWAY, 0, "+5"), "C21", "not among the choices: -9"),
        (28, event(layout.SWAP_FOR, 0, "Switch"), "C21", "not among the choices: Skip, TakeTwo"),
        (30, event(MOVE, 0, "TakeTwo", 1, 20, 20, 1, layout.BULLSEYE), "C5", "by the Bullseye.*not among"),
        (30, event(MOVE, 0, "TakeTwo", 1, 20, 20, 1, layout.WILD), "C5", "as a Wild ten.*not among"),
    ],
)
def test_an_error_of_power_up_names_rule_and_event(
    index: int, row: Event, rule: str, words_of_it: str
) -> None:
    trace = [*WRITTEN[:index], row, *WRITTEN[index + 1 :]]
    with pytest.raises(RefereeError, match=words_of_it) as caught:
        check_hand(trace, OPTIONS)
    assert (caught.value.rule, caught.value.index) == (rule, index)


def test_a_card_swapped_away_comes_up_last() -> None:
    # With the three cards of the pile gone, the one under it is the -9.
    options = OPTIONS | {"take_count": 4}
    end = WRITTEN[-1]
    trace = [*WRITTEN[:-1], event(layout.TAKE, 1, "Skip"), event(layout.TAKE, 1, "-9"), end]
    assert check_hand(trace, options)["taken"] == 4
    trace = [*WRITTEN[:-1], event(layout.TAKE, 1, "Skip"), event(layout.TAKE, 1, "Skip"), end]
    with pytest.raises(RefereeError, match="-9 was put there by a Swap"):
        check_hand(trace, options)


def test_a_game_must_tell_of_its_bonuses() -> None:
    options = resolve(powers=True, players=3)
    table = RecordingTable(random.Random(2))
    run_game(options, table)
    place = codes(table.events).index(layout.BONUS)
    for wrong in (event(layout.BONUS, table.events[place][1], 3), event(layout.BONUS, 9, 0)):
        trace = [*table.events[:place], wrong, *table.events[place + 1 :]]
        with pytest.raises(RefereeError, match="C23"):
            check_game(trace, options, True)
    with pytest.raises(RefereeError, match="C23"):
        check_game(table.events[: place - 1] + table.events[place + 1 :], options, True)

"""What is read from traces is what happened, by hand, by the kernels' own counts and in plain Python."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from fastsim.catalog.story import Change, Standing, Story
from fastsim.experiment import Experiment, design
from fastsim.following import Course, course, grouped, held, progress
from fastsim.impact import Cards
from fastsim.pairing import Quantities
from fastsim.stories import PARTS, StoryPlay
from fastsim.tracing import traced_blocks
from kernels.blocks import as_table
from kernels.kapaga import layout as kapaga

pytestmark = pytest.mark.compiled

BEGIN, GET, LOSE, STEP, PASS = range(1, 6)


def made(*events: tuple[int, ...]) -> np.ndarray:
    """Return events with the fields that are given."""
    return np.array([[*event, *[0] * (8 - len(event))] for event in events], dtype=np.int32)


def test_standing_after_every_step() -> None:
    table = Standing("cards", True, STEP, "step", (Change(GET), Change(LOSE, by=-1, field=3)))
    events = made(
        (BEGIN,), (GET, 0), (GET, 0), (GET, 1),
        (STEP, 0), (LOSE, 0, 7, 2),
        (STEP, 1), (GET, 1),
        (BEGIN,), (GET, 1), (STEP, 0), (STEP, 1), (GET, 0), (LOSE, 1, 7, 1),
    )  # fmt: skip
    found = course(events, np.array([0, 8]), table, 2)
    assert found.standing.tolist() == [[0, 1], [0, 2], [0, 1], [1, 0]]
    assert found.of.tolist() == [0, 0, 1, 1]


def test_a_change_counts_only_where_a_field_says_so() -> None:
    table = Standing("points", False, STEP, "step", (Change(GET, by=-5, only=(2, 9)), Change(GET, field=3)))
    events = made((BEGIN,), (STEP,), (GET, 1, 9, 3), (STEP,), (GET, 1, 8, 4))
    assert course(events, np.array([0]), table, 2).standing.tolist() == [[0, -2], [0, 2]]


def test_hands_that_go_round_take_their_numbers_with_them() -> None:
    changes, passes = (Change(GET), Change(LOSE, by=-1)), (Change(PASS, field=2),)
    table = Standing("cards", True, STEP, "step", changes, passes)
    hand = [(BEGIN,), (GET, 0), (GET, 0), (GET, 0), (GET, 1), (GET, 1), (GET, 2)]
    events = made(
        *hand,
        (STEP, 0), (PASS, 0, 1),  # 3, 2, 1 cards become 1, 3, 2
        (STEP, 1), (LOSE, 1),
        (STEP, 2), (PASS, 2, 2), (GET, 0),  # 1, 2, 2 become 2, 2, 1
        *hand,
        (STEP, 0), (PASS, 0, -1),
    )  # fmt: skip
    found = course(events, np.array([0, 14]), table, 3)
    assert found.standing.tolist() == [[1, 3, 2], [1, 2, 2], [3, 2, 1], [2, 1, 3]]


def test_what_seats_ever_held_comes_with_passed_hands_too() -> None:
    story = Story(BEGIN, GET, (Change(GET), Change(6), Change(LOSE, by=-1)), (Change(PASS, field=2),))
    events = made(
        (BEGIN,), (GET, 0, 0), (GET, 1, 1), (GET, 2, 2),
        (LOSE, 0, 0), (6, 1, 3), (PASS, 0, 1), (6, 0, 4),
        (BEGIN,), (GET, 0, 1), (GET, 1, 1), (GET, 2, 1),
    )  # fmt: skip
    found = held(events, story, 3, np.arange(5), 5)
    assert [np.flatnonzero(each).tolist() for each in found.dealt[0]] == [[0], [1], [2]]
    # Seat 1 gets nothing: the card that seat 0 was dealt was gone. Seat 2 gets those of seat 1.
    assert [np.flatnonzero(each).tolist() for each in found.ever[0]] == [[0, 2, 4], [1, 3], [1, 2, 3]]
    assert found.ever[1].sum() == 3


def test_the_course_of_one_hand_by_hand() -> None:
    # The winner, side 1, is behind after steps 1 and 3 of 5, by 1 of 4 and by 2 of 3.
    standing = np.array([[3, 4], [3, 3], [1, 3], [2, 1], [2, 0]])
    found = progress(Course(standing, np.zeros(5, dtype=int)), np.array([1]), True)
    assert (found.steps.tolist(), found.lead_changes.tolist(), found.deficit.tolist()) == ([5], [1], [2])
    assert found.drama[0] == pytest.approx(((1 / 4) ** 0.5 + (2 / 3) ** 0.5) / 2)
    assert found.last_behind[0] == pytest.approx(3 / 5)
    assert not found.behind_half_way[0]  # after step 2 of 5
    assert progress(Course(standing[2:], np.zeros(3, dtype=int)), np.array([1]), True).behind_half_way[0]
    most = progress(Course(standing, np.zeros(5, dtype=int)), np.array([1]), False)
    assert (most.deficit[0], most.last_behind[0]) == (2, 1.0)
    assert most.drama[0] == pytest.approx(((2 - 1) / 2) ** 0.5 / 2 + ((2 - 0) / 2) ** 0.5 / 2)


def test_hands_that_nobody_won_alone_and_winners_who_never_trailed() -> None:
    standing = np.array([[0, 1, 1], [1, 2, 2], [5, 4, 0], [3, 4, 1]])
    found = progress(Course(standing, np.array([0, 0, 1, 1])), np.array([-1, 2]), True)
    assert found.decided.tolist() == [False, True]
    assert found.drama.tolist() == [0, 0] and found.last_behind.tolist() == [0, 0]
    assert found.deficit.tolist() == [0, 0] and found.lead_changes.tolist() == [0, 0]


VARIANTS: list[tuple[str, dict[str, Any], str, str]] = [
    ("cap30", {"players": 4}, "random", "hand"),
    ("cap30", {"take_count": 5, "must_play": False}, "balanced", "hand"),
    ("cap30", {"players": 3}, "random", "game"),
    ("kapaga", {"players": 4, "packs": 2, "max_turns": 60}, "random", "hand"),
    ("kapaga", {"players": 7}, "balanced", "hand"),
    ("kapaga", {"players": 3, "limit": 150, "forget_rate": 0.2}, "random", "game"),
    ("cap-zap", {"players": 6, "teams": 2}, "balanced", "hand"),
    ("cap-zap", {"players": 3}, "random", "game"),
    ("thirty-thirty", {"players": 3, "contract_only": False}, "balanced", "hand"),
    ("thirty-thirty", {}, "random", "game"),
    ("cap-it", {"hand": 5, "swap_same_meld": True}, "balanced", "hand"),
    ("cap-it", {"players": 2}, "balanced", "game"),
]


def blocks(experiment: Experiment, n: int) -> Any:
    """Yield events, starts of hands or games, winners, and the table of rows of the unit."""
    quantities = Quantities(experiment)
    layout = experiment.game.layout
    for block, events in traced_blocks(experiment, 0, n):
        starts = np.flatnonzero(events[:, 0] == experiment.game.story.begins)
        table = as_table(block.hands_block, len(layout.HAND_COLUMNS), block.rows)
        columns = layout.HAND_COLUMNS
        if experiment.unit == "game":
            hands = quantities.hands(block)
            starts = starts[np.cumsum(hands) - hands]
            table = as_table(block.games_block, len(layout.GAME_COLUMNS), block.games)
            columns = layout.GAME_COLUMNS
        yield (
            events,
            starts,
            quantities.winners(block),
            {(c.metric, c.key): row for c, row in zip(columns, table, strict=True)},
        )


@pytest.mark.parametrize(("game", "options", "policy", "unit"), VARIANTS)
def test_standings_and_changes_of_the_lead_are_those_that_the_kernel_counts(
    game: str, options: dict[str, Any], policy: str, unit: str
) -> None:
    experiment = design(game, options, policy, unit=unit, seed=2)
    sides = Quantities(experiment).sides
    table = experiment.game.standing(experiment.options, experiment.unit)
    last_of = {
        "hand": {"cap-zap": "tricks"},
        "game": {"cap-zap": "points", "cap-it": "score", "thirty-thirty": "score"},
    }
    metric = last_of[unit].get(game, "cards_left" if unit == "hand" else None)
    seen = 0
    resets = 0
    for events, starts, _, rows in blocks(experiment, 120):
        found = course(events, starts, table, sides)
        ends = np.flatnonzero(np.append(found.of[1:] != found.of[:-1], True))
        if metric is not None:
            first = 6 if (game, unit) == ("cap-zap", "hand") else 0  # tricks of sides follow those of seats
            expected = np.array([rows[metric, first + side] for side in range(sides)]).T
            assert np.array_equal(found.standing[ends], expected)
            seen += len(ends)
        elif game == "cap30":
            won = found.standing[ends].max(axis=1) == experiment.options.hands_to_win  # type: ignore[attr-defined]
            assert np.array_equal(won, rows["drawn_game", -1] == 0)
            seen += len(ends)
        else:
            after, outcome_of_reset = scores_after_hands(events.tolist(), set(starts.tolist()), sides)
            assert after == found.standing.tolist()
            assert found.standing.max() > experiment.options.limit  # type: ignore[attr-defined]
            resets += outcome_of_reset
            seen += len(ends)
        counted = rows.get(("lead_changes", -1))
        if counted is not None:
            single = progress(found, np.full(len(starts), -1), table.fewest_lead)
            assert np.array_equal(single.lead_changes, counted)
            assert np.array_equal(single.steps, rows["turns", -1])
    assert seen >= 120
    assert resets > 0 or (game, unit) != ("kapaga", "game")


def scores_after_hands(
    events: list[list[int]], begins: set[int], players: int
) -> tuple[list[list[int]], int]:
    """Return the scores of games of Kapaga after each hand, and how often one was reset."""
    scores: list[int] = []
    after = []
    resets = 0
    for place, (code, seat, _, _, score, outcome, *_) in enumerate(events):
        if place in begins:
            scores = [0] * players
        if code == kapaga.HAND:
            after.append(scores)
        elif code == kapaga.SCORE:
            resets += outcome == kapaga.RESETS
            scores = [
                (0 if outcome == kapaga.RESETS else score) if each == seat else scores[each]
                for each in range(players)
            ]
            after[-1] = scores
    return after, resets


class Reader:
    """Follows one hand in plain Python, event by event."""

    def __init__(self, experiment: Experiment) -> None:
        self.story = experiment.game.story
        self.players: int = experiment.options.players  # type: ignore[attr-defined]
        self.cards = [Counter[int]() for _ in range(self.players)]
        self.dealt = [set[int]() for _ in range(self.players)]
        self.ever = [set[int]() for _ in range(self.players)]

    def event(self, event: list[int]) -> None:
        code, seat = event[:2]
        for change in self.story.cards:
            if change.code == code:
                times = change.by * (1 if change.field is None else event[change.field])
                self.cards[seat][event[change.kind]] += times
                assert self.cards[seat][event[change.kind]] >= 0
                if code == self.story.dealt:
                    self.dealt[seat].add(event[change.kind])
        steps = sum(
            change.by * event[change.field or 0] for change in self.story.passes if change.code == code
        )
        self.cards = [self.cards[(seat - steps) % self.players] for seat in range(self.players)]
        for ever, hand in zip(self.ever, self.cards, strict=True):
            ever.update(+hand)


@pytest.mark.parametrize(("game", "options", "policy", "unit"), [v for v in VARIANTS if v[3] == "hand"])
def test_cards_dealt_and_held_are_those_of_a_reader(
    game: str, options: dict[str, Any], policy: str, unit: str
) -> None:
    experiment = design(game, options, policy, unit=unit, seed=4)
    cards = Cards(experiment)
    players = options.get("players", experiment.options.players)  # type: ignore[attr-defined]
    for events, starts, _, _ in blocks(experiment, 130):
        found = held(events, experiment.game.story, players, cards.groups, len(cards.names))
        readers = []
        for event in events.tolist():
            if event[0] == experiment.game.story.begins:
                readers.append(Reader(experiment))
            readers[-1].event(event)
        assert len(readers) == len(starts)
        for hand, reader in enumerate(readers):
            for seat in range(players):
                for got, kinds in ((found.dealt, reader.dealt), (found.ever, reader.ever)):
                    expected = {int(cards.groups[kind]) for kind in kinds[seat]}
                    assert set(np.flatnonzero(got[hand, seat]).tolist()) == expected


@pytest.mark.parametrize(("game", "options", "policy", "unit"), VARIANTS[:8])
def test_sums_do_not_depend_on_how_games_are_cut(
    game: str, options: dict[str, Any], policy: str, unit: str
) -> None:
    play = StoryPlay(design(game, options, policy, unit=unit, seed=6))
    whole = play(0, 150)
    assert (whole == play(0, 41) + play(41, 42) + play(42, 150)).all()
    assert whole[0] == 150 and 0 < whole[1] <= 150
    assert 0 <= whole[2] <= whole[1] and whole[5] <= PARTS * whole[1] and whole[7] <= PARTS * whole[1]


def test_a_hand_with_more_events_than_room_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = design("kapaga", {"players": 3}, "random")
    whole = [events.copy() for _, events in traced_blocks(experiment, 0, 40)]
    monkeypatch.setattr("fastsim.tracing._ROOM", 7)
    pieces = [events.copy() for _, events in traced_blocks(experiment, 0, 40)]
    assert np.array_equal(np.concatenate(whole), np.concatenate(pieces))
    assert len(pieces) > len(whole)


def test_kinds_that_share_a_name_are_one_group() -> None:
    names, groups = grouped({0: "a", 1: "b", 2: "a", 3: "c"}, np.array([2, 1, 1]), 64)
    assert names == ("b", "a")  # as the first of each in the deck
    assert groups[[0, 1, 2]].tolist() == [1, 0, 1]


def test_cards_of_the_games() -> None:
    cards = Cards(design("kapaga"))
    copies = dict(zip(cards.names, cards.copies, strict=True))
    assert copies["five of spades"] == copies["five of clubs"] == copies["Joker"] == 1
    assert copies["5"] == 2 and copies["2"] == 4 and sum(copies.values()) == 53
    rummy = Cards(design("cap-it"))
    assert dict(zip(rummy.names, rummy.copies, strict=True))["Joker"] == 4 and sum(rummy.copies) == 108
    assert sum(mask.bit_count() for mask in rummy.masks) == 53

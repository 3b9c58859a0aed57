"""Contract rummy's kernel, rule by rule: R1-R14 of both games, T1-T12 of 30-30, P1-P11 of Cap-It."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from kernels.blocks import as_table, new_block
from kernels.rummy import layout as at
from kernels.rummy.tables import parts_of_a_cent
from tests.kernels.rummy_positions import (
    NUMBERS,
    Played,
    game_of,
    go_down,
    meld,
    names,
    play,
    setup,
)

pytestmark = pytest.mark.kernel

BOTH = pytest.mark.parametrize("game", ["thirty-thirty", "cap-it"])

# Policies that always, or never, do a thing. All go down and meld at once and drop what counts most.
AT_ONCE = {"down": 1.0, "meld": 1.0, "meld_others": 1.0, "drop_points": 1.0, "drop_rank": -0.1}
BUYER = AT_ONCE | {"buy": 1.0}
MISER = AT_ONCE | {"buy": -1.0}
TAKER = AT_ONCE | {"take": 1.0}
PUSHER = AT_ONCE | {"take": -1.0}
DULL = "3c 5d 7h 9s"  # nothing can be laid with these


def deck_of(game: str, **options: Any) -> Counter[str]:
    """Return the cards of a game."""
    return Counter(names(setup(game, **options)[1].deck.tolist()).split())


def laid(played: Played) -> list[str]:
    """Return the cards of the melds laid, each as text."""
    found: list[str] = []
    for code, _, *fields in played.events:
        if code == at.NEW_MELD:
            found.append("")
        elif code == at.PLACE:
            found[-1] += f" {at.KIND_NAMES[fields[1]]}"
    return [each.strip() for each in found]


# What both share.


@BOTH
@pytest.mark.parametrize(("players", "packs"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 4)])
def test_R1_packs_T1_P1(game: str, players: int, packs: int) -> None:
    cards = deck_of(game, players=players, contracts=[["set 3"]], hand_size=6)
    assert cards.total() == 54 * packs
    assert cards["Joker"] == 2 * packs
    assert set(cards) == set(NUMBERS)
    assert all(copies == packs for name, copies in cards.items() if name != "Joker")


def test_R2_twos_are_wild_and_in_runs_may_be_themselves() -> None:
    assert go_down("cap-it", "2h 3h 4h", ["run 3"]) == [("2h 3h 4h", "")]
    assert go_down("thirty-thirty", "2h 3h 4h 5h 9c", ["run 4"]) == [("3h 4h 5h 2h", "2h")]
    assert go_down("thirty-thirty", "2h 2d 9h 9d 3c", ["set 4"]) == [("9d 9h 2d 2h", "2d 2h")]
    assert go_down("cap-it", "2h 2d 2c 9d", ["set 3"]) == [("9d 2c 2d", "2c 2d")]


def test_R3_sets() -> None:
    assert go_down("thirty-thirty", "9h 9h 9h 4c", ["set 3"]) == [("9h 9h 9h", "")]
    assert go_down("thirty-thirty", "9h 9h 4d 4c", ["set 3"]) is None
    assert go_down("cap-it", "2c 2d 2h", ["set 3"]) is None  # 2s are no rank of a set


def test_R4_runs() -> None:
    assert go_down("cap-it", "Jd Qd Kd Ad", ["run 4"]) == [("Jd Qd Kd Ad", "")]
    assert go_down("cap-it", "Kd Ad 2d 3d", ["run 4"]) is None  # round the corner
    assert go_down("cap-it", "5d 6d 6d 7d", ["run 4"]) is None  # a place twice
    assert go_down("cap-it", "5d 6h 7d 8d", ["run 4"]) is None
    whole = "2s 3s 4s 5s 6s 7s 8s 9s 10s Js Qs Ks As"
    assert go_down("cap-it", whole, ["run 13"], hand_size=13) == [(whole, "")]


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({}, [0, 0, 1, 1, 2, 2, 3, 3, 4]),
        ({"wild_fraction": 0.7}, [0, 0, 1, 2, 2, 3, 4, 4, 5]),
        ({"wild_fraction": 0.0}, [0] * 9),
        ({"wild_fraction": 1.0}, [0, 0, 1, 2, 3, 4, 5, 6, 7]),
        ({"wild_rule": "one_natural"}, [0, 0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_R5_wilds_in_a_meld_T10(options: dict[str, Any], allowed: list[int]) -> None:
    _, tables = setup("thirty-thirty", contracts=[["set 3"]], **options)
    assert tables.most_wilds[:9].tolist() == allowed


def test_R5_a_card_laid_as_a_wild_stays_one() -> None:
    # Two 2h as wilds reach down to their own place, and the second is a wild there too.
    done, left = meld("cap-it", "2h 2h", [("4h 5h 6h 7h 8h 9h 10h Jh Qh Kh Ah", 4)])
    assert (done, left) == (["2h on 0 at 3", "2h on 0 at 2"], "")


def test_R6_lay_offs_on_any_meld() -> None:
    table = [("9c 9d 9h", 0, 1), ("5h 6h 7h 8h", 5, 2)]
    assert meld("cap-it", "9s 4h 9h Kc", table) == (["9h on 0", "9s on 0", "4h on 1"], "Kc")


def test_R6_a_run_grows_at_both_ends_the_upper_first() -> None:
    done, left = meld("cap-it", "3h 4h 9h 10h Kc Kd", [("5h 6h 7h 8h", 5)])
    assert done == ["9h on 0", "10h on 0", "4h on 0", "3h on 0"]
    assert left == "Kc Kd"
    # The 2 of its suit at the foot is a natural, where a 2 may be one.
    assert meld("cap-it", "2h Kc Kd", [("3h 4h 5h", 3)]) == (["2h on 0"], "Kc Kd")
    assert meld("thirty-thirty", "2h Kc Kd", [("3h 4h 5h 6h", 3)]) == ([], "Kc Kd 2h")


@pytest.mark.parametrize(
    ("layoff", "done"),
    [("any", ["9s on 0", "4h on 1"]), ("own", ["4h on 1"]), ("none", [])],
)
def test_R6_lay_offs_can_be_limited(layoff: str, done: list[str]) -> None:
    table = [("9c 9d 9h", 0, 1), ("5h 6h 7h 8h", 5, 0)]
    assert meld("cap-it", "9s 4h Kc Kd", table, layoff=layoff)[0] == done
    swappable = [("Kc Kd Ks", 0, 1), ("5h Joker 7h 8h", 5, 0)]
    # Under `own` there is no meld of the player's own for the freed Joker.
    assert (meld("cap-it", "6h 3c 3d", swappable, layoff=layoff)[0] != []) == (layoff == "any")


def test_R7_swaps() -> None:
    table = [("Kc Kd Ks", 0), ("5h Joker 7h 8h", 5)]
    assert meld("cap-it", "6h 3c 3d", table) == (["6h for Joker in 1", "Joker on 0"], "3c 3d")
    # The highest place first; then no other meld takes a wild under the half rule.
    table = [("Kc Kd Joker", 0), ("5h Joker 7h 2s 9h 10h", 5)]
    assert meld("cap-it", "6h 8h 3c 4d", table, wild_rule="half") == (
        ["8h for 2s in 1", "2s on 0"],
        "3c 4d 6h",
    )
    # A natural 2 is not taken out, a wild in its place is.
    assert meld("cap-it", "2h 3c 4d", [("2h 3h 4h", 2), ("Kc Kd Ks", 0)])[0] == []
    assert meld("cap-it", "2h 3c 4d", [("Joker 3h 4h", 2), ("Kc Kd Ks", 0)])[0] == [
        "2h for Joker in 0", "Joker on 1",
    ]  # fmt: skip


def test_R7_the_freed_wild_goes_above_a_run_else_below() -> None:
    first = ("5c Joker 7c 8c", 5)
    assert meld("cap-it", "6c Kd Kh", [first, ("9h 10h Jh", 9)])[0][1] == "Joker on 1 at 12"
    assert meld("cap-it", "6c Kd Kh", [first, ("Qh Kh Ah", 12)])[0][1] == "Joker on 1 at 11"
    whole = ("2s 3s 4s 5s 6s 7s 8s 9s 10s Js Qs Ks As", 2)
    assert meld("cap-it", "6c Kd Kh", [first, whole])[0] == []


def test_R7_the_same_meld_may_be_allowed() -> None:
    table = [("5h Joker 7h 8h", 5)]
    assert meld("cap-it", "6h 3c 4d", table)[0] == []
    done = meld("cap-it", "6h 3c 4d", table, swap_same_meld=True)[0]
    assert done == ["6h for Joker in 0", "Joker on 0 at 9"]


def test_R8_exactly_and_from_the_hand_alone() -> None:
    assert go_down("cap-it", "9c 9d 9h 9s", ["set 3"]) == [("9c 9d 9h", "")]
    assert go_down("cap-it", "9c 9d 9h 9s", ["set 3", "set 3"]) is None
    assert go_down("cap-it", "9c 9d 9h 9s Ks", ["set 3", "set 3"]) is None


def test_R9_runs_take_naturals_before_sets() -> None:
    # The 7d stands in the run, so the set needs the Joker.
    assert go_down("cap-it", "7c 7d 7h 6d 8d Joker", ["set 3", "run 3"]) == [
        ("7c 7h Joker", "Joker"),
        ("6d 7d 8d", ""),
    ]
    # A 2 that a run has as a natural is no wild any more.
    assert go_down("cap-it", "2d 3d 4d 9c 9h", ["run 3", "set 3"]) is None
    assert go_down("cap-it", "2d 2d 3d 4d 9c 9h", ["run 3", "set 3"]) == [
        ("2d 3d 4d", ""),
        ("9c 9h 2d", "2d"),
    ]


def test_R9_sets_of_one_rank_share_it() -> None:
    hand = "9c 9c 9d 9h 2c 2d"
    assert go_down("thirty-thirty", hand + " 4c", ["set 3", "set 3"]) == [
        ("9c 9c 2c", "2c"),
        ("9d 9h 2d", "2d"),
    ]
    # One natural is enough in Cap-It.
    assert go_down("cap-it", hand, ["set 3", "set 3"]) == [("9c 9c 9d", ""), ("9h 2c 2d", "2c 2d")]


def test_R9_wilds_fill_in_order() -> None:
    assert go_down("cap-it", "5h 7h 9c Joker 2s 2d Joker", ["run 3", "set 3"]) == [
        ("5h 2d 7h", "2d"),
        ("9c 2s Joker", "2s Joker"),
    ]


def test_R9_fewest_wilds_then_points_then_first() -> None:
    assert go_down("thirty-thirty", "3c 3d 3h As Ad Joker", ["set 3"]) == [("3c 3d 3h", "")]
    assert go_down("thirty-thirty", "9c 9d 9h 10s 10d 10h", ["set 3"]) == [("10d 10h 10s", "")]
    assert go_down("thirty-thirty", "Qc Qd Qh Kc Kd Kh Jc Jd Jh", ["set 3", "set 3"]) == [
        ("Kc Kd Kh", ""),
        ("Qc Qd Qh", ""),
    ]
    assert go_down("cap-it", "5d 6d 7d 3c 4c 5c 6c", ["run 3"]) == [("4c 5c 6c", "")]
    assert go_down("cap-it", "2d 3d 4d 5d", ["run 3"]) == [("2d 3d 4d", "")]  # a natural 2 counts its 15


def test_R9_items_of_one_form_are_named_in_order() -> None:
    # Two runs of one suit: the first named is the higher one, and gets the 6c that both could use.
    hand = "3c 4c 5c 6c 7c 2d 2h Joker"
    assert go_down("cap-it", hand, ["run 4", "run 4"], wild_rule="half") == [
        ("6c 7c 2d 2h", "2d 2h"),
        ("3c 4c 5c Joker", "Joker"),
    ]
    # But a set of 3 and a set of 4 are named each for itself.
    assert go_down("cap-it", "9c 9d 9h Kc Kd Kh Ks", ["set 3", "set 4"]) == [
        ("9c 9d 9h", ""),
        ("Kc Kd Kh Ks", ""),
    ]


def test_melder_1_new_sets() -> None:
    assert meld("cap-it", "9c 9d 9h 9s Kc Kd Kh 4c") == (["lay Kc Kd Kh", "lay 9c 9d 9h 9s"], "4c")
    # In 30-30 a card stays for the discard.
    assert meld("thirty-thirty", "9c 9d 9h 9s") == (["lay 9c 9d 9h"], "9s")
    assert meld("thirty-thirty", "9c 9d 9h") == ([], "9c 9d 9h")


def test_melder_2_new_runs() -> None:
    assert meld("cap-it", "5d 6d 7d 3c 4c 5c 6c 9h") == (["lay 3c 4c 5c 6c", "lay 5d 6d 7d"], "9h")
    # The longest stretch of a suit, the higher of two.
    assert meld("cap-it", "3c 4c 5c 7c 8c 9c 10c Kd")[0] == ["lay 7c 8c 9c 10c", "lay 3c 4c 5c"]
    assert meld("cap-it", "3c 4c 5c 7c 8c 9c Kd")[0] == ["lay 7c 8c 9c", "lay 3c 4c 5c"]
    # The 2 at the foot; its highest cards if all cannot be spared.
    assert meld("cap-it", "2c 3c 4c Kd") == (["lay 2c 3c 4c"], "Kd")
    assert meld("thirty-thirty", "3c 4c 5c 6c 7c") == (["lay 4c 5c 6c 7c"], "3c")
    assert meld("thirty-thirty", "3c 4c 5c 6c") == ([], "3c 4c 5c 6c")


def test_melder_1_comes_before_2() -> None:
    assert meld("cap-it", "5c 5d 5h 3c 4c 6c 9d")[0] == ["lay 5c 5d 5h"]


def test_melder_3_the_first_meld_that_takes_one() -> None:
    table = [("7c 7d 7h", 0), ("8s 9s 10s", 8)]
    assert meld("cap-it", "7s 6s Kd Kh", table)[0] == ["7s on 0"]
    assert meld("cap-it", "7s 6s Kd Kh", table[::-1])[0] == ["7s on 0", "6s on 0"]


def test_melder_4_comes_after_3_and_is_followed_by_it() -> None:
    # The freed Joker lengthens the hearts, so that the Qh fits.
    table = [("8h 9h 10h", 8), ("5c Joker 7c 8c", 5)]
    assert meld("cap-it", "6c Qh Kd Kd 3s", table)[0] == ["6c for Joker in 1", "Joker on 0 at 11", "Qh on 0"]


def test_melder_5_wilds_only_to_end() -> None:
    table = [("9c 9d 9h", 0)]
    assert meld("cap-it", "2c Joker 5d", table) == (["2c on 0", "Joker on 0"], "5d")
    assert meld("cap-it", "2c Joker 5d 6d", table) == ([], "2c 5d 6d Joker")
    assert meld("cap-it", "2c Joker", table) == (["2c on 0", "Joker on 0"], "")
    assert meld("thirty-thirty", "2c Joker", table) == (["2c on 0"], "Joker")
    # Under the half rule three naturals take three wilds, and a fourth is left with the 5d.
    assert meld("thirty-thirty", "2c 2d 2h Joker 5d", table)[0] == []
    assert meld("thirty-thirty", "2c 2d Joker 5d", table)[0] == ["2c on 0", "2d on 0", "Joker on 0"]
    # After the wild the natural fits.
    assert meld("cap-it", "2c 8d", [("5d 6d 7d", 5)]) == (["8d on 0", "2c on 0 at 9"], "")
    assert meld("cap-it", "2c 9d", [("5d 6d 7d", 5)]) == (["2c on 0 at 8", "9d on 0"], "")


@BOTH
def test_R10_switches_of_policies(game: str) -> None:
    get = "buy" if game == "thirty-thirty" else "take"
    hands = ["9c 9d 9h Kc", "3c 5d 7h 9s"]
    stock = "4d 8c 10d 4s 6c Jd 4h Qs"
    waits = {get: -1.0, "down": -1.0, "drop_rank": -1.0}
    played = play(game, hands, stock, [waits], contracts=[["set 3"]], max_turns=4)
    assert played.seats(at.WAIT) == [0, 0]
    assert played.told(at.GO_DOWN) == []
    decisions = [(number, choices) for _, seat, number, choices, *_ in played.told(at.DECISION) if seat == 0]
    first = 2 if game == "thirty-thirty" else 1
    assert (first + 1, 2) in decisions
    for weights, how in (
        ({"meld": -1.0}, at.HOLD_BACK),
        ({"meld": 1.0, "meld_others": -0.5}, at.OWN_MELDS),
        ({"meld": 1.0, "meld_others": 0.5}, at.ALL_MELDS),
    ):
        policy = {get: -1.0, "down": 1.0, "drop_rank": -1.0} | weights
        played = play(game, hands, stock, [policy], contracts=[["set 3"]], max_turns=4)
        chosen = played.told(at.MELDING)
        assert [event[2] for event in chosen] == [how] * len(chosen)
        assert chosen


@BOTH
def test_R10_waits_until_it_could_go_out_or_a_rival_is_close(game: str) -> None:
    get = "buy" if game == "thirty-thirty" else "take"
    stock = "4d 8c 10d 4s 6c Jd 4h Qs"
    for weights, goes_down in (({"down_out": 10.0}, True), ({}, False)):
        policy = {get: -1.0, "down": -1.0, "drop_points": 1.0} | weights
        played = play(game, ["9c 9d 9h", "3c 5d 7h"], stock, [policy], contracts=[["set 3"]])
        assert (played.hand["down.0"] == 1) == goes_down
    for weight, goes_down in ((1.0, True), (0.1, False)):
        policy = {"buy": -1.0} if game == "thirty-thirty" else {"take": 1.0}
        policy |= {"down": -1.0, "down_rival_close": weight}
        played = play(
            game, ["9c 9d 9h Kc", "3c 5d 7h 9s"], stock, [policy], contracts=[["set 3"]], max_turns=1
        )
        assert (played.hand["down.0"] == 1) == goes_down


@BOTH
def test_R10_random_goes_down_and_melds_without_deciding(game: str) -> None:
    stock = "4d 9s 10d 4s 6c Jd 4h Qs 5s 5c Kd Kh"
    played = play(game, ["9c 9d 9h Kc", "3c 5d 7h 9s"], stock, contracts=[["set 3"]], max_turns=3)
    assert played.seats(at.GO_DOWN) == [0]
    numbers = {event[2] for event in played.told(at.DECISION)}
    assert numbers <= ({1, 2, 5} if game == "thirty-thirty" else {1, 4})
    assert played.told(at.MELDING, at.WAIT) == []


@BOTH
def test_R11_the_deal_passes_to_the_left(game: str) -> None:
    played = play(game, by_game=True, players=3, max_turns=5)
    begun = played.told(at.HAND)
    assert [event[1] for event in begun] == [number % 3 for number in range(len(begun))]
    assert [event[3] for event in begun] == [(number - 1) % 3 for number in range(len(begun))]
    assert [event[2] for event in begun] == [number + 1 for number in range(len(begun))]
    alone = play(game, hand=2, max_turns=5)
    assert alone.told(at.HAND)[0][1:4] == (0, 2, 3)


def test_R12_the_discards_become_the_stock() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("thirty-thirty", hands, "9s Jd Kc", [MISER], contracts=[["set 3"]], max_reshuffles=1)
    # Two draws empty the stock; the discards are then the upcard and two more, of which one stays.
    assert [event[1:4] for event in played.told(at.RESHUFFLE)] == [(0, 2, 1)]
    assert played.hand["reshuffles"] == 1
    assert played.hand["stock_out"] == 1
    assert played.hand["turns"] == 5
    assert played.seats(at.NOTHING_TO_DRAW) == [0]


@pytest.mark.parametrize("options", [{"stock_out": "end"}, {"max_reshuffles": 0}])
def test_R12_or_the_hand_ends_and_all_score(options: dict[str, Any]) -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("thirty-thirty", hands, "9s Jd Kc", [MISER], contracts=[["set 3"]], **options)
    assert (played.hand["stock_out"], played.hand["someone_out"], played.hand["winner"]) == (1, 0, -1)
    assert played.hand["winners"] == played.hand["policy_winners"] == 0
    assert played.hand["turns"] == 3
    assert [event[2] for event in played.told(at.SCORE)] == [15, 15]


def test_R12_what_was_bought_stays() -> None:
    played = play("thirty-thirty", ["3c 5d 7h", "4c 6d 8h"], "9s", [BUYER], contracts=[["set 3"]])
    assert played.hand["nickels.0"] == 5
    assert played.hand["cards_left.0"] == 4
    assert played.hand["stock_out"] == 1


@BOTH
def test_R13_a_hand_is_cut_off(game: str) -> None:
    policy = MISER if game == "thirty-thirty" else PUSHER
    played = play(
        game, ["3c 5d 7h", "4c 6d 8h"], "9s Jd Kc Qh 10c 4s", [policy], contracts=[["set 3"]], max_turns=2
    )
    assert (played.hand["truncated"], played.hand["turns"], played.hand["winner"]) == (1, 2, -1)
    assert played.told(at.HAND_END)[0][1:4] == (-1, at.TOO_LONG, 2)


@pytest.mark.parametrize(
    ("game", "points"),
    [("thirty-thirty", 50 + 2 * 20 + 2 * 10 + 2 * 5), ("cap-it", 20 + 2 * 15 + 2 * 10 + 2 * 5)],
)
def test_R14_points_T3_P10(game: str, points: int) -> None:
    policy = (MISER if game == "thirty-thirty" else TAKER) | {"drop_points": -1.0}
    played = play(
        game, ["Joker 2c Ac 10d Ks 3d 9h 4c"] * 2, "3s 3s 3s", [policy], contracts=[["run 4"]], max_turns=1
    )
    assert played.hand["points.1"] == points + 5
    assert played.hand["wilds_left.1"] == 2
    assert played.hand["cards_left.1"] == 8


# 30-30.


def test_T2_T4_T5_defaults() -> None:
    options = game_of("thirty-thirty").options.parse({})
    assert (options.players, options.hand_size) == (4, 11)
    played = play("thirty-thirty", by_game=True, max_turns=1)
    assert played.hand["hand"] == 1
    assert len(played.told(at.DEAL)) == 6 * 44
    assert played.seats(at.UPCARD) == [3, 0, 1, 2, 3, 0]
    assert played.game["hands"] == 6
    bought = len(played.told(at.BUY))
    assert played.game["pot"] == 4 * 30 + 5 * bought


@pytest.mark.parametrize("per_hand", [False, True])
def test_T2_nickels_are_for_the_game(per_hand: bool) -> None:
    played = play(
        "thirty-thirty", policies=[BUYER], by_game=True, nickels=1, nickels_per_hand=per_hand, max_turns=8
    )
    by_hand: list[int] = []
    for event in played.events:
        if event[0] == at.HAND:
            by_hand.append(0)
        by_hand[-1] += event[0] == at.BUY
    assert by_hand == ([4] * 6 if per_hand else [4, 0, 0, 0, 0, 0])
    assert played.game["pot"] == 120 + 5 * sum(by_hand)


def test_T6_buying_in_turn() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("thirty-thirty", hands, "9s Jd Kc", [BUYER], contracts=[["set 3"]], max_turns=1)
    assert played.told(at.BUY)[0][1:5] == (0, NUMBERS["9s"], 1, 5)
    assert played.drawn(at.DRAW) == [(0, "Jd")]
    assert played.drawn(at.DISCARD) == [(0, "Jd")]
    assert (played.hand["buys.0"], played.hand["buys_out.0"], played.hand["nickels.0"]) == (1, 0, 5)
    more = play("thirty-thirty", hands, "9s Jd Kc", [BUYER], contracts=[["set 3"]], max_turns=1, buy_extra=2)
    assert more.drawn(at.DRAW) == [(0, "Jd"), (0, "Kc")]


def test_T7_the_others_are_asked_in_turn_order() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h", "3d 5h 7s"]
    stock = "9s Jd Kc Qh 10c 4s 6h"
    # The card turned up may be bought by all; later not by who discarded it.
    played = play("thirty-thirty", hands, stock, [MISER], contracts=[["set 3"]], max_turns=3)
    asked = [(event[1], event[2]) for event in played.told(at.DECISION) if event[2] < 3]
    assert asked == [(0, 1), (1, 2), (2, 2), (1, 1), (2, 2), (2, 1), (0, 2)]
    played = play("thirty-thirty", hands, stock, [MISER, MISER, BUYER], contracts=[["set 3"]], max_turns=1)
    assert played.told(at.BUY)[0][1:5] == (2, NUMBERS["9s"], 0, 5)
    # Two cards with it, drawn before the card of the player in turn.
    assert played.drawn(at.DRAW) == [(2, "Jd"), (2, "Kc"), (0, "Qh")]
    assert played.hand["buys_out.2"] == 1
    assert played.seats(at.DISCARD) == [0]


def test_T7_who_has_no_nickel_is_not_asked() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play(
        "thirty-thirty", hands, "9s Jd Kc Qh", [BUYER], contracts=[["set 3"]], nickels=0, max_turns=2
    )
    assert [event for event in played.told(at.DECISION) if event[2] < 3] == []
    assert played.hand["decisions"] == 2


def test_T8_one_card_from_the_stock() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("thirty-thirty", hands, "9s Jd Kc Qh", [MISER], contracts=[["set 3"]], max_turns=2)
    assert played.drawn(at.DRAW) == [(0, "Jd"), (1, "Kc")]


@pytest.mark.parametrize("contract_only", [True, False])
def test_T9_nothing_but_the_contract_on_that_turn(contract_only: bool) -> None:
    hands = ["9c 9d 9h Kc Kd Kh 4d", "3c 5d 7h 8s 4h 6d Jc"]
    played = play(
        "thirty-thirty", hands, "3s 9s 4s Qd 5c", [MISER], contracts=[["set 3"]],
        contract_only=contract_only, max_turns=3,
    )  # fmt: skip
    first_turn = played.events[: [event[0] for event in played.events].index(at.DISCARD)]
    new_melds = [event for event in first_turn if event[0] == at.NEW_MELD]
    assert len(new_melds) == (1 if contract_only else 2)
    assert laid(played)[:2] == ["Kc Kd Kh", "9c 9d 9h 9s"]


def test_T9_going_out_needs_a_discard() -> None:
    # The contract leaves one card, which is discarded: out.
    played = play("thirty-thirty", ["9c 9d 9h", "3c 5d 7h"], "3s Qd 4s", [MISER], contracts=[["set 3"]])
    assert (played.hand["winner"], played.hand["turns"], played.hand["points.0"]) == (0, 1, 0)
    assert played.drawn(at.DISCARD) == [(0, "Qd")]
    assert played.hand["turn_down_if_down.0"] == 1
    # Without a card for it the contract cannot be laid.
    played = play(
        "thirty-thirty", ["9c 9d 9h", "3c 5d 7h"], "3s Qd 4s", [MISER], contracts=[["set 4"]], max_turns=1
    )
    assert played.hand["down.0"] == 0


@pytest.mark.parametrize(("hand", "winners"), [("9c 5d 4h", [0, 1]), ("Kc Kd 4h", [1])])
def test_T11_the_lowest_score_takes_the_pot(hand: str, winners: list[int]) -> None:
    played = play(
        "thirty-thirty",
        [hand, "6c 7d 8h"],
        "3s 3s 3s",
        [MISER],
        by_game=True,
        contracts=[["set 4"]],
        max_turns=2,
    )
    assert played.game["score.1"] == 15
    assert played.game["winners"] == sum(1 << seat for seat in winners)
    assert played.game["policy_winners"] == 1
    assert played.told(at.GAME_END)[0][1] == (winners[0] if len(winners) == 1 else -1)
    assert (played.game["pot"], played.game["parts_of_a_cent"]) == (60, 2)
    for seat in (0, 1):
        assert played.game[f"money.{seat}"] == (2 * 60 // len(winners) if seat in winners else 0)


def test_T12_the_card_just_bought_may_be_discarded() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("thirty-thirty", hands, "Ks 9d Kc Qh", [BUYER], contracts=[["set 3"]], max_turns=1)
    assert played.drawn(at.DISCARD) == [(0, "Ks")]


def test_T_examples_1_and_2() -> None:
    hand = "9c 9d 9h Kc Kd Joker 3c 5d 7h 10s Jc"
    assert go_down("thirty-thirty", hand, ["set 3", "set 3"]) == [("Kc Kd Joker", "Joker"), ("9c 9d 9h", "")]
    assert go_down("thirty-thirty", hand.replace("Kd", "2s"), ["set 3", "set 3"]) is None
    assert go_down("thirty-thirty", "7c 7d Joker 2c 3c 5d", ["set 4"]) == [("7c 7d 2c Joker", "2c Joker")]
    assert go_down("thirty-thirty", "7c Joker Joker 2c 3c 5d", ["set 4"]) is None


def test_T_examples_3_and_4() -> None:
    assert meld("thirty-thirty", "5h 6h 7h 8h") == ([], "5h 6h 7h 8h")
    assert meld("thirty-thirty", "5h 6h 7h 8h Kc") == (["lay 5h 6h 7h 8h"], "Kc")
    table = [("Kc Kd Joker", 0), ("5h Joker 7h 8h", 5)]
    assert meld("thirty-thirty", "6h 4c 4d", table) == (["6h for Joker in 1", "Joker on 0"], "4c 4d")


def test_T_example_5() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h", "3d 5h 7s", "4s 6c 8d"]
    first = play(
        "thirty-thirty",
        hands,
        "9s Jd Kc Qh 10c",
        [MISER, MISER, MISER, BUYER],
        contracts=[["set 3"]],
        max_turns=1,
    )
    assert first.told(at.BUY)[0][1:5] == (3, NUMBERS["9s"], 0, 5)
    assert first.drawn(at.DRAW) == [(3, "Jd"), (3, "Kc"), (0, "Qh")]
    assert first.seats(at.NO_BUY) == [0, 1, 2]


# Cap-It.


def test_P2_P4_defaults() -> None:
    options = game_of("cap-it").options.parse({})
    assert (options.players, options.hand_size) == (4, 10)
    played = play("cap-it", by_game=True, max_turns=1)
    assert len(played.told(at.DEAL)) == 5 * 40
    assert played.seats(at.UPCARD) == [3, 0, 1, 2, 3]
    assert played.game["hands"] == 5


def test_P2_without_an_upcard_the_first_draws_P5() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("cap-it", hands, "9s Jd Kc Qh", [TAKER], contracts=[["set 3"]], upcard=False, max_turns=2)
    assert played.told(at.UPCARD) == []
    assert played.drawn(at.DRAW) == [(0, "9s")]
    assert played.drawn(at.TAKE) == [(1, "9s")]
    assert [event[1] for event in played.told(at.DECISION) if event[2] == 1] == [1]


def test_P3_clockwise() -> None:
    played = play("cap-it", max_turns=6)
    assert played.seats(at.TURN) == [0, 1, 2, 3, 0, 1]


def test_P5_taking() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("cap-it", hands, "9s Jd Kc Qh", [TAKER], contracts=[["set 3"]], max_turns=1)
    assert played.drawn(at.TAKE) == [(0, "9s")]
    assert played.told(at.DRAW, at.PUSH) == []
    assert (played.hand["takes.0"], played.hand["pushes.0"]) == (1, 0)


def test_P5_pushing_and_example_3() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h", "4c 6d 8h"]
    played = play("cap-it", hands, "9c Jd Kc Qh", [PUSHER], contracts=[["set 3"]], max_turns=1)
    assert played.told(at.PUSH)[0][1:5] == (0, NUMBERS["9c"], 1, 1)
    assert played.drawn(at.RECEIVE) == [(1, "9c"), (1, "Jd")]
    assert played.drawn(at.DRAW) == [(0, "Kc")]
    assert [played.hand[f"cards_left.{seat}"] for seat in range(3)] == [3, 5, 3]


def test_P5_without_the_push_the_discard_stays() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play(
        "cap-it", hands, "9c Jd Kc Qh", [PUSHER, TAKER], contracts=[["set 3"]], push=False, max_turns=2
    )
    assert played.drawn(at.LEAVE) == [(0, "9c")]
    assert played.drawn(at.DRAW) == [(0, "Jd")]
    assert played.hand["pushes.0"] == 0
    # The pile grows, and can be shuffled.
    played = play(
        "cap-it", hands, "9c Jd Kc Qh", [PUSHER], contracts=[["set 3"]], push=False, stock_out="reshuffle"
    )
    assert played.hand["reshuffles"] == 2


def test_P6_all_in_the_same_turn() -> None:
    hands = ["9c 9d 9h Kc Kd Kh 4d 6s", "3c 5d 7h 8s 4h 6d Jc 10c"]
    played = play("cap-it", hands, "9s Jd 4s Qd 5c", [TAKER], contracts=[["set 3"]], max_turns=1)
    assert laid(played) == ["Kc Kd Kh", "9c 9d 9h 9s"]
    assert played.hand["melded.0"] == 7


def test_P7_one_natural_is_enough() -> None:
    assert go_down("cap-it", "9c Joker 2s", ["set 3"]) == [("9c 2s Joker", "2s Joker")]
    assert go_down("cap-it", "2s Joker 2d Joker", ["set 3"]) is None
    assert go_down("cap-it", "2s Joker Joker", ["run 3"]) == [("2s Joker Joker", "Joker Joker")]


def test_P8_out_by_the_last_card_laid_or_discarded_and_example_4() -> None:
    melded = play("cap-it", ["9c 9d 9h", "3c 5d 7h"], "9s Jd 4s", [TAKER], contracts=[["set 3"]])
    assert (melded.hand["winner"], melded.told(at.DISCARD)) == (0, [])
    discarded = play("cap-it", ["9c 9d 9h", "3c 5d 7h"], "4s Jd 4s", [TAKER], contracts=[["set 3"]])
    assert discarded.drawn(at.DISCARD) == [(0, "4s")]
    assert discarded.hand["winner"] == 0
    assert meld("cap-it", "Qd Kd", [("9d 10d Jd", 9)]) == (["Qd on 0", "Kd on 0"], "")


def test_P9_the_stock_runs_out_and_example_5() -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("cap-it", hands, "4c Jd", [PUSHER], contracts=[["set 3"]])
    assert played.drawn(at.RECEIVE) == [(1, "4c"), (1, "Jd")]
    assert played.seats(at.NOTHING_TO_DRAW) == [0]
    assert (played.hand["stock_out"], played.hand["turns"], played.hand["pushes.0"]) == (1, 1, 1)
    assert [played.hand[f"cards_left.{seat}"] for seat in range(2)] == [3, 5]


@pytest.mark.parametrize("stock_out", ["end", "reshuffle"])
def test_P9_a_push_without_stock_moves_nothing(stock_out: str) -> None:
    hands = ["3c 5d 7h", "4c 6d 8h"]
    played = play("cap-it", hands, "4c", [PUSHER], contracts=[["set 3"]], stock_out=stock_out)
    assert played.told(at.PUSH)[0][1:5] == (0, NUMBERS["4c"], 1, 0)
    assert played.told(at.RECEIVE) == []
    assert [played.hand[f"cards_left.{seat}"] for seat in range(2)] == [3, 3]
    assert played.hand["stock_out"] == 1
    # Taking goes on with an empty stock.
    played = play("cap-it", hands, "4c", [TAKER], contracts=[["set 3"]], max_turns=5)
    assert played.hand["turns"] == 5


def test_P11_rounds_and_the_game() -> None:
    hands = ["9c 9d 9h", "3c 5d 7h"]
    contracts = [["set 3"], ["set 3"]]
    played = play("cap-it", hands, "4s Jd 4s", [TAKER], by_game=True, contracts=contracts)
    prize = 20  # a tenth of 200
    assert played.game["pot"] == 200 - 2 * prize
    assert played.hand["lowest.0"] == 1
    prizes = Counter[int]()
    for _, seat, parts, *_ in played.told(at.PRIZE):
        prizes[seat] += parts
    parts = played.game["parts_of_a_cent"]
    assert sum(prizes.values()) == 2 * prize * parts
    winners = [seat for seat in (0, 1) if played.game["winners"] >> seat & 1]
    for seat in (0, 1):
        won = played.game["pot"] * parts // len(winners) if seat in winners else 0
        assert played.game[f"money.{seat}"] == won + prizes[seat]
    assert [event[2:4] for event in played.told(at.MONEY)] == [
        (played.game["money.0"], parts),
        (played.game["money.1"], parts),
    ]


@pytest.mark.parametrize(
    ("share", "ante", "prize"), [(0.1, 100, 40), (0.125, 25, 13), (0.0, 100, 0), (0.2, 0, 0)]
)
def test_P11_a_prize_is_whole_cents(share: float, ante: int, prize: int) -> None:
    rules, _ = setup("cap-it", round_share=share, ante=ante)
    assert rules.prize == prize


def test_P_examples_1_and_2() -> None:
    assert go_down("cap-it", "8h 8c Joker 4d 5d 6d 7d 10c Js Qc", ["set 3", "run 4"]) == [
        ("8c 8h Joker", "Joker"),
        ("4d 5d 6d 7d", ""),
    ]
    assert go_down("cap-it", "Joker 3h 4h 9c 9d 9s", ["run 3", "set 3"]) == [
        ("3h 4h Joker", "Joker"),
        ("9c 9d 9s", ""),
    ]
    table = [("Joker 3h 4h", 2), ("9c 9d 9s", 0)]
    assert meld("cap-it", "2h 5c 7d", table)[0] == ["2h for Joker in 0", "Joker on 1"]


# What holds for all.


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("amounts", [(120, 0, 5), (400, 40, 0), (77, 11, 0), (0, 0, 0), (33, 2, 1)])
def test_any_number_of_players_can_share_the_money(players: int, amounts: tuple[int, int, int]) -> None:
    parts = parts_of_a_cent(players, *amounts)
    pots = [amounts[0] - many * amounts[1] + bought * amounts[2] for many in range(3) for bought in range(9)]
    for sharing in range(1, players + 1):
        assert all(amount * parts % sharing == 0 for amount in (*pots, amounts[1]))


@BOTH
def test_cards_are_conserved(game: str) -> None:
    for number in range(3):
        played = play(game, number=number)
        deck = deck_of(game)
        hands = [Counter[str]() for _ in range(4)]
        table, pile = Counter[str](), Counter[str]()
        for code, seat, kind, second, _, fourth, *_ in played.events:
            name = at.KIND_NAMES[kind] if 0 <= kind < 64 else ""
            if code in (at.DEAL, at.DRAW):
                deck[name] -= 1
                hands[seat][name] += 1
            elif code == at.UPCARD:
                deck[name] -= 1
                pile[name] += 1
            elif code in (at.BUY, at.TAKE):
                pile[name] -= 1
                hands[seat][name] += 1
            elif code == at.RECEIVE:
                (pile if pile[name] else deck)[name] -= 1
                hands[seat][name] += 1
            elif code == at.DISCARD:
                hands[seat][name] -= 1
                pile[name] += 1
            elif code in (at.PLACE, at.LAY_OFF, at.SWAP):
                card = at.KIND_NAMES[second]
                hands[seat][card] -= 1
                table[card] += 1
                if code == at.SWAP:
                    freed = at.KIND_NAMES[fourth]
                    table[freed] -= 1
                    hands[seat][freed] += 1
            elif code == at.RESHUFFLE:
                pytest.skip("cards of unknown order go back into the stock")
            assert min((*hands[seat if seat >= 0 else 0].values(), 0)) == 0
        assert min(*deck.values(), *pile.values(), *table.values(), 0) == 0
        assert deck + pile + table + sum(hands, Counter()) == deck_of(game)
        for seat in range(4):
            assert hands[seat].total() == played.hand[f"cards_left.{seat}"]


@BOTH
def test_rule_variants_share_deals(game: str) -> None:
    first = play(game, seed=5, number=3)
    second = play(game, seed=5, number=3, layoff="none", policies=[{"down": -1.0}])
    assert first.drawn(at.DEAL) == second.drawn(at.DEAL)
    assert first.drawn(at.UPCARD) == second.drawn(at.UPCARD)
    assert first.drawn(at.DEAL) != play(game, seed=6, number=3).drawn(at.DEAL)


@BOTH
def test_policies_rotate_over_the_seats(game: str) -> None:
    played = game_of(game)
    options = played.options.parse({"players": 3})
    names_of = ["random", "balanced", "builder"]
    for rotate in (True, False):
        rules, tables, policies = played.setup(options, [played.policies[name] for name in names_of], rotate)
        rows = new_block(at.HAND_WIDTH, 16)
        _, count = played.kernel.play(
            np.uint64(1), 0, 12, False, rules, tables, policies, played.new_scratch(), rows, rows, None
        )
        table = as_table(rows, at.HAND_WIDTH, count)
        for number in range(12):
            winner = table[at.WINNER, number]
            shift = number if rotate else 0
            assert table[at.POLICY_WINNERS, number] == (1 << (winner + shift) % 3 if winner >= 0 else 0)

"""Cap30 as a user meets it, where Power Up makes a difference: reports, policies, transcripts."""

from typing import Any

import pytest

import fastsim
from fastsim import catalog
from fastsim.experiment import design
from fastsim.policy import Policy
from kernels.cap30 import layout as at
from kernels.cap30.tables import FEATURES

pytestmark = pytest.mark.kernel

CAP30 = catalog.find("cap30")
POWER_UP = {"powers": True, "players": 3, "meter_size": 2, "hand_size": 4}
RULES = {f"C{number}" for number in range(20, 26)}


@pytest.mark.compiled
def test_what_power_up_assumes_is_shown_with_power_up_only() -> None:
    everything = CAP30.assumptions()
    assert {a.rule for a in everything} > RULES
    assert {a.option for a in everything} > {"meter_size", "meter_carry", "drain_cards", "power_reaction"}
    assert {a.status for a in everything if a.rule in RULES} == {"assumed"}
    base = CAP30.assumptions(CAP30.options.parse({}))
    assert not {a.rule for a in base} & RULES
    assert set(base) < set(everything)
    assert CAP30.assumptions(CAP30.options.parse({"powers": True})) == everything
    shown = fastsim.run("cap30", 10, options={"powers": True}).to_dict()["assumptions"]
    assert {a["rule"] for a in shown} > RULES  # type: ignore[attr-defined]


@pytest.mark.compiled
def test_power_up_is_recorded_with_power_up_only() -> None:
    names = ("notches", "powers", "powers.give.turn", "powers.wild.reaction", "given", "bullseyes", "drains")
    names += ("notches_drained", "shields", "turns_missed", "plays.Drain", "bonuses.head_start")
    plain = fastsim.run("cap30", 20, unit="game", policy="random")
    base: Any = plain.to_dict()["stats"]
    assert not set(names) & set(base)
    assert not {"bonuses", "notches", "notches:sum"} & set(plain.tally.frame["metric"])
    stats: Any = fastsim.run("cap30", 60, options=POWER_UP, unit="game", policy="random").to_dict()["stats"]
    assert set(names) <= set(stats)
    forms = [
        f"powers.{form}.{moment}" for form in ("give", "swap", "wild") for moment in ("turn", "reaction")
    ]
    assert stats["powers"]["mean"] == pytest.approx(sum(stats[form]["mean"] for form in forms))
    bonuses = [f"bonuses.{kind}" for kind in ("head_start", "charged", "shield")]
    # One after each hand but the last.
    assert sum(stats[each]["mean"] for each in bonuses) == pytest.approx(stats["hands"]["mean"] - 1)


def test_every_feature_is_explained() -> None:
    assert set(CAP30.features) == set(FEATURES)


def decided(weights: dict[str, float], code: int, **options: object) -> list[list[int]]:
    """Return the events of one code in some games of a policy."""
    policy = Policy("one", {"empties_hand": 100.0, **weights})
    found = []
    for game in range(12):
        told = fastsim.replay(
            "cap30", game, options={**POWER_UP, "meter_size": 1, **options}, policy=policy, unit="game"
        )
        found += [event[1:] for event in told.events.tolist() if event[0] == code]
    assert found
    return found


@pytest.mark.parametrize(
    ("weights", "code", "field", "value"),
    [
        ({"use_give": 1}, at.POWER, 1, at.GIVE),
        ({"use_swap": 1}, at.POWER, 1, at.SWAP),
        ({"use_swap": 1, "swap_for_skip": 1}, at.SWAP_FOR, 1, at.KIND_NAMES.index("Skip")),
        ({"use_swap": 1, "swap_for_switch": 1}, at.SWAP_FOR, 1, at.KIND_NAMES.index("Switch")),
        ({"use_swap": 1, "swap_for_take_two": 1}, at.SWAP_FOR, 1, at.KIND_NAMES.index("TakeTwo")),
        ({"bonus_head_start": 1}, at.BONUS, 1, at.HEAD_START),
        ({"bonus_charged": 1}, at.BONUS, 1, at.CHARGED),
        ({"bonus_shield": 1}, at.BONUS, 1, at.SHIELD),
    ],
)
def test_policies_decide_by_their_weights(
    weights: dict[str, float], code: int, field: int, value: int
) -> None:
    assert {event[field] for event in decided(weights, code)} == {value}


def test_policies_keep_a_power_that_scores_below_nothing() -> None:
    assert decided({"use_give": -1, "use_swap": -1}, at.NO_POWER)
    with pytest.raises(AssertionError):
        decided({"use_give": -1, "use_swap": -1}, at.POWER)
    # A rival who is close to going out, or a turn without a move, changes that.
    assert decided({"use_give": -1, "use_swap": -1, "use_when_close": 2}, at.POWER)
    assert decided({"use_give": -1, "use_swap": -1, "use_when_stuck": 2}, at.POWER)
    two = {"players": 2}
    assert {e[1] for e in decided({"use_wild_ten": 1}, at.POWER, **two)} == {at.WILD_TEN}


def test_policies_play_the_bullseye_or_keep_it() -> None:
    used = decided({"use_bullseye": 50}, at.MOVE)
    assert at.BULLSEYE in {event[6] for event in used}
    kept = decided({"use_bullseye": -50}, at.MOVE)
    assert at.BULLSEYE not in {event[6] for event in kept}


@pytest.mark.parametrize(("weight", "best"), [(-1.0, min), (1.0, max)])
def test_policies_aim_by_the_cards_of_a_rival(weight: float, best: Any) -> None:
    policy = Policy("aims", {"target_cards": weight})
    aimed = 0
    for game in range(12):
        sizes = [0] * 4
        told = fastsim.replay("cap30", game, options={"powers": True, "players": 4}, policy=policy)
        for code, seat, *fields in told.events.tolist():
            if code in (at.DEAL, at.DRAW, at.TAKE, at.GIVEN):
                sizes[seat] += 1
            elif code == at.MOVE:
                sizes[seat] -= fields[1]
            elif code == at.RETURN:
                sizes[seat] -= 1
            elif code == at.TARGET:
                rivals = [size for other, size in enumerate(sizes) if other != seat]
                assert sizes[fields[1]] == best(rivals)
                aimed += 1
    assert aimed


def test_policies_aim_a_drain_where_it_takes_most() -> None:
    policy = Policy("drains", {"drains_notches": 1.0, "target_next": 0.1})
    drained = 0
    for game in range(20):
        meters = [0] * 3
        options = {"powers": True, "players": 3, "drain_cards": 6}
        for code, seat, *fields in fastsim.replay(
            "cap30", game, options=options, policy=policy
        ).events.tolist():
            if code == at.METER:
                meters[seat] = fields[1]
            elif code == at.TARGET and fields[0] == at.DRAIN:
                taken = [min(2, meter) for other, meter in enumerate(meters) if other != seat]
                assert min(2, meters[fields[1]]) == max(taken)
                drained += max(taken)
    assert drained


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3])
def test_balanced_makes_better_use_of_power_up_than_of_chance(players: int) -> None:
    weights = CAP30.policies["balanced"].weights
    assert weights is not None
    added = ("use", "swap", "target", "drains", "bonus")
    plain = Policy("plain", {f: w for f, w in weights.items() if not f.startswith(added)})
    result = fastsim.run(
        "cap30", 4000, options={"powers": True, "players": players, "meter_size": 3}, unit="game", seed=8,
        policy=["balanced", *[plain] * (players - 1)], confidence=0.9999,
    )  # fmt: skip
    low = result.summary.policies[0].rate.low
    assert low is not None
    assert low > 1 / players


STORY = """Hand 2: 54 cards, the total is 15, seat 0 starts.
  seat 0 holds +7  +8  Halve  Undo
  seat 1 holds +4  +6  −2  −6
  seat 2 holds +5  +7  −5  Switch (meter at 1 of 2)
  seat 0 has a Bullseye
  seat 2 has a shield

   1 seat 0 at  15 | +8 with the Bullseye, total 20, a ten (3 left). Meter at 1 of 2.
            Then Halve, total 10, a ten (2 left). Meter at 2 of 2. Then +7, total 17 (1 left).
   2 seat 1 at  17 | +4, total 21 (3 left).
   3 seat 2 at  21 | +7, total 28 (3 left).
   4 seat 0 at  28 | Uses the power to Give. Seat 1 draws −10. The shield of seat 2 holds it off.
            Undo, total 21 (the last card).

Seat 0 wins in 4 turns; seat 1 is left with +6  −2  −6  −10, seat 2 is left with +5  −5  Switch.
For the next hand seat 0 picks two notches more.

Hand 3: 54 cards, the total is 15, seat 1 starts.
  seat 0 holds −9  Double  Reset  Drain
  seat 1 holds −10  Double  Undo  Take Two
  seat 2 holds −7  Halve  Switch x2 (meter at 1 of 2)
  seat 0 has two notches more as a bonus: meter at 2 of 2
  seat 1 has a Bullseye

   1 seat 1 at  15 | Undo with the Bullseye, total 20, a ten (3 left). Meter at 1 of 2. Stops.
   2 seat 2 at  20 | Switch (3 left). Play goes anticlockwise.
   3 seat 1 at  20 | −10, total 10, a ten (2 left). Meter at 2 of 2. Stops.
   4 seat 0 at  10 | Keeps the power. Double, total 20, a ten (3 left).
            Then Reset, total 15 (2 left).
   5 seat 2 at  15 | −7, total 8 (2 left).
   6 seat 1 at   8 | Uses the power to Swap. Puts Take Two under the pile for a new Switch.
            Switch (1 left). Play goes clockwise. Seat 0 keeps the power.
   7 seat 2 at   8 | Switch (1 left). Play goes anticlockwise.
            Seat 0 reacts, and uses the power to Give. Seat 2 draws Skip. Seat 1 draws Undo.
   8 seat 1 at   8 | Undo (1 left). Play goes clockwise.
   9 seat 2 at   8 | Skip (1 left). Aims it at seat 1.
  10 seat 0 at   8 | Drain (1 left). Aims it at seat 2. Seat 2: meter down to 0 of 2.
            Seat 1 misses a turn.
  11 seat 2 at   8 | Halve, total 4 (the last card).

Seat 2 wins in 11 turns; seat 0 is left with −9, seat 1 is left with Double.

Seat 2 wins the game after 3 hands."""

STORY_OF_TWO = """Hand 3: 54 cards, the total is 15, seat 1 starts.
  seat 0 holds +5  −9  Take Two  Drain
  seat 1 holds +7  −7  Halve  Undo  Take Two (meter at 1 of 2)
  seat 0 has two notches more as a bonus: meter at 2 of 2
  seat 1 has a Bullseye

   1 seat 1 at  15 | Take Two with the Bullseye, total 20, a ten (4 left). Meter at 2 of 2.
            Then −7, total 13 (3 left).
   2 seat 0 at  13 | Keeps the power. Drain (3 left). Aims it at seat 1.
            Seat 1: meter down to 0 of 2.
   3 seat 1 at  13 | Undo (2 left). Meter back at 2 of 2.
   4 seat 0 at  13 | Uses the power for a Wild ten.
            Take Two as a Wild ten, total 10, a ten (2 left). Meter at 1 of 2. Stops.
   5 seat 1 at  10 | Keeps the power. +7, total 17 (1 left).
   6 seat 0 at  17 | −9, total 8 (1 left).
   7 seat 1 at   8 | Keeps the power. Halve, total 4 (the last card).

Seat 1 wins in 7 turns; seat 0 is left with +5.

Seat 1 wins the game after 3 hands."""


def test_a_game_of_three_is_told() -> None:
    told = str(fastsim.replay("cap30", 1790, options=POWER_UP, policy="random", unit="game"))
    assert told[told.index("Hand 2") :] == STORY


def test_a_game_of_two_is_told() -> None:
    told = str(
        fastsim.replay("cap30", 2604, options={**POWER_UP, "players": 2}, policy="random", unit="game")
    )
    assert told[told.index("Hand 3") :] == STORY_OF_TWO


def test_hands_that_are_told_end_with_the_cards_that_were_left() -> None:
    experiment = design("cap30", POWER_UP, "random", unit="game")
    for game in range(20):
        told = fastsim.replay("cap30", game, options=POWER_UP, policy="random", unit="game")
        assert told.experiment == experiment
        sizes = [0] * 3
        expected = []
        for code, seat, *fields in told.events.tolist():
            if code == at.HAND:
                sizes = [0] * 3
            elif code in (at.DEAL, at.DRAW, at.TAKE, at.GIVEN, at.SWAP_FOR):
                sizes[seat] += 1
            elif code == at.MOVE:
                sizes[seat] -= fields[1]
            elif code in (at.RETURN, at.SWAP_AWAY):
                sizes[seat] -= 1
            elif code == at.HAND_END and seat >= 0:
                expected.append([size for size in sizes if size])
        ends = [line for line in told.lines if " wins in " in line]
        left = [
            [
                sum(int(card.partition(" x")[2] or 1) for card in part.rstrip(".").split("  "))
                for part in line.split(" is left with ")[1:]
                for part in [part.split(", seat")[0]]
            ]
            for line in ends
        ]
        assert left == expected

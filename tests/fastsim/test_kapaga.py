"""Kapaga as a user meets it: options, statistics, policies and transcripts."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import fastsim
from fastsim import catalog
from fastsim.catalog.kapaga.options import POINTS
from fastsim.cli import main
from fastsim.errors import UsageError
from fastsim.experiment import design
from kernels.kapaga import layout as at
from kernels.kapaga.tables import FEATURES, RATE_SCALE

CASES = sorted((Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "kapaga").glob("*.json"))

pytestmark = [pytest.mark.kernel, pytest.mark.compiled]


# Statistics


@pytest.mark.skipif(not CASES, reason="the values computed by others are not beside this checkout")
@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_statistics_agree_with_independent_programs(file: Path) -> None:
    case = json.loads(file.read_text())
    n = 20_000 if case["unit"] == "hand" else 2_000
    result = fastsim.run(
        "kapaga", n, options=case["options"], policy=case["policy"], unit=case["unit"], seed=20
    )
    stats: Any = result.to_dict()["stats"]
    far = {}
    for name, theirs in case["stats"].items():
        error = math.hypot(theirs["se"], stats[name]["se"])
        difference = stats[name]["mean"] - theirs["mean"]
        if abs(difference) > 4.5 * error + 1e-12:
            far[name] = (stats[name]["mean"], theirs["mean"])
    assert not far


@pytest.mark.parametrize("players", range(2, 11))
def test_places_and_wins_add_up(players: int) -> None:
    options = {"players": players, "limit": 100}
    stats: Any = fastsim.run("kapaga", 200, options=options, unit="game", threads=1).to_dict()["stats"]
    places = [stats[f"place.seat{seat}"]["mean"] for seat in range(players)]
    wins = [stats[f"win.seat{seat}"]["mean"] for seat in range(players)]
    assert sum(places) == pytest.approx(players * (players + 1) / 2)
    assert sum(wins) == pytest.approx(1)
    assert all(1 <= place <= players for place in places)
    assert f"place.seat{players}" not in stats


def test_a_run_does_not_depend_on_threads() -> None:
    one, two = (
        fastsim.run("kapaga", 300, options={"limit": 200}, unit="game", threads=threads).tally
        for threads in (1, 2)
    )
    assert one == two


def test_a_block_holds_the_hands_of_a_game_in_little_memory() -> None:
    game = catalog.find("kapaga")
    options = game.options.parse({})
    assert game.most_hands(options, "game") == 2000
    assert 2 * 2000 * len(at.HAND_COLUMNS) * 4 < 2**20


# Options


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"players": 11}, "option players was given 11; accepted: 2 to 10 (rule K2)"),
        ({"forget_rate": 1.5}, "option forget_rate was given 1.5; accepted: 0 to 1 (rule K8)"),
        ({"peek_rate": -0.1}, "option peek_rate was given -0.1; accepted: 0 to 1 (rule K24)"),
        ({"limit": 49}, "option limit was given 49; accepted: 50 to 100000 (rule K21)"),
        ({"packs": 4}, "option packs was given 4; accepted: 1 to 3 (rule K1)"),
        (
            {"players": 6, "hand_size": 9},
            "6 hands of 9 and the card turned up are 55 cards, and 1 pack with Joker has 53: "
            "all must fit in the pack (rule K2)",
        ),
    ],
)
def test_what_is_refused(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        design("kapaga", given)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (
            {name: n for name, n in POINTS.items() if name != "8"},
            r"option points was given nothing for 8; accepted: ",
        ),
        (POINTS | {"Joker": -1}, r"option points was given -1 at 'Joker'; accepted: a table of 0 to 1000 "),
        (POINTS | {"five of hearts": 1}, r"unknown card in option points: 'five of hearts', did you mean "),
        (7, r"option points was given 7; accepted: a table of 0 to 1000 for each rank "),
    ],
)
def test_points_are_a_whole_table(points: object, sentence: str) -> None:
    with pytest.raises(UsageError, match="^" + sentence):
        design("kapaga", {"points": points})


def test_just_enough_cards_are_accepted() -> None:
    design("kapaga", {"players": 4, "hand_size": 10, "packs": 1})
    design("kapaga", {"players": 10, "hand_size": 10, "packs": 2})
    # With two players the larger hands are not dealt.
    design("kapaga", {"players": 2, "hand_size": 10, "hand_size_two": 10})


def test_rates_are_exact_to_nine_decimals() -> None:
    rules, _, _ = design("kapaga", {"forget_rate": 0.123456789, "misdeal_rate": 1}).setup
    assert (rules.forget_rate, rules.misdeal_rate, rules.peek_rate) == (123456789, RATE_SCALE, 0)


def test_the_command_refuses_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["run", "kapaga", "-n", "10", "--set", "hand_size=0"])
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "fastsim: option hand_size was given '0'; accepted: 1 to 10 (rule K2)\n"


def test_every_assumed_number_is_named() -> None:
    assumed = {a.option for a in catalog.find("kapaga").assumptions() if a.status == "assumed"}
    assert assumed == {"turnover_penalty", "penalty_points", "misdeal_rate", "peek_rate", "points"}
    ids = {a.rule for a in catalog.find("kapaga").assumptions()}
    assert ids >= {"K3", "K4", "K5", "K8", "K11", "K12", "K13", "K17", "K18", "K19", "K22", "K23", "K25"}


# Policies


def test_features_are_those_of_the_kernel() -> None:
    assert set(catalog.find("kapaga").features) == set(FEATURES)


def _wins(policies: list[str], unit: str, n: int) -> dict[str, float]:
    result = fastsim.run("kapaga", n, options={"players": len(policies)}, policy=policies, unit=unit, seed=3)
    return {policy.name: policy.rate.low or 0.0 for policy in result.summary.policies}


@pytest.mark.parametrize(("unit", "n"), [("hand", 30_000), ("game", 2_000)])
def test_balanced_beats_the_others_together(unit: str, n: int) -> None:
    lows = _wins(["balanced", "dumper", "attacker", "hoarder"], unit, n)
    assert lows["balanced"] > 0.25


@pytest.mark.parametrize("other", ["random", "dumper", "attacker", "hoarder"])
def test_balanced_beats_each_of_the_others(other: str) -> None:
    for unit, n in (("hand", 20_000), ("game", 1_000)):
        assert _wins(["balanced", other], unit, n)["balanced"] > 0.5


# Transcripts

STORY = """\
Hand 1: 3 players, seat 2 deals.
  seat 0 holds 3♦  5♣  8♣  Q♥  K♣
  seat 1 holds 6♣  9♥  10♠  Q♦  Q♠
  seat 2 holds A♣  6♥  10♦  10♥  J♠

Seat 2 turns up 2♣. Seat 0 faces 2 cards.
   1 seat 0 on 2♣ facing 2 | Takes it. Draws 4♦, 4♣.
   2 seat 1 on 2♣ | Puts 6♣ (4 left).
   3 seat 2 on 6♣ | Puts A♣ (4 left). The Ace is alone. Draws Joker.
   4 seat 0 on A♣ | Puts 5♣ (6 left). All pass their hands to the right.
   5 seat 1 on 5♣ | Puts Joker (4 left). Seat 2 draws 7♦. Seat 0 draws 4♥. Then 6♥ (3 left).
   6 seat 2 on 6♥ | Draws 2♠.
   7 seat 0 on 6♥ | Puts 4♥ (4 left).
   8 seat 1 on 4♥ | Puts 10♥ (2 left).
   9 seat 2 on 10♥ | Puts Q♥ (7 left).
  10 seat 0 on Q♥ | Draws 8♦. Puts 8♦ (4 left). Calls Jacks.
  11 seat 1 on 8♦, Jacks | Puts J♠ (1 left). Kapaga!
  12 seat 2 on J♠ | Puts 8♣ (6 left). Calls diamonds.
  13 seat 0 on 8♣, diamonds | Draws 4♠.
  14 seat 1 on 8♣, diamonds | Puts 10♦ (the last card).

Seat 1 is out after 14 turns.
  seat 0 is left with 4♠  9♥  10♠  Q♦  Q♠: 59 points
  seat 1 is left with nothing: 0 points
  seat 2 is left with 2♠  3♦  4♣  4♦  7♦  K♣: 61 points"""


def test_a_hand_is_told() -> None:
    assert str(fastsim.replay("kapaga", 1797, options={"players": 3}, policy="random")) == STORY


def test_hands_that_are_told_are_those_that_were_scored() -> None:
    names = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}
    points = {kind: POINTS[at.RANK_NAMES[kind % at.RANKS]] for kind in range(at.JOKER)}
    points |= {at.JOKER: 50, at.FIVE_OF_SPADES: 50, at.FIVE_OF_CLUBS: 25}
    options = {"players": 5, "packs": 2, "limit": 300, "forget_rate": 0.5, "peek_rate": 0.1}
    for game in range(5):
        told = fastsim.replay("kapaga", game, options=options, policy="random", unit="game")
        story = re.sub("[♣♦♥♠]", lambda match: names[match[0]], re.sub(r"\n {6,}", "  ", str(told)))
        scored = re.findall(r" is left with (.*): (\d+) point", story)
        assert scored
        for held, total in scored:
            cards = re.findall(r"(\S+)(?: x(\d))?(?:  |$)", held.removeprefix("nothing"))
            worth = sum(points[at.KIND_NAMES.index(card)] * int(copies or 1) for card, copies in cards)
            assert int(total) == worth
        assert told.lines[-1].startswith(("Seat", "Seats"))
        assert all(len(line) <= 100 for line in told.lines)

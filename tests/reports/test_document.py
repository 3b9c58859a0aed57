"""The JSON document: its keys, its types, and that it says what the summary says."""

import json
import math
from types import MappingProxyType
from typing import Any

import pytest

from reports.document import to_dict, to_json
from reports.summary import summarise
from reports.tally import Tally
from tests.reports.rows import described, played

KEYS = [
    "schema",
    "game",
    "title",
    "unit",
    "n",
    "requested",
    "hands",
    "seed",
    "options",
    "changed",
    "policies",
    "fixed_seats",
    "version",
    "confidence",
    "until",
    "seats",
    "first_player_advantage",
    "policy_wins",
    "metrics",
    "stats",
    "ended",
    "assumptions",
]
METRIC_KEYS = ["unit", "mean", "se", "low", "high", "sd", "min", "p05", "median", "p95", "max", "interval"]


def document(hands: int, games: int = 0, **changes: Any) -> dict:
    rows = played(hands, games=games)
    tally = rows.tally() if hands else Tally.empty()
    description = described(hands, "game" if games else "hand", **changes)
    summary = summarise(tally, description)
    text = to_json(summary)
    assert text.endswith("}\n")

    def refused(constant: str) -> float:
        raise AssertionError(f"{constant} is no JSON")

    read = json.loads(text, parse_constant=refused)
    assert read == to_dict(summary)  # plain types only: nothing is changed by writing and reading
    return read


@pytest.mark.parametrize(("hands", "games"), [(1, 0), (2, 0), (300, 0), (300, 60), (1, 1)])
def test_the_keys_are_the_promised_ones(hands: int, games: int) -> None:
    read = document(hands, games)
    assert list(read) == KEYS
    assert read["schema"] == 1
    for metric in read["metrics"].values():
        assert list(metric) == METRIC_KEYS
    for statistic in read["stats"].values():
        assert list(statistic) == ["unit", "mean", "se", "low", "high", "n", "interval"]
    for seat in read["seats"]:
        assert list(seat) == ["seat", "wins", "win_rate", "low", "high"]
    assert list(read["first_player_advantage"]) == ["estimate", "low", "high", "verdict"]
    assert read["assumptions"][0] == {
        "rule": "S4",
        "option": "chain_limit",
        "status": "ruling",
        "text": "At most two moves in one turn.",
    }


def test_numbers_are_in_full_and_those_of_the_rows() -> None:
    rows = played(300)
    read = document(300)
    turns = rows.hands["turns", -1]
    assert read["n"] == read["requested"] == read["hands"] == 300
    assert read["metrics"]["turns"]["mean"] == read["stats"]["turns"]["mean"] == turns.sum() / 300
    assert read["stats"]["turns"]["se"] == pytest.approx(turns.std(ddof=1) / math.sqrt(300), rel=1e-14)
    assert read["ended"]["blocked"] == rows.hands["blocked", -1].sum()
    for name in ("plays.+1", "cards_left.seat2", "total_share.0", "win.seat0", "chains.2"):
        assert name in read["stats"]


def test_what_is_not_known_is_null() -> None:
    read = document(1)
    assert read["metrics"]["turns"]["sd"] is None
    assert read["stats"]["turns"]["low"] is None
    empty = json.loads(to_json(summarise(Tally.empty(), described(10))))
    assert empty["stats"]["turns"]["mean"] is None
    assert empty["seats"][0]["win_rate"] is None


def test_options_become_plain_json() -> None:
    options = MappingProxyType({"players": 3, "deck": MappingProxyType({"+1": (1, 2)}), "cap": None})
    assert document(5, options=options, changed=())["options"] == {
        "players": 3,
        "deck": {"+1": [1, 2]},
        "cap": None,
    }


def test_sides_and_policies() -> None:
    read = document(50, side="side", policies=("a", "a", "b"))
    assert [seat["side"] for seat in read["seats"]] == [0, 1, 2]
    assert "win.side0" in read["stats"]
    assert [(each["position"], each["policy"]) for each in read["policy_wins"]] == [
        (0, "a (1)"),
        (1, "a (2)"),
        (2, "b"),
    ]
    assert read["policies"] == ["a", "a", "b"]


def test_equal_summaries_give_equal_text() -> None:
    first, second = (to_json(summarise(played(100).tally(), described(100))) for _ in range(2))
    assert first == second

"""The summary as one JSON document, whose shape is promised (``"schema": 1``)."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from reports.intervals import Estimate
from reports.summary import Summary, WinRate

SCHEMA = 1
"""Changes when a key is renamed, removed or given another meaning; new keys may come without."""


def to_dict(summary: Summary) -> dict[str, object]:
    """Return the summary in plain JSON types, floats in full, None for what is not known.

    Keys
    ----
    ``game``, ``title``, ``unit`` ("hand" or "game"), ``n`` (of that unit, counted), ``requested``,
    ``hands``, ``seed``, ``options``, ``changed`` (names of options), ``policies``, ``fixed_seats``,
    ``version``, ``confidence``, ``until`` (half-widths at which to stop, by statistic): what was
    played. ``seats``: wins by ``seat`` (or ``side``).
    ``first_player_advantage``, with a sentence as ``verdict``. ``policy_wins``: by position in
    ``policies``; empty with one policy. ``metrics``: those that are one number, with their spread.
    ``stats``: every statistic. ``ended``: hands, and games. ``assumptions``.
    """
    description = summary.description
    return {
        "schema": SCHEMA,
        "game": description.game,
        "title": description.title,
        "unit": description.unit,
        "n": summary.n,
        "requested": description.requested,
        "hands": summary.hands,
        "seed": description.seed,
        "options": _plain(description.options),
        "changed": list(description.changed),
        "policies": list(description.policies),
        "fixed_seats": description.fixed_seats,
        "version": description.version,
        "confidence": summary.confidence,
        "until": dict(description.until),
        "seats": [{description.side: seat.index, **_wins(seat)} for seat in summary.seats],
        "first_player_advantage": {
            "estimate": summary.first_player.advantage.value,
            "low": summary.first_player.advantage.low,
            "high": summary.first_player.advantage.high,
            "verdict": summary.first_player.verdict,
        },
        "policy_wins": [
            {"position": policy.index, "policy": policy.name, **_wins(policy)} for policy in summary.policies
        ],
        "metrics": {
            name: {
                "unit": summary.statistics[name].unit,
                **_estimate(summary.statistics[name].estimate),
                **asdict(spread),
                "interval": summary.statistics[name].kind,
            }
            for name, spread in summary.spreads.items()
        },
        "stats": {
            name: {
                "unit": statistic.unit,
                **_estimate(statistic.estimate),
                "n": statistic.n,
                "interval": statistic.kind,
            }
            for name, statistic in summary.statistics.items()
        },
        "ended": dict(summary.ended),
        "assumptions": [asdict(assumption) for assumption in description.assumptions],
    }


def to_json(summary: Summary) -> str:
    """Return the document as text, ending in a newline; equal summaries give equal text."""
    return json.dumps(to_dict(summary), indent=2, allow_nan=False) + "\n"


def _wins(rate: WinRate) -> dict[str, float | None]:
    return {
        "wins": float(rate.wins),
        "win_rate": rate.rate.value,
        "low": rate.rate.low,
        "high": rate.rate.high,
    }


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {"mean": estimate.value, "se": estimate.se, "low": estimate.low, "high": estimate.high}


def _plain(value: object) -> object:
    """Return an option's value with mappings and sequences as JSON knows them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value

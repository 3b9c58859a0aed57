"""What a duel of policies found, and how it is written down."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from rich.console import RenderableType

from reports import pages, wording
from reports.description import RunDescription
from reports.document import SCHEMA
from reports.intervals import Estimate
from reports.rounding import count, error, percent, rounded


@dataclass(frozen=True)
class Standing:
    """How one policy did at one table.

    Attributes
    ----------
    policy : str
    share : Estimate
        Of the hands or games that somebody won; ties shared. Its error allows for several of them
        being on one deal.
    p, p_adjusted : float
        Of a fair share: alone, and adjusted for all standings (Holm).
    verdict : {"better", "worse", "undecided"}
        Than an even share.
    """

    policy: str
    share: Estimate
    p: float
    p_adjusted: float
    verdict: str


@dataclass(frozen=True)
class Matchup:
    """One table: the policies that met, each at every seat of every deal.

    Attributes
    ----------
    standings : tuple of Standing
    fair : float
        An even share.
    won, void : float
        Hands or games that somebody won, and that nobody won.
    saved : float or None
        How many times fewer games it took than with a fresh deal for each.
    """

    standings: tuple[Standing, ...]
    fair: float
    won: float
    void: float
    saved: float | None


@dataclass(frozen=True)
class Rating:
    """A policy's Bradley-Terry rating; the average of all is 0, and 400 points are tenfold odds."""

    policy: str
    rating: Estimate


@dataclass(frozen=True)
class Duel:
    """Policies that played each other.

    Attributes
    ----------
    description : RunDescription
        Of one of the seatings.
    deals, games : int
        Deals of each table, and hands or games played in all.
    requested : int
        Deals asked for.
    confidence : float
    policies : tuple of str
    matchups : tuple of Matchup
    ratings : tuple of Rating
        For more than two policies; empty if they cannot be told, or for two.
    numbers : mapping of str to mapping of str to Estimate
        Averages of what is recorded by seat, by metric and policy: a hand, or a game.
    command : tuple of str
        The command line that plays the same again, in parts; empty if there is none.
    """

    description: RunDescription
    deals: int
    games: int
    requested: int
    confidence: float
    policies: tuple[str, ...]
    matchups: tuple[Matchup, ...]
    ratings: tuple[Rating, ...]
    numbers: Mapping[str, Mapping[str, Estimate]]
    command: tuple[str, ...] = ()


def to_dict(duel: Duel) -> dict[str, object]:
    """Return a duel in plain JSON types, floats in full."""
    description = duel.description
    return {
        "schema": SCHEMA,
        "kind": "duel",
        "game": description.game,
        "title": description.title,
        "unit": description.unit,
        "deals": duel.deals,
        "games": duel.games,
        "requested": duel.requested,
        "seed": description.seed,
        "options": dict(description.options),
        "changed": list(description.changed),
        "version": description.version,
        "confidence": duel.confidence,
        "policies": list(duel.policies),
        "matchups": [
            {
                "fair": each.fair,
                "won": each.won,
                "void": each.void,
                "saved": each.saved,
                "standings": [
                    {
                        "policy": one.policy,
                        "share": one.share.value,
                        "se": one.share.se,
                        "low": one.share.low,
                        "high": one.share.high,
                        "p": one.p,
                        "p_adjusted": one.p_adjusted,
                        "verdict": one.verdict,
                    }
                    for one in each.standings
                ],
            }
            for each in duel.matchups
        ],
        "ratings": [
            {"policy": each.policy, "rating": each.rating.value, **_ends(each.rating)}
            for each in duel.ratings
        ],
        "numbers": {
            metric: {name: {"mean": each.value, **_ends(each)} for name, each in by_policy.items()}
            for metric, by_policy in duel.numbers.items()
        },
        "assumptions": [asdict(assumption) for assumption in description.assumptions],
    }


def _ends(estimate: Estimate) -> dict[str, float | None]:
    return {"se": estimate.se, "low": estimate.low, "high": estimate.high}


def to_csv(duel: Duel) -> str:
    """Return one row a policy and table, floats in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("table", "policy", "share", "se", "low", "high", "fair", "p", "p_adjusted", "verdict"))
    for number, each in enumerate(duel.matchups):
        for one in each.standings:
            share = one.share
            writer.writerow(
                (number, one.policy, share.value, share.se, share.low, share.high, each.fair, one.p,
                 one.p_adjusted, one.verdict)
            )  # fmt: skip
    return text.getvalue()


def headline(duel: Duel) -> str:
    """Return what was played."""
    description = duel.description
    return (
        f"{description.title}: {count(duel.deals)} deals, each played from every seat: "
        f"{wording.number_of(duel.games, description.unit)}"
    )


def opening(duel: Duel) -> Iterator[str]:
    """Yield what is to know first."""
    yield f"Options: {wording.changed_options(duel.description)}"
    yield f"All intervals are at {100 * duel.confidence:g}% confidence, and allow for sharing deals"
    if duel.deals < duel.requested:
        yield f"Stopped early: {count(duel.deals)} of the {count(duel.requested)} deals asked for"


def conclusions(duel: Duel) -> Iterator[str]:
    """Yield a sentence a table."""
    for each in duel.matchups:
        best = max(each.standings, key=lambda one: one.share.value or 0.0)
        rest = " and ".join(one.policy for one in each.standings if one is not best)
        share = percent(best.share.value, best.share.half_width)
        if best.verdict == "better":
            even = f"{100 * each.fair:.3g}%"
            against = "is better than" if len(each.standings) == 2 else "does best against"
            yield f"{best.policy} {against} {rest}: it wins {share}, where {even} is even."
        else:
            yield f"{best.policy} and {rest}: undecided. {best.policy} wins {share}."


def standings(duel: Duel) -> Iterator[tuple[str, ...]]:
    """Yield table, policy, share, error, p-value and verdict as texts."""
    from reports.contrasts import p_text

    for number, each in enumerate(duel.matchups, 1):
        for one in each.standings:
            share, low, high = (
                None if end is None else 100 * end for end in (one.share.value, one.share.low, one.share.high)
            )
            off = error(Estimate(share, None, low, high))
            yield (
                str(number),
                one.policy,
                percent(one.share.value, one.share.half_width),
                off,
                p_text(one.p_adjusted),
                one.verdict,
            )


def ratings(duel: Duel) -> Iterator[tuple[str, ...]]:
    """Yield policy, rating and error as texts, the best first."""
    for each in sorted(duel.ratings, key=lambda each: -(each.rating.value or 0.0)):
        yield each.policy, rounded(each.rating.value, each.rating.half_width), error(each.rating)


def numbers(duel: Duel) -> Iterator[tuple[str, ...]]:
    """Yield metric, policy, mean and error as texts."""
    for metric, by_policy in duel.numbers.items():
        for policy, each in by_policy.items():
            yield metric, policy, rounded(each.value, each.half_width), error(each)


TABLES = (
    ("Who wins", ("table", "policy", "share", "", "p", "verdict"), standings),
    ("Ratings (Bradley-Terry; 400 points are tenfold odds)", ("policy", "rating", ""), ratings),
    ("By policy", ("metric", "policy", "mean", ""), numbers),
)
"""Title, column titles and rows of what is shown."""


def notes(duel: Duel) -> Iterator[str]:
    """Yield how to read the tables."""
    void = sum(each.void for each in duel.matchups)
    yield "p is that of an even share, adjusted (Holm) for all rows. Shares are of what somebody won."
    if void:
        yield f"Nobody won {count(void)} {duel.description.unit}s."
    saved = [each.saved for each in duel.matchups if each.saved]
    if saved:
        times = f"{min(saved):.1f} times as many fresh deals"
        yield f"Playing each deal from every seat was worth {times}, or more."
    if len(duel.policies) > 2 and not duel.ratings:
        yield "No ratings: some policy won or lost everything, or nothing was won."
    elif duel.ratings:
        yield "Ratings suppose that strength is one number; where A beats B beats C beats A they mislead."


def to_markdown(duel: Duel) -> str:
    """Return the duel as sections and tables."""
    escaped = wording.markdown
    paragraphs = [f"# {escaped(headline(duel))}"]
    paragraphs += [escaped(line) for line in opening(duel)]
    paragraphs += [f"**{escaped(line)}**" for line in conclusions(duel)]
    for title, header, rows in TABLES:
        lines = [[escaped(cell) for cell in row] for row in rows(duel)]
        if lines:
            body = [header, ["---"] * len(header), *lines]
            paragraphs += [f"## {escaped(title)}", "\n".join(f"| {' | '.join(line)} |" for line in body)]
    paragraphs += [escaped(line) for line in notes(duel)]
    return "\n\n".join(paragraphs) + "\n"


def page(duel: Duel) -> RenderableType:
    """Return a duel to print."""
    tables = ((title, header, rows(duel)) for title, header, rows in TABLES)
    return pages.page(headline(duel), opening(duel), conclusions(duel), tables, notes(duel))

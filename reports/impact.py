"""What each kind of card does for who holds it: pure functions of exact sums, and how they are written down.

Two measures are observed: the win rate of seats that were dealt a card of a kind, or ever held one, less
the rate of those that were not or did not. They are those of 17lands.com for drafts (OH WR, and GIH WR
less GNS WR), and tell what goes together: who holds more cards, or plays longer, holds more of each kind.

The third is causal: the same deals with one card of a starting hand exchanged for one of the kind,
paired with the same deals without (see ``reports.comparison``).
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import RenderableType

from reports import comparison, intervals, pages, wording
from reports.comparison import Level, Products, Verdict
from reports.contrasts import p_text
from reports.description import RunDescription
from reports.document import SCHEMA
from reports.intervals import UNKNOWN, Estimate
from reports.rounding import count, error, rounded

LANDS = "17lands.com (opening hand; games in hand less games not seen)"


ENOUGH = 1000
"""Deals from which on a card that never changed who wins is said to change nothing."""


@dataclass(frozen=True)
class Observed:
    """Win rates of the seats of all hands, in two parts.

    Attributes
    ----------
    having, rest : Estimate
        Of the seats that had a card of the kind, and of the others.
    difference : Estimate
        The first less the second.
    seats, others : int
        How many of each there were.
    """

    having: Estimate
    rest: Estimate
    difference: Estimate
    seats: int
    others: int


@dataclass(frozen=True)
class Effect:
    """What exchanging a card of a starting hand for one of the kind does to the win rate of its seat.

    Attributes
    ----------
    without, given : Estimate
        Win rates on the same deals, as dealt and with the card exchanged.
    difference : Estimate
        The second less the first.
    p, p_adjusted : float
        Of no difference: alone, and adjusted for all kinds (Holm).
    verdict : Verdict
        Whether the seat wins more (higher) or less with the card.
    deals, left_out : int
        Deals that were compared, and those in which the card was of the kind already or all cards of
        the kind were dealt.
    deals_to_decide : float or None
        If undecided: about how many deals would decide, if the effect is what it seems to be.
    """

    without: Estimate
    given: Estimate
    difference: Estimate
    p: float
    p_adjusted: float
    verdict: Verdict
    deals: int
    left_out: int
    deals_to_decide: float | None


@dataclass(frozen=True)
class Card:
    """One kind of card, or several that mean the same to the rules.

    Attributes
    ----------
    name : str
    copies : int
        In the deck.
    dealt, held : Observed or None
        By the starting hand, and by what was ever held; None if that was not measured.
    effect : Effect or None
    """

    name: str
    copies: int
    dealt: Observed | None
    held: Observed | None
    effect: Effect | None


@dataclass(frozen=True)
class CardImpact:
    """What all kinds of cards do.

    Attributes
    ----------
    description : RunDescription
    observed, exchanged : int
        Hands that were followed, and deals on which cards were exchanged.
    confidence : float
    cards : tuple of Card
        The one that helps most first.
    command : tuple of str
        The command line that plays the same again, in parts; empty if there is none.
    """

    description: RunDescription
    observed: int
    exchanged: int
    confidence: float
    cards: tuple[Card, ...]
    command: tuple[str, ...] = ()


class Sums(NamedTuple):
    """Sums of one kind of card.

    Attributes
    ----------
    products : Products
        Of wins (x) and what a win counts (y), over hands: A without, B with a card of the kind.
    scale : int
        What a whole win counts.
    """

    products: Products
    scale: int


def observed(sums: Sums, confidence: float) -> Observed:
    """Return what seats with and without a card of a kind won; hands are the independent units."""
    rest, having = _rates(sums.products, confidence)
    spread = comparison.spread(sums.products)
    between = UNKNOWN if spread is None else comparison.difference(rest, having, spread)
    return Observed(having, rest, between, sums.products.yb // sums.scale, sums.products.ya // sums.scale)


def effects(kinds: Sequence[Sums], deals: int, confidence: float) -> list[Effect]:
    """Return the effects of all kinds; the units of their sums are the deals that were compared."""
    level = Level(confidence)
    spreads = [comparison.spread(each.products) for each in kinds]
    tests = []
    for (products, scale), spread in zip(kinds, spreads, strict=True):
        only_one = None
        if products.xa_xa == scale * products.xa and products.xb_xb == scale * products.xb:  # no shared wins
            both = products.xa_xb // scale
            only_one = ((products.xa - both) // scale, (products.xb - both) // scale)
        tests.append(comparison.p_value(spread, products.n, level, only_one))
    found = []
    for (products, _), spread, p, adjusted in zip(kinds, spreads, tests, comparison.holm(tests), strict=True):
        without, given = _rates(products, confidence)
        between = UNKNOWN
        same = comparison.never_differed(products)
        alike = same and products.n >= ENOUGH
        if spread is not None:
            between = comparison.difference(without, given, spread)
            if same:
                between = comparison.never(products.n, confidence)
        verdict = comparison.judge(between, adjusted, 0, confidence, alike)
        needed = None
        if verdict == "undecided":
            needed = comparison.games_to_decide(between, products.n, 0, confidence, len(kinds))
        found.append(
            Effect(without, given, between, p, adjusted, verdict, products.n, deals - products.n, needed)
        )
    return found


def _rates(products: Products, confidence: float) -> tuple[Estimate, Estimate]:
    p = products
    rates = []
    for sums in ((p.xa, p.xa_xa, p.ya, p.ya_ya, p.xa_ya), (p.xb, p.xb_xb, p.yb, p.yb_yb, p.xb_yb)):
        rate = intervals.ratio(p.n, *sums, confidence)
        if rate.value is not None:
            trials = intervals.effective_trials(rate.value, rate.se, p.n)
            rate = intervals.with_wilson(rate, trials, confidence)
        rates.append(rate)
    return rates[0], rates[1]


def ordered(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return the cards, the one with the largest effect (or difference, if dealt) first."""

    def key(card: Card) -> tuple[bool, float]:
        by = card.effect or card.dealt
        value = None if by is None else by.difference.value
        return value is None, -(value or 0.0)

    return tuple(sorted(cards, key=key))


# How it is written down.


def _numbers(estimate: Estimate) -> dict[str, object]:
    return {"value": estimate.value, "se": estimate.se, "low": estimate.low, "high": estimate.high}


def _observed_numbers(found: Observed | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "having": _numbers(found.having),
        "rest": _numbers(found.rest),
        "difference": _numbers(found.difference),
        "seats": found.seats,
        "others": found.others,
    }


def _effect_numbers(found: Effect | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "without": _numbers(found.without),
        "given": _numbers(found.given),
        "difference": _numbers(found.difference),
        "p": found.p,
        "p_adjusted": found.p_adjusted,
        "verdict": found.verdict,
        "deals": found.deals,
        "left_out": found.left_out,
        "deals_to_decide": found.deals_to_decide,
    }


def to_dict(impact: CardImpact) -> dict[str, object]:
    """Return everything in plain JSON types, floats in full."""
    description = impact.description
    return {
        "schema": SCHEMA,
        "kind": "card_impact",
        "game": description.game,
        "title": description.title,
        "unit": description.unit,
        "observed": impact.observed,
        "exchanged": impact.exchanged,
        "requested": description.requested,
        "seed": description.seed,
        "options": dict(description.options),
        "changed": list(description.changed),
        "policies": list(description.policies),
        "fixed_seats": description.fixed_seats,
        "version": description.version,
        "confidence": impact.confidence,
        "cards": {
            card.name: {
                "copies": card.copies,
                "dealt": _observed_numbers(card.dealt),
                "held": _observed_numbers(card.held),
                "effect": _effect_numbers(card.effect),
            }
            for card in impact.cards
        },
    }


CSV_HEADER = (
    "card", "copies",
    "dealt", "dealt_low", "dealt_high", "dealt_seats", "dealt_others",
    "held", "held_low", "held_high", "held_seats", "held_others",
    "effect", "effect_low", "effect_high", "p", "p_adjusted", "verdict",
    "deals", "left_out", "deals_to_decide",
)  # fmt: skip


def to_csv(impact: CardImpact) -> str:
    """Return one row a card, floats in full, nothing where a value is not known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for card in impact.cards:
        row: list[object] = [card.name, card.copies]
        for found in (card.dealt, card.held):
            if found is None:
                row += [None] * 5
            else:
                d = found.difference
                row += [d.value, d.low, d.high, found.seats, found.others]
        e = card.effect
        if e is None:
            row += [None] * 9
        else:
            d = e.difference
            row += [d.value, d.low, d.high, e.p, e.p_adjusted, e.verdict, e.deals, e.left_out]
            row.append(e.deals_to_decide)
        writer.writerow(row)
    return text.getvalue()


def headline(impact: CardImpact) -> str:
    """Return what was played."""
    return f"{impact.description.title}: what each card does for who holds it"


def opening(impact: CardImpact) -> Iterator[str]:
    """Yield what is to know first."""
    description = impact.description
    yield f"Policies: {wording.who_played(description)}"
    yield f"Options: {wording.changed_options(description)}"
    yield (
        "All numbers are differences of a win rate, in points; all intervals are at "
        f"{100 * impact.confidence:g}% confidence"
    )
    for played, what in ((impact.observed, "hands followed"), (impact.exchanged, "deals with exchanges")):
        if 0 < played < description.requested:
            yield f"Stopped early: {count(played)} {what} of the {count(description.requested)} asked for"


def titles(impact: CardImpact) -> tuple[str, ...]:
    """Return the titles of the columns that there are."""
    observed = ("dealt", "", "held", "") if impact.observed else ()
    exchanged = ("given", "", "verdict") if impact.exchanged else ()
    return ("card", "copies", *observed, *exchanged)


def rows(impact: CardImpact) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table, as texts."""
    for card in impact.cards:
        cells = [card.name, str(card.copies)]
        for found in (card.dealt, card.held):
            if found is not None:
                cells += _points(found.difference)
        if card.effect is not None:
            cells += [*_points(card.effect.difference), card.effect.verdict]
        yield tuple(cells)


def _points(difference: Estimate) -> tuple[str, str]:
    """Return a difference of win rates in points, and its error."""
    points = difference.scaled(100)
    sign = "+" if points.value is not None and points.value > 0 else ""
    value = sign + rounded(points.value, points.half_width).replace("-", "\N{MINUS SIGN}")
    return value, error(points).replace("± ", "±").replace("-", "\N{MINUS SIGN}")


def notes(impact: CardImpact) -> Iterator[str]:
    """Yield how the numbers come about."""
    if impact.observed:
        yield (
            f"dealt, held: over {count(impact.observed)} hands, the win rate of seats that were dealt such a "
            "card, or ever held one, less that of the other seats. It tells what goes together, and not what "
            f"the card does: who holds many cards holds more of each. As {LANDS}"
        )
    effects = [card.effect for card in impact.cards if card.effect is not None]
    if effects:
        fewest, most = (count(pick(each.deals for each in effects)) for pick in (min, max))
        yield (
            f"given: {count(impact.exchanged)} deals with one card of a starting hand, drawn by lot, "
            "exchanged for such a card that was not dealt, less the same deals without; seats take turns. "
            "Deals on which that cannot be done are left out: "
            f"{fewest} to {most} are compared, depending on the card"
        )
        yield (
            "verdict: whether the seat then wins more (higher) or less, by p-values adjusted (Holm) for "
            f"{len(effects)} cards"
        )


def to_markdown(impact: CardImpact) -> str:
    """Return the cards as a table, numbers rounded as their intervals allow, with the number of deals."""
    escaped = wording.markdown
    extra = ("p (Holm)", "deals") if impact.exchanged else ()
    header = (*titles(impact), *extra)
    lines = [list(header), ["---"] * len(header)]
    for card, row in zip(impact.cards, rows(impact), strict=True):
        e = card.effect
        more = () if e is None else (p_text(e.p_adjusted), count(e.deals))
        lines.append([escaped(cell) for cell in (*row, *more)])
    paragraphs = [f"# {escaped(headline(impact))}", *(escaped(line) for line in opening(impact))]
    paragraphs.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    paragraphs += [escaped(line) for line in notes(impact)]
    return "\n\n".join(paragraphs) + "\n"


def page(impact: CardImpact) -> RenderableType:
    """Return the cards to print."""
    tables = [("Cards", titles(impact), rows(impact))]
    return pages.page(headline(impact), opening(impact), (), tables, notes(impact))

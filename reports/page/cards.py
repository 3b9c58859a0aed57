"""The page of what each card does."""

from collections.abc import Iterator, Mapping, Sequence

from reports import impact as reported
from reports.contrasts import p_text
from reports.impact import Card, CardImpact, Effect
from reports.intervals import Estimate
from reports.page import charts, sections
from reports.page.forest import Difference, forest
from reports.page.model import Chart, Fact, Item, Page, Section, Table
from reports.rounding import count, error, percent, rounded
from reports.wording import visible

HEADER = ("card", "copies", "without", "with", "points", "error", "p", "deals", "verdict")


def cards_page(
    impact: CardImpact, interrupted: bool = False, made_with: Mapping[str, str] | None = None
) -> Page:
    """Return the page of what each card does; ``made_with`` are versions by name."""
    description = impact.description
    played: tuple[Section, ...] = ()
    if impact.observed or impact.exchanged:
        played = (
            Section("effects", "What a card does", tuple(effects(impact))),
            Section("observed", "What goes together with winning", tuple(_observed(impact))),
            Section("numbers", "All cards", tuple(_numbers(impact))),
        )
    sizes = [("hands followed", count(impact.observed)), ("deals with exchanges", count(impact.exchanged))]
    return Page(
        title=reported.headline(impact),
        verdict=_verdict(impact) if played else "Nothing was finished yet.",
        # What was stopped is said above.
        opening=tuple(f"{line}." for line in reported.opening(impact) if not line.startswith("Stopped")),
        warning=_warning(impact) if interrupted else "",
        facts=tuple(_facts(impact)) if played else (),
        sections=(
            *played,
            Section("assumed", "What is assumed", tuple(sections.assumed(description))),
            Section(
                "again",
                "How to run it again",
                tuple(sections.again(impact.command, description, sizes, made_with or {})),
            ),
        ),
        footer=sections.footer(description),
    )


def _warning(impact: CardImpact) -> str:
    return (
        f"Stopped early: {count(impact.observed)} hands were followed and cards exchanged on "
        f"{count(impact.exchanged)} deals, of the {count(impact.description.requested)} asked for."
    )


def _exchanged(impact: CardImpact) -> list[tuple[Card, Effect]]:
    return [(card, card.effect) for card in impact.cards if card.effect is not None]


def _points(difference: Estimate) -> str:
    """Return a difference of win rates in points, with its sign and error."""
    points = difference.scaled(100)
    sign = "+" if (points.value or 0.0) > 0 else ""
    return f"{sign}{rounded(points.value, points.half_width)} points ({error(points)})".replace("-", "−")


def _verdict(impact: CardImpact) -> str:
    """Return which card helps most, and which harms most, as far as that is certain."""
    found = _exchanged(impact)
    if not found:
        told = [
            card
            for card in impact.cards
            if card.dealt is not None and card.dealt.difference.value is not None
        ]
        if not told:
            return "Too little was played to say anything of the cards."
        best = told[0]
        assert best.dealt is not None
        return (
            f"Who is dealt {visible(best.name)} wins most, {_points(best.dealt.difference)}. "
            "Whether it is the card that does it, exchanging cards would tell."
        )
    sentences = []
    for verdict, words, pick in (("higher", "helps most", 0), ("lower", "harms most", -1)):
        sure = [(card, effect) for card, effect in found if effect.verdict == verdict]
        if sure:
            card, effect = sure[pick]
            sentences.append(
                f"{visible(card.name)} {words}: in a starting hand it is worth {_points(effect.difference)}."
            )
    if not sentences:
        return "No card is known to help or to harm who is dealt it: more deals would tell."
    return " ".join(sentences)


def _facts(impact: CardImpact) -> Iterator[Fact]:
    found = _exchanged(impact)
    for verdict, title in (
        ("higher", "Cards that help"),
        ("lower", "Cards that harm"),
        ("undecided", "Undecided"),
    ):
        if found:
            names = [card.name for card, effect in found if effect.verdict == verdict]
            shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            yield Fact(title, f"{len(names)} of {len(found)}", shown)
    if impact.observed:
        yield Fact("Hands followed", count(impact.observed))


def effects(impact: CardImpact) -> Iterator[Chart]:
    """Yield what exchanging a card changes, if anything was exchanged."""
    found = _exchanged(impact)
    if not any(effect.difference.value is not None for _, effect in found):
        return
    rows = [_difference(card, effect) for card, effect in found]
    fewest, most = (count(pick(effect.deals for _, effect in found)) for pick in (min, max))
    yield forest(
        "effects",
        "A card of a starting hand exchanged for it",
        rows,
        Table("Effects", HEADER, tuple(_row(card, effect) for card, effect in found), texts=(0, 8)),
        axis="change of the win rate of who is dealt it",
        says="; ".join(f"{row.label}: {row.says}" for row in rows) + ".",
        note="The same deals with one card, drawn by lot, exchanged for this one, beside those as they were: "
        f"{fewest} to {most} deals, depending on the card. So it is the card that does it.",
        ends=("wins less with it", "wins more with it"),
    )


def _difference(card: Card, effect: Effect) -> Difference:
    points = _points(effect.difference)
    word = "" if effect.verdict in ("higher", "lower") else f", {effect.verdict}"
    return Difference(
        visible(card.name),
        effect.difference,
        0.0,
        f"{points}{word}",
        f"{points}, {effect.verdict}",
        effect.verdict,
    )


def _row(card: Card, effect: Effect) -> tuple[str, ...]:
    points = effect.difference.scaled(100)
    return (
        card.name,
        str(card.copies),
        percent(effect.without.value, effect.without.half_width),
        percent(effect.given.value, effect.given.half_width),
        rounded(points.value, points.half_width).replace("-", "−"),
        error(points),
        p_text(effect.p_adjusted),
        count(effect.deals),
        effect.verdict,
    )


def _observed(impact: CardImpact) -> Iterator[Chart]:
    for name, title, of in (
        ("dealt", "Who was dealt it, beside who was not", [(card, card.dealt) for card in impact.cards]),
        ("held", "Who ever held it, beside who never did", [(card, card.held) for card in impact.cards]),
    ):
        rows = [(card.name, found.difference) for card, found in of if found is not None]
        if any(difference.value is not None for _, difference in rows):
            yield _intervals(name, title, rows)


def _intervals(name: str, title: str, rows: Sequence[tuple[str, Estimate]]) -> Chart:
    return charts.intervals(
        name,
        title,
        rows,
        shares=True,
        axis="difference of the win rates",
        header=("card", "difference", "error"),
        note="What goes together, and not what the card does: who holds many cards holds more of each.",
        reference=("no difference", 0.0),
    )


def _numbers(impact: CardImpact) -> Iterator[Item]:
    named = {"": "error", "given": "with it"}
    titles = tuple(named.get(title, title) for title in reported.titles(impact))
    texts = tuple(index for index, title in enumerate(titles) if title in ("card", "verdict"))
    note = " ".join(f"{line}." for line in reported.notes(impact)).replace("given:", "with it:")
    yield Table("In points of the win rate", titles, tuple(reported.rows(impact)), texts=texts, note=note)

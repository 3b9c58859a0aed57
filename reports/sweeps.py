"""What a sweep over options found, and how it is written down."""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from reports import pages, wording
from reports.description import RunDescription
from reports.document import SCHEMA
from reports.intervals import Estimate, normal_quantile
from reports.rounding import count, error, rounded
from reports.summary import Summary

MOST_ROWS = 60
"""Points in a table for people; with a goal the best, else the first."""

COMPARE = {
    "<=": lambda value, bound: value <= bound,
    ">=": lambda value, bound: value >= bound,
    "<": lambda value, bound: value < bound,
    ">": lambda value, bound: value > bound,
}
"""How a constraint may compare; longer signs first."""


@dataclass(frozen=True)
class Goal:
    """What the best point should have: a statistic near a target, or as small or large as can be.

    Attributes
    ----------
    name : str
    target : float
        Minus or plus infinity for the smallest or largest.
    """

    name: str
    target: float

    def distance(self, value: float) -> float:
        """Return how far a value is from the goal; less is better, and may be negative."""
        if math.isinf(self.target):
            return math.copysign(1.0, -self.target) * value
        return abs(value - self.target)

    def __str__(self) -> str:
        ends = {math.inf: "max", -math.inf: "min"}
        return f"{self.name}={ends.get(self.target, f'{self.target:g}')}"


@dataclass(frozen=True)
class Where:
    """A constraint on a statistic: ``turns<20``."""

    name: str
    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Return whether a value satisfies it."""
        return bool(COMPARE[self.sign](value, self.bound))

    def __str__(self) -> str:
        return f"{self.name}{self.sign}{self.bound:g}"


@dataclass(frozen=True)
class Point:
    """One point of the grid.

    Attributes
    ----------
    values : mapping of str to str
        Of the options that vary, as on the command line.
    statistics : mapping of str to Estimate
        Those that are shown, aimed at or constrained.
    refused : str
        Why these options are impossible together; empty if they were played.
    """

    values: Mapping[str, str]
    statistics: Mapping[str, Estimate]
    refused: str = ""


@dataclass(frozen=True)
class Sweep:
    """A grid of rule sets, all on the same deals.

    Attributes
    ----------
    description : RunDescription
        Of the first point.
    n : int
        Hands or games of each point.
    size : int
        Points of the grid; if interrupted, more than there are in ``points``.
    confidence : float
    options : tuple of str
        That vary.
    metrics : tuple of str
        Statistics to show.
    goal : Goal or None
    where : tuple of Where
    points : tuple of Point
    best : int or None
        Position of the point nearest to the goal of those that satisfy the constraints.
    fresh : Point or None
        The best point played again with another seed: it was chosen for how it looked, so by
        itself it looks better than it is.
    fresh_seed : int
    command : tuple of str
        The command line that plays the same again, in parts; empty if there is none.
    """

    description: RunDescription
    n: int
    size: int
    confidence: float
    options: tuple[str, ...]
    metrics: tuple[str, ...]
    goal: Goal | None
    where: tuple[Where, ...]
    points: tuple[Point, ...]
    best: int | None
    fresh: Point | None
    fresh_seed: int
    command: tuple[str, ...] = ()

    def fits(self, point: Point) -> bool:
        """Return whether a point satisfies the constraints."""
        return fits(point, self.where)

    def rivals(self) -> list[Point]:
        """Return points that cannot be told from the best: the difference is within its error.

        As if played on deals of their own, which overstates the error where deals are shared.
        """
        if self.best is None or self.goal is None:
            return []
        best = self.points[self.best].statistics[self.goal.name]
        z = normal_quantile(self.confidence)
        found = []
        for index, point in enumerate(self.points):
            if index == self.best or point.refused or not self.fits(point):
                continue
            other = point.statistics[self.goal.name]
            if other.value is None or best.value is None:
                continue
            gap = self.goal.distance(other.value) - self.goal.distance(best.value)
            if gap <= z * math.hypot(other.se or 0.0, best.se or 0.0):
                found.append(point)
        return found


def statistic_of(summary: Summary, name: str) -> Estimate:
    """Return a statistic by name, the worth of starting among them."""
    if name == wording.FIRST_PLAYER:
        return summary.first_player.advantage
    return summary.statistics[name].estimate


def fits(point: Point, where: Sequence[Where]) -> bool:
    """Return whether a point was played and satisfies constraints."""
    if point.refused:
        return False
    values = [(each, point.statistics[each.name].value) for each in where]
    return all(value is not None and each.holds(value) for each, value in values)


def best_of(points: Sequence[Point], goal: Goal | None, where: Sequence[Where]) -> int | None:
    """Return the position of the point nearest to the goal, the first of several, or None."""
    if goal is None:
        return None
    distances = {
        index: goal.distance(value)
        for index, point in enumerate(points)
        if fits(point, where) and (value := point.statistics[goal.name].value) is not None
    }
    return min(distances, key=distances.__getitem__, default=None)


def to_dict(sweep: Sweep) -> dict[str, object]:
    """Return a sweep in plain JSON types, floats in full."""
    description = sweep.description
    return {
        "schema": SCHEMA,
        "kind": "sweep",
        "game": description.game,
        "title": description.title,
        "unit": description.unit,
        "n": sweep.n,
        "size": sweep.size,
        "seed": description.seed,
        "policies": list(description.policies),
        "version": description.version,
        "confidence": sweep.confidence,
        "vary": list(sweep.options),
        "metrics": list(sweep.metrics),
        "goal": None if sweep.goal is None else str(sweep.goal),
        "where": [str(each) for each in sweep.where],
        "points": [_point(each, sweep) for each in sweep.points],
        "best": sweep.best,
        "confirmation": None
        if sweep.fresh is None
        else {"seed": sweep.fresh_seed, **_point(sweep.fresh, sweep)},
    }


def _point(point: Point, sweep: Sweep) -> dict[str, object]:
    return {
        "options": dict(point.values),
        "refused": point.refused,
        "fits": sweep.fits(point),
        "statistics": {
            name: {"mean": each.value, "se": each.se, "low": each.low, "high": each.high}
            for name, each in point.statistics.items()
        },
    }


def csv_header(options: Sequence[str], names: Sequence[str]) -> str:
    """Return the first line of the CSV of a sweep."""
    columns = [f"{name}{part}" for name in names for part in ("", ".se", ".low", ".high")]
    return _csv_line([*options, *columns, "fits", "refused"])


def csv_row(point: Point, names: Sequence[str], where: Sequence[Where]) -> str:
    """Return the line of a point."""
    cells: list[object] = list(point.values.values())
    for name in names:
        each = point.statistics.get(name)
        cells += ["", "", "", ""] if each is None else [each.value, each.se, each.low, each.high]
    return _csv_line([*cells, int(fits(point, where)), point.refused])


def _csv_line(cells: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def to_csv(sweep: Sweep) -> str:
    """Return one row a point, floats in full."""
    names = columns(sweep)
    rows = (csv_row(point, names, sweep.where) for point in sweep.points)
    return csv_header(sweep.options, names) + "".join(rows)


def columns(sweep: Sweep) -> tuple[str, ...]:
    """Return the statistics that are kept of each point."""
    return kept(sweep.metrics, sweep.goal, sweep.where)


def kept(metrics: Sequence[str], goal: Goal | None, where: Sequence[Where]) -> tuple[str, ...]:
    """Return the statistics that are shown, aimed at or constrained, each once."""
    wanted = [*([goal.name] if goal else []), *(each.name for each in where), *metrics]
    return tuple(dict.fromkeys(wanted))


def headline(sweep: Sweep) -> str:
    """Return what was played."""
    description = sweep.description
    return (
        f"{description.title}: {count(len(sweep.points))} rule sets, "
        f"{wording.number_of(sweep.n, description.unit)} of each, on the same deals"
    )


def opening(sweep: Sweep) -> Iterator[str]:
    """Yield what is to know first."""
    yield f"Policies: {wording.who_played(sweep.description)}"
    yield f"All intervals are at {100 * sweep.confidence:g}% confidence, each by itself"
    if len(sweep.points) < sweep.size:
        yield f"Stopped early: {count(len(sweep.points))} of {count(sweep.size)} rule sets were played"
    if sweep.goal:
        where = f", where {' and '.join(map(str, sweep.where))}" if sweep.where else ""
        yield f"Goal: {sweep.goal}{where}"


def conclusions(sweep: Sweep) -> Iterator[str]:
    """Yield which point is the best, and what it gives with a fresh seed."""
    if sweep.goal is None:
        return
    if sweep.best is None:
        yield "No rule set satisfies all constraints."
        return
    point = sweep.points[sweep.best]
    yield f"Best: {label(point)}, with {sweep.goal.name} = {_shown(point.statistics[sweep.goal.name])}."
    if sweep.fresh is not None:
        again = _shown(sweep.fresh.statistics[sweep.goal.name])
        yield f"Played again with a fresh seed ({sweep.fresh_seed}), it has {again}: believe this one."
    yield from doubts(sweep)


def doubts(sweep: Sweep) -> Iterator[str]:
    """Yield what speaks against the best point."""
    if sweep.fresh is not None and not sweep.fits(sweep.fresh):
        yield "With the fresh seed it no longer satisfies all constraints."
    rivals = sweep.rivals()
    if rivals:
        named = "; ".join(label(each) for each in rivals[:3])
        more = f" and {len(rivals) - 3} more" if len(rivals) > 3 else ""
        yield f"With so few played it cannot be told from: {named}{more}."


def label(point: Point) -> str:
    """Return a point in words."""
    return ", ".join(f"{name} = {value}" for name, value in point.values.items())


def _shown(each: Estimate) -> str:
    return f"{rounded(each.value, each.half_width)} {error(each).replace('± ', '±')}"


def table(sweep: Sweep) -> list[tuple[str, ...]]:
    """Return a row a point: options, statistics, and whether it is the best or fails a constraint."""
    order = ranked(sweep) if len(sweep.points) > MOST_ROWS else range(len(sweep.points))
    rows = []
    for index in order[:MOST_ROWS]:
        point = sweep.points[index]
        names = columns(sweep)
        cells = [_shown(point.statistics[name]) if not point.refused else "" for name in names]
        remark = "best" if index == sweep.best else "" if sweep.fits(point) else "fails"
        rows.append((*point.values.values(), *cells, point.refused or remark))
    return rows


def ranked(sweep: Sweep) -> list[int]:
    """Return the positions of the points, the nearest to the goal first; as they are without a goal."""
    order = range(len(sweep.points))
    return list(order) if sweep.goal is None else sorted(order, key=lambda index: _rank(sweep, index))


def _rank(sweep: Sweep, index: int) -> tuple[bool, float]:
    point = sweep.points[index]
    if sweep.goal is None or point.refused:
        return True, math.inf
    value = point.statistics[sweep.goal.name].value
    return not sweep.fits(point), math.inf if value is None else sweep.goal.distance(value)


def titles(sweep: Sweep) -> tuple[str, ...]:
    """Return the titles of the table's columns."""
    return (*sweep.options, *columns(sweep), "")


def notes(sweep: Sweep) -> Iterator[str]:
    """Yield how to read the table."""
    if len(sweep.points) > MOST_ROWS:
        which = "best" if sweep.goal else "first"
        yield f"The {which} {MOST_ROWS} of {count(len(sweep.points))}; all of them: --format json or csv."
    if sweep.goal is None:
        yield 'Which is best? Say what you want: --goal "first_player_advantage=0", and --where "turns<20".'
    else:
        yield "The best of many looks better than it is, hence the fresh seed."


def to_markdown(sweep: Sweep) -> str:
    """Return the sweep as sections and a table."""
    escaped = wording.markdown
    paragraphs = [f"# {escaped(headline(sweep))}"]
    paragraphs += [escaped(line) for line in opening(sweep)]
    paragraphs += [f"**{escaped(line)}**" for line in conclusions(sweep)]
    header = [escaped(title) for title in titles(sweep)]
    lines = [header, ["---"] * len(header), *([escaped(cell) for cell in row] for row in table(sweep))]
    paragraphs.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    paragraphs += [escaped(line) for line in notes(sweep)]
    return "\n\n".join(paragraphs) + "\n"


def page(sweep: Sweep) -> RenderableType:
    """Return a sweep to print."""
    tables = [("Rule sets", titles(sweep), table(sweep))]
    names = len(sweep.options)
    return pages.page(headline(sweep), opening(sweep), conclusions(sweep), tables, notes(sweep), names)

"""The page of a sweep over options."""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reports import sweeps, wording
from reports.intervals import Estimate
from reports.page import charts, curves, sections
from reports.page.charts import error_text, value_text
from reports.page.grids import Cell, grid
from reports.page.model import Chart, Fact, Item, Page, Section, Table, Text
from reports.rounding import count, rounded
from reports.sweeps import Goal, Point, Sweep
from reports.wording import visible

NEAREST = 10
"""Rule sets in the chart of those that come nearest to the goal."""
MANY_OPTIONS = 3
"""So many need several heat maps of each statistic."""
MOST_CHARTS = 12
"""Heat maps of one statistic."""
FRESH = "again, fresh seed"

Options = tuple[str, ...]


def sweep_page(sweep: Sweep, interrupted: bool = False, made_with: Mapping[str, str] | None = None) -> Page:
    """Return the page of a sweep; ``made_with`` are versions by name."""
    description = sweep.description
    played: list[Section] = []
    if any(not point.refused for point in sweep.points):
        played.append(Section("nearest", "Nearest to the goal", tuple(_nearest(sweep))))
        if len(sweep.options) < MANY_OPTIONS:
            shapes = [item for name in sweeps.columns(sweep) for item in _shape(sweep, name)]
            played.append(
                Section("by-options", f"How it depends on {' and '.join(sweep.options)}", tuple(shapes))
            )
        for number, name in enumerate(sweeps.columns(sweep) if len(sweep.options) >= MANY_OPTIONS else ()):
            title = _label(name)
            played.append(
                Section(f"by-options-{number}", f"{title[:1].upper()}{title[1:]}", tuple(_shape(sweep, name)))
            )
    if sweep.points:
        played.append(Section("points", "The rule sets", tuple(_points(sweep))))
    sizes = [("rule sets", count(len(sweep.points))), (f"{description.unit}s of each", count(sweep.n))]
    if sweep.fresh is not None:
        sizes.append(("fresh seed", str(sweep.fresh_seed)))
    again = sections.again(sweep.command, description, sizes, made_with or {}, sweep.options)
    return Page(
        title=sweeps.headline(sweep),
        verdict=_verdict(sweep),
        opening=tuple(_opening(sweep)),
        warning=_warning(sweep, interrupted),
        facts=tuple(_facts(sweep)),
        sections=(
            *played,
            Section("varied", "What was varied", tuple(_varied(sweep))),
            Section(
                "assumed", "What is assumed", tuple(sections.assumed(description, leave_out=sweep.options))
            ),
            Section("again", "How to run it again", tuple(again)),
        ),
        footer=sections.footer(description),
    )


def _warning(sweep: Sweep, interrupted: bool) -> str:
    if len(sweep.points) < sweep.size:
        return f"Stopped early: {count(len(sweep.points))} of {count(sweep.size)} rule sets were played."
    if interrupted:
        return "Stopped early: the best rule set was not played again with a fresh seed."
    return ""


def _opening(sweep: Sweep) -> Iterator[str]:
    yield from sweeps.doubts(sweep)
    # What was stopped is said above.
    yield from (f"{line}." for line in sweeps.opening(sweep) if not line.startswith("Stopped"))


def _verdict(sweep: Sweep) -> str:
    played = [point for point in sweep.points if not point.refused]
    if not played:
        return "Nothing was finished yet." if not sweep.points else "None of these rule sets is possible."
    goal = sweep.goal
    if goal is None:
        return _extremes(sweep, sweeps.columns(sweep)[0])
    if sweep.best is None:
        return "No rule set satisfies all constraints."
    point = sweep.fresh or sweep.points[sweep.best]
    value = _with_error(goal.name, point.statistics[goal.name])
    where = f" that have {' and '.join(map(str, sweep.where))}" if sweep.where else ""
    of = f"of {count(len(played))} rule sets{where}"
    label = _label(goal.name)
    verb = "are" if label.endswith("s") else "is"
    return f"With {_words(point)}, {label} {verb} {value}: {_rank(goal)} {of}."


def _rank(goal: Goal) -> str:
    if math.isinf(goal.target):
        return "the most" if goal.target > 0 else "the least"
    return f"the nearest to {_plain(goal.name, goal.target)}"


def _extremes(sweep: Sweep, name: str) -> str:
    """Return in a sentence from where to where a statistic goes, and with which options."""
    known = _known(sweep, name)
    if not known:
        return f"Nothing is known of {_label(name)}."
    (_, least, low), (_, most, high) = known[0], known[-1]
    title = _label(name)
    return (
        f"{title[:1].upper()}{title[1:]} goes from {_with_error(name, low)} with {_words(least)} "
        f"to {_with_error(name, high)} with {_words(most)}."
    )


def _known(sweep: Sweep, name: str) -> list[tuple[float, Point, Estimate]]:
    """Return the points at which a statistic is known, the least first."""
    found = [
        (each.value, point, each)
        for point in sweep.points
        if not point.refused and (each := point.statistics[name]).value is not None
    ]
    return sorted(found, key=lambda known: known[0])


def _words(point: Point) -> str:
    parts = [f"{name} = {visible(value)}" for name, value in point.values.items()]
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _label(name: str) -> str:
    """Return a statistic's name as people say it."""
    return "the advantage of starting" if name == wording.FIRST_PLAYER else visible(name.replace("_", " "))


def _is_share(name: str) -> bool:
    """Whether a statistic is a share of wins, read in percent or points."""
    return name == wording.FIRST_PLAYER or name.startswith("win.")


def _text(name: str, each: Estimate) -> str:
    """Return a value with its unit."""
    if name != wording.FIRST_PLAYER or each.value is None:
        return value_text(each, _is_share(name)).replace("-", "−")
    reach = each.half_width
    points = rounded(100 * each.value, None if reach is None else 100 * reach)
    return f"{'+' if each.value > 0 else ''}{points} points".replace("-", "−")


def _with_error(name: str, each: Estimate) -> str:
    off = error_text(each, _is_share(name))
    return f"{_text(name, each)} ({off})"


def _plain(name: str, value: float) -> str:
    """Return a number that somebody named."""
    return f"{100 * value:g} points" if name == wording.FIRST_PLAYER and value else f"{value:g}"


def _facts(sweep: Sweep) -> Iterator[Fact]:
    goal = sweep.goal
    if goal is not None and sweep.best is not None:
        best = sweep.points[sweep.best]
        title = _label(goal.name)
        title = title[:1].upper() + title[1:]
        first = best.statistics[goal.name]
        yield Fact(f"{title}, first look", _text(goal.name, first), error_text(first, _is_share(goal.name)))
        if sweep.fresh is not None:
            again = sweep.fresh.statistics[goal.name]
            off = error_text(again, _is_share(goal.name))
            yield Fact(f"{title}, {FRESH}", _text(goal.name, again), f"{off}; the one to believe")
        rivals = len(sweep.rivals())
        yield Fact("As good, for all that is known", count(rivals), "other rule sets cannot be told from it")
    else:
        for name in sweeps.columns(sweep)[:2]:
            known = _known(sweep, name)
            if known:
                title = _label(name)
                between = f"{_text(name, known[0][2])} to {_text(name, known[-1][2])}"
                yield Fact(f"{title[:1].upper()}{title[1:]}", between, "over all rule sets")
    refused = sum(bool(point.refused) for point in sweep.points)
    detail = (
        f"{count(refused)} are impossible"
        if refused
        else f"{count(sweep.n)} {sweep.description.unit}s of each"
    )
    yield Fact("Rule sets", count(len(sweep.points)), detail)


def _nearest(sweep: Sweep) -> Iterator[Chart]:
    """Yield a chart of the best rule sets, the best one twice: as first seen, and with a fresh seed."""
    goal = sweep.goal
    if goal is None or sweep.best is None:
        return
    fitting = [
        (goal.distance(value), index)
        for index, point in enumerate(sweep.points)
        if sweep.fits(point) and (value := point.statistics[goal.name].value) is not None
    ]
    order = [index for _, index in sorted(fitting)[:NEAREST]]
    if len(order) < 2 and sweep.fresh is None:
        return
    rows = [
        (_short(sweep, sweep.points[index]), sweep.points[index].statistics[goal.name]) for index in order
    ]
    accent = [rows[0][0]]
    if sweep.fresh is not None:
        rows.insert(1, (FRESH, sweep.fresh.statistics[goal.name]))
        accent.append(FRESH)
    options = f"Each line is {', '.join(sweep.options)}. " if len(sweep.options) > 1 else ""
    chart = charts.intervals(
        "nearest",
        f"{_sentence(_label(goal.name))}: the {len(order)} nearest of {count(len(fitting))}",
        rows,
        shares=_is_share(goal.name),
        axis=_axis(goal.name),
        accent=accent,
        header=(", ".join(sweep.options), "value", "error"),
        note=f"{options}Of the other colour: the best, and the same with a fresh seed ({sweep.fresh_seed}): "
        "the best of many looks better than it is.",
        reference=None
        if math.isinf(goal.target)
        else (f"goal {_plain(goal.name, goal.target)}", goal.target),
    )
    yield replace(chart, wide=True)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _axis(name: str) -> str:
    if name == wording.FIRST_PLAYER:
        return "wins of who starts, above a fair share"
    return "share of wins" if _is_share(name) else _label(name)


def _short(sweep: Sweep, point: Point) -> str:
    if len(sweep.options) == 1:
        return sweeps.label(point)
    return ", ".join(point.values.values())


def _shape(sweep: Sweep, name: str) -> Iterator[Item]:
    """Yield charts of how a statistic depends on the options: a curve, or heat maps."""
    if len(sweep.options) == 1:
        yield _curve(sweep, name)
        return
    values = {
        option: list(dict.fromkeys(point.values[option] for point in sweep.points))
        for option in sweep.options
    }
    order = sorted(sweep.options, key=lambda option: len(values[option]))
    across, down = order[-1], order[-2]
    others = [option for option in sweep.options if option not in (across, down)]
    slices = list(itertools.product(*(values[option] for option in others)))
    chosen = _slices(sweep, others, slices)
    if len(chosen) < len(slices):
        which = "with the best rule sets" if sweep.goal is not None else "first"
        yield Text(
            f"Of {count(len(slices))} heat maps of {down} and {across}, the {len(chosen)} {which} are shown; "
            "all numbers are in --format json and csv."
        )
    for number, fixed in enumerate(chosen):
        yield _heat_map(sweep, name, (down, across), values, dict(zip(others, fixed, strict=True)), number)


def _slices(sweep: Sweep, others: Sequence[str], slices: Sequence[Options]) -> Sequence[Options]:
    """Return which values of the other options have heat maps: all, or those of the best points."""
    if len(slices) <= MOST_CHARTS:
        return slices
    order = sweeps.ranked(sweep)
    wanted = dict.fromkeys(tuple(sweep.points[index].values[option] for option in others) for index in order)
    kept = set(list(wanted)[:MOST_CHARTS])
    return [each for each in slices if each in kept]


def _heat_map(
    sweep: Sweep,
    name: str,
    options: tuple[str, str],
    values: Mapping[str, Sequence[str]],
    fixed: Mapping[str, str],
    number: int,
) -> Chart:
    rows, columns = (values[option] for option in options)
    middle = _middle(sweep, name)
    known = _known(sweep, name)
    cells, chosen = {}, []
    texts = [["" for _ in columns] for _ in rows]
    for index, point in enumerate(sweep.points):
        if any(point.values[option] != value for option, value in fixed.items()):
            continue
        at = rows.index(point.values[options[0]]), columns.index(point.values[options[1]])
        if point.refused:
            texts[at[0]][at[1]] = "impossible"
            continue
        each = point.statistics[name]
        if each.value is None:
            continue
        best = index == sweep.best
        fails = not sweep.fits(point)
        remarks = ", the best" * best + ", fails a constraint" * fails
        says = f"{sweeps.label(point)}: {_with_error(name, each)}{remarks}"
        cells[at] = Cell(each.value, _numbers(name, each), says)
        texts[at[0]][at[1]] = f"{_numbers(name, each)[0]} {error_text(each, _is_share(name))}"
        chosen += [at] if best else []
    where = ", ".join(f"{option} = {value}" for option, value in fixed.items())
    title = _sentence(_label(name)) + (f": {where}" if where else f" by {options[0]} and {options[1]}")
    table = Table(
        title,
        (f"{options[0]} \\ {options[1]}", *columns),
        tuple((row, *cell) for row, cell in zip(rows, texts, strict=True)),
    )
    how = (
        "The stronger the colour, the more."
        if middle is None
        else f"Blue is below {_plain(name, middle)}, orange above; the paler, the nearer."
    )
    if known:
        how += f" All are from {_text(name, known[0][2])} to {_text(name, known[-1][2])}."
    frame = " The frame is round the best." if chosen else ""
    return grid(
        f"{_file(name)}-{number}",
        title,
        rows,
        columns,
        cells,
        titles=options,
        middle=middle,
        scale=(known[0][0], known[-1][0]) if known else (0.0, 0.0),
        says=f"{_extremes(replace(sweep, points=_points_at(sweep, fixed)), name)}",
        table=table,
        note=f"{how}{frame}",
        chosen=chosen,
    )


def _points_at(sweep: Sweep, fixed: Mapping[str, str]) -> tuple[Point, ...]:
    return tuple(
        point
        for point in sweep.points
        if all(point.values[option] == value for option, value in fixed.items())
    )


def _middle(sweep: Sweep, name: str) -> float | None:
    """Return the value that a heat map's colours part at: the goal, or no advantage; or none."""
    if sweep.goal is not None and sweep.goal.name == name:
        return None if math.isinf(sweep.goal.target) else sweep.goal.target
    return 0.0 if name == wording.FIRST_PLAYER else None


def _numbers(name: str, each: Estimate) -> tuple[str, ...]:
    """Return a value as it is printed in a cell, with ever fewer digits."""
    scale = 100.0 if _is_share(name) else 1.0
    value = scale * (each.value or 0.0)
    reach = each.half_width
    full = rounded(value, None if reach is None else scale * reach)
    places = len(full.partition(".")[2])
    texts = (full, *(f"{value:.{min(places, most)}f}" for most in (1, 0)))
    sign = "+" if name == wording.FIRST_PLAYER and value > 0 else ""
    return tuple(f"{sign}{text}".replace("-", "−") for text in texts)


def _file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _curve(sweep: Sweep, name: str) -> Chart:
    (option,) = sweep.options
    shares = _is_share(name)
    points = [(point.values[option], point.statistics[name]) for point in sweep.points if not point.refused]
    played = [index for index, point in enumerate(sweep.points) if not point.refused]
    chosen = played.index(sweep.best) if sweep.best is not None else None
    middle = _middle(sweep, name)
    goal = sweep.goal is not None and sweep.goal.name == name
    cells = [(label, _text(name, each), error_text(each, shares)) for label, each in points]
    note = "The band is the interval at each value."
    if chosen is not None:
        note += " The large dot is the best"
        note += ", the diamond the same with a fresh seed." if sweep.fresh is not None else "."
    return curves.curve(
        _file(name),
        f"{_sentence(_label(name))} by {option}",
        points,
        option=option,
        shares=shares,
        axis=_axis(name),
        says=_extremes(sweep, name),
        table=Table(_label(name), (option, "value", "error"), tuple(cells)),
        note=note,
        goal=None if middle is None else ("goal" if goal else "no advantage", middle),
        chosen=chosen,
        again=None if sweep.fresh is None else sweep.fresh.statistics[name],
    )


def _points(sweep: Sweep) -> Iterator[Item]:
    rows = sweeps.table(sweep)
    titles = sweeps.titles(sweep)
    texts = (*range(len(sweep.options)), len(titles) - 1)
    yield Table("", titles, tuple(rows), texts=texts, note=" ".join(sweeps.notes(sweep)))


def _varied(sweep: Sweep) -> Iterator[Table]:
    rows = []
    for option in sweep.options:
        told = sweep.description.option_texts.get(option)
        values = dict.fromkeys(point.values[option] for point in sweep.points)
        meaning = f"{told.meaning} ({told.rule})" if told else ""
        rows.append((option, ", ".join(values), told.default if told else "", meaning))
    header = ("option", "values", "default", "what it sets")
    yield Table("Options", header, tuple(rows), texts=(0, 1, 2, 3))

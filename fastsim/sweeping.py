"""Try a grid of rule sets, all on the same deals, and find the one that comes nearest to a goal."""

import itertools
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fastsim import catalog, store
from fastsim.commands import sweep_command
from fastsim.comparing import ratios
from fastsim.engine import check_confidence, check_number, run_chunks
from fastsim.errors import OutputError, UsageError, unknown
from fastsim.experiment import LARGEST_SEED, Experiment, design
from fastsim.findings import Findings, Forms
from fastsim.identity import differences, identity
from fastsim.options import read_assignment, shown
from fastsim.playing import play_stored, result_of
from fastsim.policy import Policy
from fastsim.result import Result
from reports import sweeps
from reports.intervals import UNKNOWN
from reports.sweeps import Goal, Point, Sweep, Where, best_of, kept
from reports.wording import FIRST_PLAYER

if TYPE_CHECKING:
    from reports.page.model import Page

CHECKED_FIRST = 10_000
"""A grid of up to so many points is checked whole before anything is played."""
ASK_ABOVE = 20_000_000_000
"""Hands or games in all for which a sweep wants to be told that this is meant."""
ASK_ABOVE_POINTS = 10_000
MOST_IN_RANGE = 10_000_000

Values = Mapping[str, Sequence[object]]


def read_values(name: str, text: str) -> list[object]:
    """Return the values of an option that ``a,b,c`` and ``lo..hi[:step]`` mean.

    Commas within brackets and braces separate nothing. Raises ``UsageError`` for an empty list or a
    range that is none.
    """
    parts = [part.strip() for part in re.findall(r"(?:[^,\[\]{}]|\[[^\]]*\]|\{[^}]*\})+", text)]
    values: list[object] = []
    for part in filter(None, parts):
        bounds = re.fullmatch(r"([^.:]+(?:\.\d+)?)\.\.([^:]+?)(?::(.+))?", part)
        # Tables and lists are read as --set reads them.
        single = read_assignment(f"{name}={part}")[1]
        values += [single] if bounds is None else _range(name, part, *bounds.groups())
    if not values:
        raise UsageError(f"option {name} was given no values to vary; accepted: such as 1,2,3 or 1..4")
    return values


def _range(name: str, text: str, low: str, high: str, step: str | None) -> list[object]:
    try:
        first, last, by = Decimal(low), Decimal(high), Decimal(step or 1)
        number = int((last - first) / by) + 1 if by > 0 and last >= first else 0
    except (InvalidOperation, ValueError, OverflowError):
        number = 0
    if number < 1:
        raise UsageError(
            f"option {name} was given the range {text!r}; accepted: LOW..HIGH or LOW..HIGH:STEP, such as 1..4"
        )
    if number > MOST_IN_RANGE:
        raise UsageError(f"option {name} was given the range {text!r}, which has {number:,} values")
    return [format((first + index * by).normalize(), "f") for index in range(number)]


def read_goal(text: str) -> Goal:
    """Return the goal that ``METRIC=VALUE``, ``METRIC=min`` or ``METRIC=max`` means."""
    name, _, target = (part.strip() for part in text.rpartition("="))
    ends = {"min": -math.inf, "max": math.inf}
    try:
        value = ends[target] if target in ends else float(target)
    except ValueError:
        value = math.nan
    if not name or math.isnan(value) or (math.isinf(value) and target not in ends):
        raise UsageError(
            f"goal was given {text!r}; accepted: METRIC=VALUE, METRIC=min or METRIC=max, "
            "such as first_player_advantage=0"
        )
    return Goal(name, value)


def read_where(text: str) -> Where:
    """Return the constraint that ``METRIC<VALUE`` (or ``<=``, ``>``, ``>=``) means."""
    found = re.fullmatch(r"\s*([^<>=\s]+)\s*(<=|>=|<|>)\s*(\S+)\s*", text)
    try:
        if found is not None and math.isfinite(bound := float(found[3])):
            return Where(found[1], found[2], bound)
    except ValueError:
        pass
    raise UsageError(
        f"where was given {text!r}; accepted: METRIC<VALUE, or with <=, > or >=, such as turns<20"
    )


@dataclass(frozen=True)
class Grid:
    """A sweep to play, checked.

    Attributes
    ----------
    game : str
    vary : mapping of str to sequence
        Values by option.
    size : int
        Points.
    given : mapping
        Options that are the same for all.
    policy, fixed_seats, seed, unit
        As of :func:`fastsim.run`.
    """

    game: str
    vary: Values
    size: int
    given: Mapping[str, object]
    policy: str | Policy | Sequence[str | Policy] | None
    fixed_seats: bool
    seed: int
    unit: str

    def points(self) -> Iterator[dict[str, object]]:
        """Yield the options that vary, point by point; the last option changes fastest."""
        for values in itertools.product(*self.vary.values()):
            yield dict(zip(self.vary, values, strict=True))

    def experiment(self, values: Mapping[str, object], seed: int | None = None) -> Experiment:
        """Return the experiment of a point. Raises ``UsageError`` if its options are impossible."""
        chosen = self.seed if seed is None else seed
        return design(self.game, {**self.given, **values}, self.policy, self.fixed_seats, chosen, self.unit)


def design_grid(
    game: str,
    vary: Mapping[str, str | Sequence[object]],
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
) -> Grid:
    """Return a grid, checked. Raises ``UsageError`` for anything that is not accepted.

    Points of a grid too large to check at once are checked when it is their turn.
    """
    known = catalog.find(game).options.model_fields
    for name in vary:
        if name not in known:
            raise unknown("option", name, known)
        if options and name in options:
            raise UsageError(f"option {name} is both set and varied; leave one of them out")
    values = {
        name: read_values(name, given) if isinstance(given, str) else list(given)
        for name, given in vary.items()
    }
    if not values or not all(values.values()):
        raise UsageError("the grid is empty; give what to vary, as --vary OPTION=1,2,3 or OPTION=1..4")
    for name, listed in values.items():
        seen = [str(value) for value in listed]
        if len(set(seen)) < len(seen):
            raise UsageError(f"option {name} was given the same value twice: {', '.join(seen[:20])}")
    size = math.prod(len(each) for each in values.values())
    grid = Grid(game, values, size, dict(options or {}), policy, fixed_seats, seed, unit)
    if size <= CHECKED_FIRST:
        for point in grid.points():
            grid.experiment(point)
    else:
        grid.experiment(next(grid.points()))
    return grid


@dataclass(frozen=True)
class SweepResult(Findings):
    """The result of a sweep.

    Attributes
    ----------
    sweep : Sweep
        Everything found.
    interrupted : bool
    """

    forms: ClassVar[Forms] = sweeps

    sweep: Sweep
    interrupted: bool

    @property
    def found(self) -> Sweep:
        """Everything found."""
        return self.sweep

    def laid_out(self, made_with: Mapping[str, str]) -> "Page":
        """Return the page of it."""
        from reports.page.sweep import sweep_page

        return sweep_page(self.sweep, self.interrupted, made_with)


def sweep(
    game: str,
    vary: Mapping[str, str | Sequence[object]],
    n: int = 100_000,
    *,
    options: Mapping[str, object] | None = None,
    policy: str | Policy | Sequence[str | Policy] | None = None,
    fixed_seats: bool = False,
    seed: int = 0,
    unit: str = "hand",
    confidence: float = 0.95,
    metrics: Sequence[str] | None = None,
    goal: str | None = None,
    where: Sequence[str] = (),
    yes: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    out: str | Path | None = None,
) -> SweepResult:
    """Play a grid of rule sets on the same deals.

    Parameters
    ----------
    game : str
        One of ``fastsim.games()``.
    vary : mapping
        Values by option: a sequence, or text such as ``"1,2,3"`` or ``"1..4"`` or ``"5..25:5"``.
    n : int
        Hands or games of each point.
    options, policy, fixed_seats, seed, unit, confidence, threads, progress
        As of :func:`fastsim.run`.
    metrics : sequence of str, optional
        Statistics to show; by default what starting is worth, and how long it lasts.
    goal : str, optional
        ``"METRIC=VALUE"``, ``"METRIC=min"`` or ``"METRIC=max"``: the best point is played again with
        a fresh seed, as it was chosen for how it looked.
    where : sequence of str
        Constraints on the best: ``"turns<20"``.
    yes : bool
        Play even a very large grid.
    out : path, optional
        A folder with a run for each point. Points that are there already are not played again.

    Raises
    ------
    UsageError
        For anything that is not accepted, before anything is played.
    OutputError
        If writing to ``out`` fails; ``result`` is then an attribute of the error.
    """
    grid = design_grid(game, vary, options, policy, fixed_seats, seed, unit)
    return sweep_grid(grid, n, confidence, metrics, goal, where, yes, threads, progress, out)


def sweep_grid(
    grid: Grid,
    n: int,
    confidence: float = 0.95,
    metrics: Sequence[str] | None = None,
    goal: str | None = None,
    where: Sequence[str] = (),
    yes: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    out: str | Path | None = None,
    on_start: Callable[[tuple[str, ...]], None] | None = None,
    on_point: Callable[[Point, Sequence[Where]], None] | None = None,
) -> SweepResult:
    """Play a grid that :func:`design_grid` made; otherwise as :func:`sweep`.

    ``on_start`` is called with the statistics that are kept, and ``on_point`` with each point as it
    is done, in order.
    """
    n = check_number(n)
    check_confidence(confidence)
    first = grid.experiment(next(grid.points()))
    names = [FIRST_PLAYER, *_statistics(first)]
    aim = None if goal is None else read_goal(goal)
    limits = tuple(read_where(text) for text in where)
    for name in [*(metrics or ()), *([aim.name] if aim else []), *(limit.name for limit in limits)]:
        if name not in names:
            known = names if "." in name else [each for each in names if "." not in each]
            raise unknown("statistic", name, known)
    lengths = [metric.name for metric in first.game.metrics(first.options)
               if metric.role == "length" and metric.name in names]  # fmt: skip
    shown_metrics = tuple(metrics or (FIRST_PLAYER, *lengths))
    wanted = kept(shown_metrics, aim, limits)
    if not yes and (grid.size > ASK_ABOVE_POINTS or grid.size * n > ASK_ABOVE):
        raise UsageError(
            f"the grid has {grid.size:,} points, which makes {grid.size * n:,} {grid.unit}s; "
            "give --yes if that is meant"
        )
    folder = None if out is None else Path(out)
    if on_start is not None:
        on_start(wanted)
    points: list[Point] = []
    interrupted = False
    failure: OutputError | None = None
    total = n * grid.size
    for number, values in enumerate(grid.points()):
        labels = {name: shown(value) for name, value in values.items()}
        try:
            experiment = grid.experiment(values)
        except UsageError as error:
            points.append(Point(labels, dict.fromkeys(wanted, UNKNOWN), str(error)))
        else:

            def report(done: int, _: int, before: int = number * n) -> None:
                if progress is not None:
                    progress(before + done, total)

            place = None if folder is None else folder / f"point-{number:06}"
            try:
                result = _play(experiment, n, confidence, threads, report, place)
            except OutputError as error:
                failure, result = error, error.result
            if result.interrupted:
                interrupted = True
                break
            available = result.summary.statistics
            estimates = {
                name: sweeps.statistic_of(result.summary, name)
                if name == FIRST_PLAYER or name in available else UNKNOWN
                for name in wanted
            }  # fmt: skip
            points.append(Point(labels, estimates))
        if on_point is not None:
            on_point(points[-1], limits)
        if failure is not None:
            break
    best = best_of(points, aim, limits)
    fresh, fresh_seed = None, grid.seed + 1 if grid.seed < LARGEST_SEED else 0
    if best is not None and not interrupted and failure is None:
        values = next(itertools.islice(grid.points(), best, None))
        place = None if folder is None else folder / "fresh"
        again = _play(grid.experiment(values, fresh_seed), n, confidence, threads, None, place)
        interrupted = again.interrupted
        if not interrupted:
            estimates = {name: sweeps.statistic_of(again.summary, name) for name in wanted}
            fresh = Point(points[best].values, estimates)
    found = Sweep(
        description=first.describe(n),
        n=n,
        size=grid.size,
        confidence=confidence,
        options=tuple(grid.vary),
        metrics=shown_metrics,
        goal=aim,
        where=limits,
        points=tuple(points),
        best=best,
        fresh=fresh,
        fresh_seed=fresh_seed,
        command=sweep_command(grid, n, confidence, metrics, goal, where, yes),
    )
    result_of_all = SweepResult(found, interrupted)
    if failure is not None:
        failure.result = result_of_all
        raise failure
    return result_of_all


def _statistics(experiment: Experiment) -> list[str]:
    return [name for name in ratios(experiment, experiment.describe(1)) if not name.startswith("win.policy")]


def _play(
    experiment: Experiment,
    n: int,
    confidence: float,
    threads: int | None,
    progress: Callable[[int, int], None] | None,
    folder: Path | None,
) -> Result:
    """Play a point, or what an earlier sweep that was stopped has not played of it."""
    if folder is None:
        outcome = run_chunks(experiment, n, threads, progress=progress)
        return result_of(outcome, experiment, n, confidence)
    if not (folder / store.MANIFEST).exists():
        with store.create(folder, experiment, n, confidence) as stored:
            return play_stored(stored, threads, None, progress)
    with store.reopen(folder, n, confidence, _warn) as stored:
        if other := differences(identity(stored.experiment), identity(experiment)):
            raise UsageError(
                f"there is a run of something else in {str(folder)!r} ({', '.join(other)}); "
                "give another folder to --out"
            )
        return play_stored(stored, threads, None, progress)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, stacklevel=2)

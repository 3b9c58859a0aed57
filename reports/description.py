"""What was played, in the words that a report uses.

The library fills these in from a game's description and the experiment; reports only read them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["length", "pace", "cards", "ends", "seats", "share", "other"]
"""Where a report shows a metric: how long it lasts, what happens on the way, what each card does,
how it ends, one value a seat, a distribution over positions, or only in the full list."""


@dataclass(frozen=True)
class Picture:
    """What a page shows of a metric that tells how this game, and not every game, goes.

    Attributes
    ----------
    title : str
        Of the chart: "Where the total lives".
    kind : {"columns", "bars", "intervals", "histogram"}
        For a metric in parts: columns beside each other, in an order that means something; bars or
        intervals below each other. For one that is a number, and kept value by value: how often
        each value occurred; of a metric by seat, over all seats.
    note : str
        How to read it.
    axis : str
        Title of the axis: of the labels of columns, of the values of others.
    accent : tuple of int
        Keys of the parts to look at first.
    share : bool
        Whether the values are shares, which are shown in percent.
    by : str or None
        Name of another metric with the same parts: what is drawn is this one as a share of it, and
        this one by itself is shown as its role says.
    """

    title: str
    kind: Literal["columns", "bars", "intervals", "histogram"]
    note: str = ""
    axis: str = ""
    accent: tuple[int, ...] = ()
    share: bool = False
    by: str | None = None


@dataclass(frozen=True)
class Metric:
    """One recorded quantity.

    Attributes
    ----------
    name : str
        As on the rules page, in snake_case.
    meaning : str
        What is counted, as a short phrase ("turns until the hand ends").
    unit : {"hand", "game"}
        What it is recorded for.
    role : Role
        Where a report shows it.
    labels : mapping of int to str
        For a metric in parts: the label of each part that can occur, by key, in the order to
        show; the statistic's name is ``name.label``. Empty for a metric that is one number.
    per : str or None
        Name of the metric that this one is a share of.
    picture : Picture or None
        What a page shows of it beside what its role says.
    """

    name: str
    meaning: str
    unit: Literal["hand", "game"] = "hand"
    role: Role = "other"
    labels: Mapping[int, str] = field(default_factory=dict)
    per: str | None = None
    picture: Picture | None = None


@dataclass(frozen=True)
class OptionText:
    """What an option sets, in words, the rule that it is of, and its default as a user writes it."""

    meaning: str
    rule: str
    default: str


@dataclass(frozen=True)
class PolicyText:
    """What a policy weighs, by feature (None for one that weighs nothing), and how far it strays from it."""

    name: str
    weights: Mapping[str, float] | None
    temperature: float


@dataclass(frozen=True)
class Assumption:
    """A rule whose source does not say what is played, and what was played."""

    rule: str
    option: str
    status: Literal["ruling", "assumed"]
    text: str


@dataclass(frozen=True)
class RunDescription:
    """What one run played.

    Attributes
    ----------
    game, title : str
        Name on the command line, and for people.
    unit : {"hand", "game"}
        What one of the ``requested`` is.
    requested : int
        How many hands or games were asked for; a run that was stopped early has counted fewer.
    seed : int
    options : mapping
        Every option, resolved, as JSON values.
    changed : tuple of str
        Names of the options that differ from the default.
    policies : tuple of str
        One name for all seats, or one a seat (in the first game; they rotate unless ``fixed_seats``).
    side : {"seat", "side"}
        What wins: a seat, or a team.
    sides : int
        How many of them.
    metrics : tuple of Metric
        Those that are numbers to average; not the masks of winners, nor the number of a seat.
    endings : mapping of str to str
        Metrics of a hand that are 1 when it ended in a way that nobody won ("blocked"), with the
        words for it.
    assumptions : tuple of Assumption
    version : str
        Of fastsim.
    until : mapping of str to float
        Half-widths of intervals, by statistic, at which the run was to stop: ``requested`` is then
        the most that it could play. Empty if the number was fixed beforehand.
    option_texts : mapping of str to OptionText
        Of every option.
    policy_texts : tuple of PolicyText
        Of every policy, in the order of ``policies``.
    """

    game: str
    title: str
    unit: Literal["hand", "game"]
    requested: int
    seed: int
    options: Mapping[str, object]
    changed: tuple[str, ...]
    policies: tuple[str, ...]
    fixed_seats: bool
    side: Literal["seat", "side"]
    sides: int
    metrics: tuple[Metric, ...]
    endings: Mapping[str, str]
    assumptions: tuple[Assumption, ...]
    version: str
    until: Mapping[str, float] = field(default_factory=dict)
    option_texts: Mapping[str, OptionText] = field(default_factory=dict)
    policy_texts: tuple[PolicyText, ...] = ()

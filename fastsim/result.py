"""What a run found: the tally and everything that follows from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from fastsim.experiment import Experiment
from fastsim.page import HasPage, begin_page, check_seconds, html_of
from reports.description import RunDescription
from reports.document import to_dict, to_json
from reports.formats import to_csv, to_markdown
from reports.summary import Summary, summarise
from reports.tally import Tally
from reports.terminal import render

if TYPE_CHECKING:
    from fastsim.impact import ImpactResult
    from reports.page.model import Page


@dataclass(frozen=True)
class Result(HasPage):
    """The result of a run.

    Attributes
    ----------
    experiment : Experiment
        What was played.
    requested : int
        How many hands or games were asked for.
    tally : Tally
        Counts of all that was recorded; ``tally.frame`` is a polars frame.
    chunks : tuple of (int, int)
        Ranges [first, stop) of the game numbers that were counted.
    seconds : float
        Time taken.
    interrupted : bool
        Whether the run was stopped before all was played.
    confidence : float
        Of the intervals in the summary.
    until : mapping of str to float
        Half-widths of intervals, by statistic, at which the run was to stop; empty if the number was
        fixed beforehand.
    """

    experiment: Experiment
    requested: int
    tally: Tally
    chunks: tuple[tuple[int, int], ...]
    seconds: float
    interrupted: bool = False
    confidence: float = 0.95
    until: Mapping[str, float] = field(default_factory=dict)

    @property
    def description(self) -> RunDescription:
        """What was played, in a report's words."""
        return replace(self.experiment.describe(self.requested), until=self.until)

    @cached_property
    def summary(self) -> Summary:
        """Means, intervals and quantiles."""
        return summarise(self.tally, self.description, self.confidence)

    def to_dict(self) -> dict[str, object]:
        """Return the summary as JSON values, in a stable form (``"schema": 1``)."""
        return to_dict(self.summary)

    def to_json(self) -> str:
        """Return the summary as JSON text."""
        return to_json(self.summary)

    def to_csv(self) -> str:
        """Return every statistic as a line of CSV."""
        return to_csv(self.summary)

    def to_markdown(self) -> str:
        """Return the summary as Markdown."""
        return to_markdown(self.summary)

    def to_text(self, width: int = 80, histograms: Sequence[str] | None = None) -> str:
        """Return the report that the command shows, as plain text; ``histograms`` are metrics to draw."""
        return render(self.summary, width, histograms)

    def html_page(self, seconds_a_turn: float | None = None, impact: "ImpactResult | None" = None) -> "Page":
        """Return the page that :meth:`to_html` writes down, as sections of charts and tables."""
        from fastsim.identity import made_with

        check_seconds(seconds_a_turn)
        begin_page()
        from reports.page.run import run_page

        return run_page(
            self.summary, seconds_a_turn, made_with(), impact.impact if impact is not None else None
        )

    def to_html(self, seconds_a_turn: float | None = None, impact: "ImpactResult | None" = None) -> str:
        """Return the result as a page: one HTML document that needs nothing else.

        Parameters
        ----------
        seconds_a_turn : float, optional
            How long people take for a turn, from which the time at the table follows. If it is not
            given, 15 are assumed, and the page says so.
        impact : ImpactResult, optional
            What :func:`fastsim.card_impact` found under the same rules, for what each card does.

        Raises
        ------
        UsageError
            If that is no number above 0, or what pages are made with is not installed.
        """
        return html_of(self.html_page(seconds_a_turn, impact))

    def __str__(self) -> str:
        return self.to_text()

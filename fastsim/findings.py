"""What an experiment of several rule sets, policies or measures found, in every form."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from fastsim.page import HasPage, begin_page
from reports import pages

if TYPE_CHECKING:
    from rich.console import RenderableType

    from reports.page.model import Page


class Forms(Protocol):
    """The module of ``reports`` that knows how to show what was found."""

    @property
    def to_dict(self) -> Any:
        """Return it in plain JSON types."""

    @property
    def to_csv(self) -> Any:
        """Return it as CSV."""

    @property
    def to_markdown(self) -> Any:
        """Return it as Markdown."""

    @property
    def page(self) -> Any:
        """Return it as a page for a rich console."""


class Findings(HasPage):
    """Base of the results of :func:`fastsim.compare` and its like."""

    forms: ClassVar[Forms]
    interrupted: bool
    """Whether it was stopped before all was played."""

    @property
    def found(self) -> Any:
        """What was found, as ``forms`` takes it."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, object]:
        """Return what was found as JSON values."""
        found: dict[str, object] = self.forms.to_dict(self.found)
        return found

    def to_json(self) -> str:
        """Return what was found as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """Return what was found as CSV, floats in full."""
        return str(self.forms.to_csv(self.found))

    def to_markdown(self) -> str:
        """Return what was found as Markdown."""
        return str(self.forms.to_markdown(self.found))

    def page(self) -> "RenderableType":
        """Return the page that the command shows, for a rich console."""
        page: RenderableType = self.forms.page(self.found)
        return page

    def to_text(self, width: int = 80) -> str:
        """Return the page that the command shows, as plain text."""
        return pages.text_of(self.page(), width)

    def laid_out(self, made_with: Mapping[str, str]) -> "Page":
        """Return what was found as a page to look at; it was made with these versions, by name."""
        raise NotImplementedError

    def html_page(self) -> "Page":
        """Return the page that :meth:`to_html` writes down, as sections of charts and tables."""
        from fastsim.identity import made_with

        begin_page()
        return self.laid_out(made_with())

    def __str__(self) -> str:
        return self.to_text()

"""What a page is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from altair import LayerChart

    from reports.page.look import Look


@dataclass(frozen=True)
class Table:
    """A table of texts, whose first column names its rows.

    Attributes
    ----------
    caption : str
    header : tuple of str
        A title for each column.
    rows : tuple of tuple of str
    texts : tuple of int
        Columns of words, which are set to the left; numbers are set to the right.
    note : str
        Below the table.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: tuple[int, ...] = (0,)
    note: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart, in words and numbers too.

    Attributes
    ----------
    name : str
        Of its file, and of its place in the page: letters, digits, ``-`` and ``_``; unique in a page.
    title : str
    says : str
        The chart in a sentence or two, for who cannot see it.
    table : Table
        The numbers that it shows.
    marks : int
        How many marks stand for data; in the drawing they are what a group of class ``data_marks`` holds.
    draw : callable
        Takes a look and the whole width in pixels, and returns the altair chart. Each mark that
        stands for data carries what it says as its ``description``.
    wide : bool
        Whether it needs more width than half a page to show all: it is then drawn twice, for wide
        screens and for narrow ones.
    note : str
        Below the chart: how to read it.
    """

    name: str
    title: str
    says: str
    table: Table
    marks: int
    draw: "Callable[[Look, int], LayerChart]"
    wide: bool = False
    note: str = ""


@dataclass(frozen=True)
class Text:
    """A paragraph.

    Attributes
    ----------
    text : str
    style : str
        ``""``, ``"warning"``, or ``"command"`` for lines to be typed into a shell.
    """

    text: str
    style: str = ""


Item = Chart | Table | Text


@dataclass(frozen=True)
class Fact:
    """A number that counts, with what it is and how sure it is."""

    label: str
    value: str
    detail: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page with a heading of its own.

    Attributes
    ----------
    name : str
        Of its place in the page, unique.
    title : str
    items : tuple of Chart, Table or Text
        Narrow charts and tables that follow each other are set in pairs where there is room.
    """

    name: str
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes
    ----------
    title : str
        What was played, in a line.
    verdict : str
        What it shows, in a sentence: what is read first.
    opening : tuple of str
        What to know before the numbers: policies, options, confidence.
    warning : str
        What keeps the page from being what was asked for: that it was stopped early.
    facts : tuple of Fact
    sections : tuple of Section
        Those without items are left out.
    footer : str
        By what the page was made.
    """

    title: str
    verdict: str
    opening: tuple[str, ...] = ()
    warning: str = ""
    facts: tuple[Fact, ...] = ()
    sections: tuple[Section, ...] = ()
    footer: str = ""

    def charts(self) -> dict[str, Chart]:
        """Return the charts by name, in their order."""
        return {
            item.name: item for section in self.sections for item in section.items if isinstance(item, Chart)
        }

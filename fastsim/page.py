"""Where pages and charts are written, and whether they can be: see ``reports.page``."""

import contextlib
import html
import math
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from fastsim.errors import OutputError, UsageError, quoted
from fastsim.files import TEMPORARY, reason, write

if TYPE_CHECKING:
    from altair import LayerChart

    from reports.page.model import Page
EXTRA = "pip install 'fastsim-cards[page]'"
"""What installs what pages are made with."""


class HasPage:
    """A result that has a page: in a file, in a notebook, as charts."""

    def html_page(self) -> "Page":
        """Return the page that :meth:`to_html` writes down, as sections of charts and tables."""
        raise NotImplementedError

    def to_html(self) -> str:
        """Return the page: one HTML document that needs nothing else."""
        return html_of(self.html_page())

    @property
    def charts(self) -> "dict[str, LayerChart]":
        """The charts of the page by name, as altair charts: notebooks show them, ``save`` writes them."""
        page = self.html_page()
        from reports.page.render import altair_chart

        return {name: altair_chart(chart) for name, chart in page.charts().items()}

    def _repr_html_(self) -> str | None:
        """Return the page in a frame of its own, where a notebook's style and the page's do not meet."""
        from reports.page import missing

        if missing():
            return None
        style = "width: 100%; height: 40rem; border: 0; resize: vertical"
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe title="fastsim" style="{style}" srcdoc="{page}"></iframe>'


def html_of(page: "Page") -> str:
    """Return a page as HTML."""
    from reports.page.render import to_html

    return to_html(page)


def check_installed(what: str) -> None:
    """Raise ``UsageError`` if what pages are made with is not installed; ``what`` asked for one."""
    from reports.page import missing

    if names := missing():
        raise UsageError(
            f"{what} needs {', '.join(names)}, which {'is' if len(names) == 1 else 'are'} not installed; "
            f"install by: {EXTRA}"
        )


def begin_page() -> None:
    """Begin to load what draws charts, which goes on beside the rest; first of all in ``html_page``.

    Raises ``UsageError`` if it is not installed.
    """
    check_installed("a page")
    from reports.page import vega

    vega.start()


def check_seconds(seconds_a_turn: float | None) -> None:
    """Raise ``UsageError`` if people cannot take so long for a turn."""
    if seconds_a_turn is None:
        return
    if not isinstance(seconds_a_turn, int | float) or not 0 < seconds_a_turn < math.inf:
        raise UsageError(f"seconds_a_turn was given {seconds_a_turn!r}; accepted: a number above 0")


def check(page: Path | None, charts: Path | None, out: Path | None = None) -> None:
    """Raise ``UsageError`` if a page or charts could not be written, before anything is played.

    Parameters
    ----------
    page : Path or None
        Of the file: in a folder that there is; a file that is there is replaced.
    charts : Path or None
        A folder, which is made if only its own name is new.
    out : Path or None
        A folder that there will be by then.
    """
    if page is not None:
        check_installed("--html")
        if page.exists() and (not page.is_file() or _is_output(page)):
            raise UsageError(
                f"--html was given {quoted(page)}, which is no file; accepted: the name of a file"
            )
        if page.exists() and not _is_page(page):
            raise UsageError(
                f"--html was given {quoted(page)}, which is there and no page; "
                "accepted: a new name, or a page to replace"
            )
        if charts is not None and charts.absolute() == page.absolute():
            raise UsageError(f"--html and --charts were both given {quoted(page)}; accepted: two names")
        if out is not None and out.absolute() == page.absolute():
            raise UsageError(f"--html and --out were both given {quoted(page)}; accepted: two names")
        _check_folder("--html", page.resolve().parent if page.is_symlink() else page.parent, out)
    if charts is not None:
        check_installed("--charts")
        if charts.exists() and not charts.is_dir():
            raise UsageError(f"--charts was given {quoted(charts)}, which is no folder; accepted: a folder")
        _check_folder("--charts", charts if charts.exists() else charts.parent, out)


def save(page: "Page", file: Path | None, charts: Path | None) -> None:
    """Write a page, and its charts as SVG and PNG. Raises ``OutputError`` if that fails."""
    from reports.page import render

    if file is not None:
        write(file.resolve(), render.to_html(page))  # what a link points to, and not the link
    if charts is not None:
        try:
            charts.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot make the folder {str(charts)!r}: {reason(error)}") from None
        for name, content in render.files(page):
            write(charts / name, content)


def _is_output(file: Path) -> bool:
    """Return whether a file is what is shown to the user."""
    for number in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(number), file.stat()):
                return True
    return False


def _is_page(file: Path) -> bool:
    """Return whether a file may be replaced by a page: it is one, or empty; or cannot be read."""
    try:
        with file.open("rb") as content:
            start = content.read(200).lstrip().lower()
    except OSError:
        return True
    return not start or start.startswith((b"<!doctype html", b"<html"))


def _check_folder(option: str, folder: Path, out: Path | None) -> None:
    if out is not None and folder.absolute() == out.absolute():
        return
    if not folder.is_dir():
        raise UsageError(f"{option} needs a folder to write to, and there is none at {quoted(folder)}")
    probe = folder / f".{secrets.token_hex(4)}{TEMPORARY}"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError as error:
        raise UsageError(f"{option} cannot write to the folder {quoted(folder)}: {reason(error)}") from None
    with contextlib.suppress(OSError):
        probe.unlink()

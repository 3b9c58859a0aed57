"""A real browser for all tests of pages, and the pages of one run of each kind."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fastsim

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
REQUIRED = "FASTSIM_BROWSER_REQUIRED"
"""An environment variable: where it is set, a machine without a browser fails and does not skip."""

EVIL = "<img src=x onerror=alert(1)>"

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "cap30": ("cap30", {"n": 300}),
    "cap100": ("cap30", {"n": 50, "options": {"players": 4, "deck": "cap100"}}),
    "policies": ("cap30", {"n": 100, "policy": ["random", fastsim.Policy(EVIL, {"cards": 1.0}, 0.0, EVIL)]}),
    "games": ("cap-zap", {"n": 50, "unit": "game", "options": {"players": 4}}),
    "ten": ("kapaga", {"n": 50, "options": {"players": 10}}),
    "rummy": ("thirty-thirty", {"n": 20, "options": {"players": 8}}),
    "one": ("cap30", {"n": 1}),
}
"""Runs whose pages are looked at."""


@dataclass
class Visit:
    """A page that was opened, and what went on while it was."""

    page: "Page"
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Return the browser of this machine; without one the tests are skipped, or fail if it is required."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        reason = f"no browser on this machine ({', '.join(NAMES)}); pages are looked at in a real one"
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A container's root has no sandbox, and nothing from outside is opened.
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def results() -> dict[str, fastsim.Result]:
    """Return what was played."""
    return {name: fastsim.run(game, **{"policy": "random", **given}) for name, (game, given) in RUNS.items()}


@pytest.fixture(scope="session")
def files(results: dict[str, fastsim.Result], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the pages, as files."""
    folder = tmp_path_factory.mktemp("pages")
    for name, result in results.items():
        (folder / f"{name}.html").write_text(result.to_html(), "utf-8")
    return {name: folder / f"{name}.html" for name in results}


@pytest.fixture
def visit(browser: "Browser", files: dict[str, Path]) -> "Iterator[Any]":
    """Return a function that opens a page in a window of a width, in light or dark."""
    contexts = []

    def open_page(name: str, width: int = 1280, dark: bool = False, script: bool = True) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        contexts.append(context)
        visited = Visit(context.new_page())
        visited.page.on("console", lambda message: visited.errors.append(message.text))
        visited.page.on("pageerror", lambda error: visited.errors.append(str(error)))
        visited.page.on("dialog", lambda dialog: visited.errors.append(f"a dialog: {dialog.message}"))
        visited.page.on("request", lambda request: visited.requests.append(request.url))
        visited.page.goto(files[name].as_uri())
        return visited

    yield open_page
    for context in contexts:
        context.close()

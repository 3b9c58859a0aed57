"""Pages of comparisons, sweeps, duels and measures of balance in a real browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fastsim
from fastsim.findings import Findings
from tests.browser.conftest import EVIL
from tests.browser.test_run_page import CONTRAST, DRAWN, look, look_at_widths

PLAYED: dict[str, Callable[[], Findings]] = {
    "compare": lambda: fastsim.compare("cap30", {}, {"starter_extra": 0}, 500, policy="random"),
    "unpaired": lambda: fastsim.compare("kapaga", {"players": 3}, {"players": 5}, 60, policy="random"),
    "curve": lambda: fastsim.sweep(
        "cap30", {"starter_extra": "0..3"}, 100, policy="random", goal="first_player_advantage=0"
    ),
    "large": lambda: fastsim.sweep(
        "cap30", {"start": "0..19", "reset_to": "0..19"}, 5, policy="random", goal="turns=15"
    ),
    "slices": lambda: fastsim.sweep(
        "cap30", {"starter_extra": "0,1", "take_count": "1..3", "chain_limit": "1..4"}, 50, policy="random"
    ),
    "two": lambda: fastsim.duel("cap30", ["balanced", fastsim.Policy(EVIL, {"cards": 1.0})], 50),
    "eight": lambda: fastsim.duel(
        "cap30",
        [fastsim.Policy(f"policy {number}", {"cards": float(number)}, 0.5) for number in range(8)],
        20,
    ),
    "cards": lambda: fastsim.card_impact("cap30", 50, policy="random"),
    "balance": lambda: fastsim.balance("thirty-thirty", 50, policy="random"),
}

CELLS = """() => {
  const light = (colour) => {
    const [x, y, z] = colour.map((c) => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const numbers = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const card = numbers(getComputedStyle(document.querySelector(".card")).backgroundColor);
  const ink = light(numbers(getComputedStyle(document.body).color));
  return Math.min(...[...document.querySelectorAll(".data_marks > path[fill-opacity]")].map((cell) => {
    const style = getComputedStyle(cell);
    const strength = Number(style.fillOpacity);
    const mixed = numbers(style.fill).map((c, at) => c * strength + card[at] * (1 - strength));
    const [high, low] = [ink, light(mixed)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  }));
}"""
"""The worst contrast of the page's ink with the cell of a heat map below it."""


@pytest.fixture(scope="module")
def found() -> dict[str, Findings]:
    return {name: play() for name, play in PLAYED.items()}


@pytest.fixture(scope="module")
def files(found: dict[str, Findings], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the pages, as files: what ``visit`` opens here."""
    folder = tmp_path_factory.mktemp("experiments")
    for name, result in found.items():
        (folder / f"{name}.html").write_text(result.to_html(), "utf-8")
    return {name: folder / f"{name}.html" for name in found}


@pytest.mark.parametrize("name", PLAYED)
def test_nothing_fails_nothing_leaves_and_every_chart_has_its_marks(
    visit: Any, files: dict[str, Path], found: dict[str, Findings], name: str
) -> None:
    assert files[name].stat().st_size < 3_000_000
    charts = found[name].html_page().charts()
    for width in (360, 1280):
        look(visit(name, width), files[name], charts)


@pytest.mark.parametrize("name", PLAYED)
def test_no_width_of_screen_scrolls_sideways(visit: Any, name: str) -> None:
    look_at_widths(visit(name).page)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["compare", "curve", "large", "eight"])
def test_texts_stand_out_also_on_coloured_cells(visit: Any, name: str, dark: bool) -> None:
    page = visit(name, dark=dark).page
    assert page.evaluate(CONTRAST)["text"] >= 4.5  # WCAG 2.2, 1.4.3
    if name in ("large", "eight"):
        assert page.evaluate(CELLS) >= 4.5


def test_cells_are_read_with_the_arrow_keys(visit: Any) -> None:
    page = visit("eight").page
    page.locator("#chart-wins .drawing:visible svg").focus()
    page.keyboard.press("ArrowRight")
    first = page.locator("#reading").inner_text()
    page.keyboard.press("ArrowRight")
    second = page.locator("#reading").inner_text()
    assert " against policy " in first
    assert first.split(" against ")[0] == second.split(" against ")[0]
    assert first != second


@pytest.mark.parametrize("name", ["compare", "slices", "eight"])
def test_it_is_printed_whole(visit: Any, name: str) -> None:
    page = visit(name).page
    page.emulate_media(media="print")
    for each in page.evaluate(DRAWN):
        assert each["drawings"] == 1, each
        assert each["marks"] == each["expected"], each
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_a_name_that_holds_markup_is_shown_and_not_run(visit: Any) -> None:
    visited = visit("two")
    assert EVIL in visited.page.locator("body").inner_text()
    assert visited.page.locator("img").count() == 0
    assert visited.errors == []

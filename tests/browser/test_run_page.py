"""The page of a run in a real browser: nothing fails, nothing leaves it, all is drawn, all can be read."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import fastsim
from reports.page.model import Chart
from tests.browser.conftest import EVIL, RUNS

DRAWN = """() => [...document.querySelectorAll("figure")].map((figure) => {
  const shown = [...figure.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
  const marks = shown.flatMap((svg) => [...svg.querySelectorAll(".data_marks > *")]);
  return {
    name: figure.id,
    expected: Number(figure.dataset.marks),
    drawings: shown.length,
    marks: marks.length,
    width: Math.max(...shown.map((svg) => svg.getBoundingClientRect().width)),
    outside: marks.filter((mark) => {
      const at = mark.getBoundingClientRect();
      return at.left < -1 || at.right > document.documentElement.clientWidth + 1;
    }).length,
    unnamed: marks.filter((mark) => !mark.getAttribute("aria-label")).length,
  };
})"""

WIDER = """() => [...document.querySelectorAll("body *")]
  .filter((each) => !each.closest(".scroll, pre, .skip, .unseen"))
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((each) => each.outerHTML.slice(0, 100))"""

CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgb(getComputedStyle(each).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const ratio = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const worst = { text: 99, mark: 99 };
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || each.matches("script, style") || !each.getBoundingClientRect().width) continue;
    const style = getComputedStyle(each);
    const colour = each.closest("svg") ? style.fill : style.color;
    worst.text = Math.min(worst.text, ratio(rgb(colour), behind(each)));
  }
  for (const mark of document.querySelectorAll(".data_marks > *")) {
    const fill = getComputedStyle(mark).fill;
    if (fill !== "none") worst.mark = Math.min(worst.mark, ratio(rgb(fill), behind(mark)));
  }
  return worst;
}"""


def look(visited: Any, file: Path, charts: Mapping[str, Chart]) -> None:
    """Assert that nothing failed, nothing left the page, and every chart has its marks."""
    drawn = visited.page.evaluate(DRAWN)
    assert [each["name"] for each in drawn] == [f"chart-{each}" for each in charts]
    for each, chart in zip(drawn, charts.values(), strict=True):
        assert each["drawings"] == 1, each
        assert each["marks"] == each["expected"] == chart.marks > 0, each
        assert each["outside"] == each["unnamed"] == 0, each
        assert each["width"] > 250, each
    assert visited.errors == []
    assert visited.requests == [file.as_uri()]


def look_at_widths(page: Any) -> None:
    """Assert that no width of screen scrolls sideways."""
    for width in (320, 360, 768, 1280, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WIDER) == [], width


@pytest.mark.parametrize("name", RUNS)
def test_nothing_fails_nothing_leaves_and_every_chart_has_its_marks(
    visit: Any, files: dict[str, Path], results: dict[str, fastsim.Result], name: str
) -> None:
    charts = results[name].html_page().charts()
    for width in (360, 1280):
        look(visit(name, width), files[name], charts)


@pytest.mark.parametrize("name", RUNS)
def test_no_width_of_screen_scrolls_sideways(visit: Any, name: str) -> None:
    look_at_widths(visit(name).page)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_and_marks_stand_out_from_what_is_behind(visit: Any, dark: bool) -> None:
    page = visit("cap30", dark=dark).page
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", background))) < 64) == dark
    worst = page.evaluate(CONTRAST)
    assert worst["text"] >= 4.5  # WCAG 2.2, 1.4.3
    assert worst["mark"] >= 3.0  # 1.4.11


def test_marks_are_read_with_the_arrow_keys_and_under_the_pointer(
    visit: Any, results: dict[str, fastsim.Result]
) -> None:
    page = visit("cap30").page
    chart = page.locator("#chart-turns .drawing:visible svg")
    said = results["cap30"].html_page().charts()["turns"].table.rows
    reading = page.locator("#reading")
    assert reading.is_hidden()
    chart.focus()
    page.keyboard.press("ArrowRight")
    assert reading.inner_text() == f"{said[0][0]} turns: {said[0][2]} of hands"
    page.keyboard.press("End")
    assert reading.inner_text() == f"{said[-1][0]} turns: {said[-1][2]} of hands"
    page.keyboard.press("ArrowLeft")
    assert reading.inner_text().startswith(f"{said[-2][0]} turns")
    page.keyboard.press("Escape")
    assert reading.is_hidden()
    chart.scroll_into_view_if_needed()
    box = chart.locator(".data_marks > *").nth(4).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert reading.inner_text().startswith(f"{said[4][0]} turns")
    shown = reading.bounding_box()
    assert shown["x"] >= 0 and shown["x"] + shown["width"] <= 1280


def test_everything_can_be_reached_by_keyboard(visit: Any, results: dict[str, fastsim.Result]) -> None:
    page = visit("cap30").page
    reached = []
    for _ in range(150):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """() => {
                  const on = document.activeElement;
                  const style = getComputedStyle(on);
                  const seen = style.outlineStyle !== "none" || on === document.body;
                  return [on.tagName.toLowerCase(), on.closest("figure")?.id ?? "", seen];
                }"""
            )
        )
    assert reached[0][0] == "a"  # the link past the top
    assert all(seen for _, _, seen in reached)
    for name in results["cap30"].html_page().charts():
        assert ["svg", f"chart-{name}", True] in reached
        assert ["summary", f"chart-{name}", True] in reached
    page.keyboard.press("Home")
    page.locator("a.skip").focus()
    assert page.locator("a.skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_numbers_of_a_chart_open_below_it(visit: Any) -> None:
    page = visit("cap30", 360).page
    figure = page.locator("#chart-total_share")
    assert not figure.locator("table").is_visible()
    figure.locator("summary").click()
    assert figure.locator("table").is_visible()
    assert figure.locator("tbody tr").count() == 31
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_it_is_read_by_its_roles(visit: Any) -> None:
    page = visit("cap30").page
    assert page.get_by_role("heading", level=1).count() == 1
    for name in ("Who wins", "How long it lasts", "What each card does", "How to run it again"):
        assert page.get_by_role("heading", name=name, level=2).count() == 1
        assert page.get_by_role("region", name=name).count() == 1
    assert page.get_by_role("img", name=re.compile("^Where the total lives. Most for ")).count() == 1
    assert page.get_by_role("table", name="Endings").count() == 1
    assert (
        page.get_by_role("table", name="Endings").get_by_role("rowheader").first.inner_text()
        == "won by one seat"
    )


def test_it_is_printed_whole_and_in_black_on_white(visit: Any) -> None:
    page = visit("cap30", dark=True).page
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    for each in page.evaluate(DRAWN):
        assert each["drawings"] == 1, each
        assert each["marks"] == each["expected"], each
    worst = page.evaluate(CONTRAST)
    assert worst["text"] >= 4.5 and worst["mark"] >= 3.0
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12


def test_without_scripts_all_can_be_read(visit: Any) -> None:
    page = visit("cap30", script=False).page
    assert page.locator("figure svg:visible").count() == page.locator("figure").count() == 8
    assert page.locator("#chart-turns summary").is_visible()


def test_a_name_that_holds_markup_is_shown_and_not_run(visit: Any) -> None:
    visited = visit("policies")
    assert EVIL in visited.page.locator("header").inner_text()
    assert EVIL[:14] in visited.page.locator("#chart-policies svg:visible").text_content()
    assert visited.page.locator("img").count() == 0
    assert visited.errors == []


def test_a_notebook_frames_it(visit: Any, results: dict[str, fastsim.Result], tmp_path: Path) -> None:
    visited = visit("one")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><title>notebook</title>{results['cap30']._repr_html_()}", "utf-8")
    visited.errors.clear()
    visited.page.goto(notebook.as_uri())
    frame = visited.page.frame_locator("iframe")
    assert frame.locator(".verdict").inner_text() == results["cap30"].summary.first_player.verdict
    frame.locator("nav a").nth(3).click()
    assert frame.locator("#cards").bounding_box()["y"] < 700  # and not thousands below
    assert visited.errors == []

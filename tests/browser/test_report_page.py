"""The page in a real browser: offline, without a script, readable in any width and in the dark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from bakeoff.report.model import Report
from bakeoff.report.render_html import render_html
from tests.unit.report.hostile import hostile_report
from tests.unit.report.made_up import full_report

pytestmark = pytest.mark.browser

WIDTHS = (320, 390, 768, 1280)


@dataclass
class Opened:
    """A page, and what it did while it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


Open = Callable[..., Opened]


@pytest.fixture
def open_report(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def open_(report: Report, *, width: int = 1280, scheme: Any = "light") -> Opened:
            path = tmp_path / "index.html"
            path.write_text(render_html(report), encoding="utf-8")
            return stack.enter_context(_opened(browser, path, width, scheme))

        yield open_


@contextmanager
def _opened(browser: Browser, path: Path, width: int, scheme: Any) -> Iterator[Opened]:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = Opened(page)
    page.on("request", lambda request: opened.requests.append(request.url))
    page.on("console", lambda message: opened.complaints.append(message.text))
    page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle")
    yield opened
    page.close()


def test_the_page_requests_nothing_but_itself_and_the_console_stays_silent(
    open_report: Open,
) -> None:
    opened = open_report(full_report())
    others = [url for url in opened.requests if not url.startswith("data:")]
    assert [url.rsplit("/", 1)[-1] for url in others] == ["index.html"]
    assert others[0].startswith("file://")
    assert opened.complaints == []


def test_the_style_sheet_is_allowed_by_the_pages_own_policy(open_report: Open) -> None:
    opened = open_report(full_report())
    assert opened.page.evaluate("getComputedStyle(document.body).marginTop") == "0px"


def test_hostile_names_are_shown_and_do_not_run(open_report: Open) -> None:
    opened = open_report(hostile_report())
    assert opened.page.evaluate("window.hacked") is None
    assert opened.page.locator("script, img").count() == 0
    assert [url for url in opened.requests if "evil" in url] == []
    assert opened.complaints == []
    assert opened.page.get_by_text("<script>alert(1)</script>").first.is_visible()


@pytest.mark.parametrize("make", [full_report, hostile_report])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(
    open_report: Open, width: int, make: Callable[[], Report]
) -> None:
    page = open_report(make(), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_decision_is_on_the_first_screen(open_report: Open) -> None:
    for width in (390, 1280):
        box = open_report(full_report(), width=width).page.locator(".advice").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 900


def test_tables_stay_tables_for_screen_readers_on_a_narrow_screen(open_report: Open) -> None:
    for width in (390, 1280):
        page = open_report(full_report(), width=width).page
        decision = page.get_by_role("table").first
        assert decision.get_by_role("rowheader").count() == 4
        assert decision.get_by_role("columnheader").count() >= 3


def test_every_implementation_has_a_row_in_the_decision_table(open_report: Open) -> None:
    page = open_report(full_report()).page
    names = page.locator(".decision .name").all_inner_texts()
    assert names == ["layers", "undo_log", "trie", "copies"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_background(open_report: Open, scheme: str) -> None:
    page = open_report(full_report(), scheme=scheme).page
    pairs: list[list[str]] = page.evaluate(_COLORS_OF_TEXT)
    assert len(pairs) > 20
    for color, background, text in pairs:
        assert _contrast(color, background) >= 4.5, (scheme, color, background, text)
    dark = _luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.1
    assert dark is (scheme == "dark")


#: The color of each element that has text of its own, and of the nearest background behind it.
_COLORS_OF_TEXT = """
() => [...document.querySelectorAll('body *')]
  .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
  .map(e => {
    let behind = e;
    const paint = x => getComputedStyle(x).backgroundColor;
    while (behind.parentElement && paint(behind) === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
    const style = getComputedStyle(e);
    return [e.closest('svg') ? style.fill : style.color, paint(behind), e.textContent.slice(0, 30)];
  })
"""


def _luminance(color: str) -> float:
    """Relative luminance by WCAG 2."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)

"""Text, Markdown and HTML: they fit, they escape, and no verdict depends on colour."""

from __future__ import annotations

import html
import re

import pytest

from bakeoff.report.model import Report
from bakeoff.report.render_html import render_html
from bakeoff.report.render_markdown import render_markdown
from bakeoff.report.render_text import render_text
from tests.unit.report.hostile import IMAGE, NAME, SCRIPT, hostile_report
from tests.unit.report.made_up import cell, full_report, report_of, timed_comparison


@pytest.fixture(scope="module")
def report() -> Report:
    return full_report()


@pytest.mark.parametrize("width", [80, 100, 140])
def test_text_fits_the_terminal(report: Report, width: int) -> None:
    for line in render_text(report, width).splitlines():
        assert len(line) <= width, line


def test_a_long_cell_name_is_broken_after_a_slash() -> None:
    where = cell("100x100/OwnedClaims/ForkForkCommitRevert/Again")
    text = render_text(report_of([timed_comparison(where, layers=0.5)]), 80)
    assert "  100x100/OwnedClaims/" in text
    assert "\n  ForkForkCommitRevert/Again" in text


def test_text_without_color_has_no_escape_codes_whatever_the_environment_says(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in render_text(report, 80, color=False)


def test_text_with_color_says_the_same_words(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")  # the caller has already decided
    colored = render_text(report, 80, color=True)
    assert "\x1b[" in colored
    plain = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in plain.splitlines()] == render_text(report, 80).splitlines()


def test_a_wide_terminal_shows_the_baselines_own_figures(report: Report) -> None:
    assert "12.0 ms" in render_text(report, 120)
    assert "12.0 ms" not in render_text(report, 80)


@pytest.mark.parametrize("render", [render_text, render_markdown, render_html])
def test_every_verdict_has_a_word_and_a_shape(report: Report, render: object) -> None:
    text = re.sub(r"<[^>]*>", "", render(report))  # type: ignore[operator]
    for verdict in ("▼faster", "▲slower", "=same", "?inconclusive", "✕failed", "✓holds", "✕fails"):
        assert re.search(rf"{re.escape(verdict[0])}\s*(≥ )?[\d.]*×?\s*{verdict[1:]}", text), verdict


@pytest.mark.parametrize("render", [render_text, render_markdown, render_html])
def test_time_is_faster_and_bytes_are_less(report: Report, render: object) -> None:
    text = re.sub(r"<[^>]*>", "", render(report))  # type: ignore[operator]
    assert "faster" in text
    assert re.search(r"▼\s*(17\.4× )?less", text)


@pytest.mark.parametrize("render", [render_text, render_markdown, render_html])
def test_every_warning_claim_and_reason_is_shown(report: Report, render: object) -> None:
    text = render(report)  # type: ignore[operator]
    if render is render_html:
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
    text = " ".join(text.replace("\\", "").split())
    for warning in report.trust.warnings:
        assert warning in text
    for claim in report.claims:
        assert claim.text in text
        assert claim.reason is None or claim.reason in text
    assert report.headline.advice in text
    assert "crash: exit status -9 (killed)" in text
    assert "bakeoff all shelf --preset quick" in text
    assert "Example CPU 3000" in text


def test_text_and_markdown_do_not_let_names_steer_them() -> None:
    report = hostile_report()
    text = render_text(report, 80)
    assert "\x1b" not in text
    assert "\x07" not in text
    # Indented lines are code: there nothing is markup.
    lines = render_markdown(report).splitlines()
    markdown = "\n".join(line for line in lines if not line.startswith("    "))
    assert "<script" not in re.sub(r"\\.", "", markdown)
    assert "<img" not in re.sub(r"\\.", "", markdown)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    claims = [row for row in rows if "holds" in row]
    assert len(re.findall(r"(?<!\\)\|", claims[0])) == 8


def test_html_escapes_every_text() -> None:
    page = render_html(hostile_report())
    assert SCRIPT not in page
    assert NAME not in page
    assert IMAGE not in page
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("</style>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_html_asks_nobody_for_anything(report: Report) -> None:
    page = render_html(report)
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href|action)\s*=\s*["']?(?:https?:)?//""", page)
    assert "@import" not in page
    assert "url(" not in page
    assert not re.search(r"""\sstyle\s*=""", page)


def test_html_tables_have_captions_and_scopes_and_pictures_have_labels(report: Report) -> None:
    page = render_html(report)
    assert page.count("<table") == page.count("<caption")
    for header in re.findall(r"<th[\s>][^>]*>", page):
        assert "scope=" in header, header
    for picture in re.findall(r"<svg[^>]*>", page):
        assert "aria-label=" in picture or 'aria-hidden="true"' in picture, picture


def test_html_has_no_axis_mark_outside_of_the_axis(report: Report) -> None:
    for percent in re.findall(r'\bx[12]?="([-\d.]+)%"', render_html(report)):
        assert 0 <= float(percent) <= 100


def test_a_report_without_claims_or_memory_is_printed_too() -> None:
    report = report_of([timed_comparison(cell("a"), layers=0.5)])
    for page in (render_text(report), render_markdown(report), render_html(report)):
        assert "layers" in page
        assert "Claims" not in page

"""The approved pages of one made-up report: a reviewer reads their diff.

To approve what the renderers now print: ``BAKEOFF_APPROVE=1 pytest tests/golden``, then look at
``git diff tests/golden``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.report.model import Report
from bakeoff.report.render_html import render_html
from bakeoff.report.render_json import report_json
from bakeoff.report.render_markdown import render_markdown
from bakeoff.report.render_text import render_text
from tests.unit.report.made_up import full_report

APPROVED = Path(__file__).parent / "report"

RENDERERS: dict[str, Callable[[Report], str]] = {
    "report.txt": render_text,
    "report-120.txt": lambda report: render_text(report, 120),
    "report.md": render_markdown,
    "report.html": render_html,
    "report.json": lambda report: report_json(report).decode(),
}


@pytest.mark.parametrize("name", sorted(RENDERERS))
def test_the_page_is_as_approved(name: str) -> None:
    printed = RENDERERS[name](full_report())
    path = APPROVED / name
    if os.environ.get("BAKEOFF_APPROVE"):
        path.write_text(printed, encoding="utf-8")
    assert printed == path.read_text(encoding="utf-8"), (
        f"{name} has changed. If that is meant: BAKEOFF_APPROVE=1 pytest tests/golden"
    )

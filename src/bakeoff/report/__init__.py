"""The report: a definition and a run become one model, and every renderer prints that model.

::

    reports/<name>.toml ─▶ definition ─┐
    run, conformance ──────────────────┴─▶ build ─▶ Report ─▶ html, markdown, json, text
"""

from __future__ import annotations

from bakeoff.report.build import build_report
from bakeoff.report.definition import Claim, Definition, load_definition
from bakeoff.report.model import ClaimRow, Report
from bakeoff.report.render_html import render_html
from bakeoff.report.render_json import report_json
from bakeoff.report.render_markdown import render_markdown
from bakeoff.report.render_text import render_claims, render_text

__all__ = [
    "Claim",
    "ClaimRow",
    "Definition",
    "Report",
    "build_report",
    "load_definition",
    "render_claims",
    "render_html",
    "render_markdown",
    "render_text",
    "report_json",
]

"""The report as one page that needs nothing else: no request, no script, any width, dark or light."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import jinja2
from markupsafe import Markup

from bakeoff.report import phrases
from bakeoff.report.axis import RatioAxis
from bakeoff.report.metrics import metric_words
from bakeoff.report.model import CellRow, Report
from bakeoff.report.predicates import format_percent


def render_html(report: Report) -> str:
    """The report as a self-contained page; everything that is text in it is escaped.

    Parameters
    ----------
    report : Report
        What to print.
    """
    environment = _environment()
    style = environment.loader.get_source(environment, "report.css")[0]  # type: ignore[union-attr]
    return environment.get_template("report.html").render(
        report=report,
        style=Markup(style),
        # The page may use this one style sheet and nothing else, from anywhere.
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        # Means lie closer together than cells do: each table has the axis that it needs.
        mean_axis=RatioAxis.covering(row.figure for row in report.families if row.metric == "time"),
        cell_axis=RatioAxis.covering(row.figure for row in report.cells_of("time")),
        forests=_forests(report),
        failures={
            name: reason
            for name in report.implementations
            if (reason := report.failure(name)) is not None
        },
    )


@dataclass(frozen=True, slots=True)
class Forest:
    """One candidate's cells, best first; those without a figure at the end."""

    implementation: str
    rows: tuple[CellRow, ...]


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bakeoff.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["groupby_label"] = _grouped_by_label
    environment.globals.update(
        phrases=phrases,
        words=metric_words,
        percent=format_percent,
    )
    return environment


def _grouped_by_label(rows: Iterable[CellRow]) -> list[tuple[str, list[CellRow]]]:
    """Neighbouring rows of the same cell; jinja's own filter would sort the cells."""
    groups: list[tuple[str, list[CellRow]]] = []
    for row in rows:
        if not groups or groups[-1][0] != row.label:
            groups.append((row.label, []))
        groups[-1][1].append(row)
    return groups


def _forests(report: Report) -> list[Forest]:
    forests = []
    for implementation in report.candidates:
        if report.failure(implementation) is not None:
            continue
        rows = sorted(
            report.cells_of("time", implementation),
            key=lambda row: float("inf") if row.figure is None else row.figure.estimate,
        )
        forests.append(Forest(implementation, tuple(rows)))
    return forests

"""The report as Markdown, for pull requests and wikis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bakeoff.report.metrics import metric_words
from bakeoff.report.model import CellRow, Report
from bakeoff.report.phrases import (
    NOTHING,
    SHAPES,
    capability_word,
    claim_about,
    claim_figure_text,
    claim_interval_text,
    claim_word,
    claims_text,
    commit_text,
    control_text,
    duration_text,
    gain_text,
    interval_text,
    machine_text,
    number_interval_text,
    number_text,
    other_ratio_text,
    ratio_text,
    rounds_text,
    settings_text,
    value_text,
    verdict_word,
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&])")


def render_markdown(report: Report) -> str:
    """The report as GitHub-flavoured Markdown; whatever is text in it is escaped.

    Parameters
    ----------
    report : Report
        What to print.
    """
    sections = [
        _headline(report),
        _trust(report),
        _means(report),
        _growth(report),
        _claims(report),
        _capabilities(report),
        *(_cells(report, metric) for metric in report.metrics),
        _facts(report),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _headline(report: Report) -> str:
    lines = [f"# {_escaped(report.title)}", _escaped(report.question)]
    lines.append(f"**{_escaped(report.headline.advice)}**")
    lines += [_escaped(detail) for detail in report.headline.details]
    if report.summary:
        lines.append(_escaped(report.summary))
    return "\n\n".join(lines)


def _trust(report: Report) -> str:
    trust = report.trust
    checked = f"{trust.passed} checks passed, {trust.failed} failed, {trust.skipped} skipped"
    lines = [
        f"- Answers: {checked if trust.is_checked else 'not checked'}",
        f"- A/A control: {_escaped(control_text(trust))}",
        f"- Rounds: {rounds_text(trust)}",
        *(
            f"- ✕ {_escaped(f'{one.implementation}, {one.check}: {one.reason}')}"
            for one in trust.failed_checks
        ),
        *(f"- Note: {_escaped(warning)}" for warning in trust.warnings),
    ]
    return "## Can it be believed?\n\n" + "\n".join(lines)


def _means(report: Report) -> str:
    rows = []
    for implementation in report.candidates:
        failure = report.failure(implementation)
        if failure is not None:
            dashes = (NOTHING,) * 3
            rows.append((implementation, "all", *dashes, f"{SHAPES['failed']} failed ({failure})"))
            continue
        for metric in report.metrics:
            row = report.family(implementation, metric)
            if row is None:
                continue
            word = verdict_word(row.verdict, metric)
            if row.figure is not None and row.verdict in ("faster", "slower"):
                word = gain_text(row.figure, metric)
            verdict = f"{SHAPES[row.verdict]} {word}{f' ({row.reason})' if row.reason else ''}"
            rows.append(
                (
                    implementation,
                    metric_words(metric).title,
                    ratio_text(row.figure),
                    interval_text(row.figure),
                    ratio_text(row.total),
                    verdict,
                )
            )
    header = ("implementation", "metric", ">ratio", ">interval", ">ratio of totals", "verdict")
    title = f"## All cells: geometric mean, ÷ {_escaped(report.baseline)}"
    return f"{title}\n\n{_table(header, rows)}"


def _claims(report: Report) -> str:
    if not report.claims:
        return ""
    rows = [
        (
            f"{SHAPES[claim_word(claim)]} {claim_word(claim)}",
            claim.text,
            claim_about(claim),
            claim_figure_text(claim),
            claim_interval_text(claim),
            claim.bound,
            claim.reason or "",
        )
        for claim in report.claims
    ]
    header = ("verdict", "claim", "compared", ">estimate", ">interval", "bound", "reason")
    return f"## Claims: {claims_text(report.count_claims())}\n\n{_table(header, rows)}"


def _capabilities(report: Report) -> str:
    if not report.capabilities:
        return ""
    rows = [
        (row.text, *(capability_word(row.has.get(name)) for name in report.implementations))
        for row in report.capabilities
    ]
    return f"## What they can do\n\n{_table(('capability', *report.implementations), rows)}"


def _growth(report: Report) -> str:
    if not report.growth:
        return ""
    rows = [
        (
            f"{row.workload} over {row.over}" + (f" ({row.fixed})" if row.fixed else ""),
            metric_words(row.metric).title,
            row.implementation,
            number_text(row.exponent),
            number_interval_text(row.exponent),
            number_text(row.local_exponent),
            row.growth_class,
            number_text(row.crossover),
            row.reason or "",
        )
        for row in report.growth
    ]
    header = (
        "what",
        "metric",
        "implementation",
        ">exponent",
        ">interval",
        ">top decade",
        "class",
        ">crossover",
        "reason",
    )
    return f"## How it grows\n\n{_table(header, rows)}"


def _cells(report: Report, metric: str) -> str:
    words = metric_words(metric)
    base = {row.label: row for row in report.cells_of(metric, report.baseline)}
    # An implementation that failed everywhere has said so once, above.
    failed = {name for name in report.implementations if report.failure(name) is not None}
    has_floor = any(row.floor_ratio is not None for row in report.cells_of(metric))
    rows = []
    for row in report.cells_of(metric):
        if row.implementation == report.baseline or row.implementation in failed:
            continue
        reference = base.get(row.label)
        rows.append(
            (
                row.label,
                row.implementation,
                ratio_text(row.figure),
                interval_text(row.figure),
                value_text(row.value, row.unit, is_bound=row.is_bound),
                NOTHING
                if reference is None
                else value_text(reference.value, row.unit, is_bound=reference.is_bound),
                *([other_ratio_text(row.floor_ratio)] if has_floor else []),
                _verdict(row),
            )
        )
    columns = ("cell", "implementation", ">ratio", ">interval", ">value")
    above_floor = [">÷ floor"] if has_floor else []
    header = (*columns, f">{_escaped(report.baseline)}", *above_floor, "verdict")
    return f"## {_escaped(words.title)} in each cell\n\n{_table(header, rows)}"


def _verdict(row: CellRow) -> str:
    shown = f"{SHAPES[row.verdict]} {verdict_word(row.verdict, row.metric)}"
    return f"{shown} ({row.reason})" if row.reason else shown


def _facts(report: Report) -> str:
    run = report.run
    lines = [
        f"- Run: {_escaped(run.id)}, preset {_escaped(run.preset)}",
        f"- Started: {_escaped(run.started_at)}, {duration_text(run.duration_s)}",
        f"- Machine: {_escaped(machine_text(run.machine))}",
        f"- Commit: {_escaped(commit_text(run))}",
    ]
    if run.settings:
        lines.append(f"- Settings: {_escaped(settings_text(run))}")
    # Indented code: no fence that a name could close.
    commands = "\n".join(f"    {' '.join(command.split())}" for command in report.commands())
    return "## Where and when\n\n" + "\n".join(lines) + f"\n\nTo measure it again:\n\n{commands}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a column that starts with ``>`` is aligned to the right."""
    lines = [
        "| " + " | ".join(column.removeprefix(">") for column in columns) + " |",
        "|" + "|".join("---:" if column.startswith(">") else "---" for column in columns) + "|",
        *("| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows),
    ]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """`text` on one line, with everything that Markdown or HTML would take for markup escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

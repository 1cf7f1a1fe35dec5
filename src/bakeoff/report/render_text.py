"""The report for a terminal, or for a file that is not one: the decision first, 80 columns suffice."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bakeoff.report.metrics import metric_words
from bakeoff.report.model import CellRow, ClaimRow, Figure, Report
from bakeoff.report.phrases import (
    NOTHING,
    SHAPES,
    cell_notes,
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
    ratio_text,
    rounds_text,
    settings_text,
    value_text,
    verdict_word,
)

#: From this width on there is room for the baseline's own figures.
_WIDE = 100

_INDENT = 2
_GAP = 2

_STYLES = {
    "faster": "green",
    "holds": "green",
    "use": "bold green",
    "slower": "red",
    "fails": "bold red",
    "failed": "bold red",
    "stay": "bold",
    "inconclusive": "yellow",
    "unsure": "bold yellow",
    "not measured here": "dim",
}


def render_text(report: Report, width: int = 80, color: bool = False) -> str:
    """The report as text.

    Parameters
    ----------
    report : Report
        What to print.
    width : int
        Columns of the terminal.
    color : bool
        Emphasis by ANSI codes; every verdict has its word and shape without them.
    """
    return _printed(
        report,
        (
            _print_headline,
            _print_trust,
            _print_means,
            _print_cells,
            _print_growth,
            _print_claims,
            _print_capabilities,
            _print_facts,
        ),
        width,
        color,
    )


def render_claims(report: Report, width: int = 80, color: bool = False) -> str:
    """The claims alone, as `render_text` prints them."""
    return _printed(report, (_print_claims,), width, color)


def _printed(
    report: Report, parts: Sequence[Callable[[Console, Report], None]], width: int, color: bool
) -> str:
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        # The caller has decided; rich would ask the environment again.
        no_color=not color,
    )
    for print_part in parts:
        print_part(console, report)
    lines = (line.rstrip() for line in buffer.getvalue().splitlines())
    return "\n".join(lines).strip("\n") + "\n"


def _print_capabilities(console: Console, report: Report) -> None:
    if not report.capabilities:
        return
    _heading(console, "What they can do")
    table = _table("", "")
    for row in report.capabilities:
        able = [name for name in report.implementations if row.has.get(name)]
        table.add_row(_text(row.text), _text(", ".join(able) if able else "none of them"))
    console.print(Padding(table, (0, 0, 0, _INDENT)))


def _print_headline(console: Console, report: Report) -> None:
    console.print(_text(report.title, "bold"))
    console.print(_text(report.question))
    console.print()
    console.print(_text(report.headline.advice, _STYLES[report.headline.tone]))
    for detail in report.headline.details:
        console.print(_text(detail))


def _print_trust(console: Console, report: Report) -> None:
    trust = report.trust
    _heading(console, "Can it be believed?")
    table = _table("", "")
    checked = f"{trust.passed} checks passed, {trust.failed} failed, {trust.skipped} skipped"
    table.add_row("answers", _text(checked if trust.is_checked else "not checked"))
    table.add_row("A/A control", _text(control_text(trust)))
    table.add_row("rounds", _text(rounds_text(trust)))
    for failure in trust.failed_checks:
        said = f"{failure.implementation}, {failure.check}: {failure.reason}"
        table.add_row(_text("✕ broken", "bold red"), _text(said))
    for warning in trust.warnings:
        table.add_row(_text("! note", "yellow"), _text(warning))
    console.print(Padding(table, (0, 0, 0, _INDENT)))


def _print_means(console: Console, report: Report) -> None:
    _heading(console, f"All cells: geometric mean, ÷ {report.baseline}")
    table = _table("implementation", "metric", ">ratio", ">interval", "verdict", header=True)
    notes = []
    for implementation in report.candidates:
        failure = report.failure(implementation)
        if failure is not None:
            table.add_row(_text(implementation, "bold"), "", "", "", _verdict("failed", "time"))
            notes.append(f"✕ {implementation}: {failure}")
            continue
        for number, metric in enumerate(report.metrics):
            row = report.family(implementation, metric)
            if row is None:
                continue
            title = metric_words(metric).title
            table.add_row(
                _text("" if number else implementation, "bold"),
                title,
                ratio_text(row.figure),
                interval_text(row.figure),
                _verdict(row.verdict, metric, row.figure),
            )
            if row.reason:
                notes.append(f"{implementation}, {title.lower()}: {row.reason}")
    _print_table(console, table, notes)


def _print_cells(console: Console, report: Report) -> None:
    bases = {row.label: row for row in report.cells_of("time", report.baseline)}
    for implementation in report.candidates:
        rows = report.cells_of("time", implementation)
        if not rows or report.failure(implementation) is not None:
            continue
        _heading(console, f"Time in each cell: {implementation} ÷ {report.baseline}")
        is_wide = console.width >= _WIDE
        columns = ("cell", ">ratio", ">interval", ">time", "verdict")
        table = _table(*columns, *([f">{_clean(report.baseline)}"] if is_wide else []), header=True)
        lines = [_cell_line(row, bases.get(row.label) if is_wide else None) for row in rows]
        room = console.width - _INDENT - _room_for(lines, len(table.columns) - 1)
        for row, line in zip(rows, lines, strict=True):
            verdict = _verdict(row.verdict, "time")
            label = _text(_broken(row.label, room))
            table.add_row(label, *line[:3], verdict, *line[4 : len(table.columns) - 1])
        _print_table(console, table, cell_notes(rows))


def _cell_line(row: CellRow, base: CellRow | None) -> list[str]:
    """The columns after the cell's name; the verdict without its style."""
    return [
        ratio_text(row.figure),
        interval_text(row.figure),
        value_text(row.value, row.unit, is_bound=row.is_bound),
        str(_verdict(row.verdict, "time")),
        NOTHING if base is None else value_text(base.value, base.unit, is_bound=base.is_bound),
    ]


def _room_for(lines: Sequence[Sequence[str]], columns: int) -> int:
    """How wide the first columns of these lines are, with the gaps between them."""
    # Headings are short, but not shorter than every figure.
    return sum(max(8, *(len(line[n]) for line in lines)) + _GAP for n in range(columns))


def _broken(label: str, room: int) -> str:
    """A label that is too long, broken after a slash or a comma instead of anywhere."""
    lines = [""]
    for part in re.findall(r"[^/,]*[/,]?\s*", label):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > room:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _print_growth(console: Console, report: Report) -> None:
    # Time alone: the other metrics are on the page.
    rows = [row for row in report.growth if row.metric == "time"]
    if not rows:
        return
    _heading(console, "How time grows")
    table = _table(
        "workload", "over", "implementation", ">exponent", ">interval", "class", header=True
    )
    for row in rows:
        table.add_row(
            _text(f"{row.workload} {row.fixed}".strip()),
            _text(row.over),
            _text(row.implementation),
            number_text(row.exponent),
            number_interval_text(row.exponent),
            _text(row.growth_class),
        )
    _print_table(console, table, sorted({row.reason for row in rows if row.reason}))


def _print_claims(console: Console, report: Report) -> None:
    if not report.claims:
        return
    _heading(console, f"Claims: {claims_text(report.count_claims())}")
    table = _table("", "")
    for claim in report.claims:
        word = claim_word(claim)
        table.add_row(
            _text(f"{SHAPES[word]} {word}", _STYLES[word]),
            _text(claim.text).append(f"\n{_clean(_claim_line(claim))}", "dim"),
        )
    console.print(Padding(table, (0, 0, 0, _INDENT)))


def _claim_line(claim: ClaimRow) -> str:
    line = f"{claim_about(claim)}: "
    if claim.figure is not None:
        line += f"{claim_figure_text(claim)} ({claim_interval_text(claim)}), "
    line += f"bound {claim.bound}"
    return f"{line}; {claim.reason}" if claim.reason else line


def _print_facts(console: Console, report: Report) -> None:
    _heading(console, "Where and when")
    table = _table("", "")
    table.add_row("run", _text(f"{report.run.id}, preset {report.run.preset}"))
    started = f"{report.run.started_at}, {duration_text(report.run.duration_s)}"
    table.add_row("started", _text(started))
    table.add_row("machine", _text(machine_text(report.run.machine)))
    table.add_row("commit", _text(commit_text(report.run)))
    if report.run.settings:
        table.add_row("settings", _text(settings_text(report.run)))
    for number, command in enumerate(report.commands()):
        table.add_row("again with" if number == 0 else "", _text(command))
    console.print(Padding(table, (0, 0, 0, _INDENT)))


def _verdict(verdict: str, metric: str, figure: Figure | None = None) -> Text:
    word = verdict_word(verdict, metric)
    if figure is not None and verdict in ("faster", "slower"):
        word = gain_text(figure, metric)
    return _text(f"{SHAPES[verdict]} {word}", _STYLES.get(verdict, ""))


def _print_table(console: Console, table: Table, notes: Sequence[str]) -> None:
    console.print(Padding(table, (0, 0, 0, _INDENT)))
    for note in notes:
        console.print(Padding(_text(note, "dim"), (0, 0, 0, _INDENT)))


def _heading(console: Console, title: str) -> None:
    console.print()
    console.print(_text(title, "bold"))


def _table(*columns: str, header: bool = False) -> Table:
    """A table without lines; a column that starts with ``>`` is aligned to the right."""
    table = Table(box=None, show_header=header, pad_edge=False, padding=(0, _GAP, 0, 0))
    for number, column in enumerate(columns):
        is_last = number == len(columns) - 1
        table.add_column(
            column.removeprefix(">"),
            justify="right" if column.startswith(">") else "left",
            header_style="dim",
            # Figures never break; names and reasons may.
            no_wrap=column.startswith(">") or (not header and not is_last),
            overflow="fold",
        )
    return table


def _text(text: str, style: str = "") -> Text:
    return Text(_clean(text), style=style)


def _clean(text: str) -> str:
    """`text` without what would steer a terminal; names and reasons come from anywhere."""
    return "".join(
        character if character == "\n" or unicodedata.category(character)[0] != "C" else "�"
        for character in text
    )

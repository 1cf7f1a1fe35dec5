"""The blocks of a study's page: what each says, as a table of a report's own figures. Pure.

====================================  ==========================================================
block                                 table
====================================  ==========================================================
``run``                               one line: which run, when, on what machine
``means METRIC…``                     each implementation's geometric mean over all cells
``matrix METRIC WORKLOAD NAME=A;B``   the ratios in the cells that have one of these values
``values METRIC WORKLOAD NAME=A;B``   the same with absolute figures
``floors WORKLOAD NAME=A;B``          the same as multiples of the workload's floor
``growth METRIC WORKLOAD NAME=A``     exponents over the workload's numeric parameter
``claims``                            every claim with its verdict and figure
====================================  ==========================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bakeoff.errors import DefinitionError
from bakeoff.report.metrics import metric_words
from bakeoff.report.phrases import NOTHING, ratio_number, value_text

Report = Mapping[str, Any]

_BLOCK = re.compile(
    r"(?P<begin><!-- figures: (?P<words>[^>]*?) -->)\n.*?(?P<end><!-- /figures -->)", re.DOTALL
)


def rendered(page: str, report: Report) -> str:
    """The page with every block filled from the report.

    Raises
    ------
    DefinitionError
        If a block asks for what the report has not got.
    """
    return _BLOCK.sub(lambda match: _filled(match, report), page)


def cited(page: str, report: Report) -> Report:
    """The report without the cells that no block of the page shows: what has to be kept for it."""
    shown: set[tuple[str, str]] = set()
    for block in _BLOCK.finditer(page):
        match block["words"].split():
            case ["matrix" | "values", metric, workload, *_]:
                shown.add((metric, workload))
            case ["floors", workload, *_]:
                shown.add(("time", workload))
    cells = [row for row in report["cells"] if (row["metric"], row["workload"]) in shown]
    return {**report, "cells": cells}


def _filled(match: re.Match[str], report: Report) -> str:
    kind, *arguments = match["words"].split()
    if kind not in _KINDS:
        raise DefinitionError(
            f"{match['begin']}: there is no block {kind!r}.", f"There are: {', '.join(_KINDS)}."
        )
    lines = _KINDS[kind](report, arguments)
    if not lines:
        raise DefinitionError(
            f"{match['begin']}: the report has no such figure.", "Was another preset measured?"
        )
    return "\n".join([match["begin"], "", *lines, "", match["end"]])


def _run(report: Report, _arguments: Sequence[str]) -> list[str]:
    run = report["run"]
    machine = run["machine"]
    return [
        f"Run {run['id']}, preset {run['preset']}, {run['started_at']}; {machine['cpu']}, "
        f"{machine['cores']} CPUs, Python {machine['python']}."
    ]


def _means(report: Report, metrics: Sequence[str]) -> list[str]:
    rows = {(row["implementation"], row["metric"]): row for row in report["geomeans"]}
    names = [name for name in _implementations(report) if (name, metrics[0]) in rows]
    names.sort(key=lambda name: rows[name, metrics[0]]["ratio"] or float("inf"))
    head = ["implementation", *(f">{metric_words(metric).title}" for metric in metrics)]
    return _table(
        head, [[name, *(_with_interval(rows.get((name, m))) for m in metrics)] for name in names]
    )


def _matrix(report: Report, arguments: Sequence[str]) -> list[str]:
    metric, workload, *choices = arguments
    return _by_cell(report, metric, workload, choices, _with_interval)


def _values(report: Report, arguments: Sequence[str]) -> list[str]:
    metric, workload, *choices = arguments
    return _by_cell(report, metric, workload, choices, _value)


def _floors(report: Report, arguments: Sequence[str]) -> list[str]:
    workload, *choices = arguments
    return _by_cell(report, "time", workload, choices, _floor)


def _growth(report: Report, arguments: Sequence[str]) -> list[str]:
    metric, workload, *choices = arguments
    chosen = _choices(choices)
    rows = [
        row
        for row in report["growth"]
        if (row["metric"], row["workload"]) == (metric, workload)
        and all(f"{name}={value}" in row["fixed"] for name, (value, *_) in chosen.items())
    ]
    return _table(
        ["implementation", "over", ">exponent", "class"],
        [[row["implementation"], row["over"], _exponent(row), row["class"]] for row in rows],
    )


def _claims(report: Report, _arguments: Sequence[str]) -> list[str]:
    return _table(
        ["claim", "verdict", ">estimate", ">interval", "check"],
        [
            [
                claim["text"],
                claim["verdict"] or "not measured here",
                NOTHING if claim["estimate"] is None else f"{claim['estimate']:.3g}",
                _ends(claim["interval"], lambda end: f"{end:.3g}"),
                f"`{claim['check']}`",
            ]
            for claim in report["claims"]
        ],
    )


_KINDS: dict[str, Callable[[Report, Sequence[str]], list[str]]] = {
    "run": _run,
    "means": _means,
    "matrix": _matrix,
    "values": _values,
    "floors": _floors,
    "growth": _growth,
    "claims": _claims,
}


def _by_cell(
    report: Report,
    metric: str,
    workload: str,
    choices: Sequence[str],
    show: Callable[[Any], str],
) -> list[str]:
    """Implementations down, cells across."""
    chosen = _choices(choices)
    rows = [
        row
        for row in report["cells"]
        if (row["metric"], row["workload"]) == (metric, workload)
        and all(str(row["params"].get(name)) in values for name, values in chosen.items())
    ]
    # A parameter that is the same in all of them tells nothing.
    varying = [
        name
        for name in (rows[0]["params"] if rows else ())
        if len({str(row["params"][name]) for row in rows}) > 1
    ]
    cells: dict[str, dict[str, Any]] = {}
    for row in rows:
        label = ", ".join(f"{name} {row['params'][name]}" for name in varying) or workload
        cells.setdefault(label, {})[row["implementation"]] = row
    names = _implementations(report)
    return (
        _table(
            ["implementation", *(f">{label}" for label in cells)],
            [[name, *(show(by_name.get(name)) for by_name in cells.values())] for name in names],
        )
        if rows
        else []
    )


def _choices(arguments: Sequence[str]) -> dict[str, list[str]]:
    chosen = {}
    for argument in arguments:
        name, _, values = argument.partition("=")
        chosen[name] = values.split(";")
    return chosen


def _implementations(report: Report) -> list[str]:
    return list(dict.fromkeys(row["implementation"] for row in report["cells"]))


def _with_interval(row: Any) -> str:
    if row is None or row["ratio"] is None:
        return NOTHING
    return f"{ratio_number(row['ratio'])}× ({_ends(row['interval'], ratio_number)})"


def _value(row: Any) -> str:
    if row is None or row["value"] is None:
        return NOTHING
    return value_text(row["value"], row["unit"], is_bound=row["bound"])


def _floor(row: Any) -> str:
    ratio = None if row is None else row["floor_ratio"]
    return NOTHING if ratio is None else f"{ratio_number(ratio)}×"


def _exponent(row: Any) -> str:
    if row["exponent"] is None:
        return NOTHING
    return f"{row['exponent']:.2f} ({_ends(row['interval'], lambda end: f'{end:.2f}')})"


def _ends(interval: Sequence[float | None] | None, show: Callable[[float], str]) -> str:
    if interval is None:
        return NOTHING
    low, high = interval
    if low is None:
        return NOTHING if high is None else f"≤ {show(high)}"
    return f"≥ {show(low)}" if high is None else f"{show(low)}–{show(high)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    return [
        "| " + " | ".join(name.removeprefix(">") for name in head) + " |",
        "|" + "|".join("---:" if name.startswith(">") else "---" for name in head) + "|",
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]

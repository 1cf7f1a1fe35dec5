"""Cells that differ in one numeric parameter only: what growth and crossovers are read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.measurement.comparison import CellComparison, Contrast
from bakeoff.report.families import Gap, Pair, find_contrast, pair

#: With fewer sizes a slope has no residual: two points lie on every line.
LEAST_SIZES = 3


@dataclass(frozen=True, slots=True)
class Line:
    """Cells of one workload in ascending order of a parameter, all else equal.

    Attributes
    ----------
    fixed : mapping
        The other parameters.
    sizes : tuple of float
        The parameter's values, ascending and different.
    """

    workload: str
    over: str
    fixed: Mapping[str, object]
    sizes: tuple[float, ...]
    cells: tuple[CellComparison, ...]


def lines_over(cells: Sequence[CellComparison], over: str) -> list[Line]:
    """All lines over a numeric parameter, with at least two sizes, in the order of the cells."""
    groups: dict[tuple[object, ...], list[CellComparison]] = {}
    for one in cells:
        if _is_size(one.cell.params.get(over)):
            rest = tuple((k, v) for k, v in one.cell.params.items() if k != over)
            groups.setdefault((one.cell.workload, rest), []).append(one)
    lines = []
    for members in groups.values():
        ordered = sorted(members, key=lambda one: float(one.cell.params[over]))
        sizes = tuple(float(one.cell.params[over]) for one in ordered)
        if len(set(sizes)) == len(sizes) >= 2:
            fixed = {k: v for k, v in ordered[0].cell.params.items() if k != over}
            workload = ordered[0].cell.workload
            lines.append(Line(workload, over, fixed, sizes, tuple(ordered)))
    return lines


def size_parameters(cells: Sequence[CellComparison]) -> list[str]:
    """Parameters over which some line has enough sizes for a slope."""
    names = dict.fromkeys(name for one in cells for name in one.cell.params)
    return [
        name
        for name in names
        if any(len(line.sizes) >= LEAST_SIZES for line in lines_over(cells, name))
    ]


def figures_on(line: Line, arm: str, metric: str) -> list[list[float]] | str:
    """The arm's figures, shape (rounds, sizes), or why there are none.

    Cells are measured one after the other, so round r of one size is not side by side with round r of
    another: what the machine did in between is in the spread over rounds.
    """
    columns: list[tuple[float, ...]] = []
    for one in line.cells:
        contrast = find_contrast(one, arm, metric)
        if contrast is None or contrast.value is None or contrast.verdict == "failed":
            reason = "no such figure" if contrast is None else contrast.reason or "no figure"
            return f"no figure at {line.over} {one.cell.params[line.over]}: {reason}"
        if contrast.is_bound:
            return f"it did not finish at {line.over} {one.cell.params[line.over]}"
        columns.append(_figures(contrast))
    rounds = min((len(column) for column in columns if len(column) > 1), default=1)
    rows = [
        [column[0] if len(column) == 1 else column[index] for column in columns]
        for index in range(rounds)
    ]
    if any(value <= 0 for row in rows for value in row):
        return "a figure is 0: there is no logarithm of it"
    return rows


def log_ratios_on(
    line: Line, arm: str, reference: str, metric: str, *, baseline: str
) -> list[list[float]] | str:
    """ln(arm ÷ reference), shape (rounds, sizes), or why there is none."""
    columns: list[tuple[float, ...]] = []
    for one in line.cells:
        found = pair(one, arm, reference, metric, baseline=baseline)
        if isinstance(found, Gap):
            return found.reason
        if found.is_bound:
            return f"an operation did not finish at {line.over} {one.cell.params[line.over]}"
        columns.append(_ratios(found))
    rounds = min((len(column) for column in columns if len(column) > 1), default=1)
    return [
        [column[0] if len(column) == 1 else column[index] for column in columns]
        for index in range(rounds)
    ]


def _figures(contrast: Contrast) -> tuple[float, ...]:
    assert contrast.value is not None, "gaps are found first"
    return (contrast.value,) if contrast.exact or not contrast.values else contrast.values


def _ratios(found: Pair) -> tuple[float, ...]:
    return (found.log_exact,) if found.log_ratios is None else found.log_ratios.per_round


def _is_size(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0

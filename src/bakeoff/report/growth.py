"""How each implementation's figures grow with a size, and where it overtakes the baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bakeoff import statistics
from bakeoff.report.evidence import Evidence
from bakeoff.report.families import Budget
from bakeoff.report.model import Figure, GrowthRow
from bakeoff.report.sizes import (
    LEAST_SIZES,
    Line,
    figures_on,
    lines_over,
    log_ratios_on,
    size_parameters,
)


def growth_rows(metrics: Sequence[str], evidence: Evidence) -> tuple[GrowthRow, ...]:
    """Exponents, classes and crossovers over every numeric parameter with enough sizes.

    Parameters
    ----------
    metrics : sequence of str
        What to look at.
    evidence : Evidence
        The run.
    """
    rows: list[GrowthRow] = []
    for over in size_parameters(evidence.comparisons):
        lines = [
            line
            for line in lines_over(evidence.comparisons, over)
            if len(line.sizes) >= LEAST_SIZES
        ]
        for metric in metrics:
            for line in lines:
                rows += [
                    _row(line, metric, implementation, evidence)
                    for implementation in evidence.header.implementations
                    if implementation not in evidence.broken_promises
                ]
    return tuple(rows)


def _row(line: Line, metric: str, implementation: str, evidence: Evidence) -> GrowthRow:
    budget = evidence.budget(metric)
    figures = figures_on(line, implementation, metric)
    fixed = ", ".join(f"{name} {value}" for name, value in line.fixed.items())
    if isinstance(figures, str):
        return GrowthRow(
            workload=line.workload,
            fixed=fixed,
            over=line.over,
            metric=metric,
            implementation=implementation,
            exponent=None,
            local_exponent=None,
            growth_class="unclear",
            crossover=None,
            reason=figures,
        )
    exponent = statistics.growth_exponent(line.sizes, figures, budget.look)
    local = statistics.local_exponent(line.sizes, figures, budget.look)
    return GrowthRow(
        workload=line.workload,
        fixed=fixed,
        over=line.over,
        metric=metric,
        implementation=implementation,
        exponent=_figure(exponent),
        local_exponent=_figure(local),
        growth_class=statistics.growth_class(line.sizes, figures),
        crossover=_crossover(line, metric, implementation, evidence, budget),
        reason=None,
    )


def _crossover(
    line: Line, metric: str, implementation: str, evidence: Evidence, budget: Budget
) -> Figure | None:
    baseline = evidence.header.baseline
    if implementation == baseline:
        return None
    ratios = log_ratios_on(line, implementation, baseline, metric, baseline=baseline)
    if isinstance(ratios, str):
        return None
    found = statistics.crossover(line.sizes, ratios, budget.look)
    if found is None:
        return None
    low = -math.inf if found.low is None else found.low
    high = math.inf if found.high is None else found.high
    return Figure.between(low, found.size, high, level=found.level)


def _figure(exponent: statistics.Exponent) -> Figure:
    return Figure.between(exponent.low, exponent.value, exponent.high, level=exponent.level)

"""Why the figures of a run can be believed: conformance, A/A controls, rounds, doubts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bakeoff import statistics
from bakeoff.conformance.outcomes import ConformanceRecord, Failed, Passed
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.timing import is_control_failed
from bakeoff.report.doubts import collect_warnings
from bakeoff.report.evidence import Evidence
from bakeoff.report.model import ControlRow, FailedCheck, Figure, Trust
from bakeoff.results.records import EventRecord


def collect_trust(
    evidence: Evidence,
    conformance: ConformanceRecord | None,
    events: Sequence[EventRecord],
    warnings: Sequence[str],
) -> Trust:
    """What a page's trust strip says.

    Parameters
    ----------
    evidence : Evidence
        The run.
    conformance : ConformanceRecord or None
        The check of the same sources, if there is one.
    events : sequence of EventRecord
        What happened on the way.
    warnings : sequence of str
        Doubts of the caller.
    """
    comparisons = evidence.comparisons
    results = [
        result
        for result in (() if conformance is None else conformance.results)
        if result.implementation in evidence.header.implementations and not result.is_capability
    ]
    failures = [
        FailedCheck(
            implementation=result.implementation,
            check=result.check,
            promise=result.promise,
            reason=result.outcome.reason,
        )
        for result in results
        if isinstance(result.outcome, Failed)
    ]
    passed = sum(isinstance(result.outcome, Passed) for result in results)
    checked = {result.implementation for result in results}
    unchecked = tuple(n for n in evidence.header.implementations if n not in checked)
    controls = tuple(_controls(evidence))
    return Trust(
        is_checked=bool(results),
        unchecked=unchecked,
        passed=passed,
        failed=len(failures),
        skipped=len(results) - passed - len(failures),
        failed_checks=tuple(failures),
        controls=controls,
        planned_cells=len(comparisons),
        control=_mean_control(evidence),
        noise_floor=_finite(max((_reach(one.figure) for one in controls), default=None)),
        rounds=sum(one.rounds for one in comparisons),
        discarded_rounds=sum(one.discarded for one in comparisons),
        contended_rounds=sum(one.discards.get("contended", 0) for one in comparisons),
        discards=_sum_of_discards(comparisons),
        waited_s=math.fsum(one.waited_s for one in comparisons),
        timed_share=_timed_share(comparisons),
        warnings=collect_warnings(
            evidence.header,
            comparisons,
            events,
            evidence.labels,
            unchecked=unchecked,
            others=warnings,
        ),
    )


def _sum_of_discards(comparisons: Sequence[CellComparison]) -> dict[str, int]:
    discards: dict[str, int] = {}
    for one in comparisons:
        for cause, count in one.discards.items():
            discards[cause] = discards.get(cause, 0) + count
    return discards


def _timed_share(comparisons: Sequence[CellComparison]) -> float | None:
    whole_s = math.fsum(one.duration_s for one in comparisons)
    return math.fsum(one.timed_s for one in comparisons) / whole_s if whole_s > 0 else None


def _controls(evidence: Evidence) -> list[ControlRow]:
    rows = []
    for one in evidence.comparisons:
        figure = None if one.control is None else Figure.of(one.control.estimate)
        if figure is None:
            continue
        rows.append(
            ControlRow(
                workload=one.cell.workload,
                params=one.cell.params,
                label=evidence.labels.of(one.cell),
                figure=figure,
                is_passed=not is_control_failed(one.control),
            )
        )
    return rows


def _mean_control(evidence: Evidence) -> Figure | None:
    """All A/A controls as one figure: what the harness itself would call a difference."""
    series = [
        one.control.log_ratios
        for one in evidence.comparisons
        if one.control is not None and one.control.log_ratios is not None
    ]
    rounds = min(map(len, series), default=0)
    if rounds == 0:
        return None
    rows = [log_ratios.first(rounds) for log_ratios in series]
    return Figure.of(statistics.paired_geometric_mean(rows, evidence.budget("time").look))


def _reach(figure: Figure) -> float:
    """How far from 1 the interval of a control reaches, as a share; unbounded is infinite."""
    if figure.low is None or figure.high is None or figure.low <= 0:
        return math.inf
    return math.expm1(max(math.log(figure.high), -math.log(figure.low)))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None

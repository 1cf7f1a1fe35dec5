"""From a run, its conformance and a definition to the report's model. Pure: nothing is read or timed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime

from bakeoff.conformance.outcomes import ConformanceRecord
from bakeoff.errors import DefinitionError
from bakeoff.measurement.comparison import CellComparison, Contrast
from bakeoff.measurement.timing import is_control_failed
from bakeoff.report.capabilities import capability_rows
from bakeoff.report.claims import judge_claims
from bakeoff.report.definition import Definition
from bakeoff.report.doubts import duration_s
from bakeoff.report.evidence import Evidence, is_timed
from bakeoff.report.families import FLOOR, Gap, find_contrast, pair, ratio_of_cell
from bakeoff.report.growth import growth_rows
from bakeoff.report.headline import headline
from bakeoff.report.labels import Labels
from bakeoff.report.means import family_row, rank_candidates, tied_with_first
from bakeoff.report.metrics import METRICS
from bakeoff.report.model import (
    CellRow,
    Figure,
    Report,
    RunFacts,
)
from bakeoff.report.trust import collect_trust
from bakeoff.results.records import EventRecord, RunHeader


def build_report(
    definition: Definition,
    run_header: RunHeader,
    comparisons: Sequence[CellComparison],
    conformance: ConformanceRecord | None,
    events: Sequence[EventRecord],
    now: datetime,
    *,
    implementation_labels: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
) -> Report:
    """Put together everything that the renderers print.

    Parameters
    ----------
    definition : Definition
        What is asked and claimed.
    run_header : RunHeader
        The plan of the run.
    comparisons : sequence of CellComparison
        What `compare_run` says of it.
    conformance : ConformanceRecord or None
        The latest check of the study; None if it was never checked.
    events : sequence of EventRecord
        The run's journal: resumed, interrupted, finished, warnings.
    now : datetime
        When the report is made.
    implementation_labels : mapping of str to str, optional
        The first docstring line of each implementation.
    warnings : sequence of str, optional
        More doubts that the reader has to see, e.g. those of the journal.

    Raises
    ------
    DefinitionError
        If the run is of another study or was measured against another baseline.
    """
    _require_fitting(definition, run_header)
    is_stale = conformance is not None and conformance.sources_digest != run_header.sources_digest
    if is_stale:
        # Answers of other sources say nothing of these.
        conformance = None
        warnings = (*warnings, "The latest conformance check was of other sources.")
    cells = [one.cell for one in comparisons]
    evidence = Evidence(
        header=run_header,
        comparisons=comparisons,
        broken_promises=_broken_promises(conformance, run_header.implementations),
        labels=Labels.for_cells(cells),
    )
    families = tuple(
        family_row(implementation, metric, evidence)
        for metric in _metrics(comparisons)
        for implementation in run_header.implementations
    )
    candidates = rank_candidates(families, run_header)
    rows = tuple(_cell_rows(evidence))
    trust = collect_trust(evidence, conformance, events, warnings)
    return Report(
        name=definition.name,
        title=definition.title,
        question=definition.question,
        summary=definition.summary,
        study=definition.study,
        baseline=definition.baseline,
        candidates=candidates,
        labels=dict(implementation_labels or {}),
        metrics=_metrics(comparisons),
        headline=headline(
            definition.baseline,
            families,
            rows,
            broken_promises=evidence.broken_promises,
            ranking=candidates,
            tied=tied_with_first(candidates, families, evidence),
            margin=run_header.margin,
            is_checked=not trust.unchecked,
        ),
        run=RunFacts(
            id=run_header.id,
            commit=run_header.commit,
            is_dirty=run_header.dirty,
            machine=run_header.machine,
            started_at=run_header.started_at,
            duration_s=duration_s(run_header.started_at, events),
            preset=run_header.preset,
            settings={
                name: value for cell in run_header.cells for name, value in cell.settings.items()
            },
            alpha=run_header.alpha,
            margin=run_header.margin,
            looks=run_header.looks,
            bakeoff=run_header.bakeoff,
        ),
        trust=trust,
        cells=rows,
        families=families,
        growth=growth_rows(_metrics(comparisons), evidence),
        claims=judge_claims(definition.claims, evidence),
        capabilities=capability_rows(conformance, run_header.implementations),
        generated_at=now.isoformat(timespec="seconds"),
    )


def _require_fitting(definition: Definition, header: RunHeader) -> None:
    if definition.study != header.study:
        raise DefinitionError(
            f"{definition.source} is about the study {definition.study!r}, "
            f"but run {header.id} measured {header.study!r}.",
            f"Choose a run of that study, or measure one: bakeoff run {definition.study}",
        )
    if definition.baseline != header.baseline:
        raise DefinitionError(
            f"{definition.source} divides by {definition.baseline!r}, "
            f"but run {header.id} was measured against {header.baseline!r}.",
            f"Measure against it: bakeoff run {definition.study}",
        )


def _metrics(comparisons: Sequence[CellComparison]) -> tuple[str, ...]:
    seen = {contrast.metric for one in comparisons for contrast in one.contrasts}
    return (*(name for name in METRICS if name in seen), *sorted(seen - METRICS.keys()))


def _broken_promises(
    conformance: ConformanceRecord | None, implementations: Sequence[str]
) -> dict[str, str]:
    """Implementations of this run that fail conformance: ``conformance failed: check_…``."""
    broken: dict[str, list[str]] = {}
    for result, _ in () if conformance is None else conformance.failures():
        if result.implementation in implementations:
            broken.setdefault(result.implementation, []).append(result.check)
    return {
        name: f"conformance failed: {', '.join(checks[:3])}"
        + (f" and {len(checks) - 3} more" if len(checks) > 3 else "")
        for name, checks in broken.items()
    }


def _cell_rows(evidence: Evidence) -> list[CellRow]:
    rows = []
    for metric in _metrics(evidence.comparisons):
        for comparison in evidence.comparisons:
            for implementation in evidence.header.implementations:
                contrast = find_contrast(comparison, implementation, metric)
                if contrast is not None:
                    rows.append(_cell_row(comparison, contrast, evidence))
    return rows


def _cell_row(comparison: CellComparison, contrast: Contrast, evidence: Evidence) -> CellRow:
    broken = evidence.broken_promises.get(contrast.implementation)
    verdict, reason = contrast.verdict, contrast.reason
    is_biased = is_timed(contrast.metric) and is_control_failed(comparison.control)
    is_baseline = contrast.implementation == evidence.header.baseline
    if is_biased and verdict != "failed" and not is_baseline:
        verdict, reason = "inconclusive", "the A/A control failed in this cell: harness biased"
    if broken is not None:
        was_tried = verdict == "failed" and contrast.cause == "own failure"
        verdict, reason = "failed", reason if was_tried else broken
    # A wrong answer's speed is no figure: it would only be quoted.
    has_figure = broken is None and verdict != "failed"
    return CellRow(
        workload=comparison.cell.workload,
        params=comparison.cell.params,
        label=evidence.labels.of(comparison.cell),
        metric=contrast.metric,
        unit=contrast.unit,
        implementation=contrast.implementation,
        value=contrast.value if has_figure else None,
        is_bound=contrast.is_bound,
        figure=Figure.of(contrast.estimate) if has_figure else None,
        verdict=verdict,
        rounds=contrast.rounds,
        mde=_finite(contrast.mde) if has_figure else None,
        exact=contrast.exact,
        floor_ratio=_floor_ratio(comparison, contrast, evidence) if has_figure else None,
        reason=reason,
        warnings=contrast.warnings,
        sensitivity=contrast.sensitivity,
    )


def _floor_ratio(
    comparison: CellComparison, contrast: Contrast, evidence: Evidence
) -> float | None:
    """How many times as long as the workload's floor it takes."""
    if contrast.metric != "time" or comparison.floor is None or contrast.is_bound:
        return None
    header = evidence.header
    one = pair(comparison, contrast.implementation, FLOOR, "time", baseline=header.baseline)
    if isinstance(one, Gap):
        return None
    estimate = ratio_of_cell(one, evidence.budget("time"))
    return None if estimate is None else _finite(estimate.ratio)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None

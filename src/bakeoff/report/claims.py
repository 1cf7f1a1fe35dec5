"""Hold each claim against the intervals of a run: holds, fails, inconclusive, or not measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff import statistics
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.timing import is_control_failed
from bakeoff.report.definition import Claim
from bakeoff.report.families import (
    Gap,
    Pair,
    geometric_mean,
    pair,
    ratio_of_cell,
    total,
    value_of_cells,
)
from bakeoff.report.labels import Labels
from bakeoff.report.metrics import metric_words
from bakeoff.report.model import ClaimRow, Figure
from bakeoff.report.predicates import ClaimVerdict, ValueBound
from bakeoff.results.records import RunHeader
from bakeoff.statistics import Estimate

#: Only these are measured side by side with the A/A control.
TIMED_METRICS = ("time", "gc_time")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What claims are judged by.

    Attributes
    ----------
    broken_promises : mapping of str to str
        Implementations that fail conformance, with the reason.
    """

    header: RunHeader
    comparisons: Sequence[CellComparison]
    broken_promises: Mapping[str, str]
    labels: Labels

    def alpha(self, metric: str) -> float:
        """What one interval may spend: time is looked at several times, memory once."""
        if metric in TIMED_METRICS:
            return statistics.looks_alpha(self.header.alpha, self.header.looks)
        return self.header.alpha


def judge_claim(claim: Claim, evidence: Evidence) -> ClaimRow:
    """Judge one claim, never by a point estimate.

    Parameters
    ----------
    claim : Claim
        From the report's definition.
    evidence : Evidence
        A run and its conformance.
    """
    covered = [one for one in evidence.comparisons if claim.where.covers(one.cell)]
    row = ClaimRow(
        number=claim.number,
        text=claim.text,
        arm=claim.arm,
        vs=claim.vs,
        metric=claim.metric,
        unit=metric_words(claim.metric).unit,
        check=claim.check,
        over=claim.over,
        bound=claim.predicate.describe(metric_words(claim.metric).unit, claim.tolerance),
        tolerance=claim.tolerance,
        figure=None,
        is_value=isinstance(claim.predicate, ValueBound),
        status="measured",
        verdict="inconclusive",
        reason=None,
        cells=len(covered),
        deciding_cell=None,
    )
    absent = _why_not_here(claim, covered, evidence)
    if absent is not None:
        return replace(row, status="not measured here", verdict=None, reason=absent)
    if claim.arm in evidence.broken_promises:
        return replace(row, verdict="fails", reason=evidence.broken_promises[claim.arm])
    if claim.vs in evidence.broken_promises and not row.is_value:
        reason = f"{claim.vs} is no reference: {evidence.broken_promises[claim.vs]}"
        return replace(row, reason=reason)
    pairs: list[Pair] = []
    gaps: list[Gap] = []
    # A value stands alone: it must not be lost because the reference failed.
    reference = claim.arm if row.is_value else claim.vs
    for one in covered:
        found = pair(one, claim.arm, reference, claim.metric, baseline=evidence.header.baseline)
        if isinstance(found, Pair):
            pairs.append(found)
        else:
            gaps.append(found)
    judged = _judge(claim, row, pairs, evidence) if pairs else row
    return _with_doubts(claim, judged, covered, gaps, evidence)


def _why_not_here(
    claim: Claim, covered: Sequence[CellComparison], evidence: Evidence
) -> str | None:
    header = evidence.header
    if claim.preset is not None and claim.preset != header.preset:
        return f"needs --preset {claim.preset}; this run is {header.preset}"
    for name in (claim.arm, claim.vs):
        if name not in header.implementations:
            return f"{name} is not part of this run"
    if claim.metric not in TIMED_METRICS and not header.measures_memory:
        return "this run measured no memory"
    unmet = claim.where.unmet([one.cell for one in covered])
    if unmet:
        return f"not part of this run: {', '.join(unmet)}"
    if not covered:
        return "no cell of this run is meant"
    if claim.cells is not None and len(covered) < claim.cells:
        return f"needs {claim.cells} cells; this run has {len(covered)} of them"
    return None


def _judge(claim: Claim, row: ClaimRow, pairs: Sequence[Pair], evidence: Evidence) -> ClaimRow:
    """The verdict on the cells that have figures."""
    alpha = evidence.alpha(claim.metric)
    if claim.over != "cell":
        estimate = _over_all(claim, pairs, alpha)
        return _with_estimate(claim, row, estimate)
    judged = [
        (_with_estimate(claim, row, estimate), estimate, one)
        for one in pairs
        for estimate in [_in_cell(claim, one, alpha)]
    ]
    order: dict[ClaimVerdict | None, int] = {"fails": 0, "inconclusive": 1, "holds": 2}
    decisive, _, one = min(
        judged,
        key=lambda each: (
            order[each[0].verdict],
            float("-inf") if each[1] is None else -claim.predicate.strain(each[1]),
        ),
    )
    if len(pairs) == 1:
        return decisive
    label = evidence.labels.of(one.comparison.cell)
    count = sum(each.verdict == decisive.verdict for each, _, _ in judged)
    of_cells = f"{count} of {len(pairs)} cells"
    if decisive.verdict == "holds":
        reason = f"holds in all {count} cells; closest call: {label}"
    elif decisive.verdict == "fails":
        reason = f"fails in {of_cells}; worst: {label}"
    else:
        reason = f"{decisive.reason} in {of_cells}: {label}"
    return replace(decisive, deciding_cell=label, reason=reason)


def _over_all(claim: Claim, pairs: Sequence[Pair], alpha: float) -> Estimate | None:
    if isinstance(claim.predicate, ValueBound):
        is_exact = all(one.is_exact for one in pairs)
        return value_of_cells([one.arm for one in pairs], alpha, is_exact=is_exact)
    return (geometric_mean if claim.over == "geomean" else total)(pairs, alpha)


def _in_cell(claim: Claim, one: Pair, alpha: float) -> Estimate | None:
    if isinstance(claim.predicate, ValueBound):
        return value_of_cells([one.arm], alpha, is_exact=one.is_exact)
    return ratio_of_cell(one, alpha)


def _with_estimate(claim: Claim, row: ClaimRow, estimate: Estimate | None) -> ClaimRow:
    if estimate is None:
        return replace(row, reason="neither side finished: the ratio is unknown")
    verdict = claim.predicate.judge(estimate, claim.tolerance)
    reason = "the interval crosses the bound" if verdict == "inconclusive" else None
    if reason and not estimate.is_bounded and estimate.method != "bound":
        reason = f"too few rounds for an interval: {estimate.rounds}"
    if reason and estimate.method == "bound":
        reason = "an operation did not finish: only a bound of the ratio is known"
    return replace(row, figure=Figure.of(estimate), verdict=verdict, reason=reason)


def _with_doubts(
    claim: Claim,
    row: ClaimRow,
    covered: Sequence[CellComparison],
    gaps: Sequence[Gap],
    evidence: Evidence,
) -> ClaimRow:
    """What takes a verdict away again: cells without a figure, and a control that failed."""
    refuting = [gap for gap in gaps if gap.is_refuted]
    if refuting:
        reason = f"{refuting[0].reason} ({evidence.labels.of(refuting[0].comparison.cell)})"
        return replace(row, verdict="fails", reason=reason)
    biased = [one for one in covered if is_control_failed(one.control)]
    if biased and claim.metric in TIMED_METRICS:
        label = evidence.labels.of(biased[0].cell)
        reason = f"the A/A control failed in {len(biased)} of {len(covered)} cells ({label})"
        return replace(row, verdict="inconclusive", reason=reason)
    # One refuted cell refutes "every cell", whatever the missing ones would have said.
    if gaps and not (claim.over == "cell" and row.verdict == "fails"):
        label = evidence.labels.of(gaps[0].comparison.cell)
        reason = f"no figure in {len(gaps)} of {len(covered)} cells: {gaps[0].reason} ({label})"
        return replace(row, verdict="inconclusive", reason=reason)
    return row

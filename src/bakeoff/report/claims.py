"""Hold each claim against the intervals of a run: holds, fails, inconclusive, or not measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakeoff import statistics
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.timing import is_control_failed
from bakeoff.report.claim_cells import judge_in_cells
from bakeoff.report.claim_whole import judge_whole
from bakeoff.report.definition import Claim
from bakeoff.report.evidence import Evidence, is_timed
from bakeoff.report.families import FLOOR, Gap, Pair, pair
from bakeoff.report.judgement import Judgement
from bakeoff.report.metrics import metric_words
from bakeoff.report.model import ClaimRow
from bakeoff.report.predicates import (
    ABSOLUTE,
    DeltaBound,
    RatioBound,
    SameWithin,
    ValueBound,
)

_IN_CELLS = (RatioBound, ValueBound, DeltaBound, SameWithin)


def judge_claims(claims: Sequence[Claim], evidence: Evidence) -> tuple[ClaimRow, ...]:
    """Judge all claims of a report, together at the level of one (Holm), never by a point estimate.

    Parameters
    ----------
    claims : sequence of Claim
        From the report's definition.
    evidence : Evidence
        A run and its conformance.

    Returns
    -------
    tuple of ClaimRow
        In the order of `claims`. Where chance has a part in several of them, their intervals are as
        much wider as Holm's procedure asks; counts and bounds take no part in that.
    """
    rows = [judge_claim(claim, evidence) for claim in claims]
    chancy = [
        number
        for number, row in enumerate(rows)
        if row.figure is not None and not row.figure.is_exact and not row.figure.is_bound
    ]
    alpha = evidence.header.alpha

    def is_decided(index: int, level: float) -> bool:
        claim = claims[chancy[index]]
        row = judge_claim(claim, evidence, sharing=round(alpha / level))
        return row.verdict in ("holds", "fails")

    levels = statistics.holm_levels(is_decided, len(chancy), alpha)
    for number, level in zip(chancy, levels, strict=True):
        rows[number] = judge_claim(claims[number], evidence, sharing=round(alpha / level))
    return tuple(rows)


def judge_claim(claim: Claim, evidence: Evidence, *, sharing: int = 1) -> ClaimRow:
    """Judge one claim as one of `sharing` that have to be true together."""
    covered = [one for one in evidence.comparisons if claim.where.covers(one.cell)]
    unit = metric_words(claim.metric).unit
    row = ClaimRow(
        number=claim.number,
        text=claim.text,
        arm=claim.arm,
        vs=claim.vs,
        metric=claim.metric,
        unit=unit,
        check=claim.check,
        over=claim.over,
        bound=claim.predicate.describe(unit, claim.tolerance),
        tolerance=claim.tolerance,
        figure=None,
        kind="ratio",
        is_absolute=isinstance(claim.predicate, ABSOLUTE),
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
    if claim.vs in evidence.broken_promises and not row.is_absolute:
        reason = f"{claim.vs} is no reference: {evidence.broken_promises[claim.vs]}"
        return replace(row, reason=reason)
    if isinstance(claim.predicate, _IN_CELLS):
        return _judge_pairs(claim, row, covered, evidence, sharing)
    judgement = judge_whole(claim, covered, evidence, sharing)
    judged = _with_judgement(row, judgement)
    return _with_doubts(claim, judged, covered, (), evidence)


def _judge_pairs(
    claim: Claim,
    row: ClaimRow,
    covered: Sequence[CellComparison],
    evidence: Evidence,
    sharing: int,
) -> ClaimRow:
    pairs: list[Pair] = []
    gaps: list[Gap] = []
    # A value stands alone: it must not be lost because the reference failed.
    reference = claim.arm if row.is_absolute else claim.vs
    for one in covered:
        found = pair(one, claim.arm, reference, claim.metric, baseline=evidence.header.baseline)
        if isinstance(found, Pair):
            pairs.append(found)
        else:
            gaps.append(found)
    if pairs:
        judgement = judge_in_cells(claim, pairs, evidence, sharing)
        row = _with_judgement(row, judgement)
    return _with_doubts(claim, row, covered, gaps, evidence)


def _with_judgement(row: ClaimRow, judgement: Judgement) -> ClaimRow:
    return replace(
        row,
        figure=judgement.figure,
        kind=judgement.kind,
        verdict=judgement.verdict,
        reason=judgement.reason,
        deciding_cell=judgement.deciding_cell,
    )


def _why_not_here(
    claim: Claim, covered: Sequence[CellComparison], evidence: Evidence
) -> str | None:
    header = evidence.header
    if claim.preset is not None and claim.preset != header.preset:
        return f"needs --preset {claim.preset}; this run is {header.preset}"
    for name in (claim.arm, claim.vs):
        if name not in (*header.implementations, FLOOR):
            return f"{name} is not part of this run"
    if not is_timed(claim.metric) and not header.measures_memory:
        return "this run measured no memory"
    unmet = claim.where.unmet([one.cell for one in covered])
    if unmet:
        return f"not part of this run: {', '.join(unmet)}"
    if not covered:
        return "no cell of this run is meant"
    if claim.cells is not None and len(covered) < claim.cells:
        return f"needs {claim.cells} cells; this run has {len(covered)} of them"
    return None


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
    is_exact = row.figure is not None and row.figure.is_exact
    if biased and is_timed(claim.metric) and not is_exact:
        label = evidence.labels.of(biased[0].cell)
        reason = f"the A/A control failed in {len(biased)} of {len(covered)} cells ({label})"
        return replace(row, verdict="inconclusive", reason=reason)
    # One refuted cell refutes "every cell", whatever the missing ones would have said.
    if gaps and not (claim.over == "cell" and row.verdict == "fails"):
        label = evidence.labels.of(gaps[0].comparison.cell)
        reason = f"no figure in {len(gaps)} of {len(covered)} cells: {gaps[0].reason} ({label})"
        return replace(row, verdict="inconclusive", reason=reason)
    return row

"""Each implementation over all cells: its means, its rank, and whom it cannot be told from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bakeoff import statistics
from bakeoff.measurement.timing import is_control_failed
from bakeoff.report.evidence import Evidence, is_timed
from bakeoff.report.families import Pair, find_contrast, geometric_mean, pair, total
from bakeoff.report.metrics import metric_words
from bakeoff.report.model import FamilyRow, Figure
from bakeoff.results.records import RunHeader


def family_row(implementation: str, metric: str, evidence: Evidence) -> FamilyRow:
    """One implementation over all its cells; Bonferroni over the candidates, as they are ranked."""
    header = evidence.header
    found = [
        pair(one, implementation, header.baseline, metric, baseline=header.baseline)
        for one in evidence.comparisons
    ]
    pairs = [one for one in found if isinstance(one, Pair)]
    reason = evidence.broken_promises.get(implementation)
    row = FamilyRow(
        metric=metric,
        unit=metric_words(metric).unit,
        implementation=implementation,
        figure=None,
        total=None,
        value_total=None,
        is_bound=False,
        verdict="failed",
        cells=len(pairs),
        planned_cells=len(found),
        reason=reason,
    )
    if reason is not None:
        return replace(row, cells=0)
    gaps = [one for one in found if not isinstance(one, Pair)]
    refuted = [gap for gap in gaps if gap.is_refuted]
    if refuted:
        # A mean over the cells that it survived would recommend what fails in the others.
        where = evidence.labels.of(refuted[0].comparison.cell)
        more = f" and {len(refuted) - 1} more cells" if len(refuted) > 1 else ""
        what = refuted[0].reason.removeprefix(f"{implementation}: ")
        return replace(row, cells=0, reason=f"{what} (in {where}{more})")
    if not pairs:
        # What was not tried has not failed: it is not known.
        reason = gaps[0].reason if gaps else "the run has no cell"
        return replace(row, verdict="inconclusive", reason=reason)
    own = [find_contrast(one.comparison, implementation, metric) for one in pairs]
    value_total = math.fsum(one.value for one in own if one is not None and one.value is not None)
    row = replace(
        row,
        # Peaks of different processes do not add up to anything.
        value_total=None if metric == "peak_bytes" else value_total,
        is_bound=any(one is not None and one.is_bound for one in own),
    )
    if implementation == header.baseline:
        one_to_one = Figure.of(statistics.exact_ratio(1.0, 1.0))
        return replace(row, figure=one_to_one, total=one_to_one, verdict="same")
    alpha = evidence.budget(metric).shared_by(len(header.implementations) - 1).look
    estimate = geometric_mean(pairs, alpha)
    verdict = "inconclusive" if estimate is None else statistics.decide(estimate, header.margin)
    biased = [one for one in pairs if is_control_failed(one.comparison.control)]
    if biased and is_timed(metric):
        verdict, reason = "inconclusive", f"the A/A control failed in {len(biased)} cells"
    elif verdict == "inconclusive":
        reason = _why_inconclusive(estimate, header.margin)
    elif len(pairs) < len(found):
        reason = f"no figure in {len(found) - len(pairs)} of {len(found)} cells"
    return replace(
        row,
        figure=Figure.of(estimate),
        total=Figure.of(total(pairs, alpha)),
        verdict=verdict,
        reason=reason,
    )


def _why_inconclusive(estimate: statistics.Estimate | None, margin: float) -> str:
    if estimate is None:
        return "cells did not finish on both sides: the mean is unknown"
    if estimate.method == "bound":
        return "operations did not finish: the mean is a bound that proves nothing"
    needed = statistics.rounds_needed(estimate, margin)
    if needed is None:
        return f"too few rounds for an interval: {estimate.rounds}"
    return f"needs about {max(1, needed - estimate.rounds)} more rounds"


def rank_candidates(families: Sequence[FamilyRow], header: RunHeader) -> tuple[str, ...]:
    """The candidates, best first by the geometric mean of time; those without one come last."""

    def rank(implementation: str) -> tuple[bool, float]:
        row = next(
            (f for f in families if f.implementation == implementation and f.metric == "time"), None
        )
        figure = None if row is None or row.verdict == "failed" else row.figure
        return (figure is None, math.inf if figure is None else figure.estimate)

    return tuple(sorted((n for n in header.implementations if n != header.baseline), key=rank))


def tied_with_first(
    candidates: Sequence[str], families: Sequence[FamilyRow], evidence: Evidence
) -> tuple[str, ...]:
    """Candidates that the first one cannot be told apart from, all of them at once."""
    header = evidence.header
    ranked = {row.implementation for row in families if row.metric == "time" and row.figure}
    rivals = [name for name in candidates[1:] if name in ranked]
    alpha = evidence.budget("time").shared_by(len(rivals)).look
    tied = []
    for rival in rivals:
        found = [
            pair(one, candidates[0], rival, "time", baseline=header.baseline)
            for one in evidence.comparisons
        ]
        pairs = [one for one in found if isinstance(one, Pair)]
        estimate = geometric_mean(pairs, alpha) if pairs else None
        is_beaten = estimate is not None and statistics.decide(estimate, header.margin) == "faster"
        # Whoever cannot be compared has not been beaten either.
        if not is_beaten:
            tied.append(rival)
    return tuple(tied)

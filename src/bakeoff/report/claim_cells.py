"""Claims about every cell by itself, or about one figure over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.report.definition import Claim
from bakeoff.report.evidence import Evidence
from bakeoff.report.families import (
    Budget,
    Pair,
    differences_of_cells,
    geometric_mean,
    ratio_of_cell,
    total,
    value_of_cells,
)
from bakeoff.report.judgement import Judgement, crossing_reason
from bakeoff.report.model import Figure, FigureKind
from bakeoff.report.predicates import DeltaBound, RatioBound, SameWithin, ValueBound
from bakeoff.statistics import Estimate

_ORDER = {"fails": 0, "inconclusive": 1, "holds": 2}


def judge_in_cells(
    claim: Claim, pairs: Sequence[Pair], evidence: Evidence, sharing: int
) -> Judgement:
    """The verdict on the cells that have figures.

    Parameters
    ----------
    claim : Claim
        With a predicate on a ratio, a value or a difference.
    pairs : sequence of Pair
        At least one.
    evidence : Evidence
        The run.
    sharing : int
        How many claims have to be true together.

    Returns
    -------
    Judgement
        A claim about every cell holds if each holds at the claim's level: all of them would have to
        be wrong for it to be. It fails if one does that would fail among all of them together.
    """
    budget = evidence.budget(claim.metric).shared_by(sharing)
    if claim.over != "cell":
        return _judge_figure(claim, pairs, budget).judgement
    judged = []
    for one in pairs:
        alone = _judge_figure(claim, [one], budget)
        if alone.judgement.verdict == "fails" and len(pairs) > 1:
            alone = _judge_figure(claim, [one], budget.shared_by(len(pairs)))
        judged.append((alone, one))
    decisive, one = min(
        judged, key=lambda each: (_ORDER[each[0].judgement.verdict], -each[0].strain)
    )
    judgement = decisive.judgement
    if len(pairs) == 1:
        return judgement
    label = evidence.labels.of(one.comparison.cell)
    count = sum(each.judgement.verdict == judgement.verdict for each, _ in judged)
    of_cells = f"{count} of {len(pairs)} cells"
    if judgement.verdict == "holds":
        reason = f"holds in all {count} cells; closest call: {label}"
    elif judgement.verdict == "fails":
        reason = f"fails in {of_cells}; worst: {label}"
    else:
        reason = f"{judgement.reason} in {of_cells}: {label}"
    return replace(judgement, deciding_cell=label, reason=reason)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A judgement, and how near its interval comes to breaking the claim."""

    judgement: Judgement
    strain: float


def _judge_figure(claim: Claim, pairs: Sequence[Pair], budget: Budget) -> _Judged:
    """The verdict on one figure: of one cell, or over all of them."""
    predicate = claim.predicate
    if isinstance(predicate, DeltaBound):
        low, middle, high, rounds = differences_of_cells(pairs, budget)
        verdict = predicate.judge_between(low, high, claim.tolerance)
        figure = Figure.between(low, middle, high, level=1 - budget.look)
        reason = crossing_reason(figure, rounds) if verdict == "inconclusive" else None
        return _Judged(Judgement(figure, verdict, reason, "value"), predicate.strain(low, high))
    assert isinstance(predicate, RatioBound | ValueBound | SameWithin), "judged as a whole"
    estimate = _estimate(claim, pairs, budget)
    if estimate is None:
        return _Judged(Judgement(None, "inconclusive", crossing_reason(None, 0)), math.inf)
    verdict = predicate.judge(estimate, claim.tolerance)
    figure_or_none = Figure.of(estimate)
    reason = crossing_reason(figure_or_none, estimate.rounds) if verdict == "inconclusive" else None
    kind: FigureKind = "value" if isinstance(predicate, ValueBound) else "ratio"
    return _Judged(
        Judgement(figure_or_none, verdict, reason, kind),
        predicate.strain(estimate.log_low, estimate.log_high),
    )


def _estimate(claim: Claim, pairs: Sequence[Pair], budget: Budget) -> Estimate | None:
    if isinstance(claim.predicate, ValueBound):
        is_exact = all(one.is_exact for one in pairs)
        return value_of_cells([one.arm for one in pairs], budget.look, is_exact=is_exact)
    if claim.over == "geomean":
        return geometric_mean(pairs, budget.look)
    if claim.over == "total":
        return total(pairs, budget.look)
    return ratio_of_cell(pairs[0], budget)

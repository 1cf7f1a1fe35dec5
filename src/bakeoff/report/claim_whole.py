"""Claims about several cells together: growth, independence, crossovers, counts, limits, the best."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bakeoff import statistics
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.counting import PROCESSES
from bakeoff.report.definition import Claim
from bakeoff.report.evidence import Evidence
from bakeoff.report.families import Gap, Pair, find_contrast, geometric_mean, pair
from bakeoff.report.judgement import Judgement, crossing_reason
from bakeoff.report.model import Figure
from bakeoff.report.predicates import (
    BestOn,
    ClaimVerdict,
    CompletesWithin,
    CrossoverBound,
    ExactCount,
    GrowthBound,
    GrowthRange,
    IndependentOf,
)
from bakeoff.report.sizes import Line, figures_on, lines_over, log_ratios_on


def judge_whole(
    claim: Claim, covered: Sequence[CellComparison], evidence: Evidence, sharing: int
) -> Judgement:
    """Judge a claim that no cell decides by itself.

    Parameters
    ----------
    claim : Claim
        With one of the predicates of this module.
    covered : sequence of CellComparison
        The cells it is about, at least one.
    evidence : Evidence
        The run.
    sharing : int
        How many claims have to be true together.
    """
    alpha = evidence.budget(claim.metric).shared_by(sharing).look
    predicate = claim.predicate
    if isinstance(predicate, ExactCount):
        return _worst([_judge_count(claim, predicate, one, evidence) for one in covered])
    if isinstance(predicate, CompletesWithin):
        return _worst([_judge_limit(claim, predicate, one, evidence) for one in covered])
    if isinstance(predicate, BestOn):
        return _judge_best(claim, covered, evidence, alpha)
    assert isinstance(predicate, GrowthBound | GrowthRange | IndependentOf | CrossoverBound)
    lines = lines_over(covered, predicate.over)
    if not lines:
        reason = f"its cells do not differ in {predicate.over}: choose at least two values of it"
        return Judgement(None, "inconclusive", reason)
    if isinstance(predicate, IndependentOf):
        return _worst([_judge_independence(claim, predicate, line, alpha) for line in lines])
    if isinstance(predicate, CrossoverBound):
        return _worst([_judge_crossover(claim, predicate, line, evidence, alpha) for line in lines])
    return _worst([_judge_growth(claim, predicate, line, alpha) for line in lines])


_ORDER = {"fails": 0, "inconclusive": 1, "holds": 2}


def _worst(judgements: Sequence[Judgement]) -> Judgement:
    """A claim about all holds if it holds of each: the one that is furthest from it decides."""
    return min(judgements, key=lambda judgement: _ORDER[judgement.verdict])


def _judge_count(
    claim: Claim, predicate: ExactCount, one: CellComparison, evidence: Evidence
) -> Judgement:
    label = evidence.labels.of(one.cell)
    contrast = find_contrast(one, claim.arm, claim.metric)
    if contrast is None or contrast.value is None:
        reason = "no such count" if contrast is None else contrast.reason
        is_refuted = contrast is not None and contrast.cause == "own failure"
        verdict: ClaimVerdict = "fails" if is_refuted else "inconclusive"
        return Judgement(None, verdict, f"{reason} ({label})", "value", label)
    figure = Figure.of_exact(contrast.value)
    others = sorted({value for value in contrast.values if value != predicate.number})
    if others:
        return Judgement(
            figure, "fails", f"a process counted {others[0]:g} ({label})", "value", label
        )
    seen = len(contrast.values)
    if not contrast.exact and seen < PROCESSES:
        reason = f"counted in {seen} of {PROCESSES} processes ({label})"
        return Judgement(figure, "inconclusive", reason, "value", label)
    return Judgement(figure, "holds", None, "value", label)


def _judge_limit(
    claim: Claim, predicate: CompletesWithin, one: CellComparison, evidence: Evidence
) -> Judgement:
    label = evidence.labels.of(one.cell)
    contrast = find_contrast(one, claim.arm, "time")
    if contrast is None or contrast.value is None:
        reason = "no such figure" if contrast is None else contrast.reason
        is_refuted = contrast is not None and contrast.cause == "own failure"
        verdict: ClaimVerdict = "fails" if is_refuted else "inconclusive"
        return Judgement(None, verdict, f"{reason} ({label})", "value", label)
    longest = max(contrast.values, default=contrast.value)
    figure = Figure.of_exact(longest)
    if contrast.is_bound:
        if one.cell.time_limit_s >= predicate.limit:
            return Judgement(figure, "fails", f"did not finish ({label})", "value", label)
        reason = f"stopped after {one.cell.time_limit_s:g} s, before the limit ({label})"
        return Judgement(figure, "inconclusive", reason, "value", label)
    is_kept = longest <= predicate.limit
    return Judgement(figure, "holds" if is_kept else "fails", f"longest: {label}", "value", label)


def _judge_best(
    claim: Claim, covered: Sequence[CellComparison], evidence: Evidence, alpha: float
) -> Judgement:
    """Hold if the arm beats each rival at a level at which all of that is true together."""
    header = evidence.header
    rivals = [name for name in header.implementations if name != claim.arm]
    rivals = [name for name in rivals if name not in evidence.broken_promises]
    tied: list[str] = []
    nearest: Figure | None = None
    for rival in rivals:
        found = [
            pair(one, claim.arm, rival, claim.metric, baseline=header.baseline) for one in covered
        ]
        pairs = [one for one in found if isinstance(one, Pair)]
        gaps = [one for one in found if isinstance(one, Gap)]
        if any(gap.is_refuted for gap in gaps):
            return Judgement(None, "fails", next(g.reason for g in gaps if g.is_refuted))
        estimate = geometric_mean(pairs, alpha / len(rivals)) if pairs else None
        verdict = "inconclusive" if estimate is None else statistics.decide(estimate, header.margin)
        figure = Figure.of(estimate)
        if figure is not None and (nearest is None or figure.estimate > nearest.estimate):
            nearest = figure
        if verdict == "slower":
            return Judgement(figure, "fails", f"{rival} is better")
        if verdict != "faster":
            tied.append(rival)
    if tied:
        return Judgement(nearest, "inconclusive", f"cannot be told from {', '.join(tied)}")
    return Judgement(nearest, "holds", f"better than each of {len(rivals)} at once")


def _judge_growth(
    claim: Claim, predicate: GrowthBound | GrowthRange, line: Line, alpha: float
) -> Judgement:
    figures = figures_on(line, claim.arm, claim.metric)
    if isinstance(figures, str):
        return Judgement(None, "inconclusive", figures, "number")
    exponent = statistics.growth_exponent(line.sizes, figures, alpha)
    verdict = predicate.judge_between(exponent.low, exponent.high, claim.tolerance)
    figure = Figure.between(exponent.low, exponent.value, exponent.high, level=exponent.level)
    reason = crossing_reason(figure, exponent.rounds) if verdict == "inconclusive" else None
    return Judgement(figure, verdict, reason, "number")


def _judge_independence(
    claim: Claim, predicate: IndependentOf, line: Line, alpha: float
) -> Judgement:
    """Each size against the smallest, all of them at once."""
    figures = figures_on(line, claim.arm, claim.metric)
    if isinstance(figures, str):
        return Judgement(None, "inconclusive", figures)
    judgements = []
    others = len(line.sizes) - 1
    for index in range(1, len(line.sizes)):
        logs = [math.log(row[index] / row[0]) for row in figures]
        if len(logs) == 1:
            estimate = statistics.exact_ratio(figures[0][index], figures[0][0])
        else:
            log_ratios = statistics.LogRatios.of(logs)
            estimate = statistics.estimate_over_rounds(log_ratios, alpha / others)
        verdict = predicate.judge(estimate)
        figure = Figure.of(estimate)
        where = f"{line.over} {line.sizes[index]:g} ÷ {line.sizes[0]:g}"
        if verdict == "inconclusive":
            where = f"{crossing_reason(figure, estimate.rounds)} ({where})"
        judgements.append(Judgement(figure, verdict, where))
    return _worst(judgements)


def _judge_crossover(
    claim: Claim, predicate: CrossoverBound, line: Line, evidence: Evidence, alpha: float
) -> Judgement:
    """The size from which on the arm is better than its reference."""
    ratios = log_ratios_on(
        line, claim.arm, claim.vs, claim.metric, baseline=evidence.header.baseline
    )
    if isinstance(ratios, str):
        return Judgement(None, "inconclusive", ratios, "number")
    found = statistics.crossover(line.sizes, ratios, alpha)
    first, last = (_ratio_at(ratios, index, alpha) for index in (0, -1))
    if found is None:
        return _never_crossing(claim, predicate, line, first, last)
    if found.below == "faster":
        verdict: ClaimVerdict = "fails" if last.log_low > 0 else "inconclusive"
        reason = f"it is better below {line.over} {found.size:.3g}, not above"
        return Judgement(None, verdict, reason, "number")
    low = -math.inf if found.low is None else found.low
    high = math.inf if found.high is None else found.high
    verdict = predicate.judge_between(low, high, claim.tolerance)
    figure = Figure.between(low, found.size, high, level=found.level)
    why = crossing_reason(figure, len(ratios)) if verdict == "inconclusive" else None
    return Judgement(figure, verdict, why, "number")


def _ratio_at(ratios: Sequence[Sequence[float]], index: int, alpha: float) -> statistics.Estimate:
    """Arm ÷ reference at one size."""
    return statistics.estimate_over_rounds(
        statistics.LogRatios.of([row[index] for row in ratios]), alpha
    )


def _never_crossing(
    claim: Claim,
    predicate: CrossoverBound,
    line: Line,
    first: statistics.Estimate,
    last: statistics.Estimate,
) -> Judgement:
    """On one side everywhere: the crossover lies outside of the measured sizes, if there is one."""
    if first.log_high < 0 and last.log_high < 0:
        verdict = predicate.judge_between(-math.inf, line.sizes[0], claim.tolerance)
        return Judgement(None, verdict, f"better at every measured {line.over}", "number")
    if first.log_low > 0 and last.log_low > 0:
        verdict = predicate.judge_between(line.sizes[-1], math.inf, claim.tolerance)
        return Judgement(None, verdict, f"worse at every measured {line.over}", "number")
    return Judgement(None, "inconclusive", "its rounds do not agree on a crossing", "number")

"""From log ratios to an estimate, a word, and the reason where there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bakeoff import statistics
from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.rules import Rules

#: What several modes or a drift mean to somebody who waits for a verdict.
_SPREAD_REASONS = {
    "several modes": "several modes: its rounds fall into two groups, so more of them may not help",
    "drift": "drift: its ratio changed while the run went on",
}


def judged(
    contrast: Contrast, log_ratios: statistics.LogRatios, few: int | None, rules: Rules
) -> Contrast:
    """`contrast` with the interval, verdict and minimal detectable effect of its log ratios.

    Parameters
    ----------
    contrast : Contrast
        Without an estimate as yet.
    log_ratios : LogRatios
        Of the rounds that are looked at.
    few : int or None
        What the few-rounds rule says of it.
    rules : Rules
        Levels, margin and looks.
    """
    # One look only may spend the whole budget.
    alpha = rules.look_alpha if few is None else rules.alpha
    estimate = statistics.estimate_ratio(log_ratios, alpha, is_few=few is not None)
    looks = rules.looks_for(few)
    is_look = len(log_ratios) in looks
    verdict = statistics.decide(estimate, rules.margin) if is_look else "inconclusive"
    mde = statistics.minimal_detectable_effect(estimate)
    warnings = () if few is None else (f"few rounds: {len(log_ratios)}, interval by paired t",)
    return replace(
        contrast,
        estimate=estimate,
        verdict=verdict,
        mde=mde if math.isfinite(mde) else None,
        reason=why_inconclusive(estimate, log_ratios, rules, looks)
        if verdict == "inconclusive"
        else None,
        warnings=(*contrast.warnings, *warnings),
        log_ratios=log_ratios,
        is_few=few is not None,
    )


def why_inconclusive(
    estimate: statistics.Estimate,
    log_ratios: statistics.LogRatios,
    rules: Rules,
    looks: Sequence[int],
) -> str:
    """What an inconclusive comparison lacks: rounds, or a single mode."""
    if estimate.rounds < looks[0]:
        return f"the first look is after {looks[0]} rounds; it has {estimate.rounds}"
    needed = statistics.rounds_needed(estimate, rules.margin)
    if needed is None:
        return f"not enough rounds for an interval: has {estimate.rounds}"
    more = f"needs about {max(1, needed - estimate.rounds)} more rounds"
    spread = _SPREAD_REASONS.get(statistics.describe_spread(log_ratios.per_round))
    return more if spread is None else f"{spread} ({more})"


def looked_at(rounds: int, looks: Sequence[int]) -> int:
    """How many of a contrast's rounds are judged: those of the last look that was reached.

    A run that was stopped between two looks must not take a verdict there: that would be peeking.
    """
    return max((look for look in looks if look <= rounds), default=rounds)


def as_inconclusive(contrast: Contrast, reason: str) -> Contrast:
    """`contrast` without its verdict, if it rests on rounds."""
    if contrast.verdict == "failed" or contrast.log_ratios is None:
        return contrast
    return replace(contrast, verdict="inconclusive", reason=reason)

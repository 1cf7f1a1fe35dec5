"""What a workload counts itself (requests, look-ups): exact when exact, otherwise like time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bakeoff import statistics
from bakeoff.measurement.contrast import Contrast, of_baseline
from bakeoff.measurement.judging import judged
from bakeoff.measurement.rules import Rules

#: Equal in this many processes with different hash seeds: then a figure is exact.
PROCESSES = 3


def is_exact(values: Sequence[float]) -> bool:
    """Whether a figure was seen often enough, and was always the same."""
    return len(values) >= PROCESSES and len(set(values)) == 1


def counted_contrast(contrast: Contrast, baseline: str, rules: Rules, few: int | None) -> Contrast:
    """Judge a count: without an interval where both sides are exact.

    Parameters
    ----------
    contrast : Contrast
        Not judged yet, with the rounds in which both sides counted.
    baseline : str
        The arm that the others are divided by.
    rules : Rules
        Levels, margin and looks, for counts that vary.
    few : int or None
        What the few-rounds rule says.
    """
    values, base_values = contrast.values, contrast.baseline_values
    if not values:
        return replace(contrast, reason="its rounds hold no such count")
    exact = is_exact(values)
    if contrast.implementation == baseline:
        return of_baseline(
            contrast.cell,
            baseline,
            contrast.metric,
            values,
            _figure(contrast),
            round_numbers=contrast.round_numbers,
            exact=exact,
        )
    contrast = replace(contrast, exact=exact and is_exact(base_values))
    if contrast.exact:
        estimate = statistics.exact_ratio(values[0], base_values[0])
        verdict = statistics.decide(estimate, rules.margin)
        return replace(contrast, value=values[0], estimate=estimate, verdict=verdict)
    if min(*values, *base_values) <= 0:
        return replace(contrast, reason="a count is 0 in some round: there is no ratio")
    log_ratios = [math.log(mine / theirs) for mine, theirs in zip(values, base_values, strict=True)]
    found = judged(contrast, statistics.LogRatios.of(log_ratios), few, rules)
    return replace(found, warnings=(*found.warnings, "the count varies between processes"))


def _figure(contrast: Contrast) -> float:
    # An exact count as it is: a mean of equal numbers may differ in its last digit.
    if is_exact(contrast.values) or contrast.value is None:
        return contrast.values[0]
    return contrast.value

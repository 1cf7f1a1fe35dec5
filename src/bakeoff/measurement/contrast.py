"""One arm against the baseline, in one cell, by one metric: what reports are made of."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bakeoff import statistics
from bakeoff.results.records import Cell

Cause = Literal["own failure", "no reference", "not measured"]

Metric = Literal[
    "time", "gc_time", "gc_collections", "allocated_bytes", "allocator_calls", "peak_bytes"
]

#: The unit of each metric, as ``report.json`` names it.
UNITS: Mapping[str, str] = {
    "time": "s",
    "gc_time": "s",
    "gc_collections": "1",
    "allocated_bytes": "B",
    "allocator_calls": "1",
    "peak_bytes": "B",
}

_QUANTILE = re.compile(r"p(?P<percent>\d+(?:\.\d+)?)")


def unit_of(metric: str) -> str:
    """The unit of a metric: seconds for a percentile, plain for what a workload counts itself."""
    return "s" if quantile_of(metric) is not None else UNITS.get(metric, "1")


def quantile_metric(quantile: float) -> str:
    """The name of a percentile as a metric: 0.9 is ``p90``, 0.999 is ``p99.9``."""
    return f"p{quantile * 100:g}"


def quantile_of(metric: str) -> float | None:
    """The quantile that a metric's name stands for; None if it is no percentile."""
    match = _QUANTILE.fullmatch(metric)
    return float(match["percent"]) / 100 if match else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One implementation against the baseline in one cell, by one metric.

    The baseline has a contrast too (ratio 1), so that its absolute figures are found in the same place.
    """

    cell: Cell
    implementation: str
    metric: str
    unit: str
    value: float | None
    """One operation's figure; a lower bound where `is_bound`."""
    estimate: statistics.Estimate | None
    """Implementation ÷ baseline; None where there is none."""
    verdict: statistics.Verdict | Literal["failed"]
    rounds: int
    mde: float | None = None
    """Relative change that this many rounds would find with 95 % power."""
    exact: bool = False
    """The figure is the same in every process, whatever the hash seed."""
    is_bound: bool = False
    """The operation was stopped at its time limit: the figure is a lower bound."""
    reason: str | None = None
    cause: Cause | None = None
    """Why a failed contrast has no figure: only its own failure speaks against an implementation."""
    warnings: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    """Per round, paired with `baseline_values`; a censored operation stands as its time limit."""
    baseline_values: tuple[float, ...] = ()
    round_numbers: tuple[int, ...] = ()
    """Which rounds (or tracing processes) the values are of: what two contrasts are paired by."""
    log_ratios: statistics.LogRatios | None = None
    """What the estimate rests on; None for counts and bounds."""
    is_baseline_bound: bool = False
    is_few: bool = False
    """The few-rounds rule applies: one look, Student's interval."""
    sensitivity: Mapping[str, float] = field(default_factory=dict)
    """The ratio by other summaries: ``medians``, ``means``, ``minima``; for doubters."""
    adjusted_p: float | None = None
    """How probable so clear a difference is by chance somewhere in the whole run."""
    is_held_back: bool = False
    """Different by itself, but it could be chance among all comparisons of the run."""


def failed(cell: Cell, implementation: str, metric: str, reason: str, cause: Cause) -> Contrast:
    """The contrast of an arm that has no figure; the row stays, with its reason."""
    return Contrast(
        cell=cell,
        implementation=implementation,
        metric=metric,
        unit=unit_of(metric),
        value=None,
        estimate=None,
        verdict="failed",
        rounds=0,
        reason=reason,
        cause=cause,
    )


def of_baseline(
    cell: Cell,
    baseline: str,
    metric: str,
    values: Sequence[float],
    value: float,
    *,
    round_numbers: Sequence[int],
    is_bound: bool = False,
    exact: bool = False,
    reason: str | None = None,
) -> Contrast:
    """The baseline against itself: ratio 1 by definition."""
    return Contrast(
        cell=cell,
        implementation=baseline,
        metric=metric,
        unit=unit_of(metric),
        value=value,
        estimate=statistics.exact_ratio(1.0, 1.0),
        verdict="same",
        rounds=len(values),
        exact=exact,
        is_bound=is_bound,
        reason=reason,
        values=tuple(values),
        baseline_values=tuple(values),
        round_numbers=tuple(round_numbers),
        is_baseline_bound=is_bound,
    )


def bounded(
    value: float, baseline: float, *, is_bound: bool, is_baseline_bound: bool, rounds: int
) -> statistics.Estimate:
    """What is known of a ratio when one of its sides was stopped at its limit.

    Parameters
    ----------
    value, baseline : float
        The two figures, each a lower bound where its flag says so.
    """
    known = math.log(value / baseline)
    low = -math.inf if is_baseline_bound else known
    high = math.inf if is_bound else known
    return statistics.bound(low, high, rounds)

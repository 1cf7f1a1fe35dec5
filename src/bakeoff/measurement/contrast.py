"""One arm against the baseline, in one cell, by one metric: what reports are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from bakeoff import statistics
from bakeoff.results.records import Cell

Cause = Literal["own failure", "no reference", "not measured"]

Metric = Literal["time", "gc_time", "allocated_bytes", "allocator_calls", "peak_bytes"]

#: The unit of each metric, as ``report.json`` names it.
UNITS: Mapping[str, str] = {
    "time": "s",
    "gc_time": "s",
    "allocated_bytes": "B",
    "allocator_calls": "1",
    "peak_bytes": "B",
}


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
    log_ratios: tuple[float, ...] = ()
    is_baseline_bound: bool = False
    sensitivity: Mapping[str, float] = field(default_factory=dict)
    """The ratio by other summaries, e.g. of ``medians`` and of ``minima``; for doubters."""


def failed(cell: Cell, implementation: str, metric: str, reason: str, cause: Cause) -> Contrast:
    """The contrast of an arm that has no figure; the row stays, with its reason."""
    return Contrast(
        cell=cell,
        implementation=implementation,
        metric=metric,
        unit=UNITS[metric],
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
    is_bound: bool,
    exact: bool = False,
    reason: str | None = None,
) -> Contrast:
    """The baseline against itself: ratio 1 by definition."""
    return Contrast(
        cell=cell,
        implementation=baseline,
        metric=metric,
        unit=UNITS[metric],
        value=value,
        estimate=statistics.exact_ratio(1.0, 1.0),
        verdict="same",
        rounds=len(values),
        exact=exact,
        is_bound=is_bound,
        reason=reason,
        values=tuple(values),
        baseline_values=tuple(values),
        log_ratios=(0.0,) * len(values),
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

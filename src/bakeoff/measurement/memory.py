"""Allocated bytes, allocator calls and peak: measured in separate processes, exact when exact."""

from __future__ import annotations

import math
import statistics as figures
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff import statistics
from bakeoff.measurement.contrast import UNITS, Contrast, bounded, failed, of_baseline
from bakeoff.measurement.process import (
    STARTUP_LIMIT_S,
    ArmFailedError,
    ArmProcess,
    ArmTimedOutError,
)
from bakeoff.measurement.rules import Rules
from bakeoff.results.records import Cell, Failure, MemoryRecord

#: Equal in this many processes with different hash seeds: then a figure is exact.
PROCESSES = 3

MEMORY_METRICS = ("allocated_bytes", "allocator_calls", "peak_bytes")

#: Reading a capture back may take this long.
_READING_LIMIT_S = 600.0

_WORKER = "bakeoff.measurement.memory_worker"


@dataclass(frozen=True, slots=True)
class MemorySpec:
    """One operation to trace."""

    root: Path
    study: str
    cell: Cell
    arm: str
    warm_up: bool
    """Run the operation once before it is traced; not for those that take seconds."""


def measure_memory(
    spec: MemorySpec, *, index: int, seed: int, live: set[ArmProcess]
) -> MemoryRecord:
    """Trace one operation in a fresh process; whatever goes wrong is in the record.

    Parameters
    ----------
    spec : MemorySpec
        What to trace.
    index, seed : int
        The process's number and its hash seed.
    live : set of ArmProcess
        Holds the process while it runs, so that an interrupted run can end it.
    """
    job = {
        "root": str(spec.root),
        "study": spec.study,
        "workload": spec.cell.workload,
        "params": spec.cell.params,
        "implementation": spec.arm,
        # The same input in every process: only the hash seed differs between them.
        "seed": 0,
        "time_limit_s": spec.cell.time_limit_s,
        "warm_up": spec.warm_up,
    }
    record = MemoryRecord(cell=spec.cell.key, arm=spec.arm, index=index, seed=seed)
    with ArmProcess(_WORKER, job, root=spec.root, hash_seed=seed) as process:
        live.add(process)
        try:
            process.hear("ready", STARTUP_LIMIT_S)
            # The worker stops the operation at the limit; this is for one that cannot be stopped.
            tracked = process.hear("tracked", 60.0 + 3 * spec.cell.time_limit_s)
            heard = process.hear("memory", _READING_LIMIT_S)
        except ArmFailedError as error:
            return _with_failure(record, error.failure)
        except ArmTimedOutError as error:
            return _with_failure(
                record, Failure("hang", f"no answer within {error.seconds:g} s: killed")
            )
        finally:
            live.discard(process)
    return MemoryRecord(
        cell=record.cell,
        arm=record.arm,
        index=index,
        seed=seed,
        allocated_bytes=heard["allocated_bytes"],
        allocator_calls=heard["allocator_calls"],
        peak_bytes=heard["peak_bytes"],
        censored_s=None if tracked["finished"] else spec.cell.time_limit_s,
    )


def _with_failure(record: MemoryRecord, failure: Failure) -> MemoryRecord:
    return MemoryRecord(
        cell=record.cell, arm=record.arm, index=record.index, seed=record.seed, failure=failure
    )


def memory_contrasts(
    cell: Cell,
    records: Sequence[MemoryRecord],
    implementations: Sequence[str],
    baseline: str,
    rules: Rules,
    dead: Mapping[str, str],
) -> tuple[Contrast, ...]:
    """The memory contrasts of every implementation in one cell.

    Parameters
    ----------
    cell : Cell
        What was traced.
    records : sequence of MemoryRecord
        Those of this cell.
    implementations : sequence of str
        The arms, the baseline among them.
    baseline : str
        The arm that the others are divided by.
    rules : Rules
        Levels and margin, for figures that vary between processes.
    dead : mapping of str to str
        Arms that failed in the cell's rounds, with the reason: a wrong answer has no bytes either.
    """
    contrasts: list[Contrast] = []
    for metric in MEMORY_METRICS:
        base = _Figures.of(records, baseline, metric, dead)
        for name in implementations:
            own = _Figures.of(records, name, metric, dead)
            reason = own.failure
            if reason is None and base.failure is not None:
                reason = f"no baseline: '{baseline}' failed ({base.failure})"
            if reason is not None:
                contrasts.append(failed(cell, name, metric, reason))
            else:
                contrasts.append(_contrast(cell, name, baseline, metric, own, base, rules))
    return tuple(contrasts)


@dataclass(frozen=True, slots=True)
class _Figures:
    """One arm's figures of one metric."""

    values: tuple[float, ...]
    is_bound: bool
    failure: str | None

    @classmethod
    def of(
        cls, records: Sequence[MemoryRecord], arm: str, metric: str, dead: Mapping[str, str]
    ) -> _Figures:
        if arm in dead:
            return cls((), False, dead[arm])
        own = sorted((record for record in records if record.arm == arm), key=lambda r: r.index)
        failure = next((record.failure for record in own if record.failure is not None), None)
        if failure is not None:
            return cls((), False, f"{failure.kind}: {failure.message}")
        if not own:
            return cls((), False, "not measured: the run has no memory figure of it")
        values = tuple(float(getattr(record, metric)) for record in own)
        return cls(values, any(record.censored_s is not None for record in own), None)

    @property
    def is_exact(self) -> bool:
        return not self.is_bound and len(self.values) >= PROCESSES and len(set(self.values)) == 1

    @property
    def value(self) -> float:
        # A lower bound stays one only as the smallest of what was seen.
        return min(self.values) if self.is_bound else figures.median(self.values)


def _contrast(
    cell: Cell,
    implementation: str,
    baseline: str,
    metric: str,
    own: _Figures,
    base: _Figures,
    rules: Rules,
) -> Contrast:
    bound_reason = f"stopped after {cell.time_limit_s:g} s of tracing: at least this much"
    if implementation == baseline:
        return of_baseline(
            cell,
            baseline,
            metric,
            own.values,
            own.value,
            is_bound=own.is_bound,
            exact=own.is_exact,
            reason=bound_reason if own.is_bound else None,
        )
    count = min(len(own.values), len(base.values))
    contrast = Contrast(
        cell=cell,
        implementation=implementation,
        metric=metric,
        unit=UNITS[metric],
        value=own.value,
        estimate=None,
        verdict="inconclusive",
        rounds=count,
        exact=own.is_exact and base.is_exact,
        is_bound=own.is_bound,
        is_baseline_bound=base.is_bound,
        values=own.values[:count],
        baseline_values=base.values[:count],
    )
    if own.value <= 0 or base.value <= 0:
        return replace(contrast, reason="no allocations on one side: there is no ratio")
    if contrast.exact:
        estimate = statistics.exact_ratio(own.value, base.value)
        return replace(
            contrast, estimate=estimate, verdict=statistics.decide(estimate, rules.margin)
        )
    if own.is_bound or base.is_bound:
        return _bounded(contrast, own, base, bound_reason, rules)
    log_ratios = tuple(
        math.log(mine / theirs)
        for mine, theirs in zip(contrast.values, contrast.baseline_values, strict=True)
    )
    estimate = statistics.paired_t(log_ratios, rules.alpha)
    verdict = statistics.decide(estimate, rules.margin)
    return replace(
        contrast,
        estimate=estimate,
        verdict=verdict,
        reason="varies between processes" if verdict == "inconclusive" else None,
        warnings=("varies between processes: interval by paired t",),
        log_ratios=log_ratios,
    )


def _bounded(
    contrast: Contrast, own: _Figures, base: _Figures, reason: str, rules: Rules
) -> Contrast:
    if own.is_bound and base.is_bound:
        return replace(contrast, reason=f"both sides {reason}")
    estimate = bounded(
        # The finished side by its largest (smallest) figure, so that the bound holds if it varies.
        own.value if own.is_bound else max(own.values),
        base.value if base.is_bound else max(base.values),
        is_bound=own.is_bound,
        is_baseline_bound=base.is_bound,
        rounds=contrast.rounds,
    )
    return replace(
        contrast,
        estimate=estimate,
        verdict=statistics.decide(estimate, rules.margin),
        reason=reason if own.is_bound else f"baseline {reason}",
    )

"""Allocated bytes, allocator calls and peak: measured in separate processes, exact when exact."""

from __future__ import annotations

import math
import statistics as figures
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from bakeoff import statistics
from bakeoff.measurement.contrast import UNITS, Cause, Contrast, bounded, failed, of_baseline
from bakeoff.measurement.counting import PROCESSES
from bakeoff.measurement.process import (
    STARTUP_LIMIT_S,
    ArmFailedError,
    ArmProcess,
    ArmTimedOutError,
)
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.schedule import VERY_SLOW_OPERATION_S
from bakeoff.results.records import Cell, Failure, MemoryRecord

#: Exact in so many cells, and in no cell anything else: then the implementation is deterministic, and
#: an operation that takes too long to be traced again needs one process only.
CELLS_TO_BE_DETERMINISTIC = 3

#: Tracing makes an operation that does nothing but allocate about twice as slow, so it gets twice the
#: time: what finishes in its rounds finishes here too, and its bytes are a figure, not a bound.
TRACING_SLOWDOWN = 2.0

#: What can go wrong with tracing where the operation itself is sound: it speaks against nobody.
TRACING_TROUBLES = frozenset({"tracing", "crash", "hang"})

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
    processes: int = PROCESSES
    """In how many processes it is traced."""


def processes_for(slowest_s: float) -> int:
    """In how many processes an operation is traced whose slowest first call took `slowest_s`."""
    return PROCESSES if slowest_s < VERY_SLOW_OPERATION_S else 1


def tracing_limit_s(cell: Cell) -> float:
    """After how many seconds a traced operation of this cell is stopped."""
    return TRACING_SLOWDOWN * cell.time_limit_s


def measure_memory(
    spec: MemorySpec, *, index: int, seed: int, live: set[ArmProcess], stopped: Event
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
    stopped : threading.Event
        Set when the run is being interrupted: a process that starts only now is ended at once.
    """
    job = {
        "root": str(spec.root),
        "study": spec.study,
        "workload": spec.cell.workload,
        "params": spec.cell.params,
        "settings": spec.cell.settings,
        "implementation": spec.arm,
        # The same input in every process: only the hash seed differs between them.
        "seed": 0,
        "time_limit_s": tracing_limit_s(spec.cell),
        "warm_up": spec.warm_up,
    }
    record = MemoryRecord(cell=spec.cell.key, arm=spec.arm, index=index, seed=seed)
    with ArmProcess(_WORKER, job, root=spec.root, hash_seed=seed) as process:
        live.add(process)
        if stopped.is_set():
            process.end()
        try:
            process.hear("ready", STARTUP_LIMIT_S)
            # The worker stops the operation at the limit; this is for one that cannot be stopped.
            tracked = process.hear("tracked", 60.0 + 3 * tracing_limit_s(spec.cell))
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
        censored_s=None if tracked["finished"] else tracing_limit_s(spec.cell),
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
    deterministic: Collection[str],
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
    deterministic : collection of str
        What `deterministic_arms` says of the whole run.
    """
    contrasts: list[Contrast] = []
    for metric in MEMORY_METRICS:
        by_name = {
            name: _Figures.of(records, name, metric, dead, is_known_exact=name in deterministic)
            for name in {baseline, *implementations}
        }
        base = by_name[baseline]
        for name in implementations:
            own = by_name[name]
            if own.failure is not None and own.cause is not None:
                contrasts.append(failed(cell, name, metric, own.failure, own.cause))
            elif base.failure is not None:
                reason = f"no baseline: '{baseline}' failed ({base.failure})"
                contrasts.append(failed(cell, name, metric, reason, "no reference"))
            else:
                contrasts.append(_contrast(cell, name, baseline, metric, own, base, rules))
    return tuple(contrasts)


def deterministic_arms(records: Sequence[MemoryRecord]) -> frozenset[str]:
    """Arms whose figures were equal in all processes of every cell where there were enough to tell.

    What an implementation allocates in one process and not in another comes from hash seeds and
    addresses, at any size; whoever shows none of it in several cells shows none in a larger one.
    """
    figures: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for record in records:
        if record.failure is None and record.censored_s is None:
            figure = (record.allocated_bytes, record.allocator_calls, record.peak_bytes)
            figures.setdefault((record.arm, record.cell), []).append(figure)
    told: dict[str, list[bool]] = {}
    for (arm, _), seen in figures.items():
        if len(seen) >= PROCESSES:
            told.setdefault(arm, []).append(len(set(seen)) == 1)
    return frozenset(
        arm for arm, cells in told.items() if all(cells) and len(cells) >= CELLS_TO_BE_DETERMINISTIC
    )


@dataclass(frozen=True, slots=True)
class _Figures:
    """One arm's figures of one metric."""

    values: tuple[float, ...]
    is_bound: bool
    failure: str | None
    cause: Cause | None = None
    processes: tuple[int, ...] = ()
    """Which process each value is of."""
    is_known_exact: bool = False
    """The implementation is deterministic wherever it was traced often enough to tell."""

    @classmethod
    def of(
        cls,
        records: Sequence[MemoryRecord],
        arm: str,
        metric: str,
        dead: Mapping[str, str],
        *,
        is_known_exact: bool,
    ) -> _Figures:
        if arm in dead:
            return cls((), False, dead[arm], "own failure")
        own = sorted((record for record in records if record.arm == arm), key=lambda r: r.index)
        failures = [record.failure for record in own if record.failure is not None]
        for failure in failures:
            if failure.kind not in TRACING_TROUBLES:
                return cls((), False, f"{failure.kind}: {failure.message}", "own failure")
        own = [record for record in own if record.failure is None]
        if not own:
            text = "the run has no memory figure of it"
            if failures:
                text = f"tracing failed: {failures[0].kind}: {failures[0].message}"
            return cls((), False, f"not measured: {text}", "not measured")
        values = tuple(float(getattr(record, metric)) for record in own)
        is_bound = any(record.censored_s is not None for record in own)
        processes = tuple(record.index for record in own)
        return cls(values, is_bound, None, None, processes, is_known_exact)

    @property
    def is_exact(self) -> bool:
        needed = 1 if self.is_known_exact else PROCESSES
        return not self.is_bound and len(self.values) >= needed and len(set(self.values)) == 1

    @property
    def warnings(self) -> tuple[str, ...]:
        if len(self.values) >= PROCESSES or self.is_bound:
            return ()
        return ("traced once, since it takes long; exact in every cell where it was traced again",)

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
    bound_reason = f"stopped after {tracing_limit_s(cell):g} s of tracing: at least this much"
    if implementation == baseline:
        return of_baseline(
            cell,
            baseline,
            metric,
            own.values,
            own.value,
            round_numbers=own.processes,
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
        round_numbers=own.processes[:count],
    )
    if own.value <= 0 or base.value <= 0:
        return replace(contrast, reason="no allocations on one side: there is no ratio")
    if contrast.exact:
        estimate = statistics.exact_ratio(own.value, base.value)
        return replace(
            contrast,
            estimate=estimate,
            verdict=statistics.decide(estimate, rules.margin),
            warnings=own.warnings or base.warnings,
        )
    if own.is_bound or base.is_bound:
        return _bounded(contrast, own, base, bound_reason, rules)
    log_ratios = statistics.LogRatios.of(
        [
            math.log(mine / theirs)
            for mine, theirs in zip(contrast.values, contrast.baseline_values, strict=True)
        ]
    )
    estimate = statistics.estimate_ratio(log_ratios, rules.alpha, is_few=True)
    verdict = statistics.decide(estimate, rules.margin)
    if count < PROCESSES:
        why = f"traced in {count} of {PROCESSES} processes, so it is not known to be exact"
    else:
        why = "varies between processes: interval by paired t"
    return replace(
        contrast,
        estimate=estimate,
        verdict=verdict,
        reason=why if verdict == "inconclusive" else None,
        warnings=(why,),
        log_ratios=log_ratios,
        is_few=True,
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

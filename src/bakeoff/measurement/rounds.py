"""One round: all arms alive together on the same CPU, taking turns in random order."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.measurement.contention import (
    PROBE_BLOCK,
    STALL,
    is_stall,
    reason_to_discard,
    stalled_seconds,
)
from bakeoff.measurement.percentiles import (
    iterations_for,
    operations_needed,
    summarize_operations,
)
from bakeoff.measurement.process import (
    STARTUP_LIMIT_S,
    ArmFailedError,
    ArmProcess,
    ArmTimedOutError,
)
from bakeoff.measurement.quiet import allowed_others, wait_for_quiet
from bakeoff.measurement.schedule import (
    BATCH_S,
    MINIMUM_BLOCKS,
    SLOW_OPERATION_S,
    RoundPlan,
    blocks_within_budget,
    plan_round,
)
from bakeoff.results.records import (
    CONTROL_ARM,
    FLOOR_ARM,
    ArmRound,
    Batch,
    Cell,
    Failure,
    RoundRecord,
)

#: Digesting an answer and fingerprinting an input may take this long beyond the operation.
CHECKING_LIMIT_S = 60.0

_WORKER = "bakeoff.measurement.worker"


@dataclass(frozen=True, slots=True)
class RoundSpec:
    """What is measured in a round, and by which rules."""

    root: Path
    study: str
    cell: Cell
    baseline: str
    arms: Mapping[str, str]
    """Implementation by arm; the control arm's is the baseline's, the floor stands for itself."""
    iterations: Mapping[str, int]
    """Batch sizes that earlier rounds settled, by arm."""
    cpus: int
    is_cpu_bound: bool
    budget_s: float
    """What the turns may take together."""
    is_control_optional: bool
    """Leave the control out when the baseline turns out slow."""
    is_long: bool = False
    """More turns, after a warm-up of random length."""
    quiet_limit_s: float = 0.0
    """How long it may wait for others to finish."""


@dataclass(slots=True)
class _Arm:
    """An arm while its round lasts."""

    process: ArmProcess
    startup_s: float = 0.0
    probe: Batch | None = None
    answer: str | None = None
    iterations: int = 1
    batches: list[Batch] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)
    operations_s: list[float] = field(default_factory=list)
    switches: int = 0
    peak_rss_bytes: int = 0
    censored_s: float | None = None
    failure: Failure | None = None

    @property
    def is_alive(self) -> bool:
        return self.failure is None and self.censored_s is None

    @property
    def is_slow(self) -> bool:
        return self.probe is not None and self.probe.wall_s > SLOW_OPERATION_S

    def record(self, quantiles: Mapping[str, float]) -> ArmRound:
        percentiles, histogram = summarize_operations(self.operations_s, quantiles)
        return ArmRound(
            iterations=self.iterations,
            probe_s=None if self.probe is None else self.probe.wall_s,
            batches=tuple(self.batches),
            startup_s=self.startup_s,
            involuntary_switches=self.switches,
            answer=self.answer,
            counts=self.counts,
            quantiles=percentiles,
            histogram=histogram,
            peak_rss_bytes=self.peak_rss_bytes,
            censored_s=self.censored_s,
            failure=self.failure,
        )


def available_cpus() -> tuple[int, ...]:
    """The CPUs that arms can be pinned to; empty where the system cannot pin."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else ()


def measure_round(spec: RoundSpec, *, seed: int, attempt: int, number: int) -> RoundRecord:
    """Measure one round of one cell; an arm that fails is recorded as failed, the others are measured.

    Parameters
    ----------
    spec : RoundSpec
        What to measure.
    seed : int
        The round's seed: input, hash seed, order, CPU and padding come from it.
    attempt, number : int
        The record's place in the journal.
    """
    plan = plan_round(seed, list(spec.arms), available_cpus(), spec.cpus)
    waited_s = wait_for_quiet(spec.quiet_limit_s, allowed_others(spec.cpus))
    started_at, started = time.time(), time.monotonic()
    with contextlib.ExitStack() as stack:
        arms = _start(spec, plan, stack)
        _probe(spec, plan, arms)
        _check_answers(spec, arms)
        stalled = stalled_seconds()
        turns_started = time.monotonic()
        _take_turns(spec, plan, arms)
        pressure = _pressure(stalled, time.monotonic() - turns_started)
        _stop(arms)
        records = {name: arm.record(spec.cell.quantiles) for name, arm in arms.items()}
    return RoundRecord(
        cell=spec.cell.key,
        attempt=attempt,
        round=number,
        seed=seed,
        cpus=plan.cpus,
        started_at=started_at,
        duration_s=time.monotonic() - started,
        arms=records,
        is_long=spec.is_long,
        waited_s=waited_s,
        pressure=pressure,
        discarded=reason_to_discard(records, is_cpu_bound=spec.is_cpu_bound),
    )


def _start(spec: RoundSpec, plan: RoundPlan, stack: contextlib.ExitStack) -> dict[str, _Arm]:
    """Start every arm's process; they import and prepare side by side, on any CPU."""
    arms: dict[str, _Arm] = {}
    for name in plan.start_order:
        job = {
            "root": str(spec.root),
            "study": spec.study,
            "workload": spec.cell.workload,
            "params": spec.cell.params,
            "settings": spec.cell.settings,
            "implementation": spec.arms[name],
            "is_floor": name == FLOOR_ARM,
            "seed": plan.seed,
            "cpus": plan.cpus,
        }
        process = ArmProcess(
            _WORKER, job, root=spec.root, hash_seed=plan.seed, padding=plan.padding[name]
        )
        arms[name] = _Arm(stack.enter_context(process))
    for arm in arms.values():
        with _failures_of(arm):
            arm.startup_s = arm.process.hear("ready", STARTUP_LIMIT_S)["seconds"]
    return arms


def _probe(spec: RoundSpec, plan: RoundPlan, arms: dict[str, _Arm]) -> None:
    """Let every arm do its first, checked operation; the control comes last, and not if it is slow."""
    for name in sorted(plan.start_order, key=lambda arm: arm == CONTROL_ARM):
        arm = arms[name]
        if not arm.is_alive:
            continue
        baseline = arms.get(spec.baseline)
        if name == CONTROL_ARM and spec.is_control_optional and _is_too_slow(baseline):
            arms.pop(name).process.kill()
            continue
        with _failures_of(arm):
            arm.process.tell("probe")
            arm.process.hear("started", CHECKING_LIMIT_S)
            try:
                heard = arm.process.hear("probe", spec.cell.time_limit_s + 1.0)
            except ArmTimedOutError as error:
                if is_stall(error.waited_s, error.seconds):
                    arm.failure = Failure(STALL, f"waited {error.waited_s:.1f} s for its CPU")
                else:
                    arm.censored_s = spec.cell.time_limit_s
                continue
            arm.probe = _batch(heard, PROBE_BLOCK)
            arm.answer = heard["answer"]
            arm.counts = heard["counts"]
            if heard["mutated"]:
                arm.failure = Failure("mutated input", "it changed the input it was given")
            elif arm.probe.wall_s > spec.cell.time_limit_s:
                arm.censored_s = spec.cell.time_limit_s
            elif arm.is_slow:
                # It takes no turns: this operation, and the items in it, are the sample.
                arm.batches.append(arm.probe)
                arm.operations_s += heard["items_s"]


def _is_too_slow(baseline: _Arm | None) -> bool:
    return baseline is not None and (baseline.is_slow or baseline.censored_s is not None)


def _check_answers(spec: RoundSpec, arms: Mapping[str, _Arm]) -> None:
    """An arm whose answer is not the baseline's has no figure: fast and wrong is not fast."""
    baseline = arms.get(spec.baseline)
    if baseline is None or baseline.answer is None:
        return
    for name, arm in arms.items():
        if name != FLOOR_ARM and arm.is_alive and arm.answer != baseline.answer:
            own = "the baseline's second copy" if name == CONTROL_ARM else f"'{spec.arms[name]}'"
            arm.failure = Failure(
                "wrong answer",
                f"{own} gives another answer than '{spec.baseline}' in {spec.cell.key}",
                f"digests {arm.answer} and {baseline.answer}; seed of the input: see the round",
            )


def _take_turns(spec: RoundSpec, plan: RoundPlan, arms: dict[str, _Arm]) -> None:
    """Blocks of one batch per arm, in fresh random order, one arm at a time."""
    taking_part = {name: arm for name, arm in arms.items() if arm.is_alive and not arm.is_slow}
    settled = dict(spec.iterations)
    # The control last: it does as many operations in a batch as what it is a copy of.
    for name, arm in sorted(taking_part.items(), key=lambda item: item[0] == CONTROL_ARM):
        if name == CONTROL_ARM and spec.baseline in taking_part:
            settled[name] = arms[spec.baseline].iterations
        with _failures_of(arm):
            arm.process.tell("batch", settled.get(name, 0), BATCH_S)
            arm.iterations = int(arm.process.hear("batch", CHECKING_LIMIT_S)["iterations"])
    expected = {
        name: max(BATCH_S, arm.probe.wall_s if arm.probe and arm.iterations == 1 else 0.0)
        for name, arm in taking_part.items()
    }
    has_slow_arm = any(arm.is_slow or arm.censored_s is not None for arm in arms.values())
    blocks = (
        MINIMUM_BLOCKS
        if has_slow_arm
        else blocks_within_budget(list(expected.values()), spec.budget_s, is_long=spec.is_long)
    )
    _lengthen_batches(spec, taking_part, blocks)
    if spec.is_long:
        _warm_up(plan, taking_part, blocks)
    for block, order in enumerate(plan.block_orders(sorted(taking_part), blocks)):
        for name in order:
            arm = arms[name]
            if not arm.is_alive:
                continue
            with _failures_of(arm):
                arm.process.tell("turn")
                # A turn that takes twenty times what the probe took hangs.
                heard = arm.process.hear("turn", CHECKING_LIMIT_S + 20 * expected[name])
                arm.batches.append(_batch(heard, block))
                arm.operations_s += heard["operations_s"]


def _warm_up(plan: RoundPlan, taking_part: Mapping[str, _Arm], blocks: int) -> None:
    """Begin at a random place of whatever cycle an arm has.

    Processes that start alike reach a collection, or a table's next growth, after the same number of
    operations: every round would hold the same number of them, not the mean one.
    """
    for name, arm in taking_part.items():
        if arm.is_alive:
            with _failures_of(arm):
                arm.process.tell("warm", plan.warm_up[name] % blocks)
                arm.process.hear("warm", CHECKING_LIMIT_S)


def _lengthen_batches(spec: RoundSpec, taking_part: Mapping[str, _Arm], blocks: int) -> None:
    """Percentiles ask for a number of operations, however long that takes."""
    needed = operations_needed(spec.cell.quantiles)
    for arm in taking_part.values():
        operation_s = arm.probe.wall_s if arm.probe else 0.0
        iterations = iterations_for(arm.iterations, blocks, needed, operation_s)
        if arm.is_alive and iterations > arm.iterations:
            with _failures_of(arm):
                arm.process.tell("batch", iterations, BATCH_S)
                arm.process.hear("batch", CHECKING_LIMIT_S)
                arm.iterations = iterations


def _stop(arms: Mapping[str, _Arm]) -> None:
    """Have all arms stop at once: looking whether an input has changed takes a while, and nothing is timed any more."""
    for arm in arms.values():
        if arm.is_alive:
            with _failures_of(arm):
                arm.process.tell("stop")
    for arm in arms.values():
        if not arm.is_alive:
            continue
        with _failures_of(arm):
            heard = arm.process.hear("stopped", CHECKING_LIMIT_S)
            arm.switches = heard["involuntary_switches"]
            arm.peak_rss_bytes = heard["peak_rss_bytes"]
            if heard["mutated"]:
                arm.failure = Failure("mutated input", "it changed the input, though not at first")


@contextlib.contextmanager
def _failures_of(arm: _Arm) -> Iterator[None]:
    """Turn what goes wrong with a process into the arm's recorded failure."""
    try:
        yield
    except ArmFailedError as error:
        arm.failure = error.failure
    except ArmTimedOutError as error:
        arm.failure = Failure("hang", f"no answer within {error.seconds:g} s: killed")


def _batch(heard: Mapping[str, float], block: int) -> Batch:
    return Batch(heard["wall_s"], heard["cpu_s"], heard["gc_s"], int(heard["collections"]), block)


def _pressure(stalled_before: float | None, seconds: float) -> float | None:
    stalled_after = stalled_seconds()
    if stalled_before is None or stalled_after is None or seconds <= 0:
        return None
    return min(1.0, (stalled_after - stalled_before) / seconds)

"""A run: cell by cell, round by round, until every contrast has a verdict; resumable at any point.

What to do next is always derived from the journal, so a killed run continues where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Protocol

import msgspec

from bakeoff.measurement.arm_times import slowest_probe_s
from bakeoff.measurement.comparison import compare_run
from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.counting import PROCESSES
from bakeoff.measurement.grouping import arms_that_fit
from bakeoff.measurement.memory import (
    TRACING_TROUBLES,
    MemorySpec,
    measure_memory,
    processes_for,
)
from bakeoff.measurement.process import ArmProcess
from bakeoff.measurement.quiet import limit_s
from bakeoff.measurement.rounds import RoundSpec, available_cpus, measure_round
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.schedule import SLOW_OPERATION_S, round_seed
from bakeoff.measurement.timing import CellTiming, dead_arms, time_cell
from bakeoff.results.machine import available_memory_bytes
from bakeoff.results.records import (
    CONTROL_ARM,
    FLOOR_ARM,
    ArmRound,
    Cell,
    MemoryRecord,
    Record,
    RoundRecord,
    RunHeader,
)
from bakeoff.study.workload import Workload

#: Kept and discarded rounds together may be this many times the rounds of the next look: on a machine
#: that is never quiet a run ends early, and says so.
DISCARD_BUDGET = 2

#: A cell whose A/A control fails is measured once more, from the start.
ATTEMPTS = 2


class Progress(Protocol):
    """Whoever wants to know how far a run is."""

    def cell_started(self, cell: Cell, index: int, cells: int) -> None:
        """A cell's rounds begin, or continue."""

    def round_finished(self, record: RoundRecord, kept: int, look: int) -> None:
        """A round is in the journal."""

    def cell_finished(self, cell: Cell, timing: CellTiming) -> None:
        """A cell needs no more rounds."""

    def memory_started(self, processes: int) -> None:
        """So many operations remain to be traced."""

    def memory_finished(self, record: MemoryRecord) -> None:
        """One traced operation is in the journal."""


class Recorder(Protocol):
    """Where records go, one by one, each safe on disk before the next is measured."""

    def append(self, record: Record) -> None:
        """Write one record."""


@dataclass(slots=True)
class Session:
    """Everything that a run needs to go on.

    Attributes
    ----------
    root : Path
        The project.
    header : RunHeader
        The plan.
    workloads : mapping of str to type
        The study's workloads by name.
    recorder : Recorder
        The journal.
    records : list of Record
        What the journal holds already.
    progress : Progress
        Told after each step.
    deadline : float, optional
        ``time.monotonic()`` after which no new round is started (``--budget``).
    """

    root: Path
    header: RunHeader
    workloads: Mapping[str, type[Workload]]
    recorder: Recorder
    records: list[Record]
    progress: Progress
    deadline: float | None = None

    def run(self) -> bool:
        """Measure whatever is missing.

        Returns
        -------
        bool
            False if the deadline ended it early.
        """
        if not self._time_all({cell.key: frozenset() for cell in self.header.cells}):
            return False
        while held_back := self._held_back():
            measured = len(self.records)
            if not self._time_all(held_back):
                return False
            if len(self.records) == measured:
                # Whoever is still held back has no look left.
                break
        if self.header.measures_memory and not self._is_over():
            self._trace()
        return not self._is_over()

    def _time_all(self, held_back: Mapping[str, frozenset[str]]) -> bool:
        """Measure the cells that are named, with whom each holds back; False at the deadline."""
        cells = self.header.cells
        for index, cell in enumerate(cells):
            if cell.key not in held_back:
                continue
            if self._is_over():
                return False
            self.progress.cell_started(cell, index, len(cells))
            timing = self._time(cell, held_back[cell.key], is_last=index == len(cells) - 1)
            self.progress.cell_finished(cell, timing)
        return True

    def _held_back(self) -> dict[str, frozenset[str]]:
        """By cell, whose difference could be chance among all comparisons: it needs another look."""
        held_back = {}
        for one in compare_run(self.header, self.records):
            names = frozenset(
                c.implementation for c in one.contrasts if c.metric == "time" and c.is_held_back
            )
            if names:
                held_back[one.cell.key] = names
        return held_back

    def _is_over(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def _rounds(self, cell: Cell) -> list[RoundRecord]:
        return [r for r in self.records if isinstance(r, RoundRecord) and r.cell == cell.key]

    def _record(self, record: Record) -> None:
        self.recorder.append(record)
        self.records.append(record)

    # --- time -----------------------------------------------------------------------------------

    def _time(self, cell: Cell, held_back: frozenset[str], *, is_last: bool) -> CellTiming:
        """Measure a cell until all is told; those held back until one look later."""
        rules = Rules.of(self.header)
        taken: Mapping[str, int] | None = None
        while True:
            rounds = self._rounds(cell)
            timing = time_cell(
                cell, rounds, self.header.implementations, self.header.baseline, rules
            )
            if taken is None:
                taken = {
                    contrast.implementation: contrast.rounds
                    for contrast in timing.contrasts
                    if contrast.metric == "time" and contrast.implementation in held_back
                }
            step = next_step(timing, rounds, rules, taken)
            if step is None or self._is_over():
                return timing
            record = self._measure(cell, rounds, step, is_last=is_last)
            self._record(record)
            kept = timing.rounds + (record.discarded is None)
            self.progress.round_finished(record, kept, step.look)

    def _measure(
        self, cell: Cell, rounds: Sequence[RoundRecord], step: Step, *, is_last: bool
    ) -> RoundRecord:
        workload = self.workloads[cell.workload]
        unfinished = {} if step.reference else carried_over(rounds, step.attempt)
        arms = self._arms(cell, step, rounds, unfinished.keys())
        all_rounds = [r for r in self.records if isinstance(r, RoundRecord)]
        spec = RoundSpec(
            root=self.root,
            study=self.header.study,
            cell=cell,
            baseline=step.reference or self.header.baseline,
            arms=arms,
            iterations=settled_batches(rounds),
            cpus=workload.cpus,
            is_cpu_bound=workload.is_cpu_bound,
            budget_s=self.header.round_budget_s,
            is_control_optional=not is_last or self._has_control(),
            is_long=step.is_long,
            quiet_limit_s=limit_s(all_rounds),
        )
        seed = round_seed(self.header.seed, cell.key, step.attempt, step.number)
        record = measure_round(spec, seed=seed, attempt=step.attempt, number=step.number)
        return msgspec.structs.replace(record, arms=unfinished | record.arms)

    def _arms(
        self, cell: Cell, step: Step, rounds: Sequence[RoundRecord], unfinished: Collection[str]
    ) -> dict[str, str]:
        """Who takes part: whoever needs the round, the baseline and its hidden second copy, the floor."""
        baseline = self.header.baseline
        current = [record for record in rounds if record.attempt == step.attempt]
        dead = dead_arms(current)
        floor = {FLOOR_ARM: FLOOR_ARM} if cell.has_floor and FLOOR_ARM not in dead else {}
        if step.reference is not None:
            return {name: name for name in sorted(step.implementations)} | floor
        candidates = sorted(step.implementations - {baseline, *unfinished})
        fitting = arms_that_fit(candidates, baseline, current, available_memory_bytes())
        arms = {name: name for name in (*fitting, baseline) if name not in unfinished}
        arms |= floor
        # A copy of what does not finish has nothing to be compared with.
        has_control = CONTROL_ARM not in dead and baseline in arms
        return arms | {CONTROL_ARM: baseline} if has_control else arms

    def _has_control(self) -> bool:
        return any(isinstance(r, RoundRecord) and CONTROL_ARM in r.arms for r in self.records)

    # --- memory ---------------------------------------------------------------------------------

    def _trace(self) -> None:
        """Trace what has not been traced, in as many processes at once as there are CPUs."""
        for index in range(PROCESSES):
            live: set[ArmProcess] = set()
            stopped = Event()
            specs = [spec for spec in self._memory_specs() if self._is_missing(spec, index)]
            self.progress.memory_started(len(specs))
            # Allocations are counted, not timed: neighbours do no harm here.
            pool = ThreadPoolExecutor(max(1, len(available_cpus())))
            try:
                for record in pool.map(partial(self._trace_one, index, live, stopped), specs):
                    self._record(record)
                    self.progress.memory_finished(record)
                    if self._is_over():
                        return
            finally:
                # On Ctrl-C or at the deadline: what is not recorded is measured after --resume.
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                for process in tuple(live):
                    process.end()

    def _trace_one(
        self, index: int, live: set[ArmProcess], stopped: Event, spec: MemorySpec
    ) -> MemoryRecord:
        seed = round_seed(self.header.seed, f"{spec.cell.key}/{spec.arm}/memory", 1, index)
        return measure_memory(spec, index=index, seed=seed, live=live, stopped=stopped)

    def _memory_specs(self) -> Iterator[MemorySpec]:
        for cell in self.header.cells:
            rounds = self._rounds(cell)
            dead = dead_arms(rounds)
            for name in self.header.implementations:
                slowest_s = slowest_probe_s(rounds, name)
                if name not in dead:
                    yield MemorySpec(
                        self.root,
                        self.header.study,
                        cell,
                        name,
                        warm_up=slowest_s < SLOW_OPERATION_S,
                        processes=processes_for(slowest_s),
                    )

    def _is_missing(self, spec: MemorySpec, index: int) -> bool:
        """Whether process `index` of this operation has yet to run, and would add anything."""
        known = [
            record
            for record in self.records
            if isinstance(record, MemoryRecord)
            and (record.cell, record.arm) == (spec.cell.key, spec.arm)
        ]
        is_settled = any(
            record.censored_s is not None
            or (record.failure is not None and record.failure.kind not in TRACING_TROUBLES)
            for record in known
        )
        is_wanted = index < spec.processes and not is_settled
        return is_wanted and all(record.index != index for record in known)


@dataclass(frozen=True, slots=True)
class Step:
    """The next round of a cell."""

    attempt: int
    number: int
    look: int
    """Kept rounds at which a verdict is taken next."""
    implementations: frozenset[str]
    """Who still needs rounds."""
    is_long: bool = False
    """Its rounds have more turns, for a cost that few turns hold."""
    reference: str | None = None
    """Who stands for the baseline, which does not take part; None: it does."""


def next_step(
    timing: CellTiming,
    rounds: Sequence[RoundRecord],
    rules: Rules,
    held_back: Mapping[str, int] | None = None,
) -> Step | None:
    """Which round a cell needs next, or None if it needs none.

    Parameters
    ----------
    timing : CellTiming
        What the cell's rounds say so far.
    rounds : sequence of RoundRecord
        Those rounds, of all attempts.
    rules : Rules
        The looks; verdicts are taken there and nowhere else.
    held_back : mapping of str to int, optional
        Contrasts whose verdict at so many rounds could be chance among all of the run.
    """
    held_back = held_back or {}
    contrasts = {c.implementation: c for c in timing.contrasts if c.metric == "time"}
    is_biased = (
        timing.attempt >= ATTEMPTS and timing.is_control_failed and timing.rounds in rules.looks
    )
    if timing.is_baseline_dead or is_biased:
        return None
    current = [record for record in rounds if record.attempt == timing.attempt]
    looks: dict[str, int] = {}
    for name, contrast in contrasts.items():
        planned = rules.looks_for(timing.few_rounds[name])
        is_open = held_back.get(name) == contrast.rounds
        look = _next_look(contrast, planned, is_open=is_open)
        taken = sum(name in record.arms for record in current)
        if look is not None and name not in timing.dead and taken < DISCARD_BUDGET * look:
            looks[name] = look
    if looks:
        return Step(
            timing.attempt,
            len(current),
            min(looks.values()),
            frozenset(looks),
            is_long=timing.needs_long_rounds,
        )
    if among := _step_among(timing, current, rules):
        return among
    if timing.is_control_failed and timing.attempt < ATTEMPTS:
        return Step(timing.attempt + 1, 0, rules.looks[0], frozenset(contrasts))
    return None


def _step_among(timing: CellTiming, current: Sequence[RoundRecord], rules: Rules) -> Step | None:
    """A round without the slow baseline, for those who are fast, up to the first look."""
    look = rules.looks[0]
    if min((contrast.rounds for contrast in timing.among), default=look) >= look:
        return None
    names = [contrast.implementation for contrast in timing.among]
    taken = sum(names[0] in record.arms for record in current)
    if taken >= DISCARD_BUDGET * look:
        return None
    return Step(
        timing.attempt,
        len(current),
        look,
        frozenset(names) - {FLOOR_ARM},
        is_long=timing.needs_long_rounds,
        reference=names[0],
    )


def _next_look(contrast: Contrast, looks: Sequence[int], *, is_open: bool) -> int | None:
    """The number of rounds at which `contrast` is looked at next; None if it needs no more."""
    if contrast.is_bound:
        # It does not finish; more rounds would only wait for it again.
        return None
    is_decided = contrast.verdict != "inconclusive" or contrast.is_baseline_bound
    is_decided = is_decided and not is_open
    if contrast.rounds in looks and is_decided:
        return None
    return next((look for look in looks if look > contrast.rounds), None)


def carried_over(rounds: Sequence[RoundRecord], attempt: int) -> dict[str, ArmRound]:
    """Arms that did not finish in an earlier round of the attempt: another try would only wait.

    They stand in the following rounds at the same bound, so that the others are still paired with
    them.
    """
    return {
        name: ArmRound(censored_s=arm.censored_s, is_carried_over=True)
        for record in rounds
        if record.attempt == attempt and record.discarded is None
        for name, arm in record.arms.items()
        if arm.censored_s is not None
    }


def settled_batches(rounds: Sequence[RoundRecord]) -> dict[str, int]:
    """Batch sizes by arm, as the first round settled them: the same in all rounds of a cell."""
    batches: dict[str, int] = {}
    for record in rounds:
        for name, arm in record.arms.items():
            if arm.failure is None and arm.batches and record.discarded is None:
                batches.setdefault(name, arm.iterations)
    return batches

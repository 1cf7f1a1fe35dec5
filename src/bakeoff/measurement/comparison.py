"""A whole run as contrasts: what the report prints. Pure: records in, comparisons out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.measurement.arm_times import slowest_probe_s
from bakeoff.measurement.contention import PROBE_BLOCK
from bakeoff.measurement.contrast import Contrast, Metric
from bakeoff.measurement.counting import PROCESSES
from bakeoff.measurement.memory import (
    deterministic_arms,
    memory_contrasts,
    processes_for,
)
from bakeoff.measurement.multiplicity import adjust_for_cells
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.timing import time_cell
from bakeoff.results.records import (
    FLOOR_ARM,
    Cell,
    MemoryRecord,
    Record,
    RoundRecord,
    RunHeader,
)

__all__ = ["CellComparison", "Contrast", "Metric", "compare_run"]


@dataclass(frozen=True, slots=True)
class CellComparison:
    """Everything a run says about one cell."""

    cell: Cell
    contrasts: tuple[Contrast, ...]
    control: Contrast | None
    """The A/A control: the baseline's second copy against the first."""
    rounds: int
    discarded: int
    attempt: int
    discards: Mapping[str, int]
    """Why rounds were discarded, and how many of each kind."""
    floor: Contrast | None = None
    """The workload's floor against the baseline, by time."""
    among: tuple[Contrast, ...] = ()
    """Where the baseline is slow: the times of the others, and of the floor, against the first of them."""
    floor_failure: str | None = None
    """Why the floor was given up, if it was."""
    waited_s: float = 0.0
    """How long its rounds waited for the machine to be quiet, together."""
    timed_s: float = 0.0
    """Wall time inside timed operations, kept and discarded rounds together."""
    duration_s: float = 0.0
    """Wall time of all rounds."""


def compare_run(header: RunHeader, records: Sequence[Record]) -> tuple[CellComparison, ...]:
    """Compare all implementations in all cells, in the order of the run's plan.

    Parameters
    ----------
    header : RunHeader
        The run's plan.
    records : sequence of Record
        Its journal, in any order.
    """
    rules = Rules.of(header)
    traced = [record for record in records if isinstance(record, MemoryRecord)]
    deterministic = deterministic_arms(traced)
    comparisons = []
    rounds_of: dict[str, list[RoundRecord]] = {}
    memory_of: dict[str, list[MemoryRecord]] = {}
    for record in records:
        if isinstance(record, RoundRecord):
            rounds_of.setdefault(record.cell, []).append(record)
        elif isinstance(record, MemoryRecord):
            memory_of.setdefault(record.cell, []).append(record)
    for cell in header.cells:
        rounds, memory = rounds_of.get(cell.key, []), memory_of.get(cell.key, [])
        timing = time_cell(cell, rounds, header.implementations, header.baseline, rules)
        contrasts = timing.contrasts
        traced_once = {
            name
            for name in header.implementations
            if processes_for(slowest_probe_s(rounds, name)) < PROCESSES
        }
        if header.measures_memory:
            contrasts += memory_contrasts(
                cell,
                memory,
                header.implementations,
                header.baseline,
                rules,
                timing.dead,
                deterministic & traced_once,
            )
        comparisons.append(
            CellComparison(
                cell=cell,
                contrasts=contrasts,
                control=timing.control,
                rounds=timing.rounds,
                discarded=timing.discarded,
                attempt=timing.attempt,
                discards=timing.discards,
                floor=timing.floor,
                among=timing.among,
                floor_failure=timing.dead.get(FLOOR_ARM),
                waited_s=sum(record.waited_s for record in rounds),
                timed_s=sum(map(timed_seconds, rounds)),
                duration_s=sum(record.duration_s + record.waited_s for record in rounds),
            )
        )
    adjusted = adjust_for_cells([one.contrasts for one in comparisons], header.baseline, rules)
    return tuple(
        replace(one, contrasts=contrasts)
        for one, contrasts in zip(comparisons, adjusted, strict=True)
    )


def timed_seconds(record: RoundRecord) -> float:
    """Wall time of a round that its arms spent in operations that count: probes and turns."""
    seconds = 0.0
    for arm in record.arms.values():
        if arm.is_carried_over:
            continue
        if arm.censored_s is not None:
            seconds += arm.censored_s
        # A slow arm's probe is its only turn.
        elif all(batch.block != PROBE_BLOCK for batch in arm.batches):
            seconds += arm.probe_s or 0.0
        seconds += sum(batch.wall_s for batch in arm.batches)
    return seconds

"""A whole run as contrasts: what the report prints. Pure: records in, comparisons out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.measurement.contrast import Contrast, Metric
from bakeoff.measurement.memory import (
    PROCESSES,
    deterministic_arms,
    memory_contrasts,
    processes_for,
)
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.timing import slowest_probe_s, time_cell
from bakeoff.results.records import Cell, MemoryRecord, Record, RoundRecord, RunHeader

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
    contended: int
    attempt: int


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
    for cell in header.cells:
        rounds = [r for r in records if isinstance(r, RoundRecord) and r.cell == cell.key]
        memory = [record for record in traced if record.cell == cell.key]
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
                contended=timing.contended,
                attempt=timing.attempt,
            )
        )
    return tuple(comparisons)

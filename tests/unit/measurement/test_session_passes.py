"""A run goes back to cells whose difference could be chance among all of its comparisons."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bakeoff.measurement.session import Session, Step
from bakeoff.measurement.timing import CellTiming
from bakeoff.results.records import (
    Cell,
    Machine,
    MemoryRecord,
    Record,
    RoundRecord,
    RunHeader,
)

from .records import a_round, arm

CELLS = tuple(Cell("work", {"size": size}, 20.0) for size in range(20))


def header(looks: tuple[int, ...]) -> RunHeader:
    return RunHeader(
        id="r",
        study="s",
        preset="full",
        baseline="base",
        implementations=("base", "candidate"),
        cells=CELLS,
        looks=looks,
        alpha=0.01,
        margin=0.03,
        seed=1,
        round_budget_s=1.0,
        measures_memory=False,
        commit=None,
        dirty=False,
        sources_digest="d",
        machine=Machine("f", "cpu", 2, 1, "Linux", "3.11"),
        bakeoff="0",
        started_at="2026-12-01T00:00:00+00:00",
    )


class Silent:
    """Nobody looks."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def append(self, record: Record) -> None: ...

    def cell_started(self, cell: Cell, index: int, cells: int) -> None:
        self.started.append(cell.key)

    def round_finished(self, record: RoundRecord, kept: int, look: int) -> None: ...

    def cell_finished(self, cell: Cell, timing: CellTiming) -> None: ...

    def memory_started(self, processes: int) -> None: ...

    def memory_finished(self, record: MemoryRecord) -> None: ...


def run(monkeypatch: pytest.MonkeyPatch, ratios: Mapping[str, float]) -> tuple[Session, Silent]:
    """A run of made-up rounds: noise, and these ratios where they are given."""
    chance = random.Random(3)

    def measure(
        _self: Session, cell: Cell, rounds: Sequence[RoundRecord], step: Step, *, is_last: bool
    ) -> RoundRecord:
        ratio = ratios.get(cell.key, 1.0) * (1 + chance.gauss(0, 0.03))
        if cell.key == CELLS[7].key and len(rounds) < 10:
            ratio = 1.001 + chance.expovariate(30)  # ten rounds of luck
        arms = {"base": arm(0.01), "candidate": arm(0.01 * ratio)}
        return a_round(step.number, arms, cell=cell)

    monkeypatch.setattr(Session, "_measure", measure)
    silent = Silent()
    session = Session(Path(), header((10, 15, 20, 30)), {}, silent, [], silent)
    assert session.run()
    return session, silent


def rounds_in(session: Session, cell: Cell) -> int:
    return sum(isinstance(r, RoundRecord) and r.cell == cell.key for r in session.records)


def test_a_lucky_cell_is_measured_on_and_clear_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session, silent = run(monkeypatch, {CELLS[3].key: 0.5})
    assert rounds_in(session, CELLS[3]) == 10
    assert rounds_in(session, CELLS[7]) > 10
    assert silent.started.count(CELLS[3].key) == 1
    assert silent.started.count(CELLS[7].key) > 1


def test_a_finished_run_has_nothing_left_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = run(monkeypatch, {})
    measured = len(session.records)
    assert session.run()
    assert len(session.records) == measured

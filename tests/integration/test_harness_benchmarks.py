"""The harness measures itself: every benchmark of its own suite runs, on small sizes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bakeoff.measurement.rounds import available_cpus
from bakeoff.measurement.schedule import BATCH_S
from bakeoff.study.project import Project
from benchmarks import harness

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in {"CELLS": 20, "ROUNDS": 50, "STARTS": 5, "TURNS": 50}.items():
        monkeypatch.setattr(harness, name, size)


@pytest.fixture
def worker() -> Iterator[harness.Worker]:
    suite = harness.Worker()
    suite.setup()
    yield suite
    suite.teardown()


def timed() -> list[tuple[type[Any], str]]:
    suites = (harness.Statistics, harness.Reporting, harness.Comparing, harness.Reading)
    return [(suite, name) for suite in suites for name in vars(suite) if name.startswith("time_")]


@pytest.mark.parametrize(("suite", "name"), timed())
def test_a_timed_benchmark_runs(suite: type[Any], name: str) -> None:
    one = suite()
    if hasattr(one, "setup"):
        one.setup()
    try:
        getattr(one, name)()
    finally:
        if hasattr(one, "teardown"):
            one.teardown()


def test_the_made_up_report_has_every_cell_and_decides_its_claims() -> None:
    suite = harness.Reporting()
    suite.setup()
    report = suite.report
    times = report.cells_of("time", "half")
    assert len({row.label for row in times}) == harness.CELLS
    assert {row.verdict for row in times} == {"faster"}
    assert [claim.verdict for claim in report.claims] == ["holds", "holds"]


def test_the_made_up_journal_reads_as_the_rounds_it_was_made_of() -> None:
    suite = harness.Reading()
    suite.setup()
    try:
        contents = suite.journal.read()
    finally:
        suite.teardown()
    assert contents.records == suite.rounds
    assert len(contents.records) == harness.ROUNDS
    assert contents.warnings == ()


def test_start_up_beyond_the_study_is_a_part_of_start_up(worker: harness.Worker) -> None:
    beyond_s, whole_s = worker.track_start_up_beyond_the_study(), worker.track_start_up()
    # No tight bound on somebody else's machine: seconds would be a mistake, not slowness.
    assert 0 < beyond_s < 2.0
    # Twice: the two are of different processes.
    assert beyond_s < 2 * whole_s


def test_a_turn_costs_less_than_a_batch_lasts(worker: harness.Worker) -> None:
    allowed = available_cpus()
    assert 0 < worker.track_turn() < BATCH_S
    assert available_cpus() == allowed


def test_the_harness_is_no_study() -> None:
    assert "harness" not in Project(ROOT).studies()
    listed = subprocess.run(
        [sys.executable, "-m", "bakeoff", "list"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert listed.returncode == 0, listed.stderr
    assert "harness" not in listed.stdout.split()


def test_looking_for_benchmarks_imports_nothing_of_the_harness() -> None:
    # asv refuses every suite when one cannot be imported.
    code = "import sys, benchmarks.harness; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert not [name for name in found.stdout.split() if name.partition(".")[0] == "bakeoff"]

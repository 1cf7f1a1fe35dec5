"""What the harness itself costs: a plain asv suite, no study.

asv takes the harness from the working tree, whatever commit it is at, so these figures follow the
working tree. Nothing of the harness is imported by the module: a name that is gone fails its own
benchmark then, and not the discovery of every suite.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bakeoff.measurement.comparison import CellComparison
    from bakeoff.measurement.process import ArmProcess
    from bakeoff.report.definition import Definition
    from bakeoff.report.model import Report
    from bakeoff.results.records import ArmRound, Cell, RoundRecord, RunHeader
    from bakeoff.statistics import LogRatios

#: A study in which there is as little to do as can be.
TINY_STUDY = {
    "impls/__init__.py": "",
    "impls/tiny/__init__.py": "",
    "impls/tiny/interface.py": "",
    "impls/tiny/nothing.py": "def create():\n    return None\n",
    "benchmarks/__init__.py": "",
    "benchmarks/tiny.py": (
        "from bakeoff import Workload\n\n\n"
        "class Idle(Workload):\n"
        "    def prepare(self, seed):\n        return None\n\n"
        "    def run(self, create, given):\n        return None\n"
    ),
}

LIMIT_S = 60.0

#: Processes behind each start-up figure, and turns behind each turn's figure: their median counts.
STARTS = 10
TURNS = 1000

CELLS = 10_000
ROUNDS = 10_000
#: 1 % over four looks.
LOOK_ALPHA = 0.0025

#: As many as the method asks of a cell and of a round.
ROUNDS_OF_A_CELL = 10
BLOCKS = 30

IMPLEMENTATIONS = ("base", "close", "half")
DEFINITION = """
title = "Made up"
question = "How long does this report take?"
study = "tiny"
baseline = "base"

[[claim]]
text = "Half takes at most 60 % of the time in every cell"
arm = "half"
check = "ratio <= 0.6"

[[claim]]
text = "Half takes at most 60 % of the time by geometric mean"
arm = "half"
check = "ratio <= 0.6"
over = "geomean"
"""
NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


class Worker:
    """A measuring process of a study that does nothing."""

    timeout = 120.0
    unit = "seconds"  # the word that asv scales to milliseconds

    def setup(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.root = Path(self._folder.name)
        for name, text in TINY_STUDY.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def teardown(self) -> None:
        self._folder.cleanup()

    def track_start_up(self) -> float:
        """From the start of a process until it is ready."""
        return statistics.median(self._start_up()[0] for _ in range(STARTS))

    def track_start_up_beyond_the_study(self) -> float:
        """Start-up beyond the study's own imports: without them and without the bare interpreter."""
        beyond = []
        for _ in range(STARTS):
            whole_s, study_s = self._start_up()
            # Right after it: the two share what the machine does.
            beyond.append(whole_s - study_s - self._bare_interpreter())
        return statistics.median(beyond)

    def track_turn(self) -> float:
        """What a turn costs beside its operation: told, heard, and the clocks around nothing."""
        # On one CPU: whether two processes share one decides the figure, not the code.
        with _one_cpu(), self._worker() as worker:
            worker.hear("ready", LIMIT_S)
            turns = []
            for _ in range(TURNS):
                started = time.perf_counter()
                worker.tell("turn")
                inside_s: float = worker.hear("turn", LIMIT_S)["wall_s"]
                turns.append(time.perf_counter() - started - inside_s)
        return statistics.median(turns)

    def _start_up(self) -> tuple[float, float]:
        """Seconds until a process is ready, and those of them that its study took."""
        started = time.perf_counter()
        with self._worker() as worker:
            study_s: float = worker.hear("ready", LIMIT_S)["seconds"]
            return time.perf_counter() - started, study_s

    def _bare_interpreter(self) -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], cwd=self.root, check=True)
        return time.perf_counter() - started

    @contextmanager
    def _worker(self) -> Iterator[ArmProcess]:
        from bakeoff.measurement.process import ArmProcess

        job = {
            "root": str(self.root),
            "study": "tiny",
            "workload": "idle",
            "params": {},
            "implementation": "nothing",
            "seed": 1,
            "cpus": [],
        }
        with ArmProcess("bakeoff.measurement.worker", job, root=self.root, hash_seed=1) as worker:
            yield worker


@contextmanager
def _one_cpu() -> Iterator[None]:
    """Stay on one CPU, with the processes started meanwhile, where the system has it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


class Statistics:
    """Intervals of 30 rounds."""

    # With a `setup`, asv times single calls: many of them make up for what one says badly.
    repeat = (20, 200, 10.0)

    def setup(self) -> None:
        from bakeoff.statistics import hodges_lehmann, paired_geometric_mean

        self.hodges_lehmann, self.paired_geometric_mean = hodges_lehmann, paired_geometric_mean
        self.cells = _log_ratios()
        # A report looks critical ranks up once and uses them for all of its cells.
        self.time_hodges_lehmann()

    def time_hodges_lehmann(self) -> None:
        """One ratio."""
        self.hodges_lehmann(self.cells[0].typical, LOOK_ALPHA)

    def time_geometric_mean(self) -> None:
        """One mean over 60 cells."""
        self.paired_geometric_mean(self.cells, LOOK_ALPHA)


class Reporting:
    """A report of ten thousand cells, three implementations each."""

    timeout = 120.0

    def setup(self) -> None:
        from bakeoff.report.build import build_report
        from bakeoff.report.render_html import render_html
        from bakeoff.report.render_json import report_json
        from bakeoff.report.render_markdown import render_markdown

        self.build_report = build_report
        self.render_html, self.render_markdown = render_html, render_markdown
        self.report_json = report_json
        self.definition, self.header, self.comparisons = _evidence(CELLS)
        self.report = _report(CELLS)

    def time_build(self) -> None:
        """From comparisons to the model."""
        self.build_report(self.definition, self.header, self.comparisons, None, (), NOW)

    def time_html(self) -> None:
        """The model as a page."""
        self.render_html(self.report)

    def time_markdown(self) -> None:
        """The model as Markdown."""
        self.render_markdown(self.report)

    def time_json(self) -> None:
        """The model for programs."""
        self.report_json(self.report)


class Comparing:
    """A run of ten thousand rounds: a thousand cells, ten rounds each."""

    timeout = 120.0

    def setup(self) -> None:
        from bakeoff.measurement.comparison import compare_run

        self.compare_run = compare_run
        self.header = _header(ROUNDS // ROUNDS_OF_A_CELL)
        self.rounds = _rounds(ROUNDS // ROUNDS_OF_A_CELL)

    def time_compare(self) -> None:
        """From records to comparisons."""
        self.compare_run(self.header, self.rounds)


class Reading:
    """The journal of the same run."""

    timeout = 120.0

    def setup(self) -> None:
        from bakeoff.results.journal import Journal
        from bakeoff.results.records import to_json

        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "journal.jsonl"
        self.rounds = _rounds(ROUNDS // ROUNDS_OF_A_CELL)
        # Not by `append`, which waits for the disk after every line.
        with path.open("wb") as file:
            file.writelines(to_json(record) + b"\n" for record in self.rounds)
        self.journal = Journal.open(path)

    def teardown(self) -> None:
        self._folder.cleanup()

    def time_journal(self) -> None:
        """From the file to records."""
        self.journal.read()


# Below: made-up figures, the same each time. asv calls `setup` before every sample, so what takes long
# is made up once in a process.


@cache
def _log_ratios(cells: int = 60, rounds: int = 30) -> list[LogRatios]:
    from bakeoff.statistics import LogRatios

    numbers = random.Random(1)
    return [LogRatios.of([numbers.gauss(0.0, 0.02) for _ in range(rounds)]) for _ in range(cells)]


@cache
def _report(cells: int) -> Report:
    from bakeoff.report.build import build_report

    definition, header, comparisons = _evidence(cells)
    return build_report(definition, header, comparisons, None, (), NOW)


@cache
def _evidence(cells: int) -> tuple[Definition, RunHeader, tuple[CellComparison, ...]]:
    """A definition, a run's plan, and comparisons of so many cells with a few different figures."""
    from bakeoff.measurement.comparison import compare_run
    from bakeoff.report.definition import parse_definition

    definition = parse_definition(
        DEFINITION, source="reports/tiny.toml", studies={"tiny": IMPLEMENTATIONS}
    )
    few = _header(min(cells, 8))
    originals = compare_run(few, _rounds(len(few.cells)))
    header = _header(cells)
    comparisons = []
    for number, cell in enumerate(header.cells):
        original = originals[number % len(originals)]
        contrasts = tuple(replace(contrast, cell=cell) for contrast in original.contrasts)
        comparisons.append(replace(original, cell=cell, contrasts=contrasts))
    return definition, header, tuple(comparisons)


def _header(cells: int) -> RunHeader:
    from bakeoff.results.records import Machine, RunHeader

    return RunHeader(
        id="tiny-20261201T115500-3f2a",
        study="tiny",
        preset="full",
        baseline="base",
        implementations=IMPLEMENTATIONS,
        cells=tuple(map(_cell, range(cells))),
        looks=(ROUNDS_OF_A_CELL,),
        alpha=0.01,
        margin=0.03,
        seed=1,
        round_budget_s=3.0,
        measures_memory=False,
        commit=None,
        dirty=False,
        sources_digest="0",
        machine=Machine("0", "Example CPU", 2, 8_000_000_000, "Linux", "3.11"),
        bakeoff="0",
        started_at="2026-12-01T11:55:00+00:00",
    )


def _cell(number: int) -> Cell:
    from bakeoff.results.records import Cell

    return Cell("idle", {"configuration": f"c{number}"}, 20.0)


@cache
def _rounds(cells: int) -> tuple[RoundRecord, ...]:
    from bakeoff.results.records import CONTROL_ARM, RoundRecord

    numbers = random.Random(1)
    factors = {"base": 1.0, "close": 1.01, "half": 0.5, CONTROL_ARM: 1.0}
    return tuple(
        RoundRecord(
            cell=_cell(cell).key,
            attempt=1,
            round=number,
            seed=number,
            cpus=(0,),
            started_at=float(number),
            duration_s=1.0,
            arms={name: _arm(0.005 * factor, numbers) for name, factor in factors.items()},
        )
        for cell in range(cells)
        for number in range(ROUNDS_OF_A_CELL)
    )


def _arm(batch_s: float, numbers: random.Random) -> ArmRound:
    """One arm of a round as it is measured: thirty blocks of five milliseconds or so."""
    from bakeoff.results.records import ArmRound, Batch

    times = [batch_s * math.exp(numbers.gauss(0.0, 0.01)) for _ in range(BLOCKS)]
    batches = tuple(Batch(wall, wall, 0.0, 0, block) for block, wall in enumerate(times))
    return ArmRound(iterations=10, probe_s=batch_s / 10, batches=batches, answer="a")

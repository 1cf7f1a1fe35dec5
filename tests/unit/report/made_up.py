"""Made-up runs for the tests of the report: known ratios with a little seeded noise."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import msgspec

from bakeoff import statistics
from bakeoff.conformance.outcomes import (
    CheckResult,
    ConformanceRecord,
    Failed,
    Outcome,
    Passed,
    Skipped,
)
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.contrast import Contrast, bounded, failed, of_baseline, unit_of
from bakeoff.report.build import build_report
from bakeoff.report.definition import parse_definition
from bakeoff.report.model import Report
from bakeoff.results.records import Cell, EventRecord, Machine, RunHeader

BASELINE = "copies"
NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
DIGEST = "d1"
ROUNDS = 10
ALPHA = 0.01
MARGIN = 0.03


def cell(configuration: str, workload: str = "fork_revert") -> Cell:
    return Cell(workload=workload, params={"configuration": configuration}, time_limit_s=20.0)


def header(
    cells: Sequence[Cell], implementations: Sequence[str] = (BASELINE, "layers"), **changes: object
) -> RunHeader:
    fields: dict[str, object] = {
        "id": "shelf-20261201T115500-3f2a",
        "study": "shelf",
        "preset": "quick",
        "baseline": BASELINE,
        "implementations": tuple(implementations),
        "cells": tuple(cells),
        "looks": (ROUNDS,),
        "alpha": ALPHA,
        "margin": MARGIN,
        "seed": 1,
        "round_budget_s": 3.0,
        "measures_memory": True,
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "dirty": False,
        "sources_digest": DIGEST,
        "machine": Machine(
            fingerprint="a1b2c3",
            cpu="Example CPU 3000",
            cores=2,
            memory_bytes=8_000_000_000,
            system="Linux 6.1",
            python="3.11.7",
            virtual=True,
        ),
        "bakeoff": "0.1.0",
        "started_at": "2026-12-01T11:55:00+00:00",
    }
    return RunHeader(**(fields | changes))  # type: ignore[arg-type]


def timed(
    where: Cell,
    implementation: str,
    ratio: float,
    *,
    baseline_s: float = 0.010,
    noise: float = 0.01,
    rounds: int = ROUNDS,
    metric: str = "time",
) -> Contrast:
    """A contrast with `rounds` log ratios around ln(ratio); the same seed for the same cell."""
    random_numbers = random.Random(f"{where.key} {implementation} {metric}")
    base = _baseline_values(where, baseline_s, rounds, metric)
    offsets = [random_numbers.gauss(0.0, noise) for _ in range(rounds)]
    centre = math.fsum(offsets) / rounds
    log_ratios = tuple(math.log(ratio) + offset - centre for offset in offsets)
    enough = rounds >= statistics.minimum_rounds(ALPHA)
    interval = statistics.hodges_lehmann if enough else statistics.paired_t
    estimate = interval(log_ratios, ALPHA)
    return Contrast(
        cell=where,
        implementation=implementation,
        metric=metric,
        unit=unit_of(metric),
        value=baseline_s * ratio,
        estimate=estimate,
        verdict=statistics.decide(estimate, MARGIN),
        rounds=rounds,
        mde=statistics.minimal_detectable_effect(estimate) if estimate.is_bounded else None,
        values=tuple(b * math.exp(d) for b, d in zip(base, log_ratios, strict=True)),
        baseline_values=base,
        round_numbers=tuple(range(rounds)),
        log_ratios=statistics.LogRatios.of(log_ratios),
        is_few=not enough,
        warnings=() if enough else (f"few rounds: {rounds}, interval by paired t",),
        reason="needs about 9 more rounds"
        if statistics.decide(estimate, MARGIN) == "inconclusive"
        else None,
    )


def baseline_of(
    where: Cell, *, baseline_s: float = 0.010, rounds: int = ROUNDS, metric: str = "time"
) -> Contrast:
    values = _baseline_values(where, baseline_s, rounds, metric)
    return of_baseline(where, BASELINE, metric, values, baseline_s, round_numbers=range(rounds))


def _baseline_values(where: Cell, baseline_s: float, rounds: int, metric: str) -> tuple[float, ...]:
    random_numbers = random.Random(f"{where.key} baseline {metric}")
    return tuple(baseline_s * math.exp(random_numbers.gauss(0.0, 0.01)) for _ in range(rounds))


def exact(
    where: Cell, implementation: str, value: float, baseline_value: float, metric: str
) -> Contrast:
    estimate = statistics.exact_ratio(value, baseline_value)
    return Contrast(
        cell=where,
        implementation=implementation,
        metric=metric,
        unit=unit_of(metric),
        value=value,
        estimate=estimate,
        verdict=statistics.decide(estimate, MARGIN),
        rounds=3,
        exact=True,
        values=(value,) * 3,
        baseline_values=(baseline_value,) * 3,
        round_numbers=(0, 1, 2),
    )


def exact_baseline(where: Cell, value: float, metric: str) -> Contrast:
    return of_baseline(
        where, BASELINE, metric, (value,) * 3, value, round_numbers=range(3), exact=True
    )


def censored(
    where: Cell,
    implementation: str,
    value: float,
    baseline_value: float,
    *,
    is_bound: bool = False,
    is_baseline_bound: bool = False,
    rounds: int = 3,
) -> Contrast:
    """A contrast in which one side was stopped at its limit."""
    estimate = (
        bounded(
            value,
            baseline_value,
            is_bound=is_bound,
            is_baseline_bound=is_baseline_bound,
            rounds=rounds,
        )
        if not (is_bound and is_baseline_bound)
        else None
    )
    return Contrast(
        cell=where,
        implementation=implementation,
        metric="time",
        unit="s",
        value=value,
        estimate=estimate,
        verdict="inconclusive" if estimate is None else statistics.decide(estimate, MARGIN),
        rounds=rounds,
        is_bound=is_bound,
        is_baseline_bound=is_baseline_bound,
        reason="it did not finish in 20 s: the ratio is a bound"
        if is_bound
        else f"'{BASELINE}' did not finish in 20 s: the ratio is a bound",
        values=(value,) * rounds,
        baseline_values=(baseline_value,) * rounds,
        round_numbers=tuple(range(rounds)),
    )


def censored_baseline(where: Cell, limit_s: float = 20.0, rounds: int = 3) -> Contrast:
    return of_baseline(
        where,
        BASELINE,
        "time",
        (limit_s,) * rounds,
        limit_s,
        round_numbers=range(rounds),
        is_bound=True,
        reason="did not finish in 20 s",
    )


def comparison(
    where: Cell,
    *contrasts: Contrast,
    control_ratio: float | None = 1.0,
    rounds: int = ROUNDS,
    discarded: int = 0,
    contended: int = 0,
) -> CellComparison:
    control = None
    if control_ratio is not None:
        control = replace(
            timed(where, "<control>", control_ratio, noise=0.004), implementation=BASELINE
        )
    return CellComparison(
        cell=where,
        contrasts=contrasts,
        control=control,
        rounds=rounds,
        discarded=discarded,
        discards={"contended": contended} if contended else {},
        attempt=1,
    )


def timed_comparison(where: Cell, **ratios: float) -> CellComparison:
    """A cell in which each named implementation has this ratio of time."""
    return comparison(
        where, baseline_of(where), *(timed(where, name, ratio) for name, ratio in ratios.items())
    )


def conformance(
    implementations: Sequence[str] = (BASELINE, "layers"),
    broken: Mapping[str, str] | None = None,
    *,
    digest: str = DIGEST,
) -> ConformanceRecord:
    """Three checks each, the last of them skipped; `broken` names one failing check by implementation."""
    results = []
    for name in implementations:
        for check, usual in (
            ("check_forks_are_apart", Passed()),
            ("check_revert_restores", Passed()),
            ("check_large_shelves", Skipped("needs more memory")),
        ):
            outcome: Outcome = usual
            if (broken or {}).get(name) == check:
                outcome = Failed("expected {1: 1}, found {}")
            results.append(CheckResult(name, check, f"Promise of {check}.", outcome))
    return ConformanceRecord(
        study="shelf", at="2026-12-01T11:50:00+00:00", sources_digest=digest, results=tuple(results)
    )


def with_capability(record: ConformanceRecord, able: Mapping[str, bool]) -> ConformanceRecord:
    """The record, with a capability that some have and others not."""
    found = tuple(
        CheckResult(
            name,
            "capability_keeps_versions",
            "Old versions can be read on.",
            Passed() if is_able else Failed("only the current one is there"),
        )
        for name, is_able in able.items()
    )
    return msgspec.structs.replace(record, results=record.results + found)


FINISHED = EventRecord(kind="finished", at="2026-12-01T11:57:05+00:00")

DEFINITION = """
title = "Copies or layers"
question = "Which shelf should a planner fork a thousand times?"
study = "shelf"
baseline = "copies"
"""

STUDIES = {"shelf": (BASELINE, "layers", "undo_log", "trie", "<script>alert(1)</script>")}


def report_of(
    comparisons: Sequence[CellComparison],
    claims: str = "",
    *,
    implementations: Sequence[str] = (BASELINE, "layers"),
    checked: ConformanceRecord | None = None,
    events: Sequence[EventRecord] = (FINISHED,),
    warnings: Sequence[str] = (),
    is_unchecked: bool = False,
    **changes: object,
) -> Report:
    """The report of some comparisons under `DEFINITION` with more claims."""
    definition = parse_definition(DEFINITION + claims, source="reports/shelf.toml", studies=STUDIES)
    record = checked if checked is not None else conformance(implementations)
    return build_report(
        definition,
        header([one.cell for one in comparisons], implementations, **changes),
        comparisons,
        None if is_unchecked else record,
        events,
        NOW,
        warnings=warnings,
    )


def full_report() -> Report:
    """One of everything: wins, a loss, a tie in one cell, bounds, failures, and all kinds of claims."""
    implementations = (BASELINE, "layers", "undo_log", "trie")
    comparisons = []
    ratios = {
        "10x1/Owned/ForkRevert": (0.0082, 0.031),
        "10x1/Shared/Fork5Revert5": (0.0031, 0.012),
        "10x32/Shared/ForkRevert": (0.041, 0.22),
        "10x32x50/Mixed/Fork5Revert5": (0.11, 0.71),
        "10x100/Owned/ForkRevert": (0.38, 1.34),
    }
    for number, (configuration, (layers, undo_log)) in enumerate(ratios.items()):
        where = cell(configuration)
        seconds = 0.012 * (number + 1) ** 2
        size = 4_200_000.0 * (number + 1)
        comparisons.append(
            comparison(
                where,
                baseline_of(where, baseline_s=seconds),
                timed(where, "layers", layers, baseline_s=seconds),
                timed(where, "undo_log", undo_log, baseline_s=seconds, noise=0.02),
                failed(
                    where,
                    "trie",
                    "time",
                    "not measured: the run has no kept round of it",
                    "not measured",
                ),
                *(
                    contrast
                    for metric, share in (("allocated_bytes", 1.7), ("peak_bytes", 6.0))
                    for contrast in (
                        exact_baseline(where, size, metric),
                        exact(where, "layers", round(size * layers * share), size, metric),
                        exact(where, "undo_log", round(size * undo_log), size, metric),
                        failed(where, "trie", metric, "not measured: no figure", "not measured"),
                    )
                ),
                contended=number % 2,
                discarded=1 if number == 3 else 0,
            )
        )
    slow = cell("100x100/Owned/Fork")
    comparisons.append(
        comparison(
            slow,
            censored_baseline(slow),
            censored(slow, "layers", 0.131, 20.0, is_baseline_bound=True),
            failed(slow, "undo_log", "time", "crash: exit status -9 (killed)", "own failure"),
            failed(
                slow,
                "trie",
                "time",
                "not measured: the run has no kept round of it",
                "not measured",
            ),
            control_ratio=None,
            rounds=3,
        )
    )
    even = cell("1x1/Shared/Fork")
    comparisons.append(
        comparison(
            even,
            baseline_of(even, baseline_s=9.1e-5),
            timed(even, "layers", 1.004, baseline_s=9.1e-5, noise=0.006),
            timed(even, "undo_log", 1.01, baseline_s=9.1e-5, noise=0.06),
            failed(
                even,
                "trie",
                "time",
                "not measured: the run has no kept round of it",
                "not measured",
            ),
        )
    )
    claims = """
[[claim]]
text = "Layers are about 50 times faster overall"
arm = "layers"
check = "ratio <= 1/50"
over = "geomean"
preset = "full"

[[claim]]
text = "Layers are at least five times faster by geometric mean"
arm = "layers"
check = "ratio <= 1/5"
over = "geomean"

[[claim]]
text = "Layers allocate a tenth at most, in every ForkRevert"
arm = "layers"
metric = "allocated_bytes"
check = "ratio <= 1/10"
tolerance = "15%"
where = { configuration = "*/ForkRevert" }

[[claim]]
text = "Nobody notices layers in a shelf of one"
arm = "layers"
check = "same within 3%"
where = { configuration = "1x1/Shared/Fork" }

[[claim]]
text = "An undo log takes less than a millisecond"
arm = "undo_log"
check = "value < 1ms"
where = { configuration = "10x1/Owned/ForkRevert" }

[[claim]]
text = "An undo log is slower in a shelf of one"
arm = "undo_log"
check = "ratio > 1.02"
where = { configuration = "1x1/Shared/Fork" }

[[claim]]
text = "A trie is faster"
arm = "trie"
check = "ratio < 1"
"""
    events = (
        EventRecord(kind="interrupted", at="2026-12-01T11:56:00+00:00"),
        EventRecord(kind="resumed", at="2026-12-01T11:56:30+00:00"),
        EventRecord(kind="warning", at="2026-12-01T11:56:31+00:00", text="No pinning here."),
        FINISHED,
    )
    return report_of(
        comparisons,
        claims,
        implementations=implementations,
        checked=with_capability(
            conformance(implementations, {"trie": "check_revert_restores"}),
            {BASELINE: False, "layers": True, "undo_log": True},
        ),
        events=events,
        dirty=True,
    )

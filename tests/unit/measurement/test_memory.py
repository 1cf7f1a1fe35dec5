from __future__ import annotations

import math

import pytest
from msgspec import structs

from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.memory import deterministic_arms, memory_contrasts
from bakeoff.measurement.rules import Rules
from bakeoff.results.records import Failure, MemoryRecord

from .records import CELL, memory


def contrast(
    records: list[MemoryRecord],
    name: str = "candidate",
    dead: dict[str, str] | None = None,
    deterministic: frozenset[str] = frozenset(),
) -> Contrast:
    found = memory_contrasts(
        CELL, records, ["base", "candidate"], "base", Rules(), dead or {}, deterministic
    )
    (one,) = [c for c in found if (c.implementation, c.metric) == (name, "allocated_bytes")]
    return one


def three(name: str, *sizes: int) -> list[MemoryRecord]:
    return [memory(name, index, size) for index, size in enumerate(sizes)]


def test_figures_equal_in_three_processes_are_exact_and_compared_as_numbers() -> None:
    one = contrast(three("base", 1000, 1000, 1000) + three("candidate", 250, 250, 250))
    assert one.exact
    assert one.verdict == "faster"
    assert one.estimate is not None
    assert (one.estimate.low, one.estimate.ratio, one.estimate.high) == (0.25, 0.25, 0.25)


def test_two_processes_are_not_enough_for_exactness() -> None:
    one = contrast(three("base", 1000, 1000) + three("candidate", 250, 250))
    assert not one.exact


def test_figures_that_vary_get_an_interval_and_say_so() -> None:
    one = contrast(three("base", 1000, 1001, 1002) + three("candidate", 250, 251, 250))
    assert not one.exact
    assert one.verdict == "faster"
    assert one.warnings == ("varies between processes: interval by paired t",)
    assert one.estimate is not None
    assert one.estimate.low < 0.25 < one.estimate.high


def test_an_operation_stopped_at_its_limit_bounds_the_ratio() -> None:
    records = [memory("base", 0, 4000, censored_s=20.0), *three("candidate", 100, 100, 100)]
    one = contrast(records)
    assert one.is_baseline_bound
    assert one.estimate is not None
    assert one.estimate.high == pytest.approx(0.025)
    assert one.estimate.low == 0.0
    assert one.verdict == "faster"
    assert contrast(records, "base").reason == "stopped after 40 s of tracing: at least this much"


def test_an_unfinished_candidate_is_never_less() -> None:
    one = contrast([*three("base", 100, 100, 100), memory("candidate", 0, 50, censored_s=20.0)])
    assert one.estimate is not None
    assert math.isinf(one.estimate.high)
    assert one.verdict == "inconclusive"


def test_a_failure_is_a_row_with_its_reason() -> None:
    broken = MemoryRecord(
        cell=CELL.key, arm="candidate", index=0, seed=0, failure=Failure("memory", "no more")
    )
    one = contrast([*three("base", 100, 100, 100), broken])
    assert (one.verdict, one.reason) == ("failed", "memory: no more")


def test_trouble_with_tracing_speaks_against_nobody() -> None:
    trouble = MemoryRecord(
        cell=CELL.key, arm="candidate", index=0, seed=0, failure=Failure("crash", "killed")
    )
    one = contrast([*three("base", 100, 100, 100), trouble])
    assert (one.verdict, one.cause) == ("failed", "not measured")
    assert one.reason == "not measured: tracing failed: crash: killed"
    rest = [memory("candidate", index, 50) for index in (1, 2)]
    one = contrast([*three("base", 100, 100, 100), trouble, *rest])
    assert one.value == 50
    assert not one.exact


def test_an_arm_that_failed_in_its_rounds_has_no_bytes_either() -> None:
    one = contrast(
        three("base", 100, 100, 100) + three("candidate", 1, 1, 1),
        dead={"candidate": "wrong answer: it lies"},
    )
    assert (one.verdict, one.reason) == ("failed", "wrong answer: it lies")


def test_what_was_not_traced_is_said_to_be_missing() -> None:
    one = contrast(three("base", 100, 100, 100))
    assert one.reason == "not measured: the run has no memory figure of it"


def in_cells(*figures: tuple[int, ...]) -> list[MemoryRecord]:
    return [
        structs.replace(record, cell=f"cell {number}")
        for number, sizes in enumerate(figures)
        for record in three("base", *sizes)
    ]


def test_whoever_is_exact_in_three_cells_is_deterministic() -> None:
    same = (7000, 7000, 7000)
    assert deterministic_arms(in_cells(same, same, same, (9000,))) == {"base"}
    assert deterministic_arms(in_cells(same, same)) == frozenset()
    assert deterministic_arms(in_cells(same, same, same, (7000, 7000, 7001))) == frozenset()


def test_one_process_is_enough_for_the_deterministic_and_for_nobody_else() -> None:
    records = [*three("base", 1000), *three("candidate", 250, 250, 250)]
    known = contrast(records, deterministic=frozenset({"base"}))
    assert known.exact
    assert known.verdict == "faster"
    assert "traced once" in known.warnings[0]
    unknown = contrast(records)
    assert not unknown.exact
    assert unknown.verdict == "inconclusive"

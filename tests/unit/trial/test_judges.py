"""Verdicts are read off what the tools really print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tools.trial.command import JudgeFailedError
from tools.trial.judges import JUDGES, asv, bakeoff, pyperf, pytest_benchmark
from tools.trial.outcomes import Verdict
from tools.trial.subject import BLOCKS, source_of


def work(effect: int) -> tuple[int, int]:
    """How many blocks a module of this effect computes, and its answer."""
    namespace: dict[str, object] = {}
    exec(source_of(effect), namespace)
    blocks, function = namespace["BLOCKS"], namespace["work"]
    assert isinstance(blocks, int)
    assert callable(function)
    return blocks, function()


@pytest.mark.parametrize("effect", [2, 3, 5, 10])
def test_a_slowed_function_does_that_much_more_and_answers_the_same(effect: int) -> None:
    (blocks, answer), (more, same) = work(0), work(effect)
    assert more / blocks == pytest.approx(1 + effect / 100)
    assert answer == same
    assert blocks == BLOCKS


def test_the_second_function_cannot_be_made_the_faster_one() -> None:
    with pytest.raises(ValueError, match="never the faster"):
        source_of(-1)


# --- asv 0.6.6 ------------------------------------------------------------------------------------


def asv_table(mark: str, ratio: str) -> str:
    return (
        "\nAll benchmarks:\n\n"
        "| Change   | Before [e682b536] <main>   | After [5f51733d] <effect-5>   | Ratio | Benchmark (Parameter) |\n"
        "|----------|----------------------------|-------------------------------|-------|-----------------------|\n"
        f"| {mark}        | 794±20μs                   | 840±5μs                       |    {ratio} | pair.time_work          |\n"
    )


@pytest.mark.parametrize(
    ("mark", "ratio", "verdict", "value"),
    [
        ("+", "1.06", "slower", 1.06),
        ("-", "0.88", "faster", 0.88),
        (" ", "1.00", "no difference", 1.0),
        (" ", "~1.12", "no difference", 1.12),
    ],
)
def test_asv_marks_what_is_worse_and_what_is_better(
    mark: str, ratio: str, verdict: Verdict, value: float
) -> None:
    judgement = asv.judgement_in(asv_table(mark, ratio), "asv", 2.0)
    assert (judgement.verdict, judgement.ratio) == (verdict, value)


@pytest.mark.parametrize(
    "shown", ["", "No benchmarks", asv_table("!", "n/a"), asv_table("x", "1.06")]
)
def test_asv_without_a_verdict_has_failed(shown: str) -> None:
    with pytest.raises(JudgeFailedError, match="no verdict"):
        asv.judgement_in(shown, "asv", 2.0)


# --- pyperf 2.11 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "verdict", "ratio"),
    [
        (
            "Mean +- std dev: [first] 793 us +- 56 us -> [second] 877 us +- 83 us: 1.11x slower",
            "slower",
            1.11,
        ),
        (
            "Mean +- std dev: [first] 843 us +- 83 us -> [second] 791 us +- 56 us: 1.07x faster",
            "faster",
            1 / 1.07,
        ),
        ("Benchmark hidden because not significant (1): work", "no difference", None),
        (
            "Mean +- std dev: [first] 1 us +- 0 us -> [second] 1 us +- 0 us: no change",
            "no difference",
            None,
        ),
    ],
)
def test_pyperf_says_how_many_times_slower_or_faster(
    shown: str, verdict: Verdict, ratio: float | None
) -> None:
    judgement = pyperf.judgement_in(shown, "pyperf", 20.0)
    assert judgement.verdict == verdict
    assert judgement.ratio == (None if ratio is None else pytest.approx(ratio))


def test_pyperf_without_a_verdict_has_failed() -> None:
    with pytest.raises(JudgeFailedError, match="no verdict"):
        pyperf.judgement_in("ERROR: no benchmark", "pyperf", 20.0)


# --- pytest-benchmark 5.3 -------------------------------------------------------------------------


def test_pytest_benchmark_fails_by_an_exception_that_hides_what_passed() -> None:
    shown = "INTERNALERROR\npytest_benchmark.session.PerformanceRegression: Performance has regressed.\n"
    assert pytest_benchmark.judgement_in(shown, 1.07, 3.0).verdict == "slower"


def test_pytest_benchmark_that_does_not_fail_sees_no_difference() -> None:
    shown = "===== 1 passed in 1.40s ====="
    judgement = pytest_benchmark.judgement_in(shown, 0.94, 3.0)
    assert (judgement.verdict, judgement.ratio) == ("no difference", 0.94)


def test_pytest_benchmark_without_a_passing_test_has_failed() -> None:
    with pytest.raises(JudgeFailedError, match="compared nothing"):
        pytest_benchmark.judgement_in("===== 1 failed in 0.1s =====", None, 3.0)


# --- bakeoff --------------------------------------------------------------------------------------


def bakeoff_report(verdict: str, reason: str | None = None) -> str:
    cell = {
        "implementation": "second",
        "metric": "time",
        "verdict": verdict,
        "ratio": 1.05,
        "interval": [1.03, 1.07],
        "rounds": 10,
        "reason": reason,
    }
    others = [
        cell | {"implementation": "first", "verdict": "same", "ratio": 1.0},
        cell | {"metric": "gc_time", "verdict": "same"},
    ]
    return json.dumps({"run": {"id": "pair-1"}, "cells": [*others, cell]})


@pytest.mark.parametrize("verdict", ["slower", "faster", "same", "inconclusive"])
def test_bakeoffs_verdict_is_that_of_the_second_functions_time(verdict: str) -> None:
    judgement = bakeoff.judgement_in(bakeoff_report(verdict, "contended"), 9.0)
    assert (judgement.verdict, judgement.ratio) == (verdict, 1.05)
    assert re.search("pair-1: 10 rounds.*contended", judgement.detail)


def test_a_cell_that_failed_is_no_verdict() -> None:
    with pytest.raises(JudgeFailedError, match="wrong answer"):
        bakeoff.judgement_in(bakeoff_report("failed", "wrong answer"), 9.0)


def test_the_project_that_bakeoff_judges_passes_bakeoffs_own_check(tmp_path: Path) -> None:
    bakeoff.BakeoffJudge().prepare(tmp_path, [0, 5])
    records = sorted(tmp_path.glob("effect-*/.bakeoff/conformance/pair.json"))
    assert [record.parts[-4] for record in records] == ["effect-0", "effect-5"]


def test_every_name_of_a_judgement_is_its_judges_own() -> None:
    names = [tool for judge in JUDGES.values() for tool in judge.tools]
    assert len(set(names)) == len(names)
    assert all(tool.startswith(name) for name, judge in JUDGES.items() for tool in judge.tools)

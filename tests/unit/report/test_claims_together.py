"""Claims that no cell decides by itself, and claims that have to be true together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.measurement.comparison import CellComparison
from bakeoff.results.records import Cell

from .made_up import (
    BASELINE,
    baseline_of,
    comparison,
    exact,
    exact_baseline,
    report_of,
    timed,
)
from .test_claims import judged

THREE = (BASELINE, "layers", "undo_log")
SIZES = (10, 100, 1000, 10_000)


def sized(size: int) -> Cell:
    return Cell("walk", {"n": size}, 20.0)


def growing(
    exponent: float, ratios: tuple[float, ...] = (1.0,) * 4, **more: float
) -> list[CellComparison]:
    """A baseline that grows like n^exponent, and layers at these ratios to it."""
    cells = []
    for size, ratio in zip(SIZES, ratios, strict=True):
        where, base_s = sized(size), 1e-4 * size**exponent
        contrasts = [
            baseline_of(where, baseline_s=base_s),
            timed(where, "layers", ratio, baseline_s=base_s, **more),  # type: ignore[arg-type]
        ]
        cells.append(comparison(where, *contrasts))
    return cells


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        ("growth(n) in 0.9..1.1", "holds"),
        ("growth(n) <= 0.5", "fails"),
        ("growth(n) <= 1", "inconclusive"),
    ],
)
def test_growth_is_held_against_the_interval_of_the_exponent(check: str, verdict: str) -> None:
    claim = judged(growing(1.0), check)
    assert (claim.verdict, claim.kind, claim.is_absolute) == (verdict, "number", True)
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(1.0, abs=0.02)


def test_growth_over_a_parameter_that_does_not_vary_is_inconclusive_with_the_reason() -> None:
    claim = judged(growing(1.0)[:1], "growth(n) <= 2")
    assert claim.verdict == "inconclusive"
    assert claim.reason is not None
    assert "do not differ in n" in claim.reason


def test_a_figure_is_independent_of_a_parameter_if_each_size_is_like_the_first() -> None:
    flat = [
        comparison(sized(size), baseline_of(sized(size)), timed(sized(size), "layers", 0.5))
        for size in SIZES
    ]
    assert judged(flat, "independent of n within 10%").verdict == "holds"
    assert judged(growing(1.0), "independent of n within 10%").verdict == "fails"
    assert judged(flat, "independent of n within 0.1%").verdict == "inconclusive"


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        ("crossover(n) <= 1000", "holds"),
        ("crossover(n) <= 110", "fails"),
        ("crossover(n) <= 316", "inconclusive"),
    ],
)
def test_a_crossover_is_held_against_its_interval(check: str, verdict: str) -> None:
    # Twice as slow at a hundred, twice as fast at a thousand: equal at their geometric mean, 316.
    cells = growing(1.0, (4.0, 2.0, 0.5, 0.25))
    claim = judged(cells, check)
    assert claim.verdict == verdict
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(316, rel=0.02)


@pytest.mark.parametrize(
    ("ratios", "verdict", "reason"),
    [
        ((0.5,) * 4, "holds", "better at every"),
        ((2.0,) * 4, "fails", "worse at every"),
        ((0.5, 0.5, 2.0, 2.0), "fails", "better below"),
    ],
)
def test_an_arm_that_never_overtakes_has_a_verdict_too(
    ratios: tuple[float, ...], verdict: str, reason: str
) -> None:
    claim = judged(growing(1.0, ratios), "crossover(n) <= 500")
    assert claim.verdict == verdict
    assert claim.reason is not None
    assert reason in claim.reason


def counted(value: float, *, exactly: bool = True, seen: int = 3) -> list[CellComparison]:
    where = sized(10)
    contrast = exact(where, "layers", value, 5.0, "requests")
    values = (value,) * seen if exactly else (value, value + 1, value)[:seen]
    contrast = replace(
        contrast,
        values=values,
        baseline_values=(5.0,) * seen,
        round_numbers=tuple(range(seen)),
        exact=exactly and seen >= 3,
    )
    base = exact_baseline(where, 5.0, "requests")
    return [comparison(where, baseline_of(where), timed(where, "layers", 1.0), base, contrast)]


def test_an_exact_count_is_the_number_in_every_process() -> None:
    assert judged(counted(1.0), "exact requests == 1").verdict == "holds"
    assert judged(counted(2.0), "exact requests == 1").verdict == "fails"
    assert judged(counted(1.0, exactly=False), "exact requests == 1").verdict == "fails"
    assert judged(counted(1.0, seen=2), "exact requests == 1").verdict == "inconclusive"


def test_an_operation_completes_within_a_limit_or_is_stopped_before_it() -> None:
    from .test_claims import bounded_candidate

    cells = growing(0.0)
    assert judged(cells, "completes within 1s").verdict == "holds"
    assert judged(cells, "completes within 10us").verdict == "fails"
    assert judged([bounded_candidate()], "completes within 20s").verdict == "fails"
    claim = judged([bounded_candidate()], "completes within 60s")
    assert claim.verdict == "inconclusive"
    assert claim.reason is not None
    assert "stopped after 20 s" in claim.reason


def ranked(layers: float, undo_log: float) -> list[CellComparison]:
    where = sized(10)
    arms = (timed(where, "layers", layers), timed(where, "undo_log", undo_log))
    return [comparison(where, baseline_of(where), *arms)]


def test_the_best_beats_every_other_at_once() -> None:
    best = judged(ranked(0.2, 0.5), "best on time", implementations=THREE)
    assert best.verdict == "holds"
    tied = judged(ranked(0.2, 0.2), "best on time", implementations=THREE)
    assert tied.verdict == "inconclusive"
    assert tied.reason == "cannot be told from undo_log"
    beaten = judged(ranked(0.5, 0.2), "best on time", implementations=THREE)
    assert beaten.verdict == "fails"


def test_a_difference_is_held_in_the_metrics_unit() -> None:
    where = sized(10)
    cells = [comparison(where, baseline_of(where), timed(where, "layers", 1.2))]  # 10 → 12 ms
    assert judged(cells, "delta <= 2.5ms").verdict == "holds"
    assert judged(cells, "delta <= 1ms").verdict == "fails"
    claim = judged(cells, "delta <= 2ms")
    assert (claim.verdict, claim.kind) == ("inconclusive", "value")
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(0.002, rel=0.05)


def test_many_claims_have_wider_intervals_than_one() -> None:
    where = sized(10)
    cells = [comparison(where, baseline_of(where), timed(where, "layers", 1.0, noise=0.02))]
    text = '\n[[claim]]\ntext = "t"\narm = "layers"\ncheck = "ratio <= 1.02"\n'
    alone = report_of(cells, text).claims[0]
    undecided = '\n[[claim]]\ntext = "u"\narm = "layers"\ncheck = "ratio <= 1.0"\n'
    together = report_of(cells, text + undecided * 6).claims[0]
    assert alone.figure is not None
    assert together.figure is not None
    assert together.figure.level > alone.figure.level
    assert together.figure.low is not None
    assert alone.figure.low is not None
    assert together.figure.low < alone.figure.low


def test_claims_that_are_clear_cost_the_others_nothing() -> None:
    where = sized(10)
    cells = [comparison(where, baseline_of(where), timed(where, "layers", 0.5))]
    clear = '\n[[claim]]\ntext = "t"\narm = "layers"\ncheck = "ratio <= 0.9"\n'
    close = '\n[[claim]]\ntext = "u"\narm = "layers"\ncheck = "ratio <= 0.5"\n'
    *decided, undecided = report_of(cells, clear * 5 + close).claims
    assert all(claim.verdict == "holds" for claim in decided)
    assert undecided.figure is not None
    assert undecided.figure.level == pytest.approx(0.99), "Holm gives it what is left: all of it"


def test_growth_is_in_the_report_of_workloads_with_sizes() -> None:
    report = report_of(growing(2.0, (4.0, 2.0, 0.5, 0.25)))
    rows = {row.implementation: row for row in report.growth if row.metric == "time"}
    base, layers = rows[BASELINE], rows["layers"]
    assert base.growth_class == "n^2"
    assert base.exponent is not None
    assert base.exponent.estimate == pytest.approx(2.0, abs=0.02)
    assert base.crossover is None
    assert layers.crossover is not None
    assert layers.crossover.estimate == pytest.approx(316, rel=0.02)


def test_two_sizes_are_no_growth() -> None:
    assert report_of(growing(1.0)[:2]).growth == ()


def test_gains_and_losses_that_cancel_are_no_sameness() -> None:
    advice = report_of(growing(1.0, (4.0, 2.0, 0.5, 0.25))).headline.advice
    assert advice == (
        "It depends: layers is faster in 2 and slower in 2 of 4 cells, compared with copies."
    )

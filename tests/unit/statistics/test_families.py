"""One figure over many cells, and a budget over many looks."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from bakeoff.statistics import (
    LogRatios,
    hodges_lehmann,
    looks_alpha,
    paired_geometric_mean,
    paired_t,
    paired_total,
)


def rows(cells: npt.ArrayLike) -> list[LogRatios]:
    """One row for each cell."""
    return [LogRatios.of(cell) for cell in np.asarray(cells, dtype=float)]


def test_each_look_gets_the_same_share_of_the_budget() -> None:
    assert looks_alpha(0.01, (10, 15, 20, 30)) == 0.0025
    assert looks_alpha(0.01, (10, 15, 20, 30, 45, 60)) == pytest.approx(0.01 / 6)


@pytest.mark.parametrize(("alpha", "looks"), [(0.01, ()), (0.0, (10,)), (2.0, (10,))])
def test_a_budget_or_looks_that_are_none_are_refused(alpha: float, looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"look|alpha"):
        looks_alpha(alpha, looks)


def test_the_geometric_mean_of_a_half_and_an_eighth_is_a_quarter() -> None:
    log_ratios = [[math.log(1 / 2)] * 10, [math.log(1 / 8)] * 10]
    estimate = paired_geometric_mean(rows(log_ratios), alpha=0.01)
    assert (estimate.low, estimate.ratio, estimate.high) == pytest.approx((1 / 4, 1 / 4, 1 / 4))
    assert (estimate.rounds, estimate.method) == (10, "signed-rank")


def test_the_geometric_mean_is_taken_inside_each_round() -> None:
    # What one cell gains in a round the other loses: over rounds nothing varies.
    noise = np.random.default_rng(1).normal(0, 0.2, 12)
    estimate = paired_geometric_mean(rows(np.vstack([0.5 + noise, 0.5 - noise])), alpha=0.01)
    assert estimate.log_low == pytest.approx(0.5)
    assert estimate.log_high == pytest.approx(0.5)


def test_the_geometric_mean_of_one_cell_is_that_cell() -> None:
    cell = np.random.default_rng(2).normal(-1, 0.1, 15)
    assert paired_geometric_mean(rows([cell]), alpha=0.01) == hodges_lehmann(cell, alpha=0.01)


def test_too_few_rounds_for_an_exact_interval_have_a_paired_t_interval() -> None:
    cells = np.random.default_rng(3).normal(-1, 0.1, (4, 5))
    assert paired_geometric_mean(rows(cells), alpha=0.01) == paired_t(
        cells.mean(axis=0), alpha=0.01
    )
    eight = np.random.default_rng(3).normal(-1, 0.1, (4, 8))
    assert paired_geometric_mean(rows(eight), alpha=0.01).method == "signed-rank"
    assert paired_geometric_mean(rows(eight), alpha=0.0025).method == "paired-t"


def test_the_total_weighs_a_slow_cell_more() -> None:
    # 100 → 50 s and 1 → 2 s: in all 52 ÷ 101, although the geometric mean is 1.
    arm = [[50.0] * 10, [2.0] * 10]
    baseline = [[100.0] * 10, [1.0] * 10]
    estimate = paired_total(arm, baseline, alpha=0.01)
    assert estimate.ratio == pytest.approx(52 / 101)
    assert estimate.low == pytest.approx(52 / 101)


def test_the_total_is_paired_inside_each_round() -> None:
    # The machine is slower by another factor in every round; the ratio does not notice.
    speed = np.random.default_rng(4).lognormal(0, 0.5, 10)
    baseline = np.outer([1.0, 3.0], speed)
    estimate = paired_total(baseline / 4, baseline, alpha=0.01)
    assert estimate.low == pytest.approx(1 / 4)
    assert estimate.high == pytest.approx(1 / 4)


def test_swapping_the_arms_inverts_the_total() -> None:
    random = np.random.default_rng(5)
    arm, baseline = random.lognormal(0, 0.1, (2, 3, 12))
    forward = paired_total(arm, baseline, alpha=0.01)
    backward = paired_total(baseline, arm, alpha=0.01)
    assert backward.ratio == pytest.approx(1 / forward.ratio)
    assert backward.low == pytest.approx(1 / forward.high)


@pytest.mark.parametrize("log_ratios", [[], [0.1, 0.2], [[0.1, math.nan]], np.empty((0, 5))])
def test_a_geometric_mean_of_nonsense_is_refused(log_ratios: list[float]) -> None:
    with pytest.raises(ValueError, match=r"has one|has a number"):
        paired_geometric_mean(rows(log_ratios), alpha=0.01)


@pytest.mark.parametrize(
    ("arm", "baseline", "complaint"),
    [
        ([[1.0, 2.0]], [[1.0]], "paired"),
        ([[1.0, 0.0]], [[1.0, 1.0]], "positive"),
        ([[1.0, 1.0]], [[1.0, -1.0]], "positive"),
        ([[1.0, math.inf]], [[1.0, 1.0]], "arm has"),
    ],
)
def test_a_total_of_nonsense_is_refused(
    arm: list[list[float]], baseline: list[list[float]], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        paired_total(arm, baseline, alpha=0.01)

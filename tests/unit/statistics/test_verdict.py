"""From interval to word: the verdict table, bounds, detectable effects, and rounds still needed."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bakeoff.statistics import (
    Estimate,
    Operator,
    Verdict,
    bound,
    decide,
    exact_ratio,
    hodges_lehmann,
    judge_bound,
    looks_alpha,
    minimal_detectable_effect,
    rounds_needed,
)

MARGIN = 0.03
G = math.log1p(MARGIN)


def interval(low: float, log_ratio: float, high: float, *, level: float = 0.99) -> Estimate:
    """An estimate given in units of g, the logarithm of the margin."""
    return Estimate(log_ratio * G, low * G, high * G, level, 20, "signed-rank")


@pytest.mark.parametrize(
    ("low", "log_ratio", "high", "verdict"),
    [
        (-0.9, 0.0, 0.9, "same"),
        (0.1, 0.4, 0.9, "same"),  # real but negligible
        (-0.9, -0.4, -0.1, "same"),
        (-1.0, 0.0, 0.9, "inconclusive"),  # touches the margin
        (-0.9, 0.0, 1.0, "inconclusive"),
        (0.1, 0.7, 1.3, "slower"),
        (2.0, 3.0, 4.0, "slower"),
        (-1.3, -0.7, -0.1, "faster"),
        (-4.0, -3.0, -2.0, "faster"),
        (0.0, 0.7, 1.4, "inconclusive"),  # touches zero
        (-1.4, -0.7, 0.0, "inconclusive"),
        (0.1, 0.4, 1.3, "inconclusive"),  # different from zero, but not by half the margin
        (-1.3, -0.4, -0.1, "inconclusive"),
        (-0.5, 0.8, 2.1, "inconclusive"),
        (-math.inf, 5.0, math.inf, "inconclusive"),
    ],
)
def test_the_verdict_table(low: float, log_ratio: float, high: float, verdict: Verdict) -> None:
    assert decide(interval(low, log_ratio, high), MARGIN) == verdict


@pytest.mark.parametrize(
    ("value", "baseline", "verdict"),
    [
        (1000, 1000, "same"),
        (1001, 1000, "slower"),
        (999, 1000, "faster"),
        (0, 0, "same"),
        (0, 3, "faster"),
        (3, 0, "slower"),
    ],
)
def test_exact_counts_differ_by_any_difference(value: int, baseline: int, verdict: Verdict) -> None:
    assert decide(exact_ratio(value, baseline), MARGIN) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (math.log(20), math.inf, "slower"),
        (-math.inf, math.log(0.1), "faster"),
        (math.log(0.5), math.inf, "inconclusive"),
    ],
)
def test_a_censored_operation_is_slower_if_its_bound_is(
    low: float, high: float, verdict: Verdict
) -> None:
    assert decide(bound(low, high, rounds=3), MARGIN) == verdict


@given(
    st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-5, 5)).map(sorted),
    st.sampled_from([0.01, 0.03, 0.1]),
)
def test_swapping_the_arms_swaps_the_verdict(ends: list[float], margin: float) -> None:
    low, log_ratio, high = ends
    verdict = decide(interval(low, log_ratio, high), margin)
    swapped = decide(interval(-high, -log_ratio, -low), margin)
    assert swapped == {"faster": "slower", "slower": "faster"}.get(verdict, verdict)


@pytest.mark.parametrize("margin", [0.0, -0.03, math.nan, math.inf])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    for decision in (decide, rounds_needed):
        with pytest.raises(ValueError, match="margin"):
            decision(interval(-1, 0, 1), margin)


RATIO_FROM_2_TO_3 = Estimate(math.log(2.5), math.log(2), math.log(3), 0.99, 10, "signed-rank")


@pytest.mark.parametrize(
    ("op", "limit", "verdict"),
    [
        ("<=", 3, "holds"),
        ("<=", 2.5, "inconclusive"),
        ("<=", 2, "inconclusive"),
        ("<=", 1.9, "fails"),
        ("<", 3.1, "holds"),
        ("<", 3, "inconclusive"),
        ("<", 2, "fails"),
        (">=", 2, "holds"),
        (">=", 3, "inconclusive"),
        (">=", 3.1, "fails"),
        (">", 1.9, "holds"),
        (">", 2, "inconclusive"),
        (">", 3, "fails"),
    ],
)
def test_a_bound_is_judged_by_the_whole_interval(op: Operator, limit: float, verdict: str) -> None:
    assert judge_bound(RATIO_FROM_2_TO_3, op, limit) == verdict


def test_an_exact_ratio_meets_its_own_bound() -> None:
    assert judge_bound(exact_ratio(20, 1000), "<=", 1 / 50) == "holds"
    assert judge_bound(exact_ratio(21, 1000), "<=", 1 / 50) == "fails"
    assert judge_bound(exact_ratio(20, 1000), "<", 1 / 50) == "fails"


def test_one_unbounded_end_decides_only_what_the_other_end_can() -> None:
    unfinished = bound(math.log(20), math.inf, rounds=3)
    assert judge_bound(unfinished, ">=", 10) == "holds"
    assert judge_bound(unfinished, "<=", 10) == "fails"
    assert judge_bound(unfinished, "<=", 100) == "inconclusive"
    assert judge_bound(unfinished, ">=", 100) == "inconclusive"


@given(
    st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-5, 5)).map(sorted),
    st.sampled_from([("<=", ">"), ("<", ">=")]),
    st.floats(0.5, 2),
)
def test_a_claim_holds_exactly_when_its_opposite_fails(
    ends: list[float], ops: tuple[Operator, Operator], limit: float
) -> None:
    estimate = interval(*ends)
    opposite = {"holds": "fails", "fails": "holds", "inconclusive": "inconclusive"}
    assert judge_bound(estimate, ops[0], limit) == opposite[judge_bound(estimate, ops[1], limit)]


@pytest.mark.parametrize("limit", [0.0, -1.0, math.nan, math.inf])
def test_a_bound_that_no_ratio_can_have_is_refused(limit: float) -> None:
    with pytest.raises(ValueError, match="positive number"):
        judge_bound(RATIO_FROM_2_TO_3, "<=", limit)


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ValueError, match="'=='"):
        judge_bound(RATIO_FROM_2_TO_3, "==", 1)  # type: ignore[arg-type]


def test_the_minimal_detectable_effect_is_that_of_the_normal_approximation() -> None:
    # Half-width 0.03 at 99 %: s = 0.03 / 2.5758 = 0.011647; exp((2.5758 + 1.6449) · s) - 1.
    estimate = Estimate(0.0, -0.03, 0.03, 0.99, 20, "signed-rank")
    assert minimal_detectable_effect(estimate) == pytest.approx(0.05039, abs=1e-5)


def test_an_effect_of_the_detectable_size_is_detected_as_often_as_promised() -> None:
    # Known noise s and an interval of ± z·s around what was seen: how often does it exclude 0?
    z, s, power = NormalDist().inv_cdf(0.995), 0.01, 0.9
    effect = math.log1p(
        minimal_detectable_effect(Estimate(0, -z * s, z * s, 0.99, 9, "paired-t"), power)
    )
    seen = np.random.default_rng(3).normal(effect, s, 20_000)
    assert (seen > z * s).mean() == pytest.approx(power, abs=0.01)


def test_without_an_interval_nothing_is_detectable_and_with_exact_counts_everything() -> None:
    assert minimal_detectable_effect(interval(-math.inf, 0, math.inf)) == math.inf
    assert minimal_detectable_effect(bound(0.0, math.inf, 3)) == math.inf
    assert minimal_detectable_effect(bound(0.0, 1.0, 3)) == math.inf
    assert minimal_detectable_effect(exact_ratio(3, 4)) == 0
    assert minimal_detectable_effect(Estimate(0, -900, 900, 0.99, 2, "paired-t")) == math.inf


@pytest.mark.parametrize("power", [0.0, 1.0, 0.3, math.nan])
def test_an_impossible_power_is_refused(power: float) -> None:
    with pytest.raises(ValueError, match="Power"):
        minimal_detectable_effect(interval(-1, 0, 1), power)


def test_rounds_needed_grow_with_the_square_of_the_interval() -> None:
    # Around 0 a half-width of 1.9 g must shrink to g: 20 · 1.9² = 72.2 rounds.
    assert rounds_needed(interval(-1.9, 0, 1.9), MARGIN) == 73
    # Around 0.8 g it is enough to get away from 0: 20 · (1.9 ÷ 0.8)² = 112.8.
    assert rounds_needed(interval(-1.1, 0.8, 2.7), MARGIN) == 113


def test_a_lopsided_interval_needs_at_least_one_more_round() -> None:
    assert rounds_needed(interval(-1.1, 0.0, 0.2), MARGIN) == 21


def test_too_few_rounds_for_an_interval_need_the_smallest_number_that_has_one() -> None:
    assert rounds_needed(hodges_lehmann([0.0, 0.1, 0.2], alpha=0.0025), MARGIN) == 10


@pytest.mark.parametrize(
    "estimate",
    [
        interval(-0.5, 0, 0.5),
        interval(2, 3, 4),
        exact_ratio(3, 3),
        bound(-1.0, math.inf, rounds=3),
        Estimate(0.1, -math.inf, math.inf, 0.99, 1, "paired-t"),
    ],
)
def test_no_number_of_rounds_is_named_where_none_is_needed_or_none_helps(
    estimate: Estimate,
) -> None:
    assert rounds_needed(estimate, MARGIN) is None


@given(st.floats(-3, 3), st.floats(0.01, 10))
def test_with_the_rounds_needed_the_interval_brings_a_verdict(
    centre: float, half_width: float
) -> None:
    estimate = interval(centre - half_width, centre, centre + half_width)
    # Half a margin is the one place where the two roads to a verdict meet and both are closed.
    assume(abs(abs(centre) - 0.5) > 0.01)
    needed = rounds_needed(estimate, MARGIN)
    assume(needed is not None)
    assert needed is not None
    assert needed > estimate.rounds
    # A hair more, for what is reached exactly at the limit is not yet inside it.
    shrunk = half_width * math.sqrt(estimate.rounds / needed) * (1 - 1e-9)
    assert decide(interval(centre - shrunk, centre, centre + shrunk), MARGIN) != "inconclusive"


def test_the_planned_looks_find_three_percent_and_raise_no_false_alarm() -> None:
    """METHOD's figures: processes differ by 1.5 %, heavy tails; at most thirty rounds."""
    looks = (10, 15, 20, 30)
    alpha = looks_alpha(0.01, looks)
    random = np.random.default_rng(11)

    def verdict_after_looks(effect: float) -> Verdict:
        # Student's t with 4 degrees of freedom has a deviation of √2; two arms make √2 more.
        noise = random.standard_t(4, looks[-1]) / math.sqrt(2) * 0.015 * math.sqrt(2)
        verdict: Verdict = "inconclusive"
        for rounds in looks:
            verdict = decide(hodges_lehmann(effect + noise[:rounds], alpha), MARGIN)
            if verdict != "inconclusive":
                break
        return verdict

    same_code = [verdict_after_looks(0.0) for _ in range(1000)]
    three_percent = [verdict_after_looks(G) for _ in range(1000)]
    five_percent = [verdict_after_looks(math.log(1.05)) for _ in range(500)]
    assert sum(verdict in ("faster", "slower") for verdict in same_code) <= 10
    assert same_code.count("same") >= 800
    assert three_percent.count("slower") >= 950
    assert three_percent.count("same") <= 5
    assert three_percent.count("faster") == 0
    assert five_percent.count("slower") >= 495

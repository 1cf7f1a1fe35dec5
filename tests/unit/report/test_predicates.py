"""The language of checks, and that nothing but the interval decides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DefinitionError
from bakeoff.report.check_language import parse_percent, parse_predicate
from bakeoff.report.predicates import (
    BestOn,
    CompletesWithin,
    CrossoverBound,
    DeltaBound,
    ExactCount,
    GrowthBound,
    GrowthRange,
    IndependentOf,
    Predicate,
    RatioBound,
    SameWithin,
    ValueBound,
)
from bakeoff.statistics import Estimate


def parse(text: str, unit: str = "s") -> Predicate:
    """A check on a metric with this unit."""
    return parse_predicate(text, lambda _metric: unit, "time")


def bound(text: str) -> RatioBound | ValueBound:
    """A check that is held against an estimate."""
    predicate = parse(text)
    assert isinstance(predicate, RatioBound | ValueBound)
    return predicate


def judged(text: str, estimate: Estimate) -> str:
    """What becomes of a check."""
    predicate = parse(text)
    assert isinstance(predicate, RatioBound | ValueBound | SameWithin)
    return predicate.judge(estimate, 0.0)


def between(low: float, high: float, ratio: float | None = None) -> Estimate:
    middle = math.sqrt(low * high) if ratio is None else ratio
    return Estimate(math.log(middle), math.log(low), math.log(high), 0.99, 10, "signed-rank")


@pytest.mark.parametrize(
    ("text", "op", "limit"),
    [
        ("ratio <= 1/50", "<=", 0.02),
        ("ratio<=0.02", "<=", 0.02),
        ("ratio >= 1/1.25", ">=", 0.8),
        (' ratio < "0.5" ', "<", 0.5),
        ("ratio > 2", ">", 2.0),
        ("ratio <= 2e-2", "<=", 0.02),
    ],
)
def test_a_ratio_is_bounded_by_a_number_or_a_fraction(text: str, op: str, limit: float) -> None:
    predicate = parse(text)
    assert isinstance(predicate, RatioBound)
    assert predicate.op == op
    assert predicate.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "unit", "limit"),
    [
        ("value <= 910ms", "s", 0.91),
        ("value < 2.5 us", "s", 2.5e-6),
        ("value >= 3µs", "s", 3e-6),
        ("value <= 1.5MB", "B", 1.5e6),
        ("value <= 2KiB", "B", 2048.0),
        ("value <= 12", "1", 12.0),
    ],
)
def test_a_value_is_bounded_by_a_quantity_in_a_unit_of_its_metric(
    text: str, unit: str, limit: float
) -> None:
    predicate = parse(text, unit)
    assert isinstance(predicate, ValueBound)
    assert predicate.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("ratio <= 1/0", "s", "not a positive number"),
        ("ratio <= 0", "s", "not a positive number"),
        ("ratio <= fifty", "s", "not a positive number"),
        ("ratio <=", "s", "not a positive number"),
        ("ratio == 1", "s", "not one this version knows"),
        ("value <= 10ms", "B", "not a unit of this metric"),
        ("value <= 10kB", "1", "a plain count"),
        ("value <= 10", "s", "has no unit"),
        ("value <= soon", "s", "not a quantity"),
        ("same within 3", "s", "not a percentage"),
        ("same within 0%", "s", "above zero"),
        ("p90 ratios <= 1", "s", "There are: 'ratio <= x'"),
        ("ratoi <= x", "s", "Did you mean 'ratio <= x'?"),
    ],
)
def test_a_check_that_cannot_be_read_says_why(text: str, unit: str, expected: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse(text, unit)
    assert expected in str(caught.value)


def test_a_percentage_is_a_share() -> None:
    assert parse_percent(" 2.5 % ", "here") == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("check", "low", "high", "verdict"),
    [
        ("ratio <= 1/50", 0.01, 0.019, "holds"),
        ("ratio <= 1/50", 0.01, 0.021, "inconclusive"),
        ("ratio <= 1/50", 0.021, 0.03, "fails"),
        ("ratio >= 2", 2.1, 3.0, "holds"),
        ("ratio >= 2", 1.9, 3.0, "inconclusive"),
        ("ratio > 2", 1.0, 1.9, "fails"),
        ("same within 3%", 0.98, 1.02, "holds"),
        ("same within 3%", 0.98, 1.04, "inconclusive"),
        ("same within 3%", 1.031, 1.04, "fails"),
        ("same within 3%", 0.9, 0.96, "fails"),
    ],
)
def test_a_claim_is_inconclusive_when_the_interval_crosses_its_bound(
    check: str, low: float, high: float, verdict: str
) -> None:
    assert judged(check, between(low, high)) == verdict


@given(
    low=st.floats(0.001, 1.0),
    width=st.floats(1.01, 10.0),
    share=st.floats(0.0, 1.0),
    limit=st.floats(0.001, 10.0),
)
def test_the_point_estimate_has_no_part_in_the_verdict(
    low: float, width: float, share: float, limit: float
) -> None:
    predicate = RatioBound("time", "<=", limit, str(limit))
    high = low * width
    point = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
    point = min(max(point, low), high)
    assert predicate.judge(between(low, high, point), 0.0) == predicate.judge(
        between(low, high), 0.0
    )


def test_a_tolerance_moves_the_bound_away_on_either_side() -> None:
    assert bound("ratio <= 1/50").bound(0.15) == pytest.approx(0.023)
    assert bound("ratio >= 23").bound(0.15) == pytest.approx(20.0)


def test_a_tolerance_is_shown_beside_the_bound() -> None:
    assert bound("ratio <= 1/50").describe("s", 0.15) == "≤ 0.0230× (1/50 and 15 %)"
    assert bound("ratio <= 1/50").describe("s", 0.0) == "≤ 0.0200× (1/50)"
    assert bound("value < 910ms").describe("s", 0.0) == "< 910 ms"
    assert parse("same within 3%").describe("s", 0.0) == "within 3 %"


def test_the_cell_nearest_to_breaking_a_claim_has_the_greatest_strain() -> None:
    assert bound("ratio <= 1").strain(-2, -1) > bound("ratio <= 1").strain(-2, -1.5)
    assert bound("ratio >= 1").strain(0.1, 3) > bound("ratio >= 1").strain(0.7, 0.9)
    same = SameWithin("time", 0.03)
    assert same.strain(-0.1, 0.0) > same.strain(-0.01, 0.02)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("delta <= 500ms", DeltaBound("time", "<=", 0.5, "500ms")),
        ("p90 ratio <= 1/2", RatioBound("p90", "<=", 0.5, "1/2")),
        ("p99.9 value < 3s", ValueBound("p99.9", "<", 3.0, "3s")),
        ("growth(n) <= 0.1", GrowthBound("time", "n", "<=", 0.1)),
        ("growth( crds ) in 0.9..1.1", GrowthRange("time", "crds", 0.9, 1.1)),
        ("exact requests == 1", ExactCount("requests", 1.0)),
        ("independent of crds within 5%", IndependentOf("time", "crds", 0.05)),
        ("completes within 60s", CompletesWithin("time", 60.0, "60s")),
        ("best on allocated_bytes", BestOn("allocated_bytes")),
        ("crossover(n) <= 500", CrossoverBound("time", "n", "<=", 500.0)),
    ],
)
def test_every_form_of_a_check_is_read(text: str, expected: Predicate) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("check", "between", "verdict"),
    [
        ("growth(n) <= 0.1", (-0.05, 0.09), "holds"),
        ("growth(n) <= 0.1", (0.11, 0.2), "fails"),
        ("growth(n) <= 0.1", (0.05, 0.2), "inconclusive"),
        ("growth(n) in 0.9..1.1", (0.95, 1.05), "holds"),
        ("growth(n) in 0.9..1.1", (1.2, 1.3), "fails"),
        ("growth(n) in 0.9..1.1", (0.95, 1.2), "inconclusive"),
        ("delta <= 2us", (-1e-6, 1.5e-6), "holds"),
        ("delta <= 2us", (2.5e-6, 3e-6), "fails"),
        ("crossover(n) <= 500", (100.0, 400.0), "holds"),
        ("crossover(n) <= 500", (100.0, 600.0), "inconclusive"),
        ("crossover(n) <= 500", (600.0, math.inf), "fails"),
    ],
)
def test_an_interval_of_any_scale_is_held_against_its_bound(
    check: str, between: tuple[float, float], verdict: str
) -> None:
    predicate = parse(check)
    assert isinstance(predicate, GrowthBound | GrowthRange | DeltaBound | CrossoverBound)
    assert predicate.judge_between(*between, 0.0) == verdict


def test_a_range_that_holds_no_number_is_refused() -> None:
    with pytest.raises(DefinitionError, match="no number lies between"):
        parse("growth(n) in 1.1..0.9")

"""What counts as an alarm, as found, and as a mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.trial.made_up import outcome, outcomes
from tools.trial.summary import Count, summarise


def test_functions_that_are_alike_raise_an_alarm_in_either_direction() -> None:
    (summary,) = summarise(outcomes("slower", "faster", "same", "inconclusive", "no difference"))
    assert summary.alarms == Count(2, 5)
    assert summary.proven_same == Count(1, 5)
    assert summary.inconclusive == Count(1, 5)


def test_a_slowed_function_is_found_only_in_the_right_direction() -> None:
    (summary,) = summarise(outcomes("slower", "faster", "no difference", effect=5))
    assert summary.found == {5: Count(1, 3)}
    assert summary.faster == Count(1, 3)


def test_a_wrong_direction_is_counted_over_all_effects_and_none() -> None:
    (summary,) = summarise([*outcomes("faster", "same"), *outcomes("faster", effect=10)])
    assert summary.faster == Count(2, 3)
    assert summary.alarms == Count(1, 2)


def test_two_percent_may_be_called_the_same_but_three_may_not() -> None:
    (summary,) = summarise([*outcomes("same", effect=2), *outcomes("same", "slower", effect=3)])
    assert summary.wrongly_same == Count(1, 2)


def test_a_failed_comparison_is_in_no_count_but_is_told() -> None:
    (summary,) = summarise(outcomes("failed", "slower", effect=5))
    assert summary.found == {5: Count(1, 1)}
    assert summary.failed == 1


def test_of_a_comparison_made_twice_the_last_one_counts() -> None:
    failed = outcome("failed")
    (summary,) = summarise([failed, replace(failed, verdict="slower")])
    assert summary.alarms == Count(1, 1)
    assert summary.failed == 0


def test_conditions_and_tools_are_kept_apart_and_quiet_comes_first() -> None:
    mixed = [
        outcome("slower", condition="noisy", tool="a"),
        outcome("same", tool="b"),
        outcome("same", tool="a"),
    ]
    summaries = summarise(mixed)
    assert [(s.condition, s.tool) for s in summaries] == [
        ("quiet", "a"),
        ("quiet", "b"),
        ("noisy", "a"),
    ]
    assert [s.alarms.hits for s in summaries] == [0, 0, 1]


def test_the_time_of_a_comparison_is_the_median() -> None:
    trials = [outcome(trial=n, seconds=seconds) for n, seconds in enumerate((1.0, 2.0, 60.0))]
    assert summarise(trials)[0].median_s == 2.0


# Clopper and Pearson's bounds where they have a closed form: with no hit the high one solves
# (1 - p)^n = 0.025, with nothing but hits the low one p^n = 0.025.
@pytest.mark.parametrize("total", [1, 10, 40])
def test_an_interval_of_none_or_all_is_that_of_the_closed_form(total: int) -> None:
    low, high = Count(0, total).interval()
    assert low == 0.0
    assert (1 - high) ** total == pytest.approx(0.025)
    low, high = Count(total, total).interval()
    assert high == 1.0
    assert low**total == pytest.approx(0.025)


def test_a_share_of_nothing_is_no_share() -> None:
    with pytest.raises(ZeroDivisionError):
        _ = Count(0, 0).share

"""Every kind of pair has its share wherever the trial ends, and nobody is always the first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from tests.unit.trial.made_up import outcome
from tools.trial.outcomes import Condition
from tools.trial.plan import Pair, already_judged, judge_order, plan_pairs

COUNTS: dict[tuple[Condition, int], int] = {("quiet", 0): 40, ("quiet", 5): 20, ("noisy", 0): 10}
JUDGES = ["asv", "bakeoff", "pyperf"]


def kinds(pairs: list[Pair]) -> Counter[tuple[Condition, int]]:
    return Counter((pair.condition, pair.effect_percent) for pair in pairs)


def test_every_pair_is_planned_once() -> None:
    pairs = plan_pairs(COUNTS, seed=1)
    assert kinds(pairs) == COUNTS
    assert len(set(pairs)) == len(pairs)


def test_half_of_the_plan_holds_half_of_each_kind() -> None:
    pairs = plan_pairs(COUNTS, seed=1)
    for kind, count in kinds(pairs[: len(pairs) // 2]).items():
        assert abs(count - COUNTS[kind] / 2) <= 1


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert plan_pairs(COUNTS, seed=1) == plan_pairs(COUNTS, seed=1)
    assert plan_pairs(COUNTS, seed=1) != plan_pairs(COUNTS, seed=2)


def test_every_judge_is_first_about_as_often() -> None:
    pairs = [Pair("quiet", 0, trial) for trial in range(300)]
    first = Counter(judge_order(JUDGES, pair, seed=1)[0] for pair in pairs)
    assert set(first) == set(JUDGES)
    assert min(first.values()) > 60


def test_the_order_of_judges_does_not_depend_on_how_they_were_named() -> None:
    pair = Pair("noisy", 5, 3)
    assert judge_order(JUDGES, pair, 1) == judge_order(JUDGES[::-1], pair, 1)


def test_what_failed_is_judged_again_and_what_did_not_is_not() -> None:
    good, bad = outcome("same", trial=0), outcome("failed", trial=1)
    noisy = replace(good, condition="noisy")
    assert already_judged([good, bad, noisy]) == {
        ("a tool", Pair("quiet", 0, 0)),
        ("a tool", Pair("noisy", 0, 0)),
    }

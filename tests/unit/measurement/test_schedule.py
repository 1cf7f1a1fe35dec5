from __future__ import annotations

from collections import Counter

import pytest

from bakeoff.measurement.schedule import (
    BLOCKS,
    MINIMUM_BLOCKS,
    blocks_within_budget,
    few_rounds,
    plan_round,
    round_seed,
)

ARMS = ["a", "b", "<control>"]


def test_the_same_seed_plans_the_same_round() -> None:
    first, second = (plan_round(7, ARMS, (0, 1), 1) for _ in range(2))
    assert first == second
    assert first.block_orders(ARMS, 9) == second.block_orders(ARMS, 9)


def test_every_round_of_a_run_has_a_seed_of_its_own_that_fits_a_hash_seed() -> None:
    seeds = {
        round_seed(1, cell, attempt, number)
        for cell in ("x[]", "y[]")
        for attempt in (1, 2)
        for number in range(60)
    }
    assert len(seeds) == 2 * 2 * 60
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_all_arms_of_a_round_share_cpus_and_rounds_differ_in_them() -> None:
    drawn = Counter(plan_round(seed, ARMS, (0, 1, 2, 3), 1).cpus for seed in range(400))
    assert set(drawn) == {(0,), (1,), (2,), (3,)}
    assert min(drawn.values()) > 60


def test_a_workload_that_needs_more_cpus_than_there_are_gets_all_of_them() -> None:
    assert plan_round(1, ARMS, (3, 5), 8).cpus == (3, 5)


def test_where_pinning_is_impossible_no_cpu_is_drawn() -> None:
    assert plan_round(1, ARMS, (), 1).cpus == ()


def test_every_block_lets_every_arm_run_once_and_orders_differ() -> None:
    orders = plan_round(3, ARMS, (0,), 1).block_orders(ARMS, 30)
    assert all(sorted(order) == sorted(ARMS) for order in orders)
    assert len({tuple(order) for order in orders}) > 1


def test_each_arm_is_first_in_a_block_about_equally_often() -> None:
    first = Counter(
        order[0]
        for seed in range(50)
        for order in plan_round(seed, ARMS, (0,), 1).block_orders(ARMS, 30)
    )
    assert all(400 < count < 600 for count in first.values()), first


@pytest.mark.parametrize(
    ("batches", "blocks"),
    [
        ([0.005, 0.005], BLOCKS),
        ([0.1, 0.1], 10),
        ([0.9, 0.9], MINIMUM_BLOCKS),
    ],
)
def test_blocks_shrink_with_slow_batches_but_never_below_five(
    batches: list[float], blocks: int
) -> None:
    assert blocks_within_budget(batches, 2.0) == blocks


@pytest.mark.parametrize(("seconds", "rounds"), [(0.9, None), (1.1, 5), (4.9, 5), (5.1, 3)])
def test_slow_operations_need_few_rounds(seconds: float, rounds: int | None) -> None:
    assert few_rounds(seconds) == rounds

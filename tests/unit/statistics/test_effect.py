"""The log ratio of one round: median over blocks, and garbage collection added back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.statistics import (
    BlockTimes,
    RoundEffect,
    has_bursts,
    log_ratios_of,
    round_effect,
    sensitivity,
)


def turns(
    *mutator_s: float, gc_s: tuple[float, ...] | None = None, first_block: int = 0
) -> BlockTimes:
    """One turn per block from `first_block` on, without garbage collection unless it is given."""
    blocks = tuple(range(first_block, first_block + len(mutator_s)))
    return BlockTimes(blocks, mutator_s, gc_s or (0.0,) * len(mutator_s))


def round_log_ratio(arm: BlockTimes, baseline: BlockTimes) -> float:
    """The whole effect of a comparison that has this round only."""
    return log_ratios_of([round_effect(arm, baseline)], with_bursts=False).per_round[0]


positive = st.floats(1e-6, 10)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[BlockTimes, BlockTimes]:
    """Two arms with the same blocks."""
    count = draw(st.integers(1, 12))
    several = st.lists(positive, min_size=count, max_size=count).map(tuple)
    gc_s = st.lists(st.floats(0, 1), min_size=count, max_size=count).map(tuple)
    blocks = tuple(draw(st.permutations(range(count))))
    return (
        BlockTimes(blocks, draw(several), draw(gc_s)),
        BlockTimes(tuple(range(count)), draw(several), draw(gc_s)),
    )


def test_the_effect_is_the_median_of_the_blocks_ratios() -> None:
    # 0.5, 2 and 1.5 times: the middle one counts. The ratio of medians would be 3/2.
    assert math.exp(round_log_ratio(turns(1, 4, 3), turns(2, 2, 2))) == pytest.approx(1.5)
    assert math.exp(round_log_ratio(turns(1, 20, 3), turns(2, 2, 10))) == pytest.approx(0.5)


def test_a_machine_that_changes_speed_between_blocks_changes_nothing() -> None:
    speeds = (1.0, 1.85, 1.0, 1.85, 7.0)
    arm = turns(*(0.5 * speed for speed in speeds))
    assert math.exp(round_log_ratio(arm, turns(*speeds))) == pytest.approx(0.5)


def test_blocks_are_paired_by_their_number_and_not_by_their_place() -> None:
    arm = BlockTimes((2, 0, 1), (30.0, 10.0, 20.0), (0.0,) * 3)
    baseline = BlockTimes((0, 1, 2), (1.0, 2.0, 3.0), (0.0,) * 3)
    assert math.exp(round_log_ratio(arm, baseline)) == pytest.approx(10)


def test_only_common_blocks_are_compared() -> None:
    arm = BlockTimes((0, 1, 2), (2.0, 2.0, 99.0), (0.0,) * 3)
    baseline = BlockTimes((0, 1, 3), (1.0, 1.0, 1.0), (0.0,) * 3)
    assert math.exp(round_log_ratio(arm, baseline)) == pytest.approx(2)


def test_an_arm_that_allocates_more_is_not_flattered_by_the_median() -> None:
    # The same work, but one of five batches has a collection of half a second per operation:
    # invisible to the median, a tenth of a second per operation in truth.
    arm = turns(1, 1, 1, 1, 1, gc_s=(0, 0, 0.5, 0, 0))
    assert math.exp(round_log_ratio(arm, turns(1, 1, 1, 1, 1))) == pytest.approx(1.1)


def test_the_gc_rule_worked_by_hand() -> None:
    # e^m = median(3/2, 4/2, 5/2) = 2; Y = 2; c = 1/3 and 2/3: (2·2 + 1/3) ÷ (2 + 2/3) = 1.625.
    arm = turns(3, 4, 5, gc_s=(1, 0, 0))
    baseline = turns(2, 2, 2, gc_s=(0, 2, 0))
    assert math.exp(round_log_ratio(arm, baseline)) == pytest.approx(1.625)


def test_arms_without_a_common_block_are_compared_by_their_medians() -> None:
    # Medians 6 and 2, and a gc of 1 per operation for the arm: (3·2 + 1) ÷ 2.
    arm = turns(5, 6, 70, gc_s=(1, 1, 1))
    baseline = turns(2, 1, 2, first_block=10)
    assert math.exp(round_log_ratio(arm, baseline)) == pytest.approx(3.5)


@given(pairs(), st.floats(1e-3, 1e3))
def test_scaling_both_arms_leaves_the_ratio(
    pair: tuple[BlockTimes, BlockTimes], scale: float
) -> None:
    def scaled(arm: BlockTimes) -> BlockTimes:
        return BlockTimes(
            arm.blocks,
            tuple(time * scale for time in arm.mutator_s),
            tuple(time * scale for time in arm.gc_s),
        )

    arm, baseline = pair
    assert round_log_ratio(scaled(arm), scaled(baseline)) == pytest.approx(
        round_log_ratio(arm, baseline), abs=1e-9
    )


@given(pairs())
def test_an_arm_against_itself_has_no_effect(pair: tuple[BlockTimes, BlockTimes]) -> None:
    assert round_log_ratio(pair[0], pair[0]) == pytest.approx(0, abs=1e-12)


@given(pairs())
def test_without_garbage_collection_swapping_the_arms_inverts_the_ratio(
    pair: tuple[BlockTimes, BlockTimes],
) -> None:
    arm, baseline = (BlockTimes(a.blocks, a.mutator_s, (0.0,) * len(a.blocks)) for a in pair)
    assert round_log_ratio(arm, baseline) == pytest.approx(
        -round_log_ratio(baseline, arm), abs=1e-9
    )


@given(pairs(), st.floats(0.01, 1))
def test_more_garbage_collection_is_never_faster(
    pair: tuple[BlockTimes, BlockTimes], more_s: float
) -> None:
    arm, baseline = pair
    wasteful = BlockTimes(arm.blocks, arm.mutator_s, tuple(time + more_s for time in arm.gc_s))
    assert round_log_ratio(wasteful, baseline) > round_log_ratio(arm, baseline)


def test_sensitivity_is_the_ratio_of_medians_means_and_minima_with_gc() -> None:
    arm = turns(2, 3, 4, gc_s=(1, 3, 2))  # in all 3, 6, 6
    found = sensitivity(arm, turns(1, 2, 6))
    assert math.exp(found.medians) == pytest.approx(6 / 2)
    assert math.exp(found.means) == pytest.approx(5 / 3)
    assert math.exp(found.minima) == pytest.approx(3 / 1)


def effect(**shares: float) -> RoundEffect:
    """A round without an effect, but for what is given."""
    nothing = {"log_ratio": 0.0, "gc": 0.0, "baseline_gc": 0.0, "burst": 0.0, "baseline_burst": 0.0}
    return RoundEffect(**(nothing | shares))


def test_what_comes_in_fewer_than_half_of_the_rounds_counts_by_its_mean() -> None:
    # Three of ten rounds hold a collection of half the round's work: 15 % in truth, 0 by any median.
    effects = [effect(gc=0.5 if number < 3 else 0.0) for number in range(10)]
    found = log_ratios_of(effects, with_bursts=False)
    assert math.exp(sum(found.added) / 10) == pytest.approx(1.15)
    assert len(set(found.added)) == 2, "its uncertainty is in the spread over rounds"


def test_bursts_count_only_where_they_are_asked_for() -> None:
    effects = [effect(burst=0.2)] * 8
    assert log_ratios_of(effects, with_bursts=False).added == (0.0,) * 8
    assert log_ratios_of(effects, with_bursts=True).added == pytest.approx((math.log(1.2),) * 8)


def test_an_arm_with_a_burst_in_every_round_has_bursts() -> None:
    jitter = [0.001 * (number % 5) for number in range(10)]
    bursty = [effect(burst=0.1 + j, baseline_burst=0.004 - j) for j in jitter]
    assert has_bursts(bursty, 0.0025)
    swapped = [effect(burst=0.004 - j, baseline_burst=0.1 + j) for j in jitter]
    assert has_bursts(swapped, 0.0025), "the baseline's bursts are bursts, too"


def test_what_the_machine_does_to_both_arms_is_no_burst() -> None:
    noise = [(0.3, 0.01), (0.02, 0.4), (0.05, 0.05), (0.0, 0.2), (0.25, 0.0)] * 2
    assert not has_bursts([effect(burst=a, baseline_burst=b) for a, b in noise], 0.0025)


def test_bursts_that_hardly_count_are_left_to_the_median() -> None:
    assert not has_bursts([effect(burst=0.008)] * 30, 0.0025)


@pytest.mark.parametrize(
    ("blocks", "mutator_s", "gc_s", "complaint"),
    [
        ((), (), (), "without a turn"),
        ((0, 1), (1.0,), (0.0,), "there are 2, 1 and 1"),
        ((0,), (1.0,), (), "there are 1, 1 and 0"),
        ((3, 3), (1.0, 1.0), (0.0, 0.0), "one turn in a block"),
        ((0,), (0.0,), (0.0,), "mutator_s"),
        ((0,), (math.nan,), (0.0,), "mutator_s"),
        ((0,), (math.inf,), (0.0,), "mutator_s"),
        ((0,), (1.0,), (-0.1,), "gc_s"),
        ((0,), (1.0,), (math.nan,), "gc_s"),
    ],
)
def test_impossible_times_are_refused(
    blocks: tuple[int, ...], mutator_s: tuple[float, ...], gc_s: tuple[float, ...], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        BlockTimes(blocks, mutator_s, gc_s)

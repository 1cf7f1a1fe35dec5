"""The effect in one round: what the turns of two arms say about their ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, median


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """One arm's turns in one round, each as time per operation.

    Attributes
    ----------
    blocks : tuple of int
        The block of each turn; turns of two arms in one block are milliseconds apart.
    mutator_s : tuple of float
        Seconds per operation without garbage collection, positive.
    gc_s : tuple of float
        Seconds of garbage collection per operation.

    Raises
    ------
    ValueError
        If the three differ in length, are empty, name a block twice, or hold an impossible time.
    """

    blocks: tuple[int, ...]
    mutator_s: tuple[float, ...]
    gc_s: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.blocks) == len(self.mutator_s) == len(self.gc_s):
            raise ValueError(
                f"Each turn has a block, a time and a gc time, but there are {len(self.blocks)}, "
                f"{len(self.mutator_s)} and {len(self.gc_s)}."
            )
        if not self.blocks:
            raise ValueError("An arm without a turn has no times.")
        if len(set(self.blocks)) != len(self.blocks):
            raise ValueError(f"An arm has one turn in a block, but blocks are {self.blocks}.")
        if not all(math.isfinite(time) and time > 0 for time in self.mutator_s):
            raise ValueError(f"Times are positive and finite, but mutator_s is {self.mutator_s}.")
        if not all(math.isfinite(time) and time >= 0 for time in self.gc_s):
            raise ValueError(f"gc times are not negative and finite, but gc_s is {self.gc_s}.")


def round_log_ratio(arm: BlockTimes, baseline: BlockTimes) -> float:
    """The log ratio of one round: the median over its blocks, with garbage collection added back.

    The median of the blocks' ratios cancels what the machine does, but it would also drop the few
    batches that a collection falls into, and so flatter whoever allocates most. Therefore the
    blocks are compared without gc time, and each arm's mean gc time per operation is added
    afterwards: with m the median over common blocks of ``ln(y_arm ÷ y_baseline)``, Y the
    baseline's median y and c the mean gc time, the effect is
    ``ln((e^m·Y + c_arm) ÷ (Y + c_baseline))``.

    Parameters
    ----------
    arm, baseline : BlockTimes
        Their turns in the same round. Arms with no block in common (slow ones have one turn) are
        compared by their medians instead of m.

    Returns
    -------
    float
        ``ln(arm ÷ baseline)``; below 0 means that the arm is faster.

    References
    ----------
    Bulej et al., "Duet benchmarking", ICPE 2020, for the arms in turns.
    """
    own = dict(zip(arm.blocks, arm.mutator_s, strict=True))
    reference = dict(zip(baseline.blocks, baseline.mutator_s, strict=True))
    common = own.keys() & reference.keys()
    baseline_s = median(baseline.mutator_s)
    if common:
        ratio = math.exp(median(math.log(own[block] / reference[block]) for block in common))
    else:
        ratio = median(arm.mutator_s) / baseline_s
    return math.log((ratio * baseline_s + fmean(arm.gc_s)) / (baseline_s + fmean(baseline.gc_s)))


def sensitivity_log_ratios(arm: BlockTimes, baseline: BlockTimes) -> tuple[float, float]:
    """Two other ways to see the same round, shown beside the estimate and never decided by.

    Returns
    -------
    tuple of float
        Log ratio of the arms' median times, and of their least times, garbage collection included:
        the minimum hides it, and both are noisier than the median of the blocks' ratios.
    """
    own = _whole_times(arm)
    reference = _whole_times(baseline)
    return (
        math.log(median(own) / median(reference)),
        math.log(min(own) / min(reference)),
    )


def _whole_times(arm: BlockTimes) -> list[float]:
    return [mutator + gc for mutator, gc in zip(arm.mutator_s, arm.gc_s, strict=True)]

"""The effect in one round: what the turns of two arms say about their ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from bakeoff.statistics._validation import FloatArray
from bakeoff.statistics.log_ratios import LogRatios, estimate_over_rounds

#: Bursts of less than this share of the typical time are left to the median: a third of the margin.
BURST_SHARE = 0.01

#: Choosing the mean where there is no burst would cost the interval coverage, so that is made rare: a tenth
#: of what the interval itself may spend.
BURST_ALPHA_SHARE = 0.1

#: A difference in collections and bursts from which on rounds are made longer.
RARE_SHARE = 0.02


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


@dataclass(frozen=True, slots=True)
class RoundEffect:
    """What the turns of one round say about two arms.

    Attributes
    ----------
    log_ratio : float
        ``ln(arm ÷ baseline)`` of their typical times without garbage collection: the median over
        the blocks that both took part in.
    gc, baseline_gc : float
        Time in garbage collection per operation ÷ the arm's typical time.
    burst, baseline_burst : float
        How far the mean turn is above the median turn, without garbage collection: 0.1 is 10 %.
    """

    log_ratio: float
    gc: float
    baseline_gc: float
    burst: float
    baseline_burst: float


def round_effect(arm: BlockTimes, baseline: BlockTimes) -> RoundEffect:
    """Compare two arms in one round.

    The median of the blocks' ratios cancels what the machine does, but it also drops the few turns
    that a collection or a burst falls into, and so flatters whoever has them. Therefore those are
    kept beside it, each relative to the arm's typical time; `log_ratios_of` adds them back.

    Parameters
    ----------
    arm, baseline : BlockTimes
        Their turns in the same round. Arms with no block in common (slow ones have one turn) are
        compared by their medians.

    References
    ----------
    Bulej et al., "Duet benchmarking", ICPE 2020, for the arms in turns.
    """
    own = dict(zip(arm.blocks, arm.mutator_s, strict=True))
    reference = dict(zip(baseline.blocks, baseline.mutator_s, strict=True))
    common = own.keys() & reference.keys()
    baseline_s = median(baseline.mutator_s)
    if common:
        log_ratio = median(math.log(own[block] / reference[block]) for block in common)
    else:
        log_ratio = math.log(median(arm.mutator_s) / baseline_s)
    return RoundEffect(
        log_ratio=log_ratio,
        gc=fmean(arm.gc_s) / (math.exp(log_ratio) * baseline_s),
        baseline_gc=fmean(baseline.gc_s) / baseline_s,
        burst=_excess(arm.mutator_s),
        baseline_burst=_excess(baseline.mutator_s),
    )


def log_ratios_of(effects: Sequence[RoundEffect], *, with_bursts: bool) -> LogRatios:
    """The rounds of two arms as log ratios, with what is rare added back as a mean over all rounds.

    Collections and bursts come once in many operations, so a round holds one, two or none of them,
    by chance. Only their mean over the rounds is what they cost: with c the mean over rounds of an
    arm's rare time ÷ its typical time, the added part has the mean ``ln(1 + c) - ln(1 + c_base)``,
    and round r deviates from it by what it contributes (to first order), so that the spread of the
    added part is the uncertainty of that mean.

    Parameters
    ----------
    effects : sequence of RoundEffect
        One per round, at least one.
    with_bursts : bool
        Whether bursts count, too; they are noise of the machine unless `has_bursts` proves them.
    """
    own = np.array([one.gc + (one.burst if with_bursts else 0.0) for one in effects])
    base = np.array(
        [one.baseline_gc + (one.baseline_burst if with_bursts else 0.0) for one in effects]
    )
    added = _log1p_of_mean(own) - _log1p_of_mean(base)
    return LogRatios(tuple(one.log_ratio for one in effects), tuple(added.tolist()))


def is_rare_cost(effects: Sequence[RoundEffect]) -> bool:
    """Whether all rounds agree that one arm pays more than the other beyond its median turn.

    Parameters
    ----------
    effects : sequence of RoundEffect
        A few rounds.

    Returns
    -------
    bool
        True if collections and bursts make a difference of at least `RARE_SHARE` in each of them,
        and always to the same side.
    """
    differences = [
        math.log1p(one.gc + one.burst) - math.log1p(one.baseline_gc + one.baseline_burst)
        for one in effects
    ]
    return min(differences) >= RARE_SHARE or max(differences) <= -RARE_SHARE


def has_bursts(effects: Sequence[RoundEffect], alpha: float) -> bool:
    """Whether one arm's time comes in bursts that the other's has not, beyond what chance does.

    What the machine does to the turns of a round hits both arms alike; a cost of the arm's own
    (a table that is rebuilt, a cache that is emptied) hits it in every round.

    Parameters
    ----------
    effects : sequence of RoundEffect
        One per round.
    alpha : float
        What the interval may spend; seeing bursts where there are none may cost a tenth of it.

    Returns
    -------
    bool
        True if the interval of the difference (signed-rank, Student's for few rounds) excludes zero
        and the difference is at least `BURST_SHARE`.
    """
    differences = [math.log1p(one.burst) - math.log1p(one.baseline_burst) for one in effects]
    if fmean(differences) == 0.0 or abs(fmean(differences)) < BURST_SHARE:
        return False
    estimate = estimate_over_rounds(LogRatios.of(differences), alpha * BURST_ALPHA_SHARE)
    return estimate.log_low > 0.0 or estimate.log_high < 0.0


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Other ways to see the same round, shown beside the estimate and never decided by.

    Attributes
    ----------
    medians, means, minima : float
        Log ratio of the arms' median, mean and least turn, garbage collection included. All are
        noisier than the median of the blocks' ratios; the minimum hides what is rare, the mean
        holds all that the machine did.
    """

    medians: float
    means: float
    minima: float


def sensitivity(arm: BlockTimes, baseline: BlockTimes) -> Sensitivity:
    """Compare two arms in one round by other summaries of their turns."""
    own = _whole_times(arm)
    reference = _whole_times(baseline)
    return Sensitivity(
        medians=math.log(median(own) / median(reference)),
        means=math.log(fmean(own) / fmean(reference)),
        minima=math.log(min(own) / min(reference)),
    )


def _whole_times(arm: BlockTimes) -> list[float]:
    return [mutator + gc for mutator, gc in zip(arm.mutator_s, arm.gc_s, strict=True)]


def _excess(times: Sequence[float]) -> float:
    """How far the mean is above the median, as a share of it."""
    return fmean(times) / median(times) - 1.0


def _log1p_of_mean(shares: FloatArray) -> FloatArray:
    """``ln(1 + mean)`` and each round's first-order contribution to it."""
    mean = float(shares.mean())
    return math.log1p(mean) + (shares - mean) / (1.0 + mean)

"""One arm's part of a round as numbers: times per operation, collections, quantiles."""

from __future__ import annotations

import statistics as figures
from collections.abc import Sequence

from bakeoff import statistics
from bakeoff.results.records import ArmRound, RoundRecord


def block_times(arm: ArmRound) -> statistics.BlockTimes:
    """The turns of an arm, each as time per operation."""
    return statistics.BlockTimes(
        blocks=tuple(batch.block for batch in arm.batches),
        mutator_s=tuple((batch.wall_s - batch.gc_s) / arm.iterations for batch in arm.batches),
        gc_s=tuple(batch.gc_s / arm.iterations for batch in arm.batches),
    )


def operation_s(arms: Sequence[ArmRound], *, with_bursts: bool) -> tuple[float, ...]:
    """Seconds of one operation in each round, with what is rare as a mean over all rounds.

    Parameters
    ----------
    arms : sequence of ArmRound
        The same arm in several rounds.
    with_bursts : bool
        Whether the mean turn counts instead of the median one: only where bursts are proven.

    Returns
    -------
    tuple of float
        A censored operation stands as its limit.
    """
    typical_s: list[float] = []
    shares: list[float] = []
    for arm in arms:
        if arm.censored_s is not None:
            typical_s.append(arm.censored_s)
            continue
        times = block_times(arm)
        median_s = figures.median(times.mutator_s)
        rare_s = figures.fmean(times.gc_s)
        if with_bursts:
            rare_s += figures.fmean(times.mutator_s) - median_s
        typical_s.append(median_s)
        shares.append(rare_s / median_s)
    share = figures.fmean(shares) if shares else 0.0
    return tuple(
        seconds if arm.censored_s is not None else seconds * (1.0 + share)
        for arm, seconds in zip(arms, typical_s, strict=True)
    )


def gc_s(arm: ArmRound) -> float:
    """Seconds of garbage collection per operation."""
    return _per_operation(arm, [batch.gc_s for batch in arm.batches])


def collections(arm: ArmRound) -> float:
    """Garbage collections per operation, of any generation."""
    return _per_operation(arm, [batch.collections for batch in arm.batches])


def has_figure(arm: ArmRound) -> bool:
    """Whether the arm was measured, if only up to its limit."""
    return arm.failure is None and (arm.censored_s is not None or bool(arm.batches))


def slowest_probe_s(rounds: Sequence[RoundRecord], arm: str) -> float:
    """The slowest first operation of an arm, at least; 0 if it has none."""
    probes = [
        record.arms[arm].probe_s or record.arms[arm].censored_s or 0.0
        for record in rounds
        if arm in record.arms
    ]
    return max(probes, default=0.0)


def _per_operation(arm: ArmRound, amounts: Sequence[float]) -> float:
    return figures.fmean(amounts) / arm.iterations if amounts else 0.0

"""Hodges-Lehmann estimates with exact signed-rank intervals: the interval of every headline.

The rounds are paired and the order inside a round is random, so under the null hypothesis each log
ratio is as likely to be positive as negative, whatever the machine did that hour. That is all the
signed-rank test asks for, and its interval is exact for any number of rounds.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bakeoff.statistics._validation import finite_vector, require_alpha
from bakeoff.statistics.estimate import Estimate


def hodges_lehmann(log_ratios: npt.ArrayLike, alpha: float) -> Estimate:
    """Estimate the centre of paired log ratios, with its exact signed-rank interval.

    Parameters
    ----------
    log_ratios : array_like of shape (rounds,)
        ``ln(implementation ÷ baseline)``, one per round; their order is irrelevant.
    alpha : float
        Probability that the interval misses: 0.01 for 99 %.

    Returns
    -------
    Estimate
        The median of the Walsh averages ``(d_i + d_j) / 2, i ≤ j``, and the k-th smallest and k-th
        largest of them, k from `critical_rank`. Unbounded where there are fewer rounds than
        `minimum_rounds`. Equal values and zeros stay in; with them the interval is conservative.

    Raises
    ------
    ValueError
        If there is no round, a number is NaN or infinite, or alpha is not in (0, 1).

    References
    ----------
    Hodges and Lehmann, "Estimates of location based on rank tests", Ann. Math. Statist. 34, 1963.
    Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd ed., section 3.3.
    """
    values = finite_vector(log_ratios, "log_ratios")
    averages = _walsh_averages(values)
    rank = critical_rank(values.size, alpha)
    return Estimate(
        log_ratio=float(np.median(averages)),
        log_low=float(averages[rank - 1]) if rank else -math.inf,
        log_high=float(averages[-rank]) if rank else math.inf,
        level=1 - alpha,
        rounds=values.size,
        method="signed-rank",
    )


def critical_rank(rounds: int, alpha: float) -> int:
    """Which Walsh average from either end bounds the interval: ``max{k: P(T⁺ ≤ k - 1) ≤ alpha/2}``.

    T⁺ is the sum of the ranks of the positive differences; the critical value in published tables
    of the two-sided test is one less. 0 means that no interval of this level exists.

    Raises
    ------
    ValueError
        If `rounds` is below 1 or alpha is not in (0, 1).
    """
    if rounds < 1:
        raise ValueError(f"An interval needs at least one round, got {rounds}.")
    require_alpha(alpha)
    # In whole numbers: a rounded probability could sit on the wrong side of the level.
    numerator, denominator = (alpha / 2).as_integer_ratio()
    allowed = numerator * 2**rounds // denominator
    cumulative = 0
    for rank, count in enumerate(_rank_sum_counts(rounds)):
        cumulative += count
        if cumulative > allowed:
            return rank
    raise AssertionError("All 2^rounds assignments of signs are more than half of alpha.")


@lru_cache
def minimum_rounds(alpha: float) -> int:
    """The fewest rounds with a bounded interval: 8 for alpha = 1 %, 10 for 0.25 %.

    Raises
    ------
    ValueError
        If alpha is not in (0, 1).
    """
    require_alpha(alpha)
    # k ≥ 1 asks for P(T⁺ = 0) = 2^-rounds ≤ alpha / 2.
    rounds = max(1, math.floor(-math.log2(alpha / 2)))
    return rounds if critical_rank(rounds, alpha) else rounds + 1


def _walsh_averages(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """All ``(d_i + d_j) / 2, i ≤ j``, in ascending order."""
    first, second = _pairs(values.size)
    averages: npt.NDArray[np.float64] = np.sort((values[first] + values[second]) / 2)
    return averages


@lru_cache(maxsize=128)
def _pairs(rounds: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The indices of all pairs of rounds, each with itself too."""
    first, second = np.triu_indices(rounds)
    return first, second


@lru_cache(maxsize=128)
def _rank_sum_counts(rounds: int) -> tuple[int, ...]:
    """In how many of the 2^rounds assignments of signs each value of T⁺ from 0 on is reached."""
    # Python's integers: counts outgrow 64 bits at 67 rounds.
    counts = np.zeros(rounds * (rounds + 1) // 2 + 1, dtype=object)
    counts[0] = 1
    for rank in range(1, rounds + 1):
        counts[rank:] = counts[rank:] + counts[:-rank]
    return tuple(counts)

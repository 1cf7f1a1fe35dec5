"""Many comparisons at once: a budget over looks, and one figure over many cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bakeoff.statistics._validation import FloatArray, finite_matrix, require_alpha
from bakeoff.statistics.estimate import Estimate
from bakeoff.statistics.few_rounds import paired_t
from bakeoff.statistics.signed_rank import hodges_lehmann, minimum_rounds


def looks_alpha(alpha: float, looks: Sequence[int]) -> float:
    """Each look's share of the budget: looking four times at 1 % in all is four times 0.25 %.

    Parameters
    ----------
    alpha : float
        The probability of a wrong verdict allowed in one comparison, over all looks.
    looks : sequence of int
        The numbers of rounds at which a verdict is taken.

    Raises
    ------
    ValueError
        If there is no look or alpha is not in (0, 1).
    """
    require_alpha(alpha)
    if not looks:
        raise ValueError("Without a look no verdict is ever taken.")
    return alpha / len(looks)


def paired_geometric_mean(log_ratios: npt.ArrayLike, alpha: float) -> Estimate:
    """The geometric mean of the ratios of many cells, with an interval over rounds.

    Cells weigh the same. They share the machine, so the mean is taken inside each round and the
    interval over the rounds. For several contrasts the caller divides alpha by their number.

    Parameters
    ----------
    log_ratios : array_like of shape (cells, rounds)
        ``ln(implementation ÷ baseline)``; column r of every cell is its round r.
    alpha : float
        Probability that the interval misses.

    Returns
    -------
    Estimate
        Signed-rank where there are enough rounds for it, otherwise paired t.

    Raises
    ------
    ValueError
        If the shape is another or a number is NaN or infinite.
    """
    return _over_rounds(finite_matrix(log_ratios, "log_ratios").mean(axis=0), alpha)


def paired_total(arm: npt.ArrayLike, baseline: npt.ArrayLike, alpha: float) -> Estimate:
    """The ratio of the totals over many cells, with an interval over rounds.

    Slow cells weigh more: this is what running all of them once would cost.

    Parameters
    ----------
    arm, baseline : array_like of shape (cells, rounds)
        The same positive quantity of both (seconds, bytes), paired by cell and round.
    alpha : float
        Probability that the interval misses.

    Returns
    -------
    Estimate
        Signed-rank where there are enough rounds for it, otherwise paired t.

    Raises
    ------
    ValueError
        If the shapes differ, a number is NaN or infinite, or one is not positive.
    """
    own = finite_matrix(arm, "arm")
    reference = finite_matrix(baseline, "baseline")
    if own.shape != reference.shape:
        raise ValueError(f"Arm and baseline are paired, but {own.shape} is not {reference.shape}.")
    if (own <= 0).any() or (reference <= 0).any():
        raise ValueError("A ratio of totals needs positive numbers.")
    return _over_rounds(np.log(own.sum(axis=0) / reference.sum(axis=0)), alpha)


def _over_rounds(log_ratios: FloatArray, alpha: float) -> Estimate:
    # Slow cells stop after three to seven rounds; an exact interval does not exist for so few.
    if log_ratios.size >= minimum_rounds(alpha):
        return hodges_lehmann(log_ratios, alpha)
    return paired_t(log_ratios, alpha)

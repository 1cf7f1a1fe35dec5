"""Many comparisons at once: a budget over looks, and one figure over many cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bakeoff.statistics._validation import finite_matrix, require_alpha
from bakeoff.statistics.estimate import Estimate
from bakeoff.statistics.log_ratios import LogRatios, estimate_over_rounds, mean_over_cells


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


def paired_geometric_mean(cells: Sequence[LogRatios], alpha: float) -> Estimate:
    """The geometric mean of the ratios of many cells, with an interval over rounds.

    Cells weigh the same. They share the machine, so the mean is taken inside each round and the
    interval over the rounds. For several contrasts the caller divides alpha by their number.

    Parameters
    ----------
    cells : sequence of LogRatios
        One for each cell, all with the same number of rounds; round r of every cell is its r-th.
    alpha : float
        Probability that the interval misses.

    Returns
    -------
    Estimate
        Signed-rank where there are enough rounds for it, otherwise paired t.

    Raises
    ------
    ValueError
        If there is no cell or they differ in the number of rounds.
    """
    return estimate_over_rounds(mean_over_cells(cells), alpha)


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
    totals = np.log(own.sum(axis=0) / reference.sum(axis=0))
    return estimate_over_rounds(LogRatios.of(totals), alpha)

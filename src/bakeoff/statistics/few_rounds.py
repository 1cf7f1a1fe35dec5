"""The interval for operations too slow for enough rounds: paired t, marked "few rounds"."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from bakeoff.statistics._validation import finite_vector, require_alpha
from bakeoff.statistics.estimate import Estimate


def paired_t(log_ratios: npt.ArrayLike, alpha: float) -> Estimate:
    """Estimate the mean of paired log ratios with Student's interval.

    With three to seven rounds no exact interval exists at 99 %. Student's asks for nearly normal
    log ratios, which the report says ("few rounds"); it pays for the small number by its width.

    Parameters
    ----------
    log_ratios : array_like of shape (rounds,)
        ``ln(implementation ÷ baseline)``, one per round; their order is irrelevant.
    alpha : float
        Probability that the interval misses: 0.01 for 99 %.

    Returns
    -------
    Estimate
        Unbounded if there is only one round.

    Raises
    ------
    ValueError
        If there is no round, a number is NaN or infinite, or alpha is not in (0, 1).

    References
    ----------
    Student, "The probable error of a mean", Biometrika 6, 1908.
    """
    require_alpha(alpha)
    # Sorted, so that the sum does not depend on the order of the rounds.
    values = np.sort(finite_vector(log_ratios, "log_ratios"))
    mean = float(values.mean())
    if values.size == 1:
        half_width = math.inf
    else:
        standard_error = float(values.std(ddof=1)) / math.sqrt(values.size)
        half_width = float(stdtrit(values.size - 1, 1 - alpha / 2)) * standard_error
    return Estimate(
        log_ratio=mean,
        log_low=mean - half_width,
        log_high=mean + half_width,
        level=1 - alpha,
        rounds=values.size,
        method="paired-t",
    )

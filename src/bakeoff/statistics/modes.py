"""Why an interval is wide: several modes, a drift, or plain noise."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from bakeoff.statistics._validation import FloatArray, finite_vector

Spread = Literal["one mode", "several modes", "drift", "too few"]

#: With fewer rounds two groups cannot be told from chance.
LEAST_ROUNDS = 8

#: How far the centres of two groups lie apart, in units of the spread inside them, before they are
#: modes. Ashman's D above 2 separates two known normals (Ashman, Bird and Zepf, Astronomical J. 108,
#: 1994), but the best split of a sample of one mode reaches further by choosing where to split, the
#: more so the fewer rounds there are. Simulated for 8 to 60 rounds, at these thresholds about 1 % at
#: most of normal, uniform and t3 samples are called several (tests/unit/statistics/test_modes.py).
SEPARATION = 4.5
SEPARATION_BY_ROUNDS = 45.0

#: Probability of calling rounds that are exchangeable a drift.
DRIFT_ALPHA = 0.01


def describe_spread(log_ratios: npt.ArrayLike) -> Spread:
    """Say what kind of spread the rounds of a comparison have.

    Parameters
    ----------
    log_ratios : array_like of shape (rounds,)
        In the order of time.

    Returns
    -------
    {"one mode", "several modes", "drift", "too few"}
        ``drift`` if the values rise or fall with time, or change their level once; ``several modes``
        if they fall into two groups that follow each other at random; ``too few`` for fewer than
        `LEAST_ROUNDS` rounds.

    Raises
    ------
    ValueError
        If there is no round or a number is NaN or infinite.
    """
    values = finite_vector(log_ratios, "log_ratios")
    if values.size < LEAST_ROUNDS:
        return "too few"
    if _trends(values):
        return "drift"
    upper = _upper_group(values)
    if upper is None:
        return "one mode"
    switches = int(np.count_nonzero(upper[1:] != upper[:-1]))
    # A process that is one thing in the morning and another at night changes once or twice.
    return "drift" if switches <= 1 else "several modes"


def _trends(values: FloatArray) -> bool:
    """Whether values and time are correlated by ranks, by the normal approximation."""
    rounds = values.size
    if np.ptp(values) == 0:
        return False
    # Equal values share a rank: counts are often equal, and their order in time is no trend.
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    correlation = float(np.corrcoef(ranks, np.arange(rounds))[0, 1])
    return abs(correlation) * math.sqrt(rounds - 1) > float(ndtri(1 - DRIFT_ALPHA / 2))


def _upper_group(values: FloatArray) -> npt.NDArray[np.bool_] | None:
    """Who belongs to the upper of two groups, by the split with the least spread inside; or None."""
    ordered = np.sort(values)
    rounds = ordered.size
    least = max(2, math.ceil(0.15 * rounds))
    best_within, cut = math.inf, 0
    for place in range(least, rounds - least + 1):
        within = float(ordered[:place].var() * place + ordered[place:].var() * (rounds - place))
        if within < best_within:
            best_within, cut = within, place
    if not cut:
        return None
    distance = float(ordered[cut:].mean() - ordered[:cut].mean())
    spread = math.sqrt(best_within / rounds)
    # A little less: groups exactly so far apart must not turn on rounding when arms are swapped.
    needed = (SEPARATION + SEPARATION_BY_ROUNDS / rounds) * (1 - 1e-9)
    # What is left of equal numbers is rounding.
    if distance <= 1e-12 * max(1.0, float(np.abs(values).max())) or distance < needed * spread:
        return None
    is_upper: npt.NDArray[np.bool_] = values > (ordered[cut - 1] + ordered[cut]) / 2
    return is_upper

"""Many comparisons that have to be right together: max-|t| over cells, Holm over claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from bakeoff.statistics._validation import FloatArray, finite_vector, require_alpha

#: Equal to within rounding: the identity must count itself, whatever the order of its sums.
_RELATIVE_TOLERANCE = 1e-9


def max_t_adjusted_p(
    contrasts: Sequence[npt.ArrayLike], *, flips: int = 9_999, seed: int = 0
) -> tuple[float, ...]:
    """How probable so large a |t| is, in any of the contrasts, if none of them has an effect.

    Under the null a round's log ratio is as likely to have the other sign, for all contrasts of the
    round at once: they share the machine and the baseline. So signs are drawn per round, not per
    contrast, and what the contrasts have in common costs nothing.

    Parameters
    ----------
    contrasts : sequence of array_like of shape (rounds,)
        Log ratios; entry r is round r. Contrasts may have different numbers of rounds, at least two.
    flips : int
        How many patterns of signs are tried; all there are, if they are no more than that.
    seed : int
        Of the patterns.

    Returns
    -------
    tuple of float
        One adjusted p for each contrast, single-step.

    Raises
    ------
    ValueError
        If a contrast has fewer than two rounds or a number that is NaN or infinite.

    References
    ----------
    Westfall and Young, "Resampling-Based Multiple Testing", 1993, section 2.3.
    """
    values = [finite_vector(contrast, "a contrast") for contrast in contrasts]
    if any(one.size < 2 for one in values):
        raise ValueError("A studentised mean needs at least two rounds.")
    if not values:
        return ()
    rounds = max(one.size for one in values)
    signs = _signs(rounds, flips, seed)
    largest = np.zeros(len(signs))
    observed = []
    for one in values:
        flipped = _absolute_t(signs[:, : one.size], one)
        observed.append(flipped[0])
        np.maximum(largest, flipped, out=largest)
    return tuple(
        float(np.mean(largest >= own * (1 - _RELATIVE_TOLERANCE))) if own > 0 else 1.0
        for own in observed
    )


def holm_levels(
    is_decided: Callable[[int, float], bool], count: int, alpha: float
) -> tuple[float, ...]:
    """At which level each of several statements is judged, so that all hold together at `alpha`.

    Parameters
    ----------
    is_decided : callable
        Whether statement i is decided (either way) by its interval at a given level.
    count : int
        How many statements there are.
    alpha : float
        Probability that any of them is decided wrongly.

    Returns
    -------
    tuple of float
        One level for each: alpha ÷ count for the first to be decided, alpha ÷ (those still open) for
        the following; for those that stay open the last level they were tried at.

    References
    ----------
    Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.
    """
    require_alpha(alpha)
    levels = [alpha / max(1, count)] * count
    open_ones = set(range(count))
    while open_ones:
        level = alpha / len(open_ones)
        for index in open_ones:
            levels[index] = level
        decided = {index for index in open_ones if is_decided(index, level)}
        if not decided:
            break
        open_ones -= decided
    return tuple(levels)


def _signs(rounds: int, flips: int, seed: int) -> FloatArray:
    """Patterns of signs, shape (patterns, rounds); the first is what was observed."""
    # |t| is the same for a pattern and its opposite, so the first sign may stay as it is.
    if 2 ** (rounds - 1) <= flips:
        bits = (np.arange(2 ** (rounds - 1))[:, None] >> np.arange(rounds)) & 1
        return np.where(bits == 1, -1.0, 1.0)
    drawn = np.random.default_rng(seed).choice([-1.0, 1.0], (flips, rounds))
    return np.vstack([np.ones(rounds), drawn])


def _absolute_t(signs: FloatArray, values: FloatArray) -> FloatArray:
    """|mean ÷ standard error| under every pattern; infinite where nothing varies around a mean."""
    rounds = values.size
    means = np.abs(signs @ values) / rounds
    # Signs leave the sum of squares as it is.
    mean_square = float(values @ values) / rounds
    variances = np.maximum(mean_square - means**2, 0.0) / (rounds - 1)
    # What is left of equal numbers is rounding.
    errors = np.sqrt(np.where(variances <= 1e-15 * mean_square, 0.0, variances))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(errors > 0, means / errors, np.where(means > 0, math.inf, 0.0))
    return np.asarray(ratios, dtype=np.float64)

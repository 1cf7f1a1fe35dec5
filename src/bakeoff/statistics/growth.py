"""How a figure grows with a size: exponents, a class, and where two arms cross."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from bakeoff.statistics._validation import FloatArray, finite_matrix, finite_vector, require_alpha
from bakeoff.statistics.log_ratios import LogRatios, estimate_over_rounds

GrowthClass = Literal["1", "log n", "n", "n log n", "n^2", "unclear"]

_SHAPES: dict[GrowthClass, Callable[[FloatArray], FloatArray]] = {
    "1": np.zeros_like,
    "log n": np.log,
    "n": lambda sizes: sizes,
    "n log n": lambda sizes: sizes * np.log(sizes),
    "n^2": lambda sizes: sizes**2,
}

#: With fewer sizes, leaving one out leaves too few for an intercept and a slope.
LEAST_SIZES_FOR_CLASS = 4

#: What grows by less than this factor over all sizes is called constant; noise that could hide more is not.
_CONSTANT_GROWTH = 1.25

#: Least relative error that counts: what is smaller than this is the clock's.
_LEAST_NOISE = 0.002


@dataclass(frozen=True, slots=True)
class Exponent:
    """The power of a size that a figure grows with.

    Attributes
    ----------
    value, low, high : float
        The estimate and its interval; infinite where nothing bounds it.
    level : float
        The confidence of the interval.
    rounds : int
        How many rounds it rests on.
    """

    value: float
    low: float
    high: float
    level: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Crossover:
    """The size at which two arms are equal.

    Attributes
    ----------
    size : float
        By linear interpolation in the logarithm of the size.
    low, high : float or None
        The interval; None where the crossing may lie outside of the measured sizes.
    level : float
        Its confidence.
    below : {"faster", "slower"}
        What the arm is for smaller sizes.
    crossings : int
        How often the ratio changes its side; the last one is reported.
    """

    size: float
    low: float | None
    high: float | None
    level: float
    below: Literal["faster", "slower"]
    crossings: int


def growth_exponent(sizes: npt.ArrayLike, values: npt.ArrayLike, alpha: float) -> Exponent:
    """Estimate the exponent: each round's slope on logarithmic axes, then their centre.

    Parameters
    ----------
    sizes : array_like of shape (sizes,)
        Positive and different, at least two.
    values : array_like of shape (rounds, sizes)
        Positive figures.
    alpha : float
        Probability that the interval misses.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a number is not positive.
    """
    x, y = _checked(sizes, values)
    estimate = estimate_over_rounds(LogRatios.of(_slopes(x, y)), alpha)
    return Exponent(
        estimate.log_ratio, estimate.log_low, estimate.log_high, 1 - alpha, estimate.rounds
    )


def local_exponent(sizes: npt.ArrayLike, values: npt.ArrayLike, alpha: float) -> Exponent:
    """The exponent over the top decade of sizes, or over the two largest: what large inputs cost.

    Parameters, result and errors are those of `growth_exponent`.
    """
    x, y = _checked(sizes, values)
    order = np.argsort(x)
    top = [index for index in order if x[index] >= x.max() / 10]
    chosen = top if len(top) >= 2 else list(order[-2:])
    return growth_exponent(x[chosen], y[:, chosen], alpha)


def growth_class(sizes: npt.ArrayLike, values: npt.ArrayLike) -> GrowthClass:
    """Which of constant, log n, n, n log n and n² describes the growth, each with an intercept.

    Parameters
    ----------
    sizes : array_like of shape (sizes,)
        Positive and different.
    values : array_like of shape (rounds, sizes)
        Positive figures.

    Returns
    -------
    GrowthClass
        The shape that predicts a size best from all others, by root mean square of the relative
        errors. Of several that are not worse than the best by more than the noise of the figures,
        a constant is taken as the simplest, if the noise could not hide a quarter's growth over all sizes;
        otherwise the answer is ``unclear``, as it is with fewer than `LEAST_SIZES_FOR_CLASS` sizes.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a number is not positive.
    """
    x, y = _checked(sizes, values)
    if x.size < LEAST_SIZES_FOR_CLASS:
        return "unclear"
    centre = np.median(y, axis=0)
    noise = _relative_noise(y, centre)
    errors = {name: _prediction_error(shape(x), centre) for name, shape in _SHAPES.items()}
    best = min(errors, key=lambda name: errors[name])
    # Differences between two errors are noisy, too: twice the noise of one size.
    near = [name for name, error in errors.items() if error <= errors[best] + 2 * noise]
    if "1" in near:
        return "1" if _largest_growth(x, y) <= _CONSTANT_GROWTH else "unclear"
    return best if len(near) == 1 else "unclear"


def crossover(
    sizes: npt.ArrayLike,
    log_ratios: npt.ArrayLike,
    alpha: float,
    *,
    seed: int = 0,
    resamples: int = 2000,
) -> Crossover | None:
    """The size at which arm ÷ baseline is 1, with an interval by the bootstrap over rounds.

    Parameters
    ----------
    sizes : array_like of shape (sizes,)
        Positive and different.
    log_ratios : array_like of shape (rounds, sizes)
        ln(arm ÷ baseline).
    alpha : float
        Probability that the interval misses.
    seed, resamples : int
        Of the bootstrap: a crossing has no pivot that an exact interval could be made from.

    Returns
    -------
    Crossover or None
        None if the median over rounds stays on one side.

    Raises
    ------
    ValueError
        If the shapes do not fit or a number is NaN or infinite.
    """
    require_alpha(alpha)
    x = finite_vector(sizes, "sizes")
    ratios = finite_matrix(log_ratios, "log_ratios")
    if ratios.shape[1] != x.size or (x <= 0).any():
        raise ValueError(f"There are {x.size} positive sizes, but ratios of shape {ratios.shape}.")
    order = np.argsort(x)
    logs, ratios = np.log(x[order]), ratios[:, order]
    centre = np.median(ratios, axis=0)
    found = _crossings(logs, centre)
    if not found:
        return None
    above = _side_after(np.sign(centre[::-1]))
    chance = np.random.default_rng(seed)
    rounds = ratios.shape[0]
    lasts = []
    for _ in range(resamples):
        again = np.median(ratios[chance.integers(0, rounds, rounds)], axis=0)
        lasts.append(_last_crossing(logs, again, above))
    low, high = np.quantile(lasts, [alpha / 2, 1 - alpha / 2], method="nearest")
    return Crossover(
        size=math.exp(found[-1]),
        low=math.exp(low) if math.isfinite(low) else None,
        high=math.exp(high) if math.isfinite(high) else None,
        level=1 - alpha,
        below="faster" if above > 0 else "slower",
        crossings=len(found),
    )


def _checked(sizes: npt.ArrayLike, values: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    x = finite_vector(sizes, "sizes")
    y = finite_matrix(values, "values")
    if x.size < 2 or len(set(x.tolist())) != x.size:
        raise ValueError(f"Growth needs at least two different sizes, got {x.tolist()}.")
    if y.shape[1] != x.size:
        raise ValueError(f"There are {x.size} sizes, but values of shape {y.shape}.")
    if (x <= 0).any() or (y <= 0).any():
        raise ValueError("Growth is read on logarithmic axes: sizes and values are positive.")
    return x, y


def _slopes(sizes: FloatArray, values: FloatArray) -> FloatArray:
    """Each round's slope on logarithmic axes."""
    centred = np.log(sizes) - np.log(sizes).mean()
    slopes: FloatArray = (np.log(values) * centred).sum(axis=1) / (centred**2).sum()
    return slopes


def _largest_growth(sizes: FloatArray, values: FloatArray) -> float:
    """By which factor the figure may well grow (or shrink) over all sizes: three standard errors away."""
    slopes = _slopes(sizes, values)
    error = slopes.std(ddof=1) / math.sqrt(slopes.size) if slopes.size > 1 else 0.0
    return float((sizes.max() / sizes.min()) ** (abs(slopes.mean()) + 3 * error))


def _relative_noise(values: FloatArray, centre: FloatArray) -> float:
    """Standard error of one size's median, as a share of it; the mean over sizes."""
    rounds = values.shape[0]
    if rounds < 2:
        return _LEAST_NOISE
    spread = (values / centre).std(axis=0, ddof=1) / math.sqrt(rounds)
    return max(_LEAST_NOISE, float(spread.mean()))


def _prediction_error(shape: FloatArray, values: FloatArray) -> float:
    """Root mean square of the relative errors when each size is predicted from the others."""
    errors = []
    for left_out in range(values.size):
        rest = np.arange(values.size) != left_out
        # Relative errors: a fit on absolute ones would see the largest size only.
        design = np.stack([1 / values[rest], shape[rest] / values[rest]], axis=1)
        (intercept, slope), _ = nnls(design, np.ones(int(rest.sum())))
        errors.append((intercept + slope * shape[left_out]) / values[left_out] - 1)
    return float(np.sqrt(np.mean(np.square(errors))))


def _crossings(logs: FloatArray, ratios: FloatArray) -> list[float]:
    """Logarithms of the sizes at which the ratio changes its side."""
    sides = np.sign(ratios)
    found = []
    for index in range(len(logs) - 1):
        left, right = ratios[index], ratios[index + 1]
        if sides[index] * sides[index + 1] < 0:
            share = left / (left - right)
            found.append(float(logs[index] + share * (logs[index + 1] - logs[index])))
        elif right == 0 and left != 0 and _side_after(sides[index + 1 :]) == -sides[index]:
            found.append(float(logs[index + 1]))
    return found


def _side_after(sides: Sequence[float] | FloatArray) -> float:
    return next((float(side) for side in sides if side != 0), 0.0)


def _last_crossing(logs: FloatArray, ratios: FloatArray, above: float) -> float:
    """Where the ratio goes over to the side `above` for good; infinite outside of the sizes."""
    if _side_after(np.sign(ratios[::-1])) != above:
        return math.inf
    found = _crossings(logs, ratios)
    return found[-1] if found else -math.inf

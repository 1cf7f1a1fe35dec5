"""Quantiles of single operations: Harrell and Davis, how many operations they need, a histogram."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from bakeoff.statistics._validation import finite_vector

#: A bucket is 2^(1/16) = 4.4 % wide: fine enough to see two modes, few enough for a journal.
BUCKETS_PER_DOUBLING = 16

#: So many operations must lie beyond a quantile, or it is an extreme.
BEYOND = 20


def harrell_davis(values: npt.ArrayLike, quantile: float) -> float:
    """Estimate a quantile by a weighted mean of all order statistics.

    Parameters
    ----------
    values : array_like of shape (operations,)
        In any order.
    quantile : float
        In (0, 1): 0.9 for the 90th percentile.

    Raises
    ------
    ValueError
        If there is no value, one is NaN or infinite, or the quantile is not in (0, 1).

    References
    ----------
    Harrell and Davis, "A new distribution-free quantile estimator", Biometrika 69, 1982.
    """
    _require_quantile(quantile)
    ordered = np.sort(finite_vector(values, "values"))
    edges = np.arange(ordered.size + 1) / ordered.size
    first, second = (ordered.size + 1) * quantile, (ordered.size + 1) * (1 - quantile)
    weights = np.diff(betainc(first, second, edges))
    return float(weights @ ordered)


def operations_for_quantile(quantile: float) -> int:
    """How many operations a quantile needs, so that about `BEYOND` lie beyond it.

    Raises
    ------
    ValueError
        If the quantile is not in (0, 1).
    """
    _require_quantile(quantile)
    # A little less, since 1 - 0.9 is a little less than a tenth: 200 operations, not 201.
    return math.ceil(BEYOND / min(quantile, 1 - quantile) * (1 - 1e-9))


def log_histogram(values: Iterable[float]) -> dict[int, int]:
    """Count positive values by bucket, ``floor(log2(value) · BUCKETS_PER_DOUBLING)``.

    Raises
    ------
    ValueError
        If a value is not positive and finite.
    """
    counted: Counter[int] = Counter()
    for value in values:
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"A time is positive and finite, not {value}.")
        counted[math.floor(math.log2(value) * BUCKETS_PER_DOUBLING)] += 1
    return dict(sorted(counted.items()))


def bucket_bounds(index: int) -> tuple[float, float]:
    """The least value in a bucket, and the least that is in the next one."""
    return 2 ** (index / BUCKETS_PER_DOUBLING), 2 ** ((index + 1) / BUCKETS_PER_DOUBLING)


def _require_quantile(quantile: float) -> None:
    if not 0 < quantile < 1:
        raise ValueError(f"A quantile lies in (0, 1): 0.9 is the 90th percentile; got {quantile}.")

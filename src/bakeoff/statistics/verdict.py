"""From an interval to a word. Everything that is decided is decided by the interval alone."""

from __future__ import annotations

import math
from typing import Literal, get_args

from scipy.special import ndtri

from bakeoff.statistics.estimate import Estimate
from bakeoff.statistics.signed_rank import minimum_rounds

Verdict = Literal["faster", "slower", "same", "inconclusive"]
BoundVerdict = Literal["holds", "fails", "inconclusive"]
Operator = Literal["<=", ">=", "<", ">"]


def decide(estimate: Estimate, margin: float) -> Verdict:
    """Say whether an implementation is faster, slower or the same, or that it cannot be told.

    Parameters
    ----------
    estimate : Estimate
        Implementation ÷ baseline.
    margin : float
        What counts as the same: 0.03 is 3 %; g below is ``ln(1 + margin)``.

    Returns
    -------
    {"faster", "slower", "same", "inconclusive"}
        ``same`` if the interval lies inside (-g, g), which is the equivalence test TOST; ``slower``
        if it lies above 0 and the estimate beyond g/2, so that a real but negligible difference is
        no verdict; ``faster`` likewise; else ``inconclusive``. Exact counts differ by any
        difference.

    Raises
    ------
    ValueError
        If the margin is not positive.

    References
    ----------
    Schuirmann, "A comparison of the two one-sided tests procedure and the power approach",
    J. Pharmacokinetics and Biopharmaceutics 15, 1987.
    """
    g = _log_margin(margin)
    if estimate.method == "exact":
        if estimate.log_ratio == 0:
            return "same"
        return "slower" if estimate.log_ratio > 0 else "faster"
    if -g < estimate.log_low and estimate.log_high < g:
        return "same"
    if estimate.log_low > 0 and estimate.log_ratio > g / 2:
        return "slower"
    if estimate.log_high < 0 and estimate.log_ratio < -g / 2:
        return "faster"
    return "inconclusive"


def judge_bound(estimate: Estimate, op: Operator, bound: float) -> BoundVerdict:
    """Hold a ratio's interval against a claimed bound; never the point estimate.

    Parameters
    ----------
    estimate : Estimate
        Implementation ÷ baseline.
    op : {"<=", ">=", "<", ">"}
        The claim is ``ratio <op> bound``.
    bound : float
        A ratio, positive and finite.

    Returns
    -------
    {"holds", "fails", "inconclusive"}
        ``holds`` if the claim is true of the whole interval, ``fails`` if of no part of it.

    Raises
    ------
    ValueError
        If the operator is unknown or the bound is no positive number.
    """
    if op not in get_args(Operator):
        raise ValueError(
            f"A bound is judged by one of {', '.join(get_args(Operator))}; got {op!r}."
        )
    if not (math.isfinite(bound) and bound > 0):
        raise ValueError(f"A ratio is bounded by a positive number, not {bound}.")
    return judge_interval(estimate.log_low, estimate.log_high, op, math.log(bound))


def judge_interval(low: float, high: float, op: Operator, limit: float) -> BoundVerdict:
    """Hold any interval against a bound of its own scale: differences, exponents, sizes.

    Parameters
    ----------
    low, high : float
        The interval; infinite where nothing bounds it.
    op : {"<=", ">=", "<", ">"}
        The claim is ``quantity <op> limit``.
    limit : float
        The bound.
    """
    holds, fails = {
        "<=": (high <= limit, low > limit),
        "<": (high < limit, low >= limit),
        ">=": (low >= limit, high < limit),
        ">": (low > limit, high <= limit),
    }[op]
    if holds:
        return "holds"
    return "fails" if fails else "inconclusive"


def minimal_detectable_effect(estimate: Estimate, power: float = 0.95) -> float:
    """The smallest relative change that this many rounds with this noise would find.

    Parameters
    ----------
    estimate : Estimate
        Its interval's half-width is the measure of noise.
    power : float
        Probability of finding it.

    Returns
    -------
    float
        ``exp((z + z_power) · s) - 1`` with z the normal quantile of the interval's level and s its
        half-width ÷ z: 0.03 is 3 %. 0 for exact counts, ``inf`` where the interval is unbounded.

    Raises
    ------
    ValueError
        If the power is not in [0.5, 1).
    """
    if not 0.5 <= power < 1:
        raise ValueError(f"Power lies in [0.5, 1), not {power}.")
    if estimate.method == "exact":
        return 0.0
    if not estimate.is_bounded or estimate.level == 1:
        return math.inf
    z_level = float(ndtri(1 - (1 - estimate.level) / 2))
    standard_error = _half_width(estimate) / z_level
    try:
        return math.expm1((z_level + float(ndtri(power))) * standard_error)
    except OverflowError:
        return math.inf


def rounds_needed(estimate: Estimate, margin: float) -> int | None:
    """About how many rounds in total would end an inconclusive comparison.

    The half-width shrinks like ``1/√rounds``. The interval is narrow enough when it fits between
    the estimate and the margin (``same``) or between the estimate and 0 (``faster``, ``slower``),
    whichever is the farther.

    Parameters
    ----------
    estimate : Estimate
        Implementation ÷ baseline.
    margin : float
        What counts as the same: 0.03 is 3 %.

    Returns
    -------
    int or None
        More than the rounds there are. For too few rounds to have an interval, the number that has
        one. None if there is a verdict already, or rounds cannot bring one (a censored operation, a
        single round).

    Raises
    ------
    ValueError
        If the margin is not positive.
    """
    g = _log_margin(margin)
    if estimate.method in ("exact", "bound") or decide(estimate, margin) != "inconclusive":
        return None
    if not estimate.is_bounded:
        return minimum_rounds(1 - estimate.level) if estimate.method == "signed-rank" else None
    distance = abs(estimate.log_ratio)
    reach = max(g - distance, distance)
    needed = math.ceil(estimate.rounds * (_half_width(estimate) / reach) ** 2)
    # A lopsided interval may miss the margin although its half-width would fit.
    return max(needed, estimate.rounds + 1)


def _log_margin(margin: float) -> float:
    if not (math.isfinite(margin) and margin > 0):
        raise ValueError(f"A margin is a positive number, 0.03 for 3 %; got {margin}.")
    return math.log1p(margin)


def _half_width(estimate: Estimate) -> float:
    return (estimate.log_high - estimate.log_low) / 2

"""An estimate: a ratio to the baseline with the interval that it is decided by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Method = Literal["signed-rank", "paired-t", "exact", "bound"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio, implementation ÷ baseline, and its interval, kept as natural logarithms.

    Attributes
    ----------
    log_ratio : float
        The point estimate.
    log_low, log_high : float
        The interval, ends included; ``-inf`` and ``inf`` where nothing bounds it.
    level : float
        The confidence of the interval, ``1 - alpha``; 1.0 where chance has no part in it.
    rounds : int
        How many rounds it rests on.
    method : {"signed-rank", "paired-t", "exact", "bound"}
        Where the interval comes from.

    Raises
    ------
    ValueError
        If a number is NaN, the estimate lies outside its interval, or the level is not in (0, 1].
    """

    log_ratio: float
    log_low: float
    log_high: float
    level: float
    rounds: int
    method: Method

    def __post_init__(self) -> None:
        if not self.log_low <= self.log_ratio <= self.log_high:
            raise ValueError(
                f"An estimate lies inside its interval, but {self.log_ratio} is not in "
                f"[{self.log_low}, {self.log_high}]."
            )
        if not 0 < self.level <= 1:
            raise ValueError(f"A level lies in (0, 1], not {self.level}.")

    @property
    def ratio(self) -> float:
        """Implementation ÷ baseline: 0.5 is half as much."""
        return _exp(self.log_ratio)

    @property
    def low(self) -> float:
        """Lower end of the ratio's interval; 0.0 where nothing bounds it."""
        return _exp(self.log_low)

    @property
    def high(self) -> float:
        """Upper end of the ratio's interval; ``inf`` where nothing bounds it."""
        return _exp(self.log_high)

    @property
    def is_bounded(self) -> bool:
        """Whether both ends of the interval are finite."""
        return math.isfinite(self.log_low) and math.isfinite(self.log_high)


def exact_ratio(value: float, baseline: float) -> Estimate:
    """Compare two counts that are the same in every process: no interval, both ends are the ratio.

    Parameters
    ----------
    value, baseline : float
        The count for the implementation and for the baseline, in the same unit, not negative.
        Two zeros are equal (ratio 1); nothing against something is a ratio of 0 or ``inf``.

    Raises
    ------
    ValueError
        If a count is negative, infinite or NaN.
    """
    for count in (value, baseline):
        if not (math.isfinite(count) and count >= 0):
            raise ValueError(f"A count is a finite number and not negative, but got {count}.")
    if value == baseline:
        log_ratio = 0.0
    elif value == 0:
        log_ratio = -math.inf
    elif baseline == 0:
        log_ratio = math.inf
    else:
        log_ratio = math.log(value / baseline)
    return Estimate(log_ratio, log_ratio, log_ratio, level=1.0, rounds=1, method="exact")


def bound(log_low: float, log_high: float, rounds: int) -> Estimate:
    """What is known of an operation that did not finish in its time limit: a bound.

    Parameters
    ----------
    log_low, log_high : float
        Log ratio between which the truth must lie; one of them may be infinite. The finite one is
        taken as the estimate, the middle if both are finite.
    rounds : int
        How many rounds it rests on.

    Raises
    ------
    ValueError
        If neither is finite: with both sides censored the ratio is unknown, not bounded.
    """
    if math.isfinite(log_low) and math.isfinite(log_high):
        log_ratio = (log_low + log_high) / 2
    elif math.isfinite(log_low):
        log_ratio = log_low
    elif math.isfinite(log_high):
        log_ratio = log_high
    else:
        raise ValueError(
            f"[{log_low}, {log_high}] bounds nothing: if neither arm finished, no ratio is known."
        )
    return Estimate(log_ratio, log_low, log_high, level=1.0, rounds=rounds, method="bound")


def _exp(log_value: float) -> float:
    """Like `math.exp`, with ``inf`` for what is too large for a float."""
    try:
        return math.exp(log_value)
    except OverflowError:
        return math.inf

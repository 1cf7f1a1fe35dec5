"""The log ratios of two arms over rounds, and the interval that they support."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from bakeoff.statistics._validation import FloatArray, finite_matrix, finite_vector, require_alpha
from bakeoff.statistics.estimate import Estimate
from bakeoff.statistics.few_rounds import paired_t
from bakeoff.statistics.signed_rank import hodges_lehmann, minimum_rounds


@dataclass(frozen=True)
class LogRatios:
    """``ln(implementation ÷ baseline)`` of each round, in two parts.

    What an operation typically takes is told best by medians, which leave out what the machine does.
    What it takes now and then (garbage collection, bursts) is told by means only: a median over
    rounds would drop what falls into fewer than half of them. So the two stay apart until the end.

    Attributes
    ----------
    typical : tuple of float, one per round
        Their centre counts, by Hodges–Lehmann.
    added : tuple of float, one per round
        Their mean is added to it; all zero where there is nothing of the kind.

    Raises
    ------
    ValueError
        If the two differ in length, are empty, or hold a number that is NaN or infinite.
    """

    typical: tuple[float, ...]
    added: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.typical) != len(self.added):
            raise ValueError(
                f"Each round has both parts, but there are {len(self.typical)} and "
                f"{len(self.added)}."
            )
        finite_vector(self.typical, "typical")
        finite_vector(self.added, "added")

    @classmethod
    def of(cls, log_ratios: npt.ArrayLike) -> LogRatios:
        """Log ratios that have one part only."""
        values = tuple(finite_vector(log_ratios, "log_ratios").tolist())
        return cls(values, (0.0,) * len(values))

    def __len__(self) -> int:
        return len(self.typical)

    @cached_property
    def per_round(self) -> tuple[float, ...]:
        """Both parts together, as a plot or a sign-flip test wants them."""
        return tuple(a + b for a, b in zip(self.typical, self.added, strict=True))

    def first(self, rounds: int) -> LogRatios:
        """Those of the first `rounds` rounds."""
        return LogRatios(self.typical[:rounds], self.added[:rounds])

    def at(self, indices: Sequence[int]) -> LogRatios:
        """Those of some rounds."""
        return LogRatios(
            tuple(self.typical[index] for index in indices),
            tuple(self.added[index] for index in indices),
        )

    def inverted(self) -> LogRatios:
        """Baseline ÷ implementation."""
        return LogRatios(
            tuple(-value for value in self.typical), tuple(-value for value in self.added)
        )

    def against(self, other: LogRatios) -> LogRatios:
        """Implementation ÷ another one, both measured against one baseline in the same rounds."""
        return LogRatios(
            tuple(a - b for a, b in zip(self.typical, other.typical, strict=True)),
            tuple(a - b for a, b in zip(self.added, other.added, strict=True)),
        )


def mean_over_cells(cells: Sequence[LogRatios]) -> LogRatios:
    """The log of the geometric mean over cells, round by round.

    Raises
    ------
    ValueError
        If there is no cell or they differ in the number of rounds.
    """
    typical = finite_matrix([cell.typical for cell in cells], "typical").mean(axis=0)
    added = finite_matrix([cell.added for cell in cells], "added").mean(axis=0)
    return LogRatios(tuple(typical.tolist()), tuple(added.tolist()))


def estimate_ratio(log_ratios: LogRatios, alpha: float, *, is_few: bool = False) -> Estimate:
    """Estimate a ratio with the interval that it is decided by.

    Parameters
    ----------
    log_ratios : LogRatios
        One pair of numbers per round.
    alpha : float
        Probability that the interval misses: 0.01 for 99 %.
    is_few : bool
        Too few rounds are planned for an exact interval: use Student's.

    Returns
    -------
    Estimate
        Where nothing varies in the added part, the exact signed-rank interval (or Student's) of the
        typical part, moved by it. Otherwise the half-widths of that interval and of Student's for
        the mean of the added part, combined as independent errors are, by the root of the sum of
        their squares.
    """
    typical = (paired_t if is_few else hodges_lehmann)(log_ratios.typical, alpha)
    added = np.asarray(log_ratios.added)
    mean, reach = float(added.mean()), _half_width_of_mean(added, alpha)
    centre = typical.log_ratio + mean
    return Estimate(
        log_ratio=centre,
        log_low=centre - math.hypot(typical.log_ratio - typical.log_low, reach),
        log_high=centre + math.hypot(typical.log_high - typical.log_ratio, reach),
        level=typical.level,
        rounds=typical.rounds,
        method=typical.method,
    )


def estimate_over_rounds(log_ratios: LogRatios, alpha: float) -> Estimate:
    """As `estimate_ratio`: exact where there are enough rounds for it, otherwise Student's.

    Slow cells stop after three to seven rounds, and a small alpha asks for many; an exact interval
    does not exist there.
    """
    is_few = len(log_ratios) < minimum_rounds(alpha)
    return estimate_ratio(log_ratios, alpha, is_few=is_few)


def _half_width_of_mean(values: FloatArray, alpha: float) -> float:
    require_alpha(alpha)
    if np.ptp(values) == 0.0:
        return 0.0
    standard_error = float(values.std(ddof=1)) / math.sqrt(values.size)
    return float(stdtrit(values.size - 1, 1 - alpha / 2)) * standard_error

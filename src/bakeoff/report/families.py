"""One figure over several cells, and one implementation against another: what claims are held against.

A cell that did not finish enters as its bound, and only on the side on which the bound is true: a
baseline stopped at 20 s makes an upper bound of the ratio, a candidate stopped at 20 s a lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bakeoff import statistics
from bakeoff.measurement.comparison import CellComparison, Contrast
from bakeoff.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Side:
    """One implementation's figures in one cell: per round, or one figure for all rounds.

    Attributes
    ----------
    values : tuple of float
        In rounds that are paired with the other side's; a single one stands for every round.
    is_bound : bool
        The operation was stopped: the figures are lower bounds.
    """

    values: tuple[float, ...]
    is_bound: bool

    @property
    def lowest(self) -> float:
        """What the operation takes at least."""
        return min(self.values)

    @property
    def highest(self) -> float:
        """What it takes at most."""
        return math.inf if self.is_bound else max(self.values)


@dataclass(frozen=True, slots=True)
class Pair:
    """An arm against its reference in one cell.

    Attributes
    ----------
    log_ratios : tuple of float
        ln(arm ÷ reference) per round; a single one where the figures are exact; empty where a side
        is a bound.
    estimate : Estimate or None
        What the measurement says of this pair, if it is one that the measurement compared.
    """

    comparison: CellComparison
    arm: Side
    reference: Side
    log_ratios: tuple[float, ...]
    is_exact: bool
    estimate: Estimate | None

    @property
    def is_bound(self) -> bool:
        """Whether a side did not finish, so that the ratio has bounds but no rounds."""
        return self.arm.is_bound or self.reference.is_bound

    @property
    def log_low(self) -> float:
        """The least that the log ratio can be, for a pair with a bound."""
        highest = self.reference.highest
        return -math.inf if math.isinf(highest) else math.log(self.arm.lowest / highest)

    @property
    def log_high(self) -> float:
        """The most that it can be."""
        highest = self.arm.highest
        return math.inf if math.isinf(highest) else math.log(highest / self.reference.lowest)


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there is no pair.

    Attributes
    ----------
    is_refuted : bool
        The arm was tried and gave no usable answer: what is claimed of it cannot be true.
    """

    comparison: CellComparison
    reason: str
    is_refuted: bool


def find_contrast(comparison: CellComparison, implementation: str, metric: str) -> Contrast | None:
    """The contrast of one implementation by one metric, if the cell has it."""
    for contrast in comparison.contrasts:
        if contrast.implementation == implementation and contrast.metric == metric:
            return contrast
    return None


def pair(
    comparison: CellComparison, arm: str, reference: str, metric: str, *, baseline: str
) -> Pair | Gap:
    """An arm against any other implementation in one cell, round by round.

    Parameters
    ----------
    comparison : CellComparison
        The cell.
    arm, reference : str
        Two implementations; the reference need not be the baseline.
    metric : str
        What is compared.
    baseline : str
        The run's baseline, which every contrast is already divided by.

    Returns
    -------
    Pair or Gap
        A gap where one of them has no figure, with the reason.
    """
    mine = find_contrast(comparison, arm, metric)
    theirs = find_contrast(comparison, reference, metric)
    for name, contrast in ((reference, theirs), (arm, mine)):
        if contrast is None:
            return Gap(comparison, f"{name} has no such figure", is_refuted=False)
        gap = _gap(comparison, contrast)
        if gap is not None:
            # Where the reference failed, nothing is known of the arm.
            return gap if name == arm else Gap(comparison, gap.reason, is_refuted=False)
    assert mine is not None
    assert theirs is not None
    is_exact = mine.exact and theirs.exact
    values, reference_values = _aligned_values(mine, theirs, baseline)
    if is_exact or not values:
        values, reference_values = _figure(mine), _figure(theirs)
    if min(*values, *reference_values) <= 0:
        reason = mine.reason or "a figure is 0: there is no ratio"
        return Gap(comparison, reason, is_refuted=False)
    is_bound = mine.is_bound or theirs.is_bound
    log_ratios = () if is_bound else _log_ratios(mine, theirs, baseline, is_exact=is_exact)
    if not is_bound and not log_ratios:
        return Gap(comparison, "their rounds cannot be paired", is_refuted=False)
    return Pair(
        comparison=comparison,
        arm=Side(values, mine.is_bound),
        reference=Side(reference_values, theirs.is_bound),
        log_ratios=log_ratios,
        is_exact=is_exact,
        estimate=mine.estimate if reference == baseline else None,
    )


def ratio_of_cell(one: Pair, alpha: float) -> Estimate | None:
    """The ratio in one cell, the measurement's own where it compared this pair; None if unknown."""
    if one.estimate is not None:
        return one.estimate
    if one.is_bound:
        return _bound(one.log_low, one.log_high, 0)
    if one.is_exact:
        return statistics.exact_ratio(one.arm.lowest, one.reference.lowest)
    return _interval(one.log_ratios, alpha)


def value_of_cells(sides: Sequence[Side], alpha: float, *, is_exact: bool) -> Estimate:
    """An arm's own figure, summed over cells, in the metric's unit: an estimate with an interval."""
    measured = [side.values for side in sides if not (side.is_bound or is_exact)]
    rounds = _common_rounds(measured)
    sums = _matrix([(side.lowest,) if side.is_bound else side.values for side in sides], rounds)
    logs = np.log(sums.sum(axis=0))
    if is_exact:
        return statistics.exact_ratio(float(np.exp(logs[0])), 1.0)
    estimate = _interval(logs, alpha) if rounds else None
    if any(side.is_bound for side in sides):
        low = float(logs[0]) if estimate is None else estimate.log_low
        return statistics.bound(low, math.inf, rounds)
    assert estimate is not None
    return estimate


def geometric_mean(pairs: Sequence[Pair], alpha: float) -> Estimate | None:
    """The geometric mean of the ratio over cells, from the first rounds that all of them have.

    Parameters
    ----------
    pairs : sequence of Pair
        At least one.
    alpha : float
        One minus the level of the interval.

    Returns
    -------
    Estimate or None
        A bound where a cell did not finish; None where cells are unbounded on both sides.
    """
    if all(one.is_exact for one in pairs):
        return statistics.exact_ratio(math.exp(_mean([one.log_ratios[0] for one in pairs])), 1.0)
    rounds = _common_rounds([one.log_ratios for one in pairs if not _is_constant(one)])

    def over(rows: Sequence[Sequence[float]]) -> Estimate:
        if rounds:
            return statistics.paired_geometric_mean(_matrix(rows, rounds), alpha)
        return statistics.exact_ratio(math.exp(_mean([row[0] for row in rows])), 1.0)

    if not any(one.is_bound for one in pairs):
        return over([one.log_ratios for one in pairs])
    lows = [(one.log_low,) if one.is_bound else one.log_ratios for one in pairs]
    highs = [(one.log_high,) if one.is_bound else one.log_ratios for one in pairs]
    return _bound(
        -math.inf if any(-math.inf in row for row in lows) else over(lows).log_low,
        math.inf if any(math.inf in row for row in highs) else over(highs).log_high,
        rounds,
    )


def total(pairs: Sequence[Pair], alpha: float) -> Estimate | None:
    """The ratio of the sums over cells: what somebody pays who does everything once.

    Parameters and result are those of `geometric_mean`.
    """
    arms = [(one.arm.lowest,) if _is_constant(one) else one.arm.values for one in pairs]
    references = [
        (one.reference.lowest,) if _is_constant(one) else one.reference.values for one in pairs
    ]
    if all(one.is_exact for one in pairs):
        return statistics.exact_ratio(_sum(arms), _sum(references))
    # The finished side of a bound by its largest figure: on that side the bound is true for certain.
    for index, one in enumerate(pairs):
        if one.reference.is_bound and not one.arm.is_bound:
            arms[index] = (one.arm.highest,)
        if one.arm.is_bound and not one.reference.is_bound:
            references[index] = (one.reference.highest,)
    rounds = _common_rounds([one.log_ratios for one in pairs if not _is_constant(one)])
    if rounds:
        estimate = statistics.paired_total(
            _matrix(arms, rounds), _matrix(references, rounds), alpha
        )
    else:
        estimate = statistics.exact_ratio(_sum(arms), _sum(references))
    if not any(one.is_bound for one in pairs):
        return estimate
    return _bound(
        -math.inf if any(one.reference.is_bound for one in pairs) else estimate.log_low,
        math.inf if any(one.arm.is_bound for one in pairs) else estimate.log_high,
        rounds,
    )


def _gap(comparison: CellComparison, contrast: Contrast) -> Gap | None:
    if contrast.verdict != "failed" and contrast.value is not None:
        return None
    reason = contrast.reason or "no figure"
    is_own = contrast.cause == "own failure"
    return Gap(comparison, f"{contrast.implementation}: {reason}", is_refuted=is_own)


def _figure(contrast: Contrast) -> tuple[float, ...]:
    assert contrast.value is not None, "gaps are found first"
    return (contrast.value,)


def _aligned_values(
    mine: Contrast, theirs: Contrast, baseline: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The figures of both, such that index i is the same round; empty where that is not known."""
    if theirs.implementation == baseline:
        return mine.values, mine.baseline_values
    if mine.implementation == baseline:
        return theirs.baseline_values, theirs.values
    # Both are paired with the baseline; with the same baseline rounds they are paired with each
    # other. One may have needed more rounds than the other: then the first ones are common.
    common = min(len(mine.values), len(theirs.values))
    if mine.baseline_values[:common] == theirs.baseline_values[:common]:
        return mine.values[:common], theirs.values[:common]
    return (), ()


def _log_ratios(
    mine: Contrast, theirs: Contrast, baseline: str, *, is_exact: bool
) -> tuple[float, ...]:
    if is_exact:
        return (math.log(_figure(mine)[0] / _figure(theirs)[0]),)
    if theirs.implementation == baseline and mine.log_ratios:
        return mine.log_ratios
    if mine.implementation == baseline and theirs.log_ratios:
        return tuple(-log_ratio for log_ratio in theirs.log_ratios)
    values, reference_values = _aligned_values(mine, theirs, baseline)
    if values and min(len(mine.log_ratios), len(theirs.log_ratios)) == len(values):
        return tuple(
            own - other for own, other in zip(mine.log_ratios, theirs.log_ratios, strict=False)
        )
    return tuple(math.log(own / other) for own, other in zip(values, reference_values, strict=True))


def _is_constant(one: Pair) -> bool:
    return one.is_bound or one.is_exact


def _common_rounds(rows: Sequence[Sequence[float]]) -> int:
    """How many rounds all of the measured rows have; 0 where nothing is measured in rounds."""
    return min(map(len, rows), default=0)


def _matrix(rows: Sequence[Sequence[float]], rounds: int) -> npt.NDArray[np.float64]:
    """Rows as an array of shape (cells, rounds): the first rounds, single figures repeated."""
    width = max(rounds, 1)
    return np.array(
        [tuple(row) * width if len(row) == 1 else tuple(row)[:width] for row in rows], dtype=float
    )


def _interval(log_ratios: Sequence[float] | npt.NDArray[np.float64], alpha: float) -> Estimate:
    if len(log_ratios) >= statistics.minimum_rounds(alpha):
        return statistics.hodges_lehmann(log_ratios, alpha)
    return statistics.paired_t(log_ratios, alpha)


def _bound(log_low: float, log_high: float, rounds: int) -> Estimate | None:
    if math.isinf(log_low) and math.isinf(log_high):
        return None
    return statistics.bound(log_low, log_high, rounds)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _sum(rows: Sequence[Sequence[float]]) -> float:
    return math.fsum(row[0] for row in rows)

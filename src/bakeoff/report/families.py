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
from bakeoff.results.records import FLOOR_ARM
from bakeoff.statistics import Estimate, LogRatios


@dataclass(frozen=True, slots=True)
class Budget:
    """What an interval may spend of the probability of error.

    Attributes
    ----------
    look : float
        If it may be looked at several times.
    whole : float
        If there is one look only.
    """

    look: float
    whole: float

    def shared_by(self, intervals: int) -> Budget:
        """The budget of one of so many intervals that have to hold together."""
        count = max(1, intervals)
        return Budget(self.look / count, self.whole / count)


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
    log_ratios : LogRatios or None
        ln(arm ÷ reference) per round; None where the figures are exact or a side is a bound.
    few : bool
        The few-rounds rule applies: Student's interval at the whole budget.
    estimate : Estimate or None
        What the measurement says of this pair, if it is one that the measurement compared.
    """

    comparison: CellComparison
    arm: Side
    reference: Side
    log_ratios: LogRatios | None
    is_exact: bool
    is_few: bool
    estimate: Estimate | None

    @property
    def is_bound(self) -> bool:
        """Whether a side did not finish, so that the ratio has bounds but no rounds."""
        return self.arm.is_bound or self.reference.is_bound

    @property
    def log_exact(self) -> float:
        """The log ratio of two exact figures."""
        return math.log(self.arm.lowest / self.reference.lowest)

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


#: What a claim is held against that asks how far an implementation is from the least there could be.
FLOOR = "floor"


def find_contrast(comparison: CellComparison, implementation: str, metric: str) -> Contrast | None:
    """The contrast of one implementation, or of the floor, by one metric, if the cell has it."""
    for contrast in comparison.contrasts:
        if contrast.implementation == implementation and contrast.metric == metric:
            return contrast
    return comparison.floor if (implementation, metric) == (FLOOR, "time") else None


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
    among = _among(comparison, arm, reference) if metric == "time" else None
    if among is not None:
        mine, theirs = among
        baseline = comparison.among[0].implementation
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
    values, reference_values = _aligned_values(mine, theirs)
    if is_exact or not values:
        values, reference_values = _figure(mine), _figure(theirs)
    if min(*values, *reference_values) <= 0:
        reason = mine.reason or "a figure is 0: there is no ratio"
        return Gap(comparison, reason, is_refuted=False)
    is_bound = mine.is_bound or theirs.is_bound
    log_ratios = None if is_bound or is_exact else _log_ratios(mine, theirs, baseline)
    if not is_bound and not is_exact and log_ratios is None:
        return Gap(comparison, "their rounds cannot be paired", is_refuted=False)
    return Pair(
        comparison=comparison,
        arm=Side(values, mine.is_bound),
        reference=Side(reference_values, theirs.is_bound),
        log_ratios=log_ratios,
        is_exact=is_exact,
        is_few=mine.is_few or theirs.is_few,
        estimate=mine.estimate if reference == baseline else None,
    )


def ratio_of_cell(one: Pair, budget: Budget) -> Estimate | None:
    """The ratio in one cell at the level of `budget`; None if nothing is known of it."""
    if one.is_bound:
        return one.estimate or _bound(one.log_low, one.log_high, 0)
    if one.is_exact:
        return statistics.exact_ratio(one.arm.lowest, one.reference.lowest)
    assert one.log_ratios is not None, "only counts and bounds have none"
    if one.is_few:
        # One look only, so it may spend what all looks may.
        return statistics.estimate_ratio(one.log_ratios, budget.whole, is_few=True)
    return statistics.estimate_over_rounds(one.log_ratios, budget.look)


def value_of_cells(sides: Sequence[Side], alpha: float, *, is_exact: bool) -> Estimate:
    """An arm's own figure, summed over cells, in the metric's unit: an estimate with an interval."""
    measured = [side.values for side in sides if not (side.is_bound or is_exact)]
    rounds = min(map(len, measured), default=0)
    sums = _matrix([(side.lowest,) if side.is_bound else side.values for side in sides], rounds)
    logs = np.log(sums.sum(axis=0))
    if is_exact:
        return statistics.exact_ratio(float(np.exp(logs[0])), 1.0)
    estimate = _over_rounds(logs, alpha) if rounds else None
    if any(side.is_bound for side in sides):
        low = float(logs[0]) if estimate is None else estimate.log_low
        return statistics.bound(low, math.inf, rounds)
    assert estimate is not None
    return estimate


def differences_of_cells(pairs: Sequence[Pair], budget: Budget) -> tuple[float, float, float, int]:
    """Arm − reference, summed over cells, in the metric's unit.

    Returns
    -------
    tuple
        Lower end, estimate, upper end, and the rounds that they rest on; ends are infinite where an
        operation did not finish.
    """
    if any(one.is_bound for one in pairs):
        low = sum(one.arm.lowest - one.reference.highest for one in pairs)
        high = sum(one.arm.highest - one.reference.lowest for one in pairs)
        return low, low if math.isfinite(low) else high, high, 0
    rounds = min((len(one.arm.values) for one in pairs if not one.is_exact), default=0)
    sums = _matrix([one.arm.values for one in pairs], rounds).sum(axis=0)
    sums = sums - _matrix([one.reference.values for one in pairs], rounds).sum(axis=0)
    if not rounds:
        exact = float(sums[0])
        return exact, exact, exact, 1
    # The same procedure on differences: it asks for paired rounds, not for logarithms.
    differences = LogRatios.of(sums)
    if any(one.is_few for one in pairs):
        estimate = statistics.estimate_ratio(differences, budget.whole, is_few=True)
    else:
        estimate = statistics.estimate_over_rounds(differences, budget.look)
    return estimate.log_low, estimate.log_ratio, estimate.log_high, rounds


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
        return statistics.exact_ratio(math.exp(_mean([one.log_exact for one in pairs])), 1.0)
    rounds = _common_rounds(pairs)

    def over(constants: Sequence[float]) -> Estimate:
        """The mean with `constants` for the pairs that have no rounds, in their order."""
        if not rounds:
            return statistics.exact_ratio(math.exp(_mean(constants)), 1.0)
        fixed = iter(constants)
        rows = [
            LogRatios.of([next(fixed)] * rounds)
            if one.log_ratios is None
            else one.log_ratios.first(rounds)
            for one in pairs
        ]
        return statistics.paired_geometric_mean(rows, alpha)

    if not any(one.is_bound for one in pairs):
        return over([one.log_exact for one in pairs if one.is_exact])
    lows = [one.log_low if one.is_bound else one.log_exact for one in pairs if _is_constant(one)]
    highs = [one.log_high if one.is_bound else one.log_exact for one in pairs if _is_constant(one)]
    return _bound(
        -math.inf if -math.inf in lows else over(lows).log_low,
        math.inf if math.inf in highs else over(highs).log_high,
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
    rounds = _common_rounds(pairs)
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


def _among(
    comparison: CellComparison, arm: str, reference: str
) -> tuple[Contrast, Contrast] | None:
    """Both as they were compared without the slow baseline, if they were."""
    found = {
        FLOOR if contrast.implementation == FLOOR_ARM else contrast.implementation: contrast
        for contrast in comparison.among
    }
    return (found[arm], found[reference]) if {arm, reference} <= found.keys() else None


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
    mine: Contrast, theirs: Contrast
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The figures of both in the rounds that both have, in the order of the rounds."""
    own, other = _common_places(mine, theirs)
    return (
        tuple(mine.values[index] for index in own),
        tuple(theirs.values[index] for index in other),
    )


def _common_places(mine: Contrast, theirs: Contrast) -> tuple[list[int], list[int]]:
    """Where in each of the two contrasts the rounds stand that both have."""
    if mine.round_numbers == theirs.round_numbers:
        return [*range(len(mine.round_numbers))], [*range(len(mine.round_numbers))]
    places = {number: index for index, number in enumerate(theirs.round_numbers)}
    common = [
        (index, places[number])
        for index, number in enumerate(mine.round_numbers)
        if number in places
    ]
    return [own for own, _ in common], [other for _, other in common]


def _log_ratios(mine: Contrast, theirs: Contrast, baseline: str) -> LogRatios | None:
    if theirs.implementation == baseline and mine.log_ratios is not None:
        return mine.log_ratios
    if mine.implementation == baseline and theirs.log_ratios is not None:
        return theirs.log_ratios.inverted()
    own, other = _common_places(mine, theirs)
    if not own:
        return None
    if mine.log_ratios is not None and theirs.log_ratios is not None:
        return mine.log_ratios.at(own).against(theirs.log_ratios.at(other))
    values, reference_values = _aligned_values(mine, theirs)
    return LogRatios.of([math.log(a / b) for a, b in zip(values, reference_values, strict=True)])


def _is_constant(one: Pair) -> bool:
    return one.is_bound or one.is_exact


def _common_rounds(pairs: Sequence[Pair]) -> int:
    """How many rounds all of the measured pairs have; 0 where nothing is measured in rounds."""
    return min((len(one.log_ratios) for one in pairs if one.log_ratios is not None), default=0)


def _matrix(rows: Sequence[Sequence[float]], rounds: int) -> npt.NDArray[np.float64]:
    """Rows as an array of shape (cells, rounds): the first rounds, single figures repeated."""
    width = max(rounds, 1)
    return np.array(
        [tuple(row) * width if len(row) == 1 else tuple(row)[:width] for row in rows], dtype=float
    )


def _over_rounds(logs: npt.NDArray[np.float64], alpha: float) -> Estimate:
    return statistics.estimate_over_rounds(LogRatios.of(logs), alpha)


def _bound(log_low: float, log_high: float, rounds: int) -> Estimate | None:
    if math.isinf(log_low) and math.isinf(log_high):
        return None
    return statistics.bound(log_low, log_high, rounds)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _sum(rows: Sequence[Sequence[float]]) -> float:
    return math.fsum(row[0] for row in rows)

"""What a claim can demand, as data, and how an interval is held against it.

A predicate never looks at a point estimate: an interval that crosses the bound is inconclusive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bakeoff.statistics import Estimate, judge_bound, judge_interval
from bakeoff.units import format_quantity, format_ratio, format_significant

ClaimVerdict = Literal["holds", "fails", "inconclusive"]
Operator = Literal["<=", ">=", "<", ">"]

_SYMBOLS: dict[str, str] = {"<=": "≤", ">=": "≥", "<": "<", ">": ">"}


@dataclass(frozen=True, slots=True)
class _OneSided:
    """A figure is on the right side of a number, which a claim's tolerance moves away."""

    metric: str
    op: Operator
    limit: float
    written: str

    def bound(self, tolerance: float) -> float:
        """What the interval is held against."""
        return _widened(self.op, self.limit, tolerance)

    def strain(self, low: float, high: float) -> float:
        """How near an interval comes to breaking the claim; the largest decides."""
        return high if self.op in ("<=", "<") else -low

    def _quantity_text(self, unit: str, tolerance: float) -> str:
        shown = f"{_SYMBOLS[self.op]} {format_quantity(self.bound(tolerance), unit)}"
        return f"{shown} ({self.written} and {format_percent(tolerance)})" if tolerance else shown


@dataclass(frozen=True, slots=True)
class RatioBound(_OneSided):
    """``ratio <= 1/50``: arm ÷ reference."""

    def judge(self, estimate: Estimate, tolerance: float) -> ClaimVerdict:
        """Hold the interval of a ratio against the bound."""
        return judge_bound(estimate, self.op, self.bound(tolerance))

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``≤ 0.023× (1/50 and 15 %)``."""
        shown = f"{_SYMBOLS[self.op]} {format_ratio(self.bound(tolerance))}"
        origin = [self.written] if "/" in self.written else []
        if tolerance:
            origin = [self.written, format_percent(tolerance)]
        return f"{shown} ({' and '.join(origin)})" if origin else shown


@dataclass(frozen=True, slots=True)
class ValueBound(_OneSided):
    """``value <= 910ms``: the arm's own figure, in the metric's unit."""

    def judge(self, estimate: Estimate, tolerance: float) -> ClaimVerdict:
        """Hold the interval of a value against the bound."""
        return judge_bound(estimate, self.op, self.bound(tolerance))

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``≤ 910 ms``."""
        return self._quantity_text(unit, tolerance)


@dataclass(frozen=True, slots=True)
class DeltaBound(_OneSided):
    """``delta <= 2.5us``: arm − reference, in the metric's unit."""

    def judge_between(self, low: float, high: float, tolerance: float) -> ClaimVerdict:
        """Hold the interval of a difference against the bound."""
        return judge_interval(low, high, self.op, self.bound(tolerance))

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``difference ≤ 2.50 µs``."""
        return f"difference {self._quantity_text(unit, tolerance)}"


@dataclass(frozen=True, slots=True)
class SameWithin:
    """``same within 3%``: proven equal, the whole interval inside the margin."""

    metric: str
    margin: float

    def judge(self, estimate: Estimate, tolerance: float) -> ClaimVerdict:
        """Hold if the interval lies inside the margin, fail if it lies outside of it."""
        reach = math.log1p(self.margin)
        return judge_within(estimate.log_low, estimate.log_high, -reach, reach)

    def strain(self, low: float, high: float) -> float:
        """How near an interval (of log ratios) comes to breaking the claim; the largest decides."""
        return max(-low, high)

    def describe(self, unit: str, tolerance: float) -> str:
        """The margin in print: ``within 3 %``."""
        return f"within {format_percent(self.margin)}"


@dataclass(frozen=True, slots=True)
class GrowthBound:
    """``growth(n) <= 0.1``: the exponent of the arm's figure over a parameter."""

    metric: str
    over: str
    op: Operator
    limit: float

    def judge_between(self, low: float, high: float, tolerance: float) -> ClaimVerdict:
        """Hold the interval of an exponent against the bound."""
        return judge_interval(low, high, self.op, self.limit)

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``growth over n ≤ 0.1``."""
        return f"growth over {self.over} {_SYMBOLS[self.op]} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class GrowthRange:
    """``growth(n) in 0.9..1.1``: the exponent lies between two numbers."""

    metric: str
    over: str
    low: float
    high: float

    def judge_between(self, low: float, high: float, tolerance: float) -> ClaimVerdict:
        """Hold if the exponent's interval lies inside the range, fail if outside of it."""
        return judge_within(low, high, self.low, self.high)

    def describe(self, unit: str, tolerance: float) -> str:
        """The range in print: ``growth over n in 0.9–1.1``."""
        return f"growth over {self.over} in {self.low:g}–{self.high:g}"


@dataclass(frozen=True, slots=True)
class ExactCount:
    """``exact requests == 1``: a count is this number in every process."""

    metric: str
    number: float

    def describe(self, unit: str, tolerance: float) -> str:
        """The demand in print: ``= 1, exactly``."""
        return f"= {format_quantity(self.number, unit)}, exactly"


@dataclass(frozen=True, slots=True)
class IndependentOf:
    """``independent of n within 5%``: the arm's figure is the same at every value of a parameter."""

    metric: str
    over: str
    margin: float

    def judge(self, estimate: Estimate) -> ClaimVerdict:
        """Hold the interval of (figure ÷ figure at the first value) against the margin."""
        reach = math.log1p(self.margin)
        return judge_within(estimate.log_low, estimate.log_high, -reach, reach)

    def describe(self, unit: str, tolerance: float) -> str:
        """The margin in print: ``same over all n within 5 %``."""
        return f"same over all {self.over} within {format_percent(self.margin)}"


@dataclass(frozen=True, slots=True)
class CompletesWithin:
    """``completes within 60s``: every operation that was run ended in that time."""

    metric: str
    limit: float
    written: str

    def describe(self, unit: str, tolerance: float) -> str:
        """The limit in print: ``completes within 60.0 s``."""
        return f"completes within {format_quantity(self.limit, 's')}"


@dataclass(frozen=True, slots=True)
class BestOn:
    """``best on time``: better than every other implementation of the run, all at once."""

    metric: str

    def describe(self, unit: str, tolerance: float) -> str:
        """The demand in print."""
        return "better than every other"


@dataclass(frozen=True, slots=True)
class CrossoverBound:
    """``crossover(n) <= 500``: where the arm begins to be better than its reference."""

    metric: str
    over: str
    op: Operator
    limit: float

    def judge_between(self, low: float, high: float, tolerance: float) -> ClaimVerdict:
        """Hold the interval of a size against the bound."""
        return judge_interval(low, high, self.op, self.limit)

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``crossover at n ≤ 500``."""
        limit = format_significant(self.limit)
        return f"crossover at {self.over} {_SYMBOLS[self.op]} {limit}"


#: What is judged in every cell by itself, or on one figure over all of them.
CellPredicate = RatioBound | ValueBound | DeltaBound | SameWithin
Predicate = (
    CellPredicate
    | GrowthBound
    | GrowthRange
    | ExactCount
    | IndependentOf
    | CompletesWithin
    | BestOn
    | CrossoverBound
)

#: About the arm alone: what its reference does is of no concern.
ABSOLUTE = (ValueBound, GrowthBound, GrowthRange, ExactCount, IndependentOf, CompletesWithin)


def judge_within(low: float, high: float, least: float, most: float) -> ClaimVerdict:
    """Hold if an interval lies inside a range, fail if it lies outside of it."""
    if least <= low and high <= most:
        return "holds"
    return "fails" if low > most or high < least else "inconclusive"


def format_percent(share: float) -> str:
    """A share as people write it: 0.15 is ``15 %``, 0.9975 is ``99.75 %``."""
    return f"{share * 100:.4g} %"


def _widened(op: Operator, limit: float, tolerance: float) -> float:
    return limit * (1 + tolerance) if op in ("<=", "<") else limit / (1 + tolerance)

"""The little language of a claim's ``check``: text in, a predicate that judges an estimate out.

::

    check    :=  "ratio" op number  |  "value" op quantity  |  "same within" percent
    op       :=  "<="  |  ">="  |  "<"  |  ">"
    number   :=  decimal  |  decimal "/" decimal
    quantity :=  decimal [ns us ms s | B kB MB GB KiB MiB GiB]

A predicate never looks at a point estimate: an interval that crosses the bound is inconclusive.
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from typing import Literal

from bakeoff.errors import DefinitionError
from bakeoff.statistics import Estimate, judge_bound
from bakeoff.units import format_quantity, format_ratio

ClaimVerdict = Literal["holds", "fails", "inconclusive"]
Operator = Literal["<=", ">=", "<", ">"]

KNOWN_CHECKS = ("ratio <= x", "value <= x", "same within x%")

_SYMBOLS: dict[str, str] = {"<=": "≤", ">=": "≥", "<": "<", ">": ">"}
_SCALES: dict[str, tuple[str, float]] = {
    "ns": ("s", 1e-9),
    "us": ("s", 1e-6),
    "µs": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "B": ("B", 1.0),
    "kB": ("B", 1e3),
    "MB": ("B", 1e6),
    "GB": ("B", 1e9),
    "KiB": ("B", 2.0**10),
    "MiB": ("B", 2.0**20),
    "GiB": ("B", 2.0**30),
}
_DECIMAL = r"\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_COMPARISON = re.compile(r"(?P<subject>ratio|value)\s*(?P<op><=|>=|<|>)\s*(?P<bound>.*)")
_FRACTION = re.compile(rf"(?P<above>{_DECIMAL})(?:\s*/\s*(?P<below>{_DECIMAL}))?")
_QUANTITY = re.compile(rf"(?P<number>{_DECIMAL})\s*(?P<unit>[A-Za-zµ]*)")
_SAME = re.compile(r"same\s+within\s+(?P<percent>.*)")
_PERCENT = re.compile(rf"(?P<number>{_DECIMAL})\s*%")


@dataclass(frozen=True, slots=True)
class RatioBound:
    """``ratio <= 1/50``: arm ÷ reference is on the right side of a number."""

    op: Operator
    limit: float
    written: str

    def bound(self, tolerance: float) -> float:
        """The number the interval is held against, moved away by the claim's tolerance."""
        return _widened(self.op, self.limit, tolerance)

    def judge(self, estimate: Estimate, tolerance: float) -> ClaimVerdict:
        """Hold the interval of a ratio against the bound."""
        return judge_bound(estimate, self.op, self.bound(tolerance))

    def strain(self, estimate: Estimate) -> float:
        """How near an estimate comes to breaking the claim; the largest decides."""
        return estimate.log_high if self.op in ("<=", "<") else -estimate.log_low

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``≤ 0.023× (1/50 and 15 %)``."""
        shown = f"{_SYMBOLS[self.op]} {format_ratio(self.bound(tolerance))}"
        origin = [self.written] if "/" in self.written else []
        if tolerance:
            origin = [self.written, format_percent(tolerance)]
        return f"{shown} ({' and '.join(origin)})" if origin else shown


@dataclass(frozen=True, slots=True)
class ValueBound:
    """``value <= 910ms``: the arm's own figure is on the right side of a quantity."""

    op: Operator
    limit: float
    written: str

    def bound(self, tolerance: float) -> float:
        """The quantity the interval is held against, moved away by the claim's tolerance."""
        return _widened(self.op, self.limit, tolerance)

    def judge(self, estimate: Estimate, tolerance: float) -> ClaimVerdict:
        """Hold the interval of a value (in the metric's unit) against the bound."""
        return judge_bound(estimate, self.op, self.bound(tolerance))

    def strain(self, estimate: Estimate) -> float:
        """How near an estimate comes to breaking the claim; the largest decides."""
        return estimate.log_high if self.op in ("<=", "<") else -estimate.log_low

    def describe(self, unit: str, tolerance: float) -> str:
        """The bound in print: ``≤ 910 ms``."""
        shown = f"{_SYMBOLS[self.op]} {format_quantity(self.bound(tolerance), unit)}"
        if not tolerance:
            return shown
        return f"{shown} ({self.written} and {format_percent(tolerance)})"


@dataclass(frozen=True, slots=True)
class SameWithin:
    """``same within 3%``: proven equal, the whole interval inside the margin."""

    margin: float

    def bound(self, tolerance: float) -> float:
        """The margin; a tolerance is refused when the definition is read."""
        return self.margin

    def judge(self, estimate: Estimate, tolerance: float) -> ClaimVerdict:
        """Hold if the interval lies inside the margin, fail if it lies outside of it."""
        reach = math.log1p(self.margin)
        if -reach <= estimate.log_low and estimate.log_high <= reach:
            return "holds"
        if estimate.log_low > reach or estimate.log_high < -reach:
            return "fails"
        return "inconclusive"

    def strain(self, estimate: Estimate) -> float:
        """How near an estimate comes to breaking the claim; the largest decides."""
        return max(-estimate.log_low, estimate.log_high)

    def describe(self, unit: str, tolerance: float) -> str:
        """The margin in print: ``within 3 %``."""
        return f"within {format_percent(self.margin)}"


Predicate = RatioBound | ValueBound | SameWithin


def parse_predicate(text: str, unit: str) -> Predicate:
    """Read a claim's ``check``.

    Parameters
    ----------
    text : str
        As written in the definition: ``"ratio <= 1/50"``.
    unit : str
        The metric's unit, which a quantity's unit has to fit.

    Raises
    ------
    DefinitionError
        If the check is unknown or its number cannot be read. The message names neither file nor
        claim: the reader of the definition adds them.
    """
    written = text.strip()
    if comparison := _COMPARISON.fullmatch(written):
        op: Operator = comparison["op"]  # type: ignore[assignment]  # the pattern allows no other
        bound = comparison["bound"].strip().strip('"')
        if comparison["subject"] == "ratio":
            return RatioBound(op, _fraction(bound, text), bound)
        return _value_bound(op, bound, unit, text)
    if same := _SAME.fullmatch(written):
        return SameWithin(parse_percent(same["percent"], f"check {text!r}"))
    nearest = difflib.get_close_matches(written, KNOWN_CHECKS, n=1, cutoff=0.5)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise DefinitionError(
        f"check {text!r} is not one this version knows.",
        f"There are: {', '.join(repr(check) for check in KNOWN_CHECKS)}"
        f" (with <=, >=, < or >).{hint}",
    )


def parse_percent(text: str, what: str) -> float:
    """Read ``"15%"`` as 0.15; `what` names the place in the error message."""
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        raise DefinitionError(f"{what}: {text!r} is not a percentage.", 'Write it as "15%".')
    share = float(match["number"]) / 100
    if share <= 0:
        raise DefinitionError(f"{what}: a percentage must be above zero.", 'Write "15%".')
    return share


def format_percent(share: float) -> str:
    """A share as people write it: 0.15 is ``15 %``, 0.9975 is ``99.75 %``."""
    return f"{share * 100:.4g} %"


def _fraction(text: str, check: str) -> float:
    match = _FRACTION.fullmatch(text)
    below = float(match["below"] or 1) if match else 0.0
    if match is None or below == 0 or float(match["above"]) == 0:
        raise DefinitionError(
            f"check {check!r}: {text!r} is not a positive number or fraction.",
            "Write it as in 'ratio <= 1/50' or 'ratio <= 0.02'.",
        )
    return float(match["above"]) / below


def _value_bound(op: Operator, text: str, unit: str, check: str) -> ValueBound:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise DefinitionError(
            f"check {check!r}: {text!r} is not a quantity.",
            "Write it as in 'value <= 910ms', 'value <= 1.5MB' or 'value <= 12'.",
        )
    if not match["unit"]:
        if unit != "1":
            example = "910ms" if unit == "s" else "1.5MB"
            raise DefinitionError(
                f"check {check!r}: the bound has no unit.", f"Write it as in 'value <= {example}'."
            )
        return ValueBound(op, float(match["number"]), text)
    own_unit, scale = _SCALES.get(match["unit"], ("", 0.0))
    if own_unit != unit:
        fitting = [name for name, (measures, _) in _SCALES.items() if measures == unit]
        raise DefinitionError(
            f"check {check!r}: {match['unit']!r} is not a unit of this metric.",
            f"Use one of: {', '.join(fitting)}." if fitting else "It is a plain count: no unit.",
        )
    return ValueBound(op, float(match["number"]) * scale, text)


def _widened(op: Operator, limit: float, tolerance: float) -> float:
    return limit * (1 + tolerance) if op in ("<=", "<") else limit / (1 + tolerance)

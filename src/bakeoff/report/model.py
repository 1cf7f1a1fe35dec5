"""What a report says, ready to be printed: the one model that every renderer prints.

All figures are final here. A renderer scales, formats and lays out; it computes no statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Literal

from bakeoff.report.predicates import ClaimVerdict
from bakeoff.results.records import Machine
from bakeoff.statistics import Estimate

SCHEMA = "bakeoff.report/1"

Parameter = str | int | float | bool
CellVerdict = Literal["faster", "slower", "same", "inconclusive", "failed"]
ClaimStatus = Literal["measured", "not measured here"]
FigureKind = Literal["ratio", "value", "number"]
Tone = Literal["use", "stay", "unsure"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its interval; an end is None where nothing bounds it.

    Attributes
    ----------
    estimate : float
        A ratio to the reference, or a value in the metric's unit.
    low, high : float or None
        The interval.
    level : float
        Its confidence; 1.0 for exact counts and for bounds.
    is_exact : bool
        A count that is the same in every process: it has no interval.
    is_bound : bool
        A side did not finish: only one end is known, and the estimate is that end.
    """

    estimate: float
    low: float | None
    high: float | None
    level: float
    is_exact: bool = False
    is_bound: bool = False

    @classmethod
    def of(cls, estimate: Estimate | None) -> Figure | None:
        """The printable form of an estimate; None where there is none or it is not finite."""
        if estimate is None or not math.isfinite(estimate.ratio):
            return None
        return cls(
            estimate=estimate.ratio,
            low=estimate.low if math.isfinite(estimate.log_low) or estimate.low else None,
            high=estimate.high if math.isfinite(estimate.high) else None,
            level=estimate.level,
            is_exact=estimate.method == "exact",
            is_bound=estimate.method == "bound",
        )

    @classmethod
    def of_exact(cls, value: float) -> Figure:
        """A figure that chance has no part in."""
        return cls(estimate=value, low=value, high=value, level=1.0, is_exact=True)

    @classmethod
    def between(cls, low: float, estimate: float, high: float, *, level: float) -> Figure:
        """A figure on a scale of its own: a difference, an exponent, a size."""
        return cls(
            estimate=estimate,
            low=low if math.isfinite(low) else None,
            high=high if math.isfinite(high) else None,
            level=level,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """One implementation in one cell by one metric.

    Attributes
    ----------
    label : str
        The cell in as few words as this report needs to tell it from others.
    is_bound : bool
        The operation was stopped at its limit: `value` is a lower bound.
    """

    workload: str
    params: Mapping[str, Parameter]
    label: str
    metric: str
    unit: str
    implementation: str
    value: float | None
    is_bound: bool
    figure: Figure | None
    verdict: CellVerdict
    rounds: int
    mde: float | None
    exact: bool
    floor_ratio: float | None
    reason: str | None
    warnings: tuple[str, ...]
    sensitivity: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRow:
    """One implementation by one metric over all cells that have a figure.

    Attributes
    ----------
    figure : Figure or None
        Geometric mean of the ratios.
    total : Figure or None
        Ratio of the sums: slow cells weigh more.
    value_total : float or None
        All cells once, in the metric's unit; at least that much if `is_bound`.
    cells, planned_cells : int
        How many cells are in it, and how many the run planned.
    """

    metric: str
    unit: str
    implementation: str
    figure: Figure | None
    total: Figure | None
    value_total: float | None
    is_bound: bool
    verdict: CellVerdict
    cells: int
    planned_cells: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class CapabilityRow:
    """Who can do something that not everybody must.

    Attributes
    ----------
    check : str
        The name of the check.
    text : str
        What it is, as a sentence.
    has : dict of str to bool
        By implementation; who is not in it was not asked.
    reasons : dict of str to str
        Why not.
    """

    check: str
    text: str
    has: dict[str, bool]
    reasons: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRow:
    """How one implementation's figure grows with one parameter, all else equal.

    Attributes
    ----------
    fixed : str
        The other parameters, in print.
    exponent, local_exponent : Figure or None
        Slope of the figure over the parameter, both logarithmic: over all sizes, and over the top
        decade of them.
    growth_class : str
        ``1``, ``log n``, ``n``, ``n log n``, ``n^2`` or ``unclear``.
    crossover : Figure or None
        The size at which it is as good as the baseline; None if it never is, or is the baseline.
    """

    workload: str
    fixed: str
    over: str
    metric: str
    implementation: str
    exponent: Figure | None
    local_exponent: Figure | None
    growth_class: str
    crossover: Figure | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRow:
    """The A/A control of one cell: a second copy of the baseline against the first."""

    workload: str
    params: Mapping[str, Parameter]
    label: str
    figure: Figure
    is_passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """A promise of the interface that an implementation does not keep."""

    implementation: str
    check: str
    promise: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Why the figures can be believed, and where they cannot.

    Attributes
    ----------
    is_checked : bool
        Conformance was checked at all.
    unchecked : tuple of str
        Implementations of the run that it says nothing of.
    control : Figure or None
        Geometric mean of the A/A controls.
    noise_floor : float or None
        How far the widest control's interval reaches from 1: 0.02 is 2 %.
    discards : mapping of str to int
        Discarded rounds by cause.
    waited_s : float
        How long rounds waited for the machine to be quiet, together.
    timed_share : float or None
        Share of the rounds' wall time that was spent inside timed operations.
    """

    is_checked: bool
    unchecked: tuple[str, ...]
    passed: int
    failed: int
    skipped: int
    failed_checks: tuple[FailedCheck, ...]
    controls: tuple[ControlRow, ...]
    planned_cells: int
    control: Figure | None
    noise_floor: float | None
    rounds: int
    discarded_rounds: int
    contended_rounds: int
    discards: Mapping[str, int]
    waited_s: float
    timed_share: float | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """A claim and what became of it.

    Attributes
    ----------
    bound : str
        What the interval was held against, in print, tolerance included.
    verdict : str or None
        None where the claim was not measured here: it counts neither way.
    kind : {"ratio", "value", "number"}
        What the figure is: arm ÷ reference, something in `unit`, or a plain number.
    is_absolute : bool
        It is about the arm alone.
    deciding_cell : str or None
        The label of the cell that came nearest to breaking the claim, if it speaks of several.
    """

    number: int
    text: str
    arm: str
    vs: str
    metric: str
    unit: str
    check: str
    over: str
    bound: str
    tolerance: float
    figure: Figure | None
    kind: FigureKind
    is_absolute: bool
    status: ClaimStatus
    verdict: ClaimVerdict | None
    reason: str | None
    cells: int
    deciding_cell: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Where the figures come from."""

    id: str
    commit: str | None
    is_dirty: bool
    machine: Machine
    started_at: str
    duration_s: float | None
    preset: str
    settings: Mapping[str, str]
    """What the workloads' own options were set to."""
    alpha: float
    margin: float
    looks: tuple[int, ...]
    bakeoff: str


@dataclass(frozen=True, slots=True)
class Headline:
    """What an engineer should do, in plain words.

    Attributes
    ----------
    tone : {"use", "stay", "unsure"}
        Change, keep the baseline, or measure more.
    advice : str
        One sentence.
    details : tuple of str
        Sentences that qualify it: where it gains least, what failed.
    """

    tone: Tone
    advice: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything a page, a terminal or a script is told.

    Attributes
    ----------
    candidates : tuple of str
        All implementations but the baseline, best first.
    labels : mapping of str to str
        What each implementation calls itself.
    metrics : tuple of str
        The metrics that were measured, time first.
    cells : tuple of CellRow
        In the order metric, cell, implementation; the baseline has rows too.
    """

    name: str
    title: str
    question: str
    summary: str | None
    study: str
    baseline: str
    candidates: tuple[str, ...]
    labels: Mapping[str, str]
    metrics: tuple[str, ...]
    headline: Headline
    run: RunFacts
    trust: Trust
    cells: tuple[CellRow, ...]
    families: tuple[FamilyRow, ...]
    growth: tuple[GrowthRow, ...]
    claims: tuple[ClaimRow, ...]
    capabilities: tuple[CapabilityRow, ...] = ()
    generated_at: str

    @property
    def implementations(self) -> tuple[str, ...]:
        """Candidates, best first, then the baseline."""
        return (*self.candidates, self.baseline)

    def family(self, implementation: str, metric: str) -> FamilyRow | None:
        """The row of one implementation and metric over all cells."""
        for row in self.families:
            if row.implementation == implementation and row.metric == metric:
                return row
        return None

    def cells_of(self, metric: str, implementation: str | None = None) -> tuple[CellRow, ...]:
        """Rows of one metric, of one implementation or of all."""
        return tuple(
            row
            for row in self.cells
            if row.metric == metric and implementation in (None, row.implementation)
        )

    def failure(self, implementation: str) -> str | None:
        """Why an implementation has no figure at all; None if it has any."""
        rows = [row for row in self.cells if row.implementation == implementation]
        if any(row.verdict != "failed" for row in rows):
            return None
        return rows[0].reason or "no figure" if rows else "not measured"

    def count_claims(self) -> dict[str, int]:
        """How many claims hold, fail, are inconclusive, and are not measured here."""
        words: list[str] = [claim.verdict or claim.status for claim in self.claims]
        known = ("holds", "fails", "inconclusive", "not measured here")
        return {word: words.count(word) for word in known}

    def commands(self) -> tuple[str, ...]:
        """What to type to measure the same again."""
        checkout = () if self.run.commit is None else (f"git checkout {self.run.commit}",)
        settings = "".join(
            f" --{name} {quote(value)}" for name, value in sorted(self.run.settings.items())
        )
        measure = f"bakeoff all {quote(self.name)} --preset {quote(self.run.preset)}{settings}"
        return (*checkout, measure)

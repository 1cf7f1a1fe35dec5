"""What became of a claim, before it is put into its row."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.report.model import Figure, FigureKind
from bakeoff.report.predicates import ClaimVerdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with the figure that it rests on.

    Attributes
    ----------
    figure : Figure or None
        None where nothing is known.
    reason : str or None
        What decided, or what is missing.
    kind : {"ratio", "value", "number"}
        What the figure is.
    deciding_cell : str or None
        The label of the cell that came nearest to breaking the claim.
    """

    figure: Figure | None
    verdict: ClaimVerdict
    reason: str | None = None
    kind: FigureKind = "ratio"
    deciding_cell: str | None = None


def crossing_reason(figure: Figure | None, rounds: int) -> str:
    """Why an interval decides nothing."""
    if figure is None:
        return "neither side finished: the ratio is unknown"
    if figure.is_bound:
        return "an operation did not finish: only a bound of it is known"
    if figure.low is None and figure.high is None:
        return f"too few rounds for an interval: {rounds}"
    return "the interval crosses the bound"

"""What a report is made from: a run, compared, and what conformance says of its implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff import statistics
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.memory import MEMORY_METRICS
from bakeoff.report.families import Budget
from bakeoff.report.labels import Labels
from bakeoff.results.records import RunHeader


def is_timed(metric: str) -> bool:
    """Whether a metric is measured in rounds, side by side with the A/A control."""
    return metric not in MEMORY_METRICS


@dataclass(frozen=True, slots=True)
class Evidence:
    """What claims are judged by.

    Attributes
    ----------
    broken_promises : mapping of str to str
        Implementations that fail conformance, with the reason.
    """

    header: RunHeader
    comparisons: Sequence[CellComparison]
    broken_promises: Mapping[str, str]
    labels: Labels

    def budget(self, metric: str) -> Budget:
        """What one interval may spend: rounds are looked at several times, memory once."""
        whole = self.header.alpha
        look = statistics.looks_alpha(whole, self.header.looks) if is_timed(metric) else whole
        return Budget(look, whole)

"""What each implementation can do beside what it must: the matrix of a study's capabilities."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.conformance.outcomes import ConformanceRecord, Passed, Skipped
from bakeoff.report.model import CapabilityRow


def capability_rows(
    conformance: ConformanceRecord | None, implementations: Sequence[str]
) -> tuple[CapabilityRow, ...]:
    """One row for each capability, in the order of the checks.

    Parameters
    ----------
    conformance : ConformanceRecord or None
        The check of the same sources, if there is one.
    implementations : sequence of str
        Those of the run.
    """
    rows: dict[str, CapabilityRow] = {}
    for result in () if conformance is None else conformance.results:
        if not result.is_capability or result.implementation not in implementations:
            continue
        row = rows.setdefault(result.check, CapabilityRow(result.check, result.promise, {}, {}))
        if not isinstance(result.outcome, Skipped):
            row.has[result.implementation] = isinstance(result.outcome, Passed)
        if not isinstance(result.outcome, Passed):
            row.reasons[result.implementation] = result.outcome.reason
    return tuple(rows.values())

"""Same answers first: every implementation is held against the promises of its interface.

A check is a plain function of the study; what it finds is data; nothing is decided here about what
a failure means for a comparison.
"""

from __future__ import annotations

from bakeoff.conformance.outcomes import (
    CheckResult,
    ConformanceRecord,
    Failed,
    Outcome,
    Passed,
    Skipped,
)
from bakeoff.conformance.parametrize import conformance_cases
from bakeoff.conformance.record_file import read_record, record_path, write_record
from bakeoff.conformance.run import run_checks

__all__ = [
    "CheckResult",
    "ConformanceRecord",
    "Failed",
    "Outcome",
    "Passed",
    "Skipped",
    "conformance_cases",
    "read_record",
    "record_path",
    "run_checks",
    "write_record",
]

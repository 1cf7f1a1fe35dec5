"""What is compared: studies and implementations found by file name, workloads, their cells."""

from __future__ import annotations

from bakeoff.study.cells import FULL, cells_of, preset_names, require_preset
from bakeoff.study.loading import (
    load_conformance,
    load_implementation,
    load_workloads,
    require_workload,
)
from bakeoff.study.project import Project, Study
from bakeoff.study.workload import Parameter, Workload, answer_digest

__all__ = [
    "FULL",
    "Parameter",
    "Project",
    "Study",
    "Workload",
    "answer_digest",
    "cells_of",
    "load_conformance",
    "load_implementation",
    "load_workloads",
    "preset_names",
    "require_preset",
    "require_workload",
]

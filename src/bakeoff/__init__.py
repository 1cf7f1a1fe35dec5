"""Compare interchangeable implementations of one interface: same answers first, then paired measurement.

The public names are what a suite in ``benchmarks/`` needs; everything else is reached through the
command line. Importing this package must stay cheap: every measuring process does it.
"""

from __future__ import annotations

from bakeoff.errors import BakeoffError
from bakeoff.measurement.suite import Suite
from bakeoff.study.workload import Workload

__all__ = ["BakeoffError", "Suite", "Workload", "__version__"]

__version__ = "0.1.0"

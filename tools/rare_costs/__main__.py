"""``python -m tools.rare_costs``: what bakeoff says of rare costs, beside the truth.

Takes a quarter of an hour on a quiet machine. One run's estimate has its interval; whether the method is right is told by
the mean of several.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bakeoff.measurement.comparison import CellComparison, Contrast, compare_run
from bakeoff.results.store import RunStore
from tools.rare_costs.subjects import ARMS, BASELINE, write_project
from tools.rare_costs.truth import true_ratio

#: How far the mean of the runs may be from the truth.
ALLOWED = 0.03


def main() -> int:
    """Measure, print a table, and fail if an estimate is more than 3 % off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4, help="runs of bakeoff")
    parser.add_argument("--processes", type=int, default=24, help="processes for the truth")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder)
        cells = [_measure(folder) for _ in range(options.runs)]
        cpu = min(os.sched_getaffinity(0))
        worst = 0.0
        print(
            "| arm | true ratio of totals | bakeoff, mean of the runs | off | each run | by medians | says |"
        )
        print("|---|---:|---:|---:|---|---:|---|")
        for arm in ARMS:
            truth = true_ratio(folder, arm, BASELINE, cpu, options.processes)
            found = [_of(arm, cell) for cell in cells]
            estimates = [one.estimate for one in found if one.estimate is not None]
            mean = statistics.geometric_mean(one.ratio for one in estimates)
            off = mean / truth.ratio - 1
            worst = max(worst, abs(off))
            each = ", ".join(f"{one.ratio:.3f} ({one.low:.3f}–{one.high:.3f})" for one in estimates)
            medians = statistics.geometric_mean(one.sensitivity["medians"] for one in found)
            said = {
                "; ".join([one.verdict, *(w.partition(":")[0] for w in one.warnings)])
                for one in found
            }
            print(
                f"| {arm} | {truth.ratio:.3f} ± {truth.error:.3f} | {mean:.3f} | {off:+.1%} | {each} "
                f"| {medians:.3f} | {' / '.join(sorted(said))} |"
            )
    return int(worst > ALLOWED or math.isnan(worst))


def _measure(folder: Path) -> CellComparison:
    command = [sys.executable, "-m", "bakeoff", "run", "rare", "--no-memory"]
    command += ["--preset", "full", "--baseline", BASELINE]
    subprocess.run(command, cwd=folder, check=True)
    run = RunStore(folder).latest("rare")
    assert run is not None
    (cell,) = compare_run(run.header, run.journal.read().records)
    return cell


def _of(arm: str, cell: CellComparison) -> Contrast:
    return next(c for c in cell.contrasts if c.implementation == arm and c.metric == "time")


if __name__ == "__main__":
    sys.exit(main())

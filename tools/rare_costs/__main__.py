"""``python -m tools.rare_costs``: what bakeoff says of rare costs, beside the truth."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bakeoff.measurement.comparison import compare_run
from bakeoff.results.store import RunStore
from tools.rare_costs.subjects import ARMS, BASELINE, write_project
from tools.rare_costs.truth import true_ratio


def main() -> int:
    """Measure, print a table, and fail if an estimate is more than 3 % off."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder)
        command = [sys.executable, "-m", "bakeoff", "run", "rare", "--no-memory"]
        command += ["--preset", "full", "--baseline", BASELINE]
        subprocess.run(command, cwd=folder, check=True)
        run = RunStore(folder).latest("rare")
        assert run is not None
        (cell,) = compare_run(run.header, run.journal.read().records)
        cpu = min(os.sched_getaffinity(0))
        worst = 0.0
        print("| arm | true ratio of totals | bakeoff | interval | by medians | off | says |")
        print("|---|---:|---:|---:|---:|---:|---|")
        for arm in ARMS:
            truth = true_ratio(folder, arm, BASELINE, cpu)
            found = next(
                c for c in cell.contrasts if c.implementation == arm and c.metric == "time"
            )
            assert found.estimate is not None
            off = found.estimate.ratio / truth - 1
            worst = max(worst, abs(off))
            print(
                f"| {arm} | {truth:.3f} | {found.estimate.ratio:.3f} "
                f"| {found.estimate.low:.3f}–{found.estimate.high:.3f} "
                f"| {found.sensitivity['medians']:.3f} | {off:+.1%} "
                f"| {found.verdict}{'; ' + '; '.join(found.warnings) if found.warnings else ''} |"
            )
    return int(worst > 0.03)


if __name__ == "__main__":
    sys.exit(main())

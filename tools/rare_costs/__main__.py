"""``python -m tools.rare_costs``: what bakeoff says of rare costs, beside the truth.

Takes a quarter of an hour on a quiet machine. Each run's estimate is held against the total times of its own turns, rare
ones and all; if one is more than 3 % off, the method is wrong. Beside it stands what the arm takes in processes that take no
turns with others: there caches stay warm, so that is another situation, and its ratio another one by some percent.
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
from bakeoff.results.records import RoundRecord
from bakeoff.results.store import RunStore
from tools.rare_costs.subjects import ARMS, BASELINE, write_project
from tools.rare_costs.totals import ratio_of_totals
from tools.rare_costs.truth import true_ratio

#: How far a run's estimate may be from the ratio of the total times of its turns.
ALLOWED = 0.03


def main() -> int:
    """Measure, print a table, and fail if an estimate is more than 3 % from the totals of its turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4, help="runs of bakeoff")
    parser.add_argument("--processes", type=int, default=24, help="processes for the truth")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_project(folder)
        measured = [_measure(folder) for _ in range(options.runs)]
        cpu = min(os.sched_getaffinity(0))
        worst = 0.0
        print(
            "| arm | each run | by total times | furthest off | mean of the runs | alone | by medians | says |"
        )
        print("|---|---|---|---:|---:|---:|---:|---|")
        for arm in ARMS:
            truth = true_ratio(folder, arm, BASELINE, cpu, options.processes)
            found = [_of(arm, cell) for cell, _ in measured]
            estimates = [one.estimate for one in found if one.estimate is not None]
            totals = [ratio_of_totals(rounds, arm, BASELINE) for _, rounds in measured]
            mean = statistics.geometric_mean(one.ratio for one in estimates)
            off = max(
                (one.ratio / total - 1 for one, total in zip(estimates, totals, strict=True)),
                key=abs,
            )
            worst = max(worst, abs(off))
            each = ", ".join(f"{one.ratio:.3f} ({one.low:.3f}–{one.high:.3f})" for one in estimates)
            medians = statistics.geometric_mean(one.sensitivity["medians"] for one in found)
            said = {
                "; ".join([one.verdict, *(w.partition(":")[0] for w in one.warnings)])
                for one in found
            }
            print(
                f"| {arm} | {each} | {', '.join(f'{total:.3f}' for total in totals)} | {off:+.1%} "
                f"| {mean:.3f} | {truth.ratio:.3f} ± {truth.error:.3f} | {medians:.3f} "
                f"| {' / '.join(sorted(said))} |"
            )
    return int(worst > ALLOWED or math.isnan(worst))


def _measure(folder: Path) -> tuple[CellComparison, list[RoundRecord]]:
    """One run of bakeoff, and the rounds that it judged."""
    command = [sys.executable, "-m", "bakeoff", "run", "rare", "--no-memory"]
    command += ["--preset", "full", "--baseline", BASELINE]
    subprocess.run(command, cwd=folder, check=True)
    run = RunStore(folder).latest("rare")
    assert run is not None
    records = run.journal.read().records
    (cell,) = compare_run(run.header, records)
    kept = [one for one in records if isinstance(one, RoundRecord) and one.discarded is None]
    has_long = any(one.is_long for one in kept)
    return cell, [one for one in kept if one.is_long == has_long]


def _of(arm: str, cell: CellComparison) -> Contrast:
    return next(c for c in cell.contrasts if c.implementation == arm and c.metric == "time")


if __name__ == "__main__":
    sys.exit(main())

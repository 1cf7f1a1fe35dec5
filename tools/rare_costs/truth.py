"""The total time of very many operations, told in turns inside one process: the truth to compare with.

Both sides share the process and its function for the work, so that neither the machine's moods nor a
process's own speed tell them apart; only what one side does beyond the other is left. Even so one
process's ratio is several percent from another's, so the truth takes many.

Run as ``python truth.py ARM BASELINE CPU SEED``: prints the seconds that either took.
"""

from __future__ import annotations

import importlib
import os
import random
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

#: Slices of each side in a process, and operations in a slice.
SLICES = 150
OPERATIONS = 400


@dataclass(frozen=True, slots=True)
class Truth:
    """A ratio of total times, and how far one process's ratio is from another's.

    Attributes
    ----------
    ratio : float
        All processes' time of the arm ÷ all processes' time of the baseline.
    error : float
        Standard error of the mean of the processes' ratios: a process is as much a matter of chance
        here (where its code and data lie) as it is in a round.
    """

    ratio: float
    error: float


def true_ratio(folder: Path, arm: str, baseline: str, cpu: int, processes: int) -> Truth:
    """Total time of the arm ÷ total time of the baseline."""
    totals = [0.0, 0.0]
    ratios = []
    for seed in range(processes):
        finished = subprocess.run(
            [sys.executable, str(Path(__file__)), arm, baseline, str(cpu), str(seed)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        sides = [float(seconds) for seconds in finished.stdout.split()]
        totals = [total + seconds for total, seconds in zip(totals, sides, strict=True)]
        ratios.append(sides[0] / sides[1])
    return Truth(totals[0] / totals[1], statistics.stdev(ratios) / len(ratios) ** 0.5)


def main(arm: str, baseline: str, cpu: int, seed: int) -> None:
    """Alternate slices of the two in random order."""
    os.sched_setaffinity(0, {cpu})
    chance = random.Random(seed)
    operations = [
        importlib.import_module(f"impls.rare.{name}").create() for name in (arm, baseline)
    ]
    totals = [0.0, 0.0]
    for _ in range(SLICES):
        for side in chance.sample([0, 1], 2):
            operation = operations[side]
            started = time.perf_counter()
            for _ in range(OPERATIONS):
                operation()
            totals[side] += time.perf_counter() - started
    print(*totals)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

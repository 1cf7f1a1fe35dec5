"""The total time of very many operations, told in turns inside one process: the truth to compare with.

Both sides share the process and its function for the work, so that neither the machine's moods nor a
process's own speed tell them apart; only what one side does beyond the other is left.

Run as ``python truth.py ARM BASELINE CPU SEED``: prints the seconds that either took.
"""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

#: Slices of each side in a process, operations in a slice, and processes.
SLICES = 150
OPERATIONS = 400
PROCESSES = 8


def true_ratio(folder: Path, arm: str, baseline: str, cpu: int) -> float:
    """Total time of the arm ÷ total time of the baseline."""
    totals = [0.0, 0.0]
    for seed in range(PROCESSES):
        finished = subprocess.run(
            [sys.executable, str(Path(__file__)), arm, baseline, str(cpu), str(seed)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        for side, seconds in enumerate(finished.stdout.split()):
            totals[side] += float(seconds)
    return totals[0] / totals[1]


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

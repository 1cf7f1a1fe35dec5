"""``python -m tools.loaded --tries 20``: identical code, judged while every CPU is busy with something else.

A run must end, in bounded time, and never call identical code different; what it cannot tell it must call
inconclusive, and say why. The table is for docs/method.md; the exit code is 1 if a verdict was wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.trial.judges.bakeoff import BakeoffJudge

#: Busy processes for each CPU, as `stress-ng --cpu` with twice the number of CPUs has.
PER_CPU = 2


@contextlib.contextmanager
def load() -> Iterator[None]:
    """Keep every CPU busy inside the ``with`` block."""
    workers = [
        multiprocessing.Process(target=_burn, daemon=True)
        for _ in range(PER_CPU * (os.cpu_count() or 1))
    ]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.kill()
            worker.join()


def _burn() -> None:
    parent = os.getppid()
    number = 0
    while os.getppid() == parent:
        for step in range(100_000):
            number = (number * 31 + step) % 65_537


def main() -> int:
    """Judge identical code again and again under load."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tries", type=int, default=20)
    tries = options.parse_args().tries
    wrong = 0
    print("| try | verdict | ratio | seconds | says |", "|---:|---|---:|---:|---|", sep="\n")
    with tempfile.TemporaryDirectory() as name:
        judge, folder = BakeoffJudge(), Path(name)
        judge.prepare(folder, [0])
        for number in range(1, tries + 1):
            with load():
                (found,) = judge.judge(folder, 0)
            wrong += found.verdict in ("faster", "slower")
            ratio = "–" if found.ratio is None else f"{found.ratio:.3f}"
            print(
                f"| {number} | {found.verdict} | {ratio} | {found.seconds:.0f} | {found.detail} |"
            )
            sys.stdout.flush()
    print(f"\n{wrong} of {tries} called identical code different.")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

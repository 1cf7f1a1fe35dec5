"""A synthetic noisy neighbour: busy in random bursts, on random CPUs.

``python -m tools.trial.neighbour SEED`` makes noise until its parent is gone.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

BUSY_S = (0.020, 0.300)
ASLEEP_S = (0.050, 0.500)


@dataclass(frozen=True, slots=True)
class Burst:
    """One waking of the neighbour: where, how long, and how long it sleeps afterwards."""

    cpu: int | None
    busy_s: float
    asleep_s: float


def bursts(seed: int | str, cpus: list[int]) -> Iterator[Burst]:
    """Endless bursts, the same for the same seed.

    Parameters
    ----------
    seed : int or str
        All chance comes from it.
    cpus : list of int
        Where it may run; empty where the system cannot pin.
    """
    chance = random.Random(seed)
    while True:
        cpu = chance.choice(cpus) if cpus else None
        yield Burst(cpu, chance.uniform(*BUSY_S), chance.uniform(*ASLEEP_S))


@contextlib.contextmanager
def noise(seed: int | str) -> Iterator[None]:
    """Have a neighbour at work inside the ``with`` block; it is gone afterwards, whatever happens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.trial.neighbour", str(seed)], stdin=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _main(seed: str) -> None:
    parent = os.getppid()
    cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    for burst in bursts(seed, cpus):
        # A killed parent cannot end us.
        if os.getppid() != parent:
            return
        if burst.cpu is not None:
            os.sched_setaffinity(0, {burst.cpu})
        end = time.monotonic() + burst.busy_s
        while time.monotonic() < end:
            pass
        time.sleep(burst.asleep_s)


if __name__ == "__main__":
    _main(sys.argv[1])

"""Wait, bounded, until nobody else is at work: a round that begins in a storm is a round lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bakeoff.results.records import RoundRecord

#: One round waits no longer than this, and a whole run no longer than that: a machine that is never
#: quiet is measured as it is, and its contended rounds are discarded by their own rule.
ROUND_LIMIT_S = 2.0
RUN_LIMIT_S = 60.0

#: So many looks, so far apart, must all be quiet: one look falls too easily between two time slices.
LOOKS = 3
BETWEEN_LOOKS_S = 0.01

_LOADAVG = Path("/proc/loadavg")


def runnable_others() -> int | None:
    """How many threads of others are running or ready to; None where the system does not tell."""
    try:
        fields = _LOADAVG.read_text(encoding="ascii").split()
        # "3/812": runnable ÷ all, this process among the runnable ones.
        return max(0, int(fields[3].partition("/")[0]) - 1)
    except (OSError, IndexError, ValueError):
        return None


def allowed_others(cpus_needed: int, cores: int | None = None) -> int:
    """How many others may run beside a round: on half of the cores that it leaves free."""
    cores = (os.cpu_count() or 1) if cores is None else cores
    return max(0, (cores - cpus_needed) // 2)


def limit_s(rounds: Sequence[RoundRecord]) -> float:
    """How long the next round may wait, after what the run's rounds have waited already."""
    return max(0.0, min(ROUND_LIMIT_S, RUN_LIMIT_S - sum(record.waited_s for record in rounds)))


def wait_for_quiet(
    limit_s: float,
    allowed: int,
    *,
    others: Callable[[], int | None] = runnable_others,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> float:
    """Wait until `LOOKS` looks in a row find at most `allowed` others at work.

    Parameters
    ----------
    limit_s : float
        No longer than this; 0 does not even look.
    allowed : int
        See `allowed_others`.
    others, sleep, clock : callable
        The system; a test's own.

    Returns
    -------
    float
        Seconds spent waiting, 0.0 if it was quiet at once or nobody can tell.
    """
    started = clock()
    quiet_looks = 0
    is_first = True
    while clock() - started < limit_s:
        found = others()
        if found is None:
            return 0.0
        quiet_looks = quiet_looks + 1 if found <= allowed else 0
        is_first = is_first and quiet_looks > 0
        if quiet_looks >= LOOKS:
            break
        sleep(BETWEEN_LOOKS_S)
    return 0.0 if is_first else clock() - started

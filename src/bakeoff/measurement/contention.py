"""Was somebody else at work? What is recorded of it, and the rule that discards a round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from bakeoff.results.records import ArmRound

#: An arm that waits longer than it works lost its CPU to somebody else.
CONTENDED_WALL_TO_CPU = 1.5

#: The block number of a slow arm's only sample: its probe.
PROBE_BLOCK = -1

#: The kind of failure of an arm whose time ran out while it was waiting for its CPU.
STALL = "stall"

_PRESSURE = Path("/proc/pressure/cpu")


def stalled_seconds() -> float | None:
    """Seconds since boot in which some process waited for a CPU; None where the system keeps no count."""
    try:
        some = _PRESSURE.read_text(encoding="ascii").splitlines()[0]
    except (OSError, IndexError):
        return None
    total = some.rpartition("total=")[2]
    return int(total) / 1e6 if total.isdigit() else None


def contended_share(arms: Mapping[str, ArmRound]) -> float:
    """The share of a round's blocks in which some arm waited rather than worked.

    Parameters
    ----------
    arms : mapping of str to ArmRound
        All arms of one round.

    Returns
    -------
    float
        0 … 1; 0 for a round without batches.
    """
    is_contended: dict[int, bool] = defaultdict(bool)
    for arm in arms.values():
        for batch in arm.batches:
            is_contended[batch.block] |= batch.wall_s > CONTENDED_WALL_TO_CPU * batch.cpu_s
    # A slow arm has one sample only, so it alone decides.
    if is_contended.pop(PROBE_BLOCK, False):
        return 1.0
    return sum(is_contended.values()) / len(is_contended) if is_contended else 0.0


def is_stall(waited_s: float, seconds: float) -> bool:
    """Whether a process waited so much of its time for a CPU that it counts as contended.

    Parameters
    ----------
    waited_s : float
        How long it was ready to run and had no CPU.
    seconds : float
        Its wall time. The rule is the same as for a batch: wall ÷ working time above 1.5.
    """
    return waited_s * CONTENDED_WALL_TO_CPU > (CONTENDED_WALL_TO_CPU - 1) * seconds


def reason_to_discard(arms: Mapping[str, ArmRound], *, is_cpu_bound: bool) -> str | None:
    """Why a round must be measured again, or None. The rule looks at causes, never at the result.

    Parameters
    ----------
    arms : mapping of str to ArmRound
        All arms of one round.
    is_cpu_bound : bool
        Whether waiting is a sign of contention for this workload.
    """
    dead = sorted(name for name, arm in arms.items() if arm.failure and arm.failure.kind == "crash")
    if dead:
        return f"a process died: {', '.join(dead)}"
    stalled = sorted(
        name for name, arm in arms.items() if arm.failure and arm.failure.kind == STALL
    )
    if stalled:
        return f"contended: {', '.join(stalled)} had no CPU while its time ran out"
    share = contended_share(arms)
    if is_cpu_bound and share > 0.5:
        return f"contended: in {share:.0%} of its blocks an arm waited for its CPU"
    return None

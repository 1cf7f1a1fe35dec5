"""Which arms are alive together: all that a round asks for, or as many as memory holds."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.results.records import CONTROL_ARM, FLOOR_ARM, RoundRecord

#: Processes may fill this share of the memory that is free; the rest is the system's and ours.
USABLE_SHARE = 0.8


def peaks_of(rounds: Sequence[RoundRecord]) -> dict[str, int]:
    """The largest resident memory that each arm was seen with, bytes."""
    peaks: dict[str, int] = {}
    for record in rounds:
        for name, arm in record.arms.items():
            peaks[name] = max(peaks.get(name, 0), arm.peak_rss_bytes)
    return peaks


def arms_that_fit(
    candidates: Sequence[str],
    baseline: str,
    rounds: Sequence[RoundRecord],
    available_bytes: int | None,
) -> tuple[str, ...]:
    """The candidates of the next round; the others get rounds of their own, with their own baseline.

    Parameters
    ----------
    candidates : sequence of str
        Who needs a round.
    baseline : str
        Takes part in every round, twice with the A/A control.
    rounds : sequence of RoundRecord
        The cell's rounds so far.
    available_bytes : int or None
        Memory that is free now; None if unknown.

    Returns
    -------
    tuple of str
        Whoever has the fewest rounds comes first; at least one candidate.
    """
    taken = {name: sum(name in record.arms for record in rounds) for name in candidates}
    waiting = sorted(candidates, key=lambda name: (taken[name], name))
    most = len(waiting)
    if rounds and _was_killed(rounds[-1]):
        # The system may have killed it for want of memory: half as many at once from now on.
        last = sum(name in rounds[-1].arms for name in candidates)
        most = max(1, last // 2)
    peaks = peaks_of(rounds)
    room = float("inf") if available_bytes is None else USABLE_SHARE * available_bytes
    room -= sum(peaks.get(name, 0) for name in (baseline, CONTROL_ARM, FLOOR_ARM))
    chosen: list[str] = []
    for name in waiting[:most]:
        room -= peaks.get(name, 0)
        if chosen and room < 0:
            break
        chosen.append(name)
    return tuple(chosen)


def _was_killed(record: RoundRecord) -> bool:
    return any(
        arm.failure is not None and "SIGKILL" in arm.failure.message for arm in record.arms.values()
    )

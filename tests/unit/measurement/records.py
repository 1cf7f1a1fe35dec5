"""Made-up rounds: what a journal would hold, with figures that a test can reason about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.results.records import ArmRound, Batch, Cell, Failure, MemoryRecord, RoundRecord

CELL = Cell("work", {"size": 10}, 20.0)


def arm(
    operation_s: float,
    *,
    blocks: int = 5,
    gc_s: float = 0.0,
    iterations: int = 1,
    waits: float = 1.0,
) -> ArmRound:
    """An arm whose batches all take the same; `waits` is wall time by CPU time."""
    wall = (operation_s + gc_s) * iterations
    batches = tuple(
        Batch(wall, wall / waits, gc_s * iterations, 0, block) for block in range(blocks)
    )
    return ArmRound(iterations=iterations, probe_s=operation_s, batches=batches, answer="a")


def slow_arm(operation_s: float) -> ArmRound:
    """An arm whose only sample is its probe."""
    batch = Batch(operation_s, operation_s, 0.0, 0, -1)
    return ArmRound(probe_s=operation_s, batches=(batch,), answer="a")


def failing_arm(kind: str, message: str = "no luck") -> ArmRound:
    return ArmRound(failure=Failure(kind, message))


def censored_arm(limit_s: float = 20.0) -> ArmRound:
    return ArmRound(censored_s=limit_s)


def a_round(
    number: int,
    arms: Mapping[str, ArmRound],
    *,
    attempt: int = 1,
    discarded: str | None = None,
    cell: Cell = CELL,
) -> RoundRecord:
    return RoundRecord(
        cell=cell.key,
        attempt=attempt,
        round=number,
        seed=number,
        cpus=(0,),
        started_at=0.0,
        duration_s=1.0,
        arms=dict(arms),
        discarded=discarded,
    )


def rounds_of(
    ratios: Sequence[float], *, attempt: int = 1, base_s: float = 0.01
) -> list[RoundRecord]:
    """Rounds in which the candidate takes so many times what the baseline takes."""
    return [
        a_round(number, {"base": arm(base_s), "candidate": arm(base_s * ratio)}, attempt=attempt)
        for number, ratio in enumerate(ratios)
    ]


def memory(name: str, index: int, size: int, **changes: float | None) -> MemoryRecord:
    return MemoryRecord(
        cell=CELL.key,
        arm=name,
        index=index,
        seed=index,
        allocated_bytes=size,
        allocator_calls=size // 10,
        peak_bytes=size // 2,
        **changes,  # type: ignore[arg-type]
    )

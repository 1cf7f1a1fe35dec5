"""What all turns of a run took together. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.results.records import RoundRecord


def ratio_of_totals(rounds: Sequence[RoundRecord], arm: str, baseline: str) -> float:
    """Total time per operation of an arm ÷ that of the baseline, over all turns of both.

    Parameters
    ----------
    rounds : sequence of RoundRecord
        Those that a run judged.
    arm, baseline : str
        Two of its arms.
    """
    return _total_s(rounds, arm) / _total_s(rounds, baseline)


def _total_s(rounds: Sequence[RoundRecord], name: str) -> float:
    turns = [
        (batch.wall_s, record.arms[name].iterations)
        for record in rounds
        for batch in record.arms[name].batches
    ]
    return sum(wall_s for wall_s, _ in turns) / sum(iterations for _, iterations in turns)

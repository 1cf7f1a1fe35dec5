"""Single operations of one process: how many are needed, and what is kept of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bakeoff import statistics

#: What one arm may spend on percentiles in a round, seconds.
LIMIT_S = 10.0


def operations_needed(quantiles: Mapping[str, float]) -> int:
    """How many operations a process must do for all of its percentiles; 0 if there are none."""
    return max(map(statistics.operations_for_quantile, quantiles.values()), default=0)


def iterations_for(iterations: int, blocks: int, needed: int, operation_s: float) -> int:
    """A batch size with which so many blocks hold at least `needed` operations.

    Operations that would take longer than `LIMIT_S` for that keep their batch, and have no percentile.
    """
    if needed * operation_s > LIMIT_S:
        return iterations
    return max(iterations, math.ceil(needed / blocks))


def summarize_operations(
    seconds: Sequence[float], quantiles: Mapping[str, float]
) -> tuple[dict[str, float], dict[int, int]]:
    """The percentiles of a process, and the histogram of its operations or items.

    Parameters
    ----------
    seconds : sequence of float
        Each operation's time, or each item's, collections included.
    quantiles : mapping of str to float
        By metric: ``{"p90": 0.9}``.

    Returns
    -------
    tuple of dict
        Without percentiles for which there were too few: such a percentile would be an extreme.
    """
    found = {
        metric: statistics.harrell_davis(seconds, quantile)
        for metric, quantile in quantiles.items()
        if len(seconds) >= statistics.operations_for_quantile(quantile)
    }
    return found, statistics.log_histogram(seconds) if found else {}

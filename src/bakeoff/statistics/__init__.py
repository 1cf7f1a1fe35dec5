"""Numbers in, numbers out: effects, exact intervals and verdicts for paired rounds.

Everything here works on log ratios, one per round, implementation ÷ baseline: below 0 means less
time, fewer bytes, fewer calls. Nothing here knows of files, processes or reports. docs/method.md
says why these procedures and no others.
"""

from __future__ import annotations

from bakeoff.statistics.effect import BlockTimes, round_log_ratio, sensitivity_log_ratios
from bakeoff.statistics.estimate import Estimate, bound, exact_ratio
from bakeoff.statistics.families import looks_alpha, paired_geometric_mean, paired_total
from bakeoff.statistics.few_rounds import paired_t
from bakeoff.statistics.signed_rank import critical_rank, hodges_lehmann, minimum_rounds
from bakeoff.statistics.verdict import (
    BoundVerdict,
    Operator,
    Verdict,
    decide,
    judge_bound,
    minimal_detectable_effect,
    rounds_needed,
)

__all__ = [
    "BlockTimes",
    "BoundVerdict",
    "Estimate",
    "Operator",
    "Verdict",
    "bound",
    "critical_rank",
    "decide",
    "exact_ratio",
    "hodges_lehmann",
    "judge_bound",
    "looks_alpha",
    "minimal_detectable_effect",
    "minimum_rounds",
    "paired_geometric_mean",
    "paired_t",
    "paired_total",
    "round_log_ratio",
    "rounds_needed",
    "sensitivity_log_ratios",
]

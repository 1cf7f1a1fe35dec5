"""Numbers in, numbers out: effects, exact intervals and verdicts for paired rounds.

Everything here works on log ratios, one per round, implementation ÷ baseline: below 0 means less
time, fewer bytes, fewer calls. Nothing here knows of files, processes or reports. docs/method.md
says why these procedures and no others.
"""

from __future__ import annotations

from bakeoff.statistics.effect import (
    BlockTimes,
    RoundEffect,
    Sensitivity,
    has_bursts,
    is_rare_cost,
    log_ratios_of,
    round_effect,
    sensitivity,
)
from bakeoff.statistics.estimate import Estimate, bound, exact_ratio
from bakeoff.statistics.families import looks_alpha, paired_geometric_mean, paired_total
from bakeoff.statistics.few_rounds import paired_t
from bakeoff.statistics.growth import (
    Crossover,
    Exponent,
    GrowthClass,
    crossover,
    growth_class,
    growth_exponent,
    local_exponent,
)
from bakeoff.statistics.log_ratios import (
    LogRatios,
    estimate_over_rounds,
    estimate_ratio,
    mean_over_cells,
)
from bakeoff.statistics.modes import Spread, describe_spread
from bakeoff.statistics.multiplicity import holm_levels, max_t_adjusted_p
from bakeoff.statistics.quantiles import (
    bucket_bounds,
    harrell_davis,
    log_histogram,
    operations_for_quantile,
)
from bakeoff.statistics.signed_rank import critical_rank, hodges_lehmann, minimum_rounds
from bakeoff.statistics.verdict import (
    BoundVerdict,
    Operator,
    Verdict,
    decide,
    judge_bound,
    judge_interval,
    minimal_detectable_effect,
    rounds_needed,
)

__all__ = [
    "BlockTimes",
    "BoundVerdict",
    "Crossover",
    "Estimate",
    "Exponent",
    "GrowthClass",
    "LogRatios",
    "Operator",
    "RoundEffect",
    "Sensitivity",
    "Spread",
    "Verdict",
    "bound",
    "bucket_bounds",
    "critical_rank",
    "crossover",
    "decide",
    "describe_spread",
    "estimate_over_rounds",
    "estimate_ratio",
    "exact_ratio",
    "growth_class",
    "growth_exponent",
    "harrell_davis",
    "has_bursts",
    "hodges_lehmann",
    "holm_levels",
    "is_rare_cost",
    "judge_bound",
    "judge_interval",
    "local_exponent",
    "log_histogram",
    "log_ratios_of",
    "looks_alpha",
    "max_t_adjusted_p",
    "mean_over_cells",
    "minimal_detectable_effect",
    "minimum_rounds",
    "operations_for_quantile",
    "paired_geometric_mean",
    "paired_t",
    "paired_total",
    "round_effect",
    "rounds_needed",
    "sensitivity",
]

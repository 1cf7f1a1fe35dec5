"""Rounds of one cell → contrasts of time and of garbage-collection time, and the A/A control."""

from __future__ import annotations

import math
import statistics as figures
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff import statistics
from bakeoff.measurement.contention import STALL
from bakeoff.measurement.contrast import Cause, Contrast, bounded, failed, of_baseline
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.schedule import few_rounds
from bakeoff.results.records import CONTROL_ARM, ArmRound, Cell, RoundRecord

CRASH = "crash"

_OWN_FAILURE: Cause = "own failure"
_NO_REFERENCE: Cause = "no reference"
_NOT_MEASURED: Cause = "not measured"

#: An arm whose process dies this often in one cell is not started again.
DEATHS_ALLOWED = 2


@dataclass(frozen=True, slots=True)
class CellTiming:
    """What the rounds of one cell say."""

    contrasts: tuple[Contrast, ...]
    control: Contrast | None
    rounds: int
    discarded: int
    contended: int
    attempt: int
    few_rounds: Mapping[str, int | None]
    """By implementation, how many rounds the few-rounds rule asks for; None: the ordinary looks."""
    dead: Mapping[str, str]
    """Arms that are not to be started again, with the reason."""
    is_baseline_dead: bool
    """Without a baseline there is nothing left to measure."""

    @property
    def is_control_failed(self) -> bool:
        """Whether the second copy of the baseline was told apart from the first."""
        return is_control_failed(self.control)


def is_control_failed(control: Contrast | None) -> bool:
    """Whether a control's interval leaves 1 out: the harness sees a difference where there is none."""
    if control is None or control.estimate is None:
        return False
    return not control.estimate.log_low <= 0.0 <= control.estimate.log_high


def dead_arms(rounds: Sequence[RoundRecord]) -> dict[str, str]:
    """Arms that are not to be started again in this cell, with the reason.

    An exception, a wrong answer or a hang is the implementation's doing and counts at once; a process
    that dies gets a second chance, since the system may have killed it for another's sake.
    """
    reasons: dict[str, str] = {}
    deaths: dict[str, int] = {}
    for record in rounds:
        for name, arm in record.arms.items():
            if arm.failure is None:
                continue
            if arm.failure.kind in (CRASH, STALL):
                deaths[name] = deaths.get(name, 0) + 1
                if deaths[name] < DEATHS_ALLOWED:
                    continue
            reasons.setdefault(name, f"{arm.failure.kind}: {arm.failure.message}")
    return reasons


def time_cell(
    cell: Cell,
    rounds: Sequence[RoundRecord],
    implementations: Sequence[str],
    baseline: str,
    rules: Rules,
) -> CellTiming:
    """Contrasts of every implementation from the rounds of the cell's latest attempt.

    Parameters
    ----------
    cell : Cell
        What was measured.
    rounds : sequence of RoundRecord
        All rounds of the cell, of any attempt, kept and discarded.
    implementations : sequence of str
        The arms, the baseline among them.
    baseline : str
        The arm that the others are divided by.
    rules : Rules
        Levels, margin and looks.
    """
    attempt = max((record.attempt for record in rounds), default=1)
    current = [record for record in rounds if record.attempt == attempt]
    kept = [record for record in current if record.discarded is None]
    dead = dead_arms(current)
    few = {name: _few_rounds(kept, name, baseline) for name in implementations}
    contrasts: list[Contrast] = []
    for name in implementations:
        contrasts += _contrasts(cell, kept, name, name, baseline, dead, few[name], rules)
    control = next(
        (
            contrast
            for contrast in _contrasts(
                cell, kept, CONTROL_ARM, baseline, baseline, dead, few[baseline], rules
            )
            if contrast.metric == "time" and contrast.estimate is not None
        ),
        None,
    )
    contended = sum((record.discarded or "").startswith("contended") for record in current)
    if contended > len(kept):
        reason = f"contended: {contended} of {len(current)} rounds were discarded"
        contrasts = [
            replace(contrast, reason=reason) if contrast.verdict == "inconclusive" else contrast
            for contrast in contrasts
        ]
    if attempt > 1 and is_control_failed(control):
        reason = "harness biased: the A/A control failed twice in this cell"
        contrasts = [_as_inconclusive(contrast, reason) for contrast in contrasts]
    return CellTiming(
        contrasts=tuple(contrasts),
        control=control,
        rounds=len(kept),
        discarded=len(current) - len(kept),
        contended=contended,
        attempt=attempt,
        few_rounds=few,
        dead=dead,
        is_baseline_dead=baseline in dead,
    )


def _contrasts(
    cell: Cell,
    rounds: Sequence[RoundRecord],
    arm: str,
    implementation: str,
    baseline: str,
    dead: Mapping[str, str],
    few: int | None,
    rules: Rules,
) -> list[Contrast]:
    """The two contrasts, time and gc time, of one arm."""
    reason, cause = dead.get(arm), _OWN_FAILURE
    if reason is None and baseline in dead:
        reason, cause = f"no baseline: '{baseline}' failed ({dead[baseline]})", _NO_REFERENCE
    pairs = [
        (record.arms[arm], record.arms[baseline])
        for record in rounds
        if arm in record.arms and baseline in record.arms
    ]
    pairs = [pair for pair in pairs if all(_has_figure(side) for side in pair)]
    pairs = pairs[: _looked_at(len(pairs), rules.looks_for(few))]
    if reason is None and not pairs:
        reason, cause = "not measured: the run has no kept round of it", _NOT_MEASURED
    if reason is not None:
        return [
            failed(cell, implementation, metric, reason, cause) for metric in ("time", "gc_time")
        ]
    return [
        _time_contrast(cell, pairs, arm, implementation, baseline, few, rules),
        _gc_contrast(cell, pairs, implementation, baseline, few, rules),
    ]


def _time_contrast(
    cell: Cell,
    pairs: Sequence[tuple[ArmRound, ArmRound]],
    arm: str,
    implementation: str,
    baseline: str,
    few: int | None,
    rules: Rules,
) -> Contrast:
    values = [operation_s(own) for own, _ in pairs]
    baseline_values = [operation_s(base) for _, base in pairs]
    is_bound = any(own.censored_s is not None for own, _ in pairs)
    is_baseline_bound = any(base.censored_s is not None for _, base in pairs)
    reason = f"did not finish in {cell.time_limit_s:g} s" if is_bound else None
    if arm == baseline:
        return of_baseline(
            cell,
            baseline,
            "time",
            values,
            _summary(values, is_bound=is_bound),
            is_bound=is_bound,
            reason=reason,
        )
    contrast = Contrast(
        cell=cell,
        implementation=implementation,
        metric="time",
        unit="s",
        value=_summary(values, is_bound=is_bound),
        estimate=None,
        verdict="inconclusive",
        rounds=len(pairs),
        is_bound=is_bound,
        is_baseline_bound=is_baseline_bound,
        reason=reason,
        values=tuple(values),
        baseline_values=tuple(baseline_values),
    )
    if is_bound or is_baseline_bound:
        return _bounded_contrast(contrast, baseline, rules)
    log_ratios = [
        statistics.round_log_ratio(_block_times(own), _block_times(base)) for own, base in pairs
    ]
    judged = _judged(contrast, log_ratios, few, rules)
    return replace(judged, sensitivity=_sensitivity(pairs))


def _bounded_contrast(contrast: Contrast, baseline: str, rules: Rules) -> Contrast:
    """A contrast of which one side, or both, did not finish."""
    limit = f"did not finish in {contrast.cell.time_limit_s:g} s"
    if contrast.is_bound and contrast.is_baseline_bound:
        return replace(contrast, reason=f"neither side {limit}: the ratio is unknown")
    # The conservative side of each round: the fastest unfinished, the slowest finished operation.
    value = min(contrast.values) if contrast.is_bound else max(contrast.values)
    base = (
        min(contrast.baseline_values)
        if contrast.is_baseline_bound
        else max(contrast.baseline_values)
    )
    estimate = bounded(
        value,
        base,
        is_bound=contrast.is_bound,
        is_baseline_bound=contrast.is_baseline_bound,
        rounds=contrast.rounds,
    )
    who = "it" if contrast.is_bound else f"'{baseline}'"
    return replace(
        contrast,
        estimate=estimate,
        verdict=statistics.decide(estimate, rules.margin),
        reason=f"{who} {limit}: the ratio is a bound, and the answers were not compared",
    )


def _gc_contrast(
    cell: Cell,
    pairs: Sequence[tuple[ArmRound, ArmRound]],
    implementation: str,
    baseline: str,
    few: int | None,
    rules: Rules,
) -> Contrast:
    """Seconds of garbage collection per operation; it is part of the time and explains it."""
    values = [_gc_s(own) for own, _ in pairs]
    baseline_values = [_gc_s(base) for _, base in pairs]
    if implementation == baseline:
        return of_baseline(cell, baseline, "gc_time", values, figures.fmean(values), is_bound=False)
    contrast = Contrast(
        cell=cell,
        implementation=implementation,
        metric="gc_time",
        unit="s",
        value=figures.fmean(values),
        estimate=None,
        verdict="inconclusive",
        rounds=len(pairs),
        values=tuple(values),
        baseline_values=tuple(baseline_values),
    )
    if any(side.censored_s is not None for pair in pairs for side in pair):
        return replace(
            contrast, reason="one side did not finish: its collections are not comparable"
        )
    if min(*values, *baseline_values) <= 0.0:
        return replace(contrast, reason="some round had no garbage collection: there is no ratio")
    log_ratios = [math.log(own / base) for own, base in zip(values, baseline_values, strict=True)]
    return _judged(contrast, log_ratios, few, rules)


def _judged(
    contrast: Contrast, log_ratios: Sequence[float], few: int | None, rules: Rules
) -> Contrast:
    """`contrast` with the interval, verdict and minimal detectable effect of its log ratios."""
    if few is None:
        estimate = statistics.hodges_lehmann(log_ratios, rules.look_alpha)
    else:
        # One look only, so it may spend the whole budget.
        estimate = statistics.paired_t(log_ratios, rules.alpha)
    looks = rules.looks_for(few)
    is_look = len(log_ratios) in looks
    verdict = statistics.decide(estimate, rules.margin) if is_look else "inconclusive"
    mde = statistics.minimal_detectable_effect(estimate)
    return replace(
        contrast,
        estimate=estimate,
        verdict=verdict,
        mde=mde if math.isfinite(mde) else None,
        reason=_why_inconclusive(estimate, rules, looks) if verdict == "inconclusive" else None,
        warnings=() if few is None else (f"few rounds: {len(log_ratios)}, interval by paired t",),
        log_ratios=tuple(log_ratios),
    )


def _summary(values: Sequence[float], *, is_bound: bool) -> float:
    """One figure for all rounds; a lower bound stays one only as the smallest of them."""
    return min(values) if is_bound else figures.median(values)


def slowest_probe_s(rounds: Sequence[RoundRecord], arm: str) -> float:
    """The slowest first operation of an arm, at least; 0 if it has none."""
    probes = [
        record.arms[arm].probe_s or record.arms[arm].censored_s or 0.0
        for record in rounds
        if arm in record.arms
    ]
    return max(probes, default=0.0)


def operation_s(arm: ArmRound) -> float:
    """Seconds of one operation in this round: median batch without gc, plus mean gc; or its limit."""
    if arm.censored_s is not None:
        return arm.censored_s
    times = _block_times(arm)
    return figures.median(times.mutator_s) + figures.fmean(times.gc_s)


def _block_times(arm: ArmRound) -> statistics.BlockTimes:
    return statistics.BlockTimes(
        blocks=tuple(batch.block for batch in arm.batches),
        mutator_s=tuple((batch.wall_s - batch.gc_s) / arm.iterations for batch in arm.batches),
        gc_s=tuple(batch.gc_s / arm.iterations for batch in arm.batches),
    )


def _gc_s(arm: ArmRound) -> float:
    if not arm.batches:
        return 0.0
    return figures.fmean(batch.gc_s / arm.iterations for batch in arm.batches)


def _has_figure(arm: ArmRound) -> bool:
    return arm.failure is None and (arm.censored_s is not None or bool(arm.batches))


def _few_rounds(rounds: Sequence[RoundRecord], arm: str, baseline: str) -> int | None:
    """What the few-rounds rule asks for a contrast, from the slower side's first operation."""
    for record in rounds:
        sides = [record.arms[name] for name in (arm, baseline) if name in record.arms]
        seconds = [side.probe_s if side.censored_s is None else side.censored_s for side in sides]
        if len(sides) == 2 and all(side.failure is None for side in sides):
            # Settled by the first round that has both: a rule must not change with every round.
            return few_rounds(max((value for value in seconds if value is not None), default=0.0))
    return None


def _looked_at(rounds: int, looks: Sequence[int]) -> int:
    """How many of a contrast's rounds are judged: those of the last look that was reached.

    A run that was stopped between two looks must not take a verdict there: that would be peeking.
    """
    return max((look for look in looks if look <= rounds), default=rounds)


def _why_inconclusive(estimate: statistics.Estimate, rules: Rules, looks: Sequence[int]) -> str:
    if estimate.rounds < looks[0]:
        return f"the first look is after {looks[0]} rounds; it has {estimate.rounds}"
    needed = statistics.rounds_needed(estimate, rules.margin)
    if needed is None:
        return f"not enough rounds for an interval: has {estimate.rounds}"
    return f"needs about {max(1, needed - estimate.rounds)} more rounds"


def _sensitivity(pairs: Sequence[tuple[ArmRound, ArmRound]]) -> dict[str, float]:
    """The same ratio by the ratio of medians and of minima of each process."""
    by_summary = zip(
        *(
            statistics.sensitivity_log_ratios(_block_times(own), _block_times(base))
            for own, base in pairs
        ),
        strict=True,
    )
    return {
        name: math.exp(figures.median(log_ratios))
        for name, log_ratios in zip(("medians", "minima"), by_summary, strict=True)
    }


def _as_inconclusive(contrast: Contrast, reason: str) -> Contrast:
    if contrast.verdict == "failed" or not contrast.log_ratios:
        return contrast
    return replace(contrast, verdict="inconclusive", reason=reason)

"""Rounds of one cell → contrasts of all that is measured in rounds, and the A/A control."""

from __future__ import annotations

import math
import statistics as figures
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff import statistics
from bakeoff.measurement.arm_times import collections, gc_s, has_figure, operation_s
from bakeoff.measurement.contention import STALL
from bakeoff.measurement.contrast import Cause, Contrast, bounded, failed, of_baseline, unit_of
from bakeoff.measurement.counting import counted_contrast
from bakeoff.measurement.judging import as_inconclusive, judged
from bakeoff.measurement.paired_arm import PairedArm
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.schedule import few_rounds
from bakeoff.results.records import CONTROL_ARM, FLOOR_ARM, ArmRound, Cell, RoundRecord

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
    attempt: int
    few_rounds: Mapping[str, int | None]
    """By implementation, how many rounds the few-rounds rule asks for; None: the ordinary looks."""
    dead: Mapping[str, str]
    """Arms that are not to be started again, with the reason."""
    is_baseline_dead: bool
    """Without a baseline there is nothing left to measure."""
    discards: Mapping[str, int]
    """Why rounds were discarded, and how many of each kind."""
    floor: Contrast | None = None
    """The workload's floor against the baseline, by time; None if there is none or it has no figure."""
    needs_long_rounds: bool = False
    """Some arm has a cost that few turns hold, so rounds must have more of them."""
    among: tuple[Contrast, ...] = ()
    """Where the baseline is slow: the times of whoever is not, the floor among them, against the first of them.

    A slow baseline has few rounds, which say enough of how far it is behind, and nothing of who is first.
    """

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
    has_long = any(record.is_long for record in kept)
    short = len(kept)
    kept = [record for record in kept if record.is_long == has_long]
    short -= len(kept)
    dead = dead_arms(current)
    few = {name: _few_rounds(kept, name, baseline) for name in implementations}
    arms = [
        PairedArm.of(kept, name, name, baseline, rules.looks_for(few[name]), few[name])
        for name in implementations
    ]
    # All contrasts of a cell by the same rule, so that any two arms can be compared.
    candidates = [arm for arm in arms if arm.arm != baseline]
    bursty = [arm.implementation for arm in candidates if arm.has_bursts(rules)]
    contrasts: list[Contrast] = []
    for arm in arms:
        contrasts += _contrasts(cell, arm, baseline, dead, rules, with_bursts=bool(bursty))
    if bursty:
        contrasts = [_naming_bursts(contrast, bursty, arms, baseline) for contrast in contrasts]
    control, floor = (
        _beside(
            cell,
            PairedArm.of(kept, name, implementation, baseline, rules.looks_for(slow), slow),
            baseline,
            dead,
            rules,
            with_bursts=bool(bursty),
        )
        for name, implementation, slow in (
            (CONTROL_ARM, baseline, few[baseline]),
            (FLOOR_ARM, FLOOR_ARM, _few_rounds(kept, FLOOR_ARM, baseline)),
        )
    )
    discards = count_discards(current)
    if short:
        discards["too short for a rare cost"] = short
    contended = discards.get("contended", 0)
    if contended > len(kept):
        reason = f"contended: {contended} of {len(current)} rounds were discarded"
        contrasts = [
            replace(contrast, reason=reason) if contrast.verdict == "inconclusive" else contrast
            for contrast in contrasts
        ]
    if attempt > 1 and is_control_failed(control):
        reason = "harness biased: the A/A control failed twice in this cell"
        contrasts = [as_inconclusive(contrast, reason) for contrast in contrasts]
    return CellTiming(
        contrasts=tuple(contrasts),
        control=control,
        rounds=len(kept),
        discarded=len(current) - len(kept),
        attempt=attempt,
        few_rounds=few,
        dead=dead,
        is_baseline_dead=baseline in dead,
        discards=discards,
        floor=floor,
        needs_long_rounds=has_long or any(arm.has_rare_cost for arm in candidates),
        among=_among(cell, kept, (*implementations, FLOOR_ARM), baseline, dead, rules),
    )


def _among(
    cell: Cell,
    kept: Sequence[RoundRecord],
    names: Sequence[str],
    baseline: str,
    dead: Mapping[str, str],
    rules: Rules,
) -> tuple[Contrast, ...]:
    """The fast arms against the first of them, in all rounds that they share; nothing unless the baseline is slow."""
    if not _is_slow(kept, baseline):
        return ()
    fast = [
        name
        for name in names
        if name not in (baseline, *dead) and _is_measured(kept, name) and not _is_slow(kept, name)
    ]
    if len(fast) < 2:
        return ()
    arms = [PairedArm.of(kept, name, name, fast[0], rules.looks_for(None), None) for name in fast]
    with_bursts = any(arm.has_bursts(rules) for arm in arms[1:])
    return tuple(_time_contrast(cell, arm, fast[0], rules, with_bursts=with_bursts) for arm in arms)


def _is_measured(rounds: Sequence[RoundRecord], arm: str) -> bool:
    return any(arm in record.arms and has_figure(record.arms[arm]) for record in rounds)


def _is_slow(rounds: Sequence[RoundRecord], arm: str) -> bool:
    """Whether the few-rounds rule applies to an arm by itself."""
    return _few_rounds(rounds, arm, arm) is not None


def count_discards(rounds: Sequence[RoundRecord]) -> dict[str, int]:
    """How many rounds were discarded, by cause: the first words of the reason."""
    causes: dict[str, int] = {}
    for record in rounds:
        if record.discarded is not None:
            cause = record.discarded.partition(":")[0]
            causes[cause] = causes.get(cause, 0) + 1
    return causes


def _beside(
    cell: Cell,
    arm: PairedArm,
    baseline: str,
    dead: Mapping[str, str],
    rules: Rules,
    *,
    with_bursts: bool,
) -> Contrast | None:
    """The time of an arm that is no candidate (control, floor); None if it has no figure."""
    time = _contrasts(cell, arm, baseline, dead, rules, with_bursts=with_bursts)[0]
    return time if time.estimate is not None else None


def _contrasts(
    cell: Cell,
    arm: PairedArm,
    baseline: str,
    dead: Mapping[str, str],
    rules: Rules,
    *,
    with_bursts: bool,
) -> list[Contrast]:
    """All contrasts of one arm that come from rounds; time first."""
    reason, cause = dead.get(arm.arm), _OWN_FAILURE
    if reason is None and baseline in dead:
        reason, cause = f"no baseline: '{baseline}' failed ({dead[baseline]})", _NO_REFERENCE
    if reason is None and not arm.own:
        reason, cause = "not measured: the run has no kept round of it", _NOT_MEASURED
    metrics = ["gc_time", "gc_collections", *cell.quantiles, *cell.counts]
    if reason is not None:
        return [
            failed(cell, arm.implementation, metric, reason, cause) for metric in ("time", *metrics)
        ]
    contrasts = [_time_contrast(cell, arm, baseline, rules, with_bursts=with_bursts)]
    for metric in metrics:
        if metric in cell.counts:
            own = [side.counts.get(metric) for side in arm.own]
            base = [side.counts.get(metric) for side in arm.base]
            contrast = _plain_contrast(cell, arm, metric, own, base)
            contrasts.append(counted_contrast(contrast, baseline, rules, arm.few))
        else:
            contrasts.append(_valued_contrast(cell, arm, metric, baseline, rules))
    return contrasts


def _time_contrast(
    cell: Cell, arm: PairedArm, baseline: str, rules: Rules, *, with_bursts: bool
) -> Contrast:
    values = operation_s(arm.own, with_bursts=with_bursts)
    reason = f"did not finish in {cell.time_limit_s:g} s" if arm.is_bound else None
    value = _summary(values, is_bound=arm.is_bound)
    if arm.arm == baseline:
        return of_baseline(
            cell,
            baseline,
            "time",
            values,
            value,
            round_numbers=arm.numbers,
            is_bound=arm.is_bound,
            reason=reason,
        )
    contrast = replace(
        _plain_contrast(cell, arm, "time", values, operation_s(arm.base, with_bursts=with_bursts)),
        value=value,
        is_bound=arm.is_bound,
        is_baseline_bound=arm.is_baseline_bound,
        reason=reason,
    )
    if arm.is_bound or arm.is_baseline_bound:
        return _bounded_contrast(contrast, baseline, rules)
    log_ratios = statistics.log_ratios_of(arm.effects, with_bursts=with_bursts)
    return replace(judged(contrast, log_ratios, arm.few, rules), sensitivity=_sensitivity(arm))


def _plain_contrast(
    cell: Cell,
    arm: PairedArm,
    metric: str,
    values: Sequence[float | None],
    baseline_values: Sequence[float | None],
) -> Contrast:
    """A contrast that is not judged yet, from the rounds in which both sides have a figure."""
    both = [
        (number, own, base)
        for number, own, base in zip(arm.numbers, values, baseline_values, strict=True)
        if own is not None and base is not None
    ]
    return Contrast(
        cell=cell,
        implementation=arm.implementation,
        metric=metric,
        unit=unit_of(metric),
        value=figures.fmean(own for _, own, _ in both) if both else None,
        estimate=None,
        verdict="inconclusive",
        rounds=len(both),
        values=tuple(own for _, own, _ in both),
        baseline_values=tuple(base for _, _, base in both),
        round_numbers=tuple(number for number, _, _ in both),
    )


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


#: What a metric is by round, and what it means that a round has none of it.
_VALUED: Mapping[str, tuple[Callable[[ArmRound], float], str]] = {
    "gc_time": (gc_s, "some round had no garbage collection: there is no ratio"),
    "gc_collections": (collections, "some round had no garbage collection: there is no ratio"),
}


def _valued_contrast(
    cell: Cell, arm: PairedArm, metric: str, baseline: str, rules: Rules
) -> Contrast:
    """A metric with one value per arm and round: collections, their time, percentiles."""
    value_of, why_none = _VALUED.get(
        metric, (lambda side: side.quantiles.get(metric, 0.0), "some round has no percentile")
    )
    values = [value_of(side) for side in arm.own]
    base = [value_of(side) for side in arm.base]
    contrast = _plain_contrast(cell, arm, metric, values, base)
    if arm.arm == baseline:
        return of_baseline(
            cell,
            baseline,
            metric,
            values,
            figures.fmean(values),
            round_numbers=arm.numbers,
        )
    if arm.is_bound or arm.is_baseline_bound:
        return replace(contrast, reason="one side did not finish: this is not comparable")
    if min(*values, *base) <= 0.0:
        return replace(contrast, reason=why_none)
    log_ratios = [math.log(own / other) for own, other in zip(values, base, strict=True)]
    return judged(contrast, statistics.LogRatios.of(log_ratios), arm.few, rules)


def _naming_bursts(
    contrast: Contrast, bursty: Sequence[str], arms: Sequence[PairedArm], baseline: str
) -> Contrast:
    """Say of a time that its cost comes in bursts, of how much, and whose they are."""
    if contrast.metric != "time" or contrast.implementation not in bursty:
        return contrast
    arm = next(arm for arm in arms if arm.implementation == contrast.implementation)
    own = figures.fmean(effect.burst for effect in arm.effects)
    base = figures.fmean(effect.baseline_burst for effect in arm.effects)
    who, share, other = (
        (contrast.implementation, own, base) if own > base else (baseline, base, own)
    )
    text = (
        f"the cost of '{who}' comes in bursts: a mean turn takes {share:.0%} more than its median "
        f"turn (the other side: {other:.0%}), so mean times are compared"
    )
    return replace(contrast, warnings=(*contrast.warnings, text))


def _summary(values: Sequence[float], *, is_bound: bool) -> float:
    """One figure for all rounds; a lower bound stays one only as the smallest of them."""
    return min(values) if is_bound else figures.median(values)


def _few_rounds(rounds: Sequence[RoundRecord], arm: str, baseline: str) -> int | None:
    """What the few-rounds rule asks for a contrast, from the slower side's first operation."""
    for record in rounds:
        sides = [record.arms[name] for name in (arm, baseline) if name in record.arms]
        seconds = [side.probe_s if side.censored_s is None else side.censored_s for side in sides]
        if len(sides) == 2 and all(side.failure is None for side in sides):
            # Settled by the first round that has both: a rule must not change with every round.
            return few_rounds(max((value for value in seconds if value is not None), default=0.0))
    return None


def _sensitivity(arm: PairedArm) -> dict[str, float]:
    """The same ratio by the ratio of medians, of means and of minima of each process."""
    rounds = [statistics.sensitivity(own, base) for own, base in arm.times]
    return {
        name: math.exp(figures.median(getattr(one, name) for one in rounds))
        for name in ("medians", "means", "minima")
    }

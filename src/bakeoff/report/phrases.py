"""The words and shapes that all renderers share, so that they say the same thing the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.report.metrics import metric_words
from bakeoff.report.model import CellRow, ClaimRow, FamilyRow, Figure, RunFacts, Trust
from bakeoff.report.predicates import format_percent
from bakeoff.results.records import Machine
from bakeoff.units import (
    describe_ratio,
    format_bytes,
    format_quantity,
    format_significant,
)

#: A shape for every verdict, so that no reader depends on colour.
SHAPES = {
    "faster": "▼",
    "slower": "▲",
    "same": "=",
    "inconclusive": "?",
    "failed": "✕",
    "holds": "✓",
    "fails": "✕",
    "not measured here": "–",
}

NOTHING = "–"


def verdict_word(verdict: str, metric: str) -> str:
    """The verdict in the words of its metric: bytes are *less*, not *faster*."""
    words = metric_words(metric)
    return {"faster": words.less, "slower": words.more}.get(verdict, verdict)


def capability_word(has: bool | None) -> str:
    """Whether an implementation can do something; nothing is said of one that was not asked."""
    return NOTHING if has is None else "✓ yes" if has else "✕ no"


def ratio_number(ratio: float) -> str:
    """A ratio's digits; near 1, where thousandths matter, as many on both sides of it."""
    return f"{ratio:.3f}" if 0.9 <= ratio < 1.1 else format_significant(ratio)


def ratio_text(figure: Figure | None) -> str:
    """A ratio, with ≤ or ≥ where only a bound is known: ``≤ 0.011×``."""
    if figure is None:
        return NOTHING
    if figure.is_exact and figure.estimate == 1:
        return "1×"
    return f"{bound_sign(figure)}{ratio_number(figure.estimate)}×"


def bound_sign(figure: Figure) -> str:
    """``≤ `` if the truth is at most the estimate, ``≥ `` if at least, else nothing."""
    if not figure.is_bound:
        return ""
    return "≤ " if figure.low is None else "≥ "


def interval_text(figure: Figure | None) -> str:
    """The interval of a ratio: ``0.0104–0.0114``."""
    if figure is None:
        return NOTHING
    if figure.is_exact:
        return "exact"
    if figure.is_bound:
        return "bound"
    if figure.low is None and figure.high is None:
        return "unbounded"
    return f"{_end(figure.low, '0')}–{_end(figure.high, '∞')}"


def value_text(value: float | None, unit: str, *, is_bound: bool = False) -> str:
    """An absolute figure with its unit: ``1.23 ms``."""
    if value is None:
        return NOTHING
    return f"{'≥ ' if is_bound else ''}{format_quantity(value, unit)}"


def gain_text(figure: Figure, metric: str) -> str:
    """How many times less or more, in the metric's words: ``93× faster``."""
    words = metric_words(metric)
    if figure.estimate <= 0:
        return f"none of the {words.noun}"
    factor, word = (
        (1 / figure.estimate, words.less) if figure.estimate < 1 else (figure.estimate, words.more)
    )
    least = "≥ " if figure.is_bound else ""
    return f"{least}{ratio_number(factor)}× {word}"


def gain_interval_text(figure: Figure) -> str:
    """The interval in the direction of `gain_text`: ``88–97×``."""
    low, high = figure.low, figure.high
    if figure.estimate < 1:
        low, high = (
            None if high is None else 1 / high,
            None if low is None or low <= 0 else 1 / low,
        )
    return f"{_end(low, '0')}–{_end(high, '∞')}×"


def both_directions(figure: Figure | None, metric: str) -> str:
    """``0.019× the baseline, 52× faster``, for tooltips and screen readers."""
    if figure is None:
        return "no figure"
    words = metric_words(metric)
    return (
        f"{bound_sign(figure)}{describe_ratio(figure.estimate, less=words.less, more=words.more)}"
    )


def level_text(figure: Figure) -> str:
    """``99 % interval``."""
    return f"{format_percent(figure.level)} interval"


def claim_figure_text(claim: ClaimRow) -> str:
    """A claim's estimate, as a ratio or in its unit."""
    if claim.figure is None or claim.kind == "ratio":
        return ratio_text(claim.figure)
    return f"{bound_sign(claim.figure)}{_claim_number(claim, claim.figure.estimate)}"


def claim_interval_text(claim: ClaimRow) -> str:
    """A claim's interval, as ratios or in its unit."""
    figure = claim.figure
    if figure is None or claim.kind == "ratio" or figure.is_exact or figure.is_bound:
        return interval_text(figure)
    ends = (figure.low, figure.high)
    low, high = (None if end is None else _claim_number(claim, end) for end in ends)
    return f"{low or '-∞'} – {high or '∞'}"


def _claim_number(claim: ClaimRow, number: float) -> str:
    if claim.kind == "number":
        return format_significant(number)
    return format_quantity(number, claim.unit)


def claim_word(claim: ClaimRow) -> str:
    """A claim's verdict, or that it was not measured."""
    return claim.verdict or claim.status


def claim_about(claim: ClaimRow) -> str:
    """What was compared: ``patchset ÷ deepcopy, time, geometric mean over 60 cells``."""
    what = claim.arm if claim.is_absolute else f"{claim.arm} ÷ {claim.vs}"
    over = {"geomean": "geometric mean", "total": "total"}.get(claim.over)
    # Where nothing was measured the number of cells would be the wrong run's.
    span = "" if claim.verdict is None else f" over {claim.cells} cells"
    if over is None:
        over = "one cell" if claim.cells == 1 else "in every cell"
        span = "" if claim.cells == 1 or claim.verdict is None else f", {claim.cells} cells"
    return f"{what}, {metric_words(claim.metric).title.lower()}, {over}{span}"


def family_span(row: FamilyRow) -> str:
    """How many cells a mean covers: ``8 cells``, or ``7 of 8 cells``."""
    if row.cells == row.planned_cells:
        return f"{row.cells} cells" if row.cells != 1 else "1 cell"
    return f"{row.cells} of {row.planned_cells} cells"


def claims_text(counts: Mapping[str, int]) -> str:
    """How many claims came out how: ``3 hold, 1 fails``."""
    plural = {"holds": "hold", "fails": "fail"}
    return ", ".join(
        f"{count} {plural.get(word, word) if count > 1 else word}"
        for word, count in counts.items()
        if count
    )


def some_text(names: Sequence[str]) -> str:
    """Two names, and how many more."""
    shown = ", ".join(names[:2])
    return f"{shown} and {len(names) - 2} more" if len(names) > 2 else shown


def cell_notes(rows: Sequence[CellRow]) -> list[str]:
    """Why cells failed or are undecided, each reason once with its cells."""
    cells: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.reason and row.verdict in ("failed", "inconclusive"):
            cells.setdefault((row.verdict, row.reason), []).append(row.label)
    return [
        f"{SHAPES[verdict]} {some_text(labels)}: {reason}"
        for (verdict, reason), labels in cells.items()
    ]


def duration_text(seconds: float | None) -> str:
    """A duration as people say it: ``2 min 5 s``."""
    if seconds is None:
        return "not finished"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def control_text(trust: Trust) -> str:
    """The A/A control in one line: its mean, the noise floor, how many passed."""
    if not trust.controls:
        return "none was measured"
    passed = sum(control.is_passed for control in trust.controls)
    text = f"{passed} of {len(trust.controls)} passed"
    if trust.control is not None:
        text += f"; {ratio_text(trust.control)} ({interval_text(trust.control)}) over all"
    if trust.noise_floor is not None:
        text += f"; noise floor {noise_text(trust)}"
    return text


def noise_text(trust: Trust) -> str:
    """The widest control's reach: ``±1.2 %``."""
    if trust.noise_floor is None:
        return "unknown"
    return f"±{format_significant(trust.noise_floor * 100, 2)} %"


def rounds_text(trust: Trust) -> str:
    """How many rounds were kept, discarded and why, and what the waiting was."""
    return "; ".join([f"{trust.rounds} kept, {discarded_text(trust)}", *effort_lines(trust)])


def discarded_text(trust: Trust) -> str:
    """How many rounds were discarded, by cause: ``3 discarded (3 contended)``."""
    causes = ", ".join(f"{count} {cause}" for cause, count in trust.discards.items())
    return f"{trust.discarded_rounds} discarded" + (f" ({causes})" if causes else "")


def effort_lines(trust: Trust) -> list[str]:
    """What rounds cost beside measuring: waiting, and everything that is not timed."""
    lines = []
    if trust.waited_s >= 0.05:
        lines.append(f"waited {format_quantity(trust.waited_s, 's')} for a quiet machine")
    if trust.timed_share is not None:
        lines.append(f"{trust.timed_share:.0%} of their time inside timed operations")
    return lines


def number_text(figure: Figure | None) -> str:
    """A plain number: an exponent, a size."""
    return NOTHING if figure is None else format_significant(figure.estimate)


def number_interval_text(figure: Figure | None) -> str:
    """The interval of a plain number: ``0.95 to 1.05``."""
    if figure is None:
        return NOTHING
    low = "-∞" if figure.low is None else format_significant(figure.low)
    high = "∞" if figure.high is None else format_significant(figure.high)
    return f"{low} to {high}"


def machine_text(machine: Machine) -> str:
    """The machine in one line."""
    kind = "" if machine.virtual is None else ", virtual" if machine.virtual else ", not virtual"
    return (
        f"{machine.cpu}, {machine.cores} cores, {format_bytes(machine.memory_bytes)}, "
        f"{machine.system}, Python {machine.python}{kind}"
    )


def commit_text(run: RunFacts) -> str:
    """The commit, and whether the tree was dirty."""
    if run.commit is None:
        return "none: the sources are under no commit"
    return f"{run.commit}{' with uncommitted changes' if run.is_dirty else ''}"


def settings_text(run: RunFacts) -> str:
    """What the workloads' own options were set to, as it was typed."""
    return " ".join(f"--{name} {value}" for name, value in sorted(run.settings.items()))


def _end(value: float | None, unbounded: str) -> str:
    return unbounded if value is None else ratio_number(value)


def effect_text(share: float) -> str:
    """A minimal detectable effect: ``±1.2 %``."""
    return f"±{format_significant(share * 100, 2)} %"


def other_ratio_text(ratio: float | None) -> str:
    """A ratio by another summary; it has no interval."""
    return NOTHING if ratio is None else f"{ratio_number(ratio)}×"

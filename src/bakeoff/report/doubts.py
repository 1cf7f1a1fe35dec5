"""What the reader has to know before believing a figure, as sentences; and how long a run took."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.timing import is_control_failed
from bakeoff.report.labels import Labels
from bakeoff.report.phrases import some_text
from bakeoff.results.records import EventRecord, RunHeader


def collect_warnings(
    header: RunHeader,
    comparisons: Sequence[CellComparison],
    events: Sequence[EventRecord],
    labels: Labels,
    *,
    unchecked: Sequence[str],
    others: Sequence[str],
) -> tuple[str, ...]:
    """Every doubt about a run, the gravest first, each said once.

    Parameters
    ----------
    header : RunHeader
        The run's plan.
    comparisons : sequence of CellComparison
        What it says.
    events : sequence of EventRecord
        What happened on the way.
    labels : Labels
        Names of cells.
    unchecked : sequence of str
        Implementations of the run that conformance says nothing of.
    others : sequence of str
        Doubts of the caller.
    """
    warnings = [
        *_of_conformance(header, unchecked),
        *_of_controls(comparisons, labels),
        *_of_events(events, comparisons),
        *_of_sources(header),
        *others,
        *_of_floors(comparisons, labels),
        *_of_contrasts(comparisons, labels),
    ]
    return tuple(dict.fromkeys(warnings))


def duration_s(started_at: str, events: Sequence[EventRecord]) -> float | None:
    """Seconds from the start to the end of a run, without the pauses that are known.

    A killed run does not say when it stopped, so its pause is counted. None if it never finished.
    """
    finished = [event.at for event in events if event.kind == "finished"]
    if not finished:
        return None
    seconds = _seconds_between(started_at, finished[-1])
    stopped_at: str | None = None
    for event in events:
        if event.kind in ("interrupted", "stopped", "finished"):
            stopped_at = event.at
        elif event.kind == "resumed" and stopped_at is not None:
            seconds -= _seconds_between(stopped_at, event.at)
            stopped_at = None
    return max(0.0, seconds)


def _of_conformance(header: RunHeader, unchecked: Sequence[str]) -> list[str]:
    if not unchecked:
        return []
    names = ", ".join(unchecked)
    return [
        f"Conformance was not checked for {names}: answers may differ. "
        f"Run: bakeoff check {header.study}"
    ]


def _of_controls(comparisons: Sequence[CellComparison], labels: Labels) -> list[str]:
    biased = [labels.of(one.cell) for one in comparisons if is_control_failed(one.control)]
    warnings = []
    if biased:
        warnings.append(
            f"The A/A control failed in {some_text(biased)}: the harness told a copy of the baseline "
            "from the baseline itself, so these cells decide nothing."
        )
    unfinished = [
        labels.of(one.cell)
        for one in comparisons
        if any(c.metric == "time" and c.is_baseline_bound for c in one.contrasts)
    ]
    if unfinished:
        warnings.append(
            f"In {len(unfinished)} of {len(comparisons)} cells the baseline did not finish, so answers "
            f"were not compared there: {some_text(unfinished)}."
        )
    measured = [one for one in comparisons if one.rounds]
    without = [labels.of(one.cell) for one in measured if one.control is None]
    if measured and len(without) == len(measured):
        warnings.append("No cell has an A/A control: the noise of this machine is not known.")
    elif without:
        warnings.append(
            f"{len(without)} of {len(measured)} cells went without an A/A control (operations longer "
            f"than a second leave it out; elsewhere it failed): {some_text(without)}."
        )
    return warnings


def _of_floors(comparisons: Sequence[CellComparison], labels: Labels) -> list[str]:
    failed = {one.floor_failure: labels.of(one.cell) for one in comparisons if one.floor_failure}
    return [
        f"The workload's floor failed ({reason}), in {label} at least: there is no limit to compare with."
        for reason, label in failed.items()
    ]


def _of_events(events: Sequence[EventRecord], comparisons: Sequence[CellComparison]) -> list[str]:
    warnings = []
    kinds = [event.kind for event in events]
    resumed = [event for event in events if event.kind == "resumed"]
    if resumed:
        times = "once" if len(resumed) == 1 else f"{len(resumed)} times"
        warnings.append(f"The run was stopped and resumed {times}, last at {resumed[-1].at}.")
    unmeasured = sum(one.rounds == 0 for one in comparisons)
    if unmeasured:
        warnings.append(f"{unmeasured} of {len(comparisons)} cells have no round yet.")
    ends = [kind for kind in kinds if kind in ("finished", "interrupted", "resumed")]
    if not ends or ends[-1] != "finished":
        warnings.append("The run is not finished: what follows is what it has measured so far.")
    warnings += [
        event.text for event in events if event.kind in ("warning", "stopped") and event.text
    ]
    return warnings


def _of_sources(header: RunHeader) -> list[str]:
    if header.commit is None:
        return ["The sources are under no commit: this run cannot be checked out again."]
    if header.dirty:
        return [
            f"The working tree had changes that are not in commit {header.commit[:10]}: "
            "what was measured cannot be checked out again."
        ]
    return []


def _of_contrasts(comparisons: Sequence[CellComparison], labels: Labels) -> list[str]:
    cells: dict[str, list[str]] = {}
    for one in comparisons:
        for contrast in one.contrasts:
            for warning in contrast.warnings:
                names = cells.setdefault(warning, [])
                if labels.of(one.cell) not in names:
                    names.append(labels.of(one.cell))
    return [
        f"{warning[:1].upper()}{warning[1:]} ({some_text(names)})."
        for warning, names in cells.items()
    ]


def _seconds_between(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()

"""The first sentences of a report: what an engineer should do, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.report.model import CellRow, FamilyRow, Headline
from bakeoff.report.phrases import (
    bound_sign,
    gain_interval_text,
    gain_text,
    level_text,
    ratio_text,
)
from bakeoff.report.predicates import format_percent
from bakeoff.units import format_ratio


def headline(
    baseline: str,
    families: Sequence[FamilyRow],
    rows: Sequence[CellRow],
    *,
    broken_promises: Mapping[str, str],
    ranking: Sequence[str],
    tied: Sequence[str],
    margin: float,
    is_checked: bool,
) -> Headline:
    """Advise, from what is decided only.

    Parameters
    ----------
    baseline : str
        What is used today.
    families : sequence of FamilyRow
        Means over all cells.
    rows : sequence of CellRow
        Single cells.
    broken_promises : mapping of str to str
        Implementations that fail conformance: never advised.
    ranking : sequence of str
        The candidates, best first.
    tied : sequence of str
        Those that the first of them cannot be told from.
    margin : float
        What counts as the same.
    is_checked : bool
        Whether all of them passed through conformance.
    """
    if baseline in broken_promises:
        advice = f"No advice: the baseline {baseline} does not give the promised answers."
        return Headline("unsure", advice, (f"{baseline}: {broken_promises[baseline]}.",))
    times = {row.implementation: row for row in families if row.metric == "time"}
    usable = [times[name] for name in ranking if name in times and times[name].figure is not None]
    failures = tuple(
        f"{name} is not ranked: {times[name].reason}."
        for name in ranking
        if name in times and times[name].figure is None
    )
    if not is_checked:
        failures = ("Whether they give the same answers was not checked.", *failures)
    if not usable:
        return Headline("unsure", f"Nothing can be compared with {baseline} yet.", failures)
    best = usable[0]
    span = _span(best, rows)
    if best.verdict == "faster":
        return _use(best, baseline, span, families, rows, tied, failures)
    details = (*_extremes(best, rows), *failures)
    if best.verdict == "inconclusive":
        advice = (
            f"Not enough to tell {best.implementation} from {baseline}: "
            f"{ratio_text(best.figure)} the time {span}, {best.reason}."
        )
        return Headline("unsure", advice, details)
    if best.verdict == "same" and (split := _split(best, rows)) is not None:
        advice = f"It depends: {best.implementation} is {split}, compared with {baseline}."
        return Headline("unsure", advice, details)
    if best.verdict == "same":
        advice = (
            f"Keep {baseline}: {best.implementation} takes the same time within "
            f"{format_percent(margin)} {span}."
        )
        return Headline("stay", advice, details)
    advice = (
        f"Keep {baseline}: {best.implementation} takes {ratio_text(best.figure)} the time {span}."
    )
    return Headline("stay", advice, details)


def _use(
    best: FamilyRow,
    baseline: str,
    span: str,
    families: Sequence[FamilyRow],
    rows: Sequence[CellRow],
    tied: Sequence[str],
    failures: Sequence[str],
) -> Headline:
    figure = best.figure
    assert figure is not None, "only rows with a figure are ranked"
    gain = gain_text(figure, "time")
    if not (figure.is_exact or figure.is_bound):
        gain += f", {level_text(figure)} {gain_interval_text(figure)}"
    advice = (
        f"Use {best.implementation}: {ratio_text(figure)} the time of {baseline} ({gain}) {span}"
    )
    bytes_row = next(
        (
            row
            for row in families
            if row.implementation == best.implementation
            and row.metric == "allocated_bytes"
            and row.figure is not None
        ),
        None,
    )
    if bytes_row is not None and bytes_row.figure is not None:
        sign = bound_sign(bytes_row.figure)
        joint = "and" if bytes_row.verdict == "faster" else "but"
        if bytes_row.verdict in ("faster", "slower"):
            shown = f"{sign}{format_ratio(bytes_row.figure.estimate)}"
            advice += f", {joint} {shown} the allocated bytes"
    ties = []
    if tied:
        ties = [f"{_joined(tied)} cannot be told from it: choose among them by other measures."]
    return Headline("use", f"{advice}.", (*ties, *_extremes(best, rows), *failures))


def _extremes(best: FamilyRow, rows: Sequence[CellRow]) -> list[str]:
    """Where it gains least; every cell that it loses is worth a word before anybody switches."""
    cells = [
        row
        for row in rows
        if row.metric == "time"
        and row.implementation == best.implementation
        and row.figure is not None
    ]
    sentences = []
    if len(cells) > 1:
        worst = max(cells, key=lambda row: row.figure.estimate if row.figure else 0.0)
        sentences.append(_extreme(worst))
    slower = sum(row.verdict == "slower" for row in cells)
    undecided = sum(row.verdict == "inconclusive" for row in cells)
    if slower > 1:
        sentences.append(f"It is slower in {slower} of {len(cells)} cells.")
    if undecided:
        sentences.append(f"Inconclusive in {undecided} of {len(cells)} cells.")
    unusable = sum(
        row.metric == "time"
        and row.implementation == best.implementation
        and row.verdict == "failed"
        for row in rows
    )
    if unusable:
        sentences.append(f"It has no figure in {unusable} cells.")
    return sentences


def _split(best: FamilyRow, rows: Sequence[CellRow]) -> str | None:
    """Where gains and losses cancel in the mean: ``faster in 2 and slower in 2 of 4 cells``."""
    words = [
        row.verdict
        for row in rows
        if row.metric == "time" and row.implementation == best.implementation
    ]
    faster, slower = words.count("faster"), words.count("slower")
    if not (faster and slower):
        return None
    return f"faster in {faster} and slower in {slower} of {len(words)} cells"


def _extreme(worst: CellRow) -> str:
    assert worst.figure is not None
    if worst.verdict == "same":
        return f"It gains nothing in {worst.label}: the same time."
    if worst.verdict == "inconclusive":
        return (
            f"It gains least in {worst.label}: {ratio_text(worst.figure)} the time, inconclusive."
        )
    verb = "It loses most" if worst.verdict == "slower" else "It gains least"
    return f"{verb} in {worst.label}: {gain_text(worst.figure, 'time')}."


def _span(best: FamilyRow, rows: Sequence[CellRow]) -> str:
    if best.cells == 1:
        return "in the one cell measured"
    workloads = {row.workload for row in rows}
    kind = f"configurations of {workloads.pop()}" if len(workloads) == 1 else "workloads"
    return f"by geometric mean over {best.cells} {kind}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

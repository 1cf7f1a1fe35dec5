"""Many cells at once: a difference counts only if chance would not show it somewhere in the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from bakeoff import statistics
from bakeoff.measurement.contrast import Contrast
from bakeoff.measurement.rules import Rules

#: A round further from zero than this many times the median round is taken as if it were there: one
#: wild round must not hide what all others show. It depends on sizes only, so signs stay exchangeable.
CLIPPED_AT = 3.0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a contrast stands: cell by cell, one by one."""

    cell: int
    contrast: int


def adjust_for_cells(
    cells: Sequence[Sequence[Contrast]], baseline: str, rules: Rules
) -> tuple[tuple[Contrast, ...], ...]:
    """Take the word from differences that could be chance among all cells and candidates of a run.

    Parameters
    ----------
    cells : sequence of sequence of Contrast
        The contrasts of every cell, each judged by itself.
    baseline : str
        Its own contrasts are no comparisons.
    rules : Rules
        The budget of one look.

    Returns
    -------
    tuple of tuple of Contrast
        The same contrasts; ``faster`` and ``slower`` are *inconclusive* unless they hold jointly
        with all others of the same metric, by sign flips that every cell of a round shares (Westfall
        and Young's single-step max-|t|). Contrasts of few rounds, which sign flips cannot tell apart,
        hold jointly by Bonferroni instead. ``same`` is a statement on one cell and stays one.
    """
    adjusted = [list(contrasts) for contrasts in cells]
    for places in _families(cells, baseline).values():
        if len(places) < 2:
            continue
        whole = [at for at in places if not cells[at.cell][at.contrast].is_few]
        few = [at for at in places if cells[at.cell][at.contrast].is_few]
        chances = statistics.max_t_adjusted_p(
            [_clipped(cells[at.cell][at.contrast]) for at in whole]
        )
        for at, chance in zip(whole, chances, strict=True):
            found = replace(cells[at.cell][at.contrast], adjusted_p=chance)
            is_chance = chance > rules.look_alpha
            adjusted[at.cell][at.contrast] = _judged(found, len(places), is_chance=is_chance)
        for at in few:
            found = cells[at.cell][at.contrast]
            assert found.log_ratios is not None, "families hold only what rests on rounds"
            estimate = statistics.estimate_ratio(
                found.log_ratios, rules.alpha / len(places), is_few=True
            )
            is_chance = statistics.decide(estimate, rules.margin) != found.verdict
            adjusted[at.cell][at.contrast] = _judged(found, len(places), is_chance=is_chance)
    return tuple(tuple(contrasts) for contrasts in adjusted)


def _families(cells: Sequence[Sequence[Contrast]], baseline: str) -> dict[str, list[_Place]]:
    """By metric, where contrasts stand that rest on at least two rounds."""
    families: dict[str, list[_Place]] = {}
    for cell, contrasts in enumerate(cells):
        for index, contrast in enumerate(contrasts):
            if (
                contrast.implementation != baseline
                and contrast.log_ratios is not None
                and len(contrast.log_ratios) >= 2
                and contrast.verdict != "failed"
            ):
                families.setdefault(contrast.metric, []).append(_Place(cell, index))
    return families


def _clipped(contrast: Contrast) -> tuple[float, ...]:
    assert contrast.log_ratios is not None, "families hold only what rests on rounds"
    values = contrast.log_ratios.per_round
    reach = CLIPPED_AT * median(map(abs, values))
    return tuple(max(-reach, min(reach, value)) for value in values)


def _judged(contrast: Contrast, comparisons: int, *, is_chance: bool) -> Contrast:
    if contrast.verdict not in ("faster", "slower") or not is_chance:
        return contrast
    reason = f"could be chance among the {comparisons} comparisons of this run: needs more rounds"
    return replace(contrast, verdict="inconclusive", reason=reason, is_held_back=True)

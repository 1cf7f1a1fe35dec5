"""Two implementations in one cell, neither of which need be the baseline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.report.families import FLOOR, Budget, Pair, pair, ratio_of_cell
from bakeoff.results.records import FLOOR_ARM
from tests.unit.report.made_up import baseline_of, cell, comparison, timed

BUDGET = Budget(look=0.002, whole=0.01)


def test_whom_a_slow_baseline_left_behind_is_compared_by_the_rounds_without_it() -> None:
    where = cell("large")
    few = comparison(
        where,
        baseline_of(where),
        timed(where, "layers", 0.002, rounds=3, noise=0.2),
        timed(where, "undo_log", 0.001, rounds=3, noise=0.2),
    )
    among = (
        replace(baseline_of(where), implementation="layers"),
        replace(timed(where, "undo_log", 0.5, rounds=10), implementation="undo_log"),
        replace(timed(where, "floor", 0.25, rounds=10), implementation=FLOOR_ARM),
    )
    more = replace(few, among=among)
    for reference, expected in (("layers", 0.5), (FLOOR, 2.0)):
        found = pair(more, "undo_log", reference, "time", baseline="copies")
        assert isinstance(found, Pair)
        estimate = ratio_of_cell(found, BUDGET)
        assert estimate is not None
        assert estimate.rounds == 10
        assert estimate.ratio == pytest.approx(expected, rel=0.05)
    # Against the slow baseline itself there are the few rounds, and by other metrics the usual ones.
    against = pair(more, "undo_log", "copies", "time", baseline="copies")
    assert isinstance(against, Pair)
    assert against.log_ratios is not None
    assert len(against.log_ratios) == 3

"""What becomes of a claim: holds, fails, inconclusive, or not measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.contrast import failed
from bakeoff.report.model import ClaimRow
from tests.unit.report.made_up import (
    baseline_of,
    cell,
    censored,
    censored_baseline,
    comparison,
    conformance,
    exact,
    exact_baseline,
    report_of,
    timed,
    timed_comparison,
)

A, B, C = cell("a/Fork"), cell("b/Fork"), cell("c/Revert")


def judged(
    comparisons: Sequence[CellComparison],
    check: str,
    lines: str = "",
    *,
    arm: str = "layers",
    **more: object,
) -> ClaimRow:
    claim = f'\n[[claim]]\ntext = "t"\narm = "{arm}"\ncheck = "{check}"\n{lines}\n'
    return report_of(comparisons, claim, **more).claims[0]  # type: ignore[arg-type]


def test_a_claim_on_several_cells_holds_if_every_cell_holds() -> None:
    claim = judged(
        [timed_comparison(A, layers=0.1), timed_comparison(B, layers=0.4)], "ratio <= 1/2"
    )
    assert claim.verdict == "holds"
    assert claim.deciding_cell == "b/Fork"
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(0.4, rel=0.01)


def test_a_claim_on_several_cells_fails_if_any_cell_fails() -> None:
    cells = [
        timed_comparison(A, layers=0.1),
        timed_comparison(B, layers=0.8),
        timed_comparison(C, layers=0.5),
    ]
    claim = judged(cells, "ratio <= 1/2")
    assert claim.verdict == "fails"
    assert claim.reason == "fails in 1 of 3 cells; worst: b/Fork"


def test_a_claim_on_several_cells_is_inconclusive_if_one_is_and_none_fails() -> None:
    claim = judged(
        [timed_comparison(A, layers=0.1), timed_comparison(B, layers=0.5)], "ratio <= 1/2"
    )
    assert claim.verdict == "inconclusive"
    assert claim.reason == "the interval crosses the bound in 1 of 2 cells: b/Fork"


def test_where_leaves_other_cells_out() -> None:
    cells = [timed_comparison(A, layers=0.1), timed_comparison(C, layers=0.9)]
    claim = judged(cells, "ratio <= 1/2", 'where = { configuration = "*/Fork" }')
    assert (claim.verdict, claim.cells) == ("holds", 1)


def test_the_geometric_mean_weighs_cells_the_same() -> None:
    cells = [timed_comparison(A, layers=0.1), timed_comparison(B, layers=0.4)]
    claim = judged(cells, "ratio <= 0.21", 'over = "geomean"')
    assert claim.verdict == "holds"
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(0.2, rel=0.01)


def test_the_total_weighs_slow_cells_more() -> None:
    slow = comparison(B, baseline_of(B, baseline_s=1.0), timed(B, "layers", 0.4, baseline_s=1.0))
    claim = judged([timed_comparison(A, layers=0.1), slow], "ratio <= 0.21", 'over = "total"')
    assert claim.verdict == "fails"
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(0.397, rel=0.02)


def test_cells_with_different_numbers_of_rounds_use_the_first_they_share() -> None:
    short = comparison(B, baseline_of(B, rounds=5), timed(B, "layers", 0.4, rounds=5), rounds=5)
    claim = judged([timed_comparison(A, layers=0.1), short], "ratio <= 0.3", 'over = "geomean"')
    assert claim.verdict == "holds"


def test_a_single_round_never_makes_a_claim_hold() -> None:
    one = comparison(A, baseline_of(A, rounds=1), timed(A, "layers", 0.001, rounds=1), rounds=1)
    for over in ("cell", "geomean", "total"):
        claim = judged([one], "ratio <= 1/2", f'over = "{over}"')
        assert claim.verdict == "inconclusive"
        assert claim.reason == "too few rounds for an interval: 1"


def bounded_baseline() -> CellComparison:
    return comparison(
        B,
        censored_baseline(B),
        censored(B, "layers", 0.2, 20.0, is_baseline_bound=True),
        control_ratio=None,
    )


def bounded_candidate() -> CellComparison:
    return comparison(
        B,
        baseline_of(B, baseline_s=1.0),
        censored(B, "layers", 20.0, 1.0, is_bound=True),
        control_ratio=None,
    )


@pytest.mark.parametrize("over", ["cell", "geomean", "total"])
def test_a_baseline_that_did_not_finish_counts_as_its_limit_in_an_upper_bound(over: str) -> None:
    cells = [timed_comparison(A, layers=0.01), bounded_baseline()]
    claim = judged(cells, "ratio <= 1/50", f'over = "{over}"')
    assert claim.verdict == "holds"
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(0.01, rel=0.02)
    if over != "cell":  # there the other cell may decide
        assert claim.figure.is_bound
        assert claim.figure.low is None


@pytest.mark.parametrize("over", ["cell", "geomean", "total"])
def test_a_baseline_that_did_not_finish_proves_no_lower_bound(over: str) -> None:
    cells = [timed_comparison(A, layers=0.5), bounded_baseline()]
    claim = judged(cells, "ratio >= 1/1000", f'over = "{over}"')
    assert claim.verdict == "inconclusive"


@pytest.mark.parametrize("over", ["cell", "geomean", "total"])
def test_a_candidate_that_did_not_finish_never_satisfies_an_upper_bound(over: str) -> None:
    cells = [timed_comparison(A, layers=0.01), bounded_candidate()]
    claim = judged(cells, "ratio <= 1000", f'over = "{over}"')
    assert claim.verdict == "inconclusive"


def test_a_candidate_that_did_not_finish_fails_once_its_bound_exceeds_the_limit() -> None:
    assert judged([bounded_candidate()], "ratio <= 10").verdict == "fails"
    assert judged([bounded_candidate()], "ratio <= 10", 'over = "total"').verdict == "fails"


def test_two_sides_that_did_not_finish_say_nothing() -> None:
    both = comparison(
        B,
        censored_baseline(B),
        censored(B, "layers", 20.0, 20.0, is_bound=True, is_baseline_bound=True),
        control_ratio=None,
    )
    for over in ("cell", "geomean", "total"):
        claim = judged([both], "ratio <= 1000", f'over = "{over}"')
        assert claim.verdict == "inconclusive"
        assert claim.reason == "neither side finished: the ratio is unknown"


def memory(where_: CellComparison, layers: float) -> CellComparison:
    one = where_.cell
    contrasts = (
        exact_baseline(one, 1000.0, "allocated_bytes"),
        exact(one, "layers", layers, 1000.0, "allocated_bytes"),
    )
    return replace(where_, contrasts=(*where_.contrasts, *contrasts))


def test_exact_figures_are_compared_as_numbers() -> None:
    cells = [memory(timed_comparison(A, layers=0.5), 100.0)]
    lines = 'metric = "allocated_bytes"'
    assert judged(cells, "ratio <= 1/10", lines).verdict == "holds"
    assert judged(cells, "ratio < 1/10", lines).verdict == "fails"


@pytest.mark.parametrize(("over", "estimate"), [("geomean", 0.2), ("total", 0.25)])
def test_exact_figures_have_exact_means_and_totals(over: str, estimate: float) -> None:
    cells = [
        memory(timed_comparison(A, layers=0.5), 100.0),
        memory(timed_comparison(B, layers=0.5), 400.0),
    ]
    claim = judged(cells, "ratio <= 1/4", f'metric = "allocated_bytes"\nover = "{over}"')
    assert claim.verdict == "holds"
    assert claim.figure is not None
    assert claim.figure.is_exact
    assert claim.figure.estimate == pytest.approx(estimate)


def test_a_claim_for_another_preset_is_not_measured_here() -> None:
    claim = judged([timed_comparison(A, layers=0.9)], "ratio <= 1/2", 'preset = "full"')
    assert (claim.status, claim.verdict) == ("not measured here", None)
    assert claim.reason == "needs --preset full; this run is quick"


def test_a_claim_about_a_cell_that_is_not_in_the_run_is_not_measured_here() -> None:
    claim = judged(
        [timed_comparison(A, layers=0.9)], "ratio <= 1/2", 'where = { configuration = "z" }'
    )
    assert (claim.status, claim.verdict) == ("not measured here", None)
    assert claim.reason == "not part of this run: configuration z"


def test_a_claim_about_more_cells_than_the_run_has_is_not_measured_here() -> None:
    lines = 'over = "geomean"\ncells = 60'
    claim = judged([timed_comparison(A, layers=0.1)], "ratio <= 1/2", lines)
    assert claim.status == "not measured here"
    assert claim.reason == "needs 60 cells; this run has 1 of them"


def test_a_claim_on_memory_is_not_measured_by_a_run_without_it() -> None:
    lines = 'metric = "allocated_bytes"'
    cells = [timed_comparison(A, layers=0.1)]
    claim = judged(cells, "ratio <= 1/2", lines, measures_memory=False)
    assert claim.status == "not measured here"


def test_an_arm_that_is_not_in_the_run_is_not_measured_here() -> None:
    claim = judged([timed_comparison(A, layers=0.1)], "ratio <= 1/2", arm="trie")
    assert claim.reason == "trie is not part of this run"


def test_a_planned_cell_without_rounds_makes_a_mean_inconclusive() -> None:
    empty = comparison(
        B,
        *(
            failed(B, name, "time", "not measured: the run has no kept round of it", "not measured")
            for name in ("copies", "layers")
        ),
        control_ratio=None,
        rounds=0,
    )
    cells = [timed_comparison(A, layers=0.1), empty]
    claim = judged(cells, "ratio <= 1/2", 'over = "geomean"')
    assert claim.verdict == "inconclusive"
    assert claim.reason is not None
    assert claim.reason.startswith("no figure in 1 of 2 cells: copies: not measured")
    assert judged(cells, "ratio <= 1/2").verdict == "inconclusive"


def test_one_refuted_cell_refutes_a_claim_on_every_cell_whatever_is_missing() -> None:
    empty = comparison(
        B,
        failed(B, "copies", "time", "crash: signal 9", "own failure"),
        failed(B, "layers", "time", "no baseline", "no reference"),
    )
    claim = judged([timed_comparison(A, layers=0.9), empty], "ratio <= 1/2")
    assert claim.verdict == "fails"


def test_an_arm_that_crashed_fails_its_claims() -> None:
    broken = comparison(
        B, baseline_of(B), failed(B, "layers", "time", "crash: exit status -9", "own failure")
    )
    claim = judged([timed_comparison(A, layers=0.1), broken], "ratio <= 1/2", 'over = "geomean"')
    assert claim.verdict == "fails"
    assert claim.reason == "layers: crash: exit status -9 (b/Fork)"


def test_a_reference_that_crashed_makes_a_claim_inconclusive() -> None:
    broken = comparison(
        A,
        failed(A, "copies", "time", "crash: signal 9", "own failure"),
        failed(A, "layers", "time", "no baseline: 'copies' failed", "no reference"),
        control_ratio=None,
    )
    assert judged([broken], "ratio <= 1/2").verdict == "inconclusive"
    assert judged([broken], "value <= 10ms").verdict == "inconclusive"


def test_an_arm_that_fails_conformance_fails_its_claims() -> None:
    checked = conformance(broken={"layers": "check_revert_restores"})
    claim = judged([timed_comparison(A, layers=0.1)], "ratio <= 1/2", checked=checked)
    assert claim.verdict == "fails"
    assert claim.reason == "conformance failed: check_revert_restores"


def test_a_reference_that_fails_conformance_decides_nothing() -> None:
    checked = conformance(broken={"copies": "check_revert_restores"})
    claim = judged([timed_comparison(A, layers=0.1)], "ratio <= 1/2", checked=checked)
    assert claim.verdict == "inconclusive"
    assert claim.reason == "copies is no reference: conformance failed: check_revert_restores"


def test_conformance_of_other_sources_says_nothing_of_these() -> None:
    checked = conformance(broken={"layers": "check_revert_restores"}, digest="other")
    claim = judged([timed_comparison(A, layers=0.1)], "ratio <= 1/2", checked=checked)
    assert claim.verdict == "holds"


@pytest.mark.parametrize("over", ["cell", "geomean", "total"])
def test_a_failed_control_makes_a_claim_on_time_inconclusive(over: str) -> None:
    biased = comparison(A, baseline_of(A), timed(A, "layers", 0.1), control_ratio=1.05)
    claim = judged([biased], "ratio <= 1/2", f'over = "{over}"')
    assert claim.verdict == "inconclusive"
    assert claim.reason == "the A/A control failed in 1 of 1 cells (a/Fork)"


def test_a_failed_control_says_nothing_of_memory() -> None:
    biased = memory(
        comparison(A, baseline_of(A), timed(A, "layers", 0.1), control_ratio=1.05), 100.0
    )
    assert judged([biased], "ratio <= 1/2", 'metric = "allocated_bytes"').verdict == "holds"


def test_a_claim_may_compare_two_candidates() -> None:
    cells = [timed_comparison(A, layers=0.1, undo_log=0.4)]
    names = ("copies", "layers", "undo_log")
    for over in ("cell", "geomean", "total"):
        claim = judged(
            cells, "ratio <= 0.3", f'vs = "undo_log"\nover = "{over}"', implementations=names
        )
        assert claim.verdict == "holds"
        assert claim.figure is not None
        assert claim.figure.estimate == pytest.approx(0.25, rel=0.03)


def test_a_claim_may_be_about_the_baseline() -> None:
    claim = judged([timed_comparison(A, layers=0.1)], "ratio >= 9", 'vs = "layers"', arm="copies")
    assert claim.verdict == "holds"
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(10.0, rel=0.02)


def test_two_candidates_are_compared_although_the_baseline_did_not_finish() -> None:
    cells = [
        comparison(
            B,
            censored_baseline(B),
            censored(B, "layers", 0.2, 20.0, is_baseline_bound=True),
            censored(B, "undo_log", 0.4, 20.0, is_baseline_bound=True),
            control_ratio=None,
        )
    ]
    claim = judged(
        cells,
        "ratio <= 0.6",
        'vs = "undo_log"',
        implementations=("copies", "layers", "undo_log"),
    )
    assert claim.verdict == "holds"


def test_a_value_is_held_against_its_interval_in_the_unit_of_the_metric() -> None:
    cells = [timed_comparison(A, layers=0.1)]  # about a millisecond
    assert judged(cells, "value <= 1.1ms").verdict == "holds"
    assert judged(cells, "value <= 900us").verdict == "fails"
    claim = judged(cells, "value <= 1ms")
    assert claim.verdict == "inconclusive"
    assert claim.is_absolute


def test_a_value_that_did_not_finish_is_at_least_its_limit() -> None:
    assert judged([bounded_candidate()], "value >= 19s").verdict == "holds"
    assert judged([bounded_candidate()], "value <= 19s").verdict == "fails"
    assert judged([bounded_candidate()], "value <= 21s").verdict == "inconclusive"


def test_a_value_may_be_summed_over_cells() -> None:
    cells = [timed_comparison(A, layers=0.1), timed_comparison(B, layers=0.3)]
    claim = judged(cells, "value <= 4.4ms", 'over = "total"')
    assert claim.verdict == "holds"
    assert claim.figure is not None
    assert claim.figure.estimate == pytest.approx(0.004, rel=0.03)


def test_a_tolerance_widens_the_bound_and_is_shown() -> None:
    cells = [timed_comparison(A, layers=0.022)]
    assert judged(cells, "ratio <= 1/50").verdict == "fails"
    claim = judged(cells, "ratio <= 1/50", 'tolerance = "15%"')
    assert claim.verdict == "holds"
    assert claim.bound == "≤ 0.0230× (1/50 and 15 %)"

"""From a run to the model: rows that stay, means over all cells, and every doubt said once."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from bakeoff.conformance.outcomes import CheckResult, Failed
from bakeoff.errors import DefinitionError
from bakeoff.measurement.comparison import CellComparison
from bakeoff.measurement.contrast import failed
from bakeoff.report.model import Report
from bakeoff.results.records import EventRecord
from bakeoff.statistics import LogRatios
from tests.unit.report.made_up import (
    FINISHED,
    baseline_of,
    cell,
    censored,
    censored_baseline,
    comparison,
    conformance,
    exact,
    exact_baseline,
    full_report,
    report_of,
    timed,
    timed_comparison,
    with_capability,
)

A, B = cell("a/Fork"), cell("b/Fork")
THREE = ("copies", "layers", "undo_log")


def warned(report: Report, start: str) -> bool:
    return any(warning.startswith(start) for warning in report.trust.warnings)


def test_a_broken_promise_makes_every_cell_of_the_implementation_failed() -> None:
    report = report_of(
        [timed_comparison(A, layers=0.1), timed_comparison(B, layers=0.2)],
        checked=conformance(broken={"layers": "check_revert_restores"}),
    )
    rows = report.cells_of("time", "layers")
    assert [row.verdict for row in rows] == ["failed", "failed"]
    assert {row.reason for row in rows} == {"conformance failed: check_revert_restores"}
    assert all(row.figure is None and row.value is None for row in rows)
    family = report.family("layers", "time")
    assert family is not None
    assert (family.verdict, family.figure, family.cells) == ("failed", None, 0)
    assert "not ranked" in report.headline.details[0]


def test_many_broken_promises_are_named_up_to_three() -> None:
    record = conformance()
    results = [
        CheckResult("layers", f"check_{number}", "A promise.", Failed("it is broken"))
        for number in range(5)
    ]
    checked = msgspec.structs.replace(record, results=tuple(results))
    report = report_of([timed_comparison(A, layers=0.1)], checked=checked)
    assert report.cells_of("time", "layers")[0].reason == (
        "conformance failed: check_0, check_1, check_2 and 2 more"
    )


def test_a_cell_that_could_not_be_measured_stays_with_its_reason() -> None:
    broken = comparison(
        A, baseline_of(A), failed(A, "layers", "time", "hang: killed after 60 s", "own failure")
    )
    row = report_of([broken]).cells_of("time", "layers")[0]
    assert (row.verdict, row.reason) == ("failed", "hang: killed after 60 s")


def test_a_failed_control_makes_the_verdicts_of_its_cell_inconclusive() -> None:
    biased = comparison(A, baseline_of(A), timed(A, "layers", 0.1), control_ratio=1.05)
    report = report_of([biased, timed_comparison(B, layers=0.2)])
    verdicts = [row.verdict for row in report.cells_of("time", "layers")]
    assert verdicts == ["inconclusive", "faster"]
    family = report.family("layers", "time")
    assert family is not None
    assert family.verdict == "inconclusive"
    assert report.headline.tone == "unsure"
    assert warned(report, "The A/A control failed in a/Fork")
    assert [control.is_passed for control in report.trust.controls] == [False, True]


def test_the_mean_is_over_all_cells_that_have_a_figure_and_says_how_many() -> None:
    cells = [
        timed_comparison(A, layers=0.1),
        comparison(
            B, baseline_of(B), failed(B, "layers", "time", "not measured: later", "not measured")
        ),
    ]
    family = report_of(cells).family("layers", "time")
    assert family is not None
    assert (family.cells, family.planned_cells) == (1, 2)
    assert family.reason == "no figure in 1 of 2 cells"


def test_whoever_fails_in_one_cell_has_no_mean_over_the_others_and_is_not_advised() -> None:
    wrong = failed(B, "layers", "time", "wrong answer: it lies", "own failure")
    report = report_of([timed_comparison(A, layers=0.1), comparison(B, baseline_of(B), wrong)])
    family = report.family("layers", "time")
    assert family is not None
    assert (family.verdict, family.figure) == ("failed", None)
    assert family.reason == "wrong answer: it lies (in b/Fork)"
    assert report.headline.tone != "use"
    assert "wrong answer" in " ".join(report.headline.details)


def test_a_rival_with_more_rounds_is_compared_by_the_common_ones() -> None:
    short = timed_comparison(A, layers=0.1)
    first = next(c for c in short.contrasts if c.implementation == "layers" and c.metric == "time")
    assert first.log_ratios is not None
    longer = replace(
        first,
        implementation="undo_log",
        values=first.values * 2,
        baseline_values=first.baseline_values * 2,
        round_numbers=tuple(range(2 * first.rounds)),
        log_ratios=LogRatios.of(first.log_ratios.per_round * 2),
        rounds=2 * first.rounds,
    )
    both = replace(short, contrasts=(*short.contrasts, longer))
    report = report_of([both], implementations=THREE)
    assert "cannot be told" in " ".join((report.headline.advice, *report.headline.details))


def test_a_bound_is_never_dropped_from_the_mean() -> None:
    bounded = comparison(
        B,
        censored_baseline(B),
        censored(B, "layers", 0.2, 20.0, is_baseline_bound=True),
        control_ratio=None,
        rounds=3,
    )
    family = report_of([timed_comparison(A, layers=0.04), bounded]).family("layers", "time")
    assert family is not None
    assert family.figure is not None
    assert family.figure.estimate == pytest.approx(0.02, rel=0.02)
    assert family.figure.is_bound
    assert family.figure.low is None
    assert family.verdict == "faster"


def test_the_interval_of_a_mean_is_wider_the_more_candidates_there_are() -> None:
    def width(*names: str) -> float:
        ratios = dict.fromkeys(names, 0.1)
        report = report_of([timed_comparison(A, **ratios)], implementations=("copies", *names))
        family = report.family("layers", "time")
        assert family is not None
        assert family.figure is not None
        assert family.figure.low is not None
        assert family.figure.high is not None
        return family.figure.high / family.figure.low

    assert width("layers", "undo_log", "trie") > width("layers")


def test_time_and_bytes_have_a_sum_over_cells_and_peaks_have_none() -> None:
    report = full_report()
    time, peak = report.family("layers", "time"), report.family("layers", "peak_bytes")
    assert time is not None
    assert peak is not None
    rows = report.cells_of("time", "layers")
    assert time.value_total == pytest.approx(sum(row.value or 0.0 for row in rows))
    assert peak.value_total is None


def test_candidates_are_ranked_best_first_and_failures_come_last() -> None:
    report = full_report()
    assert report.candidates == ("layers", "undo_log", "trie")
    swapped = report_of([timed_comparison(A, layers=0.4, undo_log=0.1)], implementations=THREE)
    assert swapped.candidates == ("undo_log", "layers")


def test_a_label_names_only_what_tells_cells_apart() -> None:
    report = report_of([timed_comparison(A, layers=0.1)])
    assert report.cells[0].label == "a/Fork"
    other = cell("a/Fork", workload="list")
    report = report_of([timed_comparison(A, layers=0.1), timed_comparison(other, layers=0.1)])
    assert [row.label for row in report.cells_of("time", "layers")] == [
        "fork_revert · a/Fork",
        "list · a/Fork",
    ]


def test_a_run_against_another_baseline_is_refused() -> None:
    with pytest.raises(DefinitionError, match="was measured against 'layers'"):
        report_of([timed_comparison(A, layers=0.1)], baseline="layers")


def test_a_run_of_another_study_is_refused() -> None:
    with pytest.raises(DefinitionError, match="measured 'drawer'"):
        report_of([timed_comparison(A, layers=0.1)], study="drawer")


# --- The headline -------------------------------------------------------------------------------


def headline(*comparisons: CellComparison, **more: object) -> str:
    return report_of(comparisons, **more).headline.advice  # type: ignore[arg-type]


def test_the_headline_advises_what_is_proven_faster_in_plain_words() -> None:
    report = report_of([timed_comparison(A, layers=0.01), timed_comparison(B, layers=0.04)])
    assert report.headline.tone == "use"
    assert report.headline.advice.startswith("Use layers: 0.0200× the time of copies (50.0× faster")
    assert "99 % interval" in report.headline.advice
    assert "by geometric mean over 2 configurations of fork_revert" in report.headline.advice
    assert report.headline.details == ("It gains least in b/Fork: 25.0× faster.",)


def test_the_headline_says_where_the_advice_loses() -> None:
    report = report_of([timed_comparison(A, layers=0.01), timed_comparison(B, layers=1.5)])
    assert report.headline.tone == "use"
    assert report.headline.details == ("It loses most in b/Fork: 1.50× slower.",)


def test_the_headline_says_when_less_time_costs_more_memory() -> None:
    one = timed_comparison(A, layers=0.01)
    contrasts = (
        exact_baseline(A, 1000.0, "allocated_bytes"),
        exact(A, "layers", 3000.0, 1000.0, "allocated_bytes"),
    )
    text = headline(replace(one, contrasts=(*one.contrasts, *contrasts)))
    assert text.endswith("in the one cell measured, but 3.00× the allocated bytes.")


def test_the_headline_keeps_the_baseline_when_everything_else_is_slower_or_the_same() -> None:
    assert headline(timed_comparison(A, layers=1.4)).startswith(
        "Keep copies: layers takes 1.40× the time"
    )
    assert headline(timed_comparison(A, layers=1.001)).startswith(
        "Keep copies: layers takes the same time within 3 %"
    )


def test_the_headline_does_not_advise_what_it_cannot_tell() -> None:
    noisy = comparison(A, baseline_of(A), timed(A, "layers", 0.97, noise=0.1))
    report = report_of([noisy])
    assert report.headline.tone == "unsure"
    assert report.headline.advice.startswith("Not enough to tell layers from copies")
    assert "more rounds" in report.headline.advice


def test_the_headline_names_those_that_the_first_cannot_be_told_from() -> None:
    tied = report_of([timed_comparison(A, layers=0.1, undo_log=0.1005)], implementations=THREE)
    assert "undo_log cannot be told from it" in tied.headline.details[0]
    apart = report_of([timed_comparison(A, layers=0.1, undo_log=0.2)], implementations=THREE)
    assert "cannot be told" not in " ".join(apart.headline.details)


def test_the_headline_gives_no_advice_if_the_baseline_answers_wrongly() -> None:
    checked = conformance(broken={"copies": "check_revert_restores"})
    report = report_of([timed_comparison(A, layers=0.1)], checked=checked)
    assert report.headline.tone == "unsure"
    assert report.headline.advice.startswith("No advice")


def test_the_headline_says_that_answers_were_not_checked() -> None:
    report = report_of([timed_comparison(A, layers=0.1)], is_unchecked=True)
    assert "Whether they give the same answers was not checked." in report.headline.details
    assert report.trust.unchecked == ("copies", "layers")


# --- Trust --------------------------------------------------------------------------------------


def test_a_clean_run_has_no_warning() -> None:
    report = report_of([timed_comparison(A, layers=0.1)])
    assert report.trust.warnings == ()
    assert (report.trust.passed, report.trust.failed, report.trust.skipped) == (4, 0, 2)


def test_the_noise_floor_is_the_reach_of_the_widest_control() -> None:
    trust = report_of([timed_comparison(A, layers=0.1), timed_comparison(B, layers=0.1)]).trust
    reaches = [
        max(control.figure.high or 9.0, 1 / (control.figure.low or 0.1)) - 1
        for control in trust.controls
    ]
    assert trust.noise_floor == pytest.approx(max(reaches))
    assert trust.control is not None
    assert trust.control.estimate == pytest.approx(1.0, abs=0.005)


def test_rounds_are_summed_over_cells() -> None:
    trust = full_report().trust
    assert (trust.rounds, trust.discarded_rounds, trust.contended_rounds) == (63, 1, 2)


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"dirty": True}, "The working tree had changes that are not in commit 0123456789"),
        ({"commit": None}, "The sources are under no commit"),
        ({"events": ()}, "The run is not finished"),
        ({"warnings": ("A torn line was dropped.",)}, "A torn line was dropped."),
        ({"is_unchecked": True}, "Conformance was not checked for copies, layers"),
        ({"checked": conformance(digest="other")}, "The latest conformance check was of other"),
    ],
)
def test_the_reader_is_warned(changes: dict[str, object], start: str) -> None:
    report = report_of([timed_comparison(A, layers=0.1)], **changes)  # type: ignore[arg-type]
    assert warned(report, start)


def test_the_reader_is_warned_of_a_resumed_run() -> None:
    report = full_report()
    assert warned(report, "The run was stopped and resumed once")
    assert warned(report, "No pinning here.")
    assert not warned(report, "The run is not finished")


def test_the_reader_is_warned_of_cells_without_a_control() -> None:
    some = report_of(
        [
            timed_comparison(A, layers=0.1),
            comparison(B, baseline_of(B), timed(B, "layers", 0.1), control_ratio=None),
        ]
    )
    assert warned(some, "1 of 2 cells went without an A/A control")
    none = report_of([comparison(B, baseline_of(B), timed(B, "layers", 0.1), control_ratio=None)])
    assert warned(none, "No cell has an A/A control")


def test_few_rounds_are_said_once_with_their_cells() -> None:
    cells = [
        comparison(w, baseline_of(w, rounds=3), timed(w, "layers", 0.1, rounds=3), rounds=3)
        for w in (A, B, cell("c/Fork"))
    ]
    warnings = report_of(cells).trust.warnings
    assert "Few rounds: 3, interval by paired t (a/Fork, b/Fork and 1 more)." in warnings


def test_the_duration_leaves_out_the_pauses_that_are_known() -> None:
    assert report_of([timed_comparison(A, layers=0.1)]).run.duration_s == 125.0
    assert full_report().run.duration_s == 95.0
    killed = (EventRecord(kind="resumed", at="2026-12-01T11:56:30+00:00"), FINISHED)
    assert report_of([timed_comparison(A, layers=0.1)], events=killed).run.duration_s == 125.0
    assert report_of([timed_comparison(A, layers=0.1)], events=()).run.duration_s is None


def test_a_rival_that_failed_is_not_called_tied_with_the_best() -> None:
    crashed = failed(A, "undo_log", "time", "crash: signal 9", "own failure")
    best = timed_comparison(A, layers=0.1)
    report = report_of([replace(best, contrasts=(*best.contrasts, crashed))], implementations=THREE)
    assert report.headline.tone == "use"
    assert "cannot be told" not in " ".join(report.headline.details)


def test_a_capability_that_is_missing_breaks_no_promise_and_is_shown() -> None:
    report = report_of(
        [timed_comparison(A, layers=0.5)],
        checked=with_capability(conformance(), {"copies": False, "layers": True}),
    )
    (row,) = report.capabilities
    assert row.has == {"copies": False, "layers": True}
    assert row.reasons == {"copies": "only the current one is there"}
    assert report.trust.failed == 0
    assert report.trust.passed == 4
    assert report.failure("copies") is None

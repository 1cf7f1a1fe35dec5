"""The record of conformance: what it keeps, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.conformance import (
    CheckResult,
    ConformanceRecord,
    Failed,
    Passed,
    Skipped,
    read_record,
    record_path,
    write_record,
)
from bakeoff.errors import BakeoffError
from bakeoff.study.project import Project


def record(*results: CheckResult, digest: str = "d1") -> ConformanceRecord:
    return ConformanceRecord(
        study="parity", at="2026-01-02T03:04:05+00:00", sources_digest=digest, results=results
    )


RIGHT = CheckResult("right", "check_two", "Two is even.", Passed())
WRONG = CheckResult("wrong", "check_two", "Two is even.", Failed("saw <False>", "Traceback …"))
SKIPPED = CheckResult("right", "check_minus", "Minus two.", Skipped("not promised"))


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    project = Project(tmp_path)
    written = record(RIGHT, SKIPPED, WRONG)
    path = write_record(project, written)
    assert path == tmp_path / ".bakeoff" / "conformance" / "parity.json"
    assert read_record(project, "parity") == written


def test_a_study_that_was_never_checked_has_no_record(tmp_path: Path) -> None:
    assert read_record(Project(tmp_path), "parity") is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b'{"schema": "bakeoff.conf', "is no conformance record"),
        (b'{"results": []}', "is no conformance record"),
        (
            b'{"schema":"bakeoff.conformance/9","study":"p","at":"","sources_digest":"","results":[]}',
            "has schema 'bakeoff.conformance/9'",
        ),
    ],
)
def test_a_damaged_record_is_refused_with_the_command_that_makes_it_anew(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    project = Project(tmp_path)
    path = record_path(project, "parity")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(BakeoffError, match=complaint) as caught:
        read_record(project, "parity")
    assert caught.value.next_step == "Check again: bakeoff check parity"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / ".bakeoff").write_text("a file where a folder should be")
    with pytest.raises(BakeoffError, match=r"conformance.parity\.json: cannot be written"):
        write_record(Project(tmp_path), record(RIGHT))


def test_failures_are_the_broken_promises_alone() -> None:
    assert [result.implementation for result, _ in record(RIGHT, SKIPPED, WRONG).failures()] == [
        "wrong"
    ]
    assert record(WRONG).has_failures
    assert not record(RIGHT, SKIPPED).has_failures


def test_a_part_that_was_checked_again_keeps_the_others_of_the_same_sources() -> None:
    before = record(WRONG, CheckResult("right", "check_two", "Two is even.", Failed("saw None")))
    assert record(RIGHT).completed_by(before).results == (RIGHT, WRONG)


def test_results_of_other_sources_are_not_kept() -> None:
    assert record(RIGHT, digest="d2").completed_by(record(WRONG)).results == (RIGHT,)
    assert record(RIGHT).completed_by(None).results == (RIGHT,)


def test_what_an_implementation_cannot_do_is_no_broken_promise() -> None:
    unable = CheckResult("right", "capability_zero", "Knows zero.", Failed("saw None"))
    able = CheckResult("wrong", "capability_zero", "Knows zero.", Passed())
    found = record(RIGHT, unable, able)
    assert unable.is_capability
    assert not RIGHT.is_capability
    assert not found.has_failures
    assert [result for result, _ in record(WRONG, unable).failures()] == [WRONG]

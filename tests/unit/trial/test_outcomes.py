"""Outcomes are written at once and survive a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError
from tests.unit.trial.made_up import outcome, outcomes
from tools.trial.outcomes import append, read


def test_what_was_appended_is_read_in_its_order(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    first, second = outcomes("slower", "same")
    append(file, [first])
    append(file, [second])
    assert read(file) == [first, second]


def test_a_trial_that_has_not_begun_has_no_outcomes(tmp_path: Path) -> None:
    assert read(tmp_path / "outcomes.jsonl") == []


def test_a_line_torn_by_a_kill_spoils_neither_its_forerunners_nor_its_followers(
    tmp_path: Path,
) -> None:
    file = tmp_path / "outcomes.jsonl"
    first, second = outcomes("slower", "same")
    append(file, [first, second])
    file.write_bytes(file.read_bytes()[:-20])
    assert read(file) == [first]
    append(file, [second])
    assert read(file) == [first, second]


def test_a_line_that_is_no_outcome_is_refused_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    append(file, [outcome()])
    file.write_bytes(file.read_bytes() + b'{"tool": "another"}\n')
    with pytest.raises(BakeoffError, match="line 2"):
        read(file)

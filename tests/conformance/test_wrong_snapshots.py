"""Each check is worth as much as the mistakes it notices: wrong snapshots, and who catches them."""

from __future__ import annotations

import inspect

import pytest

from impls.snapshot import conformance
from impls.snapshot.interface import SnapshotFactory
from tests.conformance.wrong_snapshots import wrong_layers, wrong_ownership, wrong_rules
from tests.conformance.wrong_snapshots.wrong import WrongSnapshot, factory

WRONG = [*wrong_layers.WRONG, *wrong_ownership.WRONG, *wrong_rules.WRONG]
CHECKS = {
    name: check
    for name, check in inspect.getmembers(conformance, inspect.isfunction)
    if name.startswith("check_")
}


def failed_checks(create: SnapshotFactory) -> list[str]:
    failed = []
    for name, check in CHECKS.items():
        try:
            check(create)
        except Exception:  # a wrong snapshot may as well break down
            failed.append(name)
    return failed


def test_the_parts_that_wrong_snapshots_are_made_of_are_right() -> None:
    assert failed_checks(factory()) == []


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_wrong_snapshot_is_caught_by_the_check_of_its_promise(wrong: WrongSnapshot) -> None:
    failed = failed_checks(wrong.create)
    assert wrong.caught_by in failed
    assert len(failed) < len(CHECKS) / 4, "a mistake that breaks everything says little of a check"


def test_no_mistake_is_listed_twice() -> None:
    assert len({wrong.mistake for wrong in WRONG}) == len(WRONG) >= 10

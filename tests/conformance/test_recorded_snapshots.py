"""Every implementation replays what the original deep-copy snapshot was recorded to do.

The promises here are stricter than the original in three habits (see `snapshot_model`), so there
are two steps. A naive model that has the habits gives every recorded answer: so the model is right.
The same model without them says what implementations must answer.
"""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any

import pytest

from tests.conformance.implementations import implementations
from tests.conformance.snapshot_model import SnapshotModel
from tests.conformance.snapshot_replay import SnapshotReplay
from tests.conformance.vector_files import parametrize_cases

SNAPSHOTS = implementations("snapshot")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrize_cases(metafunc, "snapshot_ops_*.json")


def test_the_model_with_the_originals_habits_gives_the_recorded_answers(case: Any) -> None:
    model = SnapshotModel(case, has_original_habits=True)
    for index, (operation, recorded) in enumerate(zip(case["ops"], case["results"], strict=True)):
        assert model.apply(operation) == recorded, f"operation {index}: {operation}"


def test_the_promise_departs_from_the_record_only_by_a_habit(case: Any) -> None:
    original = SnapshotModel(case, has_original_habits=True)
    promise = SnapshotModel(case, has_original_habits=False)
    for index, (operation, recorded) in enumerate(zip(case["ops"], case["results"], strict=True)):
        original.apply(operation)
        promised = promise.apply(operation)
        if operation == ["objects"]:
            continue
        assert promised == recorded or original.departures, f"operation {index}: {operation}"


@pytest.mark.parametrize("snapshot", SNAPSHOTS.values(), ids=SNAPSHOTS)
def test_an_implementation_answers_as_promised(snapshot: ModuleType, case: Any) -> None:
    model = SnapshotModel(case, has_original_habits=False)
    replay = SnapshotReplay(snapshot.create, case)
    handed_in = copy.deepcopy(replay.objects)
    for index, operation in enumerate(case["ops"]):
        assert replay.apply(operation) == model.apply(operation), f"operation {index}: {operation}"
    assert replay.objects == handed_in, "an object that was handed in has been changed"

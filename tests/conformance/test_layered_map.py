"""What every layered map does, whatever it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from impls.snapshot.interface import Patch, RecordingMap
from tests.conformance.implementations import implementations

FACTORIES = {
    name: module.create_map
    for name, module in implementations("snapshot").items()
    if hasattr(module, "create_map")
}


class MapFactory:
    def __init__(self, name: str) -> None:
        self._create_map = FACTORIES[name]

    def __call__(self, *layers: Patch[Any, Any]) -> RecordingMap[Any, Any]:
        created: RecordingMap[Any, Any] = self._create_map(layers)
        return created


@pytest.fixture(params=FACTORIES)
def create_map(request: pytest.FixtureRequest) -> MapFactory:
    return MapFactory(request.param)


def entries_found(layered: RecordingMap[Any, Any], keys: Sequence[Any]) -> dict[Any, Any]:
    found = {key: layered.find(key) for key in keys}
    return {key: value for key, value in found.items() if value is not None}


def test_three_layers_of_values_deletions_and_values_are_one_map(create_map: MapFactory) -> None:
    # The example in the documentation of the original.
    layered = create_map(Patch({1: 1, 2: 2, 3: 3}), Patch({}, {1, 2}), Patch({1: 5}))
    assert layered.as_map() == {1: 5, 3: 3}
    assert sorted(layered.values()) == [3, 5]
    assert entries_found(layered, [1, 2, 3]) == {1: 5, 3: 3}


def test_the_same_three_layers_can_be_written_one_by_one(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1, 2: 2, 3: 3}))
    layered.fork()
    layered.delete(1)
    layered.delete(2)
    layered.fork()
    layered.set(1, 5)
    assert layered.as_map() == {1: 5, 3: 3}
    layered.revert()
    assert layered.as_map() == {3: 3}
    layered.revert()
    assert layered.as_map() == {1: 1, 2: 2, 3: 3}


def test_a_committed_deletion_hides_the_value_below(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1}), Patch({1: 2}), Patch({}, {1}))
    layered.commit()
    assert layered.find(1) is None
    layered.fork()
    assert layered.find(1) is None
    layered.revert()
    layered.commit()
    assert (layered.depth(), layered.find(1), layered.as_map()) == (1, None, {})


def test_a_committed_value_hides_the_deletion_below(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1}), Patch({}, {1}), Patch({1: 3}))
    layered.commit()
    assert layered.as_map() == {1: 3}
    layered.revert()
    assert layered.as_map() == {1: 1}


def test_a_key_set_after_its_deletion_is_there(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1}))
    layered.fork()
    layered.delete(1)
    layered.set(1, 2)
    assert layered.in_current_patch(1)
    layered.commit()
    assert layered.as_map() == {1: 2}


def test_a_key_that_never_was_can_be_deleted(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1}))
    layered.delete(9)
    assert layered.find(9) is None
    assert layered.as_map() == {1: 1}


def test_a_key_is_in_the_current_patch_only_if_it_was_set_there(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1, 2: 2}))
    layered.fork()
    assert not layered.in_current_patch(1)
    # The same value again is a change too.
    layered.set(1, 1)
    assert layered.in_current_patch(1)
    layered.delete(1)
    assert not layered.in_current_patch(1)
    assert not layered.in_current_patch(9)


def test_a_commit_counts_what_either_layer_set(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1, 2: 2, 3: 3}))
    layered.fork()
    layered.set(1, 10)
    layered.set(2, 20)
    layered.fork()
    layered.set(3, 30)
    layered.delete(2)
    layered.commit()
    assert [layered.in_current_patch(key) for key in (1, 2, 3)] == [True, False, True]


def test_below_two_layers_nothing_can_be_dropped(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1}))
    layered.set(2, 2)
    for change in (layered.revert, layered.commit):
        change()
        assert (layered.depth(), layered.as_map()) == (1, {1: 1, 2: 2})


def test_without_layers_the_first_write_makes_one(create_map: MapFactory) -> None:
    for write in ("set", "delete"):
        layered = create_map()
        assert (layered.depth(), layered.as_map(), layered.find(1)) == (0, {}, None)
        assert not layered.in_current_patch(1)
        layered.set(1, 1) if write == "set" else layered.delete(1)
        assert layered.depth() == 1


def test_without_layers_the_first_fork_cannot_be_reverted(create_map: MapFactory) -> None:
    layered = create_map()
    layered.commit()
    layered.revert()
    layered.fork()
    assert layered.depth() == 1
    layered.set(1, 1)
    layered.revert()
    assert layered.as_map() == {1: 1}


def test_maps_handed_out_are_the_callers_own(create_map: MapFactory) -> None:
    layered = create_map(Patch({1: 1}))
    for _ in range(2):
        layered.as_map()[2] = 2
        layered.values().append(2)
        assert layered.as_map() == {1: 1}
        assert layered.values() == [1]


def test_maps_handed_in_are_not_written_to(create_map: MapFactory) -> None:
    given: dict[int, int] = {1: 1}
    deleted: set[int] = {2}
    layered = create_map(Patch(given), Patch({}, deleted))
    layered.set(3, 3)
    layered.delete(1)
    layered.commit()
    layered.set(4, 4)
    assert (given, deleted) == ({1: 1}, {2})


def test_many_layers_are_searched_from_the_top(create_map: MapFactory) -> None:
    layered = create_map(Patch({"bottom": 1}))
    for depth in range(60):
        layered.fork()
        layered.set(depth, depth + 1)
        layered.set("latest", depth + 1)
    assert layered.find("bottom") == 1
    assert layered.find(0) == 1
    assert layered.find("latest") == 60
    for _ in range(30):
        layered.revert()
    assert layered.find("latest") == 30
    assert layered.find(45) is None

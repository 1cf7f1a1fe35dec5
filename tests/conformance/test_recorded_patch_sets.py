"""Every layered map replays what the original patch set was recorded to do."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from impls.snapshot.interface import Patch, RecordingMap
from tests.conformance.implementations import implementations
from tests.conformance.vector_files import parametrize_cases

MAPS = {
    name: module
    for name, module in implementations("snapshot").items()
    if hasattr(module, "create_map")
}


class Named:
    """A value with an identity of its own, known by a number."""

    def __init__(self, number: int) -> None:
        self.number = number


class Values:
    """Makes the values of a case: plain numbers, objects kept by number, or new lists each time."""

    def __init__(self, value_type: str) -> None:
        self._value_type = value_type
        self._objects: dict[int, Named] = {}

    def value(self, number: int) -> Any:
        if self._value_type == "int":
            return number
        if self._value_type == "list":
            return [number]
        return self._objects.setdefault(number, Named(number))

    def number(self, value: Any) -> int:
        """The number of a value, which must be of the right type and, an object, the right one."""
        if self._value_type == "object":
            assert value is self._objects[value.number]
            number: int = value.number
            return number
        if self._value_type == "list":
            (number,) = value
            return number
        assert isinstance(value, int)
        return value


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrize_cases(metafunc, "patchset_ops_*.json")


@pytest.mark.parametrize("implementation", MAPS.values(), ids=MAPS)
def test_a_layered_map_answers_as_recorded(implementation: ModuleType, case: Any) -> None:
    values = Values(case["value_type"])
    layers = [
        Patch({key: values.value(n) for key, n in layer["set"].items()}, set(layer["del"]))
        for layer in case["base"] or []
    ]
    given = [(dict(layer.modified), set(layer.deleted)) for layer in layers]
    layered: RecordingMap[str, Any] = implementation.create_map(layers)
    for index, (operation, recorded) in enumerate(zip(case["ops"], case["results"], strict=True)):
        answer = apply(layered, values, operation)
        assert answer == recorded, f"operation {index}: {operation}"
    assert [(layer.modified, layer.deleted) for layer in layers] == given


def apply(layered: RecordingMap[str, Any], values: Values, operation: list[Any]) -> Any:
    """Do one operation and give its answer as it is recorded."""
    match operation:
        case ["set", key, number]:
            layered.set(key, values.value(number))
        case ["del", key]:
            layered.delete(key)
        case ["find", key]:
            value = layered.find(key)
            return [False] if value is None else [True, values.number(value)]
        case ["map"]:
            entries = layered.as_map()
            numbers = {key: values.number(value) for key, value in entries.items()}
            listed = layered.values()
            assert sorted(map(values.number, listed)) == sorted(numbers.values())
            # Both are the caller's own: what it does to them must not show in later answers.
            entries.clear()
            listed.clear()
            return numbers
        case ["in", key]:
            return layered.in_current_patch(key)
        case ["fork" | "commit" | "revert" as change]:
            getattr(layered, change)()
            return layered.depth()
        case _:
            raise AssertionError(f"unknown operation: {operation}")
    return None

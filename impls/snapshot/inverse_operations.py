"""Inverse operations: one map, and every change registers the call that takes it back.

How it works
    One flat dict that is always the current state. In a fork every operation puts its own inverse on the layer's
    list; a revert calls them, last one first. Claims are shared between layers and cloned before they first change
    in one.

What it costs
    Fork O(1); commit and revert O(operations in the layer), however often they changed the same key; finding one
    dict access; setting and deleting one, and an object for the inverse; listing O(entries).

Where it comes from
    The first idea for kubernetes/autoscaler issue 7681, dropped in the review of PR 8090 for patches: an inverse that is
    forgotten or wrong corrupts the layer below. Here only the two operations of the map have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Generic

from impls.snapshot._ownership import ClonedOnWrite
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, K, LayeredMap, Patch, Snapshot, V
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


class _InvertibleMap(Generic[K, V]):
    """One dict, and for each layer above the bottom the inverses of its operations.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_entries", "_inverses", "find")

    # The dict's own `get`, for good: there is one dict for all layers.
    find: Callable[[K], V | None]

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        self._entries: dict[K, V] = {}
        self.find = self._entries.get
        # One list for each layer, unused at the bottom: what happens there stays.
        self._inverses: list[list[partial[Any]]] = []
        for layer in layers:
            self.fork()
            for key, value in layer.modified.items():
                self.set(key, value)
            for key in layer.deleted:
                self.delete(key)

    def set(self, key: K, value: V) -> None:
        self._register_inverse(key)
        self._entries[key] = value

    def delete(self, key: K) -> None:
        self._register_inverse(key)
        self._entries.pop(key, None)

    def values(self) -> list[V]:
        return list(self._entries.values())

    def as_map(self) -> dict[K, V]:
        return self._entries.copy()

    def in_current_patch(self, key: K) -> bool:
        if key not in self._entries:
            return False
        if len(self._inverses) == 1:
            return True
        return any(inverse.args[0] == key for inverse in self._inverses[-1])

    def fork(self) -> None:
        self._inverses.append([])

    def commit(self) -> None:
        if len(self._inverses) < 2:
            return
        top = self._inverses.pop()
        if len(self._inverses) > 1:
            self._inverses[-1] += top

    def revert(self) -> None:
        if len(self._inverses) < 2:
            return
        for take_back in reversed(self._inverses.pop()):
            take_back()

    def depth(self) -> int:
        return len(self._inverses)

    def _register_inverse(self, key: K) -> None:
        if not self._inverses:
            self.fork()
        if len(self._inverses) == 1:
            return
        value = self._entries.get(key)
        if value is None:
            self._inverses[-1].append(partial(self._entries.pop, key, None))
        else:
            self._inverses[-1].append(partial(self._entries.__setitem__, key, value))


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot whose changes register what takes them back."""
    return LayeredSnapshot(
        _InvertibleMap([Patch(claims or {})]),
        _InvertibleMap([node_patch(node_slices)]),
        ClonedOnWrite(),
        non_local_slices,
        device_classes,
    )


def create_map(layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]:
    """Make a layered map of one dict and inverse operations."""
    return _InvertibleMap(layers)

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

from collections.abc import Sequence
from functools import partial
from typing import Any

from impls.snapshot._flat_map import FlatMap
from impls.snapshot._snapshot import cloned_on_write
from impls.snapshot.interface import K, Patch, RecordingMap, V


class _InvertibleMap(FlatMap[K, V]):
    """One dict, and for each layer above the bottom the inverses of its operations.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_inverses",)

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        # One list for each layer, unused at the bottom: what happens there stays.
        self._inverses: list[list[partial[Any]]] = []
        super().__init__(layers)

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

    def _note(self, key: K) -> None:
        if not self._inverses:
            self.fork()
        if len(self._inverses) == 1:
            return
        value = self._entries.get(key)
        if value is None:
            self._inverses[-1].append(partial(self._entries.pop, key, None))
        else:
            self._inverses[-1].append(partial(self._entries.__setitem__, key, value))


def create_map(layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
    """Make a layered map of one dict and inverse operations."""
    return _InvertibleMap(layers)


create = cloned_on_write(_InvertibleMap)

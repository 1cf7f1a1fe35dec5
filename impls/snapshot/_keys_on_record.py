"""Which keys each layer set, for maps that do not know it by themselves; no snapshot asks for that."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Generic

from impls.snapshot.interface import K, LayeredMap, Patch, V


class KeysOnRecord(Generic[K, V]):
    """A layered map with a record of what each of its layers set.

    Parameters
    ----------
    layered : LayeredMap
        Made of `layers`, and nobody else's.
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_layered", "_set")

    def __init__(self, layered: LayeredMap[K, V], layers: Sequence[Patch[K, V]] = ()) -> None:
        self._layered = layered
        self._set: list[builtins.set[K]] = [set(layer.modified) for layer in layers]

    def set(self, key: K, value: V) -> None:
        self._layered.set(key, value)
        self._open_layers()
        self._set[-1].add(key)

    def delete(self, key: K) -> None:
        self._layered.delete(key)
        self._open_layers()

    def find(self, key: K, /) -> V | None:
        return self._layered.find(key)

    def values(self) -> list[V]:
        return self._layered.values()

    def as_map(self) -> dict[K, V]:
        return self._layered.as_map()

    def in_current_patch(self, key: K) -> bool:
        # A key that was deleted after it was set, here or in a committed fork, is still on record.
        return bool(self._set) and key in self._set[-1] and self.find(key) is not None

    def fork(self) -> None:
        self._layered.fork()
        self._open_layers()

    def commit(self) -> None:
        if len(self._set) > 1:
            top = self._set.pop()
            self._set[-1] |= top
        self._layered.commit()

    def revert(self) -> None:
        if len(self._set) > 1:
            self._set.pop()
        self._layered.revert()

    def depth(self) -> int:
        return self._layered.depth()

    def _open_layers(self) -> None:
        """Follow the map, whose first write or fork may have made its first layer."""
        while len(self._set) < self._layered.depth():
            self._set.append(set())

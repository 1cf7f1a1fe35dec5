"""One dict that is always the current state: what maps that take changes back have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from impls.snapshot.interface import K, Patch, V


class FlatMap(Generic[K, V]):
    """One dict for all layers; how a change is taken back is left open.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_entries", "find")

    # The dict's own `get`, for good: there is one dict for all layers.
    find: Callable[[K], V | None]

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        self._entries: dict[K, V] = {}
        self.find = self._entries.get
        for layer in layers:
            self.fork()
            for key, value in layer.modified.items():
                self.set(key, value)
            for key in layer.deleted:
                self.delete(key)

    def set(self, key: K, value: V) -> None:
        self._note(key)
        self._entries[key] = value

    def delete(self, key: K) -> None:
        self._note(key)
        self._entries.pop(key, None)

    def values(self) -> list[V]:
        return list(self._entries.values())

    def as_map(self) -> dict[K, V]:
        return self._entries.copy()

    def fork(self) -> None:
        """Begin a layer."""
        raise NotImplementedError

    def _note(self, key: K) -> None:
        """Keep what it takes to undo a change of `key`, which is about to happen."""
        raise NotImplementedError

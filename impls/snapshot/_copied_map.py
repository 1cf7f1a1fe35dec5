"""A stack of complete maps: what snapshots that copy on a fork have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

from impls.snapshot.interface import K, Patch, V


class CopiedMap(Generic[K, V]):
    """A stack of complete maps.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    copy_entries : callable
        What a fork does to the top map; by default the copy shares the values.
    """

    __slots__ = ("_copy_entries", "_maps", "_top", "find")

    # The top dict's own `get`: the most frequent call of all needs no frame of ours.
    find: Callable[[K], V | None]

    def __init__(
        self,
        layers: Sequence[Patch[K, V]] = (),
        copy_entries: Callable[[dict[K, V]], dict[K, V]] = dict,
    ) -> None:
        self._copy_entries = copy_entries
        self._maps: list[dict[K, V]] = []
        self._set_top({})
        for layer in layers:
            entries = {**self._top, **layer.modified}
            for key in layer.deleted:
                entries.pop(key, None)
            self._push(entries)

    def set(self, key: K, value: V) -> None:
        if not self._maps:
            self.fork()
        self._top[key] = value

    def delete(self, key: K) -> None:
        if not self._maps:
            self.fork()
        self._top.pop(key, None)

    def values(self) -> list[V]:
        return list(self._top.values())

    def as_map(self) -> dict[K, V]:
        return self._top.copy()

    def fork(self) -> None:
        self._push(self._copy_entries(self._top))

    def commit(self) -> None:
        if len(self._maps) < 2:
            return
        del self._maps[-2]

    def revert(self) -> None:
        if len(self._maps) < 2:
            return
        self._maps.pop()
        self._set_top(self._maps[-1])

    def depth(self) -> int:
        return len(self._maps)

    def _push(self, entries: dict[K, V]) -> None:
        self._maps.append(entries)
        self._set_top(entries)

    def _set_top(self, entries: dict[K, V]) -> None:
        self._top = entries
        self.find = entries.get

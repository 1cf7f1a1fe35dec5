"""Persistent map: a hash array mapped trie whose versions share what did not change.

How it works
    A stack of immutable maps; a change copies the path from the root to the entry and shares the rest. The top layer is
    transient: paths it has copied itself it changes in place, until a fork freezes it. Claims are shared between
    layers too, and cloned before they first change in one.

What it costs
    Fork O(1), whatever the size; commit and revert drop a version, at the price of freeing what it alone held; finding,
    setting and deleting O(log32 entries), each several times as dear as a dict's, and the first change after a fork or a
    listing copies its path anew; listing O(entries), a walk over the tree.

Where it comes from
    Proposed for the autoscaler in 2026 (PR 9865, kubernetes/autoscaler commit 9d2a860712), not merged. The trie is
    Bagwell's ("Ideal hash trees", 2001) in the form of the library ``immutables``. Which keys a layer set, which no
    snapshot asks for, ``create_map`` keeps beside it; the original compares with the layer below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

import immutables

from impls.snapshot._keys_on_record import KeysOnRecord
from impls.snapshot._snapshot import cloned_on_write
from impls.snapshot.interface import K, Patch, RecordingMap, V


class _PersistentMap(Generic[K, V]):
    """A stack of versions; the top one is transient once it has changed.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_below", "_depth", "_frozen", "_transient", "find")

    # The top version's own `get`: the most frequent call of all needs no frame of ours.
    find: Callable[[K], V | None]

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        # The versions below the top, bottom first.
        self._below: list[immutables.Map[K, V]] = []
        # The top version, in one of its two forms.
        self._frozen: immutables.Map[K, V] = immutables.Map()
        self._transient: immutables.MapMutation[K, V] | None = None
        self.find = self._frozen.get
        self._depth = 0
        for layer in layers:
            self.fork()
            for key, value in layer.modified.items():
                self.set(key, value)
            for key in layer.deleted:
                self.delete(key)

    def set(self, key: K, value: V) -> None:
        self._writable()[key] = value

    def delete(self, key: K) -> None:
        self._writable().pop(key, None)

    def values(self) -> list[V]:
        return list(self._freeze().values())

    def as_map(self) -> dict[K, V]:
        return dict(self._freeze().items())

    def fork(self) -> None:
        if self._depth:
            self._below.append(self._freeze())
        self._depth += 1

    def commit(self) -> None:
        if not self._below:
            return
        self._below.pop()
        self._depth -= 1

    def revert(self) -> None:
        if not self._below:
            return
        self._transient = None
        self._frozen = self._below.pop()
        self.find = self._frozen.get
        self._depth -= 1

    def depth(self) -> int:
        return self._depth

    def _writable(self) -> immutables.MapMutation[K, V]:
        if not self._depth:
            self.fork()
        if self._transient is None:
            self._transient = self._frozen.mutate()
            # Let go of what it was, or a version that nobody can reach any more is kept alive.
            self._frozen = immutables.Map()
            self.find = self._transient.get
        return self._transient

    def _freeze(self) -> immutables.Map[K, V]:
        if self._transient is not None:
            self._frozen = self._transient.finish()
            self._transient = None
            self.find = self._frozen.get
        return self._frozen


def create_map(layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
    """Make a layered map of versions of a persistent map."""
    return KeysOnRecord(_PersistentMap(layers), layers)


create = cloned_on_write(_PersistentMap)

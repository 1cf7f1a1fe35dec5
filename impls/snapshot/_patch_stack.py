"""A stack of patches: what patch sets have in common, with a cache or without."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from typing import Generic

from impls.snapshot.interface import K, Patch, V


class GrowingPatch(Generic[K, V]):
    """The changes of one layer, still growing."""

    __slots__ = ("deleted", "modified")

    def __init__(self, modified: Mapping[K, V], deleted: Iterable[K]) -> None:
        self.modified = dict(modified)
        self.deleted: builtins.set[K] = set(deleted)


def find_in_patches(patches: list[GrowingPatch[K, V]], key: K) -> V | None:
    """What the uppermost of the patches that knows the key says."""
    for patch in reversed(patches):
        if key in patch.deleted:
            return None
        if key in patch.modified:
            return patch.modified[key]
    return None


class PatchStack(Generic[K, V]):
    """The patches of all layers, and how they change; how to find a key in them is left open.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    # One list for good: a cache may look into it, too.
    __slots__ = ("_patches",)

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        self._patches = [GrowingPatch(layer.modified, layer.deleted) for layer in layers]

    def set(self, key: K, value: V) -> None:
        if not self._patches:
            self.fork()
        top = self._patches[-1]
        top.modified[key] = value
        top.deleted.discard(key)

    def delete(self, key: K) -> None:
        if not self._patches:
            self.fork()
        top = self._patches[-1]
        top.modified.pop(key, None)
        top.deleted.add(key)

    def in_current_patch(self, key: K) -> bool:
        return bool(self._patches) and key in self._patches[-1].modified

    def fork(self) -> None:
        self._patches.append(GrowingPatch({}, ()))

    def commit(self) -> None:
        if len(self._patches) < 2:
            return
        top = self._patches.pop()
        below = self._patches[-1]
        below.modified.update(top.modified)
        below.deleted -= top.modified.keys()
        for key in top.deleted:
            below.modified.pop(key, None)
        below.deleted |= top.deleted

    def revert(self) -> None:
        if len(self._patches) > 1:
            self._patches.pop()

    def depth(self) -> int:
        return len(self._patches)

    def merged(self) -> dict[K, V]:
        """All patches applied, bottom first: a new dict."""
        entries: dict[K, V] = {}
        for patch in self._patches:
            entries.update(patch.modified)
            for key in patch.deleted:
                entries.pop(key, None)
        return entries

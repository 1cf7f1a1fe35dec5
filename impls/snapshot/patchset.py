"""Patch sets: a fork pushes an empty patch, and a claim is cloned when it first changes in a layer.

How it works
    A stack of patches, each with the keys it set and the keys it deleted. What a look-up found, or
    did not find, is kept in one cache for all layers. A flag says whether the cache knows every
    key; then a listing is read off it. A revert evicts the keys of the reverted patch and
    clears the flag, so the next listing applies all patches again; fork and commit keep both.

What it costs
    Fork O(1); commit and revert O(changes in the top patch); finding O(1) once cached, else
    O(layers); setting and deleting O(1); listing O(entries), and after a revert
    O(entries of all patches). Changing a claim clones it once in each layer.

Where it comes from
    kubernetes/autoscaler commit eb486661803b (PR 8090). Unlike it, maps handed in are copied
    instead of adopted, and a claim is changed in place only if the snapshot cloned it itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic

from impls.snapshot._ownership import ClonedOnWrite
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, K, LayeredMap, Patch, Snapshot, V
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


class _Patch(Generic[K, V]):
    """The changes of one layer, still growing."""

    __slots__ = ("deleted", "modified")

    def __init__(self, modified: Mapping[K, V], deleted: Iterable[K]) -> None:
        self.modified = dict(modified)
        self.deleted = set(deleted)


class _Cache(dict[K, V | None]):
    """What look-ups in the patches found; None stands for a key known to be absent."""

    __slots__ = ("_patches",)

    def __init__(self, patches: Sequence[_Patch[K, V]]) -> None:
        self._patches = patches

    def __missing__(self, key: K) -> V | None:
        value = self[key] = self._find_in_patches(key)
        return value

    def _find_in_patches(self, key: K) -> V | None:
        for patch in reversed(self._patches):
            if key in patch.deleted:
                return None
            if key in patch.modified:
                return patch.modified[key]
        return None


class _PatchSet(Generic[K, V]):
    """A stack of patches with a lazy cache of what look-ups found.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_cache", "_is_cache_in_sync", "_patches", "find")

    # The cache's own look-up: the most frequent call of all needs no frame of ours.
    find: Callable[[K], V | None]

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        self._patches = [_Patch(layer.modified, layer.deleted) for layer in layers]
        self._cache = _Cache(self._patches)
        self.find = self._cache.__getitem__
        self._is_cache_in_sync = False

    def set(self, key: K, value: V) -> None:
        if not self._patches:
            self.fork()
        top = self._patches[-1]
        top.modified[key] = value
        top.deleted.discard(key)
        self._cache[key] = value

    def delete(self, key: K) -> None:
        if not self._patches:
            self.fork()
        top = self._patches[-1]
        top.modified.pop(key, None)
        top.deleted.add(key)
        self._cache[key] = None

    def values(self) -> list[V]:
        self._sync_cache()
        return [value for value in self._cache.values() if value is not None]

    def as_map(self) -> dict[K, V]:
        self._sync_cache()
        return {key: value for key, value in self._cache.items() if value is not None}

    def in_current_patch(self, key: K) -> bool:
        return bool(self._patches) and key in self._patches[-1].modified

    def fork(self) -> None:
        self._patches.append(_Patch({}, ()))

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
        if len(self._patches) < 2:
            return
        top = self._patches.pop()
        for key in top.modified:
            self._cache.pop(key, None)
        for key in top.deleted:
            self._cache.pop(key, None)
        self._is_cache_in_sync = False

    def depth(self) -> int:
        return len(self._patches)

    def _sync_cache(self) -> None:
        """Let the cache know every key that has a value; it may know absent ones too."""
        if self._is_cache_in_sync:
            return
        entries: dict[K, V] = {}
        for patch in self._patches:
            entries.update(patch.modified)
            for key in patch.deleted:
                entries.pop(key, None)
        self._cache.update(entries)
        self._is_cache_in_sync = True


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot whose fork is an empty patch."""
    return LayeredSnapshot(
        _PatchSet([Patch(claims or {})]),
        _PatchSet([node_patch(node_slices)]),
        ClonedOnWrite(),
        non_local_slices,
        device_classes,
    )


def create_map(layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]:
    """Make a layered map of patches."""
    return _PatchSet(layers)

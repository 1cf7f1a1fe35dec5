"""Patches with a lazy cache of what look-ups found, one for all layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from impls.snapshot._patch_stack import GrowingPatch, PatchStack, find_in_patches
from impls.snapshot.interface import K, Patch, V


class _Cache(dict[K, V | None]):
    """What look-ups in the patches found; None stands for a key known to be absent."""

    __slots__ = ("_patches",)

    def __init__(self, patches: list[GrowingPatch[K, V]]) -> None:
        # The list itself, not its owner: nothing here may need a cyclic collection to be freed.
        self._patches = patches

    def __missing__(self, key: K) -> V | None:
        value = self[key] = find_in_patches(self._patches, key)
        return value


class CachedPatches(PatchStack[K, V]):
    """A stack of patches with a lazy cache of what look-ups found.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_cache", "_is_cache_in_sync", "find")

    # The cache's own look-up: the most frequent call of all needs no frame of ours.
    find: Callable[[K], V | None]

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        super().__init__(layers)
        self._cache = _Cache(self._patches)
        self.find = self._cache.__getitem__
        self._is_cache_in_sync = False

    def set(self, key: K, value: V) -> None:
        super().set(key, value)
        self._cache[key] = value

    def delete(self, key: K) -> None:
        super().delete(key)
        self._cache[key] = None

    def values(self) -> list[V]:
        self._sync_cache()
        return [value for value in self._cache.values() if value is not None]

    def as_map(self) -> dict[K, V]:
        self._sync_cache()
        return {key: value for key, value in self._cache.items() if value is not None}

    def revert(self) -> None:
        if len(self._patches) < 2:
            return
        top = self._patches.pop()
        for key in top.modified:
            self._cache.pop(key, None)
        for key in top.deleted:
            self._cache.pop(key, None)
        self._is_cache_in_sync = False

    def _sync_cache(self) -> None:
        """Let the cache know every key that has a value; it may know absent ones too."""
        if not self._is_cache_in_sync:
            self._cache.update(self.merged())
            self._is_cache_in_sync = True

"""Patch sets: a fork pushes an empty patch, and a claim is cloned when it first changes in a layer.

How it works
    A stack of patches, each with the keys it set and the keys it deleted. What a look-up found, or
    did not find, is kept in one cache for all layers. A flag says whether the cache knows every
    key; then a listing is read off it. A revert evicts the keys of the reverted patch and
    clears the flag, so the next listing applies all patches again; fork and commit keep both.

What it costs
    Fork O(1); commit and revert O(changes in the top patch); finding O(1) once cached, else
    O(layers); setting and deleting O(1); listing O(keys in the cache), those known to be absent
    included, and after a revert O(entries of all patches). Changing a claim clones it once in each layer.

Where it comes from
    kubernetes/autoscaler commit eb486661803b (PR 8090). Unlike it, maps handed in are copied
    instead of adopted, and a claim is changed in place only if the snapshot cloned it itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from impls.snapshot._cached_patches import CachedPatches
from impls.snapshot._snapshot import cloned_on_write
from impls.snapshot.interface import K, Patch, RecordingMap, V


def create_map(layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
    """Make a layered map of patches."""
    return CachedPatches(layers)


create = cloned_on_write(CachedPatches)

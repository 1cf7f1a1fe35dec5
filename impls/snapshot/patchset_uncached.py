"""Patch sets without a cache: every look-up walks down the layers.

How it works
    As ``patchset``, but nothing is remembered of what a look-up found, so there is nothing to evict either.

What it costs
    Fork O(1); commit O(changes in the top patch), revert O(1) and what it takes to free the patch; finding
    O(layers); setting and deleting O(1); listing O(entries of all patches), every time.

Where it comes from
    The layers of kubernetes/autoscaler commit eb486661803b (PR 8090) alone: what is between this and
    ``patchset`` is what the cache buys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from impls.snapshot._patch_stack import PatchStack, find_in_patches
from impls.snapshot._snapshot import cloned_on_write
from impls.snapshot.interface import K, Patch, RecordingMap, V


class _UncachedPatches(PatchStack[K, V]):
    """A stack of patches, and nothing else."""

    __slots__ = ("find",)

    # The walk itself: no frame of ours around it.
    find: Callable[[K], V | None]

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        super().__init__(layers)
        self.find = partial(find_in_patches, self._patches)

    def values(self) -> list[V]:
        return list(self.merged().values())

    def as_map(self) -> dict[K, V]:
        return self.merged()


def create_map(layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
    """Make a layered map of patches without a cache."""
    return _UncachedPatches(layers)


create = cloned_on_write(_UncachedPatches)

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

from collections.abc import Iterable, Mapping, Sequence

from impls.snapshot._ownership import ClonedOnWrite
from impls.snapshot._patch_stack import PatchStack
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, K, LayeredMap, Patch, Snapshot, V
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


class _UncachedPatches(PatchStack[K, V]):
    """A stack of patches, and nothing else."""

    __slots__ = ()

    # No frame of its own around the walk.
    find = PatchStack.find_in_patches

    def values(self) -> list[V]:
        return list(self.merged().values())

    def as_map(self) -> dict[K, V]:
        return self.merged()


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot of patches whose look-ups walk down the layers."""
    return LayeredSnapshot(
        _UncachedPatches([Patch(claims or {})]),
        _UncachedPatches([node_patch(node_slices)]),
        ClonedOnWrite(),
        non_local_slices,
        device_classes,
    )


def create_map(layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]:
    """Make a layered map of patches without a cache."""
    return _UncachedPatches(layers)

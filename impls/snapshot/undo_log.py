"""Undo log: one map for all layers, and for each what it overwrote first.

How it works
    One flat dict that is always the current state. In a fork, before a key first changes, the layer's log
    notes what it was; a revert puts that back, a commit hands to the layer below what that does not know yet. Claims are
    shared between layers and cloned before they first change in one.

What it costs
    Fork O(1); commit and revert O(keys changed in the top layer); finding one dict access at any depth; setting and deleting
    one, and one in the log; listing O(entries), a copy of references, in sync at all times.

Where it comes from
    Rollback journals of databases, where the page as it was is written down before it first changes (ARIES, Mohan
    et al. 1992; SQLite's rollback journal). No form of it was proposed for the autoscaler.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from impls.snapshot._ownership import ClonedOnWrite
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot._undo_log import UndoLog
from impls.snapshot.interface import ClaimId, K, LayeredMap, Patch, Snapshot, V
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot whose layers note what they overwrite."""
    return LayeredSnapshot(
        UndoLog([Patch(claims or {})]),
        UndoLog([node_patch(node_slices)]),
        ClonedOnWrite(),
        non_local_slices,
        device_classes,
    )


def create_map(layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]:
    """Make a layered map of one dict and a log for each layer."""
    return UndoLog(layers)

"""Deep copies: a fork clones every claim.

How it works
    A stack of complete maps. A fork pushes a copy of the top one in which every claim is a clone;
    slices and device classes cannot change, so they are shared. Afterwards claims are changed in
    place. A commit drops the map below the top, a revert the top.

What it costs
    Fork O(objects in all claims), in time and memory; commit and revert O(1) and what it takes to
    free a map; finding, setting and deleting one dict access; listing O(entries).

Where it comes from
    The autoscaler's basic snapshot store up to kubernetes/autoscaler commit 35029fed7a. Unlike it,
    a fork keeps nodes whose list of slices is empty, and views follow the current layer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._ownership import ClonedOnFork
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, K, LayeredMap, Patch, Snapshot, V
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


def clone_claims(claims: dict[ClaimId, ResourceClaim]) -> dict[ClaimId, ResourceClaim]:
    """A map of clones: what a fork of the claims costs."""
    return {claim_id: claim.clone() for claim_id, claim in claims.items()}


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot whose fork clones every claim."""
    claims = claims or {}
    return LayeredSnapshot(
        CopiedMap([Patch(claims)], clone_claims),
        CopiedMap([node_patch(node_slices)]),
        ClonedOnFork(claims),
        non_local_slices,
        device_classes,
    )


def create_map(layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]:
    """Make a layered map whose fork copies the whole map, but not its values."""
    return CopiedMap(layers)

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

from collections.abc import Sequence

from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._keys_on_record import KeysOnRecord
from impls.snapshot._snapshot import cloned_on_fork
from impls.snapshot.interface import ClaimId, K, Patch, RecordingMap, V
from kubernetes_testbed.claims import ResourceClaim


def clone_claims(claims: dict[ClaimId, ResourceClaim]) -> dict[ClaimId, ResourceClaim]:
    """A map of clones: what a fork of the claims costs."""
    return {claim_id: claim.clone() for claim_id, claim in claims.items()}


def create_map(layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
    """Make a layered map whose fork copies the whole map, but not its values."""
    return KeysOnRecord(CopiedMap(layers), layers)


create = cloned_on_fork(clone_claims)

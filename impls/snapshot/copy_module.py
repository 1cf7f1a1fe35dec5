"""copy.deepcopy: a fork copies the whole map of claims with the standard library's generic copier.

How it works
    As ``deepcopy``, but the claims of a fork are made by ``copy.deepcopy``, which finds out about every object as
    it goes and remembers all it has copied; ``deepcopy`` has a ``clone`` written for claims.

What it costs
    As ``deepcopy``, with a far larger factor: fork O(objects in all claims).

Where it comes from
    What a Python user writes first. There is no such form upstream: Kubernetes generates a clone for each type.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence

from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._ownership import ClonedOnFork
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, Patch, Snapshot
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


def create(
    claims: Mapping[ClaimId, ResourceClaim] | None = None,
    node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
    non_local_slices: Iterable[ResourceSlice] = (),
    device_classes: Mapping[str, DeviceClass] | None = None,
) -> Snapshot:
    """Make a snapshot whose fork copies every claim with ``copy.deepcopy``."""
    claims = claims or {}
    return LayeredSnapshot(
        CopiedMap([Patch(claims)], copy.deepcopy),
        CopiedMap([node_patch(node_slices)]),
        ClonedOnFork(claims),
        non_local_slices,
        device_classes,
    )

"""What a deliberately wrong snapshot is made of: the right parts, one of them replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from impls.snapshot._cached_patches import CachedPatches
from impls.snapshot._ownership import ClonedOnWrite, Ownership
from impls.snapshot._snapshot import LayeredSnapshot, node_patch
from impls.snapshot.interface import ClaimId, LayeredMap, Patch, Snapshot, SnapshotFactory
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice

MapFactory = Callable[[Sequence[Patch[Any, Any]]], LayeredMap[Any, Any]]

__all__ = ["WrongSnapshot", "factory"]


@dataclass(frozen=True, slots=True)
class WrongSnapshot:
    """A snapshot that breaks one promise, and the check that must notice.

    Attributes
    ----------
    mistake : str
    caught_by : str
        The check whose promise it is.
    create : SnapshotFactory
    """

    mistake: str
    caught_by: str
    create: SnapshotFactory

    def __str__(self) -> str:
        return self.mistake.replace(" ", "-")


def factory(
    snapshot: type[LayeredSnapshot] = LayeredSnapshot,
    *,
    claims_map: MapFactory = CachedPatches,
    slices_map: MapFactory = CachedPatches,
    ownership: Callable[[Iterable[ClaimId]], Ownership] = lambda _claim_ids: ClonedOnWrite(),
) -> SnapshotFactory:
    """A patch-set snapshot with some parts replaced."""

    def create(
        claims: Mapping[ClaimId, ResourceClaim] | None = None,
        node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
        non_local_slices: Iterable[ResourceSlice] = (),
        device_classes: Mapping[str, DeviceClass] | None = None,
    ) -> Snapshot:
        return snapshot(
            claims_map([Patch({} if claims is None else claims)]),
            slices_map([node_patch(node_slices)]),
            ownership(claims or {}),
            non_local_slices,
            device_classes,
        )

    return create

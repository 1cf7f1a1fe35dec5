"""Patch sets with a lock: the same, safe for several threads.

How it works
    As ``patchset``, with one reentrant lock around every call of the snapshot and of its views, so that no answer is made
    of two states. A claim that was handed out may be read by another thread at any time, so no stored claim is ever changed
    in place: every change stores a clone. Layers are the snapshot's, not a thread's: whoever forks, forks for all.

What it costs
    As ``patchset``, with a lock taken and released in every call, and with a clone for every change of a claim, not
    only for the first one in a layer.

Where it comes from
    The question in the review of kubernetes/autoscaler PR 8090 what a concurrent map would cost; the original leaves
    locking to its callers.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Iterable, Sequence
from typing import NoReturn

from impls.snapshot._cached_patches import CachedPatches
from impls.snapshot._ownership import NeverOwned
from impls.snapshot._snapshot import HandedIn, LayeredSnapshot, made_of_what_is_handed_in
from impls.snapshot.interface import (
    AllocatedState,
    ClaimsView,
    ClassesView,
    DeviceId,
    NodeInfo,
    SlicesView,
    Snapshot,
)
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.pods import Node, Pod
from kubernetes_testbed.slices import ResourceSlice


class _LockedClaims:
    """A view of claims, one thread at a time."""

    __slots__ = ("_claims", "_lock")

    def __init__(self, claims: ClaimsView, lock: threading.RLock) -> None:
        self._claims = claims
        self._lock = lock

    def list(self) -> builtins.list[ResourceClaim]:
        with self._lock:
            return self._claims.list()

    def get(self, namespace: str, name: str) -> ResourceClaim:
        with self._lock:
            return self._claims.get(namespace, name)

    def list_all_allocated_devices(self) -> set[DeviceId]:
        with self._lock:
            return self._claims.list_all_allocated_devices()

    def gather_allocated_state(self, *, consumable_capacity: bool = False) -> AllocatedState:
        with self._lock:
            return self._claims.gather_allocated_state(consumable_capacity=consumable_capacity)

    def signal_claim_pending_allocation(
        self, claim_uid: str, allocated_claim: ResourceClaim
    ) -> None:
        with self._lock:
            self._claims.signal_claim_pending_allocation(claim_uid, allocated_claim)

    # Whatever the state is, these answer the same.

    def claim_has_pending_allocation(self, claim_uid: str) -> bool:
        return self._claims.claim_has_pending_allocation(claim_uid)

    def remove_claim_pending_allocation(self, claim_uid: str) -> NoReturn:
        self._claims.remove_claim_pending_allocation(claim_uid)

    def assume_claim_after_api_call(self, claim: ResourceClaim) -> NoReturn:
        self._claims.assume_claim_after_api_call(claim)

    def assumed_claim_restore(self, namespace: str, name: str) -> NoReturn:
        self._claims.assumed_claim_restore(namespace, name)


class _LockedSlices:
    """A view of slices, one thread at a time."""

    __slots__ = ("_lock", "_slices")

    def __init__(self, slices: SlicesView, lock: threading.RLock) -> None:
        self._slices = slices
        self._lock = lock

    def list(self) -> builtins.list[ResourceSlice]:
        with self._lock:
            return self._slices.list()


class _LockedSnapshot:
    """A snapshot, one thread at a time.

    Parameters
    ----------
    snapshot : Snapshot
        Nobody else's, and one that changes no stored claim in place.
    """

    __slots__ = ("_lock", "_snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lock = threading.RLock()

    def resource_claims(self) -> ClaimsView:
        return _LockedClaims(self._snapshot.resource_claims(), self._lock)

    def resource_slices(self) -> SlicesView:
        return _LockedSlices(self._snapshot.resource_slices(), self._lock)

    def device_classes(self) -> ClassesView:
        # They never change.
        return self._snapshot.device_classes()

    def add_claims(self, claims: Iterable[ResourceClaim]) -> None:
        with self._lock:
            self._snapshot.add_claims(claims)

    def pod_claims(self, pod: Pod) -> list[ResourceClaim]:
        with self._lock:
            return self._snapshot.pod_claims(pod)

    def reserve_pod_claims(self, pod: Pod) -> None:
        with self._lock:
            self._snapshot.reserve_pod_claims(pod)

    def unreserve_pod_claims(self, pod: Pod) -> None:
        with self._lock:
            self._snapshot.unreserve_pod_claims(pod)

    def remove_pod_owned_claims(self, pod: Pod) -> None:
        with self._lock:
            self._snapshot.remove_pod_owned_claims(pod)

    def node_resource_slices(self, node_name: str) -> tuple[ResourceSlice, ...] | None:
        with self._lock:
            return self._snapshot.node_resource_slices(node_name)

    def add_node_resource_slices(self, node_name: str, slices: Iterable[ResourceSlice]) -> None:
        with self._lock:
            self._snapshot.add_node_resource_slices(node_name, slices)

    def remove_node_resource_slices(self, node_name: str) -> None:
        with self._lock:
            self._snapshot.remove_node_resource_slices(node_name)

    def wrap_node_info(self, node: Node, pods: Sequence[Pod]) -> NodeInfo:
        with self._lock:
            return self._snapshot.wrap_node_info(node, pods)

    def fork(self) -> None:
        with self._lock:
            self._snapshot.fork()

    def commit(self) -> None:
        with self._lock:
            self._snapshot.commit()

    def revert(self) -> None:
        with self._lock:
            self._snapshot.revert()


def _make(given: HandedIn) -> Snapshot:
    return _LockedSnapshot(
        LayeredSnapshot(
            CachedPatches([given.claims]), CachedPatches([given.node_slices]), NeverOwned(), given
        )
    )


create = made_of_what_is_handed_in(_make)

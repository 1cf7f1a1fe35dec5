"""The rules of pods, claims and slices, once for every form of layered map.

An implementation of the snapshot is its layered map, and what it knows about which claims may be
changed in place; everything else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._ownership import ClonedOnFork, ClonedOnWrite, Ownership
from impls.snapshot._views import FixedClassesView, LayeredClaimsView, LayeredSlicesView
from impls.snapshot.interface import (
    ClaimAlreadyTrackedError,
    ClaimId,
    ClaimNameUndeterminedError,
    ClaimNotTrackedError,
    K,
    LayeredMap,
    NodeInfo,
    Patch,
    SlicesAlreadyPresentError,
    Snapshot,
    SnapshotError,
    SnapshotFactory,
    TooManyReservationsError,
    V,
)
from kubernetes_testbed.claims import MAX_RESERVATIONS, Reservation, ResourceClaim
from kubernetes_testbed.pods import Node, Pod, PodClaimReference
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


class HandedIn(NamedTuple):
    """What a snapshot is made of, of objects that the caller has too.

    Lists and the map of classes are nobody else's. The map of claims is the caller's still: a layered map
    copies what it is made of, and a second copy would be for nothing.
    """

    claims: Patch[ClaimId, ResourceClaim]
    node_slices: Patch[str, tuple[ResourceSlice, ...]]
    non_local_slices: tuple[ResourceSlice, ...]
    device_classes: dict[str, DeviceClass]


class LayeredSnapshot:
    """A snapshot over layered maps of claims and of node slices.

    Non-local slices and device classes never change, so they are in no layer. (In the original
    the former sit in the map of nodes under a reserved name, where any caller can remove them.)

    Parameters
    ----------
    claims : LayeredMap
    node_slices : LayeredMap
        Both of one layer, and the snapshot's own.
    ownership : Ownership
        Which claims may be changed in place.
    handed_in : HandedIn
        Of which the slices of no node and the device classes are kept as they are.
    copy_claim : callable
        Makes the claim that is changed instead of one that may not be. Of the copy, holders are changed in
        place, and the allocation is replaced; by default it shares nothing that can change.
    """

    __slots__ = (
        "_claims",
        "_copy_claim",
        "_device_classes",
        "_node_slices",
        "_non_local_slices",
        "_ownership",
    )

    def __init__(
        self,
        claims: LayeredMap[ClaimId, ResourceClaim],
        node_slices: LayeredMap[str, tuple[ResourceSlice, ...]],
        ownership: Ownership,
        handed_in: HandedIn,
        copy_claim: Callable[[ResourceClaim], ResourceClaim] = ResourceClaim.clone,
    ) -> None:
        self._claims = claims
        self._copy_claim = copy_claim
        self._node_slices = node_slices
        self._ownership = ownership
        self._non_local_slices = handed_in.non_local_slices
        self._device_classes = handed_in.device_classes

    def resource_claims(self) -> LayeredClaimsView:
        return LayeredClaimsView(self._claims, self._ownership)

    def resource_slices(self) -> LayeredSlicesView:
        return LayeredSlicesView(self._node_slices, self._non_local_slices)

    def device_classes(self) -> FixedClassesView:
        return FixedClassesView(self._device_classes)

    def add_claims(self, claims: Iterable[ResourceClaim]) -> None:
        added = {(claim.namespace, claim.name): claim for claim in claims}
        find = self._claims.find
        for claim_id in added:
            if find(claim_id) is not None:
                raise ClaimAlreadyTrackedError(
                    f"Claim {claim_id[0]}/{claim_id[1]} is in the snapshot already."
                )
        store = self._claims.set
        for claim_id, claim in added.items():
            store(claim_id, claim)
        self._ownership.hand_in(added)

    def pod_claims(self, pod: Pod) -> list[ResourceClaim]:
        return self._claims_of((pod,))[0]

    def reserve_pod_claims(self, pod: Pod) -> None:
        unreserved = []
        for claim_id, claim in self._distinct_pod_claims(pod).items():
            if _is_reserved(claim, pod):
                continue
            if len(claim.reserved_for) >= MAX_RESERVATIONS:
                raise TooManyReservationsError(
                    f"Claim {claim.namespace}/{claim.name} cannot be reserved for pod "
                    f"{pod.namespace}/{pod.name}: it has {len(claim.reserved_for)} reservations."
                )
            unreserved.append((claim_id, claim))
        for claim_id, claim in unreserved:
            self._writable(claim_id, claim).reserved_for.append(
                Reservation("", "pods", pod.name, pod.uid)
            )

    def unreserve_pod_claims(self, pod: Pod) -> None:
        for claim_id, claim in self._distinct_pod_claims(pod).items():
            place = _place_of_reservation(claim, pod)
            others = len(claim.reserved_for) - (place is not None)
            is_to_go = claim.allocation is not None and (not others or _is_own(claim, pod))
            if place is None and not is_to_go:
                continue
            writable = self._writable(claim_id, claim)
            if place is not None:
                del writable.reserved_for[place]
            if is_to_go:
                self._deallocate(claim_id, writable)

    def remove_pod_owned_claims(self, pod: Pod) -> None:
        names = dict.fromkeys(pod.claim_name(reference) for reference in pod.claim_references)
        for name in names:
            claim_id = (pod.namespace, name or "")
            claim = self._claims.find(claim_id) if name else None
            if claim is None:
                continue
            if _is_own(claim, pod):
                self._claims.delete(claim_id)
                continue
            place = _place_of_reservation(claim, pod)
            if place is not None:
                del self._writable(claim_id, claim).reserved_for[place]

    def node_resource_slices(self, node_name: str) -> tuple[ResourceSlice, ...] | None:
        return self._node_slices.find(node_name)

    def add_node_resource_slices(self, node_name: str, slices: Iterable[ResourceSlice]) -> None:
        if self._node_slices.find(node_name) is not None:
            raise SlicesAlreadyPresentError(f"Node {node_name} has resource slices already.")
        self._node_slices.set(node_name, tuple(slices))

    def remove_node_resource_slices(self, node_name: str) -> None:
        self._node_slices.delete(node_name)

    def wrap_node_info(self, node: Node, pods: Sequence[Pod]) -> NodeInfo:
        return NodeInfo(
            node,
            tuple(pods),
            self._claims_of(pods),
            self._node_slices.find(node.name) or (),
        )

    def fork(self) -> None:
        self._claims.fork()
        self._node_slices.fork()
        self._ownership.fork()

    def commit(self) -> None:
        self._claims.commit()
        self._node_slices.commit()
        self._ownership.commit()

    def revert(self) -> None:
        self._claims.revert()
        self._node_slices.revert()
        self._ownership.revert()

    def _claims_of(self, pods: Iterable[Pod]) -> list[list[ResourceClaim]]:
        """The claims of each pod; one loop, for filters ask for all pods of a node at once."""
        find = self._claims.find
        claims_of_pods: list[list[ResourceClaim]] = []
        append = claims_of_pods.append
        for pod in pods:
            namespace = pod.namespace
            claims = []
            for reference in pod.claim_references:
                name = reference.claim_name or pod.claim_name(reference)
                claim = find((namespace, name)) if name else None
                if claim is None:
                    raise _broken_reference(pod, reference)
                claims.append(claim)
            append(claims)
        return claims_of_pods

    def _distinct_pod_claims(self, pod: Pod) -> dict[ClaimId, ResourceClaim]:
        # A claim that is named twice must be changed once: after the first change the object
        # found before it may no longer be the stored one, and belong to a lower layer.
        return {(claim.namespace, claim.name): claim for claim in self.pod_claims(pod)}

    def _writable(self, claim_id: ClaimId, claim: ResourceClaim) -> ResourceClaim:
        """The stored claim itself if it may be changed in place, else a copy stored instead."""
        if self._ownership.owns(claim_id):
            return claim
        copy = self._copy_claim(claim)
        self._claims.set(claim_id, copy)
        self._ownership.take(claim_id)
        return copy

    def _deallocate(self, claim_id: ClaimId, writable: ResourceClaim) -> None:
        """Take a stored claim's devices back; it may be changed in place."""
        writable.allocation = None


def made_of_what_is_handed_in(make: Callable[[HandedIn], Snapshot]) -> SnapshotFactory:
    """The ``create`` of an implementation that makes its snapshots with `make`."""

    def create(
        claims: Mapping[ClaimId, ResourceClaim] | None = None,
        node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
        non_local_slices: Iterable[ResourceSlice] = (),
        device_classes: Mapping[str, DeviceClass] | None = None,
    ) -> Snapshot:
        return make(
            HandedIn(
                Patch(claims or {}),
                Patch({name: tuple(slices) for name, slices in (node_slices or {}).items()}),
                tuple(non_local_slices),
                dict(device_classes or {}),
            )
        )

    return create


class _MapFactory(Protocol):
    """Makes a layered map of layers, bottom first."""

    def __call__(self, layers: Sequence[Patch[K, V]]) -> LayeredMap[K, V]: ...


def cloned_on_write(create_map: _MapFactory) -> SnapshotFactory:
    """The ``create`` of snapshots that share claims between layers and clone one before it first changes.

    Parameters
    ----------
    create_map : callable
        Makes the maps of claims and of node slices.
    """

    def make(given: HandedIn) -> Snapshot:
        return LayeredSnapshot(
            create_map([given.claims]), create_map([given.node_slices]), ClonedOnWrite(), given
        )

    return made_of_what_is_handed_in(make)


def cloned_on_fork(
    copy_claims: Callable[[dict[ClaimId, ResourceClaim]], dict[ClaimId, ResourceClaim]],
) -> SnapshotFactory:
    """The ``create`` of snapshots that copy all claims on a fork, and change them in place afterwards.

    Parameters
    ----------
    copy_claims : callable
        Makes the map of a fork, whose claims share nothing that can change with the ones it is given.
    """

    def make(given: HandedIn) -> Snapshot:
        return LayeredSnapshot(
            CopiedMap([given.claims], copy_claims),
            CopiedMap([given.node_slices]),
            ClonedOnFork(given.claims.modified),
            given,
        )

    return made_of_what_is_handed_in(make)


def _is_reserved(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether any entry has the pod's UID; its name is not looked at."""
    uid = pod.uid
    for entry in claim.reserved_for:  # noqa: SIM110 (timed; a generator costs as much again)
        if entry.uid == uid:
            return True
    return False


def _place_of_reservation(claim: ResourceClaim, pod: Pod) -> int | None:
    """Where in the list of holders the pod stands by name and UID, first if several times."""
    for index, entry in enumerate(claim.reserved_for):
        if (
            entry.uid == pod.uid
            and entry.name == pod.name
            and entry.resource == "pods"
            and not entry.api_group
        ):
            return index
    return None


def _is_own(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether the claim's controller is the pod, told by UID alone as in all but eb486661803b."""
    if claim.namespace != pod.namespace:
        return False
    for owner in claim.owners:
        if owner.controller:
            return owner.uid == pod.uid
    return False


def _broken_reference(pod: Pod, reference: PodClaimReference) -> SnapshotError:
    """Why a reference could not be followed."""
    name = pod.claim_name(reference)
    if name is None:
        return ClaimNameUndeterminedError(
            f"Pod {pod.namespace}/{pod.name} does not say yet which claim its reference "
            f"{reference.name!r} means."
        )
    return ClaimNotTrackedError(
        f"Claim {pod.namespace}/{name} of pod {pod.namespace}/{pod.name} is not in the snapshot."
    )

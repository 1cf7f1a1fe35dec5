"""Mistakes in the rules of pods, claims and slices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._ownership import ClonedOnFork
from impls.snapshot._snapshot import LayeredSnapshot
from impls.snapshot._views import LayeredClaimsView
from impls.snapshot.deepcopy import clone_claims
from impls.snapshot.interface import ClaimAlreadyTrackedError, ClaimId, ClaimNotTrackedError
from kubernetes_testbed.claims import MAX_RESERVATIONS, OwnerReference, Reservation, ResourceClaim
from kubernetes_testbed.pods import Pod
from kubernetes_testbed.slices import ResourceSlice
from tests.conformance.wrong_snapshots.wrong import WrongSnapshot, factory

NON_LOCAL = "--NON-LOCAL--"


class ReservesOneByOne(LayeredSnapshot):
    def reserve_pod_claims(self, pod: Pod) -> None:
        for reference in pod.claim_references:
            super().reserve_pod_claims(replace(pod, claim_references=(reference,)))


class UnreservesOneByOne(LayeredSnapshot):
    def unreserve_pod_claims(self, pod: Pod) -> None:
        for reference in pod.claim_references:
            super().unreserve_pod_claims(replace(pod, claim_references=(reference,)))


class AddsOneByOne(LayeredSnapshot):
    def add_claims(self, claims: Iterable[ResourceClaim]) -> None:
        for claim in {(claim.namespace, claim.name): claim for claim in claims}.values():
            super().add_claims([claim])


class OverwritesOnAdding(LayeredSnapshot):
    def add_claims(self, claims: Iterable[ResourceClaim]) -> None:
        try:
            super().add_claims(claims)
        except ClaimAlreadyTrackedError:
            return


class OneReservationTooMany(LayeredSnapshot):
    def reserve_pod_claims(self, pod: Pod) -> None:
        for claim in self._distinct_pod_claims(pod).values():
            if len(claim.reserved_for) == MAX_RESERVATIONS:
                clone = self._writable((claim.namespace, claim.name), claim)
                clone.reserved_for.append(Reservation("", "pods", pod.name, pod.uid))
                return
        super().reserve_pod_claims(pod)


class KeepsAllocationOnUnreserve(LayeredSnapshot):
    def _deallocate(self, claim_id: ClaimId, writable: ResourceClaim) -> None:
        pass


class RemovesReservationsOneByOne(LayeredSnapshot):
    def remove_pod_owned_claims(self, pod: Pod) -> None:
        for reference in pod.claim_references:
            super().remove_pod_owned_claims(replace(pod, claim_references=(reference,)))


class TakesAllReservations(LayeredSnapshot):
    """Removes whatever has the pod's UID."""

    def unreserve_pod_claims(self, pod: Pod) -> None:
        for claim_id, claim in self._distinct_pod_claims(pod).items():
            clone = self._writable(claim_id, claim)
            clone.reserved_for = [entry for entry in clone.reserved_for if entry.uid != pod.uid]
        super().unreserve_pod_claims(pod)


class OwnerByName(LayeredSnapshot):
    """As kubernetes/autoscaler commit eb486661803b: the owner's kind and name must match too."""

    def remove_pod_owned_claims(self, pod: Pod) -> None:
        for reference in pod.claim_references:
            claim = self._claims.find((pod.namespace, pod.claim_name(reference) or ""))
            controllers = [owner for owner in claim.owners if owner.controller] if claim else []
            expected = OwnerReference("v1", "Pod", pod.name, pod.uid, True)
            if not controllers or controllers[0] == expected:
                super().remove_pod_owned_claims(replace(pod, claim_references=(reference,)))


class StopsAtMissingClaims(LayeredSnapshot):
    """As kubernetes-sigs/cluster-autoscaler issue 31, where the original crashes."""

    def remove_pod_owned_claims(self, pod: Pod) -> None:
        try:
            self.pod_claims(pod)
        except ClaimNotTrackedError:
            return
        super().remove_pod_owned_claims(pod)


class NonLocalSlicesAreANode(LayeredSnapshot):
    """As kubernetes/autoscaler commit eb486661803b keeps them."""

    def node_resource_slices(self, node_name: str) -> tuple[ResourceSlice, ...] | None:
        if node_name == NON_LOCAL:
            return self._non_local_slices
        return super().node_resource_slices(node_name)


class ViewsStayBehind(LayeredSnapshot):
    """As kubernetes/autoscaler commit 35029fed7a: a view shows the layer it was taken from."""

    def resource_claims(self) -> LayeredClaimsView:
        taken_from = CopiedMap[tuple[str, str], ResourceClaim]()
        for claim in self._claims.values():
            taken_from.set((claim.namespace, claim.name), claim)
        return LayeredClaimsView(taken_from, self._ownership)


class UidIsNotCompared(LayeredClaimsView):
    def signal_claim_pending_allocation(self, claim_uid: str, claim: ResourceClaim) -> None:
        stored = self.get(claim.namespace, claim.name)
        super().signal_claim_pending_allocation(stored.uid, claim)


class SignalsAnyUid(LayeredSnapshot):
    def resource_claims(self) -> LayeredClaimsView:
        return UidIsNotCompared(self._claims, self._ownership)


WRONG = [
    WrongSnapshot(
        "reserving is not atomic", "check_reserving_is_all_or_nothing", factory(ReservesOneByOne)
    ),
    WrongSnapshot(
        "unreserving is not atomic",
        "check_unreserving_is_all_or_nothing",
        factory(UnreservesOneByOne),
    ),
    WrongSnapshot(
        "adding is not atomic", "check_claims_are_added_all_or_none", factory(AddsOneByOne)
    ),
    WrongSnapshot(
        "adding a claim twice is no error",
        "check_claims_are_added_all_or_none",
        factory(OverwritesOnAdding),
    ),
    WrongSnapshot(
        "one reservation too many",
        "check_a_claim_takes_256_reservations_and_no_more",
        factory(OneReservationTooMany),
    ),
    WrongSnapshot(
        "an allocation is not cleared on unreserve",
        "check_unreserving_the_last_entry_clears_the_allocation",
        factory(KeepsAllocationOnUnreserve),
    ),
    WrongSnapshot(
        "a claim named twice loses two reservations",
        "check_a_claim_named_twice_loses_one_reservation",
        factory(RemovesReservationsOneByOne),
    ),
    WrongSnapshot(
        "other reservations with the pods UID go too",
        "check_unreserving_removes_the_pods_entry_only",
        factory(TakesAllReservations),
    ),
    WrongSnapshot(
        "an owner is told by its name", "check_an_owner_is_told_by_its_uid", factory(OwnerByName)
    ),
    WrongSnapshot(
        "a missing claim stops the removal",
        "check_removing_own_claims_skips_bad_references",
        factory(StopsAtMissingClaims),
    ),
    WrongSnapshot(
        "non local slices are a node",
        "check_non_local_slices_belong_to_no_node",
        factory(NonLocalSlicesAreANode),
    ),
    WrongSnapshot(
        "a view is bound to its layer",
        "check_views_follow_the_current_layer",
        factory(
            ViewsStayBehind,
            claims_map=lambda layers: CopiedMap(layers, clone_claims),
            ownership=ClonedOnFork,
        ),
    ),
    WrongSnapshot(
        "a signal is accepted for any UID",
        "check_a_signal_is_for_the_stored_claims_uid",
        factory(SignalsAnyUid),
    ),
]

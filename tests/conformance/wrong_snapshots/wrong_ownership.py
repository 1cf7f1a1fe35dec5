"""Mistakes about which claims may be changed in place."""

from __future__ import annotations

import copy
from collections.abc import Iterable

from impls.snapshot._copied_map import CopiedMap
from impls.snapshot._ownership import ClonedOnFork, ClonedOnWrite
from impls.snapshot._snapshot import LayeredSnapshot
from impls.snapshot.deepcopy import clone_claims
from impls.snapshot.interface import ClaimId
from kubernetes_testbed.claims import Reservation, ResourceClaim
from kubernetes_testbed.pods import Pod
from tests.conformance.wrong_snapshots.wrong import WrongSnapshot, factory


class OwnsTheBottom(ClonedOnWrite):
    """As all originals do: without a fork they change the caller's claims in place."""

    def owns(self, claim_id: ClaimId) -> bool:
        return len(self._cloned) == 1 or super().owns(claim_id)


class OwnsWhatWasAdded(ClonedOnWrite):
    """As all originals do: what was added in a layer is changed in place in it."""

    def hand_in(self, claim_ids: Iterable[ClaimId]) -> None:
        self._cloned[-1].update(claim_ids)


class ForgetsWhatIsHandedBack(ClonedOnWrite):
    def hand_in(self, claim_ids: Iterable[ClaimId]) -> None:
        pass


class ForgetsLayersBelow(ClonedOnWrite):
    """Only the current layer learns that a stored claim is the caller's again."""

    def hand_in(self, claim_ids: Iterable[ClaimId]) -> None:
        self._cloned[-1].difference_update(claim_ids)


class KeepsOwningAfterFork(ClonedOnWrite):
    def fork(self) -> None:
        self._cloned.append(set(self._cloned[-1]))


class OwnsTheOriginals(ClonedOnFork):
    """Takes the claims of the constructor for its own."""

    def __init__(self, _claim_ids: Iterable[ClaimId]) -> None:
        super().__init__(())


class ShallowClone(LayeredSnapshot):
    def _writable(self, claim_id: ClaimId, claim: ResourceClaim) -> ResourceClaim:
        clone = ResourceClaim(
            claim.namespace,
            claim.name,
            claim.uid,
            claim.owners,
            claim.requests,
            claim.allocation,
            claim.reserved_for,
        )
        self._claims.set(claim_id, clone)
        return clone


class StaleObjectIsChanged(LayeredSnapshot):
    """As kubernetes-sigs/cluster-autoscaler issue 33: a claim named twice is looked up once."""

    def reserve_pod_claims(self, pod: Pod) -> None:
        claims = self.pod_claims(pod)
        super().reserve_pod_claims(pod)
        for claim in claims:
            if claims.count(claim) > 1 and all(
                entry.uid != pod.uid for entry in claim.reserved_for
            ):
                claim.reserved_for.append(Reservation("", "pods", pod.name, pod.uid))


WRONG = [
    WrongSnapshot(
        "callers claims are changed without a fork",
        "check_claims_handed_in_are_never_changed",
        factory(ownership=lambda _ids: OwnsTheBottom()),
    ),
    WrongSnapshot(
        "callers claims are changed in the layer they were added in",
        "check_claims_handed_in_are_never_changed",
        factory(ownership=lambda _ids: OwnsWhatWasAdded()),
    ),
    WrongSnapshot(
        "the constructors claims are changed",
        "check_two_snapshots_share_no_change",
        factory(
            claims_map=lambda layers: CopiedMap(layers, clone_claims), ownership=OwnsTheOriginals
        ),
    ),
    WrongSnapshot(
        "a stored claim handed back is still taken for our own",
        "check_a_stored_claim_handed_back_in_is_never_changed",
        factory(ownership=lambda _ids: ForgetsWhatIsHandedBack()),
    ),
    WrongSnapshot(
        "a stored claim handed back is forgotten in layers below",
        "check_a_stored_claim_handed_back_in_is_never_changed",
        factory(ownership=lambda _ids: ForgetsLayersBelow()),
    ),
    WrongSnapshot(
        "a clone is shared with the next fork",
        "check_layers_nest",
        factory(ownership=lambda _ids: KeepsOwningAfterFork()),
    ),
    WrongSnapshot(
        "a clone shares its lists with the original",
        "check_claims_are_cloned_before_a_commit_to_the_bottom",
        factory(ShallowClone),
    ),
    WrongSnapshot(
        "claims are copied in one go",
        "check_claims_that_share_a_list_share_no_change",
        factory(claims_map=lambda layers: CopiedMap(layers, copy.deepcopy), ownership=ClonedOnFork),
    ),
    WrongSnapshot(
        "a claim named twice is changed below",
        "check_a_claim_named_twice_does_not_leak",
        factory(StaleObjectIsChanged),
    ),
]

"""Incremental: an undo log that copies of a claim only its holders, and keeps count of the devices given away.

How it works
    As ``undo_log``, with two more things left undone. The copy of a claim that a layer changes shares owners and allocation
    with the original, for the snapshot replaces an allocation and never changes one. And once somebody has asked which devices
    are given away, they are counted with every claim that is stored, replaced or put back, so that the next answer is a copy of a
    set.

What it costs
    As ``undo_log``; changing a claim O(its holders) once in each layer, whatever number of devices it has; which
    devices are given away: O(devices of all claims) the first time, then O(devices given away) with the small factor of
    copying a set. From then on storing a claim with another allocation costs O(its devices), and so does the revert.

Where it comes from
    Incremental view maintenance, as databases do it (Gupta and Mumick 1995). The autoscaler computes the state anew for each
    scheduling attempt; kubernetes-sigs/cluster-autoscaler PR 55 proposes to keep it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from impls.snapshot._ownership import ClonedOnWrite, Ownership
from impls.snapshot._snapshot import HandedIn, LayeredSnapshot, made_of_what_is_handed_in
from impls.snapshot._undo_log import UndoLog
from impls.snapshot._views import LayeredClaimsView, add_devices
from impls.snapshot.interface import AllocatedState, ClaimId, DeviceId, Patch
from kubernetes_testbed.claims import Allocation, ResourceClaim


class _Devices:
    """The devices that a changing set of claims was given."""

    __slots__ = ("_sharing", "_whole")

    def __init__(self, claims: Mapping[ClaimId, ResourceClaim]) -> None:
        # How many claims hold a device as a whole: rightly one, but nobody forbids more.
        self._whole: dict[DeviceId, int] = {}
        # The allocations with shares of devices, by claim: few, and looked through when asked for.
        self._sharing: dict[ClaimId, Allocation] = {}
        for claim_id, claim in claims.items():
            self._add(claim_id, claim.allocation)

    def replace(
        self, claim_id: ClaimId, old: ResourceClaim | None, new: ResourceClaim | None
    ) -> None:
        """Take note of one claim in the place of another; None stands for no claim."""
        before = None if old is None else old.allocation
        after = None if new is None else new.allocation
        if before is not after:
            self.free(claim_id, before)
            self._add(claim_id, after)

    def state(self, *, consumable_capacity: bool) -> AllocatedState:
        """What is given away; the caller's own."""
        state = AllocatedState(set(self._whole))
        for allocation in self._sharing.values():
            add_devices(state, allocation, consumable_capacity=consumable_capacity)
        return state

    def _add(self, claim_id: ClaimId, allocation: Allocation | None) -> None:
        if allocation is None:
            return
        whole = self._whole
        for result in allocation.results:
            if result.share_id is not None:
                self._sharing[claim_id] = allocation
                continue
            device = (result.driver, result.pool, result.device)
            whole[device] = whole.get(device, 0) + 1

    def free(self, claim_id: ClaimId, allocation: Allocation | None) -> None:
        """Take note that a claim has not got its devices any more."""
        if allocation is None:
            return
        self._sharing.pop(claim_id, None)
        whole = self._whole
        for result in allocation.results:
            if result.share_id is not None:
                continue
            device = (result.driver, result.pool, result.device)
            if whole[device] == 1:
                del whole[device]
            else:
                whole[device] -= 1


class _CountedClaims(UndoLog[ClaimId, ResourceClaim]):
    """An undo log of claims that keeps count of their devices, once it was asked for them."""

    __slots__ = ("_devices",)

    def __init__(self, layers: Sequence[Patch[ClaimId, ResourceClaim]]) -> None:
        self._devices: _Devices | None = None
        super().__init__(layers)

    def devices(self) -> _Devices:
        """The count, begun by the first who asks."""
        if self._devices is None:
            self._devices = _Devices(self._entries)
        return self._devices

    def free_devices(self, key: ClaimId, claim: ResourceClaim) -> None:
        """Count no longer what a stored claim was given, which is about to be taken from it in place."""
        if self._devices is not None:
            self._devices.free(key, claim.allocation)

    def set(self, key: ClaimId, value: ResourceClaim) -> None:
        if self._devices is not None:
            self._devices.replace(key, self._entries.get(key), value)
        super().set(key, value)

    def delete(self, key: ClaimId) -> None:
        if self._devices is not None:
            self._devices.replace(key, self._entries.get(key), None)
        super().delete(key)

    def revert(self) -> None:
        if self._devices is not None and self._top is not None:
            for key, value in self._top.items():
                self._devices.replace(key, self._entries.get(key), value)
        super().revert()


class _CountedClaimsView(LayeredClaimsView):
    """A view that reads the count instead of all claims."""

    __slots__ = ()

    _claims: _CountedClaims

    def __init__(self, claims: _CountedClaims, ownership: Ownership) -> None:
        super().__init__(claims, ownership)

    def gather_allocated_state(self, *, consumable_capacity: bool = False) -> AllocatedState:
        return self._claims.devices().state(consumable_capacity=consumable_capacity)


class _IncrementalSnapshot(LayeredSnapshot):
    """A snapshot whose claims tell their map of every allocation that changes."""

    __slots__ = ()

    _claims: _CountedClaims

    def __init__(self, given: HandedIn) -> None:
        super().__init__(
            _CountedClaims([given.claims]),
            UndoLog([given.node_slices]),
            ClonedOnWrite(),
            given,
            copy_claim=ResourceClaim.with_own_holders,
        )

    def resource_claims(self) -> LayeredClaimsView:
        return _CountedClaimsView(self._claims, self._ownership)

    def _deallocate(self, claim_id: ClaimId, writable: ResourceClaim) -> None:
        self._claims.free_devices(claim_id, writable)
        writable.allocation = None


create = made_of_what_is_handed_in(_IncrementalSnapshot)

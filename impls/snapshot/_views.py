"""The views of a snapshot; each looks at the snapshot's maps, so it follows the current layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from impls.snapshot._ownership import Ownership
from impls.snapshot.interface import (
    AllocatedState,
    ClaimId,
    ClaimNotFoundError,
    ClaimUidMismatchError,
    DeviceClassNotFoundError,
    DeviceId,
    LayeredMap,
    NeverInSimulationError,
)
from kubernetes_testbed.claims import Allocation, ResourceClaim
from kubernetes_testbed.slices import DeviceClass, ResourceSlice


class LayeredClaimsView:
    """The claims of a layered snapshot."""

    __slots__ = ("_claims", "_ownership")

    def __init__(self, claims: LayeredMap[ClaimId, ResourceClaim], ownership: Ownership) -> None:
        self._claims = claims
        self._ownership = ownership

    def list(self) -> list[ResourceClaim]:
        return self._claims.values()

    def get(self, namespace: str, name: str) -> ResourceClaim:
        claim = self._claims.find((namespace, name))
        if claim is None:
            raise ClaimNotFoundError(f"There is no claim {namespace}/{name} in the snapshot.")
        return claim

    def list_all_allocated_devices(self) -> set[DeviceId]:
        return self.gather_allocated_state().devices

    def gather_allocated_state(self, *, consumable_capacity: bool = False) -> AllocatedState:
        state = AllocatedState()
        for claim in self._claims.values():
            if claim.allocation is not None:
                add_devices(state, claim.allocation, consumable_capacity=consumable_capacity)
        return state

    def signal_claim_pending_allocation(
        self, claim_uid: str, allocated_claim: ResourceClaim
    ) -> None:
        claim_id = (allocated_claim.namespace, allocated_claim.name)
        stored = self.get(*claim_id)
        if stored.uid != claim_uid:
            raise ClaimUidMismatchError(
                f"Claim {claim_id[0]}/{claim_id[1]} has UID {stored.uid!r}, "
                f"but an allocation was signalled for UID {claim_uid!r}."
            )
        self._claims.set(claim_id, allocated_claim)
        self._ownership.hand_in((claim_id,))

    def claim_has_pending_allocation(self, claim_uid: str) -> bool:
        return False

    def remove_claim_pending_allocation(self, claim_uid: str) -> NoReturn:
        raise NeverInSimulationError(
            f"Pending allocation of claim {claim_uid!r} cannot be removed."
        )

    def assume_claim_after_api_call(self, claim: ResourceClaim) -> NoReturn:
        raise NeverInSimulationError(f"Claim {claim.namespace}/{claim.name} cannot be assumed.")

    def assumed_claim_restore(self, namespace: str, name: str) -> NoReturn:
        raise NeverInSimulationError(f"Assumed claim {namespace}/{name} cannot be restored.")


class LayeredSlicesView:
    """The resource slices of a layered snapshot."""

    __slots__ = ("_node_slices", "_non_local_slices")

    def __init__(
        self,
        node_slices: LayeredMap[str, tuple[ResourceSlice, ...]],
        non_local_slices: tuple[ResourceSlice, ...],
    ) -> None:
        self._node_slices = node_slices
        self._non_local_slices = non_local_slices

    def list(self) -> list[ResourceSlice]:
        slices = [one for of_node in self._node_slices.values() for one in of_node]
        slices.extend(self._non_local_slices)
        return slices


class FixedClassesView:
    """The device classes of a snapshot, which no layer changes."""

    __slots__ = ("_classes",)

    def __init__(self, classes: Mapping[str, DeviceClass]) -> None:
        self._classes = classes

    def list(self) -> list[DeviceClass]:
        return list(self._classes.values())

    def get(self, name: str) -> DeviceClass:
        device_class = self._classes.get(name)
        if device_class is None:
            raise DeviceClassNotFoundError(f"There is no device class {name!r} in the snapshot.")
        return device_class


def add_devices(
    state: AllocatedState, allocation: Allocation, *, consumable_capacity: bool
) -> None:
    """Add one claim's devices to `state`, its shares apart if `consumable_capacity`."""
    for result in allocation.results:
        device = (result.driver, result.pool, result.device)
        if result.share_id is None or not consumable_capacity:
            state.devices.add(device)
            continue
        state.shared_devices.add((*device, result.share_id))
        consumed = state.aggregated_capacity.setdefault(device, {})
        for capacity, amount in result.consumed_capacity:
            consumed[capacity] = consumed.get(capacity, 0) + amount

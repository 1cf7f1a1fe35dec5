"""Resource claims: what a pod asks for, what it was given, and who holds it.

Claims are the only objects that a snapshot changes, so they are the only ones with a `clone`.
It copies what can change, as deeply as the generated deep copy of ``k8s.io/api/resource/v1beta1``:
owners, allocation and holders, each object and each list. What cannot change is shared: text and
numbers, as in Go; and the requests, for the API lets nobody change the spec of a claim, and in
Python a frozen object may be shared where Go has to copy. So the deep copy is as cheap as it can be
made without becoming another design.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_RESERVATIONS = 256
"""How many consumers may hold one claim at once (``ResourceClaimReservedForMaxSize``)."""


@dataclass(slots=True)
class OwnerReference:
    """One object that a claim belongs to; at most one owner is its controller."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """So many devices of one class; part of the claim's spec, which never changes."""

    name: str
    device_class_name: str
    count: int = 1


@dataclass(slots=True)
class DeviceResult:
    """One device given to one request; with a share id, a share of that device."""

    request: str
    driver: str
    pool: str
    device: str
    share_id: str | None = None
    consumed_capacity: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class NodeSelectorRequirement:
    """A field of the node and the values it may have."""

    key: str
    operator: str
    values: tuple[str, ...]

    def admits(self, node_name: str) -> bool:
        """Whether the node of that name meets the requirement.

        Raises
        ------
        ValueError
            If the requirement is about anything but ``metadata.name In``, the only field and the
            only operator that allocations for one node use.
        """
        if self.key != "metadata.name" or self.operator != "In":
            raise ValueError(
                f"The testbed can only match metadata.name In, not {self.key} {self.operator}."
            )
        return node_name in self.values


@dataclass(slots=True)
class NodeSelector:
    """Requirements that a node must all meet.

    Kubernetes has a list of such terms, of which one must be met; an allocation has exactly one.
    """

    match_fields: list[NodeSelectorRequirement]

    def admits(self, node_name: str) -> bool:
        """Whether the node of that name meets every requirement."""
        for requirement in self.match_fields:  # noqa: SIM110 (timed: a generator costs as much again)
            if not requirement.admits(node_name):
                return False
        return True


@dataclass(slots=True)
class Allocation:
    """The devices given to a claim, and the nodes where they can be used (None: everywhere)."""

    results: list[DeviceResult]
    node_selector: NodeSelector | None = None

    def is_available_on(self, node_name: str) -> bool:
        """Whether the devices can be used on the node of that name."""
        return self.node_selector is None or self.node_selector.admits(node_name)


@dataclass(slots=True)
class Reservation:
    """One consumer that holds a claim."""

    api_group: str
    resource: str
    name: str
    uid: str


@dataclass(slots=True)
class ResourceClaim:
    """A claim on devices: its owners, requests, allocation (None: not allocated) and holders."""

    namespace: str
    name: str
    uid: str
    owners: list[OwnerReference] = field(default_factory=list)
    requests: tuple[DeviceRequest, ...] = ()
    allocation: Allocation | None = None
    reserved_for: list[Reservation] = field(default_factory=list)

    def with_own_holders(self) -> ResourceClaim:
        """Copy the claim with a list of holders of its own; all else is the original's.

        Enough for whoever replaces an allocation instead of changing it, and never touches owners.
        """
        return ResourceClaim(
            self.namespace,
            self.name,
            self.uid,
            self.owners,
            self.requests,
            self.allocation,
            self.reserved_for.copy(),
        )

    def clone(self) -> ResourceClaim:
        """Copy the claim so deeply that no change of the copy can be seen in the original."""
        allocation = self.allocation
        if allocation is not None:
            selector = allocation.node_selector
            allocation = Allocation(
                [
                    DeviceResult(
                        result.request,
                        result.driver,
                        result.pool,
                        result.device,
                        result.share_id,
                        result.consumed_capacity,
                    )
                    for result in allocation.results
                ],
                None
                if selector is None
                else NodeSelector(
                    [
                        NodeSelectorRequirement(
                            requirement.key, requirement.operator, requirement.values
                        )
                        for requirement in selector.match_fields
                    ]
                ),
            )
        return ResourceClaim(
            self.namespace,
            self.name,
            self.uid,
            [
                OwnerReference(
                    owner.api_version, owner.kind, owner.name, owner.uid, owner.controller
                )
                for owner in self.owners
            ],
            self.requests,
            allocation,
            [
                Reservation(
                    reservation.api_group,
                    reservation.resource,
                    reservation.name,
                    reservation.uid,
                )
                for reservation in self.reserved_for
            ],
        )

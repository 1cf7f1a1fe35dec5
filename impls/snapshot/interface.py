"""The promise: a snapshot of dynamic resources that can be forked, reverted and committed.

A cluster autoscaler asks "what if": it forks its picture of the cluster, places pods, and reverts
or commits. The part of that picture simulated here is dynamic resource allocation: claims, the
slices of devices that nodes offer, and device classes.

A snapshot is a stack of layers. Reading sees the effective state of all of them; writing changes
the top one only. `Snapshot.fork` pushes a layer, `Snapshot.revert` drops the top one,
`Snapshot.commit` merges it into the one below. With a single layer the last two do nothing.

Four rules hold for every method:

- **Errors leave everything unchanged.** Each is a `SnapshotError`, drawn below.
- **Nothing leaks.** What a layer changes is never seen below it.
- **What callers hand in is never changed**, at no depth: no claim, list or map. Claims are stored
  by reference until they must change, then a clone is changed instead. So callers may keep their
  objects, but must not change one while a snapshot holds it.
- **What is handed out is to be read only.** Lists and maps are the caller's to keep; the claims
  in them are the stored ones and may change with the next call.

::

    SnapshotError
    ├── ClaimNameUndeterminedError    a pod's reference does not say which claim it means
    ├── ClaimNotTrackedError          a pod's reference means a claim the snapshot has not got
    ├── ClaimAlreadyTrackedError      a claim to be added is there already
    ├── TooManyReservationsError      a claim is full
    ├── SlicesAlreadyPresentError     a node to be given slices has some already
    ├── ClaimNotFoundError            a view was asked for a claim the snapshot has not got
    ├── ClaimUidMismatchError         an allocation was signalled for another claim of that name
    └── DeviceClassNotFoundError      a view was asked for a class the snapshot has not got

    NeverInSimulationError            a method was called that belongs to the real scheduler only

The interface is that of the autoscaler's ``dynamicresources.Snapshot`` (kubernetes/autoscaler
commit eb486661803b). Where its forms disagree, the stricter answer is the right one here:

=====================================  =================================================================
the forms upstream disagree on         here, and why
=====================================  =================================================================
a pod that names one claim twice       changed once, in the top layer only; three forms leak the change
                                       into the layer below, so that a revert does not undo it
removing claims of a pod whose         such references are skipped; two forms crash half-way, with half of the
reference leads nowhere                work done
a stored claim that is handed back in  the caller's from then on, so it is cloned before it changes; two forms
                                       change it in the layers below
whose a claim is                       the controller's UID decides; one form compares names too, and takes
                                       a claim without owner for that of a pod without name
a node without slices                  stays after a fork; the deep copy loses it
a view that was taken before a fork    follows the current layer; the deep copy's stays behind
objects handed in                      are never changed; all forms change them while there is one layer
slices of no node                      are apart; two forms keep them under a name that callers can remove
whether the top layer set a key        what was written decides, be it the same value again; the trie upstream
                                       compares values, and so cannot tell for lists
=====================================  =================================================================

An implementation is a module with a factory ``create`` (a `SnapshotFactory`); one that has a layered
map of its own also offers ``create_map`` (a `LayeredMapFactory`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NoReturn, Protocol, TypeVar

from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.pods import Node, Pod
from kubernetes_testbed.slices import DeviceClass, ResourceSlice

ClaimId = tuple[str, str]
"""Namespace and name of a claim."""

DeviceId = tuple[str, str, str]
"""Driver, pool and name of a device."""

SharedDeviceId = tuple[str, str, str, str]
"""Driver, pool, name and share id of one share of a device."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SnapshotError(Exception):
    """A call that the snapshot refused; it is as it was before."""


class ClaimNameUndeterminedError(SnapshotError):
    """A pod refers to a claim whose name is not known (yet)."""


class ClaimNotTrackedError(SnapshotError):
    """A pod refers to a claim that the snapshot has not got."""


class ClaimAlreadyTrackedError(SnapshotError):
    """A claim to be added has the namespace and name of one that is there."""


class TooManyReservationsError(SnapshotError):
    """A claim to be reserved has as many reservations as a claim may have."""


class SlicesAlreadyPresentError(SnapshotError):
    """A node to be given slices has an entry already, be it an empty one."""


class ClaimNotFoundError(SnapshotError):
    """There is no claim of that namespace and name."""


class ClaimUidMismatchError(SnapshotError):
    """The stored claim of that namespace and name has another UID."""


class DeviceClassNotFoundError(SnapshotError):
    """There is no device class of that name."""


class NeverInSimulationError(RuntimeError):
    """A mistake of the caller: only the binding phase of the real scheduler makes this call."""


@dataclass(slots=True)
class NodeInfo:
    """A node as the scheduler's filters see it.

    Attributes
    ----------
    node : Node
    pods : tuple of Pod
        The pods on the node.
    claims : list of list of ResourceClaim
        For each of those pods, its claims in the order of its references.
    resource_slices : tuple of ResourceSlice
        The node's own slices; empty if it has none.
    """

    node: Node
    pods: tuple[Pod, ...]
    claims: list[list[ResourceClaim]]
    resource_slices: tuple[ResourceSlice, ...]


@dataclass(slots=True)
class AllocatedState:
    """Which devices are taken.

    Attributes
    ----------
    devices : set of DeviceId
        Devices given away as a whole.
    shared_devices : set of SharedDeviceId
        Shares of devices given away.
    aggregated_capacity : dict
        For each shared device, how much of each capacity its shares consume together.
    """

    devices: set[DeviceId] = field(default_factory=set)
    shared_devices: set[SharedDeviceId] = field(default_factory=set)
    aggregated_capacity: dict[DeviceId, dict[str, int]] = field(default_factory=dict)


class ClaimsView(Protocol):
    """The claims of a snapshot's current layer; it follows forks, commits and reverts."""

    def list(self) -> list[ResourceClaim]:
        """All claims, in any order."""
        ...

    def get(self, namespace: str, name: str) -> ResourceClaim:
        """The claim of that namespace and name.

        Raises
        ------
        ClaimNotFoundError
            If there is none.
        """
        ...

    def list_all_allocated_devices(self) -> set[DeviceId]:
        """Every device in the allocation of some claim, shares included."""
        ...

    def gather_allocated_state(self, *, consumable_capacity: bool = False) -> AllocatedState:
        """Every device in the allocation of some claim, shares told apart if asked to.

        Parameters
        ----------
        consumable_capacity : bool
            The feature gate of that name. Without it every device counts as given away whole;
            with it results that have a share id are shared devices, and what they consume is
            added up.
        """
        ...

    def signal_claim_pending_allocation(
        self, claim_uid: str, allocated_claim: ResourceClaim
    ) -> None:
        """Put a claim in the place of the stored one of its namespace and name.

        Neither the new claim's UID nor whether it is allocated is checked.

        Parameters
        ----------
        claim_uid : str
            UID that the stored claim must have.
        allocated_claim : ResourceClaim
            The claim to store, in the current layer and by reference.

        Raises
        ------
        ClaimNotFoundError
            If there is no claim of that namespace and name.
        ClaimUidMismatchError
            If the stored one has another UID.
        """
        ...

    def claim_has_pending_allocation(self, claim_uid: str) -> bool:
        """Always False: in a simulation an allocation is never pending, it is there at once."""
        ...

    def remove_claim_pending_allocation(self, claim_uid: str) -> NoReturn:
        """Not for simulations: raises `NeverInSimulationError`."""
        ...

    def assume_claim_after_api_call(self, claim: ResourceClaim) -> NoReturn:
        """Not for simulations: raises `NeverInSimulationError`."""
        ...

    def assumed_claim_restore(self, namespace: str, name: str) -> NoReturn:
        """Not for simulations: raises `NeverInSimulationError`."""
        ...


class SlicesView(Protocol):
    """The resource slices of a snapshot's current layer; it follows forks, commits and reverts."""

    def list(self) -> list[ResourceSlice]:
        """All slices, those of nodes and those of none, in any order."""
        ...


class ClassesView(Protocol):
    """The device classes of a snapshot."""

    def list(self) -> list[DeviceClass]:
        """All classes, in any order."""
        ...

    def get(self, name: str) -> DeviceClass:
        """The class of that name.

        Raises
        ------
        DeviceClassNotFoundError
            If there is none.
        """
        ...


class Snapshot(Protocol):
    """Dynamic resources of a simulated cluster, in layers."""

    def resource_claims(self) -> ClaimsView:
        """A view of the claims."""
        ...

    def resource_slices(self) -> SlicesView:
        """A view of the resource slices."""
        ...

    def device_classes(self) -> ClassesView:
        """A view of the device classes."""
        ...

    def add_claims(self, claims: Iterable[ResourceClaim]) -> None:
        """Add claims, all or none; of several with one namespace and name the last is added.

        Raises
        ------
        ClaimAlreadyTrackedError
            If the snapshot has one of them.
        """
        ...

    def pod_claims(self, pod: Pod) -> list[ResourceClaim]:
        """The claims that a pod refers to, in the order of its references.

        A claim that is referred to twice is listed twice.

        Raises
        ------
        ClaimNameUndeterminedError, ClaimNotTrackedError
            For the first reference that cannot be followed.
        """
        ...

    def reserve_pod_claims(self, pod: Pod) -> None:
        """Reserve all claims of a pod for it, or none.

        A claim with an entry of the pod's UID is reserved for it already, even if it is full.

        Raises
        ------
        ClaimNameUndeterminedError, ClaimNotTrackedError
            As `pod_claims`.
        TooManyReservationsError
            If a claim has `kubernetes_testbed.claims.MAX_RESERVATIONS` others.
        """
        ...

    def unreserve_pod_claims(self, pod: Pod) -> None:
        """Take back a pod's reservations, and the allocations that nobody needs any more.

        Of each claim the first reservation with the pod's name and UID goes. Then its allocation
        goes too, if the claim is the pod's own (its controller has the pod's UID, in the pod's
        namespace) or has no reservation left; also when the pod had reserved nothing.

        Raises
        ------
        ClaimNameUndeterminedError, ClaimNotTrackedError
            As `pod_claims`.
        """
        ...

    def remove_pod_owned_claims(self, pod: Pod) -> None:
        """Remove the pod's own claims and its reservations of others.

        Other claims keep their allocation. References that cannot be followed are skipped.
        """
        ...

    def node_resource_slices(self, node_name: str) -> tuple[ResourceSlice, ...] | None:
        """The slices of a node in stored order; None if there is no entry for the node."""
        ...

    def add_node_resource_slices(self, node_name: str, slices: Iterable[ResourceSlice]) -> None:
        """Add a node's slices; an entry without slices is an entry too.

        Raises
        ------
        SlicesAlreadyPresentError
            If there is an entry for the node.
        """
        ...

    def remove_node_resource_slices(self, node_name: str) -> None:
        """Remove a node's entry, if there is one."""
        ...

    def wrap_node_info(self, node: Node, pods: Sequence[Pod]) -> NodeInfo:
        """A node with its slices, and the pods on it with their claims.

        Raises
        ------
        ClaimNameUndeterminedError, ClaimNotTrackedError
            As `pod_claims`, for any of the pods.
        """
        ...

    def fork(self) -> None:
        """Push a layer: what changes from now on can be reverted."""
        ...

    def commit(self) -> None:
        """Merge the top layer into the one below; nothing if it is the only one."""
        ...

    def revert(self) -> None:
        """Drop the top layer with all its changes; nothing if it is the only one."""
        ...


class SnapshotFactory(Protocol):
    """Makes a snapshot of one layer; this is an implementation's ``create``."""

    def __call__(
        self,
        claims: Mapping[ClaimId, ResourceClaim] | None = None,
        node_slices: Mapping[str, Sequence[ResourceSlice]] | None = None,
        non_local_slices: Iterable[ResourceSlice] = (),
        device_classes: Mapping[str, DeviceClass] | None = None,
    ) -> Snapshot:
        """Make a snapshot; maps and lists are copied, what is in them is not.

        Parameters
        ----------
        claims : mapping of ClaimId to ResourceClaim, optional
        node_slices : mapping of str to sequence of ResourceSlice, optional
            The slices of each node.
        non_local_slices : iterable of ResourceSlice
            Slices that belong to no single node.
        device_classes : mapping of str to DeviceClass, optional
        """
        ...


@dataclass(frozen=True, slots=True)
class Patch(Generic[K, V]):
    """What one layer changes: keys with their new values, and keys that are gone."""

    modified: Mapping[K, V] = field(default_factory=dict)
    deleted: Collection[K] = ()


class LayeredMap(Protocol[K, V]):
    """A map in layers: what a snapshot keeps its claims and slices in.

    Values are never None.
    """

    def set(self, key: K, value: V) -> None:
        """Give `key` a value in the top layer."""
        ...

    def delete(self, key: K) -> None:
        """Record `key` as gone in the top layer, even if it never was there."""
        ...

    def find(self, key: K, /) -> V | None:
        """The effective value of `key`, None if it has none.

        It is what the uppermost layer that knows the key says. A bound ``find`` is good until the
        next write, listing or change of layers: it may be a dict's own.
        """
        ...

    def values(self) -> list[V]:
        """All effective values, in any order, in a list of the caller's own."""
        ...

    def as_map(self) -> dict[K, V]:
        """All keys that have an effective value with it, in a dict of the caller's own."""
        ...

    def fork(self) -> None:
        """Push an empty layer."""
        ...

    def commit(self) -> None:
        """Merge the top layer into the one below, deletions included; nothing below two layers."""
        ...

    def revert(self) -> None:
        """Drop the top layer; nothing below two layers."""
        ...

    def depth(self) -> int:
        """The number of layers."""
        ...


class RecordingMap(LayeredMap[K, V], Protocol[K, V]):
    """A layered map that can tell what its top layer set; no snapshot has to."""

    def in_current_patch(self, key: K) -> bool:
        """Whether the top layer gives `key` a value.

        False if it deletes the key, or if the value comes from below. After a commit the merged
        layer counts as having set what either of the two did.
        """
        ...


class LayeredMapFactory(Protocol):
    """Makes a layered map; an implementation's ``create_map``, if it has one."""

    def __call__(self, layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
        """Make a map of layers, bottom first; what is handed in is copied.

        Without any the map has depth 0. Then the first write makes the first layer, and so does
        the first fork, so what was written in that fork can no longer be reverted.
        """
        ...

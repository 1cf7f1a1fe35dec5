"""Lets an implementation answer the operations of a recorded case, in the words of the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impls.snapshot.interface import (
    ClaimAlreadyTrackedError,
    ClaimNameUndeterminedError,
    ClaimNotFoundError,
    ClaimNotTrackedError,
    ClaimsView,
    ClaimUidMismatchError,
    DeviceClassNotFoundError,
    NeverInSimulationError,
    SlicesAlreadyPresentError,
    SnapshotError,
    SnapshotFactory,
    TooManyReservationsError,
)
from kubernetes_testbed.claims import (
    Allocation,
    DeviceResult,
    OwnerReference,
    Reservation,
    ResourceClaim,
)
from kubernetes_testbed.pods import Pod, PodClaimReference, PodClaimStatus
from kubernetes_testbed.slices import DeviceClass, ResourceSlice

Json = Any

ERRORS: dict[type[SnapshotError], str] = {
    ClaimAlreadyTrackedError: "already_tracked",
    ClaimNameUndeterminedError: "name_undetermined",
    ClaimNotFoundError: "not_found",
    ClaimNotTrackedError: "not_tracked",
    ClaimUidMismatchError: "uid_mismatch",
    DeviceClassNotFoundError: "class_not_found",
    SlicesAlreadyPresentError: "slices_already_present",
    TooManyReservationsError: "max_reservations",
}


class SnapshotReplay:
    """One snapshot, made and driven as a recorded case says.

    Attributes
    ----------
    objects : dict
        The claims that the case hands in, by their recorded names; each is one object however
        often it is handed in.
    """

    def __init__(self, create: SnapshotFactory, case: Json) -> None:
        self.objects = {name: _claim(content) for name, content in case["objects"].items()}
        self._pods = {name: _pod(content) for name, content in case["pods"].items()}
        self._slices = {name: _slice(name, content) for name, content in case["slices"].items()}
        self._views: dict[str, ClaimsView] = {}
        initial = case["initial"]
        if initial["empty"]:
            self._snapshot = create()
            return
        given = [self.objects[name] for name in initial["claims"]]
        self._snapshot = create(
            claims={(claim.namespace, claim.name): claim for claim in given},
            node_slices={
                node: [self._slices[name] for name in names]
                for node, names in initial["node_slices"].items()
            },
            non_local_slices=[self._slices[name] for name in initial["non_local_slices"]],
            device_classes={name: DeviceClass(name) for name in initial["device_classes"]},
        )

    def apply(self, operation: Json) -> Json:
        """Do one operation and give its answer as it would be recorded."""
        name, *arguments = operation
        call: Callable[..., Json] = getattr(self, f"_{name}")
        try:
            answer = call(*arguments)
        except SnapshotError as error:
            return {"error": ERRORS[type(error)]}
        except NeverInSimulationError:
            return {"panic": "never_called"}
        return "ok" if answer is None else answer

    def _fork(self) -> None:
        self._snapshot.fork()

    def _commit(self) -> None:
        self._snapshot.commit()

    def _revert(self) -> None:
        self._snapshot.revert()

    def _add_claims(self, names: list[str]) -> None:
        self._snapshot.add_claims([self.objects[name] for name in names])

    def _pod_claims(self, pod: str) -> Json:
        return [shown(claim) for claim in self._snapshot.pod_claims(self._pods[pod])]

    def _reserve(self, pod: str) -> None:
        self._snapshot.reserve_pod_claims(self._pods[pod])

    def _unreserve(self, pod: str) -> None:
        self._snapshot.unreserve_pod_claims(self._pods[pod])

    def _remove_pod_owned_claims(self, pod: str) -> None:
        self._snapshot.remove_pod_owned_claims(self._pods[pod])

    def _claims_list(self) -> Json:
        return _listed(self._snapshot.resource_claims())

    def _tracker_hold(self, view: str) -> None:
        self._views[view] = self._snapshot.resource_claims()

    def _tracker_list(self, view: str) -> Json:
        return _listed(self._views[view])

    def _claim_get(self, namespace: str, name: str) -> Json:
        return shown(self._snapshot.resource_claims().get(namespace, name))

    def _list_all_allocated_devices(self) -> Json:
        return sorted(map("/".join, self._snapshot.resource_claims().list_all_allocated_devices()))

    def _signal_pending(self, uid: str, name: str) -> None:
        claims = self._snapshot.resource_claims()
        claims.signal_claim_pending_allocation(uid, self.objects[name])

    def _signal_pending_stored(self, namespace: str, name: str) -> None:
        claims = self._snapshot.resource_claims()
        stored = claims.get(namespace, name)
        claims.signal_claim_pending_allocation(stored.uid, stored)

    def _has_pending(self, uid: str) -> bool:
        return self._snapshot.resource_claims().claim_has_pending_allocation(uid)

    def _assume_after_api_call(self, name: str) -> None:
        self._snapshot.resource_claims().assume_claim_after_api_call(self.objects[name])

    def _assumed_restore(self, namespace: str, name: str) -> None:
        self._snapshot.resource_claims().assumed_claim_restore(namespace, name)

    def _objects(self) -> Json:
        return {name: shown(claim) for name, claim in self.objects.items()}

    def _node_slices_get(self, node: str) -> Json:
        slices = self._snapshot.node_resource_slices(node)
        return [slices is not None, [one.name for one in slices or ()]]

    def _node_slices_add(self, node: str, names: list[str]) -> None:
        self._snapshot.add_node_resource_slices(node, [self._slices[name] for name in names])

    def _node_slices_remove(self, node: str) -> None:
        self._snapshot.remove_node_resource_slices(node)

    def _slices_list(self) -> Json:
        return sorted(one.name for one in self._snapshot.resource_slices().list())

    def _classes_list(self) -> Json:
        return sorted(one.name for one in self._snapshot.device_classes().list())

    def _class_get(self, name: str) -> Json:
        return self._snapshot.device_classes().get(name).name


def shown(claim: ResourceClaim) -> Json:
    """A claim as it is recorded."""
    allocation = claim.allocation
    return [
        f"{claim.namespace}/{claim.name}",
        claim.uid,
        ["|".join((e.api_group, e.resource, e.name, e.uid)) for e in claim.reserved_for],
        None
        if allocation is None
        else ["/".join((r.driver, r.pool, r.device)) for r in allocation.results],
    ]


def _listed(view: ClaimsView) -> Json:
    claims = sorted(view.list(), key=lambda claim: (claim.namespace, claim.name))
    return [shown(claim) for claim in claims]


def _claim(content: Json) -> ResourceClaim:
    return ResourceClaim(
        content["namespace"],
        content["name"],
        content["uid"],
        [
            OwnerReference(
                owner["api_version"],
                owner["kind"],
                owner["name"],
                owner["uid"],
                bool(owner.get("controller")),
            )
            for owner in content.get("owners", [])
        ],
        (),
        Allocation([DeviceResult("request", *device) for device in content.get("devices", [])])
        if content["allocated"]
        else None,
        [Reservation(*entry) for entry in content.get("reserved_for", [])],
    )


def _pod(content: Json) -> Pod:
    return Pod(
        content["namespace"],
        content["name"],
        content["uid"],
        tuple(
            PodClaimReference(ref["name"], ref.get("claim_name"), ref.get("template"))
            for ref in content["refs"]
        ),
        tuple(
            PodClaimStatus(status["name"], status["claim_name"])
            for status in content.get("statuses", [])
        ),
    )


def _slice(name: str, content: Json) -> ResourceSlice:
    return ResourceSlice(
        name,
        content["driver"],
        content["pool"],
        tuple(content["devices"]),
        content.get("node") or None,
    )

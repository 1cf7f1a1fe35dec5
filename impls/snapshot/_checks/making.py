"""What the checks are made of: small claims, pods and slices, and how an expectation fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impls.snapshot.interface import ClaimId, Snapshot
from kubernetes_testbed.claims import (
    Allocation,
    DeviceRequest,
    DeviceResult,
    NodeSelector,
    NodeSelectorRequirement,
    OwnerReference,
    Reservation,
    ResourceClaim,
)
from kubernetes_testbed.pods import Pod, PodClaimReference, PodClaimStatus
from kubernetes_testbed.slices import ResourceSlice


def expect(what: str, seen: object, expected: object) -> None:
    assert seen == expected, f"{what}: expected {expected!r}, saw {seen!r}"


def expect_error(error: type[Exception], call: Callable[..., object], *arguments: Any) -> None:
    name = getattr(call, "__name__", repr(call))
    try:
        answer = call(*arguments)
    except error:
        return
    except Exception as other:
        raise AssertionError(f"{name}: expected {error.__name__}, got {other!r}") from other
    raise AssertionError(f"{name}: expected {error.__name__}, got the answer {answer!r}")


def a_claim(
    name: str,
    *,
    namespace: str = "default",
    uid: str | None = None,
    owners: list[OwnerReference] | None = None,
    devices: list[str] | None = None,
    reserved_for: list[str] | None = None,
    entries: list[Reservation] | None = None,
) -> ResourceClaim:
    """A claim, allocated if `devices` is given, reserved for pods by name or with `entries`."""
    return ResourceClaim(
        namespace,
        name,
        f"{name}-uid" if uid is None else uid,
        list(owners or []),
        (DeviceRequest("request", "gpu"),),
        None
        if devices is None
        else Allocation(
            [DeviceResult("request", "driver", "pool", device) for device in devices],
            NodeSelector([NodeSelectorRequirement("metadata.name", "In", ("node-0",))]),
        ),
        [*(entries or []), *map(a_reservation, reserved_for or [])],
    )


def own_claim(name: str, pod_name: str, **content: Any) -> ResourceClaim:
    owner = OwnerReference("v1", "Pod", pod_name, f"{pod_name}-uid", True)
    return a_claim(name, owners=[owner], **content)


def by_id(*claims: ResourceClaim) -> dict[ClaimId, ResourceClaim]:
    return {(claim.namespace, claim.name): claim for claim in claims}


def a_reservation(pod_name: str) -> Reservation:
    return Reservation("", "pods", pod_name, f"{pod_name}-uid")


def other_holders(count: int) -> list[str]:
    return [f"other-{index}" for index in range(count)]


def a_slice(name: str, node: str | None = "node-0") -> ResourceSlice:
    return ResourceSlice(name, "driver", "pool", ("d0", "d1"), node)


def a_pod(name: str, *claim_names: str, namespace: str = "default") -> Pod:
    """A pod that refers to claims by name; an empty name leaves it undetermined."""
    return Pod(
        namespace,
        name,
        f"{name}-uid",
        tuple(
            PodClaimReference(f"ref-{index}", claim_name)
            for index, claim_name in enumerate(claim_names)
        ),
    )


def a_pod_by_template(*statuses: tuple[str, str | None]) -> Pod:
    """A pod with one reference, ``ref``, to a claim made from a template."""
    return Pod(
        "default",
        "pod-0",
        "pod-0-uid",
        (PodClaimReference("ref", None, "template"),),
        tuple(PodClaimStatus(name, claim_name) for name, claim_name in statuses),
    )


def names_of_claims(snapshot: Snapshot) -> list[str]:
    return sorted(claim.name for claim in snapshot.resource_claims().list())


def names_of_pod(snapshot: Snapshot, pod: Pod) -> list[str]:
    return [claim.name for claim in snapshot.pod_claims(pod)]


def holders_of(snapshot: Snapshot, claim_name: str) -> list[str]:
    claim = snapshot.resource_claims().get("default", claim_name)
    return [entry.name for entry in claim.reserved_for]


def names_of_slices(snapshot: Snapshot) -> list[str]:
    return sorted(one.name for one in snapshot.resource_slices().list())


def names_of_node(snapshot: Snapshot, node_name: str) -> list[str] | None:
    slices = snapshot.node_resource_slices(node_name)
    return None if slices is None else [one.name for one in slices]

"""What a snapshot holds, and how claims come into it."""

from __future__ import annotations

from impls.snapshot._checks.making import (
    a_claim,
    a_pod,
    a_slice,
    by_id,
    expect,
    expect_error,
    names_of_claims,
    names_of_slices,
    own_claim,
)
from impls.snapshot.interface import (
    ClaimAlreadyTrackedError,
    ClaimNotFoundError,
    DeviceClassNotFoundError,
    SnapshotFactory,
)
from kubernetes_testbed.slices import DeviceClass


def check_a_new_snapshot_is_empty(create: SnapshotFactory) -> None:
    """A snapshot made of nothing holds nothing."""
    snapshot = create()
    expect("claims", snapshot.resource_claims().list(), [])
    expect("slices", snapshot.resource_slices().list(), [])
    expect("classes", snapshot.device_classes().list(), [])


def check_a_new_snapshot_holds_what_it_was_given(create: SnapshotFactory) -> None:
    """A snapshot holds the claims, slices and classes it was made with."""
    snapshot = create(
        claims=by_id(a_claim("a"), a_claim("b")),
        node_slices={"node-0": [a_slice("s0"), a_slice("s1")]},
        non_local_slices=[a_slice("s2", node=None)],
        device_classes={"gpu": DeviceClass("gpu")},
    )
    expect("claims", names_of_claims(snapshot), ["a", "b"])
    expect("slices", names_of_slices(snapshot), ["s0", "s1", "s2"])
    expect("classes", snapshot.device_classes().list(), [DeviceClass("gpu")])


def check_device_classes_are_found_by_name(create: SnapshotFactory) -> None:
    """A device class is found by its name, in every layer; an unknown name is an error."""
    snapshot = create(device_classes={"gpu": DeviceClass("gpu"), "nic": DeviceClass("nic")})
    snapshot.fork()
    expect("class", snapshot.device_classes().get("nic"), DeviceClass("nic"))
    expect_error(DeviceClassNotFoundError, snapshot.device_classes().get, "tpu")


def check_a_claim_is_found_by_namespace_and_name(create: SnapshotFactory) -> None:
    """A claim is found by its namespace and name; where one of the two differs there is none."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("a", namespace="other", uid="x")))
    claims = snapshot.resource_claims()
    expect("claim", claims.get("other", "a").uid, "x")
    expect_error(ClaimNotFoundError, claims.get, "default", "b")
    expect_error(ClaimNotFoundError, claims.get, "third", "a")


def check_added_claims_are_there(create: SnapshotFactory) -> None:
    """Claims that were added are listed and found; adding none is fine."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.add_claims([])
    snapshot.add_claims(claim for claim in (a_claim("b"), a_claim("c")))
    expect("claims", names_of_claims(snapshot), ["a", "b", "c"])
    expect("claim", snapshot.resource_claims().get("default", "c"), a_claim("c"))


def check_claims_are_added_all_or_none(create: SnapshotFactory) -> None:
    """If one claim is there already, no claim is added."""
    snapshot = create(claims=by_id(a_claim("b")))
    expect_error(ClaimAlreadyTrackedError, snapshot.add_claims, [a_claim("a"), a_claim("b")])
    expect("claims", names_of_claims(snapshot), ["b"])


def check_of_two_claims_with_one_name_the_last_is_added(create: SnapshotFactory) -> None:
    """Two claims with one namespace and name can be added at once; the last one is kept."""
    snapshot = create()
    snapshot.add_claims([a_claim("a", uid="first"), a_claim("a", uid="last")])
    expect("claims", [claim.uid for claim in snapshot.resource_claims().list()], ["last"])


def check_a_removed_claim_can_be_added_again(create: SnapshotFactory) -> None:
    """A claim that was removed in a fork can be added in it; a revert brings the old one back."""
    snapshot = create(claims=by_id(own_claim("a", "pod-0")))
    snapshot.fork()
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "a"))
    snapshot.add_claims([a_claim("a", uid="new")])
    expect("UID in the fork", snapshot.resource_claims().get("default", "a").uid, "new")
    snapshot.revert()
    expect("UID after it", snapshot.resource_claims().get("default", "a").uid, "a-uid")

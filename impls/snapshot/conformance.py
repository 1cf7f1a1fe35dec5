"""Every promise of the snapshot as a check; an implementation is right if it passes all of them.

A check is a function of the factory ``create``; its first line is the promise. It raises
`AssertionError` if the promise is broken. Checks look at one promise each where they can, so
that the name of the one that fails says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impls.snapshot.interface import (
    AllocatedState,
    ClaimAlreadyTrackedError,
    ClaimId,
    ClaimNameUndeterminedError,
    ClaimNotFoundError,
    ClaimNotTrackedError,
    ClaimUidMismatchError,
    DeviceClassNotFoundError,
    NeverInSimulationError,
    NodeInfo,
    SlicesAlreadyPresentError,
    Snapshot,
    SnapshotFactory,
    TooManyReservationsError,
)
from kubernetes_testbed.claims import (
    MAX_RESERVATIONS,
    Allocation,
    DeviceRequest,
    DeviceResult,
    NodeSelector,
    NodeSelectorRequirement,
    OwnerReference,
    Reservation,
    ResourceClaim,
)
from kubernetes_testbed.pods import Node, Pod, PodClaimReference, PodClaimStatus
from kubernetes_testbed.slices import DeviceClass, ResourceSlice

# --- what a new snapshot holds ---


def check_a_new_snapshot_is_empty(create: SnapshotFactory) -> None:
    """A snapshot made of nothing holds nothing."""
    snapshot = create()
    _expect("claims", snapshot.resource_claims().list(), [])
    _expect("slices", snapshot.resource_slices().list(), [])
    _expect("classes", snapshot.device_classes().list(), [])


def check_a_new_snapshot_holds_what_it_was_given(create: SnapshotFactory) -> None:
    """A snapshot holds the claims, slices and classes it was made with."""
    snapshot = create(
        claims=_claims_by_id(_claim("a"), _claim("b")),
        node_slices={"node-0": [_slice("s0"), _slice("s1")]},
        non_local_slices=[_slice("s2", node=None)],
        device_classes={"gpu": DeviceClass("gpu")},
    )
    _expect("claims", _claim_names(snapshot), ["a", "b"])
    _expect("slices", _slice_names(snapshot), ["s0", "s1", "s2"])
    _expect("classes", snapshot.device_classes().list(), [DeviceClass("gpu")])


def check_device_classes_are_found_by_name(create: SnapshotFactory) -> None:
    """A device class is found by its name, in every layer; an unknown name is an error."""
    snapshot = create(device_classes={"gpu": DeviceClass("gpu"), "nic": DeviceClass("nic")})
    snapshot.fork()
    _expect("class", snapshot.device_classes().get("nic"), DeviceClass("nic"))
    _expect_error(DeviceClassNotFoundError, snapshot.device_classes().get, "tpu")


def check_a_claim_is_found_by_namespace_and_name(create: SnapshotFactory) -> None:
    """A claim is found by its namespace and name; where one of the two differs there is none."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("a", namespace="other", uid="x")))
    claims = snapshot.resource_claims()
    _expect("claim", claims.get("other", "a").uid, "x")
    _expect_error(ClaimNotFoundError, claims.get, "default", "b")
    _expect_error(ClaimNotFoundError, claims.get, "third", "a")


# --- adding claims ---


def check_added_claims_are_there(create: SnapshotFactory) -> None:
    """Claims that were added are listed and found; adding none is fine."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.add_claims([])
    snapshot.add_claims(claim for claim in (_claim("b"), _claim("c")))
    _expect("claims", _claim_names(snapshot), ["a", "b", "c"])
    _expect("claim", snapshot.resource_claims().get("default", "c"), _claim("c"))


def check_claims_are_added_all_or_none(create: SnapshotFactory) -> None:
    """If one claim is there already, no claim is added."""
    snapshot = create(claims=_claims_by_id(_claim("b")))
    _expect_error(ClaimAlreadyTrackedError, snapshot.add_claims, [_claim("a"), _claim("b")])
    _expect("claims", _claim_names(snapshot), ["b"])


def check_of_two_claims_with_one_name_the_last_is_added(create: SnapshotFactory) -> None:
    """Two claims with one namespace and name can be added at once; the last one is kept."""
    snapshot = create()
    snapshot.add_claims([_claim("a", uid="first"), _claim("a", uid="last")])
    _expect("claims", [claim.uid for claim in snapshot.resource_claims().list()], ["last"])


def check_a_removed_claim_can_be_added_again(create: SnapshotFactory) -> None:
    """A claim that was removed in a fork can be added in it; a revert brings the old one back."""
    snapshot = create(claims=_claims_by_id(_own_claim("a", "pod-0")))
    snapshot.fork()
    snapshot.remove_pod_owned_claims(_pod("pod-0", "a"))
    snapshot.add_claims([_claim("a", uid="new")])
    _expect("UID in the fork", snapshot.resource_claims().get("default", "a").uid, "new")
    snapshot.revert()
    _expect("UID after it", snapshot.resource_claims().get("default", "a").uid, "a-uid")


# --- from a pod to its claims ---


def check_claims_come_in_the_order_of_the_references(create: SnapshotFactory) -> None:
    """A pod's claims come in the order of its references, one named twice comes twice."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("b"), _claim("c")))
    _expect("claims", _names_of_pod(snapshot, _pod("pod-0", "b", "a", "b")), ["b", "a", "b"])
    _expect("claims of no reference", snapshot.pod_claims(_pod("pod-0")), [])


def check_claims_are_looked_up_in_the_pods_namespace(create: SnapshotFactory) -> None:
    """A pod's claims are looked for in the pod's namespace."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("a", namespace="other", uid="x")))
    (found,) = snapshot.pod_claims(_pod("pod-0", "a", namespace="other"))
    _expect("UID", found.uid, "x")
    pod = _pod("pod-0", "a", namespace="third")
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)


def check_a_name_in_the_reference_wins_over_the_status(create: SnapshotFactory) -> None:
    """A reference that names its claim means that claim, whatever the pod's status says."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("b")))
    pod = Pod(
        "default",
        "pod-0",
        "pod-0-uid",
        (PodClaimReference("ref", "a", "template"),),
        (PodClaimStatus("ref", "b"),),
    )
    _expect("claims", _names_of_pod(snapshot, pod), ["a"])


def check_the_first_status_that_names_a_claim_decides(create: SnapshotFactory) -> None:
    """A reference without a name means the claim in its first status entry that has one."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("b"), _claim("c")))
    pod = _template_pod(("other", "a"), ("ref", None), ("ref", "b"), ("ref", "c"))
    _expect("claims", _names_of_pod(snapshot, pod), ["b"])


def check_an_unknown_claim_name_is_an_error(create: SnapshotFactory) -> None:
    """A reference whose claim's name is missing, null or empty is undetermined."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("")))
    for pod in (_template_pod(), _template_pod(("ref", None)), _pod("pod-0", "")):
        for call in (
            snapshot.pod_claims,
            snapshot.reserve_pod_claims,
            snapshot.unreserve_pod_claims,
        ):
            _expect_error(ClaimNameUndeterminedError, call, pod)


def check_the_first_bad_reference_decides_the_error(create: SnapshotFactory) -> None:
    """Of several references that cannot be followed, the first one is reported."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    missing_first = _pod("pod-0", "a", "missing", "")
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, missing_first)
    undetermined_first = _pod("pod-0", "a", "", "missing")
    _expect_error(ClaimNameUndeterminedError, snapshot.pod_claims, undetermined_first)


# --- reserving ---


def check_reserving_appends_one_entry_for_the_pod(create: SnapshotFactory) -> None:
    """Reserving appends the pod to each of its claims, once."""
    snapshot = create(claims=_claims_by_id(_claim("a", reserved_for=["x"]), _claim("b")))
    for _ in range(2):
        snapshot.reserve_pod_claims(_pod("pod-0", "a", "b"))
    _expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        _claim("a", reserved_for=["x", "pod-0"]),
    )
    _expect(
        "other claim",
        snapshot.resource_claims().get("default", "b"),
        _claim("b", reserved_for=["pod-0"]),
    )


def check_a_claim_named_twice_is_reserved_once(create: SnapshotFactory) -> None:
    """A pod that names one claim twice reserves it once, even if it takes the last place."""
    snapshot = create(claims=_claims_by_id(_claim("a", reserved_for=_others(255))))
    snapshot.reserve_pod_claims(_pod("pod-0", "a", "a"))
    _expect("reservations", _reservations(snapshot, "a"), [*_others(255), "pod-0"])


def check_a_claim_is_reserved_for_a_pod_by_its_uid(create: SnapshotFactory) -> None:
    """An entry with the pod's UID counts as the pod's, whatever its name; and only such a one."""
    snapshot = create(claims=_claims_by_id(_claim("a"), _claim("b")))
    stranger = Reservation("", "pods", "another-name", "pod-0-uid")
    namesake = Reservation("", "pods", "pod-0", "another-uid")
    snapshot.add_claims([_claim("c", entries=[stranger]), _claim("d", entries=[namesake])])
    snapshot.reserve_pod_claims(_pod("pod-0", "c", "d"))
    claims = snapshot.resource_claims()
    _expect("reservations by UID", claims.get("default", "c").reserved_for, [stranger])
    _expect(
        "reservations by name",
        claims.get("default", "d").reserved_for,
        [namesake, _reservation("pod-0")],
    )


def check_a_claim_takes_256_reservations_and_no_more(create: SnapshotFactory) -> None:
    """The 256th reservation of a claim is accepted, the 257th is an error."""
    snapshot = create(claims=_claims_by_id(_claim("a", reserved_for=_others(255))))
    snapshot.reserve_pod_claims(_pod("pod-0", "a"))
    _expect_error(TooManyReservationsError, snapshot.reserve_pod_claims, _pod("pod-1", "a"))
    _expect("reservations", len(_reservations(snapshot, "a")), MAX_RESERVATIONS)


def check_a_full_claim_can_be_reserved_again(create: SnapshotFactory) -> None:
    """A pod that has reserved a claim may reserve it again, even if the claim is full."""
    others = _others(MAX_RESERVATIONS)
    snapshot = create(claims=_claims_by_id(_claim("a", reserved_for=others)))
    snapshot.reserve_pod_claims(_pod(others[7], "a"))
    _expect("reservations", _reservations(snapshot, "a"), others)


def check_reserving_is_all_or_nothing(create: SnapshotFactory) -> None:
    """If one claim of a pod cannot be reserved, none is."""
    full = _claim("full", reserved_for=_others(MAX_RESERVATIONS))
    snapshot = create(claims=_claims_by_id(_claim("a"), full))
    for error, pod in (
        (TooManyReservationsError, _pod("pod-0", "a", "full")),
        (ClaimNotTrackedError, _pod("pod-0", "a", "missing")),
        (ClaimNameUndeterminedError, _pod("pod-0", "a", "")),
    ):
        _expect_error(error, snapshot.reserve_pod_claims, pod)
        _expect(f"reservations after {error.__name__}", _reservations(snapshot, "a"), [])


# --- unreserving ---


def check_unreserving_removes_the_pods_entry_only(create: SnapshotFactory) -> None:
    """Unreserving removes the first entry with the pod's name and UID, and no other."""
    entries = [
        Reservation("", "pods", "pod-0", "another-uid"),
        Reservation("", "pods", "another-name", "pod-0-uid"),
        Reservation("group", "pods", "pod-0", "pod-0-uid"),
        Reservation("", "jobs", "pod-0", "pod-0-uid"),
        _reservation("pod-0"),
        _reservation("pod-1"),
        _reservation("pod-0"),
    ]
    snapshot = create(claims=_claims_by_id(_claim("a", entries=entries)))
    snapshot.unreserve_pod_claims(_pod("pod-0", "a"))
    _expect(
        "reservations",
        snapshot.resource_claims().get("default", "a").reserved_for,
        entries[:4] + entries[5:],
    )


def check_unreserving_the_last_entry_clears_the_allocation(create: SnapshotFactory) -> None:
    """A claim that nobody reserves any more loses its allocation."""
    claim = _claim("a", devices=["d0"], reserved_for=["pod-0"])
    snapshot = create(claims=_claims_by_id(claim))
    snapshot.unreserve_pod_claims(_pod("pod-0", "a"))
    _expect("claim", snapshot.resource_claims().get("default", "a"), _claim("a"))


def check_unreserving_keeps_an_allocation_that_others_need(create: SnapshotFactory) -> None:
    """A claim that others reserve keeps its allocation."""
    claim = _claim("a", devices=["d0"], reserved_for=["pod-0", "pod-1"])
    snapshot = create(claims=_claims_by_id(claim))
    snapshot.unreserve_pod_claims(_pod("pod-0", "a"))
    _expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        _claim("a", devices=["d0"], reserved_for=["pod-1"]),
    )


def check_unreserving_clears_the_allocation_of_an_own_claim(create: SnapshotFactory) -> None:
    """A pod's own claim loses its allocation even if others reserve it."""
    claim = _own_claim("a", "pod-0", devices=["d0"], reserved_for=["pod-0", "pod-1"])
    snapshot = create(claims=_claims_by_id(claim))
    snapshot.unreserve_pod_claims(_pod("pod-0", "a"))
    _expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        _own_claim("a", "pod-0", reserved_for=["pod-1"]),
    )


def check_unreserving_clears_what_nobody_had_reserved(create: SnapshotFactory) -> None:
    """A claim without reservations loses its allocation, whoever unreserves it."""
    snapshot = create(claims=_claims_by_id(_claim("a", devices=["d0"])))
    snapshot.unreserve_pod_claims(_pod("pod-0", "a"))
    _expect("allocation", snapshot.resource_claims().get("default", "a").allocation, None)


def check_unreserving_is_all_or_nothing(create: SnapshotFactory) -> None:
    """If one reference of a pod cannot be followed, no claim is unreserved."""
    claim = _claim("a", devices=["d0"], reserved_for=["pod-0"])
    snapshot = create(claims=_claims_by_id(claim))
    for error, bad in ((ClaimNotTrackedError, "missing"), (ClaimNameUndeterminedError, "")):
        _expect_error(error, snapshot.unreserve_pod_claims, _pod("pod-0", "a", bad))
        _expect(
            "claim",
            snapshot.resource_claims().get("default", "a"),
            _claim("a", devices=["d0"], reserved_for=["pod-0"]),
        )


# --- a pod's own claims ---


def check_removing_own_claims_leaves_other_claims(create: SnapshotFactory) -> None:
    """A pod's own claims are removed; from others its reservation goes, their allocation stays."""
    shared = _claim("shared", devices=["d0"], reserved_for=["pod-0"])
    snapshot = create(claims=_claims_by_id(_own_claim("own", "pod-0"), shared, _claim("c")))
    snapshot.remove_pod_owned_claims(_pod("pod-0", "own", "shared"))
    _expect("claims", _claim_names(snapshot), ["c", "shared"])
    _expect(
        "shared claim",
        snapshot.resource_claims().get("default", "shared"),
        _claim("shared", devices=["d0"]),
    )


def check_removing_own_claims_skips_bad_references(create: SnapshotFactory) -> None:
    """References that cannot be followed are skipped, those after them are not."""
    snapshot = create(claims=_claims_by_id(_own_claim("own", "pod-0"), _claim("c")))
    snapshot.remove_pod_owned_claims(_pod("pod-0", "missing", "", "own", "own"))
    _expect("claims", _claim_names(snapshot), ["c"])


def check_an_owner_is_told_by_its_uid(create: SnapshotFactory) -> None:
    """A claim is a pod's own if its controller has the pod's UID, whatever its name and kind."""
    by_uid = OwnerReference("apps/v1", "Job", "another-name", "pod-0-uid", True)
    by_name = OwnerReference("v1", "Pod", "pod-0", "another-uid", True)
    snapshot = create(
        claims=_claims_by_id(_claim("a", owners=[by_uid]), _claim("b", owners=[by_name]))
    )
    snapshot.remove_pod_owned_claims(_pod("pod-0", "a", "b"))
    _expect("claims", _claim_names(snapshot), ["b"])


def check_only_the_controller_is_the_owner(create: SnapshotFactory) -> None:
    """Of several owners the controller counts, and without one a claim is nobody's own."""
    pod_0 = OwnerReference("v1", "Pod", "pod-0", "pod-0-uid", False)
    pod_1 = OwnerReference("v1", "Pod", "pod-1", "pod-1-uid", True)
    snapshot = create(
        claims=_claims_by_id(_claim("a", owners=[pod_0, pod_1]), _claim("b", owners=[pod_0]))
    )
    snapshot.remove_pod_owned_claims(_pod("pod-0", "a", "b"))
    _expect("claims", _claim_names(snapshot), ["a", "b"])
    snapshot.remove_pod_owned_claims(_pod("pod-1", "a", "b"))
    _expect("claims", _claim_names(snapshot), ["b"])


def check_a_claim_without_owner_is_not_a_nameless_pods(create: SnapshotFactory) -> None:
    """A pod with neither name nor UID does not own claims that have no owner."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.remove_pod_owned_claims(Pod("default", "", "", (PodClaimReference("ref", "a"),)))
    _expect("claims", _claim_names(snapshot), ["a"])


# --- slices ---


def check_slices_come_in_stored_order(create: SnapshotFactory) -> None:
    """A node's slices come back in the order they were given; an unknown node has no entry."""
    snapshot = create(node_slices={"node-0": [_slice("s1"), _slice("s0")]})
    snapshot.add_node_resource_slices("node-1", [_slice("s3"), _slice("s2")])
    _expect("slices", _names_of_node(snapshot, "node-0"), ["s1", "s0"])
    _expect("slices", _names_of_node(snapshot, "node-1"), ["s3", "s2"])
    _expect("slices", _names_of_node(snapshot, "node-2"), None)


def check_slices_are_not_added_twice(create: SnapshotFactory) -> None:
    """A node that has an entry is given no other, also if its entry is empty or from below."""
    snapshot = create(node_slices={"node-0": [_slice("s0")], "node-1": []})
    snapshot.fork()
    for node, names in (("node-0", ["s0"]), ("node-1", [])):
        _expect_error(
            SlicesAlreadyPresentError, snapshot.add_node_resource_slices, node, [_slice("s9")]
        )
        _expect("slices", _names_of_node(snapshot, node), names)


def check_removed_slices_are_gone(create: SnapshotFactory) -> None:
    """A node's slices can be removed, and others added; removing none is fine."""
    snapshot = create(node_slices={"node-0": [_slice("s0")]})
    snapshot.remove_node_resource_slices("node-0")
    snapshot.remove_node_resource_slices("node-1")
    _expect("slices", _names_of_node(snapshot, "node-0"), None)
    _expect("all slices", _slice_names(snapshot), [])
    snapshot.add_node_resource_slices("node-0", [_slice("s1")])
    _expect("slices", _names_of_node(snapshot, "node-0"), ["s1"])


def check_an_empty_list_of_slices_survives_every_fork(create: SnapshotFactory) -> None:
    """A node whose list of slices is empty keeps its entry through fork, commit and revert."""
    snapshot = create(node_slices={"node-0": []})
    snapshot.add_node_resource_slices("node-1", [])
    for change_layer in (snapshot.fork, snapshot.fork, snapshot.commit, snapshot.revert):
        change_layer()
        for node in ("node-0", "node-1"):
            _expect(f"slices after {change_layer.__name__}", _names_of_node(snapshot, node), [])


def check_non_local_slices_belong_to_no_node(create: SnapshotFactory) -> None:
    """Slices of no node are listed, but there is no node name under which they can be reached."""
    snapshot = create(non_local_slices=[_slice("s0", node=None)])
    # The name under which kubernetes/autoscaler commit eb486661803b keeps them.
    reserved = "--NON-LOCAL--"
    _expect("slices", _names_of_node(snapshot, reserved), None)
    snapshot.add_node_resource_slices(reserved, [_slice("s1")])
    _expect("all slices", _slice_names(snapshot), ["s0", "s1"])
    snapshot.remove_node_resource_slices(reserved)
    _expect("all slices", _slice_names(snapshot), ["s0"])


# --- layers ---


def check_a_fork_sees_what_is_below(create: SnapshotFactory) -> None:
    """A fork changes nothing that can be seen."""
    snapshot = create(
        claims=_claims_by_id(_claim("a", devices=["d0"], reserved_for=["x"])),
        node_slices={"node-0": [_slice("s0")]},
    )
    for _ in range(3):
        snapshot.fork()
        _expect(
            "claims",
            snapshot.resource_claims().list(),
            [_claim("a", devices=["d0"], reserved_for=["x"])],
        )
        _expect("slices", _names_of_node(snapshot, "node-0"), ["s0"])


def check_a_revert_removes_added_claims(create: SnapshotFactory) -> None:
    """A claim that was added in a fork is gone after the revert."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.fork()
    snapshot.add_claims([_claim("b")])
    snapshot.revert()
    _expect("claims", _claim_names(snapshot), ["a"])
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, _pod("pod-0", "b"))


def check_a_revert_brings_removed_claims_back(create: SnapshotFactory) -> None:
    """A claim that was removed in a fork is back after the revert."""
    snapshot = create(claims=_claims_by_id(_own_claim("a", "pod-0")))
    pod = _pod("pod-0", "a")
    snapshot.fork()
    snapshot.remove_pod_owned_claims(pod)
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)
    snapshot.revert()
    _expect("claims", _claim_names(snapshot), ["a"])
    _expect("claims of the pod", _names_of_pod(snapshot, pod), ["a"])


def check_a_revert_undoes_reservations(create: SnapshotFactory) -> None:
    """Reservations made or taken back in a fork are as before after the revert."""
    snapshot = create(claims=_claims_by_id(_claim("a", devices=["d0"], reserved_for=["x"])))
    for change, pod in (
        (snapshot.reserve_pod_claims, _pod("pod-0", "a")),
        (snapshot.remove_pod_owned_claims, _pod("x", "a")),
    ):
        snapshot.fork()
        change(pod)
        snapshot.revert()
        _expect(
            f"claim after {change.__name__} and revert",
            snapshot.resource_claims().get("default", "a"),
            _claim("a", devices=["d0"], reserved_for=["x"]),
        )


def check_a_revert_brings_cleared_allocations_back(create: SnapshotFactory) -> None:
    """An allocation that was cleared in a fork is back after the revert."""
    snapshot = create(claims=_claims_by_id(_claim("a", devices=["d0"], reserved_for=["x"])))
    snapshot.fork()
    snapshot.unreserve_pod_claims(_pod("x", "a"))
    _expect("devices", snapshot.resource_claims().list_all_allocated_devices(), set())
    snapshot.revert()
    _expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        _claim("a", devices=["d0"], reserved_for=["x"]),
    )


def check_a_revert_undoes_signalled_allocations(create: SnapshotFactory) -> None:
    """A claim that was replaced in a fork is the old one after the revert."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.fork()
    claims = snapshot.resource_claims()
    claims.signal_claim_pending_allocation("a-uid", _claim("a", devices=["d0"]))
    snapshot.revert()
    _expect("claim", snapshot.resource_claims().get("default", "a"), _claim("a"))


def check_a_revert_undoes_changes_of_slices(create: SnapshotFactory) -> None:
    """Slices added or removed in a fork are as before after the revert."""
    snapshot = create(node_slices={"node-0": [_slice("s0")]})
    snapshot.fork()
    snapshot.remove_node_resource_slices("node-0")
    snapshot.add_node_resource_slices("node-1", [_slice("s1")])
    _expect("slices in the fork", _slice_names(snapshot), ["s1"])
    snapshot.revert()
    _expect("slices", _names_of_node(snapshot, "node-0"), ["s0"])
    _expect("slices", _names_of_node(snapshot, "node-1"), None)
    _expect("all slices", _slice_names(snapshot), ["s0"])


def check_a_commit_keeps_changed_claims(create: SnapshotFactory) -> None:
    """Claims added or changed in a fork are kept by its commit, for good at the bottom."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.fork()
    snapshot.add_claims([_claim("b")])
    snapshot.reserve_pod_claims(_pod("pod-0", "a", "b"))
    for change_layer in (snapshot.commit, snapshot.revert):
        change_layer()
        _expect("claims", _claim_names(snapshot), ["a", "b"])
        _expect("reservations", _reservations(snapshot, "a"), ["pod-0"])
        _expect("reservations", _reservations(snapshot, "b"), ["pod-0"])


def check_a_commit_keeps_removals_of_claims(create: SnapshotFactory) -> None:
    """A claim removed in a fork stays removed after its commit, until the one below is reverted."""
    snapshot = create(claims=_claims_by_id(_own_claim("a", "pod-0"), _claim("b")))
    snapshot.fork()
    snapshot.reserve_pod_claims(_pod("pod-0", "a"))
    snapshot.fork()
    snapshot.remove_pod_owned_claims(_pod("pod-0", "a"))
    snapshot.commit()
    _expect("claims after the commit", _claim_names(snapshot), ["b"])
    snapshot.fork()
    _expect("claims in a new fork", _claim_names(snapshot), ["b"])
    snapshot.revert()
    _expect("claims after its revert", _claim_names(snapshot), ["b"])
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, _pod("pod-0", "a"))
    snapshot.revert()
    _expect("claims after both reverts", _claim_names(snapshot), ["a", "b"])


def check_a_commit_keeps_changes_of_slices(create: SnapshotFactory) -> None:
    """Slices added or removed in a fork are kept by its commit."""
    snapshot = create(node_slices={"node-0": [_slice("s0")]})
    snapshot.fork()
    snapshot.remove_node_resource_slices("node-0")
    snapshot.add_node_resource_slices("node-1", [_slice("s1")])
    for change_layer in (snapshot.commit, snapshot.fork, snapshot.revert):
        change_layer()
        _expect("all slices", _slice_names(snapshot), ["s1"])
        _expect("slices", _names_of_node(snapshot, "node-0"), None)
        _expect("slices", _names_of_node(snapshot, "node-1"), ["s1"])


def check_layers_nest(create: SnapshotFactory) -> None:
    """A commit merges into the layer below, whose revert undoes both and nothing else."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.fork()
    snapshot.reserve_pod_claims(_pod("pod-0", "a"))
    snapshot.fork()
    snapshot.reserve_pod_claims(_pod("pod-1", "a"))
    snapshot.fork()
    snapshot.reserve_pod_claims(_pod("pod-2", "a"))
    snapshot.commit()
    _expect("after the commit", _reservations(snapshot, "a"), ["pod-0", "pod-1", "pod-2"])
    snapshot.revert()
    _expect("after a revert", _reservations(snapshot, "a"), ["pod-0"])
    snapshot.commit()
    _expect("after another commit", _reservations(snapshot, "a"), ["pod-0"])


def check_many_forks_can_be_reverted_one_by_one(create: SnapshotFactory) -> None:
    """There is no limit to the number of layers; each revert takes back one."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    for index in range(50):
        snapshot.fork()
        snapshot.reserve_pod_claims(_pod(f"pod-{index}", "a"))
    for index in range(50, 0, -1):
        _expect("reservations", len(_reservations(snapshot, "a")), index)
        snapshot.revert()
    _expect("reservations", _reservations(snapshot, "a"), [])


def check_the_only_layer_cannot_be_dropped(create: SnapshotFactory) -> None:
    """Without a fork, commit and revert do nothing: what was written is permanent."""
    snapshot = create(claims=_claims_by_id(_own_claim("a", "pod-0")))
    snapshot.add_claims([_claim("b")])
    snapshot.remove_pod_owned_claims(_pod("pod-0", "a"))
    snapshot.add_node_resource_slices("node-0", [_slice("s0")])
    for change_layer in (snapshot.revert, snapshot.commit, snapshot.revert):
        change_layer()
        _expect("claims", _claim_names(snapshot), ["b"])
        _expect("slices", _slice_names(snapshot), ["s0"])


# --- nothing is remembered that is no longer so ---


def check_an_absent_claim_is_noticed_when_it_comes(create: SnapshotFactory) -> None:
    """A claim that was looked for in vain is found once it is added, and not after the revert."""
    snapshot = create()
    pod = _pod("pod-0", "a")
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)
    snapshot.fork()
    snapshot.add_claims([_claim("a")])
    _expect("claims of the pod", _names_of_pod(snapshot, pod), ["a"])
    snapshot.revert()
    _expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)


def check_a_list_is_right_after_every_change_of_layers(create: SnapshotFactory) -> None:
    """A list shows the current state, whatever was listed before."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    _expect("claims", _claim_names(snapshot), ["a"])
    snapshot.fork()
    snapshot.add_claims([_claim("b")])
    _expect("claims in the fork", _claim_names(snapshot), ["a", "b"])
    snapshot.revert()
    _expect("claims after the revert", _claim_names(snapshot), ["a"])
    snapshot.add_claims([_claim("c")])
    snapshot.fork()
    snapshot.add_claims([_claim("d")])
    snapshot.commit()
    _expect("claims after the commit", _claim_names(snapshot), ["a", "c", "d"])


def check_views_follow_the_current_layer(create: SnapshotFactory) -> None:
    """A view shows the current layer, however old the view is."""
    snapshot = create(claims=_claims_by_id(_claim("a")), node_slices={"node-0": [_slice("s0")]})
    claims, slices = snapshot.resource_claims(), snapshot.resource_slices()
    snapshot.fork()
    snapshot.reserve_pod_claims(_pod("pod-0", "a"))
    snapshot.add_node_resource_slices("node-1", [_slice("s1")])
    _expect("reservations", claims.get("default", "a").reserved_for, [_reservation("pod-0")])
    _expect("claims", claims.list(), [_claim("a", reserved_for=["pod-0"])])
    _expect("slices", sorted(one.name for one in slices.list()), ["s0", "s1"])
    snapshot.revert()
    _expect("claims", claims.list(), [_claim("a")])
    _expect("slices", [one.name for one in slices.list()], ["s0"])


# --- nothing leaks, nothing handed in is changed ---


def check_a_claim_named_twice_does_not_leak(create: SnapshotFactory) -> None:
    """A pod that names one claim twice changes it in the current layer only."""
    for change in ("reserve_pod_claims", "unreserve_pod_claims", "remove_pod_owned_claims"):
        snapshot = create(
            claims=_claims_by_id(_claim("a", devices=["d0"], reserved_for=["pod-0", "pod-0"]))
        )
        pod = _pod("pod-1" if change == "reserve_pod_claims" else "pod-0", "a", "a")
        snapshot.fork()
        getattr(snapshot, change)(pod)
        snapshot.revert()
        _expect(
            f"claim after {change} and revert",
            snapshot.resource_claims().get("default", "a"),
            _claim("a", devices=["d0"], reserved_for=["pod-0", "pod-0"]),
        )


def check_a_stored_claim_that_is_signalled_does_not_leak(create: SnapshotFactory) -> None:
    """The stored claim may be signalled itself; what then happens to it stays in the layer."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    snapshot.fork()
    snapshot.reserve_pod_claims(_pod("pod-0", "a"))
    snapshot.fork()
    claims = snapshot.resource_claims()
    claims.signal_claim_pending_allocation("a-uid", claims.get("default", "a"))
    snapshot.reserve_pod_claims(_pod("pod-1", "a"))
    _expect("in the fork", _reservations(snapshot, "a"), ["pod-0", "pod-1"])
    snapshot.revert()
    _expect("after its revert", _reservations(snapshot, "a"), ["pod-0"])


def check_a_stored_claim_that_is_added_again_does_not_leak(create: SnapshotFactory) -> None:
    """A claim may be removed and added back itself; what then happens to it stays in the layer."""
    snapshot = create(claims=_claims_by_id(_own_claim("a", "pod-0")))
    snapshot.reserve_pod_claims(_pod("x", "a"))
    stored = snapshot.resource_claims().get("default", "a")
    snapshot.fork()
    snapshot.remove_pod_owned_claims(_pod("pod-0", "a"))
    snapshot.add_claims([stored])
    snapshot.reserve_pod_claims(_pod("pod-1", "a"))
    snapshot.revert()
    _expect("after the revert", _reservations(snapshot, "a"), ["x"])


def check_a_stored_claim_handed_back_in_is_never_changed(create: SnapshotFactory) -> None:
    """A stored claim that is handed back in is the caller's again, in every layer."""
    for forks in range(2):
        snapshot = create(claims=_claims_by_id(_claim("a")))
        snapshot.reserve_pod_claims(_pod("pod-0", "a"))
        stored = snapshot.resource_claims().get("default", "a")
        for _ in range(forks):
            snapshot.fork()
        snapshot.resource_claims().signal_claim_pending_allocation("a-uid", stored)
        for _ in range(forks):
            snapshot.revert()
        snapshot.reserve_pod_claims(_pod("pod-1", "a"))
        _expect("claim handed in", stored, _claim("a", reserved_for=["pod-0"]))
        _expect("reservations", _reservations(snapshot, "a"), ["pod-0", "pod-1"])


def check_claims_handed_in_are_never_changed(create: SnapshotFactory) -> None:
    """Claims given to the constructor, added or signalled are never changed, in any layer."""
    for change in ("reserve_pod_claims", "unreserve_pod_claims", "remove_pod_owned_claims"):
        for is_forked in (False, True):
            given = [_claim(name, devices=["d0"], reserved_for=["x"]) for name in "abc"]
            snapshot = create(claims=_claims_by_id(given[0], _claim("c")))
            if is_forked:
                snapshot.fork()
            snapshot.add_claims([given[1]])
            snapshot.resource_claims().signal_claim_pending_allocation("c-uid", given[2])
            pod = _pod("pod-0" if change == "reserve_pod_claims" else "x", "a", "b", "c")
            getattr(snapshot, change)(pod)
            snapshot.commit()
            snapshot.reserve_pod_claims(_pod("pod-1", "a", "b", "c"))
            for claim in given:
                _expect(
                    f"claim handed in, after {change}",
                    claim,
                    _claim(claim.name, devices=["d0"], reserved_for=["x"]),
                )


def check_claims_are_cloned_before_a_commit_to_the_bottom(create: SnapshotFactory) -> None:
    """A claim that a fork left alone is still the caller's after the fork's commit."""
    given = _claim("a")
    snapshot = create(claims=_claims_by_id(given))
    snapshot.fork()
    snapshot.add_claims([_claim("b")])
    snapshot.commit()
    snapshot.reserve_pod_claims(_pod("pod-0", "a"))
    _expect("claim handed in", given, _claim("a"))
    _expect("reservations", _reservations(snapshot, "a"), ["pod-0"])


def check_maps_handed_in_are_never_changed(create: SnapshotFactory) -> None:
    """Maps given to the constructor are not written to, neither directly nor by a commit."""
    claims = _claims_by_id(_own_claim("a", "pod-0"), _claim("b"))
    node_slices = {"node-0": [_slice("s0")]}
    device_classes = {"gpu": DeviceClass("gpu")}
    snapshot = create(claims, node_slices, (), device_classes)
    for is_forked in (False, True):
        if is_forked:
            snapshot.fork()
        snapshot.add_claims([_claim(f"added-{is_forked}")])
        snapshot.remove_pod_owned_claims(_pod("pod-0", "a"))
        snapshot.reserve_pod_claims(_pod("pod-1", "b"))
        snapshot.remove_node_resource_slices("node-0")
        snapshot.add_node_resource_slices(f"added-{is_forked}", [])
        snapshot.commit()
    _expect("map of claims", claims, _claims_by_id(_own_claim("a", "pod-0"), _claim("b")))
    _expect("map of slices", node_slices, {"node-0": [_slice("s0")]})
    _expect("map of classes", device_classes, {"gpu": DeviceClass("gpu")})


def check_maps_handed_in_may_be_changed_later(create: SnapshotFactory) -> None:
    """A snapshot does not notice what happens later to maps and lists that it was given."""
    claims = _claims_by_id(_claim("a"))
    slices, more_slices = [_slice("s0")], [_slice("s1")]
    node_slices = {"node-0": slices}
    non_local_slices = [_slice("s2", node=None)]
    device_classes = {"gpu": DeviceClass("gpu")}
    snapshot = create(claims, node_slices, non_local_slices, device_classes)
    snapshot.add_node_resource_slices("node-1", more_slices)
    claims.clear()
    node_slices.clear()
    slices.clear()
    more_slices.clear()
    non_local_slices.clear()
    device_classes.clear()
    _expect("claims", _claim_names(snapshot), ["a"])
    _expect("slices", _slice_names(snapshot), ["s0", "s1", "s2"])
    _expect("classes", snapshot.device_classes().list(), [DeviceClass("gpu")])


def check_lists_handed_out_are_the_callers_own(create: SnapshotFactory) -> None:
    """Whoever changes a list that a snapshot handed out does not change the snapshot."""
    snapshot = create(
        claims=_claims_by_id(_claim("a")),
        node_slices={"node-0": [_slice("s0")]},
        device_classes={"gpu": DeviceClass("gpu")},
    )
    for _ in range(2):
        snapshot.resource_claims().list().clear()
        snapshot.resource_claims().list_all_allocated_devices().clear()
        snapshot.resource_slices().list().clear()
        snapshot.device_classes().list().clear()
        snapshot.pod_claims(_pod("pod-0", "a")).clear()
        _expect("claims", _claim_names(snapshot), ["a"])
        _expect("claims of the pod", _names_of_pod(snapshot, _pod("pod-0", "a")), ["a"])
        _expect("slices", _slice_names(snapshot), ["s0"])
        _expect("classes", snapshot.device_classes().list(), [DeviceClass("gpu")])


def check_two_snapshots_share_no_change(create: SnapshotFactory) -> None:
    """Two snapshots made of the same claims do not see each other's changes."""
    claims = _claims_by_id(_claim("a"))
    one, other = create(claims=claims), create(claims=claims)
    one.reserve_pod_claims(_pod("pod-0", "a"))
    one.add_claims([_claim("b")])
    _expect("claims of the other", other.resource_claims().list(), [_claim("a")])


# --- allocations ---


def check_a_signalled_claim_replaces_the_stored_one(create: SnapshotFactory) -> None:
    """A signalled claim is stored in place of the old one, allocated or not."""
    snapshot = create(claims=_claims_by_id(_claim("a", devices=["d0"])))
    claims = snapshot.resource_claims()
    for replacement in (_claim("a", devices=["d1"]), _claim("a")):
        claims.signal_claim_pending_allocation("a-uid", replacement)
        _expect("claim", claims.get("default", "a"), replacement)
        _expect("claims", claims.list(), [replacement])


def check_a_signal_is_for_the_stored_claims_uid(create: SnapshotFactory) -> None:
    """A signal needs a stored claim with the UID it names; the new claim's own UID is not asked."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    claims = snapshot.resource_claims()
    signal = claims.signal_claim_pending_allocation
    _expect_error(ClaimNotFoundError, signal, "b-uid", _claim("b"))
    _expect_error(ClaimUidMismatchError, signal, "x-uid", _claim("a", uid="x-uid"))
    _expect("claims", claims.list(), [_claim("a")])
    signal("a-uid", _claim("a", uid="x-uid"))
    _expect("claims", claims.list(), [_claim("a", uid="x-uid")])


def check_allocated_devices_are_those_of_all_claims(create: SnapshotFactory) -> None:
    """The allocated devices are those in any allocation, each once, shares included."""
    shared = _claim("c", devices=["d1", "d2"])
    assert shared.allocation is not None
    shared.allocation.results[1].share_id = "share-0"
    snapshot = create(
        claims=_claims_by_id(
            _claim("a", devices=["d0", "d1"]), _claim("b", devices=[]), shared, _claim("d")
        )
    )
    devices = {("driver", "pool", name) for name in ("d0", "d1", "d2")}
    claims = snapshot.resource_claims()
    _expect("devices", claims.list_all_allocated_devices(), devices)
    _expect("state", claims.gather_allocated_state(), AllocatedState(devices))


def check_shares_of_devices_are_told_apart_if_asked(create: SnapshotFactory) -> None:
    """With consumable capacity, shares are no whole devices, and what they consume is added up."""
    claims = [_claim("a", devices=["d0", "d1"]), _claim("b", devices=["d1"])]
    for claim, share_id, amount in zip(claims, ("share-0", "share-1"), (10, 32), strict=True):
        assert claim.allocation is not None
        claim.allocation.results[-1].share_id = share_id
        claim.allocation.results[-1].consumed_capacity = (("memory", amount),)
    snapshot = create(claims=_claims_by_id(*claims))
    _expect(
        "state",
        snapshot.resource_claims().gather_allocated_state(consumable_capacity=True),
        AllocatedState(
            {("driver", "pool", "d0")},
            {("driver", "pool", "d1", "share-0"), ("driver", "pool", "d1", "share-1")},
            {("driver", "pool", "d1"): {"memory": 42}},
        ),
    )


def check_no_allocation_is_ever_pending(create: SnapshotFactory) -> None:
    """No claim has a pending allocation, not even one that was just signalled."""
    claims = create(claims=_claims_by_id(_claim("a"))).resource_claims()
    claims.signal_claim_pending_allocation("a-uid", _claim("a", devices=["d0"]))
    for uid in ("a-uid", "unknown"):
        _expect("pending", claims.claim_has_pending_allocation(uid), False)


def check_calls_of_the_binding_phase_are_refused(create: SnapshotFactory) -> None:
    """The calls that only a real scheduler makes are a mistake, and change nothing."""
    claims = create(claims=_claims_by_id(_claim("a"))).resource_claims()
    _expect_error(NeverInSimulationError, claims.remove_claim_pending_allocation, "a-uid")
    _expect_error(
        NeverInSimulationError, claims.assume_claim_after_api_call, _claim("a", devices=["d0"])
    )
    _expect_error(NeverInSimulationError, claims.assumed_claim_restore, "default", "a")
    _expect("claims", claims.list(), [_claim("a")])


# --- node infos ---


def check_a_node_info_has_the_nodes_slices_and_claims(create: SnapshotFactory) -> None:
    """A node info lists the node's slices, and for each pod its claims in order."""
    snapshot = create(
        claims=_claims_by_id(_claim("a"), _claim("b")), node_slices={"node-0": [_slice("s0")]}
    )
    pods = [_pod("pod-0", "b", "a"), _pod("pod-1"), _pod("pod-2", "a")]
    _expect(
        "node info",
        snapshot.wrap_node_info(Node("node-0"), pods),
        NodeInfo(
            Node("node-0"),
            tuple(pods),
            [[_claim("b"), _claim("a")], [], [_claim("a")]],
            (_slice("s0"),),
        ),
    )
    _expect(
        "node info without slices",
        snapshot.wrap_node_info(Node("node-1"), []),
        NodeInfo(Node("node-1"), (), [], ()),
    )


def check_a_node_info_needs_every_claim(create: SnapshotFactory) -> None:
    """If a claim of any pod on the node is not to be found, there is no node info."""
    snapshot = create(claims=_claims_by_id(_claim("a")))
    node = Node("node-0")
    for error, bad in ((ClaimNotTrackedError, "missing"), (ClaimNameUndeterminedError, "")):
        pods = [_pod("pod-0", "a"), _pod("pod-1", bad)]
        _expect_error(error, snapshot.wrap_node_info, node, pods)


# --- what the checks are made of ---


def _expect(what: str, seen: object, expected: object) -> None:
    assert seen == expected, f"{what}: expected {expected!r}, saw {seen!r}"


def _expect_error(error: type[Exception], call: Callable[..., object], *arguments: Any) -> None:
    name = getattr(call, "__name__", repr(call))
    try:
        answer = call(*arguments)
    except error:
        return
    except Exception as other:
        raise AssertionError(f"{name}: expected {error.__name__}, got {other!r}") from other
    raise AssertionError(f"{name}: expected {error.__name__}, got the answer {answer!r}")


def _claim(
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
        [*(entries or []), *map(_reservation, reserved_for or [])],
    )


def _own_claim(name: str, pod_name: str, **content: Any) -> ResourceClaim:
    owner = OwnerReference("v1", "Pod", pod_name, f"{pod_name}-uid", True)
    return _claim(name, owners=[owner], **content)


def _claims_by_id(*claims: ResourceClaim) -> dict[ClaimId, ResourceClaim]:
    return {(claim.namespace, claim.name): claim for claim in claims}


def _reservation(pod_name: str) -> Reservation:
    return Reservation("", "pods", pod_name, f"{pod_name}-uid")


def _others(count: int) -> list[str]:
    return [f"other-{index}" for index in range(count)]


def _slice(name: str, node: str | None = "node-0") -> ResourceSlice:
    return ResourceSlice(name, "driver", "pool", ("d0", "d1"), node)


def _pod(name: str, *claim_names: str, namespace: str = "default") -> Pod:
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


def _template_pod(*statuses: tuple[str, str | None]) -> Pod:
    """A pod with one reference, ``ref``, to a claim made from a template."""
    return Pod(
        "default",
        "pod-0",
        "pod-0-uid",
        (PodClaimReference("ref", None, "template"),),
        tuple(PodClaimStatus(name, claim_name) for name, claim_name in statuses),
    )


def _claim_names(snapshot: Snapshot) -> list[str]:
    return sorted(claim.name for claim in snapshot.resource_claims().list())


def _names_of_pod(snapshot: Snapshot, pod: Pod) -> list[str]:
    return [claim.name for claim in snapshot.pod_claims(pod)]


def _reservations(snapshot: Snapshot, claim_name: str) -> list[str]:
    claim = snapshot.resource_claims().get("default", claim_name)
    return [entry.name for entry in claim.reserved_for]


def _slice_names(snapshot: Snapshot) -> list[str]:
    return sorted(one.name for one in snapshot.resource_slices().list())


def _names_of_node(snapshot: Snapshot, node_name: str) -> list[str] | None:
    slices = snapshot.node_resource_slices(node_name)
    return None if slices is None else [one.name for one in slices]

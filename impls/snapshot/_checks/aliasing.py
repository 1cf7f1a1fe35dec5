"""Nothing leaks into another layer, nothing handed in is changed."""

from __future__ import annotations

from impls.snapshot._checks.making import (
    a_claim,
    a_pod,
    a_slice,
    by_id,
    expect,
    holders_of,
    names_of_claims,
    names_of_pod,
    names_of_slices,
    own_claim,
)
from impls.snapshot.interface import SnapshotFactory
from kubernetes_testbed.slices import DeviceClass


def check_claims_that_share_a_list_share_no_change(create: SnapshotFactory) -> None:
    """Claims may be handed in with one list in common; a change of one is not seen in the other."""
    for forks in range(3):
        one, other = a_claim("a", devices=["d0"]), a_claim("b", devices=["d1"])
        other.reserved_for = one.reserved_for
        snapshot = create(claims=by_id(one, other))
        for _ in range(forks):
            snapshot.fork()
        snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
        expect(f"the one after {forks} forks", holders_of(snapshot, "a"), ["pod-0"])
        expect(f"the other after {forks} forks", holders_of(snapshot, "b"), [])
        snapshot.unreserve_pod_claims(a_pod("pod-0", "a"))
        expect(
            "the one given back", snapshot.resource_claims().get("default", "a").allocation, None
        )
        expect(
            "the other then",
            snapshot.resource_claims().get("default", "b").allocation,
            other.allocation,
        )


def check_a_claim_named_twice_does_not_leak(create: SnapshotFactory) -> None:
    """A pod that names one claim twice changes it in the current layer only."""
    for change in ("reserve_pod_claims", "unreserve_pod_claims", "remove_pod_owned_claims"):
        snapshot = create(
            claims=by_id(a_claim("a", devices=["d0"], reserved_for=["pod-0", "pod-0"]))
        )
        pod = a_pod("pod-1" if change == "reserve_pod_claims" else "pod-0", "a", "a")
        snapshot.fork()
        getattr(snapshot, change)(pod)
        snapshot.revert()
        expect(
            f"claim after {change} and revert",
            snapshot.resource_claims().get("default", "a"),
            a_claim("a", devices=["d0"], reserved_for=["pod-0", "pod-0"]),
        )


def check_a_stored_claim_that_is_signalled_does_not_leak(create: SnapshotFactory) -> None:
    """The stored claim may be signalled itself; what then happens to it stays in the layer."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.fork()
    snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
    snapshot.fork()
    claims = snapshot.resource_claims()
    claims.signal_claim_pending_allocation("a-uid", claims.get("default", "a"))
    snapshot.reserve_pod_claims(a_pod("pod-1", "a"))
    expect("in the fork", holders_of(snapshot, "a"), ["pod-0", "pod-1"])
    snapshot.revert()
    expect("after its revert", holders_of(snapshot, "a"), ["pod-0"])


def check_a_stored_claim_that_is_added_again_does_not_leak(create: SnapshotFactory) -> None:
    """A claim may be removed and added back itself; what then happens to it stays in the layer."""
    snapshot = create(claims=by_id(own_claim("a", "pod-0")))
    snapshot.reserve_pod_claims(a_pod("x", "a"))
    stored = snapshot.resource_claims().get("default", "a")
    snapshot.fork()
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "a"))
    snapshot.add_claims([stored])
    snapshot.reserve_pod_claims(a_pod("pod-1", "a"))
    snapshot.revert()
    expect("after the revert", holders_of(snapshot, "a"), ["x"])


def check_a_stored_claim_handed_back_in_is_never_changed(create: SnapshotFactory) -> None:
    """A stored claim that is handed back in is the caller's again, in every layer."""
    for forks in range(2):
        snapshot = create(claims=by_id(a_claim("a")))
        snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
        stored = snapshot.resource_claims().get("default", "a")
        for _ in range(forks):
            snapshot.fork()
        snapshot.resource_claims().signal_claim_pending_allocation("a-uid", stored)
        for _ in range(forks):
            snapshot.revert()
        snapshot.reserve_pod_claims(a_pod("pod-1", "a"))
        expect("claim handed in", stored, a_claim("a", reserved_for=["pod-0"]))
        expect("reservations", holders_of(snapshot, "a"), ["pod-0", "pod-1"])


def check_claims_handed_in_are_never_changed(create: SnapshotFactory) -> None:
    """Claims given to the constructor, added or signalled are never changed, in any layer."""
    for change in ("reserve_pod_claims", "unreserve_pod_claims", "remove_pod_owned_claims"):
        for is_forked in (False, True):
            given = [a_claim(name, devices=["d0"], reserved_for=["x"]) for name in "abc"]
            snapshot = create(claims=by_id(given[0], a_claim("c")))
            if is_forked:
                snapshot.fork()
            snapshot.add_claims([given[1]])
            snapshot.resource_claims().signal_claim_pending_allocation("c-uid", given[2])
            pod = a_pod("pod-0" if change == "reserve_pod_claims" else "x", "a", "b", "c")
            getattr(snapshot, change)(pod)
            snapshot.commit()
            snapshot.reserve_pod_claims(a_pod("pod-1", "a", "b", "c"))
            for claim in given:
                expect(
                    f"claim handed in, after {change}",
                    claim,
                    a_claim(claim.name, devices=["d0"], reserved_for=["x"]),
                )


def check_claims_are_cloned_before_a_commit_to_the_bottom(create: SnapshotFactory) -> None:
    """A claim that a fork left alone is still the caller's after the fork's commit."""
    given = a_claim("a")
    snapshot = create(claims=by_id(given))
    snapshot.fork()
    snapshot.add_claims([a_claim("b")])
    snapshot.commit()
    snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
    expect("claim handed in", given, a_claim("a"))
    expect("reservations", holders_of(snapshot, "a"), ["pod-0"])


def check_maps_handed_in_are_never_changed(create: SnapshotFactory) -> None:
    """Maps given to the constructor are not written to, neither directly nor by a commit."""
    claims = by_id(own_claim("a", "pod-0"), a_claim("b"))
    node_slices = {"node-0": [a_slice("s0")]}
    device_classes = {"gpu": DeviceClass("gpu")}
    snapshot = create(claims, node_slices, (), device_classes)
    for is_forked in (False, True):
        if is_forked:
            snapshot.fork()
        snapshot.add_claims([a_claim(f"added-{is_forked}")])
        snapshot.remove_pod_owned_claims(a_pod("pod-0", "a"))
        snapshot.reserve_pod_claims(a_pod("pod-1", "b"))
        snapshot.remove_node_resource_slices("node-0")
        snapshot.add_node_resource_slices(f"added-{is_forked}", [])
        snapshot.commit()
    expect("map of claims", claims, by_id(own_claim("a", "pod-0"), a_claim("b")))
    expect("map of slices", node_slices, {"node-0": [a_slice("s0")]})
    expect("map of classes", device_classes, {"gpu": DeviceClass("gpu")})


def check_maps_handed_in_may_be_changed_later(create: SnapshotFactory) -> None:
    """A snapshot does not notice what happens later to maps and lists that it was given."""
    claims = by_id(a_claim("a"))
    slices, more_slices = [a_slice("s0")], [a_slice("s1")]
    node_slices = {"node-0": slices}
    non_local_slices = [a_slice("s2", node=None)]
    device_classes = {"gpu": DeviceClass("gpu")}
    snapshot = create(claims, node_slices, non_local_slices, device_classes)
    snapshot.add_node_resource_slices("node-1", more_slices)
    claims.clear()
    node_slices.clear()
    slices.clear()
    more_slices.clear()
    non_local_slices.clear()
    device_classes.clear()
    expect("claims", names_of_claims(snapshot), ["a"])
    expect("slices", names_of_slices(snapshot), ["s0", "s1", "s2"])
    expect("classes", snapshot.device_classes().list(), [DeviceClass("gpu")])


def check_lists_handed_out_are_the_callers_own(create: SnapshotFactory) -> None:
    """Whoever changes a list that a snapshot handed out does not change the snapshot."""
    snapshot = create(
        claims=by_id(a_claim("a")),
        node_slices={"node-0": [a_slice("s0")]},
        device_classes={"gpu": DeviceClass("gpu")},
    )
    for _ in range(2):
        snapshot.resource_claims().list().clear()
        snapshot.resource_claims().list_all_allocated_devices().clear()
        snapshot.resource_slices().list().clear()
        snapshot.device_classes().list().clear()
        snapshot.pod_claims(a_pod("pod-0", "a")).clear()
        expect("claims", names_of_claims(snapshot), ["a"])
        expect("claims of the pod", names_of_pod(snapshot, a_pod("pod-0", "a")), ["a"])
        expect("slices", names_of_slices(snapshot), ["s0"])
        expect("classes", snapshot.device_classes().list(), [DeviceClass("gpu")])


def check_two_snapshots_share_no_change(create: SnapshotFactory) -> None:
    """Two snapshots made of the same claims do not see each other's changes."""
    claims = by_id(a_claim("a"))
    one, other = create(claims=claims), create(claims=claims)
    one.reserve_pod_claims(a_pod("pod-0", "a"))
    one.add_claims([a_claim("b")])
    expect("claims of the other", other.resource_claims().list(), [a_claim("a")])

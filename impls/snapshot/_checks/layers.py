"""Fork, commit and revert; nothing is remembered that is no longer so."""

from __future__ import annotations

from impls.snapshot._checks.making import (
    a_claim,
    a_pod,
    a_reservation,
    a_slice,
    by_id,
    expect,
    expect_error,
    holders_of,
    names_of_claims,
    names_of_node,
    names_of_pod,
    names_of_slices,
    own_claim,
)
from impls.snapshot.interface import ClaimNotTrackedError, SnapshotFactory


def check_a_fork_sees_what_is_below(create: SnapshotFactory) -> None:
    """A fork changes nothing that can be seen."""
    snapshot = create(
        claims=by_id(a_claim("a", devices=["d0"], reserved_for=["x"])),
        node_slices={"node-0": [a_slice("s0")]},
    )
    for _ in range(3):
        snapshot.fork()
        expect(
            "claims",
            snapshot.resource_claims().list(),
            [a_claim("a", devices=["d0"], reserved_for=["x"])],
        )
        expect("slices", names_of_node(snapshot, "node-0"), ["s0"])


def check_a_revert_removes_added_claims(create: SnapshotFactory) -> None:
    """A claim that was added in a fork is gone after the revert."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.fork()
    snapshot.add_claims([a_claim("b")])
    snapshot.revert()
    expect("claims", names_of_claims(snapshot), ["a"])
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, a_pod("pod-0", "b"))


def check_a_revert_brings_removed_claims_back(create: SnapshotFactory) -> None:
    """A claim that was removed in a fork is back after the revert."""
    snapshot = create(claims=by_id(own_claim("a", "pod-0")))
    pod = a_pod("pod-0", "a")
    snapshot.fork()
    snapshot.remove_pod_owned_claims(pod)
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)
    snapshot.revert()
    expect("claims", names_of_claims(snapshot), ["a"])
    expect("claims of the pod", names_of_pod(snapshot, pod), ["a"])


def check_a_revert_undoes_reservations(create: SnapshotFactory) -> None:
    """Reservations made or taken back in a fork are as before after the revert."""
    snapshot = create(claims=by_id(a_claim("a", devices=["d0"], reserved_for=["x"])))
    for change, pod in (
        (snapshot.reserve_pod_claims, a_pod("pod-0", "a")),
        (snapshot.remove_pod_owned_claims, a_pod("x", "a")),
    ):
        snapshot.fork()
        change(pod)
        snapshot.revert()
        expect(
            f"claim after {change.__name__} and revert",
            snapshot.resource_claims().get("default", "a"),
            a_claim("a", devices=["d0"], reserved_for=["x"]),
        )


def check_a_revert_brings_cleared_allocations_back(create: SnapshotFactory) -> None:
    """An allocation that was cleared in a fork is back after the revert."""
    snapshot = create(claims=by_id(a_claim("a", devices=["d0"], reserved_for=["x"])))
    snapshot.fork()
    snapshot.unreserve_pod_claims(a_pod("x", "a"))
    expect("devices", snapshot.resource_claims().list_all_allocated_devices(), set())
    snapshot.revert()
    expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        a_claim("a", devices=["d0"], reserved_for=["x"]),
    )


def check_a_revert_undoes_signalled_allocations(create: SnapshotFactory) -> None:
    """A claim that was replaced in a fork is the old one after the revert."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.fork()
    claims = snapshot.resource_claims()
    claims.signal_claim_pending_allocation("a-uid", a_claim("a", devices=["d0"]))
    snapshot.revert()
    expect("claim", snapshot.resource_claims().get("default", "a"), a_claim("a"))


def check_a_revert_undoes_changes_of_slices(create: SnapshotFactory) -> None:
    """Slices added or removed in a fork are as before after the revert."""
    snapshot = create(node_slices={"node-0": [a_slice("s0")]})
    snapshot.fork()
    snapshot.remove_node_resource_slices("node-0")
    snapshot.add_node_resource_slices("node-1", [a_slice("s1")])
    expect("slices in the fork", names_of_slices(snapshot), ["s1"])
    snapshot.revert()
    expect("slices", names_of_node(snapshot, "node-0"), ["s0"])
    expect("slices", names_of_node(snapshot, "node-1"), None)
    expect("all slices", names_of_slices(snapshot), ["s0"])


def check_a_commit_keeps_changed_claims(create: SnapshotFactory) -> None:
    """Claims added or changed in a fork are kept by its commit, for good at the bottom."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.fork()
    snapshot.add_claims([a_claim("b")])
    snapshot.reserve_pod_claims(a_pod("pod-0", "a", "b"))
    for change_layer in (snapshot.commit, snapshot.revert):
        change_layer()
        expect("claims", names_of_claims(snapshot), ["a", "b"])
        expect("reservations", holders_of(snapshot, "a"), ["pod-0"])
        expect("reservations", holders_of(snapshot, "b"), ["pod-0"])


def check_a_commit_keeps_removals_of_claims(create: SnapshotFactory) -> None:
    """A claim removed in a fork stays removed after its commit, until the one below is reverted."""
    snapshot = create(claims=by_id(own_claim("a", "pod-0"), a_claim("b")))
    snapshot.fork()
    snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
    snapshot.fork()
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "a"))
    snapshot.commit()
    expect("claims after the commit", names_of_claims(snapshot), ["b"])
    snapshot.fork()
    expect("claims in a new fork", names_of_claims(snapshot), ["b"])
    snapshot.revert()
    expect("claims after its revert", names_of_claims(snapshot), ["b"])
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, a_pod("pod-0", "a"))
    snapshot.revert()
    expect("claims after both reverts", names_of_claims(snapshot), ["a", "b"])


def check_a_commit_keeps_changes_of_slices(create: SnapshotFactory) -> None:
    """Slices added or removed in a fork are kept by its commit."""
    snapshot = create(node_slices={"node-0": [a_slice("s0")]})
    snapshot.fork()
    snapshot.remove_node_resource_slices("node-0")
    snapshot.add_node_resource_slices("node-1", [a_slice("s1")])
    for change_layer in (snapshot.commit, snapshot.fork, snapshot.revert):
        change_layer()
        expect("all slices", names_of_slices(snapshot), ["s1"])
        expect("slices", names_of_node(snapshot, "node-0"), None)
        expect("slices", names_of_node(snapshot, "node-1"), ["s1"])


def check_layers_nest(create: SnapshotFactory) -> None:
    """A commit merges into the layer below, whose revert undoes both and nothing else."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.fork()
    snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
    snapshot.fork()
    snapshot.reserve_pod_claims(a_pod("pod-1", "a"))
    snapshot.fork()
    snapshot.reserve_pod_claims(a_pod("pod-2", "a"))
    snapshot.commit()
    expect("after the commit", holders_of(snapshot, "a"), ["pod-0", "pod-1", "pod-2"])
    snapshot.revert()
    expect("after a revert", holders_of(snapshot, "a"), ["pod-0"])
    snapshot.commit()
    expect("after another commit", holders_of(snapshot, "a"), ["pod-0"])


def check_many_forks_can_be_reverted_one_by_one(create: SnapshotFactory) -> None:
    """There is no limit to the number of layers; each revert takes back one."""
    snapshot = create(claims=by_id(a_claim("a")))
    for index in range(50):
        snapshot.fork()
        snapshot.reserve_pod_claims(a_pod(f"pod-{index}", "a"))
    for index in range(50, 0, -1):
        expect("reservations", len(holders_of(snapshot, "a")), index)
        snapshot.revert()
    expect("reservations", holders_of(snapshot, "a"), [])


def check_the_only_layer_cannot_be_dropped(create: SnapshotFactory) -> None:
    """Without a fork, commit and revert do nothing: what was written is permanent."""
    snapshot = create(claims=by_id(own_claim("a", "pod-0")))
    snapshot.add_claims([a_claim("b")])
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "a"))
    snapshot.add_node_resource_slices("node-0", [a_slice("s0")])
    for change_layer in (snapshot.revert, snapshot.commit, snapshot.revert):
        change_layer()
        expect("claims", names_of_claims(snapshot), ["b"])
        expect("slices", names_of_slices(snapshot), ["s0"])


def check_an_absent_claim_is_noticed_when_it_comes(create: SnapshotFactory) -> None:
    """A claim that was looked for in vain is found once it is added, and not after the revert."""
    snapshot = create()
    pod = a_pod("pod-0", "a")
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)
    snapshot.fork()
    snapshot.add_claims([a_claim("a")])
    expect("claims of the pod", names_of_pod(snapshot, pod), ["a"])
    snapshot.revert()
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)


def check_a_list_is_right_after_every_change_of_layers(create: SnapshotFactory) -> None:
    """A list shows the current state, whatever was listed before."""
    snapshot = create(claims=by_id(a_claim("a")))
    expect("claims", names_of_claims(snapshot), ["a"])
    snapshot.fork()
    snapshot.add_claims([a_claim("b")])
    expect("claims in the fork", names_of_claims(snapshot), ["a", "b"])
    snapshot.revert()
    expect("claims after the revert", names_of_claims(snapshot), ["a"])
    snapshot.add_claims([a_claim("c")])
    snapshot.fork()
    snapshot.add_claims([a_claim("d")])
    snapshot.commit()
    expect("claims after the commit", names_of_claims(snapshot), ["a", "c", "d"])


def check_views_follow_the_current_layer(create: SnapshotFactory) -> None:
    """A view shows the current layer, however old the view is."""
    snapshot = create(claims=by_id(a_claim("a")), node_slices={"node-0": [a_slice("s0")]})
    claims, slices = snapshot.resource_claims(), snapshot.resource_slices()
    snapshot.fork()
    snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
    snapshot.add_node_resource_slices("node-1", [a_slice("s1")])
    expect("reservations", claims.get("default", "a").reserved_for, [a_reservation("pod-0")])
    expect("claims", claims.list(), [a_claim("a", reserved_for=["pod-0"])])
    expect("slices", sorted(one.name for one in slices.list()), ["s0", "s1"])
    snapshot.revert()
    expect("claims", claims.list(), [a_claim("a")])
    expect("slices", [one.name for one in slices.list()], ["s0"])

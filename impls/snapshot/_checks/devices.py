"""Slices, allocations and node infos."""

from __future__ import annotations

from impls.snapshot._checks.making import (
    a_claim,
    a_pod,
    a_slice,
    by_id,
    expect,
    expect_error,
    names_of_node,
    names_of_slices,
)
from impls.snapshot.interface import (
    AllocatedState,
    ClaimNameUndeterminedError,
    ClaimNotFoundError,
    ClaimNotTrackedError,
    ClaimUidMismatchError,
    NeverInSimulationError,
    NodeInfo,
    SlicesAlreadyPresentError,
    SnapshotFactory,
)
from kubernetes_testbed.pods import Node


def check_slices_come_in_stored_order(create: SnapshotFactory) -> None:
    """A node's slices come back in the order they were given; an unknown node has no entry."""
    snapshot = create(node_slices={"node-0": [a_slice("s1"), a_slice("s0")]})
    snapshot.add_node_resource_slices("node-1", [a_slice("s3"), a_slice("s2")])
    expect("slices", names_of_node(snapshot, "node-0"), ["s1", "s0"])
    expect("slices", names_of_node(snapshot, "node-1"), ["s3", "s2"])
    expect("slices", names_of_node(snapshot, "node-2"), None)


def check_slices_are_not_added_twice(create: SnapshotFactory) -> None:
    """A node that has an entry is given no other, also if its entry is empty or from below."""
    snapshot = create(node_slices={"node-0": [a_slice("s0")], "node-1": []})
    snapshot.fork()
    for node, names in (("node-0", ["s0"]), ("node-1", [])):
        expect_error(
            SlicesAlreadyPresentError, snapshot.add_node_resource_slices, node, [a_slice("s9")]
        )
        expect("slices", names_of_node(snapshot, node), names)


def check_removed_slices_are_gone(create: SnapshotFactory) -> None:
    """A node's slices can be removed, and others added; removing none is fine."""
    snapshot = create(node_slices={"node-0": [a_slice("s0")]})
    snapshot.remove_node_resource_slices("node-0")
    snapshot.remove_node_resource_slices("node-1")
    expect("slices", names_of_node(snapshot, "node-0"), None)
    expect("all slices", names_of_slices(snapshot), [])
    snapshot.add_node_resource_slices("node-0", [a_slice("s1")])
    expect("slices", names_of_node(snapshot, "node-0"), ["s1"])


def check_an_empty_list_of_slices_survives_every_fork(create: SnapshotFactory) -> None:
    """A node whose list of slices is empty keeps its entry through fork, commit and revert."""
    snapshot = create(node_slices={"node-0": []})
    snapshot.add_node_resource_slices("node-1", [])
    for change_layer in (snapshot.fork, snapshot.fork, snapshot.commit, snapshot.revert):
        change_layer()
        for node in ("node-0", "node-1"):
            expect(f"slices after {change_layer.__name__}", names_of_node(snapshot, node), [])


def check_non_local_slices_belong_to_no_node(create: SnapshotFactory) -> None:
    """Slices of no node are listed, but there is no node name under which they can be reached."""
    snapshot = create(non_local_slices=[a_slice("s0", node=None)])
    # The name under which kubernetes/autoscaler commit eb486661803b keeps them.
    reserved = "--NON-LOCAL--"
    expect("slices", names_of_node(snapshot, reserved), None)
    snapshot.add_node_resource_slices(reserved, [a_slice("s1")])
    expect("all slices", names_of_slices(snapshot), ["s0", "s1"])
    snapshot.remove_node_resource_slices(reserved)
    expect("all slices", names_of_slices(snapshot), ["s0"])


def check_a_signalled_claim_replaces_the_stored_one(create: SnapshotFactory) -> None:
    """A signalled claim is stored in place of the old one, allocated or not."""
    snapshot = create(claims=by_id(a_claim("a", devices=["d0"])))
    claims = snapshot.resource_claims()
    for replacement in (a_claim("a", devices=["d1"]), a_claim("a")):
        claims.signal_claim_pending_allocation("a-uid", replacement)
        expect("claim", claims.get("default", "a"), replacement)
        expect("claims", claims.list(), [replacement])


def check_a_signal_is_for_the_stored_claims_uid(create: SnapshotFactory) -> None:
    """A signal needs a stored claim with the UID it names; the new claim's own UID is not asked."""
    snapshot = create(claims=by_id(a_claim("a")))
    claims = snapshot.resource_claims()
    signal = claims.signal_claim_pending_allocation
    expect_error(ClaimNotFoundError, signal, "b-uid", a_claim("b"))
    expect_error(ClaimUidMismatchError, signal, "x-uid", a_claim("a", uid="x-uid"))
    expect("claims", claims.list(), [a_claim("a")])
    signal("a-uid", a_claim("a", uid="x-uid"))
    expect("claims", claims.list(), [a_claim("a", uid="x-uid")])


def check_allocated_devices_are_those_of_all_claims(create: SnapshotFactory) -> None:
    """The allocated devices are those in any allocation, each once, shares included."""
    shared = a_claim("c", devices=["d1", "d2"])
    assert shared.allocation is not None
    shared.allocation.results[1].share_id = "share-0"
    snapshot = create(
        claims=by_id(
            a_claim("a", devices=["d0", "d1"]), a_claim("b", devices=[]), shared, a_claim("d")
        )
    )
    devices = {("driver", "pool", name) for name in ("d0", "d1", "d2")}
    claims = snapshot.resource_claims()
    expect("devices", claims.list_all_allocated_devices(), devices)
    expect("state", claims.gather_allocated_state(), AllocatedState(devices))


def check_shares_of_devices_are_told_apart_if_asked(create: SnapshotFactory) -> None:
    """With consumable capacity, shares are no whole devices, and what they consume is added up."""
    claims = [a_claim("a", devices=["d0", "d1"]), a_claim("b", devices=["d1"])]
    for claim, share_id, amount in zip(claims, ("share-0", "share-1"), (10, 32), strict=True):
        assert claim.allocation is not None
        claim.allocation.results[-1].share_id = share_id
        claim.allocation.results[-1].consumed_capacity = (("memory", amount),)
    snapshot = create(claims=by_id(*claims))
    expect(
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
    claims = create(claims=by_id(a_claim("a"))).resource_claims()
    claims.signal_claim_pending_allocation("a-uid", a_claim("a", devices=["d0"]))
    for uid in ("a-uid", "unknown"):
        expect("pending", claims.claim_has_pending_allocation(uid), False)


def check_calls_of_the_binding_phase_are_refused(create: SnapshotFactory) -> None:
    """The calls that only a real scheduler makes are a mistake, and change nothing."""
    claims = create(claims=by_id(a_claim("a"))).resource_claims()
    expect_error(NeverInSimulationError, claims.remove_claim_pending_allocation, "a-uid")
    expect_error(
        NeverInSimulationError, claims.assume_claim_after_api_call, a_claim("a", devices=["d0"])
    )
    expect_error(NeverInSimulationError, claims.assumed_claim_restore, "default", "a")
    expect("claims", claims.list(), [a_claim("a")])


def check_a_node_info_has_the_nodes_slices_and_claims(create: SnapshotFactory) -> None:
    """A node info lists the node's slices, and for each pod its claims in order."""
    snapshot = create(
        claims=by_id(a_claim("a"), a_claim("b")), node_slices={"node-0": [a_slice("s0")]}
    )
    pods = [a_pod("pod-0", "b", "a"), a_pod("pod-1"), a_pod("pod-2", "a")]
    expect(
        "node info",
        snapshot.wrap_node_info(Node("node-0"), pods),
        NodeInfo(
            Node("node-0"),
            tuple(pods),
            [[a_claim("b"), a_claim("a")], [], [a_claim("a")]],
            (a_slice("s0"),),
        ),
    )
    expect(
        "node info without slices",
        snapshot.wrap_node_info(Node("node-1"), []),
        NodeInfo(Node("node-1"), (), [], ()),
    )


def check_a_node_info_needs_every_claim(create: SnapshotFactory) -> None:
    """If a claim of any pod on the node is not to be found, there is no node info."""
    snapshot = create(claims=by_id(a_claim("a")))
    node = Node("node-0")
    for error, bad in ((ClaimNotTrackedError, "missing"), (ClaimNameUndeterminedError, "")):
        pods = [a_pod("pod-0", "a"), a_pod("pod-1", bad)]
        expect_error(error, snapshot.wrap_node_info, node, pods)

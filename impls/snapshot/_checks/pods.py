"""From a pod to its claims: finding, reserving, giving back, removing."""

from __future__ import annotations

from impls.snapshot._checks.making import (
    a_claim,
    a_pod,
    a_pod_by_template,
    a_reservation,
    by_id,
    expect,
    expect_error,
    holders_of,
    names_of_claims,
    names_of_pod,
    other_holders,
    own_claim,
)
from impls.snapshot.interface import (
    ClaimNameUndeterminedError,
    ClaimNotTrackedError,
    SnapshotFactory,
    TooManyReservationsError,
)
from kubernetes_testbed.claims import MAX_RESERVATIONS, OwnerReference, Reservation
from kubernetes_testbed.pods import Pod, PodClaimReference, PodClaimStatus


def check_claims_come_in_the_order_of_the_references(create: SnapshotFactory) -> None:
    """A pod's claims come in the order of its references, one named twice comes twice."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("b"), a_claim("c")))
    expect("claims", names_of_pod(snapshot, a_pod("pod-0", "b", "a", "b")), ["b", "a", "b"])
    expect("claims of no reference", snapshot.pod_claims(a_pod("pod-0")), [])


def check_claims_are_looked_up_in_the_pods_namespace(create: SnapshotFactory) -> None:
    """A pod's claims are looked for in the pod's namespace."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("a", namespace="other", uid="x")))
    (found,) = snapshot.pod_claims(a_pod("pod-0", "a", namespace="other"))
    expect("UID", found.uid, "x")
    pod = a_pod("pod-0", "a", namespace="third")
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, pod)


def check_a_name_in_the_reference_wins_over_the_status(create: SnapshotFactory) -> None:
    """A reference that names its claim means that claim, whatever the pod's status says."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("b")))
    pod = Pod(
        "default",
        "pod-0",
        "pod-0-uid",
        (PodClaimReference("ref", "a", "template"),),
        (PodClaimStatus("ref", "b"),),
    )
    expect("claims", names_of_pod(snapshot, pod), ["a"])


def check_the_first_status_that_names_a_claim_decides(create: SnapshotFactory) -> None:
    """A reference without a name means the claim in its first status entry that has one."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("b"), a_claim("c")))
    pod = a_pod_by_template(("other", "a"), ("ref", None), ("ref", "b"), ("ref", "c"))
    expect("claims", names_of_pod(snapshot, pod), ["b"])


def check_an_unknown_claim_name_is_an_error(create: SnapshotFactory) -> None:
    """A reference whose claim's name is missing, null or empty is undetermined."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("")))
    for pod in (a_pod_by_template(), a_pod_by_template(("ref", None)), a_pod("pod-0", "")):
        for call in (
            snapshot.pod_claims,
            snapshot.reserve_pod_claims,
            snapshot.unreserve_pod_claims,
        ):
            expect_error(ClaimNameUndeterminedError, call, pod)


def check_the_first_bad_reference_decides_the_error(create: SnapshotFactory) -> None:
    """Of several references that cannot be followed, the first one is reported."""
    snapshot = create(claims=by_id(a_claim("a")))
    missing_first = a_pod("pod-0", "a", "missing", "")
    expect_error(ClaimNotTrackedError, snapshot.pod_claims, missing_first)
    undetermined_first = a_pod("pod-0", "a", "", "missing")
    expect_error(ClaimNameUndeterminedError, snapshot.pod_claims, undetermined_first)


def check_reserving_appends_one_entry_for_the_pod(create: SnapshotFactory) -> None:
    """Reserving appends the pod to each of its claims, once."""
    snapshot = create(claims=by_id(a_claim("a", reserved_for=["x"]), a_claim("b")))
    for _ in range(2):
        snapshot.reserve_pod_claims(a_pod("pod-0", "a", "b"))
    expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        a_claim("a", reserved_for=["x", "pod-0"]),
    )
    expect(
        "other claim",
        snapshot.resource_claims().get("default", "b"),
        a_claim("b", reserved_for=["pod-0"]),
    )


def check_a_claim_named_twice_is_reserved_once(create: SnapshotFactory) -> None:
    """A pod that names one claim twice reserves it once, even if it takes the last place."""
    snapshot = create(claims=by_id(a_claim("a", reserved_for=other_holders(255))))
    snapshot.reserve_pod_claims(a_pod("pod-0", "a", "a"))
    expect("reservations", holders_of(snapshot, "a"), [*other_holders(255), "pod-0"])


def check_a_claim_named_twice_loses_one_reservation(create: SnapshotFactory) -> None:
    """A pod that names one claim twice gives back one reservation of it, however many it has."""
    for change in ("unreserve_pod_claims", "remove_pod_owned_claims"):
        held = a_claim("a", reserved_for=["pod-0", "pod-0", "pod-0"])
        snapshot = create(claims=by_id(held))
        getattr(snapshot, change)(a_pod("pod-0", "a", "a"))
        expect(f"holders after {change}", holders_of(snapshot, "a"), ["pod-0", "pod-0"])


def check_a_claim_is_reserved_for_a_pod_by_its_uid(create: SnapshotFactory) -> None:
    """An entry with the pod's UID counts as the pod's, whatever its name; and only such a one."""
    snapshot = create(claims=by_id(a_claim("a"), a_claim("b")))
    stranger = Reservation("", "pods", "another-name", "pod-0-uid")
    namesake = Reservation("", "pods", "pod-0", "another-uid")
    snapshot.add_claims([a_claim("c", entries=[stranger]), a_claim("d", entries=[namesake])])
    snapshot.reserve_pod_claims(a_pod("pod-0", "c", "d"))
    claims = snapshot.resource_claims()
    expect("reservations by UID", claims.get("default", "c").reserved_for, [stranger])
    expect(
        "reservations by name",
        claims.get("default", "d").reserved_for,
        [namesake, a_reservation("pod-0")],
    )


def check_a_claim_takes_256_reservations_and_no_more(create: SnapshotFactory) -> None:
    """The 256th reservation of a claim is accepted, the 257th is an error."""
    snapshot = create(claims=by_id(a_claim("a", reserved_for=other_holders(255))))
    snapshot.reserve_pod_claims(a_pod("pod-0", "a"))
    expect_error(TooManyReservationsError, snapshot.reserve_pod_claims, a_pod("pod-1", "a"))
    expect("reservations", len(holders_of(snapshot, "a")), MAX_RESERVATIONS)


def check_a_full_claim_can_be_reserved_again(create: SnapshotFactory) -> None:
    """A pod that has reserved a claim may reserve it again, even if the claim is full."""
    others = other_holders(MAX_RESERVATIONS)
    snapshot = create(claims=by_id(a_claim("a", reserved_for=others)))
    snapshot.reserve_pod_claims(a_pod(others[7], "a"))
    expect("reservations", holders_of(snapshot, "a"), others)


def check_reserving_is_all_or_nothing(create: SnapshotFactory) -> None:
    """If one claim of a pod cannot be reserved, none is."""
    full = a_claim("full", reserved_for=other_holders(MAX_RESERVATIONS))
    snapshot = create(claims=by_id(a_claim("a"), full))
    for error, pod in (
        (TooManyReservationsError, a_pod("pod-0", "a", "full")),
        (ClaimNotTrackedError, a_pod("pod-0", "a", "missing")),
        (ClaimNameUndeterminedError, a_pod("pod-0", "a", "")),
    ):
        expect_error(error, snapshot.reserve_pod_claims, pod)
        expect(f"reservations after {error.__name__}", holders_of(snapshot, "a"), [])


def check_unreserving_removes_the_pods_entry_only(create: SnapshotFactory) -> None:
    """Unreserving removes the first entry with the pod's name and UID, and no other."""
    entries = [
        Reservation("", "pods", "pod-0", "another-uid"),
        Reservation("", "pods", "another-name", "pod-0-uid"),
        Reservation("group", "pods", "pod-0", "pod-0-uid"),
        Reservation("", "jobs", "pod-0", "pod-0-uid"),
        a_reservation("pod-0"),
        a_reservation("pod-1"),
        a_reservation("pod-0"),
    ]
    snapshot = create(claims=by_id(a_claim("a", entries=entries)))
    snapshot.unreserve_pod_claims(a_pod("pod-0", "a"))
    expect(
        "reservations",
        snapshot.resource_claims().get("default", "a").reserved_for,
        entries[:4] + entries[5:],
    )


def check_unreserving_the_last_entry_clears_the_allocation(create: SnapshotFactory) -> None:
    """A claim that nobody reserves any more loses its allocation."""
    claim = a_claim("a", devices=["d0"], reserved_for=["pod-0"])
    snapshot = create(claims=by_id(claim))
    snapshot.unreserve_pod_claims(a_pod("pod-0", "a"))
    expect("claim", snapshot.resource_claims().get("default", "a"), a_claim("a"))


def check_unreserving_keeps_an_allocation_that_others_need(create: SnapshotFactory) -> None:
    """A claim that others reserve keeps its allocation."""
    claim = a_claim("a", devices=["d0"], reserved_for=["pod-0", "pod-1"])
    snapshot = create(claims=by_id(claim))
    snapshot.unreserve_pod_claims(a_pod("pod-0", "a"))
    expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        a_claim("a", devices=["d0"], reserved_for=["pod-1"]),
    )


def check_unreserving_clears_the_allocation_of_an_own_claim(create: SnapshotFactory) -> None:
    """A pod's own claim loses its allocation even if others reserve it."""
    claim = own_claim("a", "pod-0", devices=["d0"], reserved_for=["pod-0", "pod-1"])
    snapshot = create(claims=by_id(claim))
    snapshot.unreserve_pod_claims(a_pod("pod-0", "a"))
    expect(
        "claim",
        snapshot.resource_claims().get("default", "a"),
        own_claim("a", "pod-0", reserved_for=["pod-1"]),
    )


def check_unreserving_clears_what_nobody_had_reserved(create: SnapshotFactory) -> None:
    """A claim without reservations loses its allocation, whoever unreserves it."""
    snapshot = create(claims=by_id(a_claim("a", devices=["d0"])))
    snapshot.unreserve_pod_claims(a_pod("pod-0", "a"))
    expect("allocation", snapshot.resource_claims().get("default", "a").allocation, None)


def check_unreserving_is_all_or_nothing(create: SnapshotFactory) -> None:
    """If one reference of a pod cannot be followed, no claim is unreserved."""
    claim = a_claim("a", devices=["d0"], reserved_for=["pod-0"])
    snapshot = create(claims=by_id(claim))
    for error, bad in ((ClaimNotTrackedError, "missing"), (ClaimNameUndeterminedError, "")):
        expect_error(error, snapshot.unreserve_pod_claims, a_pod("pod-0", "a", bad))
        expect(
            "claim",
            snapshot.resource_claims().get("default", "a"),
            a_claim("a", devices=["d0"], reserved_for=["pod-0"]),
        )


def check_removing_own_claims_leaves_other_claims(create: SnapshotFactory) -> None:
    """A pod's own claims are removed; from others its reservation goes, their allocation stays."""
    shared = a_claim("shared", devices=["d0"], reserved_for=["pod-0"])
    snapshot = create(claims=by_id(own_claim("own", "pod-0"), shared, a_claim("c")))
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "own", "shared"))
    expect("claims", names_of_claims(snapshot), ["c", "shared"])
    expect(
        "shared claim",
        snapshot.resource_claims().get("default", "shared"),
        a_claim("shared", devices=["d0"]),
    )


def check_removing_own_claims_skips_bad_references(create: SnapshotFactory) -> None:
    """References that cannot be followed are skipped, those after them are not."""
    snapshot = create(claims=by_id(own_claim("own", "pod-0"), a_claim("c")))
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "missing", "", "own", "own"))
    expect("claims", names_of_claims(snapshot), ["c"])


def check_an_owner_is_told_by_its_uid(create: SnapshotFactory) -> None:
    """A claim is a pod's own if its controller has the pod's UID, whatever its name and kind."""
    by_uid = OwnerReference("apps/v1", "Job", "another-name", "pod-0-uid", True)
    by_name = OwnerReference("v1", "Pod", "pod-0", "another-uid", True)
    snapshot = create(claims=by_id(a_claim("a", owners=[by_uid]), a_claim("b", owners=[by_name])))
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "a", "b"))
    expect("claims", names_of_claims(snapshot), ["b"])


def check_only_the_controller_is_the_owner(create: SnapshotFactory) -> None:
    """Of several owners the controller counts, and without one a claim is nobody's own."""
    pod_0 = OwnerReference("v1", "Pod", "pod-0", "pod-0-uid", False)
    pod_1 = OwnerReference("v1", "Pod", "pod-1", "pod-1-uid", True)
    snapshot = create(
        claims=by_id(a_claim("a", owners=[pod_0, pod_1]), a_claim("b", owners=[pod_0]))
    )
    snapshot.remove_pod_owned_claims(a_pod("pod-0", "a", "b"))
    expect("claims", names_of_claims(snapshot), ["a", "b"])
    snapshot.remove_pod_owned_claims(a_pod("pod-1", "a", "b"))
    expect("claims", names_of_claims(snapshot), ["b"])


def check_a_claim_without_owner_is_not_a_nameless_pods(create: SnapshotFactory) -> None:
    """A pod with neither name nor UID does not own claims that have no owner."""
    snapshot = create(claims=by_id(a_claim("a")))
    snapshot.remove_pod_owned_claims(Pod("default", "", "", (PodClaimReference("ref", "a"),)))
    expect("claims", names_of_claims(snapshot), ["a"])

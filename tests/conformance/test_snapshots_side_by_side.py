"""All implementations side by side with a naive model, driven at random, by a caller who means no good.

The model is a list of plain dicts: a fork deep-copies the top one. The caller changes what snapshots hand out as
far as it is his (lists, sets), keeps claims over forks, commits and reverts, and hands stored claims
back in. Ten thousand steps; ``BAKEOFF_STEPS=100000`` makes more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from impls.snapshot.interface import Snapshot, SnapshotError
from kubernetes_testbed.claims import (
    MAX_RESERVATIONS,
    Allocation,
    DeviceRequest,
    DeviceResult,
    OwnerReference,
    Reservation,
    ResourceClaim,
)
from kubernetes_testbed.pods import Pod, PodClaimReference
from kubernetes_testbed.slices import ResourceSlice
from tests.conformance.implementations import implementations

STEPS = int(os.environ.get("BAKEOFF_STEPS", "10000"))
STEPS_IN_ONE = 50

NAMES = tuple("abcdef")
PODS = ("p0", "p1", "p2", "p3")
NODES = ("n0", "n1")

names = st.sampled_from(NAMES)
nodes = st.sampled_from(NODES)
versions = st.integers(0, 3)


def make_claim(name: str, version: int) -> ResourceClaim:
    """A claim; its version decides owner, devices and holders."""
    owners = [OwnerReference("v1", "Pod", "p0", "p0-uid", True)] if name in "ab" else []
    results = [
        DeviceResult("r", "driver", "pool", f"d{version}", None if version % 2 else f"share-{name}")
    ]
    if version == 3:
        results.append(DeviceResult("r", "driver", "pool", "d9", None, (("memory", 5),)))
    holders = [Reservation("", "pods", "p3", "p3-uid")] if version == 1 else []
    if name in "de":
        # The same pod several times, which no call makes but a caller may hand in.
        holders *= 3
    if name == "f" and version == 3:
        holders = [
            Reservation("", "pods", f"other-{index}", f"other-{index}-uid")
            for index in range(MAX_RESERVATIONS - 1)
        ]
    return ResourceClaim(
        "default",
        name,
        f"{name}-uid",
        owners,
        (DeviceRequest("r", "class"),),
        Allocation(results) if version else None,
        holders,
    )


@st.composite
def pods(draw: st.DrawFn) -> Pod:
    name = draw(st.sampled_from(PODS))
    # A claim may be named twice, and a reference may be empty.
    referred = draw(st.lists(st.one_of(names, names, st.just("")), max_size=3))
    references = tuple(
        PodClaimReference(f"ref-{index}", claim) for index, claim in enumerate(referred)
    )
    return Pod("default", name, f"{name}-uid", references)


class Layer:
    """A complete state of the model."""

    def __init__(self) -> None:
        self.claims: dict[str, ResourceClaim] = {}
        self.nodes: dict[str, list[str]] = {}


class Model:
    """What the interface promises, in the most naive way; a refusal is its error's name."""

    def __init__(self) -> None:
        self.layers = [Layer()]

    @property
    def top(self) -> Layer:
        return self.layers[-1]

    def fork(self) -> None:
        layer = Layer()
        layer.claims = {name: claim.clone() for name, claim in self.top.claims.items()}
        layer.nodes = dict(self.top.nodes)
        self.layers.append(layer)

    def commit(self) -> None:
        if len(self.layers) > 1:
            del self.layers[-2]

    def revert(self) -> None:
        if len(self.layers) > 1:
            self.layers.pop()

    def add(self, claims: list[ResourceClaim]) -> str | None:
        if any(claim.name in self.top.claims for claim in claims):
            return "ClaimAlreadyTrackedError"
        self.top.claims.update((claim.name, claim.clone()) for claim in claims)
        return None

    def signal(self, uid: str, claim: ResourceClaim) -> str | None:
        stored = self.top.claims.get(claim.name)
        if stored is None:
            return "ClaimNotFoundError"
        if stored.uid != uid:
            return "ClaimUidMismatchError"
        self.top.claims[claim.name] = claim.clone()
        return None

    def claims_of(self, pod: Pod) -> list[ResourceClaim] | str:
        found = []
        for reference in pod.claim_references:
            if not reference.claim_name:
                return "ClaimNameUndeterminedError"
            if reference.claim_name not in self.top.claims:
                return "ClaimNotTrackedError"
            found.append(self.top.claims[reference.claim_name])
        return found

    def reserve(self, pod: Pod) -> str | None:
        claims = self.claims_of(pod)
        if isinstance(claims, str):
            return claims
        for claim in claims:
            if not _is_held(claim, pod) and len(claim.reserved_for) >= MAX_RESERVATIONS:
                return "TooManyReservationsError"
        for claim in claims:
            if not _is_held(claim, pod):
                claim.reserved_for.append(Reservation("", "pods", pod.name, pod.uid))
        return None

    def unreserve(self, pod: Pod) -> str | None:
        claims = self.claims_of(pod)
        if isinstance(claims, str):
            return claims
        seen = {claim.name: claim for claim in claims}
        for claim in seen.values():
            _let_go(claim, pod)
            if _is_own(claim, pod) or not claim.reserved_for:
                claim.allocation = None
        return None

    def remove_owned(self, pod: Pod) -> None:
        for name in dict.fromkeys(one.claim_name or "" for one in pod.claim_references):
            claim = self.top.claims.get(name)
            if claim is None:
                continue
            if _is_own(claim, pod):
                del self.top.claims[claim.name]
            else:
                _let_go(claim, pod)


def _is_held(claim: ResourceClaim, pod: Pod) -> bool:
    return any(entry.uid == pod.uid for entry in claim.reserved_for)


def _is_own(claim: ResourceClaim, pod: Pod) -> bool:
    return any(owner.controller and owner.uid == pod.uid for owner in claim.owners)


def _let_go(claim: ResourceClaim, pod: Pod) -> None:
    entry = Reservation("", "pods", pod.name, pod.uid)
    if entry in claim.reserved_for:
        claim.reserved_for.remove(entry)


def _refusal_of(call: Callable[[], object]) -> str | None:
    try:
        call()
    except SnapshotError as error:
        return type(error).__name__
    return None


class SideBySide(RuleBasedStateMachine):
    """One model, all implementations."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.snapshots: dict[str, Snapshot] = {}
        # Every claim ever handed in, with what it then was; each snapshot has its own.
        self.handed_in: list[tuple[ResourceClaim, ResourceClaim]] = []

    @initialize(chosen=st.lists(st.tuples(names, versions), max_size=6, unique_by=lambda c: c[0]))
    def make(self, chosen: list[tuple[str, int]]) -> None:
        claims = [make_claim(*one) for one in chosen]
        self.model.add(claims)
        self.model.top.nodes["n0"] = ["s0"]
        for name, module in implementations("snapshot").items():
            mine = {("default", claim.name): self.own(claim) for claim in claims}
            slices = [ResourceSlice("s0", "driver", "pool", ("d0",), "n0")]
            self.snapshots[name] = module.create(mine, {"n0": slices})
            # What the maps and lists were made into is the snapshot's; these are ours again.
            mine.clear()
            slices.clear()

    def own(self, claim: ResourceClaim) -> ResourceClaim:
        """A claim to hand in to one snapshot, and to watch."""
        mine = claim.clone()
        self.handed_in.append((mine, claim))
        return mine

    def each(self, expected: str | None, call: Callable[[Snapshot], object]) -> None:
        for name, snapshot in self.snapshots.items():
            refused = _refusal_of(lambda snapshot=snapshot: call(snapshot))  # type: ignore[misc]
            assert refused == expected, f"{name}: {refused} instead of {expected}"

    @rule(layers=st.sampled_from(["fork", "fork", "fork", "commit", "revert", "revert"]))
    def change_layers(self, layers: str) -> None:
        getattr(self.model, layers)()
        self.each(None, lambda snapshot: getattr(snapshot, layers)())

    @rule(chosen=st.lists(st.tuples(names, versions), min_size=1, max_size=2))
    def add(self, chosen: list[tuple[str, int]]) -> None:
        claims = [make_claim(*one) for one in chosen]
        expected = self.model.add(claims)
        self.each(expected, lambda snapshot: snapshot.add_claims([self.own(c) for c in claims]))

    @rule(name=names, version=versions, is_right=st.sampled_from([True, True, True, False]))
    def signal(self, name: str, version: int, is_right: bool) -> None:
        claim = make_claim(name, version)
        uid = claim.uid if is_right else "another"
        expected = self.model.signal(uid, claim)
        self.each(
            expected,
            lambda s: s.resource_claims().signal_claim_pending_allocation(uid, self.own(claim)),
        )

    @rule(name=names)
    def signal_the_stored_one_itself(self, name: str) -> None:
        """It is the caller's again, and must not change any more."""
        if name not in self.model.top.claims:
            return
        for snapshot in self.snapshots.values():
            view = snapshot.resource_claims()
            stored = view.get("default", name)
            self.handed_in.append((stored, stored.clone()))
            view.signal_claim_pending_allocation(stored.uid, stored)

    @rule(pod=pods())
    def reserve(self, pod: Pod) -> None:
        self.each(self.model.reserve(pod), lambda snapshot: snapshot.reserve_pod_claims(pod))

    @rule(pod=pods())
    def unreserve(self, pod: Pod) -> None:
        self.each(self.model.unreserve(pod), lambda snapshot: snapshot.unreserve_pod_claims(pod))

    @rule(pod=pods())
    def remove_owned(self, pod: Pod) -> None:
        self.model.remove_owned(pod)
        self.each(None, lambda snapshot: snapshot.remove_pod_owned_claims(pod))

    @rule(node=nodes, count=st.integers(0, 2))
    def add_slices(self, node: str, count: int) -> None:
        expected = "SlicesAlreadyPresentError" if node in self.model.top.nodes else None
        if expected is None:
            self.model.top.nodes[node] = [f"s{index}" for index in range(count)]
        slices = [ResourceSlice(f"s{i}", "driver", "pool", ("d0",), node) for i in range(count)]
        self.each(expected, lambda snapshot: snapshot.add_node_resource_slices(node, slices))

    @rule(node=nodes)
    def remove_slices(self, node: str) -> None:
        self.model.top.nodes.pop(node, None)
        self.each(None, lambda snapshot: snapshot.remove_node_resource_slices(node))

    @rule(pod=pods())
    def spoil_what_was_handed_out(self, pod: Pod) -> None:
        """Lists and sets are the caller's own."""
        for snapshot in self.snapshots.values():
            snapshot.resource_claims().list().clear()
            snapshot.resource_claims().list_all_allocated_devices().clear()
            snapshot.resource_slices().list().clear()
            state = snapshot.resource_claims().gather_allocated_state(consumable_capacity=True)
            state.devices.clear()
            state.shared_devices.clear()
            for consumed in state.aggregated_capacity.values():
                consumed["memory"] = -1
            try:
                snapshot.pod_claims(pod).clear()
            except SnapshotError:
                continue

    @invariant()
    def all_show_what_the_model_has(self) -> None:
        if not self.snapshots:
            return
        claims = self.model.top.claims
        devices = {_device(one) for claim in claims.values() for one in _results(claim)}
        whole = {
            _device(one)
            for claim in claims.values()
            for one in _results(claim)
            if one.share_id is None
        }
        for name, snapshot in self.snapshots.items():
            view = snapshot.resource_claims()
            listed = view.list()
            assert len(listed) == len(claims), name
            assert {claim.name: claim for claim in listed} == claims, name
            assert view.list_all_allocated_devices() == devices, name
            assert view.gather_allocated_state(consumable_capacity=True).devices == whole, name
            for one in NAMES:
                if one in claims:
                    assert view.get("default", one) == claims[one], name
            for node in NODES:
                slices = snapshot.node_resource_slices(node)
                seen = None if slices is None else [piece.name for piece in slices]
                assert seen == self.model.top.nodes.get(node), name

    @invariant()
    def nobody_changed_what_was_handed_in(self) -> None:
        for claim, before in self.handed_in[-40:]:
            assert claim == before

    def teardown(self) -> None:
        # Down to the bottom: a change that leaked shows in the layers below.
        for _ in range(len(self.model.layers)):
            self.model.revert()
            self.each(None, lambda snapshot: snapshot.revert())
            self.all_show_what_the_model_has()
        for claim, before in self.handed_in:
            assert claim == before


def _results(claim: ResourceClaim) -> list[DeviceResult]:
    return [] if claim.allocation is None else claim.allocation.results


def _device(result: DeviceResult) -> tuple[str, str, str]:
    return result.driver, result.pool, result.device


TestSideBySide: Any = SideBySide.TestCase
TestSideBySide.settings = settings(
    max_examples=max(1, STEPS // STEPS_IN_ONE),
    stateful_step_count=STEPS_IN_ONE,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

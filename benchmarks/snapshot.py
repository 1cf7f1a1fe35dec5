"""The workloads of the snapshot study: scheduling pods into forks of a cluster.

The scenario is ``BenchmarkScheduleRevert`` of the autoscaler
(``predicate_snapshot_dra_benchmark_test.go``, kubernetes/autoscaler commit eb486661803b),
reduced to the calls that reach the snapshot of dynamic resources.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bakeoff import Suite
from kubernetes_testbed.claims import ResourceClaim
from kubernetes_testbed.clusters import DraCluster, dra_cluster, pod_with_claim
from kubernetes_testbed.pods import Node, Pod

if TYPE_CHECKING:
    # asv imports suites at commits, too, at which there is no such study.
    from impls.snapshot.interface import Snapshot, SnapshotFactory


class Base(NamedTuple):
    """How many nodes there are, and how many pods of each kind are scheduled on each."""

    nodes: int
    shared_pods: int
    owned_pods: int


class Ending(NamedTuple):
    """How often a node's work begins with a fork, and how it ends."""

    forks: int
    commits: int
    reverts: int


BASES = {
    "100x32/SharedClaims": Base(100, 32, 0),
    "100x1/SharedClaims": Base(100, 1, 0),
    "10x32/SharedClaims": Base(10, 32, 0),
    "10x1/SharedClaims": Base(10, 1, 0),
    "100x100/OwnedClaims": Base(100, 0, 100),
    "100x1/OwnedClaims": Base(100, 0, 1),
    "10x100/OwnedClaims": Base(10, 0, 100),
    "10x1/OwnedClaims": Base(10, 0, 1),
    "100x32x50/MixedClaims": Base(100, 32, 50),
    "100x1x1/MixedClaims": Base(100, 1, 1),
    "10x32x50/MixedClaims": Base(10, 32, 50),
    "10x1x1/MixedClaims": Base(10, 1, 1),
}
ENDINGS = {
    "ForkRevert": Ending(1, 0, 1),
    "ForkCommit": Ending(1, 1, 0),
    "ForkForkCommitRevert": Ending(2, 1, 1),
    "Fork": Ending(1, 0, 0),
    "Fork5Revert5": Ending(5, 0, 5),
}
CONFIGURATIONS = {
    f"{base}/{ending}": (BASES[base], ENDINGS[ending]) for base in BASES for ending in ENDINGS
}


class Scenario(NamedTuple):
    """One configuration with its cluster."""

    base: Base
    ending: Ending
    cluster: DraCluster


@dataclass(slots=True)
class Outcome:
    """What is left after all nodes: the snapshot, the pods scheduled, the errors reported."""

    snapshot: Snapshot
    scheduled: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class ScheduleRevert(Suite):
    """Schedule pods with claims on each node in turn, inside forks that are then undone or kept."""

    parameters: ClassVar = {"configuration": tuple(CONFIGURATIONS)}
    presets: ClassVar = {
        "quick": {
            "configuration": (
                "10x1/SharedClaims/ForkRevert",
                "10x1/OwnedClaims/ForkRevert",
                "10x1/OwnedClaims/Fork5Revert5",
                "10x32/SharedClaims/ForkRevert",
                "10x100/OwnedClaims/ForkRevert",
                "10x100/OwnedClaims/Fork5Revert5",
                "10x1x1/MixedClaims/ForkRevert",
                "10x32x50/MixedClaims/ForkRevert",
            )
        }
    }
    time_limit_s = 15.0

    def prepare(self, seed: int, **params: Any) -> Scenario:
        """Build the cluster; its seed decides the claims' UIDs."""
        base, ending = CONFIGURATIONS[params["configuration"]]
        return Scenario(base, ending, dra_cluster(base.nodes, seed=seed))

    def run(self, create: SnapshotFactory, given: Scenario) -> Outcome:
        """Make a snapshot, then fork, schedule and undo or keep, node after node."""
        base, ending, cluster = given
        snapshot = create(device_classes={cluster.device_class.name: cluster.device_class})
        # All claims are there, whatever is used of them: how many is what a deep copy pays for.
        snapshot.add_claims(cluster.shared_claims)
        for node in cluster.nodes:
            snapshot.add_claims(node.owned_claims)
        outcome = Outcome(snapshot)
        # There are shared claims for a hundred nodes, however many are used.
        for node, shared_claim in zip(cluster.nodes, cluster.shared_claims, strict=False):
            for _ in range(ending.forks):
                snapshot.fork()
            snapshot.add_node_resource_slices(node.node.name, node.slices)
            on_node: list[Pod] = []
            for index in range(base.shared_pods):
                pod = pod_with_claim(f"pod-{index}", shared_claim.name)
                _schedule(outcome, pod, node.node, on_node)
            for pod in node.owned_pods[: base.owned_pods]:
                _schedule(outcome, pod, node.node, on_node)
            for _ in range(ending.commits):
                snapshot.commit()
            for _ in range(ending.reverts):
                snapshot.revert()
        return outcome

    def answer(self, result: Outcome) -> dict[str, Any]:
        """The whole final state, for two snapshots that agree in it did the same work."""
        snapshot = result.snapshot
        return {
            "scheduled": result.scheduled,
            "errors": result.errors,
            "claims": {
                f"{claim.namespace}/{claim.name}": _claim_state(claim)
                for claim in snapshot.resource_claims().list()
            },
            "slices": sorted(one.name for one in snapshot.resource_slices().list()),
        }

    def fingerprint(self, given: Scenario) -> str:
        """Digest of everything that implementations are handed, at any depth."""
        # The text of a dataclass is its whole content at any depth, and half as dear as a pickle.
        return hashlib.sha256(repr(given.cluster).encode()).hexdigest()


def _schedule(outcome: Outcome, pod: Pod, node: Node, on_node: list[Pod]) -> None:
    """Make the scheduler's calls for one pod on one node, then count the pod as running there."""
    snapshot = outcome.snapshot
    try:
        # What the filters see: the node with the claims of every pod already on it.
        snapshot.wrap_node_info(node, on_node)
        claims = snapshot.resource_claims()
        for reference in pod.claim_references:
            claims.get(pod.namespace, pod.claim_name(reference) or "")
        snapshot.reserve_pod_claims(pod)
        for claim in snapshot.pod_claims(pod):
            if claim.allocation is None or not claim.allocation.is_available_on(node.name):
                outcome.errors.append(f"{claim.name} of {pod.name} is not to be had on {node.name}")
    except _refusal() as error:
        outcome.errors.append(str(error))
        return
    on_node.append(pod)
    outcome.scheduled.append(pod.name)


def _refusal() -> type[Exception]:
    """What a snapshot raises when it refuses a call; evaluated only when something was raised."""
    from impls.snapshot.interface import SnapshotError

    return SnapshotError


def _claim_state(claim: ResourceClaim) -> list[Any]:
    """What scheduling can change of a claim, as plain data."""
    allocation = claim.allocation
    return [
        claim.uid,
        [entry.uid for entry in claim.reserved_for],
        None if allocation is None else [result.device for result in allocation.results],
    ]

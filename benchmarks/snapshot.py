"""The workloads of the snapshot study: what a cluster autoscaler does with snapshots, and their parts.

`ScheduleRevert` is ``BenchmarkScheduleRevert`` of the autoscaler
(``predicate_snapshot_dra_benchmark_test.go``, kubernetes/autoscaler commit eb486661803b), reduced to the calls
that reach the snapshot of dynamic resources and the store of nodes. `ScaleUp` and `ScaleDown` are its two
questions. The others take the structure apart: what a fork costs, a look-up, a listing, and how that grows.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bakeoff import Suite
from kubernetes_testbed.autoscaling import ClusterSnapshot, empty_node, fill_nodes
from kubernetes_testbed.claims import Reservation, ResourceClaim
from kubernetes_testbed.clusters import (
    NAMESPACE,
    DraCluster,
    NodeGroup,
    RunningCluster,
    allocated_claims,
    dra_cluster,
    pending_pods,
    pod_with_claim,
    running_cluster,
)
from kubernetes_testbed.node_stores import STORES, DeltaStore
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


class BareSnapshot:
    """The floor: bare dicts behind the methods. Nothing is copied, nothing can be taken back.

    It makes the one dict access that a call cannot do without, so it shows what the
    workload's own loop and the calls cost.
    """

    def __init__(
        self,
        claims: Mapping[tuple[str, str], ResourceClaim] | None = None,
        node_slices: Mapping[str, Sequence[Any]] | None = None,
        non_local_slices: Iterable[Any] = (),
        device_classes: Mapping[str, Any] | None = None,
    ) -> None:
        self._claims = dict(claims or {})
        self._node_slices: dict[str, Any] = dict(node_slices or {})
        self._reservations: dict[str, Reservation] = {}
        self._devices = {device for claim in self._claims.values() for device in _devices_of(claim)}

    def resource_claims(self) -> BareSnapshot:
        return self

    def resource_slices(self) -> BareSnapshot:
        return self

    def list(self) -> list[ResourceClaim]:
        return [*self._claims.values()]

    def get(self, namespace: str, name: str) -> ResourceClaim:
        return self._claims[(namespace, name)]

    def list_all_allocated_devices(self) -> set[tuple[str, str, str]]:
        return self._devices.copy()

    def add_claims(self, claims: Iterable[ResourceClaim]) -> None:
        self._claims.update({(claim.namespace, claim.name): claim for claim in claims})

    def pod_claims(self, pod: Pod) -> Sequence[ResourceClaim]:
        return [self._claims[(pod.namespace, one.name)] for one in pod.claim_references]

    def reserve_pod_claims(self, pod: Pod) -> None:
        for _ in self.pod_claims(pod):
            self._reservations[pod.uid] = Reservation("", "pods", pod.name, pod.uid)

    def unreserve_pod_claims(self, pod: Pod) -> None:
        self.pod_claims(pod)

    def node_resource_slices(self, node_name: str) -> Any:
        return self._node_slices.get(node_name)

    def add_node_resource_slices(self, node_name: str, slices: Any) -> None:
        self._node_slices[node_name] = slices

    def remove_node_resource_slices(self, node_name: str) -> None:
        self._node_slices.pop(node_name, None)

    def wrap_node_info(self, node: Node, pods: Sequence[Pod]) -> Any:
        find = self._claims.__getitem__
        return [[find((pod.namespace, one.name)) for one in pod.claim_references] for pod in pods]

    def fork(self) -> None:
        pass

    commit = revert = fork


class BareAllocations(BareSnapshot):
    """The floor where what a fork finds depends on what an earlier one has undone.

    As the other, but allocations are taken back, or each fork would find less left to do than the one before.
    Only they: who holds a claim and which nodes there are decides nothing in these workloads.
    """

    def __init__(self, *content: Any, **more: Any) -> None:
        super().__init__(*content, **more)
        # For each layer above the bottom the claims that were replaced, in order.
        self._replaced: list[list[tuple[tuple[str, str], ResourceClaim]]] = []

    def signal_claim_pending_allocation(self, claim_uid: str, claim: ResourceClaim) -> None:
        claim_id = (claim.namespace, claim.name)
        if self._replaced:
            self._replaced[-1].append((claim_id, self._claims[claim_id]))
        self._replace(claim_id, claim)

    def unreserve_pod_claims(self, pod: Pod) -> None:
        for claim in self.pod_claims(pod):
            free = claim.with_own_holders()
            free.allocation = None
            self.signal_claim_pending_allocation(claim.uid, free)

    def fork(self) -> None:
        self._replaced.append([])

    def commit(self) -> None:
        top = self._replaced.pop()
        if self._replaced:
            self._replaced[-1] += top

    def revert(self) -> None:
        for claim_id, claim in reversed(self._replaced.pop()):
            self._replace(claim_id, claim)

    def _replace(self, claim_id: tuple[str, str], claim: ResourceClaim) -> None:
        self._devices.difference_update(_devices_of(self._claims[claim_id]))
        self._devices.update(_devices_of(claim))
        self._claims[claim_id] = claim


def _devices_of(claim: ResourceClaim) -> list[tuple[str, str, str]]:
    """The devices that a claim was given."""
    allocation = claim.allocation
    if allocation is None:
        return []
    return [(one.driver, one.pool, one.device) for one in allocation.results]


class Scenario(NamedTuple):
    """One configuration with its cluster."""

    base: Base
    ending: Ending
    store: str
    cluster: DraCluster


@dataclass(slots=True)
class Outcome:
    """What is left after all nodes: the snapshot, the pods scheduled, the errors reported."""

    snapshot: Snapshot
    scheduled: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class ScheduleRevert(Suite):
    """Schedule pods with claims on each node in turn, inside forks that are then undone or kept."""

    parameters: ClassVar = {"store": tuple(STORES), "configuration": tuple(CONFIGURATIONS)}
    presets: ClassVar = {
        "quick": {
            "store": ("delta",),
            "configuration": (
                "10x1/OwnedClaims/ForkRevert",
                "10x32/SharedClaims/ForkRevert",
                "10x100/OwnedClaims/ForkRevert",
            ),
        },
        # Which store holds the nodes hardly matters to claims: it is shown on the ten-node ones.
        "full": {"store": ("delta",)},
        "stores": {
            "configuration": tuple(name for name in CONFIGURATIONS if name.startswith("10x"))
        },
    }
    time_limit_s = 15.0
    floor = BareSnapshot

    def prepare(self, seed: int, **params: Any) -> Scenario:
        """Build the cluster; its seed decides the claims' UIDs."""
        base, ending = CONFIGURATIONS[params["configuration"]]
        return Scenario(base, ending, params["store"], dra_cluster(base.nodes, seed=seed))

    def run(self, create: SnapshotFactory, given: Scenario) -> Outcome:
        """Make a snapshot, then fork, schedule and undo or keep, node after node."""
        base, ending, store, cluster = given
        snapshot = create(device_classes={cluster.device_class.name: cluster.device_class})
        # All claims are there, whatever is used of them: how many is what a deep copy pays for.
        snapshot.add_claims(cluster.shared_claims)
        for node in cluster.nodes:
            snapshot.add_claims(node.owned_claims)
        outcome = Outcome(snapshot)
        forked = ClusterSnapshot(STORES[store](), snapshot)
        # There are shared claims for a hundred nodes, however many are used.
        for node, shared_claim in zip(cluster.nodes, cluster.shared_claims, strict=False):
            for _ in range(ending.forks):
                forked.fork()
            forked.add_node(node.node.name, node.slices)
            for index in range(base.shared_pods):
                pod = pod_with_claim(f"pod-{index}", shared_claim.name)
                _schedule(outcome, forked, pod, node.node)
            for pod in node.owned_pods[: base.owned_pods]:
                _schedule(outcome, forked, pod, node.node)
            for _ in range(ending.commits):
                forked.commit()
            for _ in range(ending.reverts):
                forked.revert()
        return outcome

    def answer(self, result: Outcome) -> dict[str, Any]:
        """The whole final state, for two snapshots that agree in it did the same work."""
        return {
            "scheduled": result.scheduled,
            "errors": result.errors,
            **_state(result.snapshot),
        }

    def fingerprint(self, given: Scenario) -> str:
        """Digest of everything that implementations are handed, at any depth."""
        return _digest(given.cluster)


class ScaleUpGiven(NamedTuple):
    """A cluster, pods that wait, and the node groups that could have room for them."""

    cluster: RunningCluster
    groups: tuple[NodeGroup, ...]
    pending: list[Pod]
    claims: list[ResourceClaim]


class ScaleUp(Suite):
    """Try each node group in a fork that is undone, then keep the one that needs the fewest nodes.

    The binpacking estimate of the autoscaler: template nodes are added as they are needed, and for each pod the
    allocator asks which devices are taken.
    """

    parameters: ClassVar = {"pods": (10, 30, 100)}
    presets: ClassVar = {"quick": {"pods": (10,)}}
    time_limit_s = 10.0
    consumes_input = True
    floor = BareAllocations

    def prepare(self, seed: int, **params: Any) -> ScaleUpGiven:
        """A hundred nodes of three pods each; seeds decide UIDs."""
        pods, claims = pending_pods(params["pods"], seed=seed + 1)
        groups = (NodeGroup("small", 2), NodeGroup("large", 8), NodeGroup("middle", 4))
        return ScaleUpGiven(running_cluster(100, seed=seed), groups, pods, claims)

    def subject(self, create: SnapshotFactory, prepared: ScaleUpGiven) -> ClusterSnapshot:
        """The cluster's snapshot, with the pending pods' claims."""
        cluster = _running(create, prepared.cluster)
        cluster.resources.add_claims(prepared.claims)
        return cluster

    def run(self, cluster: ClusterSnapshot, given: ScaleUpGiven) -> tuple[Any, ClusterSnapshot]:
        """Estimate every group, keep the best."""
        best: tuple[int, NodeGroup] | None = None
        for group in given.groups:
            cluster.fork()
            placed = fill_nodes(cluster, group, given.pending)
            cluster.revert()
            nodes = len(set(placed.values()))
            if best is None or nodes < best[0]:
                best = (nodes, group)
        assert best is not None
        cluster.fork()
        placed = fill_nodes(cluster, best[1], given.pending)
        cluster.commit()
        return (best[1].name, placed), cluster

    def answer(self, result: tuple[Any, ClusterSnapshot]) -> dict[str, Any]:
        """Who was chosen, who is where, and the whole state after it."""
        chosen, cluster = result
        return {"chosen": list(chosen), **_state(cluster.resources)}


class ScaleDown(Suite):
    """For each candidate node move its pods elsewhere in a fork: committed if all found room, else undone."""

    parameters: ClassVar = {"nodes": (10, 30, 100)}
    presets: ClassVar = {"quick": {"nodes": (10,)}}
    time_limit_s = 10.0
    consumes_input = True
    floor = BareAllocations

    #: How many nodes are tried, if there are so many: more than can be emptied, so that some are undone.
    CANDIDATES = 15

    def prepare(self, seed: int, **params: Any) -> RunningCluster:
        """Nodes of eight devices with seven pods each: an eighth of them can be emptied."""
        return running_cluster(params["nodes"], seed=seed, pods=7)

    def subject(self, create: SnapshotFactory, prepared: RunningCluster) -> ClusterSnapshot:
        """The cluster's snapshot."""
        return _running(create, prepared)

    def run(
        self, cluster: ClusterSnapshot, given: RunningCluster
    ) -> tuple[list[str], ClusterSnapshot]:
        """Try the last nodes first, for pods move to the first ones."""
        removed = []
        for name in [*reversed(given.pods)][: self.CANDIDATES]:
            cluster.fork()
            if empty_node(cluster, name):
                cluster.commit()
                removed.append(name)
            else:
                cluster.revert()
        return removed, cluster

    def answer(self, result: tuple[list[str], ClusterSnapshot]) -> dict[str, Any]:
        """Which nodes went, and the whole state after it."""
        removed, cluster = result
        return {"removed": removed, **_state(cluster.resources)}


class Claims(NamedTuple):
    """Claims by id, and pods that refer to some of them."""

    claims: dict[tuple[str, str], ResourceClaim]
    pods: list[Pod]


def _claims(count: int, pods: int, seed: int) -> Claims:
    """So many claims, and so many pods, each with one of the claims, drawn at random."""
    chance = random.Random(seed)
    claims = {(one.namespace, one.name): one for one in allocated_claims(count, seed=seed)}
    chosen = [chance.choice([*claims]) for _ in range(pods)]
    return Claims(claims, [pod_with_claim(f"pod-{i}", name) for i, (_, name) in enumerate(chosen)])


class _OnClaims(Suite):
    """A workload on a snapshot that was made before, and is afterwards as it was."""

    floor = BareSnapshot
    time_limit_s = 10.0

    #: How many pods refer to claims.
    PODS = 20

    def prepare(self, seed: int, **params: Any) -> Any:
        """The claims, the pods and the parameters."""
        return _claims(params.get("claims", 300), self.PODS, seed), params

    def subject(self, create: SnapshotFactory, prepared: Any) -> Snapshot:
        """A snapshot of all claims, not forked."""
        return create(prepared[0].claims)

    def fingerprint(self, given: Any) -> str:
        """Digest of claims and pods, at any depth."""
        return _digest(given[0])


class Read(_OnClaims):
    """Two hundred look-ups, or one listing of everything, in a snapshot of many claims.

    The same ones again and again, as the filters of a scheduler ask: what is asked for the first time, and is in no
    cache yet, is in the workloads that change something.
    """

    parameters: ClassVar = {
        "access": ("find", "list"),
        "claims": (100, 1_000, 10_000, 100_000),
    }
    presets: ClassVar = {"quick": {"access": ("find",), "claims": (1_000,)}}
    PODS = 200

    def run(self, snapshot: Snapshot, given: Any) -> Any:
        """Look up one claim after the other, or list them all."""
        made, params = given
        view = snapshot.resource_claims()
        if params["access"] == "list":
            return view.list()
        get = view.get
        return [get(NAMESPACE, pod.claim_references[0].name) for pod in made.pods]

    def answer(self, result: list[ResourceClaim]) -> list[Any]:
        """What was found, with the number of its holders; sorted."""
        return sorted([claim.uid, len(claim.reserved_for)] for claim in result)


class ReadDeep(Read):
    """The same at the top of many layers, each of which has changed a few claims."""

    parameters: ClassVar = {"access": ("find", "list"), "depth": (1, 4, 16, 32)}
    presets: ClassVar = {"quick": {"access": ("find",), "depth": (16,)}}

    def subject(self, create: SnapshotFactory, prepared: Any) -> Snapshot:
        """A snapshot of so many layers, with five reservations in each but the lowest."""
        made, params = prepared
        snapshot = create(made.claims)
        for layer in range(1, params["depth"]):
            snapshot.fork()
            for pod in made.pods[5 * layer : 5 * layer + 5]:
                snapshot.reserve_pod_claims(pod)
        return snapshot


class _Undone(_OnClaims):
    """A workload that leaves the snapshot itself as its result, as it was before."""

    def answer(self, result: Snapshot) -> dict[str, Any]:
        """The whole state: nothing may have changed."""
        return _state(result)


class ForkRevert(_Undone):
    """Fork, change some claims, revert: what a fork costs, and how that grows with the claims."""

    parameters: ClassVar = {"changes": (0, 10), "claims": (100, 1_000, 10_000)}
    presets: ClassVar = {"quick": {"changes": (0,), "claims": (1_000,)}}

    def run(self, snapshot: Snapshot, given: Any) -> Snapshot:
        """One fork and its revert."""
        made, params = given
        snapshot.fork()
        for pod in made.pods[: params["changes"]]:
            snapshot.reserve_pod_claims(pod)
        snapshot.revert()
        return snapshot


class Churn(_Undone):
    """Many small forks over a large base: each reserves, takes back, lists nothing, and is undone or kept."""

    parameters: ClassVar = {"claims": (100, 1_000, 10_000)}
    presets: ClassVar = {"quick": {"claims": ()}}

    def run(self, snapshot: Snapshot, given: Any) -> Snapshot:
        """Twenty forks, every fourth of them committed, in one that is undone at the end."""
        made, _ = given
        snapshot.fork()
        for index, pod in enumerate(made.pods):
            snapshot.fork()
            snapshot.reserve_pod_claims(pod)
            snapshot.reserve_pod_claims(made.pods[index - 1])
            snapshot.unreserve_pod_claims(pod)
            if index % 4:
                snapshot.revert()
            else:
                snapshot.commit()
        snapshot.revert()
        return snapshot


class Deep(_Undone):
    """Nested forks with a change in each, then a revert or a commit at every depth."""

    parameters: ClassVar = {"depth": (4, 16, 64)}
    presets: ClassVar = {"quick": {"depth": ()}}
    PODS = 64

    def run(self, snapshot: Snapshot, given: Any) -> Snapshot:
        """Down to the depth, and up again."""
        made, params = given
        snapshot.fork()
        for pod in made.pods[: params["depth"]]:
            snapshot.fork()
            snapshot.reserve_pod_claims(pod)
        for index in range(params["depth"]):
            if index % 2:
                snapshot.revert()
            else:
                snapshot.commit()
        snapshot.revert()
        return snapshot


class Listing(_OnClaims):
    """List all claims, or all devices given away, after each change or after each revert.

    After a revert the cache of a patch set is out of sync, so that it applies all patches again.
    """

    parameters: ClassVar = {
        "what": ("claims", "devices"),
        "after": ("change", "revert"),
        "claims": (100, 1_000, 10_000),
    }
    presets: ClassVar = {"quick": {"what": ("claims",), "after": ("revert",), "claims": (1_000,)}}

    #: How often something is listed in one operation.
    TIMES = 5

    def run(self, snapshot: Snapshot, given: Any) -> list[Any]:
        """Change, or change and undo, and list."""
        made, params = given
        view = snapshot.resource_claims()
        take: Callable[[], Any] = (
            view.list if params["what"] == "claims" else view.list_all_allocated_devices
        )
        taken = []
        if params["after"] == "change":
            snapshot.fork()
            for pod in made.pods[: self.TIMES]:
                snapshot.reserve_pod_claims(pod)
                taken.append(take())
            snapshot.revert()
            return taken
        for pod in made.pods[: self.TIMES]:
            snapshot.fork()
            snapshot.unreserve_pod_claims(pod)
            snapshot.revert()
            taken.append(take())
        return taken

    def answer(self, result: list[Any]) -> list[str]:
        """What each listing held."""
        return [
            _digest(sorted(one if isinstance(one, tuple) else one.uid for one in taken))
            for taken in result
        ]


def _running(create: SnapshotFactory, given: RunningCluster) -> ClusterSnapshot:
    """A snapshot of a cluster as it runs."""
    group = given.group
    nodes = DeltaStore()
    for name, pods in given.pods.items():
        nodes.add_node(name, pods)
    claims = {(one.namespace, one.name): one for one in given.claims}
    return ClusterSnapshot(
        nodes, create(claims, {name: group.slices_of(name) for name in given.pods})
    )


def _schedule(outcome: Outcome, cluster: ClusterSnapshot, pod: Pod, node: Node) -> None:
    """Schedule one pod; what is refused is reported, and the loop goes on."""
    try:
        unusable = cluster.schedule(pod, node)
    except _refusal() as error:
        outcome.errors.append(str(error))
        return
    for claim in unusable:
        outcome.errors.append(f"{claim.name} of {pod.name} is not to be had on {node.name}")
    outcome.scheduled.append(pod.name)


def _refusal() -> type[Exception]:
    """What a snapshot raises when it refuses a call; evaluated only when something was raised."""
    from impls.snapshot.interface import SnapshotError

    return SnapshotError


def _state(snapshot: Snapshot) -> dict[str, Any]:
    """All that a snapshot holds, as plain data."""
    return {
        "claims": {
            f"{claim.namespace}/{claim.name}": _claim_state(claim)
            for claim in snapshot.resource_claims().list()
        },
        "slices": sorted(one.name for one in snapshot.resource_slices().list()),
    }


def _claim_state(claim: ResourceClaim) -> list[Any]:
    """What scheduling can change of a claim, as plain data."""
    allocation = claim.allocation
    return [
        claim.uid,
        [entry.uid for entry in claim.reserved_for],
        None if allocation is None else [result.device for result in allocation.results],
    ]


def _digest(given: Any) -> str:
    # The text of a dataclass is its whole content at any depth, and half as dear as a pickle.
    return hashlib.sha256(repr(given).encode()).hexdigest()

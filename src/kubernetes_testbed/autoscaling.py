"""What an autoscaler does with its snapshots: schedule pods, find room for them, empty nodes.

The snapshot of dynamic resources is handed in and used by its interface alone; which one it is, is what the
study compares. All choices are first fit in a fixed order, so the outcome depends on the input only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kubernetes_testbed.claims import (
    Allocation,
    DeviceResult,
    NodeSelector,
    NodeSelectorRequirement,
    ResourceClaim,
)
from kubernetes_testbed.clusters import NodeGroup
from kubernetes_testbed.node_stores import NodeStore
from kubernetes_testbed.pods import Node, Pod
from kubernetes_testbed.slices import ResourceSlice


class ClusterSnapshot:
    """Nodes with their pods, and their dynamic resources: forked, committed and reverted together.

    Parameters
    ----------
    nodes : NodeStore
        Which pods are on which node.
    resources : Any
        A snapshot of dynamic resources, as the snapshot study's interface says.
    """

    __slots__ = ("nodes", "resources")

    def __init__(self, nodes: NodeStore, resources: Any) -> None:
        self.nodes = nodes
        self.resources = resources

    def fork(self) -> None:
        """Push a layer."""
        self.nodes.fork()
        self.resources.fork()

    def commit(self) -> None:
        """Merge the top layer into the one below."""
        self.nodes.commit()
        self.resources.commit()

    def revert(self) -> None:
        """Drop the top layer."""
        self.nodes.revert()
        self.resources.revert()

    def add_node(self, node_name: str, slices: Sequence[ResourceSlice]) -> None:
        """Add an empty node with what it offers."""
        self.nodes.add_node(node_name)
        self.resources.add_node_resource_slices(node_name, slices)

    def remove_node(self, node_name: str) -> None:
        """Remove a node with what it offers."""
        self.nodes.remove_node(node_name)
        self.resources.remove_node_resource_slices(node_name)

    def schedule(self, pod: Pod, node: Node) -> list[ResourceClaim]:
        """Make the scheduler's calls for one pod whose claims are allocated, and count it as running.

        Returns
        -------
        list of ResourceClaim
            Those of its claims that cannot be used on the node: none, if all is well.

        Raises
        ------
        Exception
            What the snapshot refuses a call with; then the pod is not on the node.
        """
        resources = self.resources
        # What the filters see: the node with the claims of every pod already on it.
        resources.wrap_node_info(node, self.nodes.pods_on(node.name))
        claims = resources.resource_claims()
        for reference in pod.claim_references:
            claims.get(pod.namespace, pod.claim_name(reference) or "")
        resources.reserve_pod_claims(pod)
        unusable = [
            claim
            for claim in resources.pod_claims(pod)
            if claim.allocation is None or not claim.allocation.is_available_on(node.name)
        ]
        self.nodes.add_pod(node.name, pod)
        return unusable

    def unschedule(self, pod: Pod, node_name: str) -> None:
        """Take a pod off its node, and its devices back."""
        self.resources.unreserve_pod_claims(pod)
        self.nodes.remove_pod(node_name, pod)

    def allocate(self, pod: Pod, node_name: str) -> bool:
        """Give the pod's claims free devices of a node, the first that are free.

        Returns
        -------
        bool
            False if the node has not enough of them; then nothing has changed.
        """
        resources = self.resources
        claims = resources.resource_claims()
        taken = claims.list_all_allocated_devices()
        allocations = []
        for claim in resources.pod_claims(pod):
            if claim.allocation is not None:
                continue
            free = _first_free(resources.node_resource_slices(node_name) or (), taken)
            if free is None:
                return False
            taken.add(free)
            allocations.append((claim, free))
        for claim, (driver, pool, device) in allocations:
            allocated = claim.clone()
            allocated.allocation = Allocation(
                [DeviceResult(claim.requests[0].name, driver, pool, device)],
                NodeSelector([NodeSelectorRequirement("metadata.name", "In", (node_name,))]),
            )
            claims.signal_claim_pending_allocation(claim.uid, allocated)
        return True


def fill_nodes(cluster: ClusterSnapshot, group: NodeGroup, pods: Sequence[Pod]) -> dict[str, str]:
    """Schedule pods on new nodes of a group, one after the other: the binpacking estimate.

    Parameters
    ----------
    cluster : ClusterSnapshot
        Changed; fork it before.
    group : NodeGroup
        What a new node offers.
    pods : sequence of Pod
        Their claims are in the snapshot, not allocated.

    Returns
    -------
    dict of str to str
        The node of each pod that found room, by the pod's name.
    """
    placed: dict[str, str] = {}
    count = 0
    node: Node | None = None
    for pod in pods:
        if node is None or not cluster.allocate(pod, node.name):
            node = Node(f"{group.name}-new-{count}")
            count += 1
            cluster.add_node(node.name, group.slices_of(node.name))
            if not cluster.allocate(pod, node.name):
                continue
        cluster.schedule(pod, node)
        placed[pod.name] = node.name
    return placed


def empty_node(cluster: ClusterSnapshot, node_name: str) -> bool:
    """Move every pod of a node to the first other node that has room for it, and remove the node.

    Returns
    -------
    bool
        False if some pod found no room; then the snapshot is changed half-way, so fork it before.
    """
    others = [name for name in cluster.nodes.node_names() if name != node_name]
    for pod in tuple(cluster.nodes.pods_on(node_name)):
        cluster.unschedule(pod, node_name)
        for other in others:
            if cluster.allocate(pod, other):
                cluster.schedule(pod, Node(other))
                break
        else:
            return False
    cluster.remove_node(node_name)
    return True


def _first_free(
    slices: Sequence[ResourceSlice], taken: set[tuple[str, str, str]]
) -> tuple[str, str, str] | None:
    """The first device of the slices that nobody has."""
    for one in slices:
        for name in one.devices:
            device = (one.driver, one.pool, name)
            if device not in taken:
                return device
    return None

"""Clusters to simulate: seeded, of a given size, alike in every process with the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from kubernetes_testbed.claims import (
    Allocation,
    DeviceRequest,
    DeviceResult,
    NodeSelector,
    NodeSelectorRequirement,
    OwnerReference,
    Reservation,
    ResourceClaim,
)
from kubernetes_testbed.pods import Node, Pod, PodClaimReference
from kubernetes_testbed.slices import DeviceClass, ResourceSlice

NAMESPACE = "default"
DRIVER = "driver.foo.com"
DEVICE_CLASS = "defaultClass"


@dataclass(frozen=True, slots=True)
class DraNode:
    """A node, the devices it offers, and pods with a claim of their own on one of them."""

    node: Node
    slices: list[ResourceSlice]
    owned_pods: list[Pod]
    owned_claims: list[ResourceClaim]


@dataclass(frozen=True, slots=True)
class DraCluster:
    """A cluster for dynamic resource allocation.

    Attributes
    ----------
    device_class : DeviceClass
        The class that all requests ask for.
    nodes : list of DraNode
        The nodes that are used.
    shared_claims : list of ResourceClaim
        One claim per node for any number of pods; also for nodes beyond those that are used.
    """

    device_class: DeviceClass
    nodes: list[DraNode]
    shared_claims: list[ResourceClaim]


def dra_cluster(
    nodes: int, *, seed: int, shared: int = 100, owned_per_node: int = 100, devices: int = 100
) -> DraCluster:
    """Build the fixture of the autoscaler's ``BenchmarkScheduleRevert``.

    Every claim is allocated already: a shared claim to all devices of its node, an owned claim to
    its node's first device. (That several claims hold one device is as in the original.)

    Parameters
    ----------
    nodes : int
        How many nodes are used; only these have owned claims.
    seed : int
        Decides the UIDs of the claims.
    shared : int
        How many shared claims there are, whatever `nodes` is.
    owned_per_node : int
        How many pods with a claim of their own each node has.
    devices : int
        How many devices each node offers.
    """
    uids = random.Random(seed)
    return DraCluster(
        DeviceClass(DEVICE_CLASS),
        [_node(index, owned_per_node, devices, uids) for index in range(nodes)],
        [
            _claim(f"claim-{node_name(index)}", node_name(index), _device_names(devices), uids)
            for index in range(shared)
        ],
    )


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes that are alike and can be had on demand.

    Attributes
    ----------
    name : str
    devices : int
        How many devices each of its nodes offers.
    """

    name: str
    devices: int

    def slices_of(self, node_name: str) -> list[ResourceSlice]:
        """What one of its nodes offers."""
        return [
            ResourceSlice(
                f"{node_name}-slice", DRIVER, node_name, _device_names(self.devices), node_name
            )
        ]


@dataclass(frozen=True, slots=True)
class RunningCluster:
    """Nodes with running pods, each of which has a claim of its own on one device of its node.

    Attributes
    ----------
    group : NodeGroup
        What its nodes are.
    pods : dict of str to list of Pod
        By node, in the order of the nodes.
    claims : list of ResourceClaim
        Of all pods: allocated, and reserved for them.
    """

    group: NodeGroup
    pods: dict[str, list[Pod]]
    claims: list[ResourceClaim]


def running_cluster(nodes: int, *, seed: int, devices: int = 8, pods: int = 3) -> RunningCluster:
    """Build a cluster of equal nodes, each with some pods on its first devices.

    Parameters
    ----------
    nodes : int
        How many nodes there are.
    seed : int
        Decides the UIDs of the claims.
    devices : int
        How many devices each node offers.
    pods : int
        How many pods run on each node, at most `devices`.
    """
    uids = random.Random(seed)
    device_names = _device_names(devices)
    cluster = RunningCluster(NodeGroup("group", devices), {}, [])
    for index in range(nodes):
        node = node_name(index)
        cluster.pods[node] = []
        for place in range(pods):
            name = f"pod-{index}-{place}"
            claim = _claim(
                f"claim-{index}-{place}", node, device_names[place : place + 1], uids, owner=name
            )
            claim.reserved_for.append(Reservation("", "pods", name, name))
            cluster.claims.append(claim)
            cluster.pods[node].append(pod_with_claim(name, claim.name))
    return cluster


def pending_pods(count: int, *, seed: int) -> tuple[list[Pod], list[ResourceClaim]]:
    """Pods that wait for a node, and their claims: one device each, not allocated."""
    uids = random.Random(seed)
    names = [f"pending-{index}" for index in range(count)]
    claims = [_claim(f"claim-{name}", "", _device_names(1), uids, owner=name) for name in names]
    for claim in claims:
        claim.allocation = None
    return [pod_with_claim(name, f"claim-{name}") for name in names], claims


def allocated_claims(count: int, *, seed: int, devices: int = 8) -> list[ResourceClaim]:
    """Claims for one device each, allocated, nobody's: what a large cluster has many of.

    Parameters
    ----------
    count : int
        How many claims.
    seed : int
        Decides their UIDs.
    devices : int
        How many devices a node offers; the claims fill node after node.
    """
    uids = random.Random(seed)
    names = _device_names(devices)
    return [
        _claim(f"claim-{index}", node_name(index // devices), names[place : place + 1], uids)
        for index in range(count)
        for place in (index % devices,)
    ]


def node_name(index: int) -> str:
    """Name of the node of that index."""
    return f"node-{index}"


def pod_with_claim(name: str, claim_name: str) -> Pod:
    """A pod that refers to one claim by its name; as in the original its UID is its name."""
    return Pod(NAMESPACE, name, name, (PodClaimReference(claim_name, claim_name),))


def _node(index: int, owned_claims: int, devices: int, uids: random.Random) -> DraNode:
    name = node_name(index)
    device_names = _device_names(devices)
    owned = [(f"pod-{index}-{pod}", f"claim-{index}-{pod}") for pod in range(owned_claims)]
    return DraNode(
        Node(name),
        [ResourceSlice(f"{name}-slice", DRIVER, name, device_names, name)],
        [pod_with_claim(pod_name, claim_name) for pod_name, claim_name in owned],
        [
            _claim(claim_name, name, device_names[:1], uids, owner=pod_name)
            for pod_name, claim_name in owned
        ],
    )


def _device_names(devices: int) -> tuple[str, ...]:
    return tuple(f"device-{index}" for index in range(devices))


def _claim(
    name: str, node: str, devices: tuple[str, ...], uids: random.Random, owner: str | None = None
) -> ResourceClaim:
    """A claim with one request for each device, allocated to them on the node."""
    requests = [f"request-{index}" for index in range(len(devices))]
    return ResourceClaim(
        NAMESPACE,
        name,
        f"{uids.getrandbits(128):032x}",
        [] if owner is None else [OwnerReference("v1", "Pod", owner, owner, True)],
        tuple(DeviceRequest(request, DEVICE_CLASS, 1) for request in requests),
        Allocation(
            [
                DeviceResult(request, DRIVER, node, device)
                for request, device in zip(requests, devices, strict=True)
            ],
            NodeSelector([NodeSelectorRequirement("metadata.name", "In", (node,))]),
        ),
    )

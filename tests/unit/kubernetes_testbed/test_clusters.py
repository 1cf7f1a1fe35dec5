from __future__ import annotations

from kubernetes_testbed.clusters import dra_cluster


def test_shared_claims_are_there_for_a_hundred_nodes_however_many_are_used() -> None:
    cluster = dra_cluster(2, seed=1)
    assert len(cluster.nodes) == 2
    assert len(cluster.shared_claims) == 100
    assert [len(node.owned_claims) for node in cluster.nodes] == [100, 100]


def test_a_shared_claim_has_all_devices_of_its_node() -> None:
    cluster = dra_cluster(2, seed=1)
    claim = cluster.shared_claims[1]
    assert claim.allocation is not None
    assert len(claim.requests) == 100
    (resource_slice,) = cluster.nodes[1].slices
    given = [result.device for result in claim.allocation.results]
    assert given == list(resource_slice.devices)
    assert claim.allocation.is_available_on("node-1")
    assert not claim.allocation.is_available_on("node-0")


def test_an_owned_claim_is_its_pods_and_has_the_first_device() -> None:
    node = dra_cluster(1, seed=1).nodes[0]
    for pod, claim in zip(node.owned_pods, node.owned_claims, strict=True):
        assert pod.claim_name(pod.claim_references[0]) == claim.name
        assert [(owner.uid, owner.controller) for owner in claim.owners] == [(pod.uid, True)]
        assert claim.allocation is not None
        assert [result.device for result in claim.allocation.results] == ["device-0"]


def test_a_cluster_has_the_sizes_that_are_asked_for() -> None:
    cluster = dra_cluster(1, seed=1, shared=3, owned_per_node=2, devices=4)
    assert len(cluster.shared_claims) == 3
    assert len(cluster.nodes[0].owned_pods) == 2
    assert len(cluster.nodes[0].slices[0].devices) == 4


def test_a_cluster_is_decided_by_its_seed() -> None:
    sizes = {"shared": 2, "owned_per_node": 2, "devices": 2}
    assert dra_cluster(1, seed=1, **sizes) == dra_cluster(1, seed=1, **sizes)
    assert dra_cluster(1, seed=1, **sizes) != dra_cluster(1, seed=2, **sizes)


def test_no_two_claims_have_one_uid() -> None:
    cluster = dra_cluster(3, seed=1)
    claims = [*cluster.shared_claims, *(c for node in cluster.nodes for c in node.owned_claims)]
    assert len({claim.uid for claim in claims}) == len(claims) == 400

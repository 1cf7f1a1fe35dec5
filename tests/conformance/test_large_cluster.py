"""Ten thousand groups of custom resources: who learns everything, and who learns what was asked for, both answer."""

from __future__ import annotations

import pytest

from impls.restmapper import cached, deferred, dynamic, front_cache, indexed, lazy
from impls.restmapper.interface import MapperFactory, NoKindMatchError
from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient
from kubernetes_testbed.discovery_server import DiscoveryServer
from kubernetes_testbed.synthetic_groups import crd_group, with_crd_groups

GROUPS = 10_000

MAPPERS: dict[str, MapperFactory] = {
    "cached": cached.create,
    "deferred": deferred.create,
    "dynamic": dynamic.create,
    "front_cache": front_cache.create,
    "indexed": indexed.create,
    "lazy": lazy.create,
}


@pytest.fixture(scope="module")
def url() -> object:
    with DiscoveryServer(with_crd_groups(builtin_discovery(), GROUPS)) as server:
        yield server.url


@pytest.mark.slow
@pytest.mark.parametrize("create", MAPPERS.values(), ids=MAPPERS)
def test_the_last_of_ten_thousand_groups_is_found(url: str, create: MapperFactory) -> None:
    group, resources = crd_group(GROUPS - 1)
    with HTTPDiscoveryClient(url, timeout_s=30.0) as client:
        mapper = create(client)
        for resource in resources["v1"]:
            mapping = mapper.rest_mapping(group.name, resource.kind, "v1")
            assert mapping.resource.resource == resource.name
        assert mapper.rest_mapping("apps", "Deployment", "v1").resource.resource == "deployments"
        with pytest.raises(NoKindMatchError):
            mapper.rest_mapping("apps", "Nope", "v1")

"""What a mapper does when a server is not there, or is not what it should be."""

from __future__ import annotations

from dataclasses import replace

from impls.restmapper._checks.making import (
    SHOP,
    TIMEOUT_S,
    error_of,
    expect,
    named,
    resource,
    scene,
)
from impls.restmapper.interface import (
    AmbiguousKindError,
    DiscoveryFailedError,
    MapperFactory,
    RESTMapping,
)
from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery import APIGroup
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient
from kubernetes_testbed.served_discovery import Fault

_WHOLE_SERVER: tuple[Fault, ...] = (
    "unavailable",
    "malformed",
    "truncated",
    "wrong-type",
    "dropped",
    "timeout",
)


def check_a_server_that_is_not_there_is_said(create: MapperFactory) -> None:
    """Without a server, making a mapper or asking it says that nobody could be asked."""
    with scene(create) as one:
        url = one.server.url
    with HTTPDiscoveryClient(url, timeout_s=TIMEOUT_S) as client:
        error = error_of(lambda: create(client).rest_mapping("apps", "Deployment", "v1"))
    assert isinstance(error, DiscoveryFailedError), f"found {error!r}"


def check_a_server_that_talks_nonsense_is_said(create: MapperFactory) -> None:
    """An answer that is broken, cut, of another type or late says that nobody could be asked."""
    for fault in _WHOLE_SERVER:
        served = builtin_discovery().with_fault("/apis", fault)
        with scene(create, served) as one:
            error = error_of(lambda: one.mapper().rest_mapping("apps", "Deployment", "v1"))
            assert isinstance(error, DiscoveryFailedError), f"{fault}: found {error!r}"


def check_healthy_groups_are_served_while_one_fails(create: MapperFactory) -> None:
    """A group that fails, in whatever way, hides no other."""
    for fault in ("unavailable", "malformed", "truncated", "wrong-type", "dropped"):
        served = replace(builtin_discovery(), is_aggregating=False)
        with scene(create, served.with_fault("batch", fault), is_aggregating=False) as one:
            _expect_deployment(one.mapper().rest_mapping("apps", "Deployment", "v1"))


def check_healthy_groups_are_served_while_one_is_stale(create: MapperFactory) -> None:
    """Where the server aggregates, a group that it could not ask hides no other."""
    with scene(create, builtin_discovery().with_fault("batch", "unavailable")) as one:
        _expect_deployment(one.mapper().rest_mapping("apps", "Deployment", "v1"))


def check_names_are_any_text(create: MapperFactory) -> None:
    """A name that is not in English is a name like any other."""
    group = "größe.example.com"
    served = builtin_discovery().with_group(
        APIGroup(group, ("v1",), "v1"),
        {"v1": [resource("Größe", "größen"), resource("大小", "大小s")]},
    )
    for is_aggregating in (True, False):
        with scene(create, served, is_aggregating=is_aggregating) as one:
            mapper = one.mapper()
            for kind, name in (("Größe", "größen"), ("大小", "大小s")):
                mapping = mapper.rest_mapping(group, kind, "v1")
                expect(kind, mapping.resource.resource, name)
                expect(name, mapper.kind_for(named(name, group, "v1")).kind, kind)


def check_a_kind_that_is_there_twice_hides_nothing(create: MapperFactory) -> None:
    """Of two resources of one kind it is mapped to one, or said to be ambiguous; both have the kind, and others are found."""
    twice = [
        resource("Basket", "baskets"),
        resource("Basket", "hampers"),
        resource("Shelf", "shelves"),
    ]
    served = builtin_discovery().with_group(APIGroup(SHOP, ("v1",), "v1"), {"v1": twice})
    with scene(create, served) as one:
        mapper = one.mapper()
        expect("the other", mapper.rest_mapping(SHOP, "Shelf", "v1").resource.resource, "shelves")
        try:
            name = mapper.rest_mapping(SHOP, "Basket", "v1").resource.resource
            assert name in ("baskets", "hampers"), f"found {name}"
        except AmbiguousKindError:
            pass
        for name in ("baskets", "hampers"):
            expect(name, mapper.kind_for(named(name, SHOP, "v1")).kind, "Basket")


def _expect_deployment(mapping: RESTMapping) -> None:
    expect("the resource", mapping.resource.resource, "deployments")

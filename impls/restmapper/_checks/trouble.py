"""What a mapper does when a server is not there, or is not what it should be."""

from __future__ import annotations

from dataclasses import replace

from impls.restmapper._checks.making import TIMEOUT_S, error_of, expect, scene
from impls.restmapper.interface import DiscoveryFailedError, MapperFactory, RESTMapping
from kubernetes_testbed.builtin_groups import builtin_discovery
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


def _expect_deployment(mapping: RESTMapping) -> None:
    expect("the resource", mapping.resource.resource, "deployments")

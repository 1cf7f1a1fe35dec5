"""Servers, mappers and expectations for the checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from impls.restmapper.interface import (
    GroupVersionResource,
    MapperError,
    MapperFactory,
    RESTMapper,
    is_no_match,
)
from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.clock import ManualClock
from kubernetes_testbed.discovery import APIGroup, APIResource
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient
from kubernetes_testbed.discovery_server import DiscoveryServer
from kubernetes_testbed.served_discovery import ServedDiscovery

#: So long, in seconds, that every mapper that forgets by time has forgotten.
LONG_S = 3600.0

#: A request that is not answered is given up after so long.
TIMEOUT_S = 0.5

#: A group of custom resources that is not there at first.
SHOP = "shop.example.com"


@dataclass(frozen=True, slots=True)
class Scene:
    """A server, a client of it, and a mapper with the clock that it goes by."""

    server: DiscoveryServer
    client: HTTPDiscoveryClient
    clock: ManualClock
    create: MapperFactory

    def mapper(self) -> RESTMapper:
        """A new mapper."""
        return self.create(self.client, self.clock)

    def warm_mapper(self) -> RESTMapper:
        """A new mapper that has answered a few questions."""
        mapper = self.mapper()
        mapper.rest_mapping("apps", "Deployment", "v1")
        mapper.rest_mapping("", "Pod", "v1")
        return mapper


@contextmanager
def scene(
    create: MapperFactory, served: ServedDiscovery | None = None, *, is_aggregating: bool = True
) -> Iterator[Scene]:
    """A server with Kubernetes' own groups, or others, and whoever asks it."""
    served = replace(served or builtin_discovery(), is_aggregating=is_aggregating)
    with (
        DiscoveryServer(served) as server,
        HTTPDiscoveryClient(server.url, timeout_s=TIMEOUT_S) as client,
    ):
        yield Scene(server, client, ManualClock(), create)


def resource(kind: str, name: str, *, is_namespaced: bool = True) -> APIResource:
    """A resource whose singular is its kind in lower case."""
    return APIResource(name, kind, is_namespaced, kind.lower(), ("get", "list"))


def shop(*versions: str) -> tuple[APIGroup, dict[str, tuple[APIResource, ...]]]:
    """A group of custom resources, with baskets."""
    versions = versions or ("v1",)
    return APIGroup(SHOP, versions, versions[0]), dict.fromkeys(
        versions, (resource("Basket", "baskets"),)
    )


def named(resource: str, group: str = "", version: str = "") -> GroupVersionResource:
    """A question for a resource."""
    return GroupVersionResource(group, version, resource)


def expect(what: str, found: object, expected: object) -> None:
    """Two things are equal."""
    assert found == expected, f"{what}: expected {expected!r}, found {found!r}"


def error_of(ask: Callable[[], object]) -> MapperError:
    """The error that a question ends with."""
    try:
        found = ask()
    except MapperError as error:
        return error
    raise AssertionError(f"expected an error, found {found!r}")


def expect_no_match(ask: Callable[[], object]) -> None:
    """A question finds that there is no such thing."""
    error = error_of(ask)
    assert is_no_match(error), f"expected no match, found {type(error).__name__}: {error}"

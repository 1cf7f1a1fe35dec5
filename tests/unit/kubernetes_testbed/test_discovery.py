"""The discovery server and its client: what one serves, the other reads, whatever goes wrong in between."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    BadDocumentError,
    DiscoveryError,
    GroupVersion,
    ServerRefusedError,
    ServerUnreachableError,
)
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient, RateLimit
from kubernetes_testbed.discovery_documents import (
    AGGREGATED_TYPE,
    is_aggregated,
    read_aggregated,
    read_group_list,
)
from kubernetes_testbed.discovery_server import Delay, DiscoveryServer
from kubernetes_testbed.served_discovery import Fault
from kubernetes_testbed.synthetic_groups import with_crd_groups
from kubernetes_testbed.token_bucket import TokenBucket

APPS = GroupVersion("apps", "v1")


@pytest.fixture
def server() -> Iterator[DiscoveryServer]:
    with DiscoveryServer(builtin_discovery()) as server:
        yield server


def client(server: DiscoveryServer, **options: float) -> HTTPDiscoveryClient:
    return HTTPDiscoveryClient(server.url, **options)  # type: ignore[arg-type]


def test_both_forms_of_discovery_tell_the_same(server: DiscoveryServer) -> None:
    with client(server) as asking:
        aggregated = asking.everything()
        assert len(server.take_requests()) == 2
        server.served = replace(server.served, is_aggregating=False)
        legacy = asking.everything()
    assert len(server.take_requests()) == 2 + sum(len(g.versions) for g in legacy.groups)
    assert aggregated.groups == legacy.groups
    assert aggregated.resources is not None
    assert legacy.resources is not None
    # A part of a resource has no singular in the one form, and stands with its resource.
    for version, resources in legacy.resources.items():
        whole = [one for one in resources if not one.is_subresource]
        told = aggregated.resources[version]
        assert [one for one in told if not one.is_subresource] == whole
        assert {one.name for one in told} == {one.name for one in resources}


def test_a_release_of_kubernetes_is_whole() -> None:
    served = builtin_discovery()
    names = {group.name for group in served.groups}
    assert {"", "apps", "batch", "networking.k8s.io", "resource.k8s.io"} <= names
    deployments = next(one for one in served.resources[APPS] if one.name == "deployments")
    assert deployments.kind == "Deployment"
    assert deployments.short_names == ("deploy",)
    assert {"get", "list", "watch", "create", "update"} <= {*deployments.verbs}
    scaling = next(group for group in served.groups if group.name == "autoscaling")
    assert (scaling.preferred, scaling.versions) == ("v2", ("v2", "v1"))


def test_an_unchanged_document_is_not_sent_again(server: DiscoveryServer) -> None:
    with client(server) as asking:
        first = asking.resources_of(APPS)
        assert asking.resources_of(APPS) == first
        assert [one.status for one in server.take_requests()] == [200, 304]
        server.put_group(
            APIGroup("apps", ("v1",), "v1"), {"v1": [APIResource("things", "Thing", True)]}
        )
        assert [one.kind for one in asking.resources_of(APPS)] == ["Thing"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("unavailable", ServerRefusedError),
        ("malformed", BadDocumentError),
        ("truncated", ServerUnreachableError),
        ("wrong-type", BadDocumentError),
        ("dropped", ServerUnreachableError),
        ("timeout", ServerUnreachableError),
    ],
)
def test_a_fault_is_an_error_within_the_time_limit_and_spares_the_others(
    server: DiscoveryServer, fault: Fault, error: type[DiscoveryError]
) -> None:
    server.served = replace(server.served, is_aggregating=False)
    server.fail("batch", fault)
    with client(server, timeout_s=0.5) as asking:
        started = time.monotonic()
        with pytest.raises(error, match="/apis/batch/v1"):
            asking.resources_of(GroupVersion("batch", "v1"))
        assert time.monotonic() - started < 5.0
        found = asking.everything()
    assert {*found.failures} == {GroupVersion("batch", "v1")}
    assert found.resources is not None
    assert APPS in found.resources


def test_a_broken_connection_is_tried_once_more_and_a_refusal_is_not(
    server: DiscoveryServer,
) -> None:
    with client(server) as asking:
        server.fail("batch", "dropped")
        with pytest.raises(ServerUnreachableError):
            asking.resources_of(GroupVersion("batch", "v1"))
        assert len(server.take_requests()) == 2
        server.fail("batch", "unavailable")
        with pytest.raises(ServerRefusedError, match="status 503"):
            asking.resources_of(GroupVersion("batch", "v1"))
        assert len(server.take_requests()) == 1


def test_a_discovery_with_a_failure_is_done_twice(server: DiscoveryServer) -> None:
    server.served = replace(server.served, is_aggregating=False)
    server.fail("batch", "unavailable")
    with client(server) as asking:
        asking.everything()
    assert sum(one.path == "/apis" for one in server.take_requests()) == 2


def test_connections_are_kept(server: DiscoveryServer) -> None:
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    try:
        for _ in range(3):
            connection.request("GET", "/apis")
            response = connection.getresponse()
            assert response.status == 200
            assert not response.will_close
            assert json.loads(response.read())["kind"] == "APIGroupList"
    finally:
        connection.close()


def test_latency_is_waited_for() -> None:
    with (
        DiscoveryServer(builtin_discovery(), delay=Delay(0.05)) as server,
        client(server) as asking,
    ):
        started = time.monotonic()
        asking.resources_of(APPS)
        assert time.monotonic() - started >= 0.05


def test_a_thousand_groups_are_served() -> None:
    served = with_crd_groups(builtin_discovery(), 1_000)
    with DiscoveryServer(served) as server, client(server) as asking:
        found = asking.everything()
    assert len(found.groups) == len(served.groups)
    assert found.resources is not None
    assert found.resources.keys() == served.resources.keys()


def test_a_port_that_is_taken_is_said(server: DiscoveryServer) -> None:
    port = server.url.rpartition(":")[2]
    process = subprocess.run(
        [sys.executable, "-m", "kubernetes_testbed.discovery_server", "--port", port],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 2
    assert f"cannot listen on port {port}" in process.stderr


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"kind": "APIGroupList", "groups": 1},
        {"kind": "APIGroupList", "groups": [1]},
        {"kind": "APIGroupList", "groups": [{"name": None}]},
        {"kind": "APIGroupList", "groups": [{"name": "x", "versions": [{}]}]},
        {"kind": "Status"},
    ],
)
def test_a_document_of_another_kind_is_refused(document: object) -> None:
    with pytest.raises(BadDocumentError):
        read_group_list(document)
    with pytest.raises(BadDocumentError):
        read_aggregated(document)


def test_what_has_no_kind_is_left_out_of_an_aggregated_document() -> None:
    document = {
        "kind": "APIGroupDiscoveryList",
        "items": [
            {
                "metadata": {"name": "x.io"},
                "versions": [
                    {
                        "version": "v1",
                        "resources": [
                            {"resource": "things", "scope": "Namespaced"},
                            {
                                "resource": "pens",
                                "scope": "Cluster",
                                "responseKind": {"kind": "Pen"},
                            },
                        ],
                    },
                    {"version": "v2", "freshness": "Stale", "resources": []},
                ],
            }
        ],
    }
    found = read_aggregated(document)
    assert found.resources is not None
    assert [one.name for one in found.resources[GroupVersion("x.io", "v1")]] == ["pens"]
    assert found.groups == (APIGroup("x.io", ("v1",), "v1"),)
    assert {*found.failures} == {GroupVersion("x.io", "v2")}


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        (AGGREGATED_TYPE, True),
        ("application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io", True),
        ("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList", False),
        ("application/json", False),
        ("", False),
    ],
)
def test_aggregated_discovery_is_known_by_its_type(content_type: str, expected: bool) -> None:
    assert is_aggregated(content_type) is expected


def test_a_bucket_gives_a_burst_and_then_its_rate() -> None:
    now = [0.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    bucket = TokenBucket(5.0, 2, lambda: now[0], sleep)
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    now[0] += 0.2
    assert [bucket.take() for _ in range(2)] == [True, False]
    assert bucket.wait() == pytest.approx(0.2)
    assert slept == [pytest.approx(0.2)]
    with pytest.raises(ValueError, match="a rate above 0"):
        TokenBucket(0.0, 1)


def test_a_rate_limit_is_kept(server: DiscoveryServer) -> None:
    limited = HTTPDiscoveryClient(server.url, rate_limit=RateLimit(50.0, 1))
    with limited:
        started = time.monotonic()
        for _ in range(6):
            limited.resources_of(APPS)
    assert time.monotonic() - started >= 5 / 50.0

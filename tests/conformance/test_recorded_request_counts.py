"""Mappers ask a real server as often as the original implementations were recorded to do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from impls.restmapper.interface import GroupVersionResource, MapperError, RESTMapper
from kubernetes_testbed.clock import ManualClock
from kubernetes_testbed.discovery import APIGroup, APIResource
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient
from kubernetes_testbed.discovery_server import DiscoveryServer
from kubernetes_testbed.served_discovery import ServedDiscovery
from tests.conformance.implementations import implementations
from tests.conformance.mapper_replay import groups_of, shown_error
from tests.conformance.vector_files import vector_folder

MAPPERS = implementations("restmapper")

#: Ours by the name of the original.
ORIGINALS = {
    "uncached": "uncached",
    "dynamic_cr_v0.12.3": "dynamic",
    "lazy_cr_v0.24.1": "lazy",
    "deferred_memcache": "resettable",
    "karmada_cached_head": "cached",
}

KNOWN = (
    ("", "Pod", "v1"),
    ("apps", "Deployment", "v1"),
    ("batch", "Job", "v1"),
    ("networking.k8s.io", "Ingress", "v1"),
    ("rbac.authorization.k8s.io", "Role", "v1"),
)
SHOP = "shop.example.com"
REMOVED = "stable.example.com"
FAILING = "metrics.k8s.io"

Steps = list[tuple[str, int, Counter[str]]]


@dataclass
class Story:
    """What is asked of one mapper, one scenario after the other, and what that costs."""

    name: str
    server: DiscoveryServer
    client: HTTPDiscoveryClient
    clock: ManualClock = field(default_factory=ManualClock)
    found: dict[str, tuple[int, Any]] = field(default_factory=dict)

    def make(self) -> RESTMapper:
        """A new mapper, after a while."""
        self.clock.advance(60.0)
        mapper: RESTMapper = MAPPERS[self.name].create(self.client, self.clock)
        return mapper

    def warm(self) -> RESTMapper:
        """A new mapper that knows the kinds that are known."""
        mapper = self.make()
        for group, kind, version in KNOWN:
            mapper.rest_mapping(group, kind, version)
        return mapper

    def step(self, scenario: str, times: int, ask: Callable[[int], object]) -> None:
        """Ask so often, and note the requests and outcomes."""
        self.server.take_requests()
        self.clock.advance(60.0)
        outcomes = Counter(_outcome(lambda: ask(number)) for number in range(times))  # noqa: B023
        self.found[scenario] = (len(self.server.take_requests()), dict(outcomes))


def _outcome(ask: Callable[[], object]) -> str:
    try:
        ask()
    except MapperError as error:
        return str(shown_error(error)["error"])
    return "ok"


def _shop(*versions: str) -> tuple[APIGroup, dict[str, tuple[APIResource, ...]]]:
    baskets = (APIResource("baskets", "Basket", True, "basket", ("get", "list")),)
    return APIGroup(SHOP, versions, versions[0]), dict.fromkeys(versions, baskets)


def tell(story: Story) -> None:
    """All scenarios whose counts do not depend on how long a reload takes."""
    server = story.server
    story.step("construct", 1, lambda _: story.make())
    mapper = story.make()
    lookups = 50 if story.name == "uncached" else 1000

    def ask_known(number: int) -> object:
        group, kind, version = KNOWN[number % len(KNOWN)]
        return mapper.rest_mapping(group, kind, version)

    story.step(f"{lookups} lookups over 5 known GVKs", lookups, ask_known)
    if story.name != "dynamic":
        story.step(
            "unknown kind in a known group/version x10 (apps/v1 Nope)",
            10,
            lambda _: mapper.rest_mapping("apps", "Nope", "v1"),
        )
        story.step(
            "unknown group x10 (nope.example.io/v1 Nope)",
            10,
            lambda _: mapper.rest_mapping("nope.example.io", "Nope", "v1"),
        )
    mapper = story.make()
    story.step(
        "KindFor with empty resource x3 (an error that is not no-match), fresh mapper",
        3,
        lambda _: mapper.kind_for(GroupVersionResource("", "", "")),
    )
    mapper = story.warm()
    server.put_group(*_shop("v1"))
    story.step(
        "new CRD group appears after warm-up: RESTMapping x1",
        1,
        lambda _: mapper.rest_mapping(SHOP, "Basket", "v1"),
    )
    story.step("... same lookup x10 again", 10, lambda _: mapper.rest_mapping(SHOP, "Basket", "v1"))
    story.step("... then a GVK known before, x10", 10, ask_known)
    server.remove_group(SHOP)
    mapper = story.warm()
    server.put_group(*_shop("v1"))
    story.step(
        "new CRD: KindFor(resource only) x1",
        1,
        lambda _: mapper.kind_for(GroupVersionResource("", "", "baskets")),
    )
    story.step(
        "new CRD: KindFor(fully qualified) x1",
        1,
        lambda _: mapper.kind_for(GroupVersionResource(SHOP, "v1", "baskets")),
    )
    server.remove_group(SHOP)
    mapper = story.warm()
    server.put_group(*_shop("v1"))
    story.step(
        "new CRD: RESTMapping without version x1",
        1,
        lambda _: mapper.rest_mapping(SHOP, "Basket"),
    )
    server.remove_group(SHOP)
    _tell_of_versions(story)
    _tell_of_trouble(story, lookups)


def _tell_of_versions(story: Story) -> None:
    server = story.server
    served = server.served
    group = next(one for one in served.groups if one.name == REMOVED)
    resources = {
        version: served.resources[one]
        for one in served.resources
        for version in [one.version]
        if one.group == REMOVED
    }
    mapper = story.warm()
    added = APIGroup(REMOVED, (*group.versions, "v2"), group.preferred)
    mapper.rest_mapping(REMOVED, "CronTab", "v1")
    server.put_group(added, {**resources, "v2": resources["v1"]})
    story.step(
        "new version v2 of a known group: RESTMapping(v2) x1",
        1,
        lambda _: mapper.rest_mapping(REMOVED, "CronTab", "v2"),
    )
    server.served = served
    mapper = story.warm()
    mapper.rest_mapping(REMOVED, "CronTab", "v1")
    server.remove_group(REMOVED)
    story.step(
        "CRD removed after warm-up: RESTMapping x5 (stale hit = ok)",
        5,
        lambda _: mapper.rest_mapping(REMOVED, "CronTab", "v1"),
    )
    server.served = served


def _tell_of_trouble(story: Story, lookups: int) -> None:
    server = story.server
    server.fail(FAILING, "unavailable")
    story.step(
        "construct with metrics.k8s.io/v1beta1 failing (503 / stale)", 1, lambda _: story.make()
    )
    mapper = story.make()

    def ask_known(number: int) -> object:
        group, kind, version = KNOWN[number % len(KNOWN)]
        return mapper.rest_mapping(group, kind, version)

    def ask_failing(_: int) -> object:
        return mapper.rest_mapping(FAILING, "PodMetrics", "v1beta1")

    story.step(f"failing group: {lookups} lookups over 5 known GVKs", lookups, ask_known)
    story.step("failing group: lookup of its kind x3", 3, ask_failing)
    server.fail(FAILING, None)
    story.step("after recovery: lookup of its kind x3", 3, ask_failing)
    mapper = story.warm()
    ask_failing(0)
    server.fail(FAILING, "unavailable")
    server.put_group(*_shop("v1"))
    outcome = _outcome(lambda: mapper.rest_mapping(SHOP, "Basket", "v1"))
    story.step(
        f'warm; reload for a new CRD ({{"{outcome}":1}}) happened while metrics failed; '
        "then lookup of PodMetrics x2",
        2,
        ask_failing,
    )
    story.step(
        "... and KindFor of metrics pods x1",
        1,
        lambda _: mapper.kind_for(GroupVersionResource(FAILING, "v1beta1", "pods")),
    )


@contextmanager
def _serving(folder: Path, *, is_aggregating: bool) -> Iterator[DiscoveryServer]:
    document = json.loads((folder / "restmapper_discovery.json").read_text(encoding="utf-8"))
    groups, resources = groups_of(document["sets"]["modern"])
    served = ServedDiscovery(groups, resources)
    with DiscoveryServer(replace(served, is_aggregating=is_aggregating)) as server:
        yield server


@pytest.mark.parametrize("mode", ["legacy", "aggregated"])
@pytest.mark.parametrize("original", ORIGINALS)
def test_a_mapper_asks_as_often_as_its_original(
    original: str, mode: str, pytestconfig: pytest.Config
) -> None:
    if (original, mode) == ("uncached", "legacy") and not pytestconfig.getoption("--vectors"):
        pytest.skip("25,000 requests take half a minute: --vectors DIR asks for it")
    folder = vector_folder(pytestconfig)
    files = sorted(folder.glob("request_counts*.json"))
    if not files:
        pytest.skip(f"no request_counts*.json in {folder}; --vectors names another folder")
    with (
        _serving(folder, is_aggregating=mode == "aggregated") as server,
        HTTPDiscoveryClient(server.url) as client,
    ):
        story = Story(ORIGINALS[original], server, client)
        tell(story)
    recorded = {
        row["scenario"]: (row["requests"]["total"], _counted(row["outcome"]))
        for file in files
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]
        if (row["mapper"], row["mode"]) == (original, mode)
    }
    assert story.found.keys() <= recorded.keys()
    expected = {scenario: recorded[scenario] for scenario in story.found}
    assert story.found == expected


def _counted(outcome: str) -> Any:
    """A recorded outcome: counts of several questions as JSON, or the word of a single one."""
    return json.loads(outcome) if outcome.startswith("{") else {outcome: 1}

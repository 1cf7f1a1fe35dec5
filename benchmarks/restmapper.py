"""The workloads of the REST mapper study: what a controller asks a mapper for every object in its queue."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bakeoff import Suite
from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    DiscoveryClient,
    GroupVersion,
    StaticDiscovery,
)
from kubernetes_testbed.served_discovery import ServedDiscovery
from kubernetes_testbed.synthetic_groups import with_crd_groups

if TYPE_CHECKING:
    # asv imports suites at commits, too, at which there is no such study.
    from impls.restmapper.interface import MapperFactory, RESTMapper, RESTMapping

    Question = tuple[str, str, str]


class BareMapper:
    """The floor: one dict look-up behind a method, of mappings that were put there before.

    It knows of each kind of a version what anybody would answer, and nothing else.
    """

    def __init__(self, discovery: DiscoveryClient) -> None:
        found = discovery.everything().resources or {}
        self._known = {
            (group, one.kind, version): (one.name, one.is_namespaced)
            for (group, version), resources in found.items()
            for one in resources
            if not one.is_subresource
        }

    def rest_mapping(self, group: str, kind: str, version: str) -> Any:
        """One dict access."""
        return self._known.get((group, kind, version))


class Asked(NamedTuple):
    """What a server says, and what is asked."""

    served: ServedDiscovery
    questions: list[Question]


class Lookup(Suite):
    """A thousand look-ups of kinds that are known: what a queue of objects of few kinds asks for.

    Nothing is asked of a server: hits cost no request, whoever answers them.
    """

    parameters: ClassVar = {"kinds": (1, 5, 100), "groups": (30, 100, 300, 1_000)}
    presets: ClassVar = {"quick": {"kinds": (5,), "groups": (30, 100)}}
    time_limit_s = 10.0
    LOOKUPS: ClassVar = 1_000

    def prepare(self, seed: int, **params: Any) -> Asked:
        """Kubernetes' own groups and custom ones, so many together; kinds drawn among all of them."""
        builtin = builtin_discovery()
        served = with_crd_groups(builtin, params["groups"] - len(builtin.groups))
        chance = random.Random(seed)
        known = [
            (one.group, resource.kind, one.version)
            for one, resources in sorted(served.resources.items())
            for resource in resources
            if not resource.is_subresource
        ]
        chosen = chance.sample(known, params["kinds"])
        return Asked(served, [chance.choice(chosen) for _ in range(self.LOOKUPS)])

    def subject(self, create: MapperFactory, prepared: Asked) -> RESTMapper:
        """A mapper that has been asked for each of the kinds before."""
        mapper = create(StaticDiscovery(prepared.served.groups, prepared.served.resources))
        for group, kind, version in dict.fromkeys(prepared.questions):
            mapper.rest_mapping(group, kind, version)
        return mapper

    floor = BareMapper

    def run(self, mapper: RESTMapper, given: Asked) -> list[RESTMapping]:
        """Look up one kind after the other."""
        rest_mapping = mapper.rest_mapping
        return [rest_mapping(group, kind, version) for group, kind, version in given.questions]

    def answer(self, result: list[RESTMapping]) -> list[Any]:
        """Resources and scopes, in order."""
        return [[*mapping.resource, mapping.scope] for mapping in result]

    def fingerprint(self, given: Asked) -> str:
        """Digest of the questions; what a server says cannot be changed."""
        return hashlib.sha256(repr(given.questions).encode()).hexdigest()


class Table(Suite):
    """The ten cases of karmada's published benchmark: nine hits of three kinds, and one kind that is not there.

    The miss is what it is about: some of the mappers discover everything for it, every time.
    Source: ``restmapper_test.go``, karmada commit f8fdd02d; facts only.
    """

    parameters: ClassVar = {"case": ("hits", "with a miss")}
    presets: ClassVar = {"quick": {"case": ("with a miss",)}}
    time_limit_s = 10.0

    _POD: ClassVar = ("", "Pod", "v1")
    _POD_2: ClassVar = ("", "Pod", "v2")
    _JOB: ClassVar = ("extensions", "Job", "v1beta")

    def prepare(self, seed: int, **params: Any) -> Asked:
        """Four groups and versions with a resource each; the seed changes nothing."""
        served = ServedDiscovery(
            (
                APIGroup("apps", ("v1",), "v1"),
                APIGroup("", ("v1", "v2"), "v1"),
                APIGroup("extensions", ("v1beta",), "v1beta"),
            ),
            {
                GroupVersion("apps", "v1"): (_resource("Deployment", "deployments"),),
                GroupVersion("", "v1"): (_resource("Pod", "pods"),),
                GroupVersion("", "v2"): (_resource("Pod", "pods"),),
                GroupVersion("extensions", "v1beta"): (_resource("Job", "jobs"),),
            },
        )
        pod, pod_2, job = self._POD, self._POD_2, self._JOB
        questions = [pod, pod_2, job, pod, pod, pod_2, pod_2, job, job]
        if params["case"] == "with a miss":
            questions.append(("", "NonExisting", "v1"))
        return Asked(served, questions)

    def subject(self, create: MapperFactory, prepared: Asked) -> RESTMapper:
        """A mapper that has been asked for each of the kinds before."""
        mapper = create(StaticDiscovery(prepared.served.groups, prepared.served.resources))
        for group, kind, version in (self._POD, self._POD_2, self._JOB):
            mapper.rest_mapping(group, kind, version)
        return mapper

    floor = BareMapper

    def run(self, mapper: RESTMapper, given: Asked) -> list[RESTMapping | None]:
        """All cases; whoever raises has answered as well."""
        return [_mapped(mapper, question) for question in given.questions]

    def answer(self, result: list[RESTMapping | None]) -> list[Any]:
        """Resources and scopes, in order; None where there was no match."""
        return [None if one is None else [*one.resource, one.scope] for one in result]


def _resource(kind: str, name: str) -> APIResource:
    return APIResource(name, kind, True, kind.lower(), ("get", "list"))


def _mapped(mapper: RESTMapper, question: Sequence[str]) -> RESTMapping | None:
    group, kind, version = question
    try:
        return mapper.rest_mapping(group, kind, version)
    except _no_answer():
        return None


def _no_answer() -> type[Exception]:
    """What a mapper raises when it has no answer; evaluated only when something was raised."""
    from impls.restmapper.interface import MapperError

    return MapperError

"""The workloads of the REST mapper study: what a controller asks a mapper for every object in its queue.

`Lookup` and `Table` ask mappers that have learned everything, in the same process: what an answer costs that needs no server. All
others ask a discovery server over HTTP, in a process of its own, with a round trip that is set; what they count is exact where
nothing depends on time. The quick preset has what a minute can show; work queues, faults and churn take fifteen mappers
seconds each, so they are in the full one.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bakeoff import Suite
from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.clock import ManualClock
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    DiscoveryClient,
    GroupVersion,
    StaticDiscovery,
)
from kubernetes_testbed.discovery_client import (
    OLD_RATE_LIMIT,
    RATE_LIMIT,
    TIMEOUT_S,
    HTTPDiscoveryClient,
    RateLimit,
    Traffic,
)
from kubernetes_testbed.kubeconfig import kubeconfig_client
from kubernetes_testbed.served_discovery import Fault, ServedDiscovery
from kubernetes_testbed.server_process import ServerProcess
from kubernetes_testbed.synthetic_groups import crd_group, with_crd_groups
from kubernetes_testbed.work_queue import arrivals, drive

if TYPE_CHECKING:
    # asv imports suites at commits, too, at which there is no such study.
    from impls.restmapper.interface import MapperFactory, RESTMapper, RESTMapping

    Question = tuple[str, str, str]

#: Five kinds of five groups that every cluster has.
_KINDS: tuple[Question, ...] = (
    ("", "Pod", "v1"),
    ("apps", "Deployment", "v1"),
    ("batch", "Job", "v1"),
    ("networking.k8s.io", "Ingress", "v1"),
    ("rbac.authorization.k8s.io", "Role", "v1"),
)

#: What a server may offer.
_DISCOVERIES = ("aggregated", "legacy")

#: Groups of custom resources from this number on are not there at the beginning.
_FIRST_NEW = 10_000


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
    """A hundred look-ups of kinds that are known: what a queue of objects of few kinds asks for.

    Nothing is asked of a server: hits cost no request, whoever answers them.
    """

    parameters: ClassVar = {"kinds": (1, 5, 100), "groups": (30, 100, 300, 1_000)}
    presets: ClassVar = {"quick": {"kinds": (5,), "groups": (100,)}}
    time_limit_s = 10.0
    LOOKUPS: ClassVar = 100

    def prepare(self, seed: int, **params: Any) -> Asked:
        """Kubernetes' own groups and custom ones, so many together; kinds drawn among all of them."""
        served = _served(params["groups"])
        known = [
            (one.group, resource.kind, one.version)
            for one, resources in sorted(served.resources.items())
            for resource in resources
            if not resource.is_subresource
        ]
        kinds = random.Random(seed).sample(known, params["kinds"])
        return Asked(served, _questions(kinds, self.LOOKUPS, seed))

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
        return [_plain(mapping) for mapping in result]

    def fingerprint(self, given: Asked) -> str:
        """Digest of the questions; what a server says cannot be changed."""
        return _digest(given.questions)


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
        return [_plain(mapping) for mapping in result]


class Served(NamedTuple):
    """A server that is up, how to reach it, and what it is asked."""

    server: ServerProcess
    offers_aggregated: bool
    questions: list[Question]

    def client(self, timeout_s: float = TIMEOUT_S) -> HTTPDiscoveryClient:
        """A client of its own, without a limit."""
        return HTTPDiscoveryClient(
            self.server.url, timeout_s=timeout_s, offers_aggregated=self.offers_aggregated
        )


class Answered(NamedTuple):
    """What was found, and what that took of the server."""

    mappings: list[RESTMapping | None]
    traffic: Traffic
    counted: Mapping[str, float] = {}


class _OverHTTP(Suite):
    """A workload that asks a server; what waits is the network, so waiting is no contention."""

    is_cpu_bound = False
    cpus = 2
    time_limit_s = 20.0
    counts: ClassVar[Sequence[str]] = ("requests", "received_bytes")

    def prepare(self, seed: int, **params: Any) -> Any:
        """A server; whatever else the workload needs."""
        return self._serve(seed, **params)

    def _serve(self, seed: int, **params: Any) -> Served:
        """A server, as the parameters have it; the seed decides in which order the kinds are asked for."""
        groups = params.get("groups", 100)
        is_aggregating = params.get("discovery", "legacy") == "aggregated"
        server = ServerProcess(
            crds=groups - len(builtin_discovery().groups),
            is_aggregating=is_aggregating,
            latency_s=params.get("round_trip_ms", 1) / 1000.0,
        )
        questions = _questions(_KINDS, params.get("lookups", len(_KINDS)), seed)
        return Served(server, is_aggregating, questions)

    def answer(self, result: Answered) -> list[Any]:
        """Resources and scopes, in order; None where there was no match."""
        return [_plain(one) for one in result.mappings]

    def count(self, result: Answered) -> dict[str, float]:
        """What the server had to do, and what else was counted."""
        requests, body_bytes = result.traffic
        return {"requests": requests, "received_bytes": body_bytes, **result.counted}

    def fingerprint(self, given: Any) -> str:
        """Digest of the questions; all else is the server's."""
        return _digest(given.questions)


class ColdStart(_OverHTTP):
    """From nothing: make a mapper and ask it for five kinds, once each or a thousand times in all."""

    parameters: ClassVar = {
        "discovery": ("aggregated", "legacy"),
        "lookups": (5, 1_000),
        "groups": (30, 300),
        "round_trip_ms": (1, 20),
    }
    presets: ClassVar = {
        "quick": {
            "discovery": ("aggregated",),
            "lookups": (5,),
            "groups": (30,),
            "round_trip_ms": (1,),
        },
        "full": {"round_trip_ms": (1,)},
        "far": {"lookups": (5,), "groups": (30,)},
    }

    def run(self, create: MapperFactory, given: Any) -> Answered:
        """Connect, make the mapper, ask."""
        with given.client() as client:
            mapper = create(client)
            mappings = [_mapped(mapper, question) for question in given.questions]
            return Answered(mappings, client.traffic)


class RealCluster(NamedTuple):
    """A cluster that is there anyway, and what it is asked."""

    kubeconfig: Path
    questions: list[Question]

    def client(self) -> HTTPDiscoveryClient:
        """A client as its kubeconfig has it."""
        return kubeconfig_client(self.kubeconfig)


class Cluster(ColdStart):
    """The same, of a real API server; nothing but discovery is read."""

    settings: ClassVar = {"kubeconfig": "FILE: the cluster to ask, read-only"}
    required_settings = ("kubeconfig",)
    parameters: ClassVar = {"lookups": (5, 1_000)}
    presets: ClassVar = {"quick": {"lookups": (5,)}}

    def prepare(self, seed: int, **params: Any) -> RealCluster:
        """Kinds that every cluster serves."""
        path = Path(self.given_settings["kubeconfig"])
        return RealCluster(path, _questions(_KINDS, params["lookups"], seed))


class Warm(NamedTuple):
    """A mapper that has learned, its clock, its client, and what the client had sent by then."""

    mapper: RESTMapper
    clock: ManualClock
    client: HTTPDiscoveryClient
    before: Traffic

    def traffic(self) -> Traffic:
        """What was sent and received since then."""
        now, before = self.client.traffic, self.before
        return Traffic(now.requests - before.requests, now.body_bytes - before.body_bytes)

    def finds(self, question: Question) -> bool:
        """Whether there is an answer."""
        return _mapped(self.mapper, question) is not None


class _Warm(_OverHTTP):
    """A workload for mappers that have answered the questions before; each operation has a new one.

    The mapper's clock is ours, so that minutes pass in no time, and limits by time are the same in every run.
    """

    consumes_input = True
    TIMEOUT_S: ClassVar = TIMEOUT_S

    def subject(self, create: MapperFactory, prepared: Served) -> Warm:
        """A mapper that was asked for each of the kinds."""
        client, clock = prepared.client(self.TIMEOUT_S), ManualClock()
        mapper = create(client, clock)
        for group, kind, version in dict.fromkeys(prepared.questions):
            mapper.rest_mapping(group, kind, version)
        return Warm(mapper, clock, client, client.traffic)


class NoMatch(_Warm):
    """Kinds that are not there, asked for once a second, twenty times: one and the same, or another each time.

    What a controller does whose custom resource is not installed yet, at every retry.
    """

    parameters: ClassVar = {"unknown": ("one kind", "many kinds"), "discovery": _DISCOVERIES}
    presets: ClassVar = {"quick": {"unknown": ()}}
    TIMES: ClassVar = 20

    def prepare(self, seed: int, **params: Any) -> tuple[Served, bool]:
        """A server, and whether always the same kind is asked for."""
        return self._serve(seed, **params), params["unknown"] == "one kind"

    def subject(self, create: MapperFactory, prepared: Any) -> Warm:
        """A mapper that was asked for each of the known kinds."""
        return super().subject(create, prepared[0])

    def run(self, warm: Warm, given: tuple[Served, bool]) -> Answered:
        """Ask in vain."""
        _, is_same = given
        mappings = []
        for number in range(self.TIMES):
            warm.clock.advance(1.0)
            kind = "Nope" if is_same else f"Nope{number}"
            mappings.append(_mapped(warm.mapper, ("apps", kind, "v1")))
        return Answered(mappings, warm.traffic())

    def fingerprint(self, given: tuple[Served, bool]) -> str:
        """Digest of the questions."""
        return super().fingerprint(given[0])


class CrdChurn(_Warm):
    """Ten minutes in which every minute a kind appears and another one vanishes, while known kinds are asked for.

    Counted are answers that were stale (of a kind that has been gone for a minute) and kinds that were missed (there for a
    minute, and not found).
    """

    parameters: ClassVar = {"discovery": _DISCOVERIES}
    presets: ClassVar = {"quick": {"discovery": ()}}
    counts = ("requests", "received_bytes", "stale_answers", "missed_kinds")
    MINUTES: ClassVar = 10

    def run(self, warm: Warm, given: Served) -> Answered:
        """Minute by minute: one group comes, the one before goes, and all of them are asked for."""
        server = given.server
        stale = missed = 0
        mappings = []
        for number in range(_FIRST_NEW, _FIRST_NEW + self.MINUTES):
            server.put_crd_group(number)
            server.remove_group(_new_group(number - 1))
            warm.clock.advance(60.0)
            missed += not warm.finds(_new_kind(number))
            stale += number > _FIRST_NEW and warm.finds(_new_kind(number - 1))
            mappings += [_mapped(warm.mapper, question) for question in given.questions]
        server.remove_group(_new_group(_FIRST_NEW + self.MINUTES - 1))
        return Answered(mappings, warm.traffic(), {"stale_answers": stale, "missed_kinds": missed})


class Faults(_Warm):
    """One group fails while something new has to be learned; a minute later it is back.

    Counted are known kinds of the group that are lost meanwhile, unknown ones of it that are said to be absent, and known
    ones that are still lost when the group is back.
    """

    parameters: ClassVar = {"fault": ("stale", "unavailable", "truncated", "timeout")}
    presets: ClassVar = {"quick": {"fault": ()}}
    counts = ("requests", "received_bytes", "lost_kinds", "wrongly_absent", "lost_for_good")
    TIMEOUT_S = 0.25

    _KNOWN: ClassVar = ("batch", "Job", "v1")
    _OTHER: ClassVar = ("batch", "CronJob", "v1")

    def prepare(self, seed: int, **params: Any) -> tuple[Served, Fault]:
        """A server whose aggregated answers are stale, or one without them of which a group answers in the wrong way."""
        is_stale = params["fault"] == "stale"
        served = self._serve(seed, discovery="aggregated" if is_stale else "legacy")
        questions = [self._KNOWN, *(one for one in served.questions if one[0] != "batch")]
        return served._replace(questions=questions), "unavailable" if is_stale else params["fault"]

    def subject(self, create: MapperFactory, prepared: Any) -> Warm:
        """A mapper that was asked for each of the kinds, one of the group's among them."""
        return super().subject(create, prepared[0])

    def run(self, warm: Warm, given: tuple[Served, Fault]) -> Answered:
        """Fail, learn, ask, recover, ask again."""
        served, fault = given
        server = served.server
        server.fail("batch", fault)
        server.put_crd_group(_FIRST_NEW)
        warm.finds(_new_kind(_FIRST_NEW))
        mappings = [_mapped(warm.mapper, question) for question in served.questions[1:]]
        lost = not warm.finds(self._KNOWN)
        absent = _is_said_to_be_absent(warm.mapper, self._OTHER)
        server.fail("batch", None)
        server.remove_group(_new_group(_FIRST_NEW))
        warm.clock.advance(60.0)
        counted = {
            "lost_kinds": lost,
            "wrongly_absent": absent,
            "lost_for_good": not warm.finds(self._KNOWN),
        }
        return Answered(mappings, warm.traffic(), counted)

    def fingerprint(self, given: tuple[Served, Fault]) -> str:
        """Digest of the questions."""
        return super().fingerprint(given[0])


class Scenario(NamedTuple):
    """A controller at work: how often a kind is not there, and what a discovery costs.

    Attributes
    ----------
    misses : float
        Share of the items whose kind is not there.
    rate_limit : RateLimit or None
        The client's own limit for discovery.
    discovery : {"legacy", "aggregated"}
        What the server offers.
    round_trip_ms : float
        Of every request.
    workers : int
        How many items are worked on at a time.
    groups : int
        That the server has.
    items : int
        That arrive, a hundred a second.
    """

    misses: float = 0.01
    rate_limit: RateLimit | None = None
    discovery: str = "legacy"
    round_trip_ms: float = 5.0
    workers: int = 10
    groups: int = 100
    items: int = 200


SCENARIOS = {
    "hits": Scenario(misses=0.0),
    "hits, 5 a second": Scenario(misses=0.0, rate_limit=OLD_RATE_LIMIT),
    "misses": Scenario(),
    "misses, aggregated": Scenario(discovery="aggregated"),
    "misses, aggregated, 5 a second": Scenario(discovery="aggregated", rate_limit=OLD_RATE_LIMIT),
    "misses, 20 a second": Scenario(rate_limit=RATE_LIMIT),
    "misses, 5 a second": Scenario(rate_limit=OLD_RATE_LIMIT),
    "misses, 1 ms": Scenario(round_trip_ms=1.0),
    "misses, 20 ms": Scenario(round_trip_ms=20.0),
    "misses, 2 workers": Scenario(workers=2),
    "misses, 300 groups": Scenario(groups=300),
    "hits, long": Scenario(misses=0.0, items=20_000),
    "misses, long": Scenario(items=20_000),
}


class Controller(NamedTuple):
    """A server, its scenario, and the items with the moments at which they arrive."""

    served: Served
    scenario: Scenario
    items: list[Question]
    arrive_s: list[float]
    questions: list[Question]


@dataclass(slots=True)
class Worked:
    """What became of the items."""

    took_s: list[float]
    is_mapped: list[bool]
    traffic: Traffic
    cpu_s: float


class WorkQueue(_OverHTTP):
    """A controller whose items arrive when they arrive: map the kind, then read the object's document.

    An item counts from the moment at which it was to arrive. The reading is a request of its own, by a client without
    a limit, that costs a round trip whatever the mapper does.
    """

    parameters: ClassVar = {"scenario": tuple(SCENARIOS)}
    presets: ClassVar = {
        "quick": {"scenario": ()},
        "full": {"scenario": tuple(name for name in SCENARIOS if "long" not in name)},
        "tail": {"scenario": ("hits, long", "misses, long")},
    }
    # Twenty thousand items arrive over 200 s, and have as long again to be done.
    time_limit_s = 400.0
    consumes_input = True
    quantiles = (0.5, 0.9, 0.99, 0.999)
    counts = ("requests", "received_bytes", "cpu_s")
    ITEMS_PER_S: ClassVar = 100.0

    def prepare(self, seed: int, **params: Any) -> Controller:
        """Items of five kinds, some of them of a kind that is not there; they arrive independently of each other."""
        scenario = SCENARIOS[params["scenario"]]
        served = self._serve(
            seed,
            groups=scenario.groups,
            discovery=scenario.discovery,
            round_trip_ms=scenario.round_trip_ms,
        )
        chance = random.Random(seed)
        items = [chance.choice(served.questions) for _ in range(scenario.items)]
        for place in chance.sample(range(len(items)), round(scenario.misses * len(items))):
            items[place] = ("apps", "Nope", "v1")
        arrive_s = arrivals(len(items), self.ITEMS_PER_S, chance)
        return Controller(served, scenario, items, arrive_s, served.questions)

    def subject(self, create: MapperFactory, prepared: Controller) -> Any:
        """A mapper that has been asked for the kinds by a client without a limit, which it gets then; and another client."""
        client = prepared.served.client()
        mapper = create(client)
        for group, kind, version in prepared.questions:
            mapper.rest_mapping(group, kind, version)
        client.limit_rate(prepared.scenario.rate_limit)
        return mapper, client, prepared.served.client()

    def run(self, subject: Any, given: Controller) -> Worked:
        """Work until all items are done."""
        mapper, client, objects = subject
        is_mapped: dict[int, bool] = {}

        def work(place: int) -> None:
            mapping = _mapped(mapper, given.items[place])
            is_mapped[place] = mapping is not None
            if mapping is not None:
                group, version, _ = mapping.resource
                objects.resources_of(GroupVersion(group, version))

        before, cpu_s = client.traffic, time.process_time()
        took_s = drive(range(len(given.items)), given.arrive_s, given.scenario.workers, work)
        cpu_s = time.process_time() - cpu_s
        after = client.traffic
        traffic = Traffic(after.requests - before.requests, after.body_bytes - before.body_bytes)
        return Worked(took_s, [is_mapped[place] for place in sorted(is_mapped)], traffic, cpu_s)

    def latencies(self, result: Worked) -> Sequence[float]:
        """What each item took."""
        return result.took_s

    def answer(self, result: Any) -> list[Any]:
        """Which items had a mapping."""
        return list(result.is_mapped)

    def count(self, result: Any) -> dict[str, float]:
        """What the server had to do for the mapper, and the CPU time of everything."""
        requests, body_bytes = result.traffic
        return {"requests": requests, "received_bytes": body_bytes, "cpu_s": result.cpu_s}


def _served(groups: int) -> ServedDiscovery:
    """Kubernetes' own groups and custom ones, so many together."""
    builtin = builtin_discovery()
    return with_crd_groups(builtin, groups - len(builtin.groups))


def _questions(kinds: Sequence[Question], count: int, seed: int) -> list[Question]:
    """So many questions for the kinds: each once, then at random."""
    chance = random.Random(seed)
    first = chance.sample(kinds, len(kinds))
    return [*first, *(chance.choice(kinds) for _ in range(count - len(kinds)))]


def _new_group(number: int) -> str:
    return crd_group(number)[0].name


def _new_kind(number: int) -> Question:
    """A kind of a group of custom resources."""
    group, resources = crd_group(number)
    return group.name, resources["v1"][0].kind, "v1"


def _plain(mapping: RESTMapping | None) -> list[Any] | None:
    return None if mapping is None else [*mapping.resource, mapping.scope]


def _digest(questions: Sequence[Any]) -> str:
    return hashlib.sha256(repr(questions).encode()).hexdigest()


def _is_said_to_be_absent(mapper: RESTMapper, question: Question) -> bool:
    from impls.restmapper.interface import is_no_match

    group, kind, version = question
    try:
        mapper.rest_mapping(group, kind, version)
    except _no_answer() as error:
        return is_no_match(error)
    return False


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

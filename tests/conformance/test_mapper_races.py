"""Mappers that many threads may ask: under churn no answer is wrong, and none is made of two states of the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from impls.restmapper import cached, deferred, dynamic, front_cache, indexed, lazy
from impls.restmapper.interface import (
    DiscoveryFailedError,
    GroupVersionKind,
    GroupVersionResource,
    MapperError,
    MapperFactory,
    ResettableMapper,
    RESTMapper,
    RESTMapping,
)
from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.clock import ManualClock
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    Discovered,
    ServerUnreachableError,
    StaticDiscovery,
)
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient
from kubernetes_testbed.discovery_server import DiscoveryServer

THREADS = 16
CHURN_S = 2.0
SHOP = "shop.example.com"

#: What the group is at one time and at another: whoever mixes them has a mapping of two states.
STATES = (
    APIResource("baskets", "Basket", True, "basket"),
    APIResource("hampers", "Basket", False, "hamper"),
)
VALID = {("baskets", "namespace"), ("hampers", "root")}
DEPLOYMENT = RESTMapping(
    GroupVersionResource("apps", "v1", "deployments"),
    GroupVersionKind("apps", "v1", "Deployment"),
    "namespace",
)

SHARED: dict[str, MapperFactory] = {
    "cached": cached.create,
    "deferred": deferred.create,
    "dynamic": dynamic.create,
    "front_cache": front_cache.create,
    "indexed": indexed.create,
    "lazy": lazy.create,
}


@pytest.mark.parametrize("is_aggregating", [True, False], ids=["aggregated", "legacy"])
@pytest.mark.parametrize("create", SHARED.values(), ids=SHARED)
def test_no_answer_is_wrong_or_torn_under_churn(
    create: MapperFactory, is_aggregating: bool
) -> None:
    wrong: list[str] = []
    answered = [0] * THREADS
    served = replace(builtin_discovery(), is_aggregating=is_aggregating)
    with DiscoveryServer(served) as server, HTTPDiscoveryClient(server.url) as client:
        clock = ManualClock()
        mapper = create(client, clock)
        mapper.rest_mapping("apps", "Deployment", "v1")

        def ask(number: int) -> None:
            questions = (_ask_known, _ask_changing, _ask_absent, _ask_by_resource)
            while not is_over.is_set():
                question = questions[answered[number] % len(questions)]
                if (problem := question(mapper)) is not None:
                    wrong.append(problem)
                answered[number] += 1

        is_over = threading.Event()
        with _threads(ask, is_over):
            _churn(server, mapper, clock)
        # When all is quiet again, what is there is found by whoever can learn.
        server.served = replace(served, is_aggregating=is_aggregating)
        assert mapper.rest_mapping("apps", "Deployment", "v1") == DEPLOYMENT
    assert not wrong, f"{len(wrong)} of {sum(answered)}: {wrong[:3]}"
    assert min(answered) > 0, f"somebody never got an answer: {answered}"


def test_all_who_wait_for_a_server_that_hangs_share_its_failure() -> None:
    asked = []

    class Hanging(StaticDiscovery):
        def groups(self) -> Discovered:
            asked.append(threading.current_thread().name)
            time.sleep(0.5)
            raise ServerUnreachableError("no answer in time")

    mapper = indexed.create(Hanging((), {}))
    together = threading.Barrier(THREADS)

    def ask(_: int) -> bool:
        together.wait()
        try:
            mapper.rest_mapping("apps", "Deployment", "v1")
        except DiscoveryFailedError:
            return True
        return False

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(ask, range(THREADS)))
    # One who comes too late to wait may ask again; sixteen in turn would be eight seconds.
    assert 1 <= len(asked) <= 2, asked


def test_known_kinds_are_answered_while_all_is_learned_anew() -> None:
    is_slow = threading.Event()
    may_answer = threading.Event()
    served = builtin_discovery()

    class Slow(StaticDiscovery):
        def groups(self) -> Discovered:
            if is_slow.is_set():
                may_answer.wait(30.0)
                raise ServerUnreachableError("no answer in time")
            return super().groups()

    clock = ManualClock()
    mapper = indexed.create(Slow(served.groups, served.resources), clock)
    mapper.rest_mapping("apps", "Deployment", "v1")
    is_slow.set()
    clock.advance(400.0)
    with ThreadPoolExecutor(THREADS) as pool:
        asked = [
            pool.submit(mapper.rest_mapping, "apps", "Deployment", "v1") for _ in range(THREADS)
        ]
        # All but the one who looks again have their answer while the server hangs.
        answered: set[Future[RESTMapping]] = set()
        try:
            for _ in range(100):
                answered = {one for one in asked if one.done()}
                if len(answered) == THREADS - 1:
                    break
                time.sleep(0.1)
        finally:
            may_answer.set()
    assert len(answered) == THREADS - 1
    assert {one.result() for one in asked} == {DEPLOYMENT}


@contextmanager
def _threads(ask: Callable[[int], None], is_over: threading.Event):  # type: ignore[no-untyped-def]
    """Have all ask until the block ends; what one of them raises ends the test."""
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            ask(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join(60.0)
    assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"
    if failures:
        raise failures[0]


def _churn(server: DiscoveryServer, mapper: RESTMapper, clock: ManualClock) -> None:
    """Groups come, change, fail and go, time passes, and somebody resets."""
    until = time.monotonic() + CHURN_S
    turn = 0
    while time.monotonic() < until:
        turn += 1
        server.put_group(APIGroup(SHOP, ("v1",), "v1"), {"v1": [STATES[turn % 2]]})
        server.fail("batch", "unavailable" if turn % 3 == 0 else None)
        clock.advance(2.0 if turn % 10 else 400.0)
        if turn % 5 == 0 and hasattr(mapper, "reset"):
            resettable: ResettableMapper = mapper  # type: ignore[assignment]
            resettable.reset()
        time.sleep(0.01)
        if turn % 4 == 0:
            server.remove_group(SHOP)
    server.fail("batch", None)


def _ask_known(mapper: RESTMapper) -> str | None:
    found = mapper.rest_mapping("apps", "Deployment", "v1")
    return None if found == DEPLOYMENT else f"Deployment is {found}"


def _ask_changing(mapper: RESTMapper) -> str | None:
    try:
        found = mapper.rest_mapping(SHOP, "Basket", "v1")
    except MapperError:
        return None
    if (found.resource.resource, found.scope) in VALID:
        return None
    return f"Basket is {found}"


def _ask_absent(mapper: RESTMapper) -> str | None:
    try:
        return f"Nope is {mapper.rest_mapping('apps', 'Nope', 'v1')}"
    except MapperError:
        return None


def _ask_by_resource(mapper: RESTMapper) -> str | None:
    found = mapper.kind_for(GroupVersionResource("apps", "v1", "deployments"))
    return None if found == DEPLOYMENT.kind else f"deployments are {found}"

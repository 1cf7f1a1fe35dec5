"""The workload is the original's scenario: its names, its calls, its outcome."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from bakeoff.study.cells import cells_of
from benchmarks.snapshot import (
    BASES,
    CONFIGURATIONS,
    ENDINGS,
    BareSnapshot,
    Scenario,
    ScheduleRevert,
)
from impls.snapshot import patchset
from impls.snapshot.interface import ClaimNotTrackedError
from kubernetes_testbed.clusters import dra_cluster
from kubernetes_testbed.node_stores import STORES
from tests.conformance.implementations import implementations


class CountingSnapshot:
    """Passes every call on and counts it by name."""

    def __init__(self, snapshot: Any, calls: Counter[str]) -> None:
        self._snapshot = snapshot
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._snapshot, name)

        def counted(*arguments: Any) -> Any:
            self._calls[name] += 1
            if name == "wrap_node_info":
                self._calls["claims of pods on the node"] += len(arguments[1])
            if name == "resource_claims":
                return CountingSnapshot(method(), self._calls)
            return method(*arguments)

        return counted


def small_scenario(base: str, ending: str, store: str = "delta") -> Scenario:
    """A configuration on three nodes of a cluster with few claims, for tests that look at calls."""
    nodes = BASES[base]._replace(nodes=3)
    return Scenario(nodes, ENDINGS[ending], store, dra_cluster(3, seed=1, devices=2))


def test_there_are_sixty_configurations() -> None:
    assert len(CONFIGURATIONS) == len(BASES) * len(ENDINGS) == 60
    assert "100x32x50/MixedClaims/ForkForkCommitRevert" in CONFIGURATIONS
    assert all(name.isascii() for name in CONFIGURATIONS)


def test_a_base_is_named_by_its_sizes() -> None:
    for name, base in BASES.items():
        sizes = [int(size) for size in name.split("/")[0].split("x")]
        assert [size for size in base if size] == sizes


def test_the_presets_are_configurations() -> None:
    for preset in ("quick", "stores"):
        configurations = ScheduleRevert.presets[preset]["configuration"]
        assert set(configurations) <= set(CONFIGURATIONS)
        assert all(CONFIGURATIONS[str(name)][0].nodes == 10 for name in configurations)
    assert len(cells_of(ScheduleRevert, "full")) == 60
    assert len(cells_of(ScheduleRevert, "stores")) == 2 * 30


def test_the_snapshot_is_called_as_often_as_the_original_does() -> None:
    calls: Counter[str] = Counter()

    def create(*arguments: Any, **named: Any) -> Any:
        return CountingSnapshot(patchset.create(*arguments, **named), calls)

    ScheduleRevert().run(create, small_scenario("10x32x50/MixedClaims", "Fork5Revert5"))
    pods = 3 * (32 + 50)
    assert calls == {
        # The shared claims at once, then the owned ones of each node.
        "add_claims": 1 + 3,
        "fork": 3 * 5,
        "revert": 3 * 5,
        "add_node_resource_slices": 3,
        "wrap_node_info": pods,
        # For each of n pods the claims of those before it: n (n - 1) / 2 on each node.
        "claims of pods on the node": 3 * 82 * 81 // 2,
        "resource_claims": pods,
        "get": pods,
        "reserve_pod_claims": pods,
        "pod_claims": pods,
    }


@pytest.mark.parametrize("base", [name for name in BASES if name.startswith("10x")])
@pytest.mark.parametrize("ending", ENDINGS)
def test_both_stores_and_all_implementations_end_in_the_same_state(base: str, ending: str) -> None:
    workload = ScheduleRevert()
    answers = []
    for store in STORES:
        scenario = small_scenario(base, ending, store)
        fingerprint = workload.fingerprint(scenario)
        answers += [
            workload.answer(workload.run(implementation.create, scenario))
            for implementation in implementations("snapshot").values()
        ]
        assert workload.fingerprint(scenario) == fingerprint
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    ("ending", "are_kept"),
    [
        ("ForkRevert", False),
        ("ForkCommit", True),
        ("ForkForkCommitRevert", False),
        ("Fork", True),
        ("Fork5Revert5", False),
    ],
)
def test_an_ending_keeps_or_undoes_everything(ending: str, are_kept: bool) -> None:
    workload = ScheduleRevert()
    answer = workload.answer(
        workload.run(patchset.create, small_scenario("10x1x1/MixedClaims", ending))
    )
    reserved = {name for name, (_, holders, _) in answer["claims"].items() if holders}
    expected = {f"default/claim-node-{i}" for i in range(3)}
    expected |= {f"default/claim-{i}-0" for i in range(3)}
    assert answer["errors"] == []
    assert answer["scheduled"] == [f"pod-{pod}" for i in range(3) for pod in ("0", f"{i}-0")]
    assert reserved == (expected if are_kept else set())
    assert answer["slices"] == ([f"node-{i}-slice" for i in range(3)] if are_kept else [])


def test_errors_are_reported_and_the_other_pods_scheduled() -> None:
    scenario = small_scenario("10x1x1/MixedClaims", "Fork")
    broken = scenario.cluster.nodes[0].owned_pods[0]

    class Unwilling(CountingSnapshot):
        def reserve_pod_claims(self, pod: Any) -> None:
            if pod is broken:
                raise ClaimNotTrackedError("no such claim")
            self._snapshot.reserve_pod_claims(pod)

    def create(*arguments: Any, **named: Any) -> Any:
        return Unwilling(patchset.create(*arguments, **named), Counter())

    outcome = ScheduleRevert().run(create, scenario)
    assert outcome.errors == ["no such claim"]
    assert outcome.scheduled == ["pod-0", "pod-0", "pod-1-0", "pod-0", "pod-2-0"]


def test_a_claim_allocated_elsewhere_is_reported() -> None:
    scenario = small_scenario("10x1/OwnedClaims", "Fork")
    node = scenario.cluster.nodes[0]
    node.owned_claims[0].allocation = scenario.cluster.nodes[1].owned_claims[0].allocation
    node_2 = scenario.cluster.nodes[2]
    node_2.owned_claims[0].allocation = None
    outcome = ScheduleRevert().run(patchset.create, scenario)
    assert outcome.errors == [
        "claim-0-0 of pod-0-0 is not to be had on node-0",
        "claim-2-0 of pod-2-0 is not to be had on node-2",
    ]


def test_the_fingerprint_sees_a_change_at_any_depth() -> None:
    workload = ScheduleRevert()
    scenario = small_scenario("10x1/OwnedClaims", "Fork")
    before = workload.fingerprint(scenario)
    assert workload.fingerprint(small_scenario("10x1/OwnedClaims", "Fork")) == before
    allocation = scenario.cluster.shared_claims[99].allocation
    assert allocation is not None
    allocation.results[1].pool = "another"
    assert workload.fingerprint(scenario) != before


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_floor_can_do_it(ending: str) -> None:
    scenario = small_scenario("10x32x50/MixedClaims", ending)
    outcome = ScheduleRevert().run(BareSnapshot, scenario)  # type: ignore[arg-type]
    assert len(outcome.scheduled) == 3 * (32 + 50)

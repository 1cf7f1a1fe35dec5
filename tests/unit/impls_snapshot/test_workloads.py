"""Every workload of the snapshot study, on every implementation: one answer, nothing left behind."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import benchmarks.snapshot as suite
from bakeoff.study.cells import cells_of
from bakeoff.study.loading import load_workloads
from bakeoff.study.project import Project
from bakeoff.study.workload import Workload, answer_digest
from tests.conformance.implementations import implementations

PROJECT = Project(Path(__file__).resolve().parents[3])
WORKLOADS = load_workloads(PROJECT, PROJECT.study("snapshot"))
SNAPSHOTS = implementations("snapshot")

#: Enough of each workload to meet all its ways, and small enough for the slowest copy.
SMALL: Mapping[str, list[dict[str, Any]]] = {
    "scale_up": [{"pods": 10}],
    "scale_down": [{"nodes": 10}],
    "read": [{"access": access, "claims": 100} for access in ("find", "list")],
    "read_deep": [{"access": access, "depth": 4} for access in ("find", "list")],
    "fork_revert": [{"changes": changes, "claims": 100} for changes in (0, 10)],
    "churn": [{"claims": 100}],
    "deep": [{"depth": 16}],
    "listing": [
        {"what": what, "after": after, "claims": 100}
        for what in ("claims", "devices")
        for after in ("change", "revert")
    ],
}
CASES = [(name, params) for name, cells in SMALL.items() for params in cells]


def test_all_workloads_are_tried_here() -> None:
    # That one has no small cell; it is tried on a smaller cluster in test_schedule_revert.
    assert SMALL.keys() | {"schedule_revert"} == WORKLOADS.keys()


def test_what_only_others_build_upon_is_no_workload() -> None:
    assert suite._OnClaims.name() not in WORKLOADS


@pytest.mark.parametrize(("name", "params"), CASES, ids=str)
def test_all_implementations_give_one_answer_twice(name: str, params: dict[str, Any]) -> None:
    workload: Workload = WORKLOADS[name]()
    digests = {}
    for implementation, module in SNAPSHOTS.items():
        prepared = workload.prepare(5, **params)
        fingerprint = workload.fingerprint(prepared)
        seen = []
        subject = workload.subject(module.create, prepared)
        for _ in range(2):
            if workload.consumes_input:
                subject = workload.subject(module.create, prepared)
            seen.append(answer_digest(workload.answer(workload.run(subject, prepared))))
        assert seen[0] == seen[1], f"{implementation}: the second operation has another answer"
        assert workload.fingerprint(prepared) == fingerprint, implementation
        digests[implementation] = seen[0]
    assert len(set(digests.values())) == 1, digests


@pytest.mark.parametrize(("name", "params"), CASES, ids=str)
def test_every_workload_has_a_floor_that_can_do_it(name: str, params: dict[str, Any]) -> None:
    workload: Workload = WORKLOADS[name]()
    assert workload.floor is not None
    prepared = workload.prepare(5, **params)
    workload.run(workload.subject(workload.floor, prepared), prepared)


@pytest.mark.parametrize("nodes", suite.ScaleDown.parameters["nodes"])
def test_at_every_size_some_nodes_are_emptied_and_some_are_not(nodes: int) -> None:
    workload = suite.ScaleDown()
    given = workload.prepare(1, nodes=nodes)
    removed, _ = workload.run(workload.subject(SNAPSHOTS["incremental"].create, given), given)
    assert 0 < len(removed) < min(workload.CANDIDATES, nodes)


@pytest.mark.parametrize("name", ["scale_up", "scale_down"])
def test_a_floor_whose_forks_depend_on_one_another_decides_as_snapshots_do(name: str) -> None:
    workload: Workload = WORKLOADS[name]()
    (params,) = SMALL[name]
    assert workload.floor is not None
    prepared = workload.prepare(5, **params)
    decided = []
    for create in (workload.floor, SNAPSHOTS["undo_log"].create):
        decision, cluster = workload.run(workload.subject(create, prepared), prepared)
        taken = cluster.resources.resource_claims().list_all_allocated_devices()
        nodes = {name: cluster.nodes.pods_on(name) for name in cluster.nodes.node_names()}
        decided.append((decision, taken, nodes))
    assert decided[0] == decided[1]


@pytest.mark.parametrize("implementation", SNAPSHOTS)
def test_no_snapshot_waits_for_the_cyclic_collector(implementation: str) -> None:
    workload = suite.ScaleUp()
    given = workload.prepare(1, pods=10)
    outcome: list[Any] = []
    gc.collect()
    gc.disable()
    try:
        outcome.append(
            workload.run(workload.subject(SNAPSHOTS[implementation].create, given), given)
        )
        outcome.clear()
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_preset_can_be_measured(name: str) -> None:
    for preset in ("full", "stores"):
        assert cells_of(WORKLOADS[name], preset)
    # What is left out of the quick preset is left out on purpose, and nothing else is.
    quick = cells_of(WORKLOADS[name], "quick")
    assert len(quick) <= 3
    assert bool(quick) == (name not in {"churn", "deep"})


def test_scaling_up_keeps_the_group_that_needs_the_fewest_nodes() -> None:
    workload = suite.ScaleUp()
    given = workload.prepare(1, pods=10)
    cluster = workload.subject(SNAPSHOTS["patchset"].create, given)
    (chosen, placed), after = workload.run(cluster, given)
    assert chosen == "large"
    assert len(placed) == 10
    assert len(set(placed.values())) == 2
    # What was tried and undone is gone, what was kept is there.
    new = [name for name in after.nodes.node_names() if "new" in name]
    assert new == ["large-new-0", "large-new-1"]
    for pod in given.pending:
        (claim,) = after.resources.pod_claims(pod)
        assert [entry.uid for entry in claim.reserved_for] == [pod.uid]
        assert claim.allocation.is_available_on(placed[pod.name])


def test_scaling_down_removes_what_can_be_emptied_and_undoes_the_rest() -> None:
    workload = suite.ScaleDown()
    given = workload.prepare(1, nodes=10)
    cluster = workload.subject(SNAPSHOTS["patchset"].create, given)
    removed, after = workload.run(cluster, given)
    # Seventy pods fill eight nodes of eight devices, and most of another.
    assert len(removed) == 1
    names = after.nodes.node_names()
    assert len(names) == 9
    assert sum(len(after.nodes.pods_on(name)) for name in names) == 70
    devices = after.resources.resource_claims().list_all_allocated_devices()
    assert len(devices) == 70
    assert {pool for _, pool, _ in devices} <= set(names)

"""Random operations on every implementation and on a naive model: all answers must agree."""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.implementations import implementations
from tests.conformance.snapshot_model import SnapshotModel
from tests.conformance.snapshot_replay import SnapshotReplay

SNAPSHOTS = implementations("snapshot")

CLAIMS = ("c0", "c1", "c2")
PODS = ("p0", "p1", "p2")
NODES = ("n0", "n1", "--NON-LOCAL--")


def claim(name: str, version: int) -> dict[str, Any]:
    """One of several contents for the claim of that name: held by some pods, or by none."""
    return {
        "namespace": "default",
        "name": name,
        "uid": f"{name}-uid",
        "owners": [
            {
                "api_version": "v1",
                "kind": "Pod",
                "name": "p0",
                "uid": "p0-uid",
                "controller": name == "c0",
            }
        ],
        # One claim is held by the same pods several times, and named twice by one of them.
        "reserved_for": [
            ["", "pods", pod, f"{pod}-uid"]
            for pod in PODS[:version]
            for _ in range(3 if name == "c1" else 1)
        ],
        "allocated": version > 0,
        "devices": [["driver", "pool", f"d{device}"] for device in range(version)],
    }


def pod(name: str, *refs: dict[str, str]) -> dict[str, Any]:
    return {"namespace": "default", "name": name, "uid": f"{name}-uid", "refs": list(refs)}


OBJECTS = {f"{name}-{version}": claim(name, version) for name in CLAIMS for version in range(3)}
WORLD: dict[str, Any] = {
    "objects": OBJECTS,
    "pods": {
        "p0": pod("p0", {"name": "own", "claim_name": "c0"}, {"name": "ref", "claim_name": "c1"}),
        "p1": pod("p1", {"name": "a", "claim_name": "c1"}, {"name": "b", "claim_name": "c1"}),
        "p2": pod("p2", {"name": "ref", "claim_name": "c2"}, {"name": "t", "template": "t"}),
    },
    "slices": {
        name: {"node": "n0", "driver": "driver", "pool": "pool", "devices": ["d0"]}
        for name in ("s0", "s1")
    },
    "initial": {
        "empty": False,
        "claims": ["c0-0", "c1-0", "c2-1"],
        "node_slices": {"n0": ["s0"]},
        "non_local_slices": ["s1"],
        "device_classes": [],
    },
}

objects = st.sampled_from(sorted(OBJECTS))
pods = st.sampled_from(PODS)
of_pods = st.tuples(
    st.sampled_from(["reserve", "reserve", "unreserve", "remove_pod_owned_claims"]), pods
)
changes = st.one_of(
    of_pods,
    of_pods,
    of_pods,
    st.tuples(st.just("add_claims"), st.lists(objects, min_size=1, max_size=2)),
    st.tuples(st.just("signal_pending"), st.sampled_from(["c0-uid", "c1-uid"]), objects),
    st.tuples(st.just("signal_pending_stored"), st.just("default"), st.sampled_from(CLAIMS)),
    st.tuples(
        st.just("node_slices_add"),
        st.sampled_from(NODES),
        st.lists(st.sampled_from(["s0", "s1"]), max_size=2),
    ),
    st.tuples(st.just("node_slices_remove"), st.sampled_from(NODES)),
)
looks = st.one_of(
    st.tuples(st.just("pod_claims"), pods),
    st.tuples(st.just("node_slices_get"), st.sampled_from(NODES)),
    st.sampled_from([["claims_list"], ["slices_list"], ["tracker_hold", "view"]]),
)
# A change of layers shows only if something was changed in them, and was looked at before.
steps = st.tuples(st.sampled_from(["fork", "fork", "commit", "revert"]), changes, changes, looks)
operations = st.lists(steps, min_size=8, max_size=16).map(
    lambda chosen: [operation for layers, *others in chosen for operation in ([layers], *others)]
)

# Whatever was looked up on the way or not, in the end every layer is looked at.
EVERY_LAYER: list[list[str]] = [
    ["claims_list"],
    ["slices_list"],
    ["list_all_allocated_devices"],
    ["tracker_list", "view"],
    *(["pod_claims", name] for name in PODS),
    *(["node_slices_get", name] for name in NODES),
    ["revert"],
] * 10


@pytest.mark.parametrize("snapshot", SNAPSHOTS.values(), ids=SNAPSHOTS)
@settings(max_examples=250, deadline=None)
@given(operations=operations)
def test_random_operations_have_the_answers_of_the_naive_model(
    snapshot: ModuleType, operations: list[Any]
) -> None:
    model = SnapshotModel(WORLD, has_original_habits=False)
    replay = SnapshotReplay(snapshot.create, WORLD)
    handed_in = copy.deepcopy(replay.objects)
    for operation in [["tracker_hold", "view"], *operations, *EVERY_LAYER]:
        assert replay.apply(operation) == model.apply(operation), operation
    assert replay.objects == handed_in

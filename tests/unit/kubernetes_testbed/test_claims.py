from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from kubernetes_testbed.claims import (
    Allocation,
    DeviceRequest,
    DeviceResult,
    NodeSelector,
    NodeSelectorRequirement,
    OwnerReference,
    Reservation,
    ResourceClaim,
)


def full_claim() -> ResourceClaim:
    """A claim with something in every field, each value different from its default."""
    return ResourceClaim(
        "default",
        "claim",
        "uid",
        [OwnerReference("v1", "Pod", "pod", "pod-uid", True)],
        (DeviceRequest("request", "class", 3),),
        Allocation(
            [DeviceResult("request", "driver", "pool", "device", "share", (("memory", 7),))],
            NodeSelector([NodeSelectorRequirement("metadata.name", "In", ("node-0", "node-1"))]),
        ),
        [Reservation("group", "pods", "pod", "pod-uid")],
    )


def changeable(value: Any) -> Iterator[Any]:
    """Every object and list at any depth that could be changed."""
    if isinstance(value, list):
        yield value
        for item in value:
            yield from changeable(item)
    elif isinstance(value, DeviceRequest):
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.count = 2  # type: ignore[misc]
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from changeable(getattr(value, field.name))


@pytest.mark.parametrize(
    "claim",
    [
        full_claim(),
        ResourceClaim("default", "claim", "uid"),
        ResourceClaim("default", "claim", "uid", allocation=Allocation([])),
    ],
    ids=["full", "bare", "allocated everywhere"],
)
def test_a_clone_is_equal(claim: ResourceClaim) -> None:
    assert claim.clone() == claim


def test_a_clone_shares_nothing_that_can_be_changed() -> None:
    claim = full_claim()
    originals = {id(part) for part in changeable(claim)}
    clones = list(changeable(claim.clone()))
    # Four lists, and seven objects: claim, owner, allocation, result, selector, requirement,
    # reservation.
    assert len(clones) == len(originals) == 4 + 7
    assert not originals & {id(part) for part in clones}


def test_a_clone_is_as_deep_as_the_general_deep_copy() -> None:
    claim = full_claim()
    assert len(list(changeable(claim.clone()))) == len(list(changeable(copy.deepcopy(claim))))


def test_a_changed_clone_leaves_the_original_alone() -> None:
    claim = full_claim()
    clone = claim.clone()
    assert clone.allocation is not None
    clone.reserved_for.clear()
    clone.allocation.results[0].device = "another"
    clone.owners[0].uid = "another"
    assert claim == full_claim()


@pytest.mark.parametrize(
    ("selector", "node", "is_available"),
    [
        (None, "node-9", True),
        (NodeSelector([]), "node-9", True),
        (NodeSelector([NodeSelectorRequirement("metadata.name", "In", ("a", "b"))]), "b", True),
        (NodeSelector([NodeSelectorRequirement("metadata.name", "In", ("a", "b"))]), "c", False),
        (
            NodeSelector(
                [
                    NodeSelectorRequirement("metadata.name", "In", ("a",)),
                    NodeSelectorRequirement("metadata.name", "In", ("b",)),
                ]
            ),
            "a",
            False,
        ),
    ],
)
def test_an_allocation_is_available_where_its_selector_admits(
    selector: NodeSelector | None, node: str, is_available: bool
) -> None:
    assert Allocation([], selector).is_available_on(node) is is_available


def test_a_requirement_that_the_testbed_cannot_match_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"metadata\.name In, not zone NotIn"):
        NodeSelectorRequirement("zone", "NotIn", ()).admits("node-0")

"""Groups of custom resources, as many as one likes: what operators add to a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kubernetes_testbed.discovery import APIGroup, APIResource, GroupVersion
from kubernetes_testbed.served_discovery import ServedDiscovery

_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")

#: Kinds in each group, as operators have: a few.
KINDS_PER_GROUP = 3


def crd_group(number: int) -> tuple[APIGroup, dict[str, tuple[APIResource, ...]]]:
    """One group with its resources by version: every third has an older version besides ``v1``.

    Parameters
    ----------
    number : int
        From 0 on; the same number, the same group.
    """
    group = f"operator-{number}.example.com"
    resources = tuple(
        APIResource(
            name=f"widget{number}k{kind}s",
            kind=f"Widget{number}K{kind}",
            is_namespaced=kind != 0,
            singular=f"widget{number}k{kind}",
            verbs=_VERBS,
            short_names=(f"w{number}k{kind}",),
            categories=("all",) if kind == 1 else (),
        )
        for kind in range(KINDS_PER_GROUP)
    )
    versions = ("v1", "v1alpha1") if number % 3 == 0 else ("v1",)
    return APIGroup(group, versions, "v1"), dict.fromkeys(versions, resources)


def crd_groups(count: int) -> Iterator[tuple[APIGroup, dict[str, tuple[APIResource, ...]]]]:
    """So many groups."""
    return (crd_group(number) for number in range(count))


def with_crd_groups(served: ServedDiscovery, count: int) -> ServedDiscovery:
    """Serve so many groups of custom resources as well."""
    made = [*crd_groups(count)]
    own = {
        GroupVersion(group.name, version): found
        for group, by_version in made
        for version, found in by_version.items()
    }
    return replace(
        served,
        groups=(*served.groups, *(group for group, _ in made)),
        resources={**served.resources, **own},
    )

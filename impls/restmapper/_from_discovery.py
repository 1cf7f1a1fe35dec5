"""Mappers made of what a server said: one for each version of a group, and what comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from impls.restmapper._default_mapper import DefaultMapper
from impls.restmapper._multi_mapper import MultiMapper
from impls.restmapper._names import guess_resource
from impls.restmapper._priority_mapper import ANY, Pattern, PriorityMapper
from impls.restmapper.interface import DiscoveryFailedError, GroupVersionKind, RESTMapper, Scope
from kubernetes_testbed.discovery import (
    APIResource,
    Discovered,
    DiscoveryClient,
    DiscoveryError,
    GroupVersion,
    Resources,
)

#: The core group's only version: it comes before everything else.
CORE = GroupVersion("", "v1")


def discover(discovery: DiscoveryClient) -> Discovered:
    """Everything that could be learned; versions that failed are missing.

    Raises
    ------
    DiscoveryFailedError
        If not even the list of groups could be had.
    """
    try:
        return discovery.everything()
    except DiscoveryError as error:
        raise DiscoveryFailedError("discovery failed", (error,)) from error


def resources_of(discovered: Discovered) -> Resources:
    """What is known of the versions' resources."""
    return discovered.resources or {}


def known_versions(discovered: Discovered) -> Iterator[GroupVersion]:
    """The versions whose resources are known, in the server's order."""
    resources = resources_of(discovered)
    for group in discovered.groups:
        for version in group.versions:
            if (group.name, version) in resources:
                yield GroupVersion(group.name, version)


def versions_by_preference(discovered: Discovered) -> Iterator[GroupVersion]:
    """The known versions as they come first: core, then each group's preferred one before its others."""
    known = dict.fromkeys(known_versions(discovered))
    order: dict[GroupVersion, None] = {}
    if CORE in known:
        order[CORE] = None
    for group in discovered.groups:
        for version in (group.preferred, *group.versions):
            one = GroupVersion(group.name, version)
            if one in known:
                order.setdefault(one)
    yield from order


def add_resources(
    mapper: DefaultMapper, group_version: GroupVersion, resources: Iterable[APIResource]
) -> None:
    """Tell a mapper the kinds of a version, their lists, and ``List`` itself.

    A kind is known as it is written and all in lower case; the list of a kind has a name that is guessed.
    """
    for resource in resources:
        if resource.is_subresource:
            continue
        scope: Scope = "namespace" if resource.is_namespaced else "root"
        singular = resource.singular or guess_resource(resource.kind)[1]
        kind = GroupVersionKind(*group_version, resource.kind)
        for spelling in (resource.kind.lower(), resource.kind):
            mapper.add_specific(kind._replace(kind=spelling), resource.name, singular, scope)
        mapper.add(kind._replace(kind=resource.kind + "List"), scope)
    mapper.add(GroupVersionKind(*group_version, "List"), "root")


def version_mapper(group_version: GroupVersion, resources: Iterable[APIResource]) -> DefaultMapper:
    """The mapper of one version."""
    mapper = DefaultMapper([group_version])
    add_resources(mapper, group_version, resources)
    return mapper


def version_mappers(discovered: Discovered) -> list[RESTMapper]:
    """One mapper for each known version, in the server's order."""
    resources = resources_of(discovered)
    return [version_mapper(one, resources[one]) for one in known_versions(discovered)]


def patterns_of(discovered: Discovered) -> list[Pattern]:
    """What comes first: core, each group's preferred version, its others, then groups as the server lists them."""
    patterns = [Pattern(*CORE, ANY)]
    known = {*known_versions(discovered)}
    for group in discovered.groups:
        preferred = GroupVersion(group.name, group.preferred)
        if group.preferred and preferred in known:
            patterns.append(Pattern(*preferred, ANY))
        patterns += [
            Pattern(group.name, version, ANY)
            for version in group.versions
            if version != group.preferred and (group.name, version) in known
        ]
    return patterns + [Pattern(group.name, ANY, ANY) for group in discovered.groups]


def mapper_of(discovered: Discovered) -> PriorityMapper:
    """The mapper over everything that was learned."""
    patterns = patterns_of(discovered)
    return PriorityMapper(MultiMapper(version_mappers(discovered)), patterns, patterns)

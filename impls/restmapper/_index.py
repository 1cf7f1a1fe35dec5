"""Everything that a server said, by name: questions are answered by a look-up, not by a walk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from impls.restmapper._from_discovery import (
    known_versions,
    resources_of,
    version_mapper,
    versions_by_preference,
)
from impls.restmapper.interface import (
    AmbiguousResourceError,
    GroupVersionKind,
    GroupVersionResource,
    NoKindMatchError,
    NoResourceMatchError,
    ResourceRequiredError,
    RESTMapping,
    SingularError,
    named_version,
    named_versions,
)
from kubernetes_testbed.discovery import Discovered, GroupVersion

_Name = TypeVar("_Name", GroupVersionKind, GroupVersionResource)


class _Named(NamedTuple):
    """What one version of a group means by a name."""

    version: GroupVersion
    rank: int
    kind: GroupVersionKind
    plurals: tuple[GroupVersionResource, ...]
    singulars: tuple[str, ...]


class Index:
    """A mapper that does not change, with the answers of the walk over one table for each version.

    Parameters
    ----------
    discovered : Discovered
        What the server said.
    """

    __slots__ = ("_by_kind", "_last", "_named", "known")

    def __init__(self, discovered: Discovered) -> None:
        ranks = {one: rank for rank, one in enumerate(versions_by_preference(discovered))}
        resources = resources_of(discovered)
        self._named: dict[str, list[_Named]] = {}
        self._by_kind: dict[tuple[str, str], list[tuple[int, RESTMapping]]] = {}
        self._last: GroupVersion | None = None
        for group_version in known_versions(discovered):
            table = version_mapper(group_version, resources[group_version])
            rank = ranks[group_version]
            for mapping in table.mappings():
                key = (mapping.kind.group, mapping.kind.kind)
                self._by_kind.setdefault(key, []).append((rank, mapping))
            for name, (means, plurals, singulars) in table.names().items():
                self._named.setdefault(name, []).append(
                    _Named(group_version, rank, means, plurals, singulars)
                )
            self._last = group_version
        #: Mappings by group, kind and the one version that is asked for; None: any.
        self.known: dict[tuple[str, str, str | None], RESTMapping] = {}
        for (group, kind), ranked in self._by_kind.items():
            self.known[(group, kind, None)] = min(ranked, key=lambda one: one[0])[1]
            for _, mapping in ranked:
                self.known.setdefault((group, kind, mapping.kind.version), mapping)

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """The kind that comes first."""
        # A version means one kind by a name, so nothing is ambiguous.
        return min(self._matching(partial), key=lambda one: one.rank).kind

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """All kinds, in the server's order."""
        return _each_once(one.kind for one in self._matching(partial))

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """The resource that comes first."""
        found = self._resources(partial)
        best = min(rank for rank, _ in found)
        chosen = _each_once(one for rank, one in found if rank == best)
        if len(chosen) > 1:
            raise AmbiguousResourceError(
                partial, resources=tuple(_each_once(one for _, one in found))
            )
        return chosen[0]

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """All resources, in the server's order."""
        return _each_once(one for _, one in self._resources(partial))

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """That of the first version that has the kind, or the one that comes first."""
        ranked = self._ranked(group, kind, versions)
        asked = {version: place for place, version in enumerate(reversed(versions))}
        return min(ranked, key=lambda one: (-asked.get(one[1].kind.version, -1), one[0]))[1]

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """Those of all versions that were asked for, in the server's order."""
        return [mapping for _, mapping in self._ranked(group, kind, versions)]

    def resource_singularizer(self, resource: str) -> str:
        """The singular in the first version that has just one."""
        if self._last is None:
            return ""
        if not resource:
            raise ResourceRequiredError("a resource was asked for without its name")
        named = self._named.get(resource.lower(), [])
        for one in named:
            if len(one.singulars) == 1:
                return one.singulars[0]
        if named and named[-1].version == self._last:
            raise SingularError(resource, named[-1].singulars)
        raise NoResourceMatchError(GroupVersionResource("", "", resource.lower()))

    def _ranked(
        self, group: str, kind: str, versions: Sequence[str]
    ) -> list[tuple[int, RESTMapping]]:
        asked = named_versions(versions)
        ranked = [
            one
            for one in self._by_kind.get((group, kind), [])
            if not asked or one[1].kind.version in asked
        ]
        if not ranked:
            raise NoKindMatchError(group, kind, tuple(versions))
        return ranked

    def _resources(self, partial: GroupVersionResource) -> list[tuple[int, GroupVersionResource]]:
        is_exact = bool(partial.group and named_version(partial.version))
        return [
            (one.rank, plural)
            for one in self._matching(partial)
            for plural in (one.plurals[:1] if is_exact else one.plurals)
        ]

    def _matching(self, partial: GroupVersionResource) -> list[_Named]:
        """What a name means in all versions that are meant; at least one."""
        group, version, resource = partial
        if self._last is not None and not resource:
            raise ResourceRequiredError("a resource was asked for without its name")
        version = named_version(version)
        named = self._named.get(resource.lower(), [])
        if version:
            named = [one for one in named if one.version.version == version]
        if group and version:
            named = [one for one in named if one.version.group == group]
        elif group:
            named = [one for one in named if one.version.group.startswith(group)]
        if not named:
            raise NoResourceMatchError(partial)
        return named


def _each_once(names: Iterable[_Name]) -> list[_Name]:
    return list(dict.fromkeys(names))

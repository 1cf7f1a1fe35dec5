"""A mapper over tables: kinds that were added, of some groups and versions in an order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from impls.restmapper._names import guess_resource
from impls.restmapper._only_one import OnlyOneMapper
from impls.restmapper.interface import (
    GroupVersionKind,
    GroupVersionResource,
    NoKindMatchError,
    NoResourceMatchError,
    ResourceRequiredError,
    RESTMapping,
    Scope,
    SingularError,
    named_version,
    named_versions,
)
from kubernetes_testbed.discovery import GroupVersion

_Name = TypeVar("_Name", GroupVersionKind, GroupVersionResource)


class DefaultMapper(OnlyOneMapper):
    """A mapper over tables.

    Parameters
    ----------
    default_versions : iterable of GroupVersion
        Which come first where several match, and which a kind without version is looked for in.
    """

    __slots__ = ("_default_versions", "_kinds", "_plurals", "_ranks", "_scopes", "_singulars")

    def __init__(self, default_versions: Iterable[GroupVersion] = ()) -> None:
        self._default_versions = tuple(default_versions)
        self._ranks = {
            group_version: rank for rank, group_version in enumerate(self._default_versions)
        }
        # By plural and by singular; the last kind that claims a name has it.
        self._kinds: dict[GroupVersionResource, GroupVersionKind] = {}
        self._plurals: dict[GroupVersionKind, GroupVersionResource] = {}
        self._scopes: dict[GroupVersionKind, Scope] = {}
        self._singulars: dict[GroupVersionResource, GroupVersionResource] = {}

    def add(self, kind: GroupVersionKind, scope: Scope) -> None:
        """Add a kind whose resource has the name that is guessed."""
        plural, singular = guess_resource(kind.kind)
        self.add_specific(kind, plural, singular, scope)

    def add_specific(
        self, kind: GroupVersionKind, plural: str, singular: str, scope: Scope
    ) -> None:
        """Add a kind and the names of its resource."""
        resource = GroupVersionResource(kind.group, kind.version, plural)
        one = GroupVersionResource(kind.group, kind.version, singular)
        self._singulars[resource] = one
        self._kinds[one] = kind
        self._kinds[resource] = kind
        self._plurals[kind] = resource
        self._scopes[kind] = scope

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """Kinds by plural or singular, in the order of the default versions."""
        wanted = _coerced(partial)
        if wanted.group and wanted.version:
            kind = self._kinds.get(wanted)
            found = [] if kind is None else [kind]
        else:
            found = [self._kinds[name] for name in _matching(wanted, self._kinds)]
        if not found:
            raise NoResourceMatchError(partial)
        return self._sorted(dict.fromkeys(found))

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """Plurals by plural or singular, in the order of the default versions.

        A resource whose two names are the same is there twice, unless group and version were asked for.
        """
        wanted = _coerced(partial)
        # Every name with its plural: a plural stands for itself, and its singular for it.
        names = [(one, plural) for plural, one in self._singulars.items()]
        names += [(plural, plural) for plural in self._singulars]
        chosen = {*_matching(wanted, [name for name, _ in names])}
        found = [plural for name, plural in names if name in chosen]
        if wanted.group and wanted.version:
            found = found[:1]
        if not found:
            raise NoResourceMatchError(wanted)
        return self._sorted(found)

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """The first of the mappings."""
        return self.rest_mappings(group, kind, *versions)[0]

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """One for the first version that has the kind; if none is given, one for each default version."""
        asked = named_versions(versions)
        if asked:
            known = (GroupVersionKind(group, version, kind) for version in asked)
            tried = [one for one in known if one in self._plurals][:1]
        else:
            tried = [
                GroupVersionKind(group, version, kind)
                for in_group, version in self._default_versions
                if in_group == group
            ]
        if not tried:
            raise NoKindMatchError(group, kind, versions)
        found = [one for one in tried if one in self._plurals]
        if not found:
            raise NoResourceMatchError(GroupVersionResource(group, "", kind))
        return [RESTMapping(self._plurals[one], one, self._scopes[one]) for one in found]

    def resource_singularizer(self, resource: str) -> str:
        """The one singular of all resources of that name."""
        resources = self.resources_for(GroupVersionResource("", "", resource))
        singulars = tuple(
            dict.fromkeys(
                self._singulars[one].resource for one in resources if one in self._singulars
            )
        )
        if len(singulars) != 1:
            raise SingularError(resource, singulars)
        return singulars[0]

    def mappings(self) -> list[RESTMapping]:
        """One for each kind."""
        return [
            RESTMapping(self._plurals[kind], kind, self._scopes[kind]) for kind in self._plurals
        ]

    def names(
        self,
    ) -> dict[str, tuple[GroupVersionKind, tuple[GroupVersionResource, ...], tuple[str, ...]]]:
        """Every name with its kind, its plurals and their singulars, for a mapper of one version."""
        plurals: dict[str, dict[GroupVersionResource, None]] = {}
        for plural, singular in self._singulars.items():
            plurals.setdefault(singular.resource, {}).setdefault(plural)
        for plural in self._singulars:
            plurals.setdefault(plural.resource, {}).setdefault(plural)
        found = {}
        for name, kind in self._kinds.items():
            named = [*plurals.get(name.resource, ())]
            singulars = dict.fromkeys(self._singulars[plural].resource for plural in named)
            found[name.resource] = (kind, tuple(sorted(named)), tuple(singulars))
        return found

    def _sorted(self, found: Iterable[_Name]) -> list[_Name]:
        """In the order of the default versions, then by name."""
        last = len(self._ranks)
        return sorted(
            found, key=lambda one: (self._ranks.get(GroupVersion(one[0], one[1]), last), one[2])
        )


def _coerced(partial: GroupVersionResource) -> GroupVersionResource:
    """A question as tables are asked it."""
    if not partial.resource:
        raise ResourceRequiredError("a resource was asked for without its name")
    return GroupVersionResource(
        partial.group, named_version(partial.version), partial.resource.lower()
    )


def _matching(
    wanted: GroupVersionResource, names: Iterable[GroupVersionResource]
) -> list[GroupVersionResource]:
    """The names that match; an exact group first, and only if none has it those that begin so."""
    group, version, resource = wanted
    named = [name for name in names if name.resource == resource and version in ("", name.version)]
    if not group:
        return named
    exact = [name for name in named if name.group == group]
    if exact or version:
        return exact
    return [name for name in named if name.group.startswith(group)]

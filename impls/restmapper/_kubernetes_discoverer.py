"""A mapper over a discoverer of the official Python client, which has other questions and answers than ours."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kubernetes.dynamic.discovery import Discoverer
from kubernetes.dynamic.exceptions import ResourceNotFoundError, ServiceUnavailableError
from kubernetes.dynamic.resource import Resource, ResourceList

from impls.restmapper._names import guess_resource
from impls.restmapper._only_one import OnlyOneMapper
from impls.restmapper.interface import (
    AmbiguousKindError,
    DiscoveryFailedError,
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
from kubernetes_testbed.discovery import (
    APIResource,
    DiscoveryClient,
    DiscoveryError,
    GroupVersion,
)
from kubernetes_testbed.discovery_documents import group_list_document, resource_list_document

DiscovererFactory = Callable[[Any, str], Discoverer]


class _Server:
    """The client that a discoverer asks, in front of ours.

    It has the two members of ``kubernetes.dynamic.DynamicClient`` that discoverers use, ``request`` and ``configuration``, and
    ``resources``, by which they find the resource behind a list.
    """

    def __init__(self, discovery: DiscoveryClient) -> None:
        self._discovery = discovery
        # Of an address only the name of a file is made, and that is given.
        self.configuration = SimpleNamespace(host="")
        self.resources: Discoverer | None = None

    def request(self, _method: str, path: str, **_options: Any) -> Any:
        """What is at a path, as far as discoverers ask for it."""
        parts = path.strip("/").split("/")
        if parts == ["version"]:
            # Kept with what is discovered, and never looked at.
            return {}
        if parts == ["apis"]:
            return SimpleNamespace(groups=self._groups())
        group, version = ("", parts[1]) if parts[0] == "api" else (parts[1], parts[2])
        return SimpleNamespace(resources=self._resources(GroupVersion(group, version)))

    def _groups(self) -> list[dict[str, Any]]:
        try:
            told = self._discovery.groups()
        except DiscoveryError as error:
            raise DiscoveryFailedError("failed to list the groups", (error,)) from error
        document = group_list_document(group for group in told.groups if group.name)
        # A group without a preferred version is no group to them.
        return [{"preferredVersion": None, **group} for group in document["groups"]]

    def _resources(self, group_version: GroupVersion) -> list[dict[str, Any]]:
        try:
            found = self._discovery.resources_of(group_version)
        except DiscoveryError as error:
            # The one error that leaves the others alone: a version without resources.
            raise ServiceUnavailableError(_as_api_error(error)) from error
        document = resource_list_document(group_version, map(_with_singular, found))
        return list(document["resources"])


class DiscovererMapper(OnlyOneMapper):
    """A mapper over a discoverer.

    Parameters
    ----------
    discovery : DiscoveryClient
        Whom to ask.
    discoverer : callable
        The class of the discoverer.
    """

    def __init__(self, discovery: DiscoveryClient, discoverer: DiscovererFactory) -> None:
        # It keeps what it has discovered in a file, by default one for all who ask the same server.
        folder = tempfile.mkdtemp(prefix="discoverer-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        server = _Server(discovery)
        self._discoverer = discoverer(server, str(Path(folder, "discovered.json")))
        server.resources = self._discoverer

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """The kinds of all resources of that name."""
        return [*dict.fromkeys(map(_kind_of, self._named(partial)))]

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """All resources of that name."""
        return [*dict.fromkeys(map(_resource_of, self._named(partial)))]

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """The one of the first version that has the kind, or of the preferred one."""
        found = self._of_kind(group, kind, versions)
        if len(found) > 1:
            found = [one for one in found if one.preferred] or found
        if len(found) > 1:
            raise AmbiguousKindError(GroupVersionKind(group, "", kind), (*map(_kind_of, found),))
        return _mapping_of(found[0], kind)

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """Those of the first version that has the kind, or of all."""
        return [_mapping_of(one, kind) for one in self._of_kind(group, kind, versions)]

    def resource_singularizer(self, resource: str) -> str:
        """The one singular of all resources of that name."""
        found = self._named(GroupVersionResource("", "", resource))
        singulars: tuple[str, ...] = (*dict.fromkeys(one.singular_name for one in found),)
        if len(singulars) > 1:
            raise SingularError(resource, singulars)
        return singulars[0]

    def _of_kind(self, group: str, kind: str, versions: tuple[str, ...]) -> list[Resource]:
        for version in named_versions(versions) or [""]:
            # They know kinds as they are written, and no others.
            if kind.islower():
                found = self._found(group, version, lambda one: one.kind.lower() == kind)
            else:
                found = self._search(group, version, kind)
            if found:
                return found
        raise NoKindMatchError(group, kind, versions)

    def _named(self, partial: GroupVersionResource) -> list[Resource]:
        group, version, resource = partial
        name = resource.lower()
        if not name:
            raise ResourceRequiredError("a resource was asked for without its name")
        # A group that is empty means any, to them as in a question for a resource.
        found = self._found(
            group or None, named_version(version), lambda one: name in (one.name, one.singular_name)
        )
        if not found:
            raise NoResourceMatchError(partial)
        return found

    def _found(
        self, group: str | None, version: str, fits: Callable[[Resource], bool]
    ) -> list[Resource]:
        """The resources that fit; if none does, everything is discovered again, as their own search has it."""
        searched = self._search(group, version)
        found = _fitting(searched, fits)
        # A search that found nothing at all has done so.
        if searched and not found:
            self._discoverer.invalidate_cache()
            found = _fitting(self._search(group, version), fits)
        return found

    def _search(self, group: str | None, version: str, kind: str | None = None) -> list[Resource]:
        prefix = None if group is None else "apis" if group else "api"
        try:
            return list(
                self._discoverer.search(
                    prefix=prefix, group=group or None, api_version=version or None, kind=kind
                )
            )
        except ResourceNotFoundError:
            return []


def _fitting(resources: Iterable[Resource], fits: Callable[[Resource], bool]) -> list[Resource]:
    return [one for one in resources if not isinstance(one, ResourceList) and fits(one)]


def _kind_of(one: Resource) -> GroupVersionKind:
    return GroupVersionKind(one.group, one.api_version, one.kind)


def _resource_of(one: Resource) -> GroupVersionResource:
    return GroupVersionResource(one.group, one.api_version, one.name)


def _mapping_of(one: Resource, kind: str) -> RESTMapping:
    is_list = isinstance(one, ResourceList)
    name = guess_resource(one.kind)[0] if is_list else one.name
    return RESTMapping(
        GroupVersionResource(one.group, one.api_version, name),
        GroupVersionKind(one.group, one.api_version, kind),
        "namespace" if one.namespaced else "root",
    )


def _with_singular(one: APIResource) -> APIResource:
    """A resource that says its singular: they would cut off the last letter of the plural."""
    if one.singular or one.is_subresource:
        return one
    return replace(one, singular=guess_resource(one.kind)[1])


def _as_api_error(error: DiscoveryError) -> Any:
    return SimpleNamespace(status=503, reason=str(error), body="", headers={})

"""Discovery documents: what an API server writes, and what a client reads out of it. Pure.

There are two forms. The older one has a document for the list of groups and one for each version; aggregated discovery
(v2) has everything in the list of groups, for clients that say in their Accept header that they can read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    BadDocumentError,
    Discovered,
    DiscoveryError,
    GroupVersion,
    Resources,
)

Document = dict[str, Any]

_AGGREGATED = {"g": "apidiscovery.k8s.io", "as": "APIGroupDiscoveryList"}

#: The content type of aggregated discovery, and what clients accept.
AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
PLAIN_TYPE = "application/json"
ACCEPT = (
    f"{AGGREGATED_TYPE},"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    f"{PLAIN_TYPE}"
)


class StaleError(DiscoveryError):
    """The server itself could not ask whoever serves the version, and knows only what it was before."""


def media_types(header: str) -> list[tuple[str, dict[str, str]]]:
    """The types of an Accept or Content-Type header with their parameters, in order."""
    found = []
    for part in header.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        pairs = (one.partition("=") for one in parameters)
        found.append((name.lower(), {key.strip(): value.strip() for key, _, value in pairs}))
    return found


def is_aggregated(content_type: str, *, with_beta: bool = False) -> bool:
    """Whether a type is that of aggregated discovery; the order of its parameters is free.

    Parameters
    ----------
    content_type : str
        Of an answer, or what a client accepts.
    with_beta : bool
        Whether v2beta1 will do, which Kubernetes 1.26 to 1.29 send, and which looks the same.
    """
    versions = ("v2", "v2beta1") if with_beta else ("v2",)
    return any(
        name == PLAIN_TYPE
        and parameters.get("v") in versions
        and _AGGREGATED.items() <= parameters.items()
        for name, parameters in media_types(content_type)
    )


# --- written by servers ---------------------------------------------------------------------------


def core_versions_document(versions: Iterable[str], server_address: str) -> Document:
    """``/api``: the versions of the core group."""
    return {
        "kind": "APIVersions",
        "versions": [*versions],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}
        ],
    }


def group_document(group: APIGroup) -> Document:
    """``/apis/G``: one group."""
    versions = [
        {"groupVersion": str(GroupVersion(group.name, version)), "version": version}
        for version in group.versions
    ]
    preferred = [one for one in versions if one["version"] == group.preferred]
    return {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": group.name,
        "versions": versions,
        **({"preferredVersion": preferred[0]} if preferred else {}),
    }


def group_list_document(groups: Iterable[APIGroup]) -> Document:
    """``/apis``: all groups but the core."""
    without_type = [
        {
            key: value
            for key, value in group_document(group).items()
            if key not in ("kind", "apiVersion")
        }
        for group in groups
    ]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": without_type}


def resource_list_document(
    group_version: GroupVersion, resources: Iterable[APIResource]
) -> Document:
    """``/apis/G/V`` or ``/api/V``: the resources of one version."""
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": str(group_version),
        "resources": [
            {
                "name": one.name,
                "singularName": one.singular,
                "namespaced": one.is_namespaced,
                "kind": one.kind,
                "verbs": [*one.verbs],
                **({"shortNames": [*one.short_names]} if one.short_names else {}),
                **({"categories": [*one.categories]} if one.categories else {}),
            }
            for one in resources
        ],
    }


def aggregated_document(
    groups: Iterable[APIGroup], resources: Resources, stale: Iterable[GroupVersion] = ()
) -> Document:
    """``/api`` or ``/apis``, aggregated: groups with the resources of their versions.

    Parameters
    ----------
    groups : iterable of APIGroup
        With preferred versions first, since nothing else says which they are.
    resources : mapping of GroupVersion to tuple of APIResource
        Of a version that is not stale.
    stale : iterable of GroupVersion
        Versions whose resources the server could not learn.
    """
    stale = {*stale}
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [
            {
                "metadata": {"name": group.name},
                "versions": [
                    {
                        "version": version,
                        "freshness": "Stale" if (group.name, version) in stale else "Current",
                        "resources": _aggregated_resources(
                            GroupVersion(group.name, version),
                            resources.get(GroupVersion(group.name, version), ()),
                        ),
                    }
                    for version in _preferred_first(group)
                ],
            }
            for group in groups
        ],
    }


def _preferred_first(group: APIGroup) -> list[str]:
    return sorted(group.versions, key=lambda version: version != group.preferred)


def _aggregated_resources(
    group_version: GroupVersion, resources: Iterable[APIResource]
) -> list[Document]:
    found: dict[str, Document] = {}
    for one in resources:
        parent, _, subresource = one.name.partition("/")
        response_kind = {
            "group": group_version.group,
            "version": group_version.version,
            "kind": one.kind,
        }
        if subresource:
            owner = found.setdefault(parent, {"resource": parent})
            owner.setdefault("subresources", []).append(
                {
                    "subresource": subresource,
                    "responseKind": response_kind,
                    "verbs": [*one.verbs],
                }
            )
            continue
        found.setdefault(parent, {}).update(
            {
                "resource": one.name,
                "responseKind": response_kind,
                "scope": "Namespaced" if one.is_namespaced else "Cluster",
                "singularResource": one.singular,
                "verbs": [*one.verbs],
                **({"shortNames": [*one.short_names]} if one.short_names else {}),
                **({"categories": [*one.categories]} if one.categories else {}),
            }
        )
    return [*found.values()]


# --- read by clients ------------------------------------------------------------------------------


def read_core_versions(document: Any) -> APIGroup:
    """The core group, out of ``/api``."""
    versions = _strings(_mapping(document, "APIVersions"), "versions")
    return APIGroup("", versions, versions[0] if versions else "")


def read_group_list(document: Any) -> tuple[APIGroup, ...]:
    """The groups, out of ``/apis``."""
    found = []
    for item in _list(_mapping(document, "APIGroupList"), "groups"):
        group = _mapping(item)
        versions = tuple(_text(_mapping(one), "version") for one in _list(group, "versions"))
        preferred = group.get("preferredVersion")
        found.append(
            APIGroup(
                _text(group, "name"),
                versions,
                "" if preferred is None else _text(_mapping(preferred), "version"),
            )
        )
    return tuple(found)


def read_resource_list(document: Any) -> tuple[APIResource, ...]:
    """The resources of a version, out of ``/apis/G/V``."""
    found = []
    for item in _list(_mapping(document, "APIResourceList"), "resources"):
        one = _mapping(item)
        found.append(
            APIResource(
                name=_text(one, "name"),
                kind=_text(one, "kind"),
                is_namespaced=one.get("namespaced") is True,
                singular=_text(one, "singularName", ""),
                verbs=_strings(one, "verbs"),
                short_names=_strings(one, "shortNames"),
                categories=_strings(one, "categories"),
            )
        )
    return tuple(found)


def read_aggregated(document: Any) -> Discovered:
    """Groups and resources, out of an aggregated ``/api`` or ``/apis``.

    A stale version has failed, and is not among its group's versions; what has no kind is left out.
    """
    groups: list[APIGroup] = []
    resources: dict[GroupVersion, tuple[APIResource, ...]] = {}
    failures: dict[GroupVersion, DiscoveryError] = {}
    for item in _list(_mapping(document, "APIGroupDiscoveryList"), "items"):
        group = _mapping(item)
        name = _text(_mapping(group.get("metadata", {})), "name", "")
        fresh = []
        for one in map(_mapping, _list(group, "versions")):
            version = _text(one, "version")
            group_version = GroupVersion(name, version)
            if one.get("freshness") == "Stale":
                failures[group_version] = StaleError(
                    f"{group_version}: the server's answer is stale"
                )
                continue
            fresh.append(version)
            resources[group_version] = tuple(_read_aggregated_resources(one))
        groups.append(APIGroup(name, tuple(fresh), fresh[0] if fresh else ""))
    return Discovered(tuple(groups), resources, failures)


def _read_aggregated_resources(version: Mapping[str, Any]) -> Iterable[APIResource]:
    for one in map(_mapping, _list(version, "resources")):
        name = _text(one, "resource")
        is_namespaced = one.get("scope") == "Namespaced"
        kind = _response_kind(one)
        if kind:
            yield APIResource(
                name=name,
                kind=kind,
                is_namespaced=is_namespaced,
                singular=_text(one, "singularResource", ""),
                verbs=_strings(one, "verbs"),
                short_names=_strings(one, "shortNames"),
                categories=_strings(one, "categories"),
            )
        for sub in map(_mapping, _list(one, "subresources")):
            if kind := _response_kind(sub):
                yield APIResource(
                    name=f"{name}/{_text(sub, 'subresource')}",
                    kind=kind,
                    is_namespaced=is_namespaced,
                    verbs=_strings(sub, "verbs"),
                )


def _response_kind(document: Mapping[str, Any]) -> str:
    kind = document.get("responseKind")
    return "" if kind is None else _text(_mapping(kind), "kind", "")


def _mapping(document: Any, kind: str | None = None) -> Mapping[str, Any]:
    if not isinstance(document, Mapping):
        raise BadDocumentError(f"expected an object, found {_shown(document)}")
    if kind is not None and document.get("kind") != kind:
        raise BadDocumentError(
            f"expected a document of kind {kind}, found {_shown(document.get('kind'))}"
        )
    return document


def _list(document: Mapping[str, Any], name: str) -> list[Any]:
    found = document.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BadDocumentError(f"expected a list as {name!r}, found {_shown(found)}")
    return found


def _text(document: Mapping[str, Any], name: str, default: str | None = None) -> str:
    found = document.get(name, default)
    if not isinstance(found, str):
        raise BadDocumentError(f"expected a string as {name!r}, found {_shown(found)}")
    return found


def _strings(document: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = _list(document, name)
    if not all(isinstance(one, str) for one in found):
        raise BadDocumentError(f"expected strings as {name!r}, found {_shown(found)}")
    return tuple(found)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

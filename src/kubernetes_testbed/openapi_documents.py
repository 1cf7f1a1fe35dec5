"""What an API server says of its schemas, as far as ``kubectl explain`` needs it: each kind, with the fields that all have. Pure.

Discovery knows of no fields, so of a kind's own ones there are none here.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubernetes_testbed.discovery import APIResource, GroupVersion
from kubernetes_testbed.discovery_documents import Document

#: Where the schemas are; in front of each version's own path.
PREFIX = "/openapi/v3"

_FIELDS = {
    "apiVersion": {"type": "string", "description": "Group and version of the object."},
    "kind": {"type": "string", "description": "Kind of the object."},
    "metadata": {"type": "object", "description": "Name, namespace, labels and the like."},
}


def schemas_document(group_versions: Iterable[GroupVersion]) -> Document:
    """``/openapi/v3``: where each version's schemas are."""
    paths = [_path_of(one) for one in group_versions]
    return {"paths": {path[1:]: {"serverRelativeURL": PREFIX + path} for path in paths}}


def schema_document(group_version: GroupVersion, resources: Iterable[APIResource]) -> Document:
    """``/openapi/v3/apis/G/V`` or ``/openapi/v3/api/V``: a schema for each kind of one version."""
    paths: Document = {}
    schemas: Document = {}
    for one in resources:
        if one.is_subresource:
            continue
        kind = {"group": group_version.group, "version": group_version.version, "kind": one.kind}
        folder = "/namespaces/{namespace}" if one.is_namespaced else ""
        paths[f"{_path_of(group_version)}{folder}/{one.name}"] = {
            "get": {
                "description": f"list objects of kind {one.kind}",
                "x-kubernetes-group-version-kind": kind,
                "responses": {},
            }
        }
        schemas[f"{group_version.group or 'core'}.{group_version.version}.{one.kind}"] = {
            "type": "object",
            "description": f"{one.kind}, of {group_version}.",
            "properties": _FIELDS,
            "x-kubernetes-group-version-kind": [kind],
        }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": str(group_version)},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _path_of(group_version: GroupVersion) -> str:
    group, version = group_version
    return f"/apis/{group}/{version}" if group else f"/api/{version}"

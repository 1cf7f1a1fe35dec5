"""What a discovery server serves at the moment, and how it misbehaves: an immutable state, and answers out of it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from kubernetes_testbed.discovery import APIGroup, APIResource, GroupVersion, Resources
from kubernetes_testbed.discovery_documents import (
    AGGREGATED_TYPE,
    PLAIN_TYPE,
    Document,
    aggregated_document,
    core_versions_document,
    group_document,
    group_list_document,
    is_aggregated,
    resource_list_document,
)
from kubernetes_testbed.openapi_documents import PREFIX, schema_document, schemas_document

Fault = Literal["unavailable", "timeout", "malformed", "truncated", "wrong-type", "dropped"]
"""How a group fails: status 503; no answer; an answer that is no JSON; half an answer; an answer of another type;
a connection that is closed without an answer."""

FAULTS: tuple[Fault, ...] = get_args(Fault)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent back.

    Attributes
    ----------
    status : int
        The HTTP status.
    body : bytes
        May be empty.
    content_type : str
        Of the body.
    etag : str
        Of a body that may be kept; empty for others.
    fault : Fault or None
        What goes wrong while it is sent.
    """

    status: int
    body: bytes
    content_type: str = PLAIN_TYPE
    etag: str = ""
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class ServedDiscovery:
    """What is served at the moment.

    Attributes
    ----------
    groups : tuple of APIGroup
        In the order of the list.
    resources : mapping of GroupVersion to tuple of APIResource
        Of every version.
    faults : mapping of str to Fault
        By group; ``/api`` and ``/apis`` themselves fail by the names ``/api`` and ``/apis``.
    is_aggregating : bool
        Whether aggregated discovery is offered.
    address : str
        Where the server is, for the documents that say so.
    """

    groups: tuple[APIGroup, ...] = ()
    resources: Resources = field(default_factory=dict)
    faults: Mapping[str, Fault] = field(default_factory=dict)
    is_aggregating: bool = True
    address: str = ""

    def with_group(
        self, group: APIGroup, resources: Mapping[str, Iterable[APIResource]]
    ) -> ServedDiscovery:
        """Serve a group as well, or in another form; its resources are by version."""
        groups = {one.name: one for one in self.groups} | {group.name: group}
        kept = {one: found for one, found in self.resources.items() if one.group != group.name}
        own = {
            GroupVersion(group.name, version): tuple(found) for version, found in resources.items()
        }
        return replace(self, groups=tuple(groups.values()), resources=kept | own)

    def without_group(self, name: str) -> ServedDiscovery:
        """Serve a group no longer."""
        return replace(
            self,
            groups=tuple(group for group in self.groups if group.name != name),
            resources={one: found for one, found in self.resources.items() if one.group != name},
        )

    def with_fault(self, group: str, fault: Fault | None) -> ServedDiscovery:
        """Have a group fail, or recover."""
        others = {name: other for name, other in self.faults.items() if name != group}
        return replace(self, faults=others if fault is None else others | {group: fault})

    def answer(self, method: str, path: str, accept: str = "", if_none_match: str = "") -> Answer:
        """What is sent back for a request.

        Parameters
        ----------
        method, path : str
            Of the request; the path without its query.
        accept, if_none_match : str
            Its headers of that name.
        """
        if method not in ("GET", "HEAD"):
            return _status(
                405, "MethodNotAllowed", f"{method} is not allowed: this server only tells"
            )
        path = "/api" if path == "/api/" else path
        fault = self.faults.get(self._group_of(path))
        if fault == "unavailable":
            return _status(503, "ServiceUnavailable", f"{path} is unavailable")
        document = self._document(path, is_aggregated(accept) and self.is_aggregating)
        if document is None:
            return replace(_status(404, "NotFound", f"{path} is not found"), fault=fault)
        content_type = (
            AGGREGATED_TYPE if document.get("kind") == "APIGroupDiscoveryList" else PLAIN_TYPE
        )
        body = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        etag = f'"{hashlib.sha256(body).hexdigest()[:32].upper()}"'
        if fault is None and etag in (one.strip() for one in if_none_match.split(",")):
            return Answer(304, b"", content_type, etag)
        if fault == "malformed":
            body = body[:-1] + b",]"
        if fault == "wrong-type":
            content_type = "text/html"
        return Answer(200, body, content_type, etag, fault)

    def _group_of(self, path: str) -> str:
        """Whose fault it is that a path fails."""
        if path == PREFIX:
            return path
        parts = path.removeprefix(PREFIX).split("/")
        if len(parts) < 3:
            return path
        return parts[2] if parts[1] == "apis" else ""

    def _document(self, path: str, is_aggregated: bool) -> Document | None:
        core = [group for group in self.groups if not group.name]
        named = [group for group in self.groups if group.name]
        if is_aggregated and path in ("/api", "/apis"):
            stale = [one for one in self.resources if one.group in self.faults]
            return aggregated_document(core if path == "/api" else named, self.resources, stale)
        match path.split("/")[1:]:
            case ["api"] if core:
                return core_versions_document(core[0].versions, self.address)
            case ["apis"]:
                return group_list_document(named)
            case ["apis", name]:
                return next((group_document(one) for one in named if one.name == name), None)
            case ["api", version]:
                return self._resource_list(GroupVersion("", version))
            case ["apis", name, version]:
                return self._resource_list(GroupVersion(name, version))
            case ["openapi", "v3"]:
                return schemas_document(self.resources)
            case ["openapi", "v3", "api", version]:
                return self._schema(GroupVersion("", version))
            case ["openapi", "v3", "apis", name, version]:
                return self._schema(GroupVersion(name, version))
        return None

    def _resource_list(self, group_version: GroupVersion) -> Document | None:
        found = self.resources.get(group_version)
        return None if found is None else resource_list_document(group_version, found)

    def _schema(self, group_version: GroupVersion) -> Document | None:
        found = self.resources.get(group_version)
        return None if found is None else schema_document(group_version, found)


def _status(code: int, reason: str, message: str) -> Answer:
    document = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return Answer(code, json.dumps(document).encode())


#: For whoever has not shown who he is.
UNAUTHORIZED = _status(401, "Unauthorized", "Unauthorized")

"""Recorded questions to REST mappers, put to ours; documents and mapper trees as the recordings name them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impls.restmapper._default_mapper import DefaultMapper
from impls.restmapper._first_hit_mapper import FirstHitMapper
from impls.restmapper._multi_mapper import MultiMapper
from impls.restmapper._priority_mapper import Pattern, PriorityMapper
from impls.restmapper.interface import (
    AggregateError,
    AmbiguousError,
    AmbiguousKindError,
    AmbiguousResourceError,
    DiscoveryFailedError,
    GroupVersionKind,
    GroupVersionResource,
    MapperError,
    NoKindMatchError,
    NoResourceMatchError,
    ResourceRequiredError,
    RESTMapper,
    RESTMapping,
    SingularError,
    is_no_match,
)
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    GroupVersion,
    Resources,
    StaticDiscovery,
)

Document = dict[str, Any]


class BoomError(MapperError):
    """Something that is neither a no match nor ambiguous."""


@dataclass(frozen=True)
class Recording:
    """One file of questions, with the documents and trees that it asks."""

    name: str
    sets: Document
    trees: Document
    queries: Sequence[Document]

    def of(self, subject: str) -> list[Document]:
        """The questions to one set or tree."""
        return [one for one in self.queries if subject in (one.get("set"), one.get("tree"))]


def recordings(folder: Path) -> Iterator[Recording]:
    """Every file of questions in a folder."""
    for file in sorted(folder.glob("restmapper*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        if document["format"]["name"] != "restmapper":
            continue
        asked = json.loads((folder / document["format"]["discovery"]).read_text(encoding="utf-8"))
        yield Recording(file.stem, asked["sets"], asked["trees"], document["queries"])


def groups_of(recorded: Document) -> tuple[tuple[APIGroup, ...], Resources]:
    """The groups of a recorded set, and the resources of the versions that could be discovered."""
    groups = []
    resources = {}
    for group in recorded["groups"]:
        versions = tuple(one["version"] for one in group["versions"])
        groups.append(APIGroup(group["name"], versions, group["preferred"]))
        for one in group["versions"]:
            if one["resources"] is not None:
                version = GroupVersion(group["name"], one["version"])
                resources[version] = tuple(map(_resource, one["resources"]))
    return tuple(groups), resources


def static_discovery(recorded: Document) -> StaticDiscovery:
    """A client that knows a recorded set."""
    return StaticDiscovery(*groups_of(recorded))


def _resource(one: Document) -> APIResource:
    return APIResource(
        name=one["name"],
        kind=one["kind"],
        is_namespaced=one["namespaced"],
        singular=one["singular"],
        verbs=tuple(one.get("verbs") or ()),
        short_names=tuple(one.get("short") or ()),
        categories=tuple(one.get("categories") or ()),
    )


def answer(mapper: RESTMapper, query: Document) -> Any:
    """The answer to a recorded question, in the recording's form."""
    try:
        return _shown(_ask(mapper, query))
    except MapperError as error:
        return shown_error(error)


def comparable(query: Document, recorded: Any) -> Any:
    """A recorded answer without what an exception has no room for."""
    if isinstance(recorded, dict) and "error" in recorded:
        # An error comes with a singular there: the name that was asked for, or what was found in spite of it.
        return {key: value for key, value in recorded.items() if key != "singular"}
    if isinstance(recorded, dict) and "singular" in recorded:
        return recorded["singular"]
    return recorded


def _ask(mapper: RESTMapper, query: Document) -> Any:
    method = query["m"]
    if method in ("RESTMapping", "RESTMappings"):
        ask = mapper.rest_mapping if method == "RESTMapping" else mapper.rest_mappings
        return ask(query["group"], query.get("kind", ""), *(query.get("versions") or ()))
    name = query.get("resource", "")
    if method == "ResourceSingularizer":
        return mapper.resource_singularizer(name)
    partial = GroupVersionResource(query["group"], query.get("version", ""), name)
    return {
        "KindFor": mapper.kind_for,
        "KindsFor": mapper.kinds_for,
        "ResourceFor": mapper.resource_for,
        "ResourcesFor": mapper.resources_for,
    }[method](partial)


def _shown(found: Any) -> Any:
    if isinstance(found, RESTMapping):
        return {"resource": [*found.resource], "kind": [*found.kind], "scope": found.scope}
    if isinstance(found, list):
        return [*map(_shown, found)]
    return [*found] if isinstance(found, tuple) else found


def shown_error(error: MapperError) -> Document:
    """An error in the recording's form."""
    found: Document = {
        "is_no_match": is_no_match(error),
        "is_ambiguous": isinstance(error, AmbiguousError),
    }
    match error:
        case NoKindMatchError():
            found |= {
                "error": "no_kind_match",
                "group": error.group,
                "kind": error.kind,
                "versions": [*error.versions],
            }
        case NoResourceMatchError():
            found |= {"error": "no_resource_match", "partial": [*error.partial]}
        case AmbiguousResourceError():
            found |= {
                "error": "ambiguous_resource",
                "partial": [*error.partial],
                "resources": _shown([*error.resources]),
                "kinds": _shown([*error.kinds]),
            }
        case AmbiguousKindError():
            found |= {
                "error": "ambiguous_kind",
                "partial": [*error.partial],
                "kinds": _shown([*error.kinds]),
            }
        case ResourceRequiredError():
            found |= {"error": "resource_required"}
        case SingularError():
            name = "multiple_singulars" if error.singulars else "no_singular"
            found |= {"error": name}
        case AggregateError():
            names = [shown_error(one)["error"] for one in error.errors]
            found |= {"error": "aggregate", "errors": names}
        case DiscoveryFailedError():
            found |= {"error": "resource_discovery_failed"}
        case BoomError():
            found |= {"error": "boom"}
        case _:
            raise AssertionError(f"no recorded form of {error!r}")
    return found


# --- mapper trees ---------------------------------------------------------------------------------


def tree(recorded: Document) -> RESTMapper:
    """A mapper as a recorded tree describes it."""
    children = [*map(tree, recorded.get("children", ()))]
    match recorded["type"]:
        case "fixed":
            return FixedMapper(recorded)
        case "multi":
            return MultiMapper(children)
        case "first_hit":
            return FirstHitMapper(children)
        case "priority":
            return PriorityMapper(
                tree(recorded["delegate"]),
                [Pattern(*one) for one in recorded.get("resource_priority", ())],
                [Pattern(*one) for one in recorded.get("kind_priority", ())],
            )
        case "default":
            mapper = DefaultMapper(
                GroupVersion(*one) for one in recorded.get("default_versions", ())
            )
            for group, version, kind, scope in recorded.get("add", ()):
                mapper.add(GroupVersionKind(group, version, kind), scope)
            for group, version, kind, plural, singular, scope in recorded.get("add_specific", ()):
                mapper.add_specific(GroupVersionKind(group, version, kind), plural, singular, scope)
            return mapper
        case other:
            raise AssertionError(f"no mapper of type {other!r}")


class FixedMapper:
    """Answers whatever it is asked with the same things, or the same error, or both."""

    def __init__(self, recorded: Document) -> None:
        self._kinds = [GroupVersionKind(*one) for one in recorded.get("kinds", ())]
        self._resources = [GroupVersionResource(*one) for one in recorded.get("resources", ())]
        self._mappings = [
            RESTMapping(self._resources[index], GroupVersionKind(*one), "namespace")
            for index, one in enumerate(recorded.get("mappings", ()))
        ]
        self._singular: str = recorded.get("singular", "")
        self._error = recorded.get("error")

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        kind: GroupVersionKind = self._answer(self._kinds, partial)[0]
        return kind

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        return self._answer(self._kinds, partial)

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        resource: GroupVersionResource = self._answer(self._resources, partial)[0]
        return resource

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        return self._answer(self._resources, partial)

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        mapping: RESTMapping = self._answer(self._mappings, (group, kind, versions))[0]
        return mapping

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        return self._answer(self._mappings, (group, kind, versions))

    def resource_singularizer(self, resource: str) -> str:
        self._answer([], GroupVersionResource("", "", resource))
        return self._singular

    def _answer(self, found: list[Any], asked: Any) -> list[Any]:
        if self._error is None:
            return found
        error = self._failure(asked)
        error.found = tuple(found)
        raise error

    def _failure(self, asked: Any) -> MapperError:
        match self._error:
            case "boom":
                return BoomError("boom")
            case "no_kind_match":
                # Of a resource it says nothing, of a kind no versions.
                is_kind = not isinstance(asked, GroupVersionResource)
                return NoKindMatchError(*asked[:2]) if is_kind else NoKindMatchError("", "")
            case "no_resource_match":
                is_resource = isinstance(asked, GroupVersionResource)
                return NoResourceMatchError(
                    asked if is_resource else GroupVersionResource("", "", "")
                )
        raise AssertionError(f"no error {self._error!r}")

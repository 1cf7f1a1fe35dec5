"""Several mappers that are all asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from impls.restmapper._only_one import OnlyOneMapper
from impls.restmapper.interface import (
    AggregateError,
    AmbiguousKindError,
    GroupVersionKind,
    GroupVersionResource,
    MapperError,
    NoKindMatchError,
    NoResourceMatchError,
    RESTMapper,
    RESTMapping,
    is_no_match,
)

_Name = TypeVar("_Name", GroupVersionKind, GroupVersionResource)


class MultiMapper(OnlyOneMapper):
    """Several mappers that are all asked; their answers are joined.

    Parameters
    ----------
    children : sequence of RESTMapper
        In the order of their answers.
    """

    __slots__ = ("children",)

    def __init__(self, children: Sequence[RESTMapper]) -> None:
        self.children = tuple(children)

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """The kinds of all, each once."""
        return self._joined(lambda child: child.kinds_for(partial), partial)

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """The resources of all, each once."""
        return self._joined(lambda child: child.resources_for(partial), partial)

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """The only mapping of all; others may have failed."""
        found: list[RESTMapping] = []
        errors: list[MapperError] = []
        for child in self.children:
            try:
                found.append(child.rest_mapping(group, kind, *versions))
            except MapperError as error:
                if not is_no_match(error):
                    errors.append(error)
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousKindError(
                GroupVersionKind(group, "", kind), tuple(mapping.kind for mapping in found)
            )
        if errors:
            raise AggregateError(tuple(errors))
        raise NoKindMatchError(group, kind, versions)

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """The mappings of all, in order; the same one of two children is there twice."""
        found: list[RESTMapping] = []
        errors: list[MapperError] = []
        for child in self.children:
            try:
                found += child.rest_mappings(group, kind, *versions)
            except MapperError as error:
                if not is_no_match(error):
                    errors.append(error)
                    found += error.found
        if errors:
            raise AggregateError(tuple(errors), found)
        if not found:
            raise NoKindMatchError(group, kind, versions)
        return found

    def resource_singularizer(self, resource: str) -> str:
        """The first singular that a child has; without children, none."""
        last: MapperError | None = None
        for child in self.children:
            try:
                return child.resource_singularizer(resource)
            except MapperError as error:
                last = error
        if last is not None:
            raise last
        return ""

    def _joined(
        self, ask: Callable[[RESTMapper], list[_Name]], partial: GroupVersionResource
    ) -> list[_Name]:
        found: dict[_Name, None] = {}
        for child in self.children:
            try:
                found.update(dict.fromkeys(ask(child)))
            except MapperError as error:
                if not is_no_match(error):
                    raise
        if not found:
            raise NoResourceMatchError(partial)
        return list(found)

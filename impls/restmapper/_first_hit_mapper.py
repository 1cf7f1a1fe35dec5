"""Several mappers of which the first that knows answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from impls.restmapper._multi_mapper import MultiMapper
from impls.restmapper.interface import (
    AggregateError,
    GroupVersionKind,
    GroupVersionResource,
    MapperError,
    NoKindMatchError,
    NoMatchError,
    NoResourceMatchError,
    RESTMapper,
    RESTMapping,
    is_no_match,
)

_Found = TypeVar("_Found")


class FirstHitMapper(MultiMapper):
    """Several mappers of which the first that knows answers; questions for all are put to all.

    Without children nothing matches; the original answers with an empty name then, and no error.
    """

    __slots__ = ()

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """The first child's that has one."""
        return self._first(lambda child: child.kind_for(partial), NoResourceMatchError(partial))

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """The first child's that has one."""
        return self._first(lambda child: child.resource_for(partial), NoResourceMatchError(partial))

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """The first child's that has one."""
        return self._first(
            lambda child: child.rest_mapping(group, kind, *versions),
            NoKindMatchError(group, kind, versions),
        )

    def _first(self, ask: Callable[[RESTMapper], _Found], nobody: NoMatchError) -> _Found:
        errors: list[MapperError] = []
        for child in self.children:
            try:
                return ask(child)
            except MapperError as error:
                errors.append(error)
        if not errors:
            raise nobody
        if len(errors) == 1 or all(map(is_no_match, errors)):
            raise errors[0]
        raise AggregateError(tuple(errors))

"""A mapper that chooses among another one's answers by patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from impls.restmapper.interface import (
    AmbiguousKindError,
    AmbiguousResourceError,
    GroupVersionKind,
    GroupVersionResource,
    MapperError,
    RESTMapper,
    RESTMapping,
)

ANY = "*"

_Found = TypeVar("_Found")


class Pattern(NamedTuple):
    """What comes first; `ANY` stands for anything."""

    group: str
    version: str
    name: str

    def matches(self, group: str, version: str, name: str) -> bool:
        """Whether this is meant."""
        return (
            self.group in (ANY, group)
            and self.version in (ANY, version)
            and self.name in (ANY, name)
        )


class PriorityMapper:
    """A mapper that chooses among another one's answers.

    Pattern by pattern the matches are kept; where there is none, the pattern is skipped.

    Parameters
    ----------
    delegate : RESTMapper
        Whose answers they are.
    resource_patterns, kind_patterns : sequence of Pattern
        What comes first, for answers that are resources and kinds.
    """

    __slots__ = ("_delegate", "_kind_patterns", "_resource_patterns")

    def __init__(
        self,
        delegate: RESTMapper,
        resource_patterns: Sequence[Pattern] = (),
        kind_patterns: Sequence[Pattern] = (),
    ) -> None:
        self._delegate = delegate
        self._resource_patterns = tuple(resource_patterns)
        self._kind_patterns = tuple(kind_patterns)

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """The kind that comes first."""
        kinds, error = _answer_of(lambda: self._delegate.kinds_for(partial))
        chosen = _chosen(kinds, self._kind_patterns, tuple)
        if len(chosen) != 1:
            raise AmbiguousResourceError(partial, kinds=tuple(kinds))
        return _unless(error, chosen[0])

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """All of the delegate's."""
        return self._delegate.kinds_for(partial)

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """The resource that comes first."""
        resources, error = _answer_of(lambda: self._delegate.resources_for(partial))
        chosen = _chosen(resources, self._resource_patterns, tuple)
        if len(chosen) != 1:
            raise AmbiguousResourceError(partial, resources=tuple(resources))
        return _unless(error, chosen[0])

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """All of the delegate's."""
        return self._delegate.resources_for(partial)

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """The mapping that comes first; a version that was asked for comes before all patterns."""
        mappings, error = _answer_of(lambda: self._delegate.rest_mappings(group, kind, *versions))
        asked = tuple(Pattern(group, version, ANY) for version in versions)
        chosen = _chosen(mappings, asked + self._kind_patterns, lambda mapping: mapping.kind)
        if len(chosen) != 1:
            raise AmbiguousKindError(
                GroupVersionKind(group, "", kind), tuple(mapping.kind for mapping in mappings)
            )
        return _unless(error, chosen[0])

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """All of the delegate's."""
        return self._delegate.rest_mappings(group, kind, *versions)

    def resource_singularizer(self, resource: str) -> str:
        """The delegate's."""
        return self._delegate.resource_singularizer(resource)


def _answer_of(ask: Callable[[], list[_Found]]) -> tuple[list[_Found], MapperError | None]:
    """What was found, and what went wrong meanwhile."""
    try:
        return ask(), None
    except MapperError as error:
        if not error.found:
            raise
        return [*error.found], error


def _unless(error: MapperError | None, chosen: _Found) -> _Found:
    """The one that was chosen, unless something else went wrong."""
    if error is not None:
        raise error
    return chosen


def _chosen(
    found: Sequence[_Found],
    patterns: Sequence[Pattern],
    name_of: Callable[[_Found], tuple[str, ...]],
) -> list[_Found]:
    """What is left when patterns have narrowed it down; one, if that worked."""
    left = [*found]
    for pattern in patterns:
        if len(left) == 1:
            break
        left = [one for one in left if pattern.matches(*name_of(one))] or left
    return left

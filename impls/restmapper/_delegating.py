"""What mappers that pass questions on have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from impls.restmapper.interface import (
    GroupVersionKind,
    GroupVersionResource,
    RESTMapper,
    RESTMapping,
)

T = TypeVar("T")

Ask = Callable[[RESTMapper], T]


class DelegatingMapper(ABC):
    """A mapper that passes questions on, and decides to whom, and what to do about an error."""

    __slots__ = ()

    @abstractmethod
    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        """Have a question answered.

        Parameters
        ----------
        ask : callable
            Puts the question to a mapper.
        group : str or None
            What it asks for; None: any, and nothing is known of it.
        versions : tuple of str
            What it asks for; without those that are empty.
        """

    def _put_resource(self, ask: Ask[T], partial: GroupVersionResource) -> T:
        """The same for a question that names a resource, in which an empty group means any."""
        return self._put(ask, partial.group, _given(partial.version))

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """As the mapper that is asked has it."""
        return self._put_resource(lambda m: m.kind_for(partial), partial)

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """As the mapper that is asked has them."""
        return self._put_resource(lambda m: m.kinds_for(partial), partial)

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """As the mapper that is asked has it."""
        return self._put_resource(lambda m: m.resource_for(partial), partial)

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """As the mapper that is asked has them."""
        return self._put_resource(lambda m: m.resources_for(partial), partial)

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """As the mapper that is asked has it."""
        return self._put(lambda m: m.rest_mapping(group, kind, *versions), group, _given(*versions))

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """As the mapper that is asked has them."""
        return self._put(
            lambda m: m.rest_mappings(group, kind, *versions), group, _given(*versions)
        )

    def resource_singularizer(self, resource: str) -> str:
        """As the mapper that is asked has it."""
        return self._put(lambda m: m.resource_singularizer(resource), None, ())


def _given(*versions: str) -> tuple[str, ...]:
    return () if versions == ("",) else versions

"""One answer only where there is just one: what mappers that choose nothing have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

from impls.restmapper.interface import (
    AmbiguousResourceError,
    GroupVersionKind,
    GroupVersionResource,
)


class OnlyOneMapper(ABC):
    """A mapper that says that several things match where they do."""

    __slots__ = ()

    @abstractmethod
    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """All kinds that match; at least one."""

    @abstractmethod
    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """All resources that match; at least one."""

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """The only kind, or an error."""
        kinds = self.kinds_for(partial)
        if len(kinds) > 1:
            raise AmbiguousResourceError(partial, kinds=tuple(kinds))
        return kinds[0]

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """The only resource, or an error."""
        resources = self.resources_for(partial)
        if len(resources) > 1:
            raise AmbiguousResourceError(partial, resources=tuple(resources))
        return resources[0]

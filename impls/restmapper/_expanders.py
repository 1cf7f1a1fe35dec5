"""Short names (``po`` for pods) and categories (``all``): what people type, expanded by what the server says.

Source: ``restmapper.NewShortcutExpander`` and ``NewDiscoveryCategoryExpander``, client-go v0.36.2. There the lists of a server with
aggregated discovery come in the order of a Go map, so that a short name of two groups means now one of them and now the
other; here they come in the server's order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper.interface import (
    GroupVersionKind,
    GroupVersionResource,
    MapperError,
    RESTMapper,
    is_no_match,
)
from kubernetes_testbed.discovery import APIResource, DiscoveryClient, DiscoveryError, versions_of


class GroupResource(NamedTuple):
    """A resource of a group, in whatever version."""

    group: str
    resource: str


def _listed(discovery: DiscoveryClient) -> Iterator[tuple[str, APIResource]]:
    """Every resource with its group, list after list."""
    discovered = discovery.everything()
    resources = discovered.resources or {}
    for group_version in versions_of(discovered.groups):
        for resource in resources.get(group_version, ()):
            yield group_version.group, resource


def expand_category(discovery: DiscoveryClient, category: str) -> list[GroupResource] | None:
    """The resources of a category, once for each version that has them.

    Parameters
    ----------
    discovery : DiscoveryClient
        Asked for all there is.
    category : str
        Such as ``all``.

    Returns
    -------
    list of GroupResource or None
        None if there is no such category.
    """
    found = [
        GroupResource(group, resource.name)
        for group, resource in _listed(discovery)
        if category in resource.categories
    ]
    return found or None


class ShortcutExpander(DelegatingMapper):
    """A mapper that knows short names.

    Parameters
    ----------
    inner : RESTMapper
        Asked with the names that short ones stand for.
    discovery : DiscoveryClient
        Asked for all there is at each question that names a resource.
    warn : callable, optional
        Told of each resource that a short name stands for as well.
    """

    __slots__ = ("_discovery", "_inner", "_warn")

    def __init__(
        self,
        inner: RESTMapper,
        discovery: DiscoveryClient,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._inner = inner
        self._discovery = discovery
        self._warn = warn

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """Asked twice if there is no match: the names may have changed in between."""
        try:
            return self._inner.kind_for(self.expand(partial))
        except MapperError as error:
            if not is_no_match(error):
                raise
        return self._inner.kind_for(self.expand(partial))

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """As the inner mapper has them."""
        return self._inner.kinds_for(self.expand(partial))

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """As the inner mapper has it."""
        return self._inner.resource_for(self.expand(partial))

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """As the inner mapper has them."""
        return self._inner.resources_for(self.expand(partial))

    def resource_singularizer(self, resource: str) -> str:
        """As the inner mapper has it."""
        expanded = self.expand(GroupVersionResource("", "", resource)).resource
        return self._inner.resource_singularizer(expanded)

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        return ask(self._inner)

    def expand(self, partial: GroupVersionResource) -> GroupVersionResource:
        """What a short name stands for; any other name as it is."""
        try:
            listed = [*_listed(self._discovery)]
        except DiscoveryError:
            # As it is, then: the inner mapper says what is wrong, if it has to ask as well.
            return partial
        group, version, name = partial
        in_group = [one for one in listed if group in ("", one[0])]
        if any(name in (resource.name, resource.singular) for _, resource in in_group):
            return partial
        targets = dict.fromkeys(
            GroupResource(its, one.name) for its, one in in_group if name in one.short_names
        )
        if targets:
            first, *others = targets
            for other in others if self._warn is not None else ():
                self._warn(
                    f"short name {name!r} could also match {other.resource} of {other.group}"
                )  # type: ignore[misc]
            return GroupVersionResource(first.group, "", first.resource)
        if group:
            for its, one in listed:
                if its.startswith(group) and name in one.short_names:
                    return GroupVersionResource(its, version, one.name)
        return partial

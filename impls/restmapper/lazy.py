"""Lazy: a group is discovered when somebody asks for it.

How it works
    Nothing is known at the beginning. On no match the groups are listed (once), and the versions that were asked for are discovered, all
    of the group's if none was; from then on a mapper over the known groups answers. A server that aggregates tells everything with its list.

What it costs
    A hit O(versions of known groups). A kind of a new group one request for each version; one that does not exist one request a
    question, as often as it is asked for. Nobody else is answered meanwhile, hits included. A resource without its group is looked
    for in the known groups only. A group stays known for ever, and its kinds with it, once it was found.

Where it comes from
    controller-runtime's ``apiutil.NewDynamicRESTMapper``, v0.24.1. Its groups come in the order of a Go map, anew at every load;
    here in the server's order, so that the same question has the same answer.
"""

from __future__ import annotations

import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._from_discovery import mapper_of
from impls.restmapper._read_write_lock import ReadWriteLock
from impls.restmapper.interface import (
    Clock,
    DiscoveryFailedError,
    GroupVersionResource,
    MapperError,
    NoResourceMatchError,
    RESTMapper,
    is_no_match,
)
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    Discovered,
    DiscoveryClient,
    DiscoveryError,
    GroupVersion,
    Resources,
)


class _LazyMapper(DelegatingMapper):
    __slots__ = ("_discovery", "_is_listed", "_known", "_listed", "_lock", "_mapper")

    def __init__(self, discovery: DiscoveryClient) -> None:
        self._discovery = discovery
        self._lock = ReadWriteLock()
        self._is_listed = False
        # Groups as the server listed them, and what was discovered of which.
        self._listed: dict[str, APIGroup] = {}
        self._known: dict[str, dict[str, tuple[APIResource, ...]]] = {}
        self._mapper: RESTMapper = mapper_of(Discovered((), {}))

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        try:
            return ask(self._current())
        except MapperError as error:
            if group is None or not is_no_match(error):
                raise
        # While it asks the server, nobody else has an answer: hits wait as well.
        with self._lock.writing():
            self._load(group, versions)
        return ask(self._current())

    def _current(self) -> RESTMapper:
        with self._lock.reading():
            return self._mapper

    def resource_singularizer(self, resource: str) -> str:
        """As the known groups have it; nothing is loaded for it, and if nothing is known there is none."""
        return self._current().resource_singularizer(resource)

    def _load(self, group: str, versions: tuple[str, ...]) -> None:
        if not versions or not self._is_listed:
            is_everything_told = self._list(group)
            listed = self._listed.get(group)
            if not versions and listed is not None:
                versions = listed.versions
            if is_everything_told:
                self._require_known(group, versions)
                return
        self._learn(self._discovered(group, versions))

    def _list(self, group: str) -> bool:
        """List the groups unless the group is known; whether the server told their resources as well."""
        if group in self._listed:
            return False
        try:
            discovered = self._discovery.groups()
        except DiscoveryError as error:
            raise DiscoveryFailedError("failed to list the groups", (error,)) from error
        if not discovered.groups:
            raise DiscoveryFailedError("the server lists no groups")
        self._is_listed = True
        self._listed.update({one.name: one for one in discovered.groups})
        if discovered.resources is None:
            return False
        self._learn(discovered.resources)
        return True

    def _require_known(self, group: str, versions: tuple[str, ...]) -> None:
        known = self._known.get(group, {})
        missing = tuple(
            NoResourceMatchError(GroupVersionResource(group, version, ""))
            for version in versions
            if version not in known
        )
        if missing:
            raise DiscoveryFailedError(f"failed to discover group {group!r}", missing)

    def _discovered(self, group: str, versions: tuple[str, ...]) -> Resources:
        found: dict[GroupVersion, tuple[APIResource, ...]] = {}
        errors: list[DiscoveryError] = []
        for version in versions:
            group_version = GroupVersion(group, version)
            try:
                found[group_version] = self._discovery.resources_of(group_version)
            except DiscoveryError as error:
                if error.is_not_found:
                    self._forget(group, version)
                else:
                    errors.append(error)
        if errors:
            raise DiscoveryFailedError(f"failed to discover group {group!r}", tuple(errors))
        return found

    def _forget(self, group: str, version: str) -> None:
        """The server has not got the version: have the groups listed again when next needed."""
        listed = self._listed.get(group)
        if listed is not None and version in listed.versions:
            del self._listed[group]
        if version in self._known.get(group, {}):
            del self._known[group]

    def _learn(self, resources: Resources) -> None:
        """Add what was discovered, and make a new mapper."""
        known = {group: dict(versions) for group, versions in self._known.items()}
        for (group, version), found in resources.items():
            known.setdefault(group, {})[version] = found
        self._known = known
        order = dict.fromkeys([*self._listed, *known])
        groups = tuple(
            APIGroup(name, self._preferred_first(name, known[name]))
            for name in order
            if name in known
        )
        self._mapper = mapper_of(
            Discovered(
                groups,
                {
                    GroupVersion(group, version): found
                    for group, versions in known.items()
                    for version, found in versions.items()
                },
            )
        )

    def _preferred_first(
        self, name: str, known: dict[str, tuple[APIResource, ...]]
    ) -> tuple[str, ...]:
        """The versions of a group in the order in which they were learned, but the preferred one first."""
        listed = self._listed.get(name)
        preferred = None if listed is None else listed.preferred
        return tuple(sorted(known, key=lambda version: version != preferred))


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Ask for nothing yet."""
    return _LazyMapper(discovery)

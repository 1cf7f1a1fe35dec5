"""A discovery client that remembers what the server said."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from kubernetes_testbed.discovery import (
    Answer,
    APIResource,
    Discovered,
    DiscoveryClient,
    DiscoveryError,
    GroupVersion,
    Learned,
    ServerRefusedError,
    answer_of,
    path_of,
    with_resources,
)


class MemoryCache:
    """A discovery client that asks another one once, for everything, until it is told to forget.

    A version that failed is remembered as failed; where to ask again may help, that is done when it is next read.

    Parameters
    ----------
    discovery : DiscoveryClient
        Who is asked.
    """

    def __init__(self, discovery: DiscoveryClient) -> None:
        self._discovery = discovery
        self._lock = threading.RLock()
        self._groups: Discovered | None = None
        self._entries: dict[GroupVersion, Answer] = {}

    @property
    def is_fresh(self) -> bool:
        """Whether it has asked since it was last told to forget."""
        return self._groups is not None

    def invalidate(self) -> None:
        """Forget everything."""
        with self._lock:
            self._groups = None
            self._entries = {}

    def groups(self) -> Discovered:
        """The groups, and nothing else."""
        with self._lock:
            return Discovered(self._filled().groups, None)

    def resources_of(self, group_version: GroupVersion) -> tuple[APIResource, ...]:
        """What was said of the version."""
        with self._lock:
            self._filled()
            entry = self._entries.get(group_version)
            if entry is None:
                raise ServerRefusedError(path_of(group_version), 404)
            if isinstance(entry, DiscoveryError) and entry.is_transient:
                entry = self._entries[group_version] = answer_of(self._discovery, group_version)
            if isinstance(entry, DiscoveryError):
                raise entry
            return entry

    def resources_of_each(self, group_versions: Iterable[GroupVersion]) -> Learned:
        """What was said of the versions."""
        with self._lock:
            return {one: answer_of(self, one) for one in group_versions}

    def everything(self) -> Discovered:
        """All that was said."""
        with self._lock:
            return with_resources(self.groups(), self)

    def _filled(self) -> Discovered:
        if self._groups is None:
            discovered = self._discovery.groups()
            self._entries = self._entries_of(discovered)
            self._groups = discovered
        return self._groups

    def _entries_of(self, discovered: Discovered) -> dict[GroupVersion, Answer]:
        told = with_resources(discovered, self._discovery)
        return {**(told.resources or {}), **told.failures}

"""Cached: a memo in front of a discovery mapper; on no match everything is discovered, and both start anew.

How it works
    A kind of one given version that was mapped once is looked up in a map from then on; other questions go to the
    mapper behind it. If a mapping of one version finds no match, everything is discovered; only if the new mapper knows it, that
    one is kept, with an empty map.

What it costs
    A repeated kind one map access; the first time O(group versions). An unknown kind costs a whole discovery every time, as often as it
    is asked for, and by everybody who asks at once. No other question ever discovers anything. A kind that was removed stays
    known until some new one is found, and a group that failed just then is lost.

Where it comes from
    karmada's ``cachedRESTMapper``, commit f8fdd02d (PR 2187 and 3819). Unlike it, map and mapper are replaced together, so that a slow reader
    cannot put an old mapping into a new map.
"""

from __future__ import annotations

import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._from_discovery import discover, mapper_of
from impls.restmapper.interface import Clock, MapperError, RESTMapper, RESTMapping, is_no_match
from kubernetes_testbed.discovery import DiscoveryClient


class _Generation:
    """A mapper, and what it was asked for."""

    __slots__ = ("known", "mapper")

    def __init__(self, mapper: RESTMapper) -> None:
        self.mapper = mapper
        self.known: dict[tuple[str, str, tuple[str, ...]], RESTMapping] = {}


class _CachedMapper(DelegatingMapper):
    __slots__ = ("_current", "_discovery")

    def __init__(self, discovery: DiscoveryClient) -> None:
        self._discovery = discovery
        self._current = _Generation(mapper_of(discover(discovery)))

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        current = self._current
        key = (group, kind, versions)
        known = current.known.get(key)
        if known is not None:
            return known
        if len(versions) != 1:
            return current.mapper.rest_mapping(group, kind, *versions)
        try:
            mapping = current.mapper.rest_mapping(group, kind, *versions)
        except MapperError as error:
            if not is_no_match(error):
                raise
            current = _Generation(mapper_of(discover(self._discovery)))
            mapping = current.mapper.rest_mapping(group, kind, *versions)
            self._current = current
        current.known[key] = mapping
        return mapping

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        return ask(self._current.mapper)


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Discover everything, and put a memo in front."""
    return _CachedMapper(discovery)

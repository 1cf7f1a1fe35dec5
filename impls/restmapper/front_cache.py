"""Front cache: a map from kinds to resources that is never emptied, in front of `dynamic`.

How it works
    A kind of a group and version that was mapped once is looked up in a map from then on. Everything else goes to ``dynamic``.

What it costs
    A repeated kind one map access; the first time, and every miss, as ``dynamic``. A kind that was removed stays
    known for ever.

Where it comes from
    The "global map" that karmada issue 2105 measures against ``DynamicRESTMapper``.
"""

from __future__ import annotations

import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._dynamic_mapper import DynamicMapper
from impls.restmapper.interface import Clock, RESTMapper, RESTMapping
from kubernetes_testbed.discovery import DiscoveryClient


class _FrontCache(DelegatingMapper):
    __slots__ = ("_inner", "_known")

    def __init__(self, inner: RESTMapper) -> None:
        self._inner = inner
        self._known: dict[tuple[str, str, tuple[str, ...]], RESTMapping] = {}

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        key = (group, kind, versions)
        known = self._known.get(key)
        if known is not None:
            return known
        mapping = self._inner.rest_mapping(group, kind, *versions)
        if len(versions) == 1:
            self._known[key] = mapping
        return mapping

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        return ask(self._inner)


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Put a map in front of a dynamic mapper."""
    return _FrontCache(DynamicMapper(discovery, clock))

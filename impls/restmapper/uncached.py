"""Uncached: the server is asked anew for every single question.

How it works
    Every call discovers everything, makes a mapper of it, asks it, and throws it away.

What it costs
    Two requests a question if the server aggregates, else two and one for each version of each group; O(resources) besides.
    Never stale: a kind is known as soon as it is served, and forgotten with it.

Where it comes from
    ``GetAPIGroupResources`` and ``NewDiscoveryRESTMapper``, client-go v0.36.2, called where the mapping is needed: what
    a controller without a mapper of its own does.
"""

from __future__ import annotations

import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._from_discovery import discover, mapper_of
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


class _UncachedMapper(DelegatingMapper):
    __slots__ = ("_discovery",)

    def __init__(self, discovery: DiscoveryClient) -> None:
        self._discovery = discovery

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        return ask(mapper_of(discover(self._discovery)))


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Make a mapper that remembers nothing."""
    return _UncachedMapper(discovery)

"""Resettable: discovered when first needed, and kept until somebody says `reset`.

How it works
    As ``deferred`` without its timer: who owns the mapper decides when it looks again.

What it costs
    A hit O(group versions) and no request. After a reset, one whole discovery.

Where it comes from
    ``meta.ResettableRESTMapper``, apimachinery v0.36.2, in the form of client-go's deferred mapper.
"""

from __future__ import annotations

import time

from impls.restmapper._deferred_mapper import DeferredMapper
from impls.restmapper._memory_cache import MemoryCache
from impls.restmapper.interface import Clock, ResettableMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> ResettableMapper:
    """Ask for nothing yet."""
    return DeferredMapper(MemoryCache(discovery), clock=clock)

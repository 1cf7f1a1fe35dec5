"""Deferred: discovered when first needed, kept in memory, and forgotten every five minutes.

How it works
    The first question discovers everything into a cache and makes a mapper of it. Every 300 s both are dropped, so the next question
    discovers anew; `reset` does the same from outside.

What it costs
    A hit O(group versions) and no request; one question in five minutes a whole discovery. Between resets nothing is
    learned: a new kind stays unknown, and a group that failed missing, for up to five minutes.

Where it comes from
    ``DeferredDiscoveryRESTMapper`` over ``memory.NewMemCacheClient``, client-go v0.36.2, with the periodic reset of karmada
    PR 2106. There a timer resets; here the first question after the time is up does.
"""

from __future__ import annotations

import time

from impls.restmapper._deferred_mapper import DeferredMapper
from impls.restmapper._memory_cache import MemoryCache
from impls.restmapper.interface import Clock, ResettableMapper
from kubernetes_testbed.discovery import DiscoveryClient

#: What the proposer of karmada PR 2106 chose.
RESET_AFTER_S = 300.0


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> ResettableMapper:
    """Ask for nothing yet."""
    return DeferredMapper(MemoryCache(discovery), RESET_AFTER_S, clock)

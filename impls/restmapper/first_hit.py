"""First hit: one table for each version of a group, asked in the order in which they come first.

How it works
    As ``discovery``, but the first version that has an answer gives it, and the others are not asked.

What it costs
    O(group versions before the one that answers): what comes first is fast, what comes last as slow as ``discovery``, and
    so is every miss.

Where it comes from
    ``meta.FirstHitRESTMapper``, apimachinery v0.36.2.
"""

from __future__ import annotations

import time

from impls.restmapper._first_hit_mapper import FirstHitMapper
from impls.restmapper._from_discovery import (
    discover,
    resources_of,
    version_mapper,
    versions_by_preference,
)
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Ask the server once, and put the versions in order."""
    discovered = discover(discovery)
    resources = resources_of(discovered)
    return FirstHitMapper(
        [version_mapper(one, resources[one]) for one in versions_by_preference(discovered)]
    )

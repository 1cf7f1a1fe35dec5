"""Multi: one table for each version of a group, all of them asked, and nothing that chooses.

How it works
    As ``discovery`` without its patterns: answers are joined, and what two versions answer is ambiguous.

What it costs
    Every question O(group versions).

Where it comes from
    ``meta.MultiRESTMapper``, apimachinery v0.36.2: what is between this and ``discovery`` is what choosing costs.
"""

from __future__ import annotations

import time

from impls.restmapper._from_discovery import discover, version_mappers
from impls.restmapper._multi_mapper import MultiMapper
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Ask the server once, and join the tables of all versions."""
    return MultiMapper(version_mappers(discover(discovery)))

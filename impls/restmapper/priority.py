"""Priority: one table for everything, and patterns that choose.

How it works
    As ``default``, but among several matches patterns choose as they do in ``discovery``.

What it costs
    As ``default``, and O(patterns × matches) where several match.

Where it comes from
    ``meta.PriorityRESTMapper``, apimachinery v0.36.2; what is between this and ``discovery`` is what asking a table for each
    version costs.
"""

from __future__ import annotations

import time

from impls.restmapper._from_discovery import discover, patterns_of
from impls.restmapper._one_table import one_table
from impls.restmapper._priority_mapper import PriorityMapper
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Ask the server once; one table, and patterns over it."""
    discovered = discover(discovery)
    patterns = patterns_of(discovered)
    return PriorityMapper(one_table(discovered), patterns, patterns)

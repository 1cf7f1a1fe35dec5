"""Default: one table for all versions of all groups.

How it works
    What the server says is read once into one set of tables, with the versions in the order in which they come first.

What it costs
    A kind of a version O(1), a kind of any version O(group versions), a resource by name O(resources).
    There is nothing that chooses among several matches, so a resource that two groups have is ambiguous.

Where it comes from
    ``meta.DefaultRESTMapper``, apimachinery v0.36.2. There one such mapper holds one version; to hold all of them is ours.
"""

from __future__ import annotations

import time

from impls.restmapper._from_discovery import discover
from impls.restmapper._one_table import one_table
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Ask the server once, and put all it says into one table."""
    return one_table(discover(discovery))

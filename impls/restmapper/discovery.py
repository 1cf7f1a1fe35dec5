"""Discovery: one table for each version of a group, all of them asked, and patterns that choose.

How it works
    What the server says is read once, at the beginning. Each version of each group gets tables of its own; a question goes to all of
    them, and among their answers patterns choose: core, preferred versions, then groups in the server's order.

What it costs
    Every question O(group versions), whichever group is asked for; building O(resources). Nothing is ever asked again: what
    comes later, or was missing because a group failed, stays unknown.

Where it comes from
    ``restmapper.NewDiscoveryRESTMapper`` and ``GetAPIGroupResources``, client-go v0.36.2.
"""

from __future__ import annotations

import time

from impls.restmapper._from_discovery import discover, mapper_of
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Ask the server once, and make a mapper of what it says."""
    return mapper_of(discover(discovery))

"""Official client, lazy: ``LazyDiscoverer`` of the Python client, which discovers a version when somebody asks for it.

How it works
    The groups are listed at once, the resources of a version when a search comes by it. A search without a result forgets
    everything, lists the groups again and searches once more. What was discovered is written to a file each time.

What it costs
    A hit with group, version and kind three map accesses and the objects of a search; one without a group looks through everything,
    so it discovers everything first. An unknown kind costs the list of groups and the versions it was searched in, as often
    as it is asked for. A version that fails is taken for one without resources. What was removed stays known until a
    search finds nothing.

Where it comes from
    ``kubernetes.dynamic.discovery.LazyDiscoverer``, the default of ``DynamicClient``, kubernetes 36 for Python: the class itself, behind
    our interface. It cannot read aggregated discovery, knows ``v1`` alone of the core group, and asks for no group by its
    beginning. Not reproduced: that it dies of a version that fails with anything but status 503.
"""

from __future__ import annotations

import time

from kubernetes.dynamic.discovery import LazyDiscoverer

from impls.restmapper._kubernetes_discoverer import DiscovererMapper
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """List the groups."""
    return DiscovererMapper(discovery, LazyDiscoverer)

"""Official client, eager: ``EagerDiscoverer`` of the Python client, which discovers everything at once, one version after the other.

How it works
    Everything is discovered when it is made. A search without a result discovers everything again and searches once
    more. What was discovered is written to a file each time.

What it costs
    A hit with group, version and kind three map accesses and the objects of a search; one without a group a look through
    everything. An unknown kind costs a whole discovery, as often as it is asked for. Requests are made one after the other, so a
    discovery takes as many round trips as there are versions. A version that fails is taken for one without resources.

Where it comes from
    ``kubernetes.dynamic.discovery.EagerDiscoverer``, kubernetes 36 for Python: the class itself, behind our interface. It cannot
    read aggregated discovery, knows ``v1`` alone of the core group, and asks for no group by its beginning. Not reproduced:
    that it dies of a version that fails with anything but status 503.
"""

from __future__ import annotations

import time

from kubernetes.dynamic.discovery import EagerDiscoverer

from impls.restmapper._kubernetes_discoverer import DiscovererMapper
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Discover everything."""
    return DiscovererMapper(discovery, EagerDiscoverer)

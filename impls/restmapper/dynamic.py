"""Dynamic: everything is discovered at once, and again whenever a question fails.

How it works
    One mapper over everything, made at the beginning. A question that fails, for whatever reason, discovers everything again
    and is put once more, unless five of them did so in the last second: then the error stands.

What it costs
    A hit O(group versions) and no request. A miss: a whole discovery, at most five at once and five a second, during which
    nobody else is answered, hits included. Removed kinds stay known until somebody misses; a group that fails during a reload is lost until
    the next one.

Where it comes from
    controller-runtime's ``DynamicRESTMapper``, v0.12.3. As there, a question without a name reloads too, for any error does.
"""

from __future__ import annotations

import time

from impls.restmapper._dynamic_mapper import DynamicMapper
from impls.restmapper.interface import Clock, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
    """Discover everything; again after each error."""
    return DynamicMapper(discovery, clock)

"""A mapper over everything that reloads on an error, behind a token bucket."""

from __future__ import annotations

import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._from_discovery import discover, mapper_of
from impls.restmapper._read_write_lock import ReadWriteLock
from impls.restmapper.interface import Clock, MapperError, RESTMapper
from kubernetes_testbed.discovery import DiscoveryClient
from kubernetes_testbed.token_bucket import TokenBucket

#: Reloads a second, and how many of them may come at once.
RELOADS_PER_S = 5.0
RELOADS_AT_ONCE = 5


class DynamicMapper(DelegatingMapper):
    """A mapper over everything that the server said when it was last asked.

    Parameters
    ----------
    discovery : DiscoveryClient
        Asked at once, and again when a question fails, whatever the error.
    clock : callable
        Seconds, for the token bucket.
    """

    __slots__ = ("_discovery", "_lock", "_mapper", "_reloads")

    def __init__(self, discovery: DiscoveryClient, clock: Clock = time.monotonic) -> None:
        self._discovery = discovery
        self._lock = ReadWriteLock()
        self._reloads = TokenBucket(RELOADS_PER_S, RELOADS_AT_ONCE, clock)
        self._mapper: RESTMapper = mapper_of(discover(discovery))

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        try:
            with self._lock.reading():
                return ask(self._mapper)
        except MapperError:
            pass
        # While it reloads, nobody else has an answer: hits wait as well.
        with self._lock.writing():
            try:
                # Somebody else may have reloaded meanwhile.
                return ask(self._mapper)
            except MapperError:
                if not self._reloads.take():
                    raise
            self._mapper = mapper_of(discover(self._discovery))
            return ask(self._mapper)

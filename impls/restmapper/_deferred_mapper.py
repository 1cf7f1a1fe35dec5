"""A mapper that is made when it is first needed, and made anew when told to."""

from __future__ import annotations

import threading
import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._from_discovery import discover, mapper_of
from impls.restmapper._memory_cache import MemoryCache
from impls.restmapper.interface import Clock, MapperError, RESTMapper


class DeferredMapper(DelegatingMapper):
    """A mapper over a memory cache, made when it is first needed.

    Parameters
    ----------
    cache : MemoryCache
        What it is made of.
    reset_after_s : float, optional
        It resets itself after so many seconds, with the next question.
    clock : callable
        Seconds, never going back.
    """

    __slots__ = ("_cache", "_clock", "_lock", "_mapper", "_reset_after_s", "_reset_at")

    def __init__(
        self,
        cache: MemoryCache,
        reset_after_s: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._cache = cache
        self._reset_after_s = reset_after_s
        self._clock = clock
        self._lock = threading.Lock()
        self._mapper: RESTMapper | None = None
        self._reset_at = clock()

    def reset(self) -> None:
        """Forget everything; the next question asks the server."""
        with self._lock:
            self._reset()

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        if self._reset_after_s is not None:
            self._reset_if_due(self._reset_after_s)
        while True:
            # A server that cannot be asked is no reason to ask it again at once.
            mapper = self._current()
            try:
                return ask(mapper)
            except MapperError as error:
                # Whoever invalidates the cache from outside has hits served on, and the first miss look again.
                if self._cache.is_fresh or error.found:
                    raise
            self._reset_unless_newer(mapper)

    def _reset_unless_newer(self, mapper: RESTMapper) -> None:
        """Forget what failed, unless somebody else has done so and learned again."""
        with self._lock:
            if self._mapper is mapper:
                self._reset()

    def _current(self) -> RESTMapper:
        mapper = self._mapper
        if mapper is not None:
            return mapper
        with self._lock:
            if self._mapper is None:
                self._mapper = mapper_of(discover(self._cache))
            return self._mapper

    def _reset_if_due(self, reset_after_s: float) -> None:
        if self._clock() - self._reset_at < reset_after_s:
            return
        with self._lock:
            if self._clock() - self._reset_at >= reset_after_s:
                self._reset()

    def _reset(self) -> None:
        self._cache.invalidate()
        self._mapper = None
        self._reset_at = self._clock()

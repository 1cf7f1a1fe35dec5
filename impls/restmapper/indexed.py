"""Indexed: everything by name, learned once for all who ask, and never lost while it is learned again.

How it works
    What the server says is put into maps: mappings by group, kind and version, and what each version means by a name. A hit is
    one look-up in a map that never changes; learning something makes a new one. Who misses first asks the server again,
    for the groups and for the versions that matter, while all others who miss wait for that one answer, or that one failure. A
    version that fails keeps what was known of it. Who asks for something in its group and finds nothing is told that nobody knows.

What it costs
    A hit O(1), a resource by name O(versions that have the name). A miss: two requests if the server aggregates, else two and one for
    each version that the question concerns; at most five at once and one a second, and one in five seconds for the same question.
    So a kind that was asked for in vain is known five seconds after it is there, any other at once. All is learned anew every
    five minutes, so a kind that was removed is forgotten then.

Where it comes from
    Ours: the answers of client-go's discovery mapper, without the walk; the one discovery of ``deferred``, the small ones
    of ``lazy``, the token bucket of ``dynamic``.
"""

from __future__ import annotations

import threading
import time

from impls.restmapper._delegating import Ask, DelegatingMapper, T
from impls.restmapper._index import Index
from impls.restmapper._refreshed import Concerns, Knowledge, learned
from impls.restmapper.interface import (
    Clock,
    DiscoveryFailedError,
    GroupVersionResource,
    MapperError,
    ResettableMapper,
    RESTMapping,
    is_no_match,
    named_version,
    named_versions,
)
from kubernetes_testbed.discovery import DiscoveryClient
from kubernetes_testbed.token_bucket import TokenBucket

#: The server is asked so many times at once, and so often a second.
LOADS_AT_ONCE = 5
LOADS_PER_S = 1.0

#: The same question in vain asks the server once in so many seconds.
ABSENT_FOR_S = 5.0

#: Everything is learned anew after so many seconds.
FRESH_FOR_S = 300.0

#: So many questions in vain are remembered.
ABSENT_LIMIT = 10_000


class _IndexedMapper(DelegatingMapper):
    __slots__ = (
        "_absent",
        "_asked",
        "_clock",
        "_discovery",
        "_failure",
        "_index",
        "_knowledge",
        "_known",
        "_loads",
        "_lock",
        "_retries",
        "_stale_at",
    )

    def __init__(self, discovery: DiscoveryClient, clock: Clock) -> None:
        self._discovery = discovery
        self._clock = clock
        self._lock = threading.Lock()
        self._loads = TokenBucket(LOADS_PER_S, LOADS_AT_ONCE, clock)
        self._retries = TokenBucket(LOADS_PER_S, LOADS_AT_ONCE, clock)
        # How often the server was asked, and why it could not even list its groups the last time.
        self._asked = 0
        self._failure: DiscoveryFailedError | None = None
        self._knowledge = Knowledge()
        self._index: Index | None = None
        # The index's own map: the most frequent question needs nothing else.
        self._known: dict[tuple[str, str, str | None], RESTMapping] = {}
        self._absent: dict[str, float] = {}
        self._stale_at = 0.0

    # One version by itself, for a look-up with a tuple of versions costs half as much again.
    def rest_mapping(
        self, group: str, kind: str, version: str | None = None, *others: str
    ) -> RESTMapping:
        """One look-up, if the mapping is known and not too old."""
        try:
            mapping = self._known[group, kind, version]
        except KeyError:
            pass
        else:
            if self._clock() < self._stale_at and not others:
                return mapping
        versions = () if version is None else (version, *others)
        return super().rest_mapping(group, kind, *versions)

    def reset(self) -> None:
        """Learn everything anew with the next question; until then, and if that fails, what is known stays."""
        # Behind a load that is on its way: it may have read what is to be forgotten.
        with self._lock:
            self._stale_at = 0.0

    def _put(self, ask: Ask[T], group: str | None, versions: tuple[str, ...]) -> T:
        wanted = named_versions(versions)
        return self._answered(
            ask,
            lambda one: group in (None, one.group) and (not wanted or one.version in wanted),
        )

    def _put_resource(self, ask: Ask[T], partial: GroupVersionResource) -> T:
        group, version, _ = partial
        if not named_version(version):
            return self._answered(ask, lambda one: one.group.startswith(group))
        return self._answered(ask, lambda one: group in ("", one.group) and one.version == version)

    def _answered(self, ask: Ask[T], concerns: Concerns) -> T:
        index = self._current()
        # Whether the server was asked for this very question: what is not there then is not there.
        is_settled = False
        while True:
            try:
                return ask(index)
            except MapperError as error:
                if not is_no_match(error):
                    raise
                newer = index
                if not is_settled:
                    newer, is_settled = self._after_miss(index, concerns, str(error))
                if newer is index:
                    self._require_whole(concerns, error)
                    raise
            index = newer

    def _current(self) -> Index:
        """The index, learned anew if there is none or it is too old."""
        index = self._index
        if index is not None:
            return index if self._clock() < self._stale_at else self._refreshed(index)
        asked = self._asked
        with self._lock:
            if self._index is None:
                self._share_failure_since(asked)
                return self._load_everything()
            return self._index

    def _refreshed(self, index: Index) -> Index:
        """The index learned anew by whoever comes first; all others go on with what is known."""
        if not self._lock.acquire(blocking=False):
            return index
        try:
            if self._clock() >= self._stale_at:
                try:
                    self._load_everything()
                except DiscoveryFailedError:
                    # What is known is better than nothing, and is so for a while; who misses is told.
                    self._stale_at = self._clock() + ABSENT_FOR_S
            return self._index or index
        finally:
            self._lock.release()

    def _after_miss(self, missed: Index, concerns: Concerns, question: str) -> tuple[Index, bool]:
        """The index to ask again, and whether the server was asked for it now; the same index if there is no newer."""
        asked = self._asked
        with self._lock:
            assert self._index is not None
            if self._index is not missed:
                return self._index, False
            self._share_failure_since(asked)
            now = self._clock()
            if self._absent.get(question, now) > now:
                return missed, False
            # What failed is asked for as often as one likes to know, but not in the place of others.
            is_failing = bool(self._knowledge.failures_of(concerns))
            if not (self._retries if is_failing else self._loads).take():
                if self._failure is not None:
                    raise self._failure
                return missed, False
            index = self._load(concerns)
            if not self._knowledge.failures_of(concerns):
                self._remember(question, now + ABSENT_FOR_S)
            return index, True

    def _share_failure_since(self, asked: int) -> None:
        """Whoever waited while the server could not be asked has waited long enough."""
        if self._asked != asked and self._failure is not None:
            raise self._failure

    def _remember(self, question: str, until: float) -> None:
        if len(self._absent) >= ABSENT_LIMIT:
            self._absent.clear()
        self._absent[question] = until

    def _load_everything(self) -> Index:
        index = self._load(lambda _: True)
        self._absent.clear()
        self._stale_at = self._clock() + FRESH_FOR_S
        return index

    def _load(self, concerns: Concerns) -> Index:
        try:
            self._knowledge = learned(self._knowledge, self._discovery, concerns)
        except DiscoveryFailedError as error:
            self._failure = error
            raise
        finally:
            self._asked += 1
        self._failure = None
        self._index = Index(self._knowledge.discovered)
        self._known = self._index.known
        return self._index

    def _require_whole(self, concerns: Concerns, error: MapperError) -> None:
        """What is not found where something failed may be there."""
        failures = self._knowledge.failures_of(concerns)
        if failures:
            raise DiscoveryFailedError(f"not found, and not all could be asked ({error})", failures)


def create(discovery: DiscoveryClient, clock: Clock = time.monotonic) -> ResettableMapper:
    """Ask for nothing yet."""
    return _IndexedMapper(discovery, clock)

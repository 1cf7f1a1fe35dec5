"""A discovery client over HTTP: connections kept, time-outs, retries, ETags and a client-side rate limit."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import httpx

from kubernetes_testbed.discovery import (
    APIResource,
    BadDocumentError,
    Discovered,
    GroupVersion,
    Learned,
    ServerRefusedError,
    ServerUnreachableError,
    answer_of,
    path_of,
    with_resources,
)
from kubernetes_testbed.discovery_documents import (
    ACCEPT,
    PLAIN_TYPE,
    is_aggregated,
    read_aggregated,
    read_core_versions,
    read_group_list,
    read_resource_list,
)
from kubernetes_testbed.token_bucket import TokenBucket

T = TypeVar("T")

#: client-go's discovery time-out.
TIMEOUT_S = 32.0

#: So many versions are asked for at once.
CONNECTIONS = 16

#: A request that met a broken connection is sent again so often: it only asks.
RETRIES = 1

#: A discovery of which a version failed is done again, at once and as a whole, as client-go does it.
TRIES_OF_EVERYTHING = 2


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often a client may ask.

    Attributes
    ----------
    per_s : float
        Requests a second.
    burst : int
        How many may come at once.
    """

    per_s: float
    burst: int


#: client-go's defaults, up to v0.25 or so and later.
OLD_RATE_LIMIT = RateLimit(5.0, 10)
RATE_LIMIT = RateLimit(20.0, 30)


class Traffic(NamedTuple):
    """What a client has sent and received so far.

    Attributes
    ----------
    requests : int
        Sent, whatever became of them.
    body_bytes : int
        Received as bodies, as they came over the wire.
    """

    requests: int
    body_bytes: int


class HTTPDiscoveryClient:
    """A discovery client over HTTP, safe for several threads.

    Parameters
    ----------
    base_url : str
        Where the API server is.
    timeout_s : float
        For each request: for every wait, and for the whole body.
    rate_limit : RateLimit, optional
        None: it asks as often as it likes.
    offers_aggregated : bool
        Whether it says that it can read aggregated discovery.
    http : httpx.Client, optional
        For servers that ask who one is; `base_url` is its business then. It is closed with this one.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout_s: float = TIMEOUT_S,
        rate_limit: RateLimit | None = None,
        offers_aggregated: bool = True,
        http: httpx.Client | None = None,
    ) -> None:
        # Proxies and netrc files of the environment have no business between a test and loopback.
        self._http = http or httpx.Client(
            base_url=base_url,
            # To wait for a connection is to wait for others, not for the server.
            timeout=httpx.Timeout(timeout_s, pool=None),
            limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
            trust_env=False,
        )
        self._accept = ACCEPT if offers_aggregated else PLAIN_TYPE
        self.limit_rate(rate_limit)
        self._timeout_s = timeout_s
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._counting = threading.Lock()
        self._traffic = Traffic(0, 0)
        # Its threads are started when they are needed.
        self._pool = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="discovery")

    def __enter__(self) -> HTTPDiscoveryClient:
        """Use it in a ``with``, and its connections are closed afterwards."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._pool.shutdown()
        self._http.close()

    def limit_rate(self, rate_limit: RateLimit | None) -> None:
        """Ask no more often than this from now on; the allowance begins anew."""
        self._bucket = (
            None if rate_limit is None else TokenBucket(rate_limit.per_s, rate_limit.burst)
        )

    @property
    def traffic(self) -> Traffic:
        """What it has sent and received so far."""
        return self._traffic

    def groups(self) -> Discovered:
        """Ask for the groups: two requests, or with aggregated discovery all there is."""
        core = self._list("/api", _core)
        named = self._list("/apis", _named)
        groups = core.groups + named.groups
        if core.resources is None or named.resources is None:
            return Discovered(groups, None)
        return Discovered(
            groups,
            {**core.resources, **named.resources},
            {**core.failures, **named.failures},
        )

    def resources_of(self, group_version: GroupVersion) -> tuple[APIResource, ...]:
        """Ask for the resources of one version."""
        path = path_of(group_version)
        try:
            return self._read(path, PLAIN_TYPE, read_resource_list)
        except ServerRefusedError as error:
            # As client-go has it: a core version that is not there has nothing to offer.
            if error.is_not_found and group_version == ("", "v1"):
                return ()
            raise

    def resources_of_each(self, group_versions: Iterable[GroupVersion]) -> Learned:
        """Ask for the resources of several versions, up to `CONNECTIONS` at a time."""
        wanted = [*group_versions]
        if len(wanted) < 2:
            return {one: answer_of(self, one) for one in wanted}
        answers = self._pool.map(lambda one: answer_of(self, one), wanted)
        return dict(zip(wanted, answers, strict=True))

    def everything(self) -> Discovered:
        """Ask for all there is; if a version fails, once more for all there is."""
        found = with_resources(self.groups(), self)
        for _ in range(TRIES_OF_EVERYTHING - 1):
            if not found.failures:
                break
            found = with_resources(self.groups(), self)
        return found

    def _list(self, path: str, read: Callable[[Any, bool], Discovered]) -> Discovered:
        try:
            response, document = self._document(path, self._accept)
        except ServerRefusedError as error:
            if error.is_not_found and path == "/api":
                return Discovered((), {})
            raise
        with _about(path):
            return read(document, is_aggregated(response, with_beta=True))

    def _read(self, path: str, accept: str, read: Callable[[Any], T]) -> T:
        _, document = self._document(path, accept)
        with _about(path):
            return read(document)

    def _document(self, path: str, accept: str) -> tuple[str, Any]:
        """Content type and parsed body of what is at a path; the ones that were kept if nothing has changed."""
        kept = self._kept.get((path, accept))
        headers = {"Accept": accept}
        if kept is not None:
            headers["If-None-Match"] = kept.etag
        response, body = self._get(path, headers)
        if kept is not None and response.status_code == httpx.codes.NOT_MODIFIED:
            return kept.content_type, kept.document
        content_type = response.headers.get("content-type", "")
        if not response.is_success:
            raise ServerRefusedError(path, response.status_code)
        if not content_type.lower().startswith(PLAIN_TYPE):
            raise BadDocumentError(
                f"GET {path}: expected JSON, found {content_type or 'no type'!r}"
            )
        try:
            document = json.loads(body)
        except ValueError as error:
            raise BadDocumentError(f"GET {path}: not JSON ({error})") from error
        if etag := response.headers.get("etag"):
            self._kept[(path, accept)] = _Kept(etag, content_type, document)
        return content_type, document

    def _get(self, path: str, headers: Mapping[str, str]) -> tuple[httpx.Response, bytes]:
        for tries_left in range(RETRIES, -1, -1):
            bucket = self._bucket
            if bucket is not None:
                bucket.wait()
            try:
                return self._sent(path, headers)
            except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError) as error:
                if not tries_left:
                    raise ServerUnreachableError(f"GET {path}: {_why(error)}") from error
            except httpx.InvalidURL as error:
                raise BadDocumentError(f"{path!r} is no path: {error}") from error
            except httpx.HTTPError as error:
                raise ServerUnreachableError(f"GET {path}: {_why(error)}") from error
        raise AssertionError("the last try returns or raises")

    def _sent(self, path: str, headers: Mapping[str, str]) -> tuple[httpx.Response, bytes]:
        """One request; httpx limits each read, and here the whole answer is limited as well."""
        deadline = time.monotonic() + self._timeout_s
        received = 0
        try:
            with self._http.stream("GET", path, headers=dict(headers)) as response:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    received = response.num_bytes_downloaded
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout(f"no whole answer in {self._timeout_s:g} s")
        finally:
            with self._counting:
                requests, body_bytes = self._traffic
                self._traffic = Traffic(requests + 1, body_bytes + received)
        return response, bytes(body)


class _Kept(NamedTuple):
    """An answer that stays good until its tag changes."""

    etag: str
    content_type: str
    document: Any


def _core(document: Any, is_aggregated: bool) -> Discovered:
    if is_aggregated:
        return read_aggregated(document)
    return Discovered((read_core_versions(document),), None)


def _named(document: Any, is_aggregated: bool) -> Discovered:
    return (
        read_aggregated(document) if is_aggregated else Discovered(read_group_list(document), None)
    )


@contextmanager
def _about(path: str) -> Iterator[None]:
    """Say of a document that cannot be read where it came from."""
    try:
        yield
    except BadDocumentError as error:
        raise BadDocumentError(f"GET {path}: {error}") from error


def _why(error: httpx.HTTPError) -> str:
    """What went wrong, without anything that a request was sent with."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__

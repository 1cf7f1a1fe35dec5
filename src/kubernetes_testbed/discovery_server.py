"""A discovery server on loopback: real HTTP/1.1, with latency, faults and a log of requests.

In a program it is a context manager that serves from a thread of its own; by itself::

    python -m kubernetes_testbed.discovery_server --port 8001 --crds 100

serves until it is stopped. ``kubectl --server http://127.0.0.1:8001 api-resources``, ``api-versions`` and ``explain`` are content with it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import unquote

import h11

from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery import APIGroup, APIResource
from kubernetes_testbed.discovery_documents import is_aggregated
from kubernetes_testbed.served_discovery import (
    FAULTS,
    UNAUTHORIZED,
    Answer,
    Fault,
    ServedDiscovery,
)
from kubernetes_testbed.server_process import OBEYED
from kubernetes_testbed.synthetic_groups import crd_group, with_crd_groups

_READ_BYTES = 65_536

#: A fault of kind "timeout" answers after so long: longer than any client waits.
_NEVER_S = 3600.0


class LoggedRequest(NamedTuple):
    """One request that was answered, or was not.

    Attributes
    ----------
    at_s : float
        ``time.monotonic()`` when it was read.
    path : str
        What was asked for.
    is_aggregated : bool
        Whether the client can read aggregated discovery.
    status : int
        Of the answer; 0 if none was sent.
    body_bytes : int
        Of the answer.
    """

    at_s: float
    path: str
    is_aggregated: bool
    status: int
    body_bytes: int


@dataclass(frozen=True, slots=True)
class Delay:
    """How long an answer takes.

    Attributes
    ----------
    latency_s : float
        At least.
    jitter_s : float
        And up to so much more, evenly distributed.
    """

    latency_s: float = 0.0
    jitter_s: float = 0.0


class DiscoveryServer:
    """A discovery server that is up from entry to exit.

    Parameters
    ----------
    served : ServedDiscovery
        What it serves first.
    delay : Delay
        How long answers take.
    port : int
        0: one that is free.
    seed : int
        Of the jitter.
    tls : ssl.SSLContext, optional
        Speak TLS, as the context has it.
    token : str
        Whoever does not show it as a bearer is refused; empty: everybody may ask.
    on_request : callable, optional
        Told of every request.
    """

    def __init__(
        self,
        served: ServedDiscovery,
        *,
        delay: Delay = Delay(),
        port: int = 0,
        seed: int = 0,
        tls: ssl.SSLContext | None = None,
        token: str = "",
        on_request: Callable[[LoggedRequest], None] | None = None,
    ) -> None:
        self.delay = delay
        self._served = served
        self._port = port
        self._chance = random.Random(seed)
        self._tls = tls
        self._token = token
        self._on_request = on_request
        self._lock = threading.Lock()
        self._log: list[LoggedRequest] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connections: set[asyncio.Task[None]] = set()

    # --- while it serves --------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """Where it listens."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://127.0.0.1:{self._port}"

    @property
    def served(self) -> ServedDiscovery:
        """What it serves at the moment; set it to serve something else from the next request on."""
        return self._served

    @served.setter
    def served(self, served: ServedDiscovery) -> None:
        self._served = replace(served, address=f"127.0.0.1:{self._port}")

    def put_group(self, group: APIGroup, resources: Mapping[str, Iterable[APIResource]]) -> None:
        """Serve a group as well."""
        with self._lock:
            self.served = self.served.with_group(group, resources)

    def remove_group(self, name: str) -> None:
        """Serve a group no longer."""
        with self._lock:
            self.served = self.served.without_group(name)

    def fail(self, group: str, fault: Fault | None) -> None:
        """Have a group fail from now on; None: no longer."""
        with self._lock:
            self.served = self.served.with_fault(group, fault)

    def requests(self) -> list[LoggedRequest]:
        """All requests so far."""
        with self._lock:
            return [*self._log]

    def take_requests(self) -> list[LoggedRequest]:
        """All requests since they were last taken."""
        with self._lock:
            taken, self._log = self._log, []
            return taken

    # --- its thread -------------------------------------------------------------------------------

    def __enter__(self) -> DiscoveryServer:
        """Listen, and serve from a thread."""
        ready = threading.Event()
        failure: list[BaseException] = []

        def serve() -> None:
            try:
                asyncio.run(self._serve(ready))
            except BaseException as error:
                failure.append(error)
                ready.set()

        self._thread = threading.Thread(target=serve, name="discovery-server", daemon=True)
        self._thread.start()
        ready.wait()
        if failure:
            raise failure[0]
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close all connections and stop."""
        loop, thread = self._loop, self._thread
        if loop is not None and thread is not None and thread.is_alive():
            loop.call_soon_threadsafe(self._stopped.set)
            thread.join()

    async def _serve(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        server = await asyncio.start_server(
            self._accept, "127.0.0.1", self._port, backlog=512, ssl=self._tls
        )
        self._port = server.sockets[0].getsockname()[1]
        self.served = self._served
        ready.set()
        try:
            await self._stopped.wait()
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            # Cancelled: the server stops. There is nobody to tell any of these.
            with contextlib.suppress(
                ConnectionError, h11.RemoteProtocolError, asyncio.CancelledError
            ):
                await self._converse(reader, writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Requests and answers on one connection, until one side has enough."""
        connection = h11.Connection(h11.SERVER)
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(_READ_BYTES))
            elif isinstance(event, h11.Request):
                if not await self._respond(connection, event, writer):
                    return
            elif event is h11.PAUSED:
                if connection.our_state is not h11.DONE:
                    return
                connection.start_next_cycle()
            elif isinstance(event, h11.ConnectionClosed):
                return
            if connection.our_state is h11.MUST_CLOSE:
                return

    async def _respond(
        self, connection: h11.Connection, request: h11.Request, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; whether the connection is still good."""
        at_s = time.monotonic()
        headers = {name.decode(): value.decode("latin-1") for name, value in request.headers}
        path = unquote(request.target.decode("latin-1").partition("?")[0])
        method, accept = request.method.decode(), headers.get("accept", "")
        if self._token and headers.get("authorization") != f"Bearer {self._token}":
            answer = UNAUTHORIZED
        else:
            answer = self._served.answer(method, path, accept, headers.get("if-none-match", ""))
        delay_s = self.delay.latency_s
        if self.delay.jitter_s:
            delay_s += self._chance.uniform(0.0, self.delay.jitter_s)
        if answer.fault == "timeout":
            delay_s = _NEVER_S
        if delay_s:
            await asyncio.sleep(delay_s)
        if answer.fault == "dropped":
            self._note(LoggedRequest(at_s, path, is_aggregated(accept), 0, 0))
            return False
        # Noted first: whoever has the answer finds it in the log.
        self._note(
            LoggedRequest(at_s, path, is_aggregated(accept), answer.status, len(answer.body))
        )
        writer.write(_sent(connection, answer, is_head=method == "HEAD"))
        await writer.drain()
        return answer.fault != "truncated"

    def _note(self, request: LoggedRequest) -> None:
        with self._lock:
            self._log.append(request)
        if self._on_request is not None:
            self._on_request(request)


def _sent(connection: h11.Connection, answer: Answer, *, is_head: bool) -> bytes:
    """The bytes of an answer; of one that is truncated the first half of the body."""
    headers = [("content-type", answer.content_type), ("vary", "Accept")]
    if answer.etag:
        headers.append(("etag", answer.etag))
    if answer.status != 304:
        headers.append(("content-length", str(len(answer.body))))
    response = h11.Response(status_code=answer.status, headers=headers)
    sent = connection.send(response) or b""
    if answer.fault == "truncated":
        return sent + answer.body[: len(answer.body) // 2]
    if answer.body and not is_head:
        sent += connection.send(h11.Data(data=answer.body)) or b""
    return sent + (connection.send(h11.EndOfMessage()) or b"")


def main() -> int:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=0, help="0, the default: one that is free")
    parser.add_argument("--crds", type=int, default=0, help="how many groups of custom resources")
    parser.add_argument("--latency", type=float, default=0.0, help="of each answer, milliseconds")
    parser.add_argument("--jitter", type=float, default=0.0, help="and up to so much more")
    parser.add_argument(
        "--fail",
        action="append",
        default=[],
        metavar="GROUP[=FAULT]",
        help=f"a group that fails; FAULT is one of {', '.join(FAULTS)}; by default unavailable",
    )
    parser.add_argument("--legacy", action="store_true", help="without aggregated discovery")
    parser.add_argument("--quiet", action="store_true", help="do not print requests")
    parser.add_argument(
        "--controlled",
        action="store_true",
        help="obey commands on stdin, a line of JSON each, and stop when it ends",
    )
    options = parser.parse_args()
    served = with_crd_groups(builtin_discovery(), options.crds)
    served = replace(served, is_aggregating=not options.legacy)
    known = {group.name for group in served.groups} | {"/api", "/apis"}
    for given in options.fail:
        group, _, fault = given.partition("=")
        fault = fault or "unavailable"
        if group not in known or fault not in FAULTS:
            parser.error(
                f"--fail {given}: expected GROUP or GROUP=FAULT with a group that is served and one of "
                f"{', '.join(FAULTS)}"
            )
        served = served.with_fault(group, fault)
    server = DiscoveryServer(
        served,
        delay=Delay(options.latency / 1000, options.jitter / 1000),
        port=options.port,
        on_request=None if options.quiet else _print_request,
    )
    try:
        with server:
            print(server.url, flush=True)
            if options.controlled:
                _obey(server, sys.stdin)
            else:
                threading.Event().wait()
    except OSError as error:
        print(f"error: cannot listen on port {options.port}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _obey(server: DiscoveryServer, commands: Iterable[str]) -> None:
    """Do as one is told, and say so, until nobody tells anything any more."""
    for line in commands:
        told = json.loads(line)
        match told.pop("command"):
            case "put_crd_group":
                server.put_group(*crd_group(told["number"]))
            case "remove_group":
                server.remove_group(told["name"])
            case "fail":
                server.fail(told["group"], told["fault"])
            case unknown:
                raise ValueError(f"unknown command {unknown!r}")
        print(OBEYED, flush=True)


def _print_request(request: LoggedRequest) -> None:
    form = " (aggregated)" if request.is_aggregated else ""
    print(f"{request.status} {request.path}{form} {request.body_bytes} B", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

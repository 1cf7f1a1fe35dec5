"""The discovery server in a process of its own: it obeys, and it ends with whoever started it."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil
import pytest

from kubernetes_testbed.discovery import ServerRefusedError
from kubernetes_testbed.discovery_client import HTTPDiscoveryClient
from kubernetes_testbed.server_process import ServerProcess
from kubernetes_testbed.synthetic_groups import crd_group


def test_groups_come_fail_and_go_as_it_is_told() -> None:
    server = ServerProcess(crds=2, is_aggregating=False)
    name = crd_group(7)[0].name
    with HTTPDiscoveryClient(server.url) as client:
        before = {group.name for group in client.groups().groups}
        assert {crd_group(0)[0].name, crd_group(1)[0].name} <= before
        server.put_crd_group(7)
        assert {group.name for group in client.groups().groups} - before == {name}
        server.fail("batch", "unavailable")
        assert [one.group for one in client.everything().failures] == ["batch"]
        server.fail("batch", None)
        assert not client.everything().failures
        server.remove_group(name)
        assert {group.name for group in client.groups().groups} == before
    server.close()


def test_an_answer_takes_as_long_as_it_should() -> None:
    server = ServerProcess(latency_s=0.05)
    with HTTPDiscoveryClient(server.url) as client:
        client.groups()
        started = time.perf_counter()
        client.groups()
        # Two requests.
        assert 0.1 <= time.perf_counter() - started < 1.0
    server.close()


def test_what_is_sent_and_received_is_counted() -> None:
    server = ServerProcess()
    with HTTPDiscoveryClient(server.url) as client:
        assert client.traffic == (0, 0)
        client.groups()
        requests, body_bytes = client.traffic
        assert requests == 2
        assert body_bytes > 10_000
        client.groups()
        # Nothing has changed, so nothing was sent again.
        assert client.traffic == (4, body_bytes)
        with pytest.raises(ServerRefusedError):
            client.resources_of(("nope", "v1"))  # type: ignore[arg-type]
        assert client.traffic.requests == 5
    server.close()


def test_it_ends_with_whoever_started_it() -> None:
    script = (
        "import os\n"
        "from kubernetes_testbed.server_process import ServerProcess\n"
        "server = ServerProcess()\n"
        "print(server._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert killed.returncode == -9
    pid = int(killed.stdout)
    until = time.monotonic() + 10.0
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < until, "the server lives on"
        time.sleep(0.05)


def test_a_server_that_does_not_start_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="did not start"):
        ServerProcess(crds="many")  # type: ignore[arg-type]

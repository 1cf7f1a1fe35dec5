"""A real kubectl is content with the discovery server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery_server import DiscoveryServer
from kubernetes_testbed.synthetic_groups import with_crd_groups

KUBECTL = shutil.which("kubectl")

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="there is no kubectl on this machine")


@pytest.fixture(scope="module")
def server() -> Iterator[DiscoveryServer]:
    with DiscoveryServer(with_crd_groups(builtin_discovery(), 2)) as server:
        yield server


def kubectl(server: DiscoveryServer, home: Path, *arguments: str) -> str:
    return run("--server", server.url, *arguments, home=home)


def run(*arguments: str, home: Path) -> str:
    assert KUBECTL is not None
    done = subprocess.run(
        [KUBECTL, *arguments],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_api_resources(server: DiscoveryServer, tmp_path: Path) -> None:
    rows = [line.split() for line in kubectl(server, tmp_path, "api-resources").splitlines()]
    assert ["pods", "po", "v1", "true", "Pod"] in rows
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in rows
    assert ["widget0k1s", "w0k1", "operator-0.example.com/v1", "true", "Widget0K1"] in rows
    named = kubectl(server, tmp_path, "api-resources", "--api-group=batch", "-o", "name")
    assert named.split() == ["cronjobs.batch", "jobs.batch"]


def test_api_versions(server: DiscoveryServer, tmp_path: Path) -> None:
    served = {
        f"{group.name}/{version}" if group.name else version
        for group in server.served.groups
        for version in group.versions
    }
    assert {*kubectl(server, tmp_path, "api-versions").split()} == served


@pytest.mark.parametrize(
    ("resource", "kind", "version"),
    [("pods", "Pod", "v1"), ("deploy", "Deployment", "v1"), ("w0k1", "Widget0K1", "v1")],
)
def test_explain(
    server: DiscoveryServer, tmp_path: Path, resource: str, kind: str, version: str
) -> None:
    told = json.loads(run("version", "--client", "--output", "json", home=tmp_path))
    minor = int(re.sub(r"\D.*", "", told["clientVersion"]["minor"]))
    if minor < 27:
        pytest.skip(f"kubectl 1.{minor} explains by OpenAPI v2 in protobuf")
    lines = [line.split() for line in kubectl(server, tmp_path, "explain", resource).splitlines()]
    assert ["KIND:", kind] in lines
    assert ["VERSION:", version] in lines
    assert any(line[:2] == ["metadata", "<Object>"] for line in lines), lines

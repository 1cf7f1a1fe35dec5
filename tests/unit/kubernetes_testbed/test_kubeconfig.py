"""A kubeconfig says where a cluster is and who one is; nothing of the latter is ever shown."""

from __future__ import annotations

import json
import logging
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from kubernetes_testbed.builtin_groups import builtin_discovery
from kubernetes_testbed.discovery import ServerRefusedError, ServerUnreachableError
from kubernetes_testbed.discovery_server import DiscoveryServer
from kubernetes_testbed.kubeconfig import KubeconfigError, kubeconfig_client

TOKEN = "s3cret-token"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def server(authority: trustme.CA) -> Iterator[DiscoveryServer]:
    """A server that shows a certificate, wants to see one, and wants a token."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    with DiscoveryServer(builtin_discovery(), tls=context, token=TOKEN) as server:
        yield server


@pytest.fixture
def user(authority: trustme.CA, tmp_path: Path) -> dict[str, Any]:
    """Who one is: a certificate and a token."""
    certificate = authority.issue_cert("user@example.com")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    return {
        "client-certificate": str(tmp_path / "cert.pem"),
        "client-key": str(tmp_path / "key.pem"),
        "token": TOKEN,
    }


def written(tmp_path: Path, server: str, authority: trustme.CA, user: dict[str, Any]) -> Path:
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    path = tmp_path / "config"
    cluster = {"server": server, "certificate-authority": str(tmp_path / "ca.pem")}
    path.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "here",
                "clusters": [{"name": "c", "cluster": cluster}],
                "users": [{"name": "u", "user": user}],
                "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            }
        )
    )
    return path


def test_certificates_and_a_token(
    server: DiscoveryServer, authority: trustme.CA, user: dict[str, Any], tmp_path: Path
) -> None:
    with kubeconfig_client(written(tmp_path, server.url, authority, user)) as client:
        found = client.everything()
    assert found.groups == builtin_discovery().groups
    assert not found.failures


def test_a_plugin_says_who_one_is(
    server: DiscoveryServer, authority: trustme.CA, user: dict[str, Any], tmp_path: Path
) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(
        "import json\n"
        "print(json.dumps({'apiVersion': 'client.authentication.k8s.io/v1', 'kind': 'ExecCredential',"
        f" 'status': {{'token': {TOKEN!r}}}}}))\n"
    )
    del user["token"]
    user["exec"] = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": [str(plugin)],
        "interactiveMode": "Never",
    }
    with kubeconfig_client(written(tmp_path, server.url, authority, user)) as client:
        assert client.groups().groups


def test_a_wrong_token_is_refused_and_not_shown(
    server: DiscoveryServer,
    authority: trustme.CA,
    user: dict[str, Any],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    user["token"] = "wrong-but-secret"
    caplog.set_level(logging.DEBUG)
    path = written(tmp_path, server.url, authority, user)
    with (
        kubeconfig_client(path) as client,
        pytest.raises(ServerRefusedError, match="401") as raised,
    ):
        client.groups()
    shown = "".join(
        [repr(raised.value), str(raised.value), repr(client), caplog.text, *capfd.readouterr()]
    )
    assert "wrong-but-secret" not in shown


def test_a_server_that_nobody_vouches_for_is_not_asked(
    server: DiscoveryServer, user: dict[str, Any], tmp_path: Path
) -> None:
    path = written(tmp_path, server.url, trustme.CA(), user)
    with (
        kubeconfig_client(path) as client,
        pytest.raises(ServerUnreachableError, match="certificate"),
    ):
        client.groups()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "There is no kubeconfig"),
        ("", "current-context|Invalid|cannot be read"),
        ("{unclosed: [secret", "cannot be read"),
        ("current-context: gone\ncontexts: []\nclusters: []\nusers: []\n", "gone"),
    ],
)
def test_a_kubeconfig_that_makes_no_sense_is_said(
    text: str | None, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)
    with pytest.raises(KubeconfigError, match=reason) as raised:
        kubeconfig_client(path)
    assert "secret" not in str(raised.value)

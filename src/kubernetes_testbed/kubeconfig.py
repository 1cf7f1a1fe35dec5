"""A discovery client for the cluster of a kubeconfig: certificates, tokens and plugins as the official client reads them.

Nothing but GET requests for discovery documents is sent. Credentials stay in the HTTP client: no error, no log and no
``repr`` of ours shows them.
"""

from __future__ import annotations

import ssl
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx

from kubernetes_testbed.discovery_client import (
    CONNECTIONS,
    TIMEOUT_S,
    HTTPDiscoveryClient,
    RateLimit,
)


class KubeconfigError(Exception):
    """A kubeconfig that is not there, cannot be read, or does not say how to reach a cluster."""


class _Identity(httpx.Auth):
    """Who one is, and whom one expects, asked for with every request: tokens run out."""

    def __init__(self, configuration: Any) -> None:
        self._configuration = configuration

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        for setting in self._configuration.auth_settings().values():
            request.headers[setting["key"]] = setting["value"]
        if self._configuration.username:
            request.headers["Authorization"] = self._configuration.get_basic_auth_token()
        if self._configuration.tls_server_name:
            request.extensions["sni_hostname"] = self._configuration.tls_server_name
        yield request


def kubeconfig_client(
    path: Path,
    context: str | None = None,
    *,
    timeout_s: float = TIMEOUT_S,
    rate_limit: RateLimit | None = None,
    offers_aggregated: bool = True,
) -> HTTPDiscoveryClient:
    """A client for the cluster of a kubeconfig.

    Parameters
    ----------
    path : Path
        The kubeconfig.
    context : str, optional
        One of its contexts; by default the current one.
    timeout_s, rate_limit, offers_aggregated
        As `HTTPDiscoveryClient` has them.

    Raises
    ------
    KubeconfigError
        If the file is not there or makes no sense.
    """
    # Only who asks a real cluster waits for its import.
    from kubernetes import client, config

    if not path.is_file():
        raise KubeconfigError(f"There is no kubeconfig {path}.")
    configuration = client.Configuration()
    try:
        config.load_kube_config(
            str(path), context=context, client_configuration=configuration, persist_config=False
        )
    except Exception as error:
        # Of a broken file it raises whatever it stumbles over; its message may quote the file, so only its kind is told.
        known = isinstance(error, config.ConfigException)
        reason = str(error) if known else f"it cannot be read ({type(error).__name__})"
        raise KubeconfigError(f"kubeconfig {path}: {reason}") from None
    http = httpx.Client(
        base_url=configuration.host,
        auth=_Identity(configuration),
        verify=_tls(configuration),
        proxy=configuration.proxy or None,
        timeout=httpx.Timeout(timeout_s, pool=None),
        limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
        trust_env=False,
    )
    return HTTPDiscoveryClient(
        configuration.host,
        timeout_s=timeout_s,
        rate_limit=rate_limit,
        offers_aggregated=offers_aggregated,
        http=http,
    )


def _tls(configuration: Any) -> ssl.SSLContext:
    """Whom to trust, and the certificate that says who one is."""
    context = ssl.create_default_context(cafile=configuration.ssl_ca_cert or None)
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if configuration.cert_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file or None)
    return context

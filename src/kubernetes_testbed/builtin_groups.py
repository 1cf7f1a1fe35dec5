"""The groups that Kubernetes itself serves, with all versions and resources of a current release.

What there is comes from ``builtin_groups.json``, which ``tools/builtin_groups.py`` derives from the package lightkube-models. Not
in there, and so written down here: the order of the groups (by the priorities that kube-apiserver registers them with), and
short names and categories (as ``kubectl api-resources`` of a cluster shows them).
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources as package_files
from typing import Any

from kubernetes_testbed.discovery import APIGroup, APIResource, GroupVersion
from kubernetes_testbed.served_discovery import ServedDiscovery

#: Groups in the order in which a server lists them; others follow by name.
_ORDER = (
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "resource.k8s.io",
)

_SHORT_NAMES = {
    ("", "componentstatuses"): "cs",
    ("", "configmaps"): "cm",
    ("", "endpoints"): "ep",
    ("", "events"): "ev",
    ("", "limitranges"): "limits",
    ("", "namespaces"): "ns",
    ("", "nodes"): "no",
    ("", "persistentvolumeclaims"): "pvc",
    ("", "persistentvolumes"): "pv",
    ("", "pods"): "po",
    ("", "replicationcontrollers"): "rc",
    ("", "resourcequotas"): "quota",
    ("", "serviceaccounts"): "sa",
    ("", "services"): "svc",
    ("apiextensions.k8s.io", "customresourcedefinitions"): "crd crds",
    ("apps", "daemonsets"): "ds",
    ("apps", "deployments"): "deploy",
    ("apps", "replicasets"): "rs",
    ("apps", "statefulsets"): "sts",
    ("autoscaling", "horizontalpodautoscalers"): "hpa",
    ("batch", "cronjobs"): "cj",
    ("certificates.k8s.io", "certificatesigningrequests"): "csr",
    ("events.k8s.io", "events"): "ev",
    ("networking.k8s.io", "ingresses"): "ing",
    ("networking.k8s.io", "ipaddresses"): "ip",
    ("networking.k8s.io", "networkpolicies"): "netpol",
    ("policy", "poddisruptionbudgets"): "pdb",
    ("scheduling.k8s.io", "priorityclasses"): "pc",
    ("storage.k8s.io", "storageclasses"): "sc",
    ("storage.k8s.io", "volumeattributesclasses"): "vac",
}

_IN_ALL = {
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("", "services"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("autoscaling", "horizontalpodautoscalers"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
}

_API_EXTENSIONS = {"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io"}


@cache
def builtin_discovery() -> ServedDiscovery:
    """What a cluster without any custom resources serves."""
    text = (package_files.files(__package__) / "builtin_groups.json").read_text(encoding="utf-8")
    groups: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(text)["groups"]
    order = [*_ORDER, *sorted(groups.keys() - set(_ORDER))]
    return ServedDiscovery(
        # The file has versions by priority, so the first is the preferred one.
        tuple(
            APIGroup(name, tuple(groups[name]), next(iter(groups[name])))
            for name in order
            if name in groups
        ),
        {
            GroupVersion(group, version): tuple(_resource(group, one) for one in found)
            for group, versions in groups.items()
            for version, found in versions.items()
        },
    )


def _resource(group: str, one: dict[str, Any]) -> APIResource:
    name, kind = one["name"], one["kind"]
    is_whole = "/" not in name
    categories = []
    if (group, name) in _IN_ALL:
        categories.append("all")
    if is_whole and group in _API_EXTENSIONS:
        categories.append("api-extensions")
    return APIResource(
        name=name,
        kind=kind,
        is_namespaced=one["namespaced"],
        singular=kind.lower() if is_whole else "",
        verbs=tuple(one["verbs"]),
        short_names=tuple(_SHORT_NAMES.get((group, name), "").split()),
        categories=tuple(categories),
    )

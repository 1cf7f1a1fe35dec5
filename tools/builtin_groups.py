"""``python -m tools.builtin_groups WHEEL``: what a Kubernetes release serves, out of a lightkube-models wheel.

Writes src/kubernetes_testbed/builtin_groups.json. The wheel is read, never imported: each resource in it is a class with an
``ApiInfo`` that says group, version, kind, plural and verbs. Get it with ``pip download --no-deps lightkube-models``.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[1] / "src" / "kubernetes_testbed" / "builtin_groups.json"

#: What the client's methods are called by an API server.
_VERBS = {"post": "create", "put": "update", "global_list": "list", "global_watch": "watch"}

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STABILITY = {None: 2, "beta": 1, "alpha": 0}


def resources_in(source: str) -> Iterator[dict[str, Any]]:
    """What each class of a module says of itself."""
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
                info = _info(statement.value)
                bases = " ".join(map(ast.unparse, node.bases))
                yield {**info, "namespaced": "Namespaced" in bases}


def _info(call: ast.Call) -> dict[str, Any]:
    """The arguments of an ``ApiInfo``."""
    given = {one.arg: one.value for one in call.keywords}
    resource = [ast.literal_eval(one) for one in given["resource"].args]  # type: ignore[attr-defined]
    parent = given.get("parent")
    owner = resource if parent is None else [ast.literal_eval(one) for one in parent.args]  # type: ignore[attr-defined]
    verbs = [_VERBS.get(verb, verb) for verb in ast.literal_eval(given["verbs"])]
    action = ast.literal_eval(given["action"]) if "action" in given else None
    plural = ast.literal_eval(given["plural"])
    return {
        "group": owner[0],
        "version": owner[1],
        "name": plural if action is None else f"{plural}/{action}",
        "kind": resource[2],
        "verbs": sorted({*verbs}),
    }


def by_priority(version: str) -> tuple[int, int, int]:
    """How Kubernetes orders versions: stable ones first, then beta, then alpha; the newest of each first."""
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is not a version of Kubernetes' kind.")
    major, stability, minor = match.groups()
    return (-_STABILITY[stability], -int(major), -int(minor or 0))


def main() -> int:
    """Read the wheel, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    given = parser.parse_args()
    groups: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    with zipfile.ZipFile(given.wheel) as wheel:
        for name in sorted(wheel.namelist()):
            if not name.startswith("lightkube/resources/") or name.endswith("__init__.py"):
                continue
            for one in resources_in(wheel.read(name).decode("utf-8")):
                version = groups.setdefault(one["group"], {}).setdefault(one["version"], {})
                version[one["name"]] = {
                    key: one[key] for key in ("name", "kind", "namespaced", "verbs")
                }
    document = {
        "source": given.wheel.name,
        "groups": {
            group: {
                version: [groups[group][version][name] for name in sorted(groups[group][version])]
                for version in sorted(groups[group], key=by_priority)
            }
            for group in sorted(groups)
        },
    }
    OUT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.name}: {len(groups)} groups of {given.wheel.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

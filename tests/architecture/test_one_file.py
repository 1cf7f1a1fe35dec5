"""The first promise of the house: a new implementation is exactly one new file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.study.project import Project

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("bakeoff")

NEW = '''"""Another name for the deep copies.

A file like this one is all that a new implementation is.
"""

from __future__ import annotations

from impls.snapshot.deepcopy import create

__all__ = ["create"]
'''


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which nothing but `impls/snapshot/foo.py` is new."""
    copy = tmp_path_factory.mktemp("project")
    for folder in ("impls", "benchmarks", "reports"):
        shutil.copytree(
            ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "*.html")
        )
    for package in (ROOT / "src").iterdir():
        if package.name != "bakeoff":
            shutil.copytree(package, copy / "src" / package.name)
    (copy / "impls" / "snapshot" / "foo.py").write_text(NEW)
    return copy


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    finished = subprocess.run(
        [COMMAND, *arguments], cwd=tree, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished


def test_it_is_listed_with_its_label(tree: Path) -> None:
    listed = run(tree, "list").stdout
    assert "foo" in listed
    assert "Another name for the deep copies" in listed


def test_it_is_checked_like_the_others(tree: Path) -> None:
    run(tree, "check", "snapshot", "--implementation", "foo")
    record = json.loads((tree / ".bakeoff" / "conformance" / "snapshot.json").read_text())
    outcomes = {result["outcome"]["type"] for result in record["results"]}
    assert {result["implementation"] for result in record["results"]} == {"foo"}
    assert "passed" in outcomes
    assert "failed" not in outcomes


def test_it_is_an_asv_parameter(tree: Path) -> None:
    # As asv does: the benchmark folder is imported by its own name, wherever it lies.
    code = "import json; from benchmarks.snapshot import ScheduleRevert as S; print(json.dumps(S().params[0]))"
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert tuple(json.loads(finished.stdout)) == Project(tree).study("snapshot").implementations
    assert "foo" in json.loads(finished.stdout)

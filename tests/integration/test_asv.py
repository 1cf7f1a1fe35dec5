"""Plain asv over commits: the ruler from the working tree, the subject from the commit."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASV = Path(sys.executable).with_name("asv")

SUITE = '''"""Sorting."""

from bakeoff import Suite


class Sort(Suite):
    """Sort a list that is the wrong way round."""

    parameters = {"count": (10, 1000)}

    def prepare(self, seed, count):
        return list(range(count, 0, -1))

    def run(self, create, given):
        return create()(given)
'''
BUILTIN = "def create():\n    return sorted\n"
#: Comes before `builtin` in the alphabet, so that a value stored by index would get the wrong name.
ASLEEP = """import time


def create():
    def sort(items):
        time.sleep(0.01)
        return sorted(items)

    return sort
"""


class Repository:
    """A clone of the project with a small study in place of its own, and asv in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        home = root.parent / "home"
        home.mkdir()
        inherited = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
        cache = subprocess.run(
            [sys.executable, "-m", "pip", "cache", "dir"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.environment = inherited | {
            "HOME": str(home),  # asv keeps a file of machines there
            "PIP_CACHE_DIR": cache.stdout.strip() or str(home / "pip"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        self.environment.pop("PYTHONPATH", None)
        self.environment.pop("BAKEOFF_PRESET", None)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *command: str | Path) -> str:
        finished = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, f"{command}\n{finished.stdout}"
        return finished.stdout

    def commit(self, message: str) -> str:
        self.run("git", "add", "--all")
        self.run("git", "commit", "--quiet", "--message", message)
        return self.run("git", "rev-parse", "HEAD").strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("asv") / "clone"
    folder.mkdir()
    repository = Repository(folder)
    for name in ("asv.conf.json", "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("requirements", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in ("impls/pyproject.toml", "impls/__init__.py", "benchmarks/__init__.py"):
        repository.write(name, (ROOT / name).read_text())
    repository.write("impls/sorting/__init__.py", "")
    repository.write("impls/sorting/interface.py", "")
    repository.write("impls/sorting/builtin.py", BUILTIN)
    repository.write("benchmarks/sorting.py", SUITE)
    repository.run("git", "init", "--quiet", "--initial-branch", "main")
    repository.run(ASV, "machine", "--yes")
    return repository


def values(document: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    """asv's figures by implementation and count."""
    (row,) = document["results"].values()
    figures, (implementations, counts) = row[0], row[1]
    pairs = [(name.strip("'"), count) for name in implementations for count in counts]
    # asv drops the list where nothing could be measured.
    figures = figures if figures is not None else [None] * len(pairs)
    return dict(zip(pairs, figures, strict=True))


@pytest.mark.slow
def test_two_commits_are_measured_published_and_rightly_labelled(repository: Repository) -> None:
    older = repository.commit("Before the new implementation")
    repository.write("impls/sorting/asleep.py", ASLEEP)
    newer = repository.commit("Add an implementation")

    output = repository.run(ASV, "run", "--quick", "--show-stderr", "ALL")
    assert "failed" not in output
    documents = {
        json.loads(path.read_text())["commit_hash"]: json.loads(path.read_text())
        for path in (repository.root / ".asv" / "results").glob("*/*-virtualenv-*.json")
    }
    before, after = values(documents[older]), values(documents[newer])
    for count in ("10", "1000"):
        absent = before["asleep", count]
        assert absent is None or math.isnan(absent)
        assert 0 < (before["builtin", count] or 0) < 0.01
        assert 0 < (after["builtin", count] or 0) < 0.01
        assert (after["asleep", count] or 0) >= 0.01

    repository.run(ASV, "publish")
    assert (repository.root / ".asv" / "html" / "index.json").is_file()


def test_the_projects_own_suites_pass_asvs_check() -> None:
    finished = subprocess.run(
        [ASV, "check", "--python=same"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "No problems found" in finished.stdout

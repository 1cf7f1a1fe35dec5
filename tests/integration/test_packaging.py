"""What is shipped, and what it takes to install it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("run.txt", "suites.txt", "test.txt")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    finished = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"),
            *("--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_the_harness_alone(wheel: zipfile.ZipFile) -> None:
    top = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"bakeoff"}
    assert "bakeoff/py.typed" in wheel.namelist()


def test_the_wheel_holds_all_of_the_harness(wheel: zipfile.ZipFile) -> None:
    source = ROOT / "src" / "bakeoff"
    files = {
        f"bakeoff/{path.relative_to(source).as_posix()}"
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files <= set(wheel.namelist())


def test_the_wheel_brings_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "bakeoff = bakeoff.commands:main" in wheel.read(entry_points).decode()
    (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    described = Parser().parsestr(wheel.read(metadata).decode())
    assert described["License-Expression"] == "Apache-2.0"
    assert described["Requires-Python"] == ">=3.11"
    assert any(name.endswith("LICENSE") for name in wheel.namelist())


def requirements(lock: str) -> list[str]:
    """The lock's requirements, each with its continuation lines."""
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_exact_pins_with_hashes_and_no_address(lock: str) -> None:
    for requirement in requirements(lock):
        assert re.match(r"[a-z0-9][a-z0-9.-]*==[^ ]+ ", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement
    text = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    assert not re.search(
        r"://|file:|--(extra-)?index|--find-links|^\s*-[ceif]\s", text, re.MULTILINE
    )


def pinned(lock: str) -> set[str]:
    return {requirement.partition("==")[0] for requirement in requirements(lock)}


def named(dependencies: list[str]) -> set[str]:
    return {
        re.split(r"[^A-Za-z0-9._-]", dependency)[0].lower().replace("_", "-")
        for dependency in dependencies
    }


def test_the_locks_hold_all_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    assert named(project["project"]["dependencies"]) <= pinned("run.txt")
    assert named(groups["suites"]) <= pinned("suites.txt") <= pinned("run.txt")
    assert named(groups["test"]) <= pinned("test.txt")


def test_the_locks_agree_where_both_name_a_package() -> None:
    run, test = (
        {
            (match[1], match[3]): match[2]
            for match in (
                re.match(r"([^=]+)==(\S+)(?:\s*;\s*(.*?))?\s+--hash", requirement)
                for requirement in requirements(lock)
            )
            if match
        }
        for lock in ("run.txt", "test.txt")
    )
    assert {name: run[name] for name in run.keys() & test.keys()} == {
        name: test[name] for name in run.keys() & test.keys()
    }


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    reasons = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8")
    groups = project["dependency-groups"]
    for name in named([*project["project"]["dependencies"], *groups["suites"], *groups["test"]]):
        assert f"`{name}`" in reasons.replace("_", "-"), name


def imported_from_elsewhere() -> set[str]:
    """Top-level modules that the harness imports and neither it nor Python has."""
    imports: set[str] = set()
    for path in (ROOT / "src" / "bakeoff").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imports |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imports.add(node.module.partition(".")[0])
    return imports - set(sys.stdlib_module_names) - {"bakeoff"}


def test_everything_imported_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    # pytest is imported by whoever parametrizes tests, and only then.
    missing = imported_from_elsewhere() - named(project["project"]["dependencies"]) - {"pytest"}
    assert missing == set()


def test_a_python_that_is_too_old_is_refused_with_a_way_out(tmp_path: Path) -> None:
    old = tmp_path / "python-of-old"
    old.write_text('#!/bin/sh\ncase "$1" in --version) echo "Python 3.9.1";; *) exit 1;; esac\n')
    old.chmod(0o755)
    finished = subprocess.run(
        ["make", "-f", str(ROOT / "Makefile"), f"PYTHON={old}", "bakeoff"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 2
    assert "needs Python 3.11 or later" in finished.stderr
    assert "is Python 3.9.1" in finished.stderr
    assert "make PYTHON=python3.11 bakeoff" in finished.stderr

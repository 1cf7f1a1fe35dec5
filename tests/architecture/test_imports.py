"""Who may import whom, where a contract of import-linter cannot say it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bakeoff
from bakeoff.study.project import Project

ROOT = Path(__file__).resolve().parents[2]
PROJECT = Project(ROOT)

#: What no measuring process may pay for: each costs tens of milliseconds in every arm of every round.
HEAVY = (
    "asv_runner",
    "jinja2",
    "memray",
    "msgspec",
    "numpy",
    "pandas",
    "psutil",
    "rich",
    "scipy",
    "typer",
)

MEASURING = ("bakeoff", "bakeoff.measurement.suite", "bakeoff.measurement.worker")


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    finished = subprocess.run(
        [linter, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_the_public_names_are_few_sorted_and_there() -> None:
    assert bakeoff.__all__ == ["BakeoffError", "Suite", "Workload", "__version__"]
    assert sorted(bakeoff.__all__) == bakeoff.__all__
    assert all(hasattr(bakeoff, name) for name in bakeoff.__all__)


def rooms() -> list[str]:
    return sorted(
        path.parent.relative_to(ROOT / "src").as_posix().replace("/", ".")
        for path in (ROOT / "src").glob("*/**/__init__.py")
    )


@pytest.mark.parametrize("room", rooms())
def test_a_rooms_public_names_are_sorted_and_there(room: str) -> None:
    code = (
        f"import {room} as room\n"
        "names = list(getattr(room, '__all__', []))\n"
        "assert names == sorted(names), names\n"
        "missing = [name for name in names if not hasattr(room, name)]\n"
        "assert not missing, missing\n"
        "assert room.__doc__, 'says nothing about itself'\n"
    )
    finished = python(code)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("module", MEASURING)
def test_a_measuring_process_imports_nothing_heavy(module: str) -> None:
    finished = python(f"import sys, {module}; print(*sys.modules)")
    assert finished.returncode == 0, finished.stderr
    loaded = {name.partition(".")[0] for name in finished.stdout.split()}
    assert loaded.isdisjoint(HEAVY), sorted(loaded & set(HEAVY))


def suites() -> list[str]:
    return sorted(
        path.stem for path in (ROOT / "benchmarks").glob("*.py") if not path.stem.startswith("_")
    )


@pytest.mark.parametrize("suite", suites())
def test_a_suite_can_be_imported_at_a_commit_that_does_not_have_its_study(suite: str) -> None:
    # asv refuses all suites if one cannot be imported when it looks for benchmarks.
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'impls':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        f"import benchmarks.{suite}\n"
    )
    finished = python(code)
    assert finished.returncode == 0, finished.stderr


def implementations() -> list[tuple[str, str]]:
    return [
        (study, name)
        for study in PROJECT.studies()
        for name in PROJECT.study(study).implementations
    ]


def imported_by(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by full names"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def siblings_imported_by(path: Path, study: str) -> set[str]:
    prefix = f"impls.{study}."
    modules = {file.stem for file in path.parent.glob("*.py")}
    names = {
        name.removeprefix(prefix).partition(".")[0]
        for name in imported_by(path)
        if name.startswith(prefix)
    }
    return names & modules


@pytest.mark.parametrize(("study", "name"), implementations())
def test_an_implementation_imports_another_only_if_it_says_so(study: str, name: str) -> None:
    path = PROJECT.study(study).folder / f"{name}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    unsaid = {
        other
        for other in siblings_imported_by(path, study)
        if other != "interface" and not other.startswith("_") and f"`{other}`" not in docstring
    }
    assert not unsaid


@pytest.mark.parametrize("study", PROJECT.studies())
@pytest.mark.parametrize("module", ["interface", "conformance"])
def test_a_promise_does_not_know_who_keeps_it(study: str, module: str) -> None:
    path = PROJECT.study(study).folder / f"{module}.py"
    others = siblings_imported_by(path, study) if path.exists() else set()
    assert others.isdisjoint(PROJECT.study(study).implementations)

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.study.project import Project

MakeProject = Callable[..., Project]


@pytest.fixture
def make_project(tmp_path: Path) -> MakeProject:
    """A project with the study `parity`, its conformance and implementations given as text."""

    def make(conformance: str, **implementations: str) -> Project:
        folder = tmp_path / "impls" / "parity"
        folder.mkdir(parents=True)
        # Regular packages, or an installed `impls` would be found instead.
        (tmp_path / "impls" / "__init__.py").write_text("")
        (folder / "__init__.py").write_text("")
        (tmp_path / "benchmarks").mkdir()
        (tmp_path / "benchmarks" / "parity.py").write_text("")
        (folder / "interface.py").write_text('"""Is a number even?"""\n')
        (folder / "conformance.py").write_text(textwrap.dedent(conformance))
        for name, source in implementations.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(source))
        return Project(tmp_path)

    return make

"""Import what a study consists of; what cannot be imported becomes a `LoadError` with its reason."""

from __future__ import annotations

import importlib
import sys
import traceback
from types import ModuleType

from bakeoff.errors import LoadError, NotFoundError
from bakeoff.study.project import Project, Study
from bakeoff.study.workload import Workload


def load_implementation(project: Project, study: Study, name: str) -> ModuleType:
    """Import ``impls.<study>.<name>`` and make sure that it has a factory.

    Raises
    ------
    NotFoundError
        If there is no such file.
    LoadError
        If importing it raises, or it has no ``create``.
    """
    study.require_implementation(name)
    module = _import(project, f"impls.{study.name}.{name}", f"impls/{study.name}/{name}.py")
    if not callable(getattr(module, "create", None)):
        raise LoadError(
            f"impls/{study.name}/{name}.py has no function 'create'.",
            "Every implementation is made by its create(...); see docs/add-an-implementation.md.",
        )
    return module


def load_conformance(project: Project, study: Study) -> ModuleType:
    """Import the study's checks, ``impls.<study>.conformance``.

    Raises
    ------
    LoadError
        If there are none, or importing them raises.
    """
    path = f"impls/{study.name}/conformance.py"
    if not study.has_conformance:
        raise LoadError(
            f"{path} does not exist.", "Write the interface's promise as check_* functions."
        )
    return _import(project, f"impls.{study.name}.conformance", path)


def load_workloads(project: Project, study: Study) -> dict[str, type[Workload]]:
    """The workloads of ``benchmarks/<study>.py`` by name, in the order they are written.

    Raises
    ------
    LoadError
        If the file is missing, cannot be imported, or holds no workload.
    """
    path = f"benchmarks/{study.name}.py"
    if not study.suite.is_file():
        raise LoadError(f"{path} does not exist.", "A study is measured by the suite of its name.")
    module = _import(project, f"benchmarks.{study.name}", path)
    workloads = {
        value.name(): value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Workload)
        and value.__module__ == module.__name__
        # What says nothing to run is a base for others.
        and value.run is not Workload.run
    }
    if not workloads:
        raise LoadError(f"{path} holds no workload.", "Write a subclass of bakeoff.Suite in it.")
    return workloads


def require_workload(workloads: dict[str, type[Workload]], study: str, name: str) -> type[Workload]:
    """The workload called `name`.

    Raises
    ------
    NotFoundError
        Naming those there are.
    """
    if name not in workloads:
        raise NotFoundError.among(
            f"a workload of {study!r}", name, workloads, where=f"benchmarks/{study}.py"
        )
    return workloads[name]


def _import(project: Project, module: str, path: str) -> ModuleType:
    """Import `module` from the project's root."""
    root = str(project.root)
    if root not in sys.path:
        sys.path.insert(0, root)
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:  # a subject may raise anything while it is imported
        where = _innermost_line(error, root)
        raise LoadError(
            f"{path} cannot be imported: {type(error).__name__}: {error}{where}",
            f"Try: python -c 'import {module}'",
        ) from error


def _innermost_line(error: BaseException, root: str) -> str:
    """Where in the project it was raised, as `` (file:line)``."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith(root) and "/.venv/" not in frame.filename:
            return f" ({frame.filename[len(root) + 1 :]}:{frame.lineno})"
    return ""

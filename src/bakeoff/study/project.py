"""Where a project keeps its studies, and what is in them, read off file names alone.

Nothing here imports a subject: listing must work when an implementation is broken.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError, NotFoundError

#: Modules of a study that are not implementations; so is every module whose name starts with "_".
NOT_IMPLEMENTATIONS = frozenset({"interface", "conformance"})


@dataclass(frozen=True, slots=True)
class Study:
    """One interface and everything compared behind it."""

    name: str
    folder: Path
    """``impls/<name>``."""
    suite: Path
    """``benchmarks/<name>.py``; it may not exist yet."""
    implementations: tuple[str, ...]
    """Names of the implementation files, sorted."""

    @property
    def has_conformance(self) -> bool:
        """Whether the study states its promise as checks."""
        return (self.folder / "conformance.py").is_file()

    def require_implementation(self, name: str) -> str:
        """`name` if it is one of the study's.

        Raises
        ------
        NotFoundError
            Naming those there are.
        """
        if name not in self.implementations:
            raise NotFoundError.among(
                f"an implementation of {self.name!r}",
                name,
                self.implementations,
                where=f"impls/{self.name}",
            )
        return name

    def label(self, implementation: str) -> str:
        """The first line of the implementation's docstring, or its name; read without importing it."""
        path = self.folder / f"{implementation}.py"
        try:
            docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        except (OSError, SyntaxError, ValueError):
            # The file is broken: whoever loads it says so, with the reason; a label is no place for it.
            docstring = None
        lines = (docstring or "").strip().splitlines()
        return lines[0] if lines else implementation


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that holds `impls/` and `benchmarks/`."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Project:
        """The project that `start` lies in.

        Raises
        ------
        BakeoffError
            If neither `start` nor a parent of it is a project.
        """
        here = start.resolve()
        for folder in (here, *here.parents):
            if (folder / "impls").is_dir() and (folder / "benchmarks").is_dir():
                return cls(folder)
        raise BakeoffError(
            f"{here} is not inside a bakeoff project.",
            "A project is a folder with impls/ and benchmarks/; change into one, or name it with --project.",
        )

    def studies(self) -> tuple[str, ...]:
        """Names of all studies: the packages in `impls/` that state an interface."""
        return tuple(
            sorted(path.parent.name for path in (self.root / "impls").glob("*/interface.py"))
        )

    def study(self, name: str) -> Study:
        """One study by its name.

        Raises
        ------
        NotFoundError
            Naming those there are.
        """
        if name not in self.studies():
            raise NotFoundError.among("a study", name, self.studies(), where="impls/")
        folder = self.root / "impls" / name
        implementations = tuple(
            sorted(
                path.stem
                for path in folder.glob("*.py")
                if not path.stem.startswith("_") and path.stem not in NOT_IMPLEMENTATIONS
            )
        )
        return Study(name, folder, self.root / "benchmarks" / f"{name}.py", implementations)

    def sources(self, study: str) -> tuple[Path, ...]:
        """Files and folders whose Python decides what a run of `study` measures.

        Ruler and testbed (`benchmarks/<study>.py`, the packages in `src/` beside the harness) and
        subject (`impls/<study>`): when one changes, rounds of before and after must not be mixed.
        """
        source = self.root / "src"
        packages = sorted(source.iterdir()) if source.is_dir() else []
        return (
            self.root / "benchmarks" / f"{study}.py",
            self.root / "impls" / study,
            *(path for path in packages if path.is_dir() and path.name != "bakeoff"),
        )

    @property
    def state(self) -> Path:
        """``.bakeoff``: what was measured and checked."""
        return self.root / ".bakeoff"

    @property
    def reports(self) -> Path:
        """``reports``: definitions in, pages out."""
        return self.root / "reports"

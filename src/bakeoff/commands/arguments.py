"""Arguments that several verbs share, with their completion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.errors import BakeoffError
from bakeoff.study import Project, load_workloads


def find_project() -> Project:
    """The project of the working directory."""
    return Project.find(Path.cwd())


def _completing(names: Callable[[Project], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        try:
            return [name for name in names(find_project()) if name.startswith(incomplete)]
        except BakeoffError:
            # Completion has no place for messages; the command itself will say what is wrong.
            return []

    return complete


def report_names(project: Project) -> tuple[str, ...]:
    """Names of the definitions in ``reports/``."""
    return tuple(sorted(path.stem for path in project.reports.glob("*.toml")))


def _implementation_names(project: Project) -> list[str]:
    studies = [project.study(name) for name in project.studies()]
    return sorted({name for study in studies for name in study.implementations})


def _workload_names(project: Project) -> list[str]:
    studies = [project.study(name) for name in project.studies()]
    return sorted({name for study in studies for name in load_workloads(project, study)})


Studies = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[STUDY]...",
        help="Studies, by the names of their folders in impls/; all by default.",
        autocompletion=_completing(Project.studies),
        show_default=False,
    ),
]
Reports = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[REPORT]...",
        help="Reports, by the names of their files in reports/; all by default.",
        autocompletion=_completing(report_names),
        show_default=False,
    ),
]
Implementations = Annotated[
    list[str] | None,
    typer.Option(
        "--implementation",
        "-i",
        help="Only this implementation (and the baseline); may be repeated.",
        autocompletion=_completing(_implementation_names),
    ),
]
Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        "-w",
        help="Only this workload; may be repeated.",
        autocompletion=_completing(_workload_names),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
RunId = Annotated[
    str | None,
    typer.Option(
        "--run",
        help="A run by its name in .bakeoff/runs; naming it allows one of another commit or machine.",
    ),
]

_UNITS_S = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float:
    """Seconds of ``90``, ``90s``, ``10m`` or ``1h``.

    Raises
    ------
    BakeoffError
        If it is none of these, or not positive.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text)
    if match is None or match[2] not in _UNITS_S or float(match[1]) <= 0:
        raise BakeoffError(
            f"--budget: {text!r} is not a duration.", "Write for example 90s, 10m or 1h."
        )
    return float(match[1]) * _UNITS_S[match[2]]

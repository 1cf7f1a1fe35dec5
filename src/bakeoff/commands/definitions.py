"""The report definitions of a project, as the verbs need them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from bakeoff.commands.arguments import report_names
from bakeoff.commands.terminal import Terminal
from bakeoff.errors import BakeoffError, NotFoundError
from bakeoff.report.definition import Definition, load_definition
from bakeoff.study import Project, Study, load_workloads


def load_report(project: Project, name: str) -> Definition:
    """One definition, checked against the study it is about.

    Raises
    ------
    NotFoundError
        If there is no such report.
    DefinitionError
        If the file is wrong.
    """
    if name not in report_names(project):
        raise NotFoundError.among("a report", name, report_names(project), where="reports/")
    path = project.reports / f"{name}.toml"
    studies = {each: project.study(each).implementations for each in project.studies()}
    study = _study_named_in(path)
    workloads = load_workloads(project, project.study(study)) if study in studies else None
    return load_definition(path, studies=studies, workloads=workloads)


def load_reports(project: Project, names: Sequence[str] | None) -> list[Definition]:
    """The named definitions, or all.

    Raises
    ------
    BakeoffError
        If there is none.
    """
    chosen = names or report_names(project)
    if not chosen:
        raise BakeoffError(
            "There is no report.", "Write reports/<name>.toml; see docs/add-a-study.md."
        )
    return [load_report(project, name) for name in chosen]


def baseline_of(project: Project, study: Study, terminal: Terminal) -> str:
    """The baseline that the study's first report names; the first implementation if it has none."""
    if not study.implementations:
        raise BakeoffError(
            f"The study {study.name!r} has no implementation.", f"Add impls/{study.name}/<name>.py."
        )
    for name in report_names(project):
        if _study_named_in(project.reports / f"{name}.toml") == study.name:
            return load_report(project, name).baseline
    baseline = study.implementations[0]
    terminal.warn(
        f"no report is about {study.name!r}: its first implementation, {baseline!r}, is the baseline"
    )
    return baseline


def _study_named_in(path: Path) -> str | None:
    """The study that a definition says it is about; None where the file is too broken to tell."""
    try:
        study = tomllib.loads(path.read_text(encoding="utf-8")).get("study")
    except (OSError, ValueError):
        # Whoever needs this report loads it in full and hears what is wrong with it.
        return None
    return study if isinstance(study, str) else None

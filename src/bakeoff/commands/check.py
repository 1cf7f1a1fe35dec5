"""``bakeoff check``: same answers first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from bakeoff.commands.arguments import AsJson, Implementations, Studies, find_project
from bakeoff.commands.terminal import Terminal
from bakeoff.conformance import (
    CheckResult,
    ConformanceRecord,
    Failed,
    Passed,
    read_record,
    run_checks,
    write_record,
)
from bakeoff.study import Project

#: All checks of one implementation together may take this long.
TIME_LIMIT_S = 120.0


def check_command(
    studies: Studies = None,
    implementation: Implementations = None,
    time_limit: Annotated[
        float, typer.Option(min=1.0, help="Seconds for all checks of one implementation.")
    ] = TIME_LIMIT_S,
    as_json: AsJson = False,
) -> None:
    """Hold every implementation against every promise of its interface."""
    terminal = Terminal()
    project = find_project()
    names = studies or [name for name in project.studies() if project.study(name).has_conformance]
    records = [
        check_study(project, name, terminal, implementation, time_limit_s=time_limit)
        for name in names
    ]
    if as_json:
        terminal.print_json(records)
    else:
        for record in records:
            print_record(record, terminal)
        terminal.say("Next: bakeoff run")
    if any(record.has_failures for record in records):
        raise typer.Exit(1)


def check_study(
    project: Project,
    name: str,
    terminal: Terminal,
    implementations: Sequence[str] | None = None,
    *,
    time_limit_s: float = TIME_LIMIT_S,
) -> ConformanceRecord:
    """Check one study and write its record; the record.

    Raises
    ------
    BakeoffError
        If the study, an implementation or the checks do not exist, or the record cannot be written.
    """
    study = project.study(name)
    chosen = None if not implementations else tuple(implementations)
    terminal.note(f"check {name}: {', '.join(chosen or study.implementations)}")
    record = run_checks(project, study, chosen, timeout_s=time_limit_s)
    write_record(project, record.completed_by(read_record(project, name)))
    return record


def print_record(record: ConformanceRecord, terminal: Terminal) -> None:
    """One line for each implementation, and under it whatever failed."""
    for implementation in dict.fromkeys(result.implementation for result in record.results):
        results = record.of(implementation)
        required = [result for result in results if not result.is_capability]
        able = [result for result in results if result.is_capability]
        line = f"{record.study}/{implementation}: {_share(required)} checks passed"
        terminal.say(line + (f"; {_share(able)} capabilities" if able else ""))
        for result in able:
            if isinstance(result.outcome, Failed):
                terminal.say(f"  – no: {result.promise}")
        for result in required:
            if isinstance(result.outcome, Failed):
                terminal.say(f"  ✕ {result.check}: {result.promise}")
                terminal.say(f"    {result.outcome.reason}")


def _share(results: Sequence[CheckResult]) -> str:
    passed = sum(isinstance(result.outcome, Passed) for result in results)
    return f"{passed} of {len(results)}"

"""``bakeoff all``: check → run → report → claims, in that order."""

from __future__ import annotations

from typing import Annotated

import typer

from bakeoff.commands.arguments import AsJson, Reports, find_project, parse_duration
from bakeoff.commands.check import check_study, print_record
from bakeoff.commands.claims import REFUTED, IsStrict, exit_code_of, worst_exit_code
from bakeoff.commands.definitions import load_reports
from bakeoff.commands.report import make_report, print_json, print_report, write_report
from bakeoff.commands.run import QUICK, Plan, start_run
from bakeoff.commands.settings import given_settings
from bakeoff.commands.terminal import Terminal
from bakeoff.report import Report


def all_command(
    context: typer.Context,
    reports: Reports = None,
    preset: Annotated[str, typer.Option(help="quick, full, or one of the suite's own.")] = QUICK,
    budget: Annotated[
        str | None, typer.Option(help="Start no new round after this long: 90s, 10m, 1h.")
    ] = None,
    is_strict: IsStrict = False,
    as_json: AsJson = False,
) -> None:
    """Check, measure, report and judge the claims of each report."""
    terminal = Terminal()
    project = find_project()
    codes: list[int] = []
    made: list[Report] = []
    budget_s = None if budget is None else parse_duration(budget)
    # All definitions first: a slip in the last one should not cost an hour of measuring.
    for definition in load_reports(project, reports):
        study = project.study(definition.study)
        if study.has_conformance:
            record = check_study(project, study.name, terminal)
            if not as_json:
                print_record(record, terminal)
            codes.append(REFUTED if record.has_failures else 0)
        run = start_run(
            project,
            study,
            Plan(
                preset,
                baseline=definition.baseline,
                budget_s=budget_s,
                settings=given_settings(context),
            ),
            terminal,
        )
        report = make_report(project, definition, run.header.id, terminal)
        pages = write_report(project, report, ("html", "markdown", "json"))
        made.append(report)
        if not as_json:
            print_report(report, terminal)
        codes.append(exit_code_of(report, is_strict=is_strict))
        (terminal.note if as_json else terminal.say)(f"Page: {pages[0]}")
    if as_json:
        print_json(made)
    if code := worst_exit_code(codes):
        raise typer.Exit(code)

"""``bakeoff claims``: each claim against its interval; the exit code says whether all hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from bakeoff.commands.arguments import AsJson, Reports, RunId, find_project
from bakeoff.commands.definitions import load_reports
from bakeoff.commands.report import make_report
from bakeoff.commands.terminal import Terminal
from bakeoff.report import Report, render_claims

REFUTED = 1
INCONCLUSIVE = 3

IsStrict = Annotated[
    bool, typer.Option("--strict", help="Exit with 3 if nothing is refuted but a claim is open.")
]


def claims_command(
    reports: Reports = None,
    run_id: RunId = None,
    is_strict: IsStrict = False,
    as_json: AsJson = False,
) -> None:
    """Say of each claim: holds, fails, inconclusive, or not measured here."""
    terminal = Terminal()
    project = find_project()
    made = [
        make_report(project, definition, run_id, terminal)
        for definition in load_reports(project, reports)
    ]
    if as_json:
        terminal.print_json({report.name: report.claims for report in made})
    else:
        for report in made:
            print_claims(report, terminal)
        terminal.say("Next: bakeoff report --open")
    code = worst_exit_code(exit_code_of(report, is_strict=is_strict) for report in made)
    if code:
        raise typer.Exit(code)


def print_claims(report: Report, terminal: Terminal) -> None:
    """The claims as text."""
    console = terminal.out
    print(render_claims(report, console.width, console.is_terminal and not console.no_color))


def worst_exit_code(codes: Iterable[int]) -> int:
    """One exit code for several reports: refuted outweighs open, open outweighs nothing."""
    found = set(codes)
    return REFUTED if REFUTED in found else max(found, default=0)


def exit_code_of(report: Report, *, is_strict: bool) -> int:
    """1 if a claim is refuted; 3 if one is open and that matters; else 0."""
    counts = report.count_claims()
    if counts["fails"]:
        return REFUTED
    return INCONCLUSIVE if is_strict and counts["inconclusive"] else 0

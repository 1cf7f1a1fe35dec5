"""``bakeoff report``: pages from a run; it never measures."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.commands.arguments import Reports, RunId, find_project
from bakeoff.commands.definitions import load_reports
from bakeoff.commands.provenance import differences_since, refuse
from bakeoff.commands.terminal import Terminal
from bakeoff.conformance import ConformanceRecord, read_record
from bakeoff.errors import BakeoffError, NotFoundError, RunDirectoryError
from bakeoff.measurement.comparison import compare_run
from bakeoff.report import (
    Definition,
    Report,
    build_report,
    render_html,
    render_markdown,
    render_text,
    report_json,
)
from bakeoff.results.files import write_atomically
from bakeoff.results.records import EventRecord, RunHeader
from bakeoff.results.store import Run, RunStore
from bakeoff.study import Project

#: What `--to` can ask for: the file it is written to, and how.
_FILES: dict[str, tuple[str, Callable[[Report], bytes]]] = {
    "html": ("index.html", lambda report: render_html(report).encode()),
    "markdown": ("report.md", lambda report: render_markdown(report).encode()),
    "json": ("report.json", report_json),
}
_TEXT = "text"


def report_command(
    reports: Reports = None,
    run_id: RunId = None,
    to: Annotated[
        str, typer.Option(help="Which forms, separated by commas: html, markdown, json, text.")
    ] = "html,markdown,json,text",
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json on stdout.")] = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Write pages from the latest run."""
    terminal = Terminal()
    project = find_project()
    forms = _forms(to)
    if open_page and "html" not in forms:
        forms.append("html")
    made = []
    for definition in load_reports(project, reports):
        report = make_report(project, definition, run_id, terminal)
        made.append(report)
        written = write_report(project, report, forms)
        if not as_json and _TEXT in forms:
            print_report(report, terminal)
        for path in written:
            (terminal.note if as_json else terminal.say)(f"Written: {path}")
        if open_page:
            webbrowser.open((project.reports / report.name / "index.html").as_uri())
    if as_json:
        print_json(made)


def make_report(
    project: Project, definition: Definition, run_id: str | None, terminal: Terminal
) -> Report:
    """Put a report together from a run: the named one, or the latest of this commit and machine.

    Raises
    ------
    RunDirectoryError
        If there is no run, it is damaged, or it is from elsewhere and was not named.
    """
    run = _run(project, definition, run_id)
    contents = run.journal.read()
    differences = differences_since(project, run.header)
    if run_id is None:
        refuse(run.header, differences.origin, "A report from", f"--run {run.header.id}")
    warnings = [*contents.warnings]
    warnings += [f"This run is not from here and now: {text}." for text in differences.all]
    for warning in contents.warnings:
        terminal.warn(warning)
    study = project.study(definition.study)
    conformance = _conformance(project, run.header, warnings)
    return build_report(
        definition,
        run.header,
        compare_run(run.header, contents.records),
        conformance,
        [record for record in contents.records if isinstance(record, EventRecord)],
        datetime.now(UTC),
        implementation_labels={name: study.label(name) for name in study.implementations},
        warnings=warnings,
    )


def write_report(project: Project, report: Report, forms: Sequence[str]) -> list[Path]:
    """Write the asked forms to ``reports/<name>/``; the files written.

    Raises
    ------
    BakeoffError
        If the folder cannot be written to.
    """
    folder = project.reports / report.name
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for form in forms:
            if form != _TEXT:
                name, render = _FILES[form]
                write_atomically(folder / name, render(report))
                written.append(folder / name)
    except OSError as error:
        raise BakeoffError(
            f"{folder}: cannot be written: {error.strerror or error}.",
            "Make it writable, or remove what stands in its place.",
        ) from error
    return written


def print_json(reports: Sequence[Report]) -> None:
    """One ``report.json`` on stdout, or a list of them: always one document."""
    documents = [report_json(report).decode() for report in reports]
    print(documents[0] if len(documents) == 1 else f"[{','.join(documents)}]")


def print_report(report: Report, terminal: Terminal) -> None:
    """The report as text, to suit where stdout goes."""
    console = terminal.out
    print(render_text(report, console.width, console.is_terminal and not console.no_color))


def _run(project: Project, definition: Definition, run_id: str | None) -> Run:
    store = RunStore(project.root)
    run = store.latest(definition.study) if run_id is None else store.open(run_id)
    if run is None:
        raise RunDirectoryError(
            f"There is no run of {definition.study!r} to report on.",
            f"Measure first: bakeoff run {definition.study}",
        )
    return run


def _conformance(
    project: Project, header: RunHeader, warnings: list[str]
) -> ConformanceRecord | None:
    """The study's record, if it is about the sources that were measured."""
    record = read_record(project, header.study)
    if record is not None and record.sources_digest != header.sources_digest:
        warnings.append(
            "Conformance was checked on other sources than were measured, so it says nothing here: "
            f"run bakeoff check {header.study}"
        )
        return None
    return record


def _forms(text: str) -> list[str]:
    known = [*_FILES, _TEXT]
    forms = [form.strip() for form in text.split(",") if form.strip()]
    for form in forms:
        if form not in known:
            raise NotFoundError.among("a form of report", form, known, where="--to")
    return forms

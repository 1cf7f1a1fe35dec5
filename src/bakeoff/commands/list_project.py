"""``bakeoff list``: studies, implementations, workloads, metrics, reports."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from bakeoff.commands.arguments import AsJson, find_project, report_names
from bakeoff.commands.terminal import Terminal
from bakeoff.errors import LoadError
from bakeoff.measurement.contrast import UNITS
from bakeoff.study import Project, cells_of, load_workloads, preset_names


def list_command(as_json: AsJson = False) -> None:
    """List studies, implementations, workloads, metrics and reports."""
    terminal = Terminal()
    project = find_project()
    studies = [_describe(project, name, terminal) for name in project.studies()]
    if as_json:
        terminal.print_json(
            {"studies": studies, "metrics": dict(UNITS), "reports": report_names(project)}
        )
        return
    for study in studies:
        table = Table(title=f"{study['name']}: implementations", title_justify="left", box=None)
        for name, label in study["implementations"].items():
            table.add_row(f"  {escape(name)}", escape(label))
        terminal.out.print(table)
        for name, cells in study["workloads"].items():
            counts = ", ".join(f"{count} {preset}" for preset, count in cells.items())
            terminal.say(f"  workload {name}: cells {counts}")
            for setting, meaning in study["settings"].get(name, {}).items():
                terminal.say(f"    --{setting} {meaning}")
    terminal.say(f"metrics: {', '.join(UNITS)}")
    terminal.say(f"reports: {', '.join(report_names(project)) or 'none'}")
    terminal.say("Next: bakeoff check")


def _describe(project: Project, name: str, terminal: Terminal) -> dict[str, Any]:
    study = project.study(name)
    try:
        workloads = load_workloads(project, study)
    except LoadError as error:
        # Listing goes on: what can be listed is what helps to find the mistake.
        terminal.warn(str(error))
        workloads = {}
    presets = preset_names(workloads.values())
    return {
        "name": name,
        "implementations": {each: study.label(each) for each in study.implementations},
        "workloads": {
            each: {preset: len(cells_of(workload, preset)) for preset in presets}
            for each, workload in workloads.items()
        },
        "settings": {
            each: dict(workload.settings)
            for each, workload in workloads.items()
            if workload.settings
        },
    }

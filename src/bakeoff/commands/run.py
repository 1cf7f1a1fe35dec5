"""``bakeoff run``: paired rounds, written to a run directory as they are made."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated

import typer

from bakeoff import __version__
from bakeoff.commands.arguments import (
    AsJson,
    Implementations,
    RunId,
    Studies,
    Workloads,
    find_project,
    parse_duration,
)
from bakeoff.commands.definitions import baseline_of
from bakeoff.commands.progress import progress_on
from bakeoff.commands.provenance import differences_since, refuse
from bakeoff.commands.settings import given_settings, require_known, settings_of
from bakeoff.commands.terminal import Terminal
from bakeoff.errors import BakeoffError, Interrupted, RunDirectoryError
from bakeoff.measurement.contrast import quantile_metric
from bakeoff.measurement.rounds import available_cpus
from bakeoff.measurement.rules import (
    ALPHA,
    LOOKS,
    MARGIN,
    QUICK_LOOKS,
    ROUND_BUDGET_S,
    Rules,
)
from bakeoff.measurement.session import Session
from bakeoff.results.machine import describe_machine
from bakeoff.results.provenance import commit_of, sources_digest
from bakeoff.results.records import Cell, EventRecord, RunHeader
from bakeoff.results.store import Run, RunStore, new_run_id
from bakeoff.study import (
    FULL,
    Project,
    Study,
    Workload,
    cells_of,
    load_workloads,
    require_preset,
    require_workload,
)

QUICK = "quick"


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked to be measured."""

    preset: str = QUICK
    workloads: Sequence[str] = ()
    implementations: Sequence[str] = ()
    measures_memory: bool = True
    budget_s: float | None = None
    seed: int | None = None
    baseline: str | None = None
    """None: the one of the study's first report."""
    max_rounds: int | None = None
    """None: one look for the quick preset, four up to 30 rounds for the others."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What the workloads' own options were set to."""

    @property
    def looks(self) -> tuple[int, ...]:
        """Where verdicts are taken."""
        if self.max_rounds is not None:
            return Rules.looks_up_to(self.max_rounds)
        return QUICK_LOOKS if self.preset == QUICK else LOOKS


def run_command(
    context: typer.Context,
    studies: Studies = None,
    preset: Annotated[
        str | None,
        typer.Option(help="quick (the default), full, or one of the suite's own."),
    ] = None,
    workload: Workloads = None,
    implementation: Implementations = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="What the others are divided by; by default the first report's."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Start no new round after this long: 90s, 10m, 1h.")
    ] = None,
    max_rounds: Annotated[
        int | None,
        typer.Option(
            help="Take verdicts up to so many rounds: 10, 15, 20, 30, 45 or 60. Every look costs "
            "its share of the error budget.",
        ),
    ] = None,
    memory: Annotated[bool, typer.Option(help="Trace allocations with memray as well.")] = True,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Repeat the random choices of an earlier run.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the latest run, or with the one of --run.")
    ] = False,
    run_id: RunId = None,
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway", help="Resume although the commit, the sources or the machine changed."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure all implementations in paired rounds."""
    terminal = Terminal()
    project = find_project()
    names = _studies(project, studies, run_id)
    if run_id is not None and not resume:
        raise BakeoffError("--run names the run to go on with.", "Add --resume.")
    planned = {
        "--preset": preset,
        "--workload": workload,
        "--implementation": implementation,
        "--baseline": baseline,
        "--seed": seed,
        "--max-rounds": max_rounds,
    }
    settings = given_settings(context)
    changed = [option for option, value in planned.items() if value is not None]
    changed += [f"--{name}" for name in settings]
    if resume and changed:
        raise BakeoffError(
            f"--resume goes on with the plan of its run; {', '.join(changed)} cannot change it.",
            "Leave it out, or start a new run without --resume.",
        )
    plan = Plan(
        preset or QUICK,
        workload or (),
        implementation or (),
        memory,
        None if budget is None else parse_duration(budget),
        seed,
        baseline,
        _require_look(max_rounds),
        settings,
    )
    runs = []
    for name in names:
        study = project.study(name)
        if resume:
            run = resume_run(project, study, run_id, terminal, anyway=anyway, plan=plan)
        else:
            run = start_run(project, study, plan, terminal)
        runs.append(run)
    if as_json:
        terminal.print_json([{"id": run.header.id, "path": str(run.path)} for run in runs])
    else:
        for run in runs:
            terminal.say(f"Measured: {run.path}")
        terminal.say("Next: bakeoff report")


def start_run(project: Project, study: Study, plan: Plan, terminal: Terminal) -> Run:
    """Plan a run, make its directory, and measure.

    Raises
    ------
    BakeoffError
        If the plan names what does not exist, or the directory cannot be written.
    Interrupted
        On Ctrl-C; what was measured is saved.
    """
    workloads = _chosen_workloads(load_workloads(project, study), study, plan)
    require_known(plan.settings, workloads.values())
    workloads = _measurable_workloads(workloads, plan)
    header = _header(project, study, plan, workloads, terminal)
    run = RunStore(project.root).create(header)
    terminal.note(
        f"run {header.id}: {len(header.cells)} cells, {len(header.implementations)} implementations, "
        f"baseline {header.baseline}"
    )
    _measure(project, run, workloads, plan, terminal)
    return run


def resume_run(
    project: Project,
    study: Study,
    run_id: str | None,
    terminal: Terminal,
    *,
    anyway: bool,
    plan: Plan,
) -> Run:
    """Go on with a run where its journal ends.

    Raises
    ------
    RunDirectoryError
        If there is none, it is in use, or commit, sources or machine are not what they were
        (unless `anyway`).
    """
    store = RunStore(project.root)
    run = store.open(run_id) if run_id is not None else store.latest(study.name)
    if run is None:
        raise RunDirectoryError(
            f"There is no run of {study.name!r} to resume.", f"Start one: bakeoff run {study.name}"
        )
    if run.header.study != study.name:
        raise RunDirectoryError(f"{run.header.id} is a run of {run.header.study!r}.")
    differences = differences_since(project, run.header).all
    if not anyway:
        refuse(run.header, differences, "Resuming", "--resume --anyway")
    workloads = load_workloads(project, study)
    for cell in run.header.cells:
        require_workload(workloads, study.name, cell.workload)
    terminal.note(f"run {run.header.id}: resumed")
    resumed = EventRecord(kind="resumed", at=_now(), text="; ".join(["resumed", *differences]))
    _measure(project, run, workloads, plan, terminal, resumed)
    return run


def _measure(
    project: Project,
    run: Run,
    workloads: dict[str, type[Workload]],
    plan: Plan,
    terminal: Terminal,
    first_event: EventRecord | None = None,
) -> None:
    deadline = None if plan.budget_s is None else time.monotonic() + plan.budget_s
    with run.journal, progress_on(terminal.err) as progress:
        contents = run.journal.read()
        for warning in contents.warnings:
            terminal.warn(warning)
            run.journal.append(EventRecord(kind="warning", at=_now(), text=warning))
        if not available_cpus() and not contents.records:
            text = "This system cannot pin processes to a CPU, so intervals are wider than need be."
            terminal.warn(text)
            run.journal.append(EventRecord(kind="warning", at=_now(), text=text))
        if first_event is not None:
            run.journal.append(first_event)
        session = Session(
            project.root,
            run.header,
            workloads,
            run.journal,
            list(contents.records),
            progress,
            deadline,
        )
        try:
            is_complete = session.run()
        except KeyboardInterrupt:
            run.journal.append(EventRecord(kind="interrupted", at=_now(), text="by the user"))
            raise Interrupted(
                f"Interrupted; everything measured so far is in {run.path}.",
                f"Go on: bakeoff run {run.header.study} --resume",
            ) from None
        kind, text = (
            ("finished", "") if is_complete else ("stopped", f"budget of {plan.budget_s:g} s spent")
        )
        run.journal.append(EventRecord(kind=kind, at=_now(), text=text))
        if not is_complete:
            terminal.warn(f"{text}; go on: bakeoff run {run.header.study} --resume")


def _header(
    project: Project,
    study: Study,
    plan: Plan,
    workloads: dict[str, type[Workload]],
    terminal: Terminal,
) -> RunHeader:
    require_preset(workloads.values(), plan.preset, where=f"benchmarks/{study.name}.py")
    cells = {name: cells_of(workload, plan.preset) for name, workload in workloads.items()}
    if not any(cells.values()):
        raise BakeoffError(
            f"There is nothing to measure: the preset {plan.preset!r} leaves out {', '.join(workloads)}.",
            f"Choose another one: --preset {FULL}.",
        )
    if plan.baseline is None:
        baseline = baseline_of(project, study, terminal)
    else:
        baseline = study.require_implementation(plan.baseline)
    implementations = _chosen_implementations(study, plan.implementations, baseline)
    commit, is_dirty = commit_of(project.root)
    now = datetime.now(UTC)
    return RunHeader(
        id=new_run_id(study.name, now),
        study=study.name,
        preset=plan.preset,
        baseline=baseline,
        implementations=implementations,
        cells=tuple(
            Cell(
                name,
                dict(params),
                workload.time_limit_s,
                {quantile_metric(quantile): quantile for quantile in workload.quantiles},
                tuple(workload.counts),
                settings_of(workload, plan.settings),
                workload.floor is not None,
            )
            for name, workload in workloads.items()
            for params in cells[name]
        ),
        looks=plan.looks,
        alpha=ALPHA,
        margin=MARGIN,
        seed=secrets.randbits(31) if plan.seed is None else plan.seed,
        round_budget_s=ROUND_BUDGET_S,
        measures_memory=plan.measures_memory,
        commit=commit,
        dirty=is_dirty,
        sources_digest=sources_digest(project.sources(study.name)),
        machine=describe_machine(),
        bakeoff=__version__,
        started_at=now.isoformat(timespec="seconds"),
    )


def _require_look(max_rounds: int | None) -> int | None:
    if max_rounds is not None:
        try:
            Rules.looks_up_to(max_rounds)
        except ValueError as error:
            raise BakeoffError(
                f"--max-rounds {max_rounds} is no round at which verdicts are taken.", str(error)
            ) from error
    return max_rounds


def _chosen_workloads(
    workloads: dict[str, type[Workload]], study: Study, plan: Plan
) -> dict[str, type[Workload]]:
    if not plan.workloads:
        return workloads
    return {name: require_workload(workloads, study.name, name) for name in plan.workloads}


def _measurable_workloads(
    workloads: dict[str, type[Workload]], plan: Plan
) -> dict[str, type[Workload]]:
    """Without those that need a setting which is not given; an error if there is no other."""
    missing = {
        name: [one for one in workload.required_settings if one not in plan.settings]
        for name, workload in workloads.items()
    }
    measurable = {name: one for name, one in workloads.items() if not missing[name]}
    if not measurable:
        needed = "; ".join(f"{name} needs --{' and --'.join(missing[name])}" for name in missing)
        raise BakeoffError("There is nothing to measure.", f"{needed}.")
    return measurable


def _chosen_implementations(study: Study, names: Iterable[str], baseline: str) -> tuple[str, ...]:
    """The baseline first, then the others in the order of their names."""
    asked = [study.require_implementation(name) for name in names] or study.implementations
    return (baseline, *sorted(set(asked) - {baseline}))


def _studies(project: Project, names: Sequence[str] | None, run_id: str | None) -> Sequence[str]:
    if run_id is not None:
        return [RunStore(project.root).open(run_id).header.study]
    if names:
        return [project.study(name).name for name in names]
    found = [name for name in project.studies() if project.study(name).suite.is_file()]
    if not found:
        raise BakeoffError(
            "There is no study with a suite.",
            "A study has impls/<study>/ and benchmarks/<study>.py.",
        )
    return found


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

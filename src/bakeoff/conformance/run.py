"""Every implementation against every check, each implementation in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import msgspec

from bakeoff.conformance.child import Child
from bakeoff.conformance.outcomes import (
    CheckResult,
    ConformanceRecord,
    Failed,
    Outcome,
    Skipped,
    is_capability,
)
from bakeoff.errors import LoadError
from bakeoff.results.provenance import sources_digest
from bakeoff.study.project import Project, Study

WORKER = "bakeoff.conformance.worker"


def run_checks(
    project: Project,
    study: Study,
    implementations: Sequence[str] | None = None,
    timeout_s: float = 120.0,
    on_result: Callable[[CheckResult], None] | None = None,
) -> ConformanceRecord:
    """Check implementations of a study, one process after the other.

    Parameters
    ----------
    project : Project
        Where the study lies.
    study : Study
        What is checked.
    implementations : sequence of str, optional
        Which ones; all by default.
    timeout_s : float
        How long all checks of one implementation may take together.
    on_result : callable, optional
        Told each result as it comes.

    Returns
    -------
    ConformanceRecord
        One result for each implementation and check, whatever happens: an implementation that
        cannot be imported fails all of them, one that crashes or hangs fails the check it was in
        and the ones that were not run.

    Raises
    ------
    NotFoundError
        If an implementation does not exist.
    LoadError
        If the checks themselves cannot be imported.
    """
    chosen = study.implementations if implementations is None else tuple(implementations)
    for implementation in chosen:
        study.require_implementation(implementation)
    results: list[CheckResult] = []
    for implementation in chosen:
        for result in check_implementation(project, study, implementation, timeout_s):
            results.append(result)
            if on_result is not None:
                on_result(result)
    return ConformanceRecord(
        study=study.name,
        at=datetime.now().astimezone().isoformat(timespec="seconds"),
        sources_digest=sources_digest(project.sources(study.name)),
        results=tuple(results),
    )


class _Line(msgspec.Struct):
    """What the checking process tells; see `bakeoff.conformance.worker` for what each kind means."""

    kind: str
    check: str = ""
    checks: tuple[tuple[str, str], ...] = ()
    outcome: Outcome | None = None
    reason: str = ""
    detail: str = ""
    what: str = ""
    next_step: str | None = None


def check_implementation(
    project: Project, study: Study, implementation: str, timeout_s: float
) -> Iterator[CheckResult]:
    """All checks of one implementation, in order; one result for each, whatever happens."""
    promises: dict[str, str] = {}
    done: set[str] = set()
    running: str | None = None
    everything: Failed | None = None
    arguments = (str(project.root), study.name, implementation)
    with Child(WORKER, arguments, project.root, timeout_s) as child:
        for raw in child.lines():
            line = msgspec.json.decode(raw, type=_Line)
            if line.kind == "unusable":
                raise LoadError(line.what, line.next_step)
            if line.kind == "checks":
                promises = dict(line.checks)
            elif line.kind == "started":
                running = line.check
            elif line.kind == "ended" and line.outcome is not None:
                done.add(line.check)
                running = None
                yield CheckResult(implementation, line.check, promises[line.check], line.outcome)
            elif line.kind == "refused":
                everything = Failed(line.reason, line.detail)
            elif line.kind == "finished":
                return
        if everything is None:
            where = "in this check" if running else "between checks" if done else "at its import"
            everything = _why_it_ended(child, where, timeout_s)
        if not promises:
            raise LoadError(
                f"The checks of {study.name!r} could not be read: {everything.reason}.",
                f"Try: python -c 'import impls.{study.name}.conformance'",
            )
    for check, promise in promises.items():
        if check not in done:
            outcome: Outcome = everything
            if running is not None and check != running:
                reason = f"not run: {running}: {everything.reason}"
                # What nobody asked about is not something that cannot be done.
                outcome = Skipped(reason) if is_capability(check) else Failed(reason)
            yield CheckResult(implementation, check, promise, outcome)


def _why_it_ended(child: Child, where: str, timeout_s: float) -> Failed:
    """The reason why a process has not finished."""
    if child.timed_out:
        reason = f"did not return within {timeout_s:g} s, {where}"
    else:
        reason = f"{child.how_it_ended()}, {where}"
    return Failed(reason, child.stderr_tail())

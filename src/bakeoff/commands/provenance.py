"""Is a run from here and now? Rounds of two machines or two commits must not be mixed unasked."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.errors import RunDirectoryError
from bakeoff.results.machine import describe_machine
from bakeoff.results.provenance import commit_of, sources_digest
from bakeoff.results.records import RunHeader
from bakeoff.study import Project


@dataclass(frozen=True, slots=True)
class Differences:
    """What has changed since a run began, each as half a sentence."""

    origin: tuple[str, ...]
    """Another machine, another commit."""
    sources: tuple[str, ...]
    """The same commit, but files that decide what is measured have been edited."""

    @property
    def all(self) -> tuple[str, ...]:
        """Both kinds."""
        return self.origin + self.sources


def differences_since(project: Project, header: RunHeader) -> Differences:
    """Compare where a run was made with here and now."""
    origin = []
    if describe_machine().fingerprint != header.machine.fingerprint:
        machine = header.machine
        origin.append(f"it is from another machine ({machine.cpu}, Python {machine.python})")
    commit, _ = commit_of(project.root)
    if commit != header.commit:
        origin.append(f"it is from commit {_short(header.commit)}, here is {_short(commit)}")
    is_edited = sources_digest(project.sources(header.study)) != header.sources_digest
    sources = ("the sources that it measured have changed since",) if is_edited else ()
    return Differences(tuple(origin), sources)


def refuse(header: RunHeader, differences: tuple[str, ...], what: str, insist: str) -> None:
    """Raise if there are differences.

    Raises
    ------
    RunDirectoryError
        Naming them, and how to insist.
    """
    if differences:
        raise RunDirectoryError(
            f"{what} {header.id} is refused: {'; '.join(differences)}.",
            f"Measure anew: bakeoff run {header.study}; or insist: {insist}",
        )


def _short(commit: str | None) -> str:
    return "no commit" if commit is None else commit[:10]

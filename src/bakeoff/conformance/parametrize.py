"""The same checks as tests: one pytest case for each implementation and check of a study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.conformance.checks import Check, checks_of
from bakeoff.study.loading import load_conformance, load_implementation
from bakeoff.study.project import Project, Study

if TYPE_CHECKING:
    import pytest


@dataclass(frozen=True, slots=True)
class Case:
    """One check of one implementation, run in the test's own process."""

    project: Project
    study: Study
    implementation: str
    check: Check

    def verify(self) -> None:
        """Raise what the check raises.

        The implementation is imported here, so that one that cannot be is a failing test and not a
        collection that fails.
        """
        self.check.function(
            load_implementation(self.project, self.study, self.implementation).create
        )

    def __str__(self) -> str:
        return f"{self.implementation}-{self.check.name}"


def cases_of(project: Project, study: Study) -> Iterator[Case]:
    """Every implementation with every check that binds it."""
    checks = checks_of(load_conformance(project, study))
    for implementation in study.implementations:
        for check in checks:
            if not check.is_capability:
                yield Case(project, study, implementation, check)


def conformance_cases(study: str, start: Path | str | None = None) -> pytest.MarkDecorator:
    """A decorator that gives a test each `Case` of a study as its argument ``case``.

    Parameters
    ----------
    study : str
        Name of the study.
    start : path, optional
        A file or folder of the project; the working directory by default.

    Examples
    --------
    ::

        @conformance_cases("snapshot", __file__)
        def test_the_promise_is_kept(case):
            case.verify()
    """
    # Only tests have pytest; the harness does not depend on it.
    import pytest

    project = Project.find(Path.cwd() if start is None else Path(start))
    cases = list(cases_of(project, project.study(study)))
    return pytest.mark.parametrize("case", cases, ids=str)

"""The checking process: all checks of one implementation, told line by line as they end.

Run as ``python -m bakeoff.conformance.worker PROJECT STUDY IMPLEMENTATION``. What was stdout becomes
the private pipe; whatever the subject prints goes to stderr, so that it cannot garble an answer.

===========  =======================================================================
line         meaning
===========  =======================================================================
``checks``   the study's checks: name and promise of each
``unusable``  the checks themselves cannot be imported: nobody can be checked
``started``  the named check begins; if no ``ended`` follows, it crashed or hangs
``ended``    its outcome
``refused``  the implementation cannot be imported, so every check fails for it
``finished`` nothing is missing
===========  =======================================================================
"""

from __future__ import annotations

import faulthandler
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from bakeoff.conformance.checks import checks_of, describe, verify
from bakeoff.errors import LoadError
from bakeoff.study.lifetime import die_with_parent
from bakeoff.study.loading import load_conformance, load_implementation
from bakeoff.study.project import Project


def main(root: str, study_name: str, implementation: str) -> None:
    """Check one implementation and report on the pipe."""
    die_with_parent()
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    faulthandler.enable()

    def tell(kind: str, **facts: Any) -> None:
        pipe.write(msgspec.json.encode({"kind": kind, **facts}) + b"\n")

    project = Project(Path(root))
    study = project.study(study_name)
    try:
        checks = checks_of(load_conformance(project, study))
    except LoadError as error:
        tell("unusable", what=error.what, next_step=error.next_step)
        return
    tell("checks", checks=[(check.name, check.promise) for check in checks])
    try:
        create = load_implementation(project, study, implementation).create
    except LoadError as error:
        tell("refused", reason=error.what, detail=describe(error.__cause__ or error))
        return
    for check in checks:
        tell("started", check=check.name)
        tell("ended", check=check.name, outcome=verify(check, create))
    tell("finished")


if __name__ == "__main__":
    main(*sys.argv[1:])

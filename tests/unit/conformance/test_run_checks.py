"""Checks run in processes of their own: whatever a subject does, no result is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.conformance import CheckResult, Failed, Passed, Skipped, run_checks
from bakeoff.errors import LoadError, NotFoundError
from bakeoff.study.project import Project

CHECKS = '''
    """What an `is_even` promises."""
    import unittest


    def check_two_is_even(create):
        """Two is even."""
        seen = create()(2)
        assert seen is True, f"is_even(2): expected True, saw {seen!r}"


    def check_one_is_odd(create):
        """One is not even.

        More about it.
        """
        assert create()(1) is False


    def check_minus_two(create):
        raise unittest.SkipTest("negative numbers are not promised")


    def helper(create):
        raise RuntimeError("not a check")
'''

RIGHT = """
    def create():
        return lambda number: number % 2 == 0
"""


def outcomes(project: Project, timeout_s: float = 30.0) -> dict[tuple[str, str], object]:
    record = run_checks(project, project.study("parity"), timeout_s=timeout_s)
    return {(result.implementation, result.check): result.outcome for result in record.results}


def failure(found: object) -> Failed:
    assert isinstance(found, Failed), found
    return found


def test_every_implementation_is_held_against_every_check(
    make_project: Callable[..., Project],
) -> None:
    project = make_project(CHECKS, right=RIGHT, yes="def create(): return lambda number: True")
    found = outcomes(project)
    assert found["right", "check_two_is_even"] == Passed()
    assert found["right", "check_one_is_odd"] == Passed()
    assert found["yes", "check_two_is_even"] == Passed()
    assert "create()(1) is False" in failure(found["yes", "check_one_is_odd"]).reason
    assert len(found) == 6


def test_a_failed_check_says_what_was_expected_and_what_was_seen(
    make_project: Callable[..., Project],
) -> None:
    project = make_project(CHECKS, no="def create(): return lambda number: False")
    found = failure(outcomes(project)["no", "check_two_is_even"])
    assert found.reason == "is_even(2): expected True, saw False"
    assert "conformance.py" in found.detail


def test_a_promise_is_the_first_line_of_the_docstring_or_the_name(
    make_project: Callable[..., Project],
) -> None:
    project = make_project(CHECKS, right=RIGHT)
    record = run_checks(project, project.study("parity"))
    assert [result.promise for result in record.results] == [
        "Two is even.",
        "One is not even.",
        "Minus two",
    ]


def test_a_check_may_say_that_it_does_not_apply(make_project: Callable[..., Project]) -> None:
    found = outcomes(make_project(CHECKS, right=RIGHT))
    assert found["right", "check_minus_two"] == Skipped("negative numbers are not promised")


def test_what_is_not_an_assertion_fails_by_its_type(make_project: Callable[..., Project]) -> None:
    project = make_project(
        CHECKS,
        leaves="def create(): raise SystemExit(3)",
        raises="def create(): raise KeyError('two')",
    )
    found = outcomes(project)
    assert failure(found["raises", "check_two_is_even"]).reason == "KeyError: 'two'"
    assert failure(found["leaves", "check_two_is_even"]).reason == "SystemExit: 3"
    assert failure(found["leaves", "check_one_is_odd"]).reason == "SystemExit: 3"


def test_an_implementation_that_cannot_be_imported_fails_every_check_with_the_reason(
    make_project: Callable[..., Project],
) -> None:
    project = make_project(CHECKS, broken="1 / 0", right=RIGHT, without="x = 1")
    found = outcomes(project)
    for check in ("check_two_is_even", "check_one_is_odd", "check_minus_two"):
        assert "ZeroDivisionError" in failure(found["broken", check]).reason
        assert "no function 'create'" in failure(found["without", check]).reason
    assert "broken.py" in failure(found["broken", "check_two_is_even"]).detail
    assert found["right", "check_two_is_even"] == Passed()


def test_a_crash_fails_its_check_and_the_ones_not_run_and_nobody_else(
    make_project: Callable[..., Project],
) -> None:
    crash = """
        import os, sys

        def create():
            def is_even(number):
                if number == 1:
                    print("about to fall", file=sys.stderr)
                    sys.stderr.flush()
                    os.abort()
                return True
            return is_even
    """
    found = outcomes(make_project(CHECKS, crash=crash, right=RIGHT))
    assert found["crash", "check_two_is_even"] == Passed()
    fallen = failure(found["crash", "check_one_is_odd"])
    assert fallen.reason == "the process was killed by SIGABRT, in this check"
    assert "about to fall" in fallen.detail
    not_run = failure(found["crash", "check_minus_two"]).reason
    assert not_run.startswith("not run: check_one_is_odd: the process was killed")
    assert found["right", "check_minus_two"] == Skipped("negative numbers are not promised")


def test_a_process_that_leaves_in_the_middle_of_its_import_is_a_failure(
    make_project: Callable[..., Project],
) -> None:
    found = outcomes(make_project(CHECKS, leaver="import os; os._exit(0)"))
    reason = failure(found["leaver", "check_two_is_even"]).reason
    assert reason == "the process ended with exit code 0, at its import"


def test_a_check_that_never_returns_is_stopped_at_the_limit(
    make_project: Callable[..., Project],
) -> None:
    hang = """
        import time

        def create():
            return lambda number: number == 2 or time.sleep(600)
    """
    found = outcomes(make_project(CHECKS, hang=hang), timeout_s=1.5)
    assert found["hang", "check_two_is_even"] == Passed()
    assert failure(found["hang", "check_one_is_odd"]).reason == (
        "did not return within 1.5 s, in this check"
    )
    assert failure(found["hang", "check_minus_two"]).reason.startswith("not run: check_one_is_odd")


def test_a_process_that_the_subject_leaves_behind_does_not_hold_the_result_up(
    make_project: Callable[..., Project],
) -> None:
    forks = """
        import os, time

        def create():
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
            os._exit(7)
    """
    start = time.monotonic()
    found = outcomes(make_project(CHECKS, forks=forks))
    assert time.monotonic() - start < 15
    reason = failure(found["forks", "check_two_is_even"]).reason
    assert reason == "the process ended with exit code 7, in this check"


def test_what_a_subject_prints_does_no_harm(make_project: Callable[..., Project]) -> None:
    chatty = """
        import os
        print('{"kind": "finished"}')
        os.write(1, b'{"kind": "finished"}\\n')

        def create():
            print("x" * 200_000)
            return lambda number: number % 2 == 0
    """
    found = outcomes(make_project(CHECKS, chatty=chatty))
    assert found["chatty", "check_one_is_odd"] == Passed()


def test_results_are_told_as_they_come(make_project: Callable[..., Project]) -> None:
    project = make_project(CHECKS, right=RIGHT)
    told: list[CheckResult] = []
    record = run_checks(project, project.study("parity"), on_result=told.append)
    assert tuple(told) == record.results


def test_only_the_named_implementations_are_checked(make_project: Callable[..., Project]) -> None:
    project = make_project(CHECKS, broken="1 / 0", right=RIGHT)
    record = run_checks(project, project.study("parity"), ["right"])
    assert {result.implementation for result in record.results} == {"right"}
    with pytest.raises(NotFoundError, match="Did you mean 'right'"):
        run_checks(project, project.study("parity"), ["rihgt"])


def test_checks_that_cannot_be_imported_are_a_broken_set_up(
    make_project: Callable[..., Project],
) -> None:
    project = make_project("import nowhere_to_be_found", right=RIGHT)
    with pytest.raises(LoadError, match="nowhere_to_be_found"):
        run_checks(project, project.study("parity"))


def test_a_conformance_module_without_checks_does_not_pass_for_green(
    make_project: Callable[..., Project],
) -> None:
    project = make_project('"""Nothing yet."""', right=RIGHT)
    with pytest.raises(LoadError, match="holds no check"):
        run_checks(project, project.study("parity"))


def test_interrupting_ends_the_checking_process_too(
    make_project: Callable[..., Project], tmp_path: Path
) -> None:
    waits = f"""
        import os, pathlib, time
        pathlib.Path({str(tmp_path / "pid")!r}).write_text(str(os.getpid()))
        time.sleep(600)
    """
    project = make_project(CHECKS, waits=waits)
    script = (
        "from pathlib import Path\n"
        "from bakeoff.conformance import run_checks\n"
        "from bakeoff.study.project import Project\n"
        f"project = Project(Path({str(project.root)!r}))\n"
        "run_checks(project, project.study('parity'))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    pid_file = tmp_path / "pid"
    deadline = time.monotonic() + 20
    while not (pid_file.exists() and pid_file.read_text()):
        assert time.monotonic() < deadline, "the checking process did not start"
        time.sleep(0.02)
    parent.send_signal(signal.SIGINT)
    parent.wait(timeout=10)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_a_capability_is_found_out_like_a_promise_and_binds_nobody(
    make_project: Callable[..., Project],
) -> None:
    checks = (
        CHECKS
        + '''

    def capability_minus_two(create):
        """Negative numbers are told."""
        assert create()(-2) is True
'''
    )
    project = make_project(
        checks, right=RIGHT, positive="def create(): return lambda n: n in (2, 4)"
    )
    record = run_checks(project, project.study("parity"))
    found = {
        (result.implementation, result.check): type(result.outcome)
        for result in record.results
        if result.is_capability
    }
    assert found == {
        ("right", "capability_minus_two"): Passed,
        ("positive", "capability_minus_two"): Failed,
    }
    assert not record.has_failures


def test_a_study_promises_something(make_project: Callable[..., Project]) -> None:
    project = make_project("def capability_two(create):\n    pass\n", right=RIGHT)
    with pytest.raises(LoadError, match="holds no check"):
        run_checks(project, project.study("parity"))

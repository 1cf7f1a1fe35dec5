"""The study's checks as pytest cases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from bakeoff.study.project import Project

CONFORMANCE = '''
    import unittest

    def check_two_is_even(create):
        """Two is even."""
        assert create()(2) is True

    def check_three(create):
        raise unittest.SkipTest("not promised")
'''

TESTS = """
from bakeoff.conformance import conformance_cases

@conformance_cases("parity", __file__)
def test_the_promise_is_kept(case):
    case.verify()
"""


def test_each_implementation_and_check_is_a_test_of_its_own(
    make_project: Callable[..., Project],
) -> None:
    project = make_project(
        CONFORMANCE,
        broken="1 / 0",
        no="def create(): return lambda number: False",
        yes="def create(): return lambda number: True",
    )
    (project.root / "test_parity.py").write_text(TESTS)
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "test_parity.py"],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = dict(
        line.removeprefix("test_parity.py::test_the_promise_is_kept").split()[:2]
        for line in finished.stdout.splitlines()
        if line.startswith("test_parity.py::") and "%]" in line
    )
    # One that cannot be imported is a failing test, not a collection that fails.
    assert lines == {
        "[broken-check_two_is_even]": "FAILED",
        "[broken-check_three]": "FAILED",
        "[no-check_two_is_even]": "FAILED",
        "[no-check_three]": "SKIPPED",
        "[yes-check_two_is_even]": "PASSED",
        "[yes-check_three]": "SKIPPED",
    }

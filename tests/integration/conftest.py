"""A small project of its own: sums of numbers, with implementations that can be told to misbehave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SUITE = '''
    """Sums."""

    from bakeoff import Suite


    class Add(Suite):
        """Add up the first numbers."""

        parameters = {"size": (2000, 4000)}
        presets = {"quick": {"size": (2000,)}}
        time_limit_s = 1.5

        def prepare(self, seed, *, size):
            return list(range(seed, seed + size))

        def run(self, create, given):
            return create()(given)
'''

CONFORMANCE = '''
    """The promise of a sum."""


    def check_nothing_adds_up_to_zero(create):
        """Nothing adds up to zero."""
        assert create()([]) == 0


    def check_the_order_of_numbers_is_irrelevant(create):
        """The order of numbers is irrelevant."""
        assert create()([1, 2]) == create()([2, 1])
'''

REPORT = """
    title = "Sums"
    question = "How should numbers be added?"
    study = "sums"
    baseline = "loop"

    [[claim]]
    text = "The built-in sum is at least twice as fast as a loop"
    arm = "builtin"
    check = "ratio <= 1/2"
    where = { workload = "add" }
"""

LOOP = '''
    """A loop."""


    def create():
        def add(numbers):
            total = 0
            for number in numbers:
                total += number
            return total

        return add
'''


def implementation(body: str, label: str = "Another way.") -> str:
    """A module whose factory returns a function of `numbers` with this body."""
    indented = textwrap.indent(textwrap.dedent(body).strip(), "        ")
    return (
        f'"""{label}"""\n\n\ndef create():\n    def add(numbers):\n{indented}\n\n    return add\n'
    )


@dataclass(frozen=True)
class Toy:
    """A project in a temporary folder, driven through its command line."""

    root: Path

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
        return target

    def implement(self, name: str, text: str) -> None:
        self.write(f"impls/sums/{name}.py", text)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "bakeoff", *arguments],
            cwd=self.root,
            env=os.environ | {"COLUMNS": "100"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, expect: int = 0, **environment: str) -> tuple[str, str]:
        """Standard output and error of one command, which must end with the expected exit code."""
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=240)
        assert process.returncode == expect, f"exit code {process.returncode}\n{out}\n{err}"
        return out, err

    def journals(self) -> list[Path]:
        return sorted((self.root / ".bakeoff" / "runs").glob("*/journal.jsonl"))

    def records(self, kind: str) -> list[dict[str, Any]]:
        """What the only run's journal holds of one kind; a torn last line is left out."""
        (journal,) = self.journals()
        lines = journal.read_text(encoding="utf-8").split("\n")[:-1]
        return [record for record in map(json.loads, lines) if record["type"] == kind]

    def wait_for_rounds(self, count: int, process: subprocess.Popen[str]) -> None:
        """Wait until the running command has written so many rounds."""
        for _ in range(1200):
            if self.journals() and len(self.records("round")) >= count:
                return
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        raise AssertionError(f"no {count} rounds within a minute")

    def report(self, name: str = "sums") -> dict[str, Any]:
        content: dict[str, Any] = json.loads(
            (self.root / f"reports/{name}/report.json").read_text(encoding="utf-8")
        )
        return content


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """Two sound implementations: `loop`, the baseline, and `builtin`."""
    project = Toy(tmp_path / "project")
    for package in ("impls", "impls/sums", "benchmarks"):
        project.write(f"{package}/__init__.py", "")
    project.write("impls/sums/interface.py", '"""Add numbers."""\n')
    project.write("impls/sums/conformance.py", CONFORMANCE)
    project.write("benchmarks/sums.py", SUITE)
    project.write("reports/sums.toml", REPORT)
    project.implement("loop", LOOP)
    project.implement("builtin", implementation("return sum(numbers)", "What Python has."))
    return project


@pytest.fixture
def kill() -> Callable[[subprocess.Popen[str]], None]:
    """End a process without warning, and for certain."""

    def kill_process(process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)

    return kill_process

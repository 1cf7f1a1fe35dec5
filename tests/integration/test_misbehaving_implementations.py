"""What an implementation may do wrong, and that it costs nobody else their figures."""

from __future__ import annotations

import pytest

from .conftest import Toy, implementation

MISBEHAVIOUR = {
    "absent": ("import nothing_of_this_name\n", "nothing_of_this_name"),
    "leaves": (implementation("import os; os._exit(7)"), "exit code 7"),
    "segfaults": (
        implementation("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"),
        "SIGSEGV",
    ),
    "raises": (implementation("raise ValueError('no numbers today')"), "no numbers today"),
    "lies": (implementation("return sum(numbers) + 1"), "another answer"),
    "mutates": (
        implementation("numbers.append(0); return sum(numbers)"),
        "changed the input",
    ),
    "hangs": (implementation("import time; time.sleep(60)"), "did not finish in 1.5 s"),
    "mutates_later": (
        implementation(
            """
            numbers_seen.append(1)
            if len(numbers_seen) == 3:
                numbers.reverse()
            return sum(numbers)
            """
        ).replace("def create", "numbers_seen = []\n\n\ndef create"),
        "though not at first",
    ),
    "curious": (implementation("return int(input())"), "EOFError"),
    "surrogate": (implementation("raise ValueError('\\udcff')"), "ValueError"),
    "quits": (implementation("import sys; sys.exit(0)"), "SystemExit"),
    "uncreative": ('"""No factory."""\n', "create"),
    "starves": (implementation("raise MemoryError"), "MemoryError"),
}


@pytest.mark.slow
def test_each_misbehaviour_is_a_row_with_its_reason_and_the_others_are_measured(toy: Toy) -> None:
    for name, (text, _) in MISBEHAVIOUR.items():
        toy.implement(name, text)
    toy.implement(
        "chatty",
        implementation('print(\'{"kind": "turn"}\', flush=True); return sum(numbers)'),
    )
    toy.run("run")
    toy.run("report")
    cells = {(cell["implementation"], cell["metric"]): cell for cell in toy.report()["cells"]}
    for name, (_, reason) in MISBEHAVIOUR.items():
        row = cells[name, "time"]
        assert reason in row["reason"], row
        if name == "hangs":
            # Not failed but bounded: it may be slow rather than wrong.
            assert row["verdict"] == "slower"
            assert row["interval"][0] > 1
            assert row["interval"][1] is None
        else:
            assert row["verdict"] == "failed", row
            assert row["ratio"] is None
    assert cells["builtin", "time"]["verdict"] == "faster"
    assert cells["chatty", "time"]["ratio"] is not None
    assert cells["builtin", "allocated_bytes"]["value"] > 0


def test_a_broken_baseline_fails_every_row_and_says_why(toy: Toy) -> None:
    toy.implement("loop", "import nothing_of_this_name\n")
    toy.run("run", "--no-memory")
    toy.run("report")
    for cell in toy.report()["cells"]:
        assert cell["verdict"] == "failed"
        assert "nothing_of_this_name" in cell["reason"]

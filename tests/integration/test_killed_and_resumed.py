"""A run that is killed loses nothing, and goes on where it stopped."""

from __future__ import annotations

import json
import signal
import textwrap
import time
from collections import Counter
from typing import Any

import psutil

from .conftest import LOOP, SUITE, Toy, implementation


def test_after_kill_9_no_round_is_lost_and_none_counts_twice(toy: Toy, kill: Any) -> None:
    process = toy.start("run", "--preset", "full", "--no-memory", "--seed", "5")
    toy.wait_for_rounds(3, process)
    kill(process)
    before = toy.records("round")
    toy.run("run", "--resume")
    after = toy.records("round")
    assert after[: len(before)] == before
    counts = Counter((record["cell"], record["attempt"], record["round"]) for record in after)
    assert set(counts.values()) == {1}
    for cell in ("add[size=2000]", "add[size=4000]"):
        kept = [r for r in after if r["cell"] == cell and r["discarded"] is None]
        assert len(kept) >= 10
    toy.run("report")
    assert any("resumed" in warning.lower() for warning in toy.report()["trust"]["warnings"])


def test_a_torn_last_line_is_dropped_with_a_warning(toy: Toy, kill: Any) -> None:
    process = toy.start("run", "--no-memory")
    toy.wait_for_rounds(2, process)
    kill(process)
    (journal,) = toy.journals()
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])
    _, err = toy.run("run", "--resume")
    assert "torn" in err
    assert len(toy.records("round")) >= 8


def test_ctrl_c_saves_what_was_measured_and_says_how_to_go_on(toy: Toy) -> None:
    process = toy.start("run", "--no-memory")
    toy.wait_for_rounds(1, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "bakeoff run sums --resume" in err
    assert [record["kind"] for record in toy.records("event")] == ["interrupted"]
    toy.run("run", "--resume")
    assert len(toy.records("round")) >= 8


def test_a_run_of_other_sources_is_not_resumed_unless_asked(toy: Toy, kill: Any) -> None:
    process = toy.start("run", "--no-memory")
    toy.wait_for_rounds(1, process)
    kill(process)
    toy.implement("loop", LOOP + "\n    # edited\n")
    _, err = toy.run("run", "--resume", expect=2)
    assert "the sources that it measured have changed" in err
    assert "--anyway" in err
    toy.run("run", "--resume", "--anyway")


def test_a_run_of_another_machine_is_not_resumed_unless_asked(toy: Toy, kill: Any) -> None:
    process = toy.start("run", "--no-memory")
    toy.wait_for_rounds(1, process)
    kill(process)
    (journal,) = toy.journals()
    header = journal.with_name("run.json")
    content = json.loads(header.read_text(encoding="utf-8"))
    content["machine"]["fingerprint"] = "of another machine"
    header.write_text(json.dumps(content), encoding="utf-8")
    _, err = toy.run("run", "--resume", expect=2)
    assert "another machine" in err
    toy.run("report", expect=2)


def test_the_measuring_processes_die_with_a_killed_run(toy: Toy, kill: Any) -> None:
    toy.implement("sleeper", implementation("import time; time.sleep(120)"))
    toy.write(
        "benchmarks/sums.py",
        textwrap.dedent(SUITE).replace("time_limit_s = 1.5", "time_limit_s = 100"),
    )
    process = toy.start("run", "--no-memory")
    deadline = time.monotonic() + 30
    while not (workers := psutil.Process(process.pid).children()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1.0)  # until they are told to begin
    kill(process)
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert alive == []


def test_two_runs_never_write_one_journal(toy: Toy, kill: Any) -> None:
    process = toy.start("run", "--no-memory")
    toy.wait_for_rounds(1, process)
    _, err = toy.run("run", "--resume", expect=2)
    assert "is writing this journal" in err
    kill(process)

"""``bakeoff doctor`` on the machine that runs the tests, whatever it is."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.commands.doctor import document, floor_lines, judge_machine, last_line, next_command
from bakeoff.measurement.fitness_reading import Finding
from bakeoff.measurement.noise_floor import NoiseFloor, summarize
from bakeoff.results.records import CONTROL_ARM, ArmRound, Batch, Cell, RoundRecord

GOOD = Finding("clock", "ok", "fast")
BAD = Finding("clock source", "problem", "hpet: slow to read", "Boot with another.")


def doctor(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bakeoff", "doctor", *arguments],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def a_floor(*, detectable: dict[int, float | None], failure: str | None = None) -> NoiseFloor:
    return NoiseFloor(
        control=None,
        rounds=10,
        discards={},
        spread=math.nan,
        round_s=2.0,
        detectable=detectable,
        failure=failure,
    )


def a_round(number: int, *, discarded: str | None) -> RoundRecord:
    """One second of two copies that take the same."""
    turns = ArmRound(probe_s=0.001, batches=(Batch(0.005, 0.005, 0.0, 0, 0),), answer="a")
    return RoundRecord(
        cell="spin",
        attempt=1,
        round=number,
        seed=number,
        cpus=(0,),
        started_at=0.0,
        duration_s=1.0,
        arms={"spin": turns, CONTROL_ARM: turns},
        discarded=discarded,
    )


def test_discarded_rounds_are_told_and_paid_for_by_those_that_are_kept() -> None:
    reason = "contended: in 90% of its blocks an arm waited for its CPU"
    records = [a_round(number, discarded=reason if number % 2 else None) for number in range(20)]
    floor = summarize(Cell("spin", {}, 20.0), records, 10)
    assert (floor.rounds, floor.round_s) == (10, 2.0)
    assert "10 rounds kept, discarded: 10 contended" in floor_lines(floor)[0]


def test_outside_a_project_it_says_what_it_sees_and_what_to_do(tmp_path: Path) -> None:
    finished = doctor(tmp_path, "--no-noise")
    assert finished.returncode in (0, 1), finished.stderr
    assert "clock source" in finished.stdout
    assert "Noise floor: not measured." in finished.stdout
    assert "\x1b" not in finished.stdout
    assert not list(tmp_path.iterdir()), "it leaves nothing behind"


def test_a_setting_that_slows_every_measuring_process_makes_a_machine_unfit(tmp_path: Path) -> None:
    finished = doctor(tmp_path, "--no-noise", "--json", PYTHONMALLOC="malloc_debug")
    content = json.loads(finished.stdout)
    assert (finished.returncode, content["verdict"], content["noise"]) == (1, "unfit", None)
    (interpreter,) = [one for one in content["findings"] if one["name"] == "interpreter"]
    assert interpreter["seen"] == "PYTHONMALLOC is set"


@pytest.mark.slow
def test_the_noise_floor_is_measured_by_real_rounds(tmp_path: Path) -> None:
    finished = doctor(tmp_path, "--rounds", "8", "--json", TMPDIR=str(tmp_path))
    content = json.loads(finished.stdout)
    assert content["schema"] == "bakeoff.doctor/1"
    assert content["verdict"] in ("fit", "noisy", "unfit")
    assert finished.returncode == (1 if content["verdict"] == "unfit" else 0)
    assert {finding["status"] for finding in content["findings"]} <= {
        "ok",
        "warning",
        "problem",
        "unknown",
    }
    noise = content["noise"]
    assert noise["failure"] is None
    # A busy machine may discard rounds; what it keeps is measured.
    assert noise["rounds"] + sum(noise["discards"].values()) >= 8
    assert "A/A round" in finished.stderr
    if noise["rounds"] >= 8:
        assert noise["interval"][0] <= noise["ratio"] <= noise["interval"][1]
        assert noise["spread"] > 0
        assert noise["half_width"] > 0
    assert not list(tmp_path.iterdir()), "it leaves nothing behind"


def test_fewer_rounds_than_an_interval_needs_are_refused(tmp_path: Path) -> None:
    assert doctor(tmp_path, "--rounds", "3").returncode == 2


def test_one_problem_is_enough_to_be_unfit_and_is_named() -> None:
    assert judge_machine([GOOD, BAD], None) == "unfit"
    assert "as it is: clock source." in last_line("unfit", [GOOD, BAD], None, "bakeoff run")


def test_a_machine_is_fit_if_it_can_tell_the_margin_and_noisy_if_it_cannot() -> None:
    told = {1: None, 5: 0.02, 15: 0.01}
    assert judge_machine([GOOD], a_floor(detectable=dict(told))) == "fit"
    assert judge_machine([GOOD], a_floor(detectable={1: 0.05, 5: 0.04, 15: 0.04})) == "noisy"
    assert judge_machine([GOOD], a_floor(detectable={1: None, 5: None, 15: None})) == "noisy"


def test_the_last_line_promises_no_more_minutes_than_the_change_needs() -> None:
    floor = a_floor(detectable={1: 0.02, 5: 0.012, 15: 0.012})
    assert last_line("fit", [GOOD], floor, "bakeoff run") == (
        "This machine can tell changes of about 1.2 % in 5 minutes. Next: bakeoff run"
    )


def test_the_next_command_takes_as_many_rounds_as_were_promised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    floor = a_floor(detectable={1: 0.012, 5: 0.02, 15: 0.02})
    # Thirty rounds of two seconds are a minute.
    assert next_command(floor) == "in your project's folder: bakeoff run --max-rounds 30"


def test_an_a_a_run_whose_processes_fail_is_unfit_and_says_why() -> None:
    floor = a_floor(detectable={1: None, 5: None, 15: None}, failure="crash: out of memory")
    assert judge_machine([GOOD], floor) == "unfit"
    assert "crash: out of memory" in floor_lines(floor)[-1]
    assert "the A/A run" in last_line("unfit", [GOOD], floor, "bakeoff run")


def test_what_is_not_known_is_null_and_never_nan() -> None:
    floor = a_floor(detectable={1: None, 5: None, 15: None})
    content = document([GOOD], floor, "noisy")
    json.dumps(content, allow_nan=False)
    assert content["noise"]["spread"] is None
    assert content["noise"]["interval"] is None

"""``bakeoff doctor`` on the machine that runs the tests, whatever it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def doctor(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bakeoff", "doctor", *arguments],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_outside_a_project_it_says_what_it_sees_and_what_to_do(tmp_path: Path) -> None:
    finished = doctor(tmp_path, "--no-noise")
    assert finished.returncode in (0, 1), finished.stderr
    assert "clock source" in finished.stdout
    assert "Noise floor: not measured." in finished.stdout
    assert not list(tmp_path.iterdir()), "it leaves nothing behind"


@pytest.mark.slow
def test_the_noise_floor_is_measured_by_real_rounds(tmp_path: Path) -> None:
    finished = doctor(tmp_path, "--rounds", "8", "--json")
    document = json.loads(finished.stdout)
    assert document["schema"] == "bakeoff.doctor/1"
    assert document["verdict"] in ("fit", "noisy", "unfit")
    assert finished.returncode == (1 if document["verdict"] == "unfit" else 0)
    assert {finding["status"] for finding in document["findings"]} <= {
        "ok",
        "warning",
        "problem",
        "unknown",
    }
    noise = document["noise"]
    # A busy machine may discard rounds; what it keeps is measured.
    assert noise["rounds"] + sum(noise["discards"].values()) >= 8
    assert "A/A round" in finished.stderr
    if noise["rounds"] >= 8:
        assert noise["interval"][0] <= noise["ratio"] <= noise["interval"][1]
        assert noise["spread"] > 0


def test_fewer_rounds_than_an_interval_needs_are_refused(tmp_path: Path) -> None:
    assert doctor(tmp_path, "--rounds", "3").returncode == 2

"""The neighbour makes the noise it promises, and is gone afterwards."""

from __future__ import annotations

import itertools
import sys
import time

import psutil
import pytest

from tools.trial.neighbour import ASLEEP_S, BUSY_S, bursts, noise


def neighbours() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if "tools.trial.neighbour" in " ".join(child.cmdline())
    ]


def cpu_seconds(process: psutil.Process) -> float:
    return float(sum(process.cpu_times()[:2]))


def test_bursts_stay_within_their_bounds_and_visit_every_cpu() -> None:
    drawn = list(itertools.islice(bursts(seed=1, cpus=[0, 3]), 200))
    assert {burst.cpu for burst in drawn} == {0, 3}
    assert all(BUSY_S[0] <= burst.busy_s <= BUSY_S[1] for burst in drawn)
    assert all(ASLEEP_S[0] <= burst.asleep_s <= ASLEEP_S[1] for burst in drawn)


def test_the_same_seed_gives_the_same_noise() -> None:
    first, again, other = (
        list(itertools.islice(bursts(seed, [0]), 20)) for seed in ("1/0/0", "1/0/0", "1/0/1")
    )
    assert first == again != other


def test_where_processes_cannot_be_pinned_the_neighbour_runs_anywhere() -> None:
    assert next(bursts(1, [])).cpu is None


@pytest.mark.skipif(sys.platform == "win32", reason="counts on processes as POSIX has them")
def test_the_neighbour_is_busy_inside_the_block_and_gone_after_a_failure() -> None:
    block = noise(1)
    block.__enter__()
    (process,) = neighbours()
    deadline = time.monotonic() + 8
    while cpu_seconds(process) < 0.2 and time.monotonic() < deadline:
        time.sleep(0.05)
    busy_s = cpu_seconds(process)
    error = RuntimeError("the tool broke")
    assert not block.__exit__(RuntimeError, error, None)
    assert busy_s >= 0.2
    assert not process.is_running()

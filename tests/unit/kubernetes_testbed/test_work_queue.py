"""The work queue: items arrive when they arrive, and waiting counts."""

from __future__ import annotations

import itertools
import random
import threading
import time

import pytest

from kubernetes_testbed.work_queue import arrivals, drive


def test_arrivals_come_at_the_rate_that_was_asked_for() -> None:
    moments = arrivals(20_000, 100.0, random.Random(1))
    assert moments == sorted(moments)
    assert moments[-1] == pytest.approx(200.0, rel=0.03)
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    # Of a Poisson process: as many gaps below the mean as an exponential distribution has.
    assert sum(gap < 0.01 for gap in gaps) / len(gaps) == pytest.approx(0.632, abs=0.02)


def test_an_item_that_waits_behind_a_slow_one_is_slow_itself() -> None:
    def work(item: str) -> None:
        if item == "slow":
            time.sleep(0.3)

    took_s = drive(["slow", "quick"], [0.0, 0.05], 1, work)
    assert took_s[0] == pytest.approx(0.3, abs=0.1)
    # Due at 0.05, done at 0.3: its own work took nothing.
    assert took_s[1] == pytest.approx(0.25, abs=0.1)


def test_workers_work_side_by_side() -> None:
    together = threading.Barrier(4, timeout=10.0)

    def meet(_: int) -> None:
        together.wait()

    assert len(drive(range(8), [0.0] * 8, 4, meet)) == 8


def test_what_an_item_raises_ends_it_all_and_is_raised() -> None:
    def work(item: int) -> None:
        if item == 1:
            raise LookupError("item 1")

    with pytest.raises(LookupError, match="item 1"):
        drive(range(100), [0.001 * n for n in range(100)], 2, work)
    assert not [one for one in threading.enumerate() if one.name.startswith("worker-")]

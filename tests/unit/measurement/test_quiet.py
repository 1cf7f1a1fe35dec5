"""Waiting for others to finish, and never for long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from msgspec.structs import replace

from bakeoff.measurement.quiet import allowed_others, limit_s, runnable_others, wait_for_quiet
from bakeoff.results.records import RoundRecord

from .records import a_round


class FakeMachine:
    """A clock that sleeping moves, and others who come and go with it."""

    def __init__(self, others: Sequence[int | None]) -> None:
        self.now = 0.0
        self._others: Iterator[int | None] = iter([*others, *[others[-1]] * 100_000])

    def others(self) -> int | None:
        return next(self._others)

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def wait(self, limit: float, allowed: int = 0) -> float:
        return wait_for_quiet(
            limit, allowed, others=self.others, sleep=self.sleep, clock=lambda: self.now
        )


def test_a_quiet_machine_is_not_waited_for() -> None:
    assert FakeMachine([0]).wait(2.0) == 0.0


def test_a_burst_is_waited_out() -> None:
    assert 0.05 < FakeMachine([2] * 5 + [0]).wait(2.0) < 0.2


def test_one_quiet_look_between_two_busy_ones_is_not_quiet() -> None:
    assert FakeMachine([1, 0, 1, 0, 1, 0, 0, 0]).wait(2.0) > 0.04


def test_a_machine_that_is_never_quiet_is_waited_for_no_longer_than_the_limit() -> None:
    assert FakeMachine([3]).wait(2.0) == pytest.approx(2.0, abs=0.05)


def test_a_system_that_does_not_tell_is_not_waited_for() -> None:
    assert FakeMachine([None]).wait(2.0) == 0.0


def test_half_of_the_cores_that_a_round_leaves_free_may_be_busy() -> None:
    assert [allowed_others(1, cores) for cores in (1, 2, 4, 64)] == [0, 0, 1, 31]
    assert allowed_others(4, 2) == 0


def test_a_run_waits_a_minute_in_all() -> None:
    def waited(seconds: float, rounds: int) -> float:
        return limit_s([_waiting(seconds) for _ in range(rounds)])

    assert waited(0.0, 5) == 2.0
    assert waited(2.0, 29) == 2.0
    assert waited(2.0, 30) == 0.0


def _waiting(seconds: float) -> RoundRecord:
    return replace(a_round(0, {}), waited_s=seconds)


def test_this_system_tells_or_says_that_it_does_not() -> None:
    found = runnable_others()
    assert found is None or found >= 0

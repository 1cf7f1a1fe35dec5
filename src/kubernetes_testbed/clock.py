"""A clock for whoever goes by time: minutes pass when somebody says so."""

from __future__ import annotations


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self._now_s = 1000.0

    def __call__(self) -> float:
        """Seconds."""
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now_s += seconds

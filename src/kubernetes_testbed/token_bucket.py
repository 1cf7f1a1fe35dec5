"""So many at once, and so many a second: how clients of API servers limit themselves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class TokenBucket:
    """A bucket that fills at a steady rate.

    Parameters
    ----------
    per_s : float
        Tokens that are added every second.
    burst : int
        How many it holds; it is full at the beginning.
    clock : callable
        Seconds, never going back.
    sleep : callable
        Waits for so many seconds.
    """

    def __init__(
        self,
        per_s: float,
        burst: int,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if per_s <= 0 or burst < 1:
            raise ValueError(
                f"A token bucket needs a rate above 0 and a burst of 1 at least, got {per_s} and {burst}."
            )
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._tokens = float(burst)
        self._filled_at = clock()

    def take(self) -> bool:
        """Take a token if there is one."""
        with self._lock:
            self._fill()
            if self._tokens < 1.0:
                return False
            self._tokens -= 1.0
            return True

    def wait(self) -> float:
        """Take a token, waiting for it in turn; the seconds that took."""
        with self._lock:
            self._fill()
            self._tokens -= 1.0
            # Below zero: tokens that were promised to those who came before.
            seconds = max(0.0, -self._tokens / self._per_s)
        if seconds > 0.0:
            self._sleep(seconds)
        return seconds

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(float(self._burst), self._tokens + (now - self._filled_at) * self._per_s)
        self._filled_at = now

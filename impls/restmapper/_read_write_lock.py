"""A lock that many may hold to read and one to write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWriteLock:
    """Readers together, a writer alone; whoever comes after a waiting writer waits behind it, as with Go's ``sync.RWMutex``."""

    __slots__ = ("_changed", "_is_claimed", "_readers")

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        # Somebody writes, or will as soon as nobody reads any more.
        self._is_claimed = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold it together with others who read."""
        with self._changed:
            while self._is_claimed:
                self._changed.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                if not self._readers:
                    self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold it alone."""
        with self._changed:
            while self._is_claimed:
                self._changed.wait()
            self._is_claimed = True
            while self._readers:
                self._changed.wait()
        try:
            yield
        finally:
            with self._changed:
                self._is_claimed = False
                self._changed.notify_all()

"""A lock that many may hold to read and one to write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWriteLock:
    """Readers together, a writer alone.

    As with Go's ``sync.RWMutex``, whoever comes after a waiting writer waits behind it, and all who waited to read while somebody
    wrote read before the next one writes.
    """

    __slots__ = ("_changed", "_is_claimed", "_readers", "_waiting", "_writes")

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        # Who waits to read until a writer is done.
        self._waiting = 0
        self._writes = 0
        # Somebody writes, or will as soon as nobody reads any more.
        self._is_claimed = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold it together with others who read."""
        with self._changed:
            if self._is_claimed:
                self._wait_for_writer()
            else:
                self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._leave()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold it alone."""
        with self._changed:
            while self._is_claimed:
                self._changed.wait()
            self._is_claimed = True
        try:
            with self._changed:
                while self._readers:
                    self._changed.wait()
            yield
        finally:
            with self._changed:
                self._is_claimed = False
                self._writes += 1
                self._readers += self._waiting
                self._waiting = 0
                self._changed.notify_all()

    def _wait_for_writer(self) -> None:
        """Until the writer counts us in among the readers."""
        writes = self._writes
        self._waiting += 1
        try:
            while self._writes == writes:
                self._changed.wait()
        except BaseException:  # interrupted: neither waits nor reads any more
            if self._writes == writes:
                self._waiting -= 1
            else:
                self._leave()
            raise

    def _leave(self) -> None:
        self._readers -= 1
        if not self._readers:
            self._changed.notify_all()

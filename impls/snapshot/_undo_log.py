"""One flat map, and for each layer what its keys were before."""

from __future__ import annotations

from collections.abc import Sequence

from impls.snapshot._flat_map import FlatMap
from impls.snapshot.interface import K, Patch, V


class UndoLog(FlatMap[K, V]):
    """A map that is always the current state, with a log of first-overwritten values for each layer.

    Parameters
    ----------
    layers : sequence of Patch
        Bottom first.
    """

    __slots__ = ("_logs", "_top")

    def __init__(self, layers: Sequence[Patch[K, V]] = ()) -> None:
        # For each layer its keys, with what they were below it (None: absent). The bottom has no log, for
        # what happens there cannot be taken back.
        self._logs: list[dict[K, V | None] | None] = []
        self._top: dict[K, V | None] | None = None
        super().__init__(layers)

    def in_current_patch(self, key: K) -> bool:
        # Of a key that the layer touched, the last that happened to it was set if it is there.
        return key in self._entries and (self._top is None or key in self._top)

    def fork(self) -> None:
        self._top = {} if self._logs else None
        self._logs.append(self._top)

    def commit(self) -> None:
        if len(self._logs) < 2:
            return
        merged = self._logs.pop()
        assert merged is not None, "only the bottom has no log"
        below = self._top = self._logs[-1]
        if below is not None:
            for key, value in merged.items():
                # What the key was below both layers, the lower one knows best.
                below.setdefault(key, value)

    def revert(self) -> None:
        if len(self._logs) < 2:
            return
        undone = self._logs.pop()
        assert undone is not None, "only the bottom has no log"
        entries = self._entries
        for key, value in undone.items():
            if value is None:
                entries.pop(key, None)
            else:
                entries[key] = value
        self._top = self._logs[-1]

    def depth(self) -> int:
        return len(self._logs)

    def _note(self, key: K) -> None:
        # What the key was before the layer first touches it.
        log = self._top
        if log is None:
            if not self._logs:
                self.fork()
        elif key not in log:
            log[key] = self._entries.get(key)

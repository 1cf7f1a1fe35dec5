"""Undo log: one map for all layers, and for each what it overwrote first.

How it works
    One flat dict that is always the current state. In a fork, before a key first changes, the layer's log
    notes what it was; a revert puts that back, a commit hands to the layer below what that does not know yet. Claims are
    shared between layers and cloned before they first change in one.

What it costs
    Fork O(1); commit and revert O(keys changed in the top layer); finding one dict access at any depth; setting and deleting
    one, and one in the log; listing O(entries), a copy of references, in sync at all times.

Where it comes from
    Rollback journals of databases, where the page as it was is written down before it first changes (ARIES, Mohan
    et al. 1992; SQLite's rollback journal). No form of it was proposed for the autoscaler.
"""

from __future__ import annotations

from collections.abc import Sequence

from impls.snapshot._snapshot import cloned_on_write
from impls.snapshot._undo_log import UndoLog
from impls.snapshot.interface import K, Patch, RecordingMap, V


def create_map(layers: Sequence[Patch[K, V]]) -> RecordingMap[K, V]:
    """Make a layered map of one dict and a log for each layer."""
    return UndoLog(layers)


create = cloned_on_write(UndoLog)

"""What was measured, on disk: one directory per run, its plan, its append-only journal.

Nothing is decided here. A run is written once and only ever added to, so that a killed one resumes
and a report can be made again from the same facts.
"""

from __future__ import annotations

from bakeoff.results.journal import Journal, JournalContents
from bakeoff.results.machine import describe_machine
from bakeoff.results.provenance import commit_of, sources_digest
from bakeoff.results.store import Run, RunStore, new_run_id

__all__ = [
    "Journal",
    "JournalContents",
    "Run",
    "RunStore",
    "commit_of",
    "describe_machine",
    "new_run_id",
    "sources_digest",
]

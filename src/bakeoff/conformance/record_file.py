"""``.bakeoff/conformance/<study>.json``: written whole or not at all, read strictly."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bakeoff.conformance.outcomes import SCHEMA, ConformanceRecord
from bakeoff.errors import BakeoffError
from bakeoff.results.files import write_atomically
from bakeoff.study.project import Project


def record_path(project: Project, study: str) -> Path:
    """Where the record of a study lies."""
    return project.state / "conformance" / f"{study}.json"


def write_record(project: Project, record: ConformanceRecord) -> Path:
    """Write a record, and say where.

    Raises
    ------
    BakeoffError
        If the folder cannot be written.
    """
    path = record_path(project, record.study)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(record), indent=1))
    except OSError as error:
        raise BakeoffError(
            f"{path}: cannot be written: {error.strerror or error}.",
            "Give yourself write permission to .bakeoff/, or work in a copy of the project.",
        ) from error
    return path


def read_record(project: Project, study: str) -> ConformanceRecord | None:
    """The latest record of a study; None if it was never checked.

    Raises
    ------
    BakeoffError
        If the file is there but cannot be read as a record.
    """
    path = record_path(project, study)
    remedy = f"Check again: bakeoff check {study}"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BakeoffError(f"{path}: cannot be read: {error.strerror or error}.", remedy) from error
    try:
        record = msgspec.json.decode(content, type=ConformanceRecord)
    except msgspec.MsgspecError as error:
        raise BakeoffError(f"{path}: is no conformance record: {error}.", remedy) from error
    if record.schema != SCHEMA:
        raise BakeoffError(f"{path}: has schema {record.schema!r}, not {SCHEMA!r}.", remedy)
    return record

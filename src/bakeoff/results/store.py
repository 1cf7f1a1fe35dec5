"""Where runs lie: ``.bakeoff/runs/<id>/`` with ``run.json`` and ``journal.jsonl``."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bakeoff.errors import BakeoffError, NotFoundError, RunDirectoryError
from bakeoff.results.files import sync_folder, write_atomically
from bakeoff.results.journal import Journal
from bakeoff.results.records import SCHEMA, RunHeader

_RUNS_FOLDER = Path(".bakeoff") / "runs"
_HEADER_NAME = "run.json"
_JOURNAL_NAME = "journal.jsonl"
_RUN_ID = re.compile(r"(?P<study>\w+)-(?P<started>\d{8}T\d{6})-[0-9a-f]{4}")


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its directory, its plan and its journal.

    Attributes
    ----------
    path : pathlib.Path
        The run's directory; profiles and other things made from the run go there too.
    header : RunHeader
        The plan, fixed before the first measurement.
    journal : Journal
        What has been measured so far.
    """

    path: Path
    header: RunHeader
    journal: Journal


class RunStore:
    """The runs of one project.

    Parameters
    ----------
    root : pathlib.Path
        The project's root; runs lie in ``.bakeoff/runs`` under it. Nothing is made until `create`.
    """

    def __init__(self, root: Path) -> None:
        self.folder = root / _RUNS_FOLDER

    def create(self, header: RunHeader) -> Run:
        """Make a run's directory, its plan and an empty journal.

        Raises
        ------
        BakeoffError
            If the folder cannot be written to.
        RunDirectoryError
            If there is a run of this name already.
        ValueError
            If the header's id was not made by `new_run_id` for its study.
        """
        if _study_of(header.id) != header.study:
            raise ValueError(
                f"{header.id!r} is no run id for study {header.study!r}; new_run_id makes them."
            )
        path = self.folder / header.id
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.mkdir()
            journal = Journal.create(path / _JOURNAL_NAME)
            # Last, because a directory without it is no run: nothing was planned, nothing is lost.
            write_atomically(
                path / _HEADER_NAME, msgspec.json.format(msgspec.json.encode(header)) + b"\n"
            )
            sync_folder(self.folder)
        except FileExistsError as error:
            if not path.is_dir():
                raise self._unwritable(error) from error
            raise RunDirectoryError(
                f"{path}: there is a run of this name already.", "Start the run again."
            ) from error
        except OSError as error:
            raise self._unwritable(error) from error
        return Run(path, header, journal)

    def open(self, run_id: str) -> Run:
        """Open a run by its id.

        Raises
        ------
        NotFoundError
            If there is no such run; the text lists those that there are.
        RunDirectoryError
            If its plan is damaged or of an incompatible version, or its journal is gone.
        """
        if run_id not in (known := self.list()):
            raise NotFoundError.among("a run", run_id, known, where=str(self.folder))
        path = self.folder / run_id
        header = _read_header(path / _HEADER_NAME)
        return Run(path, header, Journal.open(path / _JOURNAL_NAME))

    def latest(self, study: str) -> Run | None:
        """The newest run of a study, or None if it has none.

        Raises
        ------
        RunDirectoryError
            If the newest cannot be opened; an older one in its place would be a wrong answer.
        """
        known = self.list(study)
        return self.open(known[-1]) if known else None

    def list(self, study: str | None = None) -> list[str]:
        """The ids of all runs, or of one study's, newest last.

        Directories that hold no plan are left out: a run that was killed before it began.

        Raises
        ------
        BakeoffError
            If the folder cannot be read.
        """
        started: list[tuple[str, int, str]] = []
        try:
            for path in self.folder.iterdir() if self.folder.exists() else ():
                match = _RUN_ID.fullmatch(path.name)
                header = path / _HEADER_NAME
                if match is None or study not in (None, match["study"]) or not header.is_file():
                    continue
                # The id tells the second; of two runs begun in one, the plan's file tells which.
                started.append((match["started"], header.stat().st_mtime_ns, path.name))
        except OSError as error:
            raise BakeoffError(
                f"{self.folder}: cannot be read: {error.strerror or error}.",
                "May you read this folder?",
            ) from error
        return [run_id for _, _, run_id in sorted(started)]

    def _unwritable(self, error: OSError) -> BakeoffError:
        return BakeoffError(
            f"{self.folder}: cannot be written: {error.strerror or error}.",
            "Runs are kept there: make room, or make it writable for you.",
        )


def new_run_id(study: str, now: datetime) -> str:
    """A name for a new run, such as ``snapshot-20261130T231500-3f2a``.

    Parameters
    ----------
    study : str
        The study's name, an identifier.
    now : datetime.datetime
        When it starts; written in UTC, so that names sort by time in every time zone.

    Raises
    ------
    ValueError
        If the study's name is no identifier.
    """
    run_id = f"{study}-{now.astimezone(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(2)}"
    if _study_of(run_id) != study:
        raise ValueError(f"A study's name is an identifier, not {study!r}.")
    return run_id


def _study_of(run_id: str) -> str | None:
    match = _RUN_ID.fullmatch(run_id)
    return match["study"] if match else None


def _read_header(path: Path) -> RunHeader:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RunDirectoryError(
            f"{path}: cannot be read: {error.strerror or error}.", "Is it yours, and still there?"
        ) from error
    try:
        schema = msgspec.json.decode(content, type=_Schema).schema
        if schema != SCHEMA:
            raise RunDirectoryError(
                f"{path}: written as {schema!r}, but this bakeoff reads {SCHEMA!r}.",
                "Use the version that made this run, or start a new run.",
            )
        return msgspec.json.decode(content, type=RunHeader)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RunDirectoryError(
            f"{path}: damaged: {error}.", "Restore the file, or start a new run."
        ) from error


class _Schema(msgspec.Struct, frozen=True):
    """The one field that every version of the file has."""

    schema: str

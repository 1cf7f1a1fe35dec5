"""The journal of a run: append-only, one JSON line per fact, safe against a kill at any moment.

A record counts once its line end is on the disk. Whatever stands after the last line end is what a
killed writer left: it is dropped with a warning, and cut off before the next record is written.
Damage anywhere else cannot come from a kill, so it is refused and never guessed around.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import filelock
import msgspec

from bakeoff.errors import RunDirectoryError
from bakeoff.results.files import sync_folder
from bakeoff.results.records import MemoryRecord, Record, RoundRecord, to_json

_DECODER = msgspec.json.Decoder(Record)


@dataclass(frozen=True, slots=True)
class JournalContents:
    """What a journal says, and what the reader should know about it.

    Attributes
    ----------
    records : tuple of Record
        In the order in which they were written, each round and each memory process once.
    warnings : tuple of str
        What was left out and why.
    """

    records: tuple[Record, ...]
    warnings: tuple[str, ...]


class Journal:
    """One run's facts, in the order in which they were found out.

    Anybody may read at any time; one process writes. The first `append` takes the journal's lock
    and `close` gives it back; ``with journal:`` takes it at once, before anything is measured.

    Attributes
    ----------
    path : pathlib.Path
        The journal's file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Released by `close`; if the process dies, by the system.
        self._lock = filelock.FileLock(f"{path}.lock", timeout=0, thread_local=False)
        self._owner_path = path.with_name(f"{path.name}.owner")
        self._ends_with_a_line = False
        # What this object cut off is no longer in the file, but still to be told.
        self._cut_warnings: list[str] = []

    @classmethod
    def create(cls, path: Path) -> Journal:
        """Make an empty journal.

        Raises
        ------
        RunDirectoryError
            If there is one already or the folder cannot be written to.
        """
        try:
            path.open("xb").close()
            sync_folder(path.parent)
        except FileExistsError as error:
            raise RunDirectoryError(
                f"{path}: there is a journal already.", "Resume its run or start a new one."
            ) from error
        except OSError as error:
            raise _unwritable(path, error) from error
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Open a journal for reading and, if need be, for going on.

        Raises
        ------
        RunDirectoryError
            If there is none.
        """
        if not path.is_file():
            raise RunDirectoryError(
                f"{path}: there is no journal.", "The run is incomplete; start a new one."
            )
        return cls(path)

    def __enter__(self) -> Journal:
        self._start_writing()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, record: Record) -> None:
        """Write one record as one line; when this returns, it survives a kill and a power cut.

        Raises
        ------
        RunDirectoryError
            If another process writes this journal, or the disk refuses (full, no permission).
        ValueError
            If the record could not be read back, as with a NaN, which JSON does not have: written,
            it would make the whole journal unreadable.
        """
        line = to_json(record)
        try:
            _DECODER.decode(line)
        except msgspec.MsgspecError as error:
            raise ValueError(f"This record cannot be read back ({error}): {record!r}") from error
        self._start_writing()
        if not self._ends_with_a_line:
            self._cut_torn_line()
        # Until the line is known to be whole: if this write fails, the next mends the end first.
        self._ends_with_a_line = False
        try:
            _append_durably(self.path, line + b"\n")
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._ends_with_a_line = True

    def read(self) -> JournalContents:
        """Read all records; safe while another process writes.

        Returns
        -------
        JournalContents
            A torn last line is left out with a warning, also after `append` has cut it off. If a
            round or a memory process is there twice, the first counts and a warning says so.

        Raises
        ------
        RunDirectoryError
            If the file cannot be read or a whole line is not a record; the text names the line.
        """
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise RunDirectoryError(
                f"{self.path}: cannot be read: {error.strerror or error}.",
                "Is it yours, and still there?",
            ) from error
        *lines, tail = content.split(b"\n")
        records: list[Record] = []
        warnings = self._cut_warnings.copy()
        seen: dict[Hashable, int] = {}
        for number, line in enumerate(lines, start=1):
            record = self._decode(line, number)
            identity = _identity(record)
            if identity is not None and seen.setdefault(identity, number) != number:
                warnings.append(
                    f"{self.path.name}, line {number}: {_describe(record)} was written in line "
                    f"{seen[identity]} already; the first counts."
                )
                continue
            records.append(record)
        if tail:
            warnings.append(self._torn_line_warning(len(lines) + 1))
        return JournalContents(tuple(records), tuple(warnings))

    def close(self) -> None:
        """Let other processes write; harmless if nothing was written."""
        if self._lock.is_locked:
            self._owner_path.unlink(missing_ok=True)
            self._lock.release()
        # Somebody else may write before this object does again.
        self._ends_with_a_line = False

    def _decode(self, line: bytes, number: int) -> Record:
        try:
            return _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RunDirectoryError(
                f"{self.path}, line {number}: damaged: {error}.",
                "A kill leaves only the last line torn, so something else has changed this file. "
                "Restore it, or start a new run.",
            ) from error

    def _start_writing(self) -> None:
        """Take the lock, unless this object has it."""
        if self._lock.is_locked:
            return
        try:
            self._lock.acquire()
        except filelock.Timeout as error:
            raise RunDirectoryError(
                f"{self.path}: {self._describe_owner()} is writing this journal.",
                "Wait until it has finished, or stop it, and try again.",
            ) from error
        except OSError as error:
            raise _unwritable(self.path, error) from error
        try:
            self._owner_path.write_text(f"{os.getpid()} on {platform.node()}", encoding="utf-8")
        except OSError as error:
            self._lock.release()
            raise _unwritable(self.path, error) from error

    def _describe_owner(self) -> str:
        try:
            owner = self._owner_path.read_text(encoding="utf-8")
        except OSError:
            owner = ""
        # Without a name, it has taken the lock just now or is about to give it back.
        return f"process {owner}" if owner else "another process"

    def _cut_torn_line(self) -> None:
        try:
            with self.path.open("r+b") as file:
                content = file.read()
                end = content.rfind(b"\n") + 1
                if end < len(content):
                    file.truncate(end)
                    number = content.count(b"\n") + 1
                    self._cut_warnings.append(self._torn_line_warning(number))
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def _torn_line_warning(self, number: int) -> str:
        return (
            f"{self.path.name}, line {number}: the last line was torn (its writer was killed, or "
            f"the disk full) and is left out."
        )


def _append_durably(path: Path, content: bytes) -> None:
    # Without O_CREAT: a journal that has vanished must not come back with its end only.
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        # A write may stop early, as on a full disk; the next call says why.
        while content:
            content = content[os.write(descriptor, content) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _identity(record: Record) -> Hashable | None:
    """What may be written only once; None for events, of which there may be many."""
    match record:
        case RoundRecord():
            return ("round", record.cell, record.attempt, record.round)
        case MemoryRecord():
            return ("memory", record.cell, record.arm, record.index)
        case _:
            return None


def _describe(record: Record) -> str:
    match record:
        case RoundRecord():
            return f"round {record.round} of attempt {record.attempt} of {record.cell}"
        case MemoryRecord():
            return f"memory process {record.index} of {record.arm} in {record.cell}"
        case _:
            return f"event {record.kind}"


def _unwritable(path: Path, error: OSError) -> RunDirectoryError:
    return RunDirectoryError(
        f"{path.parent}: {path.name} cannot be written: {error.strerror or error}.",
        "Is there space, and may you write to this folder?",
    )

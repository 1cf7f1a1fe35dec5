"""The journal: append-only, torn at most at its end, written by one process at a time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import RunDirectoryError
from bakeoff.results import Journal
from bakeoff.results import journal as journal_module
from bakeoff.results.records import (
    ArmRound,
    Batch,
    EventRecord,
    Failure,
    MemoryRecord,
    Record,
    RoundRecord,
    to_json,
)


def a_round(number: int, *, cell: str = "w[n=1]", attempt: int = 1, seed: int = 7) -> RoundRecord:
    return RoundRecord(
        cell=cell,
        attempt=attempt,
        round=number,
        seed=seed,
        cpus=(0,),
        started_at=1.5,
        duration_s=2.5,
        arms={
            "deepcopy": ArmRound(batches=(Batch(0.1, 0.1, 0.0, 0, 0),), answer="ab"),
            "patchset": ArmRound(failure=Failure("crash", "exit code 139", "zürich ☃")),
        },
    )


def a_memory_process(index: int, *, arm: str = "deepcopy") -> MemoryRecord:
    return MemoryRecord(cell="w[n=1]", arm=arm, index=index, seed=3, allocated_bytes=10**12)


texts = st.text(max_size=20)
records: st.SearchStrategy[Record] = st.one_of(
    st.builds(a_round, st.integers(0, 50), cell=texts, attempt=st.integers(1, 2)),
    st.builds(a_memory_process, st.integers(0, 50), arm=texts),
    st.builds(EventRecord, kind=texts, at=texts, text=texts, cell=st.none() | texts),
)


def is_repeated(record: Record, earlier: list[Record]) -> bool:
    """Whether it names the same round or memory process as one before."""
    match record:
        case RoundRecord():
            return any(
                isinstance(other, RoundRecord)
                and (other.cell, other.attempt, other.round)
                == (record.cell, record.attempt, record.round)
                for other in earlier
            )
        case MemoryRecord():
            return any(
                isinstance(other, MemoryRecord)
                and (other.cell, other.arm, other.index) == (record.cell, record.arm, record.index)
                for other in earlier
            )
        case _:
            return False


def without_repetitions(several: list[Record]) -> tuple[Record, ...]:
    kept: list[Record] = []
    for record in several:
        if not is_repeated(record, kept):
            kept.append(record)
    return tuple(kept)


@contextmanager
def a_file_holding(content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        path.write_bytes(content)
        yield path


@given(st.lists(records, max_size=6))
@settings(max_examples=30, deadline=None)
def test_what_was_appended_is_read_back_in_its_order(several: list[Record]) -> None:
    with a_file_holding(b"") as path:
        with Journal.open(path) as journal:
            for record in several:
                journal.append(record)
        contents = Journal.open(path).read()
    assert contents.records == without_repetitions(several)
    assert len(contents.warnings) == len(several) - len(contents.records)


def test_each_record_is_one_line_of_json_in_the_file_as_soon_as_append_returns(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.create(path) as journal:
        for count in (1, 2, 3):
            journal.append(a_round(count))
            lines = path.read_text(encoding="utf-8").splitlines()
            assert [json.loads(line)["round"] for line in lines] == list(range(1, count + 1))
    assert json.loads(lines[0])["type"] == "round"


def test_each_record_is_forced_to_the_disk_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes_at_sync: list[int] = []

    def note_the_size(descriptor: int) -> None:
        sizes_at_sync.append(os.fstat(descriptor).st_size)

    journal = Journal.create(tmp_path / "journal.jsonl")
    with journal:
        journal.append(a_round(0))
        monkeypatch.setattr(os, "fsync", note_the_size)
        journal.append(a_round(1))
        assert sizes_at_sync == [journal.path.stat().st_size]


@given(
    st.lists(records, min_size=1, max_size=5, unique_by=to_json).map(without_repetitions),
    st.floats(0, 1),
    st.integers(1000, 2000),
)
@settings(max_examples=120, deadline=None)
def test_a_journal_cut_at_any_byte_loses_only_what_was_cut_and_can_be_continued(
    several: tuple[Record, ...], position: float, number: int
) -> None:
    lines = [to_json(record) + b"\n" for record in several]
    whole = b"".join(lines)
    cut = round(position * len(whole))
    kept = sum(cut >= sum(map(len, lines[: end + 1])) for end in range(len(lines)))
    is_torn = cut != sum(map(len, lines[:kept]))
    with a_file_holding(whole[:cut]) as path:
        contents = Journal.open(path).read()
        assert contents.records == several[:kept]
        assert len(contents.warnings) == is_torn
        with Journal.open(path) as journal:
            journal.append(a_round(number))
            journal.append(a_round(number + 1))
        continued = Journal.open(path).read()
        assert continued.records == (*several[:kept], a_round(number), a_round(number + 1))
        assert continued.warnings == ()


def test_every_cut_in_the_last_record_loses_that_record_and_no_other() -> None:
    head = to_json(a_round(0)) + b"\n" + to_json(a_memory_process(0)) + b"\n"
    last = to_json(EventRecord(kind="finished", at="2026-11-30T23:15:00+01:00")) + b"\n"
    for cut in range(len(last)):
        with a_file_holding(head + last[:cut]) as path:
            contents = Journal.open(path).read()
            assert contents.records == (a_round(0), a_memory_process(0))
            # Without its line end a record was not acknowledged, however whole it looks.
            assert len(contents.warnings) == (cut > 0)


def test_a_torn_last_line_is_reported_with_its_number() -> None:
    with a_file_holding(to_json(a_round(0)) + b"\n" + b'{"type":"rou') as path:
        (warning,) = Journal.open(path).read().warnings
    assert "journal.jsonl, line 2" in warning
    assert "torn" in warning


def test_reading_changes_nothing_in_the_file() -> None:
    content = to_json(a_round(0)) + b"\n" + b'{"type":"rou'
    with a_file_holding(content) as path:
        Journal.open(path).read()
        assert path.read_bytes() == content
        assert sorted(entry.name for entry in path.parent.iterdir()) == ["journal.jsonl"]


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b'{"type":"round"}',
        b'{"type":"riddle","kind":"x","at":"y"}',
        b"not json",
        b'{"type":"event","kind":"\xff\xfe","at":"y"}',
        b"\0\0\0\0",
        to_json(a_round(1))[:-9],
        to_json(a_round(1)) + to_json(a_round(2)),
    ],
    ids=["blank", "fields", "tag", "text", "encoding", "zeros", "torn", "glued"],
)
def test_damage_before_the_last_line_is_refused_with_its_line_number(damaged: bytes) -> None:
    content = b"\n".join([to_json(a_round(0)), damaged, to_json(a_round(3)), b""])
    complaint = r"journal\.jsonl, line 2: damaged"
    with a_file_holding(content) as path, pytest.raises(RunDirectoryError, match=complaint):
        Journal.open(path).read()


def test_a_damaged_line_with_its_line_end_is_refused_even_if_it_is_the_last() -> None:
    # A kill cannot have left it: the line end is written last.
    content = to_json(a_round(0)) + b"\nnonsense\n"
    with a_file_holding(content) as path, pytest.raises(RunDirectoryError, match="line 2"):
        Journal.open(path).read()


def test_a_round_that_is_there_twice_counts_once_and_the_first_counts() -> None:
    lines = [
        a_round(0, seed=1),
        a_round(0, seed=2),
        a_round(0, attempt=2, seed=3),
        a_round(0, cell="w[n=2]", seed=4),
        a_round(1, seed=5),
    ]
    with a_file_holding(b"".join(to_json(line) + b"\n" for line in lines)) as path:
        contents = Journal.open(path).read()
    assert [record.seed for record in contents.records if isinstance(record, RoundRecord)] == [
        1,
        3,
        4,
        5,
    ]
    (warning,) = contents.warnings
    assert "line 2: round 0 of attempt 1 of w[n=1] was written in line 1 already" in warning


def test_a_memory_process_that_is_there_twice_counts_once() -> None:
    lines = [a_memory_process(0), a_memory_process(0), a_memory_process(0, arm="patchset")]
    with a_file_holding(b"".join(to_json(line) + b"\n" for line in lines)) as path:
        contents = Journal.open(path).read()
    assert contents.records == (lines[0], lines[2])
    (warning,) = contents.warnings
    assert "line 2: memory process 0 of deepcopy" in warning


def test_the_same_event_may_happen_many_times() -> None:
    event = EventRecord(kind="resumed", at="now")
    with a_file_holding((to_json(event) + b"\n") * 3) as path:
        contents = Journal.open(path).read()
    assert contents.records == (event,) * 3
    assert contents.warnings == ()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_record_that_could_not_be_read_back_is_refused_before_it_spoils_the_journal(
    tmp_path: Path, number: float
) -> None:
    with Journal.create(tmp_path / "journal.jsonl") as journal:
        journal.append(a_round(0))
        impossible = RoundRecord(
            cell="c",
            attempt=1,
            round=1,
            seed=1,
            cpus=(),
            started_at=number,
            duration_s=1.0,
            arms={},
        )
        with pytest.raises(ValueError, match="cannot be read back"):
            journal.append(impossible)
        journal.append(a_round(2))
    assert journal.read().records == (a_round(0), a_round(2))


def test_an_existing_journal_is_never_created_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.create(path) as journal:
        journal.append(a_round(0))
    with pytest.raises(RunDirectoryError, match="journal already"):
        Journal.create(path)
    assert Journal.open(path).read().records == (a_round(0),)


def test_a_journal_that_is_not_there_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="there is no journal"):
        Journal.open(tmp_path / "journal.jsonl")


def test_a_journal_that_vanished_does_not_come_back_with_only_its_end(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path / "journal.jsonl")
    with journal:
        journal.append(a_round(0))
        journal.path.unlink()
        with pytest.raises(RunDirectoryError, match="cannot be written"):
            journal.append(a_round(1))
    assert not journal.path.exists()
    with pytest.raises(RunDirectoryError, match="cannot be read"):
        journal.read()


def test_a_journal_where_no_file_can_be_made_is_refused_with_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunDirectoryError) as caught:
        Journal.create(tmp_path / "file" / "journal.jsonl")
    assert f"{tmp_path / 'file'}: journal.jsonl cannot be written" in str(caught.value)


def test_a_write_that_failed_half_way_is_mended_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_write = os.write

    def write_a_part_on_a_full_disk(descriptor: int, content: bytes) -> int:
        real_write(descriptor, content[:20])
        raise OSError(28, "No space left on device")

    with Journal.create(tmp_path / "journal.jsonl") as journal:
        journal.append(a_round(0))
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write_a_part_on_a_full_disk)
            with pytest.raises(RunDirectoryError, match="No space left on device"):
                journal.append(a_round(1))
        assert len(journal.read().warnings) == 1
        journal.append(a_round(2))
    contents = Journal.open(journal.path).read()
    assert contents.records == (a_round(0), a_round(2))
    assert contents.warnings == ()


def test_a_write_that_stops_early_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write

    def write_seven_bytes(descriptor: int, content: bytes) -> int:
        return real_write(descriptor, content[:7])

    with Journal.create(tmp_path / "journal.jsonl") as journal:
        monkeypatch.setattr(os, "write", write_seven_bytes)
        journal.append(a_round(0))
        assert journal.path.read_bytes() == to_json(a_round(0)) + b"\n"
    assert journal.read().records == (a_round(0),)


def test_two_writers_of_one_journal_are_refused_and_the_first_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.create(path) as first:
        first.append(a_round(0))
        with pytest.raises(RunDirectoryError, match=f"process {os.getpid()} on .* is writing"):
            Journal.open(path).append(a_round(1))
        with pytest.raises(RunDirectoryError, match="is writing this journal"), Journal.open(path):
            pytest.fail("the second writer was let in")
        assert Journal.open(path).read().records == (a_round(0),)
    with Journal.open(path) as second:
        second.append(a_round(1))
    assert Journal.open(path).read().records == (a_round(0), a_round(1))


def test_a_writer_whose_name_is_not_yet_known_is_another_process(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.create(path):
        for owner in tmp_path.glob("*.owner"):
            owner.unlink()
        with pytest.raises(RunDirectoryError, match="another process is writing"):
            Journal.open(path).append(a_round(1))


def test_a_closed_journal_takes_the_lock_again_and_mends_what_others_left(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path / "journal.jsonl")
    journal.append(a_round(0))
    journal.close()
    journal.close()
    with journal.path.open("ab") as file:
        file.write(b'{"torn')
    journal.append(a_round(1))
    journal.close()
    assert Journal.open(journal.path).read().records == (a_round(0), a_round(1))


def test_a_torn_line_is_told_even_if_it_was_cut_off_before_anybody_read_it() -> None:
    with a_file_holding(to_json(a_round(0)) + b"\n" + b'{"torn') as path:
        with Journal.open(path) as journal:
            journal.append(a_round(1))
        contents = journal.read()
    assert contents.records == (a_round(0), a_round(1))
    (warning,) = contents.warnings
    assert "line 2: the last line was torn" in warning


WRITER = """
import sys
from pathlib import Path
from bakeoff.results import Journal
from bakeoff.results.records import EventRecord

with Journal.open(Path(sys.argv[1])) as journal:
    for number in range(100_000):
        journal.append(EventRecord(kind="tick", at=str(number), text="x" * 5000))
        print(number, flush=True)
"""


@contextmanager
def a_writer(path: Path) -> Iterator[subprocess.Popen[str]]:
    source = Path(journal_module.__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(source)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_writer_killed_at_any_moment_loses_no_acknowledged_record(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal.create(path)
    with a_writer(path) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline() for _ in range(20)]
        with pytest.raises(RunDirectoryError, match=f"process {process.pid} on"):
            Journal.open(path).append(a_round(0))
        # Reading beside a writer is safe.
        assert len(Journal.open(path).read().records) >= 20
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.readlines()
        process.wait()
    assert acknowledged[-1] == f"{len(acknowledged) - 1}\n"
    survivors = Journal.open(path).read().records
    assert len(survivors) - len(acknowledged) in (0, 1)
    # A dead process holds no lock.
    with Journal.open(path) as journal:
        journal.append(a_round(0))
    assert journal.read().records == (*survivors, a_round(0))

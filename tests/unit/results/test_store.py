"""Where runs lie, what they are called, and what is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from bakeoff.errors import BakeoffError, NotFoundError, RunDirectoryError
from bakeoff.results import Run, RunStore, new_run_id
from bakeoff.results.files import write_atomically
from bakeoff.results.records import Cell, EventRecord, Machine, RunHeader

NOON = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)

MACHINE = Machine(
    fingerprint="0123456789ab",
    cpu="A CPU",
    cores=2,
    memory_bytes=8 * 10**9,
    system="Linux 6.1 x86_64",
    python="CPython 3.11.9",
)


def a_header(run_id: str, study: str = "snapshot") -> RunHeader:
    return RunHeader(
        id=run_id,
        study=study,
        preset="quick",
        baseline="deepcopy",
        implementations=("deepcopy", "patchset"),
        cells=(Cell("schedule_revert", {"nodes": 10, "mixed": True}, 20.0),),
        looks=(10, 15),
        alpha=0.01,
        margin=0.03,
        seed=1,
        round_budget_s=3.0,
        measures_memory=True,
        commit=None,
        dirty=False,
        sources_digest="ab" * 32,
        machine=MACHINE,
        bakeoff="0.1.0",
        started_at=NOON.isoformat(),
    )


def a_run(store: RunStore, *, after_s: int = 0, study: str = "snapshot") -> Run:
    run_id = new_run_id(study, NOON + timedelta(seconds=after_s))
    return store.create(a_header(run_id, study))


def test_a_run_is_opened_as_it_was_created(tmp_path: Path) -> None:
    created = a_run(RunStore(tmp_path))
    with created.journal as journal:
        journal.append(EventRecord(kind="finished", at="now"))
    opened = RunStore(tmp_path).open(created.header.id)
    assert opened.header == created.header
    assert opened.path == tmp_path / ".bakeoff" / "runs" / created.header.id
    assert opened.journal.read().records == (EventRecord(kind="finished", at="now"),)
    assert {path.name for path in opened.path.iterdir()} >= {"run.json", "journal.jsonl"}


def test_a_run_can_be_added_to_after_it_is_opened_again(tmp_path: Path) -> None:
    created = a_run(RunStore(tmp_path))
    with created.journal as journal:
        journal.append(EventRecord(kind="interrupted", at="noon"))
    with RunStore(tmp_path).open(created.header.id).journal as journal:
        journal.append(EventRecord(kind="resumed", at="one"))
    assert len(created.journal.read().records) == 2


def test_the_plan_is_json_for_people_too(tmp_path: Path) -> None:
    text = (a_run(RunStore(tmp_path)).path / "run.json").read_text()
    assert json.loads(text)["schema"] == "bakeoff.run/1"
    assert text.count("\n") > 20


def test_a_run_id_names_study_and_second_in_utc() -> None:
    zurich = timezone(timedelta(hours=1))
    run_id = new_run_id("snapshot", datetime(2026, 12, 1, 0, 15, 0, tzinfo=zurich))
    assert run_id.startswith("snapshot-20261130T231500-")
    assert len(run_id) == len("snapshot-20261130T231500-3f2a")


def test_two_run_ids_of_one_second_differ() -> None:
    assert len({new_run_id("snapshot", NOON) for _ in range(20)}) > 1


@pytest.mark.parametrize("study", ["", "../snapshot", "a b", "a-b"])
def test_a_study_that_is_no_identifier_has_no_run_id(study: str) -> None:
    with pytest.raises(ValueError, match="identifier"):
        new_run_id(study, NOON)


@pytest.mark.parametrize("run_id", ["run1", "rest_mapper-20261130T231500-3f2a", "../../x"])
def test_an_id_that_is_not_the_studys_is_refused(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(ValueError, match="new_run_id"):
        RunStore(tmp_path).create(a_header(run_id))


def test_runs_are_listed_newest_last_whatever_their_study(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    second = a_run(store, after_s=1, study="snapshot")
    third = a_run(store, after_s=2, study="rest_mapper")
    first = a_run(store, after_s=0, study="snapshot")
    assert store.list() == [first.header.id, second.header.id, third.header.id]
    assert store.list("snapshot") == [first.header.id, second.header.id]
    assert store.list("rest_mapper") == [third.header.id]
    assert store.list("unheard_of") == []


def test_of_two_runs_begun_in_one_second_the_later_written_is_newer(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    runs = [store.create(a_header(f"snapshot-20261130T120000-{name}")) for name in ("ffff", "0000")]
    for age_s, run in zip((9, 5), runs, strict=True):
        os.utime(run.path / "run.json", (1000 - age_s, 1000 - age_s))
    assert store.list() == [run.header.id for run in runs]


def test_the_latest_run_is_the_newest_of_its_study(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    assert store.latest("snapshot") is None
    a_run(store, after_s=0)
    newest = a_run(store, after_s=5)
    a_run(store, after_s=9, study="rest_mapper")
    latest = store.latest("snapshot")
    assert latest is not None
    assert latest.header == newest.header


def test_a_run_killed_before_it_had_a_plan_is_no_run(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = a_run(store)
    (store.folder / "snapshot-20300101T000000-ffff").mkdir()
    (store.folder / "notes.txt").write_text("mine")
    (store.folder / "copy of a run").mkdir()
    assert store.list() == [run.header.id]


def test_nothing_is_written_by_looking(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    assert store.list() == []
    assert store.latest("snapshot") is None
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_run_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = store.create(a_header("snapshot-20261130T120000-3f2a"))
    with pytest.raises(NotFoundError) as caught:
        store.open("snapshot-20261130T120000-3f2b")
    assert "'snapshot-20261130T120000-3f2b' is not a run" in str(caught.value)
    assert f"Did you mean {run.header.id!r}?" in str(caught.value)


@pytest.mark.parametrize("run_id", ["", ".", "..", "../..", "/etc"])
def test_an_id_never_leads_out_of_the_folder(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(NotFoundError):
        RunStore(tmp_path).open(run_id)


def test_a_run_is_never_made_over_another(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = a_run(store)
    with run.journal as journal:
        journal.append(EventRecord(kind="finished", at="now"))
    with pytest.raises(RunDirectoryError, match="a run of this name already"):
        store.create(run.header)
    assert len(run.journal.read().records) == 1


def change_the_plan(run: Run, change: Callable[[bytes], bytes]) -> None:
    path = run.path / "run.json"
    path.write_bytes(change(path.read_bytes()))


def test_a_plan_of_another_schema_is_refused_with_both_named(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = a_run(store)
    change_the_plan(run, lambda content: b'{"schema": "bakeoff.run/2", "anything": "else"}')
    with pytest.raises(RunDirectoryError) as caught:
        store.open(run.header.id)
    assert "'bakeoff.run/2'" in str(caught.value)
    assert "'bakeoff.run/1'" in str(caught.value)
    assert str(run.path / "run.json") in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b'"alpha": 0.01', b'"alpha": "one percent"'),
        lambda content: content.replace(b'"baseline"', b'"basline"'),
        lambda content: content.replace(b'"schema"', b'"scheme"'),
        lambda content: content.replace(b"deepcopy", b"\xff\xfe"),
        lambda content: b"[]",
    ],
    ids=["empty", "torn", "type", "field", "no schema", "encoding", "list"],
)
def test_a_damaged_plan_is_refused_with_its_path(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    store = RunStore(tmp_path)
    run = a_run(store)
    change_the_plan(run, change)
    with pytest.raises(RunDirectoryError, match=r"run\.json: damaged"):
        store.open(run.header.id)
    # Nor is an older run taken in its place.
    with pytest.raises(RunDirectoryError, match=r"run\.json: damaged"):
        store.latest("snapshot")


def test_a_run_without_its_journal_is_refused(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    run = a_run(store)
    run.journal.path.unlink()
    with pytest.raises(RunDirectoryError, match="there is no journal"):
        store.open(run.header.id)


@pytest.mark.parametrize("obstacle", ["", ".bakeoff", ".bakeoff/runs"])
def test_a_folder_that_cannot_be_written_is_an_error_that_names_it(
    tmp_path: Path, obstacle: str
) -> None:
    # A file in the way stops even root, whom permissions do not bind.
    root = tmp_path / "project"
    (root / obstacle).parent.mkdir(parents=True, exist_ok=True)
    (root / obstacle).write_text("in the way")
    with pytest.raises(BakeoffError) as caught:
        a_run(RunStore(root))
    assert str(root / ".bakeoff" / "runs") in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_without_permission_is_an_error_that_names_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(BakeoffError, match="Permission denied"):
            a_run(RunStore(tmp_path))
    finally:
        tmp_path.chmod(0o755)


def test_a_folder_that_cannot_be_listed_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / ".bakeoff").mkdir()
    (tmp_path / ".bakeoff" / "runs").write_text("in the way")
    with pytest.raises(BakeoffError, match="cannot be read"):
        RunStore(tmp_path).list()


def test_every_field_of_a_plan_survives_the_file(tmp_path: Path) -> None:
    run = a_run(RunStore(tmp_path))
    opened = RunStore(tmp_path).open(run.header.id)
    assert msgspec.to_builtins(opened.header) == msgspec.to_builtins(run.header)
    assert opened.header.cells[0].key == "schedule_revert[nodes=10,mixed=True]"


def test_an_interrupted_atomic_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    write_atomically(path, b"old")

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]

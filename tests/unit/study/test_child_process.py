from __future__ import annotations

import os
import signal
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from bakeoff.study.child_process import ChildProcess, signal_name

LIMIT_S = 20.0

Start = Callable[..., ChildProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a process that runs some lines of Python."""
    started: list[ChildProcess] = []

    def start_process(code: str, *arguments: str, is_told: bool = False) -> ChildProcess:
        (tmp_path / "subject.py").write_text(textwrap.dedent(code))
        started.append(ChildProcess("subject", arguments, root=tmp_path, is_told=is_told))
        return started[-1]

    yield start_process
    for process in started:
        process.close()


def is_there(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_lines_come_whole_however_they_are_written(start: Start) -> None:
    process = start(
        """
        import sys, time
        for part in ("on", "e\\ntwo\\nth", "ree\\n"):
            sys.stdout.write(part)
            sys.stdout.flush()
            time.sleep(0.05)
        """
    )
    assert [process.read_line(LIMIT_S) for _ in range(4)] == [b"one", b"two", b"three", None]


def test_a_line_is_heard_that_is_longer_than_a_pipe(start: Start) -> None:
    process = start("print('x' * 300_000)")
    assert process.read_line(LIMIT_S) == b"x" * 300_000


def test_a_torn_line_says_nothing(start: Start) -> None:
    process = start("import sys; sys.stdout.write('torn')")
    assert process.read_line(LIMIT_S) is None


def test_it_is_told_lines_and_arguments(start: Start) -> None:
    process = start("import sys; print(sys.argv[1], input())", "first", is_told=True)
    process.write_line("second")
    assert process.read_line(LIMIT_S) == b"first second"


def test_one_that_is_not_told_finds_its_stdin_empty(start: Start) -> None:
    process = start("import sys; print(repr(sys.stdin.read()))")
    assert process.read_line(LIMIT_S) == b"''"


def test_a_silent_process_is_waited_for_until_the_limit_and_then_goes_on(start: Start) -> None:
    process = start("input(); print('late')", is_told=True)
    with pytest.raises(TimeoutError):
        process.read_line(0.05)
    process.write_line("")
    assert process.read_line(LIMIT_S) == b"late"


def test_one_that_died_is_not_waited_for_while_its_own_process_holds_the_pipe(
    start: Start,
) -> None:
    process = start(
        """
        import os, signal, time
        if os.fork() == 0:
            time.sleep(60)
        os.kill(os.getpid(), signal.SIGSEGV)
        """
    )
    began = time.monotonic()
    assert process.read_line(LIMIT_S) is None
    assert time.monotonic() - began < LIMIT_S / 2
    assert process.wait() == -signal.SIGSEGV


def test_telling_one_that_has_died_is_harmless(start: Start) -> None:
    process = start("import os; os._exit(3)", is_told=True)
    assert process.wait() == 3
    process.write_line("are you there?")
    process.write_line("x" * 100_000)
    assert process.read_line(LIMIT_S) is None


def test_what_it_started_ends_with_it(start: Start) -> None:
    process = start(
        """
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(child.pid, flush=True)
        time.sleep(60)
        """
    )
    pid = int(process.read_line(LIMIT_S) or b"")
    assert is_there(pid)
    process.close()
    deadline = time.monotonic() + 5.0
    while is_there(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_there(pid)
    assert not is_there(process.pid)


def test_whoever_waits_hears_that_another_thread_has_ended_it(start: Start) -> None:
    process = start("import time; time.sleep(60)")
    timer = threading.Timer(0.1, process.end)
    timer.start()
    assert process.read_line(LIMIT_S) is None
    assert process.wait() == -signal.SIGKILL
    timer.join()


def test_one_that_closes_its_pipe_may_go_on(start: Start) -> None:
    process = start("import os, time; os.close(1); time.sleep(60)")
    assert process.read_line(LIMIT_S) is None
    assert process.wait(0.05) is None


def test_the_end_of_stderr_is_kept_while_it_goes_on_writing(start: Start) -> None:
    process = start(
        """
        import sys
        for text in ("é" * 5000 + "first", "second"):
            sys.stderr.write(text)
            sys.stderr.flush()
            print("written", flush=True)
            input()
        """,
        is_told=True,
    )
    process.read_line(LIMIT_S)
    assert process.stderr_tail(11) == "ééé" + "first"
    process.write_line("")
    process.read_line(LIMIT_S)
    assert process.stderr_tail(11) == "firstsecond"


def test_a_cut_character_does_not_spoil_the_tail(start: Start) -> None:
    process = start("import sys; sys.stderr.write('é!')")
    process.wait()
    assert process.stderr_tail(2) == "�!"


def test_closing_twice_is_harmless_and_gives_everything_back(start: Start) -> None:
    before = len(os.listdir("/dev/fd"))
    process = start("import time; time.sleep(60)", is_told=True)
    process.close()
    process.close()
    assert len(os.listdir("/dev/fd")) == before


def test_one_that_cannot_be_started_is_an_error_and_holds_nothing(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(OSError, match="nowhere"):
        ChildProcess("subject", root=tmp_path / "nowhere")
    assert len(os.listdir("/dev/fd")) == before


def test_a_signal_without_a_name_has_its_number() -> None:
    assert signal_name(signal.SIGSEGV) == "SIGSEGV"
    assert signal_name(signal.SIGRTMIN + 3) == f"signal {signal.SIGRTMIN + 3}"

"""A process that runs a subject, seen from the parent: told lines, heard within a limit, ended for certain.

What the lines mean, and what is made of a process that is silent or dead, is its user's affair.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

#: How often a silent process is asked whether it is still there: a pipe that a process of the
#: subject's own holds open never ends. Rare enough to disturb no turn of another arm.
_HEARTBEAT_S = 0.25


class ChildProcess:
    """``python -m <module> <arguments>``, in a group of its own that ends with it.

    Parameters
    ----------
    module : str
        The module to run; it answers with lines on its stdout.
    arguments : tuple of str
        What it is told at its start.
    root : Path
        Its working directory.
    environment : mapping of str to str, optional
        Its environment; ours by default.
    is_told : bool
        It is told lines by `write_line`; otherwise its stdin is empty.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(
        self,
        module: str,
        arguments: tuple[str, ...] = (),
        *,
        root: Path,
        environment: Mapping[str, str] | None = None,
        is_told: bool = False,
    ) -> None:
        with contextlib.ExitStack() as failed:
            self._errors = failed.enter_context(tempfile.TemporaryFile())
            self._selector = failed.enter_context(selectors.DefaultSelector())
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=root,
                env=environment,
                stdin=subprocess.PIPE if is_told else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                # What the subject starts ends with it, and Ctrl-C reaches only us.
                start_new_session=True,
            )
            failed.pop_all()
        assert self._process.stdout is not None
        self._answers = self._process.stdout
        self._selector.register(self._answers, selectors.EVENT_READ)
        self._unread = b""

    @property
    def pid(self) -> int:
        """The number of the process and of its group."""
        return self._process.pid

    def write_line(self, line: str) -> None:
        """Tell it a line; one that has died hears nothing, and `read_line` finds out."""
        assert self._process.stdin is not None, "only a process that is told lines has a stdin"
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def read_line(self, limit_s: float) -> bytes | None:
        """The next whole line without its end.

        Parameters
        ----------
        limit_s : float
            How long to wait for it, in seconds.

        Returns
        -------
        bytes or None
            None if it has ended, or closed its pipe: a torn line says nothing.

        Raises
        ------
        TimeoutError
            After `limit_s` seconds; the process goes on.
        """
        deadline = time.monotonic() + limit_s
        while b"\n" not in self._unread:
            # Asked before looking: what it wrote before it ended is in the pipe by then.
            has_ended = self._process.poll() is not None
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0:
                raise TimeoutError
            if not self._selector.select(min(remaining_s, _HEARTBEAT_S)):
                if has_ended:
                    return None
                continue
            chunk = os.read(self._answers.fileno(), 65536)
            if not chunk:
                return None
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        return line

    def end(self) -> None:
        """Kill it and everything it started, from any thread; safe to call twice."""
        # Gone already, or on its way out, which some systems refuse to interrupt.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def wait(self, limit_s: float | None = None) -> int | None:
        """Its exit code, negative for a signal; None if it has not ended within the limit."""
        try:
            return self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None

    def stderr_tail(self, limit_bytes: int) -> str:
        """The end of what it and its subject wrote to stderr: a subject may have printed gigabytes."""
        # Without moving the file's position, which is the process's own too.
        size = os.fstat(self._errors.fileno()).st_size
        start = max(0, size - limit_bytes)
        return os.pread(self._errors.fileno(), limit_bytes, start).decode(errors="replace")

    def close(self) -> None:
        """End it, wait until it is gone, and give back what it held; safe to call twice."""
        self.end()
        self._process.wait()
        self._selector.close()
        for stream in (self._process.stdin, self._answers):
            if stream is not None:
                # What it was told last may still be unsent.
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._errors.close()


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; ``signal 40`` where a signal has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

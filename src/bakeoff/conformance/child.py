"""A checking process seen from the parent: its lines as they come, within a limit, ended for certain."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO

#: Longer than this nobody reads.
STDERR_TAIL_BYTES = 8_000

#: How often a silent process is asked whether it is still there: a pipe that a process of the
#: subject's own holds open never ends.
_HEARTBEAT_S = 0.1


class Child:
    """``python -m <module> <arguments>``, in a group of its own, killed when left.

    Parameters
    ----------
    module : str
        The module to run; it writes lines to its stdout.
    arguments : tuple of str
        What it is told.
    root : Path
        Its working directory.
    limit_s : float
        How long it may take altogether.
    """

    def __init__(self, module: str, arguments: tuple[str, ...], root: Path, limit_s: float) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in __exit__
        self._deadline = time.monotonic() + limit_s
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            # Ctrl-C reaches only us, and what the subject starts ends with it.
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        assert self._process.stdout is not None
        threading.Thread(
            target=_forward, args=(self._process.stdout, self._lines), daemon=True
        ).start()
        self.timed_out = False

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.kill()
        self._errors.close()

    def lines(self) -> Iterator[bytes]:
        """Each whole line until the process ends; sets `timed_out` and kills it at the limit."""
        while True:
            remaining = self._deadline - time.monotonic()
            if remaining <= 0:
                self.timed_out = True
                self.kill()
                return
            # Asked before looking: what it wrote before it ended is in the queue by then, or soon.
            has_ended = self._process.poll() is not None
            try:
                line = self._lines.get(timeout=min(remaining, _HEARTBEAT_S))
            except queue.Empty:
                if has_ended:
                    return
                continue
            if line is None:
                return
            yield line

    def kill(self) -> None:
        """End the process and everything it started; safe to call twice."""
        with contextlib.suppress(ProcessLookupError):  # the whole group has ended by itself
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()

    def how_it_ended(self) -> str:
        """In words, for a process that ended without saying so: a signal's name or an exit code."""
        code = self._process.wait()
        if code < 0:
            return f"the process was killed by {signal.Signals(-code).name}"
        return f"the process ended with exit code {code}"

    def stderr_tail(self) -> str:
        """The end of what it and its subject wrote to stderr or printed."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - STDERR_TAIL_BYTES))
        return self._errors.read().decode(errors="replace").strip()


def _forward(pipe: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    """Read to the end of the pipe; a line without its end is a torn one and says nothing."""
    with pipe:
        for line in pipe:
            if line.endswith(b"\n"):
                lines.put(line)
    lines.put(None)

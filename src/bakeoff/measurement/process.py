"""A measuring process seen from the parent: start, tell, wait within a limit, end for certain."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.results.records import Failure

#: The environment variable that shifts a process's stack: 0-4 KiB of padding (Mytkowicz et al. 2009).
PADDING_VARIABLE = "BAKEOFF_PADDING"

#: How much of what a process wrote to stderr is kept when it fails.
_TAIL_BYTES = 4000

#: Importing a study and preparing its input may take this long, untimed.
STARTUP_LIMIT_S = 120.0


class ArmFailedError(Exception):
    """The process has no (further) figure; carries the `Failure` that goes into the journal."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class ArmTimedOutError(Exception):
    """No answer within the limit; the process has been killed."""

    def __init__(self, seconds: float, waited_s: float) -> None:
        self.seconds = seconds
        self.waited_s = waited_s
        """How long in its life the process was ready to run and had no CPU, seconds."""
        super().__init__(f"no answer within {seconds:g} s")


def _storable(text: str) -> str:
    """`text` without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


class ArmProcess:
    """A fresh interpreter that answers lines with lines of JSON.

    Parameters
    ----------
    module : str
        What to run: ``python -m <module>``.
    job : mapping
        The first line it is told.
    root : Path
        Its working directory: the project.
    hash_seed : int
        ``PYTHONHASHSEED``, 0 … 2**32 - 1.
    padding : int
        Bytes of environment padding.
    """

    def __init__(
        self, module: str, job: Mapping[str, Any], *, root: Path, hash_seed: int, padding: int = 0
    ) -> None:
        environment = dict(os.environ)
        environment["PYTHONHASHSEED"] = str(hash_seed)
        environment[PADDING_VARIABLE] = "x" * padding
        try:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `kill`)
            self._process = self._start(module, root, environment)
        except OSError as error:
            raise BakeoffError(
                f"A measuring process cannot be started: {error.strerror or error}.",
                "Is there memory, and room for temporary files?",
            ) from error
        assert self._process.stdout is not None
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._unread = b""
        self._tell_line(json.dumps(job))

    def _start(
        self, module: str, root: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=root,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            # Its own group: what the subject starts ends with it, and Ctrl-C reaches only us.
            start_new_session=True,
        )

    def __enter__(self) -> ArmProcess:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def tell(self, command: str, *arguments: float) -> None:
        """Send one command."""
        self._tell_line(" ".join([command, *map(repr, arguments)]))

    def hear(self, kind: str, limit_s: float) -> dict[str, Any]:
        """The next answer, which must be of `kind`.

        Raises
        ------
        ArmTimedOutError
            After `limit_s` seconds; the process is killed.
        ArmFailedError
            If the subject failed, or the process died or talks nonsense.
        """
        line = self._read_line(limit_s)
        try:
            answer = json.loads(line)
            heard = answer.pop("kind")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise self._failed("protocol", f"unreadable answer {line[:80]!r}") from None
        if heard == "failure":
            texts = (answer["failure"], answer["message"], answer["detail"])
            raise ArmFailedError(Failure(*map(_storable, texts)))
        if heard != kind:
            raise self._failed("protocol", f"expected {kind!r}, heard {heard!r}")
        return dict(answer)

    def kill(self) -> None:
        """End the process and everything it started; safe to call twice."""
        self.end()
        self._process.wait()
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._errors.close()

    def _tell_line(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            # It has died; the next `hear` finds out how and says so.
            return

    def _read_line(self, limit_s: float) -> bytes:
        assert self._process.stdout is not None
        deadline = time.monotonic() + limit_s
        while b"\n" not in self._unread:
            remaining = deadline - time.monotonic()
            if remaining <= 0 or not self._selector.select(remaining):
                waited_s = self._waited_s()
                self.end()
                raise ArmTimedOutError(limit_s, waited_s)
            chunk = os.read(self._process.stdout.fileno(), 65536)
            if not chunk:
                raise self._died()
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        return line

    def end(self) -> None:
        """Kill the process from any thread; whoever waits for its answer hears that it died."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _waited_s(self) -> float:
        # A sleeping or deadlocked process waits too, but not for a CPU; the scheduler knows.
        try:
            fields = Path(f"/proc/{self._process.pid}/schedstat").read_text().split()
            return int(fields[1]) / 1e9
        except (OSError, IndexError, ValueError):  # a system without this account
            return 0.0

    def _died(self) -> ArmFailedError:
        try:
            code = self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            return self._failed("protocol", "closed its pipe without ending")
        if code < 0:
            name = _signal_name(-code)
            hint = " (out of memory?)" if -code == signal.SIGKILL else ""
            return self._failed("crash", f"killed by {name}{hint}")
        return self._failed("crash", f"ended early with exit code {code}")

    def _failed(self, kind: str, message: str) -> ArmFailedError:
        # From its end: a subject may have printed gigabytes.
        self._errors.seek(-min(_TAIL_BYTES, self._errors.seek(0, os.SEEK_END)), os.SEEK_END)
        tail = self._errors.read(_TAIL_BYTES).decode("utf-8", "replace")
        return ArmFailedError(Failure(kind, message, tail))

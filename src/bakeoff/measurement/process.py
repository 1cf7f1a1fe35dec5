"""A measuring process seen from the parent: start, tell, wait within a limit, end for certain."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.results.records import Failure
from bakeoff.study.child_process import ChildProcess, signal_name

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
            self._process = ChildProcess(module, root=root, environment=environment, is_told=True)
        except OSError as error:
            raise BakeoffError(
                f"A measuring process cannot be started: {error.strerror or error}.",
                "Is there memory, and room for temporary files?",
            ) from error
        self._process.write_line(json.dumps(job))

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
        # One that has died hears nothing; the next `hear` finds out how and says so.
        self._process.write_line(" ".join([command, *map(repr, arguments)]))

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
        self._process.close()

    def end(self) -> None:
        """Kill the process from any thread; whoever waits for its answer hears that it died."""
        self._process.end()

    def _read_line(self, limit_s: float) -> bytes:
        try:
            line = self._process.read_line(limit_s)
        except TimeoutError:
            waited_s = self._waited_s()
            self.end()
            raise ArmTimedOutError(limit_s, waited_s) from None
        if line is None:
            raise self._died()
        return line

    def _waited_s(self) -> float:
        # A sleeping or deadlocked process waits too, but not for a CPU; the scheduler knows.
        try:
            fields = Path(f"/proc/{self._process.pid}/schedstat").read_text().split()
            return int(fields[1]) / 1e9
        except (OSError, IndexError, ValueError):  # a system without this account
            return 0.0

    def _died(self) -> ArmFailedError:
        code = self._process.wait(5.0)
        if code is None:
            return self._failed("protocol", "closed its pipe without ending")
        if code < 0:
            hint = " (out of memory?)" if -code == signal.SIGKILL else ""
            return self._failed("crash", f"killed by {signal_name(-code)}{hint}")
        return self._failed("crash", f"ended early with exit code {code}")

    def _failed(self, kind: str, message: str) -> ArmFailedError:
        return ArmFailedError(Failure(kind, message, self._process.stderr_tail(_TAIL_BYTES)))

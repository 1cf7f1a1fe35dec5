"""A checking process seen from the parent: its lines as they come, until all checks' time is up."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from bakeoff.study.child_process import ChildProcess, signal_name

#: Longer than this nobody reads.
STDERR_TAIL_BYTES = 8_000


class Child:
    """``python -m <module> <arguments>``, killed when left.

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
        self._deadline = time.monotonic() + limit_s
        self._process = ChildProcess(module, arguments, root=root)
        self.timed_out = False

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._process.close()

    def lines(self) -> Iterator[bytes]:
        """Each whole line until the process ends; sets `timed_out` and kills it at the limit."""
        # Asked for each line: one that never stops writing is out of time as well.
        while (remaining_s := self._deadline - time.monotonic()) > 0:
            try:
                line = self._process.read_line(remaining_s)
            except TimeoutError:
                break
            if line is None:
                return
            yield line
        self.timed_out = True
        self._process.end()

    def how_it_ended(self) -> str:
        """In words, for a process that ended without saying so: a signal's name or an exit code."""
        code = self._process.wait()
        assert code is not None, "waits without a limit"
        if code < 0:
            return f"the process was killed by {signal_name(-code)}"
        return f"the process ended with exit code {code}"

    def stderr_tail(self) -> str:
        """The end of what it and its subject wrote to stderr or printed."""
        return self._process.stderr_tail(STDERR_TAIL_BYTES).strip()

"""Run another program to its end, with an environment that does not depend on who asks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

#: What a caller may have set, and no judge should see.
_FOREIGN = ("BAKEOFF_", "GIT_", "PYTEST_", "PYTHON", "VIRTUAL_ENV")


class JudgeFailedError(Exception):
    """A tool that did not come to a verdict; the text is what it printed."""


def script(name: str) -> str:
    """Where a tool's command lies: beside this Python."""
    return str(Path(sys.executable).with_name(name))


def run_command(
    *command: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    expect: Collection[int] = (0,),
    limit_s: float = 300.0,
) -> str:
    """Run a command in a folder; what it printed, standard error included.

    Raises
    ------
    JudgeFailedError
        If it ends with an exit code that is not expected, or not within its limit.
    """
    own = {name: text for name, text in os.environ.items() if not name.startswith(_FOREIGN)}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=own | {"COLUMNS": "200", "NO_COLOR": "1"} | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise JudgeFailedError(f"{' '.join(command)}: not done within {limit_s:g} s") from None
    finally:
        if process.poll() is None:
            # Its whole group: a benchmark left behind would disturb everything after it.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode not in expect:
        raise JudgeFailedError(
            f"{' '.join(command)}: exit code {process.returncode}\n{printed[-2000:]}"
        )
    return printed

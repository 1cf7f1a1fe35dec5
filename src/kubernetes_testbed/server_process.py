"""A discovery server in a process of its own, told over a pipe what to serve: whoever is measured has its interpreter to itself."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import weakref
from typing import IO, Any

from kubernetes_testbed.served_discovery import Fault

#: What a server says when it has done as it was told.
OBEYED = "obeyed"


class ServerProcess:
    """A discovery server in a process of its own; it ends with this object, and with this process.

    Parameters
    ----------
    crds : int
        How many groups of custom resources it serves besides Kubernetes' own.
    is_aggregating : bool
        Whether it offers aggregated discovery.
    latency_s : float
        How long each answer takes at least.

    Raises
    ------
    RuntimeError
        If it does not start.
    """

    def __init__(
        self, *, crds: int = 0, is_aggregating: bool = True, latency_s: float = 0.0
    ) -> None:
        arguments = ["--crds", str(crds), "--latency", repr(latency_s * 1000.0)]
        if not is_aggregating:
            arguments.append("--legacy")
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "kubernetes_testbed.discovery_server",
                "--controlled",
                "--quiet",
                *arguments,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.close = weakref.finalize(self, _end, self._process)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            self.close()
            raise RuntimeError("the discovery server did not start; what it said is above")

    def put_crd_group(self, number: int) -> None:
        """Serve a group of custom resources, by its number in `synthetic_groups`."""
        self._tell("put_crd_group", number=number)

    def remove_group(self, name: str) -> None:
        """Serve a group no longer."""
        self._tell("remove_group", name=name)

    def fail(self, group: str, fault: Fault | None) -> None:
        """Have a group fail from now on; None: no longer."""
        self._tell("fail", group=group, fault=fault)

    def _tell(self, command: str, **arguments: Any) -> None:
        """Have a command obeyed; it is when this returns."""
        told, heard = self._process.stdin, self._process.stdout
        assert told is not None
        assert heard is not None
        told.write(json.dumps({"command": command, **arguments}) + "\n")
        told.flush()
        if heard.readline() != OBEYED + "\n":
            raise RuntimeError(f"the discovery server did not obey: {command} {arguments}")


def _end(process: subprocess.Popen[str]) -> None:
    """Without a pipe to listen to it ends by itself; within seconds, or it is killed."""
    pipes: list[IO[str] | None] = [process.stdin, process.stdout]
    for pipe in pipes:
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

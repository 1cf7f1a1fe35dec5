"""The machine a run was made on: enough to tell whether two runs may be mixed."""

from __future__ import annotations

import hashlib
import os
import platform
import re
from pathlib import Path

import psutil

from bakeoff.results.records import Machine

_CPUINFO = Path("/proc/cpuinfo")
_CGROUP = Path("/sys/fs/cgroup")
_GIB = 1024**3


def describe_machine() -> Machine:
    """Describe this machine and interpreter as far as the system tells, in containers too."""
    cpuinfo = _read_cpuinfo()
    cpu = cpu_model(cpuinfo) or platform.processor() or platform.machine() or "unknown"
    cores = _usable_cores()
    memory_bytes = int(psutil.virtual_memory().total)
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return Machine(
        fingerprint=fingerprint(cpu, cores, memory_bytes, system, python),
        cpu=cpu,
        cores=cores,
        memory_bytes=memory_bytes,
        system=system,
        python=python,
        virtual=is_virtual(cpuinfo),
        load_average=_load_average(),
    )


def fingerprint(cpu: str, cores: int, memory_bytes: int, system: str, python: str) -> str:
    """Twelve hexadecimal digits that are equal where figures may be mixed.

    Memory counts in whole GiB: a virtual machine's may move by a few pages from boot to boot.
    """
    parts = (cpu, str(cores), str(round(memory_bytes / _GIB)), system, python)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def cpu_model(cpuinfo: str) -> str | None:
    """The CPU's name in the text of ``/proc/cpuinfo``; None where it has none, as on many ARM."""
    match = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(\S.*)$", cpuinfo, re.MULTILINE)
    return " ".join(match[1].split()) if match else None


def is_virtual(cpuinfo: str) -> bool | None:
    """Whether the text of ``/proc/cpuinfo`` tells of a hypervisor; None where it cannot tell."""
    match = re.search(r"^flags\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    return "hypervisor" in match[1].split() if match else None


def _read_cpuinfo() -> str:
    try:
        return _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        # Not Linux, or hidden by a sandbox: described without it.
        return ""


def _usable_cores() -> int:
    """The CPUs this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory_bytes() -> int | None:
    """Memory that new processes can have without swapping, in a container too; None if unknown."""
    try:
        available = int(psutil.virtual_memory().available)
    except (OSError, RuntimeError):
        return None
    limit, used = _number_in(_CGROUP / "memory.max"), _number_in(_CGROUP / "memory.current")
    return available if limit is None or used is None else min(available, max(0, limit - used))


def _number_in(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _load_average() -> float | None:
    """Mean number of runnable processes over the last minute."""
    try:
        return float(psutil.getloadavg()[0])
    except OSError:
        return None

"""Memory: of the machine, of a container, and on disk."""

from __future__ import annotations

import re

from bakeoff.measurement.fitness_groups import control_groups
from bakeoff.measurement.fitness_reading import (
    Finding,
    Read,
    kib_of,
    number_of,
    or_unknown,
    text_of,
    unknown,
)

_MIB = 1024**2

#: A round keeps three interpreters, their inputs and the harness in memory.
_MEMORY_WANTED = 512 * _MIB
_MEMORY_NEEDED = 128 * _MIB

#: Control groups of version 1 say so (the largest multiple of a page) where there is no limit.
_NO_MEMORY_LIMIT = 2**60


def memory(read: Read) -> Finding:
    """Whether a round's processes fit."""
    fact = read("/proc/meminfo")
    available, total = kib_of(fact, "MemAvailable"), kib_of(fact, "MemTotal")
    if available is None or total is None:
        return unknown("memory", "/proc/meminfo", fact, "this system does not tell its memory")
    seen = f"{available // _MIB:,} of {total // _MIB:,} MiB available"
    return _judged_memory(
        "memory", available, seen, "Free some; this shows who has it: top -o %MEM"
    )


def memory_limit(read: Read) -> Finding:
    """A container's share of memory: whoever exceeds it is killed."""
    name, free, tightest = "memory limit", None, 0
    for folder in control_groups(read, "memory"):
        for limit_file, used_file, cache in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            limit = number_of(read(f"{folder}/{limit_file}"))
            used = number_of(read(f"{folder}/{used_file}"))
            if limit is None or used is None or limit >= _NO_MEMORY_LIMIT:
                continue
            # Files that nobody used lately are dropped before anybody is killed.
            stat = text_of(read(f"{folder}/memory.stat"))
            match = re.search(rf"^{cache} ([0-9]{{1,20}})$", stat, re.MULTILINE)
            left = max(0, limit - used + (int(match[1]) if match else 0))
            if free is None or left < free:
                free, tightest = left, limit
    if free is None:
        return Finding(name, "ok", "none that can be seen")
    seen = f"{tightest // _MIB:,} MiB, of which {free // _MIB:,} MiB are free"
    return _judged_memory(
        name, free, seen, "Give the container more, from outside: docker update --memory"
    )


def swap(read: Read) -> Finding:
    """Memory on disk: one page that comes back costs as much as a thousand operations."""
    fact = read("/proc/meminfo")
    total, free = kib_of(fact, "SwapTotal"), kib_of(fact, "SwapFree")
    if total is None or free is None:
        return unknown("swap", "/proc/meminfo", fact, "this system does not tell it")
    if total == 0:
        return Finding("swap", "ok", "there is none")
    used_mib = (total - free) // _MIB
    swappiness = number_of(read("/proc/sys/vm/swappiness"))
    seen = f"{used_mib:,} of {total // _MIB:,} MiB in use, swappiness {or_unknown(swappiness)}"
    if used_mib < 16:
        return Finding("swap", "ok", seen)
    return Finding(
        "swap",
        "warning",
        seen,
        "Free memory, then: sudo swapoff -a && sudo swapon -a && sudo sysctl vm.swappiness=1",
    )


def _judged_memory(name: str, free: int, seen: str, advice: str) -> Finding:
    if free >= _MEMORY_WANTED:
        return Finding(name, "ok", seen)
    return Finding(name, "warning" if free >= _MEMORY_NEEDED else "problem", seen, advice)

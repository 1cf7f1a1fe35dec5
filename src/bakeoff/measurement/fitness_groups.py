"""Control groups: what a container may use, and how often it was stopped for it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from bakeoff.measurement.fitness_reading import Finding, Read, number_of, text_of, unknown

_CGROUP = "/sys/fs/cgroup"


def control_groups(read: Read, controller: str) -> tuple[str, ...]:
    """Folders of the control groups that limit this process, its own first, of both versions.

    Parameters
    ----------
    read : callable
        The text of a system file.
    controller : str
        ``cpu`` or ``memory``; the limit of every ancestor counts.
    """
    folders = []
    for line in text_of(read("/proc/self/cgroup")).splitlines():
        _number_of_hierarchy, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            roots: tuple[str, ...] = (_CGROUP, f"{_CGROUP}/unified")
        elif controller in controllers.split(","):
            roots = (f"{_CGROUP}/{controllers}", f"{_CGROUP}/{controller}")
        else:
            continue
        inner = PurePosixPath("/", path.strip())
        # In a namespace of its own a path may lead above what is mounted.
        chain = [] if ".." in inner.parts else [inner, *inner.parents]
        folders += [f"{root}{step}".rstrip("/") for root in roots for step in chain]
    roots = (_CGROUP, f"{_CGROUP}/{controller}", f"{_CGROUP}/cpu,cpuacct")
    return tuple(dict.fromkeys([*folders, *roots]))


def cpu_quota(read: Read) -> Finding:
    """A container's share of CPU time: whoever exceeds it is stopped for the rest of a period."""
    name, tightest = "CPU quota", None
    for folder in control_groups(read, "cpu"):
        fact = read(f"{folder}/cpu.max")
        if fact is not None:
            quota, _, period = text_of(fact).strip().partition(" ")
        else:
            fact = read(f"{folder}/cpu.cfs_quota_us")
            quota = text_of(fact).strip()
            period = text_of(read(f"{folder}/cpu.cfs_period_us")).strip()
        if fact is None or quota in ("max", "-1"):
            continue
        allowed_us, period_us = number_of(quota), number_of(period)
        if allowed_us is None or not period_us:
            return unknown(name, f"{folder}: quota", fact, "")
        cpus = allowed_us / period_us
        tightest = cpus if tightest is None else min(tightest, cpus)
    if tightest is None:
        return Finding(name, "ok", "none that can be seen")
    seen = f"{tightest:.2g} CPUs: beyond that processes are stopped until the next period"
    if tightest >= 2:
        return Finding(name, "ok", seen)
    return Finding(
        name,
        # The arms keep one CPU busy all the time.
        "warning" if tightest > 1 else "problem",
        seen,
        "Give the container two CPUs or more, from outside: docker update --cpus 2",
    )


def throttling(read: Read) -> Finding:
    """How often a quota stopped this process's group so far."""
    counts = [
        int(match[1])
        for folder in control_groups(read, "cpu")
        for match in re.finditer(
            r"^nr_throttled ([0-9]{1,20})$", text_of(read(f"{folder}/cpu.stat")), re.MULTILINE
        )
    ]
    if not counts:
        return Finding("throttling", "unknown", "no account of it can be seen")
    if max(counts) == 0:
        return Finding("throttling", "ok", "never")
    return Finding(
        "throttling",
        "warning",
        f"{max(counts):,} times since the container started",
        "Raise its CPU quota, from outside: docker update --cpus 2",
    )

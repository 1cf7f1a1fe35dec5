"""Is this machine fit to measure? Facts in, findings out; each says what was seen and what to do.

A fact is the text of a file under ``/proc`` or ``/sys``, had by its path: so everything here is tested
with text, and a system without such files is one where every path is missing. What the files mean is
in the kernel's documentation: ``Documentation/admin-guide/{pm,cgroup-v1,cgroup-v2,sysctl}``,
``Documentation/accounting/psi.rst`` and proc(5). Where a limit has no source beside it, it is judgement;
the evidence is the A/A run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

Status = Literal["ok", "warning", "problem", "unknown"]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is there and cannot be read; why."""

    reason: str


#: The text of a system file; None if there is no such file.
Read = Callable[[str], str | Unreadable | None]

_CPU = "/sys/devices/system/cpu"
_CGROUP = "/sys/fs/cgroup"
_SUPPLIES = "/sys/class/power_supply"

_MIB = 1024**2

#: A round keeps three interpreters, their inputs and the harness in memory.
_MEMORY_WANTED = 512 * _MIB
_MEMORY_NEEDED = 128 * _MIB

#: Control groups of version 1 say so (the largest multiple of a page) where there is no limit.
_NO_MEMORY_LIMIT = 2**60

#: The bit in a process's personality that switches randomisation off (``setarch --addr-no-randomize``).
_ADDR_NO_RANDOMIZE = 0x0040000

#: Against a batch of 5 ms: a step of the clock is 0.2 % of it, two readings are 0.04 %.
_LARGEST_STEP_S = 1e-5
_LARGEST_COST_S = 1e-6

_FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
_SLOW_CLOCKS = ("hpet", "acpi_pm", "refined-jiffies", "jiffies")

#: What belongs to the hardware, and what to the kernel: a guest's advice has to be followed elsewhere.
_OF_HARDWARE = ("frequency governor", "turbo", "hardware threads")
_OF_KERNEL = (*_OF_HARDWARE, "swap", "clock source", "address randomisation")


@dataclass(frozen=True, slots=True)
class Finding:
    """One property of the machine.

    Attributes
    ----------
    name : str
        What was looked at.
    status : {"ok", "warning", "problem", "unknown"}
        A warning makes intervals wider; a problem makes figures wrong, or rounds fail.
    seen : str
        What it is, with its figure.
    advice : str
        What to do; empty where nothing needs to be done.
    """

    name: str
    status: Status
    seen: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was read off a machine and this interpreter.

    Attributes
    ----------
    read : callable
        The text of a system file.
    cores : int
        CPUs of the machine.
    usable : tuple of int
        The CPUs that processes can be pinned to; empty where the system cannot pin.
    load : float or None
        Mean number of runnable processes over the last minute.
    is_virtual : bool or None
        Whether there is a hypervisor; None where it cannot be told.
    is_container : bool
        Whether this is a container, as far as it tells.
    supplies : tuple of str
        Names of power supplies and batteries.
    stat_before, stat_after : str, Unreadable or None
        ``/proc/stat``, some time apart.
    clock_step_s, clock_cost_s : float
        The smallest step that `time.perf_counter` was seen to make, and what a reading takes.
    is_debug_build : bool
        Whether Python was built for debugging.
    tracers : tuple of str
        What watches this interpreter run.
    slowing : tuple of str
        Settings in the environment, which every measuring process inherits, that slow Python.
    """

    read: Read
    cores: int
    usable: tuple[int, ...]
    load: float | None
    is_virtual: bool | None
    is_container: bool
    supplies: tuple[str, ...]
    stat_before: str | Unreadable | None
    stat_after: str | Unreadable | None
    clock_step_s: float
    clock_cost_s: float
    is_debug_build: bool
    tracers: tuple[str, ...]
    slowing: tuple[str, ...]


def examine(facts: Facts) -> list[Finding]:
    """Everything that the facts say of a machine, what others do to it first."""
    read = facts.read
    findings = [
        load_average(facts.load, facts.cores),
        pressure(read),
        steal(facts.stat_before, facts.stat_after),
        virtual_machine(facts.is_virtual, is_container=facts.is_container),
        governor(read),
        turbo(read),
        siblings(read),
        power(read, facts.supplies),
        memory(read),
        memory_limit(read),
        memory_pressure(read),
        swap(read),
        cpu_quota(read),
        throttling(read),
        pinning(facts.usable, facts.cores),
        randomization(read),
        clock_source(read),
        clock_cost(facts.clock_step_s, facts.clock_cost_s),
        performance_counters(read),
        interpreter(facts.is_debug_build, facts.tracers, facts.slowing),
    ]
    return [
        where_it_can_be_changed(one, facts.is_virtual, is_container=facts.is_container)
        for one in findings
    ]


def where_it_can_be_changed(
    finding: Finding, is_virtual: bool | None, *, is_container: bool
) -> Finding:
    """`finding` with its advice addressed to whoever can follow it: often the host alone."""
    if finding.advice and is_container and finding.name in _OF_KERNEL:
        return replace(finding, advice=f"On the host, not in this container: {finding.advice}")
    if finding.advice and is_virtual and finding.name in _OF_HARDWARE:
        advice = f"On the host, not in this virtual machine: {finding.advice}"
        return replace(finding, advice=advice)
    return finding


def load_average(load: float | None, cores: int) -> Finding:
    """Who else is at work, over the last minute."""
    if load is None:
        return Finding("load", "unknown", "this system does not tell its load")
    each = load / cores
    seen = f"{each:.2f} runnable per core ({cores}) over the last minute"
    if each < 0.25:
        return Finding("load", "ok", seen)
    # Turns cancel much of it; with two others on every core most rounds would be discarded.
    status: Status = "warning" if each < 2 else "problem"
    return Finding("load", status, seen, "Stop what else is running: top")


def pressure(read: Read) -> Finding:
    """How long processes waited for a CPU lately."""
    return _pressure(read, "cpu", "CPU pressure", "a CPU", 5.0, 60.0)


def memory_pressure(read: Read) -> Finding:
    """How long processes waited for memory lately: a wait is a page fetched back from disk."""
    return _pressure(read, "memory", "memory pressure", "memory", 1.0, 10.0)


def steal(before: str | Unreadable | None, after: str | Unreadable | None) -> Finding:
    """The share of time that a virtual machine's host gave to somebody else.

    Parameters
    ----------
    before, after : str, Unreadable or None
        Two readings of ``/proc/stat``.
    """
    first, second = _jiffies(before), _jiffies(after)
    if first is None or second is None or sum(second) <= sum(first):
        return _unknown("steal", "/proc/stat", after, "this system does not tell it")
    share = max(0.0, (second[7] - first[7]) / (sum(second) - sum(first)))
    seen = f"the host took {share * 100:.1f} % of the last second"
    if share < 0.01:
        return Finding("steal", "ok", seen)
    return Finding(
        "steal",
        "warning" if share < 0.1 else "problem",
        seen,
        "It can be changed outside only: a machine of its own, or another hour.",
    )


def virtual_machine(is_virtual: bool | None, *, is_container: bool) -> Finding:
    """Neighbours that cannot be seen."""
    name, inside = "virtual machine", ", and marked as a container" if is_container else ""
    if is_virtual is None:
        return Finding(name, "unknown", f"this system does not tell{inside}")
    if not is_virtual:
        return Finding(name, "ok", f"no{inside}")
    return Finding(
        name,
        "warning",
        f"yes{inside}: neighbours are hidden",
        "Believe the noise floor; at another hour, again: bakeoff doctor",
    )


def governor(read: Read) -> Finding:
    """The frequency governor: any but ``performance`` begins every round slowly."""
    name, online = "frequency governor", read(f"{_CPU}/online")
    cpus = _cpu_list(online) or (0,)
    path = f"{_CPU}/cpu{cpus[0]}/cpufreq/scaling_governor"
    fact = read(path)
    lines = [_line(read(f"{_CPU}/cpu{cpu}/cpufreq/scaling_governor")) for cpu in cpus]
    found = sorted({line for line in lines if line is not None})
    if not found or not all(re.fullmatch(r"[a-z_]+", one) for one in found):
        return _unknown(name, path, fact, "the system shows no frequency scaling")
    if found == ["performance"]:
        return Finding(name, "ok", "performance")
    return Finding(
        name,
        "warning",
        ", ".join(found),
        "Set it for the time of a run: sudo cpupower frequency-set --governor performance",
    )


def turbo(read: Read) -> Finding:
    """Turbo: speed then depends on temperature and on how many cores are busy."""
    # What the file holds while turbo is off differs between the two drivers.
    for path, off in ((f"{_CPU}/intel_pstate/no_turbo", "1"), (f"{_CPU}/cpufreq/boost", "0")):
        fact = read(path)
        if fact is None:
            continue
        line = _line(fact)
        if line not in ("0", "1"):
            return _unknown("turbo", path, fact, "")
        if line == off:
            return Finding("turbo", "ok", "off")
        return Finding(
            "turbo",
            "warning",
            "on: speed changes with temperature",
            f"Turn it off for the time of a run: echo {off} | sudo tee {path}",
        )
    return Finding("turbo", "unknown", "the system shows no switch for it")


def siblings(read: Read) -> Finding:
    """Two hardware threads of one core: a neighbour on the other one takes half of the speed."""
    name, path = "hardware threads", f"{_CPU}/smt/active"
    fact = read(path)
    line = _line(fact)
    if line == "0":
        return Finding(name, "ok", "one for each core, as far as the system tells")
    if line == "1":
        return Finding(
            name,
            "warning",
            "several for each core: a neighbour on the same core slows a round",
            f"Leave the other cores idle, or: echo off | sudo tee {_CPU}/smt/control",
        )
    return _unknown(name, path, fact, "the system does not tell")


def power(read: Read, supplies: Sequence[str]) -> Finding:
    """On battery, speed follows the charge."""
    is_discharging = False
    for supply in supplies:
        folder = f"{_SUPPLIES}/{supply}"
        # A battery of scope "Device" is that of a mouse.
        is_own = _line(read(f"{folder}/scope")) != "Device"
        kind = _line(read(f"{folder}/type"))
        if kind in ("Mains", "USB") and _line(read(f"{folder}/online")) == "1":
            return Finding("power", "ok", "mains")
        if kind == "Battery" and is_own and _line(read(f"{folder}/status")) == "Discharging":
            is_discharging = True
    if is_discharging:
        return Finding("power", "warning", "on battery", "Plug it in.")
    return Finding("power", "ok", "no battery in use")


def memory(read: Read) -> Finding:
    """Whether a round's processes fit."""
    fact = read("/proc/meminfo")
    available, total = _kib(fact, "MemAvailable"), _kib(fact, "MemTotal")
    if available is None or total is None:
        return _unknown("memory", "/proc/meminfo", fact, "this system does not tell its memory")
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
            limit = _number(read(f"{folder}/{limit_file}"))
            used = _number(read(f"{folder}/{used_file}"))
            if limit is None or used is None or limit >= _NO_MEMORY_LIMIT:
                continue
            # Files that nobody used lately are dropped before anybody is killed.
            stat = _text(read(f"{folder}/memory.stat"))
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
    total, free = _kib(fact, "SwapTotal"), _kib(fact, "SwapFree")
    if total is None or free is None:
        return _unknown("swap", "/proc/meminfo", fact, "this system does not tell it")
    if total == 0:
        return Finding("swap", "ok", "there is none")
    used_mib = (total - free) // _MIB
    swappiness = _number(read("/proc/sys/vm/swappiness"))
    seen = f"{used_mib:,} of {total // _MIB:,} MiB in use, swappiness {_or_unknown(swappiness)}"
    if used_mib < 16:
        return Finding("swap", "ok", seen)
    return Finding(
        "swap",
        "warning",
        seen,
        "Free memory, then: sudo swapoff -a && sudo swapon -a && sudo sysctl vm.swappiness=1",
    )


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
    for line in _text(read("/proc/self/cgroup")).splitlines():
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
            quota, _, period = _text(fact).strip().partition(" ")
        else:
            fact = read(f"{folder}/cpu.cfs_quota_us")
            quota = _text(fact).strip()
            period = _text(read(f"{folder}/cpu.cfs_period_us")).strip()
        if fact is None or quota in ("max", "-1"):
            continue
        allowed_us, period_us = _number(quota), _number(period)
        if allowed_us is None or not period_us:
            return _unknown(name, f"{folder}: quota", fact, "")
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
            r"^nr_throttled ([0-9]{1,20})$", _text(read(f"{folder}/cpu.stat")), re.MULTILINE
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


def pinning(usable: Sequence[int], cores: int) -> Finding:
    """Whether all arms of a round can share one CPU."""
    if not usable:
        return Finding(
            "pinning",
            "warning",
            "this system cannot pin processes to a CPU",
            "Measure on Linux where 3 % matters.",
        )
    if len(usable) == 1:
        return Finding(
            "pinning",
            "warning",
            f"only CPU {usable[0]} of {cores} may be used: others' work cannot be avoided",
            "Start without taskset, or on a machine with two CPUs."
            if cores > 1
            else "Measure on a machine with two CPUs.",
        )
    return Finding("pinning", "ok", f"to any of {len(usable)} CPUs")


def randomization(read: Read) -> Finding:
    """Address space randomisation: every process another layout, so that none decides a comparison."""
    name, path = "address randomisation", "/proc/sys/kernel/randomize_va_space"
    fact = read(path)
    line = _line(fact)
    personality = _line(read("/proc/self/personality")) or ""
    if re.fullmatch(r"[0-9a-f]{1,16}", personality) and int(personality, 16) & _ADDR_NO_RANDOMIZE:
        # Of this process and its children alone, so it can be changed in any place.
        return Finding(
            name, "warning", "off for this process", "Start without setarch or a debugger."
        )
    if line == "2":
        return Finding(name, "ok", "on, as it should be")
    if line not in ("0", "1"):
        return _unknown(name, path, fact, "the system does not tell")
    return Finding(
        name,
        "warning",
        "off: every process has the same layout" if line == "0" else "on, but not for the heap",
        "Turn it on: sudo sysctl kernel.randomize_va_space=2",
    )


def clock_source(read: Read) -> Finding:
    """Where the kernel reads the time: some sources cost a microsecond and more."""
    name = "clock source"
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    fact = read(path)
    line = _line(fact)
    if line is None or not re.fullmatch(r"[\w-]{1,40}", line):
        return _unknown(name, path, fact, "the system does not tell")
    if line in _FAST_CLOCKS:
        return Finding(name, "ok", line)
    if line in _SLOW_CLOCKS:
        advice = "Boot with clocksource=tsc on the kernel's command line."
        return Finding(name, "problem", f"{line}: slow to read", advice)
    return Finding(name, "warning", f"{line}: not known to be fast", "See the line 'clock'.")


def clock_cost(step_s: float, cost_s: float) -> Finding:
    """What reading `time.perf_counter` costs and tells; measured, not looked up."""
    seen = f"smallest step {step_s * 1e9:,.0f} ns, {cost_s * 1e9:,.0f} ns a reading"
    if cost_s < _LARGEST_COST_S and step_s < _LARGEST_STEP_S:
        return Finding("clock", "ok", seen)
    return Finding("clock", "problem", seen, "See the line 'clock source'.")


def performance_counters(read: Read) -> Finding:
    """Whether profilers may ask the kernel; no timing depends on it."""
    path = "/proc/sys/kernel/perf_event_paranoid"
    fact = read(path)
    level = _number(fact)
    if level is None:
        return _unknown("perf rights", path, fact, "this system has no performance events")
    if level <= 2:
        return Finding("perf rights", "ok", f"perf_event_paranoid {level}: own processes at least")
    seen = f"perf_event_paranoid {level}: none for users, and no timing needs them"
    return Finding("perf rights", "ok", seen)


def interpreter(is_debug: bool, tracers: Sequence[str], slowing: Sequence[str]) -> Finding:
    """An interpreter that is slower than the one that will be used.

    Parameters
    ----------
    is_debug : bool
        Whether Python was built for debugging.
    tracers : sequence of str
        What watches this process run; the measuring processes start without it.
    slowing : sequence of str
        Settings that the measuring processes inherit.
    """
    inherited = [*(["a debug build"] if is_debug else []), *(f"{one} is set" for one in slowing)]
    if inherited:
        seen = "; ".join([*inherited, *tracers])
        return Finding("interpreter", "problem", seen, "Measure with what production runs.")
    if tracers:
        advice = "Start without it: it slows the harness, not what is measured."
        return Finding("interpreter", "warning", "; ".join(tracers), advice)
    return Finding("interpreter", "ok", "an ordinary build, nothing traced")


def cpu_list(text: str) -> tuple[int, ...]:
    """The CPUs of a list such as ``0-3,8``; empty for anything else."""
    cpus: list[int] = []
    for part in text.strip().split(","):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None:
            return ()
        cpus += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(cpus)


def _cpu_list(fact: str | Unreadable | None) -> tuple[int, ...]:
    return cpu_list(_text(fact))


def _pressure(
    read: Read, resource: str, name: str, what: str, warning: float, problem: float
) -> Finding:
    path = f"/proc/pressure/{resource}"
    fact = read(path)
    match = re.search(r"^some avg10=([0-9]{1,3}(?:\.[0-9]+)?) ", _text(fact), re.MULTILINE)
    if match is None:
        return _unknown(name, path, fact, "the kernel keeps no account (CONFIG_PSI)")
    share = float(match[1])
    seen = f"somebody waited for {what} for {share:.0f} % of the last 10 s"
    if share < warning:
        return Finding(name, "ok", seen)
    status: Status = "warning" if share < problem else "problem"
    return Finding(name, status, seen, "Stop what else is running: top")


def _judged_memory(name: str, free: int, seen: str, advice: str) -> Finding:
    if free >= _MEMORY_WANTED:
        return Finding(name, "ok", seen)
    return Finding(name, "warning" if free >= _MEMORY_NEEDED else "problem", seen, advice)


def _unknown(name: str, path: str, fact: str | Unreadable | None, absent: str) -> Finding:
    """A finding without a figure; why: the file is missing, cannot be read, or holds nonsense."""
    if fact is None:
        return Finding(name, "unknown", absent)
    if isinstance(fact, Unreadable):
        return Finding(name, "unknown", f"{path}: {fact.reason}")
    return Finding(name, "unknown", f"{path} says {fact.strip()[:40]!r}")


def _text(fact: str | Unreadable | None) -> str:
    return fact if isinstance(fact, str) else ""


def _line(fact: str | Unreadable | None) -> str | None:
    stripped = _text(fact).strip()
    return stripped.splitlines()[0].strip() if stripped else None


def _number(fact: str | Unreadable | None) -> int | None:
    # Twenty digits hold every count of the kernel, and are short enough for Python to convert.
    stripped = _text(fact).strip()
    return int(stripped) if re.fullmatch(r"-?[0-9]{1,20}", stripped) else None


def _kib(meminfo: str | Unreadable | None, key: str) -> int | None:
    """Bytes of one line of ``/proc/meminfo``, which is in KiB."""
    match = re.search(rf"^{key}:\s+([0-9]{{1,20}}) kB", _text(meminfo), re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def _or_unknown(number: int | None) -> str:
    return "unknown" if number is None else str(number)


def _jiffies(stat: str | Unreadable | None) -> list[int] | None:
    """User, nice, system, idle, iowait, irq, softirq, steal; guests' time is in user's already."""
    match = re.match(r"cpu((?:\s+[0-9]{1,20}){8})", _text(stat))
    return [int(field) for field in match[1].split()] if match else None

"""Is this machine fit to measure? Facts in, findings out; each says what was seen and what to do.

A fact is the text of a file under ``/proc`` or ``/sys``, had by its path: so everything here is tested
with text, and a system without such files is one where every path is missing. What the files mean is
in the kernel's documentation: ``Documentation/admin-guide/{pm,cgroup-v1,cgroup-v2,sysctl}``,
``Documentation/accounting/psi.rst`` and proc(5). Where a limit has no source beside it, it is judgement;
the evidence is the A/A run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.measurement.fitness_groups import cpu_quota, throttling
from bakeoff.measurement.fitness_memory import memory, memory_limit, swap
from bakeoff.measurement.fitness_reading import (
    Finding,
    Read,
    Status,
    Unreadable,
    cpu_list,
    jiffies_of,
    line_of,
    number_of,
    text_of,
    unknown,
)

_CPU = "/sys/devices/system/cpu"
_SUPPLIES = "/sys/class/power_supply"

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
    first, second = jiffies_of(before), jiffies_of(after)
    if first is None or second is None or sum(second) <= sum(first):
        return unknown("steal", "/proc/stat", after, "this system does not tell it")
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
    lines = [line_of(read(f"{_CPU}/cpu{cpu}/cpufreq/scaling_governor")) for cpu in cpus]
    found = sorted({line for line in lines if line is not None})
    if not found or not all(re.fullmatch(r"[a-z_]+", one) for one in found):
        return unknown(name, path, fact, "the system shows no frequency scaling")
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
        line = line_of(fact)
        if line not in ("0", "1"):
            return unknown("turbo", path, fact, "")
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
    line = line_of(fact)
    if line == "0":
        return Finding(name, "ok", "one for each core, as far as the system tells")
    if line == "1":
        return Finding(
            name,
            "warning",
            "several for each core: a neighbour on the same core slows a round",
            f"Leave the other cores idle, or: echo off | sudo tee {_CPU}/smt/control",
        )
    return unknown(name, path, fact, "the system does not tell")


def power(read: Read, supplies: Sequence[str]) -> Finding:
    """On battery, speed follows the charge."""
    is_discharging = False
    for supply in supplies:
        folder = f"{_SUPPLIES}/{supply}"
        # A battery of scope "Device" is that of a mouse.
        is_own = line_of(read(f"{folder}/scope")) != "Device"
        kind = line_of(read(f"{folder}/type"))
        if kind in ("Mains", "USB") and line_of(read(f"{folder}/online")) == "1":
            return Finding("power", "ok", "mains")
        if kind == "Battery" and is_own and line_of(read(f"{folder}/status")) == "Discharging":
            is_discharging = True
    if is_discharging:
        return Finding("power", "warning", "on battery", "Plug it in.")
    return Finding("power", "ok", "no battery in use")


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
    line = line_of(fact)
    personality = line_of(read("/proc/self/personality")) or ""
    if re.fullmatch(r"[0-9a-f]{1,16}", personality) and int(personality, 16) & _ADDR_NO_RANDOMIZE:
        # Of this process and its children alone, so it can be changed in any place.
        return Finding(
            name, "warning", "off for this process", "Start without setarch or a debugger."
        )
    if line == "2":
        return Finding(name, "ok", "on, as it should be")
    if line not in ("0", "1"):
        return unknown(name, path, fact, "the system does not tell")
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
    line = line_of(fact)
    if line is None or not re.fullmatch(r"[\w-]{1,40}", line):
        return unknown(name, path, fact, "the system does not tell")
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
    level = number_of(fact)
    if level is None:
        return unknown("perf rights", path, fact, "this system has no performance events")
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


def _cpu_list(fact: str | Unreadable | None) -> tuple[int, ...]:
    return cpu_list(text_of(fact))


def _pressure(
    read: Read, resource: str, name: str, what: str, warning: float, problem: float
) -> Finding:
    path = f"/proc/pressure/{resource}"
    fact = read(path)
    match = re.search(r"^some avg10=([0-9]{1,3}(?:\.[0-9]+)?) ", text_of(fact), re.MULTILINE)
    if match is None:
        return unknown(name, path, fact, "the kernel keeps no account (CONFIG_PSI)")
    share = float(match[1])
    seen = f"somebody waited for {what} for {share:.0f} % of the last 10 s"
    if share < warning:
        return Finding(name, "ok", seen)
    status: Status = "warning" if share < problem else "problem"
    return Finding(name, status, seen, "Stop what else is running: top")

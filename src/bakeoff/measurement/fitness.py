"""Is this machine fit to measure? Facts in, findings out; each says what was seen and what to do.

A fact is the text of a file under ``/proc`` or ``/sys``, as a mapping from its path: so everything here is
tested with text, and a system without such files is one whose mapping is empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "problem", "unknown"]

#: The text of a system file; None if it cannot be read.
Read = Callable[[str], str | None]

_CPU = "/sys/devices/system/cpu"


@dataclass(frozen=True, slots=True)
class Finding:
    """One property of the machine.

    Attributes
    ----------
    name : str
        What was looked at.
    status : {"ok", "warning", "problem", "unknown"}
        A warning makes intervals wider; a problem makes figures wrong.
    seen : str
        What it is, with its figure.
    advice : str
        What to do; empty where nothing needs to be done.
    """

    name: str
    status: Status
    seen: str
    advice: str = ""


def examine(read: Read, cores: int, usable: Sequence[int], load: float | None) -> list[Finding]:
    """Everything that files tell of a machine.

    Parameters
    ----------
    read : callable
        The text of a system file, or None.
    cores : int
        CPUs of the machine.
    usable : sequence of int
        The CPUs that processes can be pinned to; empty where the system cannot pin.
    load : float or None
        Mean number of runnable processes over the last minute.
    """
    return [
        governor(read),
        turbo(read),
        load_average(load, cores),
        pressure(read),
        swap(read),
        cpu_quota(read),
        throttling(read),
        clock_source(read),
        performance_counters(read),
        randomization(read),
        pinning(usable, cores),
        siblings(read),
        power(read),
    ]


def governor(read: Read) -> Finding:
    """The frequency governor: ``powersave`` begins every round slowly."""
    text = _line(read(f"{_CPU}/cpu0/cpufreq/scaling_governor"))
    if text is None:
        return Finding(
            "frequency governor", "unknown", "not told: a virtual machine, or no scaling"
        )
    if text == "performance":
        return Finding("frequency governor", "ok", text)
    return Finding(
        "frequency governor",
        "warning",
        text,
        "Set it for the time of a run: sudo cpupower frequency-set --governor performance",
    )


def turbo(read: Read) -> Finding:
    """Turbo: speed then depends on temperature and on how many cores are busy."""
    boost = _line(read(f"{_CPU}/cpufreq/boost"))
    no_turbo = _line(read(f"{_CPU}/intel_pstate/no_turbo"))
    if boost is None and no_turbo is None:
        return Finding("turbo", "unknown", "not told: a virtual machine, or no turbo")
    if boost == "0" or no_turbo == "1":
        return Finding("turbo", "ok", "off")
    path = f"{_CPU}/cpufreq/boost" if boost is not None else f"{_CPU}/intel_pstate/no_turbo"
    value = "0" if boost is not None else "1"
    return Finding(
        "turbo",
        "warning",
        "on: speed changes with temperature",
        f"Turn it off for the time of a run: echo {value} | sudo tee {path}",
    )


def load_average(load: float | None, cores: int) -> Finding:
    """Who else is at work, over the last minute."""
    if load is None:
        return Finding("load", "unknown", "this system does not tell its load")
    seen = f"{load:.2f} runnable processes over the last minute, {cores} cores"
    if load < 0.25 * cores:
        return Finding("load", "ok", seen)
    status: Status = "warning" if load < cores else "problem"
    return Finding("load", status, seen, "Stop what else is running: top shows it.")


def pressure(read: Read) -> Finding:
    """How long processes waited for a CPU lately."""
    text = read("/proc/pressure/cpu")
    match = re.search(r"^some avg10=([\d.]+)", text or "", re.MULTILINE)
    if match is None:
        return Finding("CPU pressure", "unknown", "the kernel keeps no account (CONFIG_PSI)")
    share = float(match[1])
    seen = f"somebody waited for a CPU {share:g} % of the last ten seconds"
    if share < 5:
        return Finding("CPU pressure", "ok", seen)
    return Finding(
        "CPU pressure", "warning" if share < 30 else "problem", seen, "Wait for quiet, or stop it."
    )


def swap(read: Read) -> Finding:
    """Memory on disk: one page that comes back costs as much as a thousand operations."""
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", read("/proc/meminfo") or "", re.MULTILINE))
    if "SwapTotal" not in sizes:
        return Finding("swap", "unknown", "this system does not tell its memory")
    used_mib = (int(sizes["SwapTotal"]) - int(sizes.get("SwapFree", 0))) / 1024
    available_mib = int(sizes.get("MemAvailable", 0)) / 1024
    seen = f"{used_mib:.0f} MiB in use, {available_mib:,.0f} MiB of memory available"
    if used_mib < 16:
        return Finding("swap", "ok", seen)
    return Finding(
        "swap",
        "warning",
        seen,
        "Free memory, then: sudo swapoff -a && sudo swapon -a",
    )


def cpu_quota(read: Read) -> Finding:
    """A container's share of CPU time: whoever exceeds it is stopped for the rest of a period."""
    name = "CPU quota"
    quota: str | None
    period: str | None
    if (text := _line(read("/sys/fs/cgroup/cpu.max"))) is not None:
        quota, _, period = text.partition(" ")
    else:
        quota = _line(read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
        period = _line(read("/sys/fs/cgroup/cpu/cpu.cfs_period_us"))
    if quota is None:
        return Finding(name, "ok", "none is set that can be seen")
    if quota in ("max", "-1"):
        return Finding(name, "ok", "none")
    if not quota.isdigit() or period is None or not period.isdigit() or int(period) == 0:
        return Finding(name, "unknown", f"unreadable: {quota} {period}")
    cpus = int(quota) / int(period)
    seen = f"{cpus:.2g} CPUs: beyond that processes are stopped until the next period"
    if cpus >= 2:
        return Finding(name, "ok", seen)
    return Finding(
        name, "warning", seen, "Give the container two CPUs or more, or no quota (docker --cpus)."
    )


def throttling(read: Read) -> Finding:
    """How often that has happened since the container started."""
    text = read("/sys/fs/cgroup/cpu.stat") or read("/sys/fs/cgroup/cpu/cpu.stat") or ""
    match = re.search(r"^nr_throttled (\d+)", text, re.MULTILINE)
    if match is None:
        return Finding("throttling", "ok", "no account of it, so no quota")
    if match[1] == "0":
        return Finding("throttling", "ok", "never")
    return Finding(
        "throttling",
        "warning",
        f"{match[1]} times since the container started",
        "Raise the container's CPU quota.",
    )


def clock_source(read: Read) -> Finding:
    """Where the kernel reads the time: some sources cost a microsecond and more."""
    text = _line(read("/sys/devices/system/clocksource/clocksource0/current_clocksource"))
    if text is None:
        return Finding("clock source", "unknown", "not told")
    if text in ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"):
        return Finding("clock source", "ok", text)
    return Finding(
        "clock source",
        "problem" if text in ("hpet", "acpi_pm", "refined-jiffies", "jiffies") else "warning",
        f"{text}: slow to read",
        "Boot with clocksource=tsc, or ask whoever runs the host.",
    )


def performance_counters(read: Read) -> Finding:
    """Whether profilers may ask the kernel."""
    text = _line(read("/proc/sys/kernel/perf_event_paranoid"))
    if text is None or not re.fullmatch(r"-?\d+", text):
        return Finding("perf rights", "unknown", "this kernel has no performance events")
    if int(text) <= 2:
        return Finding("perf rights", "ok", f"perf_event_paranoid {text}")
    return Finding(
        "perf rights",
        "ok",
        f"perf_event_paranoid {text}: none for users; only needed for hardware counters",
    )


def randomization(read: Read) -> Finding:
    """Address space randomisation: every process another layout, so that none decides a comparison."""
    text = _line(read("/proc/sys/kernel/randomize_va_space"))
    if text is None:
        return Finding("address randomisation", "unknown", "not told")
    if text == "2":
        return Finding("address randomisation", "ok", "on, as it should be")
    return Finding(
        "address randomisation",
        "warning",
        f"{'off' if text == '0' else 'partial'}: every process has the same layout",
        "Turn it on: sudo sysctl kernel.randomize_va_space=2",
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
    if len(usable) == 1 and cores > 1:
        return Finding(
            "pinning",
            "warning",
            f"only CPU {usable[0]} of {cores} may be used: others' work cannot be avoided",
            "Start without taskset or a CPU set of one.",
        )
    return Finding("pinning", "ok", f"to any of {len(usable)} CPUs")


def siblings(read: Read) -> Finding:
    """Two hardware threads of one core: a neighbour on the other one takes half of the speed."""
    text = _line(read(f"{_CPU}/smt/active"))
    if text is None:
        return Finding("hardware threads", "unknown", "not told")
    if text == "0":
        return Finding("hardware threads", "ok", "one for each core")
    return Finding(
        "hardware threads",
        "warning",
        "several for each core: a neighbour on the same core slows a round",
        "Leave other cores idle, or: echo off | sudo tee /sys/devices/system/cpu/smt/control",
    )


def power(read: Read) -> Finding:
    """On battery, speed follows the charge."""
    online = _line(read("/sys/class/power_supply/AC/online"))
    if online == "0":
        return Finding("power", "warning", "on battery", "Plug it in.")
    return Finding("power", "ok", "mains" if online == "1" else "no battery that is told of")


def steal(before: str | None, after: str | None) -> Finding:
    """The share of time that a virtual machine's host gave to somebody else.

    Parameters
    ----------
    before, after : str or None
        Two readings of ``/proc/stat``.
    """
    first, second = _jiffies(before), _jiffies(after)
    if first is None or second is None or len(first) < 8 or sum(second) <= sum(first):
        return Finding("steal", "unknown", "this system does not tell it")
    share = (second[7] - first[7]) / (sum(second) - sum(first))
    seen = f"the host took {share:.1%} of the last second"
    if share < 0.01:
        return Finding("steal", "ok", seen)
    return Finding(
        "steal",
        "warning" if share < 0.1 else "problem",
        seen,
        "It can be changed outside only: a machine of its own, or another hour.",
    )


def virtual_machine(is_virtual: bool | None) -> Finding:
    """Neighbours that cannot be seen."""
    if is_virtual is None:
        return Finding("virtual machine", "unknown", "not told")
    if not is_virtual:
        return Finding("virtual machine", "ok", "no")
    return Finding(
        "virtual machine",
        "warning",
        "yes: the host's other guests cannot be seen from here",
        "Trust the noise floor below, and measure it again at another hour.",
    )


def clock_cost(resolution_s: float, cost_s: float) -> Finding:
    """What reading `time.perf_counter` costs and tells."""
    seen = f"resolution {resolution_s * 1e9:.0f} ns, {cost_s * 1e9:.0f} ns a reading"
    if cost_s < 1e-6 and resolution_s < 1e-5:
        return Finding("clock", "ok", seen)
    return Finding("clock", "problem", seen, "See the clock source.")


def interpreter(is_debug: bool, is_traced: bool, environment: Sequence[str]) -> Finding:
    """An interpreter that is slower than the one that will be used."""
    troubles = [
        *(["a debug build"] if is_debug else []),
        *(["a tracer (coverage, debugger) is active"] if is_traced else []),
        *(f"{name} is set" for name in environment),
    ]
    if not troubles:
        return Finding("interpreter", "ok", "an ordinary build, nothing traced")
    return Finding(
        "interpreter", "problem", "; ".join(troubles), "Measure with what production runs."
    )


def _line(text: str | None) -> str | None:
    stripped = (text or "").strip()
    return stripped.splitlines()[0].strip() if stripped else None


def _jiffies(stat: str | None) -> list[int] | None:
    match = re.match(r"cpu\s+([\d ]+)", stat or "")
    return [int(field) for field in match[1].split()] if match else None

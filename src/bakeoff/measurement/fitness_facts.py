"""Read off this machine and interpreter what `bakeoff.measurement.fitness` judges."""

from __future__ import annotations

import itertools
import os
import sys
import sysconfig
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, median

from bakeoff.measurement.fitness import Facts
from bakeoff.measurement.fitness_reading import Unreadable
from bakeoff.measurement.rounds import available_cpus
from bakeoff.results.machine import describe_machine

#: How far apart the two readings are that tell what the host took.
BETWEEN_READINGS_S = 1.0

#: Files with which container engines mark what is theirs.
_CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")

_SUPPLIES = Path("/sys/class/power_supply")

#: Variables that slow Python whatever they hold, as long as they hold something.
_SLOWING = ("PYTHONDEVMODE", "PYTHONTRACEMALLOC", "PYTHONASYNCIODEBUG", "COVERAGE_PROCESS_START")


def collect_facts() -> Facts:
    """Look at the machine; takes a second, to see what the host takes away."""
    machine = describe_machine()
    before = read_system_file("/proc/stat")
    time.sleep(BETWEEN_READINGS_S)
    after = read_system_file("/proc/stat")
    step_s, cost_s = measure_clock()
    return Facts(
        read=read_system_file,
        cores=os.cpu_count() or 1,
        usable=available_cpus(),
        load=machine.load_average,
        is_virtual=machine.virtual,
        is_container=is_container(),
        supplies=_supplies(),
        stat_before=before,
        stat_after=after,
        clock_step_s=step_s,
        clock_cost_s=cost_s,
        is_debug_build=bool(sysconfig.get_config_var("Py_DEBUG")),
        tracers=tuple(_tracers()),
        slowing=slowing_settings(os.environ),
    )


def read_system_file(path: str) -> str | Unreadable | None:
    """The text of a file; None if there is none; never an exception."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Unreadable((error.strerror or type(error).__name__).lower())


def measure_clock(readings: int = 20_000) -> tuple[float, float]:
    """The smallest step of `time.perf_counter` and what one reading takes, both in seconds."""
    clock = time.perf_counter_ns
    times = [clock() for _ in range(readings)]
    steps = [late - early for early, late in itertools.pairwise(times)]
    moves = [step for step in steps if step > 0]
    # One that never moved has a step longer than all these readings.
    step_s = min(moves) / 1e9 if moves else 1.0
    # Whoever took the CPU meanwhile is no cost of the clock; a coarse one stands still in between.
    cost_s = median(steps) or fmean(steps)
    return step_s, cost_s / 1e9


def slowing_settings(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Variables that make every interpreter started with them slower than the one in production."""
    names = [name for name in _SLOWING if environment.get(name)]
    # `pymalloc` and `default` name the ordinary allocator.
    if environment.get("PYTHONMALLOC", "default") not in ("", "default", "pymalloc", "mimalloc"):
        names.append("PYTHONMALLOC")
    return tuple(names)


def is_container() -> bool:
    """Whether an engine marked this as a container; not every one does."""
    return "container" in os.environ or any(os.path.exists(mark) for mark in _CONTAINER_MARKS)


def _supplies() -> tuple[str, ...]:
    try:
        return tuple(sorted(os.listdir(_SUPPLIES)))
    except OSError:
        # No such folder: no battery that could be asked.
        return ()


def _tracers() -> list[str]:
    """What watches this process: it slows the harness, but no process that it starts."""
    tracers = []
    if sys.gettrace() is not None:
        tracers.append("a tracer (coverage, debugger) is active")
    if sys.getprofile() is not None:
        tracers.append("a profiler is active")
    # From Python 3.12 on; coverage can use it in place of a tracer.
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None:
        names = [monitoring.get_tool(number) for number in range(6)]
        tracers += [f"{name} watches by sys.monitoring" for name in names if name]
    if sys.flags.dev_mode and not os.environ.get("PYTHONDEVMODE"):
        tracers.append("Python runs with -X dev")
    return tracers

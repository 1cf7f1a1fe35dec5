"""What a machine tells of itself, from the text of its files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bakeoff.measurement import fitness
from bakeoff.measurement.fitness import Finding, Read

CPU = "/sys/devices/system/cpu"
QUIET = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"


def reading(check: Callable[[Read], Finding], path: str, text: str) -> Finding:
    """A check on a machine with this one file."""
    return check({path: text}.get)


@pytest.mark.parametrize(
    ("check", "path", "text", "status", "seen"),
    [
        (fitness.governor, f"{CPU}/cpu0/cpufreq/scaling_governor", "performance\n", "ok", "perf"),
        (fitness.governor, f"{CPU}/cpu0/cpufreq/scaling_governor", "powersave", "warning", "power"),
        (fitness.turbo, f"{CPU}/cpufreq/boost", "1\n", "warning", "on"),
        (fitness.turbo, f"{CPU}/cpufreq/boost", "0\n", "ok", "off"),
        (fitness.turbo, f"{CPU}/intel_pstate/no_turbo", "1\n", "ok", "off"),
        (fitness.turbo, f"{CPU}/intel_pstate/no_turbo", "0\n", "warning", "on"),
        (fitness.pressure, "/proc/pressure/cpu", QUIET, "ok", "0 %"),
        (fitness.pressure, "/proc/pressure/cpu", QUIET.replace("0.00", "12.5"), "warning", "12.5"),
        (fitness.pressure, "/proc/pressure/cpu", QUIET.replace("0.00", "80"), "problem", "80 %"),
        (fitness.pressure, "/proc/pressure/cpu", "nonsense", "unknown", "no account"),
        (
            fitness.swap,
            "/proc/meminfo",
            "MemAvailable: 2048000 kB\nSwapTotal: 1024000 kB\nSwapFree: 1024000 kB\n",
            "ok",
            "0 MiB in use, 2,000 MiB",
        ),
        (
            fitness.swap,
            "/proc/meminfo",
            "MemAvailable: 2048 kB\nSwapTotal: 1024000 kB\nSwapFree: 0 kB\n",
            "warning",
            "1000 MiB in use",
        ),
        (fitness.cpu_quota, "/sys/fs/cgroup/cpu.max", "max 100000\n", "ok", "none"),
        (fitness.cpu_quota, "/sys/fs/cgroup/cpu.max", "50000 100000\n", "warning", "0.5 CPUs"),
        (fitness.cpu_quota, "/sys/fs/cgroup/cpu.max", "400000 100000\n", "ok", "4 CPUs"),
        (fitness.cpu_quota, "/sys/fs/cgroup/cpu.max", "soon\n", "unknown", "unreadable"),
        (fitness.cpu_quota, "/sys/fs/cgroup/cpu.max", "5 0\n", "unknown", "unreadable"),
        (
            fitness.throttling,
            "/sys/fs/cgroup/cpu.stat",
            "nr_periods 5\nnr_throttled 0\n",
            "ok",
            "never",
        ),
        (fitness.throttling, "/sys/fs/cgroup/cpu.stat", "nr_throttled 7\n", "warning", "7 times"),
        (fitness.performance_counters, "/proc/sys/kernel/perf_event_paranoid", "-1\n", "ok", "-1"),
        (fitness.performance_counters, "/proc/sys/kernel/perf_event_paranoid", "4\n", "ok", "4"),
        (fitness.randomization, "/proc/sys/kernel/randomize_va_space", "2\n", "ok", "on"),
        (fitness.randomization, "/proc/sys/kernel/randomize_va_space", "0\n", "warning", "off"),
        (fitness.siblings, f"{CPU}/smt/active", "1\n", "warning", "several"),
        (fitness.siblings, f"{CPU}/smt/active", "0\n", "ok", "one"),
        (fitness.power, "/sys/class/power_supply/AC/online", "0\n", "warning", "battery"),
    ],
)
def test_a_file_says_how_fit_the_machine_is(
    check: Callable[[Read], Finding], path: str, text: str, status: str, seen: str
) -> None:
    found = reading(check, path, text)
    assert (found.status, seen in found.seen) == (status, True), found
    assert (found.status in ("warning", "problem")) == bool(found.advice), "each says what to do"


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("tsc", "ok"),
        ("kvm-clock", "ok"),
        ("hpet", "problem"),
        ("acpi_pm", "problem"),
        ("xen", "warning"),
    ],
)
def test_a_slow_clock_source_is_a_problem(source: str, status: str) -> None:
    path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    assert reading(fitness.clock_source, path, source).status == status


def test_a_system_without_such_files_is_unknown_and_no_crash() -> None:
    found = fitness.examine(lambda _path: None, 4, (), None)
    assert len(found) == 13
    assert not any(finding.status == "problem" for finding in found)
    assert sum(finding.status == "unknown" for finding in found) >= 8


def test_files_that_hold_nonsense_are_no_crash() -> None:
    for text in ("", "\n", "\x00\xff", "999999999999999999999999", "a b c"):
        always = dict.fromkeys(_every_path(), text).get
        for finding in fitness.examine(always, 2, (0, 1), 0.0):
            assert finding.seen


def _every_path() -> list[str]:
    """The paths that the checks read, as they ask for them."""
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return None

    fitness.examine(read, 2, (0, 1), 0.0)
    return asked


@pytest.mark.parametrize(
    ("load", "status"), [(0.1, "ok"), (1.5, "warning"), (7.0, "problem"), (None, "unknown")]
)
def test_load_is_judged_by_the_number_of_cores(load: float | None, status: str) -> None:
    assert fitness.load_average(load, 4).status == status


@pytest.mark.parametrize(
    ("usable", "cores", "status"),
    [((), 2, "warning"), ((1,), 2, "warning"), ((0, 1), 2, "ok"), ((0,), 1, "ok")],
)
def test_a_machine_that_cannot_pin_says_so(
    usable: tuple[int, ...], cores: int, status: str
) -> None:
    assert fitness.pinning(usable, cores).status == status


def test_steal_is_the_share_that_the_host_took_between_two_readings() -> None:
    before = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 …"
    assert fitness.steal(before, "cpu  150 0 150 900 0 0 0 50 0 0\n").status == "problem"
    found = fitness.steal(before, "cpu  150 0 150 995 0 0 0 5 0 0\n")
    assert (found.status, "1.7%" in found.seen) == ("warning", True)
    assert fitness.steal(before, "cpu  150 0 150 1000 0 0 0 0 0 0\n").status == "ok"
    for broken in (None, "", "cpu  1 2 3", before):
        assert fitness.steal(before, broken).status == "unknown"


def test_a_virtual_machine_has_neighbours_that_cannot_be_seen() -> None:
    assert [fitness.virtual_machine(known).status for known in (True, False, None)] == [
        "warning",
        "ok",
        "unknown",
    ]


def test_an_interpreter_that_is_slowed_is_a_problem() -> None:
    assert fitness.interpreter(False, False, []).status == "ok"
    found = fitness.interpreter(True, True, ["PYTHONDEVMODE"])
    assert found.status == "problem"
    assert (
        found.seen == "a debug build; a tracer (coverage, debugger) is active; PYTHONDEVMODE is set"
    )


def test_a_clock_that_takes_microseconds_is_a_problem() -> None:
    assert fitness.clock_cost(1e-9, 5e-8).status == "ok"
    assert fitness.clock_cost(1e-9, 3e-6).status == "problem"

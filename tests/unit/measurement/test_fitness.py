"""What a machine tells of itself, from the text of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from bakeoff.measurement import fitness, fitness_groups, fitness_memory, fitness_reading
from bakeoff.measurement.fitness import Facts, examine
from bakeoff.measurement.fitness_facts import slowing_settings
from bakeoff.measurement.fitness_reading import Finding, Read, Unreadable

CPU = "/sys/devices/system/cpu"
GROUPS = "/sys/fs/cgroup"
CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
ASLR = "/proc/sys/kernel/randomize_va_space"
QUIET = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
UNKNOWN_FILES = Facts(
    read=lambda _path: None,
    cores=4,
    usable=(),
    load=None,
    is_virtual=None,
    is_container=False,
    supplies=(),
    stat_before=None,
    stat_after=None,
    clock_step_s=1e-9,
    clock_cost_s=5e-8,
    is_debug_build=False,
    tracers=(),
    slowing=(),
)


def meminfo(available: int, swap: int, swap_free: int) -> str:
    """Sizes in MiB."""
    sizes = {"MemTotal": 8000, "MemAvailable": available, "SwapTotal": swap, "SwapFree": swap_free}
    return "".join(f"{name}: {size * 1024} kB\n" for name, size in sizes.items())


@pytest.mark.parametrize(
    ("check", "path", "text", "status", "seen"),
    [
        (fitness.governor, f"{CPU}/cpu0/cpufreq/scaling_governor", "performance\n", "ok", "perf"),
        (fitness.governor, f"{CPU}/cpu0/cpufreq/scaling_governor", "powersave", "warning", "power"),
        (fitness.governor, f"{CPU}/cpu0/cpufreq/scaling_governor", "<x>", "unknown", "says '<x>'"),
        (fitness.turbo, f"{CPU}/cpufreq/boost", "1\n", "warning", "on"),
        (fitness.turbo, f"{CPU}/cpufreq/boost", "0\n", "ok", "off"),
        (fitness.turbo, f"{CPU}/intel_pstate/no_turbo", "1\n", "ok", "off"),
        (fitness.turbo, f"{CPU}/intel_pstate/no_turbo", "0\n", "warning", "on"),
        (fitness.turbo, f"{CPU}/cpufreq/boost", "maybe", "unknown", "says 'maybe'"),
        (fitness.pressure, "/proc/pressure/cpu", QUIET, "ok", "0 %"),
        (fitness.pressure, "/proc/pressure/cpu", QUIET.replace("0.00", "12.5"), "warning", "12 %"),
        (fitness.pressure, "/proc/pressure/cpu", QUIET.replace("0.00", "80"), "problem", "80 %"),
        (fitness.pressure, "/proc/pressure/cpu", "nonsense", "unknown", "says 'nonsense'"),
        (fitness.memory_pressure, "/proc/pressure/memory", QUIET, "ok", "0 %"),
        (
            fitness.memory_pressure,
            "/proc/pressure/memory",
            QUIET.replace("0.00", "12.5"),
            "problem",
            "12 %",
        ),
        (fitness_memory.memory, "/proc/meminfo", meminfo(2000, 0, 0), "ok", "2,000 of 8,000 MiB"),
        (fitness_memory.memory, "/proc/meminfo", meminfo(300, 0, 0), "warning", "300 of"),
        (fitness_memory.memory, "/proc/meminfo", meminfo(20, 0, 0), "problem", "20 of"),
        (fitness_memory.swap, "/proc/meminfo", meminfo(2000, 0, 0), "ok", "there is none"),
        (
            fitness_memory.swap,
            "/proc/meminfo",
            meminfo(2000, 1000, 1000),
            "ok",
            "0 of 1,000 MiB in use",
        ),
        (
            fitness_memory.swap,
            "/proc/meminfo",
            meminfo(2, 1000, 0),
            "warning",
            "swappiness unknown",
        ),
        (fitness.performance_counters, "/proc/sys/kernel/perf_event_paranoid", "-1\n", "ok", "-1"),
        (fitness.performance_counters, "/proc/sys/kernel/perf_event_paranoid", "4\n", "ok", "none"),
        (fitness.randomization, ASLR, "2\n", "ok", "on"),
        (fitness.randomization, ASLR, "1\n", "warning", "not for the heap"),
        (fitness.randomization, ASLR, "0\n", "warning", "off"),
        (fitness.siblings, f"{CPU}/smt/active", "1\n", "warning", "several"),
        (fitness.siblings, f"{CPU}/smt/active", "0\n", "ok", "one"),
        (fitness.clock_source, CLOCK, "tsc\n", "ok", "tsc"),
        (fitness.clock_source, CLOCK, "kvm-clock\n", "ok", "kvm-clock"),
        (fitness.clock_source, CLOCK, "hpet\n", "problem", "slow"),
        (fitness.clock_source, CLOCK, "acpi_pm\n", "problem", "slow"),
        (fitness.clock_source, CLOCK, "refined-jiffies\n", "problem", "slow"),
        (fitness.clock_source, CLOCK, "xen\n", "warning", "xen"),
    ],
)
def test_a_file_says_how_fit_the_machine_is(
    check: Callable[[Read], Finding], path: str, text: str, status: str, seen: str
) -> None:
    found = check({path: text}.get)
    assert (found.status, seen in found.seen) == (status, True), found
    assert (found.status in ("warning", "problem")) == bool(found.advice), "each says what to do"


def test_one_cpu_with_another_governor_is_seen() -> None:
    files = {f"{CPU}/online": "0-1,3\n"} | {
        f"{CPU}/cpu{cpu}/cpufreq/scaling_governor": "performance" for cpu in (0, 1)
    }
    files[f"{CPU}/cpu3/cpufreq/scaling_governor"] = "powersave"
    found = fitness.governor(files.get)
    assert (found.status, found.seen) == ("warning", "performance, powersave")


@pytest.mark.parametrize(
    ("text", "cpus"), [("0-2,8\n", (0, 1, 2, 8)), ("5", (5,)), ("", ()), ("0-", ()), ("a", ())]
)
def test_a_list_of_cpus(text: str, cpus: tuple[int, ...]) -> None:
    assert fitness_reading.cpu_list(text) == cpus


@pytest.mark.parametrize(
    ("files", "status", "seen"),
    [
        ({f"{GROUPS}/cpu.max": "max 100000\n"}, "ok", "none"),
        ({f"{GROUPS}/cpu.max": "400000 100000\n"}, "ok", "4 CPUs"),
        ({f"{GROUPS}/cpu.max": "150000 100000\n"}, "warning", "1.5 CPUs"),
        ({f"{GROUPS}/cpu.max": "50000 100000\n"}, "problem", "0.5 CPUs"),
        ({f"{GROUPS}/cpu.max": "soon\n"}, "unknown", "soon"),
        ({f"{GROUPS}/cpu.max": "5 0\n"}, "unknown", "5 0"),
        ({f"{GROUPS}/cpu.max": Unreadable("permission denied")}, "unknown", "permission denied"),
        ({f"{GROUPS}/cpu/cpu.cfs_quota_us": "-1\n"}, "ok", "none"),
        (
            {
                f"{GROUPS}/cpu/cpu.cfs_quota_us": "50000\n",
                f"{GROUPS}/cpu/cpu.cfs_period_us": "100000\n",
            },
            "problem",
            "0.5 CPUs",
        ),
        # Whoever has the tighter one: the group itself, or its parent.
        (
            {
                "/proc/self/cgroup": "0::/user\n",
                f"{GROUPS}/user/cpu.max": "50000 100000",
                f"{GROUPS}/cpu.max": "400000 100000",
            },
            "problem",
            "0.5 CPUs",
        ),
        (
            {
                "/proc/self/cgroup": "0::/user/shell\n",
                f"{GROUPS}/user/shell/cpu.max": "max 100000",
                f"{GROUPS}/user/cpu.max": "120000 100000",
            },
            "warning",
            "1.2 CPUs",
        ),
        (
            {
                "/proc/self/cgroup": "4:cpuacct,cpu:/box\n2:pids:/other\n",
                f"{GROUPS}/cpuacct,cpu/box/cpu.cfs_quota_us": "10000",
                f"{GROUPS}/cpuacct,cpu/box/cpu.cfs_period_us": "100000",
            },
            "problem",
            "0.1 CPUs",
        ),
    ],
)
def test_the_tightest_cpu_quota_above_this_process_counts(
    files: Mapping[str, str | Unreadable], status: str, seen: str
) -> None:
    found = fitness_groups.cpu_quota(files.get)
    assert (found.status, seen in found.seen) == (status, True), found


def test_a_path_that_leads_out_of_the_groups_is_not_followed() -> None:
    folders = fitness_groups.control_groups({"/proc/self/cgroup": "0::/../../etc\n"}.get, "cpu")
    assert not any(".." in folder for folder in folders)


@pytest.mark.parametrize(
    ("files", "status", "seen"),
    [
        ({}, "ok", "none"),
        ({"memory.max": "max", "memory.current": "5"}, "ok", "none"),
        ({"memory.max": str(2**30), "memory.current": str(2**28)}, "ok", "1,024 MiB, of which 768"),
        ({"memory.max": str(2**29), "memory.current": str(2**28)}, "warning", "256 MiB are free"),
        ({"memory.max": str(2**29), "memory.current": str(2**29)}, "problem", "0 MiB are free"),
        # What is only a file's copy does not count as used.
        (
            {
                "memory.max": str(2**30),
                "memory.current": str(2**30),
                "memory.stat": f"anon 5\ninactive_file {2**30}\n",
            },
            "ok",
            "1,024 MiB are free",
        ),
    ],
)
def test_a_memory_limit_is_judged_by_what_is_free(
    files: dict[str, str], status: str, seen: str
) -> None:
    found = fitness_memory.memory_limit(
        {f"{GROUPS}/{name}": text for name, text in files.items()}.get
    )
    assert (found.status, seen in found.seen) == (status, True), found


def test_an_old_control_group_without_a_limit_has_none() -> None:
    files = {
        f"{GROUPS}/memory/memory.limit_in_bytes": "9223372036854771712\n",
        f"{GROUPS}/memory/memory.usage_in_bytes": "1\n",
    }
    assert fitness_memory.memory_limit(files.get) == Finding(
        "memory limit", "ok", "none that can be seen"
    )


def test_throttling_so_far_is_counted() -> None:
    path = f"{GROUPS}/cpu.stat"
    assert fitness_groups.throttling({path: "nr_periods 5\nnr_throttled 0\n"}.get).seen == "never"
    found = fitness_groups.throttling({path: "nr_throttled 1234\n"}.get)
    assert (found.status, found.seen[:11]) == ("warning", "1,234 times")
    assert fitness_groups.throttling(lambda _path: None).status == "unknown"


def test_a_battery_in_use_is_a_warning_but_not_that_of_a_mouse() -> None:
    folder = "/sys/class/power_supply"
    files = {f"{folder}/BAT1/type": "Battery\n", f"{folder}/BAT1/status": "Discharging\n"}
    assert fitness.power(files.get, ["BAT1"]).status == "warning"
    assert fitness.power(files.get, []).status == "ok"
    assert fitness.power((files | {f"{folder}/BAT1/scope": "Device"}).get, ["BAT1"]).status == "ok"
    mains = files | {f"{folder}/ADP1/type": "Mains", f"{folder}/ADP1/online": "1"}
    assert fitness.power(mains.get, ["BAT1", "ADP1"]).seen == "mains"


def test_a_process_without_randomisation_is_seen_where_the_system_has_it() -> None:
    found = fitness.randomization({ASLR: "2", "/proc/self/personality": "00040000\n"}.get)
    assert (found.status, found.seen) == ("warning", "off for this process")


def test_a_system_without_such_files_is_unknown_and_no_crash() -> None:
    found = examine(UNKNOWN_FILES)
    assert len({finding.name for finding in found}) == len(found) == 20
    assert not any(finding.status == "problem" for finding in found)
    assert sum(finding.status == "unknown" for finding in found) >= 12


def test_a_file_that_may_not_be_read_says_so() -> None:
    denied = Unreadable("permission denied")
    found = examine(replace(UNKNOWN_FILES, read=lambda _path: denied, stat_after=denied))
    assert not any(finding.status == "problem" for finding in found)
    assert sum("permission denied" in finding.seen for finding in found) >= 11


@pytest.mark.parametrize(
    "text",
    ["", "\n", "\x00\ufffd", "9" * 5000, "a b c", "²", "-", "::", "0::\n", "some avg10=1.2.3 "],
)
def test_files_that_hold_nonsense_are_no_crash_and_no_problem(text: str) -> None:
    facts = replace(
        UNKNOWN_FILES,
        read=lambda _path: text,
        stat_before=text,
        stat_after=text,
        supplies=("BAT0",),
    )
    for finding in examine(facts):
        assert finding.seen
        assert finding.status != "problem"
        assert len(finding.seen) < 200


@pytest.mark.parametrize(
    ("load", "status"), [(0.1, "ok"), (1.5, "warning"), (9.0, "problem"), (None, "unknown")]
)
def test_load_is_judged_by_the_number_of_cores(load: float | None, status: str) -> None:
    assert fitness.load_average(load, 4).status == status


@pytest.mark.parametrize(
    ("usable", "cores", "status"),
    [((), 2, "warning"), ((1,), 2, "warning"), ((0, 1), 2, "ok"), ((0,), 1, "warning")],
)
def test_a_machine_that_cannot_pin_says_so(
    usable: tuple[int, ...], cores: int, status: str
) -> None:
    assert fitness.pinning(usable, cores).status == status


def test_steal_is_the_share_that_the_host_took_between_two_readings() -> None:
    before = "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 …"
    assert fitness.steal(before, "cpu  150 0 150 900 0 0 0 50 0 0\n").status == "problem"
    found = fitness.steal(before, "cpu  150 0 150 995 0 0 0 5 0 0\n")
    assert (found.status, "1.7 %" in found.seen) == ("warning", True)
    assert fitness.steal(before, "cpu  150 0 150 1000 0 0 0 0 0 0\n").status == "ok"
    for broken in (None, "", "cpu  1 2 3", before, Unreadable("no")):
        assert fitness.steal(before, broken).status == "unknown"


def test_guests_of_this_machine_are_not_counted_twice() -> None:
    before = "cpu  0 0 0 0 0 0 0 0 0 0\n"
    # Ten of the hundred user jiffies were a guest's, and stand in both fields.
    assert "10.0 %" in fitness.steal(before, "cpu  90 0 0 0 0 0 0 10 10 0\n").seen


def test_a_virtual_machine_has_neighbours_that_cannot_be_seen() -> None:
    found = [fitness.virtual_machine(known, is_container=True) for known in (True, False, None)]
    assert [one.status for one in found] == ["warning", "ok", "unknown"]
    assert all("container" in one.seen for one in found)


def test_advice_that_only_the_host_can_follow_says_so() -> None:
    files = {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave", ASLR: "0"}
    facts = replace(UNKNOWN_FILES, read=files.get)

    def advice(facts: Facts) -> dict[str, str]:
        return {finding.name: finding.advice for finding in examine(facts)}

    here = advice(replace(facts, is_virtual=False))
    guest = advice(replace(facts, is_virtual=True))
    boxed = advice(replace(facts, is_virtual=False, is_container=True))
    assert here["frequency governor"].startswith("Set it")
    assert guest["frequency governor"].startswith("On the host, not in this virtual machine: Set")
    assert guest["address randomisation"].startswith("Turn it on"), "its kernel is its own"
    assert boxed["address randomisation"].startswith("On the host, not in this container: Turn")


def test_an_interpreter_that_is_slowed_is_a_problem() -> None:
    assert fitness.interpreter(False, [], []).status == "ok"
    found = fitness.interpreter(True, ["a tracer is active"], ["PYTHONDEVMODE"])
    assert found.status == "problem"
    assert found.seen == "a debug build; PYTHONDEVMODE is set; a tracer is active"
    assert fitness.interpreter(False, ["a tracer is active"], []).status == "warning"


def test_the_ordinary_allocator_by_name_slows_nothing() -> None:
    assert slowing_settings({"PYTHONMALLOC": "pymalloc", "PYTHONDEVMODE": ""}) == ()
    slowed = slowing_settings({"PYTHONMALLOC": "malloc_debug", "PYTHONDEVMODE": "1"})
    assert slowed == ("PYTHONDEVMODE", "PYTHONMALLOC")


def test_a_clock_that_takes_microseconds_is_a_problem() -> None:
    assert fitness.clock_cost(1e-9, 5e-8).status == "ok"
    assert fitness.clock_cost(1e-9, 3e-6).status == "problem"
    assert fitness.clock_cost(1e-3, 5e-8).status == "problem"

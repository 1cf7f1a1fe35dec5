"""The machine's description and the fingerprint that tells whether runs may be mixed."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from bakeoff.results import describe_machine
from bakeoff.results import machine as machine_module
from bakeoff.results.machine import cpu_model, fingerprint, is_virtual

X86 = """\
processor\t: 0
vendor_id\t: GenuineIntel
model\t\t: 85
model name\t: Intel(R) Xeon(R)   Processor @ 2.60GHz
flags\t\t: fpu vme sse2 hypervisor avx2

processor\t: 1
model name\t: Intel(R) Xeon(R)   Processor @ 2.60GHz
"""
ARM = "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
RASPBERRY = f"{ARM}\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n"


def test_the_cpu_is_read_from_cpuinfo() -> None:
    assert cpu_model(X86) == "Intel(R) Xeon(R) Processor @ 2.60GHz"
    assert cpu_model(RASPBERRY) == "Raspberry Pi 4 Model B Rev 1.4"


@pytest.mark.parametrize("cpuinfo", ["", ARM])
def test_a_cpuinfo_without_a_name_has_none(cpuinfo: str) -> None:
    assert cpu_model(cpuinfo) is None


def test_a_hypervisor_is_told_by_its_flag() -> None:
    assert is_virtual(X86) is True
    assert is_virtual(X86.replace(" hypervisor", "")) is False
    assert is_virtual(X86.replace("hypervisor", "nohypervisor")) is False
    assert is_virtual(ARM) is None


def test_this_machine_is_described_completely() -> None:
    machine = describe_machine()
    assert machine.cpu
    assert 1 <= machine.cores <= (os.cpu_count() or 1)
    assert machine.memory_bytes > 2**27
    assert machine.system.startswith(platform.system())
    assert machine.python == f"{platform.python_implementation()} {platform.python_version()}"
    assert machine.load_average is None or machine.load_average >= 0


def test_the_fingerprint_stays_from_call_to_call() -> None:
    assert describe_machine().fingerprint == describe_machine().fingerprint


def test_the_fingerprint_tells_machines_apart_by_each_of_its_parts() -> None:
    gib = 2**30
    plain = ("A CPU", 2, 8 * gib, "Linux", "CPython 3.11.9")
    others = [
        ("B CPU", 2, 8 * gib, "Linux", "CPython 3.11.9"),
        ("A CPU", 4, 8 * gib, "Linux", "CPython 3.11.9"),
        ("A CPU", 2, 16 * gib, "Linux", "CPython 3.11.9"),
        ("A CPU", 2, 8 * gib, "Darwin", "CPython 3.11.9"),
        ("A CPU", 2, 8 * gib, "Linux", "CPython 3.12.0"),
    ]
    assert len({fingerprint(*parts) for parts in [plain, *others]}) == 6


def test_a_few_pages_of_memory_more_are_the_same_machine() -> None:
    plain = fingerprint("A CPU", 2, 8 * 2**30, "Linux", "CPython 3.11.9")
    assert fingerprint("A CPU", 2, 8 * 2**30 - 10**7, "Linux", "CPython 3.11.9") == plain


def test_a_machine_without_cpuinfo_is_described_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_module, "_CPUINFO", tmp_path / "not there")
    machine = describe_machine()
    assert machine.cpu
    assert machine.virtual is None

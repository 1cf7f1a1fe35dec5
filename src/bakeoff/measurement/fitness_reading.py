"""What a system's files say, as text, and a finding made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "problem", "unknown"]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is there and cannot be read; why."""

    reason: str


#: The text of a system file; None if there is no such file.
Read = Callable[[str], str | Unreadable | None]


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


def unknown(name: str, path: str, fact: str | Unreadable | None, absent: str) -> Finding:
    """A finding without a figure; why: the file is missing, cannot be read, or holds nonsense."""
    if fact is None:
        return Finding(name, "unknown", absent)
    if isinstance(fact, Unreadable):
        return Finding(name, "unknown", f"{path}: {fact.reason}")
    return Finding(name, "unknown", f"{path} says {fact.strip()[:40]!r}")


def text_of(fact: str | Unreadable | None) -> str:
    """The text, empty if there is none."""
    return fact if isinstance(fact, str) else ""


def line_of(fact: str | Unreadable | None) -> str | None:
    """The first line, stripped; None if there is none."""
    stripped = text_of(fact).strip()
    return stripped.splitlines()[0].strip() if stripped else None


def number_of(fact: str | Unreadable | None) -> int | None:
    """The number, if the text is nothing else."""
    # Twenty digits hold every count of the kernel, and are short enough for Python to convert.
    stripped = text_of(fact).strip()
    return int(stripped) if re.fullmatch(r"-?[0-9]{1,20}", stripped) else None


def kib_of(meminfo: str | Unreadable | None, key: str) -> int | None:
    """Bytes of one line of ``/proc/meminfo``, which is in KiB."""
    match = re.search(rf"^{key}:\s+([0-9]{{1,20}}) kB", text_of(meminfo), re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def or_unknown(number: int | None) -> str:
    """A number for people."""
    return "unknown" if number is None else str(number)


def jiffies_of(stat: str | Unreadable | None) -> list[int] | None:
    """User, nice, system, idle, iowait, irq, softirq, steal; guests' time is in user's already."""
    match = re.match(r"cpu((?:\s+[0-9]{1,20}){8})", text_of(stat))
    return [int(field) for field in match[1].split()] if match else None


def cpu_list(text: str) -> tuple[int, ...]:
    """The CPUs of a list such as ``0-3,8``; empty for anything else."""
    cpus: list[int] = []
    for part in text.strip().split(","):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None:
            return ()
        cpus += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(cpus)

"""A small project of its own: one plain implementation, and two that pay now and then."""

from __future__ import annotations

from pathlib import Path

_INTERFACE = '"""Adds up."""\n'

# Shared, so that all arms load the same modules and call the work from a function of their own: what is left
# between them is their rare cost.
_WORK = '''"""The work."""


def work():
    """About fifty microseconds."""
    total = 0
    for i in range(700):
        total += i * i % 7
    return total
'''

_PLAIN = '''"""Does the work and nothing else."""

from impls.rare._work import work


def create():
    """A function that does one operation."""
    return plain


def plain():
    """The work."""
    return work()
'''

_GARBAGE = '''"""The same work, and cycles that are collected once in some twenty batches."""

import gc

from impls.rare._work import work

# Some 70 operations a batch, 20 batches, 90 containers an operation.
gc.set_threshold(126_000, 1_000, 1_000)


def create():
    """A function that does one operation."""
    return wasteful


def wasteful():
    """The work, and thirty cycles of three containers that only the collector can free."""
    for _ in range(30):
        first, second, third = [], {}, []
        first.append(second)
        second["next"] = third
        third.append(first)
    return work()
'''

_BURSTS = '''"""The same work, and a table that is rebuilt once in some twenty batches."""

from impls.rare._work import work

_calls = 0


def create():
    """A function that does one operation."""
    return bursty


def bursty():
    """The work; every two-thousandth time also what four hundred of them take."""
    global _calls
    _calls += 1
    if _calls % 2_000 == 0:
        for _ in range(400):
            work()
    return work()
'''

_SUITE = '''"""One operation."""

from bakeoff import Suite


class Work(Suite):
    """One operation, whatever it leaves behind."""

    parameters = {}

    def run(self, create, given):
        return create()()
'''

#: What pays now and then.
ARMS = ("garbage", "bursts")
BASELINE = "plain"


def write_project(folder: Path) -> None:
    """Write the project's files into an empty folder."""
    files = {
        "impls/rare/interface.py": _INTERFACE,
        "impls/rare/_work.py": _WORK,
        "impls/rare/plain.py": _PLAIN,
        "impls/rare/garbage.py": _GARBAGE,
        "impls/rare/bursts.py": _BURSTS,
        "impls/__init__.py": "",
        "impls/rare/__init__.py": "",
        "benchmarks/__init__.py": "",
        "benchmarks/rare.py": _SUITE,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

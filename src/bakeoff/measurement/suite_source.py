"""The source that decides what a workload measures, and the version that asv makes of it."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any


def source_of(workload: type) -> str:
    """The source of a workload: its class, its bases and helpers in the same package, once each.

    A base or helper of another package, such as the harness or the testbed, is not part of it: the
    testbed's data is versioned by itself, and a new harness does not change what a workload does.
    """
    package = workload.__module__.partition(".")[0]
    found: dict[Any, str] = {}
    waiting: list[Any] = [base for base in workload.__mro__ if _is_of(base, package)]
    while waiting:
        item = waiting.pop(0)
        if item not in found:
            found[item] = textwrap.dedent(inspect.getsource(item)).rstrip()
            waiting += [used for used in _used_by(item) if _is_of(used, package)]
    return "\n\n\n".join(found.values())


def version_of(source: str) -> str:
    """Version of a benchmark for asv: results of another version are measured anew."""
    return hashlib.sha256(source.encode()).hexdigest()


def _is_of(item: Any, package: str) -> bool:
    return (
        isinstance(item, type | FunctionType)
        and (item.__module__ or "").partition(".")[0] == package
    )


def _used_by(item: type | FunctionType) -> Iterator[Any]:
    """What the functions of `item` name of their module, or of a module that they name."""
    if isinstance(item, type):
        functions = [
            getattr(member, "__func__", member)
            for member in vars(item).values()
            if isinstance(getattr(member, "__func__", member), FunctionType)
        ]
    else:
        functions = [item]
    for function in functions:
        names = sorted(_names_in(function.__code__))
        for name in names:
            used = function.__globals__.get(name)
            if isinstance(used, ModuleType):
                yield from (vars(used).get(attribute) for attribute in names)
            else:
                yield used


def _names_in(code: CodeType) -> set[str]:
    """Global and attribute names in a code object and the ones nested in it."""
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return {*code.co_names, *(name for inner in nested for name in _names_in(inner))}

"""A study's promise as checks: the functions ``check_<promise>(create)`` of its conformance module.

A function ``capability_<what>(create)`` is one too, of something that implementations may be able to do or not.
"""

from __future__ import annotations

import inspect
import traceback
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from bakeoff.conformance.outcomes import (
    CAPABILITY,
    REQUIRED,
    Failed,
    Outcome,
    Passed,
    Skipped,
    is_capability,
)
from bakeoff.errors import LoadError


@dataclass(frozen=True, slots=True)
class Check:
    """One promise, or one capability, and how to find out whether an implementation has it."""

    name: str
    promise: str
    function: Callable[[Callable[..., Any]], object]

    @property
    def is_capability(self) -> bool:
        """Whether implementations may do without it."""
        return is_capability(self.name)


def checks_of(module: ModuleType) -> tuple[Check, ...]:
    """The checks of a conformance module, in the order in which they are defined.

    Raises
    ------
    LoadError
        If there is none: nothing checked must not look like nothing wrong.
    """
    checks = tuple(
        Check(name, _promise(name, function), function)
        for name, function in vars(module).items()
        if name.startswith((REQUIRED, CAPABILITY)) and callable(function)
    )
    if all(check.is_capability for check in checks):
        raise LoadError(
            f"{module.__name__} holds no check.",
            "Write each promise of the interface as a function check_<promise>(create).",
        )
    return checks


def verify(check: Check, create: Callable[..., Any]) -> Outcome:
    """Run one check on the implementation that `create` makes; whatever it raises is its outcome."""
    try:
        check.function(create)
    except KeyboardInterrupt:
        raise
    except unittest.SkipTest as skip:
        return Skipped(str(skip))
    except AssertionError as error:
        return Failed(str(error).strip() or _bare_assertion(error), describe(error))
    except BaseException as error:  # SystemExit too: a subject that wants to leave keeps no promise
        return Failed(f"{type(error).__name__}: {error}", describe(error))
    return Passed()


def describe(error: BaseException) -> str:
    """The traceback, at most its last 200 lines."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    return "\n".join(lines[-200:])


def _promise(name: str, function: Any) -> str:
    """The first line of the docstring, or the name as a sentence."""
    documented = (inspect.getdoc(function) or "").splitlines()
    return documented[0] if documented else name.partition("_")[2].replace("_", " ").capitalize()


def _bare_assertion(error: AssertionError) -> str:
    """What an assertion without a message says: its own line."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"not so: {frames[-1].line}" if frames and frames[-1].line else "an assertion failed"

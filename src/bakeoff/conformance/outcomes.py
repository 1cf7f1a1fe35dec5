"""What conformance finds: one outcome for each implementation and check, and their record."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

SCHEMA = "bakeoff.conformance/1"

#: How the functions of a conformance module begin: a promise that binds all, and what some can do.
REQUIRED = "check_"
CAPABILITY = "capability_"


def is_capability(check: str) -> bool:
    """Whether a check, by its name, tells what an implementation can do, instead of what it must."""
    return check.startswith(CAPABILITY)


class Passed(msgspec.Struct, frozen=True, tag="passed"):
    """The promise is kept."""


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The promise is broken, or it could not be found out: both count the same."""

    reason: str
    """What was expected and what was seen, in a line or a few."""
    detail: str = ""
    """Traceback, or the tail of what the process wrote to stderr."""


class Skipped(msgspec.Struct, frozen=True, tag="skipped"):
    """The check does not apply, by its own word (`unittest.SkipTest`)."""

    reason: str


Outcome = Passed | Failed | Skipped


class CheckResult(msgspec.Struct, frozen=True):
    """One check of one implementation."""

    implementation: str
    check: str
    promise: str
    """The promise as a sentence: first line of the check's docstring."""
    outcome: Outcome

    @property
    def is_capability(self) -> bool:
        """Whether this tells what an implementation can do, instead of what it must."""
        return is_capability(self.check)


class ConformanceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All results of one study: what ``.bakeoff/conformance/<study>.json`` holds."""

    schema: str = SCHEMA
    study: str
    at: str
    """When it was checked: ISO 8601 with offset."""
    sources_digest: str
    """Digest of ruler, testbed and subjects at that time; of other sources it says nothing."""
    results: tuple[CheckResult, ...]

    def of(self, implementation: str) -> tuple[CheckResult, ...]:
        """The results of one implementation, in the order of the checks."""
        return tuple(found for found in self.results if found.implementation == implementation)

    def failures(self) -> Iterator[tuple[CheckResult, Failed]]:
        """Each broken promise, with its reason; what an implementation cannot do is none."""
        for result in self.results:
            if isinstance(result.outcome, Failed) and not result.is_capability:
                yield result, result.outcome

    @property
    def has_failures(self) -> bool:
        """Whether any implementation breaks a promise."""
        return any(True for _ in self.failures())

    def completed_by(self, earlier: ConformanceRecord | None) -> ConformanceRecord:
        """The record, with what an earlier one says of implementations that were not checked now.

        An earlier record of other sources, or of another study, says nothing.
        """
        if (
            earlier is None
            or earlier.study != self.study
            or earlier.sources_digest != self.sources_digest
        ):
            return self
        checked = {result.implementation for result in self.results}
        kept = [found for found in earlier.results if found.implementation not in checked]
        results = sorted([*kept, *self.results], key=lambda result: result.implementation)
        return msgspec.structs.replace(self, results=tuple(results))

"""What a run writes down: one header (`run.json`) and one line per fact (`journal.jsonl`).

Times are seconds of a whole batch, so that nothing is rounded away; divide by `iterations` for one
operation. Everything here is data: no clock, no file, no decision.
"""

from __future__ import annotations

from typing import Any

import msgspec

SCHEMA = "bakeoff.run/1"

#: The arm that is a hidden second copy of the baseline: the A/A control.
CONTROL_ARM = "<control>"

#: The arm that is a workload's floor.
FLOOR_ARM = "<floor>"


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One workload with one choice of its parameters: what all arms are compared on."""

    workload: str
    params: dict[str, str | int | float | bool]
    time_limit_s: float
    quantiles: dict[str, float] = {}
    """Percentiles of single operations that are measured: ``{"p90": 0.9}``."""
    counts: tuple[str, ...] = ()
    """What the workload counts itself, by name: requests, look-ups."""
    settings: dict[str, str] = {}
    """What was set for the workload on the command line."""
    has_floor: bool = False
    """Whether a round has an arm for the least that could serve the workload."""

    @property
    def key(self) -> str:
        """The cell's name in the journal, e.g. ``schedule_revert[configuration=10x1]``."""
        inner = ",".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.workload}[{inner}]"


class Machine(msgspec.Struct, frozen=True):
    """The machine and interpreter a run was made on."""

    fingerprint: str
    """Short digest of what makes figures comparable: CPU model, cores, memory, system, Python."""
    cpu: str
    cores: int
    memory_bytes: int
    system: str
    python: str
    virtual: bool | None = None
    load_average: float | None = None


class RunHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a run, fixed before the first measurement."""

    schema: str = SCHEMA
    id: str
    study: str
    preset: str
    baseline: str
    implementations: tuple[str, ...]
    cells: tuple[Cell, ...]
    looks: tuple[int, ...]
    """Numbers of rounds at which verdicts are taken."""
    alpha: float
    """False-positive budget of one comparison, over all looks."""
    margin: float
    """What counts as the same: 0.03 is 3 %."""
    seed: int
    round_budget_s: float
    """What a round's turns may take together before the number of blocks shrinks."""
    measures_memory: bool
    commit: str | None
    dirty: bool
    sources_digest: str
    """Digest of ruler, testbed and subjects: what must be unchanged for rounds to be mixed."""
    machine: Machine
    bakeoff: str
    started_at: str
    """ISO 8601 with offset."""


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """One turn of one arm: a batch of iterations, timed as a whole."""

    wall_s: float
    cpu_s: float
    gc_s: float
    collections: int
    block: int
    """Which block of the round: batches of one block are milliseconds apart."""


class Failure(msgspec.Struct, frozen=True):
    """Why an arm has no figure in this round."""

    kind: str
    """import, crash, hang, exception, memory, wrong answer, mutated input, protocol."""
    message: str
    detail: str = ""
    """Traceback or the tail of stderr."""


class ArmRound(msgspec.Struct, frozen=True, kw_only=True):
    """One arm's part of a round: one fresh process."""

    iterations: int = 1
    """Operations per batch."""
    probe_s: float | None = None
    """Wall time of the first, checked operation."""
    batches: tuple[Batch, ...] = ()
    startup_s: float = 0.0
    involuntary_switches: int = 0
    answer: str | None = None
    """Digest of the answer."""
    counts: dict[str, float] = {}
    """What the workload counted in the first, checked operation."""
    quantiles: dict[str, float] = {}
    """Percentiles of single operations by Harrell and Davis, seconds."""
    histogram: dict[int, int] = {}
    """Single operations by bucket of their time; see `bakeoff.statistics.bucket_bounds`."""
    peak_rss_bytes: int = 0
    """Largest resident memory of the process."""
    censored_s: float | None = None
    """The time limit that the operation did not finish in."""
    is_carried_over: bool = False
    """Not started: an earlier round of this cell showed that it does not finish."""
    failure: Failure | None = None


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True, tag="round"):
    """One pass of all arms in fresh processes: the unit of replication."""

    cell: str
    attempt: int
    """1, or 2 after a failed A/A control: rounds of different attempts are never mixed."""
    round: int
    """0, 1, 2 … over kept and discarded rounds of the attempt."""
    seed: int
    cpus: tuple[int, ...]
    """The CPUs that all arms were pinned to; empty where pinning is not possible."""
    started_at: float
    duration_s: float
    arms: dict[str, ArmRound]
    is_long: bool = False
    """More turns, after a warm-up of random length: for a cost that few turns hold."""
    waited_s: float = 0.0
    """How long the round waited for the machine to be quiet before it began."""
    pressure: float | None = None
    """Share of the round in which some process waited for a CPU (/proc/pressure/cpu)."""
    discarded: str | None = None
    """Why the round does not count, by a rule fixed beforehand."""


class MemoryRecord(msgspec.Struct, frozen=True, kw_only=True, tag="memory"):
    """One operation under memray in a process of its own."""

    cell: str
    arm: str
    index: int
    """0, 1, 2 …: the process; each has its own hash seed."""
    seed: int
    allocated_bytes: int = 0
    allocator_calls: int = 0
    peak_bytes: int = 0
    censored_s: float | None = None
    """The time limit at which the operation was stopped: the figures are lower bounds."""
    failure: Failure | None = None


class EventRecord(msgspec.Struct, frozen=True, kw_only=True, tag="event"):
    """Something that the reader of the report should know."""

    kind: str
    """resumed, interrupted, finished, warning, stopped."""
    at: str
    text: str = ""
    cell: str | None = None


Record = RoundRecord | MemoryRecord | EventRecord


def to_json(record: Any) -> bytes:
    """One record as one line of JSON, without the line end."""
    return msgspec.json.encode(record)

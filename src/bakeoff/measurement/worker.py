"""The measuring process: one arm of one round, told over a pipe when it is its turn.

Run as ``python -m bakeoff.measurement.worker``. The first line on stdin is the job as JSON; then one
command a line. Each answer is one line of JSON on what was stdout; whatever the subject prints goes
to stderr. Standard library only: every round starts one of these for every arm.

=========  ==========================================================================
command    answer
=========  ==========================================================================
(start)    ``ready`` once the input is prepared
``probe``  ``started``, then ``probe``: one operation, its answer checked and digested
``batch``  ``batch``: the number of operations in a batch of at least the asked length
``warm``   ``warm``: so many batches, timed by nobody
``turn``   ``turn``: one batch, timed
``stop``   ``stopped``, then the process ends; so it does when the pipe closes
=========  ==========================================================================
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from bakeoff.errors import BakeoffError
from bakeoff.study.lifetime import die_with_parent
from bakeoff.study.loading import load_implementation, load_workloads, require_workload
from bakeoff.study.project import Project
from bakeoff.study.workload import Calls, Implementation, Workload, answer_digest


class GarbageCollectionClock:
    """Wall time and number of collections since `reset`, by ``gc.callbacks``."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.collections = 0
        self._started = 0.0
        gc.callbacks.append(self._observe)

    def reset(self) -> None:
        """Start counting anew."""
        self.seconds = 0.0
        self.collections = 0

    def _observe(self, phase: str, _info: Mapping[str, int]) -> None:
        if phase == "start":
            self._started = time.perf_counter()
        else:
            self.seconds += time.perf_counter() - self._started
            self.collections += 1


class Subject:
    """One implementation at one workload, with its prepared input."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        project = Project(Path(job["root"]))
        study = project.study(job["study"])
        workloads = load_workloads(project, study)
        self.workload: Workload = require_workload(workloads, study.name, job["workload"])()
        self.workload.given_settings = job.get("settings", {})
        self.is_floor: bool = job.get("is_floor", False)
        create: Implementation
        if self.is_floor:
            assert self.workload.floor is not None, "an arm for a floor that is not there"
            create = self.workload.floor
        else:
            create = load_implementation(project, study, job["implementation"]).create
        self.prepared = self.workload.prepare(job["seed"], **job["params"])
        self.calls = Calls(self.workload, create, self.prepared)


class Worker:
    """Answers the commands of `bakeoff.measurement.process.ArmProcess`."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._clock = GarbageCollectionClock()
        self._commands: dict[str, Callable[..., None]] = {
            "probe": self.probe,
            "batch": self.batch,
            "warm": self.warm,
            "turn": self.turn,
        }
        self._iterations = 1
        self._fingerprint: str | None = None
        self._operations_s: list[float] = []
        self._pid = os.getpid()

    def answer(self, kind: str, **content: Any) -> None:
        """Send one line to the parent."""
        if os.getpid() != self._pid:
            # A subject has forked and come back: the copy must not speak for the process.
            os._exit(1)
        self._answers.write(json.dumps({"kind": kind, **content}) + "\n")
        self._answers.flush()

    def serve(self, commands: TextIO) -> None:
        """Prepare, then obey until told to stop or until the parent is gone."""
        job = json.loads(commands.readline())
        started = time.perf_counter()
        self._subject = Subject(job)
        self._cpus: list[int] = job["cpus"]
        self._all_cpus = [*os.sched_getaffinity(0)] if hasattr(os, "sched_getaffinity") else []
        workload = self._subject.workload
        if not workload.consumes_input:
            self._fingerprint = workload.fingerprint(self._subject.prepared)
        gc.collect()
        self.answer("ready", seconds=time.perf_counter() - started)
        for line in commands:
            name, *arguments = line.split()
            if name == "stop":
                switches, peak_rss_bytes = _involuntary_switches(), _peak_rss_bytes()
                # All arms stop at once: whatever CPU is free will do again.
                self._run_on(self._all_cpus)
                # Once more: an operation may leave its input alone only the first time.
                self.answer(
                    "stopped",
                    involuntary_switches=switches,
                    peak_rss_bytes=peak_rss_bytes,
                    mutated=self._is_input_mutated(),
                )
                return
            self._commands[name](*map(float, arguments))

    def probe(self) -> None:
        """One operation whose answer and input are checked; it also serves as the first warm-up."""
        # Only from here on: imports and preparation may use every CPU there is.
        self._run_on(self._cpus)
        workload = self._subject.workload
        ((subject, given),) = self._subject.calls.take(1)
        clock = self._clock
        self.answer("started")
        clock.reset()
        cpu, wall = time.process_time(), time.perf_counter()
        result = workload.run(subject, given)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        gc_seconds, collections = clock.seconds, clock.collections
        # The floor does the least, so it need not know the answer.
        is_floor = self._subject.is_floor
        digest = None if is_floor else answer_digest(workload.answer(result))
        counts = {} if is_floor else self._counts(result)
        items_s = list(map(float, workload.latencies(result))) if workload.quantiles else []
        mutated = self._is_input_mutated()
        # Freeing what the operation leaves behind is part of it, as it is inside a batch.
        clock.reset()
        free_cpu, free_wall = time.process_time(), time.perf_counter()
        del result
        wall += time.perf_counter() - free_wall
        cpu += time.process_time() - free_cpu
        self.answer(
            "probe",
            wall_s=wall,
            cpu_s=cpu,
            gc_s=gc_seconds + clock.seconds,
            collections=collections + clock.collections,
            answer=digest,
            counts=counts,
            items_s=items_s,
            mutated=mutated,
        )

    def batch(self, iterations: float, batch_s: float) -> None:
        """Warm up and settle the batch: `iterations` if positive, else enough for `batch_s`."""
        self._iterations = max(1, int(iterations))
        if iterations > 1:
            self._time_batch()
        elif iterations <= 0:
            # Twice in a row: one stall must not settle a batch that is far too short.
            while (elapsed := min(self._time_batch()[0], self._time_batch()[0])) < batch_s:
                # At most tenfold at once: the first operations of a process are slower than the rest.
                grown = self._iterations * min(10.0, 1.1 * batch_s / max(elapsed, 1e-9))
                self._iterations = max(self._iterations + 1, int(grown))
        self.answer("batch", iterations=self._iterations)

    def warm(self, batches: float) -> None:
        """Do `batches` batches for nothing."""
        for _ in range(int(batches)):
            self._time_batch()
        self.answer("warm")

    def turn(self) -> None:
        """One batch, while all other arms sleep."""
        self._operations_s = []
        wall, cpu, gc_seconds, collections = self._time_batch()
        self.answer(
            "turn",
            wall_s=wall,
            cpu_s=cpu,
            gc_s=gc_seconds,
            collections=collections,
            operations_s=self._operations_s,
        )

    def _run_on(self, cpus: Sequence[int]) -> None:
        """Keep to some CPUs, where the system can do that."""
        if cpus and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, cpus)

    def _counts(self, result: Any) -> dict[str, float]:
        workload = self._subject.workload
        if not workload.counts:
            return {}
        counted = {name: float(value) for name, value in workload.count(result).items()}
        if counted.keys() != set(workload.counts):
            raise BakeoffError(
                f"{type(workload).__name__}.count returns {', '.join(sorted(counted)) or 'nothing'}, "
                f"but its counts are {', '.join(workload.counts)}.",
                "Make the two agree.",
            )
        return counted

    def _is_input_mutated(self) -> bool:
        subject = self._subject
        if self._fingerprint is None:
            return False
        return subject.workload.fingerprint(subject.prepared) != self._fingerprint

    def _time_batch(self) -> tuple[float, float, float, int]:
        workload = self._subject.workload
        calls = self._subject.calls.take(self._iterations)
        self._clock.reset()
        # A loop for each: nobody who did not ask for percentiles pays for two more clock readings.
        if not workload.quantiles:
            wall, cpu = self._time_all(calls)
        elif type(workload).latencies is Workload.latencies:
            wall, cpu = self._time_each(calls)
        else:
            wall, cpu = self._time_items(calls)
        return wall, cpu, self._clock.seconds, self._clock.collections

    def _time_all(self, calls: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
        """Wall and CPU time of all operations."""
        run = self._subject.workload.run
        cpu, wall = time.process_time(), time.perf_counter()
        for subject, given in calls:
            run(subject, given)
        return time.perf_counter() - wall, time.process_time() - cpu

    def _time_each(self, calls: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
        """The same, and what every operation took."""
        run, operations_s = self._subject.workload.run, self._operations_s
        cpu, wall = time.process_time(), time.perf_counter()
        for subject, given in calls:
            started = time.perf_counter()
            run(subject, given)
            operations_s.append(time.perf_counter() - started)
        return time.perf_counter() - wall, time.process_time() - cpu

    def _time_items(self, calls: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
        """The same, and what every item of every operation took, as the workload says."""
        workload = self._subject.workload
        cpu, wall = time.process_time(), time.perf_counter()
        results = [workload.run(subject, given) for subject, given in calls]
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        for result in results:
            self._operations_s += map(float, workload.latencies(result))
        return wall, cpu


def _involuntary_switches() -> int:
    try:
        import resource
    except ImportError:  # no such accounting on this system
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def _peak_rss_bytes() -> int:
    try:
        import resource
    except ImportError:  # no such accounting on this system
        return 0
    # Linux counts in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def private_answers() -> TextIO:
    """The pipe to the parent, out of the subject's reach: what it prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def private_commands() -> TextIO:
    """The pipe from the parent; a subject that reads its input finds none."""
    commands = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return commands


def failure_of(error: BaseException) -> dict[str, str]:
    """An exception of the subject as the ``failure`` answer's content."""
    if isinstance(error, MemoryError):
        kind = "memory"
    elif isinstance(error, BakeoffError):
        kind = "import"
    else:
        kind = "exception"
    text = str(error) if isinstance(error, BakeoffError) else f"{type(error).__name__}: {error}"
    return {
        "failure": kind,
        "message": text.strip()[:1000],
        "detail": "".join(traceback.format_exception(error))[-4000:],
    }


def main() -> int:
    """Serve one arm; a subject that fails is an answer, not a crash."""
    die_with_parent()
    worker = Worker(private_answers())
    try:
        worker.serve(private_commands())
    except KeyboardInterrupt:
        return 130
    except (Exception, SystemExit) as error:  # a subject may raise anything
        worker.answer("failure", **failure_of(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""One operation under memray in a process of its own; never part of a timed round.

Run as ``python -m bakeoff.measurement.memory_worker``, with the job as JSON on stdin. Answers
``ready`` once the input is prepared, ``tracked`` once the operation is over, then ``memory``.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from bakeoff.measurement.worker import Subject, failure_of, private_answers, private_commands
from bakeoff.study.lifetime import die_with_parent


class _TimeLimitReached(BaseException):
    """The operation is stopped; not an Exception, so that subjects do not catch it by accident."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_TimeLimitReached` in the main thread after `seconds`."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _TimeLimitReached

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


def track(job: dict[str, Any], capture: Path, subject: Subject) -> bool:
    """Run one operation under memray; return whether it finished within the limit."""
    # Here, not at the top: the import must not be paid, nor fail, before the job is understood.
    from memray import FileDestination, Tracker

    run = subject.workload.run
    if job["warm_up"]:
        run(*subject.calls.take(1)[0])
    ((made, given),) = subject.calls.take(1)
    gc.collect()
    destination = FileDestination(str(capture), overwrite=True)
    with Tracker(destination=destination, trace_python_allocators=True):
        # memray follows the Python stack by a profile function, and with one the interpreter makes
        # a frame object for every call: some 175 bytes that the subject does not allocate, more
        # than the rest together where calls are many. Totals need no stacks.
        sys.setprofile(None)
        try:
            with _time_limit(job["time_limit_s"]):
                run(made, given)
        except _TimeLimitReached:
            return False
    return True


def totals(capture: Path) -> dict[str, int]:
    """Bytes, calls and peak of a capture.

    memray offers these totals only from private modules; ``memray<2`` is pinned for that reason.
    """
    from memray._memray import compute_statistics

    statistics = compute_statistics(str(capture))
    return {
        "allocated_bytes": statistics.total_memory_allocated,
        "allocator_calls": statistics.total_num_allocations,
        "peak_bytes": statistics.peak_memory_allocated,
    }


def main() -> int:
    """Measure one operation; a subject that fails is an answer, not a crash."""
    die_with_parent()
    answers = private_answers()

    def answer(kind: str, **content: Any) -> None:
        answers.write(json.dumps({"kind": kind, **content}) + "\n")
        answers.flush()

    try:
        job = json.loads(private_commands().readline())
        with tempfile.TemporaryDirectory(prefix="bakeoff-memory-") as folder:
            capture = Path(folder) / "capture.bin"
            try:
                subject = Subject(job)
                answer("ready")
                finished = track(job, capture, subject)
            except OSError as error:
                # The capture could not be written: that is our trouble, not the subject's.
                answer("failure", **(failure_of(error) | {"failure": "tracing"}))
                return 1
            except (Exception, SystemExit) as error:  # a subject may raise anything
                answer("failure", **failure_of(error))
                return 1
            answer("tracked", finished=finished)
            answer("memory", **totals(capture))
    except Exception as error:  # no room for a capture, or one that cannot be read back
        answer("failure", **(failure_of(error) | {"failure": "tracing"}))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

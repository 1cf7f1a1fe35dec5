"""A report in which every text that comes from elsewhere tries to be markup or to steer a terminal."""

from __future__ import annotations

from bakeoff.measurement.contrast import failed
from bakeoff.report.model import Report
from bakeoff.results.records import EventRecord, Machine
from tests.unit.report.made_up import (
    FINISHED,
    baseline_of,
    cell,
    comparison,
    conformance,
    report_of,
    timed,
)

SCRIPT = "<script>window.hacked = true</script>"
IMAGE = '<img src="http://evil.example/x.png" onerror="window.hacked = true">'
STEERING = "\x1b[2J\x1b]0;owned\x07"
NAME = "<script>alert(1)</script>"


def hostile_report() -> Report:
    evil = cell(f"{IMAGE}|*a*|`b`")
    good = cell("good")
    claim = f"""
[[claim]]
text = '{SCRIPT}{IMAGE}'
arm = "layers"
check = "ratio <= 1/2"
"""
    return report_of(
        [
            comparison(
                evil,
                baseline_of(evil),
                timed(evil, "layers", 0.1),
                failed(evil, NAME, "time", f"crash: {SCRIPT}{STEERING}", "own failure"),
            ),
            comparison(
                good,
                baseline_of(good),
                timed(good, "layers", 0.1),
                timed(good, NAME, 0.4),
            ),
        ],
        claim,
        implementations=("copies", "layers", NAME),
        checked=conformance(("copies", "layers", NAME)),
        events=(
            EventRecord(kind="warning", at="2026-12-01T11:56:31+00:00", text=f"{SCRIPT}{STEERING}"),
            FINISHED,
        ),
        commit='"><script>window.hacked = true</script>',
        machine=Machine(
            fingerprint="x",
            cpu=f"{IMAGE}{STEERING}",
            cores=1,
            memory_bytes=1,
            system="</style></pre>",
            python="3",
        ),
    )

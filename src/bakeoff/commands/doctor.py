"""``bakeoff doctor``: is this machine fit to measure, and how small a change can it tell?"""

from __future__ import annotations

import math
import os
import sys
import sysconfig
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from bakeoff.commands.arguments import AsJson
from bakeoff.commands.terminal import Terminal
from bakeoff.measurement.fitness import (
    Finding,
    clock_cost,
    examine,
    interpreter,
    steal,
    virtual_machine,
)
from bakeoff.measurement.noise_floor import NoiseFloor, measure_noise_floor
from bakeoff.measurement.rounds import available_cpus
from bakeoff.results.machine import describe_machine
from bakeoff.units import format_quantity

SCHEMA = "bakeoff.doctor/1"

#: A machine that cannot tell so much in fifteen minutes is noisy: it is the default margin.
_NOISY = 0.03

_SHAPES = {"ok": "✓", "warning": "!", "problem": "✕", "unknown": "–"}
_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red", "unknown": "dim"}

#: Variables that make the interpreter slower than the one in production.
_SLOWING = ("PYTHONMALLOC", "PYTHONDEVMODE", "PYTHONTRACEMALLOC", "PYTHONASYNCIODEBUG")


def doctor_command(
    rounds: Annotated[int, typer.Option(min=8, max=60, help="Rounds of the A/A run.")] = 10,
    noise: Annotated[
        bool, typer.Option("--noise/--no-noise", help="Measure the noise floor by an A/A run.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Say what on this machine hurts, and how small a change it can tell."""
    terminal = Terminal()
    findings = collect_findings()

    def told(kept: int, wanted: int) -> None:
        terminal.note(f"A/A round {kept} of {wanted}")

    floor = measure_noise_floor(rounds, told) if noise else None
    verdict = judge_machine(findings, floor)
    if as_json:
        terminal.print_json(_document(findings, floor, verdict))
    else:
        terminal.out.print(_table(findings))
        _say_floor(terminal, floor)
        terminal.say(_last_line(verdict, floor))
    if verdict == "unfit":
        raise typer.Exit(1)


def collect_findings() -> list[Finding]:
    """Look at the machine; takes a second, to see what the host takes away."""
    machine = describe_machine()
    before = _read("/proc/stat")
    time.sleep(1.0)
    cost_s = _clock_cost_s()
    return [
        *examine(_read, os.cpu_count() or 1, available_cpus(), machine.load_average),
        virtual_machine(machine.virtual),
        steal(before, _read("/proc/stat")),
        clock_cost(time.get_clock_info("perf_counter").resolution, cost_s),
        interpreter(
            bool(sysconfig.get_config_var("Py_DEBUG")),
            sys.gettrace() is not None,
            [name for name in _SLOWING if os.environ.get(name)],
        ),
    ]


def judge_machine(findings: list[Finding], floor: NoiseFloor | None) -> str:
    """``unfit`` where a figure could be wrong, ``noisy`` where small changes stay hidden, or ``fit``."""
    if any(finding.status == "problem" for finding in findings):
        return "unfit"
    if floor is None:
        return "fit"
    if floor.is_biased:
        return "unfit"
    best = floor.detectable[max(floor.detectable)]
    return "fit" if best is not None and best <= _NOISY else "noisy"


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        # Not this system, or not allowed: the finding says "unknown".
        return None


def _clock_cost_s(readings: int = 10_000) -> float:
    clock = time.perf_counter
    started = clock()
    for _ in range(readings):
        clock()
    return (clock() - started) / readings


def _table(findings: list[Finding]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        seen = Text(finding.seen)
        if finding.advice:
            seen.append(f"\n→ {finding.advice}", "bold")
        table.add_row(
            Text(_SHAPES[finding.status], _STYLES[finding.status]), Text(finding.name), seen
        )
    return table


def _say_floor(terminal: Terminal, floor: NoiseFloor | None) -> None:
    terminal.say()
    if floor is None:
        terminal.say("Noise floor: not measured. → Leave out --no-noise.")
        return
    estimate = None if floor.control is None else floor.control.estimate
    discarded = ", ".join(f"{count} {cause}" for cause, count in floor.discards.items())
    terminal.say(
        f"A/A run of {floor.rounds} rounds, {format_quantity(floor.round_s, 's')} each"
        + (f"; discarded: {discarded}" if discarded else "")
    )
    if estimate is None or not estimate.is_bounded:
        terminal.say("  Too few rounds were kept for an interval. → Wait for quiet, try again.")
        return
    terminal.say(
        f"  identical code: {estimate.ratio:.4f}× ({estimate.low:.4f}–{estimate.high:.4f}); "
        f"spread of a round {floor.spread:.2%}"
    )
    if floor.is_biased:
        terminal.say(
            "  ✕ identical code was told apart. → Try again; if it stays, report it as a bug."
        )
    for minutes, change in floor.detectable.items():
        told = "too few rounds" if change is None else f"changes of {change:.1%} and more"
        terminal.say(f"  in {minutes:>2} min: {told}")


def _last_line(verdict: str, floor: NoiseFloor | None) -> str:
    if verdict == "unfit":
        return "This machine is not fit to measure as it is: mend what is marked ✕."
    told = [] if floor is None else [(m, c) for m, c in floor.detectable.items() if c is not None]
    if not told:
        return "Nothing speaks against measuring here. Next: bakeoff run"
    minutes, change = told[-1]
    what = f"This machine can tell changes of {change:.1%} in {minutes} minutes."
    if verdict == "noisy":
        return f"{what} For smaller ones: bakeoff run --max-rounds 60, or a quieter machine."
    return f"{what} Next: bakeoff run"


def _document(findings: list[Finding], floor: NoiseFloor | None, verdict: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "verdict": verdict,
        "findings": [
            {
                "name": finding.name,
                "status": finding.status,
                "seen": finding.seen,
                "advice": finding.advice,
            }
            for finding in findings
        ],
        "noise": None if floor is None else _noise_document(floor),
    }


def _noise_document(floor: NoiseFloor) -> dict[str, Any]:
    estimate = None if floor.control is None else floor.control.estimate
    is_known = estimate is not None and estimate.is_bounded
    return {
        "rounds": floor.rounds,
        "discards": floor.discards,
        "ratio": estimate.ratio if estimate is not None else None,
        "interval": [estimate.low, estimate.high] if estimate is not None and is_known else None,
        "is_biased": floor.is_biased,
        "spread": floor.spread if math.isfinite(floor.spread) else None,
        "round_s": floor.round_s,
        "detectable": {str(minutes): change for minutes, change in floor.detectable.items()},
    }

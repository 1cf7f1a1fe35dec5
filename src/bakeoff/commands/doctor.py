"""``bakeoff doctor``: is this machine fit to measure, and how small a change can it tell?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from bakeoff.commands.arguments import AsJson
from bakeoff.commands.terminal import Terminal
from bakeoff.errors import BakeoffError
from bakeoff.measurement.fitness import examine
from bakeoff.measurement.fitness_facts import collect_facts
from bakeoff.measurement.fitness_reading import Finding
from bakeoff.measurement.noise_floor import NoiseFloor, measure_noise_floor, rounds_in
from bakeoff.results.records import RoundRecord
from bakeoff.study import Project
from bakeoff.units import format_quantity

SCHEMA = "bakeoff.doctor/1"

Fitness = Literal["fit", "noisy", "unfit"]

#: A machine that cannot tell so much in fifteen minutes is noisy: it is the default margin.
_NOISY = 0.03

_SHAPES = {"ok": "✓", "warning": "!", "problem": "✕", "unknown": "–"}
_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red", "unknown": "dim"}


def doctor_command(
    rounds: Annotated[int, typer.Option(min=8, max=60, help="Rounds of the A/A run.")] = 10,
    noise: Annotated[
        bool, typer.Option("--noise/--no-noise", help="Measure the noise floor by an A/A run.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Say what on this machine hurts, and how small a change it can tell."""
    terminal = Terminal()
    findings = examine(collect_facts())

    def told(record: RoundRecord, kept: int) -> None:
        if record.discarded is None:
            terminal.note(f"A/A round {kept} of {rounds}")
        else:
            terminal.note(f"A/A round discarded: {record.discarded}")

    if not as_json:
        # Before the A/A run: whoever waits for it has something to read.
        terminal.out.print(findings_table(findings))
        terminal.say()
    floor = measure_noise_floor(rounds, told) if noise else None
    verdict = judge_machine(findings, floor)
    if as_json:
        terminal.print_json(document(findings, floor, verdict))
    else:
        for line in floor_lines(floor):
            terminal.say(line)
        terminal.say(last_line(verdict, findings, floor, next_command(floor)))
    if verdict == "unfit":
        raise typer.Exit(1)


def judge_machine(findings: Sequence[Finding], floor: NoiseFloor | None) -> Fitness:
    """``unfit`` where a figure could be wrong, ``noisy`` where small changes stay hidden, or ``fit``.

    Parameters
    ----------
    findings : sequence of Finding
        What was seen of the machine.
    floor : NoiseFloor or None
        None if it was not measured: then the findings alone decide.
    """
    if any(finding.status == "problem" for finding in findings):
        return "unfit"
    if floor is None:
        return "fit"
    if floor.is_biased or floor.failure is not None:
        return "unfit"
    return "fit" if floor.best is not None and floor.best[1] <= _NOISY else "noisy"


def findings_table(findings: Sequence[Finding]) -> Table:
    """A line for each finding, and under it what to do."""
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


def floor_lines(floor: NoiseFloor | None) -> list[str]:
    """The noise floor as a few lines."""
    if floor is None:
        return ["Noise floor: not measured. → Leave out --no-noise."]
    discarded = ", ".join(f"{count} {cause}" for cause, count in floor.discards.items())
    lines = [
        f"A/A run of identical code: {floor.rounds} rounds kept, discarded: {discarded or 'none'}; "
        f"{format_quantity(floor.round_s, 's')} each"
    ]
    if floor.failure is not None:
        return [*lines, f"  ✕ its processes failed: {floor.failure}"]
    estimate = None if floor.control is None else floor.control.estimate
    if estimate is None or floor.half_width is None:
        return [*lines, "  Too few rounds were kept for an interval. → Wait for quiet, try again."]
    lines.append(
        f"  copy ÷ original {estimate.ratio:.4f}, {estimate.level:.0%} interval "
        f"{estimate.low:.4f} to {estimate.high:.4f}"
    )
    lines.append(
        f"  noise floor ±{_percent(floor.half_width)} here; one round varies by "
        f"{_percent(floor.spread)} (standard deviation)"
    )
    if floor.is_biased:
        lines.append(
            "  ✕ identical code was told apart. → Run it again; by chance it happens once in 100."
        )
    lines.append("  a comparison of two implementations in one cell finds, 8 to 9 times in 10:")
    for minutes, change in floor.detectable.items():
        rounds = rounds_in(minutes, floor.round_s)
        found = f"{rounds} rounds, changes from {_percent(change)} on" if change is not None else ""
        lines.append(f"    in {minutes:>2} min: {found or 'nothing: too few rounds'}")
    return lines


def next_command(floor: NoiseFloor | None) -> str:
    """What to type next: as many rounds as the promised change needs, where there is a project."""
    best = None if floor is None else floor.best
    rounds = None if floor is None or best is None else rounds_in(best[0], floor.round_s)
    command = "bakeoff run" if rounds is None else f"bakeoff run --max-rounds {rounds}"
    try:
        Project.find(Path.cwd())
    except BakeoffError:
        return f"in your project's folder: {command}"
    return command


def last_line(
    verdict: Fitness, findings: Sequence[Finding], floor: NoiseFloor | None, command: str
) -> str:
    """The sentence that decides, and the next command."""
    best = None if floor is None else floor.best
    if verdict == "unfit":
        names = [finding.name for finding in findings if finding.status == "problem"]
        if floor is not None and (floor.is_biased or floor.failure is not None):
            names.append("the A/A run")
        return f"Not fit to measure as it is: {', '.join(names)}. Mend it, then: bakeoff doctor"
    if floor is None:
        return f"Nothing seen speaks against measuring here. Next: {command}"
    if best is None:
        return "Too few rounds to say what it can tell. Wait for quiet, then: bakeoff doctor"
    minutes, change = best
    unit = "minute" if minutes == 1 else "minutes"
    told = f"This machine can tell changes of about {_percent(change)} in {minutes} {unit}."
    if verdict == "noisy":
        told += f" That is more than {_NOISY * 100:.0f} %: find a quieter hour or machine."
    return f"{told} Next: {command}"


def document(
    findings: Sequence[Finding], floor: NoiseFloor | None, verdict: Fitness
) -> dict[str, Any]:
    """Everything as one document; finite numbers or null."""
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
        "level": estimate.level if estimate is not None and is_known else None,
        "half_width": floor.half_width,
        "is_biased": floor.is_biased,
        "failure": floor.failure,
        "spread": floor.spread if math.isfinite(floor.spread) else None,
        "round_s": floor.round_s,
        "detectable": {str(minutes): change for minutes, change in floor.detectable.items()},
        "detectable_rounds": {
            str(minutes): rounds_in(minutes, floor.round_s) for minutes in floor.detectable
        },
    }


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"

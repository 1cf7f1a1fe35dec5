"""The trial's command line: ``run``, ``table`` and ``plot``."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.commands.arguments import parse_duration
from bakeoff.errors import BakeoffError, NotFoundError
from tools.trial.about import about_now, begin_or_resume
from tools.trial.judges import JUDGES
from tools.trial.outcomes import FILE_NAME, Condition
from tools.trial.outcomes import read as read_outcomes
from tools.trial.plan import plan_pairs
from tools.trial.session import Trial
from tools.trial.summary import Summary, summarise
from tools.trial.table import markdown_table

_ROOT = Path(__file__).resolve().parents[2]

app = typer.Typer(help=sys.modules["tools.trial"].__doc__, pretty_exceptions_enable=False)

From = Annotated[Path, typer.Option("--in", help="The folder that the trial was written to.")]


@app.command()
def run(
    out: Annotated[Path, typer.Option(help="Where outcomes are written; a trial there resumes.")],
    quiet: Annotated[int, typer.Option(min=0, help="Trials of functions that are alike.")] = 40,
    effect_trials: Annotated[int, typer.Option(min=0, help="Trials of each effect.")] = 20,
    noisy: Annotated[
        int, typer.Option(min=0, help="Trials of each effect, and of none, beside a neighbour.")
    ] = 10,
    effects: Annotated[str, typer.Option(help="Slowdowns in percent.")] = "2,3,5,10",
    noisy_effects: Annotated[
        str, typer.Option(help="Slowdowns in percent beside a neighbour.")
    ] = "2,3,5,10",
    tools: Annotated[str, typer.Option(help="Who judges.")] = ",".join(JUDGES),
    seed: Annotated[int, typer.Option(min=0, help="Of order and noise.")] = 1,
    time_limit: Annotated[
        str | None, typer.Option(help="Start no comparison after this long: 45m, 2h.")
    ] = None,
) -> None:
    """Let every tool judge every pair, in random order, and write each outcome at once."""
    judges = {name: JUDGES[name] for name in _names(tools)}
    counts: dict[tuple[Condition, int], int] = {("quiet", 0): quiet, ("noisy", 0): noisy}
    counts |= {("quiet", effect): effect_trials for effect in _percents(effects)}
    counts |= {("noisy", effect): noisy for effect in _percents(noisy_effects)}
    # All tools', whoever takes part now: others may be added when it resumes.
    packages = [package for judge in JUDGES.values() for package in judge.packages]
    begin_or_resume(out, about_now(_ROOT, packages, seed))
    deadline = None if time_limit is None else time.monotonic() + _seconds(time_limit)
    trial = Trial(
        folder=out,
        judges=judges,
        pairs=plan_pairs(counts, seed),
        seed=seed,
        deadline=deadline,
    )
    # Whoever ends us ends what we started: a tool left behind would disturb the next one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        is_complete = trial.run(lambda line: print(line, file=sys.stderr, flush=True))
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        raise typer.Exit(130) from None
    if not is_complete:
        print("time limit reached; the same command goes on", file=sys.stderr)
    print(f"Next: python -m tools.trial table --in {out}")


@app.command()
def table(folder: From) -> None:
    """Print the table in Markdown."""
    print(markdown_table(_summaries(folder)), end="")


@app.command()
def plot(
    folder: From,
    to: Annotated[Path | None, typer.Option(help="The file; detection.svg beside them.")] = None,
) -> None:
    """Write an SVG of what was found, against how large it was."""
    # Here, for matplotlib takes a second to import.
    from tools.trial.plot import detection_plot

    path = to if to is not None else folder / "detection.svg"
    path.write_bytes(detection_plot(_summaries(folder)))
    print(f"Written: {path}")


def run_application() -> int:
    """Run the command line; the exit code."""
    try:
        command = typer.main.get_command(app)
        code = command.main(prog_name="python -m tools.trial", standalone_mode=False)
    except typer.TyperException as error:
        print(f"error: {error.format_message()}", file=sys.stderr)
        return BakeoffError.exit_code
    except BakeoffError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return code if isinstance(code, int) else 0


def _summaries(folder: Path) -> list[Summary]:
    outcomes = read_outcomes(folder / FILE_NAME)
    if not outcomes:
        raise BakeoffError(
            f"{folder}: there are no outcomes.", f"Run: python -m tools.trial run --out {folder}"
        )
    return summarise(outcomes)


def _names(text: str) -> list[str]:
    """The judges of a list with commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in JUDGES:
            raise NotFoundError.among("a tool", name, JUDGES, where="tools/trial/judges")
    return names


def _seconds(text: str) -> float:
    try:
        return parse_duration(text)
    except BakeoffError as error:
        # It speaks of another option.
        raise BakeoffError(f"--time-limit: {text!r} is no duration.", error.next_step) from None


def _percents(text: str) -> list[int]:
    """The effects of a list with commas; no effect is no member."""
    percents = [part.strip() for part in text.split(",") if part.strip()]
    if not all(percent.isdecimal() and int(percent) > 0 for percent in percents):
        raise BakeoffError(f"{text!r} is no list of slowdowns.", "Write for example 2,3,5,10.")
    return [int(percent) for percent in percents]

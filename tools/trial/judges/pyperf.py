"""pyperf: ``timeit`` before and after, with its defaults, then ``compare_to``.

Defaults are 20 processes of one warm-up and three values, each value at least 0.1 s, after one process
that calibrates (pyperf 2.11, Runner); ``compare_to`` decides by a t-test of all values at 95 %. The same
files are judged again by its own remedy for differences too small to matter, ``--min-speed``.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.trial.command import JudgeFailedError, run_command
from tools.trial.judges.judge import Judgement
from tools.trial.judges.two_folders import folder_of, make_folders
from tools.trial.outcomes import Verdict

#: In percent: pyperf's default, and one that lets it find 3 %.
MIN_SPEEDS = (0, 2)

_CHANGE = re.compile(r"(?P<ratio>\d+\.\d+)x (?P<direction>slower|faster)\b")
_NO_CHANGE = re.compile(r"not significant|no change", re.IGNORECASE)


class PyperfJudge:
    """Before and after are one module in two folders."""

    tools: Sequence[str] = tuple(
        f"pyperf, min-speed {percent} %" if percent else "pyperf" for percent in MIN_SPEEDS
    )
    packages: Sequence[str] = ("pyperf",)

    def prepare(self, folder: Path, effects: Sequence[int]) -> None:
        make_folders(folder, effects)

    def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
        results = [folder / "first.json", folder / "second.json"]
        for old in results:
            old.unlink(missing_ok=True)
        started = time.monotonic()
        for result, effect in zip(results, (None, effect_percent), strict=True):
            run_command(
                *(sys.executable, "-m", "pyperf", "timeit", "--quiet", "--name", "work"),
                *("--output", str(result), "--setup", "from subject import work", "work()"),
                folder=folder_of(folder, effect),
            )
        judgements = []
        for tool, percent in zip(self.tools, MIN_SPEEDS, strict=True):
            shown = run_command(
                *(sys.executable, "-m", "pyperf", "compare_to", f"--min-speed={percent}"),
                *map(str, results),
                folder=folder,
            )
            judgements.append(judgement_in(shown, tool, time.monotonic() - started))
        return judgements


def judgement_in(shown: str, tool: str, seconds: float) -> Judgement:
    """The judgement in what ``pyperf compare_to`` prints.

    Parameters
    ----------
    shown : str
        Its output on two results of one benchmark.
    tool : str
        The name of the judgement.
    seconds : float
        How long the comparison took.

    Raises
    ------
    JudgeFailedError
        If it says neither that there is a change nor that there is none.
    """
    change = _CHANGE.search(shown)
    if change is not None:
        ratio = float(change["ratio"])
        verdict: Verdict = "slower" if change["direction"] == "slower" else "faster"
        return Judgement(tool, verdict, ratio if verdict == "slower" else 1 / ratio, seconds)
    if _NO_CHANGE.search(shown) is None:
        raise JudgeFailedError(f"pyperf printed no verdict:\n{shown[-2000:]}")
    return Judgement(tool, "no difference", None, seconds)

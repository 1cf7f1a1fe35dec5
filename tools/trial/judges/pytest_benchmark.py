"""pytest-benchmark: save before, compare after, and fail where the mean is more than 5 % worse.

It says only "fails" or not, so it never calls anything faster. All other settings are its defaults:
rounds for about a second in one process.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.trial.command import JudgeFailedError, run_command
from tools.trial.judges.judge import Judgement
from tools.trial.judges.two_folders import folder_of, make_folders
from tools.trial.outcomes import Verdict

#: Its documentation's own example of a regression check.
FAIL_AT = "mean:5%"

_TEST = """from subject import work


def test_work(benchmark):
    benchmark(work)
"""

_REGRESSED = "Performance has regressed"


class PytestBenchmarkJudge:
    """Before and after are one test and one module in two folders, with one storage."""

    tools: Sequence[str] = (f"pytest-benchmark, {FAIL_AT}",)
    packages: Sequence[str] = ("pytest", "pytest-benchmark")

    def prepare(self, folder: Path, effects: Sequence[int]) -> None:
        make_folders(folder, effects)
        for effect in (None, *effects):
            place = folder_of(folder, effect)
            (place / "test_subject.py").write_text(_TEST, encoding="utf-8")
            (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
        storage = folder / "storage"
        shutil.rmtree(storage, ignore_errors=True)
        options = ("-p", "no:cacheprovider", f"--benchmark-storage=file://{storage}")
        pytest = (sys.executable, "-m", "pytest", *options)
        started = time.monotonic()
        run_command(*pytest, "--benchmark-save=first", folder=folder_of(folder, None))
        shown = run_command(
            *(*pytest, "--benchmark-save=second"),
            *("--benchmark-compare=0001", f"--benchmark-compare-fail={FAIL_AT}"),
            folder=folder_of(folder, effect_percent),
            expect=(0, 1),
        )
        seconds = time.monotonic() - started
        return [judgement_in(shown, _ratio(storage), seconds)]


def judgement_in(shown: str, ratio: float | None, seconds: float) -> Judgement:
    """The judgement in what pytest prints.

    Parameters
    ----------
    shown : str
        Output of the run that compares.
    ratio : float or None
        Second ÷ first of the means, from its own files.
    seconds : float
        How long the comparison took.

    Raises
    ------
    JudgeFailedError
        If the test itself did not pass, so that nothing was compared.
    """
    # Where it fails it leaves pytest by an exception, and the line of what passed is not printed.
    verdict: Verdict = "slower" if _REGRESSED in shown else "no difference"
    if verdict == "no difference" and "1 passed" not in shown:
        raise JudgeFailedError(f"pytest-benchmark compared nothing:\n{shown[-2000:]}")
    return Judgement(f"pytest-benchmark, {FAIL_AT}", verdict, ratio, seconds)


def _ratio(storage: Path) -> float | None:
    """Second ÷ first of the means that were saved."""
    means = {}
    for path in storage.rglob("*.json"):
        (benchmark,) = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
        means[path.stem.rpartition("_")[2]] = float(benchmark["stats"]["mean"])
    return means["second"] / means["first"] if means.keys() == {"first", "second"} else None

"""asv: ``continuous`` between two commits, and the same measurement judged by a finer factor.

Before and after are two commits of a small repository. One measurement serves both factors:
``continuous`` stores its results, and ``compare`` judges what is stored by the same function
(asv 0.6.6, commands/compare.py). Settings are asv's defaults: ten samples of 10 ms each, taken in two
processes, different by Mann and Whitney's test at p < 0.002, and by more than the factor.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from tools.trial.command import JudgeFailedError, run_command, script
from tools.trial.judges.judge import Judgement
from tools.trial.outcomes import Verdict
from tools.trial.subject import source_of

#: asv's default, and one that lets it see what it is asked to see.
FACTORS = (1.1, 1.01)

_SUITE = """from subject import work


def time_work():
    work()
"""

#: A plain copy: what is compared is measuring, not pip. Bytecode is dropped, for a file of the same
#: size from the same second would pass for the old one.
_INSTALL = """import pathlib
import shutil
import sys
import sysconfig

site = pathlib.Path(sysconfig.get_paths()["purelib"])
for stale in (site / "__pycache__").glob("subject.*"):
    stale.unlink()
shutil.copyfile(pathlib.Path(sys.argv[1]) / "subject.py", site / "subject.py")
"""

_CONFIGURATION = {
    "version": 1,
    "project": "subject",
    "repo": ".",
    "branches": ["main"],
    "environment_type": "virtualenv",
    "matrix": {"req": {"pip+asv_runner": ["0.3.2"]}},
    "benchmark_dir": "benchmarks",
    "env_dir": ".asv/env",
    "results_dir": ".asv/results",
    "html_dir": ".asv/html",
    "build_command": [],
    "install_command": ["in-dir={env_dir} python {conf_dir}/install.py {build_dir}"],
    "uninstall_command": [],
}

_ROW = re.compile(
    r"^\|\s*(?P<mark>[-+x!*]?)\s*\|[^|]*\|[^|]*\|\s*~?(?P<ratio>[\d.]+)\s*\|.*\btime_work\b", re.M
)
_VERDICTS: dict[str, Verdict] = {"+": "slower", "-": "faster", "": "no difference"}


class AsvJudge:
    """One repository; the branch ``effect-N`` is one commit after ``main``."""

    tools: Sequence[str] = tuple(f"asv, factor {factor:g}" for factor in FACTORS)
    packages: Sequence[str] = ("asv", "asv_runner")

    def prepare(self, folder: Path, effects: Sequence[int]) -> None:
        repository = folder / "repository"
        if not (repository / ".git").exists():
            _make_repository(repository)
        known = _run(repository, "git", "branch", "--list", "--format", "%(refname:short)").split()
        for effect in effects:
            if f"effect-{effect}" not in known:
                _run(repository, "git", "switch", "--quiet", "--create", f"effect-{effect}", "main")
                _write(repository, "subject.py", source_of(effect))
                _write(repository, "CHANGES", f"{effect}\n")
                _commit(repository, "Change the function")
        _run(repository, "git", "switch", "--quiet", "main")
        _run(repository, script("asv"), "machine", "--yes", "--machine", "here")
        # Makes the environment, once: it is no part of any comparison.
        _run(repository, script("asv"), "run", "--quick", "main^!")

    def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
        repository = folder / "repository"
        for old in (repository / ".asv" / "results" / "here").glob("*-virtualenv-*.json"):
            old.unlink()
        commits = ("main", f"effect-{effect_percent}")
        started = time.monotonic()
        # Exit code 1 says that something is slower.
        shown = _run(
            repository,
            *(script("asv"), "continuous", "--no-only-changed", "--factor", str(FACTORS[0])),
            *commits,
            expect=(0, 1),
        )
        judgements = [judgement_in(shown, self.tools[0], time.monotonic() - started)]
        for tool, factor in zip(self.tools[1:], FACTORS[1:], strict=True):
            shown = _run(repository, script("asv"), "compare", "--factor", str(factor), *commits)
            judgements.append(judgement_in(shown, tool, time.monotonic() - started))
        return judgements


def judgement_in(shown: str, tool: str, seconds: float) -> Judgement:
    """The judgement in the table that asv prints.

    Parameters
    ----------
    shown : str
        Output of ``asv continuous`` or ``asv compare``, unchanged benchmarks included.
    tool : str
        The name of the judgement.
    seconds : float
        How long the comparison took.

    Raises
    ------
    JudgeFailedError
        If there is no such row, or it says that a benchmark failed.
    """
    row = _ROW.search(shown)
    if row is None or row["mark"] not in _VERDICTS:
        raise JudgeFailedError(f"asv printed no verdict:\n{shown[-2000:]}")
    return Judgement(tool, _VERDICTS[row["mark"]], float(row["ratio"]), seconds)


def _make_repository(repository: Path) -> None:
    repository.mkdir(parents=True, exist_ok=True)
    _run(repository, "git", "init", "--quiet", "--initial-branch", "main")
    _write(repository, "asv.conf.json", json.dumps(_CONFIGURATION, indent=2))
    _write(repository, "install.py", _INSTALL)
    _write(repository, "benchmarks/__init__.py", "")
    _write(repository, "benchmarks/pair.py", _SUITE)
    _write(repository, ".gitignore", ".asv/\n__pycache__/\n")
    _write(repository, "subject.py", source_of(0))
    _commit(repository, "Add the function")


def _write(repository: Path, name: str, text: str) -> None:
    path = repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _commit(repository: Path, message: str) -> None:
    _run(repository, "git", "add", "--all")
    _run(repository, "git", "commit", "--quiet", "--message", message)


def _run(repository: Path, *command: str, expect: Sequence[int] = (0,)) -> str:
    home = repository.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "HOME": str(home),  # asv keeps a file of machines there
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    return run_command(*command, folder=repository, environment=environment, expect=expect)

"""bakeoff itself: ``run --preset full``, and the verdict out of its ``report.json``.

The answers' digests are compared inside every round and so timed; the conformance check is made
once, when the project is, and not timed, as the peers have none.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from tools.trial.command import JudgeFailedError, run_command, script
from tools.trial.judges.judge import Judgement
from tools.trial.outcomes import Verdict
from tools.trial.subject import source_of

_FACTORY = """

def create():
    return work
"""

_SUITE = '''"""A pair of functions."""

from bakeoff import Suite


class Work(Suite):
    """Call the function once."""

    def run(self, create, given):
        return create()()
'''

_CONFORMANCE = '''"""The promise of a pair."""


def check_the_answer_is_a_number(create):
    """The answer is a number."""
    assert isinstance(create()(), int)
'''

_REPORT = """title = "A pair"
question = "Is the second slower?"
study = "pair"
baseline = "first"
"""

_VERDICTS: dict[str, Verdict] = {
    "slower": "slower",
    "faster": "faster",
    "same": "same",
    "inconclusive": "inconclusive",
}


class BakeoffJudge:
    """Looks after 10, 15, 20 and 30 rounds, at most 1 % false alarms, margin 3 %: its defaults."""

    tools: Sequence[str] = ("bakeoff",)
    packages: Sequence[str] = ("bakeoff",)

    def prepare(self, folder: Path, effects: Sequence[int]) -> None:
        for effect in effects:
            root = folder / f"effect-{effect}"
            for name, text in _files(effect).items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.exists():
                    path.write_text(text, encoding="utf-8")
            run_command(script("bakeoff"), "check", "pair", folder=root)

    def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
        root = folder / f"effect-{effect_percent}"
        started = time.monotonic()
        run_command(
            script("bakeoff"), "run", "pair", "--preset", "full", "--no-memory", folder=root
        )
        run_command(script("bakeoff"), "report", "pair", "--to", "json", folder=root)
        seconds = time.monotonic() - started
        document = (root / "reports" / "pair" / "report.json").read_text(encoding="utf-8")
        return [judgement_in(document, seconds)]


def judgement_in(document: str, seconds: float) -> Judgement:
    """The judgement in a ``report.json`` of the pair.

    Parameters
    ----------
    document : str
        The file's text.
    seconds : float
        How long the comparison took.

    Raises
    ------
    JudgeFailedError
        If the second function has no verdict on its time.
    """
    report = json.loads(document)
    cells = [
        cell
        for cell in report["cells"]
        if (cell["implementation"], cell["metric"]) == ("second", "time")
    ]
    if len(cells) != 1 or cells[0]["verdict"] not in _VERDICTS:
        raise JudgeFailedError(f"report.json: no verdict on the time of 'second': {cells}")
    (cell,) = cells
    detail = f"{report['run']['id']}: {cell['rounds']} rounds, interval {cell['interval']}"
    if cell["reason"]:
        detail += f", {cell['reason']}"
    return Judgement("bakeoff", _VERDICTS[cell["verdict"]], cell["ratio"], seconds, detail)


def _files(effect_percent: int) -> dict[str, str]:
    """A project of one study with two implementations, by file."""
    return {
        "impls/__init__.py": "",
        "impls/pair/__init__.py": '"""A pair."""\n',
        "impls/pair/interface.py": '"""A function without arguments that gives a number."""\n',
        "impls/pair/conformance.py": _CONFORMANCE,
        "impls/pair/first.py": source_of(0) + _FACTORY,
        "impls/pair/second.py": source_of(effect_percent) + _FACTORY,
        "benchmarks/__init__.py": "",
        "benchmarks/pair.py": _SUITE,
        "reports/pair.toml": _REPORT,
    }

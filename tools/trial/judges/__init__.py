"""The tools under trial, each driven through its own command line as its documentation has it."""

from __future__ import annotations

from collections.abc import Mapping

from tools.trial.judges.asv import AsvJudge
from tools.trial.judges.bakeoff import BakeoffJudge
from tools.trial.judges.judge import Judge, Judgement
from tools.trial.judges.pyperf import PyperfJudge
from tools.trial.judges.pytest_benchmark import PytestBenchmarkJudge

__all__ = ["JUDGES", "Judge", "Judgement"]

#: By the word that ``--tools`` takes.
JUDGES: Mapping[str, Judge] = {
    "bakeoff": BakeoffJudge(),
    "asv": AsvJudge(),
    "pyperf": PyperfJudge(),
    "pytest-benchmark": PytestBenchmarkJudge(),
}

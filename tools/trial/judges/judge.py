"""What a judge is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tools.trial.outcomes import Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a tool says of the second function of a pair.

    Attributes
    ----------
    tool : str
        The tool, with its setting where one measurement serves several.
    verdict : str
        About the second function.
    ratio : float or None
        Second ÷ first, where the tool gives it.
    seconds : float
        Wall time of the comparison, up to this verdict.
    detail : str
        What else explains the verdict.
    """

    tool: str
    verdict: Verdict
    ratio: float | None
    seconds: float
    detail: str = ""


class Judge(Protocol):
    """A tool under trial, driven through its own command line."""

    @property
    def tools(self) -> Sequence[str]:
        """Names of the verdicts that one comparison gives."""

    @property
    def packages(self) -> Sequence[str]:
        """Distributions whose versions are recorded."""

    def prepare(self, folder: Path, effects: Sequence[int]) -> None:
        """Make what a comparison needs: projects, repositories, environments. Not timed.

        A folder that is prepared already is left as it is.
        """

    def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
        """Compare the function with itself, slowed by so many percent.

        Raises
        ------
        JudgeFailedError
            If the tool comes to no verdict.
        """

"""One outcome is one line of ``outcomes.jsonl``: written at once, so that a killed trial resumes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from bakeoff.errors import BakeoffError

Condition: TypeAlias = Literal["quiet", "noisy"]

#: ``same`` is proven, ``no difference`` only not disproven; ``failed`` is the tool's own failure.
Verdict: TypeAlias = Literal["slower", "faster", "same", "inconclusive", "no difference", "failed"]

FILE_NAME = "outcomes.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one tool said of one pair.

    Attributes
    ----------
    tool : str
        Who judged, with its setting where it was tried with several.
    judge : str
        Whose measurement it is: the word of ``--tools``. Two tools may share one.
    condition : {"quiet", "noisy"}
        Whether the synthetic neighbour was at work.
    effect_percent : int
        By how much the second was slowed in truth.
    trial : int
        Repetition, from 0.
    verdict : str
        About the second function.
    ratio : float or None
        Second ÷ first as the tool gives it.
    seconds : float
        Wall time from the first command to the verdict.
    busy_before : float
        Share of all CPUs that was busy just before it began, 0 to 1, without our own neighbour.
    started_at : str
        When, in UTC, ISO 8601.
    detail : str
        What the tool said, where the verdict alone does not tell.
    """

    tool: str
    judge: str
    condition: Condition
    effect_percent: int
    trial: int
    verdict: Verdict
    ratio: float | None
    seconds: float
    busy_before: float
    started_at: str
    detail: str = ""


def append(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Add outcomes to a file, all of one measurement in one write.

    A line that a kill left torn is ended first, so that it spoils nothing after it.
    """
    text = b"".join(msgspec.json.encode(outcome) + b"\n" for outcome in outcomes)
    with path.open("a+b") as file:
        if file.tell() > 0:
            file.seek(-1, 2)
            text = text if file.read(1) == b"\n" else b"\n" + text
        file.write(text)


def read(path: Path) -> list[Outcome]:
    """All outcomes of a file, in their order; none if there is no file.

    Raises
    ------
    BakeoffError
        If a line other than a torn last one is no outcome.
    """
    if not path.exists():
        return []
    outcomes = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            outcomes.append(msgspec.json.decode(line, type=Outcome))
        except msgspec.ValidationError as error:
            raise BakeoffError(
                f"{path}, line {number}: {error}.", "Was it written by another version? Use --out."
            ) from error
        except msgspec.DecodeError:
            # Torn by a kill; the trial was repeated, for it had no outcome.
            continue
    return outcomes

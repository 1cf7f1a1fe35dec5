"""The trial itself: pair after pair, every judge in turn, every outcome written at once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from tools.trial.command import JudgeFailedError
from tools.trial.judges import Judge, Judgement
from tools.trial.neighbour import noise
from tools.trial.outcomes import FILE_NAME, Outcome, append, read
from tools.trial.plan import Pair, already_judged, judge_order

#: Long enough for the kernel's ticks of 10 ms, short beside any comparison.
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is to be judged, by whom, and until when.

    Attributes
    ----------
    folder : pathlib.Path
        Outcomes are written there; each judge works in a folder of its own below it.
    judges : mapping of str to Judge
        Who takes part.
    pairs : sequence of Pair
        In their order.
    seed : int
        Decides who comes first and what the neighbour does.
    deadline : float, optional
        ``time.monotonic()`` after which no comparison is started.
    """

    folder: Path
    judges: Mapping[str, Judge]
    pairs: Sequence[Pair]
    seed: int
    deadline: float | None = None

    def run(self, say: Callable[[str], None]) -> bool:
        """Judge what has not been judged; False if the deadline came first.

        Parameters
        ----------
        say : callable
            Told each verdict as one line.
        """
        file = self.folder / FILE_NAME
        done = already_judged(read(file))
        effects = sorted({pair.effect_percent for pair in self.pairs})
        for name, judge in self.judges.items():
            place = self.folder / "work" / name
            place.mkdir(parents=True, exist_ok=True)
            judge.prepare(place.resolve(), effects)
        for pair in self.pairs:
            for name in judge_order(list(self.judges), pair, self.seed):
                if (name, pair) in done:
                    continue
                if self.deadline is not None and time.monotonic() > self.deadline:
                    return False
                outcomes = self._judge(name, pair)
                append(file, outcomes)
                for outcome in outcomes:
                    say(_line(outcome))
        return True

    def _judge(self, name: str, pair: Pair) -> list[Outcome]:
        judge = self.judges[name]
        started_at = datetime.now(UTC).isoformat(timespec="seconds")
        busy_before = psutil.cpu_percent(_LOOK_S) / 100
        # The same bursts for every judge of a pair.
        bursts = f"{self.seed}/{pair.effect_percent}/{pair.trial}"
        neighbour = noise(bursts) if pair.condition == "noisy" else contextlib.nullcontext()
        started = time.monotonic()
        try:
            with neighbour:
                place = (self.folder / "work" / name).resolve()
                judgements = judge.judge(place, pair.effect_percent)
        except JudgeFailedError as error:
            seconds = time.monotonic() - started
            judgements = [
                Judgement(tool, "failed", None, seconds, str(error)) for tool in judge.tools
            ]
        return [
            Outcome(
                tool=judgement.tool,
                judge=name,
                condition=pair.condition,
                effect_percent=pair.effect_percent,
                trial=pair.trial,
                verdict=judgement.verdict,
                ratio=judgement.ratio,
                seconds=judgement.seconds,
                busy_before=busy_before,
                started_at=started_at,
                detail=judgement.detail,
            )
            for judgement in judgements
        ]


def _line(outcome: Outcome) -> str:
    """An outcome for people."""
    ratio = "" if outcome.ratio is None else f" ({outcome.ratio:.3f})"
    return (
        f"{outcome.condition} +{outcome.effect_percent} % #{outcome.trial} {outcome.tool}: "
        f"{outcome.verdict}{ratio}, {outcome.seconds:.1f} s"
    )

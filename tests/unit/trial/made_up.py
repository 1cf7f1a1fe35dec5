"""Outcomes that nobody measured."""

from __future__ import annotations

from tools.trial.outcomes import Condition, Outcome, Verdict


def outcome(
    verdict: Verdict = "no difference",
    *,
    tool: str = "a tool",
    condition: Condition = "quiet",
    effect: int = 0,
    trial: int = 0,
    seconds: float = 1.0,
) -> Outcome:
    return Outcome(
        tool=tool,
        judge=tool.partition(",")[0],
        condition=condition,
        effect_percent=effect,
        trial=trial,
        verdict=verdict,
        ratio=1.0,
        seconds=seconds,
        busy_before=0.0,
        started_at="2026-01-01T00:00:00+00:00",
    )


def outcomes(*verdicts: Verdict, effect: int = 0, tool: str = "a tool") -> list[Outcome]:
    """One trial for each verdict."""
    return [
        outcome(verdict, trial=trial, effect=effect, tool=tool)
        for trial, verdict in enumerate(verdicts)
    ]

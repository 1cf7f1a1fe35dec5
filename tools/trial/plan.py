"""Who judges what, and in which order. Pure; all chance comes from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tools.trial.outcomes import Condition, Outcome


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of functions that every judge looks at, one after the other.

    Attributes
    ----------
    condition : {"quiet", "noisy"}
        Whether a neighbour makes noise.
    effect_percent : int
        By how much the second function is slowed.
    trial : int
        Repetition, from 0.
    """

    condition: Condition
    effect_percent: int
    trial: int


def plan_pairs(counts: Mapping[tuple[Condition, int], int], seed: int) -> list[Pair]:
    """All pairs, so mixed that wherever the trial ends, each kind has had its share.

    Parameters
    ----------
    counts : mapping of (condition, effect) to int
        How many trials of each kind.
    seed : int
        Decides their order.
    """
    chance = random.Random(f"{seed}/pairs")
    placed = [
        # Somewhere in its own share of the whole.
        ((trial + chance.random()) / count, Pair(condition, effect, trial))
        for (condition, effect), count in sorted(counts.items())
        for trial in range(count)
    ]
    return [pair for _, pair in sorted(placed, key=lambda place: place[0])]


def judge_order(judges: Sequence[str], pair: Pair, seed: int) -> list[str]:
    """The judges in this pair's random order: whoever comes first must not be always the same."""
    chance = random.Random(f"{seed}/{pair.condition}/{pair.effect_percent}/{pair.trial}")
    return chance.sample(sorted(judges), len(judges))


def already_judged(outcomes: Iterable[Outcome]) -> frozenset[tuple[str, Pair]]:
    """Who has judged what; a failure is to be tried again."""
    return frozenset(
        (outcome.judge, Pair(outcome.condition, outcome.effect_percent, outcome.trial))
        for outcome in outcomes
        if outcome.verdict != "failed"
    )

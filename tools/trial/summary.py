"""What the outcomes say of each tool. Pure: outcomes in, counts out."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

from tools.trial.outcomes import Condition, Outcome

#: bakeoff's margin: what differs by less is the same to it, so a 2 % called the same is no mistake.
MARGIN_PERCENT = 3


@dataclass(frozen=True, slots=True)
class Count:
    """`hits` of `total` comparisons."""

    hits: int
    total: int

    @property
    def share(self) -> float:
        """Hits ÷ total; 0 of 0 is no share.

        Raises
        ------
        ZeroDivisionError
            If nothing was compared.
        """
        return self.hits / self.total

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where the true share lies, by Clopper and Pearson (1934), who never promise too much.

        Parameters
        ----------
        level : float
            Its probability.

        Returns
        -------
        tuple of float
            Low and high, 0 to 1; both included.
        """
        tail = (1 - level) / 2
        misses = self.total - self.hits
        low = float(beta.ppf(tail, self.hits, misses + 1)) if self.hits else 0.0
        high = float(beta.ppf(1 - tail, self.hits + 1, misses)) if misses else 1.0
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One tool under one condition.

    Attributes
    ----------
    condition, tool : str
        Of what, and under which condition.
    alarms : Count
        Functions that are alike called slower or faster.
    faster : Count
        Of all pairs: the second called faster, which it never is.
    found : mapping of int to Count
        By effect in percent: slowed functions called slower.
    proven_same : Count
        Functions that are alike called the same.
    wrongly_same : Count
        Functions slowed by the margin or more called the same.
    inconclusive : Count
        Of all pairs: the tool says that it cannot tell.
    failed : int
        Comparisons that came to no verdict; they are in no count.
    median_s, ninth_s : float
        Median wall time of a comparison, and what nine of ten of them stay within.
    """

    condition: Condition
    tool: str
    alarms: Count
    faster: Count
    found: Mapping[int, Count]
    proven_same: Count
    wrongly_same: Count
    inconclusive: Count
    failed: int
    median_s: float
    ninth_s: float


def summarise(outcomes: Iterable[Outcome]) -> list[Summary]:
    """Each tool under each condition: quiet first, tools in the order of their names.

    Parameters
    ----------
    outcomes : iterable of Outcome
        In the order of their writing: of one comparison made twice, the last one counts.
    """
    latest = {(o.condition, o.tool, o.effect_percent, o.trial): o for o in outcomes}
    groups: dict[tuple[bool, str], list[Outcome]] = {}
    for outcome in latest.values():
        groups.setdefault((outcome.condition == "noisy", outcome.tool), []).append(outcome)
    return [_summary(groups[key]) for key in sorted(groups)]


def _summary(outcomes: Sequence[Outcome]) -> Summary:
    judged = [outcome for outcome in outcomes if outcome.verdict != "failed"]
    alike = [outcome for outcome in judged if outcome.effect_percent == 0]
    slowed = [outcome for outcome in judged if outcome.effect_percent > 0]
    return Summary(
        condition=outcomes[0].condition,
        tool=outcomes[0].tool,
        alarms=_count(alike, lambda o: o.verdict in ("slower", "faster")),
        faster=_count(judged, lambda o: o.verdict == "faster"),
        found={
            effect: _count(
                [o for o in slowed if o.effect_percent == effect], lambda o: o.verdict == "slower"
            )
            for effect in sorted({o.effect_percent for o in slowed})
        },
        proven_same=_count(alike, lambda o: o.verdict == "same"),
        wrongly_same=_count(
            [o for o in slowed if o.effect_percent >= MARGIN_PERCENT],
            lambda o: o.verdict == "same",
        ),
        inconclusive=_count(judged, lambda o: o.verdict == "inconclusive"),
        failed=len(outcomes) - len(judged),
        median_s=statistics.median(outcome.seconds for outcome in outcomes),
        ninth_s=float(np.quantile([outcome.seconds for outcome in outcomes], 0.9, method="higher")),
    )


def _count(outcomes: Sequence[Outcome], is_hit: Callable[[Outcome], bool]) -> Count:
    return Count(sum(map(is_hit, outcomes)), len(outcomes))

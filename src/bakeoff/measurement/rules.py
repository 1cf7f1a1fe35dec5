"""The rules of a run, fixed before its first measurement."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.results.records import RunHeader

#: False-positive budget of one comparison, over all looks.
ALPHA = 0.01

#: Two implementations within 3 % of each other are the same to an engineer.
MARGIN = 0.03

#: Rounds after which verdicts are taken. The quick preset looks once, after the smallest number of
#: rounds that has an exact 99 % interval (docs/decisions, "quick looks once").
LOOKS = (10, 15, 20, 30)
QUICK_LOOKS = (8,)

#: Where else verdicts may be taken when a user allows more rounds; every look costs its share of α.
MORE_LOOKS = (45, 60)

#: What a round's turns may take together; slow operations get fewer blocks then, never below five.
#: With starting, preparing and checking, a round of three arms then takes two to three seconds.
ROUND_BUDGET_S = 1.0


@dataclass(frozen=True, slots=True)
class Rules:
    """Levels, margin and looks of a run."""

    looks: tuple[int, ...] = LOOKS
    alpha: float = ALPHA
    margin: float = MARGIN

    @classmethod
    def of(cls, header: RunHeader) -> Rules:
        """The rules that a run was started with."""
        return cls(header.looks, header.alpha, header.margin)

    @property
    def look_alpha(self) -> float:
        """What one look may spend: the budget in equal parts."""
        return self.alpha / len(self.looks)

    @staticmethod
    def looks_up_to(rounds: int) -> tuple[int, ...]:
        """The looks of a run that may take so many rounds.

        Raises
        ------
        ValueError
            If that is not the number of rounds of a look: rounds after the last one decide nothing.
        """
        looks = (*LOOKS, *MORE_LOOKS)
        if rounds not in looks:
            raise ValueError(f"Verdicts are taken after {', '.join(map(str, looks))} rounds.")
        return looks[: looks.index(rounds) + 1]

    def looks_for(self, few: int | None) -> tuple[int, ...]:
        """The looks of one comparison: the planned ones, or one after `few` rounds."""
        return self.looks if few is None else (few,)

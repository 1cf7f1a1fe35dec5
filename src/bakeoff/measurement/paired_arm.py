"""An arm beside the baseline, in the rounds that both of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from bakeoff import statistics
from bakeoff.measurement.arm_times import block_times, has_figure
from bakeoff.measurement.judging import looked_at
from bakeoff.measurement.rules import Rules
from bakeoff.measurement.schedule import BLOCKS
from bakeoff.results.records import ArmRound, RoundRecord

#: After so many rounds it is settled whether a cell needs long ones.
ROUNDS_TO_SEE = 3


@dataclass(frozen=True)
class PairedArm:
    """An arm and the baseline in the rounds that both of them have, up to the last look."""

    arm: str
    implementation: str
    own: tuple[ArmRound, ...]
    base: tuple[ArmRound, ...]
    numbers: tuple[int, ...]
    few: int | None

    @classmethod
    def of(
        cls,
        rounds: Sequence[RoundRecord],
        arm: str,
        implementation: str,
        baseline: str,
        looks: Sequence[int],
        few: int | None,
    ) -> PairedArm:
        """The arm in the rounds in which both sides have a figure, up to the last look."""
        usable = [
            record
            for record in rounds
            if all(
                name in record.arms and has_figure(record.arms[name]) for name in (arm, baseline)
            )
        ]
        usable = usable[: looked_at(len(usable), looks)]
        return cls(
            arm,
            implementation,
            tuple(record.arms[arm] for record in usable),
            tuple(record.arms[baseline] for record in usable),
            tuple(record.round for record in usable),
            few,
        )

    @property
    def is_bound(self) -> bool:
        """Whether the arm did not finish in some round."""
        return any(arm.censored_s is not None for arm in self.own)

    @property
    def is_baseline_bound(self) -> bool:
        """Whether the baseline did not finish in some round."""
        return any(arm.censored_s is not None for arm in self.base)

    @cached_property
    def times(self) -> list[tuple[statistics.BlockTimes, statistics.BlockTimes]]:
        """The turns of both sides, round by round."""
        return [
            (block_times(own), block_times(base))
            for own, base in zip(self.own, self.base, strict=True)
        ]

    @cached_property
    def effects(self) -> list[statistics.RoundEffect]:
        """What each round says about the two."""
        return [statistics.round_effect(own, base) for own, base in self.times]

    @property
    def has_rare_cost(self) -> bool:
        """Whether the first rounds agree that one side pays more than its median turn tells.

        Asked of the first rounds only: like every rule of a run, it is settled early and stays.
        """
        if self.is_bound or self.is_baseline_bound:
            return False
        effects = self.effects[:ROUNDS_TO_SEE]
        if len(effects) < ROUNDS_TO_SEE or any(len(own.batches) < BLOCKS for own in self.own):
            return False
        return statistics.is_rare_cost(effects)

    def has_bursts(self, rules: Rules) -> bool:
        """Whether one side's cost is proven to come in bursts that the other side's does not."""
        if not self.own or self.is_bound or self.is_baseline_bound:
            return False
        return statistics.has_bursts(self.effects, rules.look_alpha)
